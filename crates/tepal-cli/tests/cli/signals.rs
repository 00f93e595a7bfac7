//! Ctrl-C and readers that go away.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::place::Place;

fn interrupt(child: &Child) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("many", "a\n".repeat(1_000_000));
    for args in ["has f many", "has -n f many", "has --json f many"] {
        let mut child = place.command(args).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut first = [0; 1];
        out.read_exact(&mut first).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args}");
        assert_eq!(output.stderr, b"", "{args}");
    }
}

#[test]
fn ctrl_c_leaves_the_old_filter_and_nothing_else() {
    let place = Place::new();
    place.build("f", b"a\n", "-n 1000");
    let before = place.read("f");
    for args in ["build --force -o f", "add f"] {
        let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds: when it is written, the program is reading.
        stdin.write_all(&b"b\n".repeat(1 << 20)).unwrap();
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{args}");
        assert_eq!(output.stderr, b"", "{args}");
        assert_eq!(place.names(), ["f"]);
        assert_eq!(place.read("f"), before);
    }
}

#[test]
fn ctrl_c_takes_away_what_the_demo_had_begun() {
    let place = Place::new();
    let child = place.command("demo -n 100M --dir d").spawn().unwrap();
    let begun = Instant::now();
    while !place.path("d/iin.txt.part").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(std::fs::read_dir(place.path("d")).unwrap().count(), 0);
}
