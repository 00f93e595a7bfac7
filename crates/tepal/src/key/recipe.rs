//! The changes made to a key before hashing (FORMAT.md, section 1.2).

use alloc::borrow::Cow;

use crate::error::{Error, Result};

/// The changes made to a key before hashing. They are part of the set's meaning, so the file
/// records them. The filter itself applies them to every key of bytes or text, in every call. An
/// integer that is given as a number is not changed.
///
/// ```
/// use tepal::{BloomFilter, Recipe};
/// let recipe = Recipe::new().trim(true).nocase(true);
/// let mut mails = BloomFilter::builder().capacity(1000).recipe(recipe).build()?;
/// mails.insert(" Alice@X.org ")?;
/// assert!(mails.contains("alice@x.org"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Recipe {
    /// Remove ASCII white space at both ends.
    pub trim: bool,
    /// Turn ASCII capital letters into small ones; no other byte changes.
    pub nocase: bool,
}

impl Recipe {
    /// A recipe that changes nothing.
    #[must_use]
    pub const fn new() -> Self {
        Recipe { trim: false, nocase: false }
    }

    /// Sets whether ASCII white space is removed at both ends.
    #[must_use]
    pub const fn trim(mut self, yes: bool) -> Self {
        self.trim = yes;
        self
    }

    /// Sets whether ASCII capital letters become small ones.
    #[must_use]
    pub const fn nocase(mut self, yes: bool) -> Self {
        self.nocase = yes;
        self
    }

    /// The key after the changes. Allocates only if a letter changes.
    #[must_use]
    pub fn apply<'a>(&self, key: &'a [u8]) -> Cow<'a, [u8]> {
        let mut key = key;
        if self.trim {
            while let [b'\t'..=b'\r' | b' ', rest @ ..] = key {
                key = rest;
            }
            while let [rest @ .., b'\t'..=b'\r' | b' '] = key {
                key = rest;
            }
        }
        if self.nocase && key.iter().any(u8::is_ascii_uppercase) {
            return Cow::Owned(key.to_ascii_lowercase());
        }
        Cow::Borrowed(key)
    }

    /// Does it change no key?
    #[must_use]
    pub const fn is_identity(&self) -> bool {
        !self.trim && !self.nocase
    }

    pub(crate) fn to_flags(self) -> u32 {
        u32::from(self.trim) | u32::from(self.nocase) << 1
    }

    pub(crate) fn from_flags(flags: u32) -> Result<Self> {
        if flags > 3 {
            return Err(Error::Unsupported {
                what: "key recipe",
                found: flags.into(),
                known: "bits 0 (trim) and 1 (nocase)",
            });
        }
        Ok(Recipe { trim: flags & 1 != 0, nocase: flags & 2 != 0 })
    }
}
