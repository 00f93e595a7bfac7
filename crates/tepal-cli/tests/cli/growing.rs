//! `tepal build --growing`, and what the other verbs do with filters that grow.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tepal::file::FileLock;

use crate::place::{Place, numbers};

fn info(place: &Place, name: &str) -> serde_json::Value {
    place.run(&format!("info --json {name}")).json()[0].clone()
}

#[test]
fn lists_of_every_length_are_held_and_more_come() {
    let place = Place::new();
    place.write("more", numbers(500_000..520_000));
    for keys in [0, 1, 50, 50_000] {
        place.write("list", numbers(0..keys));
        for flags in ["", "-n 1", "-n 200k -j 1", "--deletable", "--deletable -n 700"] {
            let ran =
                place.run(&format!("build list list --growing {flags} -o f --force --json --allow-empty"));
            assert_eq!(ran.code, 0, "{keys} {flags}: {}", ran.err);
            let json = ran.json();
            assert_eq!((&json["keys"], &json["filter"]["kind"]), (&(2 * keys).into(), &"growing".into()));
            let is_deletable = flags.contains("deletable");
            assert_eq!(json["filter"]["deletable"], is_deletable);
            // Where all keys wait they are counted.
            assert_eq!(json["different_keys_exact"], is_deletable || flags.is_empty());
            let different = json["different_keys"].as_f64().unwrap();
            assert!(
                (different - f64::from(keys)).abs() <= 0.01 * f64::from(keys),
                "{keys} {flags} {different}"
            );
            assert_eq!(place.run("has -c f list").text(), format!("{keys}\n"), "{flags}");
            assert_eq!(place.run("verify f").code, 0);
            assert_eq!(place.run("test f --members list -q").code, 0, "{keys} {flags}");
            let ran = place.run("add f more");
            assert_eq!(ran.code, 0, "{keys} {flags}: {}", ran.err);
            assert_eq!(place.run("has -c f more").text(), "20000\n", "{flags}");
            assert_eq!(place.run("has -c f list").text(), format!("{keys}\n"), "{flags}");
            let filter = info(&place, "f");
            assert!(filter["false_positive_rate"].as_f64().unwrap() < 0.01, "{flags}");
            assert_eq!((&filter["over_capacity"], &filter["full"]), (&false.into(), &false.into()));
        }
    }
    // A good guess is one table, a bad one some.
    for (flags, tables) in
        [("", "1 table"), ("-n 100k", "1 table"), ("-n 100", "3 tables"), ("-n 1000", "2 tables")]
    {
        place.run(&format!("build -q list --growing {flags} -o f --force"));
        let told = place.run("info f").text().to_owned();
        assert!(told.starts_with(&format!("f           growing filter of {tables}\n")), "{told}");
        assert!(told.contains("past it: it grows"), "{told}");
    }
}

#[test]
fn the_same_list_is_the_same_file_whatever_the_threads() {
    let place = Place::new();
    place.write("list", numbers(0..400_000));
    for flags in ["", "-n 5000", "--deletable", "--deletable -n 5000"] {
        for (name, threads) in [("a", "-j 1"), ("b", "-j 8")] {
            let ran = place.run(&format!("build -q --growing list --force -o {name} {flags} {threads}"));
            assert_eq!(ran.quiet(), (0, &b""[..]));
        }
        assert!(place.read("a") == place.read("b"), "{flags}");
    }
}

#[test]
fn keys_go_where_that_was_asked_for() {
    let place = Place::new();
    place.write("list", numbers(0..20_000));
    place.write("half", numbers(0..10_000));
    place.write("rest", numbers(10_000..20_000));
    // Repeats go in once, so that one removal takes a key out.
    place.run("build -q list half --growing --deletable -n 300 -p 1e-9 -o f");
    let told = place.run("info f").text().to_owned();
    assert!(told.starts_with("f           growing filter of 2 tables: its keys can be removed\n"), "{told}");
    let ran = place.run("remove f half -e nobody --allow-absent --json");
    let json = ran.json();
    assert_eq!((&json["removed"], &json["not_in"], &json["kept"]), (&10_000.into(), &1.into(), &0.into()));
    assert_eq!(place.run("has -c f half").text(), "0\n");
    assert_eq!(place.run("has -c f rest").text(), "10000\n");
    place.run("remove -q f list --members half --allow-absent");
    assert_eq!(place.run("has -c f rest").text(), "10000\n");
    // In two tables at once, after a merge: one of the numbers may be another key's.
    place.write("some", numbers(10_000..11_000));
    place.run("build -q some --growing --deletable -n 300 -p 1e-9 -o g");
    assert_eq!(place.run("merge -q f g -o m").code, 0);
    let ran = place.run("remove m some");
    assert!(ran.err.contains("stay, since they look as if they were in two tables"), "{}", ran.err);
    let json = place.run("remove m some --allow-absent --json").json();
    let [removed, kept] = ["removed", "kept"].map(|field| json[field].as_u64().unwrap());
    assert!(kept > 500 && removed < 500, "{removed} {kept}");
    assert_eq!(place.run("has -c m rest").text(), format!("{}\n", 9000 + kept));
    // The shape of another: repeats go in once there too.
    place.run("build -q list list --like f -o h");
    place.run("remove -q h half");
    assert_eq!(place.run("has -c h half").text(), "0\n");
    assert_eq!(place.run("has -c h rest").text(), "10000\n");
}

/// Later keys have their copies at a number of an early table, so a key that was removed there is
/// found more often than the rate says. How many members a second removal takes is said as a range.
#[test]
fn what_was_in_before_takes_more_members_than_the_rate_says() {
    let place = Place::new();
    place.write("list", numbers(0..60_000));
    place.write("gone", numbers(0..3000));
    for (rate, n) in [("5%", 300), ("20%", 300), ("1%", 1000)] {
        let ran = place.run(&format!("build -q list --growing --deletable -n {n} -p {rate} -o f --force"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(place.run("remove -q f gone").code, 0);
        let ran = place.run("remove f gone --allow-absent -o again --force --json");
        let json = ran.json();
        assert!(json["filter"]["tables"].as_array().unwrap().len() > 1);
        let [least, most] = ["members_lost", "members_lost_most"].map(|field| json[field].as_f64().unwrap());
        let removed = json["removed"].as_f64().unwrap();
        let spread = 5.0 * removed.sqrt();
        assert!(removed > least - spread && removed < most + spread && most >= least, "{rate}: {json}");
        assert!(ran.err.contains(" lost on average, or up to "), "{}", ran.err);
    }
    // Where that is no more, nothing is added.
    place.build("one", &numbers(0..1000), "--growing --deletable");
    let json = place.run("remove one gone --allow-absent --json").json();
    assert!(json["members_lost_most"].is_null(), "{json}");
}

#[test]
fn one_table_of_what_grows_no_more() {
    let place = Place::new();
    place.write("list", numbers(0..50_000));
    for (flags, warns) in [("", true), ("--deletable", false), ("-n 1000 --deletable", false)] {
        place.run(&format!("build -q list --growing {flags} -o f --force"));
        let ran = place.run("shrink f -p 2% -o one --force --json");
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.err.contains("from which no key can be removed"), warns, "{flags}: {}", ran.err);
        let filter = &ran.json()["filter"];
        assert_eq!((&filter["kind"], &filter["tables"].as_array().unwrap().len()), (&"quotient".into(), &1));
        assert!(filter["false_positive_rate"].as_f64().unwrap() <= 0.02);
        assert_eq!(place.run("has -c one list").text(), "50000\n");
        assert!(place.read("one").len() < place.read("f").len());
        assert_eq!(place.run("verify one").code, 0);
        assert_eq!(place.run("info one").text().contains("none can be removed"), warns, "{flags}");
        if warns {
            let ran = place.run("remove one list");
            assert!(ran.code == 2 && ran.err.contains("two keys may share a copy"), "{}", ran.err);
        }
    }
    place.run("remove -q one list");
    assert_eq!(place.run("has -c one list").text(), "0\n");
    for (args, said) in [
        (
            "shrink f -s 1000 -o g",
            "of which one table is made for a rate, and not for a size; give that with -p",
        ),
        ("shrink f -p 1e-6 -o g", "errs at "),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert_eq!(place.names(), ["f", "list", "one"]);
}

#[test]
fn two_become_one_where_they_began_alike() {
    let place = Place::new();
    place.write("a", numbers(0..3000));
    place.write("b", numbers(2000..5000));
    for (name, list, flags) in
        [("f", "a", "-n 1000"), ("g", "b", "-n 1000"), ("h", "b", ""), ("i", "b", "-n 1000 --deletable")]
    {
        place.run(&format!("build -q {list} --growing {flags} -p 1e-6 -o {name}"));
    }
    assert_eq!(place.run("merge -q f g -o both").code, 0);
    assert_eq!(place.run("has -c both a b").text(), "a:3000\nb:3000\n");
    assert_eq!(info(&place, "both")["keys_inserted"], 5000);
    place.write("many", numbers(10_000..24_000));
    place.run("add -q f many");
    for (args, said) in [
        (
            "merge f h -o no",
            "it began with room for 3000 keys, not 1000; growing filters are merged where they began alike",
        ),
        (
            "merge f i -o no",
            "keys can be removed from the one and not from the other; build both with --deletable",
        ),
        (
            "merge f g -o no",
            "cannot be united; a link of both together would hold more keys than it takes, and pass its promise",
        ),
        (
            "merge --and g both -o no",
            "a growing filter cannot be intersected; make one table of each (tepal shrink -p RATE)",
        ),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert!(!place.path("no").exists());
}

#[test]
fn flags_and_verbs_that_do_not_fit_are_named_with_the_way_out() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    for (flags, said) in [
        ("-s 64", "-s is given with --growing: "),
        ("--layout line", "--layout is given with --growing: "),
        ("--count-bits 4", "--count-bits is given with --growing: it counts no copies"),
        ("--window 7d", "--window is given with --growing: "),
        ("--over warn", "--over is given with --growing: there is no room that keys could be over"),
        ("--expansion 2", "--expansion is given with --growing: "),
        ("--exact-on list", "--exact-on is given with --growing: "),
        (
            "--to redisbloom",
            "--growing makes a filter that only tepal files can hold, not those of redisbloom",
        ),
        ("-p 1e-18", "out of reach"),
        ("-n 0", "expected 1 or more"),
    ] {
        let ran = place.run(&format!("build list -o f --growing {flags}"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(said), "{flags}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
    }
    assert_eq!(place.names(), ["list"]);
    for flag in ["--growable", "--scalable", "--grow"] {
        assert_eq!(place.run(&format!("build -q list -o f --force {flag}")).code, 0, "{flag}");
    }
    let before = place.read("f");
    for (args, said) in [
        (
            "remove f -e a",
            "a growing filter cannot remove a key; build it as a deletable one (tepal build LIST --growing --deletable)",
        ),
        ("convert f --to guava -o g", "it is a growing filter"),
        ("except f list --non-members", "a growing filter cannot take exceptions"),
        ("has --copies f -e a", "does not count how often a key is in"),
        ("uniq --state f list", "a growing filter of build, and no state"),
        ("build list --like f -o g --growing", "--like is given with --growing"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    place.write("longer", numbers(0..5000));
    place.run("build -q longer --growing -o g");
    let ran = place.run("diff f g -o p");
    assert!(
        ran.err.contains("the tables of such a filter follow from how many keys there are; send it whole"),
        "{}",
        ran.err
    );
    assert!(place.read("f") == before);
    // A patch where the length is the same.
    place.run("add -q f -e c -o g --force");
    assert_eq!(place.run("diff -q f g -o p").code, 0);
    assert_eq!(place.run("patch -q f p -o h").code, 0);
    assert!(place.read("h") == place.read("g"));
}

#[test]
fn a_second_writer_is_refused_and_a_killed_one_changes_nothing() {
    let place = Place::new();
    place.write("list", numbers(0..1000));
    place.run("build -q list --growing -o f");
    let before = place.read("f");
    let mut first = place.command("add f").stdin(Stdio::piped()).spawn().unwrap();
    first.stdin.as_mut().unwrap().write_all(&numbers(1000..50_000)).unwrap();
    let begun = Instant::now();
    while FileLock::try_acquire(place.path("f")).unwrap().is_some() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(place.run("add -q f list --no-wait").code, 2);
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(place.read("f") == before);
    assert_eq!(place.run("add -q f -e more --no-wait").quiet(), (0, &b""[..]));
    assert_eq!(place.run("has -q f -e more").code, 0);
    assert_eq!(place.names(), ["f", "list"]);
}
