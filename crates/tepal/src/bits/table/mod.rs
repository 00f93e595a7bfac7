//! A sorted multiset of numbers in lines: the table of the quotient kinds (FORMAT.md, section 2.7).
//!
//! A key is a number below U. The number's upper part, its quotient, says in which bucket of which
//! line it stands; the rest, its remainder, stands there. How numbers are packed is in [`packing`],
//! one line in [`mod@line`], the table as a stream of numbers and back in [`stream`], one number
//! more or fewer in [`change`], what that moves from line to line in [`push`] and [`pull`], the
//! same numbers in another packing in [`relay`], tags that say when a number came in [`tagged`],
//! numbers with several tags in [`several`].
//!
//! The lines follow from the packing and the numbers alone, whatever was done before.

pub(crate) mod change;
pub(crate) mod line;
pub(crate) mod packing;
mod pull;
mod push;
pub(crate) mod relay;
pub(crate) mod several;
pub(crate) mod stream;
pub(crate) mod tagged;

use super::Line;
use super::fetch::{fetch_at, fetch_line};
pub(crate) use super::mix::spread;
use line::{ByArithmetic, Select};
use packing::{Packing, Place};

/// The hash that is spread so: the reverse of [`spread`].
#[inline(always)]
#[cfg_attr(not(any(test, feature = "parallel")), allow(dead_code))]
pub(crate) const fn gather(spread: u64) -> u64 {
    let h = spread.wrapping_mul(0xF1DE_83E1_9937_733D);
    h ^ (h >> 32)
}

/// Is the number of this hash held?
#[inline(always)]
pub(crate) fn contains<S: Select>(packing: &Packing, lines: &[Line], h: u64) -> bool {
    let place = packing.place(packing.number(h));
    // Where the bucket goes on in the next line, that one is on its way already.
    fetch_at(lines, place.line + 1);
    contains_at::<S>(packing, lines, place)
}

#[inline(always)]
fn contains_at<S: Select>(packing: &Packing, lines: &[Line], place: Place) -> bool {
    let look = line::look::<S>(packing, &lines[place.line], place.bucket, place.remainder);
    // One branch, which is seldom taken: what the answer is cannot be guessed.
    if look.goes_on & !look.is_held { goes_on(packing, lines, place) } else { look.is_held }
}

/// [`contains_at`] where the bucket is not all in its own line.
#[cold]
#[inline(never)]
fn goes_on(packing: &Packing, lines: &[Line], place: Place) -> bool {
    let mut behind = 0;
    for line in &lines[place.line + 1..] {
        behind += packing.buckets();
        let begins = line::begins_before(line);
        // The line begins with buckets of its own, or behind this one.
        if begins == 0 || place.bucket + begins < behind {
            return false;
        }
        let number = place.bucket + begins - behind;
        let look = line::look_at::<ByArithmetic>(packing, line, number, place.remainder);
        if look.is_held || !look.goes_on {
            return look.is_held;
        }
    }
    false
}

/// How many keys are on their way at once.
const AHEAD: usize = 32;

/// Answers a batch; `answers` is as long as `h`.
#[inline(always)]
pub(crate) fn contains_many<S: Select>(packing: &Packing, lines: &[Line], h: &[u64], answers: &mut [bool]) {
    for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
        let mut places = [Place::default(); AHEAD];
        for (place, &h) in places.iter_mut().zip(h) {
            *place = packing.place(packing.number(h));
            fetch_line(&lines[place.line]);
        }
        for (answer, &place) in answers.iter_mut().zip(&places) {
            *answer = contains_at::<S>(packing, lines, place);
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "std"))]
pub(crate) mod vectors;
