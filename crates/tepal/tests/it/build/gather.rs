//! All gathered keys are in the filter, by every way and for every number of threads.

use std::num::NonZeroUsize;
use std::path::Path;
use std::{mem, thread};

use tepal::{
    AnyFilter, BloomFilter, Error, KeyDomain, Layout, Opened, OverCapacity, Recipe, Scheme,
    build::{Built, Gather},
    builders::BloomFilterBuilder,
    file::Format,
    hash::PreparedKeys,
};

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

/// Builds a file of these keys with this many workers, each of which prepares a share of them.
fn built(builder: &BloomFilterBuilder, format: Format, keys: &[String], workers: usize) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let gather = Gather::with(builder.clone(), format, folder.path(), threads(workers)).unwrap();
    let shares: Vec<&[String]> = keys.chunks(keys.len().div_ceil(workers).max(1)).collect();
    let left: Vec<PreparedKeys> = thread::scope(|scope| {
        let share = |share: &[String]| {
            let (mut worker, mut prepared) = (gather.worker(), PreparedKeys::default());
            for key in share {
                gather.key_hasher().prepare(key, &mut prepared).unwrap();
            }
            worker.keep(&mut prepared).unwrap();
            prepared
        };
        let workers: Vec<_> = shares.iter().map(|keys| scope.spawn(move || share(keys))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    left.iter().for_each(|keys| gather.take(keys).unwrap());
    let built = gather.finish().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    built
}

fn keys(n: u32) -> Vec<String> {
    // Some are repeated.
    (0..n).chain(0..n / 3).map(|i| i.to_string()).collect()
}

#[test]
fn every_way_gives_one_file_for_any_number_of_threads() {
    let any = BloomFilter::builder;
    let parquet = any().scheme(Scheme::Xxh64).layout(Layout::SplitBlock);
    for (builder, format) in [
        (any(), Format::Tepal),
        (any().capacity(30_000), Format::Tepal),
        (any().key_domain(KeyDomain::Integer).layout(Layout::Double), Format::Tepal),
        (any().scheme(Scheme::GuavaMitz64), Format::Guava),
        (any().scheme(Scheme::Dcso), Format::Tepal),
        (any().scheme(Scheme::RedisBloom), Format::RedisBloom),
        (parquet, Format::ParquetSbbf),
    ] {
        for n in [0, 1, 50, 20_000] {
            let keys = keys(n);
            let one = built(&builder, format, &keys, 1);
            assert_eq!((one.keys, one.file.format()), (keys.len() as u64, format));
            assert!(one.different.abs_diff(n.into()) <= u64::from(n / 100), "{format}: {}", one.different);
            assert!(keys.iter().all(|key| one.file.contains(key)), "{format}");
            for workers in [2, 5] {
                let other = built(&builder, format, &keys, workers);
                assert_eq!(
                    other.file.to_bytes().unwrap(),
                    one.file.to_bytes().unwrap(),
                    "{format} {workers}"
                );
                assert_eq!((other.different, other.is_exact), (one.different, one.is_exact));
            }
        }
    }
}

/// The grown chain equals the server's, whether its first link's capacity is given or counted.
#[test]
fn chains_grow_while_keys_come() {
    for (scheme, format) in
        [(Scheme::RedisBloom, Format::RedisBloom), (Scheme::ValkeyBloom, Format::ValkeyBloom)]
    {
        let builder = BloomFilter::builder().scheme(scheme).expansion(3).over_capacity(OverCapacity::Refuse);
        for (n, capacity, links) in [(0, Some(50), 1), (1, Some(1), 1), (500, Some(50), 3), (500, None, 1)] {
            let builder = capacity.map_or(builder.clone(), |keys| builder.clone().capacity(keys));
            let keys = keys(n);
            let one = built(&builder, format, &keys, 1);
            let first = one.file.facts().unwrap().parts[0].capacity;
            assert!(capacity.is_none_or(|keys| keys == first) && (first > 490 || capacity.is_some()));
            let chain = builder.clone().capacity(first).build_chain().unwrap();
            let mut expected = Opened::new(chain, format).unwrap();
            keys.iter().for_each(|key| assert!(expected.insert(key).is_ok()));
            assert_eq!(one.file.to_bytes().unwrap(), expected.to_bytes().unwrap(), "{format} {n}");
            assert_eq!(one.file.facts().unwrap().parts.len(), links, "{format} {n}");
            let two = built(&builder, format, &keys, 2);
            assert_eq!(two.file.to_bytes().unwrap(), one.file.to_bytes().unwrap(), "{format} {n}");
        }
        let refused = Gather::new(builder.clone().bit_len(640), format).err().unwrap().to_string();
        assert!(refused.contains("the size of a chain that grows is given"), "{refused}");
        // A chain of another program has no tepal file: it would become one filter, which does not
        // grow.
        let refused = Gather::new(builder.capacity(10), Format::Tepal).err().unwrap().to_string();
        assert!(
            refused.contains("the expansion is 3; it must be left out: a file of the format tepal"),
            "{refused}"
        );
    }
    let refused = Gather::new(BloomFilter::builder().expansion(2), Format::Tepal).err().unwrap().to_string();
    assert!(refused.contains("the scheme of a chain is xxh3"), "{refused}");
}

#[test]
fn a_recipe_and_a_policy_are_the_filters() {
    let recipe = Recipe::new().trim(true).nocase(true);
    let gather = Gather::new(BloomFilter::builder().recipe(recipe), Format::Tepal).unwrap();
    gather.insert_many(&[" Alice ", "ALICE", "alice", "Bob"]).unwrap();
    let built = gather.finish().unwrap();
    assert_eq!((built.keys, built.different, built.is_exact), (4, 2, true));
    assert!(built.file.contains("alice") && built.file.contains(" BOB"));
    let AnyFilter::Bloom(filter) = built.file.filter() else { panic!("{built:?}") };
    assert_eq!((filter.over_capacity(), filter.capacity()), (OverCapacity::Refuse, 2));
}

#[test]
fn what_cannot_be_gathered_is_refused_before_the_first_key() {
    let refused =
        |builder: BloomFilterBuilder, format| Gather::new(builder, format).err().unwrap().to_string();
    let any = BloomFilter::builder;
    assert!(refused(any().caller_hash("mine"), Format::Tepal).contains("hashes that its caller computes"));
    assert!(refused(any(), Format::Guava).contains("its hash scheme is xxh3, expected guava-mitz64"));
    assert!(refused(any().false_positive_rate(2.0), Format::Tepal).contains("false-positive rate"));
    assert!(refused(any().bit_len(1000), Format::Tepal).contains("a multiple of 512"));
    let nowhere = Gather::with(any(), Format::Tepal, Path::new("/no/such/folder"), threads(1)).err().unwrap();
    assert!(nowhere.to_string().contains("/no/such/folder: making a temporary file"), "{nowhere}");
}

#[test]
fn keys_are_refused_one_by_one() {
    let gather = Gather::new(BloomFilter::builder().key_domain(KeyDomain::Integer), Format::Tepal).unwrap();
    assert!(matches!(gather.insert_many(&["7", "seven"]), Err(Error::KeyRefused { .. })));
    let small = Gather::new(BloomFilter::builder().capacity(10), Format::Tepal).unwrap();
    let many: Vec<u32> = (0..1000).collect();
    assert!(matches!(small.insert_many(&many), Err(Error::CapacityReached { capacity: 10, .. })));
    let none: [&str; 0] = [];
    let gather = Gather::new(BloomFilter::builder(), Format::Tepal).unwrap();
    gather.insert_many(&none).unwrap();
    assert_eq!(gather.finish().unwrap().different, 0);
}

#[test]
fn more_threads_than_were_told_may_insert() {
    let gather = Gather::new(BloomFilter::builder(), Format::Tepal).unwrap();
    thread::scope(|scope| {
        for share in keys(30_000).chunks(5000).map(<[String]>::to_vec).collect::<Vec<_>>() {
            let gather = &gather;
            scope.spawn(move || gather.insert_many(&share).unwrap());
        }
    });
    let built = gather.finish().unwrap();
    assert_eq!((built.keys, built.different), (40_000, 30_000));
    assert!(built.file.contains_many(&keys(30_000)).iter().all(|&held| held));
}

#[test]
fn what_was_inserted_before_a_refusal_is_in() {
    let fixed = BloomFilter::builder().capacity(2000);
    let gather = Gather::new(fixed, Format::Tepal).unwrap();
    let many: Vec<String> = (0..5000).map(|n| n.to_string()).collect();
    let Err(Error::CapacityReached { inserted, .. }) = gather.insert_many(&many) else { panic!() };
    let file = gather.finish().unwrap().file;
    assert_eq!(file.filter().keys_inserted(), Some(inserted as u64));
    assert!(file.contains_many(&many[..inserted]).iter().all(|&held| held));
    let gather = Gather::new(BloomFilter::builder().key_domain(KeyDomain::Integer), Format::Tepal).unwrap();
    let mut numbers = many.clone();
    numbers[1300] = "x".into();
    assert!(matches!(gather.insert_many(&numbers), Err(Error::KeyRefused { .. })));
    let built = gather.finish().unwrap();
    assert_eq!(built.keys, 1300);
    assert!(built.file.contains_many(&numbers[..1300]).iter().all(|&held| held));
}

/// One key, prepared for a filter.
fn prepared(builder: BloomFilterBuilder) -> PreparedKeys {
    let mut keys = PreparedKeys::default();
    builder.key_hasher().unwrap().prepare("a", &mut keys).unwrap();
    keys
}

#[test]
fn keys_are_in_or_refused() {
    let bytes = || BloomFilter::builder();
    let guava = || BloomFilter::builder().scheme(Scheme::GuavaMitz64);
    // Keys that no worker has kept are taken too.
    let gather = Gather::new(bytes(), Format::Tepal).unwrap();
    gather.take(&prepared(bytes())).unwrap();
    assert!(gather.finish().unwrap().file.contains("a"));
    // Keys of another hasher are refused.
    for (ours, theirs) in [(bytes(), guava()), (guava(), bytes()), (bytes().capacity(10), guava())] {
        let gather = Gather::new(ours, Format::Tepal).unwrap();
        let mut keys = prepared(theirs);
        assert!(matches!(gather.worker().keep(&mut keys), Err(Error::NoHash { .. })));
        assert!(matches!(gather.take(&keys), Err(Error::NoHash { .. })));
        assert_eq!(gather.finish().unwrap().keys, 0);
    }
}

/// A worker that is never dropped still has keys. They stay in memory: `.ci/memory` leaves this
/// test out.
#[test]
fn a_worker_that_is_forgotten_is_missed() {
    let gather = Gather::new(BloomFilter::builder(), Format::Tepal).unwrap();
    let mut worker = gather.worker();
    worker.keep(&mut prepared(BloomFilter::builder())).unwrap();
    mem::forget(worker);
    assert!(matches!(gather.finish(), Err(Error::Parameter { .. })));
}

#[test]
fn a_filter_like_another_has_its_size_and_its_hash() {
    for builder in
        [BloomFilter::builder().capacity(1000).seed(3), BloomFilter::builder().scheme(Scheme::Dcso)]
    {
        let old = Opened::new(builder.build_from(keys(300)).unwrap(), Format::Tepal).unwrap();
        let gather = Gather::like(old.clone()).unwrap();
        assert_eq!(gather.format(), Format::Tepal);
        gather.insert_many(&keys(200)).unwrap();
        let built = gather.finish().unwrap();
        assert_eq!((built.different, built.file.size_in_bytes()), (200, old.size_in_bytes()));
        let mut expected = old;
        expected.clear().unwrap();
        expected.insert_many(&keys(200)).unwrap();
        assert!(built.file.filter() == expected.filter());
    }
    let hashed = BloomFilter::builder().capacity(9).caller_hash("a hash").build().unwrap();
    let refused = Gather::like(Opened::new(hashed, Format::Tepal).unwrap()).err();
    assert!(matches!(refused, Some(Error::CallerHashes { .. })), "{refused:?}");
}
