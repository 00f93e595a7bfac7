//! Looks up a group of keys in a large ribbon. First it prefetches the columns and meanwhile
//! computes everything that does not need them. Then it reads the columns of one key after the
//! other.

use super::ask::{LANES, RibbonForm, halves};
use super::shape::{RibbonShape, bucket_shift, code_in, threshold, word_of_code};
use super::{lowest, product};
use crate::bits::fetch::fetch_at;
use crate::bits::parities::{Eights, Parities};

/// Keys in a group of lookups: one bit each in a mask.
pub(crate) const AHEAD: usize = 32;

/// From this number of words on, columns are prefetched.
pub(super) const FETCH_FROM: usize = 1 << 14;

/// The lower half of a number. No layer has 2^32 words, shards, or slots in a shard.
const HALF: u64 = u32::MAX as u64;

/// The binary logarithm of the slots in a bucket of a large ribbon's first layer.
const BUCKET: u32 = bucket_shift(true);

/// Looks up a group. The result has a bit set for each key that needs the general path.
#[inline(always)]
pub(crate) fn contains_some<F: RibbonForm, P: Parities>(
    shape: &RibbonShape,
    words: &[u64],
    h: &[u64; AHEAD],
    answers: &mut [bool; AHEAD],
) -> u32 {
    let first = shape.first();
    let (Some(eights), Some(codes)) = (Eights::new(words, first.columns), words.get(first.thresholds..))
    else {
        return !0;
    };
    let most = usize::from(first.most_columns());
    // The start of each key in its shard, and the shards.
    let (mut starts, mut shards) = ([0; AHEAD], [0; AHEAD]);
    let (mut coefficients, mut different) = ([0; AHEAD], [0; AHEAD]);
    for i in 0..AHEAD {
        (shards[i], starts[i]) = first.start(h[i]);
        (coefficients[i], different[i]) = product(h[i]);
    }
    let mut places = [0; AHEAD];
    for i in 0..AHEAD {
        starts[i] += (shards[i] & HALF) * (first.slots & HALF);
        let word = starts[i] >> 6;
        places[i] = (word & HALF) * u64::from(first.columns);
        if !F::IS_EVEN {
            places[i] += word.min(first.wide as u64);
        }
    }
    if words.len() >= FETCH_FROM {
        for at in places {
            let at = at as usize;
            fetch_at(words, at);
            fetch_at(words, at + LANES);
            for ahead in (2 * LANES..if F::IS_NARROW { 0 } else { 2 * most }).step_by(LANES) {
                fetch_at(words, at + ahead);
            }
            fetch_at(words, at + 2 * most - 1);
        }
    }
    let mut near = [0; AHEAD];
    for i in 0..AHEAD {
        near[i] = codes.get(word_of_code(starts[i] >> BUCKET, true)).copied().unwrap_or(0);
    }
    let (mut lows, mut highs, mut left) = ([0; AHEAD], [0; AHEAD], 0);
    for i in 0..AHEAD {
        (lows[i], highs[i]) = halves(coefficients[i] | 1, starts[i]);
        let code = code_in(near[i], starts[i] >> BUCKET, true);
        let offset = starts[i] & ((1 << BUCKET) - 1);
        left |= u64::from(offset < threshold(code, true)) << i;
    }
    for i in 0..AHEAD {
        let (at, halves) = (places[i] as usize, (lows[i], highs[i]));
        let has_more = !F::IS_EVEN && (starts[i] >> 6) < first.wide as u64;
        let mut parities = 0;
        match eights.at(at, has_more) {
            Some((a, b)) => parities = P::parities(a, b, halves),
            None => left |= 1 << i,
        }
        // A narrow ribbon has no further columns.
        for from in (LANES..if F::IS_NARROW { 0 } else { most }).step_by(LANES) {
            match eights.at(at + from, has_more) {
                Some((a, b)) => parities |= P::parities(a, b, halves) << from,
                None => left |= 1 << i,
            }
        }
        different[i] ^= parities;
    }
    for i in 0..AHEAD {
        let has_more = !F::IS_EVEN && starts[i] < first.split;
        let columns = u32::from(first.columns) + u32::from(has_more);
        answers[i] = lowest(different[i], columns) == 0;
    }
    left as u32
}
