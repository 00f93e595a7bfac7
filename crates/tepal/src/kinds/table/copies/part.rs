//! The quotient filter's own part of a tepal file (FORMAT.md, section 4.2.2), and the checks of its
//! body.

use alloc::boxed::Box;

use super::QuotientFilter;
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::ids::Kind;
use crate::key::SecretKey;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::table::core::TableMeta;
use crate::kinds::table::lines::Table;
use crate::kinds::table::part::{self, Claimed, Named, OwnFields, State, TableBodiless};
use crate::kinds::{CheckBody, FilePart, KindEntry, Kinded, OWN_BYTES};

/// The meanings of a slot's tag.
const NOTHING: u8 = 0;
const COUNT: u8 = 1;

const NAMED: Named = Named {
    scheme: "the scheme of a deletable filter",
    tags: &[NOTHING, COUNT],
    known_tags: "0 (nothing), 1 (count)",
    least: "1 key or more",
};

/// The properties of a filter, or of a link, beside its table.
#[derive(Clone, Copy)]
pub(crate) struct CopiesState {
    pub(crate) held: u64,
    pub(crate) is_deletable: bool,
}

impl CopiesState {
    fn fields(self, table: &Table) -> OwnFields {
        let tag = if table.packing().tag_bits() == 0 { NOTHING } else { COUNT };
        let at_68 = u32::from(!self.is_deletable);
        OwnFields { tag, at_40: self.held, at_56: table.distinct(), at_68, at_72: 0 }
    }
}

/// The own part of a link: a table without tags.
pub(crate) fn own_part(meta: &TableMeta, table: &Table) -> [u8; OWN_BYTES] {
    part::own_part(meta, table, CopiesState { held: table.slots(), is_deletable: true }.fields(table))
}

impl QuotientFilter {
    /// The filter's part of a tepal file.
    pub(crate) fn part(&self) -> Result<FilePart<'_>> {
        let copies = CopiesState { held: self.held, is_deletable: self.is_deletable };
        Ok(self.core.part(copies.fields(&self.core.table)))
    }
}

/// Reads the own part of a filter or of a link, with every check that needs no body.
pub(crate) fn bodiless(
    own: &[u8; OWN_BYTES],
    part: &FilePart<'_>,
    secret: Option<&SecretKey>,
) -> Result<TableBodiless<CopiesState>> {
    let (read, fields) = part::read(own, part, secret, &NAMED)?;
    let Claimed { packing, slots, distinct } = read.claimed;
    let tag_bits = packing.fields().tag_bits;
    if !matches!((fields.tag, tag_bits), (NOTHING, 0) | (COUNT, 4 | 8 | 16)) {
        let expected = "4, 8 or 16 with counts, else 0";
        return Err(Error::parameter("the number of tag bits of a slot", tag_bits, expected));
    }
    let is_deletable = match fields.at_68 as u8 {
        0 => true,
        1 => false,
        found => {
            let known = "0 (keys can be removed), 1 (none can)";
            return Err(Error::Unsupported { what: "removal", found: found.into(), known });
        }
    };
    let (held, most_slots) = (fields.at_40, read.claimed.most_slots());
    let most_held = slots.saturating_mul(1 << tag_bits);
    if slots > most_slots || distinct > slots || !(slots..=most_held).contains(&held) {
        return Err(Error::damaged(format_args!(
            "the header says {slots} slots of {most_slots}, {distinct} different numbers and {held} keys"
        )));
    }
    if fields.at_68 >> 8 != 0 || fields.at_72 != 0 {
        return Err(Error::damaged("the rest of the header's part of the filter is not zero"));
    }
    Ok(read.with(CopiesState { held, is_deletable }))
}

impl Kinded for QuotientFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Quotient);

    type Bodiless = TableBodiless<CopiesState>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        bodiless(&part.own, part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (meta, table, copies) = bodiless.with_lines(lines, checked);
        QuotientFilter::from_parts(meta, table, copies.held, copies.is_deletable)
    }
}

impl State for CopiesState {
    fn check(&self, claimed: Claimed) -> Box<dyn CheckBody> {
        Box::new(CopiesCheck { claimed, held: self.held })
    }
}

/// The check that the lines hold valid fingerprints, as many as the header says.
struct CopiesCheck {
    claimed: Claimed,
    held: u64,
}

impl CheckBody for CopiesCheck {
    fn check(&self, lines: &[Line]) -> Result<()> {
        let held = Table::check(&self.claimed.packing, lines, self.claimed.slots, self.claimed.distinct)?;
        match held == self.held {
            true => Ok(()),
            false => Err(Error::damaged(format_args!(
                "the table counts {held} keys, and the header says {}",
                self.held
            ))),
        }
    }
}
