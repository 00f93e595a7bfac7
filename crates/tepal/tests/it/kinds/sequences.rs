//! No member is ever missed after any operations in any order: random operations on filters of
//! every kind and policy, compared with an exact set. Non-members are told from members too.
//! `bench/measure/run sequences 1000000` runs a million.

use crate::shared::kinds::{is_large, kinds};
use crate::shared::sequences::{Found, assert_enough, sequence};

#[test]
fn nobody_is_forgotten_by_any_kind() {
    let mut all = Found::default();
    for (number, subject) in (0..).zip(kinds()) {
        let opener = subject.opener();
        let mut found = Found::default();
        // A scheme whose filters always have 4 MiB takes longer.
        for round in 0..if is_large(&*subject) || cfg!(debug_assertions) { 10 } else { 500 } {
            found += sequence(&*subject, &opener, number << 32 | round);
        }
        let is_told = found.assert_selective(subject.name());
        assert!(is_told || cfg!(debug_assertions), "{}: too few to tell, {found:?}", subject.name());
        all += found;
    }
    assert_enough(&all);
}
