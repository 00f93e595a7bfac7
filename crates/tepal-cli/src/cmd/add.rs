//! `tepal add`: adds keys to a filter, all of them or none.

use serde::Serialize;
use tepal::{AnyFilter, BloomFilter, Error, FilterFile, Format, OverCapacity};

use crate::args::AddArgs;
use crate::build_keys::check_key;
use crate::describe_foreign::Described;
use crate::error::{Failure, Outcome};
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{Flow, Sink, run as run_all};
use crate::input::progress::Progress;
use crate::input::source::Source;
use crate::key::{HashKeys, hasher_of};
use crate::key_batch::{KeyBatch, TakeKeys};
use crate::open::{open, promised};
use crate::output::{Stdout, Target, complain, say};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys that were read, with repeats.
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
    let rules = args.keys.rules();
    let mut inputs = Inputs::new(sources, rules, progress.clone(), args.keys.threads())?;
    let mut file = opened.into_file().map_err(|error| Failure::at(&name, error))?;
    let keys = match file.filter_mut() {
        AnyFilter::Bloom(filter) if filter.has_hash() => {
            let hasher =
                hasher_of(filter, secrets.secret.clone()).map_err(|error| Failure::at(&name, error))?;
            add_all(&name, filter, &hasher, &mut inputs, args.force)?
        }
        _ => add_each(&name, &mut file, &mut inputs, args.force)?,
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

/// Inserts all keys one by one, into a chain or a filter without a 64-bit hash. Gives how many there were.
fn add_each(name: &str, file: &mut FilterFile, inputs: &mut Inputs, force: bool) -> Result<u64, Failure> {
    let part = &file.filter().parts()[0];
    let (policy, recipe) = (part.over_capacity(), part.recipe());
    if let (true, AnyFilter::Bloom(filter)) = (force, file.filter_mut()) {
        filter.set_over_capacity(OverCapacity::Ignore);
    }
    let mut sink = AddEach { name, file, keys: 0 };
    run_all(inputs, &TakeKeys(recipe), &mut sink)?;
    let keys = sink.keys;
    if let AnyFilter::Bloom(filter) = file.filter_mut() {
        filter.set_over_capacity(policy);
    }
    Ok(keys)
}

struct AddEach<'a> {
    name: &'a str,
    file: &'a mut FilterFile,
    keys: u64,
}

impl Sink<KeyBatch> for AddEach<'_> {
    fn take(&mut self, page: &mut Page<'_>, keys: &KeyBatch) -> Result<Flow, Failure> {
        for (record, key) in keys.iter() {
            check_key(self.file, key).map_err(|text| page.failure(record, text))?;
            match self.file.filter_mut().insert(key) {
                Ok(_) => self.keys += 1,
                Err(Error::CapacityReached { capacity, .. }) => {
                    return Err(match self.file.filter() {
                        AnyFilter::Bloom(_) => full(self.name, capacity, self.keys),
                        _ => full_chain(self.name, self.keys),
                    });
                }
                Err(error) => return Err(Failure::at(self.name, error)),
            }
        }
        Ok(Flow::Continue)
    }
}

/// The failure where a chain is full and may not grow.
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

/// Inserts all keys by their hashes. Only with `force` this goes past the capacity. Gives how many there were.
fn add_all(
    name: &str,
    filter: &mut BloomFilter,
    hasher: &BloomFilter,
    inputs: &mut Inputs,
    force: bool,
) -> Result<u64, Failure> {
    let policy = filter.over_capacity();
    if force {
        filter.set_over_capacity(OverCapacity::Ignore);
    }
    let mut sink = AddAll { name, filter, keys: 0 };
    run_all(inputs, &HashKeys { filter: hasher }, &mut sink)?;
    let keys = sink.keys;
    filter.set_over_capacity(policy);
    Ok(keys)
}

struct AddAll<'a> {
    name: &'a str,
    filter: &'a mut BloomFilter,
    keys: u64,
}

impl Sink<Vec<u64>> for AddAll<'_> {
    fn take(&mut self, _page: &mut Page<'_>, hashes: &Vec<u64>) -> Result<Flow, Failure> {
        match self.filter.insert_many_hashes(hashes) {
            Ok(()) => self.keys += hashes.len() as u64,
            Err(Error::CapacityReached { capacity, inserted }) => {
                return Err(full(self.name, capacity, self.keys + inserted as u64));
            }
            Err(error) => return Err(Failure::at(self.name, error)),
        }
        Ok(Flow::Continue)
    }
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
    // A chain grows before it is past its promise, and a file may have no promise on record.
    let over = matches!(filter, AnyFilter::Bloom(part) if part.is_over_capacity());
    if over && !promise.is_empty() {
        complain(&format!("{name}: now past its promise; build it again with more room (-n)"));
    }
}
