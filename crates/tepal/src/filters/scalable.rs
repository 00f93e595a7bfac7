//! A chain of Bloom filters that grows: RedisBloom's and valkey-bloom's form.
//!
//! A key goes into the newest filter; when that one holds what it was planned for, a larger one with a lower
//! rate is added. A key is held when any filter of the chain holds it.

use alloc::vec::Vec;
use core::fmt;

use super::bloom::BloomFilter;
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::hash::Key;

/// A Bloom filter that grows by adding larger ones: keys are in any of its [`links`](Self::links).
///
/// Made by opening a file of RedisBloom or valkey-bloom; it grows as the program that made it would have
/// let it grow, with the same sizes and bits.
#[derive(Clone)]
pub struct ScalableBloomFilter<L = Vec<Line>> {
    pub(crate) links: Vec<BloomFilter<L>>,
    pub(crate) growth: Growth,
}

/// One insert makes a chain at most so many times larger, or by this many bytes: its numbers may come from
/// a file that a stranger wrote.
const MOST_GROWTH: u64 = 1024;
const SMALL_GROWTH: u64 = 1 << 20;

/// The rule by which the next filter of the chain follows from the last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Growth {
    /// Never: the chain is full when its one filter is.
    Fixed,
    /// RedisBloom: `expansion` times the entries, half the error.
    RedisBloom { expansion: u32 },
    /// valkey-bloom: `expansion` times the capacity, filter j at `rate · tightening^j`.
    ValkeyBloom { expansion: u32, rate: f64, tightening: f64 },
}

impl<L: AsRef<[Line]>> ScalableBloomFilter<L> {
    /// The filters of the chain, the oldest first. There is at least one.
    pub fn links(&self) -> &[BloomFilter<L>] {
        &self.links
    }

    /// Is the key in the set? `false` is certain; `true` means perhaps. Costs as much as asking each link.
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        // The newest link is the largest: most keys are there.
        self.links.iter().rev().any(|link| link.contains(key))
    }

    /// The share of wrong answers now, from the set bits of all links.
    pub fn false_positive_rate(&self) -> f64 {
        let pass = self.links.iter().map(|link| 1.0 - link.false_positive_rate());
        1.0 - pass.product::<f64>()
    }

    /// Two chains can be united when they have the same links, one by one.
    fn check_compatible<M: AsRef<[Line]>>(&self, other: &ScalableBloomFilter<M>) -> Result<()> {
        if self.links.len() != other.links.len() {
            return Err(Error::Incompatible {
                property: "number of filters in the chain",
                expected: alloc::format!("{}", self.links.len()),
                found: alloc::format!("{}", other.links.len()),
            });
        }
        self.links.iter().zip(&other.links).try_for_each(|(a, b)| a.check_compatible(b))
    }

    /// A copy in memory that can be changed.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it.
    pub fn into_owned(self) -> Result<ScalableBloomFilter> {
        let links = self.links.into_iter().map(BloomFilter::into_owned).collect::<Result<_>>()?;
        Ok(ScalableBloomFilter { links, growth: self.growth })
    }
}

impl<L: AsRef<[Line]>> fmt::Debug for ScalableBloomFilter<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalableBloomFilter")
            .field("growth", &self.growth)
            .field("links", &self.links)
            .finish()
    }
}

impl ScalableBloomFilter {
    /// Inserts a key that no link holds into the newest one, or into a new one where that is full. `true`:
    /// the key is surely new.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] where the chain is full and may not grow; [`Error::TooLarge`] where it would
    /// become more than a thousand times larger at once; [`Error::KeyRefused`] for a key
    /// that the key domain does not have. The chain is unchanged then.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        if self.contains(key) {
            return Ok(false);
        }
        let Some(newest) = self.links.last_mut() else {
            return Err(Error::damaged("a chain without a filter"));
        };
        if newest.keys_inserted().is_some_and(|keys| keys < newest.capacity()) {
            return newest.insert(key);
        }
        let mut next = self.next_link()?;
        let new = next.insert(key)?;
        self.links.push(next);
        Ok(new)
    }

    /// The chain as it began: its first filter, empty.
    pub fn emptied(mut self) -> Self {
        self.links.truncate(1);
        self.links.iter_mut().for_each(BloomFilter::clear);
        self
    }

    /// Adds all keys of a chain of the same shape: each link takes the bits of its counterpart.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where the chains differ in the number or shape of their links. The chain is
    /// unchanged then.
    pub fn union_with<M: AsRef<[Line]>>(&mut self, other: &ScalableBloomFilter<M>) -> Result<()> {
        self.check_compatible(other)?;
        self.links.iter_mut().zip(&other.links).try_for_each(|(a, b)| a.union_with(b))
    }

    /// The empty filter that comes after the newest.
    fn next_link(&self) -> Result<BloomFilter> {
        let (first, newest) = (&self.links[0], &self.links[self.links.len() - 1]);
        let full = Error::CapacityReached { capacity: newest.capacity(), inserted: 0 };
        let (expansion, rate) = match &self.growth {
            Growth::Fixed => return Err(full),
            Growth::RedisBloom { expansion } => (*expansion, newest.promised_false_positive_rate() * 0.5),
            Growth::ValkeyBloom { expansion, rate, tightening } => {
                let power = crate::params::power(*tightening, self.links.len() as u32);
                (*expansion, rate * power)
            }
        };
        let capacity = newest.capacity().checked_mul(expansion.into()).ok_or(full)?;
        let size: u64 = self.links.iter().map(BloomFilter::size_in_bytes).sum();
        first.same_scheme(capacity, rate, MOST_GROWTH * size + SMALL_GROWTH)
    }
}

#[cfg(test)]
mod tests;
