//! `has --json`, `info`, `plan`, `test` and `demo`.

use crate::place::{Place, numbers};

#[test]
fn exit_codes() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("held", "a\nb\n");
    place.write("other", "b\nc\n");
    for (args, code) in [
        ("has f held", 0),
        ("has f other", 1),
        ("has -v f held", 0),
        ("has -q f held", 0),
        ("has -q f other", 1),
        ("has -q f held nothing", 2),
        ("has -c f other", 1),
        ("has f -e a", 0),
        ("has f -e b", 1),
        ("has -m 0 f held", 1),
        ("has f", 1),
        ("has --json f other", 1),
        ("info f", 0),
        ("plan -n 10", 0),
        ("test f --members held", 1),
        ("test -q f --absent other", 0),
        ("completions bash", 0),
        ("man", 0),
        ("man has", 0),
        ("man nothing", 2),
        ("--version", 0),
        ("--help", 0),
        ("has -h", 0),
        ("", 2),
    ] {
        assert_eq!(place.run(args).code, code, "{args}");
    }
}

#[test]
fn quiet_stops_at_the_first_hit() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    // The gzip data after the hit is never reached.
    place.write("broken", b"\x1f\x8b\x08broken");
    place.write("held", "a\n");
    assert_eq!(place.run("has -q f held broken").quiet(), (0, &b""[..]));
}

#[test]
fn has_as_json() {
    let place = Place::new();
    place.build("f", b"a\n\xff\n", "");
    let ran = place.run_with("has --json f", b"a\nb\n\xff\n");
    let expected = r#"{"input":"standard input","line":1,"key":"a","has":true,"filters":["f"]}
{"input":"standard input","line":2,"key":"b","has":false,"filters":[]}
{"input":"standard input","line":3,"key_hex":"ff","has":true,"filters":["f"]}
"#;
    assert_eq!((ran.code, ran.text()), (0, expected));
    assert_eq!(place.run("has --json f -e a").text(), "{\"key\":\"a\",\"has\":true,\"filters\":[\"f\"]}\n");
    let rows = place.run_with("has --json f -f 2", b"1\tb\n\n2\ta\n");
    let expected = r#"{"input":"standard input","line":1,"key":"b","has":false,"filters":[]}
{"input":"standard input","line":2,"has":false,"filters":[]}
{"input":"standard input","line":3,"key":"a","has":true,"filters":["f"]}
"#;
    assert_eq!(rows.text(), expected);
}

#[test]
fn info_for_people() {
    let place = Place::new();
    place.write("keys", numbers(0..1000));
    assert_eq!(place.run("build -q -o f --trim --name numbers --date today keys").code, 0);
    let ran = place.run("info f");
    assert_eq!(ran.code, 0);
    let text = ran.text();
    for part in [
        "f           Bloom filter, layout line, 6 bits a key\n",
        "name        numbers\n",
        "date        today\n",
        "keys        1,000 added (about ",
        "size        1.2 KiB, ",
        "; 1 in 100 promised\n",
        "recipe      whole record, trimmed\n",
        "hash        xxh3 with seed 0xc3060cfcc46cc38b; keys are bytes; format version 1\n",
        "fill        ",
        "of 1,000 keys; ",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(text.is_ascii(), "no locale is set: {text}");
    let mut command = place.command("info f");
    command.env("LC_ALL", "C.UTF-8");
    let ran = crate::place::finish(command);
    assert!(ran.text().contains('▄') && ran.text().contains('█'), "{}", ran.text());
    assert!(!ran.text().contains('\x1b'));
    let mut ignoring = place.run_with("build -q --force -n 100 --over warn -o f keys", b"");
    assert_eq!(ignoring.code, 0);
    ignoring = place.run("info f");
    assert!(ignoring.text().contains("! past the promise"), "{}", ignoring.text());
    let colored = place.run("info --color always f");
    assert!(colored.text().contains("\x1b[31m"), "{}", colored.text());
}

/// Of keys that several filters had, or that came again, it is said how many are different, and
/// that the others may be repeats.
#[test]
fn a_merged_filter_counts_no_key_twice() {
    let place = Place::new();
    place.write("keys", numbers(0..1000));
    assert_eq!(place.run("build -q -o f -n 2000 keys").code, 0);
    let ran = place.run("merge f f -o both");
    assert!(ran.code == 0 && ran.err.starts_with("2 filters merged: about "), "{}", ran.err);
    let ran = place.run("info both");
    let told = ran.text();
    assert!(told.contains("different by the bits, at most 2,000 with repeats\n"), "{told}");
    let json = &place.run("info --json both").json()[0];
    let different = json["estimated_len"].as_f64().unwrap();
    assert!((950.0..1050.0).contains(&different) && json["keys_inserted"] == 2000, "{json}");
}

#[test]
fn info_as_json_is_stable() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    let json = place.run("info --json f").json();
    let names: Vec<&String> = json[0].as_object().unwrap().keys().collect();
    let mut expected = [
        "file",
        "format",
        "form",
        "format_version",
        "kind",
        "layout",
        "num_hashes",
        "bit_len",
        "size_in_bytes",
        "file_len",
        "sealed",
        "checksum",
        "not_recorded",
        "bits_per_key",
        "capacity",
        "keys_inserted",
        "divided",
        "estimated_len",
        "exceptions",
        "set_bits",
        "fill_ratio",
        "false_positive_rate",
        "promised_false_positive_rate",
        "expansion",
        "over_capacity",
        "over_capacity_policy",
        "scheme",
        "seed",
        "valkey_seed",
        "value_bits",
        "caller_hash",
        "key_domain",
        "trim",
        "nocase",
        "name",
        "source",
        "tables",
        "date",
        "deletable",
        "segments",
        "field",
        "row_format",
        "delimiter",
        "escape",
        "empty_keys",
        "nul_records",
        "added_keys",
        "of_numbers",
        "distinct_numbers",
        "picked_keys",
        "full",
        "filters",
        "window",
        "warnings",
        "article",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    // Another program's filter is told in the same words.
    place.build("g", b"a\n", "--to dcso");
    let json = place.run("info --json g").json();
    assert!(json[0].as_object().unwrap().keys().eq(expected));
}

#[test]
fn any_one_of_keys_rate_and_size_from_the_others() {
    let place = Place::new();
    let row = |args: &str, kind: &str| {
        let ran = place.run(&format!("plan --json {args}"));
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
        let rows = ran.json();
        rows.as_array().unwrap().iter().find(|row| row["kind"] == kind).unwrap().clone()
    };
    let bits = row("-n 20M -p 1%", "line")["bits_per_key"].as_f64().unwrap();
    assert!((bits - 9.95).abs() < 0.02, "{bits}");
    assert_eq!(row("-n 20M", "line"), row("-n 20M -p 1%", "line"));
    let rate = row("-n 20M -s 24MiB", "double")["false_positive_rate"].as_f64().unwrap();
    assert!((rate - 1.0 / 121.0).abs() < 1e-4, "{rate}");
    let keys = row("-s 1GiB -p 1e-6", "scattered")["capacity"].as_f64().unwrap();
    assert!((keys / 298.7e6 - 1.0).abs() < 0.01, "{keys}");
    let limit = row("-n 1000 -p 1/1024", "limit");
    assert_eq!((&limit["bits_per_key"], &limit["size_in_bytes"]), (&10.0.into(), &1250.0.into()));
    let exact = row("-n 20M -p 1% --universe 615M", "exact")["bits_per_key"].as_f64().unwrap();
    assert!((exact - 6.4).abs() < 0.05, "{exact}");
    assert!(row("-n 10M -p 1e-9", "split-block")["problem"].as_str().unwrap().contains("out of reach"));
    let text = place.run("plan -n 20M -p 1% --universe 615M");
    assert!(text.text().contains("line *             20,000,000   23.7 MiB      9.95  1 in 100           6"));
    assert!(text.text().contains("an exact set can be as small as the filter"));
    // Every line of the table with --layout is one layout.
    assert_eq!(place.run("plan -n 1k --layout double").text().lines().count(), 4);
}

#[test]
fn test_measures_and_judges() {
    let place = Place::new();
    place.write("in", numbers(0..20_000));
    place.write("out", numbers(20_000..300_000));
    assert_eq!(place.run("build -q -o f in").code, 0);
    let ran = place.run("test --json f --members in --absent out");
    assert_eq!(ran.code, 0, "{}", ran.text());
    let json = ran.json();
    assert_eq!((&json["members"], &json["members_missed"]), (&20_000.into(), &0.into()));
    assert_eq!((&json["absent"], &json["promise_kept"]), (&280_000.into(), &true.into()));
    let rate = json["false_positive_rate"].as_f64().unwrap();
    assert!((0.009..0.0105).contains(&rate), "{rate}");
    assert!(json["false_positive_rate_low"].as_f64().unwrap() < rate);
    // A member that was never inserted, and strangers that were.
    let ran = place.run("test f --members out --absent in");
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("missed   BROKEN"), "{}", ran.text());
    let ran = place.run("test f --absent in");
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.text(),
        "       20,000 others   20,000 wrong: 100 % (95 % sure: 1 in 1.0 to 1.0), promised 1 in 100   BROKEN\n"
    );
    let ran = place.run("test f --members in");
    assert_eq!(ran.code, 0);
    assert!(ran.text().contains("1,000,000 random "), "{}", ran.text());
    // Integers too.
    assert_eq!(place.run("build -q -o i --integer in").code, 0);
    assert_eq!(place.run("test i --members in").code, 0);
}

#[test]
fn the_demo_keeps_its_promises() {
    let place = Place::new();
    let ran = place.run("demo -n 200k --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json = ran.json();
    assert_eq!((&json["keys"], &json["questions"]), (&200_000.into(), &100_000.into()));
    assert_eq!((&json["questions_listed"], &json["members_missed"]), (&10_000.into(), &0.into()));
    let rate = json["wrong_rate"].as_f64().unwrap();
    assert!((0.008..0.0115).contains(&rate), "{rate}");
    let list = place.read("tepal-demo/iin.txt");
    assert_eq!(list.len(), 200_000 * 13);
    let different: std::collections::HashSet<&[u8]> = list.chunks(13).collect();
    assert_eq!(different.len(), 200_000);
    let listed = place.read("tepal-demo/questions.txt");
    assert_eq!(listed.chunks(13).filter(|question| different.contains(question)).count(), 10_000);
    // Once more, and the commands it names work as they stand.
    let ran = place.run("demo -n 10k");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let commands = ran.text().lines().skip_while(|line| *line != "What to type next:");
    let commands: Vec<&str> = commands.skip(1).collect();
    assert_eq!(commands.len(), 4, "{}", ran.text());
    assert!(ran.text().contains("\nstatic     "), "{}", ran.text());
    #[cfg(unix)]
    for command in commands {
        let mut shell = std::process::Command::new("sh");
        shell.arg("-c").arg(command).current_dir(place.path(""));
        let ran = crate::place::finish(shell);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command}");
        assert!(!ran.out.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn the_demo_fits_one_screen() {
    let place = Place::new();
    let mut command = place.command("demo -n 100k");
    // As if it was found on the path.
    std::os::unix::process::CommandExt::arg0(&mut command, "tepal");
    let ran = crate::place::finish(command);
    let text = ran.text();
    assert!(ran.code == 0 && text.lines().count() < 24, "{text}");
    // Room for numbers of a longer list.
    assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    assert!(!text.contains(" 0.00 "), "{text}");
}

#[test]
fn the_demo_leaves_other_peoples_folders_alone() {
    let place = Place::new();
    place.write("precious", "x");
    let ran = place.run("demo -n 1k --dir .");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (2, "tepal: .: holds precious, which is not the demo's; name an empty or new folder with --dir\n")
    );
    assert_eq!(place.names(), ["precious"]);
    assert_eq!(place.run("demo -n 1 --dir one").code, 0);
}

#[cfg(unix)]
#[test]
fn the_demo_follows_no_link_and_writes_over_nothing() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.write("precious", "x");
    place.build("filter", b"a\n", "");
    let filter = place.read("filter");
    for (name, to) in [
        ("iin.txt.part", "../precious"),
        ("iin.txt", "../precious"),
        ("questions.txt.part", "../new"),
        ("iin.tepal", "../filter"),
        (".iin.tepal.0123456789abcdef.tepal-tmp", "../precious"),
    ] {
        std::fs::create_dir(place.path("d")).unwrap();
        symlink(to, place.path("d").join(name)).unwrap();
        let ran = place.run("demo -n 10 --dir d");
        let expected = format!(
            "tepal: d: holds {name}, which is not the demo's; name an empty or new folder with --dir\n"
        );
        assert_eq!((ran.code, ran.err), (2, expected));
        assert_eq!((place.read("precious"), place.read("filter")), (b"x".to_vec(), filter.clone()));
        std::fs::remove_dir_all(place.path("d")).unwrap();
    }
    std::fs::create_dir(place.path("d")).unwrap();
    symlink("d", place.path("link")).unwrap();
    assert!(place.run("demo -n 10 --dir link").err.starts_with("tepal: link: a symbolic link; "));
    std::fs::set_permissions(place.path("d"), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(
        place.run("demo -n 10 --dir d").err.starts_with("tepal: d: a folder in which anybody may write; ")
    );
    assert_eq!(place.names(), ["d", "filter", "link", "precious"]);
}
