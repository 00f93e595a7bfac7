//! Asks filters about all keys of all inputs; what is done with the answers is the caller's.
//!
//! Filters with a 64-bit hash are asked here; [`ask_keys`](crate::ask_keys) asks those that have none.

use tepal::{BloomFilter, Line};

use crate::key::KeyHasher;
use crate::pages::{Keys, PAGE};
use crate::pipeline::{Refused, Work};

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
        let hashed = tools.hash(keys);
        let asked = tools.columns.first().map_or(0, |column| column.hashes.len());
        let before = results.held.len();
        results.held.resize(before + asked, false);
        let held = &mut results.held[before..];
        for column in &mut tools.columns {
            column.merge(held);
        }
        // A refused record ends the page, so these are all among those asked about.
        tools.keyless.iter().for_each(|&i| held[i] = false);
        results.keyless += tools.keyless.len();
        hashed
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

    /// Asks the filter and marks what it holds. Hashes a page may have more than `held` has are left out.
    fn merge(&mut self, held: &mut [bool]) {
        let hashes = &self.hashes[..held.len()];
        self.answers.resize(held.len(), false);
        self.filter.contains_many_hashes(hashes, &mut self.answers);
        for (held, &answer) in held.iter_mut().zip(&self.answers) {
            *held |= answer;
        }
    }
}

impl<L: AsRef<[Line]>> Columns<'_, L> {
    /// Hashes the keys of a page for each filter, up to the first record that has no valid key.
    fn hash(&mut self, keys: &mut Keys<'_>) -> Result<(), Refused> {
        let Self { columns, keyless } = self;
        keyless.clear();
        for column in columns.iter_mut() {
            column.hashes.clear();
        }
        for record in 0..keys.batch.len() {
            let key = keys.key(record).map_err(|text| Refused { record, text })?;
            if key.is_none() {
                keyless.push(record);
            }
            for n in 0..columns.len() {
                match key.map_or(Ok(0), |key| columns[n].hasher.hash(key)) {
                    Ok(hash) => columns[n].hashes.push(hash),
                    Err(text) => {
                        // The first filters may have hashed this key already; all must have equally many.
                        for column in columns.iter_mut() {
                            column.hashes.truncate(record);
                        }
                        return Err(Refused { record, text });
                    }
                }
            }
        }
        Ok(())
    }
}
