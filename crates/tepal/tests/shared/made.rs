//! What the kinds beside the Bloom filter have in common under test: a name, a form of keys, a
//! secret key or a seal, and a function that makes a filter.

use tepal::{Kind, Opened, Result, SecretKey, file::Format};

use super::{KeyForm, Numbered, Opener, Operation, SECRET, Subject};

/// Filters of one kind, in tepal files.
pub(super) struct Made {
    name: &'static str,
    kind: Kind,
    cannot: &'static [Operation],
    keys: KeyForm,
    is_keyed: bool,
    is_sealed: bool,
    make: Box<Make>,
}

/// Makes a filter for this many keys with the keys of these numbers.
type Make = dyn Fn(u64, &[u64], KeyForm) -> Result<Opened>;

impl Made {
    /// A kind with text keys, without a secret key and a seal.
    pub(super) fn new<F>(kind: Kind, cannot: &'static [Operation], name: &'static str, make: F) -> Self
    where
        F: Fn(u64, &[u64], KeyForm) -> Result<Opened> + 'static,
    {
        let keys = KeyForm::Text("key ");
        Made { name, kind, cannot, keys, is_keyed: false, is_sealed: false, make: Box::new(make) }
    }

    /// [`new`](Self::new) of a kind whose filters change, by a function that makes an empty one for
    /// this many keys.
    pub(super) fn changing<F, E>(
        kind: Kind,
        cannot: &'static [Operation],
        name: &'static str,
        empty: E,
    ) -> Self
    where
        F: Into<tepal::AnyFilter>,
        E: Fn(u64) -> Result<F> + 'static,
    {
        Made::new(kind, cannot, name, move |capacity, numbers, keys| {
            let mut file = Opened::new(empty(capacity)?, Format::Tepal)?;
            keys.of(numbers).insert_all(&mut file)?;
            Ok(file)
        })
    }

    /// Its keys are numbers.
    pub(super) fn of_integers(self) -> Self {
        Made { keys: KeyForm::Text(""), ..self }
    }

    /// Its keys are hashes.
    pub(super) fn of_hashes(self) -> Self {
        Made { keys: KeyForm::Hash, ..self }
    }

    /// It has the secret key [`SECRET`].
    pub(super) fn keyed(self) -> Self {
        Made { is_keyed: true, ..self }
    }

    /// Its files are sealed.
    pub(super) fn sealed(self) -> Self {
        Made { is_sealed: true, ..self }
    }
}

/// Those that this build can write.
pub(super) fn subjects(made: impl IntoIterator<Item = Made>) -> Vec<Box<dyn Subject>> {
    let written = made.into_iter().filter(|made| cfg!(feature = "seal") || !made.is_sealed);
    written.map(|made| Box::new(made) as Box<dyn Subject>).collect()
}

impl Subject for Made {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn cannot(&self) -> &'static [Operation] {
        self.cannot
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        self.filled(capacity, &[])
    }

    fn filled(&self, capacity: u64, numbers: &[u64]) -> Result<Opened> {
        (self.make)(capacity, numbers, self.keys)
    }

    fn keys(&self, numbers: &[u64]) -> Numbered {
        self.keys.of(numbers)
    }

    fn opener(&self) -> Opener {
        Opener {
            secret: self.is_keyed.then(|| SecretKey::new(SECRET)),
            #[cfg(feature = "seal")]
            seal: self.is_sealed.then(super::seal),
            ..Opener::default()
        }
    }
}
