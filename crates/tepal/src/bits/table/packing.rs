//! The packing of numbers into lines.

use crate::bits::Line;
use crate::bits::mix::number;
use crate::error::{Error, Result};

/// The upper limit of U.
pub(crate) const MOST_NUMBERS: u64 = 1 << 56;
/// Bits of a line before its last field, which records where the line begins.
const LINE_END: u32 = 502;
/// The most bits of a line that record where its buckets are.
const MOST_META: u32 = 192;
/// The most lines after the home lines of the buckets.
pub(crate) const MOST_SPARE: u32 = 64;
/// The most buckets whose home is one line.
const MOST_BUCKETS: u8 = 150;
/// The most buckets of a line in a table with close slots.
const FEW_BUCKETS: u8 = 16;

/// The limit of the file format: 8 TiB.
const MOST_LINES: u64 = crate::bits::shape::MOST_BITS / crate::bits::LINE_BITS;

/// The fields of a packing in a file (FORMAT.md, section 4.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackingFields {
    /// U: every number is below it.
    pub(crate) numbers: u64,
    /// r: bits of the remainder, the part of a number that its slot stores.
    pub(crate) remainder_bits: u8,
    /// B: buckets whose home is one line.
    pub(crate) buckets: u8,
    /// S: slots of a line.
    pub(crate) slots: u8,
    /// v: bits of the tag of a slot.
    pub(crate) tag_bits: u8,
    /// Lines after the home lines of the buckets.
    pub(crate) spare: u32,
}

/// The fields, and constants computed from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    fields: PackingFields,
    /// w: bits of a slot.
    pub(super) width: u32,
    /// M: bits of a line that record where its buckets are.
    pub(super) meta: u32,
    pub(super) lines: u64,
    /// A constant to divide by B.
    reciprocal: u64,
    /// For each word of a line, the bits of the buckets.
    pub(super) meta_masks: [u64; 3],
    /// In a word of slots, the lowest bit of each.
    pub(super) ones: u64,
    /// In a word of slots, the bits that are compared: all but the tags.
    pub(super) compared: u64,
    /// In a word of slots, the highest bit of each.
    pub(super) tops: u64,
    /// Slots in a word.
    pub(super) in_word: u32,
}

/// The place of a number in the table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) line: usize,
    /// The index among the line's own buckets.
    pub(crate) bucket: u32,
    /// The remainder, as a slot with tag 0.
    pub(crate) remainder: u64,
}

impl Packing {
    /// Checks the ranges of FORMAT.md, section 2.7.
    pub(crate) fn new(fields: PackingFields) -> Result<Self> {
        let PackingFields { numbers, remainder_bits: r, buckets: b, slots: s, tag_bits: v, spare } = fields;
        let check = |what, found: u64, range: core::ops::RangeInclusive<u64>| match range.contains(&found) {
            true => Ok(()),
            false => {
                let expected = alloc::format!("{} to {}", range.start(), range.end());
                Err(Error::parameter(what, found, expected))
            }
        };
        check("the number of tag bits of a slot", v.into(), 0..=16)?;
        check("the number of remainder bits of a slot", r.into(), 1..=40)?;
        check("the number of possible fingerprints of a table", numbers, 1..=most_numbers(v.into()))?;
        check("the number of buckets of a line", b.into(), 8..=MOST_BUCKETS.into())?;
        let (width, meta) = (u32::from(r) + u32::from(v), u32::from(b) + u32::from(s) + 8);
        let most_slots = ((LINE_END - 8 - u32::from(b)) / (width + 1)).min(MOST_META - 8 - u32::from(b));
        check("the number of slots of a line", s.into(), 1..=most_slots.into())?;
        check("the number of spare lines of a table", spare.into(), 0..=MOST_SPARE.into())?;
        let lines = home_lines(numbers, r.into(), b.into()) + u64::from(spare);
        check("the number of lines of a table", lines, 1..=MOST_LINES)?;
        let in_word = 64 / width;
        let ones = (0..in_word).fold(0, |ones, i| ones | 1 << (i * width));
        let slot = (1 << width) - 1;
        Ok(Packing {
            fields,
            width,
            meta,
            lines,
            reciprocal: u64::MAX / u64::from(b) + 1,
            meta_masks: core::array::from_fn(|word| low_bits(meta.saturating_sub(64 * word as u32))),
            ones,
            compared: ones * (slot - low_bits(v.into())),
            tops: ones << (width - 1),
            in_word,
        })
    }

    /// The packing with the fewest lines for this number of slots, for evenly spread numbers. At
    /// most 92 % of the slots are used (FORMAT.md, section 5.3).
    pub(crate) fn for_slots(slots: u64, numbers: u64, tag_bits: u8) -> Result<Self> {
        Packing::of_fewest_lines(slots, numbers, tag_bits, MOST_BUCKETS, |home| 6.min(1 + home / 8))
    }

    /// The packing for slots that lie close together, because numbers have many slots each. A line
    /// has few buckets, so that its slots can move on over many lines, and the table has the most
    /// spare lines.
    pub(crate) fn for_close_slots(slots: u64, numbers: u64, tag_bits: u8) -> Result<Self> {
        Packing::of_fewest_lines(slots, numbers, tag_bits, FEW_BUCKETS, |_| MOST_SPARE.into())
    }

    /// Among the packings with the fewest lines: the one with the most slots in a line, then with
    /// the fewest remainder bits, then with the fewest buckets.
    fn of_fewest_lines(
        slots: u64,
        numbers: u64,
        tag_bits: u8,
        most_buckets: u8,
        spare_behind: impl Fn(u64) -> u64,
    ) -> Result<Self> {
        let slots = slots.max(1);
        let mut best: Option<(u64, PackingFields)> = None;
        // Begins with the most remainder bits. So a packing with few lines is found early, and
        // packings with more lines are skipped.
        for remainder_bits in (1..=40u8).rev() {
            let width = u32::from(remainder_bits) + u32::from(tag_bits);
            let fewest = best.map_or(0, |(lines, _)| numbers.div_ceil(lines).div_ceil(1 << remainder_bits));
            for buckets in fewest.max(8)..=most_buckets.into() {
                let s = (u64::from(LINE_END - 8) - buckets) / u64::from(width + 1);
                let home = home_lines(numbers, remainder_bits.into(), buckets);
                let fits = match home {
                    1 => s >= slots,
                    _ => u128::from(slots) * 100 <= u128::from(home) * u128::from(s) * 92,
                };
                // With more buckets there are fewer slots, and more bits that record where the
                // buckets are.
                if s == 0 || buckets + s + 8 > MOST_META.into() || !fits {
                    break;
                }
                let spare = if home == 1 { 0 } else { spare_behind(home) };
                let fields = PackingFields {
                    numbers,
                    remainder_bits,
                    buckets: buckets as u8,
                    slots: s as u8,
                    tag_bits,
                    spare: spare as u32,
                };
                let lines = home + spare;
                let is_better = best.is_none_or(|(least, other)| {
                    (lines, other.slots, remainder_bits) < (least, fields.slots, other.remainder_bits)
                });
                if is_better {
                    best = Some((lines, fields));
                }
            }
        }
        match best {
            Some((_, fields)) => Packing::new(fields),
            None => Err(Error::TooLarge { bytes: slots.saturating_mul(8) }),
        }
    }

    /// The number of slots that the packing is made for.
    #[inline]
    pub(crate) fn room(&self) -> u64 {
        let home = self.lines - u64::from(self.fields.spare);
        match (home, self.fields.spare) {
            (1, 0) => self.fields.slots.into(),
            _ => 92 * home * u64::from(self.fields.slots) / 100,
        }
    }

    /// The fields as a file has them.
    pub(crate) fn fields(&self) -> PackingFields {
        self.fields
    }

    /// U.
    pub(crate) fn numbers(&self) -> u64 {
        self.fields.numbers
    }

    /// B.
    #[inline(always)]
    pub(crate) fn buckets(&self) -> u32 {
        self.fields.buckets.into()
    }

    /// S.
    #[inline(always)]
    pub(crate) fn slots(&self) -> u32 {
        self.fields.slots.into()
    }

    /// v.
    #[inline(always)]
    pub(crate) fn tag_bits(&self) -> u32 {
        self.fields.tag_bits.into()
    }

    /// Lines of the table.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> u64 {
        self.lines.saturating_mul(size_of::<Line>() as u64)
    }

    /// The number of a key with this hash.
    #[inline(always)]
    pub(crate) fn number(&self, h: u64) -> u64 {
        number(h, self.fields.numbers)
    }

    /// The place of a number.
    #[inline(always)]
    pub(crate) fn place(&self, number: u64) -> Place {
        let quotient = number >> self.fields.remainder_bits;
        // Exact, since a quotient is below 2^55 and B below 256.
        let line = ((u128::from(quotient) * u128::from(self.reciprocal)) >> 64) as u64;
        let bucket = (quotient - line * u64::from(self.fields.buckets)) as u32;
        let remainder = number & low_bits(self.fields.remainder_bits.into());
        Place { line: line as usize, bucket, remainder: remainder << self.fields.tag_bits }
    }

    /// The bits of a slot's value in an entry of a stream.
    #[inline(always)]
    pub(super) fn slot_mask(&self) -> u64 {
        low_bits(self.width)
    }
}

/// The largest U with this number of tag bits: a number and its tag fit in one word.
pub(crate) fn most_numbers(tag_bits: u32) -> u64 {
    let with_tag = if tag_bits == 0 { u64::MAX } else { 1 << (64 - tag_bits) };
    with_tag.min(MOST_NUMBERS - 1)
}

/// N: the home lines for this range of numbers.
fn home_lines(numbers: u64, remainder_bits: u32, buckets: u64) -> u64 {
    numbers.div_ceil(buckets << remainder_bits)
}

/// A word whose lowest `bits` bits are 1.
#[inline(always)]
pub(super) const fn low_bits(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
