//! From keys that come once to a filter of the right size.
//!
//! A Bloom filter cannot grow, so its size must be known before the first key goes in. [`Gather`]
//! takes the keys as they come. Where the caller has fixed the size they go in directly; else they
//! wait, as hashes in a `spool` or as bytes in a `key_spool` under a scheme without hashes, until
//! the different ones are counted (`distinct`). Then the filter is made for that many and filled. A
//! filter that does not change is built of them sorted (`ascending`). Keys that lie on several
//! machines are counted at each by a [`KeyCounter`] first.

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
use crate::key::{KeyHasher, KeySink, Keys, PreparedKeys};
use crate::kinds::bloom::bulk::lock;
use crate::kinds::bloom::{BloomFilterBuilder, after};
#[cfg(feature = "static")]
use crate::kinds::ribbon::RibbonFilterBuilder;
pub use counter::KeyCounter;
use distinct::{DistinctCounter, MARGIN, different};
use key_spool::KeySpool;
use spool::{PART_BITS, Sorter, Spool};

/// Keys on their way into a filter, in any number: read once, counted, and then put into a filter
/// that has room for just the different ones.
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
/// Peak memory is the filter and a fixed few dozen MiB, a megabyte or two more for each thread: 8
/// bytes a key wait in memory up to 46 MiB ([`memory`](Gather::memory) allows more), and beyond
/// that in files without a name that are gone with the process. Repeats do not enlarge the filter.
/// The number of different keys is exact up to 65,536 keys and an estimate above, with a standard
/// error below 0.08 %; the filter has room for two of these more. Number, size and bits are the
/// same for every number of threads.
///
/// Several threads take keys at once: each by [`insert_many`](Self::insert_many), or through a
/// [`Worker`].
///
/// Once a temporary file has failed, keys are lost: every later call is the same [`Error::Io`].
pub struct Gather {
    builder: BloomFilterBuilder,
    /// What is built of the hashes that wait, where it is no Bloom filter.
    #[cfg(feature = "static")]
    ribbon: Option<RibbonFilterBuilder>,
    hasher: KeyHasher,
    format: Format,
    threads: NonZeroUsize,
    way: Way,
    lost: Mutex<Option<Lost>>,
}

/// Why keys are lost.
struct Lost {
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
        Error::Io { doing: self.doing.clone(), source }
    }
}

/// What becomes of the keys meanwhile.
enum Way {
    /// They go into a filter whose size is fixed.
    Fixed(Box<Mutex<Fixed>>),
    /// Their hashes wait.
    Hashes(Spool),
    /// They wait themselves, since their scheme has no hash.
    Keys(Mutex<Waiting>),
}

/// A filter whose size is fixed.
struct Fixed {
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
        self.distinct.add(hashes_to_count(keys, &mut self.hashes));
    }

    fn different(&self) -> u64 {
        different(self.keys, self.distinct.estimate())
    }
}

/// By what keys are told from each other: the hash of their scheme, or one of their bytes where it
/// has none, in `room`.
fn hashes_to_count<'a>(keys: &'a PreparedKeys, room: &'a mut Vec<u64>) -> &'a [u64] {
    keys.hashes().unwrap_or_else(|| {
        room.clear();
        room.extend(keys.each().map(xxhash_rust::xxh3::xxh3_64));
        room
    })
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

impl Built {
    /// A filter that was made otherwise, of so many keys, with repeats, and different ones, which
    /// were counted exactly.
    #[must_use]
    pub fn counted(file: Opened, keys: u64, different: u64) -> Self {
        Built { file, keys, different, is_exact: true }
    }
}

impl Gather {
    /// Checks everything that can be checked before the first key, for a filter that is to be
    /// written in `format`. On one thread, with temporary files in the system's folder for them.
    ///
    /// The builder's capacity, or its rate and size together, fix the size; else it follows from
    /// the keys. With an [`expansion`](BloomFilterBuilder::expansion) the file is a chain that
    /// grows; its first link is that large.
    ///
    /// # Errors
    /// As [`BloomFilterBuilder::build`] and [`Opened::new`]; [`Error::CallerHashes`] for a filter
    /// that takes no keys; [`Error::Io`] where the folder takes no file.
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
        takes_keys(&hasher)?;
        #[cfg(feature = "foreign")]
        builder.check_growth()?;
        // The kind of filter, without its size, which may be large.
        empty(builder.clone().smallest(), format)?;
        let way = if builder.is_sized() {
            let file = empty(builder.clone(), format)?;
            Way::Fixed(Box::new(Mutex::new(Fixed { file, counter: Counter::new() })))
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

    /// Keys for the smallest filter of a set that does not change. It is the one that the builder's
    /// own [`build_from`](RibbonFilterBuilder::build_from) makes of them, which keeps all their
    /// hashes in memory: 8 bytes a key.
    ///
    /// Peak memory here is twice the filter, a byte a key, 46 MiB for hashes that wait
    /// ([`memory`](Gather::memory) allows more; the others wait in files in `folder`), 8 MiB, and
    /// some 8 MiB for each thread. (Where keys were chosen so that their hashes lie together, 8
    /// bytes a key.) The different keys are counted exactly: the hashes that wait are sorted twice,
    /// part after part.
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
    /// As [`RibbonFilterBuilder::build_from`], and [`Error::Io`] where the folder takes no file.
    #[cfg(feature = "static")]
    pub fn ribbon(builder: RibbonFilterBuilder, folder: &Path, threads: NonZeroUsize) -> Result<Self> {
        let hasher = builder.key_hasher()?;
        takes_keys(&hasher)?;
        // What cannot be is refused before the first key.
        builder.clone().build_from_hashes(Vec::new())?;
        Ok(Gather {
            builder: BloomFilterBuilder::default(),
            ribbon: Some(builder.threads(threads)),
            hasher,
            format: Format::Tepal,
            threads,
            way: Way::Hashes(Spool::new(folder, threads)?),
            lost: Mutex::new(None),
        })
    }

    /// Keys for a filter like this one: emptied, so of its size, hash, recipe, capacity, promise,
    /// labels and format. What leads from the one to the other is a `Patch` of a few bytes (feature
    /// `extras`).
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
    /// [`Error::CallerHashes`] for a filter that takes no keys; [`Error::TooLarge`] where there is
    /// no memory for it.
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
            way: Way::Fixed(Box::new(Mutex::new(Fixed { file, counter: Counter::new() }))),
            lost: Mutex::new(None),
        })
    }

    /// Lets the keys wait in so many bytes of memory, where that is more than the usual few dozen
    /// MiB: what does not fit goes to temporary files. To be called before the first key.
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
        if let Way::Hashes(spool) = &mut self.way {
            spool.enlarge(usize::try_from(bytes / 8).unwrap_or(usize::MAX));
        }
        self
    }

    /// What will be done with each key: to prepare keys for [`Worker::keep`].
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.hasher.clone()
    }

    /// The format of the file that is made.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Takes many keys, on any thread.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] for a key that the key domain does not have;
    /// [`Error::CapacityReached`] where the size is fixed and the filter refuses more. The keys
    /// before the refused one are in. [`Error::Io`] for temporary files.
    pub fn insert_many<K: Keys + ?Sized>(&self, keys: &K) -> Result<()> {
        let mut worker = self.worker();
        let mut prepared = PreparedKeys::default();
        let (mut done, mut sink) = (0, KeySink::new());
        for i in 0..keys.len() {
            let refused = self.hasher.prepare(&keys.key(i, sink.cleared()), &mut prepared).err();
            if prepared.len() == PIECE || i + 1 == keys.len() || refused.is_some() {
                worker.keep(&mut prepared).and_then(|()| self.take(&prepared)).map_err(after(done))?;
                done = i + 1;
                prepared.clear();
            }
            if let Some(error) = refused {
                return Err(error);
            }
        }
        Ok(())
    }

    /// One thread's way in.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        let sorter = match &self.way {
            Way::Hashes(spool) => Some(spool.sorter()),
            Way::Fixed(_) | Way::Keys(_) => None,
        };
        Worker { gather: self, sorter }
    }

    /// Takes the keys that a [`Worker`] has left, in the order that is to count: on one thread.
    /// Keys that are left and not taken are not in the filter.
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
            Way::Fixed(fixed) => {
                let Fixed { file, counter } = &mut *lock(fixed);
                counter.add(keys);
                file.insert_prepared(keys)
            }
            Way::Keys(waiting) => {
                let Waiting { spool, counter } = &mut *lock(waiting);
                counter.add(keys);
                spool.push(keys)
            }
            Way::Hashes(spool) => spool.sorter().push(keys.hashes().unwrap_or_default()),
        })
    }

    /// Are the keys prepared as this filter's hasher does it?
    fn check_sort(&self, keys: &PreparedKeys) -> Result<()> {
        match keys.is_empty() || keys.hashes().is_some() == self.hasher.has_hash() {
            true => Ok(()),
            false => Err(Error::NoHash { scheme: self.hasher.scheme() }),
        }
    }

    /// Does something that may lose keys, unless that has happened.
    fn watch<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(lost) = &*lock(&self.lost) {
            return Err(lost.error());
        }
        let done = act();
        if let Err(Error::Io { doing, source }) = &done {
            let (kind, code, text) = (source.kind(), source.raw_os_error(), source.to_string());
            lock(&self.lost).get_or_insert(Lost { doing: doing.clone(), kind, code, text });
        }
        done
    }

    /// Builds the filter.
    ///
    /// # Errors
    /// As [`BloomFilterBuilder::build`] for the number of keys that came, and [`Error::Io`] for
    /// temporary files, also where one failed before; [`Error::Parameter`] where a [`Worker`] was
    /// forgotten (`mem::forget`) with its keys.
    pub fn finish(self) -> Result<Built> {
        self.watch(|| Ok(()))?;
        let Gather { builder, format, threads, way, .. } = self;
        match way {
            Way::Fixed(sized) => {
                let Fixed { file, counter } = sized.into_inner().unwrap_or_else(|poison| poison.into_inner());
                let different = counter.different();
                Ok(Built { file, keys: counter.keys, different, is_exact: false })
            }
            Way::Hashes(mut spool) => {
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
                    // To give the memory and the files back takes a twentieth of the time;
                    // meanwhile the filter is saved.
                    let _ = thread::Builder::new().spawn(move || drop(spool));
                }
                Ok(Built { file: Opened::new(filter, format)?, keys, different, is_exact })
            }
            Way::Keys(waiting) => {
                let Waiting { spool, counter } =
                    waiting.into_inner().unwrap_or_else(|poison| poison.into_inner());
                let (keys, different) = (counter.keys, counter.different());
                let policy = builder.policy();
                let roomy = builder.capacity(room_for(different, false, keys));
                let mut file = empty(roomy.over_capacity(OverCapacity::Ignore), format)?;
                spool.drain(|keys| file.insert_prepared(keys))?;
                match file.set_over_capacity(policy) {
                    // A chain has its program's rule, or its own.
                    Err(Error::NotPossible { .. }) => {}
                    other => other?,
                }
                Ok(Built { file, keys, different, is_exact: false })
            }
        }
    }
}

/// Refuses a filter into which only hashes of the caller's go.
fn takes_keys(hasher: &KeyHasher) -> Result<()> {
    hasher.check("").or_else(|error| match error {
        Error::KeyRefused { .. } => Ok(()),
        other => Err(other),
    })
}

/// The file of a filter without keys, or of a chain where it shall grow.
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

/// Keys that are prepared together.
const PIECE: usize = 1024;

/// The room to make for so many different keys: an estimate may be low, and the promise is to be
/// kept all the same.
fn room_for(different: u64, is_exact: bool, keys: u64) -> u64 {
    let room = match is_exact || different == keys {
        true => different,
        false => (libm::ceil(different as f64 * (1.0 + MARGIN)) as u64).min(keys),
    };
    room.max(1)
}

/// One thread's way into a [`Gather`]. What it has is in when it is dropped.
pub struct Worker<'g> {
    gather: &'g Gather,
    sorter: Option<Sorter<'g>>,
}

impl Worker<'_> {
    /// Takes prepared keys on this thread, and forgets those of them whose order does not count.
    /// What is left is for [`Gather::take`].
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
