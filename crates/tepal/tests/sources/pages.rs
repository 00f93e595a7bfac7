//! The documentation page of each filter type begins with an example of its whole life: the calls
//! that make it, change it, save it and open it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::files::files_in;

/// The calls in the example of a type beside `save`, if they differ from a Bloom filter's.
const CALLS: [(&str, &[&str]); 9] = [
    (
        "BloomFilter",
        &["builder", "build", "insert", "insert_many", "contains", "contains_many", "union_with"],
    ),
    ("ScalableBloomFilter", &["build_growing", "insert", "insert_many", "contains"]),
    ("ExceptedBloomFilter", &["except", "contains"]),
    ("QuotientFilter", &["builder", "build", "insert", "contains", "count", "remove", "union_with"]),
    ("GrowingFilter", &["builder", "build", "insert", "insert_many", "contains", "union_with"]),
    ("ExpiringFilter", &["builder", "build", "insert", "insert_at", "advance_to", "contains", "union_with"]),
    (
        "SegmentFilter",
        &["builder", "build", "add_segment", "insert", "segments", "contains_in", "union_with"],
    ),
    ("RibbonFilter", &["builder", "build_from", "insert", "contains", "contains_many"]),
    ("RibbonMap", &["builder", "build_from", "get", "get_many", "contains"]),
];

/// The comments before every `pub struct` of a folder.
fn pages(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in files_in(folder, "rs") {
        let mut page = String::new();
        for line in fs::read_to_string(&path).unwrap().lines() {
            if let Some(text) = line.strip_prefix("///") {
                page += text;
                page.push('\n');
            } else if let Some(item) = line.strip_prefix("pub struct ") {
                let name = item.split(|c: char| !c.is_alphanumeric()).next().unwrap();
                found.insert(name.to_owned(), page.split_off(0));
            } else if !line.starts_with('#') {
                page.clear();
            }
        }
    }
    found
}

#[test]
fn show_a_filter_from_its_builder_to_its_file() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let found = pages(&src.join("kinds"));
    // The types of the list, at the end of each line: `bloom::BloomFilter<Owned>;`.
    let list = fs::read_to_string(src.join("list.rs")).unwrap();
    let types: Vec<_> = list
        .lines()
        .filter_map(|line| line.strip_suffix(';')?.rsplit_once("::"))
        .map(|(_, name)| name.split('<').next().unwrap())
        .filter(|name| !name.starts_with('$'))
        .collect();
    assert!(CALLS.iter().all(|line| types.contains(&line.0)), "{types:?}");
    for name in types {
        let calls =
            CALLS.iter().find(|line| line.0 == name).unwrap_or_else(|| panic!("{name} has no line here")).1;
        let page = found.get(name).unwrap_or_else(|| panic!("{name} has no page"));
        let example = page.split("```").nth(1).unwrap_or_else(|| panic!("the page of {name} has no example"));
        for call in calls.iter().chain(&["save"]) {
            let called = [".", "::"].iter().any(|path| example.contains(&format!("{path}{call}(")));
            assert!(called, "the example on the page of {name} does not call `{call}`");
        }
        let opened = [format!("{name}::open("), "tepal::open(".to_owned()];
        assert!(opened.iter().any(|call| example.contains(call)), "the example of {name} opens no file");
    }
}
