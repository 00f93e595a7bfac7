//! What a Bloom filter promises, over every layout, domain and scheme.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::{Goal, Key, SecretKey};

/// Every layout with each scheme and key domain.
pub(super) fn builders() -> Vec<BloomFilterBuilder> {
    let mut builders = Vec::new();
    for layout in Layout::ALL {
        for domain in KeyDomain::ALL {
            let builder = BloomFilter::builder().layout(layout).key_domain(domain);
            builders.push(builder.clone().seed(7));
            builders.push(builder.secret_key(SecretKey::new([9; 16])));
        }
    }
    builders
}

pub(super) fn filled(builder: &BloomFilterBuilder, keys: impl Iterator<Item = u64>) -> BloomFilter {
    let mut filter = builder.clone().build().unwrap();
    for key in keys {
        filter.insert(&key).unwrap();
    }
    filter
}

#[test]
fn insert_says_what_is_new_and_contains_never_forgets() {
    for builder in builders() {
        let mut filter = builder.capacity(1000).build().unwrap();
        assert!(!filter.contains(&1));
        let new = (0..1000u64).filter(|key| filter.insert(key).unwrap()).count();
        assert!(new > 970, "{filter:?}: {new}");
        assert!((0..1000u64).all(|key| filter.contains(&key)));
        assert!((0..1000u64).all(|key| !filter.insert(&key).unwrap()));
        assert_eq!(filter.keys_inserted(), Some(2000));
        assert!(!filter.is_over_capacity());
        assert!((filter.estimated_len() / 1000.0 - 1.0).abs() < 0.05, "{filter:?}");
        assert!(filter.false_positive_rate() < 0.0105, "{filter:?}");
        filter.clear();
        assert_eq!((filter.set_bits(), filter.keys_inserted()), (0, Some(0)));
        assert!(!filter.contains(&1));
    }
}

#[test]
fn one_key_and_many_are_the_same() {
    for builder in builders() {
        let keys: Vec<u64> = (0..5000).map(|i| i * 7919).collect();
        let builder = builder.capacity(5000);
        let one_by_one = filled(&builder, keys.iter().copied());
        let mut together = builder.clone().build().unwrap();
        together.insert_many(&keys).unwrap();
        assert!(one_by_one == together);
        assert_eq!(one_by_one.set_bits(), together.set_bits());
        assert_eq!(one_by_one.keys_inserted(), together.keys_inserted());

        let asked: Vec<u64> = (0..9000).map(|i| i * 7919 / 2).collect();
        let single: Vec<bool> = asked.iter().map(|key| together.contains(key)).collect();
        assert_eq!(together.contains_many(&asked), single);
        let hashes: Vec<u64> = asked.iter().map(|key| together.hash_key(key).unwrap()).collect();
        let mut answers = vec![false; hashes.len()];
        together.contains_many_hashes(&hashes, &mut answers);
        assert_eq!(answers, single);

        let mut by_hash = builder.build().unwrap();
        let hashes: Vec<u64> = keys.iter().map(|key| by_hash.hash_key(key).unwrap()).collect();
        by_hash.insert_many_hashes(&hashes).unwrap();
        assert!(by_hash == together);
    }
}

#[test]
fn integers_and_text() {
    let mut filter = BloomFilter::builder().capacity(10).key_domain(KeyDomain::Integer).build().unwrap();
    filter.insert("42").unwrap();
    assert!(filter.contains(&42u8) && filter.contains("42") && !filter.contains("042"));
    let refused = filter.insert("042").unwrap_err().to_string();
    assert!(refused.contains("\"042\"") && refused.contains("shortest decimal"), "{refused}");
    assert!(filter.hash_key("042").is_err());
    // In a batch the keys before the refused one are in.
    assert!(filter.insert_many(&["1", "2", "x", "3"]).is_err());
    assert!(filter.contains("1") && filter.contains("2") && !filter.contains("3"));
    assert_eq!(filter.contains_many(&["1", "x", "2", "y"]), [true, false, true, false]);

    let mut filter = BloomFilter::builder().capacity(10).build().unwrap();
    filter.insert(&42u64).unwrap();
    assert!(filter.contains("42") && filter.contains(&42i8) && !filter.contains("042"));
    filter.insert("").unwrap();
    assert!(filter.contains(b"") && filter.contains(&String::new()));
}

#[test]
fn the_level_is_one_that_the_machine_has() {
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    assert!(Kernel::available(&filter.rules).any(|kernel| kernel.level() == filter.cpu_level()));
}

/// The branch changes the time an answer takes, and no answer.
#[test]
fn branching_answers_are_the_answers() {
    let others = [Scheme::GuavaMitz64, Scheme::Xxh64].map(|scheme| BloomFilter::builder().scheme(scheme));
    for builder in builders().into_iter().chain(others) {
        let filter = filled(&builder.capacity(500), 0..500);
        assert!((0..500u64).all(|key| filter.contains_branching(&key)));
        let answers = |key: u64| (filter.contains_branching(&key), filter.contains(&key));
        assert!((500..3000).map(answers).all(|(branching, plain)| branching == plain), "{filter:?}");
        assert!((500..3000).any(|key| !answers(key).0));
        // What the domain refuses was never inserted.
        if !matches!(filter.key_domain(), KeyDomain::Bytes | KeyDomain::Utf16) {
            assert!(!filter.contains_branching("no number"), "{filter:?}");
        }
    }
}

#[test]
fn debug_is_useful_and_keeps_the_secret() {
    let filter = BloomFilter::builder().capacity(5).secret_key(SecretKey::new([0x61; 16])).build().unwrap();
    let text = format!("{filter:?}");
    assert!(text.contains("layout: Line") && text.contains("capacity: 5"), "{text}");
    assert!(!text.contains("aaaa") && !text.contains("97"), "{text}");
}

#[test]
fn names_and_ids_go_both_ways() {
    for layout in Layout::ALL {
        assert_eq!(layout.to_string().parse::<Layout>().unwrap(), layout);
        assert_eq!(Layout::from_id(layout.id()).unwrap(), layout);
    }
    for scheme in Scheme::ALL {
        assert_eq!(scheme.to_string().parse::<Scheme>().unwrap(), scheme);
        assert_eq!(Scheme::from_id(scheme.id()).unwrap(), scheme);
    }
    for domain in KeyDomain::ALL {
        assert_eq!(domain.to_string().parse::<KeyDomain>().unwrap(), domain);
        assert_eq!(KeyDomain::from_id(domain.id()).unwrap(), domain);
    }
    for policy in OverCapacity::ALL {
        assert_eq!(policy.to_string().parse::<OverCapacity>().unwrap(), policy);
        assert_eq!(OverCapacity::from_id(policy.id()).unwrap(), policy);
    }
    assert!("lines".parse::<Layout>().is_err() && Layout::from_id(0).is_err());
    assert!("sha1".parse::<Scheme>().is_err() && Scheme::from_id(9).is_err());
    assert!("text".parse::<KeyDomain>().is_err() && KeyDomain::from_id(0).is_err());
    assert!("grow".parse::<OverCapacity>().is_err() && OverCapacity::from_id(4).is_err());
}

/// What can be done to a filter, in any order.
#[derive(Clone, Debug)]
enum Step {
    Insert(u16),
    InsertMany(Vec<u16>),
    Union(Vec<u16>),
    Fold,
    Save,
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<u16>().prop_map(Step::Insert),
        3 => prop::collection::vec(any::<u16>(), 0..600).prop_map(Step::InsertMany),
        2 => prop::collection::vec(any::<u16>(), 0..300).prop_map(Step::Union),
        1 => Just(Step::Fold),
        2 => Just(Step::Save),
        1 => Just(Step::Clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// No false negative, whatever was done and in whatever order, against an exact set.
    #[test]
    fn nobody_is_forgotten(
        which in 0..builders().len(),
        goal in prop_oneof![Just(Goal::Speed), Just(Goal::Memory)],
        capacity in 1u64..5000,
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let builder = builders()[which].clone().goal(goal).capacity(capacity);
        let secret = SecretKey::new([9; 16]);
        let mut filter = builder.over_capacity(OverCapacity::Ignore).build().unwrap();
        let mut model = std::collections::BTreeSet::new();
        for step in steps {
            match step {
                Step::Insert(key) => {
                    let new = filter.insert(&key).unwrap();
                    prop_assert!(!new || model.insert(key), "a member was called new: {}", key);
                    model.insert(key);
                }
                Step::InsertMany(keys) => {
                    filter.insert_many(&keys).unwrap();
                    model.extend(keys);
                }
                Step::Union(keys) => {
                    let mut other = filter.clone();
                    other.clear();
                    other.insert_many(&keys).unwrap();
                    filter.union_with(&other).unwrap();
                    model.extend(keys);
                }
                Step::Fold => {
                    let rate = (filter.false_positive_rate() * 4.0).clamp(1e-4, 0.9);
                    if filter.false_positive_rate() <= rate {
                        filter.shrink_to(rate).unwrap();
                    }
                }
                Step::Save => {
                    let bytes = filter.to_bytes().unwrap();
                    let again = match filter.scheme() {
                        Scheme::SipHash13 => BloomFilter::from_bytes_with_key(&bytes, &secret),
                        _ => BloomFilter::from_bytes(&bytes),
                    };
                    filter = again.unwrap();
                    prop_assert_eq!(filter.to_bytes().unwrap(), bytes);
                }
                Step::Clear => {
                    filter.clear();
                    model.clear();
                }
            }
        }
        let keys: Vec<u16> = model.into_iter().collect();
        prop_assert!(keys.iter().all(|key| filter.contains(key)));
        prop_assert!(filter.contains_many(&keys).into_iter().all(|answer| answer));
        let text: Vec<String> = keys.iter().map(u16::to_string).collect();
        prop_assert!(text.iter().all(|key| filter.contains(key)));
    }

    /// Bytes of any kind are keys.
    #[test]
    fn any_bytes_are_a_key(keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..50)) {
        for layout in Layout::ALL {
            let mut filter = BloomFilter::builder().layout(layout).capacity(50).build().unwrap();
            filter.insert_many(&keys).unwrap();
            prop_assert!(keys.iter().all(|key| filter.contains(key)));
            prop_assert!(keys.iter().all(|key| filter.hash_key(key).unwrap() == filter.hash_key(&key.key()).unwrap()));
        }
    }
}
