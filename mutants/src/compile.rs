//! Builds the tests, and says where the compiler finds errors.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Result;
use crate::run::Binary;

/// What became of a build.
pub enum Compiled {
    /// The test programs.
    Binaries(Vec<Binary>),
    /// What the compiler refused.
    Errors(Vec<Error>),
}

/// An error of the compiler.
pub struct Error {
    pub file: String,
    pub offset: usize,
    /// A function of a constant calls the switch, which is none.
    pub is_constant: bool,
    pub text: String,
}

/// `cargo test --no-run` with these options.
pub fn tests(project: &Path, options: &[String]) -> Result<Compiled> {
    let out = Command::new("cargo")
        .args(["test", "--no-run", "--message-format=json"])
        .args(options)
        .current_dir(project)
        // What was a warning in the library is none of ours.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo does not start: {e}"))?;
    let (mut binaries, mut errors) = (Vec::new(), Vec::new());
    for line in out.stdout.split(|&b| b == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { continue };
        match message["reason"].as_str() {
            Some("compiler-message") if message["message"]["level"] == "error" => {
                errors.extend(places(&message["message"]));
            }
            Some("compiler-artifact") if message["executable"].is_string() => {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                binaries.push(Binary {
                    name: text(&message["target"]["name"]),
                    path: text(&message["executable"]).into(),
                    folder: Path::new(&text(&message["manifest_path"]))
                        .parent()
                        .map(Into::into)
                        .unwrap_or_default(),
                });
            }
            _ => {}
        }
    }
    match (out.status.success(), errors.is_empty()) {
        (true, _) => Ok(Compiled::Binaries(binaries)),
        (false, false) => Ok(Compiled::Errors(errors)),
        (false, true) => Err("cargo test fails, and the compiler names no place".into()),
    }
}

/// Where an error is, one for each of its main places.
fn places(message: &Value) -> Vec<Error> {
    let spans = message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true);
    let error = |span: &Value| Error {
        file: span["file_name"].as_str().unwrap_or_default().to_owned(),
        offset: span["byte_start"].as_u64().unwrap_or_default() as usize,
        is_constant: message["code"]["code"] == "E0015",
        text: message["rendered"].as_str().unwrap_or_default().to_owned(),
    };
    spans.map(error).collect()
}
