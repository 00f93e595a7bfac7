//! How a chain grows: the rule of its program, or our own, and the next link by it.

use core::fmt;

use super::ScalableBloomFilter;
use crate::error::{Error, Result};
use crate::kinds::bloom::BloomFilter;

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
    /// Our own: [`promise`](super::promise) has the plan of its links.
    Promise { expansion: u32, rate: f64 },
}

impl Growth {
    /// How many times the keys of the last link the next one is for.
    pub(super) fn expansion(&self) -> Option<u32> {
        match self {
            Growth::Fixed => None,
            Growth::RedisBloom { expansion } | Growth::ValkeyBloom { expansion, .. } => Some(*expansion),
            Growth::Promise { expansion, .. } => Some(*expansion),
        }
    }

    /// Is it our own, which keeps one promise and can be in a tepal file?
    pub(crate) fn is_own(&self) -> bool {
        match self {
            Growth::Fixed | Growth::RedisBloom { .. } | Growth::ValkeyBloom { .. } => false,
            Growth::Promise { .. } => true,
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Growth::Fixed => f.write_str("none"),
            Growth::RedisBloom { expansion } => write!(f, "{expansion} times the keys at half the rate"),
            Growth::ValkeyBloom { expansion, rate, tightening } => {
                write!(f, "{expansion} times the keys at {tightening} of the rate, from {rate} on")
            }
            Growth::Promise { expansion, rate } => {
                write!(f, "{expansion} times the keys, and {rate} for all filters together")
            }
        }
    }
}

impl ScalableBloomFilter {
    /// The empty filter that comes after the newest.
    pub(super) fn next_link(&self) -> Result<BloomFilter> {
        let newest = self.newest();
        let full = || Error::CapacityReached { capacity: newest.capacity(), inserted: 0 };
        let times = |expansion: u32| newest.capacity().checked_mul(expansion.into()).ok_or_else(full);
        let (capacity, rate) = match &self.growth {
            Growth::Fixed => return Err(full()),
            Growth::RedisBloom { expansion } => {
                (times(*expansion)?, newest.promised_false_positive_rate() * 0.5)
            }
            Growth::ValkeyBloom { expansion, rate, tightening } => {
                let power = crate::params::power(*tightening, self.links.len() as u32);
                (times(*expansion)?, rate * power)
            }
            Growth::Promise { expansion, rate } => {
                let next = self.next_of_promise(*expansion, *rate)?;
                (next.capacity, next.rate)
            }
        };
        let size: u64 = self.links.iter().map(|link| link.size_in_bytes()).sum();
        let most = MOST_GROWTH * size + SMALL_GROWTH;
        newest.same_hasher(capacity, rate, most).map_err(|error| match error {
            Error::TooLarge { bytes } if bytes > most => Error::PastLimit {
                what: "the chain is full, and its next filter would be more than 1,024 times as large as all of them",
                most,
                instead: "build it again with a smaller expansion (`--expansion`), or for more keys (`-n`)",
            },
            other => other,
        })
    }

    /// Looks at the newest link, before so many keys, each time that half of its keys were given, repeats included. Where they
    /// are crowded into few of its lines each key is refused: others like them would be taken for seen. Other programs'
    /// chains go on.
    #[inline]
    pub(super) fn look(&mut self, keys: usize) -> Result<()> {
        let half = self.newest().capacity() / 2;
        self.given = self.given.saturating_add(keys as u64);
        if self.given <= half || !self.is_own() {
            return Ok(());
        }
        if let Some(rate) = self.newest().measured().spoiled() {
            // Whatever comes next is refused too.
            self.given = half;
            return Err(Error::KeysClustered {
                rate,
                promised: self.promised_false_positive_rate(),
                inserted: 0,
            });
        }
        self.given = 0;
        Ok(())
    }
}
