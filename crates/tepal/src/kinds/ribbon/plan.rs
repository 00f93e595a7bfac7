//! What a ribbon takes, before there is one.

use crate::bits::ribbon::rate::{fields_for, split_guessed};
use crate::bits::ribbon::shape::{LAST_KEYS, LAYERS, Layer, MOST_LAST, Shape};
use crate::bits::ribbon::thin::{self, Thin, picked_for};
use crate::error::Result;

/// The share of a layer's slots that stay empty, on average: of one with coarse thresholds, and of
/// one with fine ones.
const EMPTY: f64 = 0.0006;
const EMPTY_OF_FEW: f64 = 0.006;

/// About how many lines the filter of so many keys will have, with a second ribbon where that makes
/// it smaller or without.
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

/// The share of the keys of a bucket that the best one of 256 seeds picks, on average, where any
/// one picks this share of all keys.
fn picked_share(share: f64, keys: f64) -> f64 {
    // The least of 256 lies so many standard deviations below the mean; the last term is for a
    // binomial distribution that is not even.
    const LEAST: f64 = 2.82;
    let deviation = libm::sqrt(share * (1.0 - share) / keys);
    let skew = (LEAST * LEAST - 1.0) / 6.0 * (1.0 - 2.0 * share) / keys;
    (share - LEAST * deviation + skew).max(0.0)
}

/// About the shape that the ribbon of so many keys will have, with values of so many bits.
pub(crate) fn planned(keys: u64, value_bits: u8, rate: f64) -> Result<Shape> {
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
    Shape::new(fields)
}
