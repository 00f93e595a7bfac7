//! The filter against a list of its keys.

use alloc::vec::Vec;

use super::*;
use crate::bits::mix::finish;
use crate::facts::Touched;
use crate::kinds::Inner;
use crate::{AnyFilter, Opened, file::Format, hash::PreparedKeys};

/// Different hashes, numbered from `from`.
fn hashes(from: u64, count: usize) -> Vec<u64> {
    (from << 40..).map(finish).take(count).collect()
}

fn built(hashes: &[u64], rate: f64) -> RibbonFilter {
    RibbonFilter::builder().false_positive_rate(rate).build_from_hashes(hashes.to_vec()).unwrap()
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
