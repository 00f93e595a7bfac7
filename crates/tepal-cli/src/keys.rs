//! From the keys of records to what the library takes: prepared, or asked.

use tepal::build::{Gather, Worker};
use tepal::{AnyFilter, Error, KeyHasher, Opened, PreparedKeys};

use crate::error::Failure;
use crate::input::pages::{Keys, PAGE};
use crate::input::pipeline::{Refused, Work};

/// Prepares keys for one filter. A record without a key has none among the results.
pub struct Prepare {
    /// Prepares them.
    pub hasher: KeyHasher,
}

impl Work for Prepare {
    type Tools = ();
    type Results = PreparedKeys;

    fn tools(&self) {}

    fn clear(results: &mut PreparedKeys) {
        results.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, prepared: &mut PreparedKeys) -> Result<(), Refused> {
        prepare(&self.hasher, keys, keys.batch.len(), prepared, |_| {})
    }
}

/// Prepares the keys of the first `records`, up to one that is refused. `keyless` hears of those without a key.
#[inline(always)]
fn prepare(
    hasher: &KeyHasher,
    keys: &mut Keys<'_>,
    records: usize,
    prepared: &mut PreparedKeys,
    mut keyless: impl FnMut(usize),
) -> Result<(), Refused> {
    (0..records).try_for_each(|record| match keys.key(record) {
        Ok(Some(key)) => {
            hasher.prepare(key, prepared).map_err(|error| Refused { record, text: refusal(&error) })
        }
        Ok(None) => {
            keyless(record);
            Ok(())
        }
        Err(text) => Err(Refused { record, text }),
    })
}

/// Prepares keys for a filter whose size may not be known yet, and keeps those that have to wait.
pub struct Keep<'a> {
    prepare: Prepare,
    gather: &'a Gather,
}

impl<'a> Keep<'a> {
    /// Keys for this filter.
    pub fn new(gather: &'a Gather) -> Self {
        Self { prepare: Prepare { hasher: gather.key_hasher() }, gather }
    }
}

/// The keys that are still to be taken in order, and why others could not be kept.
#[derive(Default)]
pub struct Kept {
    /// For [`Gather::take`].
    pub keys: PreparedKeys,
    /// The first failure.
    pub failure: Option<Failure>,
}

impl<'a> Work for Keep<'a> {
    type Tools = Worker<'a>;
    type Results = Kept;

    fn tools(&self) -> Worker<'a> {
        self.gather.worker()
    }

    fn clear(results: &mut Kept) {
        results.keys.clear();
        results.failure = None;
    }

    fn work(&self, worker: &mut Worker<'a>, keys: &mut Keys<'_>, kept: &mut Kept) -> Result<(), Refused> {
        let worked = self.prepare.work(&mut (), keys, &mut kept.keys);
        if kept.failure.is_none() {
            kept.failure = worker.keep(&mut kept.keys).err().map(Failure::from);
        }
        worked
    }
}

/// The answers for some records.
#[derive(Default)]
pub struct Answers {
    /// For each record, whether its key is probably in a filter. A record without a key is in none.
    pub held: Vec<bool>,
    /// How many records have no key.
    pub keyless: usize,
}

/// Asks whether any of some filters has the keys.
pub struct Ask<'a> {
    /// The filters.
    pub filters: &'a [Opened],
}

/// One filter, and what it makes of a page.
pub struct Column<'a> {
    filter: &'a AnyFilter,
    hasher: KeyHasher,
    keys: PreparedKeys,
    answers: Vec<bool>,
}

/// What a thread needs to ask.
pub struct Columns<'a> {
    columns: Vec<Column<'a>>,
    /// Records of the page that have no key.
    keyless: Vec<usize>,
}

impl<'a> Work for Ask<'a> {
    type Tools = Columns<'a>;
    type Results = Answers;

    fn tools(&self) -> Columns<'a> {
        let column = |opened: &'a Opened| Column {
            filter: opened.filter(),
            hasher: opened.key_hasher(),
            keys: PreparedKeys::default(),
            answers: Vec::with_capacity(PAGE),
        };
        Columns { columns: self.filters.iter().map(column).collect(), keyless: Vec::new() }
    }

    fn clear(results: &mut Answers) {
        results.held.clear();
        results.keyless = 0;
    }

    fn work(
        &self,
        tools: &mut Columns<'a>,
        keys: &mut Keys<'_>,
        answers: &mut Answers,
    ) -> Result<(), Refused> {
        let Columns { columns, keyless } = tools;
        let mut asked = keys.batch.len();
        let mut refused = Ok(());
        for Column { hasher, keys: prepared, .. } in columns.iter_mut() {
            keyless.clear();
            prepared.clear();
            if let Err(earlier) = prepare(hasher, keys, asked, prepared, |record| keyless.push(record)) {
                asked = earlier.record;
                refused = Err(earlier);
            }
        }
        let before = answers.held.len();
        answers.held.resize(before + asked, false);
        for Column { filter, keys, answers: found, .. } in columns.iter_mut() {
            found.resize(keys.len(), false);
            filter.contains_prepared(keys, found);
            merge(&mut answers.held[before..], found, keyless);
        }
        answers.keyless += keyless.len();
        refused
    }
}

/// Marks the records that a filter holds: `found` is for those of them that have a key, in order.
fn merge(held: &mut [bool], found: &[bool], keyless: &[usize]) {
    if keyless.is_empty() {
        return held.iter_mut().zip(found).for_each(|(held, found)| *held |= found);
    }
    let (mut keyless, mut found) = (keyless.iter().peekable(), found.iter());
    for (record, held) in held.iter_mut().enumerate() {
        if keyless.next_if_eq(&&record).is_none() {
            *held |= found.next().copied().unwrap_or(false);
        }
    }
}

/// Whether any of `filters` holds one key.
pub fn has_key(filters: &[Opened], key: &[u8]) -> Result<bool, Failure> {
    for filter in filters {
        filter.key_hasher().check(key).map_err(|error| Failure::at("-e", refusal(&error)))?;
    }
    Ok(filters.iter().any(|filter| filter.contains(key)))
}

/// Why a key is refused, in words for someone at a command line.
#[cold]
pub fn refusal(error: &Error) -> String {
    match error {
        Error::CallerHashes { name, .. } => format!(
            "this filter holds hashes that another program computes ({name:?}), and this one cannot; ask that program"
        ),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_to_the_records_that_have_a_key() {
        for (found, keyless, expected) in [
            (&[true, false, true][..], &[][..], [true, false, true, false]),
            (&[true, true], &[1, 2], [true, false, false, true]),
            (&[true, true], &[0, 3], [false, true, true, false]),
            (&[], &[0, 1, 2, 3], [false; 4]),
        ] {
            let mut held = [false; 4];
            merge(&mut held, found, keyless);
            assert_eq!(held, expected, "{keyless:?}");
        }
    }
}
