//! The own part of a ribbon in a tepal file (FORMAT.md, sections 4.2.6 and 4.2.7).

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::lines::{Ribbon, RibbonMeta};
use crate::bits::ribbon::shape::{RibbonFields, RibbonShape};
use crate::error::Result;
use crate::ids::{KeyDomain, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, check_self_test_of_spread, self_test_of_spread};
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::{AwaitsBody, CheckBody, FilePart, OWN_BYTES};
use crate::params::no_rate;

/// Writes the columns of a ribbon, its last slots, its number of keys, and its words with one more
/// column.
pub(super) fn put_ribbon(out: &mut Vec<u8>, fields: &RibbonFields, keys: u64) {
    out.extend([fields.value_bits, fields.columns, fields.deep, fields.last_seed]);
    out.extend(fields.last.to_le_bytes());
    out.extend(keys.to_le_bytes());
    out.extend(fields.split.to_le_bytes());
}

/// Writes the layers of a ribbon.
pub(super) fn put_layers(out: &mut Vec<u8>, fields: &RibbonFields) {
    out.extend(fields.words.iter().flat_map(|words| words.to_le_bytes()));
    out.extend(fields.seeds);
}

/// The own part of a ribbon whose section has this many bytes.
pub(super) fn own_part<L>(meta: &RibbonMeta, ribbon: &Ribbon<L>, section: u32) -> [u8; OWN_BYTES] {
    let (domain, hasher, fields) = (meta.keys.key_domain(), meta.keys.hasher(), ribbon.shape.fields());
    let mut out = Vec::with_capacity(OWN_BYTES);
    out.extend([hasher.scheme().id(), domain.id()]);
    put_ribbon(&mut out, fields, ribbon.keys);
    out.extend(section.to_le_bytes());
    out.extend(meta.promised_rate.to_bits().to_le_bytes());
    out.extend(hasher.parameters().to_le_bytes());
    put_layers(&mut out, fields);
    out.extend(self_test_of_spread(hasher).to_le_bytes());
    core::array::from_fn(|i| out[i])
}

/// Reads the scheme and the domain of an own part.
pub(super) fn read_hash(own: &[u8; OWN_BYTES], of: &'static str) -> Result<(Scheme, KeyDomain)> {
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash(of, scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    Ok((scheme, domain))
}

/// Reads the ribbon of an own part, or of a second ribbon's part.
pub(super) fn read_ribbon(own: &[u8]) -> Result<Ribbon<()>> {
    let number = |at: usize| u32::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let fields = RibbonFields {
        columns: own[3],
        deep: own[4],
        last_seed: own[5],
        last: u16::from_le_bytes([own[6], own[7]]),
        split: number(16),
        words: core::array::from_fn(|k| number(40 + 4 * k)),
        seeds: core::array::from_fn(|k| own[72 + k]),
        value_bits: own[2],
    };
    fields.check()?;
    Ribbon::new(RibbonShape::new(fields)?, long(own, 8))
}

/// Reads eight bytes of an own part.
fn long(own: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|i| own[at + i]))
}

/// Reads the promised rate of an own part, which `is_rate` must accept.
pub(super) fn read_rate(own: &[u8; OWN_BYTES], is_rate: fn(f64) -> bool) -> Result<f64> {
    let rate = f64::from_bits(long(own, 24));
    match is_rate(rate) {
        true => Ok(rate),
        false => Err(no_rate(format_args!("the float of the bits {:#018x}", rate.to_bits()))),
    }
}

/// A filter or a map that is read from a file up to its lines. `T` holds the properties that only
/// one of them has.
pub(crate) struct RibbonBodiless<T> {
    meta: RibbonMeta,
    ribbon: Ribbon<()>,
    own: T,
    /// The sum of the writer's self-test.
    sum: u64,
}

impl<T> RibbonBodiless<T> {
    pub(super) fn new(
        part: &FilePart<'_>,
        (scheme, domain): (Scheme, KeyDomain),
        secret: Option<&SecretKey>,
        promised_rate: f64,
        ribbon: Ribbon<()>,
        own: T,
    ) -> Result<Self> {
        let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
        let hasher = Hasher::of_file(scheme, long(&part.own, 32), record, secret)?;
        let keys = KeyHasher::new(hasher, domain, part.recipe);
        let meta = RibbonMeta { keys, promised_rate, labels: part.labels.kept() };
        Ok(RibbonBodiless { meta, ribbon, own, sum: long(&part.own, 80) })
    }

    pub(super) fn with_lines(
        self,
        lines: Owned,
        checked: Option<Ref<dyn BodyChecked>>,
    ) -> (RibbonMeta, Ribbon, T) {
        (self.meta, self.ribbon.with_lines(lines).checked_by(checked), self.own)
    }
}

impl<T> AwaitsBody for RibbonBodiless<T> {
    fn lines(&self) -> u64 {
        self.ribbon.num_lines()
    }

    fn self_test(&self) -> Result<()> {
        check_self_test_of_spread(self.meta.keys.hasher(), self.sum)
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(self.ribbon.clone())
    }
}
