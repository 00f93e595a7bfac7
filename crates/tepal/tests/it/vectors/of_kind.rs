//! What the vectors of every kind have in common: the options of a builder, files as both the
//! reference and the library write them, and refused files.

#![allow(dead_code, unused_imports, unused_macros)] // What a build without some kinds does not need.

use serde_json::Value;
use tepal::{Error, Opened, facts::Labels};
use xxhash_rust::xxh3::xxh3_64;

use super::refused::step;
use super::{bytes, cases, number, open_file, small, text};

/// A builder of any kind with the labels and the options of keys that a case has.
macro_rules! with_keys {
    ($builder:expr, $case:expr) => {{
        let case: &serde_json::Value = $case;
        let builder =
            $builder.recipe($crate::vectors::recipe(case)).labels($crate::vectors::of_kind::labels(case));
        let builder = match case.get("key_domain") {
            Some(domain) => builder.key_domain(domain.as_str().unwrap().parse().unwrap()),
            None => builder,
        };
        match (case.get("seed"), $crate::vectors::secret(case), case.get("caller_hash")) {
            (Some(seed), None, None) => builder.seed($crate::vectors::number(seed)),
            (None, Some(key), None) => builder.secret_key(key),
            (None, None, Some(name)) => builder.caller_hash(name.as_str().unwrap()),
            _ => builder.scheme($crate::vectors::text(case, "scheme").parse().unwrap()),
        }
    }};
}
pub(crate) use with_keys;

/// The labels of a case.
pub(crate) fn labels(case: &Value) -> Labels {
    let mut labels = Labels::new();
    for record in case.get("records").and_then(Value::as_array).into_iter().flatten() {
        let value = Some(text(record, "value").to_owned());
        match small(record, "tag") {
            1 => labels.name = value,
            2 => labels.source = value,
            3 => labels.date = value,
            4 => labels.field = value,
            7 => labels.rows = value,
            tag => panic!("tag {tag}: {case}"),
        }
    }
    labels
}

/// Whether this build can read the file of a case: sealed files and fingerprints of a table need
/// their features.
pub(crate) fn can_be(case: &Value) -> bool {
    (cfg!(feature = "seal") || case.get("seal_key").is_none())
        && (cfg!(feature = "table") || case.get("numbers").is_none())
}

/// A filter's file, sealed if the case has a key for that.
pub(crate) fn write(case: &Value, file: &Opened) -> Vec<u8> {
    #[cfg(feature = "seal")]
    if let Some(key) = case.get("seal_key") {
        let key = tepal::SealKey::new(&bytes(key.as_str().unwrap())).unwrap();
        return file.to_bytes_sealed(&key).unwrap();
    }
    assert!(case.get("seal_key").is_none(), "{case}");
    file.to_bytes().unwrap()
}

/// The file of a filter that the library made from the keys of a case, which is the reference's.
/// The vectors have all of a small file, and the header and the hash of a large one.
pub(crate) fn written(case: &Value, made: &Opened) -> Vec<u8> {
    let (name, written) = (text(case, "name"), write(case, made));
    let expected = |field| case.get(field).map(|hex: &Value| bytes(hex.as_str().unwrap()));
    if let Some(header) = expected("header") {
        assert_eq!(header, written[..header.len()], "{name}: another header");
    }
    if let Some(whole) = expected("file") {
        assert!(whole == written, "{name}: another file");
    }
    assert_eq!(written.len() as u64, number(&case["file_len"]), "{name}");
    assert_eq!(xxh3_64(&written), number(&case["file_xxh3"]), "{name}");
    written
}

/// Checks that every refused file is refused at its step. `file` returns the file of a case that
/// the change of a refused one begins with.
///
/// # Panics
/// If one is not, if fewer than `least` were, or if none was at one of `some_at`.
pub(crate) fn are_refused(
    vectors: &Value,
    files: &str,
    (least, some_at): (usize, &[usize]),
    file: impl Fn(&Value) -> Vec<u8>,
) {
    let mut steps = [0; 9];
    for case in cases(vectors, "refused").iter().filter(|case| can_be(case)) {
        let (what, expected) = (text(case, "what"), small(case, "step"));
        let of = case.get("file").map_or("plain", |name| name.as_str().unwrap());
        let of = vectors[files].as_array().unwrap().iter().find(|file| text(file, "name") == of).unwrap();
        if !can_be(of) {
            continue;
        }
        let changed = changed(file(of), case, of.get("seal_key").is_some());
        let error: Error = open_file(case, &changed).map(drop).expect_err(what);
        let text = error.to_string();
        assert!(!text.contains('\n') && !text.is_empty(), "{what}: {text}");
        assert_eq!(step(&error), expected, "{what}: {text}");
        steps[expected as usize] += 1;
    }
    assert!(steps.iter().sum::<usize>() >= least, "{steps:?}");
    assert!(some_at.iter().all(|&step| steps[step] > 0), "{steps:?}");
}

/// A file with the changes of a case and corrected checksums: that of its one chunk if the body was
/// changed, and the header's.
fn changed(mut file: Vec<u8>, case: &Value, is_sealed: bool) -> Vec<u8> {
    let offset = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    // Behind the records are segments, the part of a second ribbon, or the names of a map.
    let section = match file[10] {
        6 => length(104),
        7 | 8 => length(52),
        _ => 0,
    };
    let table = 128 + length(120) + section;
    let body_end = file.len() - if is_sealed { 32 } else { 0 };
    let mut in_body = false;
    for change in case["changes"].as_array().unwrap() {
        let (at, new) = (number(&change["offset"]) as usize, bytes(text(change, "bytes")));
        file[at..at + new.len()].copy_from_slice(&new);
        // In a file with added keys, only these are changed behind the header.
        in_body |= at >= offset && file[24] & 8 == 0;
    }
    if in_body {
        let sum = xxh3_64(&file[offset..body_end]).to_le_bytes();
        file[table..table + 8].copy_from_slice(&sum);
    }
    let sum = xxh3_64(&file[..offset - 8]).to_le_bytes();
    file[offset - 8..offset].copy_from_slice(&sum);
    file
}

/// Checks that embedded forms of which only the trailer is wrong are refused for what it says: its
/// checksum is right. `form` returns the bits of a case, and `read` reads an embedded form of that
/// case.
pub(crate) fn embedded_are_refused(
    vectors: &Value,
    least: usize,
    form: impl Fn(&Value) -> Vec<u8>,
    read: impl Fn(&Value, &[u8]) -> tepal::Result<()>,
) {
    let refused = vectors["embedded_refused"].as_array().unwrap();
    assert!(refused.len() >= least);
    for case in refused {
        let what = text(case, "what");
        let of = cases(vectors, "files").iter().find(|file| text(file, "name") == text(case, "of")).unwrap();
        let embedded = [form(of), bytes(text(case, "trailer"))].concat();
        let error = read(of, &embedded).expect_err(what);
        assert!(matches!(error, Error::Damaged { .. } | Error::Parameter { .. }), "{what}: {error}");
    }
}
