//! A filter for any number of keys under one promise: a chain of sorted tables of fingerprints,
//! each of which grows smoothly.
//!
//! [`plan`] has the number of possible fingerprints of each link. The builder is in [`builder`],
//! lookups are in [`ask`], inserts and removals in [`change`], unions and one table of all links in
//! [`combine`], the file part in [`in_file`], and the traits of every filter in [`kind`].

mod builder;
mod plan;

mod ask;
mod change;

mod combine;

mod in_file;
mod kind;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use builder::GrowingFilterBuilder;

use super::lines::Table;
use crate::error::{Result, advice};
use crate::facts::Labels;
use crate::key::KeyHasher;
use crate::kinds::calls::about_keys;
use crate::kinds::links::WholeBody;
use crate::kinds::shown::shown;
use plan::GrowthPlan;

/// A filter for any number of keys: it grows with them, and always keeps one promise.
///
/// Use it for a set whose size is not known in advance. It begins small and takes more memory as
/// keys are inserted: 11 to 16 bits a key at 1 %. A lookup reads one table up to 16 times the
/// number of keys that it [began with](GrowingFilterBuilder::first), two up to 272 times, and three
/// up to 4,368 times. So a good guess of that number makes lookups faster, and a wrong guess breaks
/// nothing.
///
/// Its rate follows from the fingerprints it holds, and never passes the promise. If the number of
/// keys is known, a [`BloomFilter`](crate::BloomFilter) takes fewer bits and is several times as
/// fast. A [`ScalableBloomFilter`](crate::ScalableBloomFilter), a chain of Bloom filters, grows
/// too: inserts are faster, it takes about twice the memory, and a lookup reads more filters.
///
/// ```
/// use tepal::GrowingFilter;
/// let builder = GrowingFilter::builder().false_positive_rate(0.01);
/// let (mut seen, mut others) = (builder.clone().build()?, builder.build()?);
/// others.insert_many(&["alice", "bob"])?;
/// seen.union_with(&others)?;
/// for visitor in 0..50_000u32 {
///     seen.insert(&visitor)?;
/// }
/// assert!(seen.contains(&49_999u32));
/// assert!(seen.false_positive_rate() < 0.01);
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.tepal");
/// seen.save(&path)?;
/// assert!(GrowingFilter::open(&path)?.contains("alice"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct GrowingFilter {
    /// The oldest first; at least one.
    links: Vec<Table>,
    meta: GrowingMeta,
    /// The file's bits and checks, if the filter was opened and has not changed since.
    whole: Option<Box<WholeBody>>,
}

/// All properties of a filter but its tables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GrowingMeta {
    keys: KeyHasher,
    plan: GrowthPlan,
    /// Whether keys can be removed.
    is_deletable: bool,
    labels: Option<Box<Labels>>,
}

impl GrowingFilter {
    /// Makes a filter without keys, laid out for this number of keys.
    fn empty(meta: GrowingMeta, keys: u64) -> Result<Self> {
        let first = new_link(&meta.plan, 0, keys)?;
        Ok(GrowingFilter { links: alloc::vec![first], meta, whole: None })
    }

    fn newest(&self) -> &Table {
        &self.links[self.links.len() - 1]
    }

    /// The number of keys that the filter began with room for: [`GrowingFilterBuilder::first`].
    #[must_use]
    pub fn first(&self) -> u64 {
        self.meta.plan.first()
    }

    /// The promised false-positive rate, for any number of keys.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.plan.rate()
    }

    /// The false-positive rate now: exact for keys whose hashes are spread evenly, and at most the
    /// promised one. Costs nothing while the filter is one table ([`num_links`](Self::num_links)),
    /// and after that a pass over all its tables.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let share = |place: usize| {
            self.numbers_of_its_own(place) as f64 / self.links[place].packing().numbers() as f64
        };
        (0..self.links.len()).map(share).sum()
    }

    /// How many different fingerprints of a link extend no fingerprint of an older link. A key is
    /// inserted into a link only if no link holds its fingerprint. But an older link may get the
    /// shorter fingerprint later: by a later insert, or from another filter in a union.
    fn numbers_of_its_own(&self, place: usize) -> u64 {
        let link = &self.links[place];
        if place == 0 {
            return link.distinct();
        }
        let finer = |older: usize| GrowthPlan::finer(place) - GrowthPlan::finer(older);
        let mut older: Vec<_> = self.links[..place]
            .iter()
            .enumerate()
            .map(|(i, link)| (finer(i), link.entries().peekable()))
            .collect();
        let (mut own, mut last) = (0, None);
        for number in link.entries() {
            if last.replace(number) == Some(number) {
                continue;
            }
            let mut is_held = false;
            for (bits, entries) in &mut older {
                let coarse = number >> *bits;
                while entries.next_if(|entry| *entry < coarse).is_some() {}
                is_held |= entries.peek() == Some(&coarse);
            }
            own += u64::from(!is_held);
        }
        own
    }

    /// The number of keys that it holds. Without [removal](GrowingFilterBuilder::deletable) these
    /// are the keys that were new when they were inserted; with removal all inserted keys less the
    /// removed ones.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.links.iter().map(Table::slots).sum()
    }

    /// Whether it holds no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of its tables. A lookup reads each of them.
    #[must_use]
    pub fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Whether keys can be [removed](Self::remove).
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        self.meta.is_deletable
    }

    /// The bytes of the tables in memory.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.links.iter().map(|link| link.packing().bytes()).sum()
    }

    about_keys!();

    /// Removes all keys. The filter is then as it began, with at most the lines of its first table.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for it.
    pub fn clear(&mut self) -> Result<()> {
        // The number of first keys may be a file's claim: it makes no table larger.
        let keys = self.links[0].packing().room().min(self.first());
        *self = GrowingFilter::empty(self.meta.clone(), keys)?;
        Ok(())
    }

    /// Checks the tables against what the file says of them. After
    /// [`Open::quick`](crate::Open::quick) these are the checks that opening left out.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal) for
    /// a file that was changed without its seal key.
    pub fn verify(&self) -> Result<()> {
        self.whole.as_ref().map_or(Ok(()), |whole| whole.verify())
    }

    /// Checks the fingerprints of a file that was opened quick, before they are copied.
    fn check_before_copying(&self) -> Result<()> {
        self.whole.as_ref().map_or(Ok(()), |whole| whole.check_before_copying())
    }

    /// Checks a file's lines before a change. A table copies its own lines when it changes.
    #[inline]
    fn before_a_change(&mut self) -> Result<()> {
        if self.whole.is_some() {
            self.check_before_copying()?;
            self.whole = None;
        }
        Ok(())
    }
}

/// Makes an empty link, laid out for this many keys.
fn new_link(plan: &GrowthPlan, number: usize, keys: u64) -> Result<Table> {
    match plan.numbers(number) {
        Some(numbers) => Table::new(numbers, 0, keys.clamp(1, plan.capacity(number))),
        None => Err(crate::error::Error::rate_out_of_reach(
            plan.rate(),
            "the filter is full: more keys would need 2^56 possible fingerprints or more",
        )
        .with(advice!(
            "build another one, for more keys from the first",
            First,
            " or with a higher rate"
        ))),
    }
}

/// Two filters are equal if they give every key the same answer for the same reason, and grow
/// alike: same hash, domain, recipe and plan, and in each link the same fingerprints. Labels and
/// the layout of the tables do not matter.
impl PartialEq for GrowingFilter {
    fn eq(&self, other: &GrowingFilter) -> bool {
        self.check_compatible(other).is_ok()
            && self.links.len() == other.links.len()
            && self.links.iter().zip(&other.links).all(|(a, b)| a.entries().eq(b.entries()))
    }
}

impl Eq for GrowingFilter {}

shown!(GrowingFilter: first, promised_false_positive_rate, is_deletable, len, num_links, size_in_bytes, scheme, seed, key_domain);

#[cfg(test)]
mod tests;
