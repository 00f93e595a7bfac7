//! Quotient filters, in a folder of their own: each key has the same count, and the file is written
//! again byte for byte.

use serde_json::Value;
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
        let table = &facts.tables[0];
        let found = serde_json::json!({
            "numbers": table.numbers,
            "remainder_bits": table.remainder_bits,
            "tag_bits": table.tag_bits,
            "buckets": table.buckets,
            "slots": table.slots,
            "lines": table.lines,
            "taken_slots": table.taken_slots,
            "distinct_numbers": table.distinct_numbers,
        });
        assert_eq!(kept.json["table"], found, "{name}");
        assert_eq!(kept.json["false_positive_rate"], facts.promised_false_positive_rate, "{name}");
        assert_eq!(kept.number("capacity"), facts.capacity, "{name}");
        assert_eq!(kept.json["keys_inserted"].as_u64(), facts.keys_inserted, "{name}");
        assert_eq!(kept.json["seed"], Value::from(facts.seed.map(|seed| seed.to_string())), "{name}");
        assert_eq!(kept.json["caller_hash"], Value::from(facts.caller_hash), "{name}");
        assert_eq!(kept.text("scheme"), facts.scheme.to_string(), "{name}");
        assert_eq!(kept.text("key_domain"), facts.key_domain.to_string(), "{name}");
        assert_eq!(kept.text("over_capacity"), facts.over_capacity.to_string(), "{name}");
        assert_eq!(kept.json["recipe"]["trim"], facts.recipe.trim, "{name}");
        assert_eq!(kept.json["recipe"]["nocase"], facts.recipe.nocase, "{name}");
        assert_eq!(kept.json["labels"]["name"], Value::from(facts.labels.name), "{name}");
        assert_eq!(kept.json["labels"]["field"], Value::from(facts.labels.field), "{name}");

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
