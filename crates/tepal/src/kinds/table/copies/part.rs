//! The quotient filter's own part of a tepal file (FORMAT.md, section 4.2.2), and what its body must be.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::{Meta, QuotientFilter};
use crate::bits::Line;
use crate::bits::table::packing::{Fields, Packing};
use crate::error::{Error, Result};
use crate::ids::{KeyDomain, Kind, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, Ref, check_self_test_of_spread, self_test_of_spread};
use crate::kinds::storage::Mapped;
use crate::kinds::table::lines::Table;
use crate::kinds::{AwaitsBody, CheckBody, Entry, FilePart, Kinded, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// What the tag of a slot means.
const NOTHING: u8 = 0;
const COUNT: u8 = 1;

impl QuotientFilter {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let own = own_part(&self.meta, &self.table, self.held, self.is_deletable);
        Ok(FilePart::new(own, &self.meta.keys, self.labels(), vec![self.table.as_lines()]))
    }
}

/// The own part of a table: of a filter's, or of a link's.
pub(crate) fn own_part(meta: &Meta, table: &Table, held: u64, is_deletable: bool) -> [u8; OWN_BYTES] {
    let (fields, hasher) = (table.packing().fields(), meta.keys.hasher());
    let mut out = Vec::with_capacity(OWN_BYTES);
    out.extend([hasher.scheme().id(), meta.keys.key_domain().id(), meta.over_capacity.id()]);
    out.push(if fields.tag_bits == 0 { NOTHING } else { COUNT });
    out.extend([fields.remainder_bits, fields.buckets, fields.slots, fields.tag_bits]);
    for number in [
        fields.numbers,
        meta.capacity,
        meta.promised_rate.to_bits(),
        hasher.parameters(),
        held,
        table.slots(),
        table.distinct(),
        u64::from(fields.spare) | u64::from(!is_deletable) << 32,
        0,
        self_test_of_spread(hasher),
    ] {
        out.extend(number.to_le_bytes());
    }
    core::array::from_fn(|i| out[i])
}

/// A filter of a file that awaits its body.
pub(crate) struct Bodiless {
    pub(crate) meta: Meta,
    pub(crate) packing: Packing,
    pub(crate) held: u64,
    pub(crate) slots: u64,
    pub(crate) distinct: u64,
    pub(crate) is_deletable: bool,
    /// Of the writer's self-test.
    sum: u64,
}

/// The same for the own part of a filter, or of a link of one.
pub(crate) fn bodiless(
    own: &[u8; OWN_BYTES],
    part: &FilePart<'_>,
    secret: Option<&SecretKey>,
) -> Result<Bodiless> {
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash("the scheme of a quotient filter", scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    let over_capacity = OverCapacity::from_id(own[2])?;
    let (tag, tag_bits) = (own[3], own[7]);
    match (tag, tag_bits) {
        (NOTHING, 0) | (COUNT, 4 | 8 | 16) => {}
        (NOTHING | COUNT, _) => {
            return Err(Error::parameter(
                "the tag bits of a slot",
                tag_bits,
                "4, 8 or 16 with counts, else 0",
            ));
        }
        _ => {
            let known = "0 (nothing), 1 (count)";
            return Err(Error::Unsupported { what: "meaning of the tags", found: tag.into(), known });
        }
    }
    let is_deletable = match own[68] {
        0 => true,
        1 => false,
        found => {
            let known = "0 (keys can be removed), 1 (none can)";
            return Err(Error::Unsupported { what: "removal", found: found.into(), known });
        }
    };
    let packing = Packing::new(Fields {
        numbers: number(8),
        remainder_bits: own[4],
        buckets: own[5],
        slots: own[6],
        tag_bits,
        spare: number(64) as u32,
    })?;
    let (capacity, promised_rate) = (number(16), f64::from_bits(number(24)));
    if capacity == 0 {
        return Err(Error::parameter("the capacity", 0u64, "1 key or more"));
    }
    if !is_rate(promised_rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let (held, slots, distinct) = (number(40), number(48), number(56));
    let most_slots = u64::from(packing.fields().slots).saturating_mul(packing.lines());
    let most_held = slots.saturating_mul(1 << tag_bits);
    if slots > most_slots || distinct > slots || !(slots..=most_held).contains(&held) {
        return Err(Error::damaged(format_args!(
            "the header says {slots} slots of {most_slots}, {distinct} different numbers and {held} keys"
        )));
    }
    if number(64) >> 40 != 0 || number(72) != 0 {
        return Err(Error::damaged("the rest of the header's part of the filter is not zero"));
    }
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, number(32), record, secret)?;
    let keys = KeyHasher::new(hasher, domain, part.recipe);
    let meta = Meta { keys, over_capacity, capacity, promised_rate, labels: part.labels.kept() };
    Ok(Bodiless { meta, packing, held, slots, distinct, is_deletable, sum: number(80) })
}

impl Kinded for QuotientFilter {
    const ENTRY: Entry = Entry::new(Kind::Quotient);

    type Bodiless = Bodiless;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        bodiless(&part.own, part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let table =
            Table::of_lines(bodiless.packing, lines, bodiless.slots, bodiless.distinct).held_against(checked);
        QuotientFilter::from_parts(bodiless.meta, table, bodiless.held).deletable(bodiless.is_deletable)
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
        Box::new(Numbers {
            packing: self.packing,
            held: self.held,
            slots: self.slots,
            distinct: self.distinct,
        })
    }
}

/// The lines are as their numbers say, and these are as many as the header says.
struct Numbers {
    packing: Packing,
    held: u64,
    slots: u64,
    distinct: u64,
}

impl CheckBody for Numbers {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let held = Table::check(&self.packing, lines, self.slots, self.distinct)?;
        match held == self.held {
            true => Ok(()),
            false => Err(Error::damaged(format_args!(
                "the table counts {held} keys, and the header says {}",
                self.held
            ))),
        }
    }
}
