//! Turns the keys of records into the library's prepared keys.

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
use crate::text::words::Words;

/// Prepares keys for one filter. A record without a key adds nothing to the results.
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

/// Keys, and the record of each key.
#[derive(Default)]
pub struct Placed {
    /// The keys.
    pub keys: PreparedKeys,
    /// The records without a key, ascending.
    keyless: Vec<usize>,
    records: usize,
}

impl Placed {
    /// The record number of each key.
    pub fn records(&self) -> impl Iterator<Item = usize> {
        let mut keyless = self.keyless.iter().peekable();
        (0..self.records).filter(move |record| keyless.next_if_eq(&record).is_none())
    }
}

/// Prepares keys as [`Prepare`] does, and notes the record of each key.
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

/// Prepares the keys of the first `records`, up to the first record that is refused. `keyless` is
/// called for each record without a key, with the reason; a blank row has no reason.
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

/// Prepares the first records in one batch, if whole records are keys. Returns their number.
#[inline(always)]
pub fn prepare_whole(
    hasher: &KeyHasher,
    keys: &Keys<'_>,
    records: usize,
    prepared: &mut PreparedKeys,
) -> usize {
    let before = prepared.len();
    if let Some(whole) = keys.whole(records) {
        // `prepare_one` prepares the refused record again, and returns the reason.
        let _refused = hasher.prepare_many(&whole, prepared);
    }
    prepared.len() - before
}

/// Prepares the key of one record. If it has none, returns the reason; a blank row has no reason.
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
                return Err(Refused { record, text: error.words() });
            }
            Err(error) => Err(Some(error.words())),
        },
        Ok(None) => Err(None),
        Err(text) => Err(Some(text)),
    })
}

/// Reads whole lists into a sink that takes their keys. Returns the number of records without a
/// key.
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
    /// The number of keys.
    pub keys: u64,
    /// Their hashes.
    pub hashes: Vec<u64>,
    /// Repeats need not be kept.
    pub once: bool,
    /// The advice in the error if there is no memory for the hashes.
    pub instead: Option<&'static str>,
}

impl Sink<PreparedKeys> for Hashes {
    fn take(&mut self, _: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.add(keys).map(|()| Flow::Continue)
    }
}

impl Hashes {
    /// Adds the hashes of these keys.
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

/// The least room, in keys.
const LEAST_ROOM: usize = 1 << 16;

/// Makes room for `more` keys, after `once` has removed repeats. The room doubles, so that this
/// happens seldom. If there is no memory, `why` makes the error from the number of keys that wait.
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

/// Sorts the items, and removes repeats.
pub fn distinct<T: Ord>(all: &mut Vec<T>) {
    all.sort_unstable();
    all.dedup();
}

/// Returns the hasher if it can prepare keys. A filter with the caller's hashes takes no keys.
pub fn takes_keys(hasher: KeyHasher) -> Result<KeyHasher, Failure> {
    match hasher.check("") {
        Err(error @ Error::CallerHashes { .. }) => Err(error.into()),
        _ => Ok(hasher),
    }
}

/// Prepares keys for a filter whose size may not be known yet, and keeps the keys that must wait.
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

/// The keys that must still be taken in order, and the reason why others could not be kept.
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
