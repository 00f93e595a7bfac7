//! The smallest filter of a list from a pipe takes no more memory than twice the filter, a byte a
//! key, what `--memory` says, and 20 MiB; and the file is the same, whatever the memory.
//!
//! A file of its own: the system tells the peak only for all children of a process together.
#![cfg(unix)]

use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

/// More than twice the hashes which are kept in memory.
const KEYS: u64 = 15_000_000;

#[test]
fn building_a_static_filter_from_a_pipe_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, args: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tepal"));
        command.args(["build", "-q", "--static", "-o"]).arg(folder.path().join(name)).args(args.split(' '));
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut keys = BufWriter::with_capacity(1 << 16, child.stdin.take().unwrap());
        for n in 0..KEYS {
            writeln!(keys, "{n:012}").unwrap();
        }
        drop(keys);
        assert!(child.wait().unwrap().success());
        std::fs::read(folder.path().join(name)).unwrap()
    };
    let bounded = run("f", "-j 2 --memory 46MiB");
    // Kilobytes on Linux and the BSDs, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as u64 * unit;
    let size = bounded.len() as u64;
    assert!(peak <= 2 * size + KEYS + (66 << 20), "{peak} bytes for a filter of {size}");
    assert!(peak < 8 * KEYS, "{peak} bytes: as much as its hashes take");
    assert!(run("g", "-j 1 --memory 1GiB") == bounded);
}
