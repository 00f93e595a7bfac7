//! The promises of a Bloom filter, for every layout, domain and scheme.

use proptest::prelude::*;
use tepal::{
    AnyFilter, BloomFilter, Error, Goal, KeyDomain, Layout, OverCapacity, Recipe, Scheme, SecretKey,
    hash::{PreparedKeys, finish_hash},
};

use super::{OF_EACH_SORT, builders, filled};

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
        filter.clear().unwrap();
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
    assert!(filter.contains(&42u16) && filter.contains("42") && !filter.contains("042"));
    let refused = filter.insert("042").unwrap_err().to_string();
    assert!(refused.contains("\"042\"") && refused.contains("shortest decimal"), "{refused}");
    assert!(filter.hash_key("042").is_err());
    // In a batch the keys before the refused one are inserted.
    assert!(filter.insert_many(&["1", "2", "x", "3"]).is_err());
    assert!(filter.contains("1") && filter.contains("2") && !filter.contains("3"));
    assert_eq!(filter.contains_many(&["1", "x", "2", "y"]), [true, false, true, false]);

    let mut filter = BloomFilter::builder().capacity(10).build().unwrap();
    filter.insert(&42u64).unwrap();
    assert!(filter.contains("42") && filter.contains(&42i16) && !filter.contains("042"));
    filter.insert("").unwrap();
    assert!(filter.contains(b"") && filter.contains(&String::new()));
}

/// The branch changes the time of a lookup, and no answer.
#[test]
fn branching_answers_are_the_answers() {
    let others =
        OF_EACH_SORT.iter().chain(&[Scheme::Xxh64]).map(|&scheme| BloomFilter::builder().scheme(scheme));
    for builder in builders().into_iter().chain(others) {
        let filter = filled(&builder.capacity(500), 0..500);
        assert!((0..500u64).all(|key| filter.contains_branching(&key)));
        let answers = |key: u64| (filter.contains_branching(&key), filter.contains(&key));
        assert!((500..3000).map(answers).all(|(branching, plain)| branching == plain), "{filter:?}");
        assert!((500..3000).any(|key| !answers(key).0));
        // A key that the domain refuses was never inserted.
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

/// The recipe belongs to the filter: every call applies it.
#[test]
fn every_call_applies_the_recipe() {
    let recipe = Recipe::new().trim(true).nocase(true);
    let mut builders: Vec<_> = Layout::ALL.iter().map(|&l| BloomFilter::builder().layout(l)).collect();
    builders.push(BloomFilter::builder().secret_key(SecretKey::new([9; 16])));
    builders.extend(OF_EACH_SORT.iter().map(|&scheme| BloomFilter::builder().scheme(scheme)));
    let spelled = [" Alice ", "BOB", "carol\n", "\tDave", "Eve", "f"];
    let plain = ["alice", "bob", "carol", "dave", "eve", "f"];
    for builder in builders {
        let empty = builder.clone().recipe(recipe).capacity(1000).build().unwrap();
        let (mut one, mut many, mut prepared) = (empty.clone(), empty.clone(), empty.clone());
        spelled.iter().for_each(|key| _ = one.insert(key).unwrap());
        many.insert_many(&spelled).unwrap();
        let mut keys = PreparedKeys::default();
        spelled.iter().for_each(|key| one.key_hasher().prepare(key, &mut keys).unwrap());
        prepared.insert_prepared(&keys).unwrap();
        // The keys after the recipe, in a filter without one.
        let mut without = builder.capacity(1000).build().unwrap();
        without.insert_many(&plain).unwrap();
        for filter in [one, many, prepared] {
            assert!(filter.to_bits().unwrap() == without.to_bits().unwrap(), "{filter:?}");
            assert!(filter != without, "the recipe is part of what a filter is");
            for keys in [spelled, plain] {
                assert!(keys.iter().all(|key| filter.contains(key) && filter.contains_branching(key)));
                assert_eq!(filter.contains_many(&keys), [true; 6]);
                let mut bitmap = [0];
                filter.contains_many_bits(&keys, &mut bitmap);
                assert_eq!(bitmap, [0b11_1111]);
                let mut prepared = PreparedKeys::default();
                keys.iter().for_each(|key| filter.key_hasher().prepare(key, &mut prepared).unwrap());
                let mut answers = [false; 6];
                filter.contains_prepared(&prepared, &mut answers);
                assert_eq!(answers, [true; 6]);
            }
            assert!(!filter.contains(" Mallory "));
            let any = AnyFilter::from(filter.clone());
            assert!(any.contains("ALICE ") && any.contains_many(&spelled) == [true; 6]);
            assert_eq!(filter.hash_key(" Alice ").ok(), filter.hash_key("alice").ok());
            let shared = filter.into_shared().unwrap();
            assert!(shared.contains(" BOB") && !shared.insert("\nCarol").unwrap_or(false));
            shared.insert_many(&[" Grace ", "HEIDI"]).unwrap();
            assert!(shared.contains("grace") && shared.contains_many(&["heidi", "Heidi "]) == [true; 2]);
        }
        assert!(!without.contains(" Alice ") && !without.contains("BOB"));
    }
}

/// A filter with `caller_hash` for this many keys at a rate of one in ten thousand.
fn of_callers_hashes(name: &str, capacity: u64) -> BloomFilter {
    let builder = BloomFilter::builder().caller_hash(name).capacity(capacity);
    builder.false_positive_rate(1e-4).build().unwrap()
}

#[test]
fn where_the_caller_hashes_a_key_is_refused_and_perhaps_in() {
    let mut filter = of_callers_hashes("mine", 1000);
    filter.insert_hash(0x0123_4567_89AB_CDEF).unwrap();
    let before = filter.clone();
    let refused = [
        filter.insert("x").map(drop),
        filter.insert(&7u64).map(drop),
        filter.insert_many(&["x", "y"]),
        filter.insert_many(&[1u64, 2, 3]),
        filter.hash_key("x").map(drop),
    ];
    for refused in refused {
        assert!(matches!(&refused, Err(Error::CallerHashes { name , .. }) if name == "mine"), "{refused:?}");
    }
    filter.insert_many::<[&str]>(&[]).unwrap();
    assert!(filter.to_bits().unwrap() == before.to_bits().unwrap() && filter.set_bits() == before.set_bits());
    assert_eq!(filter.keys_inserted(), Some(1));
    // A key cannot be hashed, so every answer is "perhaps".
    assert!(filter.contains("x") && filter.contains(&7u64) && filter.contains_branching("y"));
    assert_eq!(filter.contains_many(&["x", "y"]), [true; 2]);
    let mut bitmap = [0];
    filter.contains_many_bits(&[1u64, 2, 3], &mut bitmap);
    assert_eq!(bitmap, [0b111]);
    let mut any = AnyFilter::from(filter.clone());
    assert!(any.contains("x") && matches!(any.insert("x"), Err(Error::CallerHashes { .. })));
    assert!(matches!(any.insert_many(&["x"]), Err(Error::CallerHashes { .. })));
    assert!(any.contains_hash(0x0123_4567_89AB_CDEF) && !any.contains_hash(finish_hash(1)));
    let shared = filter.into_shared().unwrap();
    assert!(matches!(shared.insert("x"), Err(Error::CallerHashes { .. })));
    assert!(matches!(shared.insert_many(&["x"]), Err(Error::CallerHashes { .. })));
    assert!(shared.contains("x") && shared.contains_many(&["x"]) == [true]);
    assert!(shared.into_owned().unwrap() == before);
}

#[test]
fn hashes_of_the_callers_are_in() {
    let hashes: Vec<u64> = (0..1000).map(finish_hash).collect();
    let (mut one, mut many) = (of_callers_hashes("mine", 1000), of_callers_hashes("mine", 1000));
    let new = hashes.iter().filter(|&&hash| one.insert_hash(hash).unwrap()).count();
    assert!(new >= 999, "{new}");
    many.insert_many_hashes(&hashes).unwrap();
    let mut any = AnyFilter::from(of_callers_hashes("mine", 1000));
    any.insert_many_hashes(&hashes).unwrap();
    assert!(one == many && any.into_bloom().unwrap() == many);
    assert!(many.has_hash() && hashes.iter().all(|&hash| many.contains_hash(hash)));
    let mut answers = [false; 1000];
    many.contains_many_hashes(&hashes, &mut answers);
    assert_eq!(answers, [true; 1000]);
    assert!((5000..6000).filter(|&key| many.contains_hash(finish_hash(key))).count() < 3);
    let facts = many.facts();
    assert_eq!((facts.scheme, facts.caller_hash.as_deref()), (Scheme::CallerHash, Some("mine")));
    assert_eq!((facts.keys_inserted, facts.seed), (Some(1000), None));
}

/// Unhashed integers share their highest bits: all fall on one line or block, and nearly every
/// lookup is a false positive; such keys are refused at half of the capacity. In the layout
/// `double` a product chooses the second line, so its rate is eight times the promise, which is
/// noticed later. After `finish_hash`, integers are a good hash.
#[test]
fn a_weak_hash_has_to_be_finished() {
    const RATE: f64 = 1e-4;
    const KEYS: u64 = 100_000;
    for (layout, times) in [(Layout::Line, 9_900.0), (Layout::SplitBlock, 9_900.0), (Layout::Double, 5.0)] {
        let measured = |hash: fn(u64) -> u64| {
            let builder = BloomFilter::builder().caller_hash("user id").capacity(KEYS).layout(layout);
            let mut filter = builder.false_positive_rate(RATE).build().unwrap();
            let hashes: Vec<u64> = (0..KEYS).map(hash).collect();
            let refused = filter.clone().insert_many_hashes(&hashes).err();
            filter.set_over_capacity(OverCapacity::Warn).unwrap();
            filter.insert_many_hashes(&hashes).unwrap();
            let asked: Vec<u64> = (KEYS..21 * KEYS).map(hash).collect();
            let mut answers = vec![false; asked.len()];
            filter.contains_many_hashes(&asked, &mut answers);
            let wrong = answers.iter().filter(|answer| **answer).count();
            (wrong as f64 / asked.len() as f64, filter.false_positive_rate(), refused)
        };
        let (rate, claimed, refused) = measured(|id| id);
        let half_way = matches!(refused, Some(Error::KeysClustered { inserted: 50_000, .. }));
        assert_eq!(half_way, layout != Layout::Double, "{layout}: {refused:?}");
        assert!(rate > times * RATE && claimed < 3.0 * RATE, "{layout}: {rate}, {claimed} by its bits");
        let (rate, claimed, refused) = measured(finish_hash);
        assert!(refused.is_none(), "{layout}: {refused:?}");
        assert!((RATE / 2.0..2.0 * RATE).contains(&rate), "{layout}: {rate}");
        assert!((RATE / 2.0..2.0 * RATE).contains(&claimed), "{layout}: {claimed} by its bits");
    }
}

#[test]
fn hashes_of_another_name_do_not_go_together() {
    let mut here = of_callers_hashes("wyhash 4.2, seed 7", 100);
    here.insert_hash(finish_hash(1)).unwrap();
    let before = here.clone();
    let there = of_callers_hashes("wyhash 4.2, seed 8", 100);
    for error in [here.union_with(&there).unwrap_err(), here.intersect_with(&there).unwrap_err()] {
        assert!(
            matches!(error, Error::Incompatible { property: "name of the caller's hash", .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains("wyhash 4.2, seed 7 here, wyhash 4.2, seed 8 in the other"), "{text}");
    }
    assert!(here == before && here != there);
    let mut same = of_callers_hashes("wyhash 4.2, seed 7", 100);
    same.insert_hash(finish_hash(2)).unwrap();
    here.union_with(&same).unwrap();
    assert!(here.contains_hash(finish_hash(1)) && here.contains_hash(finish_hash(2)));
}

#[test]
fn a_file_keeps_the_name_of_the_callers_hash() {
    for name in ["x", "wyhash 4.2, seed 7", "Märchen-Hash", &"n".repeat(256)] {
        let mut filter = of_callers_hashes(name, 100);
        filter.insert_hash(finish_hash(1)).unwrap();
        let bytes = filter.to_bytes().unwrap();
        let again = BloomFilter::from_bytes(&bytes).unwrap();
        assert_eq!(again.key_hasher().caller_hash().as_deref(), Some(name));
        assert_eq!((again.facts(), again.labels()), (filter.facts(), filter.labels()));
        assert_eq!(again.over_capacity(), filter.over_capacity());
        assert!(again == filter && again.contains_hash(finish_hash(1)));
        assert_eq!(again.to_bytes().unwrap(), bytes);
        assert!(
            matches!(again.clone().insert("x"), Err(Error::CallerHashes { name: found , .. }) if found == name)
        );
    }
}

/// A change to a filter, in any order.
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

    /// No false negative after any changes in any order, compared with an exact set.
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
                    other.clear().unwrap();
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
                    filter.clear().unwrap();
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

    /// Any bytes are a key.
    #[test]
    fn any_bytes_are_a_key(keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..50)) {
        for &layout in Layout::ALL {
            let mut filter = BloomFilter::builder().layout(layout).capacity(50).build().unwrap();
            filter.insert_many(&keys).unwrap();
            prop_assert!(keys.iter().all(|key| filter.contains(key)));
            prop_assert!(keys.iter().all(|key| filter.hash_key(key).unwrap() == filter.hash_key(&key).unwrap()));
        }
    }
}
