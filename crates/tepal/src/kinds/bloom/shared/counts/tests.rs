// For the tests of a build without the feature `std`, too.
extern crate std;

use alloc::vec::Vec;
use core::cell::Cell;

use super::*;

/// The whole filter is watched: full at the limit, and not one bit before.
#[test]
fn a_small_filter_is_counted_exactly() {
    let watch = Watch::new(100, 1.0, 40, 40);
    let nobody_counts = || -> u64 { panic!("everything is watched already") };
    for bit in 41..=100 {
        assert!(!watch.is_full() && watch.room() == 101 - bit);
        watch.add(1, nobody_counts);
    }
    assert!(watch.is_full());
    assert!(Watch::new(100, 1.0, 100, 100).is_full());
}

/// A sample that lies is set right by counting, twice, at an eighth and a 64th before the limit.
#[test]
fn a_sample_is_set_right() {
    let limit = 1_000_000;
    // A tenth of the lines, with a hundredth fewer or more bits than a tenth.
    for of_a_thousand in [99, 101] {
        let watch = Watch::new(limit, 0.1, 0, 0);
        let (mut total, mut looks) = (0, Cell::new(0));
        while !watch.is_full() {
            total += 1000;
            watch.add(of_a_thousand, || {
                looks.set(looks.get() + 1);
                total
            });
        }
        assert!((998_000..=1_002_000).contains(&total), "{of_a_thousand}: {total}");
        assert_eq!(*looks.get_mut(), 2, "{of_a_thousand}");
    }
}

#[test]
fn a_counter_counts_every_thread() {
    let counter = Counter::new();
    std::thread::scope(|scope| {
        for _ in 0..70 {
            scope.spawn(|| (0..100).for_each(|_| counter.add(2)));
        }
    });
    assert_eq!(counter.sum(), 14_000);
}

/// What the sample has room for is known of the whole filter.
#[test]
fn a_sample_tells_of_the_whole() {
    let watch = Watch::new(1_000_000, 0.125, 0, 0);
    assert_eq!(watch.room(), 1_000_000);
    watch.add(50_000, || panic!("not yet"));
    assert_eq!((watch.room(), watch.is_full()), (600_000, false));
    assert_eq!(Watch::new(1_000_000, 0.125, 400_000, 60_000).room(), 600_000);
}

/// Threads that run at the same time seldom meet at one place: their stacks lie apart.
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
