//! Keys that are one field of a row.

use crate::place::Place;

const MAIL: &str = "\
id,email,note\r
1,a@x.org,plain\r
2,\"b@x.org\",\"quoted, comma\"\r
3,c@x.org,\"quoted
newline and \"\"quotes\"\"\"\r

4,\"d@x.org\",\r
";

#[test]
fn a_column_of_a_csv_file_by_name_and_by_number() {
    let place = Place::new();
    place.write("mail.csv", MAIL);
    place.build("f", b"b@x.org\nc@x.org\n", "");
    let header = "id,email,note\r\n";
    let rows = "2,\"b@x.org\",\"quoted, comma\"\r\n3,c@x.org,\"quoted\nnewline and \"\"quotes\"\"\"\r\n";
    let named = format!("{header}{rows}");
    assert_eq!(place.run("has f mail.csv -f email").quiet(), (0, named.as_bytes()));
    assert_eq!(place.run("has f mail.csv -f 2").quiet(), (0, rows.as_bytes()));
    assert_eq!(place.run("has f --csv -f email -c mail.csv").quiet(), (0, &b"2\n"[..]));
    let by_pipe = place.run_with("has f --csv -f email", MAIL.as_bytes());
    assert_eq!(by_pipe.quiet(), (0, named.as_bytes()));
    // Lines, not rows, are counted: row 3 takes two.
    let numbered = place.run("has -v -n f mail.csv -f email").out;
    assert_eq!(numbered, b"1:id,email,note\r\n2:1,a@x.org,plain\r\n6:\n7:4,\"d@x.org\",\r\n");
    // The header comes once, and also when nothing else does.
    let twice = format!("{named}{rows}");
    assert_eq!(place.run("has -I f mail.csv mail.csv -f email").quiet(), (0, twice.as_bytes()));
    place.build("none", b"", "");
    assert_eq!(place.run("has none mail.csv -f email").quiet(), (1, header.as_bytes()));
}

#[test]
fn a_filter_of_a_column_remembers_which() {
    let place = Place::new();
    place.write("mail.csv", MAIL);
    place.build("f", b"", "-f email mail.csv");
    let info = place.run("info --json f").json();
    assert_eq!(info[0]["field"], "email");
    assert_eq!(info[0]["keys_inserted"], 4);
    assert_eq!(place.run("has f -e d@x.org -e 4").quiet(), (0, &b"d@x.org\n"[..]));
}

#[test]
fn blank_rows_have_no_key_and_fall_to_the_other_side() {
    let place = Place::new();
    place.build("f", b"a\tx\n\nb\ty\n\n", "-f 2");
    assert_eq!(place.run("info --json f").json()[0]["keys_inserted"], 2);
    let rows = b"1\tx\n\n2\tz\n";
    assert_eq!(place.run_with("has f -f 2", rows).quiet(), (0, &b"1\tx\n"[..]));
    assert_eq!(place.run_with("has -v f -f 2", rows).quiet(), (0, &b"\n2\tz\n"[..]));
}

#[test]
fn other_separators() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    assert_eq!(place.run_with("has f -f 2 -d ;", b"a;k\nk;a\n").quiet(), (0, &b"a;k\n"[..]));
    assert_eq!(place.run_with("has f -f 2 -d \\t", b"a\tk\n").quiet(), (0, &b"a\tk\n"[..]));
    assert_eq!(place.run_with("has f -f 2 --tsv", b"\"a\tk\n").quiet(), (0, &b"\"a\tk\n"[..]));
    assert_eq!(place.run_with("has f -f 2 -d ; --csv", b"\"a;\n\";k\n").quiet(), (0, &b"\"a;\n\";k\n"[..]));
    assert_eq!(place.run_with("has f -0 -f 2", b"a\tk\0\n\tb\0").quiet(), (0, &b"a\tk\0"[..]));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_field() {
    let place = Place::new();
    place.write("m.csv", b"\xef\xbb\xbfid,n\nk,1\n");
    place.build("f", b"k\n", "");
    let ran = place.run("has f m.csv -f id");
    assert_eq!(ran.quiet(), (0, &b"id,n\nk,1\n"[..]));
}

#[test]
fn json_lines() {
    let place = Place::new();
    place.build("f", b"{\"user\":{\"id\":42}}\n{\"user\":{\"id\":\"x\\ty\"}}\n", "-f /user/id");
    assert_eq!(place.run("has f -c -e 42 -e 43").quiet(), (0, &b"1\n"[..]));
    let line = b"{\"user\": {\"name\": 1, \"id\": \"x\\u0009y\"}}\n";
    assert_eq!(place.run_with("has f -f /user/id", line).quiet(), (0, &line[..]));
}

#[test]
fn rows_without_the_field_are_errors() {
    let place = Place::new();
    place.build("f", b"x\n", "");
    let error = |args: &str, input: &[u8]| {
        let ran = place.run_with(args, input);
        assert_eq!(ran.code, 2, "{args}");
        ran.err
    };
    assert_eq!(
        error("has f -f 2 --tsv --bad fail", b"x,y\n"),
        "tepal: standard input: line 1: no field 2: the row \"x,y\" has 1 field between tabs; \
         say which one with -f, or how they are separated with --csv, --tsv or -d\n"
    );
    assert_eq!(
        error("has f --csv -f mail", b"id,email\n"),
        "tepal: standard input: line 1: no field named \"mail\" in the first row; did you mean \"email\"? Its fields between commas are \
         \"id\", \"email\"\n"
    );
    assert!(
        error("has f --csv -f 1 --bad fail", b"a\n\"b\nc\n")
            .contains("line 2: a quoted field that is never closed")
    );
    assert!(
        error("has f -f /id --bad fail", b"{\"id\":1.5}\n")
            .contains("line 1: the value at /id is \"1.5\"; expected")
    );
    assert!(error("has f -f /id --bad fail", b"{\"id\":\n").contains("line 1: not JSON"));
    // What came before the bad row is printed.
    let ran = place.run_with("has f -f 2 --bad fail", b"1\tx\n2\ty\n3\tx\nbad\n4\tx\n");
    assert_eq!((ran.code, ran.out.as_slice()), (2, &b"1\tx\n3\tx\n"[..]));
    // And nothing is built from a list with one.
    let ran = place.run_with("build -o g -f 2", b"1\tx\nbad\n");
    assert_eq!(ran.code, 2);
    assert!(!place.path("g").exists());
}

/// A row without a key is in no filter: not in one that says yes to every key either.
#[test]
fn a_row_without_a_key_is_in_no_filter() {
    let place = Place::new();
    let keys: Vec<u8> = (0..5000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
    for scheme in ["", "--layout double", "--scheme xxh64", "--scheme guava-mitz64", "--secret key"] {
        place.write_key("key", b"0123456789abcdef");
        let secret = if scheme.contains("secret") { "--secret key" } else { "" };
        let size = if scheme.contains("guava") { "-n 10" } else { "-s 64" };
        let ran = place.run_with(&format!("build -q --force -o full --over ignore {size} {scheme}"), &keys);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{scheme}");
        assert_eq!(
            place.run(&format!("has -c full {secret} -e no -e key -e of -e it")).text(),
            "4\n",
            "{scheme}"
        );
        // A few rows, and so many that threads work on them.
        for n in [3, 400_000] {
            let rows: String = (0..n).map(|n| format!("{n}\tkey\n\n")).collect();
            let held: String = (0..n).map(|n| format!("{n}\tkey\n")).collect();
            place.write("rows", &rows);
            let has = |flags: &str| place.run(&format!("has {flags} -f 2 full rows {secret}"));
            assert!(has("").text() == held, "{scheme}");
            assert_eq!(has("-v").text(), "\n".repeat(n), "{scheme}");
            assert_eq!(has("-c").text(), format!("{n}\n"), "{scheme}");
            let tested =
                place.run(&format!("test --json -f 2 full --members rows --absent rows {secret}")).json();
            assert_eq!((&tested["members"], &tested["members_missed"]), (&n.into(), &0.into()), "{scheme}");
            assert_eq!((&tested["absent"], &tested["absent_wrong"]), (&n.into(), &n.into()), "{scheme}");
        }
        let json = place.run_with(&format!("has --json -f 2 full {secret}"), b"1\tkey\n\n");
        assert!(
            json.text().ends_with("\"line\":2,\"has\":false,\"filters\":[]}\n"),
            "{scheme}: {}",
            json.text()
        );
        // No row, no question: an empty list has nobody in it.
        assert_eq!(place.run_with(&format!("has -f 2 full {secret}"), b"\n\n").code, 1, "{scheme}");
    }
}
