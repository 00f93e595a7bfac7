//! The filter against a list of its keys.

use tepal::{
    AnyFilter, Error, KeyDomain, Opened, OverCapacity, RibbonFilter,
    facts::Labels,
    file::Format,
    hash::{PreparedKeys, finish_hash},
};

/// Different hashes, numbered from `from`.
fn hashes(from: u64, count: usize) -> Vec<u64> {
    (from << 40..).map(finish_hash).take(count).collect()
}

fn built(hashes: &[u64], rate: f64) -> RibbonFilter {
    RibbonFilter::builder().false_positive_rate(rate).build_from_hashes(hashes.to_vec()).unwrap()
}

/// Whether some keys have one more bit in a second ribbon.
fn has_second(filter: &RibbonFilter) -> bool {
    filter.facts().ribbon.unwrap().picked > 0
}

fn is_held(filter: &RibbonFilter, hashes: &[u64]) -> bool {
    let mut answers = std::vec![false; hashes.len()];
    filter.contains_many_hashes(hashes, &mut answers);
    assert!(hashes.iter().zip(&answers).all(|(h, answer)| filter.contains_hash(*h) == *answer));
    answers.iter().all(|answer| *answer)
}

#[test]
fn no_key_is_lost_at_any_size() {
    let step = if cfg!(debug_assertions) { 17 } else { 1 };
    let large = [1000, 2047, 2048, 2049, 4000, 9999];
    for n in (0..700).step_by(step).chain(large).chain((2048..2200).step_by(10 * step)) {
        let rate = [0.5, 0.3, 0.25, 0.1, 0.01, 1.0 / 256.0, 1e-3, 1e-6, 2.4e-10][n % 9];
        let keys = hashes(n as u64, n);
        let filter = built(&keys, rate);
        assert_eq!(filter.len(), n as u64);
        assert!(is_held(&filter, &keys), "{n} {rate}");
        assert!(filter.false_positive_rate() <= rate, "{n} {rate}: {}", filter.false_positive_rate());
    }
}

/// All hashes that differ in a few neighbouring bits, as a caller's own hashes may.
#[test]
fn hashes_of_a_cube_are_held() {
    let step = if cfg!(debug_assertions) { 7 } else { 1 };
    for (bits, most) in [(1, 63), (3, 61), (7, 57), (8, 56), (9, 55), (13, 51)] {
        for at in (0..=most).step_by(step).chain([most]) {
            for first in [0, 0x0123_4567_89AB_CDEF] {
                let cube: Vec<u64> = (0..1u64 << bits).map(|i| (i << at).wrapping_add(first)).collect();
                assert!(is_held(&built(&cube, 1.0 / 256.0), &cube), "{bits} bits at {at}");
            }
        }
    }
}

/// Past the sizes at which layers change their form and have several shards.
#[test]
fn the_rate_is_met_and_not_overshot() {
    let n = if cfg!(debug_assertions) { 3000 } else { 160_000 };
    let (keys, others) = (hashes(1, n), hashes(2, 200_000));
    for (rate, most) in
        [(0.5, 0.5), (0.4, 0.39), (0.1, 0.099), (0.01, 0.0099), (0.0078125, 0.0078), (0.001, 0.00099)]
    {
        let filter = built(&keys, rate);
        let said = filter.false_positive_rate();
        assert!(is_held(&filter, &keys));
        assert!(said <= rate && (said >= most || n < 10_000), "{rate}: {said}");
        let found = others.iter().filter(|h| filter.contains_hash(**h)).count() as f64 / others.len() as f64;
        let sigma = (said / others.len() as f64).sqrt();
        assert!((found - said).abs() < 5.0 * sigma, "{rate}: {said} said, {found} found");
        let bits = filter.bit_len() as f64 / n as f64;
        assert!(n < 10_000 || bits < 1.006 * -rate.log2() + 0.0861, "{rate}: {bits}");
    }
}

/// For numbers of keys that have one, a second ribbon meets the rate in fewer bits than columns of
/// two lengths.
#[test]
fn a_second_ribbon_makes_it_smaller() {
    let n = if cfg!(debug_assertions) { 3000 } else { 150_000 };
    let (keys, others) = (hashes(21, n), hashes(22, 300_000));
    for (rate, most) in [
        (0.46, 1.037),
        (0.4, 1.036),
        (0.3, 1.03),
        (0.2, 1.021),
        (0.17, 1.021),
        (0.1, 1.015),
        (0.07, 1.015),
        (0.05, 1.013),
        (0.04, 1.014),
        (0.026, 1.011),
        (0.0234, 1.0115),
    ] {
        let filter = built(&keys, rate);
        assert_eq!(has_second(&filter), rate != 0.07, "{rate}");
        let builder = RibbonFilter::builder().false_positive_rate(rate).prefer_speed();
        let other = builder.build_from_hashes(keys.clone()).unwrap();
        assert!(!has_second(&other) && is_held(&other, &keys) && other.false_positive_rate() <= rate);
        let said = filter.false_positive_rate();
        assert!(is_held(&filter, &keys));
        assert!(said <= rate && (said > rate * 0.99998 || rate == 0.07), "{rate}: {said}");
        let found = others.iter().filter(|h| filter.contains_hash(**h)).count() as f64 / others.len() as f64;
        let sigma = (said / others.len() as f64).sqrt();
        assert!((found - said).abs() < 5.0 * sigma, "{rate}: {said} said, {found} found");
        assert!(!is_held(&filter, &others));
        let over = filter.bit_len() as f64 / n as f64 / -rate.log2();
        assert!(n < 10_000 || over < most || rate == 0.07, "{rate}: {over}");
        assert!(filter.bit_len() < other.bit_len() || rate == 0.07, "{rate}");
    }
    // There is none for few keys, for a power of two, for a rate close to one, and for a rate of
    // 1/64 or less.
    let close = [0.0626, 0.124, 0.057, 0.037, 0.03, 0.027, 0.02, 0.015, 0.0117];
    for (n, rate) in close.map(|rate| (4000, rate)).into_iter().chain([(2047, 0.1), (4000, 0.125)]) {
        assert!(!has_second(&built(&keys[..n.min(keys.len())], rate)), "{n} {rate}");
    }
    assert!(has_second(&built(&keys[..2048], 0.1)));
}

/// From 100,000 keys on, at any rate of 1/8 or less: at most 1.02 times the least bits, log2(1 /
/// rate), for these keys.
#[test]
fn no_rate_from_an_eighth_on_takes_more() {
    // Rates between two powers of two, also just beside each point where a second ribbon begins or
    // ends.
    let between = (0..64).flat_map(|step| [0.01, 0.5, 0.99].map(|at| (f64::from(step) + at) / 64.0));
    let between: Vec<f64> = between.chain([0.0]).collect();
    let rates = |power: i32| between.iter().map(move |at| 0.5f64.powi(power) * (1.0 - at / 2.0));
    for n in [100_000, 100_639, 113_277, 131_072, 177_961, 200_000, 1_000_000, 10_000_000] {
        for rate in (3..32).flat_map(rates) {
            let planned = RibbonFilter::builder().false_positive_rate(rate).planned_size_in_bytes(n).unwrap();
            let over = (8 * planned) as f64 / n as f64 / -rate.log2();
            assert!((1.0..1.0195).contains(&over), "{n} {rate}: {over}");
        }
    }
    // The built filter has the planned size, at the rates that cost most.
    let n = if cfg!(debug_assertions) { 3000 } else { 100_000 };
    let keys = hashes(31, n);
    for power in 3..8 {
        for at in [4.0, 28.0, 6.0, 26.0, 9.0, 16.0, 23.0, 20.0] {
            for beside in [-0.02, 0.02] {
                let rate = 0.5f64.powi(power) * (1.0 - (at + beside) / 64.0);
                let filter = built(&keys, rate);
                let over = filter.bit_len() as f64 / n as f64 / -rate.log2();
                assert!(filter.false_positive_rate() <= rate, "{rate}");
                assert!(over < 1.02 || n < 10_000, "{rate}: {over}");
            }
        }
    }
}

/// Hashes that lie together are moved until they do not.
#[test]
fn hashes_that_lie_together_are_held_too() {
    for together in [|i: u64| i, |i: u64| i << 50, |i: u64| !i, |i: u64| 0x55 << 56 | i << 20] {
        for n in [3, 300, 5000] {
            let keys: Vec<u64> = (0..n).map(together).collect();
            // A second ribbon cannot stand behind a ribbon that moves hashes. Then the file is
            // another filter, or one that has all keys.
            let other = built(&keys, 0.1);
            assert!(is_held(&other, &keys) && other.false_positive_rate() <= 0.1);
            let filter = built(&keys, 0.01);
            assert!(is_held(&filter, &keys));
            let wrong = hashes(4, 20_000).iter().filter(|h| filter.contains_hash(**h)).count();
            assert!((100..280).contains(&wrong) || n == 3 && wrong < 280, "{n}: {wrong}");
        }
    }
}

#[test]
fn keys_and_hashes_are_the_same_set() {
    let builder = || RibbonFilter::builder().key_domain(KeyDomain::Integer).seed_for("test");
    let filter = builder().build_from(0..3000u32).unwrap();
    let hasher = filter.key_hasher();
    let hashed = (0..3000u32).map(|key| hasher.hash(&key).unwrap()).collect();
    assert!(builder().build_from_hashes(hashed).unwrap() == filter);
    let keys: Vec<u32> = (0..3000).collect();
    assert!(filter.contains_many(&keys).iter().all(|held| *held));
    assert!((0..3000u32).all(|key| filter.contains(&key)) && !filter.contains("no number"));
    let mut prepared = PreparedKeys::default();
    keys.iter().for_each(|key| hasher.prepare(key, &mut prepared).unwrap());
    let mut answers = std::vec![false; 3000];
    filter.contains_prepared(&prepared, &mut answers);
    assert!(answers.iter().all(|held| *held));
    #[cfg(feature = "parallel")]
    assert!(filter.contains_bulk(&keys, std::num::NonZeroUsize::new(2).unwrap()).iter().all(|held| *held));
    let mut none = RibbonFilter::builder().build_from(std::iter::empty::<&str>()).unwrap();
    assert!(none.is_empty() && !none.contains("a") && none.false_positive_rate() == 0.0);
    none.set_labels(Labels::new().name("nothing")).unwrap();
    assert_eq!(none.labels().name.as_deref(), Some("nothing"));
}

#[test]
fn a_file_is_the_filter() {
    for (n, rate) in [(0, 0.01), (1, 0.01), (256, 0.5), (257, 1e-3), (3000, 0.01), (40_000, 0.1), (2500, 0.4)]
    {
        let labels = Labels::new().name("some keys");
        let builder = RibbonFilter::builder().false_positive_rate(rate).seed(7).labels(labels);
        let filter = builder.build_from(0..n).unwrap();
        let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let back = tepal::from_bytes(&bytes).unwrap();
        let AnyFilter::Ribbon(opened) = back.filter().clone() else { panic!("{back:?}") };
        assert!(opened == filter && opened.labels() == filter.labels());
        assert_eq!(opened.promised_false_positive_rate(), rate);
        assert!((0..n).all(|key| opened.contains(&key)));
        assert_eq!(back.to_bytes().unwrap(), bytes);
        // Every byte matters.
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
    let builder = RibbonFilter::builder;
    for (wrong, words) in [
        (builder().false_positive_rate(0.0), "rate"),
        (builder().false_positive_rate(0.51), "0.5 at most"),
        (builder().false_positive_rate(1e-10), "2^-32"),
        (builder().false_positive_rate(f64::NAN), "rate"),
        (builder().seed(1).secret_key(tepal::SecretKey::new([0; 16])), "seed"),
        (builder().labels(Labels::new().name("a\nb")), "label"),
    ] {
        let error = wrong.build_from([1u16]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let mut filter = AnyFilter::from(built(&[1, 2, 3], 0.01));
    let other = AnyFilter::from(built(&[1, 2, 4], 0.01));
    for (refused, words) in [
        (filter.clear(), "be cleared"),
        (filter.union_with(&other), "be united"),
        (filter.intersect_with(&other), "be intersected"),
        (filter.fold(2), "be folded"),
        (filter.set_over_capacity(OverCapacity::Ignore), "change what happens"),
        (filter.clone().into_bloom().map(drop), "be a filter of another type"),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("a static filter cannot") && error.contains(words), "{error}");
    }
    let before = filter.clone();
    filter.insert_many::<[&str]>(&[]).unwrap();
    assert!(filter == before && filter.fold_factors().is_empty() && !filter.is_full());
}

#[test]
fn a_refused_key_leaves_those_before_it_in() {
    let builder = RibbonFilter::builder().key_domain(KeyDomain::Integer);
    let mut filter = builder.clone().build_from([1u32, 2]).unwrap();
    let mut keys: Vec<_> = (100..2100u32).map(|n| n.to_string()).collect();
    keys[1500] = "x".into();
    assert!(matches!(filter.insert_many(&keys), Err(Error::KeyRefused { .. })));
    assert!(filter.contains_many(&keys[..1500]).iter().all(|held| *held));
    let mut iterated = builder.build_from([1u32, 2]).unwrap();
    assert!(matches!(iterated.insert_iter(&keys), Err(Error::KeyRefused { .. })));
    assert!(iterated == filter && filter.insert("y").is_err());
    let mut hashed = RibbonFilter::builder().caller_hash("mine").build_from_hashes(std::vec![1, 2]).unwrap();
    assert!(matches!(hashed.insert("a"), Err(Error::CallerHashes { .. })));
    assert!(hashed.insert_hash(9).unwrap() && hashed.len() == 3);
}

#[test]
fn many_added_keys_are_a_warning() {
    let mut filter = built(&hashes(8, 20_000), 0.01);
    let told =
        |filter: &RibbonFilter| filter.facts().warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
    filter.insert_many_hashes(&hashes(9, 100)).unwrap();
    assert_eq!(told(&filter), Vec::<String>::new());
    filter.insert_many_hashes(&hashes(10, 900)).unwrap();
    let added = filter.added();
    assert!((970..1000).contains(&added), "{added}");
    assert!(
        told(&filter)[0].starts_with(&std::format!("the {added} keys that were added take 3")),
        "{:?}",
        told(&filter)
    );
    assert_eq!(AnyFilter::from(filter.clone()).warnings(), filter.facts().warnings);
    assert_eq!(filter.bit_len(), built(&hashes(8, 20_000), 0.01).bit_len() + 64 * added);
}

#[test]
fn what_is_planned_is_what_is_built() {
    let most = if cfg!(debug_assertions) { 12_000 } else { 200_000 };
    for n in [0, 1, 100, 256, 257, 400, 1000, 2047, 2048, 5000, 10_000, 40_000, 131_072, 200_000] {
        for rate in [0.4, 0.1, 0.01, 0.0078125, 1e-4] {
            if n > most {
                continue;
            }
            let planned =
                RibbonFilter::builder().false_positive_rate(rate).planned_size_in_bytes(n as u64).unwrap();
            let built = built(&hashes(n as u64, n), rate).size_in_bytes();
            let part = if n < 10_000 { 20 } else { 100 };
            assert!(planned.abs_diff(built) <= built / part + 64, "{n} {rate}: {planned} {built}");
        }
    }
    assert!(RibbonFilter::builder().false_positive_rate(0.6).planned_size_in_bytes(5).is_err());
    assert!(matches!(RibbonFilter::builder().planned_size_in_bytes(u64::MAX), Err(Error::TooLarge { .. })));
}

/// For many keys the plan is nearer, also for the number of keys in a second ribbon.
#[test]
fn a_large_plan_is_near() {
    let keys = hashes(46, 300_000);
    for rate in [0.45, 0.3, 0.15, 0.1] {
        let planned =
            RibbonFilter::builder().false_positive_rate(rate).planned_size_in_bytes(300_000).unwrap();
        let built = built(&keys, rate).size_in_bytes();
        assert!(planned.abs_diff(built) <= built / 500, "{rate}: {planned} {built}");
    }
}
