//! `tepal build --by` and `--set`, and what the other verbs do with filters that have segments.

use std::collections::{BTreeMap, BTreeSet};

use crate::place::{Place, numbers};

fn info(place: &Place, name: &str) -> serde_json::Value {
    place.run(&format!("info --json {name}")).json()[0].clone()
}

/// The segments of a filter, and how many keys each has.
fn segments(place: &Place, name: &str) -> BTreeMap<String, u64> {
    let filter = info(place, name);
    let all = filter["segments"].as_array().unwrap();
    all.iter()
        .map(|segment| (segment["name"].as_str().unwrap().to_owned(), segment["keys"].as_u64().unwrap()))
        .collect()
}

/// Rows of a key, a number and a segment; each third key is in two.
fn rows(keys: u32, segments: u32) -> Vec<(String, String)> {
    let of = |key: u32, n: u32| {
        (format!("key-{key}"), format!("segment {}", (key.wrapping_mul(2_654_435_761) >> 7) % segments + n))
    };
    (0..keys).flat_map(|key| std::iter::once(of(key, 0)).chain((key % 3 == 0).then(|| of(key, 1)))).collect()
}

#[test]
fn each_row_names_the_segment_of_its_key() {
    let place = Place::new();
    let rows = rows(20_000, 40);
    let write = |name: &str, head: &str, row: &dyn Fn(&str, &str) -> String| {
        let lines: String = rows.iter().map(|(key, segment)| row(key, segment)).collect();
        place.write(name, format!("{head}{lines}"));
    };
    write("a.csv", "no,account,region\n", &|key, segment| format!("7,\"{key}\",\"{segment}\"\n"));
    write("b.tsv", "", &|key, segment| format!("{segment}\t{key}\n"));
    write("c.json", "", &|key, segment| format!("{{\"at\":{{\"s\":\"{segment}\"}},\"k\":\"{key}\"}}\n"));
    write("d", "", &|key, segment| format!("{key};x;{segment}\0"));
    let mut expected: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, segment) in &rows {
        expected.entry(key).or_default().insert(segment);
    }
    place.write("keys", expected.keys().map(|key| format!("{key}\n")).collect::<String>());
    let mut files = Vec::new();
    for args in [
        "a.csv -f account --by region",
        "a.csv -f 2 --by 3 --header -j 1",
        "b.tsv --tsv -f 2 --by 1",
        "c.json -f /k --by /at/s",
        "d -0 -d ; -f 1 --by 3",
        "a.csv a.csv -f account --by region -j 8",
    ] {
        let ran = place.run(&format!("build {args} -p 1e-9 -o f --force --json"));
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
        let json = ran.json();
        assert_eq!(
            (&json["different_keys"], &json["different_keys_exact"]),
            (&rows.len().into(), &true.into())
        );
        assert_eq!(json["filter"]["kind"], "segment");
        let ran = place.run("which f --whole -- keys");
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
        for line in ran.text().lines() {
            let (key, names) = line.split_once('\t').unwrap();
            let names: BTreeSet<&str> = names.split(',').collect();
            assert_eq!(names, expected[key], "{args} {key}");
        }
        assert_eq!(ran.text().lines().count(), expected.len());
        assert_eq!(place.run("verify f").code, 0);
        files.push(segments(&place, "f"));
    }
    assert!(files.iter().all(|file| *file == files[0]) && files[0].len() == 41);
    assert_eq!(files[0].values().sum::<u64>(), rows.len() as u64);
    // Whole rows come out, and the key is where it was.
    place.run("build -q a.csv -f account --by region -p 1e-9 -o f --force");
    let ran = place.run("which f -- a.csv");
    assert!(
        ran.text()
            .starts_with("no,account,region\tsegments\n7,\"key-0\",\"segment 0\"\tsegment 0,segment 1\n"),
        "{}",
        &ran.text()[..200]
    );
}

#[test]
fn each_list_is_a_segment_under_its_name() {
    let place = Place::new();
    std::fs::create_dir(place.path("lists")).unwrap();
    place.write("lists/north.txt", "a\nb\nb\n");
    place.write("lists/south.txt", "b\nc\n");
    place.write("lists/empty.txt", "");
    let lists = "lists/north.txt lists/empty.txt lists/south.txt";
    let ran = place.run(&format!("build {lists} --set --stem -p 1e-9 -o f"));
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (
            0,
            "5 lines, 4 different pairs of key and segment in 3 segments, 64 bytes, 1 in 1,000,000,000 false positives\n\
             keys: whole lines\n"
        )
    );
    let ran = place.run_with("which f", b"a\nb\r\nc\nd");
    assert_eq!(ran.quiet(), (0, &b"a\tnorth\nb\tnorth,south\r\nc\tsouth\nd\tnone"[..]));
    let ran = place.run("which f -e b -e d");
    assert_eq!(ran.quiet(), (0, &b"b\tnorth,south\nd\tnone\n"[..]));
    assert_eq!(place.run("which f -e d").quiet(), (1, &b"d\tnone\n"[..]));
    place.write("lines", "a\nb\nd\n");
    let run = |flags: &str| place.run(&format!("which f {flags} -- lines"));
    assert_eq!(run("-c").quiet(), (0, &b"north\t2\nempty\t0\nsouth\t1\nnone\t1\n"[..]));
    assert_eq!((run("-v").quiet(), run("-vc").quiet()), ((0, &b"d\n"[..]), (0, &b"1\n"[..])));
    assert_eq!(run("-q").code, 0);
    assert_eq!(
        run("-c --json").json(),
        serde_json::json!({ "lines": 3, "none": 1, "filters": [
            { "filter": "north", "lines": 2 }, { "filter": "empty", "lines": 0 }, { "filter": "south", "lines": 1 } ] })
    );
    let first = run("--json").text().lines().nth(1).unwrap().to_owned();
    assert_eq!(first, r#"{"input":"lines","line":2,"key":"b","has":true,"filters":["north","south"]}"#);
    // As which names files where nothing is said.
    place.run(&format!("build -q {lists} --set -o g"));
    assert_eq!(
        segments(&place, "g").into_keys().collect::<Vec<_>>(),
        ["lists/empty.txt", "lists/north.txt", "lists/south.txt"]
    );
    // In any segment.
    assert_eq!(place.run("has f lines").quiet(), (0, &b"a\nb\n"[..]));
    assert_eq!(place.run("has -v f lines").quiet(), (0, &b"d\n"[..]));
    // Beside another filter it is one.
    place.build("other", b"b\n", "");
    let ran = place.run("which f --in other -e b -e c");
    assert_eq!((ran.code, ran.text()), (0, "b\tf,other\nc\tf\n"));
    assert!(
        ran.err.contains(
            "f: one of several filters, so that which of its 3 segments a key is in is not said; ask it alone"
        ),
        "{}",
        ran.err
    );
}

#[test]
fn segments_come_and_go() {
    let place = Place::new();
    place.write("a", numbers(0..1000));
    place.write("b", numbers(500..1500));
    place.run("build -q a b --set -n 4000 -p 1e-9 -o f");
    place.write("c", numbers(0..10));
    let ran = place.run("add f c --segment c --json");
    assert_eq!((ran.code, ran.json()["keys"].as_u64()), (0, Some(10)), "{}", ran.err);
    place.run("add -q f --segment b -e 7");
    assert_eq!(place.run("which f -e 7 -e 700").text(), "7\ta,b,c\n700\ta,b\n");
    place.write("rows.csv", "k,s\n7,d\n8,a\n9,d\n");
    assert_eq!(place.run("add -q f rows.csv -f k --by s").quiet(), (0, &b""[..]));
    assert_eq!(place.run("which f --whole -e 7 -e 8 -e 9").text(), "7\ta,b,c,d\n8\ta,c\n9\ta,c,d\n");
    let ran = place.run("remove f --segment a --segment c --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.json()["dropped"],
        serde_json::json!([{ "name": "a", "keys": 1000 }, { "name": "c", "keys": 10 }])
    );
    assert!(ran.err.contains("2 segments dropped, with 1,010 keys"), "{}", ran.err);
    assert_eq!(place.run("which f --whole -e 7 -e 8 -e 700").text(), "7\tb,d\n8\tnone\n700\tb\n");
    assert_eq!(segments(&place, "f"), BTreeMap::from([("b".to_owned(), 1001), ("d".to_owned(), 2)]));
    assert_eq!(place.run("which f --whole -c -e 7").text(), "b\t1\nd\t1\nnone\t0\n");
    // Two become one by the names.
    place.run("build -q a c --set -n 4000 -p 1e-9 -o g");
    let ran = place.run("merge f g -o both");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        segments(&place, "both").into_iter().collect::<Vec<_>>(),
        [("a", 1000), ("b", 1001), ("c", 10), ("d", 2)].map(|(name, keys)| (name.to_owned(), keys))
    );
    assert_eq!(place.run("which both --whole -e 7").text(), "7\ta,b,c,d\n");
    let before = place.read("f");
    for (args, said) in [
        ("remove f --segment B", "no segment \"B\"; did you mean \"b\"?"),
        ("remove f --segment zebra", "no segment \"zebra\"; tepal info f shows those there are"),
        ("remove f --segment b --segment zebra", "no segment"),
        ("remove f -e 7", "cannot remove a key; drop a whole segment (tepal remove --segment NAME)"),
        ("add f c", "say into which one the keys go, with --segment NAME, or with --by FIELD"),
        ("add f rows.csv --by s --whole", "say with -f which field is the key"),
        ("shrink f -p 10%", "cannot be folded"),
        ("convert f --to guava -o x", "it is a filter of segments"),
        ("except f c --non-members", "cannot take exceptions"),
        ("build c --like f -o x", "a filter with segments; build the other with --by or --set"),
        ("has --copies f -e 7", "does not count how often"),
        ("add f a --segment e --no-wait -q", "full: planned for 4,000 keys"),
    ] {
        place.write("many", numbers(0..5000));
        let args = args.replace("add f a ", "add f many ");
        let ran = place.run(&args);
        assert_eq!(ran.code, 2, "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert!(place.read("f") == before);
    place.build("plain", b"7\n", "");
    for args in ["add plain c --segment x", "add plain rows.csv -f k --by s", "remove plain --segment x"] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains("this filter has no segments"), "{args}: {}", ran.err);
    }
}

#[test]
fn flags_and_rows_that_do_not_fit_are_named_with_the_way_out() {
    let place = Place::new();
    place.write("rows", "a\tx\nb\n\nc\ty\n");
    place.write("bad", b"a\tx\nb\ty\x01z\nc\t\nd\t\xff\n");
    for (args, said) in [
        ("rows --by 2", "--by names the field of the segment; say with -f which field is the key"),
        ("rows --by 2 -f 2", "--by and -f both name the field 2"),
        ("rows --by /a -f 2", "--by /a and -f 2: one is a path into JSON lines"),
        ("rows --by 2 -f 1", "rows: line 2: --by: no field 2: the row \"b\" has 1 field"),
        ("bad --by 2 -f 1", "bad: line 2: --by: "),
        ("--set", "standard input has none; name files"),
        ("rows - --set", "standard input has none; name files"),
        ("rows --set --by 1 -f 2", "'--set' cannot be used with"),
        ("rows ./rows --set --stem", "has the name rows too"),
        ("rows --set --deletable", "--deletable is given with --set: "),
        ("rows --set --growing", "--growing is given with --set: "),
        ("rows --set --count-bits 4", "--count-bits is given with --set: "),
        ("rows --by 2 -f 1 --window 7d", "--window is given with --by: "),
        ("rows --set -s 64", "-s is given with --set: "),
        ("rows --set --to guava", "--set makes a filter that only tepal files can hold"),
        ("rows bad --set -n 2", "7 different pairs of a key and a segment, and the room of -n is for 2"),
    ] {
        let ran = place.run(&format!("build {args} -o f"));
        assert_eq!(ran.code, 2, "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert!(!place.path("f").exists());
    let ran = place.run("build rows bad --by 2 -f 1 --bad skip -p 1e-9 -o f");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("; 4 records had no key\n"), "{}", ran.err);
    assert_eq!(place.run("which f --whole -e a -e b -e c").text(), "a\tx\nb\tnone\nc\ty\n");
    place.write("rows.json", "{\"k\":\"1\",\"s\":\"a,b\"}\n{\"k\":2,\"s\":3}\n");
    assert_eq!(place.run("build -q rows.json -f /k --by /s -p 1e-9 -o g").code, 0);
    let ran = place.run("which g --stem --json -e 1");
    assert!(ran.code == 2 && ran.err.contains("--stem is about the names of files"), "{}", ran.err);
}

#[test]
fn many_segments_and_one_too_many() {
    let place = Place::new();
    let row = |n: u32| format!("{n}\tsegment-{n}\n");
    place.write("rows", (0..65_536).map(row).collect::<String>());
    let ran = place.run("build rows --tsv -f 1 --by 2 -p 1e-4 -o f");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("65,536 keys in 65,536 segments, "), "{}", ran.err);
    assert_eq!(place.run("which f --whole -e 65535").text(), "65535\tsegment-65535\n");
    let told = place.run("info f").text().to_owned();
    assert!(told.starts_with("f           filter of 65,536 segments: tepal which says"), "{told}");
    assert!(told.contains("and 65,516 more (--json shows all)") && told.lines().count() < 40, "{told}");
    place.write("rows", (0..65_537).map(row).collect::<String>());
    let ran = place.run("build rows --tsv -f 1 --by 2 -o g");
    assert!(
        ran.code == 2
            && ran.err.contains("\"segment-65536\" would be segment 65,537, and a filter has at most 65,536"),
        "{}",
        ran.err
    );
    let ran = place.run("plan -n 1M --segments 65537");
    assert!(ran.code == 2 && ran.err.contains("at most 65,536"), "{}", ran.err);
    let plan = place.run("plan -n 1M --segments 100 --json").json();
    let row = plan.as_array().unwrap().iter().find(|row| row["kind"] == "segments").unwrap();
    assert!((16.0..18.0).contains(&row["bits_per_key"].as_f64().unwrap()), "{row}");
}

#[test]
fn wrong_segments_are_measured() {
    let place = Place::new();
    let lines: String =
        rows(50_000, 100).iter().map(|(key, segment)| format!("{key}\t{segment}\n")).collect();
    place.write("rows", lines);
    place.run("build -q rows --tsv -f 1 --by 2 -o f");
    place.write("others", numbers(0..200_000));
    for args in ["test f --members rows --json", "test f --members rows --absent others --whole --json"] {
        let ran = place.run(args);
        let json = ran.json();
        let (absent, wrong) =
            (json["absent"].as_f64().unwrap(), json["absent_wrong_segments"].as_f64().unwrap());
        let rate = wrong / absent;
        assert!((0.008..0.0105).contains(&rate), "{args}: {rate}");
        assert!(wrong >= json["absent_wrong"].as_f64().unwrap());
    }
    let told = place.run("test f --members rows").text().to_owned();
    assert!(told.contains("50,000 members  0 missed") || told.contains("66,667 members  0 missed"), "{told}");
    assert!(told.contains(" wrong segments of theirs in all, 1 in 1"), "{told}");
}

#[test]
fn each_key_is_looked_for_in_its_segment() {
    let place = Place::new();
    let mut lines: Vec<String> =
        rows(3000, 10).iter().map(|(key, segment)| format!("{key}\t{segment}\n")).collect();
    place.write("rows", lines.concat());
    place.run("build -q rows --tsv -f 1 --by 2 -p 1e-9 -o f");
    let ran = place.run("test f --members rows --by 2 --json");
    let json = ran.json();
    assert_eq!((ran.code, &json["members"], &json["members_missed"]), (0, &lines.len().into(), &0.into()));
    // It is in another one.
    lines[2] = "key-2\tsegment 99\n".to_owned();
    lines.insert(1, "\n".to_owned());
    place.write("rows", lines.concat());
    assert_eq!(place.run("test f --members rows --json").code, 0);
    let ran = place.run("test f --members rows --by 2");
    assert_eq!(ran.code, 1);
    assert!(
        ran.text().contains("1 missed   BROKEN\n              the first missed: rows: line 4: \"key-"),
        "{}",
        ran.text()
    );
    place.build("plain", b"1\n", "");
    for (args, said) in [
        ("test plain --members rows --tsv -f 1 --by 2", "this filter has no segments"),
        ("test f --members rows --by 1", "--by and -f both name the field 1"),
        ("test f --by 2", "--members"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(said), "{args}: {}", ran.err);
    }
}

#[test]
fn a_successor_of_other_segments_is_refused_and_one_of_the_same_taken() {
    use std::io::{BufRead, BufReader, Write};
    let place = Place::new();
    place.write("a", "1\n");
    place.write("b", "2\n");
    place.run("build -q a b --set -p 1e-9 -n 100 -o f");
    let mut which = place.command("which --reload f").stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (mut keys, mut out) = (which.stdin.take().unwrap(), BufReader::new(which.stdout.take().unwrap()));
    let mut ask = || {
        keys.write_all(b"3\n").unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        line
    };
    assert_eq!(ask(), "3\tnone\n");
    place.run("add -q f --segment b -e 3");
    assert_eq!(ask(), "3\tb\n");
    place.run("add -q f --segment c -e 3");
    assert_eq!(ask(), "3\tb\n");
    drop((keys, out));
    let output = which.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(
            "its successor has segments, or values, of other names than were told; start again to have these"
        ),
        "{said}"
    );
}
