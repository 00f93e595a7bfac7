//! A filter for as many keys as come, under one promise: a chain of sorted tables of numbers, each
//! of which grows smoothly.
//!
//! Which link has how many numbers is in [`plan`], describing a filter in [`builder`], asking in
//! [`ask`], inserting and removing in [`change`], joining two and making one table of all links in
//! [`combine`], what a file holds of it in [`in_file`], what every kind of filter does in [`kind`].

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
use crate::error::Result;
use crate::facts::Labels;
use crate::key::KeyHasher;
use crate::kinds::calls::about_keys;
use crate::kinds::links::Whole;
use crate::kinds::shown::shown;
use plan::GrowthPlan;

/// A filter for as many keys as come: it grows with them, and keeps one promise all the time.
///
/// It is for sets of which nobody knows how large they will be. It begins small and takes more
/// memory as keys come: from 11 to 16 bits a key at 1 %. Each key is asked for in one table as long
/// as there are 16 times as many keys as it began with, in two up to 272 times, in three up to
/// 4,368 times: so to say about how many will come first ([`first`](GrowingFilterBuilder::first))
/// makes it quicker, and a wrong guess breaks nothing.
///
/// Its rate is known from the numbers it holds, and never passes the promise. Where the number of
/// keys is known, a [`BloomFilter`](crate::BloomFilter) takes fewer bits and is several times as
/// fast. A [`ScalableBloomFilter`](crate::ScalableBloomFilter), a chain of Bloom filters, grows
/// too: it is faster to fill, takes about twice the memory, and asks more filters.
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
    meta: Meta,
    /// Where it was opened and not changed since.
    whole: Option<Box<Whole>>,
}

/// Everything about a filter that is not its tables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    keys: KeyHasher,
    plan: GrowthPlan,
    /// Can keys be removed?
    is_deletable: bool,
    labels: Option<Box<Labels>>,
}

impl GrowingFilter {
    /// A filter without a key, laid out for this number of keys.
    fn empty(meta: Meta, keys: u64) -> Result<Self> {
        let first = new_link(&meta.plan, 0, keys)?;
        Ok(GrowingFilter { links: alloc::vec![first], meta, whole: None })
    }

    fn newest(&self) -> &Table {
        &self.links[self.links.len() - 1]
    }

    /// So many keys the filter began with room for: [`GrowingFilterBuilder::first`].
    #[must_use]
    pub fn first(&self) -> u64 {
        self.meta.plan.first()
    }

    /// The share of wrong answers promised, however many keys come.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.plan.rate()
    }

    /// The share of wrong answers now: exact for keys whose hashes are spread evenly, and at most
    /// the promised one. Costs nothing while the filter is one table
    /// ([`num_links`](Self::num_links)), and a pass over all its tables after that.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let share = |place: usize| {
            self.numbers_of_its_own(place) as f64 / self.links[place].packing().numbers() as f64
        };
        (0..self.links.len()).map(share).sum()
    }

    /// How many different numbers of a link belong to no number of an older link. A key goes into a
    /// link only where no link holds its number; but an older link that takes keys later, or
    /// another filter's in a union, may get the number around one that is here.
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

    /// How many keys it holds: those that were new when they came; with
    /// [removal](GrowingFilterBuilder::deletable) all, less those that were removed.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.links.iter().map(Table::slots).sum()
    }

    /// Does it hold no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many tables it consists of. A key is asked for in each.
    #[must_use]
    pub fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Can keys be [removed](Self::remove)?
    #[must_use]
    pub fn is_deletable(&self) -> bool {
        self.meta.is_deletable
    }

    /// Bytes of the tables in memory.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.links.iter().map(|link| link.packing().bytes()).sum()
    }

    about_keys!();

    /// Forgets all keys: the filter as it began, in no more lines than its first table has.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for it.
    pub fn clear(&mut self) -> Result<()> {
        // A file claims with how many keys it began: they make no table larger.
        let keys = self.links[0].packing().room().min(self.first());
        *self = GrowingFilter::empty(self.meta.clone(), keys)?;
        Ok(())
    }

    /// Holds the tables against what the file says of them. After
    /// [`Open::quick`](crate::Open::quick) this is the rest of what opening checks.
    ///
    /// # Errors
    /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal) for
    /// a file that was changed without the key of its seal.
    pub fn verify(&self) -> Result<()> {
        self.whole.as_ref().map_or(Ok(()), |whole| whole.verify())
    }

    /// To be called before the numbers go anywhere else: of a file that was opened quick they are
    /// checked now.
    fn check_before_copying(&self) -> Result<()> {
        self.whole.as_ref().map_or(Ok(()), |whole| whole.check_before_copying())
    }

    /// To be called before a change: a file's lines are checked first. A table copies those that
    /// are its own.
    #[inline]
    fn before_a_change(&mut self) -> Result<()> {
        if self.whole.is_some() {
            self.check_before_copying()?;
            self.whole = None;
        }
        Ok(())
    }
}

/// An empty link, laid out for so many keys.
fn new_link(plan: &GrowthPlan, number: usize, keys: u64) -> Result<Table> {
    match plan.numbers(number) {
        Some(numbers) => Table::new(numbers, 0, keys.clamp(1, plan.capacity(number))),
        None => Err(crate::error::Error::rate_out_of_reach(
            plan.rate(),
            format_args!(
                "the filter is full: for more keys than it has, its numbers would have to be 2^56 or more; begin another one, with \
                 more keys from the first (`first`) or with a higher rate"
            ),
        )),
    }
}

/// Two filters are equal when they give every key the same answer for the same reason, and grow
/// alike: same hash, domain, recipe and plan, and in each link the same numbers. Labels and how the
/// tables are laid out do not matter.
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
