//! What the command takes of memory. A binary of its own: each test starts this binary again, for
//! the system tells the peak only for all children of a process together.
#![cfg(unix)]

use std::env;
use std::io::{BufWriter, Write};
use std::process::{ChildStdin, Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

mod adding;
#[cfg(target_os = "linux")]
mod foreign;
mod pipe;
mod ribbon;

/// Says to a process of this binary that it is the one of a test.
const ALONE: &str = "TEPAL_TEST_ALONE";

/// Runs the body of the test of that name in a process of its own.
fn alone(test: &str, body: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return body();
    }
    let mut again = Command::new(env::current_exe().unwrap());
    let ran = again.args(["--exact", test, "--nocapture"]).env(ALONE, "").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.contains("\ntest result: ok. 1 passed;"), "{out}{err}");
}

/// The most memory that one of this process's children has taken.
fn peak() -> u64 {
    // Kilobytes on Linux and the BSDs, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as u64 * unit
}

fn tepal() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tepal"))
}

/// Runs it to its end with the numbers below `keys`, of twelve digits, one a line. Returns what it
/// printed.
fn run_with_numbers(mut command: Command, keys: u64) -> Vec<u8> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    write_numbers(child.stdin.take().unwrap(), keys);
    let ran = child.wait_with_output().unwrap();
    assert!(ran.status.success());
    ran.stdout
}

fn write_numbers(stdin: ChildStdin, keys: u64) {
    let mut lines = BufWriter::with_capacity(1 << 16, stdin);
    let mut line = *b"000000000000\n";
    for _ in 0..keys {
        lines.write_all(&line).unwrap();
        for digit in line[..12].iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                break;
            }
            *digit = b'0';
        }
    }
    lines.flush().unwrap();
}
