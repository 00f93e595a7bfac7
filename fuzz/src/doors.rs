//! Other ways to open a filter: from a stream, in place, and through serde. The same bytes give the
//! same filter, or are refused too. Also the embedded form.

use serde::Deserialize;
use serde::de::value::{BytesDeserializer, Error as Told};
use tepal::{
    AnyFilter, BloomFilter, KeyDomain, Opened, RibbonFilter, RibbonMap, Scheme, file::Format, hash::KeyHasher,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::{KEYS, THREADS};

/// Bytes that begin at a multiple of 64, like a map of a file.
pub(crate) struct Placed {
    bytes: Vec<u8>,
    from: usize,
}

impl Placed {
    pub(crate) fn new(data: &[u8]) -> Self {
        let mut bytes = vec![0; data.len() + 64];
        let from = bytes.as_ptr().align_offset(64);
        bytes[from..from + data.len()].copy_from_slice(data);
        Placed { bytes, from }
    }

    pub(crate) fn bytes(&self, len: usize) -> &[u8] {
        &self.bytes[self.from..self.from + len]
    }
}

/// Opens a tepal file without a key in every way.
pub(crate) fn every(data: &[u8]) {
    let expected = BloomFilter::from_bytes(data);
    let placed = Placed::new(data);
    match (BloomFilter::view(placed.bytes(data.len())), &expected) {
        (Ok(view), Ok(expected)) => {
            assert_eq!(view.contains_many(&KEYS), expected.contains_many(&KEYS));
            assert!(&view.into_owned().unwrap() == expected);
        }
        (view, expected) => assert!(view.is_err() && expected.is_err()),
    }
    // Bytes may follow the file in a stream.
    match (BloomFilter::read_from(data), &expected) {
        (Ok(read), Ok(expected)) => assert!(&read == expected),
        (Ok(read), Err(_)) => {
            let len = usize::try_from(u64::from_le_bytes(data[16..24].try_into().unwrap())).unwrap();
            assert!(len < data.len() && read == BloomFilter::from_bytes(&data[..len]).unwrap());
        }
        (Err(error), expected) => assert!(expected.is_err(), "{error}"),
    }
    match (BloomFilter::deserialize(BytesDeserializer::<Told>::new(data)), &expected) {
        (Ok(told), Ok(expected)) => {
            assert!(&told == expected);
            // A filter with a secret key is refused without it, so this filter has none.
            let json = serde_json::to_string(&told).unwrap();
            assert!(serde_json::from_str::<BloomFilter>(&json).unwrap() == told);
            bulk(told);
        }
        (Err(told), Err(expected)) => assert_eq!(told.to_string(), expected.to_string()),
        (told, expected) => panic!("{:?}, {:?}", told.is_ok(), expected.is_ok()),
    }
    // The bytes as a document: a text in Base64, or anything else.
    if let Ok(filter) = serde_json::from_slice::<BloomFilter>(data) {
        assert!(BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap() == filter);
    }
}

/// With several threads, lookups and inserts give the same results as with one.
fn bulk(mut filter: BloomFilter) {
    assert_eq!(filter.contains_bulk(&KEYS[..], THREADS), filter.contains_many(&KEYS));
    let held: Vec<bool> = KEYS.iter().map(|key| filter.contains(*key)).collect();
    let inserted = filter.insert_bulk(&KEYS[..], THREADS).is_ok();
    for (key, held) in KEYS.iter().zip(held) {
        assert!(!(held || inserted) || filter.contains(*key));
    }
}

/// Bytes in the embedded form, with the hasher that the first byte chooses: unchanged, and with a
/// correct trailer.
pub fn embedded(data: &[u8]) {
    let Some((pick, data)) = data.split_first() else { return };
    let (scheme, domain) = match pick % 4 {
        0 => (Scheme::Xxh3, KeyDomain::Bytes),
        1 => (Scheme::Xxh64, KeyDomain::Integer),
        2 => (Scheme::Xxh3, KeyDomain::Utf16),
        _ => (Scheme::Xxh64, KeyDomain::Bytes),
    };
    let builder = BloomFilter::builder().scheme(scheme).key_domain(domain);
    // The other scheme has no seed.
    let (builder, seed) = match scheme {
        Scheme::Xxh3 => (builder.seed((pick / 4).into()), u64::from(pick / 4)),
        _ => (builder, 0),
    };
    let Ok(keys) = builder.key_hasher() else { return };
    let parts = (scheme.id(), domain.id(), seed);
    let whole = [Form::Bloom, Form::Ribbon, Form::Map].map(|form| fitting(data, form, parts));
    for data in [Some(data.to_vec())].into_iter().chain(whole).flatten() {
        embedded_under(&data, &keys, parts);
        embedded_ribbon(&data, &keys, parts);
        embedded_map(&data, &keys, parts);
    }
}

fn embedded_under(data: &[u8], keys: &KeyHasher, parts: (u8, u8, u64)) {
    let placed = Placed::new(data);
    let view = BloomFilter::view_embedded(placed.bytes(data.len()), keys);
    let Ok(mut filter) = BloomFilter::from_embedded(data, keys) else {
        assert!(view.is_err());
        return;
    };
    assert!(view.unwrap().into_owned().unwrap() == filter);
    assert_eq!(filter.to_embedded().unwrap(), data);
    assert_eq!(fitting(data, Form::Bloom, parts).unwrap(), data);
    let before = filter.contains_many(&KEYS);
    let again = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
    assert_eq!(again.contains_many(&KEYS), before);
    let _ = (filter.false_positive_rate(), filter.estimated_len(), filter.capacity());
    for key in KEYS {
        if filter.insert(key).is_ok() {
            assert!(filter.contains(key));
        }
    }
}

fn embedded_ribbon(data: &[u8], keys: &KeyHasher, parts: (u8, u8, u64)) {
    let placed = Placed::new(data);
    let view = RibbonFilter::view_embedded(placed.bytes(data.len()), keys);
    let Ok(mut filter) = RibbonFilter::from_embedded(data, keys) else {
        assert!(view.is_err());
        return;
    };
    let view = view.unwrap();
    assert!(view == filter && view.contains_many(&KEYS) == filter.contains_many(&KEYS));
    assert_eq!(filter.to_embedded().unwrap(), data);
    assert_eq!(fitting(data, Form::Ribbon, parts).unwrap(), data);
    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    assert!(*tepal::from_bytes(&bytes).unwrap().filter() == AnyFilter::from(filter.clone()));
    for key in KEYS {
        if filter.insert(key).is_ok() {
            assert!(filter.contains(key));
        }
    }
}

fn embedded_map(data: &[u8], keys: &KeyHasher, parts: (u8, u8, u64)) {
    let placed = Placed::new(data);
    let view = RibbonMap::view_embedded(placed.bytes(data.len()), keys);
    let Ok(map) = RibbonMap::from_embedded(data, keys) else {
        assert!(view.is_err());
        return;
    };
    let view = view.unwrap();
    assert!(view == map && view.get_many(&KEYS) == map.get_many(&KEYS));
    assert_eq!(map.to_embedded().unwrap(), data);
    assert_eq!(fitting(data, Form::Map, parts).unwrap(), data);
    let bytes = Opened::new(map.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    assert!(*tepal::from_bytes(&bytes).unwrap().filter() == AnyFilter::from(map));
}

/// The kind of an embedded form.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Bloom,
    Ribbon,
    Map,
}

/// The bytes with a correct version, check of the keys and checksum (FORMAT.md, sections 4.8 and
/// 4.8.1).
fn fitting(data: &[u8], form: Form, (scheme, domain, seed): (u8, u8, u64)) -> Option<Vec<u8>> {
    let mut data = data.to_vec();
    let trailer = data.len().checked_sub(16)?;
    let mut block = vec![scheme, domain, 0, 0, 0, 0, 0, 0];
    block.extend(seed.to_le_bytes());
    let keys = xxh3_64(&block);
    data[trailer] = [0xE1, 0xE2, 0xE3][form as usize];
    data[trailer + 6..trailer + 8].copy_from_slice(&keys.to_le_bytes()[..2]);
    // A ribbon has its numbers after the body: the bytes after the last whole line.
    let body_len = if form == Form::Bloom { trailer } else { trailer / 64 * 64 };
    if form != Form::Bloom {
        data[trailer + 1] = (trailer - body_len) as u8;
    }
    let (body, behind) = data.split_at(body_len);
    let said = &behind[..behind.len() - 8];
    let sum = xxh3_64_with_seed(said, xxh3_64_with_seed(body, keys));
    data[trailer + 8..].copy_from_slice(&sum.to_le_bytes());
    Some(data)
}
