//! Blobs that no server would load are refused, each for its own reason.

use tepal::{BloomFilter, Opened, Result, Scheme, file::Format};

use super::{with, written};
use crate::format::foreign as tests;

// The offsets of the numbers in a blob; a link begins with the length of its inner blob.
const RATE: usize = 5;

const TIGHTENING: usize = 13;

const IS_SEED_RANDOM: usize = 21;

const COUNT: usize = 22;

const LINKS: usize = 30;

const INNER_VERSION: usize = 38;

const SEED: usize = 51;

/// The blob of a filter of 200 keys at 1 %.
fn good() -> Vec<u8> {
    written((Format::ValkeyBloom, Scheme::ValkeyBloom), 200)
}

fn set(at: usize, bytes: &[u8]) -> Vec<u8> {
    with(&good(), at, bytes)
}

/// The blob with its one link repeated.
fn repeated(times: usize) -> Vec<u8> {
    let one = set(COUNT, &(times as u64).to_le_bytes());
    [&one[..LINKS], &one[LINKS..].repeat(times)].concat()
}

fn read(bytes: &[u8]) -> Result<Opened> {
    tests::read(Format::ValkeyBloom, bytes)
}

fn refused(bytes: &[u8], part: &str) {
    tests::refused(Format::ValkeyBloom, bytes, part);
}

#[test]
fn every_number_has_its_own_refusal() {
    for version in [0, 2] {
        refused(&set(0, &[version]), &format!("valkey-bloom object {version} is not known"));
        refused(&set(INNER_VERSION, &[version]), &format!("bloomfilter {version} is not known"));
    }
    for at in [RATE, TIGHTENING] {
        for value in [0.0, -0.5, 1.5, f64::NAN] {
            let part = format!("the rate or tightening ratio is {value}; it must be greater than 0");
            refused(&set(at, &value.to_le_bytes()), &part);
        }
        assert!(read(&set(at, &1.0f64.to_le_bytes())).is_ok());
    }
    refused(&set(IS_SEED_RANDOM, &[2]), "its random-seed mark is 2");
    let end = good().len();
    for (items, capacity) in [(201, 200), (200, 199), (0, 0)] {
        let numbers = [items, capacity].map(u64::to_le_bytes).concat();
        refused(&set(end - 16, &numbers), &format!("filter 0 says {items} items of {capacity}"));
    }
    for capacity in [1 << 62, i64::MAX as u64, u64::MAX] {
        refused(&set(end - 8, &capacity.to_le_bytes()), &format!("said to hold {capacity} keys"));
    }
    refused(&repeated(0), "it has no filter");
}

/// Filter j of a chain promises the rate times the tightening ratio to the power of j.
#[test]
fn each_link_promises_less_than_the_one_before() {
    let file = read(&repeated(4)).unwrap();
    let links = tests::parts(&file);
    let rates = links.iter().map(BloomFilter::promised_false_positive_rate);
    assert_eq!(rates.collect::<Vec<_>>(), [0.01, 0.005, 0.0025, 0.00125]);
    assert_eq!(file.to_bytes().unwrap(), repeated(4));
}

#[test]
fn links_share_their_seed() {
    let mut blob = repeated(2);
    let second = blob.len() - (good().len() - LINKS);
    blob[second + SEED - LINKS] ^= 1;
    refused(&blob, "filters under different seeds");
}

/// Only the seed that a server is configured to use is not random.
#[test]
fn the_mark_of_a_random_seed() {
    assert_eq!(good()[IS_SEED_RANDOM], 0);
    let other = BloomFilter::builder().valkey_seed([7; 32]).capacity(200).build().unwrap();
    let blob = Opened::new(other, Format::ValkeyBloom).unwrap().to_bytes().unwrap();
    assert_eq!((blob[IS_SEED_RANDOM], &blob[SEED..SEED + 32]), (1, &[7; 32][..]));
}
