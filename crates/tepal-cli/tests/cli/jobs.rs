//! The transcripts of `docs/jobs.md` and `docs/parquet.md`: every command is run anew, and what
//! comes is compared.
//!
//! `TEPAL_WRITE_DOCS=1 cargo test -p tepal-cli --test cli jobs::` writes the answers anew.

use std::path::Path;

use crate::transcript;

/// Runs the commands of a page. The package has links to the pages and to the files that they read.
fn check(name: &str, least: u32) {
    let program = Path::new(env!("CARGO_BIN_EXE_tepal"));
    transcript::check(Path::new(env!("CARGO_MANIFEST_DIR")), name, &[program.parent().unwrap()], least);
}

#[test]
fn the_transcripts_are_what_comes() {
    check("docs/jobs.md", 40);
}

#[cfg(feature = "parquet")]
#[test]
fn the_transcripts_of_parquet_are_what_comes() {
    check("docs/parquet.md", 5);
}
