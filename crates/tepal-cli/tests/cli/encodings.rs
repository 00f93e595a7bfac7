//! How keys become bytes: the words for it, what a format cannot have, and how to find out.

use crate::place::Place;
use tepal::{KeyDomain, file::Format};

/// Numbers of four digits, which are keys in every domain.
fn keys(range: std::ops::Range<u32>) -> String {
    range.map(|n| format!("{n}\n")).collect()
}

/// All formats of other programs.
fn foreign() -> impl Iterator<Item = &'static Format> {
    Format::ALL.iter().filter(|format| **format != Format::Tepal)
}

#[test]
fn the_words_of_other_programs_are_understood() {
    let place = Place::new();
    place.write("keys", keys(1000..1199));
    for (build, ask) in [
        ("guava --keys integerFunnel", "guava --keys INT32"),
        ("guava --keys longFunnel", "guava --keys long"),
        ("parquet-sbbf --keys INT64", "parquet-sbbf --keys int64"),
        ("parquet-sbbf --keys Double", "parquet-sbbf --keys float64"),
        ("spark --keys putLong", "spark --keys bigint"),
    ] {
        assert_eq!(place.run(&format!("build -q --force keys -p 1e-6 -o f --to {build}")).code, 0, "{build}");
        assert_eq!(place.run(&format!("has -c f keys --from {ask}")).text(), "199\n", "{build}");
    }
    // What means 64 bits here and 32 there is nobody's guess.
    for word in ["integer", "int"] {
        let ran = place.run(&format!("has f keys --from guava --keys {word}"));
        assert!(ran.code == 2 && ran.err.contains("say int64 (Java's long"), "{}", ran.err);
    }
    // One line of help each.
    let help = place.run("has --help").text().to_owned();
    for domain in KeyDomain::ALL {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(&format!("- {domain}:"))),
            "{domain}: {help}"
        );
    }
}

#[test]
fn keys_that_a_program_does_not_have_are_refused() {
    let place = Place::new();
    place.write("keys", keys(1000..1100));
    for format in foreign() {
        assert_eq!(place.run(&format!("build -q --force keys -o f --to {format}")).code, 0);
        for domain in KeyDomain::ALL {
            let flags = format!("--keys {domain}");
            let build = place.run(&format!("build -q --force keys -o g --to {format} {flags}"));
            let has = place.run(&format!("has -c f keys --from {format} {flags}"));
            // A filter of our own with its scheme, to be written in its format.
            let (scheme, layout) = (format.schemes()[0], format.layout());
            let layout = layout.map_or(String::new(), |layout| format!("--layout {layout}"));
            let own = place.run(&format!("build -q --force keys -o h --scheme {scheme} {layout} {flags}"));
            assert_eq!(own.code, 0, "{format} {domain}: {}", own.err);
            let convert = place.run(&format!("convert -q --force h -o i --to {format}"));
            if format.key_domains().contains(domain) {
                let codes = [build.code, has.code, convert.code].map(|code| code == 2);
                assert_eq!(codes, [false; 3], "{format} {domain}: {} {} {}", build.err, has.err, convert.err);
                continue;
            }
            for ran in [&build, &has] {
                let part = format!("{format} has no keys that are {domain}; --keys is one of bytes, ");
                assert!(ran.code == 2 && ran.err.contains(&part), "{format} {domain}: {}", ran.err);
            }
            let part = format!("its keys are {domain}, and that program's are bytes or ");
            assert!(convert.code == 2 && convert.err.contains(&part), "{format} {domain}: {}", convert.err);
        }
    }
}

#[test]
fn whoever_asks_without_an_encoding_is_told() {
    let place = Place::new();
    place.write("keys", keys(1000..1100));
    for format in foreign() {
        assert_eq!(place.run(&format!("build -q --force keys -o f --to {format}")).code, 0);
        let said = "tepal: f: keys are taken for bytes, for the file does not say what they are; say it with --keys, one of bytes, ";
        let has_numbers = format.key_domains().contains(&KeyDomain::Integer);
        for verb in ["has -c", "add"] {
            let ran = place.run(&format!("{verb} f keys --from {format}"));
            assert_eq!(ran.err.starts_with(said), has_numbers, "{format}: {}", ran.err);
            for told in ["-q", "--keys bytes"] {
                let ran = place.run(&format!("{verb} f keys --from {format} {told}"));
                assert!(!ran.err.contains("taken for bytes"), "{format} {told}: {}", ran.err);
            }
        }
    }
    assert_eq!(place.run("build -q --force keys -o f").code, 0);
    assert_eq!(place.run("has -c f keys").quiet(), (0, &b"100\n"[..]));
}

#[test]
fn test_finds_the_encoding() {
    let place = Place::new();
    place.write("keys", keys(1000..2000));
    place.write("others", keys(3000..9000));
    for format in foreign() {
        for domain in format.key_domains() {
            let build = format!("build -q --force keys -p 0.1% -o f --to {format} --keys {domain}");
            assert_eq!(place.run(&build).code, 0, "{format} {domain}");
            let ran = place.run(&format!("test --json f --from {format} --members keys --absent others"));
            let json = ran.json();
            assert_eq!((ran.code, &json["members_missed"]), (0, &0.into()), "{format} {domain}: {json}");
            assert_eq!(json["key_domain"], domain.name(), "{format} {json}");
            assert_eq!(json["encodings"].as_array().unwrap().len(), format.key_domains().len());
            assert!(json["absent_wrong"].as_u64().unwrap() < 60, "{format} {domain}: {json}");
            let text = place
                .run(&format!("test f --from {format} --members keys --absent others"))
                .text()
                .to_owned();
            let advice =
                format!("! the file does not say how keys become bytes: use it with --keys {domain}\n");
            assert_eq!(text.contains(&advice), *domain != KeyDomain::Bytes, "{format} {domain}: {text}");
            // Who has said it is judged by that.
            let told = place
                .run(&format!("test --json f --from {format} --keys {domain} --members keys --absent others"))
                .json();
            assert!(told["encodings"].is_null() && told["members_missed"] == 0, "{format} {domain}: {told}");
        }
    }
    // A list of something else, one that no encoding can tell, and none.
    assert_eq!(place.run("build -q --force keys -o f --to guava --keys int32").code, 0);
    let ran = place.run("test f --from guava --members others");
    assert!(ran.code == 1 && ran.text().contains("! in none of them are all members held"), "{}", ran.text());
    place.write("words", "apple\n");
    let ran = place.run("test f --from guava --members words");
    assert!(ran.code == 1 && ran.text().contains("int64 0 (1 are no such keys)"), "{}", ran.text());
    place.write("none", "");
    let ran = place.run("test --json f --from guava --members none");
    assert_eq!((ran.code, &ran.json()["members"]), (0, &0.into()), "{}", ran.text());
    // Our own files say it.
    assert_eq!(place.run("build -q --force keys -o f --keys int32").code, 0);
    assert!(place.run("test --json f --members keys").json()["encodings"].is_null());
}

#[test]
fn what_a_conversion_fixes_is_said() {
    let place = Place::new();
    place.write("keys", keys(1000..1100));
    assert_eq!(place.run("build -q keys -p 1e-6 -o f --to guava --keys int32").code, 0);
    let said = "from now on its keys are bytes, since --keys was not given; if they are not, convert again with --keys. \
                `tepal test --from guava f --members LIST` finds out";
    let ran = place.run("convert f --from guava --to tepal -o g");
    assert!(ran.code == 0 && ran.err.contains(said), "{}", ran.err);
    assert_eq!(place.run("has -c g keys").code, 1);
    let ran = place.run("convert f --from guava --keys int32 --to tepal -o g --force");
    assert!(ran.code == 0 && !ran.err.contains("from now on"), "{}", ran.err);
    assert_eq!(place.run("has -c g keys").text(), "100\n");
    // From ours to another, the word is about what is lost.
    let ran = place.run("convert g --to guava -o h");
    assert!(
        ran.code == 0 && ran.err.contains("does not keep that keys are int32: say --keys int32"),
        "{}",
        ran.err
    );
}

#[test]
fn keys_in_hexadecimal() {
    let place = Place::new();
    place.write("ids", "6ba7b810-9dad-11d1-80b4-00c04fd430c8\n00FF\n\n");
    place.write("bytes", b"\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8\n\x00\xff\n\n");
    for to in
        ["tepal", "guava", "spark", "parquet-sbbf", "bits-and-blooms", "dcso", "redisbloom", "valkey-bloom"]
    {
        let from = if to == "tepal" { String::new() } else { format!("--from {to} --keys uuid") };
        assert_eq!(
            place.run(&format!("build -q --force ids -p 1e-6 -o f --to {to} --keys hex --empty-keys")).code,
            0,
            "{to}"
        );
        for (key, code) in [("6BA7B8109DAD11D180B400C04FD430C8", 0), ("00-ff", 0), ("00fe", 1), ("00", 1)] {
            assert_eq!(place.run(&format!("has -q f {from} -e {key}")).code, code, "{to} {key}");
        }
        assert_eq!(place.run_with(&format!("has -c f {from}"), b"\n").text(), "1\n", "{to}");
        for bad in ["0", "0x00ff", "00-", "apple", "é0"] {
            let ran = place.run(&format!("has f {from} -e {bad}"));
            let part = format!(
                "-e: this filter has keys in hexadecimal; {bad:?} is not pairs of hexadecimal digits"
            );
            assert!(ran.code == 2 && ran.err.contains(&part), "{to} {bad}: {}", ran.err);
        }
        // The same bits as of the bytes themselves.
        assert_eq!(
            place.run(&format!("build -q --force --text --empty-keys bytes -p 1e-6 -o g --to {to}")).code,
            0
        );
        if to != "tepal" {
            assert!(place.read("f") == place.read("g"), "{to}");
        }
    }
}
