//! Every single-bit flip, every truncation and every appended byte of some small files is refused.

use tepal_reference::bits::Layout;
use tepal_reference::decode::{decode, decode_with};
use tepal_reference::encode::{encode, encode_sealed};
use tepal_reference::filter::{Filter, Policy, UNKNOWN};
use tepal_reference::hash::{Scheme, xxh3};
use tepal_reference::key::{Domain, Key};
use tepal_reference::records::{FIELD, NAME, Record, SEED, SOURCE};
use tepal_reference::schemes::{Md5Split, Own};

const SECRET: [u8; 16] = *b"sixteen secrets!";

/// The key to open the filter's file with.
fn secret(filter: &Filter) -> Option<&'static [u8; 16]> {
    match filter.scheme {
        Scheme::SipHash13 { .. } => Some(&SECRET),
        _ => None,
    }
}

/// One small filter of each layout, with and without records, under schemes 1 and 2; then some of the other
/// schemes, with bits that do not fill their last byte.
fn filters() -> Vec<Filter> {
    let mut filters = Vec::new();
    for (layout, k, units, scheme) in [
        (Layout::Line, 6, 1, Scheme::Xxh3 { seed: 0 }),
        (Layout::Double, 7, 2, Scheme::SipHash13 { key: SECRET }),
        (Layout::SplitBlock, 8, 3, Scheme::Xxh3 { seed: 9 }),
        (Layout::Scattered, 5, 1, Scheme::SipHash13 { key: SECRET }),
    ] {
        let mut filter = Filter::new(layout, k, units * layout.unit(), scheme, Domain::Bytes).unwrap();
        for i in 0..10 {
            filter.insert(Key::Integer(i)).unwrap();
        }
        if layout != Layout::Line {
            filter.records = vec![Record::new(NAME, "small"), Record::new(FIELD, "id")];
            filter.recipe = 3;
            filter.policy = Policy::Ignore;
            filter.keys_inserted = UNKNOWN;
        }
        filters.push(filter);
    }
    let rule = Md5Split { little_endian: false, from_zero: true, wrapping: true };
    for (scheme, k, bit_len) in [
        (Scheme::Xxh64, 5, 128),
        (Scheme::Own(Own::Dcso), 1, 36),
        (Scheme::Own(Own::Md5Split(rule)), 4, 601),
        (Scheme::Own(Own::ValkeyBloom { seed: [0xA5; 32] }), 6, 408),
    ] {
        let mut filter = Filter::new(Layout::Scattered, k, bit_len, scheme, Domain::Float32).unwrap();
        for i in 0..10 {
            filter.insert(Key::Integer(i)).unwrap();
        }
        filter.records = vec![Record::new(FIELD, "id")];
        filters.push(filter);
    }
    filters
}

#[test]
fn reading_gives_the_filter_and_writing_it_again_the_same_bytes() {
    for filter in filters() {
        let file = encode(&filter).unwrap();
        let read = decode(&file, secret(&filter)).unwrap();
        assert_eq!(read, filter);
        assert_eq!(encode(&read).unwrap(), file);
    }
}

#[test]
fn every_single_bit_flip_is_refused() {
    for filter in filters() {
        let mut file = encode(&filter).unwrap();
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&file, secret(&filter)).is_err(), "{:?}, bit {bit}", filter.layout);
            file[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(decode(&file, secret(&filter)).is_ok());
    }
}

#[test]
fn every_truncation_and_extension_is_refused() {
    for filter in filters() {
        let mut file = encode(&filter).unwrap();
        for len in 0..file.len() {
            assert!(decode(&file[..len], secret(&filter)).is_err(), "{:?}, length {len}", filter.layout);
        }
        file.push(0);
        assert!(decode(&file, secret(&filter)).is_err());
    }
}

#[test]
fn every_flip_truncation_and_extension_of_a_sealed_file_is_refused() {
    let seal_key = b"the key of this seal";
    for filter in filters() {
        let read = |file: &[u8]| decode_with(file, secret(&filter), Some(seal_key));
        let mut file = encode_sealed(&filter, seal_key).unwrap();
        assert_eq!(read(&file).unwrap(), filter);
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&file).is_err(), "{:?}, bit {bit}", filter.layout);
            file[bit / 8] ^= 1 << (bit % 8);
        }
        for len in 0..file.len() {
            assert!(read(&file[..len]).is_err(), "{:?}, length {len}", filter.layout);
        }
        file.push(0);
        assert!(read(&file).is_err());
    }
}

#[test]
fn optional_flags_and_optional_records_are_ignored() {
    for mut filter in filters() {
        let plain = filter.clone();
        filter.records.push(Record::new(0x8001, "from a later version"));
        let mut file = encode(&filter).unwrap();
        file[28..32].copy_from_slice(&0xFFFF_FFFFu32.to_le_bytes());
        let end = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize - 8;
        let checksum = xxh3(&file[..end], 0);
        file[end..end + 8].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(decode(&file, secret(&filter)).unwrap(), plain);
    }
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let good = filters().remove(0);
    let changes: [fn(&mut Filter); 11] = [
        |filter| filter.capacity = 0,
        |filter| filter.rate = f64::NAN,
        |filter| filter.rate = 0.0,
        |filter| filter.rate = 1.0,
        |filter| filter.recipe = 4,
        |filter| filter.num_hashes = 17,
        |filter| filter.bits.push(false),
        |filter| filter.scheme = Scheme::Own(Own::Dcso),
        |filter| filter.scheme = Scheme::Own(Own::RedisBloom),
        |filter| filter.records = vec![Record::new(SEED, &"a".repeat(64))],
        |filter| filter.records = vec![Record::new(SOURCE, "b"), Record::new(NAME, "a")],
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut filter = good.clone();
        change(&mut filter);
        assert!(encode(&filter).is_err(), "change {i}");
    }
}
