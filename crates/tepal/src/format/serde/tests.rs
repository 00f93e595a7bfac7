use alloc::string::ToString;
use alloc::vec;

use super::*;
use crate::SecretKey;

#[derive(serde::Serialize, serde::Deserialize)]
struct Shard {
    name: String,
    seen: BloomFilter,
}

fn shard() -> Shard {
    Shard { name: "a".into(), seen: BloomFilter::builder().build_from(["apple", "pear"]).unwrap() }
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
    // A list of numbers is taken too.
    let list = serde_json::to_vec(&shard.seen.to_bytes().unwrap()).unwrap();
    let mut json = serde_json::Deserializer::from_slice(&list);
    let seen = json.deserialize_any(File).unwrap();
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
        assert!(serde_json::Deserializer::from_str(&list).deserialize_any(File).is_err());
    }
}

#[test]
fn a_secret_filter_says_what_to_do() {
    let keyed = BloomFilter::builder().secret_key(SecretKey::new([1; 16])).capacity(10).build().unwrap();
    let refused = serde_json::to_string(&keyed).unwrap_err().to_string();
    assert!(refused.contains("secret key") && refused.contains("from_bytes_with_key"), "{refused}");
    // One that comes all the same.
    let json = serde_json::to_string(&STANDARD.encode(keyed.to_bytes().unwrap())).unwrap();
    let refused = serde_json::from_str::<BloomFilter>(&json).unwrap_err().to_string();
    assert!(refused.contains("secret"), "{refused}");
}
