//! `which` and `get` answer each record with one line, also a record that cannot be a key.

use crate::place::Place;

#[cfg(unix)]
use crate::asked::Asked;

const POLICIES: [&str; 4] = ["", "--bad warn", "--bad skip", "--bad fail"];

/// The key domains, a key of each, and lines that are none.
const DOMAINS: [(&str, &str, &[&[u8]]); 7] = [
    ("bytes", "7", &[]),
    ("utf16", "7", &[b"\xff"]),
    ("int64", "7", &[b"x", b"", b"1.5", b"99999999999999999999", b"\xff"]),
    ("int32", "7", &[b"x", b"", b"4294967296"]),
    ("float32", "1.5", &[b"x", b""]),
    ("float64", "1.5", &[b"x", b""]),
    ("hex", "00ff", &[b"zz", b"0"]),
];

/// A filter `f`, one with segments `s` and a map `m` of one key in a key domain, and a filter
/// `other` of bytes.
fn of_one_key(domain: &str, key: &str) -> Place {
    let place = Place::new();
    place.build("f", format!("{key}\n").as_bytes(), &format!("--keys {domain}"));
    place.build("other", b"x\n", "");
    place.write("row", format!("{key}\there\n"));
    for how in ["--by 2 -o s", "--map 2 -o m"] {
        let ran = place.run(&format!("build -q row -f 1 -p 1e-9 --keys {domain} {how}"));
        assert_eq!(ran.code, 0, "{domain} {how}: {}", ran.err);
    }
    place
}

/// Who writes a line and waits for its answer gets one, whatever the line is.
#[cfg(unix)]
#[test]
fn a_line_in_is_a_line_out() {
    for (domain, key, no_keys) in DOMAINS {
        let place = of_one_key(domain, key);
        for (verb, holder) in [
            ("which f", "f"),
            ("which f --in f", "f,f"),
            ("which s --whole", "here"),
            ("which m --whole", "here"),
            ("get m --whole", "here"),
            ("get m --whole --reload -j 4", "here"),
        ] {
            for policy in POLICIES {
                let mut asked = Asked::start(&place, &format!("{verb} {policy}"));
                let yes = format!("{key}\t{holder}");
                assert_eq!(asked.ask(key), yes, "{domain} {verb} {policy}");
                for line in no_keys.iter().copied().chain([&b"12"[..]]) {
                    let expected = format!("{}\tnone", String::from_utf8_lossy(line));
                    assert_eq!(asked.ask(line), expected, "{domain} {verb} {policy}");
                    assert_eq!(asked.ask(key), yes, "{domain} {verb} {policy}");
                }
                let (code, said) = asked.end_with_code();
                let first = "standard input: line 2: ";
                let (expected, is_told) = match (no_keys.len(), policy) {
                    (0, _) | (_, "--bad skip") => (0, said.is_empty()),
                    (_, "--bad fail") => {
                        (2, said.starts_with(&format!("tepal: {first}")) && said.lines().count() == 1)
                    }
                    (1, _) => {
                        (0, said.starts_with(&format!("tepal: 1 record had no key; the first: {first}")))
                    }
                    (n, _) => {
                        (0, said.starts_with(&format!("tepal: {n} records had no key; the first: {first}")))
                    }
                };
                assert!(code == Some(expected) && is_told, "{domain} {verb} {policy}: {code:?} {said}");
            }
        }
        // What is no key of one filter may be one of the other.
        let mut asked = Asked::start(&place, "which f --in other");
        assert_eq!(asked.ask("x"), "x\tother", "{domain}");
        for line in no_keys.iter().copied().filter(|&line| line != b"x") {
            assert_eq!(asked.ask(line), format!("{}\tnone", String::from_utf8_lossy(line)), "{domain}");
        }
        assert_eq!(asked.end_with_code(), (Some(0), String::new()), "{domain}");
    }
}

/// Rows without the field, text that is no JSON, quotes that are never closed, blank rows.
#[cfg(unix)]
#[test]
fn a_row_without_its_field_is_a_line_out() {
    let place = Place::new();
    place.build("f", b"7\n", "");
    place.write("row", "7\there\n");
    assert_eq!(place.run("build -q row -f 1 --map 2 -p 1e-9 -o m").code, 0);
    for (flags, good, bad) in [
        ("-f 2", "a\t7", &["a", "", "\t"][..]),
        ("-f 2 --csv", "a,7", &["a", "", "\"a\""]),
        ("-f /id", "{\"id\":7}", &["{}", "no", "", "{\"id\":{}}", "[", "{\"id\":"]),
    ] {
        for (verb, holder) in [("which f", "f"), ("which f --in f", "f,f"), ("get m", "here")] {
            for policy in POLICIES {
                let mut asked = Asked::start(&place, &format!("{verb} {flags} {policy}"));
                assert_eq!(asked.ask(good), format!("{good}\t{holder}"), "{verb} {flags}");
                for line in bad {
                    assert_eq!(asked.ask(line), format!("{line}\tnone"), "{verb} {flags}");
                    assert_eq!(asked.ask(good), format!("{good}\t{holder}"), "{verb} {flags}");
                }
                let (code, said) = asked.end_with_code();
                assert_eq!(
                    code,
                    Some(if policy.ends_with("fail") { 2 } else { 0 }),
                    "{verb} {flags}: {said}"
                );
            }
        }
    }
}

/// `-v`, `-c` and `-q` are about the same answers, and `--bad` is about none of them.
#[test]
fn what_has_no_key_is_counted_and_selected_as_what_is_in_none() {
    let place = Place::new();
    // Long keys, so that fewer of them are the MiB after which threads start.
    const LONG: &str = "100000000000000000";
    place.build("f", format!("1\n2\n{LONG}1\n{LONG}2\n").as_bytes(), "--integer");
    place.write("row", format!("1\t5\n2\t6\n{LONG}1\t5\n{LONG}2\t6\n"));
    assert_eq!(place.run("build -q row -f 1 --map 2 -p 1e-9 --keys int64 -o m").code, 0);
    let row = |n: u32| match n % 1000 {
        7 => format!("bad {n}\n"),
        8 => "\n".to_owned(),
        _ => format!("{LONG}{}\n", n % 10),
    };
    let many = (0..60_000).map(row).collect::<String>();
    assert!(many.len() > 1 << 20);
    place.write("many", many);
    place.write("few", "1\nx\n\n9\n2");
    for (input, bad, held, all) in [("few", 2, 2, 5), ("many", 120, 12_000, 60_000)] {
        for threads in ["-j 1", "-j 4"] {
            for policy in POLICIES {
                let run = |args: &str| {
                    let (verb, rest) = args.split_once(' ').unwrap();
                    let ran =
                        place.run(&format!("{verb} {policy} {threads} {}", rest.replace("INPUT", input)));
                    let fails = policy == "--bad fail";
                    assert_eq!(ran.code == 2, fails, "{args} {policy}: {}", ran.err);
                    assert_eq!(
                        ran.err.contains("had no key"),
                        !fails && policy != "--bad skip",
                        "{args}: {}",
                        ran.err
                    );
                    let line = if input == "few" { 2 } else { 8 };
                    assert!(
                        ran.err.is_empty() || ran.err.contains(&format!("{input}: line {line}: ")),
                        "{}",
                        ran.err
                    );
                    ran
                };
                for plain in ["which f -- INPUT", "get m INPUT --whole"] {
                    let text = run(plain).text().to_owned();
                    assert_eq!(text.lines().count(), all, "{plain} {policy} {threads}");
                    let none: Vec<_> = text.lines().filter_map(|line| line.strip_suffix("\tnone")).collect();
                    assert_eq!(none.len(), all - held, "{plain}");
                    let inverted = run(&format!("{plain} -v").replace("-- INPUT -v", "-v -- INPUT"));
                    assert!(inverted.text().lines().eq(none), "{plain} -v {policy} {threads}");
                }
                let counts = format!("f\t{held}\nnone\t{}\n", all - held);
                assert_eq!(run("which f -c -- INPUT").text(), counts);
                assert_eq!(run("which f -vc -- INPUT").text(), format!("{}\n", all - held));
                assert_eq!(run("get m -c INPUT --whole").text(), format!("{held}\n"));
                assert_eq!(run("get m -vc INPUT --whole").text(), format!("{}\n", all - held));
                let json = run("which f -c --json -- INPUT").json();
                assert_eq!((&json["lines"], &json["none"]), (&all.into(), &(all - held).into()));
                for json in ["which f --json -- INPUT", "get m INPUT --whole --json"] {
                    let ran = run(json);
                    let told = ran.text().lines().filter(|line| line.contains("\"bad\":")).count();
                    assert_eq!((ran.text().lines().count(), told), (all, bad), "{json}");
                }
                // `has` prints lines that it selects, and these on neither side.
                if policy != "--bad fail" {
                    assert_eq!(run("has -c f INPUT").text(), format!("{held}\n"));
                    assert_eq!(run("has -vc f INPUT").text(), format!("{}\n", all - held - bad));
                }
            }
        }
    }
}

/// Whichever comes first, the line that is looked for or the record without a key, decides about
/// the exit code.
#[test]
fn quiet_ends_at_the_first_that_decides() {
    let place = Place::new();
    place.build("f", b"1\n", "--integer");
    place.write("row", "1\t5\n");
    assert_eq!(place.run("build -q row -f 1 --map 2 -p 1e-9 --keys int64 -o m").code, 0);
    for (lines, usual, fails, inverted, inverted_fails) in [
        ("1\nx\n", 0, 0, 0, 2),
        ("x\n1\n", 0, 2, 0, 2),
        ("9\nx\n1\n", 0, 2, 0, 0),
        ("x\n", 1, 2, 0, 2),
        ("1\n", 0, 0, 1, 1),
        ("", 1, 1, 1, 1),
    ] {
        place.write("lines", lines);
        for verb in ["which f -q FLAGS -- lines", "get m --whole -q FLAGS lines"] {
            for (flags, code) in [
                ("", usual),
                ("--bad skip", usual),
                ("--bad fail", fails),
                ("-v", inverted),
                ("-v --bad fail", inverted_fails),
            ] {
                let ran = place.run(&verb.replace("FLAGS", flags));
                assert_eq!((ran.code, ran.text()), (code, ""), "{lines:?} {verb} {flags}");
                assert_eq!(ran.err.is_empty(), code != 2, "{lines:?} {verb} {flags}: {}", ran.err);
            }
        }
    }
}
