//! A table's part of a tepal file (FORMAT.md, section 4.2.2): the fields that all kinds of tables
//! share.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::core::{TableCore, TableMeta};
use super::lines::Table;
use crate::bits::table::packing::{Packing, PackingFields};
use crate::error::{Error, Result};
use crate::ids::{KeyDomain, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, check_self_test_of_spread, self_test_of_spread};
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::{AwaitsBody, CheckBody, FilePart, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// The fields of the own part whose meaning depends on the kind, by their offsets.
#[derive(Clone, Copy, Default)]
pub(super) struct OwnFields {
    /// The meaning of a slot's tag.
    pub(super) tag: u8,
    pub(super) at_40: u64,
    pub(super) at_56: u64,
    pub(super) at_68: u32,
    pub(super) at_72: u64,
}

/// The own part of a table, for a filter or a link.
pub(super) fn own_part(meta: &TableMeta, table: &Table, kinds: OwnFields) -> [u8; OWN_BYTES] {
    let (fields, hasher) = (table.packing().fields(), meta.keys.hasher());
    let mut out = Vec::with_capacity(OWN_BYTES);
    out.extend([hasher.scheme().id(), meta.keys.key_domain().id(), meta.over_capacity.id(), kinds.tag]);
    out.extend([fields.remainder_bits, fields.buckets, fields.slots, fields.tag_bits]);
    for number in [
        fields.numbers,
        meta.capacity,
        meta.promised_rate.to_bits(),
        hasher.parameters(),
        kinds.at_40,
        table.slots(),
        kinds.at_56,
        u64::from(fields.spare) | u64::from(kinds.at_68) << 32,
        kinds.at_72,
        self_test_of_spread(hasher),
    ] {
        out.extend(number.to_le_bytes());
    }
    core::array::from_fn(|i| out[i])
}

impl TableCore {
    /// The filter's part of a tepal file.
    pub(super) fn part(&self, kinds: OwnFields) -> FilePart<'_> {
        let own = own_part(&self.meta, &self.table, kinds);
        let labels = self.meta.labels.as_deref().cloned().unwrap_or_default();
        FilePart::new(own, &self.meta.keys, &labels, vec![self.table.as_lines()])
    }
}

/// The words of errors about the files of a kind.
pub(super) struct Named {
    pub(super) scheme: &'static str,
    /// The possible meanings of a tag, as numbers and as a text.
    pub(super) tags: &'static [u8],
    pub(super) known_tags: &'static str,
    /// The least possible capacity, as a text.
    pub(super) least: &'static str,
}

/// The header's claims about the table.
#[derive(Clone, Copy)]
pub(super) struct Claimed {
    pub(super) packing: Packing,
    pub(super) slots: u64,
    pub(super) distinct: u64,
}

impl Claimed {
    /// The number of slots of its lines.
    pub(super) fn most_slots(&self) -> u64 {
        u64::from(self.packing.fields().slots).saturating_mul(self.packing.lines())
    }
}

/// A filter that is read from a file up to its body.
pub(crate) struct TableBodiless<S> {
    pub(super) meta: TableMeta,
    pub(super) claimed: Claimed,
    /// The kind's properties beside the table.
    pub(super) state: S,
    /// The sum of the writer's self-test.
    sum: u64,
}

/// A kind's properties beside its table.
pub(super) trait State {
    /// The checks of the lines.
    fn check(&self, claimed: Claimed) -> Box<dyn CheckBody>;
}

/// Reads the own part of a filter or of a link, with every check that needs no body and does not
/// depend on the kind.
pub(super) fn read(
    own: &[u8; OWN_BYTES],
    part: &FilePart<'_>,
    secret: Option<&SecretKey>,
    named: &Named,
) -> Result<(TableBodiless<()>, OwnFields)> {
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash(named.scheme, scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    let over_capacity = OverCapacity::from_id(own[2])?;
    if !named.tags.contains(&own[3]) {
        let (what, found) = ("meaning of the tags", own[3].into());
        return Err(Error::Unsupported { what, found, known: named.known_tags });
    }
    let packing = Packing::new(PackingFields {
        numbers: number(8),
        remainder_bits: own[4],
        buckets: own[5],
        slots: own[6],
        tag_bits: own[7],
        spare: number(64) as u32,
    })?;
    let (capacity, promised_rate) = (number(16), f64::from_bits(number(24)));
    if capacity == 0 {
        return Err(Error::parameter("the capacity", 0u64, named.least));
    }
    if !is_rate(promised_rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, number(32), record, secret)?;
    let keys = KeyHasher::new(hasher, domain, part.recipe);
    let meta = TableMeta { keys, over_capacity, capacity, promised_rate, labels: part.labels.kept() };
    let claimed = Claimed { packing, slots: number(48), distinct: number(56) };
    let at_68 = (number(64) >> 32) as u32;
    let kinds = OwnFields { tag: own[3], at_40: number(40), at_56: number(56), at_68, at_72: number(72) };
    Ok((TableBodiless { meta, claimed, state: (), sum: number(80) }, kinds))
}

impl<S> TableBodiless<S> {
    /// Adds the kind's properties beside the table.
    pub(super) fn with<T>(self, state: T) -> TableBodiless<T> {
        TableBodiless { meta: self.meta, claimed: self.claimed, state, sum: self.sum }
    }

    /// The properties of the filter, the table with these lines, and the kind's properties.
    pub(super) fn with_lines(
        self,
        lines: Owned,
        checked: Option<Ref<dyn BodyChecked>>,
    ) -> (TableMeta, Table, S) {
        let Claimed { packing, slots, distinct } = self.claimed;
        (self.meta, Table::of_lines(packing, lines, slots, distinct).held_against(checked), self.state)
    }
}

impl<S: State> AwaitsBody for TableBodiless<S> {
    fn lines(&self) -> u64 {
        self.claimed.packing.lines()
    }

    fn self_test(&self) -> Result<()> {
        check_self_test_of_spread(self.meta.keys.hasher(), self.sum)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        self.state.check(self.claimed)
    }
}
