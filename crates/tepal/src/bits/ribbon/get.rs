//! Looks up the value of a key in a map.
//!
//! As in a filter, nearly every key of a large ribbon is in the first layer and takes the fast
//! path, [`get_near`] or in a batch [`get_some`]. All other keys take the general path, [`get`].

use super::ask::{LANES, Large, halves, value};
use super::batch::{AHEAD, FETCH_FROM};
use super::shape::RibbonShape;
use super::{coefficients, fingerprint, lowest, mask};
use crate::bits::fetch::fetch_at;
use crate::bits::parities::{Eights, Parities};

/// The value of a key from its stored bits and their number. `None` if the fingerprint above the
/// value does not match, or the value is above the largest value of the map.
#[inline(always)]
fn value_of(shape: &RibbonShape, (stored, columns): (u64, u32), greatest: u32, h: u64) -> Option<u32> {
    let value_bits = shape.fields().value_bits.into();
    let value = (lowest(stored, value_bits) ^ mask(h, value_bits)) as u32;
    let is_its_own = lowest(stored >> value_bits ^ fingerprint(h), columns - value_bits) == 0;
    (is_its_own && value <= greatest).then_some(value)
}

/// The value stored for this hash. The general path.
#[inline(always)]
pub(crate) fn get<P: Parities>(shape: &RibbonShape, words: &[u64], greatest: u32, h: u64) -> Option<u32> {
    value_of(shape, value::<P>(shape, words, h), greatest, h)
}

/// [`get`] in a large ribbon. `None` if the key needs the general path.
#[inline(always)]
pub(crate) fn get_near<P: Parities>(
    shape: &RibbonShape,
    words: &[u64],
    greatest: u32,
    h: u64,
) -> Option<Option<u32>> {
    get_from::<P>(shape, words, greatest, shape.first().start_of_all(h), h)
}

/// [`get_near`] of a key with this start in the first layer.
#[inline(always)]
fn get_from<P: Parities>(
    shape: &RibbonShape,
    words: &[u64],
    greatest: u32,
    start: u64,
    h: u64,
) -> Option<Option<u32>> {
    let first = shape.first();
    if first.is_bumped::<Large>(words, start) {
        return None;
    }
    let place = first.place::<Large>(start);
    let eights = Eights::new(words, first.columns)?;
    let stored = place.value::<P>(eights, halves(coefficients(h), start))?;
    Some(value_of(shape, (stored, place.columns.into()), greatest, h))
}

/// Looks up at most [`AHEAD`] keys in a large ribbon. The result has a bit set for each key that
/// needs the general path. `answers` is as long as `h`.
#[inline(always)]
pub(crate) fn get_some<P: Parities>(
    shape: &RibbonShape,
    words: &[u64],
    greatest: u32,
    h: &[u64],
    answers: &mut [Option<u32>],
) -> u32 {
    let (mut starts, first) = ([0; AHEAD], shape.first());
    let behind = 2 * usize::from(first.most_columns()) - 1;
    for (start, &h) in starts.iter_mut().zip(h) {
        *start = first.start_of_all(h);
        if words.len() >= FETCH_FROM {
            let (at, mut ahead) = (first.place::<Large>(*start).at, 0);
            while ahead < behind {
                fetch_at(words, at + ahead);
                ahead += LANES;
            }
            fetch_at(words, at + behind);
        }
    }
    let mut left = 0;
    for (i, ((answer, &start), &h)) in answers.iter_mut().zip(&starts).zip(h).enumerate() {
        match get_from::<P>(shape, words, greatest, start, h) {
            Some(found) => *answer = found,
            None => left |= 1 << i,
        }
    }
    left
}
