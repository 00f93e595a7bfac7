//! Comments and Markdown of the whole project have at most 100 columns. Code blocks, tables and
//! program output in them cannot be wrapped. The cells of tables that people read are short. The
//! texts of the library's errors name no call and no flag.

use std::fs;
use std::path::Path;

use crate::files::files_in;

const COLUMNS: usize = 100;
/// The longest cell of a table, in characters. A longer one is a paragraph.
const CELL: usize = 150;
/// The pages that people read, in addition to `docs`.
const PAGES: [&str; 10] = [
    "bench/README",
    "README",
    "ARCHITECTURE",
    "CONTRIBUTING",
    "CHANGELOG",
    "FORMAT",
    "crates/tepal/README",
    "crates/tepal-cli/README",
    "crates/tepal-derive/README",
    "crates/tepal-python/README",
];
/// The folders of the project that contain text; other folders contain build output.
const FOLDERS: [&str; 12] = [
    "bench/counts/src",
    "bench/measure/src",
    "bench/results",
    "bench/src",
    "crates",
    "docs",
    "fuzz/cli",
    "fuzz/src",
    "mutants/src",
    "reference/src",
    "reference/tests",
    "testdata",
];

/// The text of a comment that fills its line, without the comment mark.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']))
}

/// The numbers of the lines that are too long. `prose` returns the text of a line, if it is prose.
fn long<'a>(text: &'a str, prose: impl Fn(&'a str) -> Option<&'a str>) -> Vec<usize> {
    let mut is_code = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(said) = prose(line).map(str::trim_start) else {
            is_code = false;
            continue;
        };
        let is_border = said.starts_with("```");
        is_code ^= is_border;
        // A command stays whole, on a line of its own.
        let is_command = said.starts_with(['`', '(']) && said.ends_with(['`', ',']);
        let can_be_wrapped = !is_code && !is_command && !said.starts_with(['|', '<', '[', '>', '#']);
        if can_be_wrapped && line.chars().count() > COLUMNS {
            found.push(number);
        }
    }
    found
}

/// The cells of a row of a table. A bar in a cell stands behind a backslash.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "\u{1}");
    row.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// A list of names in code, as the tables made by tests have them.
fn is_names(cell: &str) -> bool {
    cell.split(", ").all(|name| name.len() > 2 && name.starts_with('`') && name.ends_with('`'))
}

/// The lines of a page with a cell that is too long, by their numbers.
fn crowded(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        is_code ^= line.starts_with("```");
        let is_long = |cell: &String| cell.chars().count() > CELL && !is_names(cell);
        if !is_code && line.starts_with('|') && cells(line).iter().any(is_long) {
            found.push(number);
        }
    }
    found
}

#[test]
fn has_at_most_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<_> = ["rs", "md"]
        .iter()
        .flat_map(|extension| FOLDERS.map(|folder| files_in(&root.join(folder), extension)))
        .flatten()
        .collect();
    files.extend(PAGES.map(|page| root.join(page).with_extension("md")));
    let mut seen = 0;
    let mut found = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let lines = if is_rust { long(&text, comment) } else { long(&text, Some) };
        seen += 1;
        found.extend(lines.iter().map(|line| format!("{}:{line}", path.display())));
    }
    assert!(seen > 600, "only {seen} files");
    assert!(found.is_empty(), "prose of more than {COLUMNS} columns:\n{}", found.join("\n"));
}

/// Texts of the library name calls only by `advice!`, so that each door has its own word for them.
/// They name no flag of the command.
#[test]
fn texts_of_errors_name_no_call() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    let mut found = Vec::new();
    for path in files_in(&source, "rs") {
        let place = path.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        // The library's own words, and an error of serde's, which no door translates.
        let is_exempt = ["error/door.rs", "format/serde.rs"].contains(&place.as_str());
        if is_exempt || place.ends_with("tests.rs") || place.contains("/tests/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (number, line) in (1..).zip(text.lines().map(str::trim_start)) {
            let is_documentation = line.contains("[`") || line.contains("```") || line.contains("doc");
            let Some((_, literal)) = line.split_once('"').filter(|_| !is_documentation) else { continue };
            let is_code = line.starts_with("//") || line.starts_with("#[");
            let is_note = ["message =", "label =", "note ="].iter().any(|note| line.starts_with(note));
            seen += 1;
            if !is_code && !is_note && (literal.contains('`') || literal.contains(" --")) {
                found.push(format!("{place}:{number}: {line}"));
            }
        }
    }
    assert!(seen > 1000, "only {seen} lines with texts");
    assert!(found.is_empty(), "texts that name a call or a flag:\n{}", found.join("\n"));
}

#[test]
fn cells_of_tables_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = files_in(&root.join("docs"), "md");
    files.extend(PAGES.map(|page| root.join(page).with_extension("md")));
    let mut seen = 0;
    let mut found = Vec::new();
    for path in &files {
        let lines = crowded(&fs::read_to_string(path).unwrap());
        seen += 1;
        found.extend(lines.iter().map(|line| format!("{}:{line}", path.display())));
    }
    assert!(seen >= 19, "only {seen} files");
    assert!(found.is_empty(), "cells of more than {CELL} characters:\n{}", found.join("\n"));
}
