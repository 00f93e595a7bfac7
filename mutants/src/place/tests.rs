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
