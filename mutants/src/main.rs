//! Runs the tests of the library or of the command against thousands of small changes of it, in
//! minutes.
//!
//! `cargo mutants` builds all anew for each change: hours. This builds it once, with all changes in
//! it, each behind `if on(number)`, and runs the tests once for each number. What the changes are,
//! cargo-mutants says (`cargo mutants --list --json`); those that cannot stand beside the others,
//! in a `const fn` or with a value of another type, are built one by one after that.

mod compile;
mod list;
mod place;
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use compile::Compiled;
use list::Mutant;
use run::{Outcome, Tests};

type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "usage: tepal-mutants LIST.json PROJECT OUT -- CARGO-TEST-OPTIONS
LIST.json: what cargo mutants --list --json says; PROJECT: a copy of the project, whose sources are changed;
OUT: the folder for caught.txt, timeout.txt, missed.txt, unviable.txt, and apart.txt, those that were built one by one";

/// No build of all changes takes longer.
const BUILD: Duration = Duration::from_secs(30 * 60);

/// A build with one change that takes longer does not end: the compiler runs a `const fn` that does
/// not.
const BUILD_ALONE: Duration = Duration::from_secs(120);

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
    let sources = place::Sources::read(&project, &mutants)?;
    let (not_together, binaries) = build(&sources, &project, mutants.len(), options)?;
    let together: Vec<usize> = (0..mutants.len()).filter(|&n| !not_together.contains(n)).collect();
    let NotTogether { apart, mut unviable } = not_together;
    println!(
        "{} changes in one program, {} that do not compile, {} apart",
        together.len(),
        unviable.len(),
        apart.len()
    );

    let tests = Tests::new(binaries, &out)?;
    let mut outcomes = tests.all(&together);
    // What is known so far is kept, since those apart take a build each.
    write_names(&out.join("apart.txt"), apart.iter().map(|&n| mutants[n].name.as_str()))?;
    write_outcomes(&out, &mutants, &outcomes, &unviable)?;
    for (done, &number) in apart.iter().enumerate() {
        println!("apart, {} of {}: {}", done + 1, apart.len(), mutants[number].name);
        sources.write_alone(&project, &mutants[number])?;
        match alone(&project, options, &tests)? {
            Some(outcome) => {
                outcomes.insert(number, outcome);
            }
            None => {
                unviable.insert(number);
            }
        }
        write_outcomes(&out, &mutants, &outcomes, &unviable)?;
    }
    Ok(())
}

fn write_outcomes(
    out: &Path,
    mutants: &[Mutant],
    outcomes: &BTreeMap<usize, Outcome>,
    unviable: &BTreeSet<usize>,
) -> Result<()> {
    for outcome in Outcome::ALL {
        let names = outcomes.iter().filter(|(_, o)| **o == outcome).map(|(n, _)| mutants[*n].name.as_str());
        write_names(&out.join(outcome.file()), names)?;
    }
    write_names(&out.join("unviable.txt"), unviable.iter().map(|&n| mutants[n].name.as_str()))
}

/// Builds and tries the one change that is in the sources; none if it does not compile.
fn alone(project: &Path, options: &[String], tests: &Tests) -> Result<Option<Outcome>> {
    // The unit tests are built sooner than the others, and notice most.
    for left_out in ["--test=", "--lib"] {
        let options: Vec<String> = options.iter().filter(|o| !o.starts_with(left_out)).cloned().collect();
        match compile::tests(project, &options, BUILD_ALONE)? {
            Compiled::Binaries(binaries) => match tests.alone(&binaries) {
                Outcome::Missed => {}
                noticed => return Ok(Some(noticed)),
            },
            Compiled::Endless => return Ok(Some(Outcome::Timeout)),
            Compiled::Errors(_) => return Ok(None),
        }
    }
    Ok(Some(Outcome::Missed))
}

/// Changes that cannot stand in the program.
#[derive(Default)]
struct NotTogether {
    /// Not beside the others.
    apart: BTreeSet<usize>,
    /// Not at all: the compiler refuses what the change puts there.
    unviable: BTreeSet<usize>,
}

impl NotTogether {
    fn contains(&self, number: usize) -> bool {
        self.apart.contains(&number) || self.unviable.contains(&number)
    }

    fn len(&self) -> usize {
        self.apart.len() + self.unviable.len()
    }
}

/// Places the changes and builds, without those the compiler refuses, until it refuses none.
fn build(
    sources: &place::Sources,
    project: &Path,
    count: usize,
    options: &[String],
) -> Result<(NotTogether, Vec<run::Binary>)> {
    let mut without = NotTogether { apart: sources.unplaced.clone(), ..NotTogether::default() };
    loop {
        let written = sources.write(project, |number| !without.contains(number), count)?;
        match compile::tests(project, options, BUILD)? {
            Compiled::Binaries(binaries) => {
                without.apart.retain(|number| !without.unviable.contains(number));
                return Ok((without, binaries));
            }
            Compiled::Endless => return Err(format!("the build takes longer than {BUILD:?}")),
            Compiled::Errors(errors) => {
                let before = without.len();
                for error in &errors {
                    // One arm is needed, or each of them: that shows when each is left out alone.
                    if let (true, Some(arms)) =
                        (error.is_not_exhaustive, written.arms_at(&error.file, error.offset))
                    {
                        without.apart.extend(arms);
                        continue;
                    }
                    let Some(part) = written.at(&error.file, error.offset) else { continue };
                    let refused = if part.is_changed && !error.is_constant {
                        &mut without.unviable
                    } else {
                        &mut without.apart
                    };
                    refused.extend(&part.changes);
                }
                println!("{} errors, {} changes left out", errors.len(), without.len() - before);
                if without.len() == before {
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
