//! `tepal uniq --window`: a key is new again when it was not seen for a window.

use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tepal::{AnyFilter, ExpiringFilter, Opened, file::Format};

use crate::place::{Place, numbers};

const DAY: u64 = 86_400;

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// The state with its clock so many seconds later: as if it had been made that long ago.
fn aged(place: &Place, name: &str, seconds: u64) {
    let filter = match tepal::from_bytes(&place.read(name)).unwrap().into_filter() {
        AnyFilter::Expiring(filter) => filter,
        other => panic!("{other:?}"),
    };
    // The same keys, which came earlier.
    let mut earlier = ExpiringFilter::builder()
        .capacity(filter.capacity())
        .false_positive_rate(1e-6)
        .window_of_time(7 * DAY)
        .build()
        .unwrap();
    for key in ["a", "b", "c"].into_iter().filter(|key| filter.contains(*key)) {
        earlier.insert_at(key, now() - seconds).unwrap();
    }
    Opened::new(earlier, Format::Tepal).unwrap().save(place.path(name)).unwrap();
}

#[test]
fn a_key_is_new_again_after_the_window() {
    let place = Place::new();
    let run = |input: &str| place.run_with("uniq --state s --window 7d", input.as_bytes());
    assert_eq!(run("a\nb\na\n").quiet(), (0, &b"a\nb\n"[..]));
    assert_eq!(run("a\nb\nc\n").quiet(), (0, &b"c\n"[..]));
    let info = place.run("info --json s").json();
    assert_eq!((&info[0]["kind"], &info[0]["capacity"]), (&"expiring".into(), &(1 << 20).into()));
    // Less than the window ago, and more than a window and a generation ago.
    aged(&place, "s", 6 * DAY);
    assert_eq!(run("a\nb\n").quiet(), (1, &b""[..]));
    // What came again stays for another week: c alone is forgotten.
    let asked = place.run_with("uniq --state s -D", b"a\nb\nc\n");
    assert_eq!(asked.quiet(), (0, &b"a\nb\nc\n"[..]));
    aged(&place, "s", 9 * DAY);
    assert_eq!(run("a\nb\n").quiet(), (0, &b"a\nb\n"[..]));
    // The state says which window it has.
    assert_eq!(place.run_with("uniq --state s", b"a\nd\n").quiet(), (0, &b"d\n"[..]));
    for verb in ["verify s", "has -q s -e a", "test -q s"] {
        assert_eq!(place.run(verb).code, 0, "{verb}");
    }
}

#[test]
fn the_clock_goes_on_while_lines_come_and_between_runs() {
    use std::io::{Read, Write};
    use std::process::Stdio;
    let place = Place::new();
    // In one run, without a state.
    let mut child = place.command("uniq --window 2s").stdin(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut text) = (child.stdin.take().unwrap(), String::new());
    stdin.write_all(b"a\na\n").unwrap();
    // Between runs, with one.
    let run = || place.run_with("uniq --state s --window 2s -n 10", b"a\n");
    assert_eq!(run().quiet(), (0, &b"a\n"[..]));
    assert_eq!(run().quiet(), (1, &b""[..]));
    sleep(Duration::from_millis(3600));
    stdin.write_all(b"a\na\n").unwrap();
    assert_eq!(run().quiet(), (0, &b"a\n"[..]));
    drop(stdin);
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), child.wait().unwrap().code()), ("a\na\n", Some(0)));
}

#[test]
fn a_state_must_have_the_window_that_is_asked_for() {
    let place = Place::new();
    assert_eq!(place.run_with("uniq --state chain", b"a\n").code, 0);
    assert_eq!(place.run_with("uniq --state week --window 7d -n 100 -p 1e-4", b"a\n").code, 0);
    let before = place.read("week");
    for (args, said) in [
        (
            "--state chain --window 7d",
            "chain: made without --window, and a filter that grows forgets no key; leave --window out, or name another",
        ),
        (
            "--state week --window 8d",
            "week: made for --window 1 week, not 8 days; leave --window out, or name",
        ),
        ("--state week --window 5keys", "week: made for --window 1 week, not 5 keys; "),
        ("--state week -n 200", "week: made for 100 different keys in a window, not 200; leave -n out"),
        ("--state week -p 1e-5", "week: made for 1 in 10,000, not 1 in 100,000; leave -p out"),
        (
            "--exact --window 7d",
            "--exact and --window are given, and with --exact it forgets no key; leave one",
        ),
        ("--window 9keys -n 5", "-n is given with --window, which says how many keys it has; leave -n out"),
        ("--window 7x", "'--window <WINDOW>'"),
    ] {
        let ran = place.run_with(&format!("uniq {args}"), b"b\n");
        assert!((ran.code, ran.text()) == (2, "") && ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert!(place.read("week") == before);
    // Who only asks changes nothing, and makes no state.
    for args in ["--state week --count-new", "--state week -q", "--state none --count-new --window 7d"] {
        assert_eq!(place.run_with(&format!("uniq {args}"), b"b\n").code, 0, "{args}");
    }
    assert!(place.read("week") == before && !place.path("none").exists());
    let json = place.run_with("uniq --window 7d -p 1e-3 --count-new --json", &numbers(0..5000)).json();
    let (new, seen) = (json["new"].as_u64().unwrap(), json["seen"].as_u64().unwrap());
    assert!(new + seen == 5000 && seen < 20, "{json}");
    let estimate = json["wrongly_held_back_estimated"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&estimate), "far from full: {json}");
}

#[test]
fn past_its_keys_a_window_remembers_no_new_ones() {
    let place = Place::new();
    for state in ["--state s", ""] {
        let run = |keys| place.run_with(&format!("uniq --window 7d -n 1000 -p 1e-9 {state}"), &numbers(keys));
        let ran = run(0..5000);
        let name = if state.is_empty() { "--window" } else { "s" };
        assert!(ran.code == 2 && ran.out == numbers(0..5000), "every new line passes: {}", ran.err);
        let said: Vec<_> = ran.err.lines().collect();
        assert_eq!(said.len(), 2);
        let full = "the window is full: new keys are not remembered until others are forgotten";
        assert_eq!(said[0], format!("tepal: {name}: {full}"));
        let end = ", so that the same keys pass again: a window has room for 1,000 different keys. Make another state with more keys for \
                   each window (-n)";
        assert!(said[1].contains(" new keys are not remembered") && said[1].ends_with(end), "{}", said[1]);
    }
    // What it has seen is held back.
    let again = place.run_with("uniq --state s", &numbers(0..1000));
    assert_eq!(again.quiet(), (1, &b""[..]));
    let ran = place.run_with("uniq --state s --count-new", b"4999\n");
    assert!(ran.code == 2 && ran.text().starts_with("1 new, 0 seen before"), "{} {}", ran.text(), ran.err);
    assert!(ran.err.contains("so that repeats of them count as new"), "{}", ran.err);
}

#[test]
fn a_window_of_keys() {
    let place = Place::new();
    let run = |input: &[u8]| place.run_with("uniq --state s --window 600keys", input);
    assert_eq!(run(&numbers(0..500)).quiet(), (0, &numbers(0..500)[..]));
    assert_eq!(run(&numbers(0..500)).quiet(), (1, &b""[..]));
    assert_eq!(run(&numbers(1000..2000)).quiet(), (0, &numbers(1000..2000)[..]));
    assert_eq!(run(&numbers(0..500)).quiet(), (0, &numbers(0..500)[..]));
}

#[test]
fn a_count_before_each_line_is_refused() {
    let place = Place::new();
    for flag in ["-c", "--count"] {
        let ran = place.run_with(&format!("uniq {flag}"), b"a\n");
        let said = "how many lines are new says --count-new";
        assert!(ran.code == 2 && ran.err.contains(said) && ran.err.lines().count() == 1, "{}", ran.err);
    }
    assert_eq!(
        place.run_with("uniq --count-new", b"a\nb\na\n").text().split(';').next(),
        Some("2 new, 1 seen before")
    );
    for help in ["uniq -h", "uniq --help", "man uniq"] {
        let text = place.run(help).text().replace("\\-", "-");
        assert!(text.contains("--exact") && text.contains("--count") && text.contains("window"), "{help}");
    }
    assert!(place.run("uniq -h").text().lines().next().unwrap().contains("--exact"));
}
