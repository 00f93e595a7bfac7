//! bits-and-blooms: four 64-bit hashes from two runs of Murmur3, the second over the key and a
//! byte 1.

use super::murmur::murmur3_128;
use super::rule::Positions;
use super::sizing::{LN_2, Sizing, classic};

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitsAndBlooms;

impl Positions for BitsAndBlooms {
    const SIZING: Sizing = Sizing { size, ..Sizing::USUAL };

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        let ((h0, h1), (h2, h3)) = (murmur3_128(key, b""), murmur3_128(key, b"\x01"));
        let h = [h0, h1, h2, h3];
        (0..u64::from(k)).map(move |i| {
            let factor = h[(2 + (i + i % 2) % 4 / 2) as usize];
            h[(i % 2) as usize].wrapping_add(i.wrapping_mul(factor)) % m
        })
    }
}

fn size(keys: u64, rate: f64) -> crate::error::Result<(f64, f64)> {
    let bits = libm::ceil(classic(keys, rate)).max(1.0);
    Ok((bits, libm::ceil(LN_2 * bits / keys as f64).max(1.0)))
}
