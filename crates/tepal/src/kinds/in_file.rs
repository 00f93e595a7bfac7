//! What a tepal file holds of a filter, whatever its kind: a kind gives and takes its own part and
//! its body; the envelope around them is the room `format`'s.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::storage::{Mapped, Ref};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::{Kind, Operation};
use crate::key::{KeyHasher, Recipe, SecretKey};
#[cfg(any(feature = "table", feature = "static"))]
use crate::{bits::mix::spread, key::schemes::Hasher};

/// Bytes of a kind's own part of the header.
pub(crate) const OWN_BYTES: usize = 88;

/// The keys of which a file says what its writer's hash makes of them.
pub(crate) const SELF_TEST_KEYS: [&[u8; 17]; 4] =
    [b"tepal self-test 0", b"tepal self-test 1", b"tepal self-test 2", b"tepal self-test 3"];

/// The sum of what the self-test keys are spread to, of a filter that spreads hashes (FORMAT.md,
/// section 4.2.2).
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) fn self_test_of_spread(hasher: &Hasher) -> u64 {
    let Hasher::Hash(scheme) = hasher else { return 0 };
    (0..).zip(SELF_TEST_KEYS).fold(0, |sum: u64, (number, key)| {
        sum.wrapping_add(scheme.self_test_hash(number, key).map_or(0, spread))
    })
}

/// Does this hasher give what the writer's gave?
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) fn check_self_test_of_spread(hasher: &Hasher, sum: u64) -> Result<()> {
    match self_test_of_spread(hasher) == sum {
        true => Ok(()),
        false => Err(Error::damaged("this build's hash does not give the numbers that the writer's gave")),
    }
}

/// A filter as its file has it.
pub(crate) struct FilePart<'a> {
    /// The kind's own part of the header.
    pub(crate) own: [u8; OWN_BYTES],
    pub(crate) recipe: Recipe,
    pub(crate) labels: Labels,
    /// The record of the scheme: its tag and its text.
    pub(crate) scheme_record: Option<(u16, String)>,
    /// Of a kind that consists of several filters, the own part of each.
    pub(crate) links: Vec<[u8; OWN_BYTES]>,
    /// Of a kind that has more to say than there is room for in its own part, that: its segments,
    /// the names of its values.
    pub(crate) section: Vec<u8>,
    /// The hashes of keys that it says no for, ascending (FORMAT.md, section 4.9).
    pub(crate) exceptions: &'a [u64],
    /// The hashes of keys that were added beside a ribbon, ascending (FORMAT.md, section 4.11).
    pub(crate) added: &'a [u64],
    /// What tells its members from such keys, in the place of a list (section 4.10).
    #[cfg(feature = "extras")]
    pub(crate) divider: Option<&'a super::divider::Divider>,
    /// The bits, in pieces that follow each other; nothing of a file whose body is still to come.
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

    /// Bytes of the bits.
    pub(crate) fn body_len(&self) -> u64 {
        self.body.iter().map(|lines| size_of_val(*lines) as u64).sum()
    }
}

/// What the files of a kind are, beside what every file is.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// How many filters' parts follow the records of a file with this own part.
    pub(crate) links: fn(&[u8; OWN_BYTES]) -> Result<usize>,
    /// How many bytes follow the links' parts.
    pub(crate) section: fn(&[u8; OWN_BYTES]) -> Result<u64>,
    /// What may stand behind the body.
    pub(crate) behind: Option<What>,
}

impl Entry {
    /// Files of this kind, which have neither links nor a section, and nothing behind the body.
    pub(crate) const fn new(kind: Kind) -> Self {
        Entry { kind, links: |_| Ok(0), section: |_| Ok(0), behind: None }
    }

    /// They have links, as many as this says.
    pub(crate) const fn links(self, links: fn(&[u8; OWN_BYTES]) -> Result<usize>) -> Self {
        Entry { links, ..self }
    }

    /// They have a section, of as many bytes as this says.
    pub(crate) const fn section(self, section: fn(&[u8; OWN_BYTES]) -> Result<u64>) -> Self {
        Entry { section, ..self }
    }

    /// This may stand behind the body.
    pub(crate) const fn behind(self, what: What) -> Self {
        Entry { behind: Some(what), ..self }
    }
}

/// What may stand behind the body of a file.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum What {
    /// Exceptions, as a list (FORMAT.md, section 4.9) or a divider (section 4.10).
    Exceptions,
    /// Keys that were added beside a ribbon (section 4.11).
    Added,
}

impl What {
    pub(crate) fn name(self) -> &'static str {
        match self {
            What::Exceptions => "exceptions",
            What::Added => "added keys",
        }
    }
}

/// What stood behind the body of a file.
#[derive(Default)]
pub(crate) struct Behind {
    /// Of exceptions, or of added keys.
    pub(crate) hashes: Vec<u64>,
    #[cfg(feature = "extras")]
    pub(crate) divider: Option<super::divider::Divider>,
}

/// A kind as a type: how its filters come out of a tepal file.
pub(crate) trait Kinded: Sized {
    /// What its files are.
    const ENTRY: Entry;

    /// A filter of a file that awaits its body.
    type Bodiless: AwaitsBody;

    /// Reads what a file holds of it but its body, with every check that needs none.
    fn of_part(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless>;

    /// The filter with these lines, and what they are to be held against before they are copied.
    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self;

    /// Takes what stood behind the body. Nothing, where it cannot be without changing the answers:
    /// then the type is another one.
    const WITH_BEHIND: Option<fn(Self, Behind) -> Self> = None;
}

/// The error for the number of a kind that there is not, or that this build leaves out.
pub(crate) fn unknown_kind(number: u16) -> Error {
    Error::Unsupported { what: Kind::WHAT, found: number.into(), known: Kind::WITH_FEATURES }
}

/// What to do with a file that has exceptions, in the place of opening it as a Bloom filter.
pub(crate) const HONOURS_EXCEPTIONS: &str =
    "it has exceptions, which `tepal::open` and `tepal::from_bytes` honour";

/// What can be asked for by opening a tepal file: a kind, a further form of one, or whichever it
/// is.
pub(crate) trait FromFile: Sized {
    type Bodiless: AwaitsBody;

    /// What the files of this kind are; an error, where it is not the kind that is asked for.
    fn entry(kind: Kind) -> Result<Entry>;

    /// [`Kinded::of_part`].
    fn of_part(kind: Kind, part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Self::Bodiless>;

    /// [`Kinded::with_body`].
    fn with_body(bodiless: Self::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self;

    /// [`Kinded::WITH_BEHIND`].
    const WITH_BEHIND: Option<fn(Self, Behind) -> Self>;
}

impl<K: Kinded> FromFile for K {
    type Bodiless = K::Bodiless;

    fn entry(kind: Kind) -> Result<Entry> {
        match kind == K::ENTRY.kind {
            true => Ok(K::ENTRY),
            false => Err(Error::NotPossible {
                kind,
                operation: Operation::BeAnother,
                instead: "open it by `tepal::open` or `tepal::from_bytes`, which give an `AnyFilter`, or as the type of its kind",
            }),
        }
    }

    fn of_part(_: Kind, part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<K::Bodiless> {
        K::of_part(part, secret)
    }

    fn with_body(bodiless: K::Bodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
        K::with_body(bodiless, lines, checked)
    }

    const WITH_BEHIND: Option<fn(Self, Behind) -> Self> = K::WITH_BEHIND;
}

/// A filter that has everything but its body.
pub(crate) trait AwaitsBody {
    /// Lines of the body.
    fn lines(&self) -> u64;
    /// Damage, where this build does not set the bits that the writer's has set. To be asked once
    /// the body is known to fit the file.
    fn self_test(&self) -> Result<()>;
    /// What its bits must be, beside what the chunks' checksums say.
    fn check(&self) -> Box<dyn CheckBody>;
}

/// What a kind demands of the bits of a file.
pub(crate) trait CheckBody: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Damage, where they are not that.
    fn check(&self, lines: &[Line]) -> Result<()>;
}

/// The bits of an opened file and everything they are held against, as a filter of it knows that.
pub(crate) trait BodyChecked: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Holds the bits against all of it.
    fn run(&self, lines: &[Line]) -> Result<()>;
    /// Were they found right, and not wrong since?
    fn has_passed(&self) -> bool;
    /// Is there a seal among it?
    fn is_sealed(&self) -> bool;
}
