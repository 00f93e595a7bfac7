//! One key more in a large filter takes memory for the pages that it changes, not for a copy of the
//! filter.
//!
//! A file of its own: the system tells the peak only for all children of a process together.
#![cfg(unix)]

use std::process::Command;

use nix::sys::resource::{UsageWho, getrusage};

#[test]
fn adding_a_key_to_a_large_filter_copies_few_pages() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_tepal")).args(args).current_dir(folder.path()).output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    };
    std::fs::write(folder.path().join("keys"), "a\n").unwrap();
    std::fs::write(folder.path().join("more"), "b\n").unwrap();
    run(&["build", "-q", "-s", "256MiB", "-n", "1M", "-o", "f", "keys"]);
    let peak = || {
        // Kilobytes on Linux and the BSDs, bytes on macOS.
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as u64 * unit
    };
    // Building has its filter once in memory.
    let once = peak();
    run(&["add", "-q", "f", "more"]);
    assert!(peak() <= once + (32 << 20), "{} bytes, and {once} for building", peak());
    assert_eq!(run(&["has", "f", "-e", "a", "-e", "b"]), b"a\nb\n");
    run(&["verify", "f"]);
}
