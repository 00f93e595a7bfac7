//! `tepal build --deletable` and `--count-bits`, and what the other verbs do with such filters.

use crate::place::{Place, numbers};

/// A filter in `place` of a list.
fn deletable(place: &Place, name: &str, keys: &[u8], more: &str) {
    place.build(name, keys, &format!("--deletable {more}"));
}

fn filter_of(place: &Place, name: &str) -> serde_json::Value {
    place.run(&format!("info --json {name}")).json()[0].clone()
}

#[test]
fn lists_of_every_length_are_held() {
    let place = Place::new();
    for keys in [0, 1, 50, 200_000] {
        place.write("list", numbers(0..keys));
        for (flags, bits) in [("--deletable", 0), ("--count-bits 4", 4), ("--count-bits 16 -j 1", 16)] {
            let ran = place.run(&format!("build list list {flags} -o f --force --json --allow-empty"));
            assert_eq!(ran.code, 0, "{keys} {flags}: {}", ran.err);
            let json = ran.json();
            assert_eq!((&json["keys"], &json["different_keys"]), (&(2 * keys).into(), &keys.into()));
            assert_eq!(json["different_keys_exact"], true);
            let filter = &json["filter"];
            assert_eq!((&filter["kind"], &filter["layout"]), (&"quotient".into(), &serde_json::Value::Null));
            // Without counts a repeat is no copy.
            let copies = if bits == 0 { keys } else { 2 * keys };
            assert_eq!(filter["keys_inserted"], copies);
            assert_eq!((&filter["capacity"], &filter["over_capacity"]), (&keys.max(1).into(), &false.into()));
            assert_eq!(filter["tables"][0]["count_bits"], bits);
            assert_eq!(place.run("has -c f list").text(), format!("{keys}\n"));
            assert_eq!(place.run("verify f").code, 0);
            assert_eq!(place.run("test f --members list -q").code, 0, "{keys} {flags}");
            let told = place.run("info f").text().to_owned();
            assert!(
                told.starts_with(if flags.contains("count") {
                    "f           counting filter: its keys can be removed"
                } else {
                    "f           deletable filter: its keys can be removed"
                }),
                "{told}"
            );
            assert!(!told.contains("layout") && !told.contains("Bloom"), "{told}");
        }
    }
    // With 16 bits for each count.
    let filter = filter_of(&place, "f");
    let bits = filter["bits_per_key"].as_f64().unwrap();
    assert!((26.0..29.0).contains(&bits), "{bits}");
}

#[test]
fn the_same_list_is_the_same_file_whatever_the_order_and_threads() {
    let place = Place::new();
    let mut lines: Vec<String> = (0..30_000).map(|n| format!("{n}\n")).collect();
    place.write("list", lines.concat());
    lines.reverse();
    place.write("back", lines.concat());
    for (name, args) in [("a", "list -j 1"), ("b", "back -j 8"), ("c", "back list back -j 3")] {
        assert_eq!(place.run(&format!("build -q --deletable -o {name} {args}")).quiet(), (0, &b""[..]));
    }
    assert!(place.read("a") == place.read("b") && place.read("a") == place.read("c"));
}

#[test]
fn flags_that_do_not_fit_are_named_with_the_way_out() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    place.build("like", b"a\n", "");
    for (flags, said) in [
        ("-s 64", "-s is given with --deletable: the table is sized by -n and -p"),
        ("--layout line", "--layout is given with --deletable: "),
        ("-k 3", "-k is given with --deletable: "),
        ("--small", "--small is given"),
        ("--memory 1GiB", "--memory is given"),
        ("--exact-on list", "--exact-on is given with --deletable: "),
        ("--like like", "--like is given"),
        (
            "--to guava",
            "--deletable makes a filter that only tepal files can hold, not those of guava; leave --to out",
        ),
        ("--scheme guava-mitz64", "the scheme of a deletable filter is guava-mitz64"),
        ("-p 1e-18", "a false-positive rate of 1e-18 is out of reach"),
    ] {
        let ran = place.run(&format!("build list -o f --deletable {flags}"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(said), "{flags}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
    }
    assert_eq!(place.run("build list -o f --count-bits 5").code, 2);
    assert_eq!(place.names(), ["like", "list"]);
    // What people guess.
    for (flag, bits) in [("--quotient", 0), ("--cuckoo", 0), ("--counting", 4)] {
        assert_eq!(place.run(&format!("build -q list -o f --force {flag}")).code, 0, "{flag}");
        assert_eq!(filter_of(&place, "f")["tables"][0]["count_bits"], bits);
    }
}

#[test]
fn more_keys_than_room_and_more_copies_than_are_counted() {
    let place = Place::new();
    place.write("list", numbers(0..1000));
    let ran = place.run("build list --deletable -n 500 -o f");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("1,000 different keys, and the room of -n is for 500; give more with -n"),
        "{}",
        ran.err
    );
    let ran = place.run("build list --deletable -n 500 --over warn -o f");
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("holds more than the 500 keys it was planned for"), "{}", ran.err);
    assert_eq!(place.run("has -c f list").text(), "1000\n");

    let ran = place.run("build list --deletable -n 1 --over ignore -o no");
    assert!(ran.code == 2 && ran.err.contains("the room of -n is for 1; give more with -n"), "{}", ran.err);

    place.write("many", "same\n".repeat(1025));
    let ran = place.run("build many --count-bits 4 -o g");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("comes 1,025 times, and no more than 1,024 copies of one are counted"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("--count-bits 8 or 16"), "{}", ran.err);
    assert_eq!(place.run("build -q many --count-bits 8 -o g").quiet(), (0, &b""[..]));
    assert_eq!(filter_of(&place, "g")["keys_inserted"], 1025);

    // One by one too.
    deletable(&place, "h", b"same\n", "-n 10");
    let before = place.read("h");
    let ran = place.run("add h many");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("key 64 of those given is in 64 times already"), "{}", ran.err);
    place.write("list", numbers(0..11));
    let ran = place.run("add h list");
    assert!(ran.err.contains("full: planned for 10 keys, and only the first 9 given fit"), "{}", ran.err);
    assert_eq!(place.read("h"), before);
    assert_eq!(place.run("add -q h list --past-promise").code, 0);
    assert_eq!(place.run("has -c h list").text(), "11\n");
}

#[test]
fn merged_folded_and_patched() {
    let place = Place::new();
    place.write("one", numbers(0..2000));
    place.write("two", numbers(1000..3000));
    place.write("all", numbers(0..3000));
    place.write("both", numbers(1000..2000));
    assert_eq!(place.run("build -q one --deletable -n 10k -o a").code, 0);
    assert_eq!(place.run("build -q two --like a -o b").code, 0);
    let ran = place.run("merge a b -o union");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("2 filters merged: about ") && !ran.err.contains("bits"), "{}", ran.err);
    assert_eq!(place.run("has -c union all").text(), "3000\n");
    // Both copies of a key that both have.
    assert_eq!(place.run("remove -q union one").code, 0);
    assert_eq!(place.run("has -c union two").text(), "2000\n");
    assert_eq!(place.run("merge -q --and a b -o common").code, 0);
    assert_eq!(place.run("has -c common both").text(), "1000\n");
    assert!(filter_of(&place, "common")["keys_inserted"].as_u64().unwrap() < 1100);

    assert_eq!(place.run("diff -q a b -o patch").code, 0);
    assert_eq!(place.run("patch -q a patch -o same").code, 0);
    assert_eq!(place.read("same"), place.read("b"));
    assert_eq!(place.run("build -q two --deletable -o other").code, 0);
    let ran = place.run("diff a other -o patch --force");
    let expected = "send it whole, or build it with --like a, which keeps the length while the keys fit\n";
    assert!(ran.code == 2 && ran.err.ends_with(expected), "{}", ran.err);
    let ran = place.run("merge a other -o no");
    assert!(ran.code == 2 && ran.err.contains("build both with the same -n and -p"), "{}", ran.err);
    place.build("bloom", b"1\n", "");
    for args in ["merge a bloom -o no", "merge bloom a -o no"] {
        let ran = place.run(args);
        assert!(
            ran.code == 2
                && ran.err.contains("it is a ")
                && ran.err.contains("only filters of one kind can be merged"),
            "{}",
            ran.err
        );
    }

    let ran = place.run("shrink a -p 5% -o small");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.run("has -c small one").text(), "2000\n");
    let (small, large) = (filter_of(&place, "small"), filter_of(&place, "a"));
    assert!(small["size_in_bytes"].as_u64() < large["size_in_bytes"].as_u64());
    assert!(small["false_positive_rate"].as_f64() <= Some(0.05));
    let ran = place.run("shrink a -s 2000 -o smaller");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(filter_of(&place, "smaller")["size_in_bytes"].as_u64() <= Some(2000));
    let told = place.run("shrink a -s 1").err;
    assert!(told.contains("folds to no size so small, but to ") && told.contains(" bytes ("), "{told}");
    let told = place.run("shrink a -s 1M").err;
    assert!(
        told.contains("; it folds to ") && told.contains(" bytes (1 in ") && told.contains(" wrong), "),
        "{told}"
    );
    // Laid out for the keys that are left.
    assert_eq!(place.run("build -q all --deletable -o full").code, 0);
    assert_eq!(place.run("remove -q full two").code, 0);
    let ran = place.run("shrink full -p 1% --force");
    assert!(ran.code == 0 && ran.err.contains(" before, "), "{}", ran.err);
    assert_eq!(place.run("test -q full --members one --bad skip").code, 1, "those of both lists are gone");
}

#[test]
fn what_a_table_cannot_do_is_refused() {
    let place = Place::new();
    place.write("list", numbers(0..100));
    deletable(&place, "f", &numbers(0..100), "");
    let before = place.read("f");
    for (args, said) in [
        ("convert f --to guava -o g", "it is a deletable filter, and the format holds Bloom filters"),
        ("convert f --to redisbloom -o g", "it is a deletable filter"),
        ("except f list --non-members", "cannot take exceptions"),
        ("uniq --state f list", "no state"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args}");
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert_eq!(place.read("f"), before);
}

#[test]
fn a_plan_has_a_row_for_each_kind() {
    let place = Place::new();
    let rows = |args: &str| place.run(&format!("plan --json {args}")).json();
    let row = |args: &str, kind: &str| {
        rows(args).as_array().unwrap().iter().find(|row| row["kind"] == kind).cloned().unwrap()
    };
    let planned = row("-n 200k -p 0.1%", "deletable");
    assert!((13.4..13.7).contains(&planned["bits_per_key"].as_f64().unwrap()), "{planned}");
    place.write("list", numbers(0..200_000));
    assert_eq!(place.run("build -q list --deletable -n 200k -p 0.1% -o f").code, 0);
    assert_eq!(filter_of(&place, "f")["size_in_bytes"].as_f64(), planned["size_in_bytes"].as_f64());
    let size = planned["size_in_bytes"].as_f64().unwrap();
    let found = row(&format!("-n 200k -s {size}"), "deletable");
    assert!((0.0009..=0.001).contains(&found["false_positive_rate"].as_f64().unwrap()), "{found}");
    let found = row(&format!("-p 0.1% -s {size}"), "deletable");
    assert!((200_000.0..203_000.0).contains(&found["capacity"].as_f64().unwrap()), "{found}");
    assert!(
        row("-n 1M", "counting")["bits_per_key"].as_f64()
            > row("-n 1M", "deletable")["bits_per_key"].as_f64()
    );
    assert!(rows("-n 1M --layout line").as_array().unwrap().iter().all(|row| row["kind"] != "deletable"));
}

#[test]
fn how_often_each_key_is_in() {
    let place = Place::new();
    place.write("words", "the\na\nthe\nthe\nan\na\n");
    place.write("ask", "the\r\nno\nan\na");
    place.build("f", &place.read("words"), "--count-bits 4");
    let ran = place.run("has --copies f ask");
    assert_eq!(ran.quiet(), (0, &b"the\t3\r\nan\t1\na\t2"[..]));
    assert_eq!(place.run("has --copies -nH f ask").text(), "ask:1:the\t3\r\nask:3:an\t1\nask:4:a\t2");
    assert_eq!(place.run("has --copies -m 1 f ask -e a -e no").text(), "a\t2\nthe\t3\r\n");
    let ran = place.run("has --copies --json f -e no -e the");
    let lines: Vec<&str> = ran.text().lines().collect();
    assert!(lines[0].contains(r#""has":false,"filters":[],"copies":0"#), "{}", lines[0]);
    assert!(lines[1].contains(r#""copies":3"#), "{}", lines[1]);
    assert!(!place.run("has --json f -e the").text().contains("copies"));
    assert_eq!(place.run("has --copies f -e no").quiet(), (1, &b""[..]));
    // As many as were removed are gone; without counts of their own, copies are counted too.
    assert_eq!(place.run("remove -q f -e the -e the").code, 0);
    assert_eq!(place.run("has --copies f -e the").text(), "the\t1\n");
    deletable(&place, "g", b"the\nthe\n", "-n 10");
    assert_eq!(place.run("add -q g -e the -e a").code, 0);
    assert_eq!(place.run("has --copies g ask").text(), "the\t2\r\na\t1");
    // Rows, with their header; a row without a key is told of and not printed.
    place.write("rows.csv", "id,word\n1,the\n2\n3,the\n4,a\n");
    assert_eq!(place.run("build -q rows.csv -f word --counting -p 1e-9 --bad skip -o rows").code, 0);
    let ran = place.run("has --copies rows rows.csv --quick");
    assert_eq!(ran.text(), "id,word\tcopies\n1,the\t2\n3,the\t2\n4,a\t1\n");
    assert_eq!(place.run("has --copies --no-header -q rows rows.csv").code, 2, "-q prints nothing");
    let ran = place.run("has --copies --json rows rows.csv");
    assert_eq!(ran.text().matches("\"copies\"").count(), 3, "{}", ran.text());
    // A Bloom filter does not count.
    place.build("bloom", b"the\n", "");
    let ran = place.run("has --copies bloom ask");
    assert!(ran.code == 2 && ran.err.contains("build it again with --count-bits 4"), "{}", ran.err);
    assert_eq!(place.run("has --copies f --in bloom ask").code, 2);
    // Over a MiB, where several threads ask.
    let many: Vec<u8> = (0..300_000u32).flat_map(|n| format!("{}\n", n % 100_000).into_bytes()).collect();
    place.write("many", &many);
    place.build("h", &many, "--count-bits 8");
    let ran = place.run("has --copies h many");
    assert_eq!((ran.text().lines().count(), ran.text().matches("\t3\n").count()), (300_000, 300_000));
}
