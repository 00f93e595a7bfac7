//! The JSON files of `testdata/vectors/`: what is in them, writing them, comparing them.
//!
//! Every 64-bit number is a string, because numbers of JSON lose bits: hashes, seeds, keys and checksums in
//! hexadecimal, counts and positions in decimal. Small numbers (k, tag, length of a text) are numbers.

use crate::{files, hashes, positions, refused, schemes, sizes};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A file name and the text of the file.
pub(crate) type NamedText = (&'static str, String);

/// All files, computed anew.
pub(crate) fn all() -> Result<Vec<NamedText>, String> {
    Ok(vec![
        ("hashes.json", hashes::json()?),
        ("positions.json", positions::json()?),
        ("schemes.json", schemes::json()?),
        ("sizes.json", sizes::json()?),
        ("files.json", files::json()?),
        ("refused.json", refused::json()?),
    ])
}

/// Writes all files into a folder, which is made if it is not there.
pub(crate) fn write(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in all()? {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Compares all files of a folder with what would be written now.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    for (name, text) in all()? {
        let path = folder.join(name);
        let kept = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if kept == text {
            continue;
        }
        let kept = serde_json::from_str(&kept).map_err(|error| format!("{}: {error}", path.display()))?;
        let now = serde_json::from_str(&text).map_err(|error| format!("{name} as computed: {error}"))?;
        if let Some(difference) = first_difference("", &kept, &now) {
            return Err(format!("{}: {difference}", path.display()));
        }
    }
    Ok(())
}

/// Where two JSON values first differ. Numbers with a fraction may differ by one part in 10^8: they come
/// from `exp` and `powf`, which are not the same to the last bit on every machine.
fn first_difference(at: &str, kept: &Value, now: &Value) -> Option<String> {
    match (kept, now) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| first_difference(&format!("{at}/{i}"), a, b))
        }
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(name, value)| first_difference(&format!("{at}/{name}"), value, &b[name]))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (x, y) = (a.as_f64()?, b.as_f64()?);
            let close = (x - y).abs() <= 1e-8 * x.abs().max(y.abs());
            if close { None } else { Some(format!("at {at} the file has {x}, computed {y}")) }
        }
        _ if kept == now => None,
        _ => Some(format!("at {at} the file has {}, computed {}", short(kept), short(now))),
    }
}

/// A value as text, cut after 200 characters.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// Bytes as hexadecimal digits in small letters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A hash, seed or checksum: `0x` and 16 digits.
pub(crate) fn hex64(value: u64) -> String {
    format!("{value:#018x}")
}

/// Ten significant digits, which is more than the formulas of section 5 are good for.
pub(crate) fn ten_digits(value: f64) -> Result<f64, String> {
    format!("{value:.9e}").parse().map_err(|_| format!("{value} is not a number"))
}

#[cfg(test)]
mod vectors_tests {
    use super::*;

    /// Where the files are kept, seen from this crate.
    const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/vectors");

    /// The command that brings the files up to date.
    const WRITE_COMMAND: &str = "cargo run -p tepal-reference -- write testdata/vectors";

    #[test]
    fn vectors_are_current() {
        if let Err(difference) = check(Path::new(KEPT)) {
            panic!(
                "the test vectors are not what the reference computes: {difference}\n\
                 If a rule was meant to change, write them anew:\n    {WRITE_COMMAND}"
            );
        }
    }

    #[test]
    fn vectors_stay_small() {
        let total: usize = all().unwrap().iter().map(|(_, text)| text.len()).sum();
        assert!(total < 1_000_000, "{total} bytes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_found_and_named() {
        let kept = json!({"a": [1, 0.5, "x"], "b": null});
        assert_eq!(first_difference("", &kept, &kept), None);
        let mut now = kept.clone();
        now["a"][1] = json!(0.5 + 1e-12);
        assert_eq!(first_difference("", &kept, &now), None);
        now["a"][1] = json!(0.5001);
        assert_eq!(first_difference("", &kept, &now).unwrap(), "at /a/1 the file has 0.5, computed 0.5001");
        now["a"] = json!([1]);
        assert!(first_difference("", &kept, &now).unwrap().starts_with("at /a the file has"));
        now = json!({"a": 1});
        assert!(first_difference("", &kept, &now).unwrap().starts_with("at  the file has"));
    }
}
