//! No byte lost: whatever a line is made of, it comes out as it went in.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::place::Place;

#[test]
fn any_bytes_come_out_as_they_went_in() {
    let place = Place::new();
    let every_byte: Vec<u8> = (0..=255).filter(|b| *b != b'\n').collect();
    let lines = [
        &b"\n"[..],
        // At the start of an input this would be a mark.
        b"\xff\xfe\n",
        b"crlf\r\n",
        b"\r\n",
        b"\r\r\n",
        b"nul\0inside\n",
        &every_byte,
        b"\nlast",
    ]
    .concat();
    place.build("f", &lines, "--text --empty-keys");
    assert_eq!(place.run_with("has --text f", &lines).quiet(), (0, &lines[..]));
    assert_eq!(place.run_with("has --text -v f", &lines).quiet(), (1, &b""[..]));
    place.build("empty", b"", "");
    assert_eq!(place.run_with("has --text -v empty", &lines).quiet(), (0, &lines[..]));
    assert_eq!(place.run_with("has --text empty", &lines).quiet(), (1, &b""[..]));
}

#[test]
fn a_list_from_windows_matches_one_from_unix() {
    let place = Place::new();
    place.build("unix", b"one\ntwo\n", "");
    place.build("windows", b"one\r\ntwo\r\n", "");
    assert_eq!(place.read("unix"), place.read("windows"));
    assert_eq!(place.run_with("has unix", b"two\r\nthree\r\n").quiet(), (0, &b"two\r\n"[..]));
    // Without a line end a \r belongs to the key. Alone it is no line end either.
    assert_eq!(place.run_with("has unix", b"three\ntwo\r").quiet(), (1, &b""[..]));
    assert_eq!(place.run_with("has unix", b"two\r").code, 2);
}

#[test]
fn the_empty_line_is_the_empty_key() {
    let place = Place::new();
    place.build("f", b"\n", "--empty-keys");
    assert_eq!(place.run_with("has -n f", b"a\n\nb\n\r\n").quiet(), (0, &b"2:\n4:\r\n"[..]));
    place.build("g", b"a\n", "");
    assert_eq!(place.run_with("has g", b"\n").quiet(), (1, &b""[..]));
}

#[test]
fn a_missing_last_newline_stays_missing_but_never_joins_two_lines() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    place.write("one", "x\na");
    place.write("two", "b\ny");
    assert_eq!(place.run("has f one").quiet(), (0, &b"a"[..]));
    assert_eq!(place.run("has -I f one two").quiet(), (0, &b"a\nb\n"[..]));
    assert_eq!(place.run("has -v f one two").quiet(), (0, &b"one:x\ntwo:y"[..]));
    assert_eq!(place.run("has -n f one one").quiet(), (0, &b"one:2:a\none:2:a"[..]));
}

#[test]
fn nul_records() {
    let place = Place::new();
    place.build("f", b"a\nb\0c\r\0", "-0");
    let records = b"c\r\0c\0a\nb\0\0a\nb";
    for flag in ["-0", "-z", "--null"] {
        let ran = place.run_with(&format!("has {flag} f"), records);
        assert_eq!(ran.quiet(), (0, &b"c\r\0a\nb\0a\nb"[..]));
    }
    assert_eq!(place.run_with("has -0 -n -v f", records).quiet(), (0, &b"2:c\x004:\0"[..]));
}

#[test]
fn pipe_file_dash_and_several_files_give_the_same_bytes() {
    let place = Place::new();
    place.build("f", b"b\nd\n", "");
    place.write("one", "a\nb\n");
    place.write("two", "c\nd\n");
    place.write("both", "a\nb\nc\nd\n");
    let expected = place.run("has f both").out;
    assert_eq!(expected, b"b\nd\n");
    assert_eq!(place.run("has -I f one two").out, expected);
    assert_eq!(place.run_with("has f", b"a\nb\nc\nd\n").out, expected);
    assert_eq!(place.run_with("has f -", b"a\nb\nc\nd\n").out, expected);
    assert_eq!(place.run_with("has -I f one -", b"c\nd\n").out, expected);
    // Building too.
    place.build("g1", b"a\nb\nc\nd\n", "");
    place.build("g2", b"c\nd\n", "one -");
    place.build("g3", b"", "one two");
    assert_eq!(place.read("g1"), place.read("g2"));
    assert_eq!(place.read("g1"), place.read("g3"));
}

#[test]
fn many_lines_keep_their_order_over_buffer_ends() {
    let place = Place::new();
    let all: Vec<String> =
        (0..200_000).map(|n| format!("{}\n", "x".repeat(n % 37) + &n.to_string())).collect();
    let odd: String = all.iter().skip(1).step_by(2).cloned().collect();
    let even: String = all.iter().step_by(2).cloned().collect();
    place.build("f", odd.as_bytes(), "");
    let all = all.concat();
    assert!(place.run_with("has f", all.as_bytes()).out == odd.as_bytes());
    assert!(place.run_with("has -v f", all.as_bytes()).out == even.as_bytes());
}

/// One line of 1 GiB goes in and comes out whole, where the flag allows it. 64 MiB where the
/// program is not optimised.
#[test]
fn a_line_as_long_as_is_allowed() {
    const PIECE: usize = 1 << 20;
    // More than the 64 MiB that are allowed without a flag.
    const PIECES: usize = 128;
    let place = Place::new();
    let feed = move |mut stdin: std::process::ChildStdin| {
        std::thread::spawn(move || {
            let piece = vec![b'x'; PIECE];
            for _ in 0..PIECES {
                stdin.write_all(&piece).unwrap();
            }
            stdin.write_all(b"\nshort\n").unwrap();
        })
    };
    let mut build = place.command("build -q -o f --max-record 128MiB").stdin(Stdio::piped()).spawn().unwrap();
    feed(build.stdin.take().unwrap()).join().unwrap();
    assert!(build.wait().unwrap().success());
    let mut has = place.command("has f --max-record 128MiB").stdin(Stdio::piped()).spawn().unwrap();
    let feeder = feed(has.stdin.take().unwrap());
    let mut out = has.stdout.take().unwrap();
    let (mut buffer, mut len, mut rest) = (vec![0; PIECE], 0, Vec::new());
    loop {
        let n = out.read(&mut buffer).unwrap();
        if n == 0 {
            break;
        }
        len += n;
        rest.extend(buffer[..n].iter().filter(|&&b| b != b'x'));
    }
    feeder.join().unwrap();
    assert!(has.wait().unwrap().success());
    assert_eq!((len, rest.as_slice()), (PIECES * PIECE + 7, &b"\nshort\n"[..]));
}
