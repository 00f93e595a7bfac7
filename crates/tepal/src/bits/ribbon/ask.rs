//! The value of a key.
//!
//! Nearly every key is in the first layer, and has words behind its own: these go the short way, [`contains`], which holds eight
//! columns at once against the fingerprint and leaves at the first eight that differ. All others go the long way,
//! [`contains_anywhere`].

use super::shape::{Layer, Shape, bucket_shift, code, threshold};
use super::{coefficients, fingerprint, last, lowest};
use crate::bits::kernel::{fetch_word, two_eights};

/// Columns that are read at once.
pub(super) const LANES: usize = 8;

/// What of a ribbon is known before it is asked, so that nobody looks for it with every key.
pub(crate) trait Form {
    /// No key of the first layer has more columns than are read at once, and that layer is large and its hashes are the keys'.
    const IS_USUAL: bool;
    /// And all its keys have as many.
    const IS_EVEN: bool;
}

/// A form that every ribbon has.
pub(crate) struct Any;
/// That of a large ribbon of at most eight columns.
pub(crate) struct Usual;
/// That of one whose keys all have as many columns.
pub(crate) struct Even;

impl Form for Any {
    const IS_USUAL: bool = false;
    const IS_EVEN: bool = false;
}

impl Form for Usual {
    const IS_USUAL: bool = true;
    const IS_EVEN: bool = false;
}

impl Form for Even {
    const IS_USUAL: bool = true;
    const IS_EVEN: bool = true;
}

impl Usual {
    pub(crate) fn is_of(shape: &Shape) -> bool {
        let first = shape.first();
        !shape.is_all_last() && first.is_coarse() && !first.is_moved() && first.most_columns() <= LANES
    }
}

impl Even {
    pub(crate) fn is_of(shape: &Shape) -> bool {
        Usual::is_of(shape) && shape.first().split == 0
    }
}

/// Where the value of a key is in a layer.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The first columns' words of the slots from the start on.
    pub(super) at: usize,
    /// So many words behind are those of the 64 slots after these.
    pub(super) step: usize,
    /// Columns of the key.
    pub(super) columns: usize,
}

impl Layer {
    /// Where the value of a key is that starts here.
    #[inline(always)]
    pub(super) fn place<F: Form>(&self, start: u64) -> Place {
        let word = (start >> 6) as usize;
        // A usual one is the first.
        let at = if F::IS_USUAL { 0 } else { self.at } + self.columns * word;
        match F::IS_EVEN {
            true => Place { at, step: self.columns, columns: self.columns },
            false => Place {
                at: at + word.min(self.wide),
                step: self.columns + usize::from(word < self.wide),
                columns: self.columns + usize::from(start < self.split),
            },
        }
    }

    /// Is a key that starts here in a later layer?
    #[inline(always)]
    pub(super) fn is_bumped<F: Form>(&self, words: &[u64], start: u64) -> bool {
        let is_coarse = F::IS_USUAL || self.is_coarse();
        let offset = start & ((1 << bucket_shift(is_coarse)) - 1);
        let code = code(words, self.thresholds, start >> bucket_shift(is_coarse), is_coarse);
        offset < threshold(code, is_coarse)
    }

    #[inline(always)]
    fn hash_as<F: Form>(&self, h: u64) -> u64 {
        if F::IS_USUAL { h } else { self.hash(h) }
    }
}

/// The coefficients of a key for the slots of its first word, and for those of the next.
#[inline(always)]
pub(super) fn halves(c: u64, start: u64) -> (u64, u64) {
    let shift = start & 63;
    (c << shift, (c >> 1) >> (63 - shift))
}

/// For each number of columns, the lowest bit in the first lane, the next one in the second, and so on.
static LANE_BITS: [[u64; LANES]; LANES + 1] = {
    let mut bits = [[0; LANES]; LANES + 1];
    let mut i = 0;
    while i < (LANES + 1) * LANES {
        let (columns, lane) = (i / LANES, i % LANES);
        bits[columns][lane] = if lane < columns { 1 << lane } else { 0 };
        i += 1;
    }
    bits
};

impl Place {
    /// Is the beginning of a value here, that is eight columns of it, or all? Nothing where too few words follow to look at eight.
    #[inline(always)]
    fn begins<F: Form>(self, words: &[u64], (low, high): (u64, u64), value: u64) -> Option<bool> {
        let (a, b) = two_eights(words, self.at, self.step)?;
        let columns = if F::IS_USUAL { self.columns } else { self.columns.min(LANES) };
        let bits = LANE_BITS.get(columns)?;
        let mut different = 0;
        for i in 0..LANES {
            let ones = u64::from(((a[i] & low) ^ (b[i] & high)).count_ones());
            different |= (ones << i ^ value) & bits[i];
        }
        Some(different == 0)
    }

    /// Is the rest of a value here, whose first eight columns are?
    #[inline(always)]
    fn goes_on(mut self, words: &[u64], halves: (u64, u64), mut value: u64) -> Option<bool> {
        while self.columns > LANES {
            self = Place { at: self.at + LANES, columns: self.columns - LANES, ..self };
            value >>= LANES;
            if !self.begins::<Any>(words, halves, value)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The parities of all columns.
    #[inline(always)]
    fn value(self, words: &[u64], (low, high): (u64, u64)) -> u64 {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        (self.at..).take(self.columns).enumerate().fold(0, |value, (column, at)| {
            let ones = ((word(at) & low) ^ (word(at + self.step) & high)).count_ones();
            value | u64::from(ones & 1) << column
        })
    }
}

/// The value of a key, and how many columns it has.
#[inline(always)]
pub(super) fn value(shape: &Shape, words: &[u64], h: u64) -> (u64, u32) {
    for layer in shape.layers() {
        let x = layer.hash(h);
        let start = layer.start_of_all(x);
        if !layer.is_bumped::<Any>(words, start) {
            let place = layer.place::<Any>(start);
            return (place.value(words, halves(coefficients(x), start)), place.columns as u32);
        }
    }
    let fields = shape.fields();
    let last = words.get(shape.last_at()..).unwrap_or_default();
    (last::value(last, fields.last, fields.deep, fields.last_seed, h), fields.deep.into())
}

/// Is what is stored for this hash its fingerprint? The long way.
#[inline(always)]
pub(crate) fn contains_anywhere(shape: &Shape, words: &[u64], h: u64) -> bool {
    let (value, columns) = value(shape, words, h);
    lowest(value ^ fingerprint(h), columns) == 0
}

/// The same for nearly every key; nothing for one that has to go the long way.
#[inline(always)]
pub(crate) fn contains<F: Form>(shape: &Shape, words: &[u64], h: u64) -> Option<bool> {
    let first = shape.first();
    if !F::IS_USUAL && shape.is_all_last() {
        return None;
    }
    let x = first.hash_as::<F>(h);
    let start = first.start_of_all(x);
    if first.is_bumped::<F>(words, start) {
        return None;
    }
    let (place, halves, value) = (first.place::<F>(start), halves(coefficients(x), start), fingerprint(h));
    let begins = place.begins::<F>(words, halves, value);
    match !F::IS_USUAL && begins == Some(true) {
        true => place.goes_on(words, halves, value),
        false => begins,
    }
}

/// How many keys are on their way at once: a bit each of a mask.
pub(crate) const AHEAD: usize = 32;

/// Answers for so many; the bits of those that have to go the long way are set in what it gives.
#[inline(always)]
pub(crate) fn contains_some<F: Form>(
    shape: &Shape,
    words: &[u64],
    h: &[u64; AHEAD],
    answers: &mut [bool; AHEAD],
) -> u32 {
    let first = shape.first();
    if !F::IS_USUAL && shape.is_all_last() {
        return !0;
    }
    // Words of a key at the most, but one.
    let behind = 2 * first.most_columns();
    let mut starts = [0; AHEAD];
    for (start, &h) in starts.iter_mut().zip(h) {
        *start = first.start_of_all(first.hash_as::<F>(h));
        let at = first.place::<F>(*start).at;
        fetch_word(words, at);
        fetch_word(words, at + LANES);
        if !F::IS_USUAL {
            (2 * LANES..behind).step_by(LANES).for_each(|ahead| fetch_word(words, at + ahead));
        }
        fetch_word(words, at + behind - 1);
    }
    let mut left = 0;
    for i in 0..AHEAD {
        let (start, x) = (starts[i], first.hash_as::<F>(h[i]));
        let (place, halves, value) =
            (first.place::<F>(start), halves(coefficients(x), start), fingerprint(h[i]));
        let mut is_held = place.begins::<F>(words, halves, value);
        if !F::IS_USUAL && is_held == Some(true) {
            is_held = place.goes_on(words, halves, value);
        }
        answers[i] = is_held == Some(true);
        left |= u32::from(is_held.is_none() | first.is_bumped::<F>(words, start)) << i;
    }
    left
}
