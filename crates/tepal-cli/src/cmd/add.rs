//! `tepal add`: more keys into a filter, as a whole or not at all.

use serde::Serialize;
use tepal::{BloomFilter, Error, OverCapacity};

use crate::args::AddArgs;
use crate::describe::Description;
use crate::error::{Failure, Outcome, complain, say, shown};
use crate::input::Source;
use crate::key::{KeyHasher, hash_page, read_secret};
use crate::number;
use crate::open::open;
use crate::output::{Stdout, Target};
use crate::pages::{PAGE, Pages};
use crate::progress::Progress;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &AddArgs) -> Outcome {
    let name = shown(&args.filter);
    let secret = args.secret.as_deref().map(read_secret).transpose()?;
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json && to_stdout {
        return Err(Failure::new("--json and -o - both write to standard output; name a file with -o"));
    }
    let opened = open(&args.filter, secret.as_ref())?;
    let target = match &args.output {
        Some(path) => Target::new(path, args.force)?,
        None => Target::new(&args.filter, true)?,
    };
    let sources = Source::list(&args.inputs);
    let progress = Progress::of(&sources, args.quiet);
    let mut pages = Pages::new(sources, args.keys.rules(), progress.clone())?;
    let mut filter = opened.into_owned().map_err(|error| Failure::at(&name, error))?;
    let keys = add_all(&name, &mut filter, &mut pages, args.force)?;
    progress.clear();
    target.save(&filter)?;
    if !args.quiet {
        report(&target.name(), keys, &filter);
    }
    if args.json {
        Stdout::new().document(&Report { keys, filter: Description::of(&target.name(), &filter) })?;
    }
    Ok(0)
}

/// Inserts the keys of all pages, past capacity only with `force`. Gives how many there were.
fn add_all(name: &str, filter: &mut BloomFilter, pages: &mut Pages, force: bool) -> Result<u64, Failure> {
    let policy = filter.over_capacity();
    if force {
        filter.set_over_capacity(OverCapacity::Ignore);
    }
    let mut keys = 0;
    let mut hashes = Vec::with_capacity(PAGE);
    while let Some(mut page) = pages.next_page()? {
        hash_page(&mut page, &KeyHasher::new(filter), &mut hashes)?;
        match filter.insert_many_hashes(&hashes) {
            Ok(()) => keys += hashes.len() as u64,
            Err(Error::CapacityReached { capacity, inserted }) => {
                return Err(full(name, capacity, keys + inserted as u64));
            }
            Err(error) => return Err(Failure::at(name, error)),
        }
    }
    filter.set_over_capacity(policy);
    Ok(keys)
}

fn full(name: &str, capacity: u64, fitted: u64) -> Failure {
    Failure::at(
        name,
        format!(
            "full: planned for {}, and only the first {} given fit; nothing was added. Build it again with more room \
             (-n), or add --force to go past its promised rate",
            number::counted(capacity, "key"),
            number::count(fitted)
        ),
    )
}

fn report(name: &str, keys: u64, filter: &BloomFilter) {
    say(&format!(
        "{} added; {} false positives now, {} promised",
        number::counted(keys, "key"),
        number::rate(filter.false_positive_rate()),
        number::rate(filter.promised_false_positive_rate())
    ));
    if filter.is_over_capacity() {
        complain(&format!("{name}: now past its promise; build it again with more room (-n)"));
    }
}
