//! Any number of threads gives the same bytes, the same words and the same exit code: those of the
//! plainest way to do it, record by record (`plain.rs`), or key by key in the library.
//!
//! Threads start after the first MiB of an input, so the inputs here are of several MiB.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use tepal::{Open, SecretKey, file::Format};

use crate::place::{Place, Ran};
use crate::plain::{self, Record, is_filled_with, records};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// What all numbers of threads give alike.
fn alike(place: &Place, args: &str) -> Ran {
    let mut first = None;
    for threads in THREADS {
        let ran = place.run(&format!("{args} -j {threads}"));
        let first = first.get_or_insert_with(|| ran.clone());
        assert!(ran == *first, "{args}: {} threads: {} {}, not {}", threads, ran.code, ran.err, first.err);
    }
    first.unwrap()
}

fn lines(numbers: impl Iterator<Item = u32>, end: &str) -> Vec<u8> {
    numbers.flat_map(|n| format!("{:0width$}{end}", n, width = 1 + n as usize % 23).into_bytes()).collect()
}

/// Is this a line of a number that is in the filter of [`place`]?
fn is_third(key: &[u8]) -> bool {
    let number = std::str::from_utf8(key).ok().and_then(|key| key.parse::<u32>().ok());
    number.is_some_and(|n| n % 3 == 0 && n < 300_000 && *key == *lines(n..n + 1, ""))
}

/// All numbers of threads give what the plain way gives.
fn has(place: &Place, flags: &str, inputs: &[(&str, &[Record])], end: u8, held: impl Fn(&[u8]) -> bool) {
    has_with(place, flags, "", inputs, end, held);
}

/// The same with flags that say what the keys are.
fn has_with(
    place: &Place,
    flags: &str,
    more: &str,
    inputs: &[(&str, &[Record])],
    end: u8,
    held: impl Fn(&[u8]) -> bool,
) {
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    let ran = alike(place, &format!("has {flags} {more} f {}", names.join(" ")));
    let (code, out) = plain::has(flags, inputs, end, held);
    assert_eq!((ran.code, ran.err.as_str()), (code, ""), "{flags} {names:?}");
    assert!(ran.out == out, "{flags} {names:?}: {} bytes, not {}", ran.out.len(), out.len());
}

/// A filter of every third number, and files of all of them.
fn place() -> Place {
    let place = Place::new();
    place.build("f", &lines((0..300_000).step_by(3), "\n"), "");
    place.write("lines", lines(0..300_000, "\n"));
    place
}

#[test]
fn has_with_every_flag() {
    let place = place();
    let all = records(&lines(0..300_000, "\n"), b'\n');
    for flags in [
        "",
        "-v",
        "-c",
        "-c -v",
        "-n",
        "-n -v",
        "-q",
        "-q -v",
        "-m 70000",
        "-m 70000 -v -n",
        "-c -m 99999",
        "--json",
    ] {
        has(&place, flags, &[("lines", &all)], b'\n', is_third);
    }
    place.build("empty", b"", "");
    assert_eq!(alike(&place, "has empty lines").quiet(), (1, &b""[..]));
}

#[test]
fn several_inputs_are_left_one_after_the_other() {
    let place = place();
    let short = b"0\n1\n0003";
    place.write("short", short);
    let (short, all) = (records(short, b'\n'), records(&lines(0..300_000, "\n"), b'\n'));
    let (short, all) = (("short", &short[..]), ("lines", &all[..]));
    for flags in ["", "-n", "-m 50000", "-c -m 70000", "--json"] {
        has(&place, flags, &[short, all, short, all, all], b'\n', is_third);
    }
    assert_eq!(
        alike(&place, "has -c -m 70000 f lines short lines").quiet(),
        (0, &b"lines:70000\nshort:2\nlines:70000\n"[..])
    );
}

/// Looks up the records of a file, and returns the filter that is built from them.
fn filter_of(name: &str, bytes: &[u8], end: u8) -> Vec<u8> {
    let place = place();
    place.write(name, bytes);
    let (all, null) = (records(bytes, end), if end == 0 { "-0" } else { "" });
    for flags in ["", "-v", "-n", "-v -n", "-c"] {
        has_with(&place, flags, null, &[(name, &all)], end, is_third);
    }
    alike(&place, &format!("build {null} -q --empty-keys -o - {name}")).out
}

#[test]
fn records_that_end_in_crlf() {
    let filter = filter_of("crlf", &lines(0..300_000, "\r\n"), b'\n');
    is_filled_with(&filter, &Open::new(), &lines(0..300_000, "\n"), "crlf");
}

#[test]
fn records_that_end_in_nul() {
    let filter = filter_of("null", &lines(0..300_000, "\0"), 0);
    is_filled_with(&filter, &Open::new(), &lines(0..300_000, "\n"), "null");
}

#[test]
fn records_whose_last_has_no_end() {
    let all = lines(0..300_000, "\n");
    let filter = filter_of("no-end", all.strip_suffix(b"\n").unwrap(), b'\n');
    is_filled_with(&filter, &Open::new(), &all, "no-end");
}

#[test]
fn records_without_a_byte() {
    let filter = filter_of("empty-lines", &b"\n".repeat(3 << 19), b'\n');
    assert!(tepal::from_bytes(&filter).unwrap().contains(""));
}

#[test]
fn a_record_over_many_pieces() {
    let place = place();
    // Between short ones.
    let mut long = lines(0..200_000, "\n");
    long.extend(vec![b'x'; 9 << 20]);
    long.extend(b"\n");
    long.extend(lines(200_000..300_000, "\n"));
    place.write("long", &long);
    for flags in ["-v", "-n"] {
        has(&place, flags, &[("long", &records(&long, b'\n'))], b'\n', is_third);
    }
}

#[test]
fn rows_with_quotes_and_a_header() {
    let place = Place::new();
    let header = b"id,\"the, key\",text\r\n".to_vec();
    let mut all = vec![Record { bytes: header.clone(), key: Some(b"the, key".to_vec()) }];
    for n in 0..150_000 {
        let row = match n % 5 {
            0 => format!("{n},k{n},\"two\nlines \"\"{n}\"\"\"\r\n"),
            1 => format!("{n},\"k{n}\",\n"),
            2 => "\n".to_owned(),
            _ => format!("{n},k{n},some more text\n"),
        };
        // An empty row has no key.
        let key = (n % 5 != 2).then(|| format!("k{n}").into_bytes());
        all.push(Record { bytes: row.into_bytes(), key });
    }
    let rows: Vec<u8> = all.iter().flat_map(|row| row.bytes.clone()).collect();
    place.write("rows.csv", [b"\xef\xbb\xbf", &rows[..]].concat());
    let keys: Vec<u8> = (0..150_000).step_by(7).flat_map(|n| format!("k{n}\n").into_bytes()).collect();
    place.build("f", &keys, "");
    let held = |key: &[u8]| {
        let number = key.strip_prefix(b"k").and_then(|n| std::str::from_utf8(n).ok()?.parse::<u32>().ok());
        number.is_some_and(|n| n % 7 == 0)
    };
    for flags in ["", "-n", "-v -n", "-c", "--json"] {
        has_with(&place, flags, "-f 2", &[("rows.csv", &all)], b'\n', held);
    }
    // The numbers alone are no keys of this filter.
    assert_eq!(alike(&place, "has -f 1 -m 5 f rows.csv").quiet(), (1, &b""[..]));
    // By its name: the header comes first, and once.
    all[0].key = None;
    let rows_twice: [(&str, &[Record]); 2] = [("rows.csv", &all), ("rows.csv", &all)];
    let (_, selected) = plain::has("-n", &rows_twice, b'\n', held);
    let expected = [b"rows.csv:1:", &header[..], &selected].concat();
    for threads in THREADS {
        let mut by_name = place.command(&format!("has -n f rows.csv rows.csv -j {threads} -f"));
        let ran = by_name.arg("the, key").output().unwrap();
        assert_eq!(ran.status.code(), Some(0));
        assert!(ran.stdout == expected, "-j {threads}");
    }
    let ran = alike(&place, "build -q -f 2 -o - rows.csv");
    assert_eq!(ran.code, 0);
    all[0].key = Some(b"the, key".to_vec());
    let keys: Vec<&[u8]> = all.iter().filter_map(|row| row.key.as_deref()).collect();
    is_filled_with(&ran.out, &Open::new(), &keys.join(&b'\n'), "rows");
    // A quote that is never closed, far behind the first record.
    place.write("open.csv", [&rows[..], b"last,\"open\nand on\n"].concat());
    let ran = alike(&place, "has -f 2 f open.csv --bad fail");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("line 180002: a quoted field that is never closed"), "{}", ran.err);
}

#[test]
fn json_lines_and_packed_inputs() {
    let place = place();
    let json: Vec<u8> =
        (0..100_000).flat_map(|n| format!("{{\"user\": {{\"id\": {n}}}}}\n").into_bytes()).collect();
    place.write("json", &json);
    let mut objects = records(&json, b'\n');
    for (n, object) in objects.iter_mut().enumerate() {
        object.key = Some(n.to_string().into_bytes());
    }
    has_with(&place, "-n", "-f /user/id", &[("json", &objects)], b'\n', is_third);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&lines(0..300_000, "\n")).unwrap();
    let packed = encoder.finish().unwrap();
    place.write("packed", &packed);
    let all = records(&lines(0..300_000, "\n"), b'\n');
    has(&place, "-n", &[("packed", &all)], b'\n', is_third);
    // One that breaks off: what was whole is answered, then it is an error.
    place.write("cut", &packed[..packed.len() - 9]);
    let ran = alike(&place, "has f cut");
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("tepal: cut: broken gzip data ("), "{}", ran.err);
    let (_, whole) = plain::has("", &[("packed", &all)], b'\n', is_third);
    assert!(ran.out.len() > 100_000 && whole.starts_with(&ran.out));
}

#[test]
fn a_refused_key_is_found_at_the_same_place() {
    let place = Place::new();
    let numbers = |upto: u32| (0..upto).flat_map(|n| format!("{n}\n").into_bytes()).collect::<Vec<u8>>();
    place.build("f", &numbers(300_000), "--integer");
    place.write("bad", [numbers(260_000), b"x1\nx2\n".to_vec(), numbers(300_000)].concat());
    let ran = alike(&place, "has f bad --bad fail");
    assert!(ran.code == 2 && ran.out == numbers(260_000));
    assert!(
        ran.err.starts_with("tepal: bad: line 260001: this filter has integer keys; \"x1\" is not"),
        "{}",
        ran.err
    );
    let ran = alike(&place, "has -m 260000 f bad --bad fail");
    assert!(ran.code == 0 && ran.out == numbers(260_000));
    for verb in ["build --integer -q --force -o g", "build --integer -q -n 1M --force -o g", "add f"] {
        let ran = alike(&place, &format!("{verb} bad"));
        assert_eq!(ran.code, 2);
        assert!(
            ran.err.starts_with("tepal: bad: line 260001: this filter has integer keys; \"x1\" is not"),
            "{}",
            ran.err
        );
    }
    assert_eq!(place.names(), ["bad", "f"]);
}

#[test]
fn built_and_enlarged_filters_are_the_same_files() {
    let place = place();
    let keys = lines(0..300_000, "\n");
    for flags in ["", "-n 400k", "-s 1MiB", "--layout double", "--trim --nocase", "--seed 7 -p 1e-4"] {
        let ran = alike(&place, &format!("build {flags} -o - lines lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        is_filled_with(&ran.out, &Open::new(), &keys, flags);
        let capacity = tepal::from_bytes(&ran.out).unwrap().filter().capacity();
        // As many as were given room for, or were counted.
        let (least, most) = if flags.contains("400k") { (400_000, 400_000) } else { (299_000, 301_000) };
        assert!((least..=most).contains(&capacity), "{flags}: {capacity}");
    }
    // Of a scheme without a 64-bit hash, and of other programs.
    for (build, ask) in [
        ("--scheme sha384", ""),
        ("--to guava", "--from guava"),
        ("--to parquet-sbbf", "--from parquet-sbbf"),
        ("--to redisbloom", "--from redisbloom"),
    ] {
        let ran = alike(&place, &format!("build {build} -q -o - lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let encoding = if ask.is_empty() { "" } else { "--keys bytes" };
        let format: Format = ask.strip_prefix("--from ").unwrap_or("tepal").parse().unwrap();
        let open = Open::new().format(format);
        is_filled_with(&ran.out, &open, &keys, build);
        place.write("other", &ran.out);
        let ran = alike(&place, &format!("has -c {ask} {encoding} other lines"));
        assert_eq!(ran.quiet(), (0, &b"300000\n"[..]), "{build}");
        let ran = alike(&place, &format!("add -o - {ask} {encoding} other lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        is_filled_with(&ran.out, &open, &keys, build);
    }
    place.write_key("secret", b"0123456789abcdef");
    assert_eq!(place.run("build -q -n 400k -o s --secret secret lines").code, 0);
    let secret = SecretKey::new(*b"0123456789abcdef");
    for (filter, open) in
        [("f --past-promise", Open::new()), ("s --secret secret", Open::new().secret_key(&secret))]
    {
        let ran = alike(&place, &format!("add -o - {filter} lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        is_filled_with(&ran.out, &open, &keys, filter);
    }
}

#[test]
fn the_same_key_is_one_too_many() {
    let place = place();
    for verb in ["build -n 200k -o g", "build -n 200k --to guava --over refuse -o g"] {
        let ran = alike(&place, &format!("{verb} lines"));
        assert_eq!(ran.code, 2, "{verb}");
        assert!(ran.err.contains("more different keys than the filter has room for"), "{}", ran.err);
    }
    assert_eq!(place.run("build -q -n 200k -o g f").code, 2, "a filter is no list");
    place.build("g", b"", "-n 200k");
    let ran = alike(&place, "add g lines");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("full: planned for 200,000 keys, and only the first 20"), "{}", ran.err);
}

#[test]
fn measuring() {
    let place = place();
    for flags in ["", "--json"] {
        let ran = alike(&place, &format!("test {flags} f --members lines --absent lines"));
        assert_eq!((ran.code, ran.err.as_str()), (1, ""));
        if flags.is_empty() {
            assert!(
                ran.text().starts_with("      300,000 members  200,000 missed   BROKEN\n"),
                "{}",
                ran.text()
            );
            assert!(ran.text().contains("      300,000 others   100,000 wrong: 1 in 3 "), "{}", ran.text());
            continue;
        }
        let json = ran.json();
        for (name, count) in [
            ("members", 300_000),
            ("members_missed", 200_000),
            ("absent", 300_000),
            ("absent_wrong", 100_000),
        ] {
            assert_eq!(json[name], count, "{name}");
        }
    }
}

/// Starts threads by many lines, then writes one line at a time, and each must be answered before
/// the next is written.
#[test]
fn a_slow_pipe_is_answered_line_by_line() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    for (threads, many) in [(1, 0), (1, 1 << 20), (2, 0), (2, 1 << 20), (8, 1 << 20)] {
        let args = format!("has f -j {threads}");
        let mut child = place.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (tell, told) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if tell.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let answer = || told.recv_timeout(Duration::from_secs(20));
        stdin.write_all(&b"no\nno\nno\na\n".repeat(many / 10)).unwrap();
        for _ in 0..many / 10 {
            assert_eq!(answer().as_deref(), Ok("a"), "-j {threads}");
        }
        for n in 0..20 {
            stdin.write_all(b"a\nn").unwrap();
            assert_eq!(answer().as_deref(), Ok("a"), "-j {threads}: line {n}");
            stdin.write_all(b"o\n").unwrap();
        }
        drop(stdin);
        assert!(answer().is_err(), "one answer each");
        reader.join().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// Nobody waits for the rest of a pipe when enough is known.
#[test]
fn a_pipe_that_stays_open_is_left() {
    let place = Place::new();
    place.build("f", b"42\n", "--integer");
    place.write("more", b"42\n");
    for (args, input, code, out) in [
        ("has -q f", &b"42\n"[..], 0, &b""[..]),
        ("has -m 1 f", b"42\n", 0, b"42\n"),
        ("has -m 1 f - more", b"42\n", 0, b"standard input:42\nmore:42\n"),
        ("has f --bad fail", b"x\n", 2, b""),
        ("build -o g --integer", b"x\n", 2, b""),
    ] {
        let mut command = place.command(&format!("{args} -j 2"));
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&b"7\n".repeat(2 << 20)).unwrap();
        stdin.write_all(input).unwrap();
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || tell.send(child.wait_with_output().unwrap()));
        let ran = told.recv_timeout(Duration::from_secs(20)).expect(args);
        assert_eq!((ran.status.code(), ran.stdout.as_slice()), (Some(code), out), "{args}");
        drop(stdin);
    }
}

#[test]
fn numbers_of_threads_that_make_no_sense() {
    let place = Place::new();
    place.write("list", "a\n");
    for bad in ["0", "x", "-1", "1.5", "2000", ""] {
        for verb in ["build -o g list", "add f list", "has f list", "test f"] {
            let output = place.command(verb).arg(format!("-j{bad}")).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{verb} -j{bad}");
        }
    }
    assert_eq!(
        place.run("has f list -j 0").err,
        "tepal: invalid value '0' for '--threads <N>': expected a number from 1 to 1024, such as 4; see tepal has --help\n"
    );
    assert_eq!(place.run("build -q -o f list --threads 2").code, 0);
}
