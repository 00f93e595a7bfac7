//! A bitset may have another length than the filter's m.

use super::super::tests;
use super::*;
use crate::Opened;
use crate::key::schemes::{Hasher, Parameters};

/// A file with these numbers and words.
fn file(m: u64, k: u64, len: u64, words: &[u64]) -> Vec<u8> {
    [m, k, len].iter().chain(words).flat_map(|number| number.to_be_bytes()).collect()
}

fn read(bytes: &[u8]) -> Result<Opened> {
    tests::read(Format::BitsAndBlooms, bytes)
}

#[test]
fn a_bitset_may_be_longer_or_shorter() {
    let empty = [0; 1025];
    for (m, len, words) in [
        (100, 100, &[u64::MAX, (1 << 36) - 1][..]),
        (100, 256, &[u64::MAX, (1 << 36) - 1, 0, 0]),
        (100, 0, &[]),
        (100, 64, &[1 << 63]),
        // The memory of 1024 words that are not in the file.
        (64 * 1024, 0, &[]),
        (64 * 1025, 64, &[1]),
        (64 * 1025 + 1, 64 * 1025, &empty),
    ] {
        let bytes = file(m, 3, len, words);
        let again = read(&bytes).unwrap();
        assert_eq!(again.to_bytes().unwrap(), bytes, "{m} bits, {len}");
        let set: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        assert_eq!(tests::parts(&again)[0].set_bits(), set, "{m} bits, {len}");
    }
    for (m, len, words, part) in [
        (100, 256, &[0, 0, 1, 0][..], "bits are set beyond the last one, 99"),
        (100, 256, &[1, 0, 0, 1], "bits are set beyond the last one, 99"),
        (100, 128, &[0, 1 << 36], "bits are set beyond the last one, 99"),
        (100, 100, &[0, 1 << 36], "bits are set beyond the bitset's end, 100"),
        (64 * 1024 + 1, 0, &[], "65537 bits are named, and its bitset has 0"),
        (64 * 1025 + 1, 64, &[1], "65601 bits are named, and its bitset has 64"),
        (100, 100, &[0], "its bitset says 100 bits, and 8 bytes of words follow"),
    ] {
        tests::refused(Format::BitsAndBlooms, &file(m, 3, len, words), part);
    }
}

#[test]
fn a_bitset_grows_to_the_highest_bit_that_is_set() {
    let mut grown = read(&file(5000, 3, 0, &[])).unwrap();
    let mut needed = 0;
    let scheme = match Hasher::new(Scheme::BitsAndBlooms, &Parameters::default()).unwrap() {
        Hasher::Own(own) => *own,
        Hasher::Hash(hash) => panic!("{hash:?}"),
    };
    for key in ["570108428378", "a", "b", "c", "d", "e"] {
        scheme.all(key.as_bytes(), 3, 5000, |position| {
            needed = needed.max(position + 1);
            true
        });
        grown.insert(key).unwrap();
        let bytes = grown.to_bytes().unwrap();
        assert_eq!(bytes[16..24], needed.to_be_bytes(), "{key}");
        assert_eq!(bytes.len() as u64, 24 + 8 * needed.div_ceil(64), "{key}");
        assert!(read(&bytes).unwrap().filter().contains(key));
    }
}
