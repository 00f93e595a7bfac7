//! The command `tepal-reference`: writes the test vectors, or compares them with the kept files.
//!
//! Every 64-bit number is a string, because numbers of JSON lose bits: hashes, seeds, keys and
//! checksums in hexadecimal, counts and positions in decimal. Small numbers (k, tag, length of a
//! text) are numbers.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

mod chains;
mod changed;
mod changes;
mod exceptions;
mod expiring;
mod files;
mod growing;
mod hashes;
mod json;
mod kinds;
mod map;
mod names;
mod patches;
mod plan;
mod plans;
mod positions;
mod quotient;
mod quotient_refused;
mod refused;
mod ribbon;
mod ribbon_refused;
mod schemes;
mod segment;
mod sizes;
mod tables;
#[cfg(test)]
mod tests;

const USAGE: &str = "usage: tepal-reference write FOLDER    write the test vectors\n       \
                            tepal-reference check FOLDER    compare them with the files in FOLDER";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["write", folder] => write(Path::new(folder)),
        ["check", folder] => check(Path::new(folder)),
        _ => Err(USAGE.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The names and the texts of all files, computed by this run.
fn all() -> Result<Vec<(&'static str, String)>, String> {
    Ok(vec![
        ("hashes.json", hashes::json().print(2)),
        ("positions.json", positions::json()?.print(2)),
        ("schemes.json", schemes::json()?.print(2)),
        ("sizes.json", sizes::json()?.print(2)),
        ("files.json", files::json()?.print(4)),
        ("exceptions.json", exceptions::json()?.print(3)),
        ("patches.json", patches::json()?.print(3)),
        ("refused.json", refused::json()?.print(2)),
        ("chains.json", chains::json()?.print(4)),
        ("quotient.json", quotient::json()?.print(2)),
        ("growing.json", growing::json()?.print(2)),
        ("expiring.json", expiring::json()?.print(2)),
        ("segment.json", segment::json()?.print(2)),
        ("ribbon.json", ribbon::json()?.print(2)),
        ("map.json", map::json()?.print(2)),
    ])
}

/// Writes all files into a folder; makes the folder if it does not exist.
fn write(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in all()? {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Compares all files of a folder with the texts that this run would write.
fn check(folder: &Path) -> Result<(), String> {
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

/// Where two JSON values first differ. Numbers with a fraction may differ by one part in 10^8: they
/// are computed with `exp` and `powf`, whose last bits differ between machines.
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
