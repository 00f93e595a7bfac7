//! Two ways to use a filter, and keys by their numbers. The tests run through either way, with the
//! keys that the kind takes.

use tepal::{Ask, BloomFilter, Change, Error, MutableFilter, Opened, Result, file::Format};

use super::Opener;

/// A way to use a filter: its own type, or an opened file of any kind.
pub(crate) trait Door: MutableFilter + Clone {
    fn of(opened: Opened) -> Self;
    fn file(&self, opener: &Opener) -> Vec<u8>;
    /// Folds the filter, if its kind and scheme can be folded.
    fn shrink_to(&mut self, rate: f64) -> Result<()>;
}

impl Door for BloomFilter {
    fn of(opened: Opened) -> Self {
        opened.into_filter().into_bloom().unwrap().into_owned().unwrap()
    }

    fn file(&self, opener: &Opener) -> Vec<u8> {
        #[cfg(feature = "seal")]
        if let Some(seal) = &opener.seal {
            return self.to_bytes_sealed(seal).unwrap();
        }
        assert!(!opener.is_sealed());
        self.to_bytes().unwrap()
    }

    fn shrink_to(&mut self, rate: f64) -> Result<()> {
        if self.has_hash() { self.shrink_to(rate).map(drop) } else { Ok(()) }
    }
}

impl Door for Opened {
    fn of(opened: Opened) -> Self {
        opened
    }

    fn file(&self, opener: &Opener) -> Vec<u8> {
        opener.file(self)
    }

    fn shrink_to(&mut self, rate: f64) -> Result<()> {
        let format: Format = self.format();
        match self.clone().into_filter().into_bloom() {
            Ok(filter) => {
                let mut filter = filter.into_owned()?;
                Door::shrink_to(&mut filter, rate)?;
                *self = Opened::new(filter, format)?;
                Ok(())
            }
            Err(Error::NotPossible { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Keys with numbers, in the form that a kind takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Numbered {
    /// Texts.
    Texts(Vec<String>),
    /// Hashes that the caller has computed.
    Hashes(Vec<u64>),
}

impl Numbered {
    pub(crate) fn texts(prefix: &str, numbers: &[u64]) -> Self {
        Numbered::Texts(numbers.iter().map(|number| format!("{prefix}{number}")).collect())
    }

    /// Inserts the keys one by one, up to the first that is refused. Calls `said` with the position
    /// of each and whether the filter called it new.
    pub(crate) fn insert_each(&self, door: &mut impl Door, mut said: impl FnMut(usize, bool)) -> Result<()> {
        match self {
            Numbered::Texts(texts) => {
                texts.iter().enumerate().try_for_each(|(i, text)| door.insert(text).map(|new| said(i, new)))
            }
            Numbered::Hashes(hashes) => hashes
                .iter()
                .enumerate()
                .try_for_each(|(i, hash)| door.insert_hash(*hash).map(|new| said(i, new))),
        }
    }

    /// Inserts the keys in one call.
    pub(crate) fn insert_all(&self, door: &mut impl Door) -> Result<()> {
        match self {
            Numbered::Texts(texts) => door.insert_many(texts),
            Numbered::Hashes(hashes) => door.insert_many_hashes(hashes),
        }
    }

    /// Looks up the keys in one call, and each one alone.
    ///
    /// # Panics
    /// If the two ways differ.
    pub(crate) fn held(&self, door: &impl Door) -> Vec<bool> {
        let (many, one_by_one): (Vec<bool>, Vec<bool>) = match self {
            Numbered::Texts(texts) => {
                (door.contains_many(texts), texts.iter().map(|text| door.contains(text)).collect())
            }
            Numbered::Hashes(hashes) => {
                let mut many = vec![false; hashes.len()];
                door.contains_many_hashes(hashes, &mut many);
                (many, hashes.iter().map(|hash| door.contains_hash(*hash)).collect())
            }
        };
        assert_eq!(many, one_by_one, "one call and one by one differ");
        many
    }

    /// Whether all of them are members.
    pub(crate) fn are_held(&self, door: &impl Door) -> bool {
        self.held(door).into_iter().all(|held| held)
    }
}
