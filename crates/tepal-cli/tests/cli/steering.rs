//! Names, labels and keys with characters that move the cursor or turn the direction of text: none
//! reaches a terminal.

use crate::place::Place;

/// One of each sort: C0, DEL, C1, marks and embeddings of direction, ends of lines and paragraphs.
const STEERING: &str =
    "\u{1b}\u{7f}\u{85}\u{9b}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}";

/// What was written has none of them but the ends of its lines and the colours that were asked for.
fn plain(text: &str, what: &str) {
    assert!(!text.chars().any(|c| c != '\n' && STEERING.contains(c)), "{what}: {text:?}");
}

#[test]
fn labels_that_steer_are_refused() {
    let place = Place::new();
    place.write("keys", "a\n");
    for c in STEERING.chars() {
        for flag in ["--name", "--source", "--date", "-f"] {
            let mut command = place.command("build keys -o f");
            let ran = crate::place::finish({
                command.args([flag, &format!("a{c}b")]);
                command
            });
            assert_eq!(ran.code, 2, "{flag} {c:?}");
            assert!(ran.err.starts_with("tepal: "), "{}", ran.err);
            plain(&ran.err, flag);
            assert_eq!(place.names(), ["keys"], "{flag} {c:?}");
        }
    }
}

#[test]
fn names_of_files_are_shown_escaped() {
    let place = Place::new();
    let name = format!("f{STEERING}");
    place.build("g", b"a\n", "");
    std::fs::rename(place.path("g"), place.path(&name)).unwrap();
    for (args, code) in [
        ("info", 0),
        ("info --json", 0),
        ("verify", 0),
        ("verify --json", 0),
        ("test", 0),
        ("test --json", 0),
        ("has -c -e a", 0),
        ("has -e a --json", 0),
        ("add -e", 2),
        ("add", 0),
        ("build -o", 2),
        ("convert --to guava -o x", 2),
        ("merge -o f", 0),
        ("demo -n 10 --dir", 2),
    ] {
        let mut command = place.command(args);
        command.arg(&name);
        let ran = crate::place::finish(command);
        assert_eq!(ran.code, code, "{args}: {}", ran.err);
        plain(ran.text(), args);
        plain(&ran.err, args);
        let _ = std::fs::remove_file(place.path("f"));
    }
}

#[test]
fn json_escapes_them_in_keys() {
    let place = Place::new();
    place.build("f", STEERING.as_bytes(), "");
    let ran = place.run_with("has f --json", format!("{STEERING}é\n").as_bytes());
    plain(ran.text(), "has --json");
    assert!(ran.text().contains("\\u009b\\u061c\\u200e"), "{}", ran.text());
    assert!(ran.text().contains('é'));
    assert_eq!(ran.json()["key"], format!("{STEERING}é"));
}
