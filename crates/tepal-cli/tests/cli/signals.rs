//! Ctrl-C and readers that go away.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::place::{Place, numbers};

fn interrupt(child: &Child) {
    send(child, Signal::SIGINT);
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("many", "a\n".repeat(1_000_000));
    place.write("once", numbers(0..1_000_000));
    for args in ["has f many", "has -n f many", "has --json f many", "uniq once"] {
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
    for (args, signal, code) in [
        ("build --force -o f", Signal::SIGINT, 130),
        ("add f", Signal::SIGINT, 130),
        ("add f", Signal::SIGTERM, 143),
        ("add f", Signal::SIGHUP, 129),
    ] {
        let mut child = place.heeding(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds: when it is written, the program is reading.
        stdin.write_all(&b"b\n".repeat(1 << 20)).unwrap();
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args}");
        assert_eq!(output.stderr, b"", "{args}");
        assert_eq!(place.names(), ["f"]);
        assert_eq!(place.read("f"), before);
    }
}

/// A save that has begun is waited for. Whoever locks the folder holds it up just before its file
/// gets its name, for a second at most: long enough to be interrupted there.
#[test]
fn ctrl_c_waits_for_a_save() {
    let place = Place::new();
    place.build("a", b"a\n", "-n 1000 --seed 1");
    place.build("b", b"b\n", "-n 1000 --seed 1");
    place.write("keys", "b\n");
    for args in
        ["build -q -p 1e-9 -n 1000 --seed 1 --force -o f keys", "add -q f keys", "merge -q --force a b -o f"]
    {
        place.write("f", place.read("a"));
        assert_eq!(place.run(args).code, 0, "{args}");
        let new = place.read("f");
        // Until one was held up; a machine that is busy may be late.
        let waited = (0..20).any(|_| {
            place.write("f", place.read("a"));
            let folder = std::fs::File::open(place.path(".")).unwrap();
            let folder = Flock::lock(folder, FlockArg::LockExclusive).unwrap();
            let mut child = place.heeding(args).spawn().unwrap();
            let mut is_running = true;
            while is_running && place.names().len() == 4 {
                std::thread::sleep(Duration::from_millis(1));
                is_running = child.try_wait().unwrap().is_none();
            }
            if is_running {
                interrupt(&child);
            }
            std::thread::sleep(Duration::from_millis(200));
            let is_held_up = place.names().len() == 5 && place.read("f") == place.read("a");
            drop(folder);
            let output = child.wait_with_output().unwrap();
            assert_eq!(place.names(), ["a", "b", "f", "keys"], "{args}");
            assert!(place.read("f") == new, "{args}: the old file");
            // With the save the program is done, unless the signal is quicker.
            let told = String::from_utf8(output.stderr).unwrap();
            let expected = "tepal: f: interrupted when it was saved; the new file is in place\n";
            let is_right = match output.status.code() {
                Some(130) => told == expected,
                code => code == Some(0) && (told.is_empty() || told == expected),
            };
            assert!(is_right, "{args}: {:?} {told}", output.status);
            is_running && is_held_up
        });
        assert!(waited, "{args}: never interrupted while it saved");
    }
}

#[test]
fn ctrl_c_takes_away_what_the_demo_had_begun() {
    let place = Place::new();
    let child = place.heeding("demo -n 100M --dir d").spawn().unwrap();
    let begun = Instant::now();
    while !place.path("d/iin.txt.part").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert_eq!(std::fs::read_dir(place.path("d")).unwrap().count(), 0);
}
