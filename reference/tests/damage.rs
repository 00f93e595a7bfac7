//! Every single-bit flip, every truncation and every appended byte of some small files is refused.

use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::filter::{Filter, UNKNOWN};
use tepal_reference::hash::{finish, siphash13, xxh3};
use tepal_reference::read::read;
use tepal_reference::write::{KEY_CHECK, write};

const SECRET: [u8; 16] = *b"sixteen secrets!";

/// The key to open the filter's file with.
fn secret(filter: &Filter) -> Option<&'static [u8; 16]> {
    if filter.scheme == 2 { Some(&SECRET) } else { None }
}

fn record(tag: u16, value: &str) -> (u16, String) {
    (tag, value.to_string())
}

/// One small filter of each layout, with and without records, under schemes 1 and 2; then some of
/// the other schemes, with bits that do not fill their last byte.
fn filters() -> Vec<Filter> {
    let mut filters = Vec::new();
    for (layout, scheme, k, bit_len, parameter) in [
        (LINE, 1, 6, 512, 0),
        (DOUBLE, 2, 7, 2 * 512, siphash13(&SECRET, KEY_CHECK)),
        (SPLIT_BLOCK, 1, 8, 3 * 256, 9),
        (SCATTERED, 2, 5, 64, siphash13(&SECRET, KEY_CHECK)),
    ] {
        let mut filter = Filter::new(layout, scheme, k, bit_len);
        filter.parameter = parameter;
        if scheme == 2 {
            filter.secret = SECRET;
        }
        insert_ten(&mut filter);
        if layout != LINE {
            filter.records = vec![record(1, "small"), record(4, "id")];
            filter.recipe = 3;
            filter.policy = 3;
            filter.keys_inserted = UNKNOWN;
        }
        filters.push(filter);
    }
    for (scheme, parameter, k, bit_len) in [(3, 0, 5, 128), (26, 0, 1, 36), (17, 6, 4, 601), (28, 0, 6, 408)]
    {
        let mut filter = Filter::new(SCATTERED, scheme, k, bit_len);
        filter.parameter = parameter;
        filter.domain = 5;
        filter.records = vec![record(4, "id")];
        if scheme == 28 {
            filter.records.push(record(5, &"a5".repeat(32)));
        }
        insert_ten(&mut filter);
        filters.push(filter);
    }
    let mut filter = Filter::new(LINE, 4, 6, 512);
    filter.records = vec![record(4, "id"), record(6, "some hash, finished")];
    (1..=10).for_each(|h| filter.insert_hash(finish(h)));
    filters.push(filter);
    filters
}

fn insert_ten(filter: &mut Filter) {
    for i in 0..10 {
        filter.insert(i.to_string().as_bytes()).unwrap();
    }
}

#[test]
fn reading_gives_the_filter_and_writing_it_again_the_same_bytes() {
    for filter in filters() {
        let file = write(&filter, None).unwrap();
        let again = read(&file, secret(&filter), None).unwrap();
        assert_eq!(again, filter);
        assert_eq!(write(&again, None).unwrap(), file);
    }
}

#[test]
fn every_single_bit_flip_is_refused() {
    for filter in filters() {
        let mut file = write(&filter, None).unwrap();
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&file, secret(&filter), None).is_err(), "layout {}, bit {bit}", filter.layout);
            file[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(read(&file, secret(&filter), None).is_ok());
    }
}

#[test]
fn every_truncation_and_extension_is_refused() {
    for filter in filters() {
        let mut file = write(&filter, None).unwrap();
        for len in 0..file.len() {
            assert!(
                read(&file[..len], secret(&filter), None).is_err(),
                "layout {}, length {len}",
                filter.layout
            );
        }
        file.push(0);
        assert!(read(&file, secret(&filter), None).is_err());
    }
}

#[test]
fn every_flip_truncation_and_extension_of_a_sealed_file_is_refused() {
    let seal_key = b"the key of this seal";
    for filter in filters() {
        let open = |file: &[u8]| read(file, secret(&filter), Some(seal_key));
        let mut file = write(&filter, Some(seal_key)).unwrap();
        assert_eq!(open(&file).unwrap(), filter);
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&file).is_err(), "layout {}, bit {bit}", filter.layout);
            file[bit / 8] ^= 1 << (bit % 8);
        }
        for len in 0..file.len() {
            assert!(open(&file[..len]).is_err(), "layout {}, length {len}", filter.layout);
        }
        file.push(0);
        assert!(open(&file).is_err());
    }
}

#[test]
fn optional_flags_and_optional_records_are_ignored() {
    for mut filter in filters() {
        let plain = filter.clone();
        filter.records.push(record(0x8001, "from a later version"));
        let mut file = write(&filter, None).unwrap();
        file[28..32].copy_from_slice(&0xFFFF_FFFFu32.to_le_bytes());
        let end = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize - 8;
        let checksum = xxh3(&file[..end], 0);
        file[end..end + 8].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(read(&file, secret(&filter), None).unwrap(), plain);
    }
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let good = filters().remove(0);
    let changes: [fn(&mut Filter); 13] = [
        |filter| filter.capacity = 0,
        |filter| filter.rate = f64::NAN,
        |filter| filter.rate = 0.0,
        |filter| filter.rate = 1.0,
        |filter| filter.recipe = 4,
        |filter| filter.num_hashes = 17,
        |filter| filter.bits.push(false),
        |filter| filter.scheme = 26,
        |filter| filter.scheme = 27,
        |filter| filter.scheme = 4,
        |filter| filter.records = vec![record(6, "a hash")],
        |filter| filter.records = vec![record(5, &"a".repeat(64))],
        |filter| filter.records = vec![record(2, "b"), record(1, "a")],
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut filter = good.clone();
        change(&mut filter);
        assert!(write(&filter, None).is_err(), "change {i}");
    }
}
