//! Quotient filters, in a folder of their own: each key has the same count, and the file is written
//! again byte for byte.

use tepal::{AnyFilter, Opened, OverCapacity, QuotientFilter, file::Format, hash::finish_hash};

use super::{Kept, in_folder};

fn filter(opened: &Opened) -> &QuotientFilter {
    let AnyFilter::Quotient(filter) = opened.filter() else { panic!("{opened:?}") };
    filter
}

/// Inserts key number `i` once more.
fn insert(kept: &Kept, filter: &mut QuotientFilter, i: u64) {
    match kept.members_are_hashes() {
        true => filter.insert_hash(finish_hash(i)).unwrap(),
        false => filter.insert(&kept.key(i)).unwrap(),
    };
}

/// The count of key number `i`.
fn count(kept: &Kept, filter: &QuotientFilter, i: u64) -> u64 {
    match kept.members_are_hashes() {
        true => filter.count_hash(finish_hash(i)),
        false => filter.count(&kept.key(i)),
    }
}

#[test]
fn kept_quotient_filters_are_the_filters_they_were() {
    let all = in_folder("quotient");
    assert!(all.len() >= 6, "{}", all.len());
    for kept in all.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let name = kept.path.display();
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = opened.facts().unwrap();
        kept.has(&facts);

        let (held, members) = (filter(&opened), kept.number("members"));
        let counts = kept.text("counts").as_bytes();
        assert_eq!(counts.len() as u64, members + 1000, "{name}");
        for (i, digit) in (0..).zip(counts) {
            assert_eq!(count(kept, held, i), u64::from(digit - b'0'), "{name}: key {i}");
        }
        assert!(kept.written(&opened) == kept.file, "{name}: written again");
        assert_eq!(opened.to_bytes().unwrap() == kept.file, !kept.is_sealed(), "{name}");

        // Removed to the last key, it is empty; filled again in another order, it is the same file.
        let mut again = held.clone();
        let times = |i: u64| if i % 10 == 0 { 3 } else { 1 };
        for i in 0..members {
            for _ in 0..times(i) {
                let removed = match kept.members_are_hashes() {
                    true => again.remove_hash(finish_hash(i)),
                    false => again.remove(&kept.key(i)),
                };
                assert!(removed.unwrap(), "{name}: key {i}");
            }
        }
        assert!(again.is_empty() && again.distinct_numbers() == 0, "{name}");
        (0..members).rev().for_each(|i| (0..times(i)).for_each(|_| insert(kept, &mut again, i)));
        assert!(again == *held, "{name}: filled anew");
        let again = Opened::new(again, Format::Tepal).unwrap();
        assert!(kept.written(&again) == kept.file, "{name}: filled anew");

        // It still takes keys.
        let mut more = held.clone();
        more.set_over_capacity(OverCapacity::Ignore).unwrap();
        (10_000..11_000).for_each(|i| insert(kept, &mut more, i));
        assert!((0..members).chain(10_000..11_000).all(|i| count(kept, &more, i) > 0), "{name}");
    }
}
