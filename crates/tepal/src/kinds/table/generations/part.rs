//! The expiring filter's own part of a tepal file (FORMAT.md, section 4.2.4), and what its body must be.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::ExpiringFilter;
use super::clock::{Clock, tag_bits};
use crate::bits::Line;
use crate::bits::table::packing::{Fields, Packing};
use crate::bits::table::stream::Entries;
use crate::error::{Error, Result};
use crate::facts::Window;
use crate::ids::{KeyDomain, Kind, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, Ref, check_self_test_of_spread, self_test_of_spread};
use crate::kinds::storage::Mapped;
use crate::kinds::table::copies::Meta;
use crate::kinds::table::lines::Table;
use crate::kinds::{AwaitsBody, CheckBody, Entry, FilePart, Kinded, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// What the tag of a slot means.
const GENERATION: u8 = 2;

/// What the clock counts.
const TIME: u8 = 1;
const KEYS: u8 = 2;
const TIME_NOT_TOLD: u8 = 3;

/// Stands for a number of keys that is not known.
const NOT_KNOWN: u64 = u64::MAX;

impl ExpiringFilter {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let (meta, fields, clock) = (&self.meta, self.table.packing().fields(), &self.clock);
        let hasher = meta.keys.hasher();
        let unit = match (clock.window(), clock.now()) {
            (Window::Keys(_), _) => KEYS,
            (Window::Time(_), Some(_)) => TIME,
            (Window::Time(_), None) => TIME_NOT_TOLD,
        };
        let mut out = Vec::with_capacity(OWN_BYTES);
        out.extend([hasher.scheme().id(), meta.keys.key_domain().id(), meta.over_capacity.id(), GENERATION]);
        out.extend([fields.remainder_bits, fields.buckets, fields.slots, fields.tag_bits]);
        for number in [
            fields.numbers,
            meta.capacity,
            meta.promised_rate.to_bits(),
            hasher.parameters(),
            clock.now().unwrap_or(0),
            self.table.slots(),
            clock.length(),
            u64::from(fields.spare) | u64::from(unit) << 32 | u64::from(clock.generations()) << 40,
            self.inserted.unwrap_or(NOT_KNOWN),
            self_test_of_spread(hasher),
        ] {
            out.extend(number.to_le_bytes());
        }
        let own = core::array::from_fn(|i| out[i]);
        Ok(FilePart::new(own, &meta.keys, self.labels(), vec![self.table.as_lines()]))
    }
}

/// A filter of a file that awaits its body.
pub(crate) struct Bodiless {
    meta: Meta,
    packing: Packing,
    clock: Clock,
    slots: u64,
    inserted: Option<u64>,
    /// Of the writer's self-test.
    sum: u64,
}

/// Reads the own part, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Bodiless> {
    let own = &part.own;
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash("the scheme of an expiring filter", scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    let over_capacity = OverCapacity::from_id(own[2])?;
    if own[3] != GENERATION {
        let known = "2 (generation)";
        return Err(Error::Unsupported { what: "meaning of the tags", found: own[3].into(), known });
    }
    let last = number(64);
    let packing = Packing::new(Fields {
        numbers: number(8),
        remainder_bits: own[4],
        buckets: own[5],
        slots: own[6],
        tag_bits: own[7],
        spare: last as u32,
    })?;
    let (unit, generations) = (own[68], own[69]);
    if last >> 48 != 0 {
        return Err(Error::damaged("the bytes behind the generations are not zero"));
    }
    let (now, length) = (number(40), number(56));
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
    if own[7] != tag_bits(generations) {
        let expected = alloc::format!("{} for {generations} generations", tag_bits(generations));
        return Err(Error::parameter("the tag bits of a slot", own[7], expected));
    }
    let (capacity, promised_rate) = (number(16), f64::from_bits(number(24)));
    let least = if unit == KEYS { length } else { 1 };
    if capacity < least {
        let expected = alloc::format!("{least} or more");
        return Err(Error::parameter("the capacity", capacity, expected));
    }
    if !is_rate(promised_rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let slots = number(48);
    let most_slots = u64::from(packing.fields().slots).saturating_mul(packing.lines());
    let inserted = Some(number(72)).filter(|inserted| *inserted != NOT_KNOWN);
    if slots > most_slots || inserted.is_some_and(|inserted| inserted < slots) {
        return Err(Error::damaged(format_args!(
            "the header says {slots} slots of {most_slots}, and {} keys inserted",
            number(72)
        )));
    }
    if unit == KEYS && number(72) != number(40) {
        return Err(Error::damaged(format_args!(
            "the header says {} keys inserted, and a clock of {} keys",
            number(72),
            number(40)
        )));
    }
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, number(32), record, secret)?;
    let keys = KeyHasher::new(hasher, domain, part.recipe);
    let meta = Meta { keys, over_capacity, capacity, promised_rate, labels: part.labels.kept() };
    Ok(Bodiless { meta, packing, clock, slots, inserted, sum: number(80) })
}

impl Kinded for ExpiringFilter {
    const ENTRY: Entry = Entry::new(Kind::Expiring);

    type Bodiless = Bodiless;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let table =
            Table::of_lines(bodiless.packing, lines, bodiless.slots, bodiless.slots).held_against(checked);
        ExpiringFilter::from_parts(bodiless.meta, bodiless.clock, table, bodiless.inserted)
    }
}

impl AwaitsBody for Bodiless {
    fn lines(&self) -> u64 {
        self.packing.lines()
    }

    fn self_test(&self) -> Result<()> {
        check_self_test_of_spread(self.meta.keys.hasher(), self.sum)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(Numbers { packing: self.packing, clock: self.clock, slots: self.slots })
    }
}

/// The lines are as their numbers say, these are as many as the header says, each stands once, and none is too old.
struct Numbers {
    packing: Packing,
    clock: Clock,
    slots: u64,
}

impl CheckBody for Numbers {
    fn check(&self, lines: &[Line]) -> Result<()> {
        // As many numbers as slots: none has two.
        Table::check(&self.packing, lines, self.slots, self.slots)?;
        let recent = self.clock.recent();
        match Entries::new(&self.packing, lines).all(|entry| recent.has(self.packing.tag_bits(), entry)) {
            true => Ok(()),
            false => Err(Error::damaged("the table holds a number of a generation that there cannot be")),
        }
    }
}
