// For tests of a build without the feature `std` too.
extern crate std;

use alloc::vec::Vec;
use core::cell::Cell;

use super::*;

/// A check's result: this many bits have room, and the next check is after `look_in` bits.
fn room(bits: u64, look_in: u64) -> Next {
    Next::Room { bits, look_in }
}

/// A watch after one check.
fn looked_at(share: f64, in_sample: u64, next: Next) -> Watch {
    let watch = Watch::new(share, in_sample);
    watch.look_now(|| next);
    watch
}

/// If the whole filter is watched, it is checked in time, and not one bit early.
#[test]
fn a_small_filter_is_looked_at_in_time() {
    let watch = looked_at(1.0, 40, room(60, 50));
    let nobody_looks = || -> Next { panic!("it is not time") };
    for bit in 41..90 {
        watch.add(1, nobody_looks);
        assert!(!watch.is_full() && watch.room() == 100 - bit);
    }
    watch.add(1, || room(5, 2));
    assert_eq!(watch.room(), 5);
    watch.add(1, nobody_looks);
    watch.add(1, || Next::Full);
    assert!(watch.is_full() && watch.room() == 0);
    // Nobody checks again.
    watch.add(1000, nobody_looks);
    assert!(looked_at(1.0, 100, Next::Full).is_full());
}

/// A check can be asked for apart from the sample; one thread checks at a time.
#[test]
fn a_look_can_be_called_for() {
    let watch = looked_at(0.5, 0, room(1000, 1000));
    watch.look_now(|| room(10, 10));
    assert_eq!(watch.room(), 10);
    watch.look_now(|| {
        watch.look_now(|| panic!("somebody looks"));
        Next::Full
    });
    assert!(watch.is_full());
}

/// Each check corrects a sample that is not typical.
#[test]
fn a_sample_is_set_right() {
    let limit = 1_000_000;
    // A tenth of the lines, with a hundredth fewer or more bits than a tenth.
    for of_a_thousand in [99, 101] {
        let watch = looked_at(0.1, 0, room(limit, limit / 2));
        let (mut total, mut looks) = (0, Cell::new(0));
        while !watch.is_full() {
            total += 1000;
            watch.add(of_a_thousand, || {
                looks.set(looks.get() + 1);
                let left = limit.saturating_sub(total);
                if left < 1000 { Next::Full } else { room(left, left / 2) }
            });
        }
        assert!((998_000..=1_002_000).contains(&total), "{of_a_thousand}: {total}");
        assert!((5..15).contains(looks.get_mut()), "{of_a_thousand}: {looks:?}");
    }
}

#[test]
fn a_counter_counts_every_thread() {
    let counter = StripedCounter::new(1 << 20);
    std::thread::scope(|scope| {
        for _ in 0..70 {
            scope.spawn(|| {
                for _ in 0..100 {
                    counter.add(2);
                }
            });
        }
    });
    assert_eq!(counter.sum(), 14_000);
}

/// The room of the sample gives the room of the whole filter.
#[test]
fn a_sample_tells_of_the_whole() {
    let watch = looked_at(0.125, 0, room(1_000_000, 1_000_000));
    assert_eq!(watch.room(), 1_000_000);
    watch.add(50_000, || panic!("not yet"));
    assert_eq!((watch.room(), watch.is_full()), (600_000, false));
}

/// A counter asks for a check now and then, and never misses one because of a large addition.
#[test]
fn a_counter_calls_for_looks() {
    let counter = StripedCounter::new(1 << 20);
    let calls = (0..100_000).filter(|_| counter.add(1)).count();
    assert_eq!(calls, 390);
    assert!(counter.add(300) && counter.add(256));
}

/// Threads that run at the same time seldom use the same stripe, since their stacks lie apart.
#[test]
fn threads_count_at_places_of_their_own() {
    let (threads, all_run) = (16, std::sync::Barrier::new(16));
    let place = || {
        all_run.wait();
        let place = stripe();
        all_run.wait();
        place
    };
    let places: std::collections::BTreeSet<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(place)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(places.len() > threads / 4 && places.iter().all(|place| *place < STRIPES), "{places:?}");
}
