//! `tepal which`, and `has --in` that says which filter it was.

use crate::place::{Place, numbers};

/// Three filters in `place`: `a` has 1 and 2, `b` has 2 and 3, and `c` 2 and x under another hash
/// and recipe.
fn three(place: &Place) {
    place.build("a.tepal", b"1\n2\n", "");
    place.build("b.tepal", b"2\n3\n", "");
    place.build("c.bin", b"2\nX\n", "--to guava");
}

#[test]
fn every_line_comes_out_with_the_filters_that_hold_it() {
    let place = Place::new();
    three(&place);
    let filters = "which a.tepal b.tepal c.bin";
    let expected = "1\ta.tepal\n2\ta.tepal,b.tepal,c.bin\n3\tb.tepal\n4\tnone\nX\tc.bin";
    let input = b"1\n2\n3\n4\nX";
    let from = format!("{filters} --from guava --keys bytes");
    assert_eq!(place.run_with(&from, input).quiet().1, expected.as_bytes());
    place.write("lines", input);
    assert_eq!(place.run(&format!("{from} -- lines")).quiet().1, expected.as_bytes());
    assert_eq!(place.run(&format!("{from} -j 1 -- lines")).quiet().1, expected.as_bytes());
    let ran = place.run(&format!("{from} --stem -e 2 -e -x"));
    assert_eq!(ran.quiet(), (0, &b"2\ta,b,c\n-x\tnone\n"[..]));
    assert_eq!(place.run(&format!("{from} -e 4")).quiet(), (1, &b"4\tnone\n"[..]));
}

#[test]
fn counts_strangers_and_quiet() {
    let place = Place::new();
    three(&place);
    place.write("lines", "1\n2\r\n3\n4\n5");
    let run = |flags: &str| place.run(&format!("which a.tepal b.tepal {flags} -- lines"));
    assert_eq!(run("-c").quiet(), (0, &b"a.tepal\t2\nb.tepal\t2\nnone\t2\n"[..]));
    assert_eq!(run("-v").quiet(), (0, &b"4\n5"[..]));
    assert_eq!(run("-vc").quiet(), (0, &b"2\n"[..]));
    assert_eq!(run("-q").quiet(), (0, &b""[..]));
    assert_eq!(
        run("-c --json --stem").json(),
        serde_json::json!({ "lines": 5, "none": 2, "filters": [
            { "filter": "a", "lines": 2 }, { "filter": "b", "lines": 2 } ] })
    );
    place.write("lines", "4\n");
    assert_eq!((run("").code, run("-q").code, run("-v").code), (1, 1, 0));
    place.write("lines", "");
    assert_eq!((run("").quiet(), run("-v").code), ((1, &b""[..]), 1));
    // The line ends stay.
    place.write("lines", "1\r\n9\r\n");
    assert_eq!(run("").quiet().1, b"1\ta.tepal\r\n9\tnone\r\n");
}

#[test]
fn records_as_json() {
    let place = Place::new();
    three(&place);
    let ran = place.run_with("which --json a.tepal b.tepal -- -", b"2\n\xff\n");
    let expected = r#"{"input":"standard input","line":1,"key":"2","has":true,"filters":["a.tepal","b.tepal"]}
{"input":"standard input","line":2,"key_hex":"ff","has":false,"filters":[]}
"#;
    assert_eq!((ran.code, ran.text()), (0, expected));
}

#[test]
fn a_field_with_its_header() {
    let place = Place::new();
    three(&place);
    let ran = place.run_with("which a.tepal b.tepal -f id", b"name\tid\nx\t1\n\ny\t3\n");
    assert_eq!(ran.quiet().1, b"name\tid\tfilters\nx\t1\ta.tepal\n\tnone\ny\t3\tb.tepal\n");
}

#[test]
fn keys_that_some_filters_cannot_have() {
    let place = Place::new();
    place.build("text", b"1\nx\n", "");
    place.build("numbers", b"1\n2\n", "--integer");
    let ran = place.run_with("which text numbers", b"1\nx\n2\n");
    assert_eq!(ran.quiet(), (0, &b"1\ttext,numbers\nx\ttext\n2\tnumbers\n"[..]));
    assert_eq!(place.run("which text numbers -e x").quiet(), (0, &b"x\ttext\n"[..]));
    // Where none can have it, it is in none, and a mistake.
    let ran = place.run_with("which numbers numbers --bad fail", b"1\nx\n2\n");
    assert_eq!((ran.code, ran.text()), (2, "1\tnumbers,numbers\nx\tnone\n2\tnumbers,numbers\n"));
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    // A key of the command line is answered as one that is read.
    let ran = place.run("which numbers -e x -e 1");
    assert_eq!((ran.code, ran.text()), (0, "x\tnone\n1\tnumbers\n"));
    assert!(ran.err.starts_with("tepal: 1 record had no key; the first: -e: this filter has"), "{}", ran.err);
    assert_eq!(place.run("which numbers -e x --bad fail").code, 2);
}

#[test]
fn a_thousand_filters_answer_as_one_by_one() {
    let place = Place::new();
    let mut names = String::new();
    // Two hashes in turn, so that neither group has neighbours.
    for i in 0..1000 {
        let seed = if i % 3 == 0 { "--seed 7" } else { "" };
        place.build(&format!("f{i}"), format!("{i}\n{}\nall\n", i * 7 % 1000).as_bytes(), seed);
        names.push_str(&format!(" f{i}"));
    }
    let mut lines = numbers(0..1000);
    lines.extend_from_slice(b"all\nno\n");
    place.write("lines", &lines);
    let ran = place.run(&format!("which{names} -- lines"));
    let text = ran.text();
    assert_eq!((ran.code, ran.err.as_str(), text.lines().count()), (0, "", 1002));
    for (i, line) in text.lines().take(1000).enumerate() {
        // Whose 7th part it is: 143 * 7 = 1 (mod 1000).
        let other = i * 143 % 1000;
        let mut held = [i, other];
        held.sort_unstable();
        let held: Vec<_> = if i == other { vec![i] } else { held.to_vec() };
        let held: Vec<_> = held.iter().map(|n| format!("f{n}")).collect();
        assert_eq!(line, format!("{i}\t{}", held.join(",")));
    }
    assert_eq!(text.lines().nth(1000).unwrap().split(',').count(), 1000);
    assert_eq!(text.lines().nth(1001), Some("no\tnone"));
}

#[test]
fn threads_keep_the_order() {
    let place = Place::new();
    place.build("even", &(0..100_000).map(|n| format!("{}\n", 2 * n)).collect::<String>().into_bytes(), "");
    place.build("low", &numbers(0..1000), "");
    place.write("lines", numbers(0..300_000));
    let one = place.run("which even low -j 1 -- lines");
    assert_eq!(one.out, place.run("which even low -j 3 -- lines").out);
    let text = one.text();
    for (n, line) in text.lines().enumerate() {
        let names = match (n % 2 == 0 && n < 200_000, n < 1000) {
            (true, true) => "even,low",
            (true, false) => "even",
            (false, true) => "low",
            (false, false) => "none",
        };
        assert_eq!(line, format!("{n}\t{names}"));
    }
    assert_eq!(place.run("which even low -c -- lines").text(), "even\t100000\nlow\t1000\nnone\t199500\n");
}

#[test]
fn mistakes_say_what_to_do() {
    let place = Place::new();
    three(&place);
    place.write("lines", "1\n");
    for (args, hint) in [
        ("which a.tepal lines", "-- LINES"),
        ("which a.tepal nothing", "no such file"),
        ("which", "FILTER"),
        ("which a.tepal -- nothing", "no such file"),
        ("which ./a.tepal a.tepal --stem -e 1", "leave --stem out"),
        ("which a.tepal -v --json -e 1", "--json"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}");
        assert!(ran.err.contains(hint) && ran.err.lines().count() == 1, "{args}: {}", ran.err);
    }
}

#[test]
fn has_names_the_filter_too() {
    let place = Place::new();
    three(&place);
    let all = "has a.tepal --in b.tepal --in c.bin --from guava --keys bytes";
    let input = b"1\n2\n4\n3";
    assert_eq!(place.run_with(all, input).quiet(), (0, &b"1\n2\n3"[..]));
    let ran = place.run_with(&format!("{all} --which"), input);
    assert_eq!(ran.quiet(), (0, &b"1\ta.tepal\n2\ta.tepal,b.tepal,c.bin\n3\tb.tepal"[..]));
    let ran = place.run_with(&format!("{all} --which --stem -n"), input);
    assert_eq!(ran.quiet(), (0, &b"1:1\ta\n2:2\ta,b,c\n4:3\tb"[..]));
    assert_eq!(place.run(&format!("{all} --which -e 3 -e 4")).quiet(), (0, &b"3\tb.tepal\n"[..]));
    let ran = place.run(&format!("{all} --json -e 3 -e 4"));
    let expected = "{\"key\":\"3\",\"has\":true,\"filters\":[\"b.tepal\"]}\n{\"key\":\"4\",\"has\":false,\"filters\":[]}\n";
    assert_eq!(ran.quiet(), (0, expected.as_bytes()));
    let ran = place.run_with("has a.tepal --in b.tepal --which -f id", b"id\tx\n3\ty\n");
    assert_eq!(ran.quiet().1, b"id\tx\tfilters\n3\ty\tb.tepal\n");
    assert_eq!(place.run("has a.tepal --which -v").code, 2);
}

#[test]
fn all_filters_of_has_may_be_named_by_in() {
    let place = Place::new();
    three(&place);
    let in_two = "has --in a.tepal --in b.tepal --which";
    let found = (0, &b"1\ta.tepal\n2\ta.tepal,b.tepal\n3\tb.tepal\n"[..]);
    assert_eq!(place.run(&format!("{in_two} -e 1 -e 2 -e 3 -e 4")).quiet(), found);
    assert_eq!(place.run_with(in_two, b"1\n2\n4\n3\n").quiet(), found);
    place.write("lines", "1\n2\n4\n3\n");
    assert_eq!(place.run(&format!("{in_two} -- lines")).quiet(), found);
    assert_eq!(place.run("has --in b.tepal --which -- lines").quiet(), (0, &b"2\tb.tepal\n3\tb.tepal\n"[..]));
    // As ever: what comes after -- may be the filter's name, and more lines.
    assert_eq!(place.run("has -c -- a.tepal lines").quiet(), (0, &b"2\n"[..]));
    assert_eq!(place.run("has -c a.tepal lines -- lines").quiet(), (0, &b"4\n"[..]));
    let ran = place.run(&format!("{in_two} lines"));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("files of lines come after --: tepal has --in FILTER -- LINES"), "{}", ran.err);
    assert_eq!(place.run("has").code, 2);
    assert!(place.run("has -e 1").err.contains("<FILTER>"));
}
