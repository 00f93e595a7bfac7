//! The transcripts of `docs/jobs.md` and `docs/parquet.md`: every command is run anew, and what
//! comes is compared.
//!
//! `TEPAL_WRITE_DOCS=1 cargo test -p tepal-cli --test jobs` writes the answers anew.
#![cfg(unix)]

#[path = "shared/transcript.rs"]
mod transcript;

use std::path::Path;

#[test]
fn the_transcripts_are_what_comes() {
    let program = Path::new(env!("CARGO_BIN_EXE_tepal"));
    transcript::check("docs/jobs.md", &[program.parent().unwrap()], 40);
}

#[cfg(feature = "parquet")]
#[test]
fn the_transcripts_of_parquet_are_what_comes() {
    let program = Path::new(env!("CARGO_BIN_EXE_tepal"));
    transcript::check("docs/parquet.md", &[program.parent().unwrap()], 5);
}
