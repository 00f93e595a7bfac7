//! Files named as rows, JSON or Parquet, without a word on which field is the key.

use crate::packed::{gzip, zstd};
use crate::place::Place;

/// The error of a verb that refuses a file.
fn refused(place: &Place, args: &str) -> String {
    let ran = place.run(args);
    assert_eq!((ran.code, ran.out.len(), ran.err.lines().count()), (2, 0, 1), "{args}: {}", ran.err);
    ran.err
}

#[test]
fn whole_lines_of_rows_are_refused_with_the_columns_and_what_to_type() {
    let place = Place::new();
    for (name, bytes, what, flags) in [
        ("a.csv", "id,email\n1,x\n", "CSV rows with the columns \"id\", \"email\"", "-f id"),
        ("b.CSV", "user.id,b\r\n1,x\r\n", "CSV rows with the columns \"user.id\", \"b\"", "-f user.id"),
        ("c.csv", "\"a, b\",\"c\"\n", "CSV rows with the columns \"a, b\", \"c\"", "-f 'a, b'"),
        ("d.csv", "id;email\n1;x\n", "CSV rows between ';' with the columns ", "--csv -d ';' -f id"),
        ("e.csv", "id\temail\n", "rows between tabs with the columns ", "--tsv -f id"),
        ("f.csv", "1,x\n2,y\n", "CSV rows, the first with 2 columns: \"1\", \"x\"", "-f 1"),
        ("g.csv", "email\n", "CSV rows with the column \"email\"", "-f email"),
        ("h.csv", "email", "CSV rows with the column \"email\"", "-f email"),
        ("i.tsv", "id\temail\n", "rows between tabs with the columns \"id\", \"email\"", "-f id"),
        (
            "l.jsonl",
            "{\"user\":{\"id\":1},\"n\":2.5}\n",
            "JSON lines with the field \"user.id\"",
            "-f user.id",
        ),
        ("m.json", "{\"a.b\":1,\"a\":{\"b\":2}}\n", "the fields \"a.b\", \"/a/b\"", "-f a.b"),
    ] {
        place.write(name, bytes);
        let line =
            format!("tepal build {flags} -q {name} -o f; or add --whole if each whole line is a key\n");
        let expected =
            format!("tepal: {name}: {}", if what.starts_with("the ") { "JSON lines with " } else { "" });
        for packed in ["", ".gz", ".zst"] {
            let name = format!("{name}{packed}");
            match packed {
                ".gz" => place.write(&name, gzip(bytes.as_bytes())),
                ".zst" => place.write(&name, zstd(bytes.as_bytes())),
                _ => {}
            }
            let err = refused(&place, &format!("build -q {name} -o f"));
            let line = line.replace(" -o f", &format!("{packed} -o f"));
            let expected =
                expected.replace(": ", &format!("{packed}: ")).replacen(&format!("{packed}: "), ": ", 1);
            assert!(err.starts_with(&format!("{expected}{what}")), "{err}");
            assert!(err.ends_with(&format!("; say which one is the key: {line}")), "{err}");
            assert!(
                refused(&place, &format!("uniq {name}")).contains(&format!("tepal uniq {flags} {name}; or"))
            );
            // Each whole line is a key.
            let built = place.run(&format!("build -q {name} --whole -o whole --force"));
            assert_eq!(built.quiet(), (0, &b""[..]));
            let lines = place.run(&format!("uniq {name} --whole"));
            assert_eq!(lines.text().trim(), bytes.trim_start_matches('\u{feff}').trim_start().trim_end());
        }
        assert!(!place.path("f").exists());
        // What is to be typed works; the record that is no header row is the only one in some.
        let flags = flags.replace("'a, b'", "1").replace("';'", ";");
        let typed = place.run(&format!("build {flags} -q {name} -o f --allow-empty"));
        assert_eq!((typed.code, typed.err), (0, String::new()), "{name}");
        place.run("build -q --whole a.csv -o f --force");
        std::fs::remove_file(place.path("f")).unwrap();
    }
}

#[test]
fn what_has_no_fields_to_show_is_refused_too() {
    let place = Place::new();
    place.write("empty.csv", "");
    place.write("pretty.json", "{\n  \"id\": 1\n}\n");
    place.write("array.json", "[{\"id\":1},{\"id\":2}]\n");
    place.write("strings.jsonl", "\"a\"\n\"b\"\n");
    place.write("list.parquet", "a\nb\n");
    for (name, said) in [
        (
            "empty.csv",
            "named as CSV, and no record of it is there to show its fields; say which one is the key: tepal ",
        ),
        (
            "pretty.json",
            "its first line is no JSON object: \"{\"; JSON that goes over several lines is put on one ",
        ),
        ("array.json", "an array is taken apart by: jq -c '.[]' FILE | tepal …"),
        (
            "strings.jsonl",
            "its first line is JSON without fields: \"\"a\"\"; its text is taken out by: jq -r . FILE | tepal …",
        ),
        ("list.parquet", "named as Parquet, and begins with \"a\"; give its right name; or add --whole"),
    ] {
        let err = refused(&place, &format!("build {name} -o f"));
        assert!(err.contains(said), "{err}");
        assert_eq!(
            place.run(&format!("build -q --allow-empty --whole {name} -o g --force")).code,
            0,
            "{name}"
        );
    }
    // Errors of the file itself are told first.
    place.write("cut.csv.gz", &gzip(b"id,email\n")[..12]);
    assert!(refused(&place, "build cut.csv.gz -o f").contains("cut.csv.gz: broken gzip data"));
    assert!(refused(&place, "uniq gone.csv").contains("gone.csv: no such file"));
    std::fs::create_dir(place.path("folder.csv")).unwrap();
    assert!(refused(&place, "uniq folder.csv").contains("folder.csv: a directory"));
    let long = [vec![b'x'; 3 << 20], b",y\n".to_vec()].concat();
    place.write("long.csv", &long);
    let err = refused(&place, "build long.csv -o f");
    assert!(err.len() < 900 && err.contains("long.csv: CSV rows with the columns \"xxx"), "{err}");
}

#[test]
fn every_list_of_whole_lines_is_looked_at() {
    let place = Place::new();
    place.write("list", "a\n");
    place.write("all.csv", "id,x\n1,2\n");
    for args in [
        "build list all.csv -o f",
        "build list all.csv --set -o f",
        "build list --exact-on all.csv -o f",
        "create all.csv -o f",
        "dedup list all.csv",
    ] {
        let err = refused(&place, args);
        assert!(err.starts_with("tepal: all.csv: CSV rows with the columns \"id\", \"x\"; say "), "{err}");
    }
    // A pipe has no name, and its whole lines are the keys.
    assert_eq!(place.run_with("uniq", b"id,x\n1,2\n1,2\n").quiet(), (0, &b"id,x\n1,2\n"[..]));
    place.build("piped", b"id,x\n1,2\n", "");
    assert_eq!(place.run("has piped -c -e 1,2").quiet(), (0, &b"1\n"[..]));
    // A filter says which field is the key, and so does a state; one of whole lines does not.
    assert_eq!(place.run("build -q all.csv -f id -o ids").code, 0);
    assert_eq!(place.run("build -q all.csv --like ids -o more").code, 0);
    assert!(
        refused(&place, "build all.csv --like piped -o g").contains("tepal build -f id all.csv --like piped")
    );
    assert_eq!(place.run("uniq all.csv -f id --state s").code, 0);
    assert_eq!(place.run("uniq all.csv --state s").quiet(), (1, &b"id,x\n"[..]));
    assert_eq!(place.run_with("uniq --state lines", b"1,2\n").code, 0);
    assert!(refused(&place, "uniq all.csv --state new").contains("or add --whole"));
    assert_eq!(
        refused(&place, "uniq all.csv --state lines"),
        "tepal: all.csv: CSV rows with the columns \"id\", \"x\", and the keys of lines are whole lines; add --whole if each whole \
         line is a key here too, or name another state\n"
    );
    assert!(!place.path("new").exists());
    assert_eq!(place.run("uniq all.csv --whole --state lines").quiet(), (0, &b"id,x\n"[..]));
    assert_eq!(place.run("has piped all.csv --whole").quiet(), (0, &b"id,x\n1,2\n"[..]));
    assert_eq!(place.run("add -q ids all.csv").code, 0);
}
