//! Random operations on a filter, and the exact set that it must never forget a member of.

use std::collections::BTreeSet;

use tepal::{BloomFilter, OverCapacity};

use crate::kinds::{Kind, Opener};
use crate::random::Random;

/// Operations of a sequence, at most.
const MOST: usize = 24;

/// One sequence on a small filter of the kind. Gives the number of its operations, and of members asked for.
///
/// # Panics
/// Where a member is missing, or was called new.
pub(crate) fn sequence(kind: &Kind, opener: &Opener, seed: u64) -> (u64, u64) {
    let mut random = Random(seed);
    let capacity = random.size(9) as u64;
    let builder = kind.builder.clone().capacity(capacity).over_capacity(OverCapacity::Ignore);
    let mut filter = builder.build().unwrap();
    let mut members = BTreeSet::new();
    // Some keys come again and again, so that intersections and repeats are frequent.
    let range = 1 + random.below(4 * capacity as usize);
    let operations = 1 + random.below(MOST);
    for _ in 0..operations {
        let count = random.below(40);
        let keys: Vec<u64> = (0..count).map(|_| random.below(range) as u64).collect();
        match random.below(12) {
            0..=3 => {
                for key in keys {
                    let new = filter.insert(&kind.key(key)).unwrap();
                    assert!(members.insert(key) || !new, "{}, {seed}: the member {key} is new", kind.name);
                }
            }
            4..=6 => {
                filter.insert_many(&texts(kind, keys.iter())).unwrap();
                members.extend(keys);
            }
            7 | 8 => {
                let mut other = filter.clone();
                other.clear();
                other.insert_many(&texts(kind, keys.iter())).unwrap();
                let other_members: BTreeSet<u64> = keys.into_iter().collect();
                if random.below(3) > 0 {
                    filter.union_with(&other).unwrap();
                    members.extend(other_members);
                } else {
                    filter.intersect_with(&other).unwrap();
                    members.retain(|key| other_members.contains(key));
                }
            }
            9 => {
                let rate = (filter.false_positive_rate() * 4.0).clamp(1e-4, 0.9);
                if filter.has_hash() && filter.false_positive_rate() <= rate {
                    filter.shrink_to(rate).unwrap();
                }
            }
            10 => {
                let file = kind.file(&filter);
                filter = opener.options().from_bytes(&file).unwrap();
                assert!(kind.file(&filter) == file, "{}, {seed}: written again, another file", kind.name);
            }
            _ => {
                if random.below(4) == 0 {
                    filter.clear();
                    members.clear();
                }
            }
        }
    }
    held(kind, &filter, &members, seed);
    (operations as u64, members.len() as u64)
}

fn texts<'a>(kind: &Kind, keys: impl Iterator<Item = &'a u64>) -> Vec<String> {
    keys.map(|key| kind.key(*key)).collect()
}

fn held(kind: &Kind, filter: &BloomFilter, members: &BTreeSet<u64>, seed: u64) {
    let texts = texts(kind, members.iter());
    for (key, held) in texts.iter().zip(filter.contains_many(&texts)) {
        assert!(held && filter.contains(key), "{}, {seed}: the member {key} is missing", kind.name);
    }
}
