//! `uniq --state` on a stream without an end: it saves every so often, and when a signal ends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::place::{Place, numbers};

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

/// Starts it, and gives it lines until it has printed them.
fn started(mut command: Command, lines: &[&str]) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::with_capacity(1, child.stdout.take().unwrap());
    for line in lines {
        child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        let mut printed = String::new();
        out.read_line(&mut printed).unwrap();
        assert_eq!(printed, *line);
    }
    child.stdout = Some(out.into_inner());
    child
}

/// Its exit code, what it printed still, and what it said.
fn ended(mut child: Child) -> (Option<i32>, String, String) {
    // Its input does not end before it does.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_signal_ends_the_input_and_what_was_printed_is_remembered() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        for args in ["uniq --state s", "uniq --state s -j 1 --window 7d", "uniq --state s --json"] {
            let place = Place::new();
            assert_eq!(place.run_with("uniq --state s", b"").code, 1);
            if args.contains("window") {
                std::fs::remove_file(place.path("s")).unwrap();
            }
            let mut child = started(place.heeding(args), &[]);
            // The last of them is no whole line.
            child.stdin.as_mut().unwrap().write_all(b"a\nb\nhalf").unwrap();
            let mut first = [0; 2];
            child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
            thread::sleep(Duration::from_millis(50));
            // Twice, as `timeout` does.
            send(&child, signal);
            send(&child, signal);
            let (found, out, err) = ended(child);
            assert_eq!((found, err.as_str()), (Some(code), ""), "{args}");
            assert!(!out.contains("half"), "{out}");
            let ran = place.run_with("uniq --state s", b"a\nb\nc\nhalf\n");
            assert_eq!(ran.quiet(), (0, &b"c\nhalf\n"[..]), "{args}");
            assert_eq!(place.names(), ["s"]);
        }
    }
}

/// Between two lines of a stream that does not pause: what was printed is what is remembered.
#[test]
fn a_stream_that_does_not_pause_is_ended() {
    for jobs in ["-j 1", "-j 3"] {
        let place = Place::new();
        let mut child =
            place.heeding(&format!("uniq --state s {jobs}")).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = thread::spawn(move || {
            let mut from = 0;
            // Until it has ended.
            while stdin.write_all(&numbers(from..from + 1000)).is_ok() {
                from += 1000;
            }
        });
        let mut out = child.stdout.take().unwrap();
        let mut printed = vec![0; 4 << 20];
        out.read_exact(&mut printed).unwrap();
        send(&child, Signal::SIGTERM);
        out.read_to_end(&mut printed).unwrap();
        let (code, _, err) = ended(child);
        writer.join().unwrap();
        assert_eq!((code, err.as_str()), (Some(143), ""), "{jobs}");
        let lines = printed.iter().filter(|byte| **byte == b'\n').count() as u32;
        assert!(printed == numbers(0..lines), "{jobs}: whole lines, in order");
        assert_eq!(place.run_with("uniq --state s", &printed).quiet(), (1, &b""[..]), "{jobs}");
        let more = numbers(lines..lines + 1000);
        assert_eq!(place.run_with("uniq --state s", &more).quiet(), (0, &more[..]), "{jobs}");
    }
}

/// What ignores a signal when it starts goes on ignoring it.
#[test]
fn an_ignored_signal_stays_ignored() {
    let place = Place::new();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_tepal")).args(["uniq", "--state", "s"]);
    command.current_dir(place.path(".")).stderr(Stdio::piped());
    let mut child = started(command, &["a\n"]);
    send(&child, Signal::SIGHUP);
    thread::sleep(Duration::from_millis(100));
    child.stdin.as_mut().unwrap().write_all(b"b\n").unwrap();
    let mut line = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(&line, b"b\n");
    send(&child, Signal::SIGTERM);
    assert_eq!(ended(child).0, Some(143));
    assert_eq!(place.run_with("uniq --state s", b"a\nb\n").quiet(), (1, &b""[..]));
    // As a job in the background of a script, for every verb.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' INT; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tepal"), "has", "s"]);
    command.current_dir(place.path(".")).stderr(Stdio::piped());
    let mut child = started(command, &["a\n"]);
    send(&child, Signal::SIGINT);
    thread::sleep(Duration::from_millis(50));
    drop(child.stdin.take());
    assert_eq!(ended(child).0, Some(0));
}

#[test]
fn it_saves_every_so_often() {
    let place = Place::new();
    let mut child = started(place.command("uniq --state s --save-every 1s"), &["a\n", "b\n"]);
    let begun = Instant::now();
    // Nothing comes meanwhile.
    while place.run("has -q s -e a").code != 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it was not saved");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(begun.elapsed() > Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.run_with("uniq --state s", b"a\nb\nc\n").quiet(), (0, &b"c\n"[..]));
    for (args, part) in [
        ("uniq --save-every 1s", "--state"),
        ("uniq --state s --save-every 1M", "1min"),
        ("uniq --state s --save-every 1000", "expected a time such as"),
        ("uniq --state s --save-every 0s", "expected a time such as"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(part), "{args}: {}", ran.err);
    }
    assert_eq!(place.run_with("uniq --state s --save-every 10min", b"d\n").quiet(), (0, &b"d\n"[..]));
}

/// Nobody knows which lines a reader has read that has gone away.
#[test]
fn a_reader_that_goes_away_is_told_of() {
    let place = Place::new();
    assert_eq!(place.run_with("uniq --state s", b"x\n").code, 0);
    let before = place.read("s");
    // Without a reader before anything comes.
    let unread = |args: &str, lines: &[u8]| {
        let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        // It may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(lines);
        let (code, _, err) = ended(child);
        (code.unwrap(), err)
    };
    for (args, lines) in
        [("", numbers(0..3)), ("", numbers(0..1_000_000)), ("-j 1 --json", numbers(0..1_000_000))]
    {
        let (code, err) = unread(&format!("uniq --state s {args}"), &lines);
        let told =
            "tepal: s: the program that reads the lines has ended, and nobody knows which of the last ";
        assert_eq!((code, err.lines().count()), (2, 1), "{args}: {err}");
        assert!(err.starts_with(told) && err.ends_with("the next run prints them again\n"), "{args}: {err}");
        assert!(lines.len() > 100 || err.contains("the last 3 lines"), "{err}");
        assert!(place.read("s") == before, "{args}");
    }
    // What is not written is not lost.
    for args in ["uniq", "uniq --state s --count-new", "has s -v"] {
        assert_eq!(unread(args, b"a\nb\n"), (0, String::new()), "{args}");
    }
}
