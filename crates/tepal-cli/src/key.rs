//! From the bytes of a record to the hash that one filter uses.

use tepal::{BloomFilter, Error, KeyDomain, Line, Recipe};

use crate::error::{Failure, shown_key};
use crate::pages::Page;

/// Hashes keys as one filter does: its recipe first, then its scheme, seed and key domain.
pub struct KeyHasher<'a, L> {
    filter: &'a BloomFilter<L>,
    /// Nothing where the recipe changes no key.
    recipe: Option<Recipe>,
}

impl<'a, L: AsRef<[Line]>> KeyHasher<'a, L> {
    /// The hasher of `filter`.
    pub fn new(filter: &'a BloomFilter<L>) -> Self {
        let recipe = filter.recipe();
        Self { filter, recipe: (recipe != Recipe::default()).then_some(recipe) }
    }

    /// The hash of a key, or why it has none.
    #[inline]
    pub fn hash(&self, key: &[u8]) -> Result<u64, String> {
        let hashed = match self.recipe {
            None => self.filter.hash_key(key),
            Some(recipe) => self.filter.hash_key(&*recipe.apply(key)),
        };
        hashed.map_err(|error| refusal(key, &error))
    }
}

/// Puts the hashes of all keys of a page into `hashes`; a record without a key has none there.
pub fn hash_page<L: AsRef<[Line]>>(
    page: &mut Page<'_>,
    hasher: &KeyHasher<'_, L>,
    hashes: &mut Vec<u64>,
) -> Result<(), Failure> {
    hashes.clear();
    if page.is_header {
        return Ok(());
    }
    for i in 0..page.batch.len() {
        let Some(key) = page.key(i)? else {
            continue;
        };
        match hasher.hash(key) {
            Ok(hash) => hashes.push(hash),
            Err(text) => return Err(page.failure(i, text)),
        }
    }
    Ok(())
}

/// Why a key is refused, in words for someone at a command line.
#[cold]
pub fn refusal(key: &[u8], error: &Error) -> String {
    match error {
        Error::KeyRefused { domain: KeyDomain::Integer, .. } => format!(
            "the key {} is no integer, and this filter's keys are; expected the shortest decimal form of an \
             integer of 64 bits",
            shown_key(key)
        ),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hasher_applies_the_recipe() {
        let recipe = Recipe { trim: true, nocase: true };
        let filter = BloomFilter::builder().capacity(1).recipe(recipe).build().unwrap();
        let hasher = KeyHasher::new(&filter);
        assert_eq!(hasher.hash(b" ABC\t"), hasher.hash(b"abc"));
        let plain = BloomFilter::builder().capacity(1).build().unwrap();
        let plain = KeyHasher::new(&plain);
        assert_ne!(plain.hash(b" ABC\t"), plain.hash(b"abc"));
    }
}
