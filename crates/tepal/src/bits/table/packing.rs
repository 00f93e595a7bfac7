//! How numbers are packed into lines.

use crate::bits::Line;
use crate::bits::mix::number;
use crate::error::{Error, Result};

/// No number is as large.
pub(crate) const MOST_NUMBERS: u64 = 1 << 56;
/// Bits of a line before its last field, which says where it begins.
const LINE_END: u32 = 502;
/// The most bits of a line that say where its buckets are.
const MOST_META: u32 = 192;
/// The most lines behind those that are home to a bucket.
pub(crate) const MOST_SPARE: u32 = 64;
/// The most buckets that a line is home to.
const MOST_BUCKETS: u8 = 150;
/// The most buckets of a line in a table whose slots lie close together.
const FEW_BUCKETS: u8 = 16;

/// As many as one file can describe: 8 TiB.
const MOST_LINES: u64 = crate::bits::shape::MOST_BITS / crate::bits::LINE_BITS;

/// What a file says of a packing (FORMAT.md, section 4.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    /// U: every number is below it.
    pub(crate) numbers: u64,
    /// r: bits of a number that stand in its slot.
    pub(crate) remainder_bits: u8,
    /// B: buckets that a line is home to.
    pub(crate) buckets: u8,
    /// S: slots of a line.
    pub(crate) slots: u8,
    /// v: bits of a slot beside the remainder.
    pub(crate) tag_bits: u8,
    /// Lines behind those that are home to a bucket.
    pub(crate) spare: u32,
}

/// The same, made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    fields: Fields,
    /// w: bits of a slot.
    pub(super) width: u32,
    /// M: bits of a line that say where its buckets are.
    pub(super) meta: u32,
    pub(super) lines: u64,
    /// Divides by B.
    reciprocal: u64,
    /// Of the words of a line, the bits of the buckets.
    pub(super) meta_masks: [u64; 3],
    /// In a word of slots, the lowest bit of each.
    pub(super) ones: u64,
    /// In a word of slots, the bits that are compared: not those of tags.
    pub(super) compared: u64,
    /// In a word of slots, the highest bit of each.
    pub(super) tops: u64,
    /// Slots in a word.
    pub(super) in_word: u32,
}

/// Where a number stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) line: usize,
    /// Which of the line's own.
    pub(crate) bucket: u32,
    /// The remainder, as a slot with tag 0.
    pub(crate) remainder: u64,
}

impl Packing {
    /// Checks the ranges of FORMAT.md, section 2.7.
    pub(crate) fn new(fields: Fields) -> Result<Self> {
        let Fields { numbers, remainder_bits: r, buckets: b, slots: s, tag_bits: v, spare } = fields;
        let check = |what, found: u64, range: core::ops::RangeInclusive<u64>| match range.contains(&found) {
            true => Ok(()),
            false => {
                let expected = alloc::format!("{} to {}", range.start(), range.end());
                Err(Error::parameter(what, found, expected))
            }
        };
        check("the tag bits of a slot", v.into(), 0..=16)?;
        check("the remainder bits of a slot", r.into(), 1..=40)?;
        check("the numbers of a table", numbers, 1..=most_numbers(v.into()))?;
        check("the buckets of a line", b.into(), 8..=MOST_BUCKETS.into())?;
        let (width, meta) = (u32::from(r) + u32::from(v), u32::from(b) + u32::from(s) + 8);
        let most_slots = ((LINE_END - 8 - u32::from(b)) / (width + 1)).min(MOST_META - 8 - u32::from(b));
        check("the slots of a line", s.into(), 1..=most_slots.into())?;
        check("the spare lines of a table", spare.into(), 0..=MOST_SPARE.into())?;
        let lines = home_lines(numbers, r.into(), b.into()) + u64::from(spare);
        check("the lines of a table", lines, 1..=MOST_LINES)?;
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

    /// The one that takes the fewest lines for so many slots, where numbers are evenly spread; at
    /// most 92 of 100 slots are taken (FORMAT.md, section 5.3).
    pub(crate) fn for_slots(slots: u64, numbers: u64, tag_bits: u8) -> Result<Self> {
        Packing::of_fewest_lines(slots, numbers, tag_bits, MOST_BUCKETS, |home| 6.min(1 + home / 8))
    }

    /// The same for slots that lie close together, as the slots of numbers do that have many each.
    /// A line has few buckets, so that a line can take the slots of lines far before it, and all
    /// spare lines follow.
    pub(crate) fn for_close_slots(slots: u64, numbers: u64, tag_bits: u8) -> Result<Self> {
        Packing::of_fewest_lines(slots, numbers, tag_bits, FEW_BUCKETS, |_| MOST_SPARE.into())
    }

    /// Of the packings with the fewest lines the one with the most slots a line, then with the
    /// least remainder bits, then with the fewest buckets.
    fn of_fewest_lines(
        slots: u64,
        numbers: u64,
        tag_bits: u8,
        most_buckets: u8,
        spare_behind: impl Fn(u64) -> u64,
    ) -> Result<Self> {
        let slots = slots.max(1);
        let mut best: Option<(u64, Fields)> = None;
        // From above, so that few lines are found early: packings that have more need not be tried.
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
                // With more buckets there are fewer slots, and more bits that say where buckets
                // are.
                if s == 0 || buckets + s + 8 > MOST_META.into() || !fits {
                    break;
                }
                let spare = if home == 1 { 0 } else { spare_behind(home) };
                let fields = Fields {
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

    /// So many slots it is the packing for.
    #[inline]
    pub(crate) fn room(&self) -> u64 {
        let home = self.lines - u64::from(self.fields.spare);
        match (home, self.fields.spare) {
            (1, 0) => self.fields.slots.into(),
            _ => 92 * home * u64::from(self.fields.slots) / 100,
        }
    }

    /// What a file says of it.
    pub(crate) fn fields(&self) -> Fields {
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

    /// Where a number stands.
    #[inline(always)]
    pub(crate) fn place(&self, number: u64) -> Place {
        let quotient = number >> self.fields.remainder_bits;
        // Exact: a quotient is below 2^55, and B below 256.
        let line = ((u128::from(quotient) * u128::from(self.reciprocal)) >> 64) as u64;
        let bucket = (quotient - line * u64::from(self.fields.buckets)) as u32;
        let remainder = number & low_bits(self.fields.remainder_bits.into());
        Place { line: line as usize, bucket, remainder: remainder << self.fields.tag_bits }
    }

    /// A slot's value in a stream of entries.
    #[inline(always)]
    pub(super) fn slot_mask(&self) -> u64 {
        low_bits(self.width)
    }
}

/// The most numbers, where slots have so many tag bits: a number with its tag is one word.
pub(crate) fn most_numbers(tag_bits: u32) -> u64 {
    let with_tag = if tag_bits == 0 { u64::MAX } else { 1 << (64 - tag_bits) };
    with_tag.min(MOST_NUMBERS - 1)
}

/// N: the lines that are home to so many numbers.
fn home_lines(numbers: u64, remainder_bits: u32, buckets: u64) -> u64 {
    numbers.div_ceil(buckets << remainder_bits)
}

/// A word whose first so many bits are 1.
#[inline(always)]
pub(super) const fn low_bits(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
