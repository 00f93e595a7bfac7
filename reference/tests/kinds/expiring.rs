//! The expiring filter: the keys that it holds at each time, and damage to its file.

use crate::every_kind::{Kind, Setting, setting};
use tepal_reference::expiring::{Expiring, KEYS, NOT_TOLD, TIME, read, slots_for, tag_bits, write};
use tepal_reference::hash::finish;
use tepal_reference::size::{numbers_for, table};

const KIND: Kind<Expiring> = Kind { write, read, scheme: |filter| filter.scheme };

fn made_for(capacity: u64, rate: f64, clock: u8, window: u64, generations: u8) -> Expiring {
    let n = slots_for(capacity, generations);
    let shape = table(n, numbers_for(n, rate).unwrap(), tag_bits(generations)).unwrap();
    Expiring::new(shape, capacity, rate, clock, window, generations)
}

#[test]
fn a_key_stays_for_the_window_and_at_most_a_generation_more() {
    for (window, generations) in [(60, 6), (61, 6), (100, 1), (7, 7), (1000, 14)] {
        for start in [0, 5, 1_000_003, u64::MAX - 5 * window] {
            let mut filter = made_for(10, 1e-6, NOT_TOLD, window, generations);
            filter.advance_to(start);
            filter.insert(b"petal").unwrap();
            for since in 0..3 * window {
                filter.advance_to(start + since);
                filter.advance_to(start.saturating_sub(since));
                let held = filter.age(b"petal").unwrap().is_some();
                assert!(held || since >= window, "{window} {generations} {start}: {since}");
                let is_past = since * u64::from(generations) >= window * (u64::from(generations) + 1);
                assert!(!held || !is_past, "{window} {generations} {start}: {since}");
            }
        }
    }
}

#[test]
fn the_last_keys_are_held() {
    let mut filter = made_for(100, 1e-9, KEYS, 100, 6);
    for i in 0..1000u64 {
        filter.insert(i.to_string().as_bytes()).unwrap();
        for (key, held) in [(i.saturating_sub(99), true), (i, true)] {
            assert_eq!(filter.age(key.to_string().as_bytes()).unwrap().is_some(), held);
        }
        assert!(i < 117 || filter.age((i - 117).to_string().as_bytes()).unwrap().is_none());
        assert!(filter.held.len() as u64 <= slots_for(100, 6));
    }
}

#[test]
fn what_came_before_any_time_came_at_the_first() {
    let mut filter = made_for(10, 0.01, NOT_TOLD, 60, 6);
    filter.insert(b"petal").unwrap();
    let again = read(&write(&filter, None).unwrap(), None, None).unwrap();
    assert_eq!(again, filter);
    filter.advance_to(5000);
    assert_eq!((filter.clock, filter.age(b"petal").unwrap()), (TIME, Some(0)));
    filter.advance_to(5060);
    assert_eq!(filter.age(b"petal").unwrap(), Some(6));
}

/// Small filters of each scheme and clock, with keys of several generations.
fn filters() -> Vec<Expiring> {
    let mut filters = Vec::new();
    for (scheme, clock, window, generations) in
        [(1, TIME, 60, 6), (2, KEYS, 12, 2), (3, NOT_TOLD, 1000, 14), (4, TIME, u64::MAX / 8, 254)]
    {
        let Setting { parameter, secret, policy, recipe, records } = setting(scheme);
        let like = made_for(20, 0.01, clock, window, generations);
        let mut filter = Expiring { scheme, parameter, secret, policy, recipe, records, ..like };
        for i in 1..=12 {
            if clock == TIME {
                filter.advance_to(i * (window / 8));
            }
            match scheme {
                4 => filter.insert_hash(finish(i % 7)),
                _ => filter.insert(format!("key {}", i % 7).as_bytes()).unwrap(),
            }
        }
        filters.push(filter);
    }
    filters
}

#[test]
fn reading_gives_the_filter_and_every_damage_is_refused() {
    KIND.check_damage(&filters());
}

#[test]
fn every_flip_of_the_lines_with_all_checksums_mended_is_refused_or_another_filter() {
    KIND.check_mended(&filters(), |_| 0, |other, filter| other.held != filter.held);
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let changes: [fn(&mut Expiring); 17] = [
        |filter| filter.capacity = 0,
        |filter| filter.rate = f64::NAN,
        |filter| filter.rate = 1.0,
        |filter| filter.recipe = 4,
        |filter| filter.domain = 8,
        |filter| filter.policy = 0,
        |filter| filter.shape.tag_bits = 4,
        |filter| filter.shape.spare = 65,
        |filter| filter.scheme = 26,
        |filter| filter.scheme = 3,
        |filter| filter.records = vec![(6, "a hash".to_string())],
        |filter| filter.clock = 0,
        |filter| filter.clock = NOT_TOLD,
        |filter| filter.clock = KEYS,
        |filter| filter.generations = 0,
        |filter| filter.generations = 255,
        |filter| filter.window = 5,
    ];
    KIND.check_not_written(&filters()[0], &changes);
}
