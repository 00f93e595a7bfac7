//! The value of a key.

use super::shape::{Layer, Shape};
use super::{coefficients, fingerprint, last, lowest};
use crate::bits::kernel::fetch_line;

/// Where the value of a key is in a layer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    /// The first columns' words of the slots from the start on, and of the 64 after these.
    at: usize,
    next: usize,
    /// The coefficients of either.
    low: u64,
    high: u64,
    /// Columns of the key.
    columns: u32,
    /// It is not here, but in a later layer.
    is_bumped: bool,
}

/// Columns that are read at once.
const LANES: usize = 8;

impl Layer {
    #[inline(always)]
    pub(crate) fn place(&self, words: &[u64], h: u64) -> Place {
        let x = self.hash(h);
        let (start, c) = (self.start_of_all(x), coefficients(x));
        let (word, shift) = ((start >> 6) as usize, start & 63);
        let at = self.at + self.columns * word + word.min(self.wide);
        let offset = start & ((1 << self.bucket_shift) - 1);
        Place {
            at,
            next: at + self.columns + usize::from(word < self.wide),
            low: c << shift,
            high: (c >> 1) >> (63 - shift),
            columns: self.columns as u32 + u32::from(start < self.split),
            is_bumped: offset < self.threshold(self.code(words, start >> self.bucket_shift)),
        }
    }
}

impl Place {
    /// The parities of all columns.
    #[inline(always)]
    fn value(&self, words: &[u64]) -> u64 {
        let mut value = 0;
        for from in (0..self.columns as usize).step_by(LANES) {
            value |= self.parities(words, from) << from;
        }
        lowest(value, self.columns)
    }

    /// The parities of a few columns: of more than the key has, where that has fewer.
    #[inline(always)]
    fn parities(&self, words: &[u64], from: usize) -> u64 {
        let (at, next) = (self.at + from, self.next + from);
        let (Some(a), Some(b)) = (words.get(at..at + LANES), words.get(next..next + LANES)) else {
            return self.parities_at_the_end(words, from);
        };
        let mut bits = [0; LANES];
        for i in 0..LANES {
            let ones = ((a[i] & self.low) ^ (b[i] & self.high)).count_ones();
            bits[i] = u64::from(ones & 1) << i;
        }
        bits.iter().fold(0, |all, bit| all | bit)
    }

    /// The same where no further words follow.
    #[cold]
    #[inline(never)]
    fn parities_at_the_end(&self, words: &[u64], from: usize) -> u64 {
        (from..self.columns as usize).take(LANES).fold(0, |value, column| {
            let word = |at: usize| words.get(at + column).copied().unwrap_or(0);
            let ones = ((word(self.at) & self.low) ^ (word(self.next) & self.high)).count_ones();
            value | u64::from(ones & 1) << (column - from)
        })
    }
}

/// The value of a key, and how many columns it has.
#[inline(always)]
fn value_at(shape: &Shape, words: &[u64], place: &Place, h: u64) -> (u64, u32) {
    if place.is_bumped { deep_value(shape, words, h) } else { (place.value(words), place.columns) }
}

/// The same of a key that is not in the first layer.
#[cold]
#[inline(never)]
fn deep_value(shape: &Shape, words: &[u64], h: u64) -> (u64, u32) {
    for layer in shape.layers().iter().skip(1) {
        let place = layer.place(words, h);
        if !place.is_bumped {
            return (place.value(words), place.columns);
        }
    }
    let fields = shape.fields();
    let last = words.get(shape.last_at()..).unwrap_or_default();
    (last::value(last, fields.last, fields.deep, fields.last_seed, h), fields.deep.into())
}

/// Is what is stored for this hash its fingerprint?
#[inline(always)]
pub(crate) fn contains(shape: &Shape, words: &[u64], h: u64) -> bool {
    if shape.is_all_last() {
        return is_fingerprint(deep_value(shape, words, h), h);
    }
    is_fingerprint(value_at(shape, words, &shape.first().place(words, h), h), h)
}

#[inline(always)]
fn is_fingerprint((value, columns): (u64, u32), h: u64) -> bool {
    (value ^ fingerprint(h)) << (64 - columns) == 0
}

/// How many keys are on their way at once.
const AHEAD: usize = 32;

/// Answers a batch; `answers` is as long as `h`.
#[inline(always)]
pub(crate) fn contains_many(shape: &Shape, words: &[u64], h: &[u64], answers: &mut [bool]) {
    if shape.is_all_last() {
        let answer = |h: &u64| is_fingerprint(deep_value(shape, words, *h), *h);
        return answers.iter_mut().zip(h).for_each(|(to, h)| *to = answer(h));
    }
    let first = shape.first();
    let mut places = [Place::default(); AHEAD];
    for (h, answers) in h.chunks(AHEAD).zip(answers.chunks_mut(AHEAD)) {
        for (place, &h) in places.iter_mut().zip(h) {
            *place = first.place(words, h);
            let last = (place.next + place.columns as usize - 1).min(words.len() - 1);
            for at in (place.at..last).step_by(LANES) {
                fetch_line(&words[at]);
            }
            fetch_line(&words[last]);
        }
        for ((answer, place), &h) in answers.iter_mut().zip(&places).zip(h) {
            *answer = is_fingerprint(value_at(shape, words, place, h), h);
        }
    }
}
