//! Hashes keys and keeps the hashes until it is known how many they are.
//!
//! Both are done on the thread that works on the records: the order of hashes changes no bit of a filter.

use tepal::Line;

use crate::error::Failure;
use crate::input::pages::{Keys, Page};
use crate::input::pipeline::{Flow, Refused, Sink, Work};
use crate::key::{HashKeys, KeyHasher};
use crate::spool::{Sorter, Spool};

/// Puts the hashes of keys into a spool.
pub struct Keep<'a, 'm, L> {
    /// Hashes them.
    pub hash: HashKeys<'a, L>,
    /// Keeps them.
    pub spool: &'a Spool<'m>,
}

/// What a thread needs for it.
pub struct Tools<'a, 'm, L> {
    hasher: KeyHasher<'a, L>,
    hashes: Vec<u64>,
    sorter: Sorter<'a, 'm>,
}

/// Whether the hashes of some records are kept.
#[derive(Default)]
pub struct Kept(Option<Failure>);

impl<'a, 'm, L: AsRef<[Line]> + Sync> Work for Keep<'a, 'm, L> {
    type Tools = Tools<'a, 'm, L>;
    type Results = Kept;

    fn tools(&self) -> Self::Tools {
        Tools { hasher: self.hash.tools(), hashes: Vec::new(), sorter: self.spool.sorter() }
    }

    fn clear(results: &mut Kept) {
        results.0 = None;
    }

    fn work(&self, tools: &mut Self::Tools, keys: &mut Keys<'_>, results: &mut Kept) -> Result<(), Refused> {
        let Tools { hasher, hashes, sorter } = tools;
        hashes.clear();
        let hashed = self.hash.work(hasher, keys, hashes);
        if results.0.is_none() {
            results.0 = sorter.push(hashes).err();
        }
        hashed
    }
}

/// Ends at the first hashes that could not be kept.
pub struct AllKept;

impl Sink<Kept> for AllKept {
    fn take(&mut self, _page: &mut Page<'_>, results: &Kept) -> Result<Flow, Failure> {
        match &results.0 {
            None => Ok(Flow::Continue),
            Some(failure) => Err(failure.clone()),
        }
    }
}
