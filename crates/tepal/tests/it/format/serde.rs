//! Filters as fields in serde's formats.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::Serialize;
use tepal::{AnyFilter, BloomFilter, Opened, SecretKey, file::Format};

#[derive(serde::Serialize, serde::Deserialize)]
struct Shard {
    name: String,
    seen: BloomFilter,
}

fn shard() -> Shard {
    Shard { name: "a".into(), seen: BloomFilter::builder().build_from(["apple", "pear"]).unwrap() }
}

/// A format whose values tell their own types, whatever is expected.
struct Any<D>(D);

impl<'de, D: serde::Deserializer<'de>> serde::Deserializer<'de> for Any<D> {
    type Error = D::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn text_and_binary_formats() {
    let shard = shard();
    let json = serde_json::to_string(&shard).unwrap();
    assert!(json.contains("iVRFUEFM"), "Base64 of the magic: {json}");
    let again: Shard = serde_json::from_str(&json).unwrap();
    assert!(again.seen == shard.seen && again.name == "a");

    let mut cbor = Vec::new();
    ciborium::into_writer(&shard, &mut cbor).unwrap();
    assert!(cbor.windows(8).any(|bytes| bytes == b"\x89TEPAL\r\n"), "bytes, not a list of numbers");
    let again: Shard = ciborium::from_reader(&cbor[..]).unwrap();
    assert!(again.seen == shard.seen);
    // A list of numbers is accepted too.
    let list = serde_json::to_vec(&shard.seen.to_bytes().unwrap()).unwrap();
    let mut json = serde_json::Deserializer::from_slice(&list);
    let seen = BloomFilter::deserialize(Any(&mut json)).unwrap();
    assert!(seen == shard.seen);
}

#[test]
fn whatever_is_wrong_is_refused() {
    let json = serde_json::to_string(&shard()).unwrap();
    for (from, to) in [("iVRFUEFM", "iVRFUEFN"), ("iVRFUEFM", "!"), ("=", ""), ("AAAA", "AAAB")] {
        let refused = serde_json::from_str::<Shard>(&json.replacen(from, to, 1)).map(|shard| shard.name);
        assert!(refused.is_err(), "{from} {to}");
    }
    let refused = serde_json::from_str::<BloomFilter>("7").unwrap_err().to_string();
    assert!(refused.contains("bytes of a tepal file"), "{refused}");
    for not_bytes in [vec![256], vec![-1]] {
        let list = serde_json::to_string(&not_bytes).unwrap();
        assert!(BloomFilter::deserialize(Any(&mut serde_json::Deserializer::from_str(&list))).is_err());
    }
}

#[test]
fn a_secret_filter_says_what_to_do() {
    let keyed = BloomFilter::builder().secret_key(SecretKey::new([1; 16])).capacity(10).build().unwrap();
    let refused = serde_json::to_string(&keyed).unwrap_err().to_string();
    assert!(refused.contains("secret key") && refused.contains("from_bytes_with_key"), "{refused}");
    // A filter with a secret key in the input.
    let json = serde_json::to_string(&STANDARD.encode(keyed.to_bytes().unwrap())).unwrap();
    let refused = serde_json::from_str::<BloomFilter>(&json).unwrap_err().to_string();
    assert!(refused.contains("secret"), "{refused}");
}

/// Writes a value in a field and reads it back unchanged, as its own type and as any filter.
fn comes_back<F>(filter: F, other: &str) -> String
where
    F: Serialize + for<'de> Deserialize<'de> + Clone + PartialEq + Into<AnyFilter>,
{
    let any: AnyFilter = filter.clone().into();
    let file = Opened::new(any.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let json = serde_json::to_string(&filter).unwrap();
    assert_eq!(json, std::format!("\"{}\"", STANDARD.encode(&file)));
    assert_eq!(json, serde_json::to_string(&any).unwrap());
    assert!(serde_json::from_str::<F>(&json).unwrap() == filter);
    assert!(serde_json::from_str::<AnyFilter>(&json).unwrap() == any);
    let mut cbor = Vec::new();
    ciborium::into_writer(&filter, &mut cbor).unwrap();
    assert!(cbor.ends_with(&file), "bytes, not a list of numbers");
    assert!(ciborium::from_reader::<F, _>(&cbor[..]).unwrap() == filter);
    let list = serde_json::to_vec(&file).unwrap();
    let mut list = serde_json::Deserializer::from_slice(&list);
    assert!(AnyFilter::deserialize(Any(&mut list)).unwrap() == any);

    // Another kind, and damage.
    let refused = serde_json::from_str::<F>(other).map(drop).unwrap_err().to_string();
    assert!(refused.contains("cannot be") && refused.contains("a filter of any kind"), "{refused}");
    let last = cbor.len() - 1;
    for at in [last, last - file.len() + 9, last - file.len() / 2] {
        cbor[at] ^= 4;
        assert!(ciborium::from_reader::<F, _>(&cbor[..]).map(drop).is_err(), "byte {at}");
        assert!(ciborium::from_reader::<AnyFilter, _>(&cbor[..]).map(drop).is_err(), "byte {at}");
        cbor[at] ^= 4;
    }
    assert!(ciborium::from_reader::<F, _>(&cbor[..last]).map(drop).is_err());
    json
}

/// Every kind needs a line here, otherwise this does not compile.
#[cfg(all(feature = "extras", feature = "table", feature = "static"))]
#[test]
fn every_kind_is_a_field() {
    use tepal::{hash::PreparedKeys, *};
    let keys = ["apple", "pear"];
    let bloom = || BloomFilter::builder().false_positive_rate(0.2).build_from(0..200u32).unwrap();
    let ribbon = || {
        let mut filter = RibbonFilter::builder().build_from(keys).unwrap();
        filter.insert("plum").unwrap();
        filter
    };
    let of_bloom = serde_json::to_string(&bloom()).unwrap();
    let of_ribbon = serde_json::to_string(&ribbon()).unwrap();
    let excepted = Opened::new(bloom(), Format::Tepal).unwrap();
    let stranger = (0..).map(|i: u32| i.to_string()).find(|key| excepted.contains(key)).unwrap();
    let (mut exceptions, mut strangers) = (Exceptions::new(), PreparedKeys::default());
    excepted.key_hasher().prepare(&stranger, &mut strangers).unwrap();
    assert_eq!(exceptions.take(excepted.filter(), &strangers), 1);
    let excepted = excepted.except(&exceptions).unwrap();
    let mut names = Vec::new();
    for any in [
        bloom().into(),
        BloomFilter::builder().capacity(10).build_growing().unwrap().into(),
        QuotientFilter::builder().capacity(10).build().unwrap().into(),
        ExpiringFilter::builder().capacity(10).window_of_keys(10).build().unwrap().into(),
        GrowingFilter::builder().build().unwrap().into(),
        SegmentFilter::builder().capacity(10).build().unwrap().into(),
        ribbon().into(),
        RibbonMap::builder().build_from([("a", 1)]).unwrap().into(),
        excepted.into_filter(),
    ] {
        names.push(any.kind().name());
        let json = match any.clone() {
            AnyFilter::Bloom(_) => of_bloom.clone(),
            AnyFilter::Scalable(filter) => comes_back(filter, &of_bloom),
            AnyFilter::Quotient(filter) => comes_back(filter, &of_ribbon),
            AnyFilter::Expiring(filter) => comes_back(filter, &of_bloom),
            AnyFilter::Growing(filter) => comes_back(filter, &of_bloom),
            AnyFilter::Segment(filter) => comes_back(filter, &of_bloom),
            AnyFilter::Ribbon(filter) => comes_back(filter, &of_bloom),
            AnyFilter::Map(filter) => comes_back(filter, &of_ribbon),
            // A type that ignores exceptions refuses it.
            AnyFilter::Excepted(_) => {
                let json = serde_json::to_string(&any).unwrap();
                let refused = serde_json::from_str::<BloomFilter>(&json).map(drop).unwrap_err().to_string();
                assert!(refused.contains("exceptions"), "{refused}");
                json
            }
            other => panic!("{other:?}"),
        };
        let again: AnyFilter = serde_json::from_str(&json).unwrap();
        assert!(again == any && again.exceptions() == any.exceptions());
        let is_bloom = serde_json::from_str::<BloomFilter>(&json).is_ok();
        assert_eq!(is_bloom, matches!(any, AnyFilter::Bloom(_)));
    }
    // Each kind, and one Bloom filter with exceptions.
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).chain([Kind::Bloom.name()]).collect();
    names.sort_unstable();
    assert!(kinds.iter().all(|kind| names.contains(kind)) && names.len() == kinds.len());
}

#[cfg(feature = "static")]
#[test]
fn a_secret_ribbon_says_what_to_do() {
    use tepal::RibbonFilter;
    let keyed = RibbonFilter::builder().secret_key(SecretKey::new([1; 16])).build_from(["apple"]).unwrap();
    let any = AnyFilter::from(keyed.clone());
    for refused in [serde_json::to_string(&keyed), serde_json::to_string(&any)] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("secret key") && refused.contains("Open::secret_key"), "{refused}");
    }
    let file = Opened::new(keyed, Format::Tepal).unwrap().to_bytes().unwrap();
    let json = serde_json::to_string(&STANDARD.encode(file)).unwrap();
    let refused = serde_json::from_str::<RibbonFilter>(&json).map(drop).unwrap_err().to_string();
    assert!(refused.contains("secret"), "{refused}");
}

/// Another program's bytes are not a tepal file, and another program's chain has no tepal file.
#[cfg(feature = "foreign")]
#[test]
fn other_programs_are_refused_in_words() {
    use tepal::Scheme;
    let guava = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(10).build().unwrap();
    let file = Opened::new(guava.clone(), Format::Guava).unwrap().to_bytes().unwrap();
    let json = serde_json::to_string(&STANDARD.encode(file)).unwrap();
    let refused = serde_json::from_str::<AnyFilter>(&json).map(drop).unwrap_err().to_string();
    assert!(refused.starts_with("not a tepal filter"), "{refused}");
    // The filter itself has one.
    let any = AnyFilter::from(guava);
    let json = serde_json::to_string(&any).unwrap();
    assert!(serde_json::from_str::<AnyFilter>(&json).unwrap() == any);
}
