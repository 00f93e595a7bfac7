//! The results of union, intersection and folding, and what they refuse.

use tepal::{BloomFilter, Error, Filter, KeyDomain, Layout, OverCapacity, Recipe, SecretKey};
#[cfg(feature = "foreign")]
use tepal::{Scheme, hash::Md5Split};

use super::{builders, filled};

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
        full.set_over_capacity(OverCapacity::Warn).unwrap();
        full.union_with(&more).unwrap();
        assert!(full.is_over_capacity());
    }
}

#[test]
fn filters_of_another_kind_are_refused_with_the_reason() {
    let base = || BloomFilter::builder().bit_len(5120).capacity(100).num_hashes(8);
    let recipe = Recipe::new().trim(true);
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
    // Capacity, promise, policy and labels do not change a filter's answers.
    let other = base().layout(Layout::Line).capacity(99).over_capacity(OverCapacity::Ignore).build();
    assert!(filter.union_with(&other.unwrap()).is_ok());
}

#[cfg(feature = "foreign")]
#[test]
fn schemes_with_other_parameters_are_refused_too() {
    let spark = |seed| BloomFilter::builder().scheme(Scheme::SparkV2).seed(seed);
    let valkey = |byte| BloomFilter::builder().valkey_seed([byte; 32]);
    let split = |from_zero| BloomFilter::builder().md5_split(Md5Split { from_zero, ..Md5Split::default() });
    for (here, there, shown) in [
        (spark(1), spark(2), ["parameters: 1 here", "2 in the other"]),
        (valkey(3), valkey(4), ["030303", "040404"]),
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

/// Shrinking to the present rate is allowed.
#[test]
fn shrinking_to_the_rate_of_now_changes_nothing() {
    for builder in builders() {
        let mut filter = filled(&builder.capacity(1000), 0..1000);
        let before = filter.clone();
        let now = filter.false_positive_rate();
        assert_eq!(filter.shrink_to(now).unwrap(), 1);
        assert!(filter == before && filter.capacity() == 1000);
        let error = filter.shrink_to(now * (1.0 - 1e-9)).unwrap_err();
        assert!(matches!(error, Error::RateOutOfReach { .. }), "{error}");
    }
}

/// The filter is folded by the factor that gives exactly the rate. A filter whose bits fell well
/// may become smaller than one planned for its keys; one whose bits fell badly may not. It gets the
/// capacity of a planned filter of that size.
#[test]
fn folding_goes_as_far_as_the_rate() {
    let mut better = 0;
    for (layout, k) in
        [(Layout::Line, 9), (Layout::Double, 6), (Layout::SplitBlock, 8), (Layout::Scattered, 4)]
    {
        for stream in 0..3u64 {
            let empty = BloomFilter::builder().layout(layout).num_hashes(k).bit_len(5040 * 512);
            let builder = empty.capacity(100_000).over_capacity(OverCapacity::Ignore).seed(0);
            let filter = filled(&builder, (0..700).map(|i| stream << 32 | i));
            for factor in [84, 105, 360, 504] {
                let mut folded = filter.clone();
                folded.fold(factor).unwrap();
                let rate = folded.false_positive_rate();
                let mut shrunk = filter.clone();
                assert_eq!(shrunk.shrink_to(rate).unwrap(), factor, "{layout} {stream}");
                assert!(shrunk == folded);
                let plan = BloomFilter::builder().false_positive_rate(rate).layout(layout).num_hashes(k);
                let keys = filter.estimated_len().ceil() as u64;
                let holds = plan.clone().bit_len(shrunk.bit_len()).plan().unwrap().capacity;
                assert_eq!(shrunk.capacity(), holds.max(keys), "{layout} {stream} {factor}");
                assert_eq!(shrunk.promised_false_positive_rate(), rate);
                let planned = plan.capacity(keys).plan().unwrap().bit_len;
                better += u32::from(planned > shrunk.bit_len() + 512);
            }
        }
    }
    assert!(better > 0, "none is better than planned");
}

/// For every factor, folding gives the same filter as building at that size; other factors are
/// refused. The promise is kept, or becomes the new rate.
#[test]
fn folding_by_each_factor() {
    for (layout, unit) in [(Layout::Line, 512), (Layout::SplitBlock, 256), (Layout::Scattered, 64)] {
        let k = if layout == Layout::SplitBlock { 8 } else { 4 };
        let builder = |bits| BloomFilter::builder().layout(layout).num_hashes(k).bit_len(bits).seed(0);
        let keys = 0..40u64;
        let filter = filled(&builder(60 * 512).capacity(1000), keys.clone());
        let units = filter.bit_len() / unit;
        let factors = filter.fold_factors();
        assert!(factors.iter().all(|factor| units % factor == 0) && factors.contains(&60), "{layout}");
        assert_eq!(factors.len(), (2..=units).filter(|factor| units % factor == 0).count());
        for factor in factors.into_iter().filter(|factor| 60 * 512 / factor % unit == 0) {
            let mut folded = filter.clone();
            folded.fold(factor).unwrap();
            let small = builder(60 * 512 / factor).over_capacity(OverCapacity::Ignore).capacity(1000);
            assert!(
                folded.to_bits().unwrap() == filled(&small, keys.clone()).to_bits().unwrap(),
                "{layout} {factor}"
            );
            let rate = folded.false_positive_rate();
            let promised = folded.promised_false_positive_rate();
            assert_eq!(promised, rate.max(filter.promised_false_positive_rate()));
            assert!(folded.capacity() >= 40 && !folded.is_over_capacity(), "{layout} {factor}");
        }
        for wrong in [0, 1, 7, units + 1] {
            let mut folded = filter.clone();
            assert!(matches!(folded.fold(wrong), Err(Error::Parameter { .. })));
            assert!(folded == filter);
        }
    }
}

/// Whether a filter can fold, found without searching for factors.
#[test]
fn it_can_fold_where_there_is_a_factor() {
    let one = BloomFilter::builder().capacity(1).build().unwrap();
    let some = BloomFilter::builder().capacity(10_000).build().unwrap();
    let scattered = BloomFilter::builder().capacity(10_000).layout(Layout::Scattered).build().unwrap();
    for (filter, folds) in [(&one, false), (&some, true), (&scattered, true)] {
        assert_eq!((filter.can().fold, !filter.fold_factors().is_empty()), (folds, folds), "{filter:?}");
    }
    #[cfg(feature = "foreign")]
    {
        let guava = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(10_000).build().unwrap();
        assert!(!guava.can().fold && guava.fold_factors().is_empty());
    }
}

/// However full a folded filter is, its file can be opened.
#[test]
fn a_filter_folded_to_the_last_has_a_file() {
    for &layout in Layout::ALL {
        let mut filter = filled(&BloomFilter::builder().layout(layout).capacity(5000), 0..5000);
        let most = filter.fold_factors().into_iter().next_back().unwrap();
        filter.fold(most).unwrap();
        let again = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(again == filter && again.promised_false_positive_rate() < 1.0, "{layout}");
    }
}
