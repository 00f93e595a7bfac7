//! kill -9 while a filter is saved: the old file or the new one, whole, and nothing left after the
//! next save.

use std::time::{Duration, Instant};

use crate::place::Place;

/// Starts a save over `f`, waits until its temporary file is there, lets it go on for a while and
/// kills it. Was it killed in time?
fn killed(place: &Place, args: &str, wait: Duration) -> bool {
    let before = place.names().len();
    let mut child = place.command(args).spawn().unwrap();
    let begun = Instant::now();
    let there = || place.names().len() > before;
    while !there() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_micros(50));
    }
    std::thread::sleep(wait);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    status.code().is_none()
}

/// So many kills come while the program saves: after its temporary file is there, and before it has
/// ended.
const IN_TIME: u32 = 100;
/// A kill that comes after the end counts for nothing; about every other one does.
const MOST_ROUNDS: u64 = 10 * IN_TIME as u64;

#[test]
fn the_old_file_or_the_new_one_and_no_leftovers() {
    let place = Place::new();
    place.build("a", b"old\n", "-s 8MiB");
    place.build("b", b"new\n", "-s 8MiB");
    assert_eq!(place.run("merge -q a b -o f").code, 0);
    // In turn the one and the other are saved over `f`.
    let saves = [
        ("convert -q --force a --to tepal -o f", place.read("a")),
        ("merge -q --force a b -o f", place.read("f")),
    ];
    let (mut in_time, mut left, mut kept) = (0, 0, 0);
    for (_, new) in &saves {
        tepal::BloomFilter::from_bytes(new).unwrap().verify().unwrap();
    }
    let mut old = place.read("f");
    for round in 0.. {
        if in_time == IN_TIME {
            break;
        }
        assert!(round < MOST_ROUNDS, "{in_time} of {round} kills came in time: it cannot be tested here");
        let (save, new) = &saves[round as usize % 2];
        // From at once to after the end.
        let wait = Duration::from_micros(round * 61 % 200 * 60);
        in_time += u32::from(killed(&place, save, wait));
        let leftovers = place.names().len() - 3;
        assert!(leftovers <= 1, "round {round}: an older leftover was not swept: {:?}", place.names());
        left += leftovers;
        let found = place.read("f");
        assert!(found == *new || found == old, "round {round}: neither the old file nor the new one");
        kept += u32::from(found != *new);
        old = found;
    }
    assert!(left >= 10 && kept >= 10, "{in_time} killed in time, {left} left, {kept} kept");
    assert_eq!(place.run("verify f").code, 0);
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
