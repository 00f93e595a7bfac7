//! The map against a list of its pairs.

use tepal::{
    AnyFilter, Error, KeyDomain, Opened, OverCapacity, RibbonMap,
    builders::RibbonMapBuilder,
    facts::Labels,
    file::Format,
    hash::{PreparedKeys, finish_hash},
    values::Value,
};

/// Different hashes, each with a value below a limit.
fn pairs(from: u64, count: usize, below: u64) -> Vec<(u64, u32)> {
    (from << 40..).map(finish_hash).take(count).map(|h| (h, ((h >> 7) % below) as u32)).collect()
}

fn at(rate: f64) -> RibbonMapBuilder {
    match rate {
        1.0 => RibbonMap::builder().known_keys_only(),
        _ => RibbonMap::builder().false_positive_rate(rate),
    }
}

fn built(pairs: &[(u64, u32)], rate: f64) -> RibbonMap {
    at(rate).build_from_hashes(pairs.to_vec()).unwrap()
}

fn check(map: &RibbonMap, pairs: &[(u64, u32)]) {
    let hashes: Vec<u64> = pairs.iter().map(|pair| pair.0).collect();
    let (mut values, mut held) = (std::vec![None; hashes.len()], std::vec![false; hashes.len()]);
    map.get_many_hashes(&hashes, &mut values);
    map.contains_many_hashes(&hashes, &mut held);
    for (((h, value), found), held) in pairs.iter().zip(&values).zip(held) {
        assert_eq!((*found, held), (Some(*value), true), "{h:#x}");
        assert_eq!(map.get_hash(*h).map(Value::number), *found);
    }
}

/// The share of non-members that get a value.
fn wrong(map: &RibbonMap, others: u64) -> f64 {
    let hashes: Vec<u64> = (0..others).map(|i| finish_hash(i | 1 << 63)).collect();
    let mut values = std::vec![None; hashes.len()];
    map.get_many_hashes(&hashes, &mut values);
    assert!(hashes.iter().zip(&values).all(|(h, value)| map.get_hash(*h).map(Value::number) == *value));
    values.iter().flatten().count() as f64
}

#[test]
fn every_key_has_its_value_at_any_size() {
    let step = if cfg!(debug_assertions) { 23 } else { 1 };
    for n in (0..600).step_by(step).chain([1000, 2047, 2048, 2049, 9999]) {
        let rate = [1.0, 0.9, 0.5, 0.3, 0.01, 1.0 / 256.0, 1e-6, 2.4e-10][n % 8];
        let below = [1, 2, 3, 64, 1000, 1 << 31, 1 << 32][n % 7];
        let pairs = pairs(n as u64, n, below);
        let map = built(&pairs, rate);
        assert_eq!(map.len(), n as u64);
        check(&map, &pairs);
        assert!(map.false_positive_rate() <= rate, "{n} {rate}: {}", map.false_positive_rate());
    }
}

/// The bits a key are those of the value and of the rate; the share of non-members that get a value
/// is the reported one.
#[test]
fn bits_and_rate_are_those_that_were_asked_for() {
    let n = if cfg!(debug_assertions) { 3000 } else { 160_000 };
    for (below, rate) in [(64, 1.0), (64, 0.6), (64, 0.01), (2, 1.0 / 256.0), (65_536, 0.1), (1 << 32, 1e-9)]
    {
        let pairs = pairs(1, n, below);
        let map = built(&pairs, rate);
        check(&map, &pairs);
        let bits = f64::from(map.value_bits());
        assert_eq!(1 << map.value_bits(), below);
        let (said, sigma) = (map.false_positive_rate(), (rate * 100_000.0).sqrt());
        assert!(said <= rate && (said > 0.98 * rate || n < 10_000), "{rate}: {said}");
        assert!((wrong(&map, 100_000) - said * 100_000.0).abs() <= 5.0 * sigma, "{rate}");
        let taken = map.bit_len() as f64 / n as f64;
        assert!(n < 10_000 || taken < 1.006 * (bits - rate.log2()) + 0.0861, "{bits} {rate}: {taken}");
    }
}

/// Named values take log2 of their number, and no lookup returns a value without a name.
#[test]
fn names_are_kept_and_other_values_are_none() {
    let n = if cfg!(debug_assertions) { 3000 } else { 160_000 };
    for (count, rate) in [(1, 0.01), (3, 0.01), (5, 1.0), (5, 0.9), (250, 0.001), (65_536, 0.5)] {
        let pairs = pairs(2, n, count);
        let names = || (0..count).map(|i| std::format!("name {i}"));
        let map = at(rate).names(names()).build_from_hashes(pairs.clone()).unwrap();
        check(&map, &pairs);
        let said = map.false_positive_rate();
        let most = rate.min(count as f64 / f64::from(map.value_bits()).exp2());
        assert!(said <= most + 1e-12 && (said > 0.97 * most || n < 10_000), "{count} {rate}: {said}");
        let found = wrong(&map, 100_000);
        assert!(
            (found - said * 100_000.0).abs() <= 5.0 * (most * 100_000.0).sqrt(),
            "{count}: {found} {said}"
        );
        let taken = map.bit_len() as f64 / n as f64;
        // A value with only one name takes no bits.
        let least = (count as f64 / rate).log2().max(map.value_bits().into());
        assert!(n < 10_000 || taken < 1.006 * least + 0.09, "{count} {rate}: {taken} of {least}");
        assert_eq!(map.num_names() as u64, count);
        assert!(map.names().map(|(name, _)| name.to_string()).eq(names()));
        let with_first = pairs.iter().filter(|pair| pair.1 == 0).count() as u64;
        assert_eq!(map.names().next().unwrap().1, with_first);
        assert_eq!(map.value(count as u32 - 1).name().unwrap(), names().next_back().unwrap());
        assert_eq!(map.value_of_name(&names().next_back().unwrap()), Some(count as u32 - 1));
        assert!(map.value(count as u32).name().is_none() && map.value(u32::MAX).name().is_none());
        let bytes = Opened::new(map.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        assert!(tepal::from_bytes(&bytes).unwrap().into_filter() == map.into());
    }
}

#[test]
fn order_repeats_and_threads_change_no_bit() {
    let n = if cfg!(debug_assertions) { 2000 } else { 150_000 };
    let mut all = pairs(3, n, 20);
    let map = built(&all, 0.03);
    all.extend_from_within(..n / 2);
    all.reverse();
    assert!(built(&all, 0.03) == map);
    #[cfg(feature = "parallel")]
    for threads in [2, 8] {
        let threads = std::num::NonZeroUsize::new(threads).unwrap();
        assert!(at(0.03).threads(threads).build_from_hashes(all.clone()).unwrap() == map);
    }
    assert!(built(&std::vec![(7, 9); 5000], 0.01) == built(&[(7, 9)], 0.01));
    // Hashes that lie together are moved until they do not.
    for together in [|i: u64| i, |i: u64| i << 50, |i: u64| !i, |i: u64| 0x55 << 56 | i << 20] {
        for n in [3, 300, 5000] {
            let pairs: Vec<(u64, u32)> = (0..n).map(|i| (together(i), i as u32)).collect();
            check(&built(&pairs, 1.0), &pairs);
        }
    }
}

#[test]
fn keys_and_hashes_are_the_same_map() {
    let builder = || RibbonMap::builder().key_domain(KeyDomain::Integer).seed_for("test");
    let value = |key: u32| key * key % 1000;
    let map = builder().build_from((0..3000u32).map(|key| (key, value(key)))).unwrap();
    let hasher = map.key_hasher();
    let hashed = (0..3000u32).map(|key| (hasher.hash(&key).unwrap(), value(key))).collect();
    assert!(builder().build_from_hashes(hashed).unwrap() == map);
    let keys: Vec<u32> = (0..3000).collect();
    let values: Vec<Option<u32>> = keys.iter().map(|key| Some(value(*key))).collect();
    let numbers = |values: Vec<Option<Value<'_>>>| -> Vec<Option<u32>> {
        values.into_iter().map(|value| value.map(u32::from)).collect()
    };
    assert_eq!(numbers(map.get_many(&keys)), values);
    assert!(keys.iter().all(|key| map.get(key).unwrap() == value(*key) && map.contains(key)));
    assert!(map.get("no number").is_none() && !map.contains("no number"));
    assert_eq!(numbers(map.get_many(&["7", "x", "9"])), [Some(49), None, Some(81)]);
    assert_eq!(map.contains_many(&["7", "x", "9"]), [true, false, true]);
    let mut prepared = PreparedKeys::default();
    keys.iter().for_each(|key| hasher.prepare(key, &mut prepared).unwrap());
    let mut answers = std::vec![None; 3000];
    map.get_prepared(&prepared, &mut answers);
    assert_eq!(answers, values);
    #[cfg(feature = "parallel")]
    {
        let threads = std::num::NonZeroUsize::new(2).unwrap();
        assert_eq!(numbers(map.get_bulk(&keys, threads)), values);
        assert!(map.contains_bulk(&keys, threads).iter().all(|held| *held));
    }
    for builder in [RibbonMap::builder(), RibbonMap::builder().known_keys_only()] {
        let mut none = builder.build_from(std::iter::empty::<(&str, u32)>()).unwrap();
        assert!(none.is_empty() && none.get("a").is_none() && !none.contains("a"));
        assert!(none.get_many(&["a", "b"]) == [None, None] && none.false_positive_rate() == 0.0);
        none.set_labels(Labels::new().name("nothing")).unwrap();
        assert_eq!(none.labels().name.as_deref(), Some("nothing"));
    }
    let theirs = RibbonMap::builder().caller_hash("ours").build_from_hashes(std::vec![(77, 5)]).unwrap();
    assert!(theirs.get("x").is_none() && theirs.contains("x") && theirs.get_hash(77).unwrap() == 5);
    assert_eq!(
        (theirs.get_many(&["x", "y"]), theirs.contains_many(&["x"])),
        (std::vec![None; 2], std::vec![true])
    );
}

#[test]
fn a_file_is_the_map() {
    for (n, rate, names) in
        [(0, 0.01, 0), (1, 1.0, 0), (256, 0.5, 3), (257, 1e-3, 0), (3000, 1.0, 100), (40_000, 0.1, 0)]
    {
        let labels = Labels::new().name("some keys");
        let value = |i: u32| if names > 0 { i % names } else { i };
        let builder = at(rate).seed(7).labels(labels).names((0..names).map(|i| i.to_string()));
        let map = builder.build_from((0..n).map(|i| (i, value(i)))).unwrap();
        let bytes = Opened::new(map.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
        let back = tepal::from_bytes(&bytes).unwrap();
        let AnyFilter::Map(opened) = back.filter().clone() else { panic!("{back:?}") };
        assert!(opened == map && opened.labels() == map.labels());
        assert_eq!(opened.promised_false_positive_rate(), rate);
        assert!((0..n).all(|key| opened.get(&key).unwrap() == value(key)));
        assert_eq!(back.to_bytes().unwrap(), bytes);
        // Whole lines of 512 bits.
        assert_eq!(map.bit_len().max(1).next_multiple_of(512), 8 * map.size_in_bytes());
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
    let builder = RibbonMap::builder;
    let long = "x".repeat(1025);
    let many: Vec<String> = (0..65_537).map(|i: u32| i.to_string()).collect();
    for (wrong, words) in [
        (builder().false_positive_rate(0.0), "rate"),
        (builder().false_positive_rate(1.5), "rate"),
        (builder().false_positive_rate(1e-10), "2^-32"),
        (builder().false_positive_rate(f64::NAN), "rate"),
        (builder().value_bits(2), "takes 3"),
        (builder().value_bits(0), "3 to 32"),
        (builder().value_bits(33), "3 to 32"),
        (builder().names(["a", "b"]), "1 at most, the last that has a name"),
        (builder().names(["a", "b", "c", "d", "e", "a"]), "no other value has"),
        (builder().names(["a", "b", "c", "d", "e", ""]), "name of a value"),
        (builder().names([&long; 6]), "1024"),
        (builder().names(many), "65536"),
        (builder().seed(1).secret_key(tepal::SecretKey::new([0; 16])), "seed"),
        (builder().labels(Labels::new().name("a\nb")), "label"),
    ] {
        let error = wrong.build_from([("a", 5)]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = builder().build_from([("a", 5), ("b", 1), ("a", 2)]).unwrap_err();
    assert!(
        matches!(&error, Error::SeveralValues { values: [two, five], .. } if (&**two, &**five) == ("2", "5"))
    );
    let error = error.to_string();
    assert!(error.contains("the value 2 and with 5") && error.contains("`seed_for`"), "{error}");
    let mut filter = AnyFilter::from(built(&[(1, 1), (2, 2), (3, 3)], 0.01));
    let other = filter.clone();
    for (refused, words) in [
        (filter.insert("a").map(drop), "take this key"),
        (filter.insert_many(&["a", "b"]), "take this key"),
        (filter.insert_hash(77).map(drop), "take this key"),
        (filter.clear(), "be cleared"),
        (filter.union_with(&other), "be united"),
        (filter.intersect_with(&other), "be intersected"),
        (filter.fold(2), "be folded"),
        (filter.set_over_capacity(OverCapacity::Ignore), "change what happens"),
        (filter.clone().into_bloom().map(drop), "be a filter of another type"),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("a map cannot") && error.contains(words), "{error}");
    }
    filter.insert_many::<[&str]>(&[]).unwrap();
    assert!(filter == other && filter.fold_factors().is_empty() && filter.is_full());
}

/// The built map has the planned size within a hundredth, with names and without, and for known
/// keys too.
#[test]
fn a_map_is_planned() {
    for (keys, bits, names) in [(10_000u32, 1u8, 0usize), (30_000, 7, 100), (50_000, 32, 0), (20_000, 3, 5)] {
        for rate in [0.5, 0.1, 0.01, 1e-6, 1.0] {
            let builder = RibbonMap::builder().names((0..names).map(|name| name.to_string()));
            let builder =
                if rate == 1.0 { builder.known_keys_only() } else { builder.false_positive_rate(rate) };
            let builder = builder.value_bits(bits);
            let planned = builder.planned_size_in_bytes(keys.into()).unwrap();
            let values = if names == 0 { 2 } else { names as u32 };
            let built = builder.build_from((0..keys).map(|i| (i, i % values))).unwrap().size_in_bytes();
            assert!(planned.abs_diff(built) <= built / 100 + 64, "{keys} {bits} {rate}: {planned} {built}");
        }
    }
    let builder = RibbonMap::builder();
    assert!(builder.clone().value_bits(33).planned_size_in_bytes(10).is_err());
    assert!(builder.clone().false_positive_rate(1e-12).planned_size_in_bytes(10).is_err());
    assert!(builder.clone().planned_size_in_bytes(u64::MAX).is_err());
    assert_eq!(builder.planned_size_in_bytes(0).unwrap(), 64);
}
