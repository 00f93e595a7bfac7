//! The value of a key in a map.

use super::ask::{Any, LANES, halves, value};
use super::batch::AHEAD;
use super::shape::Shape;
use super::{coefficients, fingerprint, lowest, mask};
use crate::bits::kernel::{Eights, Parities, fetch_word};

/// The value that is stored for this hash; none where the fingerprint above it is another one, or the value is above the greatest there is.
#[inline(always)]
pub(crate) fn get<P: Parities>(shape: &Shape, words: &[u64], greatest: u32, h: u64) -> Option<u32> {
    let start = if shape.is_all_last() { 0 } else { start_of(shape, h) };
    value_from::<P>(shape, words, greatest, start, h)
}

/// Where a key starts in the first layer.
#[inline(always)]
fn start_of(shape: &Shape, h: u64) -> u64 {
    let first = shape.first();
    first.start_of_all(first.hash(h))
}

/// The same for a key that starts here in the first layer, where there is one.
#[inline(always)]
fn value_from<P: Parities>(shape: &Shape, words: &[u64], greatest: u32, start: u64, h: u64) -> Option<u32> {
    let first = shape.first();
    let (mut stored, mut columns) = (None, 0);
    if !shape.is_all_last() && !first.is_bumped::<Any>(words, start) {
        let place = first.place::<Any>(start);
        if let Some(eights) = Eights::new(words, first.columns) {
            stored = place.value::<P>(eights, halves(coefficients(first.hash(h)), start));
            columns = place.columns.into();
        }
    }
    let (stored, columns) = match stored {
        Some(stored) => (stored, columns),
        None => value::<P>(shape, words, h),
    };
    let value_bits = shape.fields().value_bits.into();
    let value = (lowest(stored, value_bits) ^ mask(h, value_bits)) as u32;
    let is_its_own = lowest(stored >> value_bits ^ fingerprint(h), columns - value_bits) == 0;
    (is_its_own && value <= greatest).then_some(value)
}

/// Answers a batch; `answers` is as long as `h`.
#[inline(always)]
pub(crate) fn get_many<P: Parities>(
    shape: &Shape,
    words: &[u64],
    greatest: u32,
    h: &[u64],
    answers: &mut [Option<u32>],
) {
    let mut starts = [0; AHEAD];
    let behind = 2 * usize::from(shape.first().most_columns());
    for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
        if !shape.is_all_last() {
            for (start, &h) in starts.iter_mut().zip(h) {
                *start = start_of(shape, h);
                let at = shape.first().place::<Any>(*start).at;
                (0..behind).step_by(LANES).for_each(|ahead| fetch_word(words, at + ahead));
                fetch_word(words, at + behind - 1);
            }
        }
        for ((answer, &start), &h) in answers.iter_mut().zip(&starts).zip(h) {
            *answer = value_from::<P>(shape, words, greatest, start, h);
        }
    }
}
