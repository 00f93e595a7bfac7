//! Looks up the value of a key.
//!
//! Nearly every key of a large ribbon is in the first layer and takes the fast path, [`contains`]
//! or in a batch [`contains_some`](super::batch::contains_some): eight columns at a time are
//! compared with its fingerprint. All other keys take the general path, [`contains_anywhere`].

use alloc::vec::Vec;

use super::shape::{Layer, RibbonShape, bucket_shift, code, threshold};
use super::{coefficients, fingerprint, last, lowest};
use crate::bits::parities::{Eights, Parities};

/// The number of columns that are read at once.
pub(super) const LANES: usize = 8;

/// Properties of a ribbon that are known before a lookup, so that no lookup has to test them.
pub(crate) trait RibbonForm {
    /// The first layer is large, and the hash of a key there is the key's hash itself.
    const IS_LARGE: bool;
    /// Also, no key of that layer has more columns than are read at once.
    const IS_NARROW: bool;
    /// Also, all keys have the same number of columns.
    const IS_EVEN: bool;
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $is_large:literal, $is_narrow:literal, $is_even:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl RibbonForm for $name {
            const IS_LARGE: bool = $is_large;
            const IS_NARROW: bool = $is_narrow;
            const IS_EVEN: bool = $is_even;
        }
    )*};
}

forms! {
    /// The form of every ribbon, and of each layer.
    Any: false, false, false;
    /// The form of a large ribbon.
    Large: true, false, false;
    /// The form of a large ribbon with at most eight columns.
    Narrow: true, true, false;
    /// The form of a large ribbon with at most eight columns, the same number for all keys.
    Even: true, true, true;
}

impl Large {
    pub(crate) fn is_of(shape: &RibbonShape) -> bool {
        let first = shape.first();
        !shape.is_all_last() && first.is_coarse() && !first.is_moved()
    }
}

impl Narrow {
    pub(crate) fn is_of(shape: &RibbonShape) -> bool {
        Large::is_of(shape) && usize::from(shape.first().most_columns()) <= LANES
    }
}

impl Even {
    pub(crate) fn is_of(shape: &RibbonShape) -> bool {
        Narrow::is_of(shape) && shape.first().split == 0
    }
}

/// The place of a key's value in a layer.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The word of the first column, in the slots of the start.
    pub(super) at: usize,
    /// Do these slots have one column more than the layer?
    pub(super) has_more: bool,
    /// Columns of the key.
    pub(super) columns: u8,
}

impl Layer {
    /// The place of the value of a key with this start.
    #[inline(always)]
    pub(super) fn place<F: RibbonForm>(&self, start: u64) -> Place {
        let word = (start >> 6) as usize;
        let at = self.at + usize::from(self.columns) * word;
        match F::IS_EVEN {
            true => Place { at, has_more: false, columns: self.columns },
            false => Place {
                at: at + word.min(self.wide),
                has_more: word < self.wide,
                columns: self.columns + u8::from(start < self.split),
            },
        }
    }

    /// Is a key with this start in a later layer?
    #[inline(always)]
    pub(super) fn is_bumped<F: RibbonForm>(&self, words: &[u64], start: u64) -> bool {
        let is_coarse = F::IS_LARGE || self.is_coarse();
        let offset = start & ((1 << bucket_shift(is_coarse)) - 1);
        let code = code(words, self.thresholds, start >> bucket_shift(is_coarse), is_coarse);
        offset < threshold(code, is_coarse)
    }
}

/// The coefficients of a key for the slots of its first word, and for the slots of the next word.
#[inline(always)]
pub(super) fn halves(c: u64, start: u64) -> (u64, u64) {
    let shift = start & 63;
    (c << shift, (c >> 1) >> (63 - shift))
}

impl Place {
    /// Does this place hold `value`? `None` if too few words follow to read eight.
    #[inline(always)]
    fn holds<F: RibbonForm, P: Parities>(
        self,
        eights: Eights<'_>,
        halves: (u64, u64),
        value: u64,
    ) -> Option<bool> {
        let (first, second) = eights.at(self.at, self.has_more)?;
        let different = P::parities(first, second, halves) ^ value;
        if F::IS_NARROW || usize::from(self.columns) <= LANES {
            return Some(different & ((1 << (self.columns & 15)) - 1) == 0);
        }
        if different as u8 != 0 {
            return Some(false);
        }
        for from in (LANES..usize::from(self.columns)).step_by(LANES) {
            let (first, second) = eights.at(self.at + from, self.has_more)?;
            let different = P::parities(first, second, halves) ^ (value >> from & 0xFF);
            if lowest(different, u32::from(self.columns) - from as u32) != 0 {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The parities of all columns, eight at a time. `None` if too few words follow.
    #[inline(always)]
    pub(super) fn value<P: Parities>(self, eights: Eights<'_>, halves: (u64, u64)) -> Option<u64> {
        let (mut all, mut from) = (0, 0);
        while from < usize::from(self.columns) {
            let (first, second) = eights.at(self.at + from, self.has_more)?;
            all |= P::parities(first, second, halves) << from;
            from += LANES;
        }
        Some(lowest(all, self.columns.into()))
    }

    /// The parities of all columns, one after the other.
    fn value_by_columns(self, layer: &Layer, words: &[u64], (low, high): (u64, u64)) -> u64 {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let step = usize::from(layer.columns) + usize::from(self.has_more);
        (self.at..).take(self.columns.into()).enumerate().fold(0, |value, (column, at)| {
            let ones = ((word(at) & low) ^ (word(at + step) & high)).count_ones();
            value | u64::from(ones & 1) << column
        })
    }
}

/// The layer of a key, its hash there and its start. `None` if the key is in the last slots.
#[inline(always)]
fn layer_of<'a>(shape: &'a RibbonShape, words: &[u64], h: u64) -> Option<(&'a Layer, u64, u64)> {
    for layer in shape.layers() {
        let x = layer.hash(h);
        let start = layer.start_of_all(x);
        if !layer.is_bumped::<Any>(words, start) {
            return Some((layer, x, start));
        }
    }
    None
}

/// The value of a key in the last slots.
#[inline(always)]
fn last_value(shape: &RibbonShape, words: &[u64], h: u64) -> u64 {
    let fields = shape.fields();
    let last = words.get(shape.last_at()..).unwrap_or_default();
    last::value(last, fields.last, fields.deep, fields.last_seed, h)
}

/// The value of a key and its number of columns.
#[inline(always)]
pub(super) fn value<P: Parities>(shape: &RibbonShape, words: &[u64], h: u64) -> (u64, u32) {
    let Some((layer, x, start)) = layer_of(shape, words, h) else {
        return (last_value(shape, words, h), shape.fields().deep.into());
    };
    let (place, halves) = (layer.place::<Any>(start), halves(coefficients(x), start));
    // No closures here: a closure may not use the CPU features of a level's function.
    if let Some(eights) = Eights::new(words, layer.columns) {
        if let Some(value) = place.value::<P>(eights, halves) {
            return (value, place.columns.into());
        }
    }
    (place.value_by_columns(layer, words, halves), place.columns.into())
}

/// The slots whose values add up to the value of a key, each with its value, and the key's number
/// of columns: for a program that draws them.
pub(crate) fn terms(shape: &RibbonShape, words: &[u64], h: u64) -> (Vec<(u64, u64)>, u32) {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let Some((layer, x, start)) = layer_of(shape, words, h) else {
        let fields = shape.fields();
        let last = words.get(shape.last_at()..).unwrap_or_default();
        return (last::terms(last, fields.last, fields.deep, fields.last_seed, h), fields.deep.into());
    };
    let place = layer.place::<Any>(start);
    let step = usize::from(layer.columns) + usize::from(place.has_more);
    let coefficients = coefficients(x);
    let chosen = (0..64).filter(|i| coefficients >> i & 1 == 1).map(|i| start + i);
    let value = |slot: u64| {
        let first = if slot >> 6 == start >> 6 { place.at } else { place.at + step };
        (0..place.columns)
            .fold(0, |value, column| value | (word(first + usize::from(column)) >> (slot & 63) & 1) << column)
    };
    (chosen.map(|slot| (slot, value(slot))).collect(), place.columns.into())
}

/// The value of a key, one column after the other. Tests compare every level with it.
#[cfg(test)]
pub(super) fn value_plainly(shape: &RibbonShape, words: &[u64], h: u64) -> (u64, u32) {
    let Some((layer, x, start)) = layer_of(shape, words, h) else {
        return (last_value(shape, words, h), shape.fields().deep.into());
    };
    let place = layer.place::<Any>(start);
    (place.value_by_columns(layer, words, halves(coefficients(x), start)), place.columns.into())
}

/// Does the stored value of this hash equal its fingerprint? The general path.
#[inline(always)]
pub(crate) fn contains_anywhere<P: Parities>(shape: &RibbonShape, words: &[u64], h: u64) -> bool {
    if shape.is_empty() {
        return false;
    }
    let (value, columns) = value::<P>(shape, words, h);
    lowest(value ^ fingerprint(h), columns) == 0
}

/// [`contains_anywhere`] for nearly every key of a large ribbon. `None` if the key needs the
/// general path.
#[inline(always)]
pub(crate) fn contains<F: RibbonForm, P: Parities>(
    shape: &RibbonShape,
    words: &[u64],
    h: u64,
) -> Option<bool> {
    let first = shape.first();
    let start = first.start_of_all(h);
    if first.is_bumped::<F>(words, start) {
        return None;
    }
    let eights = Eights::new(words, first.columns)?;
    first.place::<F>(start).holds::<F, P>(eights, halves(coefficients(h), start), fingerprint(h))
}
