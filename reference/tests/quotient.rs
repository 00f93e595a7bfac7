//! The quotient filter: an inserted and removed key leaves no trace; counts; damage to its file.

use tepal_reference::hash::{finish, siphash13, xxh3};
use tepal_reference::quotient::{COUNT, NOTHING, Quotient, read, write};
use tepal_reference::size::{numbers_for, table};
use tepal_reference::write::KEY_CHECK;

const SECRET: [u8; 16] = *b"sixteen secrets!";

fn made_for(capacity: u64, rate: f64, tag_bits: u32) -> Quotient {
    let shape = table(capacity, numbers_for(capacity, rate).unwrap(), tag_bits).unwrap();
    Quotient::new(if tag_bits == 0 { NOTHING } else { COUNT }, shape, capacity, rate)
}

fn insert(filter: &mut Quotient, keys: std::ops::Range<u64>) {
    for i in keys {
        filter.insert(format!("key {i}").as_bytes()).unwrap();
    }
}

#[test]
fn what_is_taken_out_was_never_there_and_no_order_shows() {
    for tag_bits in [0, 4, 8, 16] {
        let mut filter = made_for(700, 0.01, tag_bits);
        insert(&mut filter, 0..300);
        insert(&mut filter, 100..200);
        let before = filter.clone();
        let file = write(&filter, None).unwrap();

        insert(&mut filter, 150..400);
        assert_ne!(write(&filter, None).unwrap(), file);
        for i in (150..400).rev() {
            assert!(filter.remove(format!("key {i}").as_bytes()).unwrap());
        }
        assert_eq!(filter, before);

        let mut other = made_for(700, 0.01, tag_bits);
        insert(&mut other, 100..200);
        for i in (0..300).rev() {
            insert(&mut other, i..i + 1);
        }
        assert_eq!(write(&other, None).unwrap(), file);

        for i in 0..300 {
            for _ in 0..if (100..200).contains(&i) { 2 } else { 1 } {
                assert!(other.remove(format!("key {i}").as_bytes()).unwrap());
            }
        }
        assert!(other.held.is_empty());
        assert!(!other.remove(b"key 0").unwrap());
    }
}

#[test]
fn counts_are_never_too_low_and_end_at_64_slots() {
    for tag_bits in [0, 4] {
        let mut filter = made_for(100, 0.001, tag_bits);
        let most = 64 << tag_bits;
        for count in 1..=most {
            filter.insert(b"petal").unwrap();
            assert_eq!(filter.count(b"petal").unwrap(), count);
        }
        let before = filter.clone();
        assert!(filter.insert(b"petal").unwrap_err().contains(&format!("held {most} times")));
        assert_eq!(filter, before);
        assert_eq!((filter.slots().len(), filter.keys_held()), (64, most));
        filter.insert(b"sepal").unwrap();
        assert_eq!((filter.count(b"sepal").unwrap(), filter.count(b"tepal").unwrap()), (1, 0));
        assert_eq!(read(&write(&filter, None).unwrap(), None, None).unwrap(), filter);
    }
}

#[test]
fn the_rate_is_the_share_of_the_numbers_held() {
    let mut filter = made_for(20_000, 0.01, 0);
    insert(&mut filter, 0..20_000);
    let share = filter.held.len() as f64 / filter.shape.numbers as f64;
    assert!((0.0099..0.01).contains(&share), "{share}");
    let asked = 20_000;
    let wrong = (0..asked)
        .filter(|i| {
            let y = tepal_reference::table::number(
                xxh3(format!("other {i}").as_bytes(), 0),
                filter.shape.numbers,
            );
            filter.held.binary_search_by_key(&y, |held| held.0).is_ok()
        })
        .count();
    let (expected, noise) = (share * asked as f64, 4.0 * (share * asked as f64).sqrt());
    assert!((wrong as f64 - expected).abs() < noise, "{wrong}, not {expected}");
}

/// Small filters of each scheme and each width of tags, with the keys that open them.
fn filters() -> Vec<Quotient> {
    let mut filters = Vec::new();
    for (scheme, tag_bits) in [(1, 0), (2, 4), (3, 8), (4, 16), (4, 0)] {
        let mut filter = made_for(20, 0.01, tag_bits);
        filter.scheme = scheme;
        match scheme {
            1 => filter.parameter = 9,
            2 => (filter.secret, filter.parameter) = (SECRET, siphash13(&SECRET, KEY_CHECK)),
            3 => (filter.recipe, filter.policy) = (3, 3),
            _ => filter.records.push((6, "some hash, finished".to_string())),
        }
        for i in 1..=12 {
            if scheme == 4 {
                filter.insert_hash(finish(i % 7)).unwrap();
            } else {
                insert(&mut filter, i % 7..i % 7 + 1);
            }
        }
        filters.push(filter);
    }
    filters
}

fn secret(filter: &Quotient) -> Option<&'static [u8; 16]> {
    (filter.scheme == 2).then_some(&SECRET)
}

#[test]
fn reading_gives_the_filter_and_every_damage_is_refused() {
    for filter in filters() {
        for seal_key in [None, Some(&b"the key of this seal"[..])] {
            let mut file = write(&filter, seal_key).unwrap();
            let again = read(&file, secret(&filter), seal_key).unwrap();
            assert_eq!(again, filter);
            assert_eq!(write(&again, seal_key).unwrap(), file);
            let is_refused = |file: &[u8]| read(file, secret(&filter), seal_key).is_err();
            for bit in 0..file.len() * 8 {
                file[bit / 8] ^= 1 << (bit % 8);
                assert!(is_refused(&file), "scheme {}, bit {bit}", filter.scheme);
                file[bit / 8] ^= 1 << (bit % 8);
            }
            for len in 0..file.len() {
                assert!(is_refused(&file[..len]), "scheme {}, length {len}", filter.scheme);
            }
            file.push(0);
            assert!(is_refused(&file));
        }
    }
}

#[test]
fn every_flip_of_the_lines_with_all_checksums_mended_is_refused() {
    for filter in filters() {
        let good = write(&filter, None).unwrap();
        let body = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
        let table = 128 + u32::from_le_bytes(good[120..124].try_into().unwrap()) as usize;
        for bit in 8 * body..8 * good.len() {
            let mut file = good.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            let sum = xxh3(&file[body..], 0);
            file[table..table + 8].copy_from_slice(&sum.to_le_bytes());
            let sum = xxh3(&file[..body - 8], 0);
            file[body - 8..body].copy_from_slice(&sum.to_le_bytes());
            // A flipped bit of a slot may turn it into another number. Then the lines are a valid
            // table of another filter.
            if let Ok(other) = read(&file, secret(&filter), None) {
                assert_ne!(other.held, filter.held);
                assert_eq!(write(&other, None).unwrap(), file);
            }
        }
    }
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let good = filters().remove(0);
    let changes: [fn(&mut Quotient); 14] = [
        |filter| filter.capacity = 0,
        |filter| filter.rate = f64::NAN,
        |filter| filter.rate = 0.0,
        |filter| filter.rate = 1.0,
        |filter| filter.recipe = 4,
        |filter| filter.domain = 8,
        |filter| filter.policy = 0,
        |filter| filter.tag = COUNT,
        |filter| filter.tag = 2,
        |filter| filter.shape.tag_bits = 4,
        |filter| filter.shape.spare = 65,
        |filter| filter.scheme = 26,
        |filter| filter.scheme = 3,
        |filter| filter.records = vec![(6, "a hash".to_string())],
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut filter = good.clone();
        change(&mut filter);
        assert!(write(&filter, None).is_err(), "change {i}");
    }
}
