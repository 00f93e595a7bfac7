//! Builds the tests, and says where the compiler finds errors.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::Result;
use crate::run::{Binary, wait};

/// What became of a build.
pub enum Compiled {
    /// The test programs.
    Binaries(Vec<Binary>),
    /// What the compiler refused.
    Errors(Vec<Error>),
    /// The compiler did not end.
    Endless,
}

/// An error of the compiler.
pub struct Error {
    pub file: String,
    pub offset: usize,
    /// A function of a constant calls the switch, which is none.
    pub is_constant: bool,
    /// A match lacks a case, since an arm behind a switch counts as none.
    pub is_not_exhaustive: bool,
    pub text: String,
}

/// `cargo test --no-run` with these options, for so long.
pub fn tests(project: &Path, options: &[String], limit: Duration) -> Result<Compiled> {
    let messages = project.join("target/messages.json");
    let file = fs::create_dir_all(project.join("target")).and_then(|()| File::create(&messages));
    let file = file.map_err(|e| format!("{}: {e}", messages.display()))?;
    let cargo = Command::new("cargo")
        .args(["test", "--no-run", "--message-format=json"])
        .args(options)
        .current_dir(project)
        // What was a warning in the library is none of ours.
        .env("RUSTFLAGS", "--cap-lints=allow")
        .stdout(file)
        .process_group(0)
        .spawn()
        .map_err(|e| format!("cargo does not start: {e}"))?;
    let Some(is_built) = wait(cargo, limit) else { return Ok(Compiled::Endless) };
    let messages = fs::read(&messages).map_err(|e| format!("{}: {e}", messages.display()))?;
    let (mut binaries, mut errors) = (Vec::new(), Vec::new());
    for line in messages.split(|&b| b == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { continue };
        match message["reason"].as_str() {
            Some("compiler-message") if message["message"]["level"] == "error" => {
                errors.extend(places(&message["message"]));
            }
            // The command itself is built beside its tests, and is none.
            Some("compiler-artifact")
                if message["executable"].is_string() && message["profile"]["test"] == true =>
            {
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
    Ok(if is_built { Compiled::Binaries(binaries) } else { Compiled::Errors(errors) })
}

/// Where an error is, one for each of its main places.
fn places(message: &Value) -> Vec<Error> {
    let spans = message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true);
    let error = |span: &Value| Error {
        file: span["file_name"].as_str().unwrap_or_default().to_owned(),
        offset: span["byte_start"].as_u64().unwrap_or_default() as usize,
        is_constant: message["code"]["code"] == "E0015",
        is_not_exhaustive: message["code"]["code"] == "E0004",
        text: message["rendered"].as_str().unwrap_or_default().to_owned(),
    };
    spans.map(error).collect()
}
