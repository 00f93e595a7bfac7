//! Code that the kinds of one table share: each holds a [`TableCore`], and defines what a tag
//! means.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::join::{Join, in_either};
use super::lines::{Counts, Table};
use crate::bits::table::stream::Stream;
use crate::error::{Error, Result};
use crate::facts::{Labels, TableFacts};
use crate::ids::OverCapacity;
use crate::key::{KeyHasher, KeyRef};
use crate::kinds::bloom::after;

/// The number of keys whose lines are prefetched at once.
pub(super) const AHEAD: usize = 16;

/// A batch is sorted and merged if it has at least this many keys, and at least one for each
/// `SORTED_SHARE` slots that are taken.
const SORTED_FROM: usize = 4096;
const SORTED_SHARE: u64 = 8;

/// A table, and its promise.
#[derive(Clone)]
pub(super) struct TableCore {
    pub(super) table: Table,
    pub(super) meta: TableMeta,
    /// The slots for which the filter was planned.
    room: u64,
    /// The most different fingerprints, or pairs, that it may hold.
    most: u64,
}

/// All properties of a filter but its table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableMeta {
    pub(crate) keys: KeyHasher,
    pub(crate) over_capacity: OverCapacity,
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
    pub(crate) labels: Option<Box<Labels>>,
}

impl TableCore {
    /// `room`: the slots for which the filter was planned.
    pub(super) fn new(meta: TableMeta, table: Table, room: u64) -> Self {
        let by_rate = meta.promised_rate * table.packing().numbers() as f64;
        TableCore { table, meta, room, most: room.max(by_rate as u64) }
    }

    /// U: the number of possible fingerprints.
    pub(super) fn numbers(&self) -> u64 {
        self.table.packing().numbers()
    }

    pub(super) fn tag_bits(&self) -> u8 {
        self.table.packing().fields().tag_bits
    }

    /// The slots for which a new table is laid out: those of this table, but at most the planned
    /// number while it has fewer. The capacity that a file claims makes no table larger by itself.
    pub(super) fn usual_slots(&self) -> u64 {
        self.table.laid_for(self.room)
    }

    /// Lays the table out for the slots in it.
    pub(super) fn shrink_to_fit(&mut self, tag_bits: u8) -> Result<()> {
        self.table.check_before_copying()?;
        self.table.lay_out_tags(tag_bits, self.table.slots().max(1))
    }

    /// Looks up a key outside of the usual scheme, domain or recipe.
    #[inline(never)]
    pub(super) fn contains_any(&self, key: &KeyRef<'_>) -> bool {
        self.meta.keys.is_in_any(key, |hash| self.table.contains(hash))
    }

    /// Whether this is more than the promise allows.
    pub(super) fn is_over_capacity(&self, held: u64) -> bool {
        held > self.most
    }

    /// Whether a filter that holds this much takes nothing new.
    #[inline]
    pub(super) fn is_full(&self, held: u64) -> bool {
        self.meta.over_capacity == OverCapacity::Refuse && held >= self.most
    }

    #[cold]
    pub(super) fn full(&self) -> Error {
        Error::CapacityReached { capacity: self.meta.capacity, inserted: 0 }
    }

    /// Refuses to hold more than the promise allows, if the policy is to refuse.
    pub(super) fn check_room(&self, held: u64) -> Result<()> {
        let refuses = self.meta.over_capacity == OverCapacity::Refuse;
        if refuses && held > self.most { Err(self.full()) } else { Ok(()) }
    }

    /// Whether sorting and merging a batch is faster than inserting one key after the other.
    pub(super) fn is_sorted_quicker(&self, keys: usize) -> bool {
        keys >= SORTED_FROM && keys as u64 >= self.table.slots() / SORTED_SHARE
    }

    /// The table with the fingerprints of these hashes added, all with this tag, laid out for at
    /// least `slots` slots.
    pub(super) fn with_hashes(&self, join: Join, hashes: Vec<u64>, tag: u64, slots: u64) -> Result<Table> {
        self.table.check_before_copying()?;
        let (mut new, tag_bits) = (hashes, self.tag_bits());
        new.iter_mut().for_each(|hash| *hash = self.table.number(*hash) << tag_bits | tag);
        new.sort_unstable();
        let added = || Stream::of(new.iter().copied());
        let entries = || in_either(join, tag_bits, self.table.stream(), added());
        self.laid_out(&|_| slots, &entries)
    }

    /// A table of these entries, laid out for at least `slots` slots. Refuses more entries than the
    /// promise allows.
    pub(super) fn laid_out<'e>(
        &self,
        slots: &dyn Fn(&Counts) -> u64,
        entries: &dyn Fn() -> Stream<'e>,
    ) -> Result<Table> {
        let tag_bits = self.tag_bits();
        let counts = Counts::of(entries(), tag_bits);
        counts.check_copies(tag_bits)?;
        self.check_room(counts.numbers)?;
        Table::of_counted(self.numbers(), tag_bits, slots(&counts), counts, entries)
    }

    /// All fingerprints with their tags.
    fn tagged(&self) -> impl Iterator<Item = (u64, u64)> {
        let tag_bits = self.tag_bits();
        self.table.entries().map(move |entry| (entry >> tag_bits, entry & ((1 << tag_bits) - 1)))
    }

    /// Checks the properties that must be equal to combine two filters of any kind.
    pub(super) fn check_compatible(&self, other: &TableCore) -> Result<()> {
        self.meta.keys.check_same(&other.meta.keys)?;
        check_equal(
            "the number of possible fingerprints (capacity / rate)",
            &self.numbers(),
            &other.numbers(),
        )
    }

    /// Checks both tables before their fingerprints are copied into a third one.
    pub(super) fn check_both(&self, other: &TableCore) -> Result<()> {
        self.table.check_before_copying()?;
        other.table.check_before_copying()
    }

    /// The facts about the table, with its number of keys, if that is known.
    pub(super) fn table_facts(&self, keys: Option<u64>) -> Vec<TableFacts> {
        let (fields, table) = (self.table.packing().fields(), &self.table);
        alloc::vec![TableFacts {
            numbers: fields.numbers,
            remainder_bits: fields.remainder_bits,
            tag_bits: fields.tag_bits,
            buckets: fields.buckets,
            slots: fields.slots,
            lines: table.packing().lines(),
            taken_slots: table.slots(),
            keys: keys.unwrap_or(table.slots()),
            distinct_numbers: table.distinct(),
            capacity: self.meta.capacity,
        }]
    }
}

/// Two are equal if they have one hasher, and the same fingerprints with the same tags.
impl PartialEq for TableCore {
    fn eq(&self, other: &TableCore) -> bool {
        self.check_compatible(other).is_ok() && self.tagged().eq(other.tagged())
    }
}

/// The error for a property in which two filters differ.
pub(super) fn check_equal(property: &'static str, a: &dyn ToString, b: &dyn ToString) -> Result<()> {
    match (a.to_string(), b.to_string()) {
        (a, b) if a == b => Ok(()),
        (expected, found) => Err(Error::Incompatible { property, expected, found }),
    }
}

/// Inserts hashes one after the other; the memory accesses of several run at the same time.
pub(super) fn one_by_one<F>(
    filter: &mut F,
    core: impl Fn(&F) -> &TableCore,
    hashes: &[u64],
    mut insert: impl FnMut(&mut F, u64) -> Result<bool>,
) -> Result<()> {
    for (done, ahead) in (0..).step_by(AHEAD).zip(hashes.chunks(AHEAD)) {
        let table = &core(filter).table;
        ahead.iter().for_each(|&hash| table.fetch(table.number(hash)));
        for (i, &hash) in ahead.iter().enumerate() {
            insert(filter, hash).map_err(after(done + i))?;
        }
    }
    Ok(())
}
