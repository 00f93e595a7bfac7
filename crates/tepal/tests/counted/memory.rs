//! The memory that a filter holds from 10,000 keys on: at most 1.1 times its `size_in_bytes`, and a
//! kilobyte.

#[cfg(feature = "table")]
use tepal::Kind;
use tepal::Opened;

use crate::allocator::held_by;
use crate::kinds::{Subject, all_kinds, fixed_kinds, numbers};

const KEYS: u64 = 10_000;

/// The bytes of a filter of any size beside its tables: links, labels.
const FIXED: u64 = 1024;

/// Filters with lists that `size_in_bytes` does not count: names of segments or values, keys in
/// very many segments.
const WITH_LISTS: [&str; 3] = ["segment-siphash13", "segment-sealed", "map-names"];

/// Compares the memory of a filter with the size it names.
fn check(subject: &dyn Subject, filter: &Opened, held: u64, keys: u64) {
    let size = filter.filter().size_in_bytes();
    let name = subject.name();
    let is_listed = WITH_LISTS.contains(&name) || name.starts_with("ribbon") && name.contains("added");
    assert!(
        is_listed || held <= size + size / 10 + FIXED,
        "{name}, {keys} keys: {held} bytes are allocated, its size is {size}"
    );
}

/// Filled one key at a time; static filters are built.
#[test]
fn a_filter_holds_its_size() {
    let fixed: Vec<_> = fixed_kinds().iter().map(|subject| subject.kind()).collect();
    for subject in all_kinds() {
        let keys = subject.keys(&numbers(0..KEYS));
        let (filter, held) = held_by(|| {
            if fixed.contains(&subject.kind()) {
                return subject.filled(KEYS, &numbers(0..KEYS)).unwrap();
            }
            let mut filter = subject.empty(KEYS).unwrap();
            keys.insert_each(&mut filter, |_, _| ()).unwrap();
            filter
        });
        check(&*subject, &filter, held, KEYS);
    }
}

/// A growing filter, at every size during its growth.
#[cfg(feature = "table")]
#[test]
fn a_growing_filter_holds_its_size() {
    for subject in all_kinds().into_iter().filter(|subject| subject.kind() == Kind::Growing) {
        let (mut filter, mut held) = held_by(|| subject.filled(KEYS / 10, &numbers(0..KEYS)).unwrap());
        for start in (KEYS..100_000).step_by(1000) {
            check(&*subject, &filter, held, start);
            let keys = subject.keys(&numbers(start..start + 1000));
            let before = held;
            let ((), more) = held_by(|| keys.insert_each(&mut filter, |_, _| ()).unwrap());
            held = before.wrapping_add(more);
        }
    }
}
