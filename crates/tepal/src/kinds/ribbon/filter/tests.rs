//! The filter against a list of its keys.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;
use crate::Error;
use crate::bits::mix::finish;
use crate::facts::Touched;
use crate::ids::{KeyDomain, OverCapacity};
use crate::kinds::Inner;
use crate::{AnyFilter, Opened, facts::Labels, file::Format, hash::PreparedKeys};

/// Different hashes, numbered from `from`.
fn hashes(from: u64, count: usize) -> Vec<u64> {
    (from << 40..).map(finish).take(count).collect()
}

fn built(hashes: &[u64], rate: f64) -> RibbonFilter {
    RibbonFilter::builder().false_positive_rate(rate).build_from_hashes(hashes.to_vec()).unwrap()
}

fn is_held(filter: &RibbonFilter, hashes: &[u64]) -> bool {
    let mut answers = alloc::vec![false; hashes.len()];
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
        assert_eq!(filter.ribbon.thin.is_some(), rate != 0.07, "{rate}");
        let builder = RibbonFilter::builder().false_positive_rate(rate).prefer_speed();
        let other = builder.build_from_hashes(keys.clone()).unwrap();
        assert!(other.ribbon.thin.is_none() && is_held(&other, &keys) && other.false_positive_rate() <= rate);
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
        assert!(built(&keys[..n.min(keys.len())], rate).ribbon.thin.is_none(), "{n} {rate}");
    }
    assert!(built(&keys[..2048], 0.1).ribbon.thin.is_some());
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

#[test]
fn order_repeats_and_threads_change_no_bit() {
    let n = if cfg!(debug_assertions) { 3000 } else { 150_000 };
    let mut keys = hashes(3, n);
    let filter = built(&keys, 0.03);
    keys.extend_from_within(..n / 2);
    keys.reverse();
    assert!(built(&keys, 0.03) == filter);
    #[cfg(feature = "parallel")]
    for threads in [2, 3, 8] {
        let builder = RibbonFilter::builder().false_positive_rate(0.03);
        let threads = core::num::NonZeroUsize::new(threads).unwrap();
        assert!(builder.threads(threads).build_from_hashes(keys.clone()).unwrap() == filter);
    }
    assert!(built(&alloc::vec![7; 5000], 0.01) == built(&[7], 0.01));
    // With a second ribbon too.
    let filter = built(&keys, 0.1);
    assert!(filter.ribbon.thin.is_some());
    keys.sort_unstable();
    assert!(built(&keys, 0.1) == filter);
    #[cfg(feature = "parallel")]
    for threads in [2, 3] {
        let builder = RibbonFilter::builder().false_positive_rate(0.1);
        let threads = core::num::NonZeroUsize::new(threads).unwrap();
        assert!(builder.threads(threads).build_from_hashes(keys.clone()).unwrap() == filter);
    }
    // The same ribbons for another rate: the number that decides which keys are picked differs.
    let mut other = filter.clone();
    other.ribbon.thin = None;
    assert!(other != filter && !filter.is_of_the_same_ribbon(&other));
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
    let mut answers = alloc::vec![false; 3000];
    filter.contains_prepared(&prepared, &mut answers);
    assert!(answers.iter().all(|held| *held));
    #[cfg(feature = "parallel")]
    assert!(filter.contains_bulk(&keys, core::num::NonZeroUsize::new(2).unwrap()).iter().all(|held| *held));
    let mut none = RibbonFilter::builder().build_from(core::iter::empty::<&str>()).unwrap();
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
        let back = crate::from_bytes(&bytes).unwrap();
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
            assert!(is_ignored || crate::from_bytes(&damaged).is_err(), "byte {at}");
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
        (builder().seed(1).secret_key(crate::SecretKey::new([0; 16])), "seed"),
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

/// Hashes in pieces of any length.
#[cfg(feature = "parallel")]
struct InPieces(Vec<u64>, usize);

#[cfg(feature = "parallel")]
impl crate::kinds::ribbon::pieces::Pieces for InPieces {
    fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let begin = self.0.partition_point(|hash| *hash < first);
        let end = self.0.partition_point(|hash| *hash <= last);
        self.0[begin..end].chunks(self.1).try_for_each(|piece| {
            take(piece)?;
            take(&[])
        })
    }
}

/// Pieces may end within a shard, between two shards, or with the last hash.
#[cfg(feature = "parallel")]
#[test]
fn pieces_of_any_length_are_the_same_ribbon() {
    for (n, lens) in [
        (0, &[1][..]),
        (1, &[1]),
        (256, &[1]),
        (5000, &[1, 7, 4999]),
        (if cfg!(debug_assertions) { 0 } else { 300_000 }, &[1, 1000, 60_000, 100_000, 300_000]),
    ] {
        let mut keys = hashes(6, n);
        keys.sort_unstable();
        // The greatest hash is in the last shard.
        keys.last_mut().into_iter().for_each(|last| *last = u64::MAX);
        for rate in [0.03, 0.1, 0.0078125] {
            let expected = built(&keys, rate);
            for len in lens {
                let builder = RibbonFilter::builder().false_positive_rate(rate);
                let filter = builder.build_from_pieces(&InPieces(keys.clone(), *len)).unwrap();
                assert!(filter == expected, "{n} {len}");
            }
        }
    }
}

/// Keys are added in any order and by any call, beside any ribbon, and compared with a set: no
/// member is lost, there are no more false positives, and the file depends only on the set.
#[test]
fn added_keys_are_in_whatever_the_way() {
    use alloc::collections::BTreeSet;
    for seed in 0..if cfg!(debug_assertions) { 8 } else { 60u64 } {
        let mut random = seed;
        let mut next = |below: u64| {
            random = finish(random.wrapping_add(0x9E37_79B9_7F4A_7C15));
            random % below
        };
        let base: Vec<u32> = (0..[0, 1, 40, 300, 2500][seed as usize % 5]).collect();
        let builder = RibbonFilter::builder().false_positive_rate([0.5, 0.01, 1e-6][seed as usize % 3]);
        let built = builder.build_from(&base).unwrap();
        let (mut filter, mut members) = (built.clone(), base.iter().copied().collect::<BTreeSet<u32>>());
        let mut others = Vec::new();
        for _ in 0..30 {
            let keys: Vec<u32> = (0..next(60)).map(|_| next(4000) as u32).collect();
            let hashes: Vec<u64> = keys.iter().map(|key| filter.hash_key(key).unwrap()).collect();
            match next(8) {
                0 => keys.iter().for_each(|key| {
                    let new = filter.insert(key).unwrap();
                    assert!(!new || !members.contains(key), "{seed}: {key} is new");
                    members.insert(*key);
                }),
                1 => filter.insert_many(&keys).unwrap(),
                2 => filter.insert_iter(&keys).unwrap(),
                3 => filter.insert_many_hashes(&hashes).unwrap(),
                4 => {
                    for hash in &hashes {
                        filter.insert_hash(*hash).unwrap();
                    }
                }
                5 => {
                    let mut prepared = PreparedKeys::default();
                    keys.iter().for_each(|key| filter.key_hasher().prepare(key, &mut prepared).unwrap());
                    filter.insert_prepared(&prepared).unwrap();
                }
                6 => {
                    let mut other = built.clone();
                    other.insert_many(&keys).unwrap();
                    filter.union_with(&other).unwrap();
                }
                _ => {
                    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
                    let AnyFilter::Ribbon(back) = crate::from_bytes(&bytes).unwrap().into_filter() else {
                        panic!()
                    };
                    assert!(back == filter && back.added() == filter.added());
                    filter = back;
                    filter.insert_many(&keys).unwrap();
                }
            }
            members.extend(&keys);
            others.push(keys);
        }
        assert!(members.iter().all(|key| filter.contains(key)), "{seed}");
        let all: Vec<u32> = members.iter().copied().collect();
        assert!(filter.contains_many(&all).iter().all(|held| *held), "{seed}");
        assert!(
            filter.len() <= members.len() as u64
                && filter.false_positive_rate() == built.false_positive_rate()
        );
        assert!(filter.added.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(filter.added.iter().all(|hash| !built.contains_hash(*hash)));
        // Non-members get the same answers as before.
        let strangers = (5000..9000u32).filter(|key| filter.contains(key) != built.contains(key)).count();
        assert_eq!(strangers, 0, "{seed}");
        let mut again = built.clone();
        others.iter().rev().for_each(|keys| again.insert_many(keys).unwrap());
        assert!(again == filter);
    }
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
    let mut hashed =
        RibbonFilter::builder().caller_hash("mine").build_from_hashes(alloc::vec![1, 2]).unwrap();
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
        told(&filter)[0].starts_with(&alloc::format!("the {added} keys that were added take 3")),
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

/// The slots that a lookup adds give each member its fingerprint: in last slots, in one layer and
/// in several.
#[test]
fn the_slots_of_a_member_add_up_to_its_fingerprint() {
    for count in [1, 100, 256, 400, 5000, 20_000] {
        let hashes = hashes(3, count);
        let filter = AnyFilter::from(built(&hashes, 1.0 / 256.0));
        let sum = |hash| match Inner::touched(filter.as_dyn(), hash) {
            Some(Touched::Slots { slots, fingerprint, .. }) => {
                slots.iter().fold(fingerprint, |sum, (_, value)| sum ^ value)
            }
            other => panic!("{other:?}"),
        };
        assert!(hashes.iter().all(|hash| sum(*hash) == 0), "{count}");
        // And another key, whenever it is found.
        for other in self::hashes(3 + count as u64, 2000) {
            assert_eq!(sum(other) == 0, filter.contains_hash(other), "{count}");
        }
    }
    assert_eq!(Inner::touched(AnyFilter::from(built(&[], 0.01)).as_dyn(), 7), None);
}
