//! The quotient filter: an inserted and removed key leaves no trace; counts; damage to its file.

use crate::every_kind::{Kind, Setting, setting};
use tepal_reference::hash::{finish, xxh3};
use tepal_reference::quotient::{COUNT, NOTHING, Quotient, read, write};
use tepal_reference::size::{numbers_for, table};

const KIND: Kind<Quotient> = Kind { write, read, scheme: |filter| filter.scheme };

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

/// Small filters of each scheme and each width of tags.
fn filters() -> Vec<Quotient> {
    let mut filters = Vec::new();
    for (scheme, tag_bits) in [(1, 0), (2, 4), (3, 8), (4, 16), (4, 0)] {
        let Setting { parameter, secret, policy, recipe, records } = setting(scheme);
        let like = made_for(20, 0.01, tag_bits);
        let mut filter = Quotient { scheme, parameter, secret, policy, recipe, records, ..like };
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

#[test]
fn reading_gives_the_filter_and_every_damage_is_refused() {
    KIND.check_damage(&filters());
}

/// A flipped bit of a slot may turn it into another number. Then the lines are a valid table of
/// another filter.
#[test]
fn every_flip_of_the_lines_with_all_checksums_mended_is_refused_or_another_filter() {
    KIND.check_mended(&filters(), |_| 0, |other, filter| other.held != filter.held);
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
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
    KIND.check_not_written(&filters()[0], &changes);
}
