//! What separates the fields of rows where `-f` gives a number.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::place::Place;

#[test]
fn numbered_fields_are_found_between_what_separates_all_records() {
    let place = Place::new();
    for (name, rows, field, keys) in [
        ("s.csv", "account;amount\n1;20\n2;30\n", "1", "account 1 2"),
        ("s.csv", "1\tx\n2\ty\n", "1", "1 2"),
        ("s.csv", "1,x;y\n2,z;w\n", "1", "1 2"),
        ("s.tsv", "1\tx,y\n2\tz,w\n", "1", "1 2"),
        ("s.tsv", "1;x\n2;y\n", "2", "x y"),
        ("list", "\"x\ty\",1\n\"z\",2\n", "2", "1 2"),
        ("list", "April 15, 2023;42;x\nMay;43;y\n", "2", "42 43"),
        ("s.csv", "1\n2\n", "1", "1 2"),
        ("list", "https://x.org/a\nhttp://y.org/b\n", "1", "https://x.org/a http://y.org/b"),
        ("list", "12:30\n07:45:10\n", "1", "12:30 07:45:10"),
        // Of several lengths, as the name or the first record has it.
        ("s.csv", "1,x\n2,y,z\n", "1", "1 2"),
        ("list", "1,x\n2,y,z\n", "1", "1 2"),
    ] {
        place.write(name, rows);
        for input in [name, "-"] {
            if name.ends_with(".tsv") && input == "-" {
                continue;
            }
            let args = format!("build -q {input} -f {field} -o f --force -p 1e-9");
            let ran = place.run_with(&args, rows.as_bytes());
            if input == "-" && rows == "1,x;y\n2,z;w\n" {
                assert!(ran.err.contains("commas (--csv) or semicolons (--csv -d ';')"), "{}", ran.err);
                continue;
            }
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{rows:?} {input}");
            for key in keys.split(' ') {
                assert_eq!(place.run(&format!("has -q f -e {key}")).code, 0, "{rows:?} {input}: {key}");
            }
            let rows = rows.as_bytes();
            let count = format!("{}\n", keys.split(' ').count());
            assert_eq!(place.run_with(&format!("has -c f {input}"), rows).text(), count, "{input}");
            assert_eq!(
                place.run_with(&format!("has -c f {input} -f {field}"), rows).text(),
                count,
                "{input}"
            );
            assert_eq!(place.run(&format!("add -q f {name}")).code, 0);
        }
    }
}

#[test]
fn what_is_not_sure_is_refused_with_what_to_type() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    place.write("two", "April 15, 2023;42;x\n");
    place.write("colon", "0018A45C4D1DEF81644B54AB7F969B88D65:10\n00D4F6E8FA6EECAD2A3AA415EEC418D38EC:2\n");
    place.write("bar.csv", "a|b\nc|d\n");
    place.write("blank", "Jane Doe\nJohn Doe\n");
    for (name, field, why) in [
        ("two", "2", "commas (--csv) or semicolons (--csv -d ';'); say which, or add --whole"),
        ("colon", "1", "say -d ':' if that separates them, or --whole if each whole line is a key"),
        ("bar.csv", "1", "say -d '|' if"),
        ("blank", "2", "say -d ' ' if"),
    ] {
        for verb in ["build -o g", "add f", "has f", "which f --", "uniq", "test f --members"] {
            let ran = place.run(
                &format!("{verb} {name} -f {field}")
                    .replace(&format!("-- {name} -f {field}"), &format!("-f {field} -- {name}")),
            );
            assert!(
                ran.code == 2 && ran.out.is_empty() && ran.err.contains(why),
                "{verb} {name}: {}",
                ran.err
            );
            assert!(ran.err.starts_with(&format!("tepal: {name}: ")), "{}", ran.err);
        }
    }
    // What is to be typed works, and so does what the filter records.
    assert_eq!(place.run("build -q colon -f 1 -d : -o g").code, 0);
    assert_eq!(place.run("has -c g colon").text(), "2\n");
    assert_eq!(place.run("build -q two -f 2 --csv -d ; -o h").code, 0);
    assert_eq!(place.run("has -c h two").text(), "1\n");
    assert_eq!(place.run("has -c h -f 2 two").text(), "1\n");
    assert_eq!(place.run("build -q blank -f 1 -o i").code, 0);
    // `build` reads more than the first record.
    let ran = place.run_with("build -q -f 2 -o j -p 1e-9", b"April 15, 2023;42;x\nMay;43;y\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(place.run("has -c j -e 42 -e 43").text(), "2\n");
}

/// The first row of a pipe is answered before the second comes.
#[test]
fn the_first_row_is_answered_at_once() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    for args in ["has f -f 2", "has f -f 2 -j 4", "uniq -f 2", "which f -f 2", "has f -f 1"] {
        let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        for row in ["k,k\n", "k,k,x\n"].into_iter().take(if args.starts_with("uniq") { 1 } else { 2 }) {
            to.write_all(row.as_bytes()).unwrap();
            let mut answered = String::new();
            from.read_line(&mut answered).unwrap();
            assert!(answered.starts_with(row.trim_end()), "{args}: {answered}");
        }
        drop(to);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args}");
    }
}

#[test]
fn numbers_in_arrays_of_json_begin_with_one() {
    let place = Place::new();
    place.write("rows.jsonl", "[\"k1\",\"x\"]\n[\"k2\",\"y\"]\n");
    place.write("named.jsonl", "{\"1\":\"k1\",\"0\":\"z\"}\n");
    for name in ["rows.jsonl", "-"] {
        let rows = place.read("rows.jsonl");
        assert_eq!(place.run_with(&format!("build -q {name} -f 1 -o f --force -p 1e-9"), &rows).quiet().0, 0);
        assert_eq!(place.run("has f -e k1 -e k2 -e x -e y").text(), "k1\nk2\n");
        for args in ["has -c f rows.jsonl", "has -c f rows.jsonl -f 1"] {
            assert_eq!(place.run(args).quiet(), (0, &b"2\n"[..]), "{args}");
        }
        assert_eq!(place.run("has -c f rows.jsonl -f 2").text(), "0\n");
    }
    // A field of that name is no place in an array.
    assert_eq!(place.run("has -c f named.jsonl -f 1").text(), "1\n");
    for flags in ["--by 2", "--map 2"] {
        assert_eq!(place.run(&format!("build -q rows.jsonl -f 1 {flags} -o s --force")).code, 0, "{flags}");
        let verb = if flags.starts_with("--by") { "which" } else { "get" };
        assert_eq!(place.run(&format!("{verb} s -e k1 -e k2")).text(), "k1\tx\nk2\ty\n");
    }
    for passed in [0, 1] {
        assert_eq!(place.run("uniq rows.jsonl -f 2 --state st").code, passed);
    }
    let ran = place.run("uniq rows.jsonl -f 1 --state st");
    assert!(ran.code == 2 && ran.err.contains("its keys are the field /1, not the field /0"), "{}", ran.err);
    let ran = place.run("build rows.jsonl -f 3 -o g");
    assert!(
        ran.code == 2 && ran.err.contains("no field 3: the array \"[\"k1\",\"x\"]\" has 2 values"),
        "{}",
        ran.err
    );
}

/// Of a JSON record only the key's own value decides.
#[test]
fn other_values_of_json_may_be_what_they_like() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    let deep = [
        b"{\"a\":\"k\",\"b\":".to_vec(),
        "[".repeat(500).into_bytes(),
        "]".repeat(500).into_bytes(),
        b"}\n".to_vec(),
    ];
    let rows = [
        &b"{\"a\":\"k\",\"b\":\"\\ud800\"}\n"[..],
        b"{\"b\":\"\xff\",\"a\":\"k\"}\n",
        b"{\"a\":\"k\",\"b\":1e400}\n",
        &deep.concat(),
    ]
    .concat();
    let ran = place.run_with("has f -f /a", &rows);
    assert_eq!((ran.code, &ran.out, ran.err.as_str()), (0, &rows, ""));
    let ran = place.run_with("has f -f /a", b"{\"a\":\"\\ud800\"}\n{\"a\":\"k\"}\n");
    assert!(ran.text() == "{\"a\":\"k\"}\n" && ran.err.contains("1 record had no key"), "{}", ran.err);
}
