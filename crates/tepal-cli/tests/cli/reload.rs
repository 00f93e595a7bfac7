//! `--reload`: a program that runs on follows the files of its filters. `--quick`: it answers at
//! once.

use std::fs;

use crate::asked::Asked;
use crate::place::{Place, numbers};

fn replace(place: &Place, by: &str, name: &str) {
    fs::rename(place.path(by), place.path(name)).unwrap();
}

#[test]
fn a_replaced_filter_answers_the_next_line() {
    let place = Place::new();
    place.build("f", b"1\n", "");
    let mut still = Asked::start(&place, "which f");
    let mut follows = Asked::start(&place, "which f --reload");
    assert_eq!((still.ask("1"), follows.ask("1")), ("1\tf".into(), "1\tf".into()));
    // Of another size, hash and recipe.
    for n in 2..12 {
        let seed = if n % 2 == 0 { "--seed 7 --nocase -n 5000" } else { "" };
        place.build("new", format!("{n}\nX{n}\n").as_bytes(), seed);
        replace(&place, "new", "f");
        assert_eq!(follows.ask(n.to_string()), format!("{n}\tf"));
        assert_eq!(follows.ask(format!("x{n}")), format!("x{n}\t{}", if n % 2 == 0 { "f" } else { "none" }));
        assert_eq!(follows.ask("1"), "1\tnone");
        assert_eq!(still.ask("1"), "1\tf");
    }
    assert_eq!((still.end(), follows.end()), (String::new(), String::new()));
}

#[test]
fn one_that_cannot_be_opened_is_told_of_once() {
    let place = Place::new();
    place.build("f", b"1\n", "");
    place.build("g", b"3\n", "");
    let mut asked = Asked::start(&place, "has --json f --in g --reload");
    assert!(asked.ask("1").contains("\"filters\":[\"f\"]"));
    let whole = place.read("f");
    for broken in [&b""[..], b"no filter", &whole[..whole.len() - 1]] {
        place.write("new", broken);
        replace(&place, "new", "f");
        for _ in 0..3 {
            assert!(asked.ask("1").contains("\"filters\":[\"f\"]"));
        }
    }
    fs::remove_file(place.path("f")).unwrap();
    assert!(asked.ask("1").contains("\"filters\":[\"f\"]"));
    // The other one is followed all the same.
    place.build("new", b"4\n", "");
    replace(&place, "new", "g");
    assert!(asked.ask("4").contains("\"filters\":[\"g\"]"));
    // And so is this one, once it is whole again.
    place.build("f", b"2\n", "");
    assert!(asked.ask("2").contains("\"filters\":[\"f\"]"));
    assert!(asked.ask("1").contains("\"filters\":[]"));
    let said = asked.end();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("f: ") && said.contains("goes on answering"), "{said}");
}

/// A file that goes away is told of each time that it does, also if the same file comes back.
#[test]
fn a_file_that_goes_away_is_told_of_each_time() {
    let place = Place::new();
    place.build("f", b"1\n", "");
    let mut asked = Asked::start(&place, "which f --reload");
    for _ in 0..3 {
        assert_eq!(asked.ask("1"), "1\tf");
        replace(&place, "f", "elsewhere");
        assert_eq!((asked.ask("1"), asked.ask("2")), ("1\tf".into(), "2\tnone".into()));
        replace(&place, "elsewhere", "f");
        assert_eq!(asked.ask("1"), "1\tf");
    }
    let said = asked.end();
    assert_eq!(said.lines().count(), 3, "{said}");
    assert!(said.lines().all(|line| line.contains("f: no such file") && line.contains("goes on answering")));
}

#[test]
fn what_has_other_rules_is_no_successor() {
    let place = Place::new();
    place.write_key("secret", "0123456789abcdef");
    place.build("f", b"A\n", "--nocase --secret secret");
    let mut asked = Asked::start(&place, "which f --reload --secret secret");
    assert_eq!(asked.ask("a"), "a\tf");
    place.build("new", b"b\n", "--nocase");
    replace(&place, "new", "f");
    assert_eq!((asked.ask("a"), asked.ask("b")), ("a\tf".into(), "b\tnone".into()));
    assert!(asked.end().contains("--secret"));
}

/// Where no names of segments were told, they may be others.
#[test]
fn has_follows_a_filter_whose_segments_are_others() {
    let place = Place::new();
    let build = |segment: &str, name: &str| {
        place.write(segment, format!("{segment}\n"));
        assert_eq!(place.run(&format!("build -q {segment} --set -o {name}")).code, 0);
    };
    build("monday", "f");
    let mut follows = Asked::start(&place, "has f --json --reload");
    assert!(follows.ask("monday").contains("\"has\":true"));
    build("tuesday", "new");
    replace(&place, "new", "f");
    assert!(
        follows.ask("tuesday").contains("\"has\":true") && follows.ask("monday").contains("\"has\":false")
    );
    assert_eq!(follows.end(), "");
}

#[test]
fn a_replaced_map_answers_with_its_own_values_and_names() {
    let place = Place::new();
    let build = |rows: &str, more: &str, name: &str| {
        place.write("rows", rows);
        let ran = place.run(&format!("build -q rows -f 1 --map 2 -p 1e-9 -o {name} {more}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    build("a\tde\nb\tat\n", "", "m");
    let mut still = Asked::start(&place, "get m --whole");
    let mut follows = Asked::start(&place, "get m --whole --reload");
    assert_eq!((still.ask("a"), follows.ask("a")), ("a\tde".into(), "a\tde".into()));
    // Other names, another seed, numbers.
    for (rows, more, asked, value) in [
        ("a\tch\nb\tat\n", "", "a", "ch"),
        ("a\tch\nb\tfr\nc\tit\n", "--seed 7 --nocase", "C", "it"),
        ("a\t70\n", "", "a", "70"),
    ] {
        build(rows, more, "new");
        replace(&place, "new", "m");
        assert_eq!(follows.ask(asked), format!("{asked}\t{value}"));
        assert_eq!(still.ask("a"), "a\tde");
    }
    // What has no values is no successor. A value may have the name none.
    place.build("new", b"a\n", "");
    replace(&place, "new", "m");
    assert_eq!(follows.ask("a"), "a\t70");
    build("a\tnone\n", "", "new");
    replace(&place, "new", "m");
    assert_eq!((follows.ask("a"), follows.ask("b")), ("a\t\"none\"".into(), "b\tnone".into()));
    let said = follows.end();
    assert!(
        said.contains("m: a filter, which has no values") && said.contains("goes on answering"),
        "{said}"
    );
    assert_eq!(still.end(), "");
}

/// Changes a bit near the end of a file, in its body: its bytes then, and the place of the changed
/// one.
fn damage(place: &Place, name: &str) -> (Vec<u8>, usize) {
    let mut bytes = place.read(name);
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    place.write(name, &bytes);
    (bytes, last)
}

#[test]
fn quick_answers_and_leaves_the_bits_unread() {
    let place = Place::new();
    place.build("f", b"1\n", "-n 100000");
    damage(&place, "f");
    assert_eq!(place.run("has f -e 1").code, 2);
    assert_eq!(place.run("has f -e 1 --quick").quiet(), (0, &b"1\n"[..]));
    assert_eq!(place.run("which f -e 1 --quick").quiet(), (0, &b"1\tf\n"[..]));
    assert_eq!(place.run("verify f").code, 2);
    place.write("rows", (0..20_000).map(|i| format!("{i}\t{}\n", i % 9)).collect::<String>());
    assert_eq!(place.run("build -q rows -f 1 --map 2 -o m").code, 0);
    let (bytes, _) = damage(&place, "m");
    assert_eq!(place.run("get m -e 10").code, 2);
    assert_eq!(place.run("get m -e 10 --quick").quiet(), (0, &b"10\t1\n"[..]));
    // Whatever is before the bits is checked, and so is the length.
    for broken in [&bytes[..bytes.len() - 1], &[&bytes[..100], &[bytes[100] ^ 1], &bytes[101..]].concat()] {
        place.write("g", broken);
        assert_eq!(place.run("has g -e 1 --quick").code, 2);
    }
    for flag in ["--read", "--seal f"] {
        assert!(place.run(&format!("has f -e 1 --quick {flag}")).err.contains("cannot be used with"));
    }
}

#[test]
fn a_successor_of_other_keys_does_not_take_its_place() {
    let place = Place::new();
    for (verb, list, flags) in
        [("which f --reload", &b"1\n"[..], "-f 2"), ("which f --reload", b"0\t1\n", "-f id")]
    {
        // Records are read as they were at first, and would be no key of the new filter.
        let of_field = list.len() > 2;
        place.build("f", list, if of_field { "--force -f 2" } else { "--force" });
        let mut asked = Asked::start(&place, verb);
        let line = if of_field { "0\t1" } else { "1" };
        assert_eq!(asked.ask(line), format!("{line}\tf"));
        place.build("new", b"x\tid\n0\t2\n", flags);
        replace(&place, "new", "f");
        assert_eq!(asked.ask(line), format!("{line}\tf"), "{flags}");
        // One of the same keys does.
        place.build("new", b"", if of_field { "-f 2" } else { "" });
        replace(&place, "new", "f");
        assert_eq!(asked.ask(line), format!("{line}\tnone"), "{flags}");
        let said = asked.end();
        assert!(
            said.contains("its successor is built from field") && said.contains("goes on answering"),
            "{said}"
        );
    }
    // Where a flag says what the keys are, that is meant for all of them.
    place.build("f", b"1\n", "--force");
    let mut asked = Asked::start(&place, "which f --reload --whole");
    assert_eq!(asked.ask("1"), "1\tf");
    place.build("new", b"0\t2\n", "-f 2");
    replace(&place, "new", "f");
    assert_eq!(asked.ask("2"), "2\tf");
    assert_eq!(asked.end(), "");
}

/// With and without `--quick`.
#[test]
fn one_that_is_cut_or_overwritten_in_place_goes_on_answering() {
    let place = Place::new();
    place.write("keys", numbers(0..50_000));
    place.write("rows", (0..50_000).map(|i| format!("{i}\tv{}\n", i % 9)).collect::<String>());
    for (build, verb, is_in, is_not) in [
        ("build keys -s 1MiB", "which f", "7\tf", "x\tnone"),
        ("build keys -s 1MiB", "has --json f", "\"has\":true", "\"has\":false"),
        ("build keys --deletable -p 1e-9", "which f", "7\tf", "x\tnone"),
        ("build keys --growing -p 1e-9", "which f", "7\tf", "x\tnone"),
        ("build keys --window 7d -p 1e-9", "which f", "7\tf", "x\tnone"),
        ("build keys --static -p 1e-9", "which f", "7\tf", "x\tnone"),
        ("build keys --to guava -p 1e-9", "which f --from guava --keys bytes", "7\tf", "x\tnone"),
        ("build rows -f 1 --by 2 -p 1e-9", "which f --whole", "7\tv7", "x\tnone"),
        ("build rows -f 1 --map 2 -p 1e-9", "get f --whole", "7\tv7", "x\tnone"),
    ] {
        for quick in ["", "--quick"] {
            let ran = place.run(&format!("{build} -q --force -o whole"));
            assert_eq!(ran.code, 0, "{build}: {}", ran.err);
            let whole = place.read("whole");
            assert!(whole.len() > 1 << 14, "{build}: {}", whole.len());
            fs::rename(place.path("whole"), place.path("f")).unwrap();
            let mut asked = Asked::start(&place, &format!("{verb} --reload {quick}"));
            let mut answers = |what: &str| {
                let (yes, no) = (asked.ask("7"), asked.ask("x"));
                assert!(yes.contains(is_in) && no.contains(is_not), "{build} {quick} {what}: {yes} {no}");
            };
            answers("at first");
            let file = fs::File::options().write(true).open(place.path("f")).unwrap();
            file.set_len(4096 + 40).unwrap();
            answers("cut");
            file.set_len(0).unwrap();
            answers("emptied");
            // As `cp` does it, and stopped in the middle.
            fs::write(place.path("f"), &whole[..whole.len() / 2]).unwrap();
            answers("half overwritten");
            fs::write(place.path("f"), &whole).unwrap();
            answers("overwritten");
            let said = asked.end();
            assert!(
                said.matches("goes on answering").count() == 1 && said.lines().count() == 1,
                "{build} {quick}: {said}"
            );
        }
    }
}

/// Read halfway through, a file that is overwritten in place is known by its checksums alone.
#[test]
fn what_reload_reads_is_checked_with_quick_too() {
    let place = Place::new();
    place.build("f", b"1\n", "-n 100000");
    let (mut bytes, last) = damage(&place, "f");
    for quick in ["", "--quick"] {
        let ran = place.run(&format!("which f --reload {quick} -e 1"));
        assert!(ran.code == 2 && ran.err.starts_with("tepal: f: damaged: bytes "), "{}", ran.err);
    }
    bytes[last] ^= 1;
    place.write("f", &bytes);
    let mut asked = Asked::start(&place, "which f --reload --quick");
    assert_eq!(asked.ask("1"), "1\tf");
    bytes[last] ^= 1;
    place.write("f", &bytes);
    assert_eq!(asked.ask("1"), "1\tf");
    assert!(asked.end().contains("goes on answering"));
}
