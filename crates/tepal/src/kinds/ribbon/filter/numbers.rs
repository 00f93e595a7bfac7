//! A filter of the numbers that keys have in a table: what the table knew of its keys, and no key
//! (FORMAT.md, section 2.8).

use core::num::NonZeroU64;

use super::RibbonFilter;
use crate::bits::mix::{finish, number};
use crate::kinds::storage::PlainStorage;

/// So many hashes are turned into those of their numbers at once.
const BATCH: usize = 256;

/// The hash that a number has in the ribbon. One to one.
#[inline(always)]
pub(super) const fn hash_of(number: u64) -> u64 {
    finish(number)
}

impl<L: PlainStorage> RibbonFilter<L> {
    /// Of how many numbers its own are, where it was made of a table
    /// ([`QuotientFilter::numbers`](crate::QuotientFilter::numbers)); `None` where it was built of
    /// keys.
    #[must_use]
    pub fn numbers(&self) -> Option<u64> {
        self.numbers.map(NonZeroU64::get)
    }

    /// The share of other keys that have a number of the table: these are found, whatever the
    /// ribbon says.
    pub(super) fn rate_of_numbers(&self) -> f64 {
        self.numbers().map_or(0.0, |numbers| self.ribbon.keys as f64 / numbers as f64)
    }

    /// What the ribbon is asked for, for the hash of a key.
    #[inline(always)]
    pub(super) fn in_ribbon(&self, hash: u64) -> u64 {
        match self.numbers {
            None => hash,
            Some(numbers) => hash_of(number(hash, numbers.get())),
        }
    }

    /// The same for many: `ask` gets a part of them at a time, with the answers to it.
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
