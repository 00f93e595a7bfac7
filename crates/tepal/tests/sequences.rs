//! No member is ever missed, whatever was done and in whatever order: random operations on filters of every kind
//! against an exact set. `cargo run --release -p tepal --features seal --example sequences -- 1000000` does a
//! million.

#[path = "shared/kinds.rs"]
mod kinds;
#[path = "shared/random.rs"]
mod random;
#[path = "shared/sequences.rs"]
mod sequences;

use kinds::{Opener, kinds};
use sequences::sequence;

#[test]
fn nobody_is_forgotten_by_any_kind() {
    let (mut operations, mut asked) = (0, 0);
    for (number, kind) in (0..).zip(kinds()) {
        let opener = Opener::of(&kind);
        // A scheme whose filters always have 4 MiB takes longer.
        let large = kind.builder.plan().unwrap().size_in_bytes() > 1 << 20;
        for round in 0..if large || cfg!(debug_assertions) { 10 } else { 500 } {
            let (done, members) = sequence(&kind, &opener, number << 32 | round);
            operations += done;
            asked += members;
        }
    }
    assert!(operations > 1000 && asked > 1000, "{operations} operations, {asked} members asked");
}
