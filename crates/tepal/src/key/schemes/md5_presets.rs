//! First article: MD5 of a counting byte and the key, four signed numbers of each digest, |hash mod
//! m|.

use md5::{Digest, Md5};

use super::rule::Positions;
use super::sizing::{LN_2, Sizing, round};
use crate::error::{Error, Result};

/// The scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Md5Presets;

impl Positions for Md5Presets {
    const SIZING: Sizing =
        Sizing { size, allows: |m| m <= i32::MAX as u64, allowed: "1 to 2^31 - 1", ..Sizing::USUAL };

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        // The byte before the key counts the digests from 1 and wraps after 255.
        let digests = (1..=k.div_ceil(4)).map(move |j| {
            let digest = Md5::new().chain_update([j as u8]).chain_update(key).finalize();
            <[u8; 16]>::from(digest)
        });
        let hashes = digests
            .flat_map(|d| [0, 4, 8, 12].map(|i| i32::from_be_bytes([d[i], d[i + 1], d[i + 2], d[i + 3]])));
        hashes.take(k as usize).map(move |hash| u64::from(hash.unsigned_abs()) % m)
    }
}

fn size(keys: u64, rate: f64) -> Result<(f64, f64)> {
    let bits = libm::ceil(keys as f64 * preset(rate)?);
    Ok((bits, round(bits / keys as f64 * LN_2)))
}

/// Bits for each key in the presets, which the article names by their rate: high, middle, low.
fn preset(rate: f64) -> Result<f64> {
    match rate {
        // The third one is the sum that the original program computes; it differs from the literal
        // 14.4.
        0.1..1.0 => Ok(4.8),
        0.01..0.1 => Ok(9.6),
        0.001..0.01 => Ok(9.6 + 4.8),
        _ => {
            let reason = "the presets of md5-presets are 10 %, 1 % and 0.1 %; ask for one of them";
            Err(Error::rate_out_of_reach(rate, reason))
        }
    }
}
