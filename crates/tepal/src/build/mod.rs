//! From keys that come once to a filter of the right size.
//!
//! A Bloom filter cannot grow, so its size must be known before the first key goes in. [`Gather`] takes the keys as they
//! come. Where the caller has fixed the size they go in directly; else they wait, as hashes in a `spool` or as bytes in
//! a `key_spool` under a scheme without hashes, until the different ones are counted (`distinct`). Then the filter is
//! made for that many and filled.

mod distinct;
mod key_spool;
mod spool;
mod store;

use std::boxed::Box;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::vec::Vec;
use std::{format, thread};

use core::num::NonZeroUsize;

use crate::error::{Error, Result};
use crate::format::opened::Opened;
use crate::ids::{Format, Kind, OverCapacity};
use crate::key::{KeyHasher, Keys, PreparedKeys};
use crate::kinds::bloom::BloomFilterBuilder;
use crate::kinds::bloom::bulk::lock;
use distinct::{DistinctCounter, MARGIN, different};
use key_spool::KeySpool;
use spool::{PART_BITS, Sorter, Spool};

/// Keys on their way into a filter, in any number: read once, counted, and then put into a filter that has room for just
/// the different ones.
///
/// ```
/// use tepal::build::Gather;
/// use tepal::{BloomFilter, Format};
/// let builder = BloomFilter::builder().false_positive_rate(0.001);
/// let gather = Gather::new(builder, Format::Tepal)?;
/// for piece in [["apple", "banana"], ["cherry", "apple"]] {
///     gather.insert_many(&piece)?;
/// }
/// let built = gather.finish()?;
/// assert_eq!((built.keys, built.different), (4, 3));
/// assert!(built.file.contains("cherry"));
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// Peak memory is the filter and a fixed few dozen MiB, a megabyte or two more for each thread: 8 bytes a key wait in
/// memory up to 46 MiB, and beyond that in files without a name that are gone with the process. Repeats do not enlarge the
/// filter. The number of different keys is exact up to 65,536 keys and an estimate above, with a standard error below
/// 0.08 %; the filter has room for two of these more. Number, size and bits are the same for every number of threads.
///
/// Several threads take keys at once through a [`Worker`] each.
pub struct Gather {
    builder: BloomFilterBuilder,
    hasher: KeyHasher,
    format: Format,
    folder: PathBuf,
    threads: NonZeroUsize,
    way: Way,
}

/// What becomes of the keys meanwhile.
enum Way {
    /// They go into a filter whose size is fixed.
    Sized(Box<Mutex<Sized>>),
    /// Their hashes wait.
    Hashes(Spool),
    /// They wait themselves, since their scheme has no hash.
    Keys(Mutex<Waiting>),
}

/// A filter whose size is fixed.
struct Sized {
    file: Opened,
    counter: Counter,
}

/// Keys that wait, and are counted.
struct Waiting {
    spool: KeySpool,
    counter: Counter,
}

/// Counts keys, and the different ones among them by a hash.
struct Counter {
    keys: u64,
    distinct: DistinctCounter,
    hashes: Vec<u64>,
}

impl Counter {
    fn new() -> Self {
        Counter { keys: 0, distinct: DistinctCounter::new(), hashes: Vec::new() }
    }

    fn add(&mut self, keys: &PreparedKeys) {
        self.keys += keys.len() as u64;
        match keys.hashes() {
            Some(hashes) => self.distinct.add(hashes),
            None => {
                self.hashes.clear();
                self.hashes.extend(keys.each().map(xxhash_rust::xxh3::xxh3_64));
                self.distinct.add(&self.hashes);
            }
        }
    }

    fn different(&self) -> u64 {
        different(self.keys, self.distinct.estimate())
    }
}

/// A filter with all keys that were gathered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Built {
    /// The filter, with its format.
    pub file: Opened,
    /// Keys that were given, repeats included.
    pub keys: u64,
    /// Different keys among them.
    pub different: u64,
    /// Is `different` exact, and no estimate?
    pub is_exact: bool,
}

impl Gather {
    /// Checks everything that can be checked before the first key, for a filter that is to be written in `format`. On one
    /// thread, with temporary files in the system's folder for them.
    ///
    /// The builder's capacity, or its rate and size together, fix the size; else it follows from the keys.
    ///
    /// # Errors
    /// As [`BloomFilterBuilder::build`] and [`Opened::new`]; [`Error::CallerHashes`] for a filter that takes no keys;
    /// [`Error::Io`] where the folder takes no file.
    pub fn new(builder: BloomFilterBuilder, format: Format) -> Result<Self> {
        Self::with(builder, format, &std::env::temp_dir(), NonZeroUsize::MIN)
    }

    /// [`new`](Self::new) for so many threads, with temporary files in `folder`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        builder: BloomFilterBuilder,
        format: Format,
        folder: &Path,
        threads: NonZeroUsize,
    ) -> Result<Self> {
        let hasher = builder.key_hasher()?;
        hasher.check("").or_else(|error| match error {
            Error::KeyRefused { .. } => Ok(()),
            other => Err(other),
        })?;
        // The kind of filter, without its size, which may be large.
        Opened::new(builder.clone().smallest().build()?, format)?;
        let way = if builder.is_sized() {
            let file = Opened::new(builder.clone().build()?, format)?;
            Way::Sized(Box::new(Mutex::new(Sized { file, counter: Counter::new() })))
        } else {
            builder.clone().capacity(1).plan()?;
            match hasher.has_hash() {
                true => Way::Hashes(Spool::new(folder, threads)?),
                false => {
                    let spool = KeySpool::new(folder)?;
                    Way::Keys(Mutex::new(Waiting { spool, counter: Counter::new() }))
                }
            }
        };
        Ok(Gather { builder, hasher, format, folder: folder.into(), threads, way })
    }

    /// What will be done with each key: to prepare keys for [`Worker::keep`].
    pub fn key_hasher(&self) -> KeyHasher {
        self.hasher.clone()
    }

    /// Takes many keys.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] for a key that the key domain does not have; [`Error::CapacityReached`] where the size is
    /// fixed and the filter refuses more; [`Error::Io`] for temporary files. Some of the keys are in then.
    pub fn insert_many<K: Keys + ?core::marker::Sized>(&self, keys: &K) -> Result<()> {
        let mut worker = self.worker();
        let mut prepared = PreparedKeys::default();
        for i in 0..keys.len() {
            self.hasher.prepare(&keys.key(i), &mut prepared)?;
            if prepared.len() == PIECE || i + 1 == keys.len() {
                worker.keep(&mut prepared)?;
                self.take(&prepared)?;
                prepared.clear();
            }
        }
        Ok(())
    }

    /// One thread's way in.
    ///
    /// # Panics
    /// If there are more workers at a time than threads, and one.
    pub fn worker(&self) -> Worker<'_> {
        Worker(match &self.way {
            Way::Hashes(spool) => Some(spool.sorter()),
            Way::Sized(_) | Way::Keys(_) => None,
        })
    }

    /// Takes the keys that a [`Worker`] has left, in the order that is to count: on one thread.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn take(&self, keys: &PreparedKeys) -> Result<()> {
        match &self.way {
            Way::Sized(sized) => {
                let Sized { file, counter } = &mut *lock(sized);
                counter.add(keys);
                file.insert_prepared(keys)
            }
            Way::Keys(waiting) => {
                let Waiting { spool, counter } = &mut *lock(waiting);
                counter.add(keys);
                spool.push(keys)
            }
            Way::Hashes(_) => Ok(()),
        }
    }

    /// Builds the filter.
    ///
    /// # Errors
    /// As [`BloomFilterBuilder::build`] for the number of keys that came, and [`Error::Io`] for temporary files.
    pub fn finish(self) -> Result<Built> {
        let Gather { builder, format, threads, way, .. } = self;
        match way {
            Way::Sized(sized) => {
                let Sized { file, counter } = sized.into_inner().unwrap_or_else(|poison| poison.into_inner());
                let different = counter.different();
                Ok(Built { file, keys: counter.keys, different, is_exact: false })
            }
            Way::Hashes(mut spool) => {
                let keys = spool.len();
                let (different, is_exact) = spool.different();
                let policy = builder.policy();
                let roomy = builder.capacity(room_for(different, is_exact, keys));
                // What was counted has room; nothing is refused on the way.
                let mut filter = roomy.over_capacity(OverCapacity::Ignore).build()?;
                filter.insert_bulk_parts(PART_BITS, threads, |part, take| spool.part(part, take))?;
                if threads.get() > 1 {
                    // To give the memory and the files back takes a twentieth of the time; meanwhile the filter is
                    // saved.
                    let _ = thread::Builder::new().spawn(move || drop(spool));
                }
                filter.set_over_capacity(policy);
                Ok(Built { file: Opened::new(filter, format)?, keys, different, is_exact })
            }
            Way::Keys(waiting) => {
                let Waiting { spool, counter } =
                    waiting.into_inner().unwrap_or_else(|poison| poison.into_inner());
                let (keys, different) = (counter.keys, counter.different());
                let policy = builder.policy();
                let roomy = builder.capacity(room_for(different, false, keys));
                let filter = roomy.over_capacity(OverCapacity::Ignore).build()?;
                let mut file = Opened::new(filter, format)?;
                spool.drain(|keys| file.insert_prepared(keys))?;
                if file.filter().kind() == Kind::Bloom {
                    file.set_over_capacity(policy)?;
                }
                Ok(Built { file, keys, different, is_exact: false })
            }
        }
    }

    /// The folder of temporary files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Keys that are prepared together.
const PIECE: usize = 1024;

/// The room to make for so many different keys: an estimate may be low, and the promise is to be kept all the same.
fn room_for(different: u64, is_exact: bool, keys: u64) -> u64 {
    let room = match is_exact || different == keys {
        true => different,
        false => (libm::ceil(different as f64 * (1.0 + MARGIN)) as u64).min(keys),
    };
    room.max(1)
}

/// One thread's way into a [`Gather`].
pub struct Worker<'g>(Option<Sorter<'g>>);

impl Worker<'_> {
    /// Takes prepared keys on this thread, and forgets those of them whose order does not count. What is left is for
    /// [`Gather::take`].
    ///
    /// # Errors
    /// [`Error::Io`] for temporary files.
    pub fn keep(&mut self, keys: &mut PreparedKeys) -> Result<()> {
        if let (Some(sorter), Some(hashes)) = (&mut self.0, keys.hashes()) {
            sorter.push(hashes)?;
            keys.clear();
        }
        Ok(())
    }
}

/// What the system refused about a temporary file.
fn temporary(folder: &Path, doing: &str, source: std::io::Error) -> Error {
    Error::Io { doing: format!("{}: {doing}", folder.display()), source }
}

#[cfg(test)]
mod tests;
