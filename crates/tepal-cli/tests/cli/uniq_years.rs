//! `uniq --state` over years of runs: few links, and what happens where a state cannot grow any
//! more.

use crate::place::{Place, numbers};

/// The links of a state and their bits.
fn links(place: &Place, state: &str) -> (usize, u64) {
    let json = place.run(&format!("info --json {state}")).json();
    (json[0]["filters"].as_array().unwrap().len(), json[0]["bit_len"].as_u64().unwrap())
}

/// Daily files, each longer than a page, take no more links and bits than one pipe. These are 60
/// days of 4,400 keys with a first filter for 1,024: a 64th of 280,000 and of the usual 65,536.
#[test]
fn daily_files_are_as_one_pipe() {
    let place = Place::new();
    let pad = "x".repeat(400);
    let lines = |days: std::ops::Range<u32>| -> Vec<u8> {
        let keys = days.start * 4_400..days.end * 4_400;
        keys.flat_map(|n| format!("{n} {pad}\n").into_bytes()).collect()
    };
    let mut held_back = 0;
    for day in 0..60 {
        place.write("list", lines(day..day + 1));
        let ran = place.run("uniq -n 1024 --state s list");
        assert!(ran.code == 0 && ran.err.is_empty(), "day {day}: {}", ran.err);
        held_back += 4_400 - ran.out.iter().filter(|byte| **byte == b'\n').count();
    }
    // Of 264,000 new lines, 0.3 on average at most.
    assert!(held_back <= 5, "{held_back}");
    place.run_with("uniq -n 1024 --state pipe", &lines(0..60));
    let ((files, bits), (pipe, bits_of_pipe)) = (links(&place, "s"), links(&place, "pipe"));
    assert!(files <= 12 && files <= pipe, "{files} links, {pipe}");
    assert!(bits as f64 <= 1.25 * bits_of_pipe as f64, "{bits} bits, {bits_of_pipe}");
    assert_eq!(place.run("uniq --state s list").quiet(), (1, &b""[..]));
}

/// It tells what was seen from what is new, says that it does not remember this, and ends with 2;
/// nothing is lost.
#[test]
fn a_state_that_cannot_grow_still_tells_seen_from_new() {
    let place = Place::new();
    place.write("all", numbers(0..1000));
    // Of a pipe nothing is expected: links for 1, 4, 16 and 64 keys use the rate up.
    let first = place.run_with("uniq -n 1 -p 4e-12 --state s", &numbers(0..1000));
    assert_eq!((first.code, first.out), (2, numbers(0..1000)));
    let info = place.run("info --json s").json();
    let held = info[0]["keys_inserted"].as_u64().unwrap();
    assert!(held == 85 && info[0]["full"] == true, "{held}");
    let text = place.run("info s");
    for part in [
        "growth      none any more: no other filter can follow",
        "full: it takes no new key; past it: it refuses\n",
    ] {
        assert!(text.text().contains(part), "{}", text.text());
    }
    let said = |keys: u64, then: &str| {
        format!(
            "tepal: s: full, and cannot grow any more: new keys are not remembered from here on\n\
             tepal: s: {keys} new keys are not remembered, so that {then}: it is full, with {held} keys. Its filters leave too \
             little of its rate for another, or are the 64 that a file can have. Go on with another state, of a higher rate (-p) \
             or with more keys from the first (-n), and ask both: tepal has -v s LINES | tepal uniq --state OTHER\n"
        )
    };
    assert_eq!(first.err, said(1000 - held, "the same keys pass again"));
    let before = place.read("s");
    let rest = numbers(held as u32..1000);
    for flags in ["", "-j3"] {
        // Files, pipes; repeats of what was seen.
        let ran = place.run(&format!("uniq {flags} --state s all"));
        assert_eq!(
            (ran.code, &ran.out, &ran.err),
            (2, &rest, &said(1000 - held, "the same keys pass again"))
        );
        let ran = place.run_with(&format!("uniq {flags} --state s"), &numbers(0..1000));
        assert_eq!((ran.code, &ran.out), (2, &rest));
        assert_eq!(
            place.run_with(&format!("uniq {flags} --state s -D"), &numbers(0..1000)).text().lines().count(),
            held as usize
        );
    }
    let seen = numbers(0..held as u32);
    assert_eq!(place.run_with("uniq --state s", &seen).quiet(), (1, &b""[..]));
    let json = place.run_with("uniq --json --state s", b"1\n999\n");
    assert_eq!(
        json.text().lines().map(|line| line.contains("\"new\":true")).collect::<Vec<_>>(),
        [false, true]
    );
    // Who only asks is told the truth.
    assert_eq!(place.run_with("uniq -q --state s", b"1\n999\n").quiet(), (0, &b""[..]));
    assert_eq!(place.run_with("uniq -q --state s", &seen).quiet(), (1, &b""[..]));
    let counted = place.run("uniq --count-new --state s all");
    assert_eq!((counted.code, counted.err.clone()), (2, said(1000 - held, "repeats of them count as new")));
    assert!(
        counted.text().starts_with(&format!("{} new, {held} seen before", 1000 - held)),
        "{:?}",
        counted.out
    );
    assert_eq!(place.run_with("uniq -m 1 --state s", b"1\n999\n998\n").text(), "999\n");
    // No key is added to it, and it is said why.
    let added = place.run("add s all");
    assert_eq!(
        (added.code, added.err.as_str()),
        (
            2,
            "tepal: s: full, and cannot grow any more: its filters leave too little of its rate for another, or are the 64 that \
             a file can have; nothing was added. Begin another \
             state (uniq --state), with a higher rate (-p) or more keys from the first (-n), and ask both\n"
        )
    );
    assert!(place.read("s") == before);
    place.write("seen", &seen);
    assert_eq!(place.run("add -q s seen").code, 0);
    // The way out that it names.
    let rest_of_it = place.run("has -v s all");
    assert_eq!(place.run_with("uniq --state other", &rest_of_it.out).quiet(), (0, &rest[..]));
    // Without a state nothing is remembered elsewhere, and it stops.
    let ran = place.run_with("uniq -n 1 -p 4e-12", &numbers(0..1000));
    assert!(
        ran.code == 2
            && ran.err
                == "tepal: no filter can hold more keys at this rate; give a higher rate with -p, or more keys from the first with -n\n",
        "{}",
        ran.err
    );
}

/// A growing filter of `build` that is full says the same to `add`.
#[test]
fn a_growing_filter_that_cannot_grow_says_why() {
    let place = Place::new();
    place.write("all", numbers(0..10_000));
    place.write("few", numbers(0..10));
    assert_eq!(place.run("build -q --growing -n 10 -p 2e-14 few -o f").code, 0);
    let before = place.read("f");
    let added = place.run("add f all");
    assert_eq!(
        (added.code, added.err.as_str()),
        (
            2,
            "tepal: f: full, and cannot grow any more: its next table would need 2^56 possible fingerprints or more; \
             nothing was added. Build another \
             filter (build --growing), with a higher rate (-p) or more keys from the first (-n), and ask both\n"
        )
    );
    assert!(place.read("f") == before);
}
