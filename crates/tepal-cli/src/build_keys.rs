//! From a list to a filter whose scheme has no 64-bit hash, or to another program's file.
//!
//! As in [`build`](crate::build) the list is read once, but the keys themselves wait in a file until their number
//! is known; then they go in one by one. A path for compatibility, not for speed.

use std::path::Path;

use tepal::{BloomFilter, Error, FilterFile, Format, OverCapacity};

use crate::build::{Settings, different, room_for, too_many};
use crate::distinct::DistinctCounter;
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{Flow, Sink, run};
use crate::key::refusal;
use crate::key_batch::{KeyBatch, TakeKeys};
use crate::key_spool::KeySpool;

/// A file with all keys of its list.
pub struct Made {
    /// The filter with its format.
    pub file: FilterFile,
    /// Keys on the list, repeats included.
    pub keys: u64,
    /// Different keys among them.
    pub different: u64,
    /// Whether `different` is exact and no estimate.
    pub exact: bool,
}

/// Counts different keys by a hash of their bytes.
struct Distinct {
    counter: DistinctCounter,
    hasher: BloomFilter,
    hashes: Vec<u64>,
}

impl Distinct {
    fn new() -> Result<Self, Failure> {
        let hasher = BloomFilter::builder().capacity(1).build()?;
        let counter = DistinctCounter::new();
        Ok(Self { counter, hasher, hashes: Vec::new() })
    }

    fn add(&mut self, keys: &KeyBatch) -> Result<(), Failure> {
        self.hashes.clear();
        for (_, key) in keys.iter() {
            self.hashes.push(self.hasher.hash_key(key)?);
        }
        self.counter.add(&self.hashes);
        Ok(())
    }
}

/// Checks the settings, and that the format can hold such a filter; before the list is read.
pub fn check(settings: &Settings, format: Format) -> Result<(), Failure> {
    let mut small = settings.clone();
    if settings.is_sized() {
        settings.builder(settings.shape.capacity)?.plan()?;
    } else if small.shape.size.is_some() {
        settings.builder(Some(1))?.plan()?;
    } else {
        small.shape.capacity = Some(1);
    }
    // A size that is given may be large; what matters here is the kind.
    if small.shape.size.is_none() {
        empty(&small, Some(1), format)?;
    }
    Ok(())
}

/// Reads the list and builds the filter. Temporary data goes to `folder`.
pub fn make(
    settings: &Settings,
    format: Format,
    inputs: &mut Inputs,
    folder: &Path,
) -> Result<Made, Failure> {
    if settings.is_sized() {
        directly(settings, format, inputs)
    } else {
        by_counting(settings, format, inputs, folder)
    }
}

/// The file without keys.
fn empty(settings: &Settings, capacity: Option<u64>, format: Format) -> Result<FilterFile, Failure> {
    FilterFile::new(settings.empty(capacity)?, format).map_err(|error| match error {
        // The library speaks of a filter with keys; here there are none yet, and the flag can go.
        Error::Unconvertible { format, reason } => {
            let found = reason.split(';').next().unwrap_or(&reason);
            let flag = if found.contains("layout") { "--layout" } else { "--scheme" };
            let text = format!("a file of the format {format} cannot hold this filter: {found}");
            Failure::new(format!("{text}; leave out {flag}, it follows from --to"))
        }
        other => other.into(),
    })
}

fn directly(settings: &Settings, format: Format, inputs: &mut Inputs) -> Result<Made, Failure> {
    let file = empty(settings, settings.shape.capacity, format)?;
    let mut sink = Insert { file, distinct: Distinct::new()?, keys: 0 };
    run(inputs, &TakeKeys(settings.recipe), &mut sink)?;
    let Insert { file, distinct, keys } = sink;
    let (different, exact) = different(keys, distinct.counter.estimate());
    Ok(Made { file, keys, different, exact })
}

/// Puts the keys into a filter whose size is known.
struct Insert {
    file: FilterFile,
    distinct: Distinct,
    keys: u64,
}

impl Sink<KeyBatch> for Insert {
    fn take(&mut self, page: &mut Page<'_>, keys: &KeyBatch) -> Result<Flow, Failure> {
        self.keys += keys.len() as u64;
        self.distinct.add(keys)?;
        for (record, key) in keys.iter() {
            check_key(&self.file, key).map_err(|text| page.failure(record, text))?;
            match self.file.filter_mut().insert(key) {
                Ok(_) => {}
                Err(Error::CapacityReached { capacity, .. }) => return Err(too_many(page.name, capacity)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Flow::Continue)
    }
}

fn by_counting(
    settings: &Settings,
    format: Format,
    inputs: &mut Inputs,
    folder: &Path,
) -> Result<Made, Failure> {
    let mut small = settings.clone();
    small.shape.size = None;
    let first = empty(&small, Some(1), format)?;
    let mut sink = Count { first, distinct: Distinct::new()?, spool: KeySpool::new(folder)? };
    run(inputs, &TakeKeys(settings.recipe), &mut sink)?;
    let Count { distinct, spool, .. } = sink;
    let keys = spool.len();
    let (different, exact) = different(keys, distinct.counter.estimate());
    let mut roomy = settings.clone();
    // What was counted has room; nothing is refused on the way.
    roomy.over = OverCapacity::Ignore;
    let room = room_for(different, exact, keys).max(1);
    let mut file = empty(&roomy, Some(room), format)?;
    spool.drain(|batch| {
        for (_, key) in batch.iter() {
            file.filter_mut().insert(key)?;
        }
        Ok(())
    })?;
    if let tepal::AnyFilter::Bloom(filter) = file.filter_mut() {
        filter.set_over_capacity(settings.over);
    }
    Ok(Made { file, keys, different, exact })
}

/// Keeps the keys until it is known how many they are.
struct Count {
    /// Knows which keys the filter can hold.
    first: FilterFile,
    distinct: Distinct,
    spool: KeySpool,
}

impl Sink<KeyBatch> for Count {
    fn take(&mut self, page: &mut Page<'_>, keys: &KeyBatch) -> Result<Flow, Failure> {
        for (record, key) in keys.iter() {
            check_key(&self.first, key).map_err(|text| page.failure(record, text))?;
        }
        self.distinct.add(keys)?;
        self.spool.push(keys)?;
        Ok(Flow::Continue)
    }
}

/// Why a filter cannot hold a key, in words.
pub fn check_key(file: &FilterFile, key: &[u8]) -> Result<(), String> {
    match file.filter().parts()[0].hash_key(key) {
        Ok(_) | Err(Error::NoHash { .. }) => Ok(()),
        Err(error) => Err(refusal(key, &error)),
    }
}
