//! A growing chain's part of a tepal file (FORMAT.md, section 4.2.1), and the links on its body.

use alloc::vec::Vec;

use super::{Growth, ScalableBloomFilter};
use crate::error::{Error, Result};
use crate::ids::{Kind, OverCapacity, Scheme};
use crate::key::SecretKey;
use crate::key::schemes::sizing;
use crate::kinds::bloom::{BloomBodiless, bodiless};
use crate::kinds::in_file::BodyChecked;
use crate::kinds::links::Links;
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::{FilePart, KindEntry, Kinded, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// The most links of a file. Each link at least doubles the keys, so 64 links hold more than a
/// 64-bit number can count.
pub(crate) const MOST_LINKS: usize = 64;
/// How many times more keys a link may have than the one before.
pub(crate) const EXPANSIONS: core::ops::RangeInclusive<u32> = 2..=256;

/// The number of links of a file, read from its own part.
fn links_of(own: &[u8; OWN_BYTES]) -> Result<usize> {
    let links = u32::from_le_bytes(core::array::from_fn(|i| own[i]));
    usize::try_from(links)
        .ok()
        .filter(|links| (1..=MOST_LINKS).contains(links))
        .ok_or_else(|| Error::parameter("the number of filters in the chain", links, "a number from 1 to 64"))
}

/// Refuses a scheme without a 64-bit hash for tepal's own chains.
pub(crate) fn check_scheme(scheme: Scheme) -> Result<()> {
    sizing::check_has_hash("the scheme of a growing chain", scheme)
}

impl ScalableBloomFilter {
    /// The file part of a chain of tepal's own kind.
    pub(super) fn part(&self, expansion: u32, rate: f64) -> FilePart<'_> {
        let parts: Vec<_> = self.links.iter().map(|link| link.part()).collect();
        let mut own = [0; OWN_BYTES];
        own[..4].copy_from_slice(&(parts.len() as u32).to_le_bytes());
        own[4..8].copy_from_slice(&expansion.to_le_bytes());
        own[8..16].copy_from_slice(&rate.to_le_bytes());
        let links = parts.iter().map(|part| part.own).collect();
        let body = parts.into_iter().flat_map(|part| part.body).collect();
        let first = &self.links[0];
        FilePart { links, ..FilePart::new(own, &first.meta.keys, first.labels(), body) }
    }
}

/// Reads the own part and the links' parts, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Links<BloomBodiless, Growth>> {
    let own = &part.own;
    let expansion = u32::from_le_bytes(core::array::from_fn(|i| own[4 + i]));
    let bits = u64::from_le_bytes(core::array::from_fn(|i| own[8 + i]));
    let rate = f64::from_bits(bits);
    if !EXPANSIONS.contains(&expansion) {
        return Err(Error::parameter("the expansion of the chain", expansion, "a number from 2 to 256"));
    }
    if !is_rate(rate) {
        return Err(no_rate(format_args!("the float of the bits {bits:#018x}")));
    }
    if own[16..].iter().any(|byte| *byte != 0) {
        return Err(Error::damaged("the rest of the chain's part of the header is not zero"));
    }
    let links = part.links.iter().map(|own| bodiless(own, part, secret)).collect::<Result<Vec<_>>>()?;
    links.iter().try_for_each(|link| check_link(link, &links[0]))?;
    let left = links.iter().fold(rate, |left, link| left - link.meta().promised_rate);
    if left < 0.0 {
        return Err(Error::damaged("the filters of the chain promise more than the chain does"));
    }
    Ok(Links { links, meta: Growth::Promise { expansion, rate } })
}

/// Checks one link of a chain, beyond the checks of every filter.
fn check_link(link: &BloomBodiless, first: &BloomBodiless) -> Result<()> {
    let (meta, first) = (link.meta(), first.meta());
    check_scheme(meta.keys.scheme())?;
    first
        .keys
        .check_same(&meta.keys)
        .map_err(|_| Error::damaged("the filters of the chain do not hash alike"))?;
    if meta.over_capacity != OverCapacity::Warn {
        return Err(Error::damaged("a filter of a chain has another policy than to warn"));
    }
    if meta.inserted.get().is_none_or(|keys| keys > meta.capacity) {
        return Err(Error::damaged("a filter of the chain holds more keys than it was planned for"));
    }
    Ok(())
}

impl Kinded for ScalableBloomFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Scalable).links(links_of);

    type Bodiless = Links<BloomBodiless, Growth>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let (links, growth, whole) = bodiless.with_lines(lines, checked, BloomBodiless::filter);
        ScalableBloomFilter { links, growth, given: 0, expected: 0, whole }
    }
}
