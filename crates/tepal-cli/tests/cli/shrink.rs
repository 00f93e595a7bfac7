//! `tepal shrink`.

use crate::place::{Place, numbers};

/// A filter in `place` of 2,000 keys with room for ten times as many: 128 lines more or less.
fn roomy(place: &Place, more: &str) {
    place.write("keys", numbers(0..2000));
    let seed = if more.is_empty() { "--seed 1" } else { more };
    let ran = place.run(&format!("build -q keys -o f -s 24KiB -n 20000 --layout line -k 6 {seed}"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn to_a_rate_in_place_and_beside() {
    let place = Place::new();
    roomy(&place, "");
    let before = place.read("f");
    let ran = place.run("shrink f -p 1% -o small");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("8 to 1: 24.0 KiB before, 3.0 KiB now; 1 in "), "{}", ran.err);
    assert_eq!(place.read("f"), before);
    // It is, bit for bit, what building at that size gives.
    assert_eq!(place.run("build -q keys -o same -s 3KiB -p 1% --layout line -k 6 --seed 1 --force").code, 0);
    let bits = |name: &str| {
        let file = tepal::open(place.path(name)).unwrap();
        file.into_filter().into_bloom().unwrap().into_owned().unwrap().to_bits().unwrap()
    };
    assert!(bits("small") == bits("same"));
    // In its own place it cannot be undone.
    for args in ["shrink f -p 1%", "shrink f -s 3KiB -q --json"] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}");
        assert!(
            ran.err.starts_with("tepal: f: 24.0 KiB now, and 3.0 KiB with 1 in ")
                && ran.err.ends_with(
                    " wrong afterwards, which cannot be undone; write that to another file with -o, or replace this one with --force\n"
                ),
            "{args}: {}",
            ran.err
        );
        assert_eq!(place.read("f"), before);
    }
    assert_eq!(place.run("shrink f -p 1% -q --force").quiet(), (0, &b""[..]));
    assert_eq!(place.read("f"), place.read("small"));
    assert_eq!(place.run("has -c f keys").text(), "2000\n");
    assert_eq!(place.run("verify f").code, 0);
    assert_eq!(place.run("test f --members keys -q").code, 0);
    let ran = place.run("shrink f -p 1% --json");
    assert_eq!(ran.code, 2, "it folds no further");
}

#[test]
fn to_a_size_and_the_promise_changes_aloud() {
    let place = Place::new();
    roomy(&place, "");
    let ran = place.run("shrink f -s 2500 -o small --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("! promised 1 in ") && ran.err.contains("from now on"), "{}", ran.err);
    let json = ran.json();
    assert_eq!((json["factor"].as_u64(), json["size_before"].as_u64()), (Some(12), Some(24576)));
    let filter = &json["filter"];
    assert_eq!(filter["size_in_bytes"], 2048);
    assert!(filter["promised_false_positive_rate"].as_f64() >= filter["false_positive_rate"].as_f64());
    assert!(filter["capacity"].as_u64() >= Some(1990) && filter["over_capacity"] == false);
    assert_eq!(place.run("has -c small keys").text(), "2000\n");
    // A size that keeps the promise changes nothing of it.
    let ran = place.run("shrink f -s 12KiB --force");
    assert!(ran.code == 0 && !ran.err.contains('!'), "{}", ran.err);
}

#[test]
fn what_cannot_be_says_what_can() {
    let place = Place::new();
    roomy(&place, "");
    place.build("g", b"1\n", "--to guava");
    let before = place.read("f");
    for (args, hint) in [
        ("shrink f", "required"),
        ("shrink f -p 1% -s 1k", "cannot be used with"),
        ("shrink f -s 100k", "24,576 bytes already; it folds to 12288 bytes (1 in "),
        ("shrink f -s 63", " bytes (too small), 64 bytes (too small)"),
        (
            "shrink f --static -p 1%",
            "is made by tepal convert FILTER --static -p RATE -o NEW; see tepal shrink --help",
        ),
        ("shrink f --ribbon", "is made by tepal convert FILTER --static"),
        ("shrink f -s 200", "of all non-members"),
        // The sizes next to the wanted one are told: three above it, and it.
        ("shrink f -s 192", "; it folds to 512 bytes (too small), 384 bytes "),
        ("shrink f -p 1e-15", "above 1 in"),
        ("shrink f -p 1% -o f", "--force"),
        ("shrink f -p 1% --json -o -", "-o"),
        ("shrink g --from guava --keys bytes -p 10%", "remainders; build it again from its keys"),
        ("shrink keys -p 10%", "not a tepal filter"),
        ("shrink nothing -p 10%", "no such file"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
        assert!(ran.err.contains(hint) && ran.err.lines().count() == 1, "{args}: {}", ran.err);
    }
    assert_eq!(place.read("f"), before);
    assert_eq!(place.names(), ["f", "g", "keys"]);
}

#[test]
fn a_parquet_filter_stays_one() {
    let place = Place::new();
    place.write("keys", numbers(0..2000));
    assert_eq!(place.run("build -q keys -o p -s 32KiB -p 10% --to parquet-sbbf").code, 0);
    let ran = place.run("shrink p -p 10% --force");
    assert!(ran.code == 0 && !ran.err.contains("promised"), "{}", ran.err);
    let json = place.run("info --json p").json();
    assert_eq!(
        (json[0]["format"].as_str(), json[0]["size_in_bytes"].as_u64()),
        (Some("parquet-sbbf"), Some(2048))
    );
    assert_eq!(place.run("has -c p keys --keys bytes").text(), "2000\n");
}

#[test]
fn past_its_promise_it_can_still_be_folded() {
    let place = Place::new();
    place.write("keys", numbers(0..3000));
    let ran = place.run_with("build -q -o f -s 4KiB -n 1000 --layout line", &numbers(0..1000));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.run("add -q f keys --past-promise").code, 0);
    let ran = place.run("shrink f -p 45% --force");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.run("has -c f keys").text(), "3000\n");
    assert_eq!(place.run("test -q f --members keys").code, 0);
}

#[test]
fn a_seal_and_a_secret_stay() {
    let place = Place::new();
    place.write_key("secret", "0123456789abcdef");
    place.write_key("seal", "0123456789abcdef0123");
    roomy(&place, "--secret secret --seal seal");
    assert_eq!(place.run("shrink f -p 1%").code, 2);
    assert_eq!(place.run("shrink f -p 1% -q --force --secret secret --seal seal").quiet().0, 0);
    assert_eq!(place.run("has -c f keys --secret secret --seal seal").text(), "2000\n");
    assert_eq!(place.run("has -c f keys --secret secret").code, 2);
}

#[test]
fn a_table_becomes_a_static_filter() {
    let place = Place::new();
    place.write("keys", numbers(0..20_000));
    for (how, name) in [("--deletable", "table"), ("--growing", "grown"), ("--count-bits 8", "counted")] {
        assert_eq!(place.run(&format!("build -q keys {how} -p 0.1% -o {name}")).code, 0);
        let ran = place.run(&format!("convert {name} -p 1% --static -o {name}.static --json"));
        assert_eq!(ran.code, 0, "{how}: {}", ran.err);
        assert!(
            ran.err.starts_with("a static filter of ") && ran.err.contains("none removed or counted"),
            "{}",
            ran.err
        );
        let json = ran.json();
        assert_eq!((&json["filter"]["kind"], &json["filter"]["added_keys"]), (&"ribbon".into(), &0.into()));
        assert!(json["filter"]["of_numbers"].as_u64() >= Some(20_000_000), "{json}");
        // A few keys have the number of another one.
        let distinct = json["filter"]["distinct_numbers"].as_u64().unwrap();
        assert!((19_900..20_000).contains(&distinct), "{json}");
        assert_eq!(
            (&json["filter"]["keys_inserted"], &json["filter"]["picked_keys"]),
            (&distinct.into(), &0.into())
        );
        let (was, is) =
            (json["size_before"].as_u64().unwrap(), json["filter"]["size_in_bytes"].as_u64().unwrap());
        assert!(is * 3 < was * 2, "{how}: {was} {is}");
        let f = format!("{name}.static");
        assert_eq!(place.run(&format!("has -c {f} keys")).text(), "20000\n");
        assert_eq!(place.run(&format!("verify {f}")).code, 0);
        assert_eq!(place.run(&format!("test -q {f} --members keys")).code, 0);
        let told = place.run(&format!("info {f}")).text().to_owned();
        assert!(
            told.contains("made of a table: a key is known by which of ")
                && told.contains(
                    " different numbers in it, those of the keys of that table, of which two may have one\n"
                )
                && told.contains("have a number of the table"),
            "{told}"
        );
        place.write("more", numbers(30_000..30_100));
        assert_eq!(place.run(&format!("add -q {f} more")).code, 0);
        assert_eq!(place.run(&format!("has -c {f} keys more")).text(), "keys:20000\nmore:100\n");
        let told = place.run(&format!("info {f}")).text().to_owned();
        assert!(
            told.contains(" of which two may have one; and ") && told.contains(" keys added later, "),
            "{told}"
        );
        let json = place.run(&format!("info --json {f}")).json()[0].clone();
        let added = json["added_keys"].as_u64().unwrap();
        assert!(json["distinct_numbers"] == distinct && json["keys_inserted"] == distinct + added, "{json}");
    }
    // In place, and a rate that hardly leaves the ribbon any error.
    assert_eq!(place.run("build -q keys --deletable -p 1% -o f").code, 0);
    let ran = place.run("convert f -p 1.01% --static -o f --force");
    assert!(ran.code == 0 && ran.err.contains("! no smaller than the old one: "), "{}", ran.err);
    assert_eq!(place.run("has -c f keys").text(), "20000\n");
}

#[test]
fn what_is_no_static_filter_says_what_can_be_had() {
    let place = Place::new();
    place.write("keys", numbers(0..2000));
    for (how, name) in
        [("--deletable", "table"), ("", "bloom"), ("--static", "ribbon"), ("--window 1Mkeys", "expiring")]
    {
        let ran = place.run(&format!("build -q keys {how} -o {name}"));
        assert_eq!(ran.code, 0, "{how}: {}", ran.err);
    }
    let names = place.names();
    for (args, hint) in [
        ("shrink table", "required arguments were not provided: <--fpr <RATE>|--size <SIZE>>"),
        (
            "convert table --static -o x",
            "this one errs at 1 in 100, so give one clearly above that, such as -p 10%\n",
        ),
        ("convert bloom --static -o x", "(tepal build LIST --static)"),
        ("shrink bloom -p 1% -s 1k", "cannot be used with"),
        (
            "convert table -p 0.5% --static -o x",
            "by itself, and a static filter adds 2.3e-10 to that or more; ask for 1.98e-2",
        ),
        ("convert table -p 60% --static -o x", "ask for 0.5 at most"),
        ("convert bloom -p 2% --static -o x", "(tepal build LIST --static)"),
        ("convert ribbon -p 2% --static -o x", "it is one"),
        ("convert expiring -p 2% --static -o x", "its keys expire"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
        assert!(ran.err.contains(hint) && ran.err.lines().count() == 1, "{args}: {}", ran.err);
    }
    assert_eq!(place.names(), names);
}

#[test]
fn a_table_is_converted_to_a_static_filter() {
    let place = Place::new();
    place.write("keys", numbers(0..20_000));
    place.write_key("seal", "fedcba9876543210");
    assert_eq!(place.run("build -q keys --deletable -p 0.1% -o table").code, 0);
    assert_eq!(place.run("build -q keys --growing -p 0.1% -o grown").code, 0);
    for name in ["table", "grown"] {
        let before = place.read(name);
        let shrunk = place.run(&format!("convert {name} --static -p 1% -o shrunk --force"));
        for (n, how) in
            ["--frozen", "--to static", "--to ribbon", "--to tepal --static", "--ribbon", "--freeze"]
                .iter()
                .enumerate()
        {
            let ran = place.run(&format!("convert {name} {how} -p 1% -o {name}{n}"));
            assert_eq!((ran.code, ran.out.as_slice()), (0, &b""[..]), "{how}: {}", ran.err);
            assert_eq!(ran.err, shrunk.err.replace("shrunk:", &format!("{name}{n}:")), "{how}");
            assert!(place.read(&format!("{name}{n}")) == place.read("shrunk"), "{how}");
        }
        assert!(place.read(name) == before);
    }
    // The rate that is proposed is one, and with it the command works.
    let ran = place.run("convert table --static -o proposed");
    let flag = ran.err.split("such as ").nth(1).unwrap().trim().to_owned();
    assert_eq!((ran.code, flag.as_str()), (2, "-p 1%"), "{}", ran.err);
    assert_eq!(place.run(&format!("convert table --static {flag} -o proposed")).code, 0);
    // Of one key, and of none.
    place.write("one", "a\n");
    assert_eq!(place.run("build -q one --deletable -p 0.1% -o tiny").code, 0);
    let ran = place.run("convert tiny --static -p 1% -o least");
    assert!(
        ran.code == 0 && ran.err.contains("! no smaller than the old one, since no filter is smaller"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("has -c least one").text(), "1\n");
    assert_eq!(place.run("remove -q tiny one").code, 0);
    let ran = place.run("convert tiny --static -p 1% -o least --force --quiet");
    assert_eq!((ran.code, place.run("has -c least one").text()), (0, "0\n"), "{}", ran.err);
    // In its own place, and with the flags of the file.
    assert_eq!(place.run("build -q keys --deletable -p 0.1% -o sealed --seal seal").code, 0);
    assert_eq!(place.run("convert sealed --static -p 1% -o sealed").code, 2);
    assert_eq!(place.run("convert sealed --static -p 1% -o sealed --seal seal").code, 2);
    assert_eq!(place.run("convert sealed --static -p 1% -o sealed --seal seal --force -q").code, 0);
    assert_eq!(place.run("has -c sealed keys --seal seal").text(), "20000\n");
    place.build("bloom", b"a\n", "");
    let names = place.names();
    for (args, said) in [
        ("convert table -o x", "not provided: <--to <FORMAT>|--static>"),
        ("convert table -p 1% -o x", "not provided: <--to <FORMAT>|--static>"),
        ("convert table --static -p 1%", "--output <FILTER>"),
        ("convert table --to guava --static -p 1% -o x", "only tepal files can hold, and --to is guava"),
        ("convert table --to tepal -p 1% -o x", "tepal shrink table -p RATE -o NEW"),
        ("convert table --static -p 0.05% -o x", "ask for 2.0"),
        ("convert table --static --form dump -o x", "cannot be used with"),
        ("convert bloom --static -o x", "(tepal build LIST --static)"),
        ("convert bloom --static -p 1% -o x", "(tepal build LIST --static)"),
        ("convert proposed --static -p 1% -o x", "it is one"),
        ("convert gone --static -p 1% -o x", "gone: no such file"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
        assert!(ran.err.contains(said) && ran.err.lines().count() == 1, "{args}: {}", ran.err);
    }
    assert_eq!(place.names(), names);
}

/// Where there is no smaller size, none is named.
#[test]
fn the_smallest_filter_says_that_it_is() {
    let place = Place::new();
    for (flags, args) in [
        ("", "shrink f -s 8"),
        ("", "shrink f -p 1%"),
        ("--deletable", "shrink f -p 1%"),
        ("--deletable", "shrink f -s 8"),
        ("--deletable", "shrink f -s 64"),
        ("--deletable", "shrink f -s 1k"),
        ("--count-bits 4", "shrink f -s 32"),
        ("--count-bits 4", "shrink f -p 1%"),
        ("--growing", "shrink f -p 1%"),
        ("--to guava --keys bytes", "shrink f -s 1"),
        ("--to guava --keys bytes", "shrink f -p 1%"),
        ("--layout scattered", "shrink f -s 1"),
        ("--layout scattered", "shrink f -s 1k"),
    ] {
        let from = if flags.contains("guava") { " --from guava --keys bytes" } else { "" };
        let _ = std::fs::remove_file(place.path("f"));
        let ran = place.run_with(&format!("build -q {flags} -p 1e-2 -o f"), b"a\n");
        assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
        let ran = place.run(&format!("{args}{from} -o g --force"));
        assert!(!ran.err.contains("  ") && !ran.err.contains("to  bytes"), "{flags} {args}: {}", ran.err);
        if matches!(flags, "" | "--deletable" | "--count-bits 4") {
            assert!(
                ran.code == 2 && ran.err.ends_with("; it cannot be made smaller\n"),
                "{args}: {}",
                ran.err
            );
        }
    }
}
