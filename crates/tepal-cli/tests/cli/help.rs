//! Help comes with examples first, and what the examples show works.

use crate::place::Place;

#[test]
fn help_begins_with_what_it_does_and_three_examples() {
    let place = Place::new();
    for verb in [
        "", "build", "add", "remove", "has", "which", "get", "uniq", "info", "plan", "merge", "shrink",
        "convert", "verify", "test", "demo",
    ] {
        let ran = place.run(&format!("{verb} -h"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let lines: Vec<&str> = ran.text().lines().collect();
        assert_eq!(lines[2], "Examples:", "{verb}: {}", ran.text());
        assert!(lines[3..6].iter().all(|line| line.contains("tepal ")), "{verb}: {}", ran.text());
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
