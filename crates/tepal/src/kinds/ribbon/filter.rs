//! The smallest filter of a set that does not change: a bumped ribbon.
//!
//! The builder is in [`builder`], lookups are in [`ask`], added keys in [`change`], a filter of a
//! table's fingerprints in [`numbers`] and `of_table`, the file and embedded parts in [`part`] and
//! [`embedded`], and the traits of every filter in [`kind`].

mod ask;
mod builder;
mod change;
mod embedded;
mod kind;
mod numbers;
#[cfg(feature = "table")]
mod of_table;
pub(super) mod part;

use alloc::vec::Vec;
use core::num::NonZeroU64;

pub use builder::RibbonFilterBuilder;

use super::lines::{Ribbon, RibbonMeta};
use crate::bits::kernel::RibbonKernel;
use crate::error::Result;
use crate::kinds::calls::about_keys;
use crate::kinds::shown::shown;
use crate::kinds::storage::{Owned, PlainStorage};

/// The smallest filter of a set that is known in advance and does not change.
///
/// From 100,000 keys on it takes 1.003 times the least bits that any filter of its rate can take,
/// if the rate is a power of two. At the other rates up to 1/8 it takes at most 1.02 times (1.021
/// times for one set of keys in 300 at the tightest rates). At 1 % that is 6.74 bits a key; a Bloom
/// filter of lines takes 9.95. A list of a million addresses is 843 kB.
///
/// It is built from all its keys at once, sorted. Keys can be added to it
/// ([`insert`](Self::insert)), in a list beside the ribbon at 8 bytes a key: a few, until another
/// filter is built from all keys. No key can be removed.
///
/// ```
/// use tepal::RibbonFilter;
/// let blocked = RibbonFilter::builder().false_positive_rate(0.01).build_from(["apple", "banana"])?;
/// assert!(blocked.contains("apple") && blocked.contains("banana"));
/// assert_eq!(blocked.len(), 2);
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("blocked.tepal");
/// blocked.save(&path)?;
///
/// let mut blocked = RibbonFilter::open(&path)?;
/// blocked.insert("cherry")?;                      // in a list beside the ribbon
/// assert_eq!(blocked.contains_many(&["cherry", "fig"]), [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `L` is the storage of the ribbon: [`Owned`], in memory or in an opened file, or
/// [`InBytes`](crate::storage::InBytes), inside the caller's bytes ([`view`](RibbonFilter::view)).
/// The lookup code is the same, and keys can be added beside both.
#[derive(Clone)]
pub struct RibbonFilter<L = Owned> {
    ribbon: Ribbon<L>,
    kernel: RibbonKernel,
    meta: RibbonMeta,
    /// The number of a table's possible fingerprints, if the ribbon holds the fingerprints of a
    /// table; otherwise it holds hashes.
    numbers: Option<NonZeroU64>,
    /// The hashes of the added keys, for which the ribbon says no; ascending, without repeats.
    added: Vec<u64>,
}

impl<L> RibbonFilter<L> {
    fn from_parts(meta: RibbonMeta, ribbon: Ribbon<L>) -> Self {
        let kernel = RibbonKernel::best(&ribbon.shape);
        RibbonFilter { ribbon, kernel, meta, numbers: None, added: Vec::new() }
    }
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// The promised false-positive rate.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The false-positive rate: exact, as a mean over all non-members. Costs a pass over a fiftieth
    /// of the filter, or less.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let of_numbers = self.rate_of_numbers();
        of_numbers + (1.0 - of_numbers) * self.ribbon.rate()
    }

    /// The number of different keys: those of the ribbon and those that were added. For a table's
    /// fingerprints ([`numbers`](Self::numbers)) it is the number of different fingerprints.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ribbon.keys + self.added()
    }

    /// Whether it has no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes in memory of the ribbon and of the added keys.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.ribbon.size_in_bytes() + 8 * self.added()
    }

    /// The bits of the ribbon and of the added keys, without rounding up to whole lines of 512
    /// bits.
    #[must_use]
    pub fn bit_len(&self) -> u64 {
        64 * (self.ribbon.num_words() + self.added())
    }

    about_keys!();

    /// Checks the ribbon against what the file says of it. After
    /// [`Open::quick`](crate::Open::quick) these are the checks that opening left out.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal) for
    /// a file that was changed without its seal key.
    pub fn verify(&self) -> Result<()> {
        self.ribbon.verify()
    }

    /// Moves the filter into memory: a copy, or the same memory if the ribbon is in memory already.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for it;
    /// [`Error::Damaged`](crate::Error::Damaged) for a filter that was opened
    /// [quick](crate::Open::quick) and whose ribbon is damaged.
    pub fn into_owned(self) -> Result<RibbonFilter> {
        let RibbonFilter { ribbon, kernel, meta, numbers, added } = self;
        Ok(RibbonFilter { ribbon: ribbon.into_owned()?, kernel, meta, numbers, added })
    }

    /// The same filter with these lines for its ribbon.
    pub(crate) fn with_lines<M>(self, lines: M) -> RibbonFilter<M> {
        let RibbonFilter { ribbon, kernel, meta, numbers, added } = self;
        RibbonFilter { ribbon: ribbon.with_lines(lines), kernel, meta, numbers, added }
    }

    pub(crate) fn check_before_copying(&self) -> Result<()> {
        self.ribbon.check_before_copying()
    }
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// Whether hash, domain, recipe and ribbon are equal.
    fn is_of_the_same_ribbon<M: PlainStorage>(&self, other: &RibbonFilter<M>) -> bool {
        self.meta.keys == other.meta.keys && self.numbers == other.numbers && self.ribbon == other.ribbon
    }
}

/// Two filters are equal if they give every key the same answer for the same reason: same hash,
/// domain, recipe, ribbon and added keys. Labels and promise do not matter.
impl<L: PlainStorage, M: PlainStorage> PartialEq<RibbonFilter<M>> for RibbonFilter<L> {
    fn eq(&self, other: &RibbonFilter<M>) -> bool {
        self.added == other.added && self.is_of_the_same_ribbon(other)
    }
}

impl<L: PlainStorage> Eq for RibbonFilter<L> {}

shown!(RibbonFilter<L: PlainStorage>: len, added, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain);

#[cfg(test)]
mod tests;
