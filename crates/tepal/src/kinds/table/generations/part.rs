//! The expiring filter's own part of a tepal file (FORMAT.md, section 4.2.4), and the checks of its
//! body.

use alloc::boxed::Box;

use super::ExpiringFilter;
use super::clock::{Clock, tag_bits};
use crate::bits::Line;
use crate::bits::table::stream::Entries;
use crate::error::{Error, Result};
use crate::facts::Window;
use crate::ids::Kind;
use crate::key::SecretKey;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::table::lines::Table;
use crate::kinds::table::part::{self, Claimed, Named, OwnFields, State, TableBodiless};
use crate::kinds::{CheckBody, FilePart, KindEntry, Kinded};

/// The meaning of a slot's tag.
const GENERATION: u8 = 2;

const NAMED: Named = Named {
    scheme: "the scheme of a filter with a window",
    tags: &[GENERATION],
    known_tags: "2 (generation)",
    least: "1 or more",
};

/// The units of the clock.
const TIME: u8 = 1;
const KEYS: u8 = 2;
const TIME_NOT_TOLD: u8 = 3;

/// Stands for an unknown number of keys.
const NOT_KNOWN: u64 = u64::MAX;

impl ExpiringFilter {
    /// The filter's part of a tepal file.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let clock = &self.clock;
        let unit = match (clock.window(), clock.now()) {
            (Window::Keys(_), _) => KEYS,
            (Window::Time(_), Some(_)) => TIME,
            (Window::Time(_), None) => TIME_NOT_TOLD,
        };
        Ok(self.core.part(OwnFields {
            tag: GENERATION,
            at_40: clock.now().unwrap_or(0),
            at_56: clock.length(),
            at_68: u32::from(unit) | u32::from(clock.generations()) << 8,
            at_72: self.inserted.unwrap_or(NOT_KNOWN),
        }))
    }
}

/// The properties of a filter beside its table.
pub(crate) struct GenerationsState {
    clock: Clock,
    inserted: Option<u64>,
}

/// Reads the own part, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<TableBodiless<GenerationsState>> {
    let (mut read, fields) = part::read(&part.own, part, secret, &NAMED)?;
    let [unit, generations, ..] = fields.at_68.to_le_bytes();
    if fields.at_68 >> 16 != 0 {
        return Err(Error::damaged("the bytes behind the generations are not zero"));
    }
    let (now, length) = (fields.at_40, fields.at_56);
    let (window, now) = match unit {
        TIME => (Window::Time(length), Some(now)),
        KEYS => (Window::Keys(length), Some(now)),
        TIME_NOT_TOLD if now == 0 => (Window::Time(length), None),
        TIME_NOT_TOLD => {
            return Err(Error::parameter("the time of a filter that was told none", now, "0"));
        }
        _ => {
            let known = "1 (time), 2 (keys), 3 (time that was not told yet)";
            return Err(Error::Unsupported { what: "clock", found: unit.into(), known });
        }
    };
    let clock = Clock::new(window, generations)?.at(now);
    let bits = read.claimed.packing.fields().tag_bits;
    if bits != tag_bits(generations) {
        let expected = alloc::format!("{} for {generations} generations", tag_bits(generations));
        return Err(Error::parameter("the number of tag bits of a slot", bits, expected));
    }
    let capacity = read.meta.capacity;
    if unit == KEYS && capacity < length {
        return Err(Error::parameter("the capacity", capacity, alloc::format!("{length} or more")));
    }
    let (slots, most_slots) = (read.claimed.slots, read.claimed.most_slots());
    let inserted = Some(fields.at_72).filter(|inserted| *inserted != NOT_KNOWN);
    if slots > most_slots || inserted.is_some_and(|inserted| inserted < slots) {
        return Err(Error::damaged(format_args!(
            "the header says {slots} slots of {most_slots}, and {} keys inserted",
            fields.at_72
        )));
    }
    if unit == KEYS && fields.at_72 != fields.at_40 {
        return Err(Error::damaged(format_args!(
            "the header says {} keys inserted, and a clock of {} keys",
            fields.at_72, fields.at_40
        )));
    }
    // Each fingerprint has one slot.
    read.claimed.distinct = slots;
    Ok(read.with(GenerationsState { clock, inserted }))
}

impl Kinded for ExpiringFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Expiring);

    type Bodiless = TableBodiless<GenerationsState>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (meta, table, GenerationsState { clock, inserted }) = bodiless.with_lines(lines, checked);
        ExpiringFilter::from_parts(meta, clock, table, inserted)
    }
}

impl State for GenerationsState {
    fn check(&self, claimed: Claimed) -> Box<dyn CheckBody> {
        Box::new(GenerationsCheck { claimed, clock: self.clock })
    }
}

/// The check that the lines hold valid fingerprints: as many as the header says, each in one slot,
/// and none too old.
struct GenerationsCheck {
    claimed: Claimed,
    clock: Clock,
}

impl CheckBody for GenerationsCheck {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let Claimed { packing, slots, distinct } = &self.claimed;
        // As many fingerprints as slots: each has one.
        Table::check(packing, lines, *slots, *distinct)?;
        let recent = self.clock.recent();
        match Entries::new(packing, lines).all(|entry| recent.has(packing.tag_bits(), entry)) {
            true => Ok(()),
            false => Err(Error::damaged("the table holds a number of a generation that there cannot be")),
        }
    }
}
