//! `schemes.json`, as far as the library's calls show it: keys under the key domains of other
//! programs, by the bits that they set. Positions, limits and inner hashes are tested beside the
//! schemes (`key/schemes/tests.rs`).

use serde_json::Value;
use tepal::{BloomFilter, KeyDomain, KeyRef, Scheme, builders::BloomFilterBuilder};

use super::{bytes, cases, number, small, text, vectors};

/// The only key's positions, as a set.
fn positions(case: &Value) -> Vec<u64> {
    let mut positions: Vec<u64> = case["positions"].as_array().unwrap().iter().map(number).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

fn set(bits: &[u8]) -> Vec<u64> {
    (0..8 * bits.len() as u64).filter(|p| bits[(p / 8) as usize] >> (p % 8) & 1 != 0).collect()
}

fn builder(case: &Value, domain: KeyDomain) -> BloomFilterBuilder {
    let scheme: Scheme = text(case, "scheme").parse().unwrap();
    let parameters = number(&case["parameters"]);
    let builder = BloomFilter::builder().scheme(scheme).capacity(100).key_domain(domain);
    let builder = builder.num_hashes(small(case, "num_hashes")).bit_len(number(&case["bit_len"]));
    if scheme == Scheme::SparkV2 { builder.seed(parameters) } else { builder }
}

#[test]
fn keys_of_other_programs_set_their_bits() {
    let file = vectors("schemes.json");
    for case in cases(&file, "domains") {
        let (domain, value) = (text(case, "key_domain").parse().unwrap(), text(case, "value"));
        // A number and its text are the same key.
        let mut keys = vec![KeyRef::Bytes(value.as_bytes())];
        if text(case, "given") == "integer" {
            match (value.parse(), value.parse()) {
                (Ok(unsigned), _) => keys.push(KeyRef::Unsigned(unsigned)),
                (_, Ok(signed)) => keys.push(KeyRef::Signed(signed)),
                _ => panic!("{case}"),
            }
        }
        let raw = bytes(text(case, "bytes"));
        let mut filters: Vec<BloomFilter> = Vec::new();
        for key in keys {
            let mut filter = builder(case, domain).build().unwrap();
            filter.insert(&key).unwrap();
            assert!(filter.contains(&key), "{case}");
            filters.push(filter);
        }
        // The bytes that are hashed, as a key of their own.
        let mut filter = builder(case, KeyDomain::Bytes).build().unwrap();
        filter.insert(&raw).unwrap();
        filters.push(filter);
        for filter in filters {
            assert_eq!(set(&filter.to_bits().unwrap()), positions(case), "{case}");
        }
    }
}
