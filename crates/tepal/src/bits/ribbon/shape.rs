//! The places of all parts of a ribbon.

use super::STEP;
use crate::bits::mix::{finish, unfinish};
use crate::bits::rule::reduce;
use crate::error::{Error, Result};

/// The most layers; the last slots are not counted.
pub(crate) const LAYERS: usize = 8;
/// The most keys in the last slots; a ribbon with at most this number has only last slots.
pub(crate) const LAST_KEYS: usize = 256;
/// The most last slots.
pub(crate) const MOST_LAST: u16 = 256;
/// The most columns of a fingerprint.
pub(crate) const MOST_COLUMNS: u8 = 32;
/// The most columns of a value.
pub(crate) const MOST_VALUE_BITS: u8 = 32;
/// The fewest words of a column in a shard, if there are several shards.
const SHARD_WORDS: u64 = 1024;
/// Layers with at least this number of words in a column have coarse thresholds.
const COARSE_FROM: u32 = 30;
/// The threshold of each code in a coarse layer, one byte each.
const COARSE: u32 = 0x80_24_0C_00;

/// The fields of a ribbon in the header of its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RibbonFields {
    /// Columns of the first layer.
    pub(crate) columns: u8,
    /// Columns of the later layers and of the last slots.
    pub(crate) deep: u8,
    /// The number of first words of the first layer whose keys have one more column.
    pub(crate) split: u32,
    /// Words of a column in each layer; 0 for a layer that does not exist.
    pub(crate) words: [u32; LAYERS],
    /// The seed that moves the hashes in each layer.
    pub(crate) seeds: [u8; LAYERS],
    /// The number of last slots.
    pub(crate) last: u16,
    /// The seed of their coefficients.
    pub(crate) last_seed: u8,
    /// The number of columns that hold a value, the lowest ones; 0 in a filter.
    pub(crate) value_bits: u8,
}

impl RibbonFields {
    /// Refuses fields that no ribbon has.
    pub(crate) fn check(&self) -> Result<()> {
        if self.value_bits > MOST_VALUE_BITS {
            return Err(Error::parameter("the number of bits of a value", self.value_bits, "32 at most"));
        }
        let most = MOST_COLUMNS + self.value_bits;
        if !(self.value_bits.max(1)..=most).contains(&self.columns) {
            let expected = "1 to 32, or in a map those of the value and at most 32 more";
            return Err(Error::parameter("the number of columns of a ribbon", self.columns, expected));
        }
        if self.deep != self.columns && self.deep != self.columns + 1 || self.deep > most {
            let expected = "those of the first layer, or one more, and at most 32 beside a value";
            return Err(Error::parameter(
                "the number of columns of the later layers of a ribbon",
                self.deep,
                expected,
            ));
        }
        let depth = self.depth();
        let is_layer = |words: &u32| *words >= 2 && is_even((*words).into());
        if !self.words[..depth].iter().all(is_layer) || self.words[depth..].iter().any(|words| *words != 0) {
            return Err(Error::parameter(
                "the size of the layers of a ribbon in words",
                format_args!("{:?}", self.words),
                "that of whole shards",
            ));
        }
        if self.seeds[depth..].iter().any(|seed| *seed != 0) || self.last == 0 && self.last_seed != 0 {
            return Err(Error::damaged("a seed of the ribbon is that of no layer"));
        }
        let bucket = if self.words[0] >= COARSE_FROM { 2 } else { 1 };
        if self.split > self.words[0]
            || self.split > 0 && self.columns == most
            || self.split % bucket != 0 && self.split != self.words[0]
        {
            let expected =
                "whole buckets of the first layer, and none where there are 32 columns beside a value";
            return Err(Error::parameter("the number of words with one column more", self.split, expected));
        }
        if self.last > MOST_LAST {
            return Err(Error::parameter("the number of last slots of a ribbon", self.last, "256 at most"));
        }
        Ok(())
    }

    /// Columns of the first layer that hold a fingerprint.
    pub(crate) fn print_columns(&self) -> u8 {
        self.columns - self.value_bits
    }

    /// The number of layers.
    fn depth(&self) -> usize {
        self.words.iter().take_while(|words| **words > 0).count()
    }
}

/// The shards of a layer with this number of words.
fn shards_of(words: u64) -> u64 {
    (words / SHARD_WORDS).max(1)
}

/// Do all shards have the same number of words, and several shards only whole buckets?
fn is_even(words: u64) -> bool {
    let shards = shards_of(words);
    shards == 1 || words % (2 * shards) == 0
}

/// The binary logarithm of the slots in a bucket.
#[inline(always)]
pub(crate) const fn bucket_shift(is_coarse: bool) -> u32 {
    if is_coarse { 7 } else { 6 }
}

/// The code of a bucket; `thresholds` is the first word of the codes.
#[inline(always)]
pub(crate) fn code(words: &[u64], thresholds: usize, bucket: u64, is_coarse: bool) -> u64 {
    code_in(words[thresholds + word_of_code(bucket, is_coarse)], bucket, is_coarse)
}

/// The index of the word that has the code of a bucket.
#[inline(always)]
pub(super) const fn word_of_code(bucket: u64, is_coarse: bool) -> usize {
    (bucket >> if is_coarse { 5 } else { 4 }) as usize
}

/// The code of a bucket in that word.
#[inline(always)]
pub(super) const fn code_in(word: u64, bucket: u64, is_coarse: bool) -> u64 {
    if is_coarse { word >> ((2 * bucket) & 62) & 3 } else { word >> ((4 * bucket) & 60) & 15 }
}

/// Packs numbers of this many bits into words, from the lowest bit on.
pub(super) fn pack(numbers: &[u8], bits: u32, words: &mut [u64]) {
    for (word, numbers) in words.iter_mut().zip(numbers.chunks((64 / bits) as usize)) {
        *word = numbers.iter().rev().fold(0, |word, number| word << bits | u64::from(*number));
    }
}

/// The threshold of a code: keys that start below it in their bucket are in the next layer.
#[inline(always)]
pub(crate) fn threshold(code: u64, is_coarse: bool) -> u64 {
    if is_coarse { u64::from(COARSE >> (8 * code) & 0xFF) } else { 4 * code + code / 15 * 4 }
}

/// One layer: a row of slots, in shards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) shards: u64,
    /// Slots of a shard.
    pub(crate) slots: u64,
    /// Starts in a shard.
    pub(crate) starts: u64,
    /// Columns; keys that start before slot `split` have one more.
    pub(crate) columns: u8,
    pub(crate) split: u64,
    /// Words that have the additional column.
    pub(crate) wide: usize,
    /// The first word of the columns.
    pub(crate) at: usize,
    /// The first word of the thresholds.
    pub(crate) thresholds: usize,
    /// The binary logarithm of the slots in a bucket.
    pub(crate) bucket_shift: u32,
    /// Columns that hold a value, the lowest ones.
    pub(crate) value_bits: u32,
    /// The number added to a hash before it is mixed; 0 in the first layer with seed 0.
    moved: u64,
}

impl Layer {
    /// Layer `k`, with places as if it stood alone.
    pub(crate) fn new(fields: &RibbonFields, k: usize) -> Self {
        let (columns, split) = if k == 0 { (fields.columns, fields.split) } else { (fields.deep, 0) };
        let words = u64::from(fields.words[k].max(1));
        let shards = shards_of(words);
        let slots = words / shards * 64;
        Layer {
            shards,
            slots,
            starts: slots - 63,
            columns,
            split: u64::from(split) * 64,
            wide: if split == 0 { 0 } else { u64::from(split).saturating_add(1).min(words) as usize },
            at: 0,
            thresholds: 0,
            bucket_shift: bucket_shift(words >= COARSE_FROM.into()),
            value_bits: fields.value_bits.into(),
            moved: STEP.wrapping_mul(256 * k as u64 + u64::from(fields.seeds[k])),
        }
    }

    /// Words of a column for this number of keys. There are 0.95 slots for each key, or 0.9 if the
    /// keys are few.
    pub(crate) fn words_for(keys: u64) -> Result<u32> {
        let too_large = || Error::TooLarge { bytes: keys.saturating_mul(8) };
        if keys < 2048 {
            return Ok(((keys * 90 + 3200) / 6400).max(2) as u32);
        }
        let words = u32::try_from((u128::from(keys) * 95 + 3200) / 6400).map_err(|_| too_large())?;
        let shards = words / SHARD_WORDS as u32;
        Ok(if shards < 2 { words } else { words / (2 * shards) * (2 * shards) })
    }

    /// Words of a column in a shard.
    pub(crate) fn words_of_shard(&self) -> usize {
        (self.slots / 64) as usize
    }

    #[inline(always)]
    pub(crate) fn is_coarse(&self) -> bool {
        self.bucket_shift == bucket_shift(true)
    }

    /// Does the layer change the hashes of its keys?
    #[inline(always)]
    pub(crate) fn is_moved(&self) -> bool {
        self.moved != 0
    }

    /// The largest number of columns of a key.
    #[inline(always)]
    pub(crate) fn most_columns(&self) -> u8 {
        self.columns + u8::from(self.split > 0)
    }

    /// Words of all columns.
    pub(crate) fn column_words(&self) -> u64 {
        self.shards * self.slots / 64 * u64::from(self.columns) + self.wide as u64
    }

    /// Words of all columns of a shard.
    pub(crate) fn column_words_of(&self, shard: usize) -> usize {
        self.words_of_shard() * usize::from(self.columns) + self.wide_of(shard)
    }

    /// The words of the additional column in a shard.
    pub(crate) fn wide_of(&self, shard: usize) -> usize {
        let words = self.words_of_shard();
        self.wide.saturating_sub(shard * words).min(words)
    }

    pub(crate) fn buckets_of_shard(&self) -> u64 {
        self.slots.div_ceil(1 << self.bucket_shift)
    }

    pub(crate) fn buckets(&self) -> u64 {
        self.shards * self.buckets_of_shard()
    }

    /// Bits of a threshold's code.
    fn code_bits(&self) -> u32 {
        if self.is_coarse() { 2 } else { 4 }
    }

    /// Words of the thresholds.
    pub(crate) fn threshold_words(&self) -> u64 {
        (self.buckets() * u64::from(self.code_bits())).div_ceil(64)
    }

    /// The codes of all buckets as words.
    pub(crate) fn pack(&self, codes: &[u8], words: &mut [u64]) {
        pack(codes, self.code_bits(), words);
    }

    /// The code of a bucket.
    pub(crate) fn code(&self, words: &[u64], bucket: u64) -> u64 {
        code(words, self.thresholds, bucket, self.is_coarse())
    }

    /// The threshold of a code.
    #[inline(always)]
    pub(crate) fn threshold(&self, code: u64) -> u64 {
        threshold(code, self.is_coarse())
    }

    /// The smallest code that puts this offset of a bucket into the next layer.
    pub(crate) fn code_above(&self, offset: u64) -> u64 {
        (0..16).find(|code| self.threshold(*code) > offset).unwrap_or(0)
    }

    /// The hash of a key in this layer, from the key's hash.
    #[inline(always)]
    pub(crate) fn hash(&self, h: u64) -> u64 {
        if self.is_moved() { finish(h.wrapping_add(self.moved)) } else { h }
    }

    /// The key's hash, from its hash in this layer.
    #[inline(always)]
    pub(crate) fn unhash(&self, x: u64) -> u64 {
        if self.is_moved() { unfinish(x).wrapping_sub(self.moved) } else { x }
    }

    /// The shard of a key, and its start there.
    #[inline(always)]
    pub(crate) fn start(&self, x: u64) -> (u64, u64) {
        (reduce(x, self.shards), reduce(x.wrapping_mul(self.shards), self.starts))
    }

    /// The smallest hash, in this layer, of a key in this shard or a later one.
    pub(crate) fn first_of(&self, shard: u64) -> u64 {
        (u128::from(shard) << 64).div_ceil(self.shards.into()).try_into().unwrap_or(u64::MAX)
    }

    /// The start of a key among all slots of the layer.
    #[inline(always)]
    pub(crate) fn start_of_all(&self, x: u64) -> u64 {
        let (shard, start) = self.start(x);
        shard * self.slots + start
    }
}

/// The places of all parts of a ribbon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RibbonShape {
    fields: RibbonFields,
    layers: [Layer; LAYERS],
    depth: usize,
    /// The first word of the last slots.
    last_at: usize,
    words: u64,
}

impl RibbonShape {
    /// The shape of fields that were checked.
    pub(crate) fn new(fields: RibbonFields) -> Result<Self> {
        let depth = fields.depth();
        let mut layers: [Layer; LAYERS] = core::array::from_fn(|k| Layer::new(&fields, k));
        let there = &mut layers[..depth];
        let (columns, thresholds) = (
            there.iter().map(Layer::column_words).sum::<u64>(),
            there.iter().map(Layer::threshold_words).sum::<u64>(),
        );
        let last = (u64::from(fields.last) * u64::from(fields.deep)).div_ceil(64);
        let words = columns + thresholds + last;
        // The words must fit in memory as an array.
        if usize::try_from(words).is_err() {
            return Err(Error::TooLarge { bytes: words.saturating_mul(8) });
        }
        let (mut at, mut thresholds_at) = (0, columns);
        for layer in there {
            (layer.at, layer.thresholds) = (at as usize, thresholds_at as usize);
            at += layer.column_words();
            thresholds_at += layer.threshold_words();
        }
        Ok(RibbonShape { fields, layers, depth, last_at: thresholds_at as usize, words })
    }

    pub(crate) fn fields(&self) -> &RibbonFields {
        &self.fields
    }

    /// The layers that exist.
    #[inline(always)]
    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers[..self.depth]
    }

    /// The first layer; an empty layer if there is none.
    #[inline(always)]
    pub(crate) fn first(&self) -> &Layer {
        &self.layers[0]
    }

    #[inline(always)]
    pub(crate) fn is_all_last(&self) -> bool {
        self.depth == 0
    }

    /// Does it hold no key?
    pub(crate) fn is_empty(&self) -> bool {
        self.is_all_last() && self.fields.last == 0
    }

    /// The first word of the last slots.
    pub(crate) fn last_at(&self) -> usize {
        self.last_at
    }

    /// Words of the whole ribbon.
    pub(crate) fn words(&self) -> u64 {
        self.words
    }

    /// Lines of the whole ribbon; at least one.
    pub(crate) fn lines(&self) -> u64 {
        self.words.div_ceil(8).max(1)
    }

    /// Checks that unused bits are 0: after the last code of a layer, and after the last slots.
    /// Otherwise the ribbon is damaged.
    pub(crate) fn check_padding(&self, words: &[u64]) -> Result<()> {
        let is_clear_from = |at: usize, bits: u64| {
            let word = at + (bits / 64) as usize;
            bits % 64 == 0 || words.get(word).is_some_and(|word| word >> (bits % 64) == 0)
        };
        let codes =
            |layer: &Layer| is_clear_from(layer.thresholds, layer.buckets() * u64::from(layer.code_bits()));
        let last = u64::from(self.fields.last) * u64::from(self.fields.deep);
        let behind = words.get(self.words as usize..).unwrap_or_default();
        let is_clear = self.layers().iter().all(codes)
            && is_clear_from(self.last_at, last)
            && behind.iter().all(|word| *word == 0);
        match is_clear {
            true => Ok(()),
            false => Err(Error::damaged("bits of the ribbon are set that stand for nothing")),
        }
    }
}
