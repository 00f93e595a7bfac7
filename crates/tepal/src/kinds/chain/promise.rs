//! The plan of tepal's own chains: the capacity and the rate of the next link.
//!
//! The capacity of the first link and the expansion give a series of totals. For 100 keys and an
//! expansion of 4 the totals are 100, 500, 2,100, 8,500 and so on. If the caller does not say how
//! many keys to expect, the chain ends its links at these totals. If the caller does, a link may
//! pass some totals and end at the expected number of keys. No link ends before the next total. So
//! a chain has at most one link for each total that it has reached, no matter how often the
//! expected number changes.

use alloc::vec::Vec;

use super::in_file::MOST_LINKS;
use super::{Growth, ScalableBloomFilter};
use crate::error::{Error, Result, advice};
use crate::kinds::Filter;
use crate::params::{least_rate, most_keys};

/// Each link is promised this share of the rate that the links before it leave. So all links
/// together keep the promise, however many follow. With a half, the fifth link would need two bits
/// a key more; with an eighth, the first link would.
pub(crate) const SHARE: f64 = 0.25;

/// The expected keys of one link are at most this many times the keys of the newest.
const MOST_AT_ONCE: u64 = 64;

/// Two totals at which links end differ by at least a quarter of the smaller one: 1 / this number.
const LEAST_PART: u128 = 4;

/// Capacity and rate of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinkPlan {
    pub(super) capacity: u64,
    pub(super) rate: f64,
}

/// Plans the link that follows `links` (oldest first) under a promise for all of them, with
/// `expected` more keys.
///
/// Its share of the remaining rate is larger than [`SHARE`] if its keys need more, up to all of it.
/// If its keys need more than all of it, the link has fewer keys.
///
/// # Errors
/// [`Error::RateOutOfReach`] if the links leave too little of the rate, or if a file can have no
/// more links.
pub(super) fn next(links: &[LinkPlan], expansion: u32, promise: f64, expected: u64) -> Result<LinkPlan> {
    let full = |reason| Error::rate_out_of_reach(promise, reason);
    if links.len() >= MOST_LINKS {
        return Err(full(alloc::format!(
            "the chain is full: it has {MOST_LINKS} filters, the most that a file can have"
        ))
        .with(advice!("build another chain, with a larger capacity", Capacity)));
    }
    let left = left_of(links.iter().map(|link| link.rate), promise);
    if left < least_rate(1) {
        return Err(full(alloc::format!(
            "the chain is full: its filters leave {left:.1e} of it, too little for another filter"
        ))
        .with(advice!("build another chain, with a larger capacity", Capacity, " or a higher rate")));
    }
    let capacity = keys(links, expansion, expected).min(most_keys(left)).max(1);
    Ok(LinkPlan { capacity, rate: (SHARE * left).max(least_rate(capacity)).min(left) })
}

/// The capacity of the next link, if the rate were no limit.
fn keys(links: &[LinkPlan], expansion: u32, expected: u64) -> u64 {
    let capacities = || links.iter().map(|link| link.capacity);
    let (first, newest) = (capacities().next().unwrap_or(1), capacities().next_back().unwrap_or(1));
    let total: u128 = capacities().map(u128::from).sum();
    // The smallest total of the series that is at least `least`.
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
            // A further link from the expected keys to this total would be too small.
            next if next < apart(expected) => next,
            _ => expected,
        },
    };
    u64::try_from(next - total).unwrap_or(u64::MAX)
}

/// The rest of the promised rate after the rates of the links.
fn left_of(rates: impl Iterator<Item = f64>, promise: f64) -> f64 {
    rates.fold(promise, |left, rate| left - rate)
}

impl ScalableBloomFilter {
    /// Tells the chain to expect about this many more keys, beside those it holds.
    ///
    /// The next link has room for all of them, up to 64 times the keys of the newest. If they are
    /// few, the chain grows by its [`expansion`](crate::builders::BloomFilterBuilder::expansion),
    /// as it does without this call. So the number of links stays small, however often this is
    /// called. The call changes no promise, and no file keeps it. Chains of other programs ignore
    /// it.
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

    /// The keys in all links; tepal's own chains always know it.
    fn held(&self) -> u64 {
        Filter::keys_inserted(self).unwrap_or(u64::MAX)
    }

    /// The plan of the next link of tepal's own chain.
    pub(super) fn next_of_promise(&self, expansion: u32, promise: f64) -> Result<LinkPlan> {
        let plan = |link: &crate::kinds::bloom::BloomFilter<_>| LinkPlan {
            capacity: link.capacity(),
            rate: link.promised_false_positive_rate(),
        };
        let links: Vec<LinkPlan> = self.links.iter().map(plan).collect();
        next(&links, expansion, promise, self.expected.saturating_sub(self.held()))
    }

    /// Whether it is tepal's own chain and takes no new key: its newest link is full and no other
    /// can follow.
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
