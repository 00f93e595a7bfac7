//! `tepal add`: more keys into a filter, as a whole or not at all.

use serde::Serialize;
use tepal::{AnyFilter, BloomFilter, Error, FilterFile, Format, OverCapacity};

use crate::args::AddArgs;
use crate::describe_foreign::Described;
use crate::error::{Failure, Outcome, complain, say, shown};
use crate::input::Source;
use crate::key::{KeyHasher, hash_page, refusal};
use crate::key_batch::KeyBatch;
use crate::number;
use crate::open::{open, promised};
use crate::output::{Stdout, Target};
use crate::pages::{PAGE, Pages};
use crate::progress::Progress;
use crate::secrets::Secrets;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    filter: Described,
}

/// Runs the verb.
pub fn run(args: &AddArgs) -> Outcome {
    let name = shown(&args.filter);
    let secrets = Secrets::read(&args.keyed)?;
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json && to_stdout {
        return Err(Failure::new("--json and -o - both write to standard output; name a file with -o"));
    }
    let opened = open(&args.filter, args.file, &secrets)?;
    let target = match &args.output {
        Some(path) => Target::new(path, args.force)?,
        None => Target::new(&args.filter, true)?,
    };
    let sources = Source::list(&args.inputs);
    let progress = Progress::of(&sources, args.quiet);
    let mut pages = Pages::new(sources, args.keys.rules(), progress.clone())?;
    let mut file = opened.into_file().map_err(|error| Failure::at(&name, error))?;
    let keys = match file.filter_mut() {
        AnyFilter::Bloom(filter) if filter.has_hash() => add_all(&name, filter, &mut pages, args.force)?,
        _ => add_each(&name, &mut file, &mut pages, args.force)?,
    };
    progress.clear();
    target.save_file(&file, secrets.seal.as_ref())?;
    if !args.quiet {
        report(&target.name(), keys, &file);
    }
    if args.json {
        Stdout::new().document(&Report {
            keys,
            filter: Described::of(&target.name(), &file)?.sealed(secrets.seal.is_some()),
        })?;
    }
    Ok(0)
}

/// The same for filters without a 64-bit hash, and for chains, key by key.
fn add_each(name: &str, file: &mut FilterFile, pages: &mut Pages, force: bool) -> Result<u64, Failure> {
    let part = &file.filter().parts()[0];
    let (policy, recipe) = (part.over_capacity(), part.recipe());
    if let (true, AnyFilter::Bloom(filter)) = (force, file.filter_mut()) {
        filter.set_over_capacity(OverCapacity::Ignore);
    }
    let mut keys = 0;
    let mut batch = KeyBatch::default();
    while let Some(mut page) = pages.next_page()? {
        let part = &file.filter().parts()[0];
        batch.fill(&mut page, recipe, |key| match part.hash_key(key) {
            Ok(_) | Err(Error::NoHash { .. }) => Ok(()),
            Err(error) => Err(refusal(key, &error)),
        })?;
        for key in batch.iter() {
            match file.filter_mut().insert(key) {
                Ok(_) => keys += 1,
                Err(Error::CapacityReached { capacity, .. }) => {
                    return Err(match file.filter() {
                        AnyFilter::Bloom(_) => full(name, capacity, keys),
                        _ => full_chain(name, keys),
                    });
                }
                Err(error) => return Err(Failure::at(name, error)),
            }
        }
    }
    if let AnyFilter::Bloom(filter) = file.filter_mut() {
        filter.set_over_capacity(policy);
    }
    Ok(keys)
}

/// A chain that may not grow takes no key more than its program would let it take.
fn full_chain(name: &str, fitted: u64) -> Failure {
    Failure::at(
        name,
        format!(
            "full, and made not to grow: only the first {} given fit; nothing was added. Build it again with more \
             room (-n)",
            number::count(fitted)
        ),
    )
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

fn report(name: &str, keys: u64, file: &FilterFile) {
    let filter = file.filter();
    let promise = match file.format() {
        Format::Tepal | Format::Dcso | Format::RedisBloom | Format::ValkeyBloom => {
            format!(", {} promised", number::rate(promised(filter)))
        }
        _ => String::new(),
    };
    say(&format!(
        "{} added; {} wrong now{promise}",
        number::counted(keys, "key"),
        number::rate(filter.false_positive_rate()),
    ));
    // A chain grows in time, and a promise that is not on record cannot be passed.
    let over = matches!(filter, AnyFilter::Bloom(part) if part.is_over_capacity());
    if over && !promise.is_empty() {
        complain(&format!("{name}: now past its promise; build it again with more room (-n)"));
    }
}
