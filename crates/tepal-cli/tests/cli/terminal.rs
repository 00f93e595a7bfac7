//! What changes where a person is watching: a progress picture, a word before waiting, no filter on
//! the screen.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use nix::pty::openpty;

use crate::place::Place;

/// A terminal: the program's side, and a reader of all that is written there until the program
/// ends.
fn terminal() -> (Stdio, std::thread::JoinHandle<String>) {
    let pair = openpty(None, None).unwrap();
    let reader = std::thread::spawn(move || {
        let (mut master, mut all, mut buffer) = (File::from(pair.master), Vec::new(), [0; 4096]);
        // The end of the other side is an error on Linux.
        while let Ok(n @ 1..) = master.read(&mut buffer) {
            all.extend_from_slice(&buffer[..n]);
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    (Stdio::from(pair.slave), reader)
}

#[test]
fn progress_is_shown_on_a_terminal_after_a_second() {
    let place = Place::new();
    for (args, wait, shown) in
        [("build -o a", 1200, true), ("build -o b", 0, false), ("build -q -o c", 1200, false)]
    {
        let (stderr, screen) = terminal();
        let mut command = place.command(args);
        command.stdin(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().unwrap();
        drop(command);
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..3 {
            stdin.write_all(b"key\n").unwrap();
            sleep(Duration::from_millis(wait / 2));
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        let screen = screen.join().unwrap();
        assert_eq!(screen.contains("B/s"), shown, "{args}: {screen:?}");
    }
}

#[test]
fn nothing_is_shown_in_a_pipe() {
    let place = Place::new();
    let mut child = place.command("build -o a").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..3 {
        stdin.write_all(b"key\n").unwrap();
        sleep(Duration::from_millis(600));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"3 lines, 1 different key, 64 bytes, 1 in 100 false positives\n");
}

#[test]
fn a_filter_is_not_written_to_a_terminal() {
    let place = Place::new();
    let (stdout, screen) = terminal();
    let mut command = place.command("build -o -");
    command.stdout(stdout);
    let output = command.output().unwrap();
    drop(command);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "tepal: standard output: is a terminal, and a filter is no text; write it to a file with -o FILE\n"
    );
    assert_eq!(screen.join().unwrap(), "");
}

#[test]
fn reading_from_a_terminal_is_announced() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    let pair = openpty(None, None).unwrap();
    let mut command = place.command("has f");
    command.stdin(Stdio::from(pair.slave));
    let child = command.spawn().unwrap();
    drop(command);
    // A line, and the end as Ctrl-D types it.
    File::from(pair.master.try_clone().unwrap()).write_all(b"a\n\x04").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"a\n"[..]));
    assert_eq!(output.stderr, b"tepal: reading keys from the terminal, end with Ctrl-D\n");
}
