//! `tepal remove`.

use crate::place::{Place, numbers};

fn held(place: &Place, name: &str, list: &str) -> String {
    place.run(&format!("has -c {name} {list}")).text().trim_end().to_owned()
}

#[test]
fn what_is_removed_is_gone_and_the_others_stay() {
    let place = Place::new();
    place.write("list", numbers(0..200_000));
    place.write("gone", numbers(50_000..150_000));
    place.write("left", [numbers(0..50_000), numbers(150_000..200_000)].concat());
    // At 1e-9 no stranger has the number of a member.
    for flags in ["--deletable", "--count-bits 4"] {
        place.build("f", &place.read("list"), flags);
        let ran = place.run("remove f gone");
        assert_eq!(ran.code, 0);
        assert!(
            ran.err.starts_with("100,000 keys removed; 1 in ") && ran.err.ends_with(" promised\n"),
            "{}",
            ran.err
        );
        assert_eq!((held(&place, "f", "gone"), held(&place, "f", "left")), ("0".into(), "100000".into()));
        // A second time there is nothing to remove, and the file is not written.
        let before = std::fs::metadata(place.path("f")).unwrap().modified().unwrap();
        let ran = place.run("remove f gone");
        let told = "tepal: f: 100,000 of 100,000 keys are not in it, so nothing was removed. They may have been removed before. Build it \
                    again, or go on with --allow-absent.\n";
        assert_eq!((ran.code, ran.err.as_str()), (2, told));
        let ran = place.run("remove f gone -j 1 --allow-absent");
        assert!(ran.err.starts_with("0 keys removed; 100,000 keys were not in; 1 in "), "{}", ran.err);
        assert_eq!(std::fs::metadata(place.path("f")).unwrap().modified().unwrap(), before);
        // What is left is what a filter of what is left holds.
        assert_eq!(place.run("verify f").code, 0);
        std::fs::remove_file(place.path("f")).unwrap();
    }
    place.build("f", b"one\n", "--deletable");
    let ran = place.run("remove f -e one -e one");
    assert!(ran.err.starts_with("1 key removed; 1 key had no copy left; "), "{}", ran.err);
    assert_eq!(place.run("info --json f").json()[0]["keys_inserted"], 0);
    let ran = place.run("remove -q f -e one");
    let told = "tepal: f: 1 of 1 key is not in it, so nothing was removed. It may have been removed before. Build it again, or go on with \
                --allow-absent.\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, told));
    assert_eq!(place.run("remove -q f -e one --allow-absent").quiet(), (0, &b""[..]));
}

/// The retry of a job: the keys were removed before, and 1 % of them look like members. In every
/// kind that removes, from every kind of input.
#[test]
fn a_list_that_is_removed_again_takes_no_member() {
    let place = Place::new();
    place.write("list", numbers(0..300_000));
    place.write("gone", numbers(0..10_000));
    place.write("left", numbers(10_000..300_000));
    place.write("gone.gz", gzip(&numbers(0..10_000)));
    place.write("gone.csv", [&b"id\n"[..], &numbers(0..10_000)].concat());
    for flags in ["--deletable", "--count-bits 4", "--growing --deletable -p 40%"] {
        let _ = std::fs::remove_file(place.path("f"));
        assert_eq!(place.run(&format!("build -q list {flags} -o f")).code, 0);
        assert_eq!(place.run("remove -q f gone").code, 0);
        let before = place.read("f");
        let json = place.run("remove f gone --allow-absent -o again --json").json();
        let [removed, not_in] = ["removed", "not_in"].map(|field| json[field].as_u64().unwrap());
        let lost = json["members_lost"].as_f64().unwrap();
        assert!(removed > 30 && not_in > 9_000 && removed + not_in <= 10_000, "{flags}: {json}");
        assert!((lost - removed as f64).abs() < 5.0 * lost.sqrt(), "{flags}: {lost} {removed}");
        // What that took are members.
        let missing = 290_000 - held(&place, "again", "left").parse::<u64>().unwrap();
        assert!(missing > 0 && missing <= removed, "{flags}: {missing} {removed}");
        std::fs::remove_file(place.path("again")).unwrap();
        for args in [
            "remove f gone",
            "remove f -",
            "remove f",
            "remove f gone.gz -j 1",
            "remove f -f id gone.csv",
            "remove f gone -o other",
            "remove f gone --members list",
            "remove f - gone --json",
            "remove -q f -e 10001 gone",
        ] {
            let reads = args.ends_with(" f") || args.split(' ').any(|arg| arg == "-");
            let input = if reads { numbers(0..10_000) } else { Vec::new() };
            let ran = place.run_with(args, &input);
            assert_eq!((ran.code, ran.out.len()), (2, 0), "{flags}: {args}: {}", ran.err);
            for part in [" keys ", " are not in it, so nothing was removed: the other ", "--allow-absent.\n"]
            {
                assert!(ran.err.contains(part), "{flags}: {args}: {}", ran.err);
            }
            assert!(place.read("f") == before && !place.path("other").exists(), "{flags}: {args}");
        }
        assert_eq!(held(&place, "f", "left"), "290000");
        // The counts, of which each key is in one.
        let ran = place.run("remove f gone");
        let of = format!("{} of 10,000 keys are not in it", count(not_in));
        let others =
            format!(": the other {} may be members or look like them. Build it again, or", 10_000 - not_in);
        assert!(ran.err.contains(&of) && ran.err.contains(&others), "{flags}: {}", ran.err);
        let ran = place.run("remove f gone --allow-absent -o again");
        assert!(
            ran.err.contains(" members are lost on average, whose copies those took; "),
            "{flags}: {}",
            ran.err
        );
        std::fs::remove_file(place.path("again")).unwrap();
    }
}

/// `9908` as `9,908`.
fn count(keys: u64) -> String {
    format!("{},{:03}", keys / 1000, keys % 1000)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

/// A list that names each key twice takes members away once the copies of its keys are gone, and it
/// says how many.
#[test]
fn what_is_named_twice_takes_members() {
    let place = Place::new();
    let built = place.run_with("build -q -p 1% --deletable -o f", &numbers(0..100_000));
    assert_eq!(built.code, 0, "{}", built.err);
    place.write("twice", [numbers(0..10_000), numbers(0..10_000)].concat());
    place.write("others", numbers(10_000..100_000));
    let json = place.run("remove f twice --json").json();
    let missed = 90_000.0 - held(&place, "f", "others").parse::<f64>().unwrap();
    let told = json["members_lost"].as_f64().unwrap();
    assert!(missed > 30.0 && (missed - told).abs() < 5.0 * told.sqrt(), "{missed}, {told}");
}

#[test]
fn what_is_named_again_or_left_alone_is_not_absent() {
    let place = Place::new();
    place.write("list", "a\nb\nc\n");
    for flags in ["--deletable", "--count-bits 4", "--growing --deletable"] {
        let _ = std::fs::remove_file(place.path("f"));
        place.build("f", b"a\na\nb\nc\n", flags);
        let copies: u64 = if flags.starts_with("--count") { 2 } else { 1 };
        let ran = place.run_with("remove f - --json", b"a\na\na\n");
        let json = ran.json();
        let fields = ["keys", "removed", "no_copy_left", "not_in"].map(|field| json[field].as_u64().unwrap());
        assert_eq!(fields, [3, copies, 3 - copies, 0], "{flags}");
        let lost = json["members_lost"].as_f64().unwrap();
        assert!(lost > 0.0 && lost < 0.05, "{flags}: {lost}");
        // Not on the list of members.
        let ran = place.run_with("remove f - --members list", b"nobody\nb\nnobody\n");
        assert!(
            ran.err.starts_with("1 key removed; 2 keys are not on the list of members, and stay; "),
            "{}",
            ran.err
        );
        // On it, and not in.
        let ran = place.run_with("remove f - --members list", b"nobody\nb\nc\n");
        let told = "1 of 2 keys that are on the list of members is not in it, so nothing was removed: the other one may be a member or look \
                    like one. Build it again, or";
        assert!(ran.code == 2 && ran.err.contains(told), "{}", ran.err);
        // Records without a key are none of them.
        place.build("g", b"1\n2\n3\n", &format!("--integer {flags}"));
        let ran = place.run_with("remove g - --bad warn", b"1\nx\n2\n");
        assert!(ran.code == 0 && ran.err.contains("2 keys removed; 1 in "), "{}", ran.err);
        assert_eq!(ran.err.matches("1 record had no key; the first").count(), 1, "{}", ran.err);
        std::fs::remove_file(place.path("g")).unwrap();
    }
    let ran = place.run("remove f --segment x --allow-absent");
    assert!(ran.code == 2 && ran.err.contains("--segment"), "{}", ran.err);
}

/// A list that is read twice and is another one the second time removes nothing. The pipe makes the
/// command wait between the two.
#[cfg(unix)]
#[test]
fn a_list_that_changes_between_its_readings_removes_nothing() {
    let place = Place::new();
    place.build("f", &numbers(0..1000), "--deletable");
    let before = place.read("f");
    for change in ["10\n11\n13\n", "11\n10\n12\n", "10\n11\n", "10\n11\n12\n12\n", "", "10\n11\n12\n"] {
        place.write("same", "1\n");
        place.write("list", "10\n11\n12\n");
        let mut child =
            place.command("remove f same list -").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds: once it is written, the files before it are read.
        std::io::Write::write_all(&mut stdin, &b"20\n".repeat(1 << 16)).unwrap();
        place.write("list", change);
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        match change {
            "10\n11\n12\n" => assert!(
                output.status.success() && told.starts_with("5 keys removed; 65,535 keys had"),
                "{told}"
            ),
            _ => {
                let text = "tepal: list: its keys changed between the two times that it was read, so nothing was removed; run this again\n";
                assert_eq!((output.status.code(), told.as_str()), (Some(2), text), "{change:?}");
                assert_eq!(place.read("f"), before);
            }
        }
    }
}

#[test]
fn one_copy_goes_at_a_time() {
    let place = Place::new();
    place.build("once", b"a\na\nb\n", "--deletable");
    place.build("counted", b"a\na\nb\n", "--count-bits 4");
    for name in ["once", "counted"] {
        assert_eq!(place.run_with(&format!("add -q {name} --past-promise"), b"b\n").code, 0);
        assert_eq!(place.run(&format!("remove -q {name} -e a -e b")).quiet(), (0, &b""[..]));
    }
    place.write("all", "a\nb\n");
    assert_eq!(place.run("has once all").text(), "b\n");
    assert_eq!(place.run("has counted all").text(), "a\nb\n");
}

#[test]
fn keys_come_as_everywhere() {
    let place = Place::new();
    place.write("mail.csv", "id,email\n1,Ann@x\n2,bob@x\n3,eve@x\n");
    assert_eq!(place.run("build -q mail.csv -f email --nocase --deletable -p 1e-9 -o f").code, 0);
    place.write("ended.csv", "when,email\nnow,ANN@x\nnow,eve@x\n");
    let ran = place.run("remove f ended.csv");
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("2 keys removed"), "{}", ran.err);
    assert_eq!(place.run("has f -e ann@x -e bob@x -e eve@x").text(), "bob@x\n");
    // A row without the field ends it, and nothing is changed.
    let before = place.read("f");
    place.write("bad.csv", "when\nnow\n");
    assert_eq!(place.run("remove -q f bad.csv").code, 2);
    assert_eq!(place.read("f"), before);
    let ran = place.run_with("remove f --whole -o g", b"bob@x\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.read("f"), before);
    assert_eq!(place.run("has -q g -e bob@x").code, 1);
    let ran = place.run("remove f -e bob@x --json");
    let json = ran.json();
    assert_eq!((&json["keys"], &json["removed"], &json["not_in"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(json["filter"]["keys_inserted"], 0);
    // Integers.
    place.build("ints", b"7\n8\n", "--deletable --integer");
    assert_eq!(place.run("remove -q ints -e 007 -e 8 --bad fail").code, 2, "007 is no integer");
    assert_eq!(place.run("remove -q ints -e 7 -e 8").code, 0);
    let ran = place.run("remove ints -e x");
    assert!(ran.code == 2 && ran.err.starts_with("tepal: -e: "), "{}", ran.err);
}

#[test]
fn members_guard_what_was_never_put_in() {
    let place = Place::new();
    place.write("list", numbers(0..10_000));
    place.write("strangers", numbers(100_000..200_000));
    assert_eq!(place.run("build -q list --deletable -o f").code, 0);
    assert_eq!(place.run("build -q list --deletable -o g").code, 0);
    let ran = place.run("remove g strangers --members list");
    assert!(
        ran.err.starts_with("0 keys removed; 100,000 keys are not on the list of members, and stay; "),
        "{}",
        ran.err
    );
    assert_eq!(held(&place, "g", "list"), "10000");
    // Without it members are lost, as help says.
    assert_eq!(place.run("remove -q f strangers").code, 2);
    assert_eq!(place.run("remove -q f strangers --allow-absent").code, 0);
    assert_ne!(held(&place, "f", "list"), "10000");
    place.write("some", "5\nx\n6\n");
    let ran = place.run("remove g some --members strangers list --json");
    let json = ran.json();
    assert_eq!((&json["removed"], &json["not_members"], &json["not_in"]), (&2.into(), &1.into(), &0.into()));
    let ran = place.run_with("remove g --members -", b"5\n");
    assert!(ran.code == 2 && ran.err.contains("standard input can be read once"), "{}", ran.err);
}

#[test]
fn what_cannot_forget_says_what_can() {
    let place = Place::new();
    place.write("list", numbers(0..100));
    place.build("bloom", &numbers(0..100), "");
    assert_eq!(place.run("build -q list --to redisbloom -n 10 --expansion 2 -o chain --over ignore").code, 0);
    assert_eq!(place.run_with("uniq --state state", b"1\n2\n").code, 0);
    for name in ["bloom", "chain", "state"] {
        let before = place.read(name);
        let ran = place.run(&format!("remove {name} list"));
        assert_eq!(ran.code, 2);
        let said =
            " cannot remove a key; build a deletable filter of its keys (tepal build LIST --deletable)";
        assert!(ran.err.contains(said), "{}", ran.err);
        assert_eq!(place.read(name), before);
    }
    assert!(place.run("remove list list").err.contains("not a tepal filter"));
    assert!(place.run("remove nowhere list").err.contains("expected a tepal filter"));
    for verb in ["delete", "del", "rm"] {
        assert_eq!(place.run(&format!("{verb} --help")).out, place.run("remove --help").out);
    }
}

#[test]
fn keyed_sealed_and_damaged() {
    let place = Place::new();
    place.write_key("secret", "0123456789abcdef0123456789abcdef");
    place.write_key("seal", "fedcba9876543210fedcba9876543210");
    place.build("f", b"a\nb\nc\n", "--deletable --secret secret --seal seal");
    assert!(place.run("remove f -e a").err.contains("--se"), "it says which key is missing");
    assert_eq!(place.run("remove -q f -e a --secret secret --seal seal").quiet(), (0, &b""[..]));
    place.write("all", "a\nb\nc\n");
    assert_eq!(place.run("has f all --secret secret --seal seal").text(), "b\nc\n");
    // Every bit is looked at before anything is removed.
    place.build("plain", &numbers(0..1000), "--deletable");
    let whole = place.read("plain");
    let mut damaged = whole.clone();
    let middle = damaged.len() - 300;
    damaged[middle] ^= 1;
    place.write("plain", &damaged);
    let ran = place.run("remove plain -e 5");
    assert!(ran.code == 2 && ran.err.contains("damaged"), "{}", ran.err);
    assert_eq!(place.read("plain"), damaged);
    assert_eq!(place.run("has -q plain -e 5").code, 2);
    // Quick does not look, and answers.
    assert!(place.run("has -q --quick plain -e 5").code < 2);
    place.write("plain", &whole);
    assert_eq!(place.run("has -c --quick plain -e 5").text(), "1\n");
}

#[cfg(unix)]
#[test]
fn of_two_at_once_neither_undoes_the_other() {
    let place = Place::new();
    place.write("list", numbers(0..8000));
    place.build("f", &numbers(0..8000), "--deletable");
    let children: Vec<_> = (0..8u32)
        .map(|n| {
            place.write(&format!("part{n}"), numbers(n * 1000..n * 1000 + 900));
            place.command(&format!("remove -q f part{n}")).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(held(&place, "f", "list"), "800");
    let lock = tepal::file::FileLock::try_acquire(place.path("f")).unwrap().unwrap();
    let ran = place.run("remove f -e 1 --no-wait");
    assert!(ran.code == 2 && ran.err.contains("another program is changing it"), "{}", ran.err);
    drop(lock);
}

#[test]
fn outputs_are_as_those_of_add() {
    let place = Place::new();
    place.write("list", "a\n");
    place.build("f", b"a\nb\n", "--deletable -n 10");
    assert!(place.run("remove f list -o list --force").err.contains("read here as a list of keys"));
    assert!(place.run("remove f list -o f").err.contains("exists; add --force"));
    let ran = place.run("remove -q f list -o -");
    assert_eq!(ran.code, 0);
    place.write("g", &ran.out);
    assert_eq!(place.run("has g -e a -e b").text(), "b\n");
    assert!(place.run("remove f list -o - --json").err.contains("both write to standard output"));
    // Nothing to remove, and another file: it is written all the same.
    assert_eq!(place.run("remove -q f -e x -o h --allow-absent").code, 0);
    assert_eq!(place.read("h"), place.read("f"));
    // Keys by themselves, for add too.
    assert_eq!(place.run("add -q h -e x -e a").quiet(), (0, &b""[..]));
    assert_eq!(place.run("has h -e x -e a").text(), "x\na\n");
}
