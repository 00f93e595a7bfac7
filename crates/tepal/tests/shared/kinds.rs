//! The kinds of filter, for every test that runs over all of them: a list of trait objects. A new
//! kind of filter is one more list of subjects, and its line in [`kinds`].

#![allow(dead_code)] // What one test does not need, another does.

#[path = "bloom.rs"]
mod bloom;
#[cfg(feature = "foreign")]
#[path = "chains.rs"]
mod chains;
#[path = "doors.rs"]
mod doors;
#[cfg(feature = "extras")]
#[path = "growing.rs"]
mod growing;
#[path = "made.rs"]
mod made;
#[cfg(feature = "static")]
#[path = "statics.rs"]
mod statics;
#[cfg(feature = "table")]
#[path = "tables.rs"]
mod tables;

use std::path::Path;

use tepal::{
    KeyDomain, Kind, Open, Opened, Result, SecretKey, builders::BloomFilterBuilder, file::Format,
    hash::finish_hash,
};

#[allow(unused_imports)] // As above.
pub(crate) use doors::{Door, Numbered};
#[allow(unused_imports)] // As above.
pub(crate) use tepal::error::Operation;

/// A secret that is not secret: it is stored beside the kept files.
pub(crate) const SECRET: [u8; 16] = *b"kept for testing";
#[cfg(feature = "seal")]
pub(crate) const SEAL: &[u8] = b"a seal for testing";
/// The name of the hash that the tests compute for the scheme `caller-hash`: the hash of number `i`
/// is `finish_hash(i)`.
pub(crate) const CALLER_HASH: &str = "tests, finished";

/// A kind of filter under test: how its filters are made, which keys they take, and what their
/// files need.
///
/// Keys have numbers, from 0. The kind decides the key of a number: a text, or a hash if the caller
/// hashes.
pub(crate) trait Subject {
    /// Its name, in messages and in `testdata/kept`.
    fn name(&self) -> &str;

    /// Its kind in the library.
    fn kind(&self) -> Kind;

    /// Operations that its filters do not support: the library's error names the kind and the
    /// operation.
    fn cannot(&self) -> &'static [Operation] {
        &[]
    }

    /// The format of its files.
    fn format(&self) -> Format {
        Format::Tepal
    }

    /// The capacity of its filters, unless a test wants another number.
    fn usual_capacity(&self) -> u64 {
        1000
    }

    /// An empty filter for this many keys.
    fn empty(&self, capacity: u64) -> Result<Opened>;

    /// A filter for this many keys with the keys of these numbers.
    fn filled(&self, capacity: u64, numbers: &[u64]) -> Result<Opened> {
        let mut filter = self.empty(capacity)?;
        self.keys(numbers).insert_all(&mut filter)?;
        Ok(filter)
    }

    /// The keys with these numbers.
    fn keys(&self, numbers: &[u64]) -> Numbered;

    /// The keys and options for writing and opening its files.
    fn opener(&self) -> Opener;

    /// The builder of its filters, if they are Bloom filters in tepal files.
    fn builder(&self) -> Option<&BloomFilterBuilder> {
        None
    }
}

/// Operations that some kinds do not support.
pub(crate) const NOT_BY_ALL: [Operation; 4] =
    [Operation::Unite, Operation::Intersect, Operation::SetOverCapacity, Operation::BeAnother];

/// The form of a number's key.
#[derive(Clone, Copy)]
enum KeyForm {
    /// Its decimal digits after this text.
    Text(&'static str),
    /// An even number of decimal digits after this text.
    #[cfg(feature = "foreign")]
    Pairs(&'static str),
    /// The hash that the caller computes for it.
    Hash,
}

impl KeyForm {
    /// The keys with these numbers.
    fn of(self, numbers: &[u64]) -> Numbered {
        match self {
            KeyForm::Text(prefix) => Numbered::texts(prefix, numbers),
            #[cfg(feature = "foreign")]
            KeyForm::Pairs(prefix) => {
                let text = |n: &u64| match n.to_string() {
                    odd if odd.len() % 2 == 1 => format!("{prefix}0{odd}"),
                    even => format!("{prefix}{even}"),
                };
                Numbered::Texts(numbers.iter().map(text).collect())
            }
            KeyForm::Hash => Numbered::Hashes(numbers.iter().map(|number| finish_hash(*number)).collect()),
        }
    }
}

/// Every kind whose filters change: the Bloom filter with every layout, scheme and key domain, in
/// tepal's files and in those of other programs; the chain, in the files of its programs and in
/// tepal's; the tables with removal, with expiry and with segments, and the growing chain of
/// tables.
pub(crate) fn kinds() -> Vec<Box<dyn Subject>> {
    #[allow(unused_mut)] // Without features this is all.
    let mut kinds = bloom::subjects();
    #[cfg(feature = "foreign")]
    kinds.extend(chains::chains());
    #[cfg(feature = "extras")]
    kinds.extend(growing::growing());
    #[cfg(feature = "table")]
    for of_kind in [tables::quotient, tables::expiring, tables::growing, tables::segment] {
        kinds.extend(of_kind());
    }
    kinds
}

/// Every kind whose filters are static: they are built from all their keys.
pub(crate) fn fixed_kinds() -> Vec<Box<dyn Subject>> {
    #[cfg(feature = "static")]
    return statics::ribbons().into_iter().chain(statics::maps()).collect();
    #[cfg(not(feature = "static"))]
    Vec::new()
}

/// Every kind, changing or static.
pub(crate) fn all_kinds() -> Vec<Box<dyn Subject>> {
    kinds().into_iter().chain(fixed_kinds()).collect()
}

/// The kinds that have a tepal file.
pub(crate) fn tepal_kinds() -> Vec<Box<dyn Subject>> {
    all_kinds().into_iter().filter(|kind| kind.format() == Format::Tepal).collect()
}

#[cfg(feature = "seal")]
fn seal() -> tepal::SealKey {
    tepal::SealKey::new(SEAL).unwrap()
}

/// The keys and options for writing and opening the files of a kind.
#[derive(Default)]
pub(crate) struct Opener {
    pub(crate) secret: Option<SecretKey>,
    #[cfg(feature = "seal")]
    pub(crate) seal: Option<tepal::SealKey>,
    pub(crate) format: Option<Format>,
    pub(crate) key_domain: Option<KeyDomain>,
}

impl Opener {
    pub(crate) fn options(&self) -> Open<'_> {
        let open = self.without_seal();
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            return open.seal_key(seal);
        }
        open
    }

    /// The same without the seal key.
    pub(crate) fn without_seal(&self) -> Open<'_> {
        let mut open = Open::new();
        if let Some(secret) = &self.secret {
            open = open.secret_key(secret);
        }
        if let Some(format) = self.format {
            open = open.format(format);
        }
        if let Some(domain) = self.key_domain {
            open = open.key_domain(domain);
        }
        open
    }

    pub(crate) fn is_sealed(&self) -> bool {
        #[cfg(feature = "seal")]
        return self.seal.is_some();
        #[cfg(not(feature = "seal"))]
        false
    }

    /// Reads all of the bytes, with every check.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Opened> {
        self.options().from_bytes(bytes)
    }

    /// [`read`](Self::read) of bytes in pieces.
    pub(crate) fn pieces(&self, pieces: &[&[u8]]) -> Result<Opened> {
        self.options().from_pieces(pieces)
    }

    /// Opens a file with every check.
    pub(crate) fn open(&self, path: &Path) -> Result<Opened> {
        self.options().open(path)
    }

    /// Opens a file without reading its bits.
    pub(crate) fn quick(&self, path: &Path) -> Result<Opened> {
        self.options().quick().open(path)
    }

    /// The file of a filter, sealed if the kind is.
    pub(crate) fn file(&self, filter: &Opened) -> Vec<u8> {
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            return filter.to_bytes_sealed(seal).unwrap();
        }
        filter.to_bytes().unwrap()
    }

    /// The length of that file in bytes.
    fn file_len(&self, filter: &Opened) -> u64 {
        filter.file_len().unwrap() + if self.is_sealed() { 32 } else { 0 }
    }

    /// Saves the file.
    pub(crate) fn save(&self, filter: &Opened, path: &Path) -> Result<()> {
        #[cfg(feature = "seal")]
        if let Some(seal) = &self.seal {
            return filter.save_sealed(path, seal);
        }
        filter.save(path)
    }
}

/// A tepal file of a kind, and its contents.
pub(crate) struct Sample {
    pub(crate) subject: Box<dyn Subject>,
    pub(crate) file: Vec<u8>,
    /// The bytes before the bits.
    pub(crate) head: usize,
    pub(crate) members: u64,
}

/// A half-full filter in the largest file of a kind that has at most `most` bytes. A static filter
/// is full, and its file is the largest but for a 64th: each step of the search builds one.
pub(crate) fn sample(subject: Box<dyn Subject>, most: u64) -> Sample {
    let opener = subject.opener();
    let is_fixed = fixed_kinds().iter().any(|kind| kind.kind() == subject.kind());
    // The size of a static filter follows from its members.
    let made = |capacity| match is_fixed {
        true => subject.filled(capacity, &numbers(0..capacity)),
        false => subject.empty(capacity),
    };
    let fits = |capacity| made(capacity).is_ok_and(|filter| opener.file_len(&filter) <= most);
    let (mut low, mut high) = (1, 8 * most);
    while low + 1 < high && !(is_fixed && high - low <= low / 64) {
        let middle = (low + high) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    let capacity = if fits(low) { low } else { subject.usual_capacity() };
    let members = if is_fixed { capacity } else { capacity.div_ceil(2) };
    let mut filter = made(capacity).unwrap();
    if !is_fixed {
        subject.keys(&numbers(0..members)).insert_each(&mut filter, |_, _| ()).unwrap();
    }
    let file = opener.file(&filter);
    let head = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    Sample { subject, file, head, members }
}

/// Consecutive numbers.
pub(crate) fn numbers(range: std::ops::Range<u64>) -> Vec<u64> {
    range.collect()
}

/// Whether all filters of the scheme have megabytes.
pub(crate) fn is_large(subject: &dyn Subject) -> bool {
    subject.empty(subject.usual_capacity()).unwrap().filter().size_in_bytes() > 1 << 20
}
