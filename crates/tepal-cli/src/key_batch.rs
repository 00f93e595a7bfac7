//! The keys of a page as bytes, for filters whose scheme has no 64-bit hash.

use tepal::Recipe;

use crate::error::Failure;
use crate::pages::Page;

/// Keys one after the other.
#[derive(Default)]
pub struct KeyBatch {
    bytes: Vec<u8>,
    /// Where each key ends.
    ends: Vec<usize>,
}

impl KeyBatch {
    /// Forgets all keys.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a key.
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
    }

    /// Takes the last key back.
    pub fn pop(&mut self) {
        self.ends.pop();
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Key `i`.
    pub fn key(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    /// All keys, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.key(i))
    }

    /// Takes the keys of a page after `recipe`, which `check` must accept; a record without a key gives none.
    pub fn fill(
        &mut self,
        page: &mut Page<'_>,
        recipe: Recipe,
        check: impl Fn(&[u8]) -> Result<(), String>,
    ) -> Result<(), Failure> {
        self.clear();
        if page.is_header {
            return Ok(());
        }
        for i in 0..page.batch.len() {
            let Some(key) = page.key(i)? else {
                continue;
            };
            let key = recipe.apply(key);
            match check(&key) {
                Ok(()) => self.push(&key),
                Err(text) => return Err(page.failure(i, text)),
            }
        }
        Ok(())
    }
}
