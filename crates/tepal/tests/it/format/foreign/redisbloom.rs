//! Chains that no server would load are refused, each for its own reason.

use tepal::{BloomFilter, Error, Opened, Result, Scheme, facts::Form, file::Format};

use super::{with, written};
use crate::format::foreign as tests;

// The offsets of the numbers in a file of one filter.
const TOTAL: usize = 12;

const OPTIONS: usize = 24;

const ERROR: usize = 56;

const PER_ENTRY: usize = 64;

const HASHES: usize = 72;

const ENTRIES: usize = 76;

const N2: usize = 84;

/// The pair with the bits.
const PAIR: usize = 85;

const BODY: usize = PAIR + 12;

/// The file of a filter of 200 keys at 1 %: 7 bits a key.
fn good() -> Vec<u8> {
    written((Format::RedisBloom, Scheme::RedisBloom), 200)
}

fn set(at: usize, bytes: &[u8]) -> Vec<u8> {
    with(&good(), at, bytes)
}

fn read(bytes: &[u8]) -> Result<Opened> {
    tests::read(Format::RedisBloom, bytes)
}

fn refused(bytes: &[u8], part: &str) {
    tests::refused(Format::RedisBloom, bytes, part);
}

#[test]
fn every_number_has_its_own_refusal() {
    let total = u64::from_le_bytes(good()[TOTAL..][..8].try_into().unwrap());
    for wrong in [total - 1, total + 1, 0, u64::MAX] {
        refused(
            &set(TOTAL, &wrong.to_le_bytes()),
            &format!("its number of items is {wrong}, which is not that of its filters (1)"),
        );
    }
    // Sizes not rounded, hashes of 64 bits, one filter that does not grow.
    assert_eq!(good()[OPTIONS..][..4], [1 + 4 + 8, 0, 0, 0]);
    assert!(read(&set(OPTIONS, &[4])).is_ok());
    for (options, part) in [
        (0, "RedisBloom filter of 32-bit hashes, options 0"),
        (9, "RedisBloom filter of 32-bit hashes, options 9"),
        (16 + 5, "RedisBloom options 21 is not known"),
    ] {
        refused(&set(OPTIONS, &[options]), part);
    }
    for error in [0.0, 1.0, -0.5, 2.0, f64::NAN] {
        refused(&set(ERROR, &error.to_le_bytes()), "a filter says error");
    }
    for hashes in [0, 6, 8] {
        refused(&set(HASHES, &[hashes]), "9.58505837736744");
    }
    refused(&set(ENTRIES, &[0; 8]), "a filter says 1920 bits, a modulus of 2^0 and 0 entries");
}

/// The modulus may be recorded as a power of two; then it is the number of bits.
#[test]
fn the_modulus_is_the_number_of_bits() {
    for n2 in [1, 10, 11, 63, 64, 255] {
        let part = format!("a filter says 1920 bits, a modulus of 2^{n2} and 200 entries");
        refused(&set(N2, &[n2]), &part);
    }
    let filter = BloomFilter::builder().scheme(Scheme::RedisBloom).bit_len(2048).capacity(200);
    let file = Opened::new(filter.build().unwrap(), Format::RedisBloom).unwrap();
    let mut bytes = file.to_bytes().unwrap();
    for n2 in [0, 10, 11, 12, 63, 64, 255] {
        bytes[N2] = n2;
        assert_eq!(read(&bytes).is_ok(), n2 == 0 || n2 == 11, "2^{n2}");
    }
}

/// The bits may be in any number of pieces, but complete, in order, and none empty.
#[test]
fn pairs() {
    let good = good();
    let body = &good[BODY..];
    let with = |pairs: &[(u64, &[u8])]| {
        let mut bytes = good[..PAIR].to_vec();
        for (iterator, data) in pairs {
            bytes.extend(iterator.to_le_bytes());
            bytes.extend((data.len() as u32).to_le_bytes());
            bytes.extend_from_slice(data);
        }
        bytes
    };
    let len = body.len() as u64;
    assert_eq!(with(&[(len + 1, body)]), good);
    for pieces in
        [&[(101, &body[..100]), (len + 1, &body[100..])][..], &[(2, &body[..1]), (len + 1, &body[1..])]]
    {
        assert_eq!(read(&with(pieces)).unwrap().to_bytes().unwrap(), good);
    }
    let longer = [body, &[0]].concat();
    for pieces in [
        &[(len, body)][..],
        &[(len + 2, body)],
        &[(len + 2, &longer)],
        &[(1, &[]), (len + 1, body)],
        &[(100, &body[..100]), (len + 1, &body[100..])],
        &[(101, &body[..100]), (len + 2, &longer[100..])],
    ] {
        refused(&with(pieces), "which is not what comes next");
    }
}

/// A single filter is written with its own bits an entry if these give its k, otherwise with others
/// that do.
#[test]
fn bits_an_entry_give_the_hashes() {
    let own = |k| {
        let builder = BloomFilter::builder().scheme(Scheme::RedisBloom).capacity(200);
        let filter = builder.false_positive_rate(0.01).num_hashes(k).build().unwrap();
        Opened::new(filter, Format::RedisBloom).unwrap().to_bytes().unwrap()
    };
    for (k, per_entry) in [(7, 9.585_058_377_367_446), (3, 3.606_737_602_222_4)] {
        let bytes = own(k);
        let found = f64::from_le_bytes(bytes[PER_ENTRY..][..8].try_into().unwrap());
        assert!((found - per_entry).abs() < 1e-9, "{k}: {found}");
        assert_eq!(tests::parts(&read(&bytes).unwrap())[0].num_hashes(), k);
    }
}

/// The payload of a filter of 100 keys.
fn dump() -> (Opened, Vec<u8>) {
    let file = Opened::new(tests::filter(Scheme::RedisBloom, 100), Format::RedisBloom).unwrap();
    let dump = file.clone().in_form(Form::Dump).unwrap().to_bytes().unwrap();
    (file, dump)
}

/// The other form of a file has a checksum, which detects every change.
#[test]
fn a_dump_has_a_checksum() {
    let (_, dump) = dump();
    let file = tepal::from_bytes(&dump).unwrap();
    let facts = file.facts().unwrap().file.unwrap();
    assert!(facts.has_checksum && file.format() == Format::RedisBloom);
    assert_eq!((facts.format, facts.file_len), (Format::RedisBloom, dump.len() as u64));
    assert_eq!(file.to_bytes().unwrap(), dump);
    for at in 0..dump.len() {
        let mut changed = dump.clone();
        changed[at] ^= 0x20;
        assert!(read(&changed).is_err(), "byte {at}");
    }
}

/// `redis-cli --raw dump KEY > FILE` adds a line end after the payload. Line ends, and no other
/// bytes, have their own message.
#[test]
fn a_line_end_behind_a_dump() {
    let (_, dump) = dump();
    let looks = |bytes: &[u8]| {
        let told = tepal::Open::new().format(Format::RedisBloom).from_bytes(bytes);
        let errors = [told.map(drop), tepal::from_bytes(bytes).map(drop)];
        let all = errors.map(|error| {
            matches!(error, Err(Error::NotTepal { found: tepal::error::Looks::DumpAndLineEnd, .. }))
        });
        assert!(all[0] == all[1]);
        all[0]
    };
    for more in [&b"\n"[..], b"\n\n", b"\r\n", b"\r"] {
        assert!(looks(&[&dump[..], more].concat()), "{more:?}");
    }
    for more in [&b" "[..], b"\n \n", b"\n\n\n\n\n"] {
        assert!(!looks(&[&dump[..], more].concat()), "{more:?}");
    }
    // A payload that is damaged too, a short one, and one whose own last byte is a line end.
    let mut damaged = [&dump[..], b"\n"].concat();
    damaged[20] ^= 1;
    assert!(!looks(&damaged));
    for len in 0..dump.len() {
        assert!(!looks(&[&dump[..len], b"\n"].concat()), "{len}");
    }
}
