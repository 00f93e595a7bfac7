//! What the sources look like with changes in them.

use super::*;
use crate::list::{Place, Span};

fn mutant(text: &str, (genre, old, replacement): (Genre, &str, &str)) -> Mutant {
    let start = text.find(old).unwrap();
    let place = |at: usize| Place { line: 1, column: at + 1 };
    Mutant {
        name: String::new(),
        file: String::new(),
        genre,
        replacement: replacement.into(),
        span: Span { start: place(start), end: place(start + old.len()) },
        function: None,
    }
}

/// The source with these changes: genre, what is replaced, and by what.
fn placed(text: &str, changes: &[(Genre, &str, &str)]) -> String {
    let mut source = Source::new(text.into()).unwrap();
    for (number, change) in changes.iter().enumerate() {
        source.add(number, &mutant(text, *change)).expect("there is a site");
    }
    source.with_changes(|_| true).0.replace("crate::mutant_switch::", "")
}

#[test]
fn changes_stand_beside_the_old_text() {
    type Change = (Genre, &'static str, &'static str);
    let cases: [(&str, &[Change], &str); 6] = [
        (
            "fn f() -> u8 { a + b * c }",
            &[(Genre::BinaryOperator, "+", "-"), (Genre::BinaryOperator, "*", "/")],
            "fn f() -> u8 { (if on(0) { a - b * c } else { a + (if on(1) { b / c } else { b * c }) }) }",
        ),
        (
            "fn f() -> u8 { 7 }",
            &[(Genre::FnValue, "7", "0"), (Genre::FnValue, "7", "1")],
            "fn f() -> u8 { if on(0) { return 0; } if on(1) { return 1; }7 }",
        ),
        (
            "fn f() { g(!x) }",
            &[(Genre::UnaryOperator, "!", "")],
            "fn f() { g((if on(0) { x } else { !x })) }",
        ),
        (
            "fn f() { match x { 1 => a, 2 if cc => b, _ => d } }",
            &[
                (Genre::MatchArm, "1 => a", ""),
                (Genre::MatchArm, "2 if cc => b", ""),
                (Genre::MatchArmGuard, "cc", "true"),
            ],
            "fn f() { match x { 1 if !on(0) => a, 2 if !on(1) && ((if on(2) { true } else { cc })) => b, _ => d } }",
        ),
        (
            "fn f() { S { a: 1, ..s } }",
            &[(Genre::StructField, "a: 1,", "")],
            "fn f() { (if on(0) { S {  ..s } } else { S { a: 1, ..s } }) }",
        ),
        (
            "fn f() { x += 1; }",
            &[(Genre::BinaryOperator, "+=", "-=")],
            "fn f() { (if on(0) { x -= 1 } else { x += 1 }); }",
        ),
    ];
    for (source, changes, expected) in cases {
        assert_eq!(placed(source, changes), expected);
    }
}

#[test]
fn a_change_alone_stands_in_place_of_the_old_text() {
    let text = "fn f() -> u8 { match x { 1 => !a, _ => b + c } }";
    for (change, expected) in [
        ((Genre::FnValue, "match x { 1 => !a, _ => b + c }", "0"), "fn f() -> u8 { 0 }"),
        ((Genre::UnaryOperator, "!", ""), "fn f() -> u8 { match x { 1 => a, _ => b + c } }"),
        ((Genre::MatchArm, "1 => !a,", ""), "fn f() -> u8 { match x {  _ => b + c } }"),
        ((Genre::BinaryOperator, "+", "-"), "fn f() -> u8 { match x { 1 => !a, _ => b - c } }"),
    ] {
        let source = Source::new(text.into()).unwrap();
        assert_eq!(source.with_only(&mutant(text, change)).unwrap(), expected);
    }
}

#[test]
fn the_switch_stands_in_the_first_file_of_the_crate() {
    assert_eq!(root("crates/tepal-cli/src/cmd/has.rs").as_deref(), Some("crates/tepal-cli/src/lib.rs"));
    assert_eq!(root("build.rs"), None);

    let folder = std::env::temp_dir().join(format!("tepal-mutants-{}", std::process::id()));
    let sources = folder.join("a/src");
    fs::create_dir_all(&sources).unwrap();
    fs::write(sources.join("lib.rs"), "mod b;").unwrap();
    fs::write(sources.join("b.rs"), "fn f() -> u8 { 7 }").unwrap();
    let text = "fn f() -> u8 { 7 }";
    let change = Mutant { file: "a/src/b.rs".into(), ..mutant(text, (Genre::FnValue, "7", "0")) };
    let changes = [change];
    let all = Sources::read(&folder, &changes).unwrap();
    all.write(&folder, |_| true, 1).unwrap();
    let written = |name: &str| fs::read_to_string(sources.join(name)).unwrap();
    assert_eq!(written("b.rs"), "fn f() -> u8 { if crate::mutant_switch::on(0) { return 0; }7 }");
    assert_eq!(written("lib.rs"), format!("mod b;{SWITCH}const COUNT: usize = 1;\n"));
    all.write_alone(&folder, &changes[0]).unwrap();
    assert_eq!((written("b.rs").as_str(), written("lib.rs").as_str()), ("fn f() -> u8 { 0 }", "mod b;"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_match_knows_the_changes_of_its_arms() {
    let text = "fn f() { -a; match !x { 1 => a, _ => b } }";
    let mut source = Source::new(text.into()).unwrap();
    for (number, change) in [
        (Genre::UnaryOperator, "-", ""),
        (Genre::MatchArm, "1 => a", ""),
        (Genre::UnaryOperator, "!", ""),
        (Genre::MatchArm, "_ => b", ""),
    ]
    .into_iter()
    .enumerate()
    {
        source.add(number, &mutant(text, change)).expect("there is a site");
    }
    let (text, _, matches) = source.with_changes(|_| true);
    let at = text.find("match ").unwrap() + "match ".len();
    assert_eq!(matches, BTreeMap::from([(at, vec![1, 3])]));
}
