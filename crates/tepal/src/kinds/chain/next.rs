//! Decides when a chain grows, and makes its next link.

use super::ScalableBloomFilter;
use super::grow::Growth;
use crate::error::{Error, Result, advice};
use crate::kinds::bloom::BloomFilter;

/// One insert makes a chain at most this many times larger, or larger by [`SMALL_GROWTH`] bytes:
/// its numbers may come from an untrusted file.
const MOST_GROWTH: u64 = 1024;
const SMALL_GROWTH: u64 = 1 << 20;

impl ScalableBloomFilter {
    /// Makes the empty link that follows the newest.
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
                instead: advice!("build it again with a smaller expansion", Expansion, ", or for more keys", Capacity),
            },
            other => other,
        })
    }

    /// Measures the newest link, before `keys` more keys, each time that half of its capacity was
    /// given, repeats included. If the keys crowd few lines, each further key is refused: the chain
    /// would mistake similar keys for members. Other programs' chains are not measured.
    #[inline]
    pub(super) fn look(&mut self, keys: usize) -> Result<()> {
        let half = self.newest().capacity() / 2;
        self.given = self.given.saturating_add(keys as u64);
        if self.given <= half || !self.is_own() {
            return Ok(());
        }
        if let Some(rate) = self.newest().measured().spoiled() {
            // The next key is refused too.
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
