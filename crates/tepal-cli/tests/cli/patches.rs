//! `diff`, `patch` and `build --like`: copies that follow a filter in few bytes.

use std::fs;

use crate::place::{Place, numbers};

/// `old` has 0..1000 and room for 2000, `new` 1000..1100 too, and `p` leads from one to the other.
fn three() -> Place {
    let place = Place::new();
    place.build("old", &numbers(0..1000), "-n 2000 --name list");
    place.write("keys", numbers(0..1100));
    let ran = place.run("build keys --like old -o new");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.run("diff old new -o p");
    assert!(
        ran.code == 0 && ran.err.contains(" bits differ; ") && ran.err.contains("% of the new file"),
        "{}",
        ran.err
    );
    place
}

#[test]
fn the_new_file_in_place_and_beside() {
    let place = three();
    let new = place.read("new");
    assert!(place.read("p").len() * 2 < new.len());
    let ran = place.run("patch old p -o copy");
    assert!(ran.code == 0 && ran.err.contains("bits changed: copy is the new file"), "{}", ran.err);
    assert_eq!(place.read("copy"), new);
    assert_eq!(place.run("patch -q old p -o -").quiet(), (0, &new[..]));
    assert_ne!(place.read("old"), new);
    assert_eq!(place.run("patch -q old p").quiet(), (0, &b""[..]));
    assert_eq!(place.read("old"), new);
    assert_eq!(place.run("has -c old keys").text(), "1100\n");
    // Again: it is done.
    let ran = place.run("patch old p");
    assert_eq!((ran.code, ran.err.as_str()), (0, "old: is what the patch makes already; nothing to do\n"));
    let ran = place.run("patch new p -o other");
    assert!(ran.code == 2 && ran.err.contains("nothing to do"), "{}", ran.err);
    assert_eq!(place.names(), ["copy", "keys", "new", "old", "p"]);
    let report = place.run("diff -q copy old -o none --json").json();
    assert_eq!((&report["flips"], &report["new_len"]), (&0.into(), &new.len().into()));
}

#[test]
fn a_patch_is_read_out_of_a_pipe() {
    let place = three();
    let (new, patch) = (place.read("new"), place.read("p"));
    let ran = place.run_with("patch old - -o copy", &patch);
    assert!(ran.code == 0 && ran.err.contains("copy is the new file"), "{}", ran.err);
    assert_eq!(place.read("copy"), new);
    let json = place.run_with("patch old - --json", &patch).json();
    assert_eq!(
        (&json["file"], &json["changed"], &json["new_len"]),
        (&"old".into(), &true.into(), &new.len().into())
    );
    assert!(place.read("old") == new);
    let ran = place.run_with("patch old - --json", &patch);
    assert_eq!((ran.code, &ran.json()["changed"]), (0, &false.into()));
    let ran = place.run_with("patch copy - -o f", &patch[..80]);
    assert!(ran.code == 2 && ran.err.starts_with("tepal: standard input: damaged: "), "{}", ran.err);
}

#[test]
fn info_says_what_a_patch_is_for() {
    let place = three();
    let [old, new, patch] = ["old", "new", "p"].map(|name| place.read(name).len());
    let ran = place.run("info p");
    let lines: Vec<&str> = ran.text().lines().collect();
    assert_eq!((ran.code, lines.len(), ran.err.as_str()), (0, 5, ""));
    assert_eq!(lines[0], "p           patch: makes the new file of an old one with: tepal patch OLD p");
    assert!(
        lines[1].starts_with(&format!("for         a file of {} bytes with the XXH3-64 ", thousands(old)))
    );
    assert!(
        lines[2].starts_with(&format!("makes       a file of {} bytes with the XXH3-64 ", thousands(new)))
    );
    assert!(lines[3].starts_with("changes     ") && lines[3].ends_with(" bits"), "{}", lines[3]);
    assert_eq!(lines[4], format!("size        {} bytes", thousands(patch)));
    // Of the files named beside it those that it is about are told.
    place.build("other", b"1\n", "");
    let ran = place.run("info other p new old");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let line = |label: &str| ran.text().lines().find(|line| line.starts_with(label)).unwrap().to_owned();
    assert!(line("for").ends_with(": old") && line("makes").ends_with(": new"), "{}", ran.text());
    let json = place.run("info --json p new").json();
    assert_eq!(
        (&json[0]["kind"], &json[0]["old_len"], &json[1]["kind"]),
        (&"patch".into(), &old.into(), &"bloom".into())
    );
    place.write("cut", &place.read("p")[..100]);
    let ran = place.run("info cut old");
    assert!(ran.code == 2 && ran.err.starts_with("tepal: cut: damaged: "), "{}", ran.err);
    assert!(ran.text().starts_with("old "), "{}", ran.text());
}

/// `1234` as `1,234`.
fn thousands(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        more => format!("{more},{:03}", number % 1000),
    }
}

#[test]
fn a_patch_for_another_file_changes_nothing() {
    let place = three();
    place.build("other", b"x\n", "-n 2000 --name list");
    let before = place.read("other");
    for args in ["patch other p", "patch other p --force", "patch other p -o f"] {
        let ran = place.run(args);
        let expected = "tepal: p: not for other: the patch is for another file, of other bytes; get one that was made from this \
                        file, or the whole new file\n";
        assert_eq!((ran.code, ran.err.as_str()), (2, expected), "{args}");
    }
    assert_eq!(place.read("other"), before);
    // Damaged, cut, no patch at all, exchanged.
    let patch = place.read("p");
    for cut in [0, 7, 8, 9, 40, 71, 72, 200, patch.len() - 1] {
        place.write("cut", &patch[..cut]);
        let ran = place.run("patch old cut");
        assert!(ran.code == 2 && ran.err.lines().count() == 1, "{cut}: {}", ran.err);
    }
    for (args, expected) in [
        ("patch p old", "old: a filter, and no patch; name the old filter, then the patch"),
        ("patch old keys", "keys: not a patch; make one with: tepal diff OLD NEW -o PATCH"),
        ("patch old gone", "gone: no such file; expected a patch"),
        ("patch gone p", "gone: no such file; expected the filter"),
        ("patch old p -o new", "new: exists; add --force to replace it"),
        ("patch - p", "- is given for the filter"),
        ("patch old -", "standard input: not a patch; make one with: tepal diff OLD NEW -o PATCH"),
        ("patch old p -o - --json", "--json and -o - both write to standard output"),
        ("diff old new -o p", "p: exists; add --force to replace it"),
        ("diff old gone -o q", "gone: no such file"),
        ("diff old keys -o q", "keys: not a tepal filter: it looks like text"),
        ("diff - new -o q", "both are read twice, so name files"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(expected), "{args}: {}", ran.err);
    }
    assert_eq!(place.names(), ["cut", "keys", "new", "old", "other", "p"]);
}

#[test]
fn other_shapes_are_refused_and_the_way_out_is_told() {
    let place = three();
    for (build, found) in [
        ("-n 3000", "number of bits"),
        ("-n 2000 --seed 5", "seed, key or parameter"),
        ("-n 2000 --trim", "recipe"),
        ("-n 2000 --layout scattered", "layout"),
        ("-n 2000 --integer", "key domain"),
    ] {
        place.build("other", &numbers(0..1000), &format!("--force {build}"));
        let ran = place.run("diff old other -o q");
        assert!(
            ran.code == 2 && ran.err.starts_with(&format!("tepal: other: its {found} is ")),
            "{}",
            ran.err
        );
        assert!(
            ran.err.ends_with("build the new one with: tepal build LIST --like old -o NEW\n"),
            "{}",
            ran.err
        );
    }
    let mut damaged = place.read("new");
    *damaged.last_mut().unwrap() ^= 1;
    place.write("damaged", &damaged);
    for args in ["diff old damaged -o q", "diff damaged old -o q"] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.starts_with("tepal: damaged: damaged: "), "{}", ran.err);
    }
    assert!(!place.path("q").exists());
}

#[test]
fn like_takes_everything_from_the_old_one() {
    let place = Place::new();
    place.write_key("secret", b"0123456789abcdef");
    place.write_key("seal", b"another key, of 16 bytes or more");
    place.write("rows.csv", "id,mail\n1, A@x.org\n2,B@x.org \n");
    let keyed = "--secret secret --seal seal";
    let ran = place.run(&format!("build -q rows.csv -f mail -n 500 -p 1e-6 --nocase --trim --over warn --name mail --date 1 {keyed} -o old"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    place.write("more.csv", "id,mail\n1,A@x.org\n3,c@x.org\n");
    let ran = place.run(&format!("build -q more.csv -f mail {keyed} --like old --date 2 -o new"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let facts = |name: &str| {
        let mut facts = place.run(&format!("info {name} --json {keyed}")).json()[0].take();
        for changed in [
            "file",
            "keys_inserted",
            "estimated_len",
            "set_bits",
            "fill_ratio",
            "false_positive_rate",
            "filters",
        ] {
            facts.as_object_mut().unwrap().remove(changed);
        }
        facts
    };
    let (mut old, new) = (facts("old"), facts("new"));
    old["date"] = "2".into();
    assert_eq!(old, new);
    assert_eq!(place.run(&format!("has -q new -e C@X.ORG {keyed}")).code, 0);
    assert_eq!(place.run(&format!("has -q new -e b@x.org {keyed}")).code, 1);
    // The patch needs no key, and the seal comes along.
    assert_eq!(place.run("diff -q old new -o p").quiet(), (0, &b""[..]));
    assert_eq!(place.run("patch -q old p").quiet(), (0, &b""[..]));
    assert_eq!(place.read("old"), place.read("new"));
    assert_eq!(place.run(&format!("verify old {keyed}")).code, 0);

    let ran = place.run("build more.csv --like old -o other");
    assert!(ran.code == 2 && ran.err.contains("open it with that key (--s"), "{}", ran.err);
    for flag in [
        "-n 5",
        "-p 1%",
        "-s 1MiB",
        "--trim",
        "--seed 3",
        "--scheme xxh64",
        "--layout line",
        "-k 3",
        "--integer",
    ] {
        let ran = place.run(&format!("build more.csv --like old -o other {flag}"));
        assert!(ran.code == 2 && ran.err.contains("cannot be used with"), "{flag}: {}", ran.err);
    }
}

#[test]
fn what_does_not_fit_the_old_promise_is_refused() {
    let place = Place::new();
    place.build("old", &numbers(0..1000), "");
    place.write("keys", numbers(0..4000));
    let ran = place.run("build keys --like old -o new");
    let expected =
        "more different keys than old has room for, 1,000; build that one with more room first (-n)";
    assert!(ran.code == 2 && ran.err.contains(expected), "{}", ran.err);
    assert!(!place.path("new").exists());
    let ran = place.run("build keys --like old -o new --over warn");
    assert!(ran.code == 0 && ran.err.contains("holds more than"), "{}", ran.err);
    assert_eq!(place.run("diff -q old new -o p").code, 0);
    assert_eq!(place.run("patch -q old p -o n2").code, 0);
    assert_eq!(place.read("n2"), place.read("new"));
}

#[test]
fn files_of_other_programs() {
    let place = Place::new();
    place.write("keys", numbers(0..100));
    place.write("more", numbers(0..150));
    for format in ["dcso", "guava", "parquet-sbbf", "redisbloom", "spark", "bits-and-blooms"] {
        // Two of them have a mark that tells it.
        let is_marked = matches!(format, "dcso" | "redisbloom");
        let [from, to] = ["--from", "--to"].map(|flag| match is_marked {
            true => String::new(),
            false => format!("{flag} {format}"),
        });
        for name in ["old", "new", "p", "made"] {
            let _ = fs::remove_file(place.path(name));
        }
        assert_eq!(place.run(&format!("build -q keys -n 200 --to {format} -o old")).code, 0, "{format}");
        let ran = place.run(&format!("build -q more --like old {to} -o new"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}");
        let ran = place.run(&format!("diff -q old new {from} -o p"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{format}");
        assert_eq!(place.run("patch -q old p -o made").quiet(), (0, &b""[..]));
        assert_eq!(place.read("made"), place.read("new"), "{format}");
        assert_eq!(place.run(&format!("has -c made more {from}")).text(), "150\n");
        assert_eq!(place.run(&format!("build -q --force more -n 2000 --to {format} -o new")).code, 0);
        let ran = place.run(&format!("diff -q old new {from} -o p --force"));
        assert!(ran.code == 2 && ran.err.contains("is not that of old"), "{format}: {}", ran.err);
    }
    place.build("ours", b"a\n", "");
    let ran = place.run("diff ours made -o q --from bits-and-blooms");
    assert!(
        ran.code == 2 && ran.err.contains("its format is bits-and-blooms, and that of ours is tepal"),
        "{}",
        ran.err
    );
}

/// The lock of other writers is kept, and a link stays a link.
#[cfg(unix)]
#[test]
fn patching_takes_turns_with_other_writers() {
    let place = three();
    let lock = tepal::file::FileLock::acquire(place.path("old")).unwrap();
    let ran = place.run("patch old p --no-wait");
    assert!(ran.code == 2 && ran.err.contains("another program is changing it"), "{}", ran.err);
    assert_eq!(place.run("patch -q old p -o beside --no-wait").code, 0);
    drop(lock);
    std::os::unix::fs::symlink("old", place.path("link")).unwrap();
    assert_eq!(place.run("patch -q link p --no-wait").quiet(), (0, &b""[..]));
    assert_eq!(place.read("old"), place.read("new"));
    assert!(fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
}

/// Within 5 % of the entropy of the bits that differ, beside 300 bytes.
#[test]
fn near_the_entropy() {
    let place = Place::new();
    place.write("keys", numbers(0..200_000));
    assert_eq!(place.run("build -q keys -n 300000 -o old").code, 0);
    for more in [0, 10, 2_000, 20_000, 100_000] {
        place.write("more", numbers(200_000..200_000 + more));
        assert_eq!(place.run("build -q keys more --force --like old -o new").code, 0);
        let report = place.run("diff -q old new --force -o p --json").json();
        let (flips, bits) = (report["flips"].as_f64().unwrap(), 8.0 * report["new_len"].as_f64().unwrap());
        let share = flips / bits;
        let term = |share: f64| if share > 0.0 { -share * share.log2() } else { 0.0 };
        let entropy = bits * (term(share) + term(1.0 - share)) / 8.0;
        let len = report["patch_len"].as_f64().unwrap();
        println!("{more} keys more: {flips} bits, {len} bytes, entropy {entropy:.0}");
        assert!(len <= 1.05 * entropy + 300.0, "{more}: {len}, {entropy}");
    }
}

#[test]
fn a_patch_is_no_filter_and_is_named() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    assert_eq!(place.run("diff -q f f -o p").code, 0);
    for verb in ["has p -e a", "verify p", "has --quick p -e a"] {
        let ran = place.run(verb);
        assert_eq!(ran.code, 2);
        assert!(
            ran.err.contains("p: a patch, and no filter; ") && ran.err.contains("tepal patch OLD PATCH"),
            "{}",
            ran.err
        );
    }
}

/// A static filter, and the keys that were added to it: a patch has about 7 bytes for each.
#[test]
fn keys_that_were_added_to_a_static_filter() {
    let place = Place::new();
    place.write("list", numbers(0..50_000));
    place.write("more", numbers(60_000..60_100));
    place.write("others", numbers(60_050..60_200));
    assert_eq!(place.run("build -q --static -p 1e-6 list -o old").code, 0);
    for (name, list) in [("new", "more"), ("other", "others")] {
        fs::copy(place.path("old"), place.path(name)).unwrap();
        assert_eq!(place.run(&format!("add -q {name} {list}")).code, 0);
    }
    let ran = place.run("diff old new -o p");
    let len = place.read("p").len();
    assert!((800..1000).contains(&len), "{len}");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (0, &*format!("100 keys added, 0 bits differ; {len} bytes, 0.77 % of the new file\n"))
    );
    fs::copy(place.path("old"), place.path("phone")).unwrap();
    let ran = place.run("patch phone p");
    assert!(ran.code == 0 && ran.err.starts_with("100 keys added, 0 bits changed: phone is "), "{}", ran.err);
    assert_eq!(place.read("phone"), place.read("new"));
    assert_eq!(place.run("has -c phone list more").text(), "list:50000\nmore:100\n");
    let ran = place.run("patch phone p");
    assert_eq!((ran.code, ran.err.as_str()), (0, "phone: is what the patch makes already; nothing to do\n"));
    // In another list, and back to none.
    let ran = place.run("diff new other -o q --json");
    assert!(ran.err.starts_with("100 keys added, 50 taken away, 0 bits differ; "), "{}", ran.err);
    let report = ran.json();
    assert_eq!((&report["added_keys"], &report["removed_keys"]), (&100.into(), &50.into()));
    assert_eq!(place.run("patch -q phone q -o -").quiet(), (0, &place.read("other")[..]));
    let ran = place.run("patch old q");
    assert!(ran.code == 2 && ran.err.contains("the patch is for another file"), "{}", ran.err);
    let ran = place.run("diff other old -o r");
    assert!(ran.err.starts_with("150 keys taken away, 0 bits differ; 232 bytes, "), "{}", ran.err);
    assert_eq!(place.run("patch -q other r").code, 0);
    assert_eq!(place.read("other"), place.read("old"));

    // Another ribbon, and another hash.
    place.write("fewer", numbers(0..40_000));
    assert_eq!(place.run("build -q --static -p 1e-6 fewer -o fewer_keys").code, 0);
    assert_eq!(place.run("build -q --static -p 1e-6 --seed 3 list -o seeded").code, 0);
    for (other, said) in [
        ("fewer_keys", "length without added keys is "),
        ("fewer_keys", "send it whole, or add the new keys to the old one (tepal add)"),
        ("seeded", "its seed, key or parameter is 3, and that of new is "),
        ("seeded", "; a patch is between static filters of one hash, "),
    ] {
        let ran = place.run(&format!("diff new {other} -o none"));
        assert!(ran.code == 2 && ran.err.contains(said), "{said}: {}", ran.err);
    }
    // A file that is damaged is named.
    let mut damaged = place.read("new");
    *damaged.last_mut().unwrap() ^= 1;
    place.write("damaged", &damaged);
    for args in ["diff old damaged -o none", "diff damaged old -o none"] {
        let ran = place.run(args);
        assert!(
            ran.code == 2 && ran.err.starts_with("tepal: damaged: damaged: the checksum of its added"),
            "{}",
            ran.err
        );
    }
    assert!(!place.path("none").exists());
}

/// Of two static filters that have nothing in common but their length a patch is no smaller than
/// the file, and `diff` says so; not where they differ in little.
#[test]
fn a_patch_of_another_static_filter_is_large() {
    let place = Place::new();
    for (name, keys, flags) in [
        ("one", 0..30, "--name aaaaaaaa"),
        ("named", 0..30, "--name zzzzzzzz"),
        ("other", 5000..5030, "--name aaaaaaaa"),
    ] {
        place.build(name, &numbers(keys), &format!("--static {flags}"));
    }
    let lens = ["one", "named", "other"].map(|name| place.read(name).len());
    assert!(lens[0] == lens[1] && lens[0] == lens[2], "{lens:?}");
    let warning = "! of a static filter nearly half of the bits differ";
    let ran = place.run("diff one other -o p");
    assert!(ran.code == 0 && ran.err.contains(warning), "{}", ran.err);
    let ran = place.run("diff one named -o q");
    assert!(ran.code == 0 && !ran.err.contains(warning), "{}", ran.err);
}
