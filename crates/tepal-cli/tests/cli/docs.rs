//! The tables in `docs/formats.md` that are made from the code: the encodings of `--keys`, and the
//! formats.
//!
//! `TEPAL_WRITE_DOCS=1 cargo test -p tepal-cli --test cli docs::` writes them anew.

use std::process::Command;
use std::{env, fs};

use tepal::{KeyDomain, file::Format};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats.md");

/// What stands between the marks of a table.
fn between<'a>(page: &'a str, name: &str) -> (&'a str, &'a str, &'a str) {
    let (begin, end) =
        (format!("<!-- {name}: made by crates/tepal-cli/tests/cli/docs.rs -->\n"), "<!-- end -->\n");
    let start = page.find(&begin).unwrap_or_else(|| panic!("no mark of {name}")) + begin.len();
    let len = page[start..].find(end).expect("no end");
    (&page[..start], &page[start..start + len], &page[start + len..])
}

/// Holds a table against the page, or writes it there.
fn check(name: &str, table: &str) {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, found, after) = between(&page, name);
    if env::var_os("TEPAL_WRITE_DOCS").is_some() {
        fs::write(PAGE, [before, table, after].concat()).unwrap();
    } else {
        assert!(found == table, "docs/formats.md is not up to date; TEPAL_WRITE_DOCS=1 writes it:\n{table}");
    }
}

/// The lines of help about `--keys`, joined where they are broken.
fn encodings() -> Vec<(String, String)> {
    let help = Command::new(env!("CARGO_BIN_EXE_tepal")).args(["has", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let mut encodings: Vec<(String, String)> = Vec::new();
    for line in help.lines().skip_while(|line| !line.contains("--keys <ENCODING>")).map(str::trim).skip(1) {
        match line.strip_prefix("- ").and_then(|line| line.split_once(": ")) {
            Some((name, about)) => encodings.push((name.to_owned(), about.trim().to_owned())),
            None if line.is_empty() && !encodings.is_empty() => break,
            None => {
                if let Some((_, about)) = encodings.last_mut() {
                    *about = format!("{about} {line}");
                }
            }
        }
    }
    encodings
}

fn joined<T: ToString>(items: &[T]) -> String {
    items.iter().map(|item| format!("`{}`", item.to_string())).collect::<Vec<_>>().join(", ")
}

/// One test, for both tables are in one file.
#[test]
fn the_tables_are_those_of_the_code() {
    let encodings = encodings();
    let names: Vec<_> = encodings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, KeyDomain::ALL.iter().map(|domain| domain.name()).collect::<Vec<_>>());
    let mut table =
        String::from("| `--keys` | what is hashed (what other programs call it) |\n| --- | --- |\n");
    for (name, about) in &encodings {
        table.push_str(&format!("| `{name}` | {about} |\n"));
    }
    check("encodings", &table);

    let mut table = String::from(
        "| format | schemes, today's first | layout | says its capacity and rate | `--keys` |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        table.push_str(&format!(
            "| `{format}` | {} | `{}` | {} | {} |\n",
            joined(format.schemes()),
            format.layout().unwrap_or(tepal::Layout::Scattered),
            if format.records_plan() { "yes" } else { "no" },
            joined(format.key_domains()),
        ));
    }
    check("formats", &table);
}
