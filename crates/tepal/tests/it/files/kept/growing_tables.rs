//! Growing filters, in a folder of their own: the same answers, the file is written again byte for
//! byte, and they still grow.

use serde_json::Value;
use tepal::{AnyFilter, GrowingFilter, Opened, file::Format, hash::finish_hash};

use super::{Kept, in_folder};

fn filter(opened: &Opened) -> &GrowingFilter {
    let AnyFilter::Growing(filter) = opened.filter() else { panic!("{opened:?}") };
    filter
}

fn contains(kept: &Kept, filter: &GrowingFilter, i: u64) -> bool {
    match kept.members_are_hashes() {
        true => filter.contains_hash(finish_hash(i)),
        false => filter.contains(&kept.key(i)),
    }
}

fn insert(kept: &Kept, filter: &mut GrowingFilter, i: u64) {
    match kept.members_are_hashes() {
        true => filter.insert_hash(finish_hash(i)).unwrap(),
        false => filter.insert(&kept.key(i)).unwrap(),
    };
}

#[test]
fn kept_growing_filters_are_the_filters_they_were() {
    let all = in_folder("growing");
    assert!(all.len() >= 6, "{}", all.len());
    for kept in all.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let name = kept.path.display();
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (facts, held) = (opened.facts().unwrap(), filter(&opened));
        kept.has(&facts);
        let tables: Vec<Value> = facts
            .tables
            .iter()
            .map(|table| serde_json::json!([table.numbers, table.lines, table.taken_slots]))
            .collect();
        assert_eq!(kept.json["tables"], Value::from(tables), "{name}");
        assert_eq!(kept.number("first"), held.first(), "{name}");
        assert_eq!(kept.json["is_deletable"], held.is_deletable(), "{name}");

        let (answers, members) = (kept.text("answers").as_bytes(), kept.number("members"));
        assert_eq!(answers.len() as u64, members + 1000, "{name}");
        for (i, answer) in (0..).zip(answers) {
            assert_eq!(contains(kept, held, i), *answer == b'1', "{name}: key {i}");
        }
        assert!(kept.written(&opened) == kept.file, "{name}: written again");

        // Filled again in the same order, it is the same file.
        let mut again = held.clone();
        again.clear().unwrap();
        (0..members).for_each(|i| insert(kept, &mut again, i));
        assert!(again == *held, "{name}: filled anew");
        let again = Opened::new(again, Format::Tepal).unwrap();
        assert!(kept.written(&again) == kept.file, "{name}: filled anew");

        // It still takes keys.
        let mut more = held.clone();
        (10_000..40_000).for_each(|i| insert(kept, &mut more, i));
        assert!(more.num_links() > held.num_links(), "{name}");
        assert!((0..members).chain(10_000..40_000).all(|i| contains(kept, &more, i)), "{name}");
    }
}
