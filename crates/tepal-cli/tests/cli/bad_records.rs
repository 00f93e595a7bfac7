//! Records that have no key: they end a build, and they do not end `has`, which tells of them.

use std::io::Write;

use crate::place::{Place, numbers};

const THREADS: [&str; 3] = ["-j 1", "-j 2", "-j 8"];

/// Rows of which each 1,000th has no second field, several MiB of them, and those that have it.
fn rows() -> (Vec<u8>, Vec<u8>, usize) {
    let (mut all, mut good, mut bad) = (Vec::new(), Vec::new(), 0);
    for n in 0..300_000 {
        let row = if n % 1000 == 7 { format!("bad {n}\n") } else { format!("{n}\tk{}\n", n % 10) };
        all.extend(row.as_bytes());
        match n % 1000 {
            7 => bad += 1,
            _ => good.extend(row.as_bytes()),
        }
    }
    (all, good, bad)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn has_answers_for_all_others_and_says_how_many_had_no_key() {
    let place = Place::new();
    let (all, good, bad) = rows();
    place.build("f", b"k0\nk1\nk2\nk3\nk4\nk5\nk6\nk7\nk8\nk9\n", "");
    place.build("none", b"", "");
    place.write("rows", &all);
    place.write("rows.gz", gzip(&all));
    let told = |name: &str| {
        format!(
            "tepal: {bad} records had no key; the first: {name}: line 8: no field 2: the row \"bad 7\" has 1 field between \
             tabs; say which one with -f, or how they are separated with --csv, --tsv or -d\n"
        )
    };
    for threads in THREADS {
        for input in ["rows", "rows.gz", "-"] {
            let name = if input == "-" { "standard input" } else { input };
            for (flags, filter, out) in [("", "f", &good), ("-v", "none", &good), ("-v", "f", &Vec::new())] {
                let ran = place.run_with(&format!("has {flags} {filter} {input} -f 2 {threads}"), &all);
                assert_eq!(ran.err, told(name), "{flags} {input} {threads}");
                assert!(ran.out == *out, "{flags} {input} {threads}");
                assert_eq!(ran.code, i32::from(out.is_empty()));
            }
        }
        let count = format!("{}\n", 300_000 - bad);
        let ran = place.run(&format!("has -c f rows -f 2 {threads}"));
        assert_eq!((ran.code, ran.text(), ran.err.as_str()), (0, count.as_str(), told("rows").as_str()));
        let skipped = place.run(&format!("has -c f rows -f 2 --bad skip {threads}"));
        assert_eq!(skipped.quiet(), (0, count.as_bytes()));
        // Silent, and no error: nobody asked for one.
        assert_eq!(place.run(&format!("has -q none rows -f 2 {threads}")).quiet(), (1, &b""[..]));
        // Records behind the last that is wanted are not looked at, whichever thread has read them.
        for flags in ["-m 7", "-m 7 -c", "-m 7 -n"] {
            assert_eq!(place.run(&format!("has {flags} f rows -f 2 {threads}")).err, "", "{flags} {threads}");
        }
        let ran = place.run(&format!("has -m 2000 -c f rows rows -f 2 {threads}"));
        assert!(ran.err.starts_with("tepal: 4 records had no key; the first: rows: line 8: "), "{}", ran.err);
        // Who wants the error has it, after the lines before it.
        let ran = place.run(&format!("has f rows -f 2 --bad fail {threads}"));
        assert_eq!((ran.code, ran.out.as_slice()), (2, &good[..35]));
        assert!(ran.err.starts_with("tepal: rows: line 8: no field 2: "), "{}", ran.err);
    }
}

#[test]
fn every_kind_of_bad_record() {
    let place = Place::new();
    place.build("int", b"1\n2\n", "--integer");
    place.build("hex", b"00ff\n", "--keys hex");
    place.build("text", b"1\nx\n", "");
    place.write("a.csv", "id,email\n1,a\n2\n3,\"x\n4,x\n5,1\n");
    place.write("a.json", "{\"id\":1}\nno\n{\"id\":{}}\n{}\n\n{\"id\":\"x\"}\n");
    place.write("numbers", "1\n01\nx\n2\n99999999999999999999\n");
    place.write("digits", "00ff\n0\nzz\n");
    place.write("nul", "1\t1\0bad\0 2\tx\0");
    for (args, out, bad, first) in [
        ("text a.csv -f email", "id,email\n4,x\n5,1\n", "2 records", "a.csv: line 3: no field 2: "),
        ("text a.json -f /id", "{\"id\":1}\n{\"id\":\"x\"}\n", "3 records", "a.json: line 2: not JSON ("),
        ("int numbers", "1\n2\n", "3 records", "numbers: line 2: this filter has integer keys; "),
        ("hex digits", "00ff\n", "2 records", "digits: line 2: "),
        ("text nul -0 -f 2", "1\t1\0 2\tx\0", "1 record", "nul: line 2: no field 2: "),
        // A key of one filter need be none of another.
        ("int --in text numbers", "1\n2\nx\n", "2 records", "numbers: line 2: "),
        ("text --in int numbers", "1\n2\nx\n", "2 records", "numbers: line 2: "),
    ] {
        let ran = place.run(&format!("has {args}"));
        let mut lines: Vec<_> = ran.text().split_inclusive(['\n', '\0']).collect();
        let mut expected: Vec<_> = out.split_inclusive(['\n', '\0']).collect();
        lines.sort_unstable();
        expected.sort_unstable();
        assert_eq!((ran.code, lines), (0, expected), "{args}");
        let told = format!("tepal: {bad} had no key; the first: {first}");
        assert!(ran.err.starts_with(&told), "{args}: {}", ran.err);
        let (filter, input) = args.split_once(' ').unwrap();
        if !args.contains("--in") {
            let which = place.run(&format!(
                "which {} {filter} -- {}",
                &input[input.find(' ').unwrap_or(input.len())..],
                input.split(' ').next().unwrap()
            ));
            assert!(which.err.starts_with(&told), "{args}: {}", which.err);
            assert!(
                which
                    .text()
                    .split(['\n', '\0'])
                    .filter(|line| line.contains("bad"))
                    .all(|line| line == "bad\tnone"),
                "{args}: {}",
                which.text()
            );
        }
        assert_eq!(place.run(&format!("has {args} --bad skip")).err, "", "{args}");
        let failed = place.run(&format!("has {args} --bad fail"));
        assert!(failed.code == 2 && failed.err.contains(first), "{args}: {}", failed.err);
    }
    // On neither side: -v has the blank row alone.
    assert_eq!(place.run("has -v text a.json -f /id").text(), "\n");
    let json = place.run("has --json text a.json -f /id");
    let lines: Vec<serde_json::Value> =
        json.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let bad: Vec<bool> = lines.iter().map(|line| line.get("bad").is_some()).collect();
    assert_eq!(bad, [false, true, true, true, false, false]);
    assert!(lines[1]["bad"].as_str().unwrap().starts_with("not JSON") && lines[1]["has"] == false);
    let json = place.run("has --json int numbers");
    assert!(json.text().contains(
        "{\"input\":\"numbers\",\"line\":3,\"key\":\"x\",\"has\":false,\"filters\":[],\"bad\":\"this filter"
    ));
}

#[test]
fn what_follows_a_quote_that_is_never_closed_is_read() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    // Several MiB, so that threads work on the rest too.
    let good: String = (0..200_000).map(|n| format!("{n},k\n")).collect();
    place.write("open.csv", format!("{good}1,\"open\n{good}last,k"));
    for threads in THREADS {
        let ran = place.run(&format!("has f open.csv -f 2 {threads}"));
        assert!(ran.text() == format!("{good}{good}last,k"), "{threads}");
        assert_eq!(
            ran.err,
            "tepal: 1 record had no key; the first: open.csv: line 200001: a quoted field that is never closed; expected a \
             second \"\n"
        );
    }
    // A pair of them is one field over lines.
    place.write("pair.csv", "1,\"open\n2,k\n3,\",k\n");
    assert_eq!(place.run("has -c f pair.csv -f 1").err, "");
    // More than the longest record: the same.
    let long: String = (0..200_000).map(|n| format!("{n},k\n")).collect();
    place.write("long.csv", format!("1,\"open\n{long}"));
    let ran = place.run("has -c f long.csv -f 2 --max-record 1MiB");
    assert_eq!((ran.code, ran.text()), (0, "200000\n"));
    assert!(
        ran.err.contains("1 record had no key; the first: long.csv: line 1: a record of more than 1.0 MiB"),
        "{}",
        ran.err
    );
    // Without end it would take hours, and ends.
    place.write("all.csv", "x\",\"\n".repeat(200_000));
    let ran = place.run("has -c f all.csv -f 2");
    assert!(ran.code == 1 && ran.err.contains("a quoted field that is never closed"), "{}", ran.err);
    // The header row is needed.
    let ran = place.run_with("has f --csv -f k", b"\"k\nx\n");
    assert!(ran.code == 2 && ran.err.contains("line 1: a quoted field that is never closed"), "{}", ran.err);
}

#[test]
fn a_build_ends_at_the_first_unless_told() {
    let place = Place::new();
    let (all, good, bad) = rows();
    place.write("rows", &all);
    place.write("good", &good);
    place.write("one", "1\tk\nbad\n");
    place.build("old", b"x\n", "-n 100000");
    assert_eq!(place.run("build -q -f 2 good -o good.tepal").code, 0);
    for threads in THREADS {
        for verb in [
            "build rows -o never",
            "build -n 1000 rows -o never",
            "add old rows",
            "test old --members rows",
            "test old --absent rows",
        ] {
            let ran = place.run(&format!("{verb} -f 2 {threads}"));
            assert_eq!((ran.code, ran.out.len()), (2, 0), "{verb}");
            assert!(ran.err.starts_with("tepal: rows: line 8: no field 2: "), "{verb}: {}", ran.err);
            assert!(!place.path("never").exists());
        }
        let ran = place.run(&format!("build --force rows -f 2 -o f --bad skip {threads}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(
            ran.err,
            format!(
                "299,700 records, about 10 different keys, 64 bytes, 1 in 100 false positives; {bad} records had no key\n\
                 keys: field 2 of rows between tabs\n"
            )
        );
        assert!(place.read("f") == place.read("good.tepal"));
        let ran = place.run(&format!("build --force -q rows -f 2 -o f --bad warn {threads}"));
        assert!(
            ran.code == 0 && ran.err.starts_with("tepal: 300 records had no key; the first: rows: line 8: "),
            "{}",
            ran.err
        );
        let ran = place.run(&format!("build --json --force -q rows -f 2 -o f --bad skip {threads}"));
        assert_eq!((&ran.json()["bad_records"], &ran.json()["keys"]), (&bad.into(), &299_700.into()));
        let ran = place.run(&format!("add --json old rows one -f 2 -o new --force --bad skip {threads}"));
        assert_eq!((&ran.json()["bad_records"], &ran.json()["keys"]), (&(bad + 1).into(), &299_701.into()));
        assert!(ran.err.contains("; 301 records had no key\n"), "{}", ran.err);
        let ran = place.run(&format!("test --json f --members rows -f 2 --bad skip {threads}"));
        assert_eq!((&ran.json()["bad_records"], &ran.json()["members"]), (&bad.into(), &299_700.into()));
        let ran = place.run(&format!("test f --members rows -f 2 --bad skip {threads}"));
        assert!(
            ran.code == 0 && ran.text().contains("\n          300 left out: they have no key\n"),
            "{}",
            ran.text()
        );
    }
    // A list of which nothing is a key is another list than was meant.
    place.write("other", "a b\ncd\n");
    let ran = place.run("build -f 2 other -o g --bad skip");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("g: nothing was built: 2 records had no key, and none had one; "),
        "{}",
        ran.err
    );
    assert!(!place.path("g").exists());
}

#[test]
fn encodings_are_tried_on_all_pieces_of_a_list() {
    let place = Place::new();
    place.write("list", numbers(0..300_000));
    assert_eq!(place.run("build -q --to guava --keys int64 list -o g").code, 0);
    place.write("members", [numbers(0..300_000), b"x\n".to_vec()].concat());
    for threads in THREADS {
        let json = place.run(&format!("test --json g --from guava --members members {threads}")).json();
        assert_eq!((&json["members"], &json["members_missed"]), (&300_001.into(), &1.into()), "{threads}");
    }
    // No key of any record can be hashed here: that is no matter of one record.
    let hashes = tepal::BloomFilter::builder().capacity(10).caller_hash("theirs").build().unwrap();
    place.write("h", hashes.to_bytes().unwrap());
    let ran = place.run("has h list");
    assert!(ran.code == 2 && ran.err.contains("hashes that its caller computes"), "{}", ran.err);
}
