//! Expiring filters, in a folder of their own: each key has the same age, and the file is written
//! again byte for byte.

use tepal::{AnyFilter, ExpiringFilter, facts::Window, hash::finish_hash};

use super::{Kept, in_folder};

/// A digit for each key: 0 if it is not held, 1 if it was inserted in this generation, 2 if before.
fn ages(kept: &Kept, filter: &ExpiringFilter, count: u64) -> String {
    let digit = |i: u64| {
        let hash = match kept.members_are_hashes() {
            true => finish_hash(i),
            false => filter.hash_key(&kept.key(i)).unwrap(),
        };
        match filter.age_estimate_hash(hash) {
            None => '0',
            Some(0) => '1',
            Some(_) => '2',
        }
    };
    (0..count).map(digit).collect()
}

#[test]
fn kept_expiring_filters_are_the_filters_they_were() {
    let all = in_folder("expiring");
    assert!(all.len() >= 6, "{}", all.len());
    let mut gone = 0;
    for kept in all.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let name = kept.path.display();
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = opened.facts().unwrap();
        let window = facts.window.unwrap();
        kept.has(&facts);
        let now = kept.json["now"].as_str().map(|now| now.parse().unwrap());
        assert_eq!(window.window, Window::Time(kept.text("window").parse().unwrap()), "{name}");
        assert_eq!((u64::from(window.generations), window.now), (kept.number("generations"), now), "{name}");

        let AnyFilter::Expiring(filter) = opened.filter() else { panic!("{name}") };
        let asked = kept.number("members") + 1000;
        assert!(ages(kept, filter, asked) == kept.text("ages"), "{name}");
        assert!(kept.written(&opened) == kept.file, "{name}: written again");
        // Time advances.
        let mut later = filter.clone();
        if let Some(time) = kept.json["later"].as_str() {
            later.advance_to(time.parse().unwrap()).unwrap();
        }
        assert!(ages(kept, &later, asked) == kept.text("ages_later"), "{name}: later");
        gone += usize::from(later.distinct_numbers() < filter.distinct_numbers());
    }
    assert!(gone >= 3, "{gone}");
}
