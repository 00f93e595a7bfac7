//! Section 2, from a hash to bits, and the parts of a file: records, body, offsets.

use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK, allowed_k, check, positions, unit};
use tepal_reference::filter::{Filter, check_records};
use tepal_reference::hash::xxh3;
use tepal_reference::read::read_records;
use tepal_reference::write::{body, body_len, body_offset, write_records};

const LAYOUTS: [u8; 4] = [LINE, DOUBLE, SPLIT_BLOCK, SCATTERED];

#[test]
fn k_positions_inside_the_filter() {
    for layout in LAYOUTS {
        for k in allowed_k(layout) {
            for units in [1, 2, 7, 1 << 32] {
                let bit_len = units * unit(layout);
                check(layout, k, bit_len).unwrap();
                for h in [0, 1, 1 << 63, u64::MAX, xxh3(b"a", 0)] {
                    let bits = positions(layout, k, bit_len, h);
                    assert_eq!(bits.len(), k as usize);
                    assert!(bits.iter().all(|&p| p < bit_len), "layout {layout} k={k} {bit_len} {h:#x}");
                }
            }
        }
    }
}

#[test]
fn a_line_has_one_bit_in_each_active_word() {
    for k in 1..=8 {
        for i in 0..1000u32 {
            let h = xxh3(&i.to_le_bytes(), 0);
            let bits = positions(LINE, k, 512 * 5, h);
            let mut words: Vec<u64> = bits.iter().map(|p| p / 64).collect();
            words.dedup();
            assert_eq!(words.len(), k as usize);
            assert_eq!(bits[0] / 512, bits[bits.len() - 1] / 512);
        }
    }
}

#[test]
fn a_line_by_hand() {
    // h = 1: g is the multiplier itself, so r = (0x9E3779B97F4A7C15 >> 12) & 7 = 0xA7 & 7 = 7.
    // k = 2: (w + 7) mod 8 is 0 or 1 for w = 1 and w = 2; bits g >> 21 and g >> 27, mod 64.
    let g: u64 = 0x9E3779B97F4A7C15;
    assert_eq!((g >> 12) & 7, 7);
    assert_eq!(positions(LINE, 2, 512, 1), [64 + ((g >> 21) & 63), 128 + ((g >> 27) & 63)]);
}

#[test]
fn what_a_layout_cannot_have_is_refused() {
    assert!(check(LINE, 17, 512).is_err());
    assert!(check(LINE, 0, 512).is_err());
    assert!(check(DOUBLE, 1, 512).is_err());
    assert!(check(SPLIT_BLOCK, 7, 256).is_err());
    assert!(check(SPLIT_BLOCK, 8, (256 << 32) + 256).is_err());
    assert!(check(SCATTERED, 7, 0).is_err());
    assert!(check(SCATTERED, 7, 65).is_err());
}

/// A filter with the keys 0 to `keys` - 1.
fn filled(layout: u8, k: u32, bit_len: u64, keys: u32) -> Filter {
    let mut filter = Filter::new(layout, 1, k, bit_len);
    filter.parameter = 5;
    for i in 0..keys {
        filter.insert(i.to_string().as_bytes()).unwrap();
    }
    filter
}

#[test]
fn every_inserted_key_is_in_the_filter() {
    for layout in LAYOUTS {
        for k in allowed_k(layout) {
            let filter = filled(layout, k, 5120, 300);
            assert!(
                (0..300).all(|i: u32| filter.contains(i.to_string().as_bytes()).unwrap()),
                "layout {layout} {k}"
            );
            assert_eq!(filter.keys_inserted, 300);
        }
    }
}

#[test]
fn folding_gives_the_filter_built_at_that_size() {
    for layout in LAYOUTS {
        for k in allowed_k(layout) {
            for (units, factor) in [(24, 2), (24, 3), (24, 24), (35, 5), (7, 7), (6, 1)] {
                let big = filled(layout, k, units * unit(layout), 60);
                let small = filled(layout, k, units / factor * unit(layout), 60);
                assert_eq!(big.fold(factor).unwrap(), small, "layout {layout} k={k} {units}/{factor}");
            }
        }
    }
}

#[test]
fn folding_by_what_does_not_divide_is_refused() {
    assert!(filled(LINE, 6, 5 * 512, 1).fold(2).is_err());
    assert!(filled(LINE, 6, 5 * 512, 1).fold(0).is_err());
    // Halves of 64 bits: the factor is allowed, but the result does not have whole words.
    assert!(filled(SCATTERED, 6, 64, 1).fold(2).is_err());
}

#[test]
fn the_self_test_does_not_depend_on_the_key_domain() {
    let mut filter = filled(SCATTERED, 3, 640, 0);
    let sums = filter.self_test().unwrap();
    let h = xxh3(b"tepal self-test 3", 5);
    assert_eq!(sums[3], positions(SCATTERED, 3, 640, h).iter().sum::<u64>());
    filter.domain = 2;
    assert_eq!(filter.self_test().unwrap(), sums);
}

#[test]
fn body_offset_is_the_least_that_leaves_room() {
    // 128 + 8 + 8 = 144 bytes before the body.
    assert_eq!(body_offset(0, 512), 192);
    // 48 bytes of records fill the 192 bytes exactly; 56 bytes do not fit.
    assert_eq!(body_offset(48, 512), 192);
    assert_eq!(body_offset(56, 512), 256);
    // 7 chunks fit in 192 bytes; the entry of an 8th does not.
    assert_eq!(body_offset(0, 7 * 65_536 * 8), 192);
    assert_eq!(body_offset(0, 8 * 65_536 * 8), 256);
}

#[test]
fn the_body_is_padded_to_64_bytes() {
    assert_eq!(body_len(1), 64);
    assert_eq!(body_len(64), 64);
    assert_eq!(body_len(513), 128);
    assert_eq!(body_len(512), 64);
    assert_eq!(body_len(768), 128);
    let mut bits = vec![false; 64];
    bits[0] = true;
    bits[9] = true;
    bits[63] = true;
    let bytes = body(&bits);
    assert_eq!(bytes[..8], [1, 2, 0, 0, 0, 0, 0, 0x80]);
    assert_eq!(bytes[8..], [0; 56]);
}

fn record(tag: u16, value: &str) -> (u16, String) {
    (tag, value.to_string())
}

/// A writer's handling of records.
fn encoded(records: &[(u16, String)]) -> Result<Vec<u8>, String> {
    check_records(records)?;
    write_records(records)
}

#[test]
fn a_record_byte_by_byte() {
    let records = [record(1, "ids"), record(4, "customer")];
    let bytes = encoded(&records).unwrap();
    let expected: &[u8] = b"\x01\0\0\0\x03\0\0\0ids\0\0\0\0\0\x04\0\0\0\x08\0\0\0customer";
    assert_eq!(bytes, expected);
    assert_eq!(read_records(&bytes).unwrap(), records);
}

#[test]
fn an_optional_unknown_record_is_ignored() {
    let name = record(1, "n");
    let bytes = encoded(&[name.clone(), record(0x8000, "later")]).unwrap();
    assert_eq!(read_records(&bytes).unwrap(), [name]);
}

#[test]
fn bad_records_are_refused() {
    for c in "\u{80}\u{9b}\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}\u{202e}\u{2066}\u{2069}".chars() {
        assert!(encoded(&[record(1, &format!("a{c}b"))]).is_err(), "{c:?}");
    }
    assert!(encoded(&[record(1, "\u{a0}\u{200c}\u{200d}\u{202f}\u{2065}\u{206a}")]).is_ok());
    for (tag, value) in [(0, "a"), (7, "json"), (8, "a"), (0x7FFF, "a"), (1, ""), (1, "a\nb"), (1, "\x7F")] {
        assert!(encoded(&[record(tag, value)]).is_err(), "{tag} {value:?}");
    }
    for (field, rows) in [
        ("id", "csv 2c"),
        ("3", "plain 09"),
        ("a", "plain fe nul"),
        ("/a", "json"),
        ("/a", "json nul"),
        ("id", "csv 2c 5c"),
        ("id", "csv 2c 5c empty"),
        ("id", "plain 09 empty"),
        ("/a", "json nul empty"),
        ("id", "empty"),
        ("/a", "empty"),
    ] {
        assert!(encoded(&[record(4, field), record(7, rows)]).is_ok(), "{field} {rows}");
    }
    for (field, rows) in [
        ("id", "csv"),
        ("id", "csv 2C"),
        ("id", "csv 0a"),
        ("id", "plain 22"),
        ("id", "csv 2c nul"),
        ("id", "csv  2c"),
        ("id", "plain 2c nul nul"),
        ("id", "plain 2"),
        ("id", "json"),
        ("/id", "csv 2c"),
        ("/id", "json 2c"),
        ("/id", "nul"),
        ("id", "whole"),
        ("id", "csv empty"),
        ("id", "csv 2c 2c"),
        ("id", "csv 2c 5c 5c"),
        ("id", "plain 2c 5c"),
        ("id", "empty empty"),
        ("id", "plain 2c empty nul"),
    ] {
        assert!(encoded(&[record(4, field), record(7, rows)]).is_err(), "{field} {rows}");
    }
    assert!(encoded(&[record(7, "whole")]).is_ok());
    assert!(encoded(&[record(7, "empty")]).is_err());
    assert!(encoded(&[record(2, "a"), record(1, "a")]).is_err());
    assert!(encoded(&[record(2, "a"), record(2, "b")]).is_err());
    assert!(encoded(&[record(1, &"a".repeat(65_529))]).is_err());
    assert!(encoded(&[record(1, &"a".repeat(65_528))]).is_ok());

    let good = encoded(&[record(1, "abc")]).unwrap();
    for (at, byte, why) in [
        (2, 1, "no 0 after its tag"),
        (4, 200, "claims"),
        (4, 2, "padding"),
        (15, 1, "padding"),
        (8, 0xFF, "UTF-8"),
        (0, 9, "not known"),
    ] {
        let mut bad = good.clone();
        bad[at] = byte;
        let message = read_records(&bad).unwrap_err();
        assert!(message.contains(why), "{at}: {message}");
    }
}
