//! Exceptions whose bits are clear: their list was made with another filter, and FORMAT.md, section
//! 4.9, allows them in files. A key that is inserted is held from then on, by every way of
//! inserting.

use tepal::{
    AnyFilter, BloomFilter, Change, Exceptions, MutableFilter, Opened, file::Format, hash::PreparedKeys,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

fn empty() -> Opened {
    Opened::new(BloomFilter::builder().capacity(1000).seed(5).build().unwrap(), Format::Tepal).unwrap()
}

fn prepared(file: &Opened, keys: &[&str]) -> PreparedKeys {
    let mut prepared = PreparedKeys::default();
    keys.iter().for_each(|key| file.key_hasher().prepare(key, &mut prepared).unwrap());
    prepared
}

/// Exceptions that another filter with the same hash took.
fn taken(keys: &[&str]) -> Exceptions {
    let mut full = empty();
    full.insert_many(keys).unwrap();
    let mut exceptions = Exceptions::new();
    assert_eq!(exceptions.take(full.filter(), &prepared(&full, keys)), keys.len());
    exceptions
}

/// A filter without keys, and a list of exceptions with the hashes of these keys: its file is
/// valid, and tepal does not write it.
fn stray(keys: &[&str]) -> Opened {
    let mut file = empty().to_bytes().unwrap();
    let prepared = prepared(&empty(), keys);
    let mut hashes = prepared.hashes().unwrap().to_vec();
    hashes.sort_unstable();
    let head = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let len = file.len() as u64 + 8 * (hashes.len() as u64 + 1);
    file[16..24].copy_from_slice(&len.to_le_bytes());
    file[24] |= 2;
    let sum = xxh3_64(&file[..head - 8]);
    file[head - 8..head].copy_from_slice(&sum.to_le_bytes());
    let list: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    file.extend(&list);
    file.extend(xxh3_64_with_seed(&list, sum).to_le_bytes());
    let opened = tepal::from_bytes(&file).unwrap();
    assert_eq!(opened.filter().exceptions(), keys.len() as u64);
    assert!(opened.to_bytes().unwrap() == file, "what was read is written again");
    opened
}

const KEYS: [&str; 3] = ["apple", "pear", "plum"];

/// Every way of inserting a key; whether it is said to be new, where the way says it.
type Insert = fn(&mut Opened, &str) -> Option<bool>;

const WAYS: [(&str, Insert); 9] = [
    ("insert", |file, key| Some(file.insert(key).unwrap())),
    ("an object", |file, key| Some(Change::insert(file as &mut dyn MutableFilter, key).unwrap())),
    ("insert_many", |file, key| {
        file.insert_many(&[key]).unwrap();
        None
    }),
    ("insert_iter", |file, key| {
        file.insert_iter([key]).unwrap();
        None
    }),
    ("insert_hash", |file, key| {
        let hash = file.key_hasher().hash(key).unwrap();
        Some(file.insert_hash(hash).unwrap())
    }),
    ("insert_many_hashes", |file, key| {
        let hash = file.key_hasher().hash(key).unwrap();
        file.insert_many_hashes(&[hash]).unwrap();
        None
    }),
    ("insert_prepared", |file, key| {
        let prepared = prepared(file, &[key]);
        file.insert_prepared(&prepared).unwrap();
        None
    }),
    ("extend", |file, key| {
        file.extend([key]);
        None
    }),
    ("a union", |file, key| {
        let mut other = empty();
        other.insert(key).unwrap();
        file.union_with(&other).unwrap();
        None
    }),
];

#[test]
fn an_inserted_key_is_held_whatever_its_bits_were() {
    for (way, insert) in WAYS {
        let mut file = stray(&KEYS);
        assert!(!file.contains("apple"), "{way}");
        assert_ne!(insert(&mut file, "apple"), Some(false), "{way}");
        for file in [file.clone(), tepal::from_bytes(&file.to_bytes().unwrap()).unwrap()] {
            assert!(file.contains("apple"), "{way}");
            assert!(!file.contains("pear") && !file.contains("plum"), "{way}");
            assert_eq!(file.filter().exceptions(), 2, "{way}");
        }
        // The second time it is known.
        assert_ne!(insert(&mut file, "apple"), Some(true), "{way}");
    }
}

/// Intersected, cleared, opened and changed in place.
#[test]
fn it_is_held_after_other_changes_too() {
    type Changed = fn(&mut Opened);
    let changes: [(&str, Changed); 3] = [
        ("an intersection", |file| file.intersect_with(&stray(&["apple", "fig"])).unwrap()),
        ("cleared", |file| file.clear().unwrap()),
        ("another policy", |file| file.set_over_capacity(tepal::OverCapacity::Warn).unwrap()),
    ];
    for (change, changed) in changes {
        for (way, insert) in WAYS {
            let mut file = stray(&KEYS);
            changed(&mut file);
            assert_ne!(insert(&mut file, "apple"), Some(false), "{change}, {way}");
            assert!(file.contains("apple"), "{change}, {way}");
        }
    }
}

#[test]
fn what_the_bits_deny_becomes_no_exception() {
    let AnyFilter::Bloom(filter) = empty().into_filter() else { panic!() };
    let mut with = filter.clone();
    with.insert("pear").unwrap();
    let mut file = Opened::new(with, Format::Tepal).unwrap().except(&taken(&KEYS)).unwrap();
    assert_eq!(file.filter().exceptions(), 1);
    assert!(!file.contains("pear"));
    assert!(file.insert("apple").unwrap() && file.insert("pear").unwrap());
    assert!(file.contains("apple") && file.contains("pear") && !file.contains("plum"));
    // Without any that counts, it is a plain filter's file.
    let plain = Opened::new(filter.clone(), Format::Tepal).unwrap();
    let file = plain.clone().except(&taken(&KEYS)).unwrap();
    assert_eq!(file.filter().exceptions(), 0);
    assert!(file.to_bytes().unwrap() == plain.to_bytes().unwrap());
}

/// A scheme without a 64-bit hash cannot tell which exceptions its bits deny.
#[cfg(feature = "foreign")]
#[test]
fn a_scheme_without_a_hash_forgets_an_exception_too() {
    let new = || {
        let builder = BloomFilter::builder().capacity(1000).scheme(tepal::Scheme::GuavaMitz64);
        Opened::new(builder.build().unwrap(), Format::Tepal).unwrap()
    };
    let mut full = new();
    full.insert_many(&KEYS).unwrap();
    let mut exceptions = Exceptions::new();
    exceptions.take(full.filter(), &prepared(&full, &KEYS));
    for (way, insert) in WAYS.iter().filter(|(way, _)| !way.contains("hash") && *way != "a union") {
        let mut file = new().except(&exceptions).unwrap();
        assert_eq!(file.filter().exceptions(), 3, "{way}");
        assert_ne!(insert(&mut file, "apple"), Some(false), "{way}");
        assert!(file.contains("apple") && !file.contains("pear"), "{way}");
        let again = tepal::from_bytes(&file.to_bytes().unwrap()).unwrap();
        assert!(again.contains("apple") && !again.contains("pear"), "{way}");
    }
}
