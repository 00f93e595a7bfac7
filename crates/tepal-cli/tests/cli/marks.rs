//! How a text is written: marks of UTF-8 and UTF-16 at its start, and line ends that are none.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::packed::{gzip, zstd};
use crate::place::{Place, Ran, finish};

/// Turns plain text into what an input has.
type Writer = fn(&str) -> Vec<u8>;

/// The ways to write a text that are read like plain text.
const WAYS: [(&str, Writer); 7] = [
    ("UTF-8", with_mark),
    ("UTF-16LE", little),
    ("UTF-16BE", big),
    ("gzip of UTF-8", |text| gzip(&with_mark(text))),
    ("gzip of UTF-16LE", |text| gzip(&little(text))),
    ("zstd of UTF-8", |text| zstd(&with_mark(text))),
    ("zstd of UTF-16BE", |text| zstd(&big(text))),
];

fn with_mark(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").into_bytes()
}

fn little(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn big(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Keys, the first of them too, that are not in ASCII.
fn keys(range: std::ops::Range<u32>, end: &str) -> String {
    range.map(|n| format!("ключ {n} 𝄞{end}")).collect()
}

/// What is run, in this order. Each verb that reads records is there, with each kind of input.
const RUNS: &[&str] = &[
    "build -q -p 1e-9 -n 2000 -o f list more",
    "has f list more other",
    "has -v f list more other -j 1",
    "has -c f other list",
    "has f rows.csv -f id",
    "has f rows.csv -f 1",
    "has f rows.tsv -f id",
    "has f rows.tsv -f 1 --header",
    "has f lines.json -f /id",
    "has f list --json",
    "add -q f other",
    "has -c f other",
    "build -q -p 1e-9 -o removable --deletable list more",
    "remove -q removable more --members more",
    "has removable list more",
    "build -q -o segments rows.tsv -f id --by place",
    "which segments --whole -- list more",
    "build -q -o sets list more --set",
    "which sets -- list more",
    "build -q -o map rows.csv -f id --map place",
    "get map list --whole",
    "uniq list list more",
    "uniq --exact list more list",
    "uniq --state seen list more",
    "uniq --state seen list other",
    "build -q -p 40% -n 400 --over ignore -o loose list",
    "except -q loose other more --members list",
    "has -c loose list other more",
    "test -q loose --members list --absent other more",
    "build -q list --exact-on other more list -o exact",
    "has exact list other more",
    "test -q exact --members list --absent other more",
];

/// The answers of all runs, and the files that they made.
fn answers(write: Writer) -> Vec<(Ran, Vec<Vec<u8>>)> {
    let place = Place::new();
    let rows = |range: std::ops::Range<u32>, separator: &str, quote: &str| {
        let row = |n| {
            let place = ["north", "south"][n as usize % 2];
            format!("{quote}ключ {n} 𝄞{quote}{separator}{place}\n")
        };
        format!("{quote}id{quote}{separator}place\n{}", range.map(row).collect::<String>())
    };
    let json = |n| format!("{{\"id\":\"ключ {n} 𝄞\"}}\n");
    for (name, text) in [
        ("list", keys(0..300, "\n")),
        ("more", keys(300..400, "\r\n")),
        ("other", keys(400..1000, "\n")),
        ("rows.csv", rows(0..300, ",", "\"")),
        ("rows.tsv", rows(0..300, "\t", "")),
        ("lines.json", (0..3).map(json).collect()),
    ] {
        place.write(name, write(&text));
    }
    let run = |args: &&str| {
        let ran = place.run(args);
        let made = ["f", "removable", "segments", "sets", "map", "loose", "exact"];
        let is_there = |name: &&&str| place.path(name).exists();
        (ran, made.iter().filter(is_there).map(|name| place.read(name)).collect())
    };
    RUNS.iter().map(run).collect()
}

#[test]
fn every_verb_reads_marked_text_as_plain_text() {
    let plain = answers(|text| text.as_bytes().to_vec());
    for (run, (ran, _)) in RUNS.iter().zip(&plain) {
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{run}");
    }
    let shown = |at: usize| String::from_utf8(plain[at].0.out.clone()).unwrap();
    let of = |name: &str, keys: String| keys.replace("ключ", &format!("{name}:ключ"));
    assert_eq!(shown(1), of("list", keys(0..300, "\n")) + &of("more", keys(300..400, "\r\n")));
    for (way, write) in WAYS {
        for (run, (found, expected)) in RUNS.iter().zip(answers(write).iter().zip(&plain)) {
            assert_eq!(found.0, expected.0, "{way}: {run}");
            assert!(found.1 == expected.1, "{way}: other files after {run}");
        }
    }
}

#[test]
fn pipes_are_read_so_too_and_long_inputs_by_several_threads() {
    let place = Place::new();
    let all = keys(0..100_000, "\n");
    place.build("f", all.as_bytes(), "");
    place.write("plain", &all);
    for (way, write) in WAYS {
        for threads in ["-j 1", "-j 3"] {
            let ran = place.run_with(&format!("has f {threads}"), &write(&all));
            assert!(ran.code == 0 && ran.err.is_empty() && ran.out == all.as_bytes(), "{way} {threads}");
            let ran = place.run_with(&format!("build -q -p 1e-9 -o g --force {threads}"), &write(&all));
            assert!(ran.code == 0 && place.read("f") == place.read("g"), "{way} {threads}");
            // A mark at the start of each input, and an input without one between them.
            place.write("marked", write(&all));
            let ran = place.run(&format!("has -c f {threads} marked plain marked"));
            let counts = "marked:100000\nplain:100000\nmarked:100000\n";
            assert_eq!(ran.quiet(), (0, counts.as_bytes()), "{way} {threads}");
        }
    }
}

#[test]
fn one_mark_is_left_out_and_what_has_none_stays_as_it_is() {
    let place = Place::new();
    place.build("f", b"key\n", "");
    place.build("marked", b"\xef\xbb\xbf\xef\xbb\xbfkey\n", "");
    for (filter, input, expected) in [
        ("f", &b"\xef\xbb\xbfkey\n"[..], &b"key\n"[..]),
        ("f", b"\xef\xbb\xbf\xef\xbb\xbfkey\n", b""),
        ("f", b"a\n\xef\xbb\xbfkey\n", b""),
        ("marked", b"a\n\xef\xbb\xbfkey\n", b"\xef\xbb\xbfkey\n"),
        ("marked", b"\xef\xbb\xbf\xef\xbb\xbfkey\n", b"\xef\xbb\xbfkey\n"),
    ] {
        let ran = place.run_with(&format!("has {filter}"), input);
        assert_eq!((&ran.out[..], ran.err.as_str()), (expected, ""), "{filter} {input:?}");
    }
    // Records that end with NUL are any bytes.
    for (filter, input, expected) in [
        ("f", &b"\xef\xbb\xbfkey\0"[..], &b""[..]),
        ("f", b"key\0\xef\xbb\xbfkey\0", b"key\0"),
        ("marked", b"\xef\xbb\xbfkey\0", b"\xef\xbb\xbfkey\0"),
        ("marked", b"\xef\xbb\xbf\xef\xbb\xbfkey\0", b""),
    ] {
        let ran = place.run_with(&format!("has {filter} -0"), input);
        assert_eq!((&ran.out[..], ran.err.as_str()), (expected, ""), "{filter} {input:?}");
    }
}

#[test]
fn keys_of_any_bytes_have_a_way_out() {
    let place = Place::new();
    let bytes = b"\xff\xfe\x01\xdc\n\xfe\xff\n";
    for args in ["build -o f", "uniq"] {
        let ran = place.run_with(args, bytes);
        assert_eq!(ran.code, 2, "{args}");
        let expected =
            "tepal: standard input: broken UTF-16 data (half of a pair of surrogates (DC01) at byte 2)";
        assert!(
            ran.err.starts_with(expected) && ran.err.contains("put a UTF-8 mark before them"),
            "{}",
            ran.err
        );
    }
    let marked = [b"\xef\xbb\xbf", &bytes[..]].concat();
    place.build("f", &marked, "");
    assert_eq!(place.run_with("has f", &marked).quiet(), (0, &bytes[..]));
    let ran = place.run_with("has f", b"\xff\xfe\0\0a\0\0\0");
    assert!(ran.code == 2 && ran.err.contains("text in UTF-32; expected UTF-8 or UTF-16"), "{}", ran.err);
}

#[test]
fn lists_whose_lines_end_in_cr_alone_are_refused() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("list", "a\n");
    let long = "a\r".repeat(3000) + "b\n";
    for text in ["a\rb\rc", "a\r", &long] {
        for (way, write) in [WAYS[0], WAYS[1], WAYS[3], ("plain", |text: &str| text.as_bytes().to_vec())] {
            for args in
                ["has f mac", "has f list mac", "has f mac -f 1", "has f mac -f 1 --csv", "has f mac -f /a"]
            {
                place.write("mac", write(text));
                let ran = place.run(args);
                let expected =
                    "tepal: mac: its lines end in CR alone (\\r), as on old Macs, expected LF or CR LF: ";
                assert!(ran.code == 2 && ran.err.starts_with(expected), "{way} {args}: {}", ran.err);
            }
            let ran = place.run("build -o g mac");
            assert!(ran.code == 2 && !place.path("g").exists(), "{way}");
            let ran = place.run("has f mac -0 -v -q");
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{way}");
        }
    }
    for text in ["a\rb\nc\rd", "a\r\n", "a"] {
        let ran = place.run_with("has -c f", text.as_bytes());
        assert_eq!(ran.err, "", "{text:?}");
    }
}

/// A co-process writes a line and waits for the answer: no more of the input is waited for than one
/// line.
#[test]
fn the_first_line_is_answered_at_once() {
    let place = Place::new();
    place.build("f", b"a\n\n\xef\n\xef\xbb\n\xff\n", "--empty-keys");
    for (first, second, expected) in [
        (&b"a\n"[..], &b"\n"[..], &b"a\n\n"[..]),
        (b"\n", b"a\n", b"\na\n"),
        (b"\xef\n", b"a\n", b"\xef\na\n"),
        (b"\xef\xbb\n", b"a\n", b"\xef\xbb\na\n"),
        (b"\xff\n", b"a\n", b"\xff\na\n"),
        (b"\xef\xbb\xbfa\n", b"\n", b"a\n\n"),
        (b"\xff\xfea\0\n\0", b"\n\0", b"a\n\n"),
        (b"\xfe\xff\0a\0\n", b"\0\n", b"a\n\n"),
    ] {
        for args in ["has f", "has f -j 4", "uniq"] {
            let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
            let (mut to, mut from) =
                (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
            let mut answered = Vec::new();
            for line in [first, second] {
                to.write_all(line).unwrap();
                from.read_until(b'\n', &mut answered).unwrap();
            }
            assert_eq!(answered, expected, "{args} {first:?}");
            drop(to);
            assert_eq!(child.wait().unwrap().code(), Some(0), "{args} {first:?}");
        }
    }
}

/// A secret is bytes, and a key on the command line has no start of a text.
#[test]
fn what_is_no_list_is_read_as_it_is() {
    let place = Place::new();
    place.build("f", b"a\nb\n\xef\xbb\xbf\xef\xbb\xbfkey\n", "");
    let ran = finish({
        let mut command = place.command("has f -e");
        command.arg("\u{feff}a");
        command
    });
    assert_eq!(ran.quiet(), (1, &b""[..]));
    let secret = b"\xef\xbb\xbf\xff\xfe01234567890";
    place.write_key("secret", secret);
    place.write_key("other", &secret[3..]);
    place.write("list", "a\n");
    assert_eq!(place.run("build -q list -o g --secret secret").quiet().0, 0);
    assert_eq!(place.run("has g list --secret secret").quiet(), (0, &b"a\n"[..]));
    assert_eq!(place.run("has g list --secret other").code, 2);
}
