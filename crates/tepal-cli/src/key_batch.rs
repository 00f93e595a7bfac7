//! Keys as bytes, for filters whose scheme has no 64-bit hash.

use tepal::Recipe;

use crate::input::pages::Keys;
use crate::input::pipeline::{Refused, Work};

/// Keys one after the other, each with the record it is of.
#[derive(Default)]
pub struct KeyBatch {
    bytes: Vec<u8>,
    /// Which record each key is of, and where it ends.
    ends: Vec<(usize, usize)>,
    /// Records there were, with and without a key.
    records: usize,
}

impl KeyBatch {
    /// Forgets all keys.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.records = 0;
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a key.
    pub fn push(&mut self, record: usize, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push((record, self.bytes.len()));
    }

    /// All keys, in order, each after its record.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&(_, end)| end));
        self.ends.iter().zip(starts).map(|(&(record, end), start)| (record, &self.bytes[start..end]))
    }
}

/// Takes the keys after a recipe. Whether a filter can hold them is seen when they go in.
pub struct TakeKeys(pub Recipe);

impl Work for TakeKeys {
    type Tools = ();
    type Results = KeyBatch;

    fn tools(&self) {}

    fn clear(results: &mut KeyBatch) {
        results.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, results: &mut KeyBatch) -> Result<(), Refused> {
        let before = results.records;
        for record in 0..keys.batch.len() {
            let key = keys.key(record).map_err(|text| Refused { record, text })?;
            if let Some(key) = key {
                results.push(before + record, &self.0.apply(key));
            }
        }
        results.records += keys.batch.len();
        Ok(())
    }
}
