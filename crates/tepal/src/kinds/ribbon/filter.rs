//! The smallest filter of a set that does not change: a bumped ribbon.
//!
//! Describing and building it is in [`builder`], asking in [`ask`], keys that come later in
//! [`change`], a filter of the numbers of a table in [`numbers`] and `of_table`, what a file holds
//! of it in [`part`] and in [`embedded`], what every kind of filter does in [`kind`].

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

use super::lines::{Meta, Ribbon};
use crate::bits::kernel::RibbonKernel;
use crate::error::Result;
use crate::kinds::calls::about_keys;
use crate::kinds::shown::shown;
use crate::kinds::storage::{Mapped, PlainStorage};

/// The smallest filter of a set that is known before and does not change.
///
/// From 100,000 keys on it takes 1.003 times the least bits that any filter of its rate takes where
/// the rate is a power of two, and 1.02 times at most at the other rates up to 1/8 (1.021 times for
/// one set of keys in 300 at the tightest rates): 6.74 bits a key at 1 %, where a Bloom filter of
/// lines takes 9.95. A list of a million addresses is sent to a page in 843 kB.
///
/// It is built of all its keys at once, sorted. Keys can be added to it ([`insert`](Self::insert)),
/// at 8 bytes each in a list beside the ribbon: a few, until another one is built of all keys. None
/// can be taken from it.
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
/// `L` is where the ribbon lies: [`Mapped`], in memory or in an opened file, or
/// [`InBytes`](crate::storage::InBytes), inside bytes of the caller's
/// ([`view`](RibbonFilter::view)). Both are asked by the same code, and keys can be added beside
/// both.
#[derive(Clone)]
pub struct RibbonFilter<L = Mapped> {
    ribbon: Ribbon<L>,
    kernel: RibbonKernel,
    meta: Meta,
    /// Of how many numbers those in the ribbon are, where they are of a table; else hashes are in
    /// it.
    numbers: Option<NonZeroU64>,
    /// The hashes of keys beside it, for which it says no; ascending, each once.
    added: Vec<u64>,
}

impl<L> RibbonFilter<L> {
    fn from_parts(meta: Meta, ribbon: Ribbon<L>) -> Self {
        let kernel = RibbonKernel::best(&ribbon.shape);
        RibbonFilter { ribbon, kernel, meta, numbers: None, added: Vec::new() }
    }
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// The share of wrong answers promised.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The share of wrong answers: exact, as an average over all keys that are not in it. Costs a
    /// pass over a fiftieth of the filter, or less.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let of_numbers = self.rate_of_numbers();
        of_numbers + (1.0 - of_numbers) * self.ribbon.rate()
    }

    /// How many different keys are in it: those of the ribbon and those that were added. Of a
    /// table's numbers ([`numbers`](Self::numbers)), how many different ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ribbon.keys + self.added()
    }

    /// Is no key in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory, of the ribbon and of the keys that were added.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.ribbon.size_in_bytes() + 8 * self.added()
    }

    /// Bits of the ribbon and of the keys that were added: what they take without rounding up to
    /// whole lines of 512.
    #[must_use]
    pub fn bit_len(&self) -> u64 {
        64 * (self.ribbon.num_words() + self.added())
    }

    about_keys!();

    /// Holds the ribbon against what the file says of it. After [`Open::quick`](crate::Open::quick)
    /// this is the rest of what opening checks.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal) for
    /// a file that was changed without the key of its seal.
    pub fn verify(&self) -> Result<()> {
        self.ribbon.verify()
    }

    /// The filter in memory: a copy, or the same memory where the ribbon is in memory already.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for it;
    /// [`Error::Damaged`](crate::Error::Damaged) for a filter that was opened
    /// [quick](crate::Open::quick) and whose ribbon is not what was written.
    pub fn into_owned(self) -> Result<RibbonFilter> {
        let RibbonFilter { ribbon, kernel, meta, numbers, added } = self;
        Ok(RibbonFilter { ribbon: ribbon.into_owned()?, kernel, meta, numbers, added })
    }

    /// The same with the ribbon that it has been waiting for.
    pub(crate) fn with_lines<M>(self, lines: M) -> RibbonFilter<M> {
        let RibbonFilter { ribbon, kernel, meta, numbers, added } = self;
        RibbonFilter { ribbon: ribbon.with_lines(lines), kernel, meta, numbers, added }
    }

    pub(crate) fn check_before_copying(&self) -> Result<()> {
        self.ribbon.check_before_copying()
    }
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// Same hash, domain, recipe and ribbon?
    fn is_of_the_same_ribbon<M: PlainStorage>(&self, other: &RibbonFilter<M>) -> bool {
        self.meta.keys == other.meta.keys && self.numbers == other.numbers && self.ribbon == other.ribbon
    }
}

/// Two filters are equal when they give every key the same answer for the same reason: same hash,
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
