//! The Bloom filter, in every layout: the struct and its header.
//!
//! Files, by what they hold: [`builder`] builds; [`ask`] looks up one key and [`batch`] many;
//! [`insert`] inserts; [`iter`] does both from iterators, `bulk` on many threads, and `shared`
//! inserts from the caller's threads. [`combine`] has union, intersection and folding, [`measure`]
//! the rates and the fill, [`similar`] the rate for keys that were chosen by the same hash, and
//! [`about`] the properties. [`positions`] has schemes without a hash, [`raw`] the bits alone,
//! [`limit`] and [`tally`] the capacity, [`part`] and [`embedded`] the file, and [`kind`] the
//! traits of every filter.

// In the order of their calls on the documentation page: the most used come first.
mod builder;

mod ask;

mod insert;
mod inserter;
mod limit;

mod batch;

mod iter;

mod measure;
mod similar;

mod combine;

mod about;
#[cfg(feature = "parallel")]
pub(crate) mod bulk;
#[cfg(target_has_atomic = "64")]
mod shared;

mod embedded;
mod kind;
mod part;
mod positions;
mod raw;
mod tally;

use alloc::boxed::Box;

pub(crate) use batch::put_bits;
pub use builder::BloomFilterBuilder;
pub(crate) use builder::shape_of;
#[cfg(feature = "parallel")]
pub(crate) use bulk::answer_in_bulk;
#[cfg(any(
    feature = "foreign",
    feature = "extras",
    feature = "parallel",
    feature = "table",
    feature = "static"
))]
pub(crate) use insert::after;
pub use inserter::Inserter;
#[cfg(any(feature = "foreign", feature = "extras"))]
pub(crate) use part::{BloomBodiless, bodiless};
#[cfg(target_has_atomic = "64")]
pub use shared::Shared;

use super::in_file::BodyChecked;
use super::storage::{self, Owned, PlainStorage, Ref, Storage};
use crate::bits::kernel::Kernel;
use crate::bits::rules::Rules;
use crate::bits::shape::Shape;
use crate::error::Result;
use crate::facts::Labels;
use crate::ids::OverCapacity;
use crate::key::KeyHasher;
use crate::kinds::shown::shown;
use tally::Given;

/// A set that keeps a trace of its keys and not the keys: "have I seen this key?"
///
/// If [`contains`](Self::contains) answers `false`, the key was surely never inserted. `true`
/// means *perhaps*: about the promised share of the non-members get it too. Keys are bytes, text,
/// integers and types made of them ([`Key`](crate::Key)). The filter does not grow, and no key can
/// be removed.
///
/// `L` is the storage of the bits: [`Owned`] for a filter that is built or opened,
/// [`InBytes`](crate::storage::InBytes) for the caller's bytes, [`Shared`] for a filter into which
/// many threads insert at once. The lookup code is the same for all.
/// [`into_owned`](Self::into_owned) makes a filter in memory of each.
///
/// ```
/// use tepal::BloomFilter;
/// let builder = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.01);
/// let mut seen = builder.clone().build()?;
/// assert!(seen.insert("570108428378")?);    // true: surely new
/// assert!(seen.contains("570108428378"));   // true: perhaps (here: surely inserted)
/// assert!(!seen.contains("000000000000"));  // false: surely never inserted
///
/// let mut others = builder.build()?;
/// others.insert_many(&["850514300021", "910227400034"])?;
/// seen.union_with(&others)?;                // same size and hash
/// assert_eq!(seen.contains_many(&["850514300021", "730101300018"]), [true, false]);
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// seen.save(&path)?;
/// assert!(BloomFilter::open(&path)?.contains("910227400034"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A field of the type `BloomFilter` holds a filter that was built or one that was opened. An
/// opened filter stays in its file until the first change, which copies it into memory:
///
/// ```
/// use std::path::Path;
/// use tepal::BloomFilter;
///
/// struct Crawler {
///     seen: BloomFilter,
/// }
///
/// impl Crawler {
///     fn resume(path: &Path) -> tepal::Result<Crawler> {
///         let seen = match path.exists() {
///             true => BloomFilter::open(path)?,
///             false => BloomFilter::builder().capacity(1_000_000).build()?,
///         };
///         Ok(Crawler { seen })
///     }
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// let mut crawler = Crawler::resume(&path)?;
/// crawler.seen.insert("https://a.org/")?;
/// crawler.seen.save(&path)?;
///
/// let mut crawler = Crawler::resume(&path)?;
/// crawler.seen.insert("https://b.org/")?;              // in memory from now on
/// assert!(crawler.seen.contains("https://a.org/"));
/// assert!(!BloomFilter::open(&path)?.contains("https://b.org/"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[repr(C)]
pub struct BloomFilter<L = Owned> {
    // In a program with thousands of filters each one is out of cache. The fields that every lookup
    // and every insert needs are adjacent: from the end of the tally to the first fields of the key
    // hasher.
    tally: tally::Tally,
    pub(crate) lines: L,
    kernel: Kernel,
    pub(crate) meta: BloomMeta,
    /// The checks of the bits, if they are an opened file's.
    body_check: Option<Box<Ref<dyn BodyChecked>>>,
}

/// All properties of a filter but its bits, as in the header of a file.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct BloomMeta {
    pub(crate) keys: KeyHasher,
    pub(crate) over_capacity: OverCapacity,
    /// The number of keys inserted, repeats included, if it is known.
    pub(crate) inserted: Given,
    pub(crate) shape: Shape,
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
    /// Most filters have none.
    pub(crate) labels: Option<Box<Labels>>,
}

impl<L> BloomFilter<L> {
    pub(crate) fn from_parts(meta: BloomMeta, lines: L, set_bits: u64) -> Self {
        let tally = tally::Tally::new(set_bits);
        let rules = Rules::new(meta.shape);
        BloomFilter { kernel: Kernel::best(&rules), meta, lines, tally, body_check: None }
    }

    /// Moves the bits to another storage. They have no checks there.
    pub(crate) fn map_lines<M>(self, lines: impl FnOnce(L) -> M) -> BloomFilter<M> {
        let BloomFilter { meta, kernel, tally, .. } = self;
        BloomFilter { meta, kernel, lines: lines(self.lines), tally, body_check: None }
    }
}

impl BloomFilter {
    /// The same filter with other bits, which have no checks.
    pub(crate) fn with_lines<M>(self, lines: M) -> BloomFilter<M> {
        let body_check = self.body_check.clone();
        BloomFilter { body_check, ..self.map_lines(|_| lines) }
    }
}

impl<L: Storage> BloomFilter<L> {
    /// Checks the bits before they are copied into another filter or file, whose new checksums
    /// would hide damage. Costs a pass over the bits if the filter was opened quick and not
    /// verified since; otherwise nothing.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        match (&self.body_check, self.lines.view().0) {
            (Some(check), crate::bits::Bits::Plain(lines)) if !check.has_passed() => check.run(lines),
            _ => Ok(()),
        }
    }

    /// Moves the filter into memory, where it can be changed through `&mut`: a copy, or the same
    /// memory if it is there already. A mapped filter no longer needs its file then.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tepal::BloomFilter;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("seen.tepal");
    /// BloomFilter::builder().capacity(1000).build_from(["apple"])?.save(&path)?;
    /// let seen = BloomFilter::open(&path)?.into_owned()?;   // in memory, no longer mapped
    /// std::fs::write(&path, "")?;                           // would stop a program that has it mapped
    /// assert!(seen.contains("apple"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for it;
    /// [`Error::Damaged`](crate::Error::Damaged) for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are damaged.
    pub fn into_owned(self) -> Result<BloomFilter> {
        self.check_before_copying()?;
        let (set_bits, inserted) = (self.set_bits(), self.keys_inserted());
        let lines = self.lines.into_lines()?;
        Ok(BloomFilter::from_parts(
            BloomMeta { inserted: inserted.into(), ..self.meta },
            Owned::new(lines),
            set_bits,
        ))
    }
}

/// Two filters are equal if they give every key the same answer for the same reason: same shape,
/// hash, domain, recipe and bits. Capacity, labels and counts do not matter.
impl<L: PlainStorage, M: PlainStorage> PartialEq<BloomFilter<M>> for BloomFilter<L> {
    fn eq(&self, other: &BloomFilter<M>) -> bool {
        self.check_compatible(other).is_ok() && self.lines.as_lines() == other.lines.as_lines()
    }
}

impl<L: PlainStorage> Eq for BloomFilter<L> {}

shown!(BloomFilter<L: Storage>: layout, num_hashes, bit_len, capacity, promised_false_positive_rate, keys_inserted, scheme, seed, key_domain, over_capacity);

#[cfg(test)]
mod tests;
