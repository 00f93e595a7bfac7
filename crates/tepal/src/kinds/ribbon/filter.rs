//! The smallest filter of a set that does not change: a bumped ribbon.
//!
//! Describing and building it is in [`builder`], asking in [`ask`], keys that come later in [`change`], a filter of the numbers of a table
//! in [`numbers`] and `of_table`, what a file holds of it in [`part`] and in [`embedded`], what every kind of filter does in [`kind`].

mod ask;
mod builder;
mod change;
mod embedded;
mod kind;
mod numbers;
#[cfg(feature = "quotient")]
mod of_table;
pub(super) mod part;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU64;

pub use builder::RibbonFilterBuilder;

use crate::bits::kernel::RibbonKernel;
use crate::bits::ribbon::rate;
use crate::bits::ribbon::shape::Shape;
use crate::bits::ribbon::thin::{self, Thin};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::Kind;
use crate::key::KeyHasher;
use crate::kinds::calls::about_keys;
use crate::kinds::in_file::{BodyChecked, Ref};
use crate::kinds::ribbon::second::WithSecond;
use crate::kinds::storage::{Backing, Mapped, PlainStorage};

/// The smallest filter of a set that is known before and does not change.
///
/// From 100,000 keys on it takes 1.003 times the least bits that any filter of its rate takes where the rate is a power of two, and 1.02 times at most
/// at the other rates up to 1/8 (1.021 times for one set of keys in 300 at the tightest rates): 6.74 bits a key at 1 %, where a Bloom filter of lines takes 9.95. A list of a million addresses is sent to a
/// page in 843 kB.
///
/// It is built of all its keys at once, sorted. Keys can be added to it ([`insert`](Self::insert)), at 8 bytes each in a list beside the ribbon:
/// a few, until another one is built of all keys. None can be taken from it.
///
/// ```
/// use tepal::RibbonFilter;
/// let blocked = RibbonFilter::builder().false_positive_rate(0.01).build_from(["apple", "banana"])?;
/// assert!(blocked.contains("apple") && blocked.contains("banana"));
/// assert_eq!(blocked.len(), 2);
/// # Ok::<(), tepal::Error>(())
/// ```
///
/// `L` is where the ribbon lies: [`Mapped`], in memory or in an opened file, or [`InBytes`](crate::InBytes), inside bytes of the caller's
/// ([`view`](RibbonFilter::view)). Both are asked by the same code, and keys can be added beside both.
#[derive(Clone)]
pub struct RibbonFilter<L = Mapped> {
    shape: Shape,
    /// The second ribbon behind it, where there is one.
    thin: Option<Box<Thin>>,
    kernel: RibbonKernel,
    lines: L,
    meta: Meta,
    /// Different keys in the ribbon.
    keys: u64,
    /// The hashes of keys beside it, for which it says no; ascending, each once.
    added: Vec<u64>,
    /// What the lines are held against, where they are those of an opened file.
    body_check: Option<Ref<dyn BodyChecked>>,
}

/// Everything about a filter that is not its ribbon.
#[derive(Clone, Debug, PartialEq)]
struct Meta {
    keys: KeyHasher,
    promised_rate: f64,
    labels: Option<Box<Labels>>,
    /// Of how many numbers those in the ribbon are, where they are of a table; else hashes are in it.
    numbers: Option<NonZeroU64>,
}

impl<L> RibbonFilter<L> {
    fn from_parts(meta: Meta, (shape, thin, lines, keys): WithSecond<L>) -> Self {
        let kernel = RibbonKernel::best(&shape);
        RibbonFilter { shape, thin, kernel, lines, meta, keys, added: Vec::new(), body_check: None }
    }
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// The share of wrong answers promised.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The share of wrong answers: exact, as an average over all keys that are not in it. Costs a pass over a fiftieth of the filter, or less.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        if self.keys == 0 {
            return 0.0;
        }
        let of_numbers = self.rate_of_numbers();
        let passing = self.thin.as_ref().map_or(1.0, |thin| thin::share_of(thin.most));
        of_numbers + (1.0 - of_numbers) * rate::rate(&self.shape, self.words()) * passing
    }

    /// How many different keys are in it: those of the ribbon and those that were added. Of a table's numbers
    /// ([`numbers`](Self::numbers)), how many different ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.keys + self.added()
    }

    /// Is no key in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory, of the ribbon and of the keys that were added.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.as_lines().len() as u64 * bits::LINE_BYTES + 8 * self.added()
    }

    /// Bits of the ribbon and of the keys that were added: what they take without rounding up to whole lines of 512.
    #[must_use]
    pub fn bit_len(&self) -> u64 {
        64 * (thin::words(&self.shape, self.thin.as_deref()) + self.added())
    }

    about_keys!();

    /// Holds the ribbon against what the file says of it. After [`Open::quick`](crate::Open::quick) this is the rest of what opening
    /// checks.
    ///
    /// # Errors
    /// [`Error::Damaged`]; [`Error::WrongSeal`] for a file that was changed without
    /// the key of its seal.
    pub fn verify(&self) -> Result<()> {
        self.body_check.as_ref().map_or(Ok(()), |check| check.run(self.as_lines()))
    }

    /// The filter in memory: a copy, or the same memory where the ribbon is in memory already.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose ribbon is not what was written.
    pub fn into_owned(self) -> Result<RibbonFilter> {
        self.check_before_copying()?;
        let RibbonFilter { shape, thin, kernel, lines, meta, keys, added, .. } = self;
        let lines = Mapped(Backing::Memory(lines.into_lines()?));
        Ok(RibbonFilter { shape, thin, kernel, lines, meta, keys, added, body_check: None })
    }

    /// The same with the ribbon that it has been waiting for.
    pub(crate) fn with_lines<M>(self, lines: M) -> RibbonFilter<M> {
        let RibbonFilter { shape, thin, kernel, meta, keys, added, body_check, .. } = self;
        RibbonFilter { shape, thin, kernel, lines, meta, keys, added, body_check }
    }

    /// To be called before the ribbon goes into another filter or file, whose new checksums would hide what is wrong with it.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        match &self.body_check {
            Some(check) if !check.has_passed() => check.run(self.as_lines()),
            _ => Ok(()),
        }
    }

    fn as_lines(&self) -> &[Line] {
        self.lines.as_lines()
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        bits::words(self.lines.as_lines())
    }
}

/// The refusal of what would change a ribbon.
fn fixed(operation: &'static str) -> Error {
    let instead = "build another one of all its keys (`RibbonFilter::builder`, `tepal build --static`); keys can only be added (`insert`, \
                   `tepal add`)";
    Error::NotPossible { kind: Kind::Ribbon, operation, instead }
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// Same hash, domain, recipe and ribbon?
    fn is_of_the_same_ribbon<M: PlainStorage>(&self, other: &RibbonFilter<M>) -> bool {
        self.meta.keys == other.meta.keys
            && self.meta.numbers == other.meta.numbers
            && self.keys == other.keys
            && self.shape.fields() == other.shape.fields()
            && self.thin == other.thin
            && self.as_lines() == other.as_lines()
    }
}

/// Two filters are equal when they give every key the same answer for the same reason: same hash, domain, recipe, ribbon and added keys.
/// Labels and promise do not matter.
impl<L: PlainStorage, M: PlainStorage> PartialEq<RibbonFilter<M>> for RibbonFilter<L> {
    fn eq(&self, other: &RibbonFilter<M>) -> bool {
        self.added == other.added && self.is_of_the_same_ribbon(other)
    }
}

impl<L: PlainStorage> Eq for RibbonFilter<L> {}

impl<L: PlainStorage> fmt::Debug for RibbonFilter<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RibbonFilter")
            .field("len", &self.len())
            .field("added", &self.added())
            .field("promised_false_positive_rate", &self.promised_false_positive_rate())
            .field("size_in_bytes", &self.size_in_bytes())
            .field("scheme", &self.scheme())
            .field("seed", &self.seed())
            .field("key_domain", &self.key_domain())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
