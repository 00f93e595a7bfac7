//! Counters of parts give the same numbers as one counter of all keys, and as `Gather`.

use super::*;
use crate::ids::KeyDomain;
use crate::kinds::bloom::BloomFilter;

fn hasher() -> KeyHasher {
    BloomFilter::builder().key_domain(KeyDomain::Integer).key_hasher().unwrap()
}

fn of(hasher: &KeyHasher, keys: &[u64]) -> KeyCounter {
    let mut counter = KeyCounter::new(hasher.clone()).unwrap();
    counter.insert_many(keys).unwrap();
    counter
}

#[test]
fn other_bytes_are_refused() {
    for counter in [of(&hasher(), &[5, 6]), of(&hasher(), &(0..70_000).collect::<Vec<u64>>())] {
        let bytes = counter.to_bytes();
        let read = |bytes: &[u8]| KeyCounter::from_bytes(hasher(), bytes);
        assert_eq!(read(&bytes).unwrap().to_bytes(), bytes);
        for len in [0, 7, 8, 15, 16, bytes.len() - 1] {
            assert!(matches!(read(&bytes[..len]), Err(Error::Damaged { .. })), "{len} bytes");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(matches!(read(&longer), Err(Error::Damaged { .. })));
        for (at, byte) in [(0, b'T'), (15, 0xFF), (8, 200)] {
            let mut other = bytes.clone();
            other[at] = byte;
            // For more than `FEW` keys, any larger number of keys is possible.
            let as_good = counter.keys() > FEW && at > 7;
            assert_eq!(read(&other).is_ok(), as_good, "byte {at}");
        }
    }
}
