//! Estimates the size of a ribbon before it is built.

use crate::bits::ribbon::rate::{fields_for, split_guessed};
use crate::bits::ribbon::shape::{LAST_KEYS, LAYERS, Layer, MOST_LAST, RibbonShape};
use crate::bits::ribbon::thin::{self, Thin, picked_for};
use crate::error::Result;

/// The mean share of a layer's slots that stay empty: for a layer with coarse thresholds here, for
/// one with fine thresholds below.
const EMPTY: f64 = 0.0006;
const EMPTY_OF_FEW: f64 = 0.006;

/// Estimates the number of lines of a filter of this many keys, with a second ribbon if that makes
/// the filter smaller.
pub(super) fn planned_lines(keys: u64, rate: f64, has_second: bool) -> Result<u64> {
    let Some((columns, most)) = picked_for(keys, rate).filter(|_| has_second) else {
        return Ok(planned(keys, 0, rate)?.lines());
    };
    let first = planned(keys, 0, 1.0 / (1u64 << columns) as f64)?;
    let of_bucket = keys as f64 / first.first().buckets() as f64;
    let picked = (keys as f64 * picked_share(f64::from(most) / 65_536.0, of_bucket)) as u64;
    let thin = Thin::new(&first, planned(picked, 0, 0.5)?, picked, most)?;
    Ok(thin::lines(&first, Some(&thin)))
}

/// The mean share of the keys of a bucket that the best of 256 seeds picks, if any one seed picks
/// this share of all keys.
fn picked_share(share: f64, keys: f64) -> f64 {
    // The least of 256 values is this many standard deviations below the mean. The last term
    // corrects for the skew of the binomial distribution.
    const LEAST: f64 = 2.82;
    let deviation = libm::sqrt(share * (1.0 - share) / keys);
    let skew = (LEAST * LEAST - 1.0) / 6.0 * (1.0 - 2.0 * share) / keys;
    (share - LEAST * deviation + skew).max(0.0)
}

/// Estimates the shape of the ribbon of this many keys, with values of this many bits.
pub(crate) fn planned(keys: u64, value_bits: u8, rate: f64) -> Result<RibbonShape> {
    let (mut fields, is_exact) = fields_for(keys, value_bits, rate);
    let mut left = keys;
    for k in 0..LAYERS {
        if left <= LAST_KEYS as u64 {
            break;
        }
        let words = Layer::words_for(left)?;
        fields.words[k] = words;
        let empty = if left < 2048 { EMPTY_OF_FEW } else { EMPTY };
        let held = f64::from(words) * 64.0 * (1.0 - empty);
        left = left.saturating_sub(held as u64);
    }
    if fields.words[0] > 0 && !is_exact {
        fields.split = split_guessed(&fields, rate);
    }
    fields.last = left.min(MOST_LAST.into()) as u16;
    RibbonShape::new(fields)
}
