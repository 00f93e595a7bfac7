//! `tepal which`, and how it and `has` name filters and files of lines.

use tepal::BloomFilter;

use crate::place::{Place, numbers};

/// Three filters in `place`: `a` has 1 and 2, `b` has 2 and 3, and `c` 2 and x under another hash
/// and recipe.
fn three(place: &Place) {
    place.build("a.tepal", b"1\n2\n", "");
    place.build("b.tepal", b"2\n3\n", "");
    place.build("c.bin", b"2\nX\n", "--to guava");
}

#[test]
fn every_line_comes_out_with_the_filters_that_hold_it() {
    let place = Place::new();
    three(&place);
    let filters = "which a.tepal --in b.tepal --in c.bin";
    let expected = "1\ta.tepal\n2\ta.tepal,b.tepal,c.bin\n3\tb.tepal\n4\tnone\nX\tc.bin";
    let input = b"1\n2\n3\n4\nX";
    let from = format!("{filters} --from guava --keys bytes");
    assert_eq!(place.run_with(&from, input).quiet().1, expected.as_bytes());
    place.write("lines", input);
    assert_eq!(place.run(&format!("{from} lines")).quiet().1, expected.as_bytes());
    assert_eq!(place.run(&format!("{from} -j 1 -- lines")).quiet().1, expected.as_bytes());
    let ran = place.run(&format!("{from} --stem -e 2 -e -x"));
    assert_eq!(ran.quiet(), (0, &b"2\ta,b,c\n-x\tnone\n"[..]));
    assert_eq!(place.run(&format!("{from} -e 4")).quiet(), (1, &b"4\tnone\n"[..]));
}

#[test]
fn counts_strangers_and_quiet() {
    let place = Place::new();
    three(&place);
    place.write("lines", "1\n2\r\n3\n4\n5");
    let run = |flags: &str| place.run(&format!("which a.tepal b.tepal {flags} -- lines"));
    assert_eq!(run("-c").quiet(), (0, &b"a.tepal\t2\nb.tepal\t2\nnone\t2\n"[..]));
    assert_eq!(run("-v").quiet(), (0, &b"4\n5"[..]));
    assert_eq!(run("-vc").quiet(), (0, &b"2\n"[..]));
    assert_eq!(run("-q").quiet(), (0, &b""[..]));
    assert_eq!(
        run("-c --json --stem").json(),
        serde_json::json!({ "lines": 5, "none": 2, "filters": [
            { "filter": "a", "lines": 2 }, { "filter": "b", "lines": 2 } ] })
    );
    place.write("lines", "4\n");
    assert_eq!((run("").code, run("-q").code, run("-v").code), (1, 1, 0));
    place.write("lines", "");
    assert_eq!((run("").quiet(), run("-v").code), ((1, &b""[..]), 1));
    // The line ends stay.
    place.write("lines", "1\r\n9\r\n");
    assert_eq!(run("").quiet().1, b"1\ta.tepal\r\n9\tnone\r\n");
}

#[test]
fn records_as_json() {
    let place = Place::new();
    three(&place);
    let ran = place.run_with("which --json a.tepal b.tepal -- -", b"2\n\xff\n");
    let expected = r#"{"input":"standard input","line":1,"key":"2","has":true,"filters":["a.tepal","b.tepal"]}
{"input":"standard input","line":2,"key_hex":"ff","has":false,"filters":[]}
"#;
    assert_eq!((ran.code, ran.text()), (0, expected));
}

#[test]
fn a_field_with_its_header() {
    let place = Place::new();
    three(&place);
    let ran = place.run_with("which a.tepal -f id --in b.tepal", b"name\tid\nx\t1\n\ny\t3\n");
    assert_eq!(ran.quiet().1, b"name\tid\tfilters\nx\t1\ta.tepal\n\tnone\ny\t3\tb.tepal\n");
}

#[test]
fn keys_that_some_filters_cannot_have() {
    let place = Place::new();
    place.build("text", b"1\nx\n", "");
    place.build("numbers", b"1\n2\n", "--integer");
    let ran = place.run_with("which text numbers --", b"1\nx\n2\n");
    assert_eq!(ran.quiet(), (0, &b"1\ttext,numbers\nx\ttext\n2\tnumbers\n"[..]));
    assert_eq!(place.run("which text -e x --in numbers").quiet(), (0, &b"x\ttext\n"[..]));
    // Where none can have it, it is in none, and a mistake.
    let ran = place.run_with("which numbers numbers --bad fail --", b"1\nx\n2\n");
    assert_eq!((ran.code, ran.text()), (2, "1\tnumbers,numbers\nx\tnone\n2\tnumbers,numbers\n"));
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    // So it is where they hash apart.
    place.build("others", b"2\n", "--integer --seed 7");
    let ran = place.run_with("which numbers others --bad fail --", b"1\nx\n2\n");
    assert_eq!((ran.code, ran.text()), (2, "1\tnumbers\nx\tnone\n2\tnumbers,others\n"));
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    // A key of the command line is answered as one that is read.
    let ran = place.run("which numbers -e x -e 1");
    assert_eq!((ran.code, ran.text()), (0, "x\tnone\n1\tnumbers\n"));
    assert!(ran.err.starts_with("tepal: 1 record had no key; the first: -e: this filter has"), "{}", ran.err);
    assert_eq!(place.run("which numbers -e x --bad fail").code, 2);
}

#[test]
fn a_thousand_filters_answer_as_one_by_one() {
    let place = Place::new();
    let mut names = String::new();
    // Two hashes in turn, so that neither group has neighbours.
    for i in 0..1000 {
        let builder = BloomFilter::builder().capacity(3).false_positive_rate(1e-9);
        let builder = if i % 3 == 0 { builder.seed(7) } else { builder };
        let mut filter = builder.build().unwrap();
        for key in [i.to_string(), (i * 7 % 1000).to_string(), "all".to_owned()] {
            filter.insert(&key).unwrap();
        }
        place.write(&format!("f{i}"), filter.to_bytes().unwrap());
        names.push_str(&format!(" f{i}"));
    }
    let mut lines = numbers(0..1000);
    lines.extend_from_slice(b"all\nno\n");
    place.write("lines", &lines);
    let ran = place.run(&format!("which{names} -- lines"));
    let text = ran.text();
    assert_eq!((ran.code, ran.err.as_str(), text.lines().count()), (0, "", 1002));
    for (i, line) in text.lines().take(1000).enumerate() {
        // Whose 7th part it is: 143 * 7 = 1 (mod 1000).
        let other = i * 143 % 1000;
        let mut held = [i, other];
        held.sort_unstable();
        let held: Vec<_> = if i == other { vec![i] } else { held.to_vec() };
        let held: Vec<_> = held.iter().map(|n| format!("f{n}")).collect();
        assert_eq!(line, format!("{i}\t{}", held.join(",")));
    }
    assert_eq!(text.lines().nth(1000).unwrap().split(',').count(), 1000);
    assert_eq!(text.lines().nth(1001), Some("no\tnone"));
}

#[test]
fn threads_keep_the_order() {
    let place = Place::new();
    place.build("even", &(0..100_000).map(|n| format!("{}\n", 2 * n)).collect::<String>().into_bytes(), "");
    place.build("low", &numbers(0..1000), "");
    place.write("lines", numbers(0..300_000));
    let one = place.run("which even low -j 1 -- lines");
    assert_eq!(one.out, place.run("which even low -j 3 -- lines").out);
    let text = one.text();
    for (n, line) in text.lines().enumerate() {
        let names = match (n % 2 == 0 && n < 200_000, n < 1000) {
            (true, true) => "even,low",
            (true, false) => "even",
            (false, true) => "low",
            (false, false) => "none",
        };
        assert_eq!(line, format!("{n}\t{names}"));
    }
    assert_eq!(place.run("which even low -c -- lines").text(), "even\t100000\nlow\t1000\nnone\t199500\n");
}

#[test]
fn mistakes_say_what_to_do() {
    let place = Place::new();
    three(&place);
    place.write("lines", "1\n");
    for (args, hint) in [
        (
            "which a.tepal lines -- lines",
            "Files of lines come after one filter, or after --: tepal which FILTER... -- LINES",
        ),
        ("which a.tepal lines --", "or after --: tepal which"),
        ("has a.tepal lines -- lines", "or after --: tepal has"),
        ("which a.tepal nothing", "no such file"),
        ("which lines", "lines: not a tepal filter"),
        ("which", "FILTER"),
        ("which -e 1", "FILTER"),
        ("which a.tepal -- nothing", "no such file"),
        ("which ./a.tepal a.tepal --stem -e 1 --", "leave --stem out"),
        ("which --in ./a.tepal --in a.tepal --stem -e 1", "leave --stem out"),
        ("has a.tepal b.tepal --copies -- lines", "--copies is about one filter"),
        ("has a.tepal --which lines", "says tepal which FILTER... -- LINES"),
        ("which a.tepal -v --json -e 1", "--json"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}");
        assert!(ran.err.contains(hint) && ran.err.lines().count() == 1, "{args}: {}", ran.err);
    }
}

#[test]
fn several_filters_are_named_by_in_or_before_dashes() {
    let place = Place::new();
    three(&place);
    place.write("lines", "1\n2\n4\n3\n");
    let input = b"1\n2\n4\n3\n";
    let both = "1\ta.tepal\n2\ta.tepal,b.tepal\n4\tnone\n3\tb.tepal\n";
    for args in [
        "a.tepal --in b.tepal lines",
        "a.tepal lines --in b.tepal",
        "a.tepal b.tepal -- lines",
        "a.tepal --in b.tepal -- lines",
        "--in a.tepal --in b.tepal -- lines",
    ] {
        assert_eq!(place.run(&format!("which {args}")).quiet(), (0, both.as_bytes()), "{args}");
        assert_eq!(place.run(&format!("has {args}")).quiet(), (0, &b"1\n2\n3\n"[..]), "{args}");
        // Without a file of lines they are read from the pipe.
        let args = args.replace("lines", "");
        assert_eq!(place.run_with(&format!("which {args}"), input).quiet(), (0, both.as_bytes()), "{args}");
        assert_eq!(place.run_with(&format!("has {args}"), input).quiet(), (0, &b"1\n2\n3\n"[..]), "{args}");
    }
    assert_eq!(place.run_with("which --in a.tepal --in b.tepal", input).quiet().1, both.as_bytes());
    // One filter, whatever its name is, and lines.
    let one = "1\tnone\n2\tb.tepal\n4\tnone\n3\tb.tepal\n";
    for args in ["b.tepal lines", "b.tepal -- lines", "-- b.tepal lines", "--in b.tepal -- lines"] {
        assert_eq!(place.run(&format!("which {args}")).quiet().1, one.as_bytes(), "{args}");
    }
    std::fs::rename(place.path("b.tepal"), place.path("-b")).unwrap();
    assert_eq!(place.run("has -c -- -b lines").quiet(), (0, &b"2\n"[..]));
    place.write("-lines", "2\n");
    assert_eq!(place.run("which a.tepal -- -lines").quiet().1, b"2\ta.tepal\n");
    // The two dashes may be a key.
    place.write("lines", "2\n");
    for (args, lines) in [
        ("which a.tepal lines -e --", "--\tnone\n2\ta.tepal\n"),
        ("which a.tepal lines --key --", "--\tnone\n2\ta.tepal\n"),
        ("which a.tepal lines -He --", "--\tnone\nlines:2\ta.tepal\n"),
        ("which a.tepal a.tepal -e -- --", "--\tnone\n"),
        ("which a.tepal a.tepal --key=-- --", "--\tnone\n"),
        ("which a.tepal a.tepal -e-- --", "--\tnone\n"),
    ] {
        assert_eq!(place.run(args).text(), lines, "{args}");
    }
}

/// A filter that is named where lines are expected is no list, and is refused before any answer.
#[test]
fn a_filter_among_the_files_of_lines_is_refused() {
    let place = Place::new();
    three(&place);
    place.write("lines", "1\n");
    place.write("row", "1\t5\n");
    assert_eq!(place.run("build -q row -f 1 --map 2 -p 1e-9 -o m").code, 0);
    place.write_key("secret", "0123456789abcdef");
    place.build("keyed", b"1\n", "--secret secret");
    place.build("words.spark", b"1\n", "--to spark");
    for filter in ["b.tepal", "m", "keyed", "words.spark"] {
        for verb in ["has", "which"] {
            for args in [format!("{verb} a.tepal {filter}"), format!("{verb} a.tepal lines {filter} -e 1")] {
                let ran = place.run(&args);
                let told = format!(
                    "tepal: {filter}: a filter; expected a file of lines. Name it with --in {filter}, or before --: \
                     tepal {verb} FILTER... -- LINES\n"
                );
                assert_eq!((ran.code, ran.text(), &ran.err), (2, "", &told), "{args}");
            }
        }
        let ran = place.run(&format!("get m lines {filter} --whole"));
        assert_eq!((ran.code, ran.text()), (2, ""));
        assert!(ran.err.contains("Ask each map by itself, or: tepal which MAP... -- LINES"), "{}", ran.err);
    }
    // In a pipe it is found where it is read.
    let ran = place.run_with("which a.tepal", &place.read("b.tepal"));
    assert!(ran.code == 2 && ran.err.contains("a tepal filter; expected a list of keys"), "{}", ran.err);
}

#[test]
fn has_names_the_filters_in_json() {
    let place = Place::new();
    three(&place);
    let all = "has a.tepal --in b.tepal --in c.bin --from guava --keys bytes";
    assert_eq!(place.run_with(all, b"1\n2\n4\n3").quiet(), (0, &b"1\n2\n3"[..]));
    for (stem, name) in [("", "b.tepal"), ("--stem", "b")] {
        let ran = place.run(&format!("{all} --json {stem} -e 3 -e 4"));
        let held = format!("{{\"key\":\"3\",\"has\":true,\"filters\":[\"{name}\"]}}\n");
        let expected = held + "{\"key\":\"4\",\"has\":false,\"filters\":[]}\n";
        assert_eq!(ran.quiet(), (0, expected.as_bytes()));
    }
}

/// `which` has the flags of `has` for lines.
#[test]
fn lines_are_numbered_named_and_left_out_as_by_has() {
    let place = Place::new();
    three(&place);
    place.write("lines", "4\n1\n2\n4\n3\n");
    for (flags, expected) in [
        ("-n", "1:4\tnone\n2:1\ta\n3:2\ta,b\n4:4\tnone\n5:3\tb\n"),
        ("-n -m 1", "1:4\tnone\n2:1\ta\n"),
        ("-H -m 1", "lines:4\tnone\nlines:1\ta\n"),
        ("-v -n", "1:4\n4:4\n"),
        ("-c -m 2", "a\t2\nb\t1\nnone\t1\n"),
        ("-l", "lines\n"),
    ] {
        let args = format!("which --stem a.tepal b.tepal {flags} -- lines");
        assert_eq!(place.run(&args).quiet(), (0, expected.as_bytes()), "{args}");
    }
    assert!(place.run("which a.tepal -i lines").err.contains("built without --nocase"));
}
