//! Filters in serde's formats: every kind, small and large, through a text format and three binary
//! ones, from a slice and from a reader.

use std::io::Read;

use serde::{Serialize, de::DeserializeOwned};
use tepal::{AnyFilter, BloomFilter, Opened, file::Format};

/// A reader that gives few bytes at a time, as a socket does.
struct Few<'a>(&'a [u8]);

impl Read for Few<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(1000);
        self.0.read(&mut into[..most])
    }
}

/// The value as it comes back from a format, from a slice and from a reader.
fn read_again<T: Serialize + DeserializeOwned>(value: &T) -> Vec<(&'static str, T)> {
    let json = serde_json::to_vec(value).unwrap();
    let mut cbor = Vec::new();
    ciborium::into_writer(value, &mut cbor).unwrap();
    let postcard = postcard::to_stdvec(value).unwrap();
    let bincode = bincode::serialize(value).unwrap();
    let mut scratch = vec![0; postcard.len()];
    vec![
        ("JSON, a slice", serde_json::from_slice(&json).unwrap()),
        ("JSON, a text", serde_json::from_str(std::str::from_utf8(&json).unwrap()).unwrap()),
        ("JSON, a value", serde_json::from_value(serde_json::from_slice(&json).unwrap()).unwrap()),
        ("JSON, a reader", serde_json::from_reader(Few(&json)).unwrap()),
        ("CBOR, a slice", ciborium::from_reader(&cbor[..]).unwrap()),
        ("CBOR, a reader", ciborium::from_reader(Few(&cbor)).unwrap()),
        ("postcard, a slice", postcard::from_bytes(&postcard).unwrap()),
        ("postcard, a reader", postcard::from_io((Few(&postcard), &mut scratch[..])).unwrap().0),
        ("bincode, a slice", bincode::deserialize(&bincode).unwrap()),
        ("bincode, a reader", bincode::deserialize_from(Few(&bincode)).unwrap()),
    ]
}

/// A filter among other fields, in a list.
#[derive(serde::Serialize, serde::Deserialize)]
struct Shard<F> {
    name: String,
    seen: Vec<F>,
    number: u32,
}

fn check<F>(name: &str, filter: &F, any: &AnyFilter)
where
    F: Serialize + DeserializeOwned + PartialEq + Clone,
{
    for (format, again) in read_again(filter) {
        assert!(again == *filter, "{name}, {format}");
    }
    for (format, again) in read_again(any) {
        assert!(again == *any, "{name}: AnyFilter, {format}");
    }
    let shard = Shard { name: "a".into(), seen: vec![filter.clone(), filter.clone()], number: 7 };
    for (format, again) in read_again(&shard) {
        let Shard { name: shard, seen, number } = again;
        assert!((shard.as_str(), number) == ("a", 7), "{name}, {format}");
        assert!(seen.len() == 2 && seen.iter().all(|seen| seen == filter), "{name}, {format}");
    }
}

/// A filter of each kind, for this many keys.
fn filters(keys: u32) -> Vec<AnyFilter> {
    let capacity = keys.into();
    let bloom = || BloomFilter::builder().capacity(capacity).false_positive_rate(0.003).build().unwrap();
    let mut all: Vec<AnyFilter> = vec![bloom().into()];
    #[cfg(feature = "extras")]
    {
        use tepal::{Exceptions, hash::PreparedKeys};
        let chain = BloomFilter::builder().capacity(capacity).false_positive_rate(0.003);
        all.push(chain.build_growing().unwrap().into());
        let mut file = Opened::new(bloom(), Format::Tepal).unwrap();
        file.insert("apple").unwrap();
        let mut others = PreparedKeys::default();
        file.key_hasher().prepare("apple", &mut others).unwrap();
        let mut exceptions = Exceptions::new();
        assert_eq!(exceptions.take(file.filter(), &others), 1);
        all.push(file.except(&exceptions).unwrap().into_filter());
    }
    #[cfg(feature = "table")]
    {
        use tepal::{ExpiringFilter, GrowingFilter, QuotientFilter, SegmentFilter};
        all.push(QuotientFilter::builder().capacity(capacity).build().unwrap().into());
        all.push(GrowingFilter::builder().first(capacity).build().unwrap().into());
        all.push(ExpiringFilter::builder().capacity(capacity).window_of_time(60).build().unwrap().into());
        all.push(SegmentFilter::builder().capacity(capacity).build().unwrap().into());
    }
    #[cfg(feature = "static")]
    {
        use tepal::{RibbonFilter, RibbonMap};
        all.push(RibbonFilter::builder().false_positive_rate(0.001).build_from(0..keys).unwrap().into());
        let pairs = (0..keys).map(|key| (key, key % 8));
        all.push(RibbonMap::builder().build_from(pairs).unwrap().into());
    }
    all
}

#[test]
fn every_kind_is_read_again_whatever_its_size() {
    for (keys, least, most) in [(1, 0, 1000), (900_000, 1 << 20, 4 << 20)] {
        let all = filters(keys);
        for any in &all {
            let name = format!("{} for {keys} keys", any.kind());
            let len = Opened::new(any.clone(), Format::Tepal).unwrap().to_bytes().unwrap().len();
            assert!((least..most).contains(&len), "{name}: {len}");
            match any {
                AnyFilter::Bloom(own) => check(&name, own, any),
                #[cfg(any(feature = "foreign", feature = "extras"))]
                AnyFilter::Scalable(own) => check(&name, own, any),
                #[cfg(feature = "table")]
                AnyFilter::Quotient(own) => check(&name, own, any),
                #[cfg(feature = "table")]
                AnyFilter::Growing(own) => check(&name, own, any),
                #[cfg(feature = "table")]
                AnyFilter::Expiring(own) => check(&name, own, any),
                #[cfg(feature = "table")]
                AnyFilter::Segment(own) => check(&name, own, any),
                #[cfg(feature = "static")]
                AnyFilter::Ribbon(own) => check(&name, own, any),
                #[cfg(feature = "static")]
                AnyFilter::Map(own) => check(&name, own, any),
                #[cfg(feature = "extras")]
                AnyFilter::Excepted(_) => check(&name, any, any),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

/// The size at which a reader of CBOR stopped lending bytes.
#[test]
fn no_size_is_too_large_for_a_reader() {
    for keys in [3000, 3400, 4000, 8000] {
        let filter = BloomFilter::builder().build_from(0..keys).unwrap();
        check(&format!("{keys} keys"), &filter, &filter.clone().into());
    }
}

/// Damage in a format's bytes is refused, and a length that is not there allocates nothing.
#[test]
fn what_is_cut_or_forged_is_refused() {
    let filter = BloomFilter::builder().build_from(0..8000u32).unwrap();
    let postcard = postcard::to_stdvec(&filter).unwrap();
    let bincode = bincode::serialize(&filter).unwrap();
    let mut cbor = Vec::new();
    ciborium::into_writer(&filter, &mut cbor).unwrap();
    for cut in [0, 1, 100, 4097] {
        assert!(postcard::from_bytes::<AnyFilter>(&postcard[..cut]).is_err(), "{cut}");
        assert!(bincode::deserialize_from::<_, AnyFilter>(Few(&bincode[..cut])).is_err(), "{cut}");
        assert!(ciborium::from_reader::<AnyFilter, _>(Few(&cbor[..cut])).is_err(), "{cut}");
    }
    // CBOR's byte string of 2^60 bytes.
    let forged = [&[0x5B, 0x10, 0, 0, 0, 0, 0, 0, 0][..], &cbor[3..]].concat();
    assert!(ciborium::from_reader::<BloomFilter, _>(Few(&forged)).is_err());
    for at in (20..cbor.len()).step_by(997) {
        let mut damaged = cbor.clone();
        damaged[at] ^= 4;
        assert!(ciborium::from_reader::<BloomFilter, _>(&damaged[..]).is_err(), "{at}");
    }
}
