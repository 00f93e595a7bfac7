//! What a ribbon takes, before there is one.

use crate::bits::ribbon::rate::{columns_for, deep_has_more, split_guessed};
use crate::bits::ribbon::shape::{Fields, LAST_KEYS, LAYERS, Layer, MOST_LAST, Shape};
use crate::error::Result;

/// The share of a layer's slots that stay empty, on average: of one with coarse thresholds, and of one with fine ones.
const EMPTY: f64 = 0.0006;
const EMPTY_OF_FEW: f64 = 0.006;

/// About the shape that the ribbon of so many keys will have.
pub(super) fn planned(keys: u64, rate: f64) -> Result<Shape> {
    let (columns, is_exact) = columns_for(rate);
    let few = LAST_KEYS as u64;
    let has_more = if keys > few { deep_has_more(rate, columns) } else { !is_exact };
    let mut fields = Fields {
        columns,
        deep: columns + u8::from(has_more),
        split: 0,
        value_bits: 0,
        words: [0; LAYERS],
        seeds: [0; LAYERS],
        last: 0,
        last_seed: 0,
    };
    let mut left = keys;
    for k in 0..LAYERS {
        if left <= few {
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
