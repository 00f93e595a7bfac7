//! What changes where a person is watching: a progress picture, a word before waiting, no filter on
//! the screen.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread::{self, sleep};
use std::time::Duration;

use nix::pty::openpty;

use crate::place::Place;

/// A terminal: the program's side, and a reader of all that is written there until the program
/// ends.
fn terminal() -> (Stdio, thread::JoinHandle<String>) {
    let pair = openpty(None, None).unwrap();
    let reader = thread::spawn(move || {
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
    let check = |args: &str, wait: u64, shown: bool| {
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
    };
    // At once, for they wait most of the time.
    thread::scope(|scope| {
        scope.spawn(|| check("build -o a", 1200, true));
        scope.spawn(|| check("build -o b", 0, false));
        scope.spawn(|| check("build -q -o c", 1200, false));
    });
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
    assert_eq!(
        output.stderr,
        b"3 lines, 1 different key, 64 bytes, 1 in 100 false positives\nkeys: whole lines\n"
    );
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

/// What is so on every run is said to a person, and not to a script.
#[test]
fn where_the_keys_are_is_told_on_a_terminal() {
    let place = Place::new();
    place.write("mail.csv", "id,email\n1,a@x.org\n2,b@x.org\n");
    place.write("mail.tsv", "id\temail\n1\ta@x.org\n");
    place.write("rows", "1;a\n2;b\n1;c\n");
    place.write("one.csv", "x\n");
    place.build("f", b"", "-f email mail.csv -n 9");
    place.build("deletable", b"", "-f email mail.csv --deletable");
    place.build("lines", b"1,a@x.org\n", "");
    assert_eq!(place.run("uniq rows -d ; -f 1 --state s").code, 0);
    let from_csv =
        "the keys are field \"email\" of CSV rows, from which it was built; for whole lines say --whole";
    for (args, expected) in [
        ("has f mail.csv", format!("f: {from_csv}")),
        ("which f -- mail.csv", format!("f: {from_csv}")),
        ("test f --members mail.csv", format!("f: {from_csv}")),
        ("add f mail.csv", format!("f: {from_csv}")),
        (
            "has lines one.csv",
            "one.csv: whole lines are looked up, since the filter was not built from a field; for one field add -f \
             FIELD, and --whole says that lines are meant"
                .into(),
        ),
        ("remove deletable mail.csv --force -o less", format!("deletable: {from_csv}")),
        ("has f mail.tsv --tsv", format!("f: {}", from_csv.replace("CSV rows", "rows between tabs"))),
        (
            "has f mail.csv -f 2",
            "f: built from field \"email\" of CSV rows; here the keys are those of -f 2".into(),
        ),
        (
            "uniq rows --state s",
            "s: the keys are field 1 of plain rows between ';', from which it was built".into(),
        ),
    ] {
        let expected = format!("tepal: {expected}\r\n");
        let (verb, rest) = args.split_once(' ').unwrap();
        for (quiet, told) in [("", expected.as_str()), ("-q", "")] {
            let (stderr, screen) = terminal();
            let mut command = place.command(&format!("{verb} {quiet} {rest}"));
            command.stderr(stderr);
            assert!(command.status().unwrap().code() < Some(2), "{args}");
            drop(command);
            let screen = screen.join().unwrap();
            assert!(
                screen.starts_with(told) && (quiet.is_empty() || screen.is_empty()),
                "{args}: {screen:?}"
            );
        }
        assert!(!place.run(args).err.contains("keys are"), "{args}");
    }
}

#[test]
fn the_first_key_is_shown_on_a_terminal_alone() {
    let place = Place::new();
    place.write("a.csv", format!("id,x\n\u{1b}[2J{},y\n", "1".repeat(99)));
    place.write_key("secret", "0123456789abcdef0123456789abcdef");
    let on_terminal = |args: &str| {
        let (stderr, screen) = terminal();
        let mut command = place.command(args);
        command.stderr(stderr).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(command);
        assert!(child.wait().unwrap().success(), "{args}");
        screen.join().unwrap().replace("\r\n", "\n")
    };
    let shown = format!("keys: field \"id\" of CSV rows, the first is \"\\u{{1b}}[2J{}…\"\n", "1".repeat(56));
    let screen = on_terminal("build a.csv -f id -o f");
    assert!(screen.ends_with(&shown), "{screen:?}");
    assert!(on_terminal("add f a.csv --past-promise").contains(&shown));
    assert!(on_terminal("uniq a.csv -f id").ends_with(&shown));
    // A number that takes the header row for a key.
    assert!(on_terminal("build a.csv -f 1 -o f --force").contains(", the first is \"id\"\n"));
    for args in ["build a.csv -f id -o g --secret secret", "uniq a.csv -f id --secret secret"] {
        let screen = on_terminal(args);
        assert!(screen.contains("keys: field \"id\" of CSV rows\n"), "{screen:?}");
    }
    assert_eq!(on_terminal("build a.csv -f id -o f --force -q"), "");
}
