//! Runs the library's tests against thousands of small changes of it, in minutes.
//!
//! `cargo mutants` builds the library anew for each change: hours. This builds it once, with all changes in it, each
//! behind `if on(number)`, and runs the tests once for each number. What the changes are, cargo-mutants says
//! (`cargo mutants --list --json`); those that cannot stand beside the others, in a `const fn` or with a value
//! of another type, are listed for cargo-mutants itself. `.ci/mutants` does both.

mod compile;
mod list;
mod place;
mod run;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use compile::Compiled;
use list::Mutant;
use run::{Outcome, Tests};

type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "usage: tepal-mutants LIST.json PROJECT OUT -- CARGO-TEST-OPTIONS
LIST.json: what cargo mutants --list --json says; PROJECT: a copy of the project, whose sources are changed;
OUT: the folder for caught.txt, timeout.txt, missed.txt and apart.txt";

fn main() -> std::process::ExitCode {
    match all() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("tepal-mutants: {why}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn all() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [list, project, out, dashes, options @ ..] = &args[..] else { return Err(USAGE.into()) };
    if dashes != "--" {
        return Err(USAGE.into());
    }
    let (project, out) = (PathBuf::from(project), PathBuf::from(out));
    let mutants = list::read(Path::new(list))?;
    let (apart, binaries) = build(&mutants, &project, options)?;
    let together: Vec<usize> = (0..mutants.len()).filter(|n| !apart.contains(n)).collect();
    println!("{} changes in one program, {} apart", together.len(), apart.len());

    let tests = Tests::new(binaries, &out)?;
    let outcomes = tests.all(&together);
    for outcome in Outcome::ALL {
        let names = outcomes.iter().filter(|(_, o)| **o == outcome).map(|(n, _)| mutants[*n].name.as_str());
        write_names(&out.join(outcome.file()), names)?;
    }
    write_names(&out.join("apart.txt"), apart.iter().map(|&n| mutants[n].name.as_str()))
}

/// Places the changes and builds, without those the compiler refuses, until it refuses none.
fn build(
    mutants: &[Mutant],
    project: &Path,
    options: &[String],
) -> Result<(BTreeSet<usize>, Vec<run::Binary>)> {
    let sources = place::Sources::read(project, mutants)?;
    let mut apart = sources.unplaced.clone();
    loop {
        let written = sources.write(project, mutants, &apart)?;
        match compile::tests(project, options)? {
            Compiled::Binaries(binaries) => return Ok((apart, binaries)),
            Compiled::Errors(errors) => {
                let before = apart.len();
                for error in &errors {
                    apart.extend(written.at(&error.file, error.offset));
                }
                println!("{} errors, {} changes set apart", errors.len(), apart.len() - before);
                if apart.len() == before {
                    let text: Vec<&str> = errors.iter().map(|e| e.text.as_str()).collect();
                    return Err(format!("errors that come from no change:\n{}", text.join("\n")));
                }
            }
        }
    }
}

fn write_names<'a>(path: &Path, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let text: String = names.flat_map(|name| [name, "\n"]).collect();
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
