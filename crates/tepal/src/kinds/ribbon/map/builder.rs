//! Describes a map, and builds it from its pairs.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::value::{NAME, Numbers, check_num_names, shown};
use super::{MapValue, RibbonMap};
use crate::bits::LINE_BYTES;
use crate::bits::ribbon::shape::MOST_VALUE_BITS;
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::key::options::KeyOptions;
use crate::key::{Key, hash_each};
use crate::kinds::calls::key_options;
use crate::kinds::named::{Listed, SegmentList, check_name};
use crate::kinds::ribbon::lines::RibbonMeta;
use crate::kinds::ribbon::{LEAST_RATE, construct, plan};
use crate::params::{DEFAULT_RATE, check_rate};

/// The rate at which every key gets a value.
pub(super) const EVERY: f64 = 1.0;

/// Describes a [`RibbonMap`]; everything has a default.
///
/// ```
/// use tepal::RibbonMap;
/// let pairs = || (0..100_000u32).map(|i| (i, i % 64));
/// let map = RibbonMap::builder().false_positive_rate(1.0 / 256.0).build_from(pairs())?;
/// assert_eq!(map.bit_len() / 10_000, 140);       // 14.0 bits a key: 6 of the value, and 8
/// let map = RibbonMap::builder().known_keys_only().build_from(pairs())?;
/// assert_eq!(map.bit_len() / 10_000, 60);
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build_from`"]
pub struct RibbonMapBuilder {
    keys: KeyOptions,
    labels: Labels,
    rate: Option<f64>,
    value_bits: Option<u8>,
    names: Vec<String>,
    /// 0 means 1.
    threads: usize,
}

impl RibbonMap {
    /// Starts to describe a map.
    pub fn builder() -> RibbonMapBuilder {
        RibbonMapBuilder::default()
    }
}

impl RibbonMapBuilder {
    /// The promised share of non-members that get a value: from 2^-32 to below 1; the default is
    /// 0.01, or 1 %. A key takes log2(1 / rate) bits for it.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// For a map in which only members are looked up: a key takes only the bits of its value, and
    /// every non-member gets an arbitrary value, or none if that is above the
    /// [greatest](RibbonMap::greatest).
    pub fn known_keys_only(mut self) -> Self {
        self.rate = Some(EVERY);
        self
    }

    /// The number of bits of a value, 1 to 32. The default is the bits of the greatest value.
    pub fn value_bits(mut self, bits: u8) -> Self {
        self.value_bits = Some(bits);
        self
    }

    /// The names of the values, from value 0 on: up to 65,536 different texts of 1 to 1,024 bytes,
    /// which the file keeps. Then no key has another value. A key takes log2 of the number of names
    /// for its value, which need not be a whole number of bits.
    ///
    /// If all values are given as texts, this call is not needed: their names are then in
    /// ascending order. With it, `build_from` takes names or numbers.
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    key_options!("a map");

    /// Builds on this many threads; the default is one. The map is the same, bit for bit.
    #[cfg(feature = "parallel")]
    pub fn threads(mut self, threads: core::num::NonZeroUsize) -> Self {
        self.threads = threads.get();
        self
    }

    /// Builds the map of these keys and their values, in any order. Equal keys with equal values
    /// count once.
    ///
    /// The values are numbers (`u32`) or texts ([`MapValue`]). Texts become [names](Self::names),
    /// in ascending order.
    ///
    /// Takes 16 bytes a pair in addition to the map, repeats included, and 7 MiB for each thread.
    ///
    /// ```
    /// use tepal::RibbonMap;
    /// let map = RibbonMap::builder().build_from([("apple", 3), ("banana", 5), ("apple", 3)])?;
    /// assert!(map.get("apple").unwrap() == 3 && map.len() == 2 && map.value_bits() == 3);
    /// assert!(RibbonMap::builder().build_from([("apple", 3), ("apple", 4)]).is_err());
    ///
    /// let map = RibbonMap::builder().build_from([("a", "north"), ("b", "south"), ("c", "north")])?;
    /// assert_eq!(map.get("c").unwrap().to_string(), "north");
    /// assert_eq!((map.num_names(), map.value_bits()), (2, 1));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::SeveralValues`] if a key has two values;
    /// - [`Error::RateOutOfReach`] for a rate that no map has;
    /// - [`Error::Parameter`] for other impossible values, for example a value that has more bits
    ///   than the map's values, or none of the given names; for more than 65,536 names; for values
    ///   of another map of which some have names and some have not;
    /// - [`Error::KeyRefused`] for a key that the key domain does not have;
    /// - [`Error::CallerHashes`] for a map with `caller_hash` (`build_from_hashes` builds it);
    /// - [`Error::TooLarge`] if there is no memory.
    pub fn build_from<K: Key, V: MapValue>(
        mut self,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<RibbonMap> {
        let (hasher, mut numbers) = (self.key_hasher()?, Numbers::new(&self.names));
        let mut hashes = hash_each(pairs, |(key, value), sink| {
            Ok((hasher.hash_ref(key.key(sink))?, numbers.of(&value)?))
        })?;
        if let Some(names) = numbers.finish(&mut hashes)? {
            self.names = names;
        }
        self.build_from_hashes(hashes)
    }

    /// [`build_from`](Self::build_from) for hashes, computed by the map's
    /// [`key_hasher`](Self::key_hasher) or by the caller. Takes no memory for pairs beyond this
    /// vector.
    ///
    /// # Errors
    /// As [`build_from`](Self::build_from).
    pub fn build_from_hashes(self, mut pairs: Vec<(u64, u32)>) -> Result<RibbonMap> {
        let promised_rate = self.reachable_rate()?;
        let meta = RibbonMeta::new(self.key_hasher()?, promised_rate, self.labels.clone())?;
        let greatest = pairs.iter().map(|pair| pair.1).max();
        let value_bits = self.bits_of(greatest)?;
        let threads = self.threads.max(1);
        construct::sort_different(&mut pairs, threads);
        if let Some(two) = pairs.windows(2).find(|two| two[0].0 == two[1].0) {
            let values = [two[0].1, two[1].1].map(|value| self.shown(value));
            return Err(Error::SeveralValues { hash: two[0].0, values });
        }
        let names = self.listed(&pairs)?;
        // If some values have no names, these values recognize non-members too.
        let rate = (promised_rate / named_share(names.listed().len(), value_bits)).min(EVERY);
        let ribbon = construct::ribbon_of_different(pairs, value_bits, rate, threads)?;
        let named = names.listed().len().checked_sub(1).map(|last| last as u32);
        let ribbon = ribbon.with_greatest(named.or(greatest).unwrap_or(0));
        Ok(RibbonMap::from_parts(meta, names, ribbon))
    }

    /// Estimates the size in bytes of the map of this many different keys
    /// ([`size_in_bytes`](RibbonMap::size_in_bytes)), without the [names](Self::names) of its
    /// values: within a hundredth from 10,000 keys on. The number of values is the number of names,
    /// or follows from [`value_bits`](Self::value_bits). The default is values of one bit.
    ///
    /// ```
    /// use tepal::RibbonMap;
    /// let builder = RibbonMap::builder().false_positive_rate(1.0 / 256.0).value_bits(6);
    /// let planned = builder.planned_size_in_bytes(50_000)?;
    /// let built = builder.build_from((0..50_000u32).map(|i| (i, i % 64)))?.size_in_bytes();
    /// assert!(planned.abs_diff(built) < built / 100);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::RateOutOfReach`] for a rate that no map has, [`Error::Parameter`] for an impossible
    /// number of bits or names; [`Error::TooLarge`] for more keys than a map can have.
    pub fn planned_size_in_bytes(&self, keys: u64) -> Result<u64> {
        let value_bits = self.bits_of(None)?;
        let rate = (self.reachable_rate()? / named_share(self.names.len(), value_bits)).min(EVERY);
        let shape = plan::planned(keys, value_bits, rate)?;
        Ok(shape.lines() * LINE_BYTES)
    }

    /// The promised rate, if a map can have it.
    fn reachable_rate(&self) -> Result<f64> {
        let promised_rate = self.rate.unwrap_or(DEFAULT_RATE);
        if promised_rate != EVERY {
            check_rate(promised_rate)?;
        }
        if promised_rate < LEAST_RATE {
            let reason = "a map has one of 2^-32 (2.4e-10) at least";
            return Err(Error::rate_out_of_reach(promised_rate, reason));
        }
        Ok(promised_rate)
    }

    /// The number of bits of a value.
    fn bits_of(&self, greatest: Option<u32>) -> Result<u8> {
        let named = self.names.len().saturating_sub(1);
        let needed = |value: u32| ((32 - value.leading_zeros()) as u8).max(1);
        check_num_names(self.names.len())?;
        if let Some(value) = greatest.filter(|value| !self.names.is_empty() && *value as usize > named) {
            let expected = alloc::format!("{named} at most, the last that has a name");
            return Err(Error::parameter("the greatest value", value, expected));
        }
        let least = needed(greatest.unwrap_or(0).max(named as u32));
        let bits = self.value_bits.unwrap_or(least);
        match (least..=MOST_VALUE_BITS).contains(&bits) {
            true => Ok(bits),
            false => {
                let expected = alloc::format!("{least} to 32: the greatest value takes {least}");
                Err(Error::parameter("the number of bits of a value", bits, expected))
            }
        }
    }

    /// A value as an error shows it.
    fn shown(&self, value: u32) -> Box<str> {
        self.names.get(value as usize).map_or_else(|| value.to_string(), |name| shown(name)).into()
    }

    /// The names of the values, with the number of keys that have each.
    fn listed(self, pairs: &[(u64, u32)]) -> Result<SegmentList> {
        let mut listed = Vec::with_capacity(self.names.len());
        for (number, name) in self.names.into_iter().enumerate() {
            check_name(NAME, &name)?;
            listed.push(Listed { number: number as u16, name: Some(name.into()), len: 0 });
        }
        if !listed.is_empty() {
            pairs.iter().for_each(|pair| listed[pair.1 as usize].len += 1);
        }
        let expected = "one that no other value has";
        SegmentList::new(listed).map_err(|_| Error::parameter(NAME, "given twice", expected))
    }
}

/// The share of the values of this many bits that a key can have. If values have names, only these
/// values.
fn named_share(names: usize, value_bits: u8) -> f64 {
    match names {
        0 => 1.0,
        count => count as f64 / (1u64 << value_bits) as f64,
    }
}
