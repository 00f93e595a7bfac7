//! `uniq`: each line once, in its order and with its bytes.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::place::{Place, numbers};

/// Lines with repeats near and far.
fn lines(count: u64) -> Vec<u8> {
    (0..count).flat_map(|i| format!("https://example.org/{}\n", i * i % 77_773 / 2).into_bytes()).collect()
}

/// The lines that come first, and those that come again.
fn split(list: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut seen, mut first, mut again) = (HashSet::new(), Vec::new(), Vec::new());
    for line in list.split_inclusive(|byte| *byte == b'\n') {
        if seen.insert(line) { first.extend(line) } else { again.extend(line) }
    }
    (first, again)
}

#[test]
fn first_occurrences_pass_in_their_order() {
    let place = Place::new();
    // More than the first link, than a piece, than what goes to threads.
    let list = lines(150_000);
    place.write("list", &list);
    let (first, again) = split(&list);
    assert!(first.len() > 500_000 && again.len() > 2 << 20, "{}, {}", first.len(), again.len());
    for flags in ["", "-j1", "-j4", "--exact", "--exact -j3", "-p 1e-9", "-n 7", "-n 1M -j2", "--state s"] {
        let ran = place.run(&format!("uniq {flags} list"));
        assert!(ran.quiet() == (0, &first), "{flags}");
        let _ = std::fs::remove_file(place.path("s"));
        let ran = place.run(&format!("uniq {flags} -D list"));
        assert!(ran.quiet() == (0, &again), "{flags}");
        let _ = std::fs::remove_file(place.path("s"));
    }
    // Out of a pipe too, whose length nobody knows, and packed.
    assert!(place.run_with("uniq", &list).quiet() == (0, &first));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&list).unwrap();
    place.write("list.gz", packed.finish().unwrap());
    assert!(place.run("uniq list.gz").quiet() == (0, &first));
    // Over several inputs.
    assert!(place.run("uniq list list.gz list").quiet() == (0, &first));
    let count = |ran: crate::place::Ran| ran.text().trim_end().to_owned();
    let text = count(place.run("uniq --count-new --exact list list"));
    let (new, seen) = (first.split(|b| *b == b'\n').count() - 1, 300_000);
    let number = |n: usize| format!("{},{:03}", n / 1000, n % 1000);
    assert_eq!(text, format!("{} new, {} seen before", number(new), number(seen - new)));
}

#[test]
fn bytes_stay_as_they_are() {
    let place = Place::new();
    for (flags, given, expected) in [
        ("", &b"a\r\nb\na\nb\r\n"[..], &b"a\r\nb\n"[..]),
        ("", b"\n\xff\xfe\n\xff\xfe\n\nx", b"\n\xff\xfe\nx"),
        ("", b"x\nx", b"x\n"),
        ("-0", b"a\nb\0c\0a\nb\0c", b"a\nb\0c\0"),
        ("--nocase", b"Ab\naB\nab \n", b"Ab\nab \n"),
        ("--nocase --trim", b" Ab\naB\nab \nc", b" Ab\nc"),
        ("-D --trim", b" a\na\na \n", b"a\na \n"),
        ("", b"", b""),
    ] {
        for exact in ["", "--exact"] {
            let ran = place.run_with(&format!("uniq {flags} {exact}"), given);
            let code = i32::from(expected.is_empty());
            assert_eq!(ran.quiet(), (code, expected), "{flags} {exact}");
        }
    }
    // The last line of a file that has no end, and another one behind it.
    place.write("a", "one\ntwo");
    place.write("b", "three\ntwo");
    assert_eq!(place.run("uniq a b").quiet(), (0, &b"one\ntwo\nthree\n"[..]));
}

#[test]
fn a_field_is_the_key_and_the_row_passes() {
    let place = Place::new();
    place.write("a.csv", "id,mail\n1,x@y\n2,\"X,z\"\n3,x@y\n");
    place.write("b.csv", "id,mail\n4,\"X,z\"\n5,new\n");
    let rows = "id,mail\n1,x@y\n2,\"X,z\"\n5,new\n";
    assert_eq!(place.run("uniq -f mail a.csv b.csv").quiet(), (0, rows.as_bytes()));
    assert_eq!(place.run("uniq -f 2 -D a.csv").quiet(), (0, &b"3,x@y\n"[..]));
    place.write("rows", "1;a\n\n2;a\n\n3;b\n");
    // What has no key was never seen.
    assert_eq!(place.run("uniq -f 2 -d ; rows").quiet(), (0, &b"1;a\n\n\n3;b\n"[..]));
    let totals = place.run("uniq -f 2 -d ; --count-new rows");
    assert_eq!(
        totals.text(),
        "2 new, 1 seen before, 2 without a key; about none wrongly held back (never now)\n"
    );
    let json = place.run("uniq -f 2 -d ; --count-new --json rows").json();
    assert_eq!((&json["new"], &json["seen"], &json["keyless"]), (&2.into(), &1.into(), &2.into()));
    let ran = place.run("uniq -f /id --json -");
    assert_eq!(ran.code, 1);
    place.write("j", "{\"id\":1}\n{\"id\":2}\n{\"id\":1}\n");
    let ran = place.run("uniq -f /id --json j");
    let records: Vec<serde_json::Value> =
        ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 3);
    assert_eq!(records[2], serde_json::json!({"input": "j", "line": 3, "key": "1", "new": false}));
    assert_eq!(records[1]["new"], true);
}

#[test]
fn the_header_comes_first_and_once() {
    let place = Place::new();
    place.write("a.csv", "id,mail\n1,x@y\n2,x@y\n");
    place.write("b.csv", "id,mail\n3,x@y\n");
    place.write("c.csv", "mail,id\nz@y,4\n");
    assert_eq!(place.run("uniq --state s -f mail a.csv b.csv").quiet(), (0, &b"id,mail\n1,x@y\n"[..]));
    // Also where no row passes, so that what comes after it finds its columns; and one that the
    // flags alone tell of.
    assert_eq!(place.run("uniq --state s -f mail b.csv").quiet(), (1, &b"id,mail\n"[..]));
    assert_eq!(place.run("uniq -D -f 2 --header b.csv").quiet(), (1, &b"id,mail\n"[..]));
    assert_eq!(place.run_with("uniq --state s -f mail --csv", b"").quiet(), (1, &b""[..]));
    for verb in ["uniq --state s", "uniq -D", "uniq -D --exact"] {
        assert_eq!(place.run(&format!("{verb} -f mail --no-header b.csv")).quiet(), (1, &b""[..]), "{verb}");
    }
    assert_eq!(place.run("uniq -f mail --no-header a.csv").quiet(), (0, &b"1,x@y\n"[..]));
    // Another header is not printed, and it is said.
    let ran = place.run("uniq -f mail a.csv c.csv");
    assert_eq!((ran.code, ran.text()), (0, "id,mail\n1,x@y\nz@y,4\n"));
    let expected = "tepal: c.csv: its header row is another than that of the first input; its rows are printed as they stand\n";
    assert_eq!(ran.err, expected);
    assert_eq!(place.run("which s --no-header -f mail -- b.csv").text(), "3,x@y\ts\n");
}

#[test]
fn quiet_and_max_count_stop() {
    let place = Place::new();
    place.write("list", "a\na\nb\nb\nc\n");
    assert_eq!(place.run("uniq -m 2 list").quiet(), (0, &b"a\nb\n"[..]));
    assert_eq!(place.run("uniq -m 1 -D list").quiet(), (0, &b"a\n"[..]));
    assert_eq!(place.run("uniq -m 0 list").quiet(), (1, &b""[..]));
    assert_eq!(place.run("uniq -q list").quiet(), (0, &b""[..]));
    assert_eq!(place.run("uniq -q -D list").quiet(), (0, &b""[..]));
    place.write("once", "a\nb\n");
    assert_eq!(place.run("uniq -D once").quiet(), (1, &b""[..]));
    assert_eq!(place.run("uniq -q -D once").quiet(), (1, &b""[..]));
    // An endless input: it stops at the second line.
    let mut child = place.command("uniq -m 2").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"x\ny\nz\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"x\ny\n"[..]));
    drop(stdin);
}

/// A co-process writes a line and waits for what becomes of it.
#[test]
fn a_line_passes_at_once() {
    let place = Place::new();
    for flags in ["", "--exact", "--state s"] {
        let mut child = place.command(&format!("uniq {flags}")).stdin(Stdio::piped()).spawn().unwrap();
        let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        for n in 0..200 {
            // The second line says nothing, so the third shows that it was held back.
            write!(to, "line {n}\nline {}\nend {n}\n", n / 2).unwrap();
            let mut expected = vec![format!("line {n}\n"), format!("end {n}\n")];
            for expected in expected.drain(..) {
                let mut line = String::new();
                from.read_line(&mut line).unwrap();
                assert_eq!(line, expected, "{flags}");
            }
        }
        drop(to);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{flags}");
    }
}

#[test]
fn what_goes_wrong_is_said() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    place.write("short", "a,1\nb\nc,3\n");
    for (args, part) in [
        ("uniq nothing", "nothing: "),
        (
            "uniq --exact --state s list",
            "--exact and --state are given, and with --exact what it remembers goes into no file; leave one of them out\n",
        ),
        (
            "uniq --exact -p 1% list",
            "--exact and -p are given, and with --exact it holds back no line by mistake; leave",
        ),
        (
            "uniq --exact -n 7 list",
            "--exact and -n are given, and with --exact it takes its memory as keys come; leave",
        ),
        (
            "uniq --exact --secret list list",
            "--exact and --secret are given, and with --exact it hashes with random secrets of its own",
        ),
        ("uniq -p 2 list", "expected"),
        ("uniq --no-wait list", "--state"),
        ("uniq --seal k list", "--state"),
        ("uniq -n 0 list", "expected"),
        ("uniq --csv -f 2 short", "short: line 2: "),
        ("uniq --secret nothing list", "nothing"),
    ] {
        let ran = place.run(args);
        assert!(
            ran.code == 2 && ran.err.contains(part) && ran.err.lines().count() == 1,
            "{args}: {}",
            ran.err
        );
    }
    // What came before the bad record was printed; told to, it goes on.
    assert_eq!(place.run("uniq --csv -f 2 short").text(), "a,1\n");
    for flags in ["", "-D", "-m 2"] {
        let ran = place.run(&format!("uniq --csv -f 2 --bad warn {flags} short short"));
        assert_eq!((ran.code, ran.text()), (0, "a,1\nc,3\n"), "{flags}");
        let times = if flags == "-m 2" { "1 record" } else { "2 records" };
        assert!(
            ran.err.starts_with(&format!("tepal: {times} had no key; the first: short: line 2: ")),
            "{}",
            ran.err
        );
    }
    let json = place.run("uniq --csv -f 2 --bad skip --count-new --json short").json();
    assert_eq!((&json["new"], &json["bad_records"]), (&2.into(), &1.into()));
    // Standard output that takes nothing.
    #[cfg(target_os = "linux")]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = crate::place::finish({
            let mut command = place.command("uniq list --state s");
            command.stdout(full);
            command
        });
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (2, "tepal: standard output: no space left on the device\n")
        );
        // Nothing was printed, so nothing is remembered.
        assert_eq!(place.run("uniq list --state s").quiet(), (0, &b"a\nb\n"[..]));
    }
}

/// Keys that were chosen by the hash of `uniq` itself are not held back in silence.
#[test]
fn chosen_keys_are_refused_or_hashed_otherwise() {
    let place = Place::new();
    let hasher = tepal::BloomFilter::builder().seed_for("uniq").key_hasher().unwrap();
    let chosen: Vec<u8> = (0..)
        .map(|n: u32| format!("{n}\n"))
        .filter(|line| hasher.hash(line.trim_end()).unwrap() >> 56 == 9)
        .take(60_000)
        .flat_map(String::into_bytes)
        .collect();
    place.write("chosen", &chosen);
    let ran = place.run("uniq chosen");
    assert!(ran.code == 2 && ran.err.contains("Give --secret FILE"), "{}", ran.err);
    place.write_key("secret", "0123456789abcdef");
    for flags in ["--exact", "--secret secret", "--secret secret --state s"] {
        assert!(place.run(&format!("uniq {flags} chosen")).quiet() == (0, &chosen), "{flags}");
    }
}

/// The rate that is said and the one that is met, over many links.
#[test]
fn few_are_held_back_by_mistake() {
    let place = Place::new();
    place.write("list", numbers(0..500_000));
    for rate in ["1%", "1e-3"] {
        let json = place.run(&format!("uniq -p {rate} -n 1000 --count-new --json -")).json();
        assert_eq!(json["new"], 0);
        let ran = place.run_with(&format!("uniq -p {rate} -n 1000 --count-new --json"), &place.read("list"));
        let json = ran.json();
        let (wrong, about) =
            (json["seen"].as_f64().unwrap(), json["wrongly_held_back_estimated"].as_f64().unwrap());
        let promised = if rate == "1%" { 0.01 } else { 1e-3 };
        assert!(wrong <= 500_000.0 * promised, "{wrong} of {rate}");
        assert!((wrong - about).abs() < 0.2 * about + 30.0, "{wrong}, {about}");
        assert!(json["false_positive_rate"].as_f64().unwrap() <= promised);
    }
}

/// A million different keys take seconds at most: each is found by its own hash.
#[test]
fn exact_keys_are_found_by_their_hash() {
    let place = Place::new();
    place.write("list", numbers(0..1_000_000));
    let start = std::time::Instant::now();
    assert_eq!(place.run("uniq --exact --count-new list").text(), "1,000,000 new, 0 seen before\n");
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
