//! The filter against a list of its keys with the times of their inserts.

use tepal::{
    AnyFilter, Error, ExpiringFilter, Opened, OverCapacity,
    facts::{Labels, Window},
    file::Format,
};

fn saved(filter: &ExpiringFilter) -> ExpiringFilter {
    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    match tepal::from_bytes(&bytes).unwrap().into_filter() {
        AnyFilter::Expiring(filter) => filter,
        other => panic!("{other:?}"),
    }
}

#[test]
fn to_the_second() {
    for (length, generations) in [(60u64, 6u8), (61, 6), (7, 7), (1000, 1), (100, 3), (254, 254)] {
        for start in [0, 1, 59, 1_790_000_000, u64::MAX - 4 * length] {
            let mut filter = ExpiringFilter::builder()
                .capacity(9)
                .window_of_time(length)
                .generations(generations)
                .build()
                .unwrap();
            filter.advance_to(start).unwrap();
            for offset in 0..length.min(50) {
                let came = start + offset;
                filter.clear().unwrap();
                filter.insert_at("key", came).unwrap();
                let mut later = filter.clone();
                for after in 0..3 * length {
                    later.advance_to(came + after).unwrap();
                    let held = later.contains("key");
                    assert_eq!(held, filter.contains_at("key", came + after));
                    assert!(held || after >= length, "{length} {generations}: lost after {after}");
                    let is_past = after * u64::from(generations) >= length * (u64::from(generations) + 1);
                    assert!(!held || !is_past, "{length} {generations}: kept after {after}");
                }
            }
        }
    }
}

#[test]
fn the_last_keys_are_in() {
    for (keys, generations) in [(1, 1), (6, 6), (100, 6), (1000, 14), (5000, 2)] {
        let builder = || ExpiringFilter::builder().window_of_keys(keys).generations(generations);
        let mut filter = builder().false_positive_rate(1e-6).build().unwrap();
        let most = keys + keys / u64::from(generations) + 1;
        for i in 0..4 * keys + 10 {
            assert!(filter.insert(&i).unwrap());
            assert_eq!(filter.now(), Some(i + 1));
            assert!((i.saturating_sub(keys - 1)..=i).all(|key| i % 97 > 0 || filter.contains(&key)));
            assert!(i < most || !filter.contains(&(i - most)), "{keys} {generations} {i}");
            assert!(!filter.is_full() && filter.distinct_numbers() <= most);
        }
        // In pieces of any length, and from a file.
        let mut pieces = builder().false_positive_rate(1e-6).build().unwrap();
        let all: Vec<u64> = (0..4 * keys + 10).collect();
        for piece in all.chunks(77) {
            pieces.insert_many(piece).unwrap();
            pieces = saved(&pieces);
        }
        assert!(pieces == filter && pieces.keys_inserted() == Some(4 * keys + 10));
        filter.clear().unwrap();
        assert!(filter == builder().false_positive_rate(1e-6).build().unwrap());
        assert!(matches!(filter.advance_to(7), Err(Error::NotPossible { .. })));
        assert!(matches!(filter.insert_at(&1, 7), Err(Error::NotPossible { .. })) && filter.is_empty());
        let same = filter.clone();
        assert!(matches!(filter.union_with(&same), Err(Error::NotPossible { .. })));
    }
}

#[test]
fn a_key_that_comes_again_is_young_again() {
    let mut filter = ExpiringFilter::builder().capacity(50).window_of_time(60).build().unwrap();
    filter.advance_to(1000).unwrap();
    assert!(filter.insert("always").unwrap() && filter.insert("once").unwrap());
    for time in (1010..3000).step_by(10) {
        filter.insert_at("always", time).unwrap();
        assert_eq!(filter.age_estimate("always"), Some(0));
        assert_eq!(filter.contains("once"), time < 1070, "{time}");
        assert_eq!(filter.distinct_numbers(), if time < 1070 { 2 } else { 1 });
        filter = saved(&filter);
    }
    // Without a time, nothing expires.
    let mut untold = ExpiringFilter::builder().capacity(50).window_of_time(60).build().unwrap();
    untold.insert("early").unwrap();
    assert_eq!((untold.now(), untold.contains_at("early", 5000)), (None, true));
    let mut untold = saved(&untold);
    assert_eq!(untold.now(), None);
    untold.advance_to(5000).unwrap();
    assert_eq!(untold.age_estimate("early"), Some(0));
    assert!(untold.contains_at("early", 5060) && !untold.contains_at("early", 5070));
    assert_eq!(saved(&untold).now(), Some(5000));
}

#[test]
fn two_are_one() {
    let new = || ExpiringFilter::builder().capacity(4000).window_of_time(6000);
    let of = |parts: &[(u64, std::ops::Range<u32>)]| {
        let mut filter = new().build().unwrap();
        for (time, keys) in parts {
            filter.advance_to(*time).unwrap();
            filter.insert_many(&keys.clone().collect::<Vec<u32>>()).unwrap();
        }
        filter
    };
    let one = of(&[(1000, 0..900), (2500, 600..1000)]);
    let other = of(&[(1700, 0..300), (7800, 950..1300)]);
    let untold = {
        let mut filter = new().build().unwrap();
        filter.insert_many(&(2000..2100u32).collect::<Vec<_>>()).unwrap();
        filter
    };
    for (a, b) in [(&one, &other), (&other, &one)] {
        let mut both = a.clone();
        both.union_with(b).unwrap();
        assert!(both == of(&[(1000, 0..900), (1700, 0..300), (2500, 600..1000), (7800, 950..1300)]));
        assert_eq!(both.keys_inserted(), Some(900 + 400 + 300 + 350));
        assert!(saved(&both) == both);
        let mut shared = a.clone();
        shared.intersect_with(b).unwrap();
        assert_eq!((shared.now(), shared.keys_inserted()), (Some(7800), None));
        // Keys 0 to 299 were inserted at 1000 and 1700, and have expired by 8000; for 950 to 999
        // the older time counts.
        assert_eq!(shared.age_estimate(&970u32), Some(5));
        assert!((950..1000u32).all(|key| shared.contains(&key)));
        assert!(shared.distinct_numbers() < 400 && saved(&shared) == shared);
        for first in [a, &both] {
            let (mut with, mut early) = (first.clone(), untold.clone());
            with.union_with(&untold).unwrap();
            early.union_with(first).unwrap();
            assert!(with == early && (2000..2100u32).all(|key| with.age_estimate(&key) == Some(0)));
        }
    }
    for different in [
        new().capacity(3000).build(),
        new().window_of_time(6001).build(),
        new().generations(5).build(),
        new().seed(1).build(),
        new().window_of_keys(4000).build(),
    ] {
        let different = different.unwrap();
        assert!(matches!(one.clone().union_with(&different), Err(Error::Incompatible { .. })));
        assert!(matches!(one.clone().intersect_with(&different), Err(Error::Incompatible { .. })));
    }
}

/// The promise holds if each window has its capacity of keys, even if all of them are new.
#[test]
fn windows_at_their_capacity_keep_the_promise() {
    let mut filter = ExpiringFilter::builder().capacity(60_000).window_of_time(600).build().unwrap();
    let bits = filter.size_in_bytes() as f64 * 8.0 / 60_000.0;
    assert!(bits < 15.7, "{bits}");
    let mut next = 0u32;
    let mut most: f64 = 0.0;
    for time in 0..2400u64 {
        filter.advance_to(5000 + time).unwrap();
        for _ in 0..100 {
            filter.insert(&next).unwrap();
            next += 1;
        }
        most = most.max(filter.false_positive_rate());
    }
    assert!((0.0097..=0.01).contains(&most), "{most}");
    assert_eq!(filter.size_in_bytes() as f64 * 8.0 / 60_000.0, bits);
    let last: Vec<u32> = (next - 60_000..next).collect();
    assert!(filter.contains_many(&last).iter().all(|held| *held));
    let expired: Vec<u32> = (0..next - 70_000).collect();
    let found = filter.contains_many(&expired).iter().filter(|held| **held).count() as f64;
    let expected = filter.false_positive_rate() * expired.len() as f64;
    assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found}, {expected}");
    // Sorted or one by one.
    let mut sorted = ExpiringFilter::builder().capacity(60_000).window_of_time(600).build().unwrap();
    let mut single = sorted.clone();
    for (time, keys) in [(1000, 0..20_000u32), (1300, 10_000..30_000), (1650, 5_000..40_000)] {
        sorted.advance_to(time).unwrap();
        sorted.insert_many(&keys.clone().collect::<Vec<_>>()).unwrap();
        for key in keys {
            single.insert_at(&key, time).unwrap();
        }
    }
    assert!(sorted == single && sorted.keys_inserted() == single.keys_inserted());
    let file = |filter: ExpiringFilter| Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap();
    assert!(file(sorted) == file(single));
}

#[test]
fn a_file_is_the_filter() {
    for (capacity, keys, window) in [
        (1, 0, Window::Time(60)),
        (1, 1, Window::Time(60)),
        (700, 600, Window::Time(u64::MAX)),
        (500, 900, Window::Keys(500)),
    ] {
        let builder =
            ExpiringFilter::builder().capacity(capacity).seed(7).labels(Labels::new().name("some keys"));
        let mut filter = match window {
            Window::Time(length) => builder.window_of_time(length),
            Window::Keys(keys) => builder.window_of_keys(keys),
            other => panic!("{other:?}"),
        }
        .build()
        .unwrap();
        filter.insert_many(&(0..keys).collect::<Vec<u32>>()).unwrap();
        let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let opened = saved(&filter);
        assert!(opened == filter && opened.labels().name.as_deref() == Some("some keys"));
        assert_eq!((opened.now(), opened.keys_inserted()), (filter.now(), filter.keys_inserted()));
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 400) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let is_ignored = (28..32).contains(&at);
            assert!(is_ignored || tepal::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let builder = || ExpiringFilter::builder().window_of_time(60);
    for (wrong, words) in [
        (ExpiringFilter::builder().capacity(9), "window"),
        (builder(), "capacity"),
        (builder().capacity(0), "capacity"),
        (builder().capacity(9).false_positive_rate(1.0), "rate"),
        (builder().capacity(9).generations(0), "1 to 254"),
        (builder().capacity(9).generations(255), "1 to 254"),
        (builder().capacity(9).window_of_time(0), "6 or more"),
        (builder().capacity(9).window_of_time(5), "6 or more"),
        (builder().window_of_keys(0), "6 or more"),
        (builder().window_of_keys(100).capacity(99), "100 or more"),
        (builder().capacity(1 << 50).false_positive_rate(1e-9), "rate"),
        (builder().capacity(u64::MAX).false_positive_rate(0.9), "rate"),
        (builder().capacity(9).seed(1).secret_key(tepal::SecretKey::new([0; 16])), "seed"),
    ] {
        let error = wrong.build().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Fingerprints side by side fill lines far from their own: they are refused before the table grows
/// without end, and no key is lost.
#[test]
fn chosen_keys_lose_nobody() {
    let mut filter = ExpiringFilter::builder()
        .capacity(100_000)
        .window_of_time(60)
        .over_capacity(OverCapacity::Ignore)
        .build()
        .unwrap();
    let numbers = filter.numbers();
    let hash_of = |number: u64| {
        let spread = ((u128::from(number) << 64) / u128::from(numbers) + 1) as u64;
        let h = spread.wrapping_mul(0xF1DE_83E1_9937_733D);
        h ^ (h >> 32)
    };
    filter.advance_to(1000).unwrap();
    let mut taken = vec![];
    for i in 0..60_000 {
        filter.advance_to(1000 + i / 1000).unwrap();
        match filter.insert_hash(hash_of(i)) {
            Ok(_) => taken.push(i),
            Err(Error::NumbersClustered { .. }) => break,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(taken.len() > 500 && taken.iter().all(|i| filter.contains_hash(hash_of(*i))), "{}", taken.len());
    assert!(filter.size_in_bytes() < 16 * 120_000, "{}", filter.size_in_bytes());
    filter.advance_to(1100).unwrap();
    assert!(!taken.iter().any(|i| filter.contains_hash(hash_of(*i))));
}
