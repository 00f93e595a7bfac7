//! grep's manners of `has`, `which` and `get`: names of files before lines, counts, lists of files,
//! and a file that is missing.

use crate::place::Place;

/// A filter `f`, one of segments `s` and a map `m` of the key x, and four lists.
fn of_x() -> Place {
    let place = Place::new();
    place.write("row", "x\there\n");
    place.build("f", b"x\n", "");
    place.build("s", b"", "row -f 1 --by 2");
    place.build("m", b"", "row -f 1 --map 2");
    place.write("a", "x\nno\nx\n");
    place.write("b", "no\n");
    place.write("c", "no\nx");
    place.write("empty", "");
    place
}

/// The three verbs, and what they put behind a line that is held and behind one that is not.
const VERBS: [(&str, &str, Option<&str>); 4] = [
    ("has f", "", None),
    ("which f", "\tf", Some("\tnone")),
    ("which s --whole", "\there", Some("\tnone")),
    ("get m --whole", "\there", Some("\tnone")),
];

#[test]
fn several_files_are_named_before_each_line() {
    let place = of_x();
    for (verb, yes, no) in VERBS {
        for (files, name) in [
            ("a b c empty", true),
            ("a", false),
            ("-H a", true),
            ("-I a b c", false),
            ("-H -I a b", false),
            ("-I -H a b", true),
            ("--no-filename a b", false),
            ("-n c a", true),
            ("-n -I c a", false),
        ] {
            let mut expected = String::new();
            for file in files.split(' ').filter(|file| !file.starts_with('-')) {
                for (number, line) in (1..).zip(String::from_utf8(place.read(file)).unwrap().lines()) {
                    let Some(field) = (if line == "x" { Some(yes) } else { no }) else { continue };
                    let name = if name { format!("{file}:") } else { String::new() };
                    let number = if files.contains("-n ") { format!("{number}:") } else { String::new() };
                    expected.push_str(&format!("{name}{number}{line}{field}\n"));
                }
            }
            for threads in ["-j 1", "-j 3"] {
                let args = format!("{verb} {files} {threads}");
                let ran = place.run(&args);
                // The last line of `c` has no end.
                assert_eq!(ran.text().trim_end(), expected.trim_end(), "{args}: {}", ran.err);
                assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
            }
        }
        assert_eq!(
            place.run_with(&format!("{verb} - a -m 1"), b"x\n").text(),
            format!("standard input:x{yes}\na:x{yes}\n")
        );
        // A key of -e is of no file.
        assert_eq!(place.run(&format!("{verb} -e x a -m 1")).text(), format!("x{yes}\nx{yes}\n"));
        assert_eq!(place.run(&format!("{verb} -e x a b -m 1 -v")).text(), "a:no\nb:no\n");
    }
}

#[test]
fn each_file_is_counted() {
    let place = of_x();
    for verb in ["has f", "get m --whole"] {
        for (args, expected) in [
            ("a b c empty", "a:2\nb:0\nc:1\nempty:0\n"),
            ("-v a b c empty", "a:1\nb:1\nc:1\nempty:0\n"),
            ("-I a b c", "2\n0\n1\n"),
            ("a", "2\n"),
            ("-H a", "a:2\n"),
            ("-m 1 a b", "a:1\nb:0\n"),
            ("-e x -e no", "1\n"),
            ("-e x a", "3\n"),
            ("-e x a b", "-e:1\na:2\nb:0\n"),
            ("-e x -I a b", "1\n2\n0\n"),
        ] {
            for threads in ["-j 1", "-j 3"] {
                assert_eq!(
                    place.run(&format!("{verb} -c {args} {threads}")).quiet(),
                    (0, expected.as_bytes())
                );
            }
        }
        assert_eq!(place.run(&format!("{verb} -c b empty")).quiet(), (1, &b"b:0\nempty:0\n"[..]));
        let counts = place.run(&format!("{verb} -c --json a b -e x")).json();
        let inputs = serde_json::json!([
            { "input": null, "lines": 1, "selected": 1 },
            { "input": "a", "lines": 3, "selected": 2 },
            { "input": "b", "lines": 1, "selected": 0 } ]);
        assert_eq!(counts, serde_json::json!({ "lines": 5, "selected": 3, "inputs": inputs }));
        let ran = place.run_with(&format!("{verb} -c --json"), b"no\n");
        let counts =
            r#"{"lines":1,"selected":0,"inputs":[{"input":"standard input","lines":1,"selected":0}]}"#;
        assert_eq!((ran.code, ran.text().trim_end()), (1, counts));
    }
    // `which` counts for each filter, whatever the files are.
    assert_eq!(place.run("which f -c a b c").quiet(), (0, &b"f\t3\nnone\t3\n"[..]));
    assert_eq!(place.run("which s --whole -vc a b c").quiet(), (0, &b"3\n"[..]));
}

#[test]
fn files_are_listed() {
    let place = of_x();
    let many = "no\n".repeat(1 << 19);
    place.write("long", format!("{many}x\n{many}"));
    place.write("strangers", &many);
    let all = "a b c empty long strangers";
    for (verb, ..) in VERBS {
        for (args, code, expected) in [
            (format!("-l {all}"), 0, "a\nc\nlong\n"),
            (format!("-L {all}"), 0, "b\nempty\nstrangers\n"),
            (format!("-l -v {all}"), 0, "a\nb\nc\nlong\nstrangers\n"),
            (format!("-L -v {all}"), 0, "empty\n"),
            ("-l a".to_owned(), 0, "a\n"),
            ("-L a".to_owned(), 0, ""),
            ("-L b".to_owned(), 1, "b\n"),
            ("--files-without-match empty b".to_owned(), 1, "empty\nb\n"),
            ("-L -0 b empty".to_owned(), 1, "b\0empty\0"),
            ("-l -q a".to_owned(), 0, ""),
            ("-L -q b".to_owned(), 1, ""),
            ("-L -e x b".to_owned(), 0, "b\n"),
        ] {
            for threads in ["-j 1", "-j 3"] {
                let args = format!("{verb} {args} {threads}");
                assert_eq!(place.run(&args).quiet(), (code, expected.as_bytes()), "{args}");
            }
        }
        for flags in ["-l -L", "-L -c", "-L --json", "-L -n", "-l -H"] {
            assert_eq!(place.run(&format!("{verb} {flags} a")).code, 2, "{verb} {flags}");
        }
    }
}

/// A file that is read before the one that breaks is listed, and the broken one is not.
#[test]
fn a_file_that_breaks_is_not_listed() {
    let place = of_x();
    place.write("broken", b"\x1f\x8b\x08broken");
    place.write("more", "no\n");
    let ran = place.run("has -L f b more broken b");
    assert_eq!((ran.code, ran.text()), (2, "b\n"));
}

#[test]
fn a_missing_file_does_not_keep_the_others_from_being_answered() {
    let place = of_x();
    std::fs::create_dir(place.path("folder")).unwrap();
    let told = "tepal: missing: no such file; expected a file of keys. A key by itself is given with -e\n";
    for (verb, yes, no) in VERBS {
        let ran = place.run(&format!("{verb} missing a -m 1"));
        assert_eq!((ran.code, ran.text(), &*ran.err), (2, format!("a:x{yes}\n").as_str(), told), "{verb}");
        let ran = place.run(&format!("{verb} b missing folder"));
        let expected = no.map_or(String::new(), |no| format!("b:no{no}\n"));
        assert_eq!((ran.code, ran.text()), (2, expected.as_str()), "{verb}");
        assert_eq!(ran.err, format!("{told}tepal: folder: a directory; expected a file of keys\n"), "{verb}");
        let ran = place.run(&format!("{verb} missing -e x"));
        assert_eq!((ran.code, ran.text(), &*ran.err), (2, format!("x{yes}\n").as_str(), told), "{verb}");
        for args in ["-l missing a", "-l a missing"] {
            assert_eq!(place.run(&format!("{verb} {args}")).text(), "a\n", "{verb} {args}");
        }
        assert_eq!(place.run(&format!("{verb} -L missing a b")).text(), "b\n", "{verb}");
        for args in
            ["missing", "-c missing", "-c --json missing", "-q missing a", "-q a missing", "-L missing"]
        {
            let ran = place.run(&format!("{verb} {args}"));
            assert_eq!((ran.code, ran.text(), &*ran.err), (2, "", told), "{verb} {args}");
        }
    }
    assert_eq!(place.run("has f -c missing a b").text(), "a:2\nb:0\n");
    assert_eq!(place.run("has f -c missing a").text(), "a:2\n");
    assert_eq!(place.run("which f -c missing a").text(), "f\t2\nnone\t1\n");
    // What changes a filter takes all of its lists, or none.
    assert_eq!(place.run("add f a missing").code, 2);
    assert_eq!(place.run("has f -e no").quiet(), (1, &b""[..]));
}

/// The header row comes first and once, with the name of its file where lines have one.
#[test]
fn the_header_row_of_several_files() {
    let place = of_x();
    place.write("1.csv", "id,mail\n1,x\n2,y\n");
    place.write("2.csv", "id,mail\n3,x\n");
    let two = "-f mail 1.csv 2.csv";
    assert_eq!(place.run(&format!("has f {two}")).quiet().1, b"1.csv:id,mail\n1.csv:1,x\n2.csv:3,x\n");
    assert_eq!(place.run(&format!("has f {two} -I")).quiet().1, b"id,mail\n1,x\n3,x\n");
    assert_eq!(place.run(&format!("has f {two} --no-header")).quiet().1, b"1.csv:1,x\n2.csv:3,x\n");
    // The field is called by what stands in it.
    for (verb, field, value) in [
        ("which f", "filters", "f"),
        ("which s", "segments", "here"),
        ("which m", "value", "here"),
        ("get m", "value", "here"),
    ] {
        let ran = place.run(&format!("{verb} -f mail 2.csv"));
        assert_eq!(ran.text(), format!("id,mail\t{field}\n3,x\t{value}\n"), "{verb}");
    }
}
