//! The command `tepal-reference`: writes the test vectors, or compares them with the files that are kept.

use std::path::Path;
use std::process::ExitCode;
mod all;
mod files;
mod foreign;
mod hashes;
mod plans;
mod positions;
mod print;
mod refused;
mod refused_foreign;
mod schemes;
mod sizes;

const USAGE: &str = "usage: tepal-reference write FOLDER    write the test vectors\n       \
                            tepal-reference check FOLDER    compare them with the files in FOLDER";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["write", folder] => all::write(Path::new(folder)),
        ["check", folder] => all::check(Path::new(folder)),
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
