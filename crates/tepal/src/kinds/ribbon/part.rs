//! The ribbon filter's own part of a tepal file (FORMAT.md, section 4.2.6), and what its body must be.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::{Meta, RibbonFilter};
use crate::bits::ribbon::shape::{Fields, Shape};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::ids::{KeyDomain, Scheme};
use crate::key::schemes::{Hasher, known, sizing};
use crate::key::{KeyHasher, SecretKey};
use crate::kinds::in_file::{BodyChecked, Ref, self_test_of_spread};
use crate::kinds::storage::Mapped;
use crate::kinds::{AnyFilter, AwaitsBody, CheckBody, FilePart, OWN_BYTES};
use crate::params::{is_rate, no_rate};

impl RibbonFilter {
    /// What a tepal file holds of it.
    pub(crate) fn part(&self) -> FilePart<'_> {
        FilePart {
            own: self.own_part(),
            recipe: self.meta.keys.recipe(),
            labels: self.labels().clone(),
            scheme_record: self.meta.keys.hasher().record(),
            section: Vec::new(),
            exceptions: &[],
            added: &self.added,
            #[cfg(feature = "except")]
            divider: None,
            links: Vec::new(),
            body: vec![self.as_lines()],
        }
    }

    fn own_part(&self) -> [u8; OWN_BYTES] {
        let (fields, hasher) = (self.shape.fields(), self.meta.keys.hasher());
        let mut out = Vec::with_capacity(OWN_BYTES);
        out.extend([hasher.scheme().id(), self.key_domain().id(), 0, fields.columns]);
        out.extend([fields.deep, fields.last_seed]);
        out.extend(fields.last.to_le_bytes());
        out.extend(self.keys.to_le_bytes());
        out.extend(u64::from(fields.split).to_le_bytes());
        out.extend(self.meta.promised_rate.to_bits().to_le_bytes());
        out.extend(hasher.parameters().to_le_bytes());
        out.extend(fields.words.iter().flat_map(|words| words.to_le_bytes()));
        out.extend(fields.seeds);
        out.extend(self_test_of_spread(hasher).to_le_bytes());
        core::array::from_fn(|i| out[i])
    }
}

/// A filter of a file that awaits its body.
struct Bodiless {
    meta: Meta,
    shape: Shape,
    keys: u64,
    /// Of the writer's self-test.
    sum: u64,
}

/// Reads the own part, with every check that needs no body.
pub(super) fn of_file(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Box<dyn AwaitsBody>> {
    let own = &part.own;
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let scheme = Scheme::from_id(own[0])?;
    known(scheme)?;
    sizing::check_has_hash("the scheme of a ribbon filter", scheme)?;
    let domain = KeyDomain::from_id(own[1])?;
    domain.check_known()?;
    if own[2] != 0 {
        return Err(Error::damaged("the byte before the columns of the ribbon is not zero"));
    }
    let fields = Fields {
        columns: own[3],
        deep: own[4],
        last_seed: own[5],
        last: u16::from_le_bytes([own[6], own[7]]),
        split: u32::try_from(number(16))
            .map_err(|_| Error::damaged("the bytes behind the words with one column more are not zero"))?,
        words: core::array::from_fn(|k| u32::from_le_bytes(core::array::from_fn(|i| own[40 + 4 * k + i]))),
        seeds: core::array::from_fn(|k| own[72 + k]),
        value_bits: 0,
    };
    fields.check()?;
    let shape = Shape::new(fields)?;
    let (keys, promised_rate) = (number(8), f64::from_bits(number(24)));
    if (keys == 0) != (shape.is_all_last() && fields.last == 0) {
        return Err(Error::damaged(format_args!("{keys} keys in a ribbon of {} words", shape.words())));
    }
    if !is_rate(promised_rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", promised_rate.to_bits())));
    }
    let record = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let hasher = Hasher::of_file(scheme, number(32), record, secret)?;
    let keys_of = KeyHasher::new(hasher, domain, part.recipe);
    let meta = Meta { keys: keys_of, promised_rate, labels: part.labels.kept() };
    Ok(Box::new(Bodiless { meta, shape, keys, sum: number(80) }))
}

impl AwaitsBody for Bodiless {
    fn lines(&self) -> u64 {
        self.shape.lines()
    }

    fn self_test(&self) -> Result<()> {
        match self_test_of_spread(self.meta.keys.hasher()) == self.sum {
            true => Ok(()),
            false => {
                Err(Error::damaged("this build's hash does not give the numbers that the writer's gave"))
            }
        }
    }

    fn check(&self) -> Box<dyn CheckBody> {
        Box::new(Padding { shape: self.shape })
    }

    fn with_body(self: Box<Self>, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> AnyFilter {
        let filter = RibbonFilter::from_parts(self.meta, self.shape, lines, self.keys);
        AnyFilter::Ribbon(RibbonFilter { body_check: checked, ..filter })
    }
}

/// Bits that stand for nothing are 0. What the others say, any bits do.
pub(crate) struct Padding {
    pub(crate) shape: Shape,
}

impl CheckBody for Padding {
    fn check(&self, lines: &[Line]) -> Result<()> {
        self.shape.check_padding(bits::words(lines))
    }
}
