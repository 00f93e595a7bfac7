//! Functions for the unit tests of several modules.

// Also for the tests of a build without the feature `std`.
extern crate std;

use std::io::Write;
use std::path::Path;
use std::vec::Vec;
use std::{fs, io};

use serde_json::Value;

/// A list of more than `least` cases from a file of vectors that the independent reference wrote.
///
/// A package has no vectors: then the list is empty, and standard error names the skipped test.
pub(crate) fn cases(file: &str, list: &str, least: usize) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors");
    if !folder.exists() {
        // Not through the test harness, which hides the output of a test that passes.
        let _ =
            writeln!(io::stderr(), "not run: {list} of {file}: this needs the repository's testdata/vectors");
        return Vec::new();
    }
    let vectors: Value = serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap();
    let cases = vectors[list].as_array().unwrap();
    assert!(cases.len() > least, "{file}: {list} has only {} cases", cases.len());
    cases.clone()
}
