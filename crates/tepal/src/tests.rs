//! What the unit tests of several rooms share.

// For the tests of a build without the feature `std`, too.
extern crate std;

use std::io::Write;
use std::path::Path;
use std::vec::Vec;
use std::{fs, io};

use serde_json::Value;

/// A list of more than `least` cases in a file of vectors, which the independent reference wrote.
///
/// A package has no vectors: there the list is empty, and standard error names what is not run.
pub(crate) fn cases(file: &str, list: &str, least: usize) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors");
    if !folder.exists() {
        // Past the test harness, which keeps the output of a test that passes.
        let _ =
            writeln!(io::stderr(), "not run: {list} of {file}: this needs the repository's testdata/vectors");
        return Vec::new();
    }
    let vectors: Value = serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap();
    let cases = vectors[list].as_array().unwrap();
    assert!(cases.len() > least, "{file}: {list} has only {} cases", cases.len());
    cases.clone()
}
