//! A list of unknown length from a pipe takes no more memory than the filter, what `--memory` says,
//! and 18 MiB.
//!
//! A file of its own: the system tells the peak only for all children of a process together.
#![cfg(unix)]

use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

/// More than the hashes which are kept in memory, so that the file is used too.
const KEYS: u64 = 7_000_000;

#[test]
fn building_from_a_pipe_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let filter = folder.path().join("f");
    let run = |verb: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tepal"));
        let args: &[&str] =
            if verb == "build" { &["build", "-q", "--memory", "46MiB", "-o"] } else { &["has", "-c"] };
        command.args(args).arg(&filter).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut keys = BufWriter::with_capacity(1 << 16, child.stdin.take().unwrap());
        for n in 0..KEYS {
            writeln!(keys, "{n:012}").unwrap();
        }
        drop(keys);
        child.wait_with_output().unwrap()
    };
    assert!(run("build").status.success());
    let size = std::fs::metadata(&filter).unwrap().len();
    // Kilobytes on Linux and the BSDs, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = || getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as u64 * unit;
    let after_build = peak();
    assert!(after_build <= size + (64 << 20), "{after_build} bytes for a filter of {size}");
    assert_eq!(run("has").stdout, format!("{KEYS}\n").into_bytes());
    assert_eq!(peak(), after_build, "asking takes more than building");
}
