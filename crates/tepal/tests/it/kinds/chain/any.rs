//! A filter whose kind is known only at run time answers as the filter itself.

use tepal::{AnyFilter, BloomFilter, Error, KeyDomain, OverCapacity, Scheme, builders::BloomFilterBuilder};

/// The builder of an empty filter with a scheme of RedisBloom.
fn link() -> BloomFilterBuilder {
    BloomFilter::builder().scheme(Scheme::RedisBloom).key_domain(KeyDomain::Integer).capacity(100)
}

fn one() -> AnyFilter {
    link().over_capacity(OverCapacity::Refuse).build().unwrap().into()
}

fn chain() -> AnyFilter {
    link().expansion(2).build_chain().unwrap().into()
}

/// The Bloom filters of a filter, the oldest first.
fn parts_of(filter: &AnyFilter) -> Vec<BloomFilter> {
    match filter.clone() {
        AnyFilter::Scalable(chain) => {
            chain.links().iter().map(|link| link.clone().into_owned().unwrap()).collect()
        }
        other => vec![other.into_bloom().unwrap().into_owned().unwrap()],
    }
}

/// A filter of each kind answers as the filters that it consists of.
#[test]
fn either_kind_answers_as_its_parts_do() {
    for (mut filter, parts) in [(one(), 1), (chain(), 3)] {
        let keys = if parts == 1 { 0..100u64 } else { 0..500 };
        for key in keys.clone() {
            filter.insert(&key).unwrap();
        }
        let all = parts_of(&filter);
        assert_eq!((all.len(), filter.scheme()), (parts, Scheme::RedisBloom));
        assert_eq!(filter.key_domain(), KeyDomain::Integer);
        assert!(keys.clone().all(|key| filter.contains(&key)));
        let asked: Vec<u64> = (0..5000).collect();
        let each: Vec<bool> = asked.iter().map(|key| all.iter().any(|part| part.contains(key))).collect();
        assert!(each.iter().any(|answer| !answer));
        assert_eq!(filter.contains_many(&asked), each);
        assert_eq!(asked.iter().map(|key| filter.contains(key)).collect::<Vec<_>>(), each);
        // A key that the domain does not have is in no part.
        assert_eq!(filter.contains_many(&["7", "seven"]), [true, false]);
        assert!(!filter.contains("seven") && filter.insert("seven").is_err());

        let passed = |part: &BloomFilter| 1.0 - part.false_positive_rate();
        let rate = 1.0 - all.iter().map(passed).product::<f64>();
        assert!(rate > 0.0 && (filter.false_positive_rate() - rate).abs() < 1e-12);

        let copy = filter.clone();
        assert!(parts_of(&copy) == all);
        let kind = if parts == 1 { "BloomFilter {" } else { "ScalableBloomFilter {" };
        assert!(format!("{filter:?}").starts_with(kind), "{filter:?}");
        assert_eq!(format!("{filter:?}").matches(" capacity: ").count(), parts);
    }
}

#[test]
fn one_kind_is_united_with_its_own_alone() {
    let (mut filter, mut grown) = (one(), chain());
    let (mut other, mut other_grown) = (one(), chain());
    for key in 0..30u32 {
        filter.insert(&key).unwrap();
        grown.insert(&key).unwrap();
        other.insert(&(key + 30)).unwrap();
        other_grown.insert(&(key + 30)).unwrap();
    }
    for (a, b, texts) in [
        (&mut filter, &other_grown, ["Bloom filter here", "chain of Bloom filters in the other"]),
        (&mut grown, &other, ["chain of Bloom filters here", "Bloom filter in the other"]),
    ] {
        let before = a.clone();
        let error = a.union_with(b).unwrap_err();
        assert!(matches!(error, Error::Incompatible { property: "kind", .. }), "{error}");
        assert!(texts.iter().all(|text| format!("{error}").contains(text)), "{error}");
        assert!(parts_of(a) == parts_of(&before));
    }
    filter.union_with(&other).unwrap();
    grown.union_with(&other_grown).unwrap();
    for united in [filter, grown] {
        assert!((0..60u32).all(|key| united.contains(&key)));
    }
}
