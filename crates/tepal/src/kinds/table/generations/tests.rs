//! The filter against a list of its keys with the times of their inserts.

use alloc::collections::BTreeMap;

use super::*;
use crate::error::Error;
use crate::{AnyFilter, Opened, file::Format};

fn hash(i: u64) -> u64 {
    let z = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i >> 7)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (z >> 29)
}

fn saved(filter: &ExpiringFilter) -> ExpiringFilter {
    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    match crate::from_bytes(&bytes).unwrap().into_filter() {
        AnyFilter::Expiring(filter) => filter,
        other => panic!("{other:?}"),
    }
}

/// The last time of each fingerprint.
struct Model {
    last: BTreeMap<u64, u64>,
    now: u64,
    length: u64,
    generations: u64,
}

impl Model {
    fn generation(&self, time: u64) -> u64 {
        (u128::from(time) * u128::from(self.generations) / u128::from(self.length)) as u64
    }

    /// Generations since that time.
    fn age(&self, time: u64) -> u64 {
        self.generation(self.now) - self.generation(time)
    }

    fn advance_to(&mut self, time: u64) {
        self.now = self.now.max(time);
        let (now, generations) = (self.generation(self.now), self.generations);
        let (length, all) = (u128::from(self.length), u128::from(generations));
        self.last.retain(|_, time| (u128::from(*time) * all / length) as u64 + generations >= now);
    }

    fn check(&self, filter: &ExpiringFilter) {
        let (packing, clock) = (filter.core.table.packing(), filter.clock);
        let slots = filter.core.table.slots();
        Table::check(packing, filter.core.table.as_lines(), slots, slots).unwrap();
        let mask = (1 << clock.tag_bits()) - 1;
        let expected = self
            .last
            .iter()
            .map(|(number, time)| number << clock.tag_bits() | (self.generation(*time) & mask));
        assert!(filter.core.table.entries().eq(expected));
        assert_eq!((filter.distinct_numbers(), slots), (self.last.len() as u64, self.last.len() as u64));
    }
}

/// A million operations: keys are inserted again and again; time goes forward, back and far
/// forward; files are written and read.
#[test]
fn a_filter_is_what_came_last_in_the_window() {
    let steps = if cfg!(debug_assertions) { 4_000 } else { 130_000 };
    let (mut refused, mut gone, mut turned, mut emptied) = (0, 0, 0, 0);
    for (seed, window, capacity, generations, rate) in [
        (1, Window::Time(600), 300, 6, 0.01),
        (2, Window::Time(7 * 86_400), 900, 6, 0.001),
        (3, Window::Time(1000), 500, 14, 0.1),
        (4, Window::Time(2), 40, 2, 0.01),
        (5, Window::Time(1_000_003), 200, 254, 0.01),
        (6, Window::Time(u64::MAX / 3), 200, 1, 0.3),
        (7, Window::Keys(700), 700, 6, 0.01),
        (8, Window::Keys(31), 64, 30, 1e-6),
    ] {
        let builder = ExpiringFilter::builder().capacity(capacity).generations(generations);
        let builder = match window {
            Window::Time(length) => builder.window_of_time(length),
            Window::Keys(keys) => builder.window_of_keys(keys),
        };
        let mut filter = builder.false_positive_rate(rate).build().unwrap();
        let length = filter.clock.length();
        let mut model = Model { last: BTreeMap::new(), now: 0, length, generations: generations.into() };
        let is_timed = matches!(window, Window::Time(_));
        if is_timed {
            model.now = length / 2 + seed;
            assert_eq!(filter.advance_to(model.now).unwrap(), 0);
        }
        // This many keys a window, with repeats.
        let step = length / (capacity * 2) + 1;
        for i in 0..steps {
            let random = hash(seed << 40 | i);
            if is_timed {
                let before = model.now;
                let time = match random % 4000 {
                    0 => hash(random) % model.now,
                    1 => model.now.saturating_add(length / 2 + hash(random) % length),
                    2 => model
                        .now
                        .saturating_add(length.saturating_mul(3).saturating_add(hash(random) % length)),
                    3..1500 => model.now.saturating_add(hash(random) % (2 * step)),
                    1500..1600 => model.now - hash(random) % (step + 1).min(model.now),
                    _ => model.now,
                };
                let held = model.last.len();
                model.advance_to(time);
                let turns = model.generation(model.now) - model.generation(before);
                assert_eq!(filter.advance_to(time).unwrap(), turns);
                gone += held - model.last.len();
                turned += turns.min(1);
                emptied += u64::from(turns > u64::from(generations));
            }
            let key = hash(hash(random) % (capacity * 2));
            let number = filter.core.table.number(key);
            let last = model.last.get(&number).copied();
            match random >> 32 & 3 {
                0 => {
                    let held = filter.contains_hash(key);
                    assert_eq!(held, last.is_some());
                    assert_eq!(filter.age_estimate_hash(key), last.map(|time| model.age(time)));
                    if let Some(time) = last {
                        let since = u128::from(model.now - time) * u128::from(generations);
                        assert!(since < u128::from(length) * u128::from(generations + 1));
                    }
                }
                1 if is_timed => {
                    let later = model.now.saturating_add(hash(random) % (length / 2 * 3));
                    let stays = last.is_some_and(|time| {
                        model.generation(later) - model.generation(time) <= generations.into()
                    });
                    assert_eq!(filter.contains_hash_at(key, later), stays);
                    if last.is_some_and(|time| later - time < length) {
                        assert!(stays, "gone before its time");
                    }
                    assert_eq!(filter.contains_hash_at(key, hash(random) % model.now), last.is_some());
                }
                _ => match filter.insert_hash(key) {
                    Ok(is_new) => {
                        assert_eq!(is_new, last.is_none());
                        model.last.insert(number, model.now);
                        if !is_timed {
                            model.advance_to(model.now + 1);
                        }
                    }
                    Err(Error::CapacityReached { .. }) => {
                        assert!(last.is_none() && is_timed && filter.is_full());
                        assert!(model.last.len() as u64 >= capacity + capacity / u64::from(generations));
                        refused += 1;
                    }
                    Err(error) => panic!("{error}"),
                },
            }
            assert_eq!(filter.now(), Some(model.now));
            if random % 1009 == 0 {
                model.check(&filter);
                filter = saved(&filter);
                model.check(&filter);
            }
        }
        model.check(&filter);
        if is_timed {
            model.advance_to(u64::MAX);
            filter.advance_to(u64::MAX).unwrap();
            filter.insert_hash(5).unwrap();
            model.last.insert(filter.core.table.number(5), u64::MAX);
            model.check(&saved(&filter));
            assert_eq!(filter.advance_to(0).unwrap(), 0);
            assert!(filter.contains_hash(5) && filter.contains_hash_at(5, 0));
        }
    }
    assert!(gone > 1000 && turned > 100 && emptied > 5, "{gone} {turned} {emptied}");
    assert!(refused > 10 || cfg!(debug_assertions), "{refused}");
}
