//! DCSO's bloom: FNV-1, then a chain of truncated multiplications mod 2^64 - 59.

use super::rule::Positions;
use super::sizing::{LN_2, Sizing, classic};

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dcso;

impl Positions for Dcso {
    const SIZING: Sizing = Sizing { size, records_rate: true, counts_only_new: true, ..Sizing::USUAL };

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        const P: u64 = 18_446_744_073_709_551_557;
        const G: u64 = 18_446_744_073_709_550_147;
        let fnv = key.iter().fold(14_695_981_039_346_656_037u64, |h, &byte| {
            h.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
        });
        let mut h = fnv % P;
        (0..k).map(move |_| {
            h = h.wrapping_mul(G) % P;
            h % m
        })
    }
}

fn size(keys: u64, rate: f64) -> crate::error::Result<(f64, f64)> {
    let bits = libm::floor(classic(keys, rate)).max(1.0);
    Ok((bits, libm::ceil(LN_2 * bits / keys as f64).max(1.0)))
}
