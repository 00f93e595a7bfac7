//! No member is ever missed, whatever was done and in whatever order: random operations on filters of every kind
//! against an exact set. `cargo run --release -p tepal --features seal --example sequences -- 1000000` does a
//! million.

#[path = "shared/kinds.rs"]
mod kinds;
#[path = "shared/random.rs"]
mod random;
#[path = "shared/sequences.rs"]
mod sequences;

use kinds::{is_large, kinds};
use sequences::sequence;

#[test]
fn nobody_is_forgotten_by_any_kind() {
    let (mut operations, mut asked) = (0, 0);
    for (number, subject) in (0..).zip(kinds()) {
        let opener = subject.opener();
        // A scheme whose filters always have 4 MiB takes longer.
        for round in 0..if is_large(&*subject) || cfg!(debug_assertions) { 10 } else { 500 } {
            let (done, members) = sequence(&*subject, &opener, number << 32 | round);
            operations += done;
            asked += members;
        }
    }
    assert!(operations > 1000 && asked > 1000, "{operations} operations, {asked} members asked");
}
