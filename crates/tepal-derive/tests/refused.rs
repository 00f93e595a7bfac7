//! What is refused, with the text that the compiler prints: it compiles a file of refused items.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The items, and what their errors contain.
const REFUSED: [(&str, &[&str]); 4] = [
    (
        "#[derive(Key)] enum Colour { Red, Mixed(u8) }",
        &["the enum `Colour`", "only for the fields of a struct", "put a word for each variant"],
    ),
    ("#[derive(Key)] union Bits { a: u32, b: f32 }", &["the union `Bits`", "the field that is in use"]),
    (
        "#[derive(Key)] pub struct Iin(pub String);",
        &["`Iin`, which has one field without a name", "give the field a name", "return `self.0.key(sink)`"],
    ),
    ("#[derive(Key)] struct Wrapped<T>(Vec<T>,) where T: Clone;", &["`Wrapped`, which has one field"]),
];

/// The macro's library, which lies beside this test.
fn library() -> PathBuf {
    let folder = env::current_exe().unwrap().parent().unwrap().to_owned();
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let of_macro = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(&format!("{prefix}tepal_derive-")) && name.ends_with(suffix)
    };
    let found = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(of_macro);
    // Of several builds the newest.
    found.max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap()).expect("the macro was built")
}

#[test]
fn errors_tell_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("refused.rs");
    let items: Vec<_> = REFUSED.iter().map(|(item, _)| *item).collect();
    fs::write(&file, format!("use tepal_derive::Key;\n{}\n", items.join("\n"))).unwrap();
    let output = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=short", "--out-dir"])
        .arg(folder.path())
        .arg("--extern")
        .arg(format!("tepal_derive={}", library().display()))
        .arg(&file)
        .output()
        .expect("the compiler that built this test");
    let errors = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<_> = errors.lines().filter(|line| line.contains("error: `tepal::Key`")).collect();
    assert_eq!(lines.len(), REFUSED.len(), "{errors}");
    for (number, ((item, texts), line)) in (2..).zip(REFUSED.iter().zip(lines)) {
        // At the name of the item.
        assert!(line.contains(&format!("refused.rs:{number}:")), "{item}: {line}");
        for text in *texts {
            assert!(line.contains(text), "{item}: {line}");
        }
    }
}
