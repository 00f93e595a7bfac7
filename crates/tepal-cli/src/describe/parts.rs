//! The parts of a filter as data: its Bloom filters, its tables, its segments, its window.

use serde::Serialize;
use tepal::facts::{PartFacts, SegmentFacts, TableFacts, Window, WindowFacts};

/// A segment.
#[derive(Debug, Serialize)]
pub struct SegmentOf {
    /// Its number.
    pub number: u16,
    /// Its name; null where it has none.
    pub name: Option<String>,
    /// How many keys it has: different numbers.
    pub keys: u64,
}

/// How long an expiring filter keeps keys.
#[derive(Debug, Serialize)]
pub struct WindowOf {
    /// What the window counts: `time` in seconds, or `keys`.
    pub unit: &'static str,
    /// How much of that.
    pub length: u64,
    /// In how many generations it is counted: keys stay for up to one more.
    pub generations: u8,
    /// The latest time that it was told, null before it was told any; of keys, how many came.
    pub now: Option<u64>,
    /// Different keys that are still in now, by this machine's clock.
    pub still_in: f64,
}

/// One Bloom filter of a file.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Bits set for each key.
    pub num_hashes: u32,
    /// Bits of the array.
    pub bit_len: u64,
    /// Keys it was planned for; null when not recorded.
    pub capacity: Option<u64>,
    /// Keys given to it; null when not known.
    pub keys_inserted: Option<u64>,
    /// Bits that are set.
    pub set_bits: u64,
    /// Their share.
    pub fill_ratio: f64,
    /// Wrong answers among keys that are not in it, now.
    pub false_positive_rate: f64,
}

/// One table of numbers of a file.
#[derive(Debug, Serialize)]
pub struct Table {
    /// How many numbers there are.
    pub numbers: u64,
    /// Bits of a number that stand in its slot.
    pub remainder_bits: u8,
    /// Bits of a slot that count copies; 0 where they are not counted.
    pub count_bits: u8,
    /// Lines, of 64 bytes each.
    pub lines: u64,
    /// Buckets that a line is home to.
    pub buckets_per_line: u8,
    /// Slots of a line.
    pub slots_per_line: u8,
    /// Slots of all lines, and those that are taken.
    pub slots: u64,
    pub taken_slots: u64,
    /// The share of these.
    pub load: f64,
    /// Different numbers in it.
    pub distinct_numbers: u64,
    /// Bits of the table for each slot that is taken; for each key of the capacity where none is.
    pub bits_per_key: f64,
}

impl SegmentOf {
    pub(super) fn of(facts: &SegmentFacts) -> Self {
        Self { number: facts.number, name: facts.name.clone(), keys: facts.keys }
    }
}

impl WindowOf {
    pub(super) fn of(facts: WindowFacts, still_in: f64) -> Option<Self> {
        let (unit, length) = match facts.window {
            Window::Time(length) => ("time", length),
            Window::Keys(keys) => ("keys", keys),
            _ => return None,
        };
        Some(Self { unit, length, generations: facts.generations, now: facts.now, still_in })
    }
}

impl Part {
    pub(super) fn of(part: &PartFacts, has_plan: bool) -> Self {
        Self {
            num_hashes: part.num_hashes,
            bit_len: part.bit_len,
            capacity: has_plan.then_some(part.capacity),
            keys_inserted: part.keys_inserted,
            set_bits: part.set_bits,
            fill_ratio: part.fill_ratio(),
            false_positive_rate: part.false_positive_rate,
        }
    }
}

impl Table {
    pub(super) fn of(table: &TableFacts) -> Self {
        Self {
            numbers: table.numbers,
            remainder_bits: table.remainder_bits,
            count_bits: table.tag_bits,
            lines: table.lines,
            buckets_per_line: table.buckets,
            slots_per_line: table.slots,
            slots: slots(table),
            taken_slots: table.taken_slots,
            load: table.load(),
            distinct_numbers: table.distinct_numbers,
            bits_per_key: table.bits_per_key(),
        }
    }
}

/// The share of all slots that are taken.
pub fn load(tables: &[TableFacts]) -> f64 {
    let taken: u64 = tables.iter().map(|table| table.taken_slots).sum();
    taken as f64 / tables.iter().map(slots).sum::<u64>() as f64
}

/// Slots of all lines of a table.
fn slots(table: &TableFacts) -> u64 {
    table.lines * u64::from(table.slots)
}
