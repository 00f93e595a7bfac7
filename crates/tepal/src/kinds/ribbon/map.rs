//! A map that does not change, from keys to small numbers: a bumped ribbon that holds the value of
//! each key, and some bits of its fingerprint.
//!
//! Describing and building it is in [`builder`], asking in [`ask`], what a file holds of it in
//! [`part`] and in [`embedded`], what every kind of filter does in [`kind`].

mod ask;
mod builder;
mod embedded;
mod kind;
pub(super) mod part;

pub use builder::RibbonMapBuilder;
pub(crate) use part::checked_value_bits;

use super::lines::{Meta, Ribbon};
use crate::bits::kernel::MapKernel;
use crate::error::Result;
use crate::kinds::calls::about_keys;
use crate::kinds::named::{Segment, SegmentList};
use crate::kinds::shown::shown;
use crate::kinds::storage::{Mapped, PlainStorage};

/// The smallest map from keys to numbers of 1 to 32 bits that is known before and does not change.
/// The keys are not in it.
///
/// A key takes the bits of its value, and log2(1 / rate) bits more by which other keys are told
/// apart: with values of 6 bits and a rate of 1 % that is 12.8 bits, keys included. What is
/// answered for a key that was given is its value, certainly. For a key that was not given it is
/// nothing, but for a share of them, the rate, that get some value or other.
///
/// Without these bits ([`known_keys_only`](RibbonMapBuilder::known_keys_only)) a key takes hardly
/// more than its value does, and **every key gets a value**: whoever asks has to know that the key
/// was given.
///
/// It is built of all its pairs at once, and nothing can be added to it, taken from it or changed
/// in it: whoever has to do that keeps the pairs, and builds another one.
///
/// ```
/// use tepal::RibbonMap;
/// let country = RibbonMap::builder().build_from([("81.2.69.0/24", 44), ("89.160.20.0/24", 46)])?;
/// assert_eq!(country.get("81.2.69.0/24"), Some(44));
/// assert_eq!(country.get("10.0.0.0/24"), None);     // of 1 other key in 100 it is `Some`
/// assert!(country.contains("89.160.20.0/24"));
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("country.tepal");
/// country.save(&path)?;
/// assert_eq!(RibbonMap::open(&path)?.get_many(&["89.160.20.0/24"]), [Some(46)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `L` is where the ribbon lies: [`Mapped`], in memory or in an opened file, or
/// [`InBytes`](crate::storage::InBytes), inside bytes of the caller's ([`view`](RibbonMap::view)).
/// Both are asked by the same code.
#[derive(Clone)]
pub struct RibbonMap<L = Mapped> {
    ribbon: Ribbon<L>,
    kernel: MapKernel,
    meta: Meta,
    /// The values that have names.
    names: SegmentList,
}

impl<L> RibbonMap<L> {
    fn from_parts(meta: Meta, names: SegmentList, ribbon: Ribbon<L>) -> Self {
        let kernel = MapKernel::best(&ribbon.shape);
        RibbonMap { ribbon, kernel, meta, names }
    }
}

impl<L: PlainStorage> RibbonMap<L> {
    /// The share of other keys that get a value, as promised: 1 where every key gets one.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The share of other keys that get a value. Exact, as an average over all keys that are not in
    /// it, where the values have no names, or all values of so many bits have one. Else it is an
    /// estimate, for values of which each is as frequent: other keys that get a value without a
    /// name are told by that, and where most keys have the same few values there are fewer of
    /// those. Costs a pass over a fiftieth of the map, or less.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.ribbon.rate() * named_share(self.num_names(), self.value_bits())
    }

    /// How many different keys are in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ribbon.keys
    }

    /// Is no key in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bits of a value, 1 to 32.
    #[must_use]
    pub fn value_bits(&self) -> u8 {
        self.ribbon.shape.fields().value_bits
    }

    /// How many values have names: those from 0 on. 0 where values are numbers and no more.
    #[must_use]
    pub fn num_names(&self) -> usize {
        self.names.listed().len()
    }

    /// The names of the values, from that of 0 on, and how many keys have each.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&str, u64)> + '_ {
        self.names.listed().iter().map(|listed| (listed.name.as_deref().unwrap_or(""), listed.len))
    }

    /// The name of a value, where it has one.
    ///
    /// ```
    /// # use tepal::RibbonMap;
    /// let map = RibbonMap::builder().names(["red", "green"]).build_from([("rose", 0), ("ivy", 1)])?;
    /// assert_eq!(map.get("ivy").and_then(|value| map.name_of(value)), Some("green"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub fn name_of(&self, value: u32) -> Option<&str> {
        self.names.name(Segment::new(u16::try_from(value).ok()?))
    }

    /// The value that has this name.
    #[must_use]
    pub fn value_of_name(&self, name: &str) -> Option<u32> {
        self.names.find(name).ok().map(|value| value.number().into())
    }

    /// Bytes of the ribbon in memory, without names.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.ribbon.size_in_bytes()
    }

    /// Bits of the ribbon: what it takes without rounding up to whole lines of 512.
    #[must_use]
    pub fn bit_len(&self) -> u64 {
        64 * self.ribbon.num_words()
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

    /// The map in memory: a copy, or the same memory where the ribbon is in memory already.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for it;
    /// [`Error::Damaged`](crate::Error::Damaged) for a map that was opened
    /// [quick](crate::Open::quick) and whose ribbon is not what was written.
    pub fn into_owned(self) -> Result<RibbonMap> {
        let RibbonMap { ribbon, kernel, meta, names } = self;
        Ok(RibbonMap { ribbon: ribbon.into_owned()?, kernel, meta, names })
    }

    /// The same with the ribbon that it has been waiting for.
    pub(crate) fn with_lines<M>(self, lines: M) -> RibbonMap<M> {
        let RibbonMap { ribbon, kernel, meta, names } = self;
        RibbonMap { ribbon: ribbon.with_lines(lines), kernel, meta, names }
    }

    pub(crate) fn check_before_copying(&self) -> Result<()> {
        self.ribbon.check_before_copying()
    }

    /// The greatest value that a key can have.
    #[inline(always)]
    fn greatest(&self) -> u32 {
        match self.names.listed().len() {
            0 => u32::MAX,
            names => names as u32 - 1,
        }
    }
}

/// The share of values of so many bits that a key can have: where they have names, the others are
/// none.
fn named_share(names: usize, value_bits: u8) -> f64 {
    match names {
        0 => 1.0,
        count => count as f64 / (1u64 << value_bits) as f64,
    }
}

/// Two maps are equal when they give every key the same answer for the same reason: same hash,
/// domain, recipe, names and ribbon. Labels and promise do not matter.
impl<L: PlainStorage, M: PlainStorage> PartialEq<RibbonMap<M>> for RibbonMap<L> {
    fn eq(&self, other: &RibbonMap<M>) -> bool {
        self.meta.keys == other.meta.keys && self.names == other.names && self.ribbon == other.ribbon
    }
}

impl<L: PlainStorage> Eq for RibbonMap<L> {}

shown!(RibbonMap<L: PlainStorage>: len, value_bits, num_names, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain);

#[cfg(test)]
mod tests;
