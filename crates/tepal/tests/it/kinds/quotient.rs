//! The promises of a quotient filter: its rate is different fingerprints / U after any changes, a
//! set has one file, chosen keys are refused with the reason, and a removal removes exactly one
//! copy of one fingerprint.

use std::collections::HashMap;

use cpu_time::ThreadTime;
use tepal::{
    Error, Opened, OverCapacity, QuotientFilter, SecretKey, builders::QuotientFilterBuilder, file::Format,
    hash::finish_hash,
};

use crate::shared::random::Random;

fn at(capacity: u64, rate: f64) -> QuotientFilterBuilder {
    QuotientFilter::builder().capacity(capacity).false_positive_rate(rate)
}

/// Members, and non-members.
fn member(i: u64) -> u64 {
    finish_hash(i)
}

fn stranger(i: u64) -> u64 {
    finish_hash((1 << 44) + i)
}

/// Checks that this number of false positives is within three standard errors of a rate.
fn check_rate(wrong: u64, asked: u64, rate: f64, what: &str) {
    let found = wrong as f64 / asked as f64;
    let error = (rate * (1.0 - rate) / asked as f64).sqrt();
    assert!((found - rate).abs() <= 3.0 * error, "{what}: {found}, not {rate} within three times {error}");
}

fn wrong_answers(filter: &QuotientFilter, hashes: impl Iterator<Item = u64>) -> (u64, u64) {
    let hashes: Vec<u64> = hashes.collect();
    let mut answers = vec![false; hashes.len()];
    filter.contains_many_hashes(&hashes, &mut answers);
    (answers.iter().filter(|held| **held).count() as u64, hashes.len() as u64)
}

#[test]
fn the_rate_is_numbers_held_of_all() {
    let asked = if cfg!(debug_assertions) { 200_000 } else { 4_000_000 };
    for (keys, rate) in [(10_000, 0.01), (10_000, 0.001), (1_000_000, 0.01), (1_000_000, 0.001)] {
        let keys = if cfg!(debug_assertions) { keys / 10 } else { keys };
        let mut filter = at(keys, rate).build_from_hashes((0..keys).map(member).collect()).unwrap();
        let expected = filter.distinct_numbers() as f64 / filter.numbers() as f64;
        assert_eq!(filter.false_positive_rate(), expected);
        assert!(expected <= rate && expected > 0.98 * rate, "{expected} for {rate}");
        let (wrong, of) = wrong_answers(&filter, (0..asked).map(stranger));
        check_rate(wrong, of, expected, "full");
        // After half of the keys are removed, half of the false positives are gone.
        (0..keys / 2).for_each(|i| assert!(filter.remove_hash(member(i)).unwrap()));
        let (wrong, of) = wrong_answers(&filter, (0..asked).map(stranger));
        check_rate(wrong, of, filter.false_positive_rate(), "half");
        assert!(filter.false_positive_rate() < 0.52 * rate);
        filter.fold(4).unwrap();
        let (wrong, of) = wrong_answers(&filter, (0..asked).map(stranger));
        check_rate(wrong, of, filter.false_positive_rate(), "folded");
    }
}

/// The parts of a set that was divided by the filter's own hash: by its first bits, by its last,
/// and by bits between.
#[test]
fn shards_of_the_own_hash_keep_their_rate() {
    // With fewer keys a shard is so small that the fixed size of a table matters too much.
    let keys: u64 = if cfg!(debug_assertions) { 800_000 } else { 4_000_000 };
    for (name, shard) in [
        ("first 6 bits", (|h| h >> 58) as fn(u64) -> u64),
        ("last 6 bits", |h| h & 63),
        ("first 3 and last 3 bits", |h| h >> 61 << 3 | h & 7),
        ("bits 29 to 34", |h| h >> 29 & 63),
    ] {
        let members: Vec<u64> = (0..keys).map(member).filter(|h| shard(*h) == 5).collect();
        let capacity = members.len() as u64;
        let filter = at(capacity, 0.01).build_from_hashes(members).unwrap();
        let distinct = filter.distinct_numbers() as f64;
        assert!(distinct > 0.99 * capacity as f64, "{name}: {distinct} numbers of {capacity} keys");
        let of_shard = (0..16 * keys).map(stranger).filter(|h| shard(*h) == 5);
        let (wrong, of) = wrong_answers(&filter, of_shard);
        check_rate(wrong, of, filter.false_positive_rate(), name);
        let bits = 8.0 * filter.size_in_bytes() as f64 / capacity as f64;
        assert!(bits < 10.2, "{name}: {bits} bits a key");
    }
}

fn file(filter: &QuotientFilter) -> Vec<u8> {
    let mut fitted = filter.clone();
    fitted.shrink_to_fit().unwrap();
    Opened::new(fitted, Format::Tepal).unwrap().to_bytes().unwrap()
}

#[test]
fn one_set_has_one_file() {
    const KEYS: u64 = 5000;
    for count_bits in [0, 4] {
        let builder = || at(KEYS, 0.01).count_bits(count_bits);
        // Each seventh key three times.
        let copies: Vec<u64> =
            (0..KEYS).flat_map(|i| vec![member(i); if i % 7 == 0 { 3 } else { 1 }]).collect();
        let expected = builder().build_from_hashes(copies.clone()).unwrap();
        let mut made: Vec<(&str, QuotientFilter)> = Vec::new();
        let mut add = |name, change: &dyn Fn(&mut QuotientFilter)| {
            let mut filter = builder().build().unwrap();
            change(&mut filter);
            made.push((name, filter));
        };
        let insert = |filter: &mut QuotientFilter, hashes: &mut dyn Iterator<Item = &u64>| {
            hashes.for_each(|hash| assert!(filter.insert_hash(*hash).is_ok()));
        };
        add("one by one", &|filter| insert(filter, &mut copies.iter()));
        add("backwards", &|filter| insert(filter, &mut copies.iter().rev()));
        add("shuffled", &|filter| {
            let (mut shuffled, mut random) = (copies.clone(), Random(3));
            (1..shuffled.len()).for_each(|i| shuffled.swap(i, random.below(i + 1)));
            insert(filter, &mut shuffled.iter());
        });
        add("in batches", &|filter| {
            copies.chunks(700).for_each(|hashes| filter.insert_many_hashes(hashes).unwrap());
        });
        add("half of it twice, and taken out again", &|filter| {
            filter.set_over_capacity(OverCapacity::Ignore).unwrap();
            insert(filter, &mut copies.iter());
            (0..KEYS).for_each(|i| assert!(filter.insert_hash(stranger(i)).is_ok()));
            (0..KEYS).for_each(|i| assert!(filter.remove_hash(stranger(i)).unwrap()));
            filter.set_over_capacity(OverCapacity::Refuse).unwrap();
        });
        add("of two halves", &|filter| {
            let (first, second) = copies.split_at(copies.len() / 3);
            let of = |hashes: &[u64]| builder().build_from_hashes(hashes.to_vec()).unwrap();
            filter.union_with(&of(second)).unwrap();
            filter.union_with(&of(first)).unwrap();
        });
        for (name, filter) in made {
            assert!(filter == expected, "{name}");
            assert!(file(&filter) == file(&expected), "{name}: another file");
        }
    }
}

/// Keys whose fingerprints are among the lowest ones, under the public hash.
fn chosen(filter: &QuotientFilter, keys: usize, share: u64) -> Vec<u64> {
    let hasher = filter.key_hasher();
    let mut found = Vec::with_capacity(keys);
    let spread = |h: u64| (h ^ (h >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut key = 0u64;
    while found.len() < keys {
        let hash = hasher.hash(&key).unwrap();
        if spread(hash) < u64::MAX / share {
            found.push(key);
        }
        key += 1;
    }
    found
}

#[test]
fn chosen_keys_are_refused_in_words_and_a_secret_spreads_them() {
    const KEYS: u64 = 20_000;
    let public = || at(KEYS, 0.01).seed(0);
    let mut filter = public().build().unwrap();
    let keys = chosen(&filter, 4000, 1000);
    let random: Vec<u64> = (0..4000).map(|i| (1 << 50) + i).collect();
    filter.insert_many(&random).unwrap();
    let size = filter.size_in_bytes();
    let refused = keys.iter().enumerate().find_map(|(i, key)| {
        let before = filter.len();
        let error = filter.insert(key).err()?;
        assert_eq!(filter.len(), before);
        Some((i, error))
    });
    let (taken, error) = refused.expect("4,000 keys among 2,000 numbers");
    assert!(matches!(error, Error::NumbersClustered { .. }), "{error}");
    assert!(error.to_string().contains("secret"), "{error}");
    // No member was lost, and the table stayed within the documented size.
    assert!(keys[..taken].iter().chain(&random).all(|key| filter.contains(key)));
    assert!(filter.size_in_bytes() <= 5 * size + 64 * 64, "{} of {size}", filter.size_in_bytes());
    // It still takes other keys.
    assert!((0..1000u64).all(|i| filter.insert(&((1 << 55) + i)).is_ok()));

    let mut keyed = at(KEYS, 0.01).secret_key(SecretKey::new(*b"known to us only")).build().unwrap();
    keyed.insert_many(&random).unwrap();
    keyed.insert_many(&keys).unwrap();
    assert_eq!(keyed.size_in_bytes(), at(KEYS, 0.01).build().unwrap().size_in_bytes());
}

/// Keys that are close together under one seed cost no more under another.
#[test]
fn keys_chosen_for_another_seed_are_like_others() {
    let keys: usize = if cfg!(debug_assertions) { 2000 } else { 100_000 };
    let empty = at(keys as u64, 0.01).seed(1).build().unwrap();
    let sets = [chosen(&empty, keys, 50), (0..keys as u64).map(|i| (1 << 50) + i).collect()];
    let mut least = [f64::MAX; 2];
    for _ in 0..9 {
        for (keys, least) in sets.iter().zip(&mut least) {
            let clock = ThreadTime::now();
            let built = at(keys.len() as u64, 0.01).seed(2).build_from(keys.iter().copied()).unwrap();
            let mut one_by_one = at(keys.len() as u64, 0.01).seed(2).build().unwrap();
            keys.iter().for_each(|key| assert!(one_by_one.insert(key).is_ok()));
            *least = least.min(clock.elapsed().as_secs_f64());
            assert!(built == one_by_one);
        }
    }
    assert!(least[0] <= 1.2 * least[1] || cfg!(debug_assertions), "{least:?}");
}

/// Removing keys that were never inserted removes members at the filter's rate; a check against a
/// list of members prevents it.
#[test]
fn removing_strangers_costs_members_at_the_rate() {
    const KEYS: u64 = 20_000;
    let removals: u64 = if cfg!(debug_assertions) { 50_000 } else { 1_000_000 };
    let mut filter = at(KEYS, 0.01).build_from_hashes((0..KEYS).map(member).collect()).unwrap();
    let (slots, numbers) = (filter.len(), filter.numbers() as f64);
    let removed = (0..removals).filter(|i| filter.remove_hash(stranger(*i)).unwrap()).count() as u64;
    assert_eq!(filter.len(), slots - removed);
    // Each slot is still there with a probability of almost (1 - 1/U)^removals.
    let share = 1.0 - (-(removals as f64) / numbers).exp();
    let (expected, error) = (slots as f64 * share, (slots as f64 * share * (1.0 - share)).sqrt());
    assert!((removed as f64 - expected).abs() <= 4.0 * error, "{removed}, not {expected}");
    let lost = (0..KEYS).filter(|i| !filter.contains_hash(member(*i))).count() as u64;
    // Two members that share a fingerprint are lost together, with the second slot.
    assert!(lost <= removed && lost + slots / 50 >= removed, "{lost} of {removed}");

    // With the check none is lost.
    let mut guarded = at(KEYS, 0.01).build_from_hashes((0..KEYS).map(member).collect()).unwrap();
    let members: std::collections::HashSet<u64> = (0..KEYS).map(member).collect();
    for hash in (0..removals).map(stranger).filter(|hash| members.contains(hash)) {
        guarded.remove_hash(hash).unwrap();
    }
    assert!((0..KEYS).all(|i| guarded.contains_hash(member(i))));
}

/// A million random inserts and removals in a filter that is almost always full, compared with an
/// exact count of each key.
#[test]
fn a_million_operations_lose_nobody() {
    let (capacity, steps) = if cfg!(debug_assertions) { (500, 30_000) } else { (20_000, 1_000_000) };
    for (count_bits, rate, share) in [(0, 0.01, 100), (4, 0.001, 30)] {
        let mut filter = at(capacity, rate).count_bits(count_bits).build().unwrap();
        let mut random = Random(u64::from(count_bits) + 9);
        let mut copies: HashMap<u64, u64> = HashMap::new();
        let mut in_order: Vec<u64> = Vec::new();
        let (mut full, mut removed) = (0, 0);
        for step in 0..steps * share / 100 {
            // Full, and with attempts to insert more.
            let fills =
                random.below(100) < if in_order.len() as u64 > capacity + capacity / 8 { 50 } else { 70 };
            if fills || in_order.is_empty() {
                let key = member(random.below(8 * capacity as usize) as u64);
                match filter.insert_hash(key) {
                    Ok(_) => {
                        *copies.entry(key).or_default() += 1;
                        in_order.push(key);
                    }
                    Err(Error::CapacityReached { .. }) => {
                        full += 1;
                        assert!(!filter.contains_hash(key));
                    }
                    Err(error) => panic!("{error}"),
                }
            } else {
                let key = in_order.swap_remove(random.below(in_order.len()));
                assert!(filter.remove_hash(key).unwrap(), "step {step}");
                removed += 1;
                let left = copies.get_mut(&key).unwrap();
                *left -= 1;
                if *left == 0 {
                    copies.remove(&key);
                }
            }
            if step % 100_000 == 0 {
                assert!(copies.keys().all(|key| filter.contains_hash(*key)), "step {step}");
            }
        }
        assert!(removed > steps / 10 && (full > 0 || count_bits > 0), "{removed} {full}");
        assert_eq!(filter.len(), in_order.len() as u64);
        assert!(copies.iter().all(|(key, copies)| filter.count_hash(*key) >= *copies));
        let sum: u64 = copies.values().sum();
        assert_eq!(sum, filter.len());
        let mut fresh =
            at(capacity, rate).count_bits(count_bits).over_capacity(OverCapacity::Ignore).build().unwrap();
        fresh.insert_many_hashes(&in_order).unwrap();
        fresh.set_over_capacity(OverCapacity::Refuse).unwrap();
        assert!(fresh == filter && file(&fresh) == file(&filter));
    }
}

/// Other tables in which a fingerprint has many slots, or in which keys are inserted again and
/// again: keys that nobody chose are taken up to the capacity, up to the most copies of each.
#[test]
fn copies_of_keys_nobody_chose_are_taken() {
    use tepal::{ExpiringFilter, GrowingFilter};
    for seed in 0..48u64 {
        let rate = [0.01, 1e-6, 1e-3][(seed % 3) as usize];
        let count_bits = if seed % 4 == 0 { 4 } else { 0 };
        let keys = 40 + 7 * seed;
        // Two keys may share a fingerprint if there are few.
        let each = if rate < 1e-5 { 64 } else { 32 };
        let copies = each << count_bits;
        let key = |i: u64| finish_hash(finish_hash(seed) ^ i);
        let all: Vec<u64> = (0..keys * copies).map(|i| key(i / copies)).collect();
        let builder =
            || QuotientFilter::builder().capacity(keys).false_positive_rate(rate).count_bits(count_bits);
        let case = |what: &str| format!("{what}: {keys} keys, {copies} times at {rate}, seed {seed}");
        let (mut one, mut many) = (builder().build().unwrap(), builder().build().unwrap());
        for hash in &all {
            one.insert_hash(*hash).unwrap_or_else(|error| panic!("{}: {error}", case("one")));
        }
        many.insert_many_hashes(&all).unwrap_or_else(|error| panic!("{}: {error}", case("many")));
        assert!(one == many, "{}", case("one and many"));
        // Two halves, one of them read from a file.
        let half = |from: u64| {
            let mut half = builder().build().unwrap();
            half.insert_many_hashes(&all[from as usize..][..all.len() / 2]).unwrap();
            half
        };
        let (some, others) = (half(0), half(keys * copies / 2));
        let file = Opened::new(some, Format::Tepal).unwrap().to_bytes().unwrap();
        let tepal::AnyFilter::Quotient(mut both) = tepal::from_bytes(&file).unwrap().into_filter() else {
            panic!()
        };
        both.union_with(&others).unwrap_or_else(|error| panic!("{}: {error}", case("union")));
        assert!(both == one, "{}", case("union"));
        // A growing filter, from small on, and an expiring one.
        let mut growing = GrowingFilter::builder()
            .first(1 + keys / 64)
            .false_positive_rate(rate)
            .deletable(true)
            .build()
            .unwrap();
        for i in 0..keys * each {
            growing.insert_hash(key(i / each)).unwrap_or_else(|error| panic!("{}: {error}", case("growing")));
        }
        let mut last = ExpiringFilter::builder()
            .capacity(keys)
            .window_of_time(60)
            .false_positive_rate(rate)
            .build()
            .unwrap();
        for (i, hash) in (0..).zip(&all) {
            last.advance_to(1000 + i / 1000).unwrap();
            last.insert_hash(*hash).unwrap_or_else(|error| panic!("{}: {error}", case("expiring")));
        }
        last.insert_many_hashes(&all).unwrap_or_else(|error| panic!("{}: {error}", case("expiring")));
    }
}
