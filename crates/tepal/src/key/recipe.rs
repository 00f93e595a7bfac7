//! What is done to the text of a key first (FORMAT.md, section 1.2).

use alloc::borrow::Cow;

use crate::error::{Error, Result};

/// What is done to a key before it is hashed: part of the set's meaning, so it stands in the file.
/// The filter applies it itself, to every key that is given as bytes or text, in every call and
/// through every door. An integer that is given as a number is not changed.
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
    /// ASCII white space is removed at both ends.
    pub trim: bool,
    /// ASCII capital letters become small ones; no other byte changes.
    pub nocase: bool,
}

impl Recipe {
    /// Nothing is done.
    #[must_use]
    pub const fn new() -> Self {
        Recipe { trim: false, nocase: false }
    }

    /// Is ASCII white space to be removed at both ends?
    #[must_use]
    pub const fn trim(mut self, yes: bool) -> Self {
        self.trim = yes;
        self
    }

    /// Are ASCII capital letters to become small ones?
    #[must_use]
    pub const fn nocase(mut self, yes: bool) -> Self {
        self.nocase = yes;
        self
    }

    /// The key after the recipe. Borrows unless a letter has to change.
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
