//! Section 1.4: schemes with a rule of their own.

use tepal_reference::bits::{LINE, SCATTERED};
use tepal_reference::filter::Filter;
use tepal_reference::read::read;
use tepal_reference::schemes::{check, positions, seed_of, steps_of_32};
use tepal_reference::write::write;

const NO_SEED: [u8; 32] = [0; 32];
const SEED: [u8; 32] = *b"thirty-two bytes are a long seed";

/// Every scheme, with a parameter, a k and an m that it can have.
const ALL: [(u8, u64, u32, u64); 13] = [
    (16, 0, 7, 1445),
    (17, 5, 6, 2003),
    (18, 0, 7, 1 << 25),
    (19, 0, 3, 1009),
    (20, 0, 12, 1 << 12),
    (21, 0, 5, 2240),
    (22, 0, 5, 2240),
    (23, 0, 5, 2560),
    (24, 0xFFFF_FFF9, 5, 2560),
    (25, 0, 6, 2190),
    (26, 0, 6, 2157),
    (27, 0, 8, 1152),
    (28, 0, 6, 408),
];

/// The text of record 5.
fn seed_record(scheme: u8) -> Vec<(u16, String)> {
    let digits = SEED.iter().map(|byte| format!("{byte:02x}")).collect();
    if scheme == 28 { vec![(5, digits)] } else { Vec::new() }
}

/// A filter of one of them, without bits.
fn filter(scheme: u8, parameter: u64, k: u32, m: u64) -> Filter {
    let records = seed_record(scheme);
    Filter { num_hashes: k, bit_len: m, parameter, records, ..Filter::new(SCATTERED, scheme, k, 0) }
}

fn bkdr7(key: &[u8]) -> Vec<u64> {
    positions(18, 0, &NO_SEED, key, 7, 1 << 25)
}

#[test]
fn k_positions_inside_the_filter() {
    for (scheme, parameter, k, m) in ALL {
        let filter = filter(scheme, parameter, k, m);
        for key in [&b""[..], b"a", b"\xFF\xFE", b"tepal self-test 0", &[b'x'; 200]] {
            filter.check().unwrap();
            let positions = filter.positions(key).unwrap();
            assert_eq!(positions.len(), k as usize, "scheme {scheme}");
            assert!(positions.iter().all(|&p| p < m), "scheme {scheme} {positions:?}");
        }
    }
}

#[test]
fn what_is_written_is_read_again() {
    for (i, (scheme, parameter, k, m)) in ALL.into_iter().enumerate() {
        assert_eq!(usize::from(scheme), 16 + i);
        let filter = Filter { bits: vec![false; m as usize], ..filter(scheme, parameter, k, m) };
        assert_eq!(read(&write(&filter, None).unwrap(), None, None).unwrap(), filter);
    }
}

#[test]
fn other_parameters_are_refused() {
    for (scheme, parameter, k, m) in ALL {
        assert!(filter(scheme, 1 << 32, k, m).check().is_err(), "scheme {scheme}");
        let mut wrong_seed = filter(scheme, parameter, k, m);
        wrong_seed.records = if scheme == 28 { Vec::new() } else { seed_record(28) };
        assert!(wrong_seed.check().is_err(), "scheme {scheme}");
    }
    assert!(check(17, 8, 7, 1000).is_err());
    // Scheme 4 is refused because record 6 is not there.
    for id in [0, 4, 5, 15, 29, 255] {
        assert!(filter(id, 0, 7, 1024).check().is_err());
    }
}

#[test]
fn only_64_small_hexadecimal_digits_are_a_seed() {
    let good = seed_record(28)[0].1.clone();
    assert_eq!(seed_of(&good), Ok(SEED));
    for bad in [
        good.to_uppercase(),
        good[..62].to_string(),
        format!("{good}00"),
        good.replacen('7', "g", 1),
        good.replacen("74", "+4", 1),
        good.replacen("74", "\u{e9}", 1),
        String::new(),
    ] {
        assert!(seed_of(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn limits_of_k_and_m() {
    for (scheme, parameter, k, m) in ALL {
        let allowed = |k, m| check(scheme, parameter, k, m).is_ok();
        assert!(Filter { layout: LINE, ..filter(scheme, parameter, k, m) }.check().is_err());
        assert!(!allowed(0, m) && !allowed(65_536, m) && !allowed(k, 0) && !allowed(k, (1 << 46) + 64));
        let fixed_k = matches!(scheme, 18..=20);
        assert_eq!(allowed(2048, m), !fixed_k);
        assert_eq!(allowed(1, m), !fixed_k);
        let most = match scheme {
            16 => (1 << 31) - 1,
            18 => 1 << 25,
            19 => (1 << 32) - 1,
            20 => 1 << 32,
            21..=24 => 64 * ((1 << 31) - 1),
            _ => 1 << 46,
        };
        assert!(allowed(k, most), "scheme {scheme}");
        let next = if scheme == 20 { most * 2 } else { most + 64 };
        assert!(!allowed(k, next) && !allowed(k, most + 1), "scheme {scheme}");
    }
    assert!(check(20, 0, 12, 1).is_ok());
    assert!(check(20, 0, 12, 3).is_err());
    assert!(check(27, 0, 8, 8).is_ok());
    assert!(check(27, 0, 8, 12).is_err());
    assert!(check(22, 0, 8, 32).is_err());
}

#[test]
fn the_fourth_articles_examples() {
    assert_eq!(positions(19, 0, &NO_SEED, b"apple", 3, 1000), [167, 655, 143]);
    assert_eq!(positions(19, 0, &NO_SEED, b"banana", 3, 1000), [552, 279, 6]);
    assert_eq!(positions(19, 0, &NO_SEED, b"grape", 3, 1000), [840, 401, 962]);
}

#[test]
fn short_texts_in_the_third_article() {
    assert_eq!(bkdr7(b""), [0; 7]);
    assert_eq!(bkdr7("\u{436}".as_bytes()), [0x436; 7]);
    // A character outside the BMP counts as two units: D83D DD11.
    let two: Vec<u64> = [5, 7, 11, 13, 31, 37, 61].iter().map(|s| s * 0xD83D + 0xDD11).collect();
    assert_eq!(bkdr7("\u{1f511}".as_bytes()), two);
}

#[test]
fn ill_formed_pieces_are_counted_as_the_unicode_standard_does() {
    // The Unicode Standard, tables 3-8 to 3-11: the number of U+FFFD, and the characters between
    // them.
    for (bytes, text) in [
        (&b"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"[..], "????????A"),
        (b"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "????????A"),
        (b"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "?????A??B"),
        (b"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "????A"),
    ] {
        assert_eq!(bkdr7(bytes), bkdr7(text.replace('?', "\u{fffd}").as_bytes()), "{bytes:x?}");
    }
}

#[test]
fn the_byte_of_the_first_article_comes_round() {
    // 256 digests of four numbers, then the same numbers again.
    let found = positions(16, 0, &NO_SEED, b"key", 1100, 9005);
    assert_eq!(found[..76], found[1024..]);
    assert_eq!(found.len(), 1100);
}

#[test]
fn the_flags_of_the_second_article() {
    for bits in 0..8 {
        assert!(check(17, bits, 7, 1000).is_ok());
    }
    assert!(check(17, 8, 7, 1000).is_err());
    // "": d41d8cd98f00b204 e9800998ecf8427e
    let first = |parameter| positions(17, parameter, &NO_SEED, b"", 1, 1 << 46);
    assert_eq!(first(2 + 4), [0xd41d8cd98f00b204 % (1 << 46)]);
    assert_eq!(first(1 + 2 + 4), [0x04b2008fd98c1dd4 % (1 << 46)]);
}

#[test]
fn positions_of_32_bits_by_hand() {
    // 5 - 3 = 2, 5 - 6 = -1 whose complement is 0, 5 - 9 = -4 whose complement is 3.
    assert_eq!(steps_of_32(5, -3i32 as u32, 3, 1 << 40), [2, 0, 3]);
    // 2^31 - 1 + 1 is the least signed number; its complement is the greatest.
    assert_eq!(steps_of_32((1 << 31) - 1, 1, 1, 1 << 40), [(1 << 31) - 1]);
}

#[test]
fn the_empty_key_in_murmur3_is_bit_0() {
    // Both of its hashes are 0.
    assert_eq!(positions(22, 0, &NO_SEED, b"", 5, 2240), [0; 5]);
    assert_eq!(positions(21, 0, &NO_SEED, b"", 5, 2240), [0; 5]);
}

#[test]
fn spark_does_not_reach_bits_that_31_bits_cannot_name() {
    let m = 64 << 30;
    for i in 0..1000u32 {
        let v1 = positions(23, 0, &NO_SEED, &i.to_le_bytes(), 8, m);
        assert!(v1.iter().all(|&p| p < 1 << 31));
    }
    let v2 = (0..1000u32).flat_map(|i| positions(24, 0, &NO_SEED, &i.to_le_bytes(), 8, m));
    assert!(v2.max().unwrap() > m / 8 * 7);
}
