//! kill -9 while a filter is saved: the old file or the new one, whole, and nothing left after the next save.

use std::time::{Duration, Instant};

use crate::place::Place;

/// Starts a save over `f`, waits until its temporary file is there, lets it go on for a while and kills it.
/// Was it killed in time?
fn killed(place: &Place, args: &str, wait: Duration) -> bool {
    let before = place.names().len();
    let mut child = place.command(args).spawn().unwrap();
    let begun = Instant::now();
    let there = || place.names().len() > before;
    while !there() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
    std::thread::sleep(wait);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    status.code().is_none()
}

#[test]
fn the_old_file_or_the_new_one_and_no_leftovers() {
    let place = Place::new();
    place.build("a", b"old\n", "-s 8MiB");
    place.build("b", b"new\n", "-s 8MiB");
    place.write("f", place.read("a"));
    let mut in_time = 0;
    let mut left = 0;
    for round in 0..16u64 {
        let wait = Duration::from_micros(round * round * 100);
        in_time += u32::from(killed(&place, "merge -q --force a b -o f", wait));
        let leftovers = place.names().len() - 3;
        assert!(leftovers <= 1, "round {round}: an older leftover was not swept: {:?}", place.names());
        left += leftovers;
        // Whole, and one of the two.
        let verified = place.run("verify f");
        assert_eq!(verified.code, 0, "round {round}: {}", verified.err);
        assert_eq!(place.run("has -q f -e old").code, 0, "round {round}");
    }
    assert!(in_time >= 5 && left >= 1, "only {in_time} were killed in time, {left} left something");
    assert_eq!(place.run("merge -q --force a b -o f").quiet(), (0, &b""[..]));
    assert_eq!(place.names(), ["a", "b", "f"]);
    // A save of another target leaves this one's leftovers to it.
    let left = (0..20)
        .any(|_| killed(&place, "merge -q --force a b -o f", Duration::ZERO) && place.names().len() == 4);
    assert!(left, "20 times the save was over before it could be killed");
    assert_eq!(place.run("merge -q --force a b -o other").code, 0);
    assert_eq!(place.names().len(), 5);
    assert_eq!(place.run("convert -q --force a --to tepal -o f").code, 0);
    assert_eq!(place.names(), ["a", "b", "f", "other"]);
}
