//! From the bytes of a record to the hash that one filter uses.

use std::path::Path;

use tepal::{BloomFilter, Error, KeyDomain, Line, Recipe, SecretKey};

use crate::error::{Failure, io_text, shown, shown_key};
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

/// Reads a secret from a file of 16 bytes, or of 32 hex digits.
pub fn read_secret(path: &Path) -> Result<SecretKey, Failure> {
    let name = shown(path);
    let metadata = std::fs::metadata(path).map_err(|error| Failure::io(&name, &error))?;
    let expected = "expected exactly 16 bytes, or 32 hex digits (head -c 16 /dev/urandom makes some)";
    if metadata.is_file() && metadata.len() > 64 {
        let text = format!("{} bytes; {expected}", metadata.len());
        return Err(Failure::at(&name, text));
    }
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::at(&name, format!("{}; {expected}", io_text(&error))))?;
    if let Ok(key) = <[u8; 16]>::try_from(bytes.as_slice()) {
        return Ok(SecretKey::new(key));
    }
    match from_hex(bytes.trim_ascii_end()) {
        Some(key) => Ok(SecretKey::new(key)),
        None => Err(Failure::at(&name, format!("{} bytes that are no hex digits; {expected}", bytes.len()))),
    }
}

/// 16 bytes from 32 hex digits.
fn from_hex(digits: &[u8]) -> Option<[u8; 16]> {
    let digits: [u8; 32] = digits.try_into().ok()?;
    let mut key = [0; 16];
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = (high * 16 + low) as u8;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(bytes: &[u8]) -> Result<SecretKey, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, bytes).unwrap();
        read_secret(&path).map_err(|failure| match failure {
            Failure::Message(text) => text,
            Failure::ClosedPipe => unreachable!(),
        })
    }

    #[test]
    fn secrets_are_raw_or_hex() {
        let raw = secret(b"0123456789abcdef").unwrap();
        assert!(raw == secret(b"30313233343536373839616263646566\n").unwrap());
        assert!(raw == secret(b"30313233343536373839616263646566\r\n").unwrap());
        for bad in [&b""[..], b"short", b"0123456789abcdef\n", &[b'g'; 32], &[b'0'; 33], &[0; 100]] {
            assert!(secret(bad).unwrap_err().contains("expected exactly 16 bytes"));
        }
    }

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
