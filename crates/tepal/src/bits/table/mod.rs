//! A sorted multiset of numbers in lines: the table of the quotient kinds (FORMAT.md, section 2.7).
//!
//! A key is a number below U. The upper part of the number, its quotient, gives the bucket and its
//! line; the rest, its remainder, is stored in a slot.
//!
//! [`packing`] packs numbers into lines, [`mod@line`] reads one line. [`stream`] converts between a
//! table and a stream of numbers. [`change`] inserts and removes one number; [`push`] and [`pull`]
//! then move slots from line to line. [`relay`] writes a table with another packing. In [`tagged`]
//! a tag records the time of a number; in [`several`] a number can have several tags.
//!
//! The packing and the numbers alone determine the lines; the order of earlier changes has no
//! effect.

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

/// The hash of a spread hash: the reverse of [`spread`].
#[inline(always)]
#[cfg_attr(not(any(test, feature = "parallel")), allow(dead_code))]
pub(crate) const fn gather(spread: u64) -> u64 {
    let h = spread.wrapping_mul(0xF1DE_83E1_9937_733D);
    h ^ (h >> 32)
}

/// Is the number of this hash in the table?
#[inline(always)]
pub(crate) fn contains<S: Select>(packing: &Packing, lines: &[Line], h: u64) -> bool {
    let place = packing.place(packing.number(h));
    // Prefetches the next line, in which the bucket may continue.
    fetch_at(lines, place.line + 1);
    contains_at::<S>(packing, lines, place)
}

#[inline(always)]
fn contains_at<S: Select>(packing: &Packing, lines: &[Line], place: Place) -> bool {
    let look = line::look::<S>(packing, &lines[place.line], place.bucket, place.remainder);
    // Branches on whether the bucket continues, which is seldom true: the CPU cannot predict the
    // answer.
    if look.goes_on & !look.is_held { goes_on(packing, lines, place) } else { look.is_held }
}

/// [`contains_at`] for a bucket that is not wholly in its own line.
#[cold]
#[inline(never)]
fn goes_on(packing: &Packing, lines: &[Line], place: Place) -> bool {
    let mut behind = 0;
    for line in &lines[place.line + 1..] {
        behind += packing.buckets();
        let begins = line::begins_before(line);
        // The line begins with a bucket of its own, or with one after this bucket.
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

/// The number of keys in a group of lookups.
const AHEAD: usize = 32;

/// Looks up a batch; `answers` is as long as `h`.
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
