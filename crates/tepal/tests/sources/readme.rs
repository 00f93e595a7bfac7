//! The README of the repository shows the same program as the README of the package, which is
//! compiled and run.

/// The first block of Rust.
fn program(readme: &str) -> &str {
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    rest.split_once("```\n").unwrap().0
}

#[test]
fn both_readmes_show_one_program() {
    assert_eq!(program(include_str!("../../../../README.md")), program(include_str!("../../README.md")));
}
