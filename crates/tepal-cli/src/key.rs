//! From the bytes of a record to the hash that one filter uses.

use tepal::{BloomFilter, Error, KeyDomain, Line, Recipe, SecretKey};

use crate::input::pages::Keys;
use crate::input::pipeline::{Refused, Work};
use crate::text::message::shown_key;

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

/// Hashes keys for one filter; a record without a key has no hash among the results.
pub struct HashKeys<'a, L> {
    /// Has the filter's recipe, scheme, seed and key domain.
    pub filter: &'a BloomFilter<L>,
}

impl<'a, L: AsRef<[Line]> + Sync> Work for HashKeys<'a, L> {
    type Tools = KeyHasher<'a, L>;
    type Results = Vec<u64>;

    fn tools(&self) -> Self::Tools {
        KeyHasher::new(self.filter)
    }

    fn clear(results: &mut Vec<u64>) {
        results.clear();
    }

    fn work(
        &self,
        hasher: &mut Self::Tools,
        keys: &mut Keys<'_>,
        hashes: &mut Vec<u64>,
    ) -> Result<(), Refused> {
        hashes.reserve(keys.batch.len());
        for record in 0..keys.batch.len() {
            let hash = match keys.key(record) {
                Ok(Some(key)) => hasher.hash(key),
                Ok(None) => continue,
                Err(text) => Err(text),
            };
            hashes.push(hash.map_err(|text| Refused { record, text })?);
        }
        Ok(())
    }
}

/// An empty filter that hashes keys as `filter` does, so that this one can change meanwhile.
pub fn hasher_of(filter: &BloomFilter, secret: Option<SecretKey>) -> Result<BloomFilter, Error> {
    let mut builder = BloomFilter::builder()
        .capacity(1)
        .scheme(filter.scheme())
        .layout(filter.layout())
        .key_domain(filter.key_domain())
        .recipe(filter.recipe());
    if let Some(seed) = filter.seed() {
        builder = builder.seed(seed);
    }
    if let Some(secret) = secret {
        builder = builder.secret_key(secret);
    }
    builder.build()
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
