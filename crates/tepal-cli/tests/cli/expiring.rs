//! `tepal build --window`, and what the other verbs do with filters whose keys expire.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tepal::{AnyFilter, ExpiringFilter, Opened, file::Format};

use crate::place::{Place, numbers};

const DAY: u64 = 86_400;

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Saves a filter of a week, whose keys came so many seconds ago.
fn came(place: &Place, name: &str, keys: &[(&str, u64)]) {
    let mut filter = ExpiringFilter::builder()
        .capacity(100)
        .false_positive_rate(1e-9)
        .window_of_time(7 * DAY)
        .build()
        .unwrap();
    for (key, ago) in keys {
        filter.insert_at(*key, now() - ago).unwrap();
    }
    Opened::new(filter, Format::Tepal).unwrap().save(place.path(name)).unwrap();
}

fn open(place: &Place, name: &str) -> ExpiringFilter {
    match tepal::from_bytes(&place.read(name)).unwrap().into_filter() {
        AnyFilter::Expiring(filter) => filter,
        other => panic!("{other:?}"),
    }
}

fn info(place: &Place, name: &str) -> serde_json::Value {
    place.run(&format!("info --json {name}")).json()[0].clone()
}

#[test]
fn lists_are_held_now() {
    let place = Place::new();
    for keys in [0, 1, 50, 100_000] {
        place.write("list", numbers(0..keys));
        for flags in
            ["--window 7d", "--window 90min -n 200k", "--window 1Mkeys -j 1", "--window 4w --generations 14"]
        {
            let ran = place.run(&format!("build list list {flags} -o f --force --json --allow-empty"));
            assert_eq!(ran.code, 0, "{keys} {flags}: {}", ran.err);
            let json = ran.json();
            assert_eq!((&json["keys"], &json["filter"]["kind"]), (&(2 * keys).into(), &"expiring".into()));
            assert_eq!(place.run("has -c f list").text(), format!("{keys}\n"), "{flags}");
            assert_eq!(place.run("verify f").code, 0);
            assert_eq!(place.run("test f --members list -q").code, 0, "{keys} {flags}");
            let told = place.run("info f").text().to_owned();
            assert!(
                told.starts_with("f           filter with a window: it forgets keys by itself"),
                "{told}"
            );
        }
    }
    let filter = info(&place, "f");
    let window = &filter["window"];
    assert_eq!(
        (&window["unit"], &window["length"], &window["generations"]),
        (&"time".into(), &(28 * DAY).into(), &14.into())
    );
    assert!(now() - window["now"].as_u64().unwrap() < 60);
    assert!(place.run("info f").text().contains("4 weeks, in 14 generations; it was told the time "));
}

#[test]
fn keys_go_when_their_time_is_over() {
    let place = Place::new();
    came(&place, "f", &[("old", 9 * DAY), ("young", 6 * DAY)]);
    let before = place.read("f");
    assert_eq!(place.run("has f -e old -e young").text(), "young\n");
    assert!(place.read("f") == before, "asking changed the file");
    // What the file itself says is as of the last time that it was told.
    assert_eq!(open(&place, "f").distinct_numbers(), 2);
    place.run("add -q f -e new");
    let added = open(&place, "f");
    assert!(added.contains("young") && added.contains("new") && !added.contains("old"));
    assert!(now() - added.now().unwrap() < 60);
    assert_eq!(place.run("has f -e old -e young -e new").text(), "young\nnew\n");
    // A key that comes again is young again.
    came(&place, "again", &[("key", 6 * DAY)]);
    place.run("add -q again -e key");
    assert_eq!(open(&place, "again").age_estimate("key"), Some(0));
    // Two become one.
    place.run("merge -q f again -o both");
    assert_eq!(place.run("has both -e young -e new -e key -e old").text(), "young\nnew\nkey\n");
}

#[test]
fn the_last_keys_are_held() {
    let place = Place::new();
    place.write("list", numbers(0..5000));
    place.run("build -q list --window 1000keys -p 1e-9 -o f");
    let held = place.run("has -c f list").text().trim().parse::<u32>().unwrap();
    assert!((1000..=1167).contains(&held), "{held}");
    place.write("last", numbers(4000..5000));
    assert_eq!(place.run("has -c f last").text(), "1000\n");
    place.write("more", numbers(6000..7000));
    place.run("add -q f more");
    assert_eq!(
        (place.run("has -c f more").text(), info(&place, "f")["window"]["now"].as_u64()),
        ("1000\n", Some(6000))
    );
}

#[test]
fn a_clock_of_another_unit_loses_nobody() {
    let place = Place::new();
    let mut filter = ExpiringFilter::builder().capacity(10).window_of_time(60).build().unwrap();
    filter.insert_at("key", 29_800_000).unwrap();
    Opened::new(filter, Format::Tepal).unwrap().save(place.path("minutes")).unwrap();
    let ran = place.run("has minutes -e key");
    assert_eq!((ran.code, ran.text()), (0, "key\n"));
    assert!(
        ran.err.contains("its clock says 29800000, which is no time in seconds since 1970"),
        "{}",
        ran.err
    );
    place.run("add minutes -e other");
    let added = open(&place, "minutes");
    assert!(added.contains("key") && added.contains("other") && added.now() == Some(29_800_000));
    // The least that is a time is one of 2001, and who came then is gone.
    for (told, is_time) in [(999_999_999, false), (1_000_000_000, true)] {
        let mut filter = ExpiringFilter::builder().capacity(10).window_of_time(60).build().unwrap();
        filter.insert_at("key", told).unwrap();
        Opened::new(filter, Format::Tepal).unwrap().save(place.path("least")).unwrap();
        let ran = place.run("has least -e key");
        assert_eq!((ran.code == 1, ran.err.is_empty()), (is_time, is_time), "{told}: {}", ran.err);
    }
    // Ahead of ours: nothing is put back.
    let mut filter = ExpiringFilter::builder().capacity(10).window_of_time(60).build().unwrap();
    filter.insert_at("key", now() + 10 * DAY).unwrap();
    Opened::new(filter, Format::Tepal).unwrap().save(place.path("ahead")).unwrap();
    let ran = place.run("has ahead -e key");
    assert_eq!((ran.code, ran.text()), (0, "key\n"));
    place.run("add -q ahead -e other");
    assert!(open(&place, "ahead").contains("key"));
}

/// A program that asks for days must not find keys that have gone meanwhile.
#[test]
fn who_runs_on_is_told_the_time() {
    let place = Place::new();
    let mut filter = ExpiringFilter::builder()
        .capacity(100)
        .false_positive_rate(1e-9)
        .window_of_time(6)
        .generations(6)
        .build()
        .unwrap();
    filter.insert_at("old", now() - 5).unwrap();
    filter.advance_to(now()).unwrap();
    filter.insert("young").unwrap();
    Opened::new(filter, Format::Tepal).unwrap().save(place.path("f")).unwrap();
    place.build("other", b"young\n", "");
    let mut has = place.command("has f").stdin(Stdio::piped()).spawn().unwrap();
    let mut which = place.command("which f --in other").stdin(Stdio::piped()).spawn().unwrap();
    let mut answers = [&mut has, &mut which].map(|child| {
        let (out, keys) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        (BufReader::new(out), keys)
    });
    let mut ask = |program: usize| {
        let (out, keys) = &mut answers[program];
        keys.write_all(b"old\nyoung\n").unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        if line.starts_with("old") {
            let (first, mut second) = (line.clone(), String::new());
            out.read_line(&mut second).unwrap();
            return first + &second;
        }
        line
    };
    assert_eq!((ask(0).as_str(), ask(1).as_str()), ("old\nyoung\n", "old\tf\nyoung\tf,other\n"));
    let begun = Instant::now();
    while ask(0) != "young\n" {
        assert!(begun.elapsed() < Duration::from_secs(6), "it was not told the time");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ask(1), "old\tnone\nyoung\tf,other\n");
    drop(answers);
    for mut child in [has, which] {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(open(&place, "f").distinct_numbers(), 2, "the file is as it was");
}

#[test]
fn what_cannot_be_is_said() {
    let place = Place::new();
    place.write("list", "a\nb\nc\nd\ne\n");
    for (flags, said) in [
        ("--window 7", "expected a time such as"),
        ("--window 3s", "the window"),
        ("--window 2keys", "the window"),
        ("--window 100keys -n 50", "100 or more"),
        ("--window 7d -n 2", "more different keys than -n says a window has, 2"),
        ("--window 7d --generations 0", "0"),
        ("--window 7d --deletable", "--deletable"),
        ("--window 7d -s 64", "-s is given with --window: "),
        ("--window 7d --layout line", "--layout is given with --window: "),
        ("--window 7d --to guava", "--window makes a filter that only tepal files can hold"),
    ] {
        let ran = place.run(&format!("build list -o f {flags}"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(said), "{flags}: {}", ran.err);
    }
    assert_eq!(place.run("build list -o f --generations 3").code, 2);
    assert_eq!(place.names(), ["list"]);
    place.run("build -q list --window 7d -o f");
    let before = place.read("f");
    for (args, said) in [
        ("remove f -e a", "a filter with a window cannot remove a key; "),
        ("shrink f -p 5% -o g", "cannot be folded"),
        ("convert f --to guava -o g", "it is a filter with a window, and"),
        ("add f -e v -e w -e x -e y", "full"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert!(place.read("f") == before);
}

/// The clock of a filter and that of this machine need not agree, and what went since is counted.
#[test]
fn info_compares_the_clocks_and_counts_who_is_still_in() {
    let place = Place::new();
    let ahead = |name: &str, told: u64| {
        let mut filter = ExpiringFilter::builder().capacity(10).window_of_time(7 * DAY).build().unwrap();
        filter.insert_at("a", told).unwrap();
        Opened::new(filter, Format::Tepal).unwrap().save(place.path(name)).unwrap();
    };
    ahead("future", now() + 3 * DAY + 3600);
    let told = place.run("info future").text().to_owned();
    let text = " ahead of this machine's, and until then no key expires; set the clock that is wrong\n";
    assert!(told.contains("in 6 generations; its clock is ") && told.contains(text), "{told}");
    let seconds = told.split("its clock is ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(
        told.contains(" seconds ahead") || told.contains(" minutes ahead") || told.contains(" hours ahead"),
        "{seconds}"
    );
    assert_eq!(info(&place, "future")["window"]["still_in"].as_f64().unwrap().round(), 1.0);
    ahead("ticks", 1000);
    let told = place.run("info ticks").text().to_owned();
    assert!(
        told.contains("its clock says 1,000, which is no time in seconds since 1970, so no key expires\n"),
        "{told}"
    );
    // The file has them all, and by now some are gone.
    came(
        &place,
        "f",
        &[("gone", 19 * DAY), ("old", 16 * DAY), ("young", 14 * DAY), ("new", 10 * DAY), ("last", 6 * DAY)],
    );
    let before = place.read("f");
    let (json, told) = (info(&place, "f"), place.run("info f").text().to_owned());
    assert_eq!(json["window"]["still_in"].as_f64().unwrap().round(), 1.0);
    assert!(json["estimated_len"].as_f64().unwrap().round() > 1.0, "{json}");
    assert!(
        told.contains(" came, about ") && told.contains(" in the file, of which about 1 are still in now\n"),
        "{told}"
    );
    // 6 days, and the seconds that the test has taken.
    let ago = ["; it was told the time 6 days ago\n", "; it was told the time 518,4"];
    assert!(ago.iter().any(|ago| told.contains(ago)), "{told}");
    assert!(place.read("f") == before);
    // Nobody went.
    came(&place, "g", &[("a", 1), ("b", 0)]);
    assert!(place.run("info g").text().contains("2 came, about 2 different ones are in it\n"));
    assert_eq!(place.run("build -q --window 10keys f -o h --allow-empty").code, 2);
    assert_eq!(place.run_with("build -q --window 10keys -o h", &numbers(0..100)).code, 0);
    let json = info(&place, "h");
    assert_eq!(json["window"]["still_in"], json["estimated_len"]);
}

/// Whoever opens a filter with a clock in the future says so, and `add --set-clock` sets it back.
#[test]
fn a_clock_that_is_ahead_is_told_of_and_set_back() {
    let place = Place::new();
    let ahead = |name: &str, seconds: u64| {
        let mut filter = ExpiringFilter::builder().capacity(100).false_positive_rate(1e-9);
        filter = filter.window_of_time(600).generations(6);
        let mut filter = filter.build().unwrap();
        filter.insert_at("a", now() + seconds).unwrap();
        Opened::new(filter, Format::Tepal).unwrap().save(place.path(name)).unwrap();
    };
    place.write("list", "a\n");
    ahead("f", 10 * DAY);
    // Within a generation, as clocks of two machines are.
    ahead("near", 60);
    for (args, near) in [
        ("has -c f list", "has -c near list"),
        ("which -c f -- list", "which -c near -- list"),
        ("test f --members list", "test near --members list"),
        ("add f -e b -o g --force", "add near -e b -o g --force"),
    ] {
        let ran = place.run(args);
        let told = ran
            .err
            .matches(" ahead of this machine's, and until then no key expires; set the clock that is wrong")
            .count();
        assert_eq!((ran.code, told), (0, 1), "{args}: {}", ran.err);
        let ran = place.run(near);
        assert!(ran.code == 0 && !ran.err.contains("ahead"), "{near}: {}", ran.err);
    }
    // Its time goes into no other file.
    ahead("other", 0);
    let ran = place.run("merge other f -o both");
    let told = "f: its clock is ";
    assert!(
        ran.code == 2 && ran.err.contains(told) && ran.err.contains("tepal add f --set-clock"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("merge -q other near -o both").code, 0);

    // Nothing is read but what is named.
    let ran = place.run_with("add f --set-clock", b"from a pipe\n");
    assert!(ran.code == 0 && ran.err.contains("f: its clock was set back by "), "{}", ran.err);
    assert!(ran.err.contains("0 keys added"), "{}", ran.err);
    let filter = open(&place, "f");
    assert!(filter.now().unwrap() <= now() && now() - filter.now().unwrap() < 60);
    assert_eq!(filter.age_estimate("a"), Some(0));
    assert_eq!(place.run("has f -e a -e b").quiet(), (0, &b"a\n"[..]));
    ahead("f", DAY);
    assert_eq!(place.run_with("add -q f - --set-clock", b"b\n").quiet(), (0, &b""[..]));
    assert_eq!(place.run("has f -e a -e b").quiet(), (0, &b"a\nb\n"[..]));
    // One that is right stays so.
    assert_eq!(place.run("add -q f --set-clock -e c").quiet(), (0, &b""[..]));
    assert_eq!(place.run("has -c f -e a -e b -e c").text(), "3\n");
    // What has no clock, or one in another unit.
    place.build("bloom", b"a\n", "");
    assert_eq!(place.run("build -q list --window 10keys -o keys").code, 0);
    let mut filter = ExpiringFilter::builder().capacity(10).window_of_time(600_000).build().unwrap();
    filter.insert_at("a", now() * 1000).unwrap();
    Opened::new(filter, Format::Tepal).unwrap().save(place.path("millis")).unwrap();
    for (name, part) in [
        ("bloom", "this filter has no clock"),
        ("keys", "this filter has no clock"),
        ("millis", "which is no time in seconds since 1970; set it with the library"),
    ] {
        let ran = place.run(&format!("add {name} --set-clock"));
        assert!(ran.code == 2 && ran.err.contains(part), "{name}: {}", ran.err);
    }
    let ran = place.run("has millis -e a");
    assert!(ran.code == 0 && !ran.err.contains("ahead"), "{}", ran.err);
    let ran = place.run_with("uniq --state millis", b"a\n");
    assert!(ran.code == 2 && ran.err.contains("its window cannot be kept here"), "{}", ran.err);
}

/// `has`, `which` and `test` tell a filter the time before they ask; one whose clock counts no
/// seconds is not told it, and they say so.
#[test]
fn a_clock_that_counts_no_seconds_is_named_by_whoever_asks() {
    let place = Place::new();
    came(&place, "f", &[("old", 9 * DAY), ("young", DAY)]);
    let counts = ExpiringFilter::builder().capacity(100).window_of_time(60);
    let mut counts = counts.false_positive_rate(1e-9).build().unwrap();
    counts.insert_at("old", 5).unwrap();
    Opened::new(counts, Format::Tepal).unwrap().save(place.path("counts")).unwrap();
    place.write("lines", "old\nyoung\nnone of them\n");
    place.write("member", "old\n");
    let ran = place.run("which f counts -- lines");
    assert_eq!((ran.code, ran.text()), (0, "old\tcounts\nyoung\tf\nnone of them\tnone\n"), "{}", ran.err);
    for args in ["has counts lines", "which counts f -- lines", "test counts --members member"] {
        let ran = place.run(args);
        let told = ran.err.matches("counts: its clock says 5, which is no time in seconds").count();
        assert!(ran.code == 0 && told == 1, "{args}: {}", ran.err);
    }
}
