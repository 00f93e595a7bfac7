//! Asks filters about all keys of all inputs; what is done with the answers is the caller's.
//!
//! Filters with a 64-bit hash are asked here; [`ask_keys`](crate::ask_keys) asks those that have none.

use tepal::{BloomFilter, Line};

use crate::input::pages::{Keys, PAGE};
use crate::input::pipeline::{Refused, Work};
use crate::key::KeyHasher;

/// The answers for some records.
#[derive(Default)]
pub struct Answers {
    /// For each record, whether its key is probably in a filter. A record without a key is in none.
    pub held: Vec<bool>,
    /// How many records have no key.
    pub keyless: usize,
}

impl Answers {
    /// Forgets all answers.
    pub fn clear(&mut self) {
        self.held.clear();
        self.keyless = 0;
    }
}

/// Asks whether any of some filters has the keys.
pub struct Ask<'a, L> {
    /// The filters, each with a 64-bit hash.
    pub filters: &'a [&'a BloomFilter<L>],
}

/// One filter and its answers for a page.
pub struct Column<'a, L> {
    filter: &'a BloomFilter<L>,
    hasher: KeyHasher<'a, L>,
    hashes: Vec<u64>,
    answers: Vec<bool>,
}

/// What a thread needs to ask.
pub struct Columns<'a, L> {
    columns: Vec<Column<'a, L>>,
    /// Records of the page that have no key.
    keyless: Vec<usize>,
}

impl<'a, L: AsRef<[Line]> + Sync> Work for Ask<'a, L> {
    type Tools = Columns<'a, L>;
    type Results = Answers;

    fn tools(&self) -> Self::Tools {
        let columns = self.filters.iter().map(|filter| Column::new(filter)).collect();
        Columns { columns, keyless: Vec::new() }
    }

    fn clear(results: &mut Answers) {
        results.clear();
    }

    fn work(
        &self,
        tools: &mut Self::Tools,
        keys: &mut Keys<'_>,
        results: &mut Answers,
    ) -> Result<(), Refused> {
        let Columns { columns, keyless } = tools;
        let mut asked = keys.batch.len();
        let mut refused = Ok(());
        for column in columns.iter_mut() {
            keyless.clear();
            if let Err(earlier) = column.hash(keys, asked, keyless) {
                asked = earlier.record;
                refused = Err(earlier);
            }
        }
        let before = results.held.len();
        results.held.resize(before + asked, false);
        let held = &mut results.held[before..];
        for column in columns.iter_mut() {
            column.merge(held);
        }
        keyless.iter().for_each(|&i| held[i] = false);
        results.keyless += keyless.len();
        refused
    }
}

impl<'a, L: AsRef<[Line]>> Column<'a, L> {
    fn new(filter: &'a BloomFilter<L>) -> Self {
        Self {
            filter,
            hasher: KeyHasher::new(filter),
            hashes: Vec::with_capacity(PAGE),
            answers: Vec::with_capacity(PAGE),
        }
    }

    /// Hashes the keys of the first `most` records, up to the first one that has no valid key.
    fn hash(&mut self, keys: &mut Keys<'_>, most: usize, keyless: &mut Vec<usize>) -> Result<(), Refused> {
        self.hashes.clear();
        for record in 0..most {
            let hash = match keys.key(record) {
                Ok(Some(key)) => self.hasher.hash(key),
                Ok(None) => {
                    keyless.push(record);
                    Ok(0)
                }
                Err(text) => Err(text),
            };
            self.hashes.push(hash.map_err(|text| Refused { record, text })?);
        }
        Ok(())
    }

    /// Asks the filter and marks what it holds. Hashes a page may have more than `held` has are left out.
    fn merge(&mut self, held: &mut [bool]) {
        self.answers.resize(held.len(), false);
        self.filter.contains_many_hashes(&self.hashes[..held.len()], &mut self.answers);
        for (held, &answer) in held.iter_mut().zip(&self.answers) {
            *held |= answer;
        }
    }
}
