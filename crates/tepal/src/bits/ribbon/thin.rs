//! A rate between two powers of two: a ribbon for the larger power, and a second ribbon with one
//! column for some of its keys, the *picked* keys (FORMAT.md, section 2.8.1).
//!
//! The keys that start in one bucket of the first layer share a seed, which decides which of them
//! are picked. A non-member is picked with a probability that is the same for every seed, and half
//! of the picked non-members pass. Of the 256 seeds the builder takes the one that picks the fewest
//! of its own keys: that saves more bits than the seed takes.

use super::ask::{self, Any, Even, LANES, RibbonForm, halves};
use super::batch::AHEAD;
#[cfg(test)]
use super::lowest;
use super::rate::columns_for;
use super::shape::{RibbonShape, bucket_shift, pack};
use super::{coefficients, fingerprint};
use crate::bits::fetch::fetch_at;
use crate::bits::parities::Parities;
use crate::error::{Error, Result};

/// Bits of a key's hash that decide whether it is picked.
const PICK_BITS: u32 = 16;
/// Ribbons with fewer keys have no second ribbon: the buckets of their first layer are different.
const LEAST_KEYS: u64 = 2048;
/// The most columns of a ribbon with a second ribbon.
const MOST_COLUMNS: u8 = LANES as u8;
/// The smallest share of picked non-members, in 32nds, for 1 to 5 columns of the first ribbon.
/// There is no second ribbon if the share of picked or of other non-members would be smaller. With
/// up to 3 columns it would save nothing. With more columns, one ribbon with columns of two lengths
/// takes at most 1.02 times the least memory, and lookups in it are faster.
const LEAST_PICKED: [u32; 5] = [3, 3, 4, 6, 9];

/// The place of the second ribbon, and the condition for a key to be in it.
#[derive(Clone, Debug)]
pub(crate) struct Thin {
    /// The second ribbon's shape, as if it stood alone.
    pub(crate) shape: RibbonShape,
    /// Can its keys take the fast path of large ribbons?
    is_usual: bool,
    /// The number of keys in it.
    pub(crate) keys: u64,
    /// The number of picked non-members in 65,536.
    pub(crate) most: u16,
    /// The first word of the seeds, which are one byte each.
    pub(crate) seeds_at: usize,
    /// The first word of the second ribbon.
    pub(crate) at: usize,
}

/// The columns of the first ribbon ([`columns_for`] the rate), and the number of picked non-members
/// in 65,536: the fewest that reach the rate. `None` if a ribbon of this number of keys is better
/// without a second ribbon.
pub(crate) fn picked_for(keys: u64, rate: f64) -> Option<(u8, u16)> {
    let (columns, _) = columns_for(rate);
    let least = LEAST_PICKED.get(usize::from(columns).checked_sub(1)?)? << (PICK_BITS - 5);
    // Half of the picked non-members pass. The computation is exact: no bit is lost.
    let all = 1u32 << PICK_BITS;
    let share = (1.0 - rate * f64::from(1u32 << columns)) * f64::from(2 * all);
    let most = share as u32 + u32::from(share > f64::from(share as u32));
    ((least..=all - least).contains(&most) && keys >= LEAST_KEYS).then_some((columns, most as u16))
}

/// The bits of a key's hash that decide whether it is picked.
#[inline(always)]
pub(crate) const fn pick(h: u64) -> u16 {
    (fingerprint(h) >> (u32::BITS - PICK_BITS)) as u16
}

/// Does this seed pick a key with these bits? It picks exactly `most` of all 65,536, for any seed.
#[inline(always)]
pub(crate) fn is_picked(pick: u16, seed: u8, most: u16) -> bool {
    pick.wrapping_mul(2 * u16::from(seed) + 1) < most
}

/// The seed that picks the fewest of these keys, the smallest one among equals, and the number of
/// keys that it picks.
#[inline(always)]
pub(crate) fn best_seed(most: u16, picks: &[u16]) -> (u8, usize) {
    /// Seeds that are tried at once.
    const AT_ONCE: usize = 32;
    /// The largest count that a 16-bit counter holds.
    const COUNTED: usize = u16::MAX as usize;
    let (mut best, mut least) = (0, usize::MAX);
    for first in (0..256).step_by(AT_ONCE) {
        let factors: [u16; AT_ONCE] = core::array::from_fn(|i| 2 * (first + i as u16) + 1);
        let mut sums = [0; AT_ONCE];
        for picks in picks.chunks(COUNTED) {
            let mut counts = [0u16; AT_ONCE];
            for pick in picks {
                for (count, factor) in counts.iter_mut().zip(factors) {
                    *count += u16::from(pick.wrapping_mul(factor) < most);
                }
            }
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += usize::from(count));
        }
        for (seed, sum) in (first..).zip(sums) {
            if sum < least {
                (best, least) = (seed as u8, sum);
            }
        }
    }
    (best, least)
}

impl Thin {
    /// A second ribbon of this shape behind a first one; refuses shapes that no builder makes.
    pub(crate) fn new(first: &RibbonShape, shape: RibbonShape, keys: u64, most: u16) -> Result<Self> {
        let (fields, own) = (first.fields(), shape.fields());
        let layer = first.first();
        if first.is_all_last() || !layer.is_coarse() || layer.is_moved() {
            return Err(Error::parameter(
                "the first layer before a second ribbon",
                format_args!("{} words, seed {}", fields.words[0], fields.seeds[0]),
                "one of 30 words or more, with seed 0",
            ));
        }
        if fields.columns > MOST_COLUMNS || fields.deep != fields.columns || fields.split != 0 {
            return Err(Error::parameter(
                "the number of columns before a second ribbon",
                format_args!("{}, {} and {}", fields.columns, fields.deep, fields.split),
                "1 to 8, as many in later layers, no words with one more",
            ));
        }
        if (own.columns, own.deep, own.split, own.value_bits) != (1, 1, 0, 0) {
            return Err(Error::parameter(
                "the number of columns of a second ribbon",
                own.columns,
                "1 everywhere",
            ));
        }
        if most == 0 {
            return Err(Error::parameter(
                "the number of keys in 65536 that the second ribbon is for",
                most,
                "1 or more",
            ));
        }
        let seeds = first.first().buckets().div_ceil(8);
        let words = first.words().saturating_add(seeds).saturating_add(shape.words());
        // The words must fit in memory as an array.
        if usize::try_from(words).is_err() {
            return Err(Error::TooLarge { bytes: words.saturating_mul(8) });
        }
        let seeds_at = first.words() as usize;
        Ok(Thin { is_usual: Even::is_of(&shape), shape, keys, most, seeds_at, at: seeds_at + seeds as usize })
    }

    /// Words of both ribbons.
    fn words(&self) -> u64 {
        self.at as u64 + self.shape.words()
    }

    /// The words of the second ribbon, out of the words of both.
    #[inline(always)]
    fn own<'a>(&self, words: &'a [u64]) -> &'a [u64] {
        words.get(self.at..).unwrap_or_default()
    }

    /// The seed of a bucket of the first layer.
    #[inline(always)]
    fn seed(&self, words: &[u64], bucket: u64) -> u8 {
        let word = words.get(self.seeds_at + (bucket >> 3) as usize).copied().unwrap_or(0);
        (word >> (8 * (bucket & 7))) as u8
    }

    /// Is a key with this hash picked?
    #[inline(always)]
    fn is_picked(&self, first: &RibbonShape, words: &[u64], h: u64) -> bool {
        is_picked(pick(h), self.seed(words, bucket(first, h)), self.most)
    }

    /// The seeds as words.
    pub(crate) fn pack(&self, seeds: &[u8], words: &mut [u64]) {
        pack(seeds, u8::BITS, &mut words[self.seeds_at..self.at]);
    }

    /// Checks that unused bits are 0: in the first ribbon, after the last seed, and in the second
    /// ribbon. Otherwise the file is damaged.
    pub(crate) fn check_padding(&self, first: &RibbonShape, words: &[u64]) -> Result<()> {
        let (own, others) = words.split_at_checked(self.seeds_at).unwrap_or((words, &[]));
        first.check_padding(own)?;
        let seeds = first.first().buckets() % 8;
        let last = others.get((self.at - self.seeds_at).wrapping_sub(1)).copied().unwrap_or(0);
        if seeds != 0 && last >> (8 * seeds) != 0 {
            return Err(Error::damaged("bits behind the last seed of the ribbon are set"));
        }
        self.shape.check_padding(self.own(words))
    }

    /// Does the stored bit of a picked key equal the key's own bit? `None` if the key needs the
    /// general path.
    #[inline(always)]
    fn holds(&self, words: &[u64], h: u64) -> Option<bool> {
        match self.is_usual {
            true => self.holds_as::<Even>(words, h),
            false => self.holds_as::<Any>(words, h),
        }
    }

    #[inline(always)]
    fn holds_as<F: RibbonForm>(&self, words: &[u64], h: u64) -> Option<bool> {
        if !F::IS_LARGE && self.shape.is_all_last() {
            return None;
        }
        let (layer, words) = (self.shape.first(), self.own(words));
        let x = if F::IS_LARGE { h } else { layer.hash(h) };
        let start = layer.start_of_all(x);
        let ((low, high), at) = (halves(coefficients(x), start), (start >> 6) as usize);
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let sum = (word(at) & low) ^ (word(at + 1) & high);
        let is_own = (u64::from(sum.count_ones()) ^ fingerprint(h)) & 1 == 0;
        (!layer.is_bumped::<F>(words, start)).then_some(is_own)
    }

    /// [`holds`](Self::holds) by the general path.
    #[inline(always)]
    fn holds_anywhere<P: Parities>(&self, words: &[u64], h: u64) -> bool {
        (ask::value::<P>(&self.shape, self.own(words), h).0 ^ fingerprint(h)) & 1 == 0
    }

    /// Does the stored value of this hash equal its fingerprint, in both ribbons? `None` if the key
    /// needs the general path.
    #[inline(always)]
    pub(crate) fn contains<P: Parities>(&self, first: &RibbonShape, words: &[u64], h: u64) -> Option<bool> {
        if !ask::contains::<Even, P>(first, words, h)? {
            return Some(false);
        }
        if self.is_picked(first, words, h) { self.holds(words, h) } else { Some(true) }
    }

    /// [`contains`](Self::contains) by the general path.
    #[inline(always)]
    pub(crate) fn contains_anywhere<P: Parities>(&self, first: &RibbonShape, words: &[u64], h: u64) -> bool {
        ask::contains_anywhere::<P>(first, words, h)
            && (!self.is_picked(first, words, h) || self.holds_anywhere::<P>(words, h))
    }

    /// The answer computed one column after the other. Tests compare every level with it.
    #[cfg(test)]
    pub(super) fn contains_plainly(&self, first: &RibbonShape, words: &[u64], h: u64) -> bool {
        let (value, columns) = ask::value_plainly(first, words, h);
        let (own, _) = ask::value_plainly(&self.shape, self.own(words), h);
        lowest(value ^ fingerprint(h), columns) == 0
            && (!self.is_picked(first, words, h) || (own ^ fingerprint(h)) & 1 == 0)
    }

    /// Clears the answers for keys of a batch that only the first ribbon holds.
    #[inline(always)]
    pub(crate) fn narrow<P: Parities>(
        &self,
        first: &RibbonShape,
        words: &[u64],
        h: &[u64],
        answers: &mut [bool],
    ) {
        let (mut found, mut picked, mut count) = ([0; AHEAD], [0; AHEAD], 0);
        for (i, answer) in answers.iter().enumerate() {
            found[count] = i;
            count += usize::from(*answer);
        }
        let found = &found[..count];
        count = 0;
        for &i in found {
            picked[count] = i;
            count += usize::from(self.is_picked(first, words, h[i]));
        }
        let (picked, layer) = (&picked[..count], self.shape.first());
        for &i in picked {
            let start = layer.start_of_all(layer.hash(h[i]));
            fetch_at(words, self.at + (start >> 6) as usize);
        }
        for &i in picked {
            answers[i] = match self.holds(words, h[i]) {
                Some(is_held) => is_held,
                None => self.holds_anywhere::<P>(words, h[i]),
            };
        }
    }
}

/// Equal if the ribbon has the same shape and place, for the same keys.
impl PartialEq for Thin {
    fn eq(&self, other: &Thin) -> bool {
        self.most == other.most
            && self.keys == other.keys
            && self.at == other.at
            && self.shape.fields() == other.shape.fields()
    }
}

/// Words of a ribbon and of the second ribbon behind it.
pub(crate) fn words(first: &RibbonShape, thin: Option<&Thin>) -> u64 {
    thin.map_or(first.words(), Thin::words)
}

/// Lines of both ribbons; at least one.
pub(crate) fn lines(first: &RibbonShape, thin: Option<&Thin>) -> u64 {
    words(first, thin).div_ceil(8).max(1)
}

/// The bucket of the first layer in which a key starts, whether the key is there or in a later
/// layer. A first layer with a second ribbon behind it never moves its hashes.
#[inline(always)]
pub(crate) fn bucket(first: &RibbonShape, h: u64) -> u64 {
    first.first().start_of_all(h) >> bucket_shift(true)
}

/// The share of the first ribbon's false positives that also pass the second ribbon.
pub(crate) fn share_of(most: u16) -> f64 {
    1.0 - f64::from(most) / f64::from(2u32 << PICK_BITS)
}
