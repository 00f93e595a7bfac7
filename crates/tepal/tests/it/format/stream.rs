//! Files that are written to a stream and read from one.

use std::io;
use std::io::Read;

use tepal::{BloomFilter, Error, Open, SecretKey, error::Looks};

#[test]
fn files_stand_one_after_the_other() {
    let mut stream = Vec::new();
    let filters: Vec<BloomFilter> = [1, 100, 100_000u64]
        .iter()
        .map(|&keys| BloomFilter::builder().capacity(keys).build_from(0..keys).unwrap())
        .collect();
    for filter in &filters {
        filter.write_to(&mut stream).unwrap();
    }
    stream.extend(b"what follows");
    let mut stream = &stream[..];
    for filter in &filters {
        assert!(BloomFilter::read_from(&mut stream).unwrap() == *filter);
    }
    assert_eq!(stream, b"what follows");
    let error = BloomFilter::read_from(&mut stream).unwrap_err();
    assert!(matches!(&error, Error::NotTepal { found: Looks::Text(_), .. }), "{error}");
    assert!(matches!(BloomFilter::read_from(&[][..]), Err(Error::NotTepal { found: Looks::Empty, .. })));
}

#[test]
fn cut_files_are_refused_before_memory_is_taken() {
    let bytes = BloomFilter::builder().build_from(["a"]).unwrap().to_bytes().unwrap();
    for len in 0..bytes.len() {
        assert!(BloomFilter::read_from(&bytes[..len]).is_err(), "{len}");
    }
    // A length with too few bytes after it.
    let mut long = bytes.clone();
    long[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = BloomFilter::read_from(&long[..]).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
    long[16..24].copy_from_slice(&3u64.to_le_bytes());
    assert!(BloomFilter::read_from(&long[..]).is_err());
}

/// A wrong length consumes no bytes of the next file.
#[test]
fn a_damaged_header_is_not_believed() {
    let bytes = BloomFilter::builder().build_from(["a"]).unwrap().to_bytes().unwrap();
    for bit in 8 * 16..8 * 24 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let mut stream = damaged.as_slice().chain(io::repeat(7));
        assert!(BloomFilter::read_from(&mut stream).is_err());
    }
}

/// A reader that returns one byte at a time, and then an error.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let [first, rest @ ..] = self.0 else { return Err(io::ErrorKind::ConnectionReset.into()) };
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn readers_may_be_slow_and_fail() {
    let filter = BloomFilter::builder().build_from(["a"]).unwrap();
    let bytes = filter.to_bytes().unwrap();
    assert!(BloomFilter::read_from(Slow(&bytes)).unwrap() == filter);
    for len in [0, 10, 24, 100] {
        let error = BloomFilter::read_from(Slow(&bytes[..len])).unwrap_err();
        assert!(matches!(&error, Error::Io { doing, .. } if doing == "reading a filter"), "{error}");
    }
}

#[test]
fn keys_are_asked_for() {
    let key = SecretKey::generate().unwrap();
    assert_ne!(key, SecretKey::generate().unwrap());
    let filter = BloomFilter::builder().secret_key(key.clone()).build_from(["a"]).unwrap();
    let bytes = filter.to_bytes().unwrap();
    assert!(matches!(BloomFilter::read_from(&bytes[..]), Err(Error::KeyRequired)));
    let again = SecretKey::new(*key.as_bytes());
    assert!(Open::new().secret_key(&again).read_from(&bytes[..]).unwrap().contains("a"));
}
