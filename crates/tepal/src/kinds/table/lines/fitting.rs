//! Finds a packing that fits the fingerprints.

use alloc::vec::Vec;

use crate::bits::table::packing::{MOST_SPARE, Packing};
use crate::bits::table::stream::{self, Stream, Writer};
use crate::bits::{self, Line};
use crate::error::{Error, Result};

/// Lines for at least this many slots, with these ascending entries; for more slots if they do not
/// fit.
pub(crate) fn laid_out<'e>(
    numbers: u64,
    tag_bits: u8,
    slots: u64,
    entries: &dyn Fn() -> Stream<'e>,
) -> Result<(Packing, Vec<Line>)> {
    let fit = |packing: &Packing| -> Result<Option<Vec<Line>>> {
        let mut lines = bits::zeroed(packing.lines())?;
        Ok(stream::write(packing, entries(), &mut lines).is_ok().then_some(lines))
    };
    let usual = fitting(Tables::Usual, numbers, tag_bits, slots, fit);
    let is_clustered = matches!(usual, Err(Error::NumbersClustered { .. }));
    if is_clustered && are_spread(numbers, tag_bits, slots, entries().map(|entry| entry >> tag_bits)) {
        return fitting(Tables::Close, numbers, tag_bits, slots, fit);
    }
    usual
}

/// The tables that are tried (FORMAT.md, section 5.3).
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Tables {
    Usual,
    /// For fingerprints that are spread evenly and have many slots each.
    Close,
}

/// The first packing for at least this many slots for which `fit` returns a value.
pub(super) fn fitting<T>(
    tables: Tables,
    numbers: u64,
    tag_bits: u8,
    mut slots: u64,
    mut fit: impl FnMut(&Packing) -> Result<Option<T>>,
) -> Result<(Packing, T)> {
    let clustered = || Error::NumbersClustered { inserted: 0 };
    let packing_for = |tables, slots| {
        let packing = match tables {
            Tables::Usual => Packing::for_slots(slots, numbers, tag_bits),
            Tables::Close => Packing::for_close_slots(slots, numbers, tag_bits),
        };
        match packing {
            // There is no table of this many slots for so few possible fingerprints.
            Err(Error::TooLarge { .. }) => Err(clustered()),
            packing => packing,
        }
    };
    let mut packing = packing_for(Tables::Usual, slots)?;
    let mut most_lines = packing.lines().saturating_mul(4).saturating_add(64);
    if tables == Tables::Close {
        packing = packing_for(tables, slots)?;
        most_lines += u64::from(MOST_SPARE);
    }
    while packing.lines() <= most_lines {
        if let Some(found) = fit(&packing)? {
            return Ok((packing, found));
        }
        slots = more(slots);
        packing = packing_for(tables, slots)?;
    }
    Err(clustered())
}

/// Whether these ascending fingerprints, each in one slot, would fit the table for this many slots.
/// They fit, unless somebody chose the keys by their hashes.
pub(super) fn are_spread(numbers: u64, tag_bits: u8, slots: u64, all: impl Iterator<Item = u64>) -> bool {
    let Ok(packing) = Packing::for_slots(slots, numbers, tag_bits) else { return false };
    let mut last = None;
    let once = all.filter(|number| last.replace(*number) != Some(*number)).map(|number| number << tag_bits);
    let mut writer = Writer::new(&packing, Stream::of(once));
    (0..packing.lines()).all(|_| writer.line().is_ok()) && writer.end().is_ok()
}

/// The slots of the next table that is tried if this one does not fit.
pub(super) fn more(slots: u64) -> u64 {
    slots.saturating_add(slots / 8 + 1)
}
