//! The plan of a chain of our own: how many keys the next link is for, and which rate it promises.
//!
//! The keys of the first link and the expansion give a series of totals. For 100 keys and an
//! expansion of 4 they are 100, 500, 2,100, 8,500 and so on. A chain to which nobody says how many
//! keys will come ends its links at these totals. Where somebody does, a link may pass some of
//! them, and end at the expected keys. No link ends before the next total, so a chain has at most
//! one link for each total that it has reached, however often it is told what to expect.

use alloc::vec::Vec;

use super::in_file::MOST_LINKS;
use super::{Growth, ScalableBloomFilter};
use crate::error::{Error, Result};
use crate::kinds::Filter;
use crate::params::{least_rate, most_keys};

/// Each link is promised this share of the rate that the links before it leave, so all of them
/// together keep the promise, however many follow. With a half, the fifth link would have two bits
/// a key more; with an eighth, the first one would.
pub(crate) const SHARE: f64 = 0.25;

/// The expected keys of one link are at most this many times the keys of the newest.
const MOST_AT_ONCE: u64 = 64;

/// Two totals at which links end differ by at least a part of the smaller one: a quarter.
const LEAST_PART: u128 = 4;

/// Keys and rate of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinkPlan {
    pub(super) capacity: u64,
    pub(super) rate: f64,
}

/// The link that follows these, the oldest first, under a promise for all of them, where `expected`
/// more keys are expected.
///
/// It takes a larger share of the rate that is left than [`SHARE`] where its keys need it, up to
/// all of it. It is for fewer keys where they need more than all.
///
/// # Errors
/// [`Error::RateOutOfReach`] where the links leave too little, or where they are as many as a file
/// can have.
pub(super) fn next(links: &[LinkPlan], expansion: u32, promise: f64, expected: u64) -> Result<LinkPlan> {
    let full = |reason| Err(Error::rate_out_of_reach(promise, reason));
    if links.len() >= MOST_LINKS {
        return full(alloc::format!(
            "the chain is full: it has {MOST_LINKS} filters, the most that a file can have; begin another chain, with more \
             keys from the first (`capacity`)"
        ));
    }
    let left = left_of(links.iter().map(|link| link.rate), promise);
    if left < least_rate(1) {
        return full(alloc::format!(
            "the chain is full: its filters leave {left:.1e} of it, too little for another filter; begin another chain, with \
             more keys from the first (`capacity`) or with a higher rate"
        ));
    }
    let capacity = keys(links, expansion, expected).min(most_keys(left)).max(1);
    Ok(LinkPlan { capacity, rate: (SHARE * left).max(least_rate(capacity)).min(left) })
}

/// The keys of the next link, if any rate can be had.
fn keys(links: &[LinkPlan], expansion: u32, expected: u64) -> u64 {
    let capacities = || links.iter().map(|link| link.capacity);
    let (first, newest) = (capacities().next().unwrap_or(1), capacities().next_back().unwrap_or(1));
    let total: u128 = capacities().map(u128::from).sum();
    // The least total of the series that is no less than this.
    let end = |least: u128| {
        let (mut end, mut link) = (u128::from(first), u128::from(first));
        while end < least {
            link = link.saturating_mul(expansion.into());
            end = end.saturating_add(link);
        }
        end
    };
    let apart = |total: u128| total.saturating_add((total / LEAST_PART).max(1));
    let expected = total + u128::from(expected.min(newest.saturating_mul(MOST_AT_ONCE)));
    let next = match end(apart(total)) {
        next if next >= expected => next,
        _ => match end(expected) {
            // A link from the expected keys to there would be too small.
            next if next < apart(expected) => next,
            _ => expected,
        },
    };
    u64::try_from(next - total).unwrap_or(u64::MAX)
}

/// The rate that links leave, the oldest first, of one that is promised for all of them.
fn left_of(rates: impl Iterator<Item = f64>, promise: f64) -> f64 {
    rates.fold(promise, |left, rate| left - rate)
}

impl ScalableBloomFilter {
    /// Says that about this many more keys are expected, beside those in the chain: the next link
    /// has room for all of them, unless they are more than 64 times the keys of the newest. Where
    /// they are few, or nothing is expected, the chain grows by its
    /// [`expansion`](crate::builders::BloomFilterBuilder::expansion). So the number of links stays
    /// small, however often this is called. It changes no promise, and no file keeps it. Chains of
    /// other programs take no notice of it.
    ///
    /// ```
    /// let mut seen = tepal::BloomFilter::builder().capacity(1000).build_growing()?;
    /// seen.expect_more(10_000);
    /// seen.insert_many(&(0..10_000u32).collect::<Vec<_>>())?;
    /// assert_eq!((seen.links().len(), seen.links()[1].capacity()), (2, 9_000));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn expect_more(&mut self, keys: u64) {
        self.expected = self.held().saturating_add(keys);
    }

    /// The keys in all links, which are known of a chain of our own.
    fn held(&self) -> u64 {
        Filter::keys_inserted(self).unwrap_or(u64::MAX)
    }

    /// The plan of the next link of a chain of our own.
    pub(super) fn next_of_promise(&self, expansion: u32, promise: f64) -> Result<LinkPlan> {
        let plan = |link: &crate::kinds::bloom::BloomFilter<_>| LinkPlan {
            capacity: link.capacity(),
            rate: link.promised_false_positive_rate(),
        };
        let links: Vec<LinkPlan> = self.links.iter().map(plan).collect();
        next(&links, expansion, promise, self.expected.saturating_sub(self.held()))
    }

    /// Is it a chain of our own that takes no new key, as its newest link is full and no other can
    /// follow?
    pub(super) fn has_ended(&self) -> bool {
        match self.growth {
            Growth::Promise { expansion, rate } => {
                self.room_for(1) == 0 && self.next_of_promise(expansion, rate).is_err()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
