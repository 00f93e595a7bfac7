//! The Bloom filter: damage to its file, and what a reader ignores.

use crate::every_kind::{Kind, SECRET};
use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::filter::{Filter, UNKNOWN};
use tepal_reference::hash::{finish, siphash13, xxh3};
use tepal_reference::read::read;
use tepal_reference::write::{KEY_CHECK, write};

const KIND: Kind<Filter> = Kind { write, read, scheme: |filter| filter.scheme };

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
fn reading_gives_the_filter_and_every_damage_is_refused() {
    KIND.check_damage(&filters());
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
        assert_eq!(read(&file, KIND.secret(&filter), None).unwrap(), plain);
    }
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
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
    KIND.check_not_written(&filters()[0], &changes);
}
