//! The transcripts of `docs/sql.md`: every command is run anew, and what comes is compared.
//!
//! It needs the example `tepal-sql` (`cargo build --example tepal-sql` here) and the command
//! (`cargo build --release -p tepal-cli` in the repository), as `.ci/datafusion` builds them.
#![cfg(unix)]

#[path = "../../tepal-cli/tests/shared/transcript.rs"]
mod transcript;

use std::path::Path;

#[test]
fn the_transcripts_are_what_comes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let examples = std::env::current_exe().unwrap().parent().unwrap().with_file_name("examples");
    let command = root.join("target/release");
    for program in [examples.join("tepal-sql"), command.join("tepal")] {
        assert!(program.exists(), "{} is missing: run .ci/datafusion", program.display());
    }
    transcript::check(&root, "docs/sql.md", &[&examples, &command], 20);
}
