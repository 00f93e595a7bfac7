//! The kinds of filter, one module each, and the one enum over all of them.

pub(crate) mod bloom;
pub(crate) mod scalable;

use alloc::vec::Vec;
use core::fmt;

use crate::bits::Line;
use crate::error::{Error, Result};
use crate::hash::{Key, KeyDomain, Keys, Scheme};
use bloom::BloomFilter;
use scalable::ScalableBloomFilter;

/// A filter of a kind that is known only at run time, as it comes out of a file.
#[derive(Clone)]
#[non_exhaustive]
// A program holds a handful of these; a box would cost every answer an indirection.
#[allow(clippy::large_enum_variant)]
pub enum AnyFilter<L = Vec<Line>> {
    /// One Bloom filter, of any scheme and layout.
    Bloom(BloomFilter<L>),
    /// A chain of them.
    Scalable(ScalableBloomFilter<L>),
}

impl<L: AsRef<[Line]>> AnyFilter<L> {
    /// The Bloom filters that it consists of, the oldest first.
    pub fn parts(&self) -> &[BloomFilter<L>] {
        match self {
            AnyFilter::Bloom(filter) => core::slice::from_ref(filter),
            AnyFilter::Scalable(chain) => chain.links(),
        }
    }

    /// Is the key in the set? `false` is certain; `true` means perhaps.
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self {
            AnyFilter::Bloom(filter) => filter.contains(key),
            AnyFilter::Scalable(chain) => chain.contains(key),
        }
    }

    /// Answers for many keys, in their order.
    pub fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<bool> {
        match self {
            AnyFilter::Bloom(filter) => filter.contains_many(keys),
            AnyFilter::Scalable(chain) => (0..keys.len()).map(|i| chain.contains(&keys.key(i))).collect(),
        }
    }

    /// The share of wrong answers now, from the set bits.
    pub fn false_positive_rate(&self) -> f64 {
        match self {
            AnyFilter::Bloom(filter) => filter.false_positive_rate(),
            AnyFilter::Scalable(chain) => chain.false_positive_rate(),
        }
    }

    /// What the keys are.
    pub fn key_domain(&self) -> KeyDomain {
        self.parts()[0].key_domain()
    }

    /// How keys become bits.
    pub fn scheme(&self) -> Scheme {
        self.parts()[0].scheme()
    }

    /// A copy in memory that can be changed.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it.
    pub fn into_owned(self) -> Result<AnyFilter> {
        Ok(match self {
            AnyFilter::Bloom(filter) => AnyFilter::Bloom(filter.into_owned()?),
            AnyFilter::Scalable(chain) => AnyFilter::Scalable(chain.into_owned()?),
        })
    }
}

impl<L: AsRef<[Line]>> fmt::Debug for AnyFilter<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyFilter::Bloom(filter) => filter.fmt(f),
            AnyFilter::Scalable(chain) => chain.fmt(f),
        }
    }
}

impl AnyFilter {
    /// Inserts a key. `true`: the key is surely new.
    ///
    /// # Errors
    /// As [`BloomFilter::insert`] and [`ScalableBloomFilter::insert`].
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        match self {
            AnyFilter::Bloom(filter) => filter.insert(key),
            AnyFilter::Scalable(chain) => chain.insert(key),
        }
    }

    /// Adds all keys of a filter of the same kind, shape and scheme.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where they differ; [`Error::CapacityReached`] as [`BloomFilter::union_with`].
    pub fn union_with<M: AsRef<[Line]>>(&mut self, other: &AnyFilter<M>) -> Result<()> {
        match (self, other) {
            (AnyFilter::Bloom(a), AnyFilter::Bloom(b)) => a.union_with(b),
            (AnyFilter::Scalable(a), AnyFilter::Scalable(b)) => a.union_with(b),
            (AnyFilter::Bloom(_), AnyFilter::Scalable(_)) => Err(other_kind("one filter", "a chain")),
            (AnyFilter::Scalable(_), AnyFilter::Bloom(_)) => Err(other_kind("a chain", "one filter")),
        }
    }
}

fn other_kind(expected: &str, found: &str) -> Error {
    Error::Incompatible { property: "kind", expected: expected.into(), found: found.into() }
}

#[cfg(test)]
mod tests;
