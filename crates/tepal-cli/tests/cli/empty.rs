//! Empty fields and empty lines are no keys, unless it is said.

use crate::place::Place;

const ROWS: &str = "id,name\n,nobody\n1,a\n\"\",x\n2,b\n";

#[test]
fn empty_fields_are_left_out_and_counted() {
    let place = Place::new();
    place.write("rows.csv", ROWS);
    place.write("rows.tsv", ROWS.replace(',', "\t").replace("\"\"", ""));
    place.write("rows.jsonl", "{\"id\":null}\n{\"id\":\"1\"}\n{\"id\":null}\n{\"id\":\"2\"}\n");
    for name in ["rows.csv", "rows.tsv", "rows.jsonl"] {
        let ran = place.run(&format!("build {name} -f id -o f --force -p 1e-9"));
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        assert!(
            ran.err.starts_with("2 keys")
                && ran.err.contains("; 2 records without a value are no keys\nkeys: "),
            "{}",
            ran.err
        );
        assert_eq!(place.run(&format!("has f {name} -c")).quiet(), (0, &b"2\n"[..]));
        assert_eq!(place.run(&format!("has f {name} -v -c")).quiet(), (0, &b"2\n"[..]));
        assert_eq!(place.run(&format!("test -q f --members {name}")).code, 0);
        let added = place.run(&format!("add f {name}"));
        assert!(
            added.err.starts_with("2 keys added; about 0 new; ")
                && added.err.contains("; 2 records without a value are no keys\nkeys: "),
            "{}",
            added.err
        );
        assert_eq!(
            place.run(&format!("build --json {name} -f id -o f --force -q")).json()["empty_records"],
            2
        );
        assert_eq!(place.run(&format!("add --json f {name} -q")).json()["empty_records"], 2);
        // Rows without a value pass, each time.
        for _ in 0..2 {
            let ran = place.run(&format!("uniq {name} -f id -c"));
            assert_ne!(ran.code, 0);
        }
    }
    assert_eq!(place.run("uniq rows.csv -f id --state st").text(), ROWS);
    assert_eq!(place.run("uniq rows.csv --state st").text(), "id,name\n,nobody\n\"\",x\n");
    for (flags, verb) in [("--by name", "which"), ("--map name", "get")] {
        let ran = place.run(&format!("build rows.csv -f id {flags} -o s --force"));
        assert!(
            ran.code == 0 && ran.err.contains("; 2 records without a value are no keys\nkeys: "),
            "{}",
            ran.err
        );
        assert_eq!(place.run(&format!("{verb} s -e 1 -e 2")).text(), "1\ta\n2\tb\n");
    }
    let ran = place.run_with("build --csv -f 1 -o e", b",x\n,y\n");
    assert!(
        ran.code == 2
            && ran.err.contains(
                "nothing was built; 2 records without a value are no keys; take empty ones with --empty-keys"
            ),
        "{}",
        ran.err
    );
}

#[test]
fn empty_keys_are_recorded() {
    let place = Place::new();
    place.write("rows.csv", ROWS);
    assert_eq!(place.run("build -q rows.csv -f id --empty-keys -o f -n 99 -p 1e-9").quiet().0, 0);
    let info = place.run("info --json f").json();
    assert_eq!((&info[0]["empty_keys"], &info[0]["row_format"]), (&true.into(), &"csv".into()));
    assert!(place.run("info f").text().contains("field \"id\" of CSV rows, empty ones too\n"));
    assert_eq!(place.run("has -c f rows.csv").quiet(), (0, &b"4\n"[..]));
    let added = place.run("add f rows.csv");
    assert!(added.err.starts_with("4 keys added; about 0 new; "), "{}", added.err);
    assert_eq!(place.run("test -q f --members rows.csv").code, 0);
    assert_eq!(place.run("build -q --like f rows.csv -o g").quiet().0, 0);
    assert_eq!(place.run("has -c g rows.csv").text(), "4\n");
    place.build("h", ROWS.as_bytes(), "--csv -f id -n 99");
    assert_eq!(place.run("has -c h rows.csv").text(), "2\n");
    let ran = place.run("add h rows.csv --empty-keys");
    assert!(
        ran.code == 2
            && ran.err.contains("--empty-keys is given, and the filter was built from a field without it"),
        "{}",
        ran.err
    );
    // A state keeps it too.
    assert_eq!(
        place.run("uniq rows.csv -f id --empty-keys --state st").text(),
        "id,name\n,nobody\n1,a\n2,b\n"
    );
    assert_eq!(place.run("uniq rows.csv --state st").code, 1);
    // An empty text of JSON is a key.
    place.build("j", b"{\"id\":\"\"}\n{\"id\":null}\n", "-f id");
    assert_eq!(place.run_with("has -c j", b"{\"id\":\"\"}\n").text(), "1\n");
    // A filter that records no field answers as before.
    place.build("list", b"\nx\n", "--empty-keys");
    assert_eq!(place.run("has list rows.csv -f id").text(), "id,name\n,nobody\n\"\",x\n");
}

#[test]
fn empty_lines_are_left_out_of_lists() {
    let place = Place::new();
    for (list, flags, keys, empty) in [
        ("a\n\nb\n", "", 2, "; 1 empty line is no key"),
        ("\na\r\n\r\nb", "", 2, "; 2 empty lines are no keys"),
        ("a\n \nb\n", "", 3, ""),
        ("a\n \t\nb\n", "--trim", 2, "; 1 empty line is no key"),
        ("a\n\nb\n", "--empty-keys", 3, ""),
        ("a\n\n", "--static", 1, "; 1 empty line is no key"),
        ("a\n\n", "--deletable", 1, "; 1 empty line is no key"),
        ("a\n\n", "--growing", 1, "; 1 empty line is no key"),
        ("a\n\n", "--window 10keys", 1, "; 1 empty line is no key"),
    ] {
        for threads in ["-j 1", "-j 3"] {
            let ran =
                place.run_with(&format!("build -o f --force -p 1e-9 {flags} {threads}"), list.as_bytes());
            let told = if keys == 1 { "1 key,".to_owned() } else { format!("{keys} keys,") };
            let end =
                format!("{}\nkeys: whole lines\n", if empty.is_empty() { "false positives" } else { empty });
            assert!(
                ran.code == 0 && ran.err.starts_with(&told) && ran.err.ends_with(&end),
                "{list:?} {flags}: {}",
                ran.err
            );
            let is_in = i32::from(keys != 3 || !list.contains("\n\n"));
            assert_eq!(place.run_with("has -q f", b"\n").code, is_in, "{list:?} {flags}");
        }
    }
    // A long list, on several threads.
    let list: String =
        (0..300_000).map(|n| if n % 1000 == 7 { "\n".to_owned() } else { format!("{n}\n") }).collect();
    let ran = place.run_with("build -o f --force", list.as_bytes());
    assert!(
        ran.err.contains("299,700 keys") && ran.err.contains("; 300 empty lines are no keys\n"),
        "{}",
        ran.err
    );
    let ran = place.run_with("add f --past-promise", b"x\n\ny\n");
    assert!(
        ran.err.starts_with("2 keys added") && ran.err.contains("; 1 empty line is no key\n"),
        "{}",
        ran.err
    );
    // What is compared with a list reads it as `build` did.
    place.write("gaps", "a\n\nb\n\n");
    place.build("d", b"a\n\nb\n", "--deletable");
    assert_eq!(place.run("test -q d --members gaps").code, 0);
    assert_eq!(place.run("remove -q d gaps").code, 0);
    place.build("e", b"a\n\nb\n", "");
    assert_eq!(place.run("except -q e -e x --members gaps").code, 0);
    // As before: records that end with NUL, keys of -e, files of other programs, lines of `uniq`.
    assert_eq!(place.run_with("build -q -0 -o z", b"a\0\0").code, 0);
    assert_eq!(place.run_with("has -0 -c z", b"\0").text(), "1\n");
    let mut add = place.command("add -q f --past-promise -e");
    add.arg("");
    assert_eq!(crate::place::finish(add).code, 0);
    assert_eq!(place.run_with("has -c f", b"\n").text(), "1\n");
    assert_eq!(place.run_with("build -q --to guava -o g", b"a\n\n").code, 0);
    assert_eq!(place.run_with("has -c g --from guava --keys bytes", b"\n").text(), "1\n");
    assert_eq!(place.run_with("uniq", b"a\n\n\na\n").text(), "a\n\n");
}
