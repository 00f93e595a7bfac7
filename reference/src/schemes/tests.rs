//! Tests of what all schemes with a rule of their own have in common.

use super::*;

const SEED: [u8; 32] = *b"thirty-two bytes are a long seed";

/// Every scheme, with a k and an m that it can have.
fn all() -> Vec<(Own, u32, u64)> {
    let split = Md5Split { little_endian: true, from_zero: false, wrapping: true };
    vec![
        (Own::Md5Presets, 7, 1445),
        (Own::Md5Split(split), 6, 2003),
        (Own::Bkdr7, 7, 1 << 25),
        (Own::FnvCrc, 3, 1009),
        (Own::Sha384, 12, 1 << 28),
        (Own::GuavaMitz32, 5, 2240),
        (Own::GuavaMitz64, 5, 2240),
        (Own::SparkV1, 5, 2560),
        (Own::SparkV2 { seed: -7 }, 5, 2560),
        (Own::BitsAndBlooms, 6, 2190),
        (Own::Dcso, 6, 2157),
        (Own::RedisBloom, 8, 1152),
        (Own::ValkeyBloom { seed: SEED }, 6, 408),
    ]
}

#[test]
fn k_positions_inside_the_filter() {
    for (own, k, m) in all() {
        for key in [&b""[..], b"a", b"\xFF\xFE", b"tepal self-test 0", &[b'x'; 200]] {
            own.check(Layout::Scattered, k, m).unwrap();
            let positions = own.positions(key, k, m);
            assert_eq!(positions.len(), k as usize, "{own:?}");
            assert!(positions.iter().all(|&p| p < m), "{own:?} {positions:?}");
        }
    }
}

#[test]
fn what_is_written_is_read_again() {
    for (i, (own, ..)) in all().into_iter().enumerate() {
        assert_eq!(usize::from(own.id()), 16 + i);
        let seed = own.seed_record();
        assert_eq!(Own::from_file(own.id(), own.parameters(), seed.as_deref()).unwrap(), own);
    }
}

#[test]
fn other_parameters_are_refused() {
    let seed = hex(&SEED);
    for (own, ..) in all() {
        assert!(Own::from_file(own.id(), 1 << 32, own.seed_record().as_deref()).is_err(), "{own:?}");
        let wrong_seed = if own.seed_record().is_some() { None } else { Some(seed.as_str()) };
        assert!(Own::from_file(own.id(), own.parameters(), wrong_seed).is_err(), "{own:?}");
    }
    assert!(Own::from_file(17, 8, None).is_err());
    for id in [0, 4, 15, 29, 255] {
        assert!(Own::from_file(id, 0, None).is_err());
    }
}

#[test]
fn only_64_small_hexadecimal_digits_are_a_seed() {
    let good = hex(&SEED);
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
    for (own, k, m) in all() {
        let check = |k, m| own.check(Layout::Scattered, k, m).is_ok();
        assert!(own.check(Layout::Line, k, m).is_err());
        assert!(!check(0, m) && !check(65_536, m) && !check(k, 0) && !check(k, (1 << 46) + 64));
        let fixed_k = matches!(own, Own::Bkdr7 | Own::FnvCrc | Own::Sha384);
        assert_eq!(check(65_535, m), !fixed_k);
        assert_eq!(check(1, m), !fixed_k);
        let most = match own {
            Own::Md5Presets => (1 << 31) - 1,
            Own::Bkdr7 => 1 << 25,
            Own::FnvCrc => (1 << 32) - 1,
            Own::Sha384 => 1 << 32,
            Own::GuavaMitz32 | Own::GuavaMitz64 | Own::SparkV1 | Own::SparkV2 { .. } => 64 * ((1 << 31) - 1),
            _ => 1 << 46,
        };
        assert!(check(k, most), "{own:?}");
        let next = if matches!(own, Own::Sha384) { most * 2 } else { most + 64 };
        assert!(!check(k, next) && !check(k, most + 1), "{own:?}");
    }
    assert!(Own::Sha384.check(Layout::Scattered, 12, 1).is_ok());
    assert!(Own::Sha384.check(Layout::Scattered, 12, 3).is_err());
    assert!(Own::RedisBloom.check(Layout::Scattered, 8, 8).is_ok());
    assert!(Own::RedisBloom.check(Layout::Scattered, 8, 12).is_err());
    assert!(Own::GuavaMitz64.check(Layout::Scattered, 8, 32).is_err());
}
