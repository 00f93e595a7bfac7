//! A growing filter's part of a tepal file (FORMAT.md, section 4.2.3), and the links on its body.

use alloc::vec::Vec;

use super::plan::{GrowthPlan, MOST_LINKS};
use super::{GrowingFilter, GrowingMeta};
use crate::error::{Error, Result};
use crate::ids::{Kind, OverCapacity};
use crate::key::SecretKey;
use crate::kinds::in_file::BodyChecked;
use crate::kinds::links::Links;
use crate::kinds::storage::{Owned, Ref};
use crate::kinds::table::copies::part::{CopiesState, bodiless, own_part};
use crate::kinds::table::core::TableMeta;
use crate::kinds::table::lines::Table;
use crate::kinds::table::part::TableBodiless;
use crate::kinds::{FilePart, KindEntry, Kinded, OWN_BYTES};
use crate::params::{is_rate, no_rate};

/// The number of links of a file with this own part.
fn links_of(own: &[u8; OWN_BYTES]) -> Result<usize> {
    let links = u32::from_le_bytes(core::array::from_fn(|i| own[i]));
    usize::try_from(links).ok().filter(|links| (1..=MOST_LINKS).contains(links)).ok_or_else(|| {
        Error::parameter("the number of links of a growing filter", links, "a number from 1 to 10")
    })
}

impl GrowingFilter {
    /// The other properties in a link's part, beside its table.
    fn link_meta(&self, link: usize) -> TableMeta {
        TableMeta {
            keys: self.meta.keys.clone(),
            over_capacity: OverCapacity::Warn,
            capacity: self.meta.plan.capacity(link),
            promised_rate: self.meta.plan.promised(link),
            labels: None,
        }
    }

    /// The filter's part of a tepal file.
    pub(super) fn part(&self) -> Result<FilePart<'_>> {
        let mut own = [0; OWN_BYTES];
        own[..4].copy_from_slice(&(self.links.len() as u32).to_le_bytes());
        own[4] = self.meta.is_deletable.into();
        own[8..16].copy_from_slice(&self.meta.plan.rate().to_le_bytes());
        own[16..24].copy_from_slice(&self.meta.plan.first().to_le_bytes());
        let link_part = |(i, link): (usize, &Table)| own_part(&self.link_meta(i), link);
        let links = self.links.iter().enumerate().map(link_part).collect();
        let body = self.links.iter().map(Table::as_lines).collect();
        Ok(FilePart { links, ..FilePart::new(own, &self.meta.keys, self.labels(), body) })
    }
}

/// Reads the own part and the links' parts, with every check that needs no body.
fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Links<Link, GrowingMeta>> {
    let own = &part.own;
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| own[at + i]));
    let is_deletable = match own[4] {
        0 => false,
        1 => true,
        other => {
            return Err(Error::parameter("whether keys can be removed", other, "0 (no) or 1 (yes)"));
        }
    };
    if own[5..8].iter().chain(&own[24..]).any(|byte| *byte != 0) {
        return Err(Error::damaged("the rest of the growing filter's part of the header is not zero"));
    }
    let rate = f64::from_bits(number(8));
    if !is_rate(rate) {
        return Err(no_rate(format_args!("the float of the bits {:#018x}", number(8))));
    }
    let plan = GrowthPlan::new(number(16), rate)?;
    let links = part.links.iter().map(|own| bodiless(own, part, secret)).collect::<Result<Vec<_>>>()?;
    for (i, link) in links.iter().enumerate() {
        check_link(link, &links[0], &plan, i, is_deletable)?;
    }
    let keys = links[0].meta.keys.clone();
    let meta = GrowingMeta { keys, plan, is_deletable, labels: part.labels.kept() };
    Ok(Links { links, meta })
}

/// A link that is read from a file up to its body.
type Link = TableBodiless<CopiesState>;

/// Checks a link, beyond the checks of every table.
fn check_link(link: &Link, first: &Link, plan: &GrowthPlan, number: usize, is_deletable: bool) -> Result<()> {
    let damaged =
        |what: &str| Err(Error::damaged(format_args!("link {number} of the growing filter {what}")));
    if first.meta.keys.check_same(&link.meta.keys).is_err() {
        return damaged("does not hash as the others do");
    }
    if link.meta.over_capacity != OverCapacity::Warn {
        return damaged("has another policy than to warn");
    }
    if !link.state.is_deletable {
        return damaged("says of its own whether keys can be removed");
    }
    let fields = link.claimed.packing.fields();
    if fields.tag_bits != 0 {
        return damaged("has tags");
    }
    if Some(fields.numbers) != plan.numbers(number) {
        return damaged("has other numbers than follow from the first keys and the rate");
    }
    if link.meta.capacity != plan.capacity(number) || link.meta.promised_rate != plan.promised(number) {
        return damaged("has another capacity or rate than follow from the first keys and the rate");
    }
    if link.claimed.distinct > link.meta.capacity {
        return damaged("holds more numbers than it takes");
    }
    if !is_deletable && link.claimed.slots != link.claimed.distinct {
        return damaged("holds a number twice, and keys cannot be removed");
    }
    Ok(())
}

impl Kinded for GrowingFilter {
    const ENTRY: KindEntry = KindEntry::new(Kind::Growing).links(links_of);

    type Bodiless = Links<Link, GrowingMeta>;

    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless> {
        of_part(part, secret)
    }

    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        let table = |link: Link, lines| link.with_lines(lines, None).1;
        let (links, meta, whole) = bodiless.with_lines(lines, checked, table);
        GrowingFilter { links, meta, whole }
    }
}
