//! A map that does not change, from keys to small numbers: a bumped ribbon that holds the value of
//! each key, and some bits of its fingerprint.
//!
//! The builder is in [`builder`], values as callers give and get them in [`value`], lookups are in
//! [`ask`], the file and embedded parts in [`part`] and [`embedded`], and the traits of every filter
//! in [`kind`].

mod ask;
mod builder;
mod embedded;
mod kind;
pub(super) mod part;
mod value;

pub use builder::RibbonMapBuilder;
pub(crate) use part::{checked_greatest, checked_value_bits};
pub use value::{MapValue, Value};

use super::lines::{Ribbon, RibbonMeta};
use crate::bits::kernel::MapKernel;
use crate::error::Result;
use crate::kinds::calls::about_keys;
use crate::kinds::named::SegmentList;
use crate::kinds::shown::shown;
use crate::kinds::storage::{Owned, PlainStorage};

/// The smallest map from keys to numbers of 1 to 32 bits, or to up to 65,536 different texts, that
/// is known in advance and does not change. It does not contain the keys.
///
/// A key takes the bits of its value, and log2(1 / rate) more bits that tell members from
/// non-members. With values of 6 bits and a rate of 1 % that is 12.8 bits in all. A lookup of a
/// member always returns its value. A lookup of a non-member returns nothing, or an arbitrary value
/// with the probability of the rate. No lookup returns a value above the
/// [greatest](RibbonMap::greatest) of all keys.
///
/// Without the extra bits ([`known_keys_only`](RibbonMapBuilder::known_keys_only)) a key takes
/// hardly more bits than its value, and **every key gets a value**: look up only keys that are
/// surely members.
///
/// It is built from all its pairs at once. Nothing can be added, removed or changed: to do that,
/// keep the pairs and build another map.
///
/// ```
/// use tepal::RibbonMap;
/// let region = RibbonMap::builder().build_from([("alice", "north"), ("bob", "south")])?;
/// let value = region.get("alice").expect("a member has its value");
/// assert_eq!(value.to_string(), "north");           // it prints as its name
/// assert_eq!(region.get("carol"), None);            // `Some` for 1 non-member in 100
/// assert!(region.contains("bob"));
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("region.tepal");
/// region.save(&path)?;
/// for value in RibbonMap::open(&path)?.get_many(&["bob", "alice"]).into_iter().flatten() {
///     println!("{value}");                          // south, north
/// }
///
/// let ports = RibbonMap::builder().build_from([("ssh", 22), ("https", 443)])?;
/// assert_eq!(ports.get("ssh").unwrap(), 22);        // a value without a name is a number
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `L` is the storage of the ribbon: [`Owned`], in memory or in an opened file, or
/// [`InBytes`](crate::storage::InBytes), inside the caller's bytes ([`view`](RibbonMap::view)). The
/// lookup code is the same.
#[derive(Clone)]
pub struct RibbonMap<L = Owned> {
    ribbon: Ribbon<L>,
    kernel: MapKernel,
    meta: RibbonMeta,
    /// The values that have names.
    names: SegmentList,
}

impl<L> RibbonMap<L> {
    fn from_parts(meta: RibbonMeta, names: SegmentList, ribbon: Ribbon<L>) -> Self {
        let kernel = MapKernel::best(&ribbon.shape);
        RibbonMap { ribbon, kernel, meta, names }
    }
}

impl<L: PlainStorage> RibbonMap<L> {
    /// The promised share of non-members that get a value: 1 if every key gets one.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// The share of non-members that get a value.
    ///
    /// It is exact, as a mean over all non-members, if keys have the greatest value of
    /// [`value_bits`](Self::value_bits) bits. Otherwise it is an estimate that takes all values as
    /// equally frequent. A non-member that gets a value above [`greatest`](Self::greatest) is
    /// recognized by that, and if most keys have the same few values, this happens less often.
    /// Costs a pass over a fiftieth of the map, or less.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let values = f64::from(self.ribbon.greatest) + 1.0;
        self.ribbon.rate() * values / (1u64 << self.value_bits()) as f64
    }

    /// The number of different keys.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ribbon.keys
    }

    /// Whether it has no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of bits of a value, 1 to 32.
    #[must_use]
    pub fn value_bits(&self) -> u8 {
        self.ribbon.shape.fields().value_bits
    }

    /// The greatest value that a lookup returns: the greatest of any key, or the last that has a
    /// name. So a value can be the index of a list that has one more entry. 0 if there is no key.
    #[must_use]
    pub fn greatest(&self) -> u32 {
        self.ribbon.greatest
    }

    /// The number of values that have names: the values from 0 on. 0 if the values are only
    /// numbers.
    #[must_use]
    pub fn num_names(&self) -> usize {
        self.names.listed().len()
    }

    /// The names of the values, from value 0 on, with the number of keys that have each.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&str, u64)> + '_ {
        self.names.listed().iter().map(|listed| (listed.name.as_deref().unwrap_or(""), listed.len))
    }

    /// The value of this number, with its name if it has one: for the numbers that
    /// [`get_many_into`](Self::get_many_into) and others write into a buffer.
    ///
    /// ```
    /// # use tepal::RibbonMap;
    /// let map = RibbonMap::builder().names(["red", "green"]).build_from([("rose", 0), ("ivy", 1)])?;
    /// let mut numbers = [None; 2];
    /// map.get_many_into(&["ivy", "rose"], &mut numbers);
    /// assert_eq!(numbers, [Some(1), Some(0)]);
    /// assert_eq!(map.value(1).name(), Some("green"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn value(&self, number: u32) -> Value<'_> {
        Value::new(number, &self.names)
    }

    /// The value that has this name.
    #[must_use]
    pub fn value_of_name(&self, name: &str) -> Option<u32> {
        self.names.find(name).ok().map(|value| value.number().into())
    }

    /// The bytes of the ribbon in memory, without names.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.ribbon.size_in_bytes()
    }

    /// The bits of the ribbon, without rounding up to whole lines of 512 bits.
    #[must_use]
    pub fn bit_len(&self) -> u64 {
        64 * self.ribbon.num_words()
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

    /// Moves the map into memory: a copy, or the same memory if the ribbon is in memory already.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for it;
    /// [`Error::Damaged`](crate::Error::Damaged) for a map that was opened
    /// [quick](crate::Open::quick) and whose ribbon is damaged.
    pub fn into_owned(self) -> Result<RibbonMap> {
        let RibbonMap { ribbon, kernel, meta, names } = self;
        Ok(RibbonMap { ribbon: ribbon.into_owned()?, kernel, meta, names })
    }

    /// The same map with these lines for its ribbon.
    pub(crate) fn with_lines<M>(self, lines: M) -> RibbonMap<M> {
        let RibbonMap { ribbon, kernel, meta, names } = self;
        RibbonMap { ribbon: ribbon.with_lines(lines), kernel, meta, names }
    }

    pub(crate) fn check_before_copying(&self) -> Result<()> {
        self.ribbon.check_before_copying()
    }
}

/// Two maps are equal if they give every key the same answer for the same reason: same hash,
/// domain, recipe, names, greatest value and ribbon. Labels and promise do not matter.
impl<L: PlainStorage, M: PlainStorage> PartialEq<RibbonMap<M>> for RibbonMap<L> {
    fn eq(&self, other: &RibbonMap<M>) -> bool {
        let is_same = self.names == other.names && self.greatest() == other.greatest();
        is_same && self.meta.keys == other.meta.keys && self.ribbon == other.ribbon
    }
}

impl<L: PlainStorage> Eq for RibbonMap<L> {}

shown!(RibbonMap<L: PlainStorage>: len, value_bits, num_names, promised_false_positive_rate, size_in_bytes, scheme, seed, key_domain);

#[cfg(test)]
mod tests;
