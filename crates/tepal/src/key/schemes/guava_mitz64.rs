//! Guava's MURMUR128_MITZ_64: h1, h1 + h2, ... with the sign bit masked off each copy.

use super::murmur::murmur3_128;
use super::rule::Positions;
use super::sizing::{LN_2, Sizing, WHOLE_WORDS, classic, round, whole_words};

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GuavaMitz64;

impl Positions for GuavaMitz64 {
    const SIZING: Sizing = SIZING;

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let (h1, h2) = murmur3_128(key, b"");
        let mut combined = h1;
        (0..k).map(move |_| {
            let position = (combined & (u64::MAX >> 1)) % m;
            combined = combined.wrapping_add(h2);
            position
        })
    }
}

/// The sizes of both Guava strategies.
pub(super) const SIZING: Sizing = Sizing { size, allows: whole_words, allowed: WHOLE_WORDS, ..Sizing::USUAL };

fn size(keys: u64, rate: f64) -> crate::error::Result<(f64, f64)> {
    let words = libm::ceil(libm::trunc(classic(keys, rate)) / 64.0).max(1.0);
    Ok((64.0 * words, round(-libm::log(rate) / LN_2).max(1.0)))
}
