//! The kept JSON files are what the reference writes now.

use std::path::Path;
use tepal_reference::vectors;

/// Where the files are kept, seen from this crate.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/vectors");

#[test]
fn vectors_are_current() {
    if let Err(difference) = vectors::check(Path::new(KEPT)) {
        panic!(
            "the test vectors are not what the reference computes: {difference}\n\
             If a rule was meant to change, write them anew:\n    {}",
            vectors::WRITE_COMMAND
        );
    }
}

#[test]
fn vectors_stay_small() {
    let total: usize = vectors::all().unwrap().iter().map(|(_, text)| text.len()).sum();
    assert!(total < 1_000_000, "{total} bytes");
}
