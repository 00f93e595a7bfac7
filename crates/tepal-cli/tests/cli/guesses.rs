//! Verbs that people guess.

use crate::place::Place;

#[test]
fn guessed_verbs_do_what_is_meant() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    assert_eq!(place.run("create -q list -o f").code, 0);
    assert_eq!(place.run("build -q list -o same").code, 0);
    assert_eq!(place.read("f"), place.read("same"));
    assert_eq!(place.run("insert -q f list").code, 0);
    for verb in ["check", "query", "contains"] {
        assert_eq!(place.run(&format!("{verb} f list")).quiet(), (0, &b"a\nb\n"[..]));
    }
    for verb in ["dedup", "dedupe", "unique"] {
        assert_eq!(place.run(&format!("{verb} list list")).quiet(), (0, &b"a\nb\n"[..]));
    }
    assert_eq!(place.run("union -q f same -o both --past-promise").code, 0);
}

#[test]
fn help_and_manual_say_the_real_name() {
    let place = Place::new();
    for (guess, verb) in [
        ("create", "build"),
        ("insert", "add"),
        ("query", "has"),
        ("union", "merge"),
        ("delete", "remove"),
        ("rm", "remove"),
    ] {
        assert_eq!(place.run(&format!("{guess} --help")).out, place.run(&format!("{verb} --help")).out);
        assert_eq!(place.run(&format!("help {guess}")).out, place.run(&format!("help {verb}")).out);
        assert_eq!(place.run(&format!("man {guess}")).out, place.run(&format!("man {verb}")).out);
        let err = place.run(&format!("{guess} --nonsense")).err;
        assert!(err.ends_with(&format!("see tepal {verb} --help\n")), "{err}");
        let verbs = place.run("--help");
        let mut verbs = verbs.text().lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        assert!(verbs.all(|verb| verb != guess), "{guess} is not shown");
    }
}

#[test]
fn a_wrong_verb_is_told_the_right_one() {
    let place = Place::new();
    for (wrong, expected) in [
        ("hase", "no verb \"hase\"; did you mean has;"),
        ("biuld", "no verb \"biuld\"; did you mean build;"),
        ("chekc", "no verb \"chekc\"; did you mean has;"),
        ("wich", "no verb \"wich\"; did you mean which;"),
        ("unqi", "no verb \"unqi\"; did you mean uniq;"),
        ("remvoe", "no verb \"remvoe\"; did you mean remove;"),
        ("mrege", "no verb \"mrege\"; did you mean merge;"),
        ("dedpu", "no verb \"dedpu\"; did you mean uniq;"),
        ("patsch", "no verb \"patsch\"; did you mean patch;"),
        ("xyzzy", "no verb \"xyzzy\"; see tepal --help"),
    ] {
        let ran = place.run(wrong);
        assert_eq!(ran.code, 2);
        assert!(ran.err.starts_with(&format!("tepal: {expected}")), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
    }
}

#[test]
fn a_key_given_where_lists_are_read_is_told_how_it_is_given() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    for verb in ["build -e b -o g", "create -e b -o g", "except f -e b", "uniq -e b"] {
        let ran = place.run(verb);
        let err = &ran.err;
        assert!(
            ran.code == 2 && err.contains("reads keys from files or from standard input: printf"),
            "{err}"
        );
        assert!(!err.contains("-- -e") && err.lines().count() == 1, "{err}");
    }
}
