//! The promises of `docs/trust.md`, tested for every kind of filter, the chain too: the tests here
//! go through the list in `shared/kinds.rs`.
//!
//! Some promises have a file of their own with more tests over the list: `sequences.rs` (no member
//! is lost), `damaged.rs` (a file is refused or right), `overfilled.rs` (a capacity is a promise),
//! `out_of_memory.rs`, `incompatible.rs`, and `kept.rs`.

mod files;
mod members;
mod pairs;
mod ways;

use std::collections::BTreeSet;

use tepal::{KeyDomain, Kind, Layout, Opened, OverCapacity, Scheme, file::Format};

use crate::shared::kinds::{Door, Subject, all_kinds, numbers};

/// The capacity of the filters here, and the number of keys inserted into one.
const CAPACITY: u64 = 200;
const MEMBERS: std::ops::Range<u64> = 0..80;
const MORE: std::ops::Range<u64> = 80..160;
const STRANGERS: std::ops::Range<u64> = 1_000..1_400;

/// Whether this build knows other programs' schemes and files.
const FOREIGN: bool = cfg!(feature = "foreign");

/// Whether opened files are mapped, so that their bits can be left unread.
const MAPPED: bool = cfg!(target_endian = "little");

fn empty(subject: &dyn Subject) -> Opened {
    subject.empty(CAPACITY).unwrap_or_else(|error| panic!("{}: {error}", subject.name()))
}

/// Removes all keys. A filter whose keys expire is told the time of an empty one, since it forgot
/// its own.
fn clear(subject: &dyn Subject, filter: &mut Opened) {
    filter.clear().unwrap();
    #[cfg(feature = "table")]
    if let Some(now) = empty(subject).filter().as_timed().and_then(|new| new.now()) {
        // A window of keys has no time.
        let _ = filter.advance_to(now);
    }
}

fn filled(subject: &dyn Subject, range: std::ops::Range<u64>) -> Opened {
    subject.filled(CAPACITY, &numbers(range)).unwrap()
}

/// Checks that all these keys are members.
fn check(subject: &dyn Subject, filter: &impl Door, range: std::ops::Range<u64>, after: &str) {
    let held = subject.keys(&numbers(range)).held(filter);
    let missing = held.iter().filter(|held| !**held).count();
    assert_eq!(
        missing,
        0,
        "{}: of {} members {missing} are missing after {after}",
        subject.name(),
        held.len()
    );
}

/// The list has every kind, and everything that a file names by number.
#[test]
fn every_kind_is_on_the_list() {
    let all = all_kinds();
    let names: BTreeSet<&str> = all.iter().map(|subject| subject.name()).collect();
    assert_eq!(names.len(), all.len(), "two have one name");
    let facts: Vec<_> = all.iter().map(|subject| empty(&**subject).facts().unwrap()).collect();
    for (subject, facts) in all.iter().zip(&facts) {
        assert_eq!(facts.kind, subject.kind(), "{}", subject.name());
        assert_eq!(facts.file.as_ref().unwrap().format, subject.format(), "{}", subject.name());
        let empty = empty(&**subject);
        let (filter, name) = (empty.filter(), subject.name());
        assert_eq!(filter.kind(), subject.kind(), "{name}");
        assert_eq!(filter.as_bloom().is_some(), filter.kind() == Kind::Bloom, "{name}");
        #[cfg(feature = "table")]
        {
            assert_eq!(filter.as_timed().is_some(), filter.kind() == Kind::Expiring, "{name}");
            assert_eq!(filter.as_segmented().is_some(), filter.kind() == Kind::Segment, "{name}");
        }
        #[cfg(feature = "static")]
        assert_eq!(filter.as_valued().is_some(), filter.kind() == Kind::Map, "{name}");
    }
    for kind in Kind::ALL {
        let made = match kind {
            Kind::Scalable => FOREIGN || cfg!(feature = "extras"),
            Kind::Quotient | Kind::Growing | Kind::Expiring | Kind::Segment => cfg!(feature = "table"),
            Kind::Ribbon | Kind::Map => cfg!(feature = "static"),
            _ => true,
        };
        assert_eq!(all.iter().any(|subject| subject.kind() == *kind), made, "{kind}");
    }
    for layout in Layout::ALL {
        assert!(facts.iter().any(|facts| facts.parts.iter().any(|part| part.layout == *layout)), "{layout}");
    }
    for scheme in Scheme::ALL {
        let made = FOREIGN || *scheme < Scheme::Md5Presets;
        assert_eq!(facts.iter().any(|facts| facts.scheme == *scheme), made, "{scheme}");
    }
    for domain in KeyDomain::ALL.iter().filter(|domain| FOREIGN || **domain <= KeyDomain::Integer) {
        assert!(facts.iter().any(|facts| facts.key_domain == *domain), "{domain}");
    }
    // Filters of other programs warn.
    for policy in OverCapacity::ALL.iter().filter(|policy| FOREIGN || **policy != OverCapacity::Warn) {
        assert!(facts.iter().any(|facts| facts.over_capacity == *policy), "{policy}");
    }
    for format in Format::ALL {
        let made = FOREIGN || *format == Format::Tepal;
        assert_eq!(all.iter().any(|subject| subject.format() == *format), made, "{format}");
    }
    assert!(facts.iter().any(|facts| !facts.recipe.is_identity()));
    assert_eq!(all.iter().any(|subject| subject.opener().is_sealed()), cfg!(feature = "seal"));
}

/// The facts agree with the filter.
#[test]
fn facts_are_the_filters() {
    for subject in all_kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opened = filled(subject, MEMBERS);
        let (facts, filter) = (opened.facts().unwrap(), opened.filter());
        assert_eq!(
            (facts.kind, facts.scheme, facts.key_domain),
            (filter.kind(), filter.scheme(), filter.key_domain())
        );
        assert_eq!(
            (facts.capacity, facts.keys_inserted),
            (filter.capacity(), filter.keys_inserted()),
            "{name}"
        );
        assert_eq!(facts.over_capacity, filter.over_capacity(), "{name}");
        assert_eq!(facts.is_over_capacity, filter.is_over_capacity(), "{name}");
        assert_eq!(facts.is_full, filter.is_full(), "{name}");
        assert_eq!(facts.promised_false_positive_rate, filter.promised_false_positive_rate(), "{name}");
        assert_eq!(facts.false_positive_rate, filter.false_positive_rate(), "{name}");
        assert_eq!(facts.estimated_len, filter.estimated_len(), "{name}");
        assert_eq!(facts.size_in_bytes, filter.size_in_bytes(), "{name}");
        let of_parts = facts.parts.iter().map(|part| part.capacity);
        let of_tables = facts.tables.iter().map(|table| table.capacity);
        let of_ribbon = facts.ribbon.iter().map(|ribbon| ribbon.keys);
        let capacity = of_parts.chain(of_tables).chain(of_ribbon).sum::<u64>();
        assert_eq!(facts.capacity, capacity, "{name}");
        let of_parts = facts.parts.iter().map(|part| part.keys_inserted);
        let of_tables = facts.tables.iter().map(|table| Some(table.keys));
        let of_ribbon = facts.ribbon.iter().map(|ribbon| Some(ribbon.keys));
        let held = of_parts.chain(of_tables).chain(of_ribbon).sum::<Option<u64>>();
        assert_eq!(facts.keys_inserted, held, "{name}");
        let bits =
            facts.tables.iter().map(|table| table.bits_per_key() * table.taken_slots as f64).sum::<f64>();
        let size = 8.0 * facts.size_in_bytes as f64;
        assert!(facts.tables.is_empty() || (bits - size).abs() < 1.0, "{name}: {bits} and {size}");
        assert!((60.0..100.0).contains(&facts.estimated_len), "{name}: {}", facts.estimated_len);
        let mut alone = facts;
        alone.file = None;
        assert_eq!(alone, filter.facts(), "{name}");
    }
}
