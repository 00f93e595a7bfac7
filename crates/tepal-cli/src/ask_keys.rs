//! Asks filters of every kind, by hashes where all of them have those and key by key where not.

use std::borrow::Cow;

use crate::ask::{Answers, Ask};
use crate::error::Failure;
use crate::input::pages::{Inputs, Keys};
use crate::input::pipeline::{Refused, Sink, Work, run};
use crate::key::refusal;
use crate::key_batch::KeyBatch;
use crate::open::{Filter, Own};

/// Asks whether any of `filters` has the keys of `inputs`.
pub fn ask_all(filters: &[Filter], inputs: &mut Inputs, sink: &mut dyn Sink<Answers>) -> Result<(), Failure> {
    let hashed: Option<Vec<&Own>> = filters.iter().map(Filter::hashed).collect();
    match hashed {
        Some(hashed) => run(inputs, &Ask { filters: &hashed }, sink),
        None => run(inputs, &AskKeys { filters }, sink),
    }
}

/// Asks key by key.
struct AskKeys<'a> {
    filters: &'a [Filter],
}

impl Work for AskKeys<'_> {
    /// The keys of a page.
    type Tools = KeyBatch;
    type Results = Answers;

    fn tools(&self) -> KeyBatch {
        KeyBatch::default()
    }

    fn clear(results: &mut Answers) {
        results.clear();
    }

    fn work(&self, batch: &mut KeyBatch, keys: &mut Keys<'_>, results: &mut Answers) -> Result<(), Refused> {
        batch.clear();
        let mut refused = Ok(());
        let mut records = 0;
        for record in 0..keys.batch.len() {
            let fault = match keys.key(record) {
                Ok(Some(key)) => {
                    let fault = self.filters.iter().find_map(|filter| refused_by(filter, key));
                    if fault.is_none() {
                        batch.push(record, key);
                    }
                    fault
                }
                Ok(None) => None,
                Err(text) => Some(text),
            };
            if let Some(text) = fault {
                refused = Err(Refused { record, text });
                break;
            }
            records += 1;
        }
        let before = results.held.len();
        results.held.resize(before + records, false);
        for ((record, _), held) in batch.iter().zip(held(self.filters, batch)) {
            results.held[before + record] = held;
        }
        results.keyless += records - batch.len();
        refused
    }
}

/// Which of the keys any filter holds.
fn held(filters: &[Filter], keys: &KeyBatch) -> Vec<bool> {
    let mut held = vec![false; keys.len()];
    for filter in filters {
        let recipe = filter.recipe();
        let meant: Vec<Cow<'_, [u8]>> = keys.iter().map(|(_, key)| recipe.apply(key)).collect();
        let answers = filter.contains_many(&meant);
        held.iter_mut().zip(answers).for_each(|(held, answer)| *held |= answer);
    }
    held
}

/// Whether any of `filters` holds one key, or why it cannot be asked for.
pub fn has_key(filters: &[Filter], key: &[u8]) -> Result<bool, String> {
    match filters.iter().find_map(|filter| refused_by(filter, key)) {
        Some(text) => Err(text),
        None => Ok(filters.iter().any(|filter| filter.contains_many(&[filter.recipe().apply(key)])[0])),
    }
}

/// Why `filter` cannot be asked for `key`.
fn refused_by(filter: &Filter, key: &[u8]) -> Option<String> {
    filter.check_key(&filter.recipe().apply(key)).err().map(|error| refusal(key, &error))
}
