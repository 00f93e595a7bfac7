//! From the keys of records to what the library takes: prepared keys.

use std::path::PathBuf;

use tepal::build::{Gather, Worker};
use tepal::{
    Error,
    hash::{KeyHasher, PreparedKeys},
};

use crate::args::KeyArgs;
use crate::error::Failure;
use crate::input::field::KeyRules;
use crate::input::pages::{Inputs, Keys, Page};
use crate::input::pipeline::{self, Flow, Refused, Sink, Work};
use crate::input::source::Source;
use crate::text::number;

/// Prepares keys for one filter. A record without a key has none among the results.
pub struct Prepare {
    /// Prepares them.
    pub hasher: KeyHasher,
}

impl Work for Prepare {
    type Tools = ();
    type Results = PreparedKeys;

    fn tools(&self) {}

    fn clear(results: &mut PreparedKeys) {
        results.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, prepared: &mut PreparedKeys) -> Result<(), Refused> {
        let records = keys.batch.len();
        prepare(&self.hasher, keys, records, prepared, |keys, record, why| match why {
            Some(text) => keys.bad.push(record, text),
            None => Ok(()),
        })
    }
}

/// Keys, and which records they are of.
#[derive(Default)]
pub struct Placed {
    /// The keys.
    pub keys: PreparedKeys,
    /// The records without a key, ascending.
    keyless: Vec<usize>,
    records: usize,
}

impl Placed {
    /// For each key the number of its record.
    pub fn records(&self) -> impl Iterator<Item = usize> {
        let mut keyless = self.keyless.iter().peekable();
        (0..self.records).filter(move |record| keyless.next_if_eq(&record).is_none())
    }
}

/// Prepares keys as [`Prepare`] does, and notes of which records they are.
pub struct Place {
    /// Prepares them.
    pub hasher: KeyHasher,
}

impl Work for Place {
    type Tools = ();
    type Results = Placed;

    fn tools(&self) {}

    fn clear(placed: &mut Placed) {
        placed.keys.clear();
        placed.keyless.clear();
        placed.records = 0;
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, placed: &mut Placed) -> Result<(), Refused> {
        let (before, records) = (placed.records, keys.batch.len());
        placed.records += records;
        let keyless = &mut placed.keyless;
        prepare(&self.hasher, keys, records, &mut placed.keys, |keys, record, why| {
            keyless.push(before + record);
            why.map_or(Ok(()), |text| keys.bad.push(record, text))
        })
    }
}

/// Prepares the keys of the first `records`, up to one that is refused. `keyless` hears of those
/// without a key, and what is wrong with each; with a blank row nothing is.
#[inline(always)]
pub fn prepare(
    hasher: &KeyHasher,
    keys: &mut Keys<'_>,
    records: usize,
    prepared: &mut PreparedKeys,
    mut keyless: impl FnMut(&mut Keys<'_>, usize, Option<String>) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let from = prepare_whole(hasher, keys, records, prepared);
    (from..records).try_for_each(|record| match prepare_one(hasher, keys, record, prepared)? {
        Ok(()) => Ok(()),
        Err(why) => keyless(keys, record, why),
    })
}

/// Prepares the first records that are keys as they stand, all at once. Says how many.
#[inline(always)]
pub fn prepare_whole(
    hasher: &KeyHasher,
    keys: &Keys<'_>,
    records: usize,
    prepared: &mut PreparedKeys,
) -> usize {
    let before = prepared.len();
    if let Some(whole) = keys.whole(records) {
        // Whoever prepares the refused one by itself hears why.
        let _refused = hasher.prepare_many(&whole, prepared);
    }
    prepared.len() - before
}

/// Prepares the key of one record. Where it has none: what is wrong with it, or nothing of a blank
/// row.
#[inline(always)]
pub fn prepare_one(
    hasher: &KeyHasher,
    keys: &mut Keys<'_>,
    record: usize,
    prepared: &mut PreparedKeys,
) -> Result<Result<(), Option<String>>, Refused> {
    Ok(match keys.key(record) {
        Ok(Some(key)) => match hasher.prepare(key, prepared) {
            Ok(()) => Ok(()),
            // No record has a key that can be hashed here.
            Err(error @ Error::CallerHashes { .. }) => {
                return Err(Refused { record, text: refusal(&error) });
            }
            Err(error) => Err(Some(refusal(&error))),
        },
        Ok(None) => Err(None),
        Err(text) => Err(Some(text)),
    })
}

/// Reads whole lists for a sink that takes their keys. Gives how many records had no key.
pub fn read_lists<W: Work>(
    paths: &[PathBuf],
    rules: &KeyRules,
    (args, quiet): (&KeyArgs, bool),
    work: &W,
    sink: &mut dyn Sink<W::Results>,
) -> Result<u64, Failure> {
    let mut inputs = Inputs::new(Source::list(paths), rules.clone(), args.threads(), quiet)?;
    pipeline::run(&mut inputs, work, sink)?;
    inputs.end(args, quiet);
    Ok(inputs.bad.records())
}

/// Keeps the hashes of all keys, 8 bytes each.
#[derive(Default)]
pub struct Hashes {
    /// Keys that came.
    pub keys: u64,
    /// Their hashes.
    pub hashes: Vec<u64>,
    /// Repeats need not be kept.
    pub once: bool,
    /// What to do where there is no memory for them.
    pub instead: Option<&'static str>,
}

impl Sink<PreparedKeys> for Hashes {
    fn take(&mut self, _: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.add(keys).map(|()| Flow::Continue)
    }
}

impl Hashes {
    /// Keeps those of these keys too.
    pub fn add(&mut self, keys: &PreparedKeys) -> Result<(), Failure> {
        self.keys += keys.len() as u64;
        let more = keys.hashes().unwrap_or_default();
        let (once, instead) = (self.once, self.instead.unwrap_or("give shorter lists, one after the other"));
        make_room(
            &mut self.hashes,
            more.len(),
            |hashes| {
                if once {
                    distinct(hashes);
                }
            },
            |keys| {
                format!(
                    "the keys of a list wait as hashes, 8 bytes each, and there is no memory for more than {keys}; {instead}"
                )
            },
        )?;
        self.hashes.extend_from_slice(more);
        Ok(())
    }
}

/// Keys that there is room for at least.
const LEAST_ROOM: usize = 1 << 16;

/// Makes room for more keys that wait, after `once` has taken repeats out: for as many again, so
/// that it is seldom called. Where there is no memory, `why` is told how many keys wait.
pub fn make_room<T>(
    waiting: &mut Vec<T>,
    more: usize,
    once: impl FnOnce(&mut Vec<T>),
    why: impl FnOnce(&str) -> String,
) -> Result<(), Failure> {
    if waiting.capacity() - waiting.len() >= more {
        return Ok(());
    }
    once(waiting);
    let room = waiting.len().max(more).max(LEAST_ROOM);
    let made = waiting.try_reserve_exact(room);
    made.map_err(|_| Failure::new(why(&number::counted(waiting.len() as u64, "key"))))
}

/// Sorts them, and takes repeats out.
pub fn distinct<T: Ord>(all: &mut Vec<T>) {
    all.sort_unstable();
    all.dedup();
}

/// What prepares keys. A filter of the caller's hashes takes no keys.
pub fn takes_keys(hasher: KeyHasher) -> Result<KeyHasher, Failure> {
    match hasher.check("") {
        Err(error @ Error::CallerHashes { .. }) => Err(error.into()),
        _ => Ok(hasher),
    }
}

/// Prepares keys for a filter whose size may not be known yet, and keeps those that have to wait.
pub struct Keep<'a> {
    prepare: Prepare,
    gather: &'a Gather,
}

impl<'a> Keep<'a> {
    /// Keys for this filter.
    pub fn new(gather: &'a Gather) -> Self {
        Self { prepare: Prepare { hasher: gather.key_hasher() }, gather }
    }
}

/// The keys that are still to be taken in order, and why others could not be kept.
#[derive(Default)]
pub struct Kept {
    /// For [`Gather::take`].
    pub keys: PreparedKeys,
    /// The first failure.
    pub failure: Option<Failure>,
}

impl<'a> Work for Keep<'a> {
    type Tools = Worker<'a>;
    type Results = Kept;

    fn tools(&self) -> Worker<'a> {
        self.gather.worker()
    }

    fn clear(results: &mut Kept) {
        results.keys.clear();
        results.failure = None;
    }

    fn work(&self, worker: &mut Worker<'a>, keys: &mut Keys<'_>, kept: &mut Kept) -> Result<(), Refused> {
        let worked = self.prepare.work(&mut (), keys, &mut kept.keys);
        if kept.failure.is_none() {
            kept.failure = worker.keep(&mut kept.keys).err().map(Failure::from);
        }
        worked
    }
}

/// Why a key is refused, in words for someone at a command line.
#[cold]
pub fn refusal(error: &Error) -> String {
    match error {
        Error::CallerHashes { name, .. } => format!(
            "this filter holds hashes that another program computes ({name:?}), and this one cannot; ask that program"
        ),
        other => other.to_string(),
    }
}
