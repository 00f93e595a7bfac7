//! What a Bloom filter promises, over every layout, domain and scheme.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::bits;
use crate::{Goal, Key, Md5Split, SecretKey};

/// Every layout with each scheme and key domain.
fn builders() -> Vec<BloomFilterBuilder> {
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

fn filled(builder: &BloomFilterBuilder, keys: impl Iterator<Item = u64>) -> BloomFilter {
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
fn refusing_keeps_the_promise_and_loses_nobody() {
    for builder in builders() {
        let mut filter = builder.clone().capacity(2000).false_positive_rate(0.01).build().unwrap();
        let mut accepted = 0u64;
        let refused = loop {
            match filter.insert(&accepted) {
                Ok(_) => accepted += 1,
                Err(error) => break error,
            }
        };
        assert!((2000..2200).contains(&accepted), "{filter:?}: {accepted}");
        assert!(matches!(refused, Error::CapacityReached { capacity: 2000, inserted: 0 }));
        assert!(filter.false_positive_rate() < 0.0125, "{}", filter.false_positive_rate());
        let before = filter.clone();
        // What is in already, or looks so, is no new key.
        assert!((0..accepted).all(|key| !filter.insert(&key).unwrap()));
        assert!(filter == before);

        // A batch stops at the same key, and says where.
        let keys: Vec<u64> = (0..10_000).collect();
        let mut batch = builder.capacity(2000).build().unwrap();
        let Err(Error::CapacityReached { inserted, .. }) = batch.insert_many(&keys) else {
            panic!("10,000 keys went into {batch:?}");
        };
        assert_eq!(inserted as u64, accepted);
        assert!(batch.lines == before.lines);
        assert!(keys[..inserted].iter().all(|key| batch.contains(key)));
    }
}

#[test]
fn a_batch_and_then_single_keys_fill_the_capacity() {
    for builder in builders() {
        let mut filter = builder.capacity(100_000).build().unwrap();
        filter.insert_many(&(0..99_000u64).collect::<Vec<_>>()).unwrap();
        for key in 99_000..100_000u64 {
            filter.insert(&key).unwrap();
        }
        assert_eq!(filter.set_bits(), bits::count(&filter.lines));
        assert!(!filter.is_over_capacity());
    }
}

/// The last key that a filter takes may set more bits than there was room for: it is full then, not over capacity.
#[test]
fn refusing_is_never_over_capacity_by_inserting() {
    for builder in builders() {
        let mut past = 0;
        for stream in 0..20u64 {
            let keys: Vec<u64> = (0..5000).map(|i| 10_000 * stream + i).collect();
            let mut full = builder.clone().capacity(1000).build().unwrap();
            let refused = if stream % 2 == 0 {
                full.insert_many(&keys).err()
            } else {
                keys.iter().find_map(|key| full.insert(key).err())
            };
            assert!(matches!(refused, Some(Error::CapacityReached { .. })), "{full:?}");
            past += u64::from(full.set_bits() > full.limit());
            assert!(!full.is_over_capacity(), "{full:?}");
            // Nor is it a reason to refuse what is in already.
            let same = full.clone();
            full.union_with(&same).unwrap();
            assert!(full.lines == same.lines);
            // A warning comes with the first bit past the limit.
            full.set_over_capacity(OverCapacity::Warn);
            assert_eq!(full.is_over_capacity(), full.set_bits() > full.limit());
            full.insert_many(&keys).unwrap();
            full.set_over_capacity(OverCapacity::Refuse);
            assert!(full.is_over_capacity(), "{full:?}");
        }
        assert!(past > 0, "no last key went past the limit");
    }
}

#[test]
fn repeats_use_nothing_up() {
    let mut filter = BloomFilter::builder().capacity(1000).build().unwrap();
    let keys: Vec<u64> = (0..1000).collect();
    for _ in 0..200 {
        filter.insert_many(&keys).unwrap();
    }
    assert_eq!(filter.keys_inserted(), Some(200_000));
    assert!((filter.estimated_len() - 1000.0).abs() < 50.0);
}

#[test]
fn warning_and_ignoring() {
    for (policy, warned) in [(OverCapacity::Warn, true), (OverCapacity::Ignore, false)] {
        for builder in builders() {
            let mut filter = builder.capacity(1000).over_capacity(policy).build().unwrap();
            filter.insert_many(&(0..1000u64).collect::<Vec<_>>()).unwrap();
            assert!(!filter.is_over_capacity(), "{filter:?}");
            filter.insert_many(&(1000..2000u64).collect::<Vec<_>>()).unwrap();
            assert_eq!(filter.is_over_capacity(), warned, "{filter:?}");
            assert!((0..2000u64).all(|key| filter.contains(&key)));
            filter.set_over_capacity(OverCapacity::Refuse);
            assert!((5000..5100u64).any(|key| filter.insert(&key).is_err()));
        }
    }
}

#[test]
fn schemes_of_other_programs_refuse_nothing_unless_told() {
    let builder = BloomFilter::builder().capacity(100).scheme(Scheme::GuavaMitz64);
    let mut filter = builder.clone().build().unwrap();
    filter.insert_many(&(0..300u64).collect::<Vec<_>>()).unwrap();
    assert!(filter.is_over_capacity());
    let mut strict = builder.over_capacity(OverCapacity::Refuse).build().unwrap();
    let refused = strict.insert_many(&(0..300u64).collect::<Vec<_>>()).unwrap_err();
    assert!(matches!(refused, Error::CapacityReached { inserted: 100..130, .. }), "{refused}");
    assert!(refused.to_string().contains("keys of this call are in"), "{refused}");
    assert!(!strict.has_hash() && strict.hash_key("x").is_err() && strict.insert_hash(1).is_err());
    assert!(strict.contains_hash(1) && strict.insert_many_hashes(&[1]).is_err());
    let mut answers = [false; 2];
    strict.contains_many_hashes(&[1, 2], &mut answers);
    assert_eq!(answers, [true, true]);
    assert!(strict.shrink_to(0.5).is_err());
}

#[test]
fn schemes_and_their_parameters() {
    let text = |builder: BloomFilterBuilder| builder.capacity(10).build().unwrap_err().to_string();
    let builder = BloomFilter::builder;
    assert!(text(builder().scheme(Scheme::SipHash13)).contains("the secret key is missing"));
    let secret = builder().scheme(Scheme::Dcso).secret_key(SecretKey::new([0; 16]));
    assert!(text(secret).contains("only the scheme `siphash13`"));
    assert!(text(builder().scheme(Scheme::Dcso).seed(1)).contains("this scheme has none"));
    assert!(text(builder().scheme(Scheme::Xxh64).seed(1)).contains("this scheme has none"));
    assert!(text(builder().scheme(Scheme::SparkV2).seed(1 << 40)).contains("32-bit"));
    assert!(text(builder().scheme(Scheme::Dcso).layout(Layout::Line)).contains("the layout is line"));
    assert!(text(builder().scheme(Scheme::Bkdr7).num_hashes(6)).contains("7 in the scheme"));
    assert!(text(builder().valkey_seed([0; 32]).scheme(Scheme::Dcso)).contains("another scheme"));
    let spark = builder().scheme(Scheme::SparkV2).seed(-7i64 as u64).capacity(10).build().unwrap();
    assert_eq!(spark.seed(), Some(u64::from(-7i32 as u32)));
    assert_eq!(spark.scheme(), Scheme::SparkV2);
}

#[test]
fn a_full_array_is_no_trouble() {
    for builder in builders() {
        let mut filter = builder.capacity(10).over_capacity(OverCapacity::Ignore).build().unwrap();
        filter.insert_many(&(0..100_000u64).collect::<Vec<_>>()).unwrap();
        assert!(filter.estimated_len() > 100.0 && filter.estimated_len().is_finite());
        assert!(filter.false_positive_rate() > 0.999);
        assert_eq!(filter.fill_ratio(), 1.0);
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
fn a_refused_key_stops_a_batch_of_any_scheme() {
    let xxh3 = BloomFilter::builder();
    for builder in [xxh3.clone(), xxh3.scheme(Scheme::GuavaMitz64)] {
        let mut filter = builder.capacity(10).key_domain(KeyDomain::Integer).build().unwrap();
        let refused = filter.insert_many(&["1", "2", "x", "3"]).unwrap_err();
        assert!(matches!(&refused, Error::KeyRefused { found, .. } if found == "x"), "{refused}");
        assert_eq!((filter.keys_inserted(), filter.contains("2")), (Some(2), true));
        assert!(!filter.contains("3") && !filter.contains("x"));
        assert_eq!(filter.contains_many(&["1", "x", "2", "3"]), [true, false, true, false]);
    }
}

#[test]
fn the_level_is_one_that_the_machine_has() {
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    assert!(Kernel::available(&filter.rules).any(|kernel| kernel.level() == filter.cpu_level()));
}

#[test]
fn unions_are_what_building_together_gives() {
    for builder in builders() {
        let builder = builder.capacity(3000);
        let mut a = filled(&builder, 0..1000);
        let b = filled(&builder, 500..2000);
        a.union_with(&b).unwrap();
        let both = filled(&builder, 0..2000);
        assert!(a == both);
        assert_eq!(a.keys_inserted(), Some(2500));
        assert_eq!(a.set_bits(), both.set_bits());

        let mut common = filled(&builder, 0..1000);
        common.intersect_with(&b).unwrap();
        assert!((500..1000u64).all(|key| common.contains(&key)));
        assert_eq!(common.keys_inserted(), None);
        assert!(common.set_bits() < b.set_bits());

        let mut full = filled(&builder, 0..2500);
        let before = full.clone();
        let more = filled(&builder, 10_000..12_500);
        assert!(matches!(full.union_with(&more), Err(Error::CapacityReached { .. })));
        assert!(full == before);
        full.set_over_capacity(OverCapacity::Warn);
        full.union_with(&more).unwrap();
        assert!(full.is_over_capacity());
    }
}

#[test]
fn filters_of_another_kind_are_refused_with_the_reason() {
    let base = || BloomFilter::builder().bit_len(5120).capacity(100).num_hashes(8);
    let recipe = Recipe { trim: true, nocase: false };
    let others = [
        (base().layout(Layout::Double), "layout"),
        (base().num_hashes(7), "number of hashes"),
        (base().bit_len(5632), "size in bits"),
        (base().key_domain(KeyDomain::Integer), "key domain"),
        (base().secret_key(SecretKey::new([0; 16])), "hash scheme"),
        (base().seed(1), "hash seed"),
        (base().recipe(recipe), "key recipe"),
    ];
    let mut filter = base().layout(Layout::Line).build().unwrap();
    filter.insert(&1).unwrap();
    let before = filter.clone();
    for (other, property) in others {
        let other = if property == "layout" { other } else { other.layout(Layout::Line) };
        let other = other.build().unwrap();
        for error in [filter.union_with(&other).unwrap_err(), filter.intersect_with(&other).unwrap_err()] {
            assert!(matches!(error, Error::Incompatible { property: p, .. } if p == property), "{error}");
            assert!(error.to_string().contains("rebuild one of them"), "{error}");
        }
        assert!(filter != other);
    }
    let secret = |byte| base().secret_key(SecretKey::new([byte; 16])).build().unwrap();
    let error = secret(1).union_with(&secret(2)).unwrap_err().to_string();
    assert!(error.contains("a secret"), "{error}");
    assert!(filter == before);
    // Capacity, promise, policy and labels do not decide what a filter answers.
    let other = base().layout(Layout::Line).capacity(99).over_capacity(OverCapacity::Ignore).build();
    assert!(filter.union_with(&other.unwrap()).is_ok());
}

#[test]
fn schemes_with_other_parameters_are_refused_too() {
    let spark = |seed| BloomFilter::builder().scheme(Scheme::SparkV2).seed(seed);
    let valkey = |byte| BloomFilter::builder().valkey_seed([byte; 32]);
    let split = |from_zero| BloomFilter::builder().md5_split(Md5Split { from_zero, ..Md5Split::default() });
    for (here, there, shown) in [
        (spark(1), spark(2), ["seed: 1", "seed: 2"]),
        (valkey(3), valkey(4), ["[3, 3,", "[4, 4,"]),
        (split(true), split(false), ["from_zero: true", "from_zero: false"]),
    ] {
        let [mut here, mut there] = [here, there].map(|builder| builder.capacity(100).build().unwrap());
        here.insert("x").unwrap();
        there.insert("y").unwrap();
        let before = here.clone();
        for error in [here.union_with(&there).unwrap_err(), here.intersect_with(&there).unwrap_err()] {
            assert!(matches!(error, Error::Incompatible { property: "scheme parameters", .. }), "{error}");
            assert!(shown.iter().all(|part| error.to_string().contains(part)), "{error}");
        }
        assert!(here == before && here != there);
    }
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
fn folding_is_building_small() {
    for builder in builders() {
        let large = builder.clone().capacity(100_000).false_positive_rate(0.001);
        let mut filter = filled(&large, 0..5000);
        let before = filter.size_in_bytes();
        let factor = filter.shrink_to(0.01).unwrap();
        assert!(factor >= 16, "{filter:?}: {factor}");
        assert_eq!(filter.size_in_bytes(), (before / factor).next_multiple_of(64));
        assert!((0..5000u64).all(|key| filter.contains(&key)));
        assert!(filter.false_positive_rate() <= 0.01);
        assert!(filter.capacity() >= 5000 - 100 && !filter.is_over_capacity());
        assert_eq!(filter.promised_false_positive_rate(), 0.01);

        let small = builder
            .layout(filter.layout())
            .num_hashes(filter.num_hashes())
            .bit_len(filter.bit_len())
            .capacity(filter.capacity());
        let direct = filled(&small.over_capacity(OverCapacity::Ignore), 0..5000);
        assert!(direct == filter, "{filter:?}");
        assert_eq!(filter.shrink_to(0.01).unwrap(), 1);
        assert!(filter.shrink_to(1e-9).is_err());
        assert!(filter.shrink_to(0.0).is_err() && filter.shrink_to(f64::NAN).is_err());
    }
}

#[test]
fn an_empty_filter_shrinks_to_next_to_nothing() {
    let mut filter = BloomFilter::builder().capacity(1_000_000).build().unwrap();
    assert!(filter.shrink_to(0.5).unwrap() > 100);
    assert!(!filter.contains("x"));
}

#[test]
fn the_rate_from_the_bits_is_the_rate_that_is_met() {
    for layout in Layout::ALL {
        for k in [5, 8, 13] {
            let k = if layout == Layout::SplitBlock { 8 } else { k };
            let builder =
                BloomFilter::builder().layout(layout).num_hashes(k).capacity(20_000).bit_len(4096 * 48);
            let filter = filled(&builder.over_capacity(OverCapacity::Ignore), 0..24_000);
            let asked: Vec<u64> = (1_000_000..1_400_000).collect();
            let wrong = filter.contains_many(&asked).into_iter().filter(|a| *a).count() as f64;
            let expected = filter.false_positive_rate() * asked.len() as f64;
            let sigma = expected.sqrt();
            assert!((wrong - expected).abs() < 4.5 * sigma, "{layout} {k}: {wrong}, {expected}");
        }
    }
}

#[test]
fn slices_show_the_fill() {
    let mut filter = BloomFilter::builder().capacity(100_000).build().unwrap();
    filter.insert_many(&(0..100_000u64).collect::<Vec<_>>()).unwrap();
    let slices = filter.fill_of_slices(40);
    assert_eq!(slices.len(), 40);
    let mean = slices.iter().sum::<f64>() / 40.0;
    assert!((mean - filter.fill_ratio()).abs() < 1e-3);
    assert!(slices.iter().all(|s| (s - mean).abs() < 0.02));
    assert_eq!(filter.fill_of_slices(0).len(), 1);
    let tiny = BloomFilter::builder().capacity(1).build().unwrap();
    assert_eq!(tiny.fill_of_slices(40), [0.0]);
}

#[test]
fn builders_refuse() {
    let text = |builder: BloomFilterBuilder| builder.build().unwrap_err().to_string();
    let none = text(BloomFilter::builder());
    assert!(none.contains("two of capacity"), "{none}");
    let both = text(BloomFilter::builder().capacity(1).seed(1).secret_key(SecretKey::new([0; 16])));
    assert!(both.contains("the seed"), "{both}");
    let labels = |name: &str| Labels { name: Some(name.to_string()), ..Labels::default() };
    for name in ["", "a\nb", "\u{7f}"] {
        let label = text(BloomFilter::builder().capacity(1).labels(labels(name)));
        assert!(label.contains("a label"), "{label}");
    }
    let long = text(BloomFilter::builder().capacity(1).labels(labels(&"x".repeat(70_000))));
    assert!(long.contains("65000"), "{long}");
    let huge = text(BloomFilter::builder().capacity(1 << 42).false_positive_rate(0.01));
    assert!(huge.contains("more than this machine"), "{huge}");
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
