//! Any number of threads gives the same bytes, the same words and the same exit code.
//!
//! Threads start after the first MiB of an input, so the inputs here are of several MiB.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::place::{Place, Ran};

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
        let ran = alike(&place, &format!("has {flags} f lines"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{flags}");
    }
    let held = lines((0..300_000).step_by(3), "\n");
    assert!(alike(&place, "has f lines").out == held);
    let last = alike(&place, "has -n f lines").out;
    assert!(last.ends_with(b"\n299998:000299997\n"), "{}", String::from_utf8_lossy(&last[last.len() - 40..]));
    assert_eq!(alike(&place, "has -q f lines").quiet(), (0, &b""[..]));
    place.build("empty", b"", "");
    assert_eq!(alike(&place, "has empty lines").quiet(), (1, &b""[..]));
}

#[test]
fn several_inputs_are_left_one_after_the_other() {
    let place = place();
    place.write("short", "0\n1\n000003");
    for flags in ["", "-n", "-m 50000", "-c -m 70000", "--json"] {
        alike(&place, &format!("has {flags} f short lines short lines lines"));
    }
    assert_eq!(alike(&place, "has -c -m 70000 f lines short lines").quiet(), (0, &b"140001\n"[..]));
}

#[test]
fn records_of_every_form() {
    let place = place();
    for (name, bytes, flags) in [
        ("crlf", lines(0..300_000, "\r\n"), ""),
        ("null", lines(0..300_000, "\0"), "-0"),
        ("no-end", lines(0..300_000, "\n").strip_suffix(b"\n").unwrap().to_vec(), ""),
        ("empty-lines", b"\n".repeat(3 << 20), "-v"),
    ] {
        place.write(name, &bytes);
        for more in ["", "-n", "-v -n", "-c"] {
            alike(&place, &format!("has {flags} {more} f {name}"));
        }
        alike(&place, &format!("build {} -q -o - {name}", flags.replace("-v", "")));
    }
    // A record over many pieces, between short ones.
    let mut long = lines(0..200_000, "\n");
    long.extend(vec![b'x'; 9 << 20]);
    long.extend(b"\n");
    long.extend(lines(200_000..300_000, "\n"));
    place.write("long", &long);
    assert!(alike(&place, "has -v f long").out.len() > 9 << 20);
    alike(&place, "has -n f long");
}

#[test]
fn rows_with_quotes_and_a_header() {
    let place = Place::new();
    let mut rows = b"\xef\xbb\xbfid,\"the, key\",text\r\n".to_vec();
    for n in 0..150_000 {
        let row = match n % 5 {
            0 => format!("{n},k{n},\"two\nlines \"\"{n}\"\"\"\r\n"),
            1 => format!("{n},\"k{n}\",\n"),
            2 => "\n".to_owned(),
            _ => format!("{n},k{n},some more text\n"),
        };
        rows.extend(row.into_bytes());
    }
    place.write("rows.csv", &rows);
    let keys: Vec<u8> = (0..150_000).step_by(7).flat_map(|n| format!("k{n}\n").into_bytes()).collect();
    place.build("f", &keys, "");
    place.write("other.csv", [b"key,id\n".to_vec(), rows[34..].to_vec()].concat());
    for flags in ["-f 2", "-f 2 -n", "-f 2 -v -n", "-f 2 -c", "-f 2 --json", "-f 1 -m 5"] {
        assert_ne!(alike(&place, &format!("has {flags} f rows.csv")).code, -1, "{flags}");
    }
    let mut by_name = place.command("has -n f rows.csv rows.csv -j 1 -f");
    let mut by_names = place.command("has -n f rows.csv rows.csv -j 3 -f");
    let one = by_name.arg("the, key").output().unwrap();
    assert_eq!(one.status.code(), Some(0));
    assert!(one.stdout == by_names.arg("the, key").output().unwrap().stdout);
    assert_eq!(alike(&place, "build -q -f 2 -o - rows.csv").code, 0);
    // A quote that is never closed, far behind the first record.
    place.write("open.csv", [&rows[..], b"last,\"open\nand on\n"].concat());
    let ran = alike(&place, "has -f 2 f open.csv");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("line 180002: a quoted field that is never closed"), "{}", ran.err);
}

#[test]
fn json_lines_and_packed_inputs() {
    let place = place();
    let json: Vec<u8> =
        (0..100_000).flat_map(|n| format!("{{\"user\": {{\"id\": {n}}}}}\n").into_bytes()).collect();
    place.write("json", &json);
    alike(&place, "has -n -f /user/id f json");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&lines(0..300_000, "\n")).unwrap();
    let packed = encoder.finish().unwrap();
    place.write("packed", &packed);
    assert!(alike(&place, "has -n f packed").out == place.run("has -n f lines").out);
    // One that breaks off: what was whole is answered, then it is an error.
    place.write("cut", &packed[..packed.len() - 9]);
    let ran = alike(&place, "has f cut");
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("tepal: cut: broken gzip data ("), "{}", ran.err);
    assert!(ran.out.len() > 100_000);
}

#[test]
fn a_refused_key_is_found_at_the_same_place() {
    let place = Place::new();
    let numbers = |upto: u32| (0..upto).flat_map(|n| format!("{n}\n").into_bytes()).collect::<Vec<u8>>();
    place.build("f", &numbers(300_000), "--integer");
    place.write("bad", [numbers(260_000), b"x1\nx2\n".to_vec(), numbers(300_000)].concat());
    let ran = alike(&place, "has f bad");
    assert_eq!((ran.code, ran.out.len()), (2, numbers(260_000).len()));
    assert!(
        ran.err.starts_with("tepal: bad: line 260001: this filter has integer keys; \"x1\" is not"),
        "{}",
        ran.err
    );
    let ran = alike(&place, "has -m 260000 f bad");
    assert_eq!((ran.code, ran.out.len()), (0, numbers(260_000).len()));
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
    for flags in ["", "-n 400k", "-s 1MiB", "--layout double", "--trim --nocase", "--seed 7 -p 1e-4"] {
        let ran = alike(&place, &format!("build {flags} -o - lines lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
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
        place.write("other", &ran.out);
        let ran = alike(&place, &format!("has -c {ask} other lines"));
        assert_eq!(ran.quiet(), (0, &b"300000\n"[..]), "{build}");
        let ran = alike(&place, &format!("add -o - {ask} other lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    place.write_key("secret", b"0123456789abcdef");
    assert_eq!(place.run("build -q -n 400k -o s --secret secret lines").code, 0);
    for filter in ["f --force", "s --secret secret"] {
        let ran = alike(&place, &format!("add -o - {filter} lines"));
        assert_eq!(ran.code, 0, "{}", ran.err);
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
    }
}

/// Starts threads by many lines, then writes one line at a time, and each must be answered before the next is written.
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
        ("has -m 1 f - more", b"42\n", 0, b"42\n42\n"),
        ("has f", b"x\n", 2, b""),
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
        "tepal: invalid value '0' for '--threads <N>': expected a number from 1 to 1024, such as 4; see tepal --help\n"
    );
    assert_eq!(place.run("build -q -o f list --threads 2").code, 0);
}
