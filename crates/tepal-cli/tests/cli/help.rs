//! Help comes with examples first, in a short and a long form, and what the examples show works.

use crate::place::Place;

#[test]
fn help_begins_with_what_it_does_and_examples() {
    let place = Place::new();
    for verb in [
        "", "build", "add", "remove", "has", "which", "get", "uniq", "info", "plan", "merge", "except",
        "diff", "patch", "shrink", "convert", "verify", "test", "demo",
    ] {
        let ran = place.run(&format!("{verb} -h"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let lines: Vec<&str> = ran.text().lines().collect();
        assert_eq!(lines[2], "Examples:", "{verb}: {}", ran.text());
        assert!(lines[3..5].iter().all(|line| line.contains("tepal ")), "{verb}: {}", ran.text());
        assert!(lines.len() <= 40, "{verb}: {} lines", lines.len());
    }
}

#[test]
fn short_help_has_the_usual_flags_and_long_help_all_in_groups() {
    let place = Place::new();
    let (short, long) = (place.run("build -h"), place.run("build --help"));
    let heads =
        |text: &str| text.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).count();
    assert!(short.text().ends_with("\nAll flags: tepal build --help\n"), "{}", short.text());
    assert!(short.text().contains("  -p, --fpr <RATE>") && !short.text().contains("--md5-split"));
    assert_eq!(heads(short.text()), 3, "{}", short.text());
    for head in
        ["Options:", "Size and rate:", "Kinds of filters:", "Keys:", "Records:", "Output:", "Other programs:"]
    {
        assert_eq!(long.text().lines().filter(|line| *line == head).count(), 1, "{head}");
    }
    assert!(
        long.text().contains("\n      --md5-split <CHOICES>\n") && long.text().contains("\nKeys: each line")
    );
}

#[test]
fn some_verbs_stand_under_more() {
    let place = Place::new();
    for flag in ["-h", "--help"] {
        let help = place.run(flag);
        let (_, more) = help.text().split_once("\nMore:\n").unwrap();
        let verbs = more.lines().take_while(|line| !line.is_empty());
        let verbs: Vec<&str> = verbs.filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(verbs, ["demo", "completions", "man"], "{}", help.text());
    }
}

#[test]
fn the_first_example_of_all() {
    let place = Place::new();
    place.write("list.txt", "one\ntwo\n");
    place.write("today.txt", "two\nthree\n");
    assert_eq!(place.run("build list.txt -o list.tepal").code, 0);
    assert_eq!(place.run("has list.tepal today.txt").quiet(), (0, &b"two\n"[..]));
    assert_eq!(place.run("has -v list.tepal today.txt").quiet(), (0, &b"three\n"[..]));
}
