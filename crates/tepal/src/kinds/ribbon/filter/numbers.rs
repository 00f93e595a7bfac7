//! A filter of the fingerprints of a table: it knows what the table knew of its keys, and no key
//! (FORMAT.md, section 2.8).

use core::num::NonZeroU64;

use super::RibbonFilter;
use crate::bits::mix::{finish, number};
use crate::kinds::storage::PlainStorage;

/// The number of hashes that are converted at once.
const BATCH: usize = 256;

/// The hash of a fingerprint in the ribbon, one to one.
#[inline(always)]
pub(super) const fn hash_of(number: u64) -> u64 {
    finish(number)
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// The number of possible fingerprints of the table that it was made from
    /// ([`QuotientFilter::numbers`](crate::QuotientFilter::numbers)); `None` if it was built from
    /// keys.
    #[must_use]
    pub fn numbers(&self) -> Option<u64> {
        self.numbers.map(NonZeroU64::get)
    }

    /// The share of non-members that have a fingerprint of the table: the lookup says yes for them,
    /// whatever the rest of the ribbon does.
    pub(super) fn rate_of_numbers(&self) -> f64 {
        self.numbers().map_or(0.0, |numbers| self.ribbon.keys as f64 / numbers as f64)
    }

    /// Converts the hash of a key into the hash to look up in the ribbon.
    #[inline(always)]
    pub(super) fn in_ribbon(&self, hash: u64) -> u64 {
        match self.numbers {
            None => hash,
            Some(numbers) => hash_of(number(hash, numbers.get())),
        }
    }

    /// Converts many hashes: `ask` gets some of them at a time, with their answers.
    pub(super) fn each_in_ribbon(
        &self,
        hashes: &[u64],
        answers: &mut [bool],
        ask: impl Fn(&[u64], &mut [bool]),
    ) {
        let Some(numbers) = self.numbers else { return ask(hashes, answers) };
        let mut own = [0; BATCH];
        for (hashes, answers) in hashes.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            let own = &mut own[..hashes.len()];
            own.iter_mut().zip(hashes).for_each(|(own, hash)| *own = hash_of(number(*hash, numbers.get())));
            ask(own, answers);
        }
    }
}
