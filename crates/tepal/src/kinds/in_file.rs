//! A filter's part of a tepal file, for every kind. A kind writes and reads its own part and its
//! body; the room `format` writes and reads the envelope around them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::storage::{Owned, Ref};
use crate::bits::Line;
use crate::error::{Advice, Error, Result, advice};
use crate::facts::Labels;
use crate::ids::{Kind, Operation};
use crate::key::{KeyHasher, Recipe, SecretKey};
#[cfg(any(feature = "table", feature = "static"))]
use crate::{bits::mix::spread, key::schemes::Hasher};

/// The bytes of a kind's own part in the header.
pub(crate) const OWN_BYTES: usize = 88;

/// The keys of the self-test: a file keeps the hashes that its writer computed for them.
pub(crate) const SELF_TEST_KEYS: [&[u8; 17]; 4] =
    [b"tepal self-test 0", b"tepal self-test 1", b"tepal self-test 2", b"tepal self-test 3"];

/// The sum of the fingerprints of the self-test keys, for a filter that spreads hashes (FORMAT.md,
/// section 4.2.2).
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) fn self_test_of_spread(hasher: &Hasher) -> u64 {
    let Hasher::Hash(scheme) = hasher else { return 0 };
    (0..).zip(SELF_TEST_KEYS).fold(0, |sum: u64, (number, key)| {
        sum.wrapping_add(scheme.self_test_hash(number, key).map_or(0, spread))
    })
}

/// Checks that this hasher gives the same fingerprints as the writer's.
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) fn check_self_test_of_spread(hasher: &Hasher, sum: u64) -> Result<()> {
    hasher.check_key()?;
    match self_test_of_spread(hasher) == sum {
        true => Ok(()),
        false => Err(Error::damaged("this build's hash does not give the numbers that the writer's gave")),
    }
}

/// The content of a filter's file.
pub(crate) struct FilePart<'a> {
    /// The kind's own part of the header.
    pub(crate) own: [u8; OWN_BYTES],
    pub(crate) recipe: Recipe,
    pub(crate) labels: Labels,
    /// The record of the scheme: its tag and its text.
    pub(crate) scheme_record: Option<(u16, String)>,
    /// The own part of each link, if the kind consists of several filters.
    pub(crate) links: Vec<[u8; OWN_BYTES]>,
    /// Data that does not fit into the own part: the segments, or the names of a map's values.
    pub(crate) section: Vec<u8>,
    /// The hashes of the exceptions, ascending (FORMAT.md, section 4.9).
    pub(crate) exceptions: &'a [u64],
    /// The hashes of the keys that were added to a ribbon, ascending (FORMAT.md, section 4.11).
    pub(crate) added: &'a [u64],
    /// The divider between members and exceptions, in place of a list (section 4.10).
    #[cfg(feature = "extras")]
    pub(crate) divider: Option<&'a super::divider::Divider>,
    /// The bits, in consecutive pieces; empty while the body is not read yet.
    pub(crate) body: Vec<&'a [Line]>,
}

impl<'a> FilePart<'a> {
    /// The part of a filter without links, section, exceptions and added keys.
    pub(crate) fn new(
        own: [u8; OWN_BYTES],
        keys: &KeyHasher,
        labels: &Labels,
        body: Vec<&'a [Line]>,
    ) -> Self {
        FilePart {
            own,
            recipe: keys.recipe(),
            labels: labels.clone(),
            scheme_record: keys.hasher().record(),
            links: Vec::new(),
            section: Vec::new(),
            exceptions: &[],
            added: &[],
            #[cfg(feature = "extras")]
            divider: None,
            body,
        }
    }

    /// The length of the bits in bytes.
    pub(crate) fn body_len(&self) -> u64 {
        self.body.iter().map(|lines| size_of_val(*lines) as u64).sum()
    }
}

/// Properties of the files of a kind, beyond those of every file.
#[derive(Clone, Copy)]
pub(crate) struct KindEntry {
    pub(crate) kind: Kind,
    /// The number of links in a file with this own part: the parts of the links follow the records.
    pub(crate) links: fn(&[u8; OWN_BYTES]) -> Result<usize>,
    /// The length of the section after the links' parts, in bytes.
    pub(crate) section: fn(&[u8; OWN_BYTES]) -> Result<u64>,
    /// The data that may follow the body.
    pub(crate) behind: Option<Trailer>,
}

impl KindEntry {
    /// Describes a kind whose files have no links, no section, and nothing behind the body.
    pub(crate) const fn new(kind: Kind) -> Self {
        KindEntry { kind, links: |_| Ok(0), section: |_| Ok(0), behind: None }
    }

    /// Sets the function that gives the number of links.
    pub(crate) const fn links(self, links: fn(&[u8; OWN_BYTES]) -> Result<usize>) -> Self {
        KindEntry { links, ..self }
    }

    /// Sets the function that gives the length of the section in bytes.
    pub(crate) const fn section(self, section: fn(&[u8; OWN_BYTES]) -> Result<u64>) -> Self {
        KindEntry { section, ..self }
    }

    /// Sets what may follow the body.
    pub(crate) const fn behind(self, what: Trailer) -> Self {
        KindEntry { behind: Some(what), ..self }
    }
}

/// The data that may follow the body of a file.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Trailer {
    /// Exceptions, as a list (FORMAT.md, section 4.9) or a divider (section 4.10).
    Exceptions,
    /// Keys that were added to a ribbon (section 4.11).
    Added,
}

impl Trailer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Trailer::Exceptions => "exceptions",
            Trailer::Added => "added keys",
        }
    }
}

/// The data that followed the body of a file.
#[derive(Default)]
pub(crate) struct Behind {
    /// The hashes of exceptions, or of added keys.
    pub(crate) hashes: Vec<u64>,
    #[cfg(feature = "extras")]
    pub(crate) divider: Option<super::divider::Divider>,
}

/// A kind as a type: how its filters are read from a tepal file.
pub(crate) trait Kinded: Sized {
    /// Properties of its files.
    const ENTRY: KindEntry;

    /// A filter that is read from a file up to its body.
    type Bodiless: AwaitsBody;

    /// Reads everything but the body, with every check that needs no body.
    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless>;

    /// Makes the filter with these lines. `checked` runs the checks of the bits before they are
    /// copied.
    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self;

    /// Takes the data that followed the body. `None` if the type cannot answer by it; then only
    /// another type can open the file.
    const WITH_BEHIND: Option<fn(Self, Behind) -> Self> = None;
}

/// The error for the number of an unknown kind, or of a kind that this build leaves out.
pub(crate) fn unknown_kind(number: u16) -> Error {
    Error::Unsupported { what: Kind::WHAT, found: number.into(), known: Kind::KNOWN }
}

/// The advice for a file with exceptions, which cannot be opened as a Bloom filter.
pub(crate) const HONOURS_EXCEPTIONS: Advice =
    advice!("it has exceptions; open it as a filter of any kind, which has them", OpenAny);

/// A type that a tepal file can be opened as: a kind, a further form of one, or any kind.
pub(crate) trait FromFile: Sized {
    type Bodiless: AwaitsBody;

    /// The properties of files of this kind; an error if the type is another kind.
    fn entry(kind: Kind) -> Result<KindEntry>;

    /// [`Kinded::of_part`].
    fn of_part(kind: Kind, part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless>;

    /// [`Kinded::with_body`].
    fn with_body(bodiless: Self::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self;

    /// [`Kinded::WITH_BEHIND`].
    const WITH_BEHIND: Option<fn(Self, Behind) -> Self>;
}

impl<K: Kinded> FromFile for K {
    type Bodiless = K::Bodiless;

    fn entry(kind: Kind) -> Result<KindEntry> {
        match kind == K::ENTRY.kind {
            true => Ok(K::ENTRY),
            false => Err(Error::NotPossible {
                kind,
                operation: Operation::BeAnother,
                instead: advice!("open it as the type of its kind, or as a filter of any kind", OpenAny),
            }),
        }
    }

    fn of_part(_: Kind, part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<K::Bodiless> {
        K::of_part(part, secret)
    }

    fn with_body(bodiless: K::Bodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        K::with_body(bodiless, lines, checked)
    }

    const WITH_BEHIND: Option<fn(Self, Behind) -> Self> = K::WITH_BEHIND;
}

/// A filter that has everything but its body.
pub(crate) trait AwaitsBody {
    /// The number of lines of the body.
    fn lines(&self) -> u64;
    /// Reports damage if this build sets other bits than the writer did. To be called when the
    /// length of the body is known to fit the file.
    fn self_test(&self) -> Result<()>;
    /// The checks of the bits beyond the chunks' checksums.
    fn check(&self) -> Box<dyn CheckBody>;
}

/// A kind's checks of the bits of a file.
pub(crate) trait CheckBody: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Reports damage if the bits do not pass.
    fn check(&self, lines: &[Line]) -> Result<()>;
}

/// The checks of an opened file's bits, for the file's filter.
pub(crate) trait BodyChecked: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Runs all checks on the bits.
    fn run(&self, lines: &[Line]) -> Result<()>;
    /// Whether the checks have passed, and none has failed since.
    fn has_passed(&self) -> bool;
    /// Whether one of the checks is a seal.
    fn is_sealed(&self) -> bool;
}
