//! Finds which modules use which, from their text.

use std::collections::{BTreeMap, BTreeSet};

/// The path of a module below the crate: `kinds`, `bloom`, `ask`.
pub(crate) type Name = Vec<String>;

/// All modules that are files.
pub(crate) type Modules = BTreeMap<Name, Module>;

/// The contents of a module's text.
pub(crate) struct Module {
    /// Its imports and re-exports: the path as it is written, and the name that it has here.
    uses: Vec<(Name, String)>,
    /// The rest of its code.
    code: String,
}

/// The module of a file of `src` with this code, formatted by rustfmt.
pub(crate) fn module(file: &str, code: &str) -> (Name, Module) {
    let mut name = segments(&file.replace('/', "::").replace(".rs", ""));
    if name.last().is_some_and(|last| last == "mod" || last == "lib") {
        name.pop();
    }
    let mut module = Module { uses: Vec::new(), code: String::new() };
    let (mut lines, mut is_inline) = (code.lines(), false);
    while let Some(line) = lines.next() {
        is_inline |= line.ends_with('{') && line.contains("mod ") && !line.starts_with(' ');
        is_inline &= line != "}";
        // The parent of an inline module is the file.
        let own = |text: &str| match is_inline {
            true => text.replace("super::super::", "^").replace("super::", "self::").replace('^', "super::"),
            false => text.to_owned(),
        };
        let is_use = |before: &str| {
            line.ends_with([';', '{'])
                && (before.is_empty() || before.starts_with("pub") && !before.contains(['"', '=']))
        };
        match line.trim().split_once("use ").filter(|(before, _)| is_use(before)) {
            Some((_, tree)) => {
                let mut tree = tree.to_owned();
                while !tree.ends_with(';') {
                    tree.push_str(lines.next().expect("the end of a `use`").trim());
                }
                for leaf in leaves(&own(tree.trim_end_matches(';'))) {
                    let (path, name) = leaf.split_once(" as ").unwrap_or((&leaf, ""));
                    let mut path = segments(path);
                    if path.last().is_some_and(|last| last == "self") {
                        path.pop();
                    }
                    let name = if name.is_empty() { path[path.len() - 1].clone() } else { name.to_owned() };
                    module.uses.push((path, name));
                }
            }
            None => {
                // The visibility of an item is no use of a module.
                let seen = own(line);
                let after_in =
                    |rest: &str| rest.split_once(')').map_or(String::new(), |(_, rest)| rest.to_owned());
                let mut parts = seen.split("pub(in ");
                module.code += parts.next().unwrap_or_default();
                parts.for_each(|part| module.code += &after_in(part));
                module.code.push('\n');
            }
        }
    }
    (name, module)
}

fn segments(path: &str) -> Name {
    path.split("::").map(|segment| segment.trim().to_owned()).collect()
}

/// The paths of a `use`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let group = &group[..group.rfind('}').expect("a brace that closes")];
    let mut depth = 0;
    let parts = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(&format!("{before}{}", part.trim()))).collect()
}

/// The module in which a path leads after re-exports; `None` for a path that leaves the crate.
fn end(modules: &Modules, from: &Name, path: &[String], depth: u32) -> Option<Name> {
    let ups = path.iter().take_while(|segment| *segment == "super").count();
    let (mut at, rest) = match &*path[0] {
        "crate" => (Name::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => (from[..from.len().checked_sub(ups)?].to_vec(), &path[ups..]),
        child => (modules.contains_key(&inside(from, child)).then(|| from.clone())?, path),
    };
    for (i, segment) in rest.iter().enumerate() {
        let next = inside(&at, segment);
        if modules.contains_key(&next) {
            at = next;
            continue;
        }
        let of_other =
            modules.get(&at).and_then(|module| module.uses.iter().find(|(_, name)| name == segment));
        let of_other = of_other.filter(|_| segment != "*" && depth < 9);
        let on = |(path, _): &(Name, String)| end(modules, &at, &[path, &rest[i + 1..]].concat(), depth + 1);
        return Some(of_other.and_then(on).unwrap_or(at));
    }
    Some(at)
}

fn inside(module: &Name, name: &str) -> Name {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// The modules that each one uses.
fn arrows(modules: &Modules) -> BTreeSet<(Name, Name)> {
    let mut arrows = BTreeSet::new();
    for (name, module) in modules {
        let is_in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let words: BTreeSet<&str> = module.code.split(|c: char| !is_in_path(c)).collect();
        let has_name = |name: &str| words.iter().any(|word| word.split(':').any(|part| part == name));
        let imported = module.uses.iter().filter_map(|(path, own)| {
            let used = end(modules, name, path, 0)?;
            // The name of a module below may be for other modules only.
            (!used.starts_with(name) || has_name(own)).then_some(used)
        });
        let is_path =
            |word: &&&str| word.contains("::") && !word.starts_with(':') && !word.contains("::tests::");
        let written = words.iter().filter(is_path);
        let written = written.filter_map(|word| end(modules, name, &segments(word.trim_end_matches(':')), 0));
        arrows.extend(imported.chain(written).filter(|used| used != name).map(|used| (name.clone(), used)));
    }
    arrows
}

/// For each folder, the modules that use each other in circles, with the names that they use.
pub(crate) fn knots(modules: &Modules) -> Vec<String> {
    let mut folders: BTreeMap<Name, BTreeMap<(String, String), String>> = BTreeMap::new();
    for (from, to) in arrows(modules) {
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        // The file of the folder has no name in it.
        let of_folder = |name: &Name| name.get(shared).map_or("mod", String::as_str).to_owned();
        let folder = folders.entry(from[..shared].to_vec()).or_default();
        folder
            .entry((of_folder(&from), of_folder(&to)))
            .or_insert_with(|| format!("{} uses {}", from.join("/"), to.join("/")));
    }
    let mut found = Vec::new();
    for (folder, mut arrows) in folders.into_iter().filter(|(folder, _)| !folder.is_empty()) {
        // A module that uses no other, or is used by no other, is in no circle.
        loop {
            let users: BTreeSet<_> = arrows.keys().map(|(from, _)| from.clone()).collect();
            let used: BTreeSet<_> = arrows.keys().map(|(_, to)| to.clone()).collect();
            let before = arrows.len();
            arrows.retain(|(from, to), _| used.contains(from) && users.contains(to));
            if arrows.len() == before {
                break;
            }
        }
        if !arrows.is_empty() {
            let all: Vec<_> = arrows.into_values().collect();
            found.push(format!("{}: modules use each other: {}", folder.join("/"), all.join("; ")));
        }
    }
    found
}

#[test]
fn a_knot_is_found() {
    let found =
        |files: &[(&str, &str)]| knots(&files.iter().map(|(file, code)| module(file, code)).collect());
    let faces =
        ("a/mod.rs", "mod b;\nmod c;\npub(crate) use b::{B, Other as Named};\npub(crate) use c::{C};\n");
    let uses_c = ("a/b.rs", "use super::C;\nstruct B(C);");
    assert!(found(&[faces, uses_c, ("a/c.rs", "struct C;")]).is_empty());
    for back in [
        "use super::B;",
        "use crate::a::{\n    Named,\n};",
        "fn c() {\n    super::b::f();\n}",
        "use super::b;",
    ] {
        let found = found(&[faces, uses_c, ("a/c.rs", back)]);
        assert_eq!(found, ["a: modules use each other: a/b uses a/c; a/c uses a/b"], "{back}");
    }
    // The file of the folder, which has an item of its own.
    let has_own = ("a/mod.rs", "mod c;\nuse c::C;\nstruct Own(C);");
    assert!(found(&[has_own, ("a/c.rs", "struct C;")]).is_empty());
    assert_eq!(
        found(&[has_own, ("a/c.rs", "use super::Own;")]),
        ["a: modules use each other: a/c uses a; a uses a/c"]
    );
    // An inline module, and the visibility of an item.
    let inner = "mod d {\n    use super::super::C;\n    use super::f;\n}\npub(in crate::a) fn f() {}";
    assert!(found(&[faces, ("a/b.rs", inner), ("a/c.rs", "struct C;")]).is_empty());
}
