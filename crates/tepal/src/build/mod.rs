//! Builds a filter of the right size from a stream of unknown length, in one pass.
//!
//! A Bloom filter cannot grow, so its size must be known before the first key is inserted.
//! [`Gather`] takes the keys of the stream. If the caller has fixed the size, they are inserted at
//! once. Otherwise they wait, as hashes in a `spool`, or as bytes in a `key_spool` under a scheme
//! without hashes, until the different ones are counted (`distinct`). Then the filter is made for
//! that number and filled. A static filter is built from the sorted hashes (`ascending`). If the
//! keys are on several machines, a [`KeyCounter`] on each counts them first.

#[cfg(feature = "static")]
mod ascending;
mod counter;
mod distinct;
mod key_spool;
mod spool;
mod store;

use std::boxed::Box;
#[cfg(feature = "foreign")]
use std::format;
use std::path::Path;
use std::string::{String, ToString};
use std::sync::Mutex;
use std::vec::Vec;
use std::{io, thread};

use core::num::NonZeroUsize;

use crate::error::{Error, Result};
use crate::format::opened::Opened;
#[cfg(feature = "foreign")]
use crate::ids::Kind;
use crate::ids::{Format, OverCapacity};
use crate::key::{KeyHasher, Keys, PreparedKeys, Stretch};
use crate::kinds::bloom::bulk::lock;
use crate::kinds::bloom::{BloomFilterBuilder, after};
#[cfg(feature = "static")]
use crate::kinds::ribbon::RibbonFilterBuilder;
pub use counter::KeyCounter;
use distinct::{DistinctCounter, MARGIN, different};
use key_spool::KeySpool;
use spool::{PART_BITS, Sorter, Spool};

/// Builds a filter from a stream of keys of unknown length, in one pass. It counts the keys and
/// then makes a filter with room for exactly the different ones.
///
/// ```
/// use tepal::build::Gather;
/// use tepal::{BloomFilter, file::Format};
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
/// Peak memory is the filter, a fixed few dozen MiB, and one or two MiB for each thread. Hashes
/// take 8 bytes a key and wait in memory up to 46 MiB ([`memory`](Gather::memory) allows more).
/// Beyond that they wait in files without a name, which are removed with the process. Repeats do
/// not enlarge the filter.
///
/// The number of different keys is exact up to 65,536 keys, and above that an estimate with a
/// standard error below 0.08 %; the filter has room for two standard errors more. Number, size and
/// bits are the same for every number of threads.
///
/// Several threads can insert keys at once, each by [`insert_many`](Self::insert_many) or through a
/// [`Worker`].
///
/// After a temporary file has failed, keys are lost: every later call returns the same
/// [`Error::Io`].
pub struct Gather {
    builder: BloomFilterBuilder,
    /// The builder of a static filter, if it is not a Bloom filter that is built of the hashes.
    #[cfg(feature = "static")]
    ribbon: Option<RibbonFilterBuilder>,
    hasher: KeyHasher,
    format: Format,
    threads: NonZeroUsize,
    way: Route,
    lost: Mutex<Option<Lost>>,
}

/// The reason why keys are lost.
struct Lost {
    path: Option<std::path::PathBuf>,
    doing: String,
    kind: io::ErrorKind,
    code: Option<i32>,
    text: String,
}

impl Lost {
    fn error(&self) -> Error {
        let source = match self.code {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(self.kind, self.text.clone()),
        };
        Error::Io { path: self.path.clone(), doing: self.doing.clone(), source }
    }
}

/// What happens to keys when they are taken.
enum Route {
    /// They are inserted into a filter of fixed size.
    Fixed(Box<Mutex<Fixed>>),
    /// Their hashes wait.
    Hashes(Spool),
    /// The keys themselves wait, because their scheme has no hash.
    Keys(Mutex<Waiting>),
}

/// A filter of fixed size.
struct Fixed {
    file: Opened,
    counter: Counter,
}

/// Keys that wait and are counted.
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
        self.distinct.add(hashes_to_count(keys, &mut self.hashes));
    }

    fn different(&self) -> u64 {
        different(self.keys, self.distinct.estimate())
    }
}

/// The hashes that tell keys apart: those of their scheme, or hashes of their bytes (in `room`) if
/// it has none.
fn hashes_to_count<'a>(keys: &'a PreparedKeys, room: &'a mut Vec<u64>) -> &'a [u64] {
    keys.hashes().unwrap_or_else(|| {
        room.clear();
        room.extend(keys.each().map(xxhash_rust::xxh3::xxh3_64));
        room
    })
}

/// A filter of all keys that were gathered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Built {
    /// The filter, with its format.
    pub file: Opened,
    /// The number of keys, repeats included.
    pub keys: u64,
    /// The number of different keys.
    pub different: u64,
    /// Whether `different` is exact and not an estimate.
    pub is_exact: bool,
}

impl Built {
    /// Describes a filter that was made otherwise, of this many keys (with repeats) and different
    /// keys, both counted exactly.
    #[must_use]
    pub fn counted(file: Opened, keys: u64, different: u64) -> Self {
        Built { file, keys, different, is_exact: true }
    }
}

impl Gather {
    /// Checks everything that can be checked before the first key, for a filter that will be
    /// written in `format`. It uses one thread, and temporary files in the system's folder for
    /// them.
    ///
    /// The builder's capacity, or its rate and size together, fix the size. Otherwise the size
    /// follows from the number of keys. With an [`expansion`](BloomFilterBuilder::expansion) the
    /// file is a chain that grows, and this is the size of its first link.
    ///
    /// # Errors
    /// As [`BloomFilterBuilder::build`] and [`Opened::new`]; [`Error::CallerHashes`] for a filter
    /// that takes no keys; [`Error::Io`] if no file can be created in the folder.
    pub fn new(builder: BloomFilterBuilder, format: Format) -> Result<Self> {
        Self::with(builder, format, &std::env::temp_dir(), NonZeroUsize::MIN)
    }

    /// [`new`](Self::new) for this many threads, with temporary files in `folder`.
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
        takes_keys(&hasher)?;
        #[cfg(feature = "foreign")]
        builder.check_growth()?;
        // Checks the kind of filter at the smallest size: the real one may be large.
        empty(builder.clone().smallest(), format)?;
        let way = if builder.is_sized() {
            let file = empty(builder.clone(), format)?;
            Route::Fixed(Box::new(Mutex::new(Fixed { file, counter: Counter::new() })))
        } else {
            builder.clone().capacity(1).plan()?;
            match hasher.has_hash() {
                true => Route::Hashes(Spool::new(folder, threads)?),
                false => {
                    let spool = KeySpool::new(folder)?;
                    Route::Keys(Mutex::new(Waiting { spool, counter: Counter::new() }))
                }
            }
        };
        let lost = Mutex::new(None);
        Ok(Gather {
            builder,
            #[cfg(feature = "static")]
            ribbon: None,
            hasher,
            format,
            threads,
            way,
            lost,
        })
    }

    /// Gathers keys for a static filter, the smallest filter of a set that does not change. The
    /// filter equals the one of the builder's own [`build_from`](RibbonFilterBuilder::build_from),
    /// which keeps all hashes in memory, 8 bytes a key.
    ///
    /// Peak memory is twice the filter, a byte a key, 46 MiB for waiting hashes, 8 MiB, and some 8
    /// MiB for each thread. ([`memory`](Gather::memory) allows more waiting hashes; the others wait
    /// in files in `folder`. If keys were chosen so that their hashes lie together, it is 8 bytes a
    /// key.) The different keys are counted exactly: the waiting hashes are sorted twice, part
    /// after part.
    ///
    /// ```
    /// use tepal::RibbonFilter;
    /// use tepal::build::Gather;
    /// let gather = Gather::ribbon(RibbonFilter::builder(), &std::env::temp_dir(), std::num::NonZero::<usize>::MIN)?;
    /// gather.insert_many(&["apple", "banana", "apple"])?;
    /// let built = gather.finish()?;
    /// assert_eq!((built.keys, built.different, built.is_exact), (3, 2, true));
    /// assert!(built.file.contains("banana"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`RibbonFilterBuilder::build_from`], and [`Error::Io`] if no file can be created in the
    /// folder.
    #[cfg(feature = "static")]
    pub fn ribbon(builder: RibbonFilterBuilder, folder: &Path, threads: NonZeroUsize) -> Result<Self> {
        let hasher = builder.key_hasher()?;
        takes_keys(&hasher)?;
        // Refuses an impossible filter before the first key.
        builder.clone().build_from_hashes(Vec::new())?;
        Ok(Gather {
            builder: BloomFilterBuilder::default(),
            ribbon: Some(builder.threads(threads)),
            hasher,
            format: Format::Tepal,
            threads,
            way: Route::Hashes(Spool::new(folder, threads)?),
            lost: Mutex::new(None),
        })
    }

    /// Gathers keys for a filter like `file`: it is emptied, so the new filter has its size, hash,
    /// recipe, capacity, promise, labels and format. Then a `Patch` of a few bytes (feature
    /// `extras`) turns one file into the other.
    ///
    /// ```
    /// use tepal::build::Gather;
    /// use tepal::{BloomFilter, Opened, file::Format};
    /// let old = BloomFilter::builder().capacity(1000).seed(3).build_from(["apple", "banana"])?;
    /// let gather = Gather::like(Opened::new(old, Format::Tepal)?)?;
    /// gather.insert_many(&["banana", "cherry"])?;
    /// let new = gather.finish()?.file;
    /// assert!(new.contains("cherry") && !new.contains("apple"));
    /// assert_eq!((new.filter().capacity(), new.key_hasher().seed()), (1000, Some(3)));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CallerHashes`] for a filter that takes no keys; [`Error::TooLarge`] if there is no
    /// memory for it.
    pub fn like(mut file: Opened) -> Result<Self> {
        let hasher = file.key_hasher();
        takes_keys(&hasher)?;
        file.clear()?;
        Ok(Gather {
            builder: BloomFilterBuilder::default(),
            #[cfg(feature = "static")]
            ribbon: None,
            hasher,
            format: file.format(),
            threads: NonZeroUsize::MIN,
            way: Route::Fixed(Box::new(Mutex::new(Fixed { file, counter: Counter::new() }))),
            lost: Mutex::new(None),
        })
    }

    /// Lets waiting keys use this many bytes of memory, if that is more than the default of a few
    /// dozen MiB. Hashes that do not fit go to temporary files. To be called before the first key.
    ///
    /// ```
    /// use tepal::build::Gather;
    /// use tepal::{BloomFilter, file::Format};
    /// let gather = Gather::new(BloomFilter::builder(), Format::Tepal)?.memory(1 << 30);
    /// gather.insert_many(&["apple", "banana"])?;
    /// assert_eq!(gather.finish()?.different, 2);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        if let Route::Hashes(spool) = &mut self.way {
            spool.enlarge(usize::try_from(bytes / 8).unwrap_or(usize::MAX));
        }
        self
    }

    /// The filter's key hasher, to prepare keys for [`Worker::keep`].
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.hasher.clone()
    }

    /// The format of the file.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Takes many keys, on any thread.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] for a key that the key domain does not have;
    /// [`Error::CapacityReached`] if the size is fixed and the filter refuses more. The keys before
    /// the refused one are inserted. [`Error::Io`] for temporary files.
    pub fn insert_many<K: Keys + ?Sized>(&self, keys: &K) -> Result<()> {
        let mut worker = self.worker();
        let mut prepared = PreparedKeys::default();
        for start in (0..keys.len()).step_by(PIECE) {
            let piece = Stretch::new(keys, start, PIECE.min(keys.len() - start));
            let refused = self.hasher.prepare_many(&piece, &mut prepared);
            worker.keep(&mut prepared).and_then(|()| self.take(&prepared)).map_err(after(start))?;
            prepared.clear();
            refused?;
        }
        Ok(())
    }

    /// Makes a handle through which one thread inserts keys.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        let sorter = match &self.way {
            Route::Hashes(spool) => Some(spool.sorter()),
            Route::Fixed(_) | Route::Keys(_) => None,
        };
        Worker { gather: self, sorter }
    }

    /// Takes the keys that [`Worker::keep`] has left, on one thread, in the order in which they
    /// count. Keys that are left and not taken are not in the filter.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many); [`Error::NoHash`] for keys that another hasher has
    /// prepared.
    pub fn take(&self, keys: &PreparedKeys) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        self.check_sort(keys)?;
        self.watch(|| match &self.way {
            Route::Fixed(fixed) => {
                let Fixed { file, counter } = &mut *lock(fixed);
                counter.add(keys);
                file.insert_prepared(keys)
            }
            Route::Keys(waiting) => {
                let Waiting { spool, counter } = &mut *lock(waiting);
                counter.add(keys);
                spool.push(keys)
            }
            Route::Hashes(spool) => spool.sorter().push(keys.hashes().unwrap_or_default()),
        })
    }

    /// Checks that this filter's hasher has prepared the keys.
    fn check_sort(&self, keys: &PreparedKeys) -> Result<()> {
        match keys.is_empty() || keys.hashes().is_some() == self.hasher.has_hash() {
            true => Ok(()),
            false => Err(Error::NoHash { scheme: self.hasher.scheme() }),
        }
    }

    /// Runs something that may lose keys, unless keys are lost already.
    fn watch<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(lost) = &*lock(&self.lost) {
            return Err(lost.error());
        }
        let done = act();
        if let Err(Error::Io { path, doing, source }) = &done {
            let (kind, code, text) = (source.kind(), source.raw_os_error(), source.to_string());
            lock(&self.lost).get_or_insert(Lost {
                path: path.clone(),
                doing: doing.clone(),
                kind,
                code,
                text,
            });
        }
        done
    }

    /// Builds the filter.
    ///
    /// # Errors
    /// As [`BloomFilterBuilder::build`] for the number of keys; [`Error::Io`] for temporary files,
    /// also if one failed before; [`Error::Parameter`] if a [`Worker`] was forgotten
    /// (`mem::forget`) with its keys.
    pub fn finish(self) -> Result<Built> {
        self.watch(|| Ok(()))?;
        let Gather { builder, format, threads, way, .. } = self;
        match way {
            Route::Fixed(sized) => {
                let Fixed { file, counter } = sized.into_inner().unwrap_or_else(|poison| poison.into_inner());
                let different = counter.different();
                Ok(Built { file, keys: counter.keys, different, is_exact: false })
            }
            Route::Hashes(mut spool) => {
                if !spool.is_whole() {
                    return Err(Error::parameter("a worker", "forgotten with its keys", "dropped"));
                }
                let keys = spool.len();
                #[cfg(feature = "static")]
                if let Some(builder) = self.ribbon {
                    let filter =
                        builder.build_from_pieces(&ascending::AscendingParts::new(&spool, threads))?;
                    let different = filter.len();
                    return Ok(Built::counted(Opened::new(filter, format)?, keys, different));
                }
                let (different, is_exact) = spool.different();
                let filter = builder.build_filled(room_for(different, is_exact, keys), |filter| {
                    filter.insert_bulk_parts(PART_BITS, threads, |part, take| spool.part(part, take))
                })?;
                if threads.get() > 1 {
                    // Freeing the memory and the files takes a twentieth of the time; meanwhile the
                    // caller can save the filter.
                    let _ = thread::Builder::new().spawn(move || drop(spool));
                }
                Ok(Built { file: Opened::new(filter, format)?, keys, different, is_exact })
            }
            Route::Keys(waiting) => {
                let Waiting { spool, counter } =
                    waiting.into_inner().unwrap_or_else(|poison| poison.into_inner());
                let (keys, different) = (counter.keys, counter.different());
                let policy = builder.policy();
                let roomy = builder.capacity(room_for(different, false, keys));
                let mut file = empty(roomy.over_capacity(OverCapacity::Ignore), format)?;
                spool.drain(|keys| file.insert_prepared(keys))?;
                match file.set_over_capacity(policy) {
                    // A chain has its program's policy, or its own.
                    Err(Error::NotPossible { .. }) => {}
                    other => other?,
                }
                Ok(Built { file, keys, different, is_exact: false })
            }
        }
    }
}

/// Refuses a filter that takes only the caller's hashes.
fn takes_keys(hasher: &KeyHasher) -> Result<()> {
    hasher.check("").or_else(|error| match error {
        Error::KeyRefused { .. } => Ok(()),
        other => Err(other),
    })
}

/// The file of an empty filter, or of an empty chain if it is to grow.
fn empty(builder: BloomFilterBuilder, format: Format) -> Result<Opened> {
    #[cfg(feature = "foreign")]
    if let Some(times) = builder.growth() {
        let file = Opened::new(builder.build_chain()?, format)?;
        if file.filter().kind() == Kind::Bloom {
            let expected = format!("left out: a file of the format {format} does not grow");
            return Err(Error::parameter("the expansion", times, expected));
        }
        return Ok(file);
    }
    Opened::new(builder.build()?, format)
}

/// The number of keys that are prepared together.
const PIECE: usize = 1024;

/// The capacity for this many different keys. An estimate may be too low, so the capacity has a
/// margin that keeps the promise.
fn room_for(different: u64, is_exact: bool, keys: u64) -> u64 {
    let room = match is_exact || different == keys {
        true => different,
        false => (libm::ceil(different as f64 * (1.0 + MARGIN)) as u64).min(keys),
    };
    room.max(1)
}

/// One thread's handle for inserting into a [`Gather`]. Dropping it inserts what it still has.
pub struct Worker<'g> {
    gather: &'g Gather,
    sorter: Option<Sorter<'g>>,
}

impl Worker<'_> {
    /// Takes prepared keys on this thread, and removes from `keys` those whose order does not
    /// count. The rest is for [`Gather::take`].
    ///
    /// # Errors
    /// [`Error::Io`] for temporary files; [`Error::NoHash`] for keys that another hasher has
    /// prepared.
    pub fn keep(&mut self, keys: &mut PreparedKeys) -> Result<()> {
        self.gather.check_sort(keys)?;
        if let (Some(sorter), Some(hashes)) = (&mut self.sorter, keys.hashes()) {
            self.gather.watch(|| sorter.push(hashes))?;
            keys.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
