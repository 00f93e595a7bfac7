//! The library's rooms are a ladder: each uses only rooms before it in `LADDER`. The modules of
//! each room are a ladder too (`shared/modules.rs`).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::modules::{Modules, knots};

/// The rooms from the lowest to the highest: files and folders of `src`, except `lib.rs`, which
/// only declares them.
const LADDER: [&str; 11] =
    ["list", "ids", "error", "fields", "bits", "params", "key", "facts", "kinds", "format", "build"];

/// Collects the files of `folder` as the code of one room: text without comments and without unit
/// tests, which may use higher rooms.
fn code(path: &Path, files: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            code(&entry.unwrap().path(), files);
        }
        return;
    }
    let is_test = path.components().any(|part| part.as_os_str() == "tests")
        || path.ends_with("tests.rs")
        || path.ends_with("vectors.rs");
    if is_test || path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let before_tests = text.split("\nmod tests {").next().unwrap();
    let lines = before_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
    files.push((path.display().to_string(), lines.collect::<Vec<_>>().join("\n")));
}

/// The rooms that a text names as `crate::ROOM`, also within `use crate::{..}`.
fn named(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let first = |text: &str| text.trim_start().split(|c| !is_name(c)).next().unwrap_or_default().to_owned();
    let mut rooms = BTreeSet::new();
    for after in text.split("crate::").skip(1) {
        let Some(group) = after.strip_prefix('{') else {
            rooms.insert(first(after));
            continue;
        };
        // The names right behind the brace and behind each comma of this level.
        let mut depth = 0;
        rooms.insert(first(group));
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => drop(rooms.insert(first(&group[at + 1..]))),
                _ => {}
            }
        }
    }
    rooms
}

#[test]
fn arrows_between_rooms_go_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut arrows = 0;
    for (height, room) in LADDER.iter().enumerate() {
        let mut files = Vec::new();
        for path in [src.join(room), src.join(format!("{room}.rs"))] {
            if path.exists() {
                code(&path, &mut files);
            }
        }
        assert!(!files.is_empty(), "{room}: no such room");
        for (file, text) in files {
            for used in named(&text) {
                match LADDER.iter().position(|room| *room == used) {
                    Some(below) if below <= height => arrows += usize::from(below < height),
                    Some(_) => panic!("{file}: {room} uses {used}, which comes later in the list"),
                    // A name that `lib.rs` exports, such as `crate::BloomFilter`, hides the room.
                    None => panic!("{file}: `crate::{used}` is no room; name the room where it is defined"),
                }
            }
        }
    }
    assert!(arrows > 50, "{arrows} arrows found");
}

#[test]
fn no_path_climbs_out_of_a_room() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let rooms = LADDER.iter().flat_map(|room| [src.join(room), src.join(format!("{room}.rs"))]);
    rooms.filter(|path| path.exists()).for_each(|path| code(&path, &mut files));
    for (file, text) in files {
        let inside = Path::new(&file).strip_prefix(&src).unwrap();
        let folders = inside.components().count() - 1;
        // `a/mod.rs` is one step below the root of the crate, `a/b.rs` two.
        let steps = if inside.ends_with("mod.rs") { folders } else { folders + 1 };
        assert!(!text.contains(&"super::".repeat(steps)), "{file}: a path leaves the room; say `crate::`");
    }
}

/// The modules of a room: the modules of a folder, each with everything in its own folder, and the
/// file that declares them.
///
/// A module uses another if its code or its imports name an item that is defined there, also
/// through a re-export. The file of the folder (`mod.rs`) is a module too: its own items are used
/// by the other modules, or use them, but not both. Its declarations and re-exports do not count as
/// use. Neither do method calls, which name no module, nor the imports of unit tests.
///
/// If modules use each other in a circle, none can be read before the others. Move the shared items
/// below them, or the call that joins them above.
#[test]
fn no_modules_of_a_room_use_each_other() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    code(&src, &mut files);
    let inside =
        |file: &str| Path::new(file).strip_prefix(&src).unwrap().display().to_string().replace('\\', "/");
    let modules: Modules =
        files.iter().map(|(file, text)| crate::modules::module(&inside(file), text)).collect();
    assert!(modules.len() > 200, "{} modules", modules.len());
    let found = knots(&modules);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_file_belongs_to_a_room() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(
            ["lib", "tests"].contains(&&*name) || LADDER.contains(&name.as_str()),
            "{name}: give it a place in the ladder"
        );
    }
}

#[test]
fn names_are_found_where_they_are_used() {
    let found = named(
        "use crate::bits::Line;\nuse crate::{error::{Error, Result}, ids::Kind};\nlet x = crate::key::y();",
    );
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["bits", "error", "ids", "key"]);
}
