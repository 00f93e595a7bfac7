//! Asks filters about all keys of all inputs, page by page; what is done with the answers is the caller's.
//!
//! Filters with a 64-bit hash are asked here; [`ask_keys`](crate::ask_keys) asks those that have none.

use tepal::{BloomFilter, Line};

use crate::error::Failure;
use crate::key::KeyHasher;
use crate::pages::{PAGE, Page, Pages};

/// How to go on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next page.
    Continue,
    /// With the next input.
    NextInput,
    /// Not at all: enough is known.
    Stop,
}

/// Takes the answers.
pub trait Sink {
    /// A header row, which has no key.
    fn header(&mut self, _page: &Page<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// The first `held.len()` records of a page; `held[i]`: the key of record i is probably in a filter. A record
    /// without a key is in none.
    fn answers(&mut self, page: &mut Page<'_>, held: &[bool]) -> Result<Flow, Failure>;
}

/// Asks whether any of `filters` has the keys of `pages`.
///
/// Where a record has no valid key, the answers before it are given first.
pub fn ask<L: AsRef<[Line]>>(
    filters: &[&BloomFilter<L>],
    pages: &mut Pages,
    sink: &mut dyn Sink,
) -> Result<(), Failure> {
    let mut columns: Vec<Column<'_, L>> = filters.iter().map(|filter| Column::new(filter)).collect();
    let mut held = Vec::with_capacity(PAGE);
    while let Some(mut page) = pages.next_page()? {
        if page.is_header {
            sink.header(&page)?;
            continue;
        }
        let failed = hash(&mut page, &mut columns);
        held.clear();
        let asked = columns.first().map_or(0, |column| column.hashes.len());
        held.resize(asked, false);
        for column in &mut columns {
            column.merge(&mut held);
        }
        let flow = sink.answers(&mut page, &held)?;
        match flow {
            Flow::Stop => return Ok(()),
            Flow::NextInput => pages.skip_input(),
            Flow::Continue => failed?,
        }
    }
    Ok(())
}

/// One filter and its answers for a page.
struct Column<'a, L> {
    filter: &'a BloomFilter<L>,
    hasher: KeyHasher<'a, L>,
    hashes: Vec<u64>,
    answers: Vec<bool>,
    /// Records that have no key.
    keyless: Vec<usize>,
}

impl<'a, L: AsRef<[Line]>> Column<'a, L> {
    fn new(filter: &'a BloomFilter<L>) -> Self {
        Self {
            filter,
            hasher: KeyHasher::new(filter),
            hashes: Vec::with_capacity(PAGE),
            answers: Vec::with_capacity(PAGE),
            keyless: Vec::new(),
        }
    }

    /// Asks the filter and marks what it holds. Hashes a page may have more than `held` has are left out.
    fn merge(&mut self, held: &mut [bool]) {
        let hashes = &self.hashes[..held.len()];
        self.answers.resize(held.len(), false);
        self.filter.contains_many_hashes(hashes, &mut self.answers);
        for &i in self.keyless.iter().filter(|&&i| i < held.len()) {
            self.answers[i] = false;
        }
        for (held, &answer) in held.iter_mut().zip(&self.answers) {
            *held |= answer;
        }
    }
}

/// Hashes the keys of a page for each filter, up to the first record that has no valid key.
fn hash<L: AsRef<[Line]>>(page: &mut Page<'_>, columns: &mut [Column<'_, L>]) -> Result<(), Failure> {
    for column in columns.iter_mut() {
        column.hashes.clear();
        column.keyless.clear();
    }
    for i in 0..page.batch.len() {
        let key = page.key(i)?;
        for n in 0..columns.len() {
            let column = &mut columns[n];
            let hashed = match key {
                Some(key) => column.hasher.hash(key),
                None => {
                    column.keyless.push(i);
                    Ok(0)
                }
            };
            match hashed {
                Ok(hash) => column.hashes.push(hash),
                Err(text) => {
                    // The first filters may have hashed this key already; all must have equally many.
                    for column in columns.iter_mut() {
                        column.hashes.truncate(i);
                    }
                    return Err(page.failure(i, text));
                }
            }
        }
    }
    Ok(())
}
