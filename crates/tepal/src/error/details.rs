//! The details of errors that a caller may act on: why a format cannot hold a filter, and what
//! unknown bytes look like.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "foreign")]
use super::parquet::ParquetFile;
use super::{Advice, advice};
use crate::ids::{Format, KeyDomain, Kind, Layout, Operation, Scheme};

impl Operation {
    /// What to do instead, if the kind has no better advice.
    pub(crate) const fn instead(self) -> Advice {
        match self {
            Operation::Remove => advice!("build a deletable filter of its keys", Deletable),
            Operation::Advance => advice!("build a filter with a window of its keys", Window),
            Operation::Except => advice!("build one Bloom filter of its keys"),
            Operation::HaveSegments => advice!("build a filter of segments of its keys", Segments),
            Operation::BeAnother => advice!("open it as a filter of any kind", OpenAny),
            Operation::BecomeStatic => {
                advice!(
                    "its bits are shared by keys, so no key can be read from it; build one of the list of keys",
                    Static
                )
            }
            _ => advice!("build one filter from its keys"),
        }
    }
}

/// Why a filter cannot be written in a format
/// ([`Error::Unconvertible`](super::Error::Unconvertible)).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The format holds only bits of other schemes.
    #[non_exhaustive]
    Scheme {
        /// The filter's scheme.
        found: Scheme,
        /// The schemes that the format holds.
        expected: &'static [Scheme],
    },
    /// The format holds only bits of another layout.
    #[non_exhaustive]
    Layout {
        /// The filter's layout.
        found: Layout,
        /// The layout that the format holds.
        expected: Layout,
    },
    /// The format holds one filter, and this is a chain of several.
    #[non_exhaustive]
    Chain {
        /// How many filters the chain has.
        links: usize,
    },
    /// The format holds only Bloom filters, and this is a filter of another kind.
    #[non_exhaustive]
    Kind {
        /// The filter's kind.
        found: Kind,
    },
    /// The program of this format has no keys of this domain.
    #[non_exhaustive]
    KeyDomain {
        /// The filter's key domain.
        found: KeyDomain,
        /// The domains that its keys can have.
        expected: &'static [KeyDomain],
    },
    /// The format cannot record a recipe (trim, nocase), and other programs do not apply one.
    Recipe,
    /// The format cannot record exceptions.
    #[cfg(feature = "extras")]
    Exceptions,
    /// The format does not have this form ([`Form`](crate::facts::Form)).
    #[non_exhaustive]
    Form {
        /// The requested form.
        asked: &'static str,
    },
    /// A number of the filter is larger than the format can record.
    #[non_exhaustive]
    Number {
        /// The name of the number.
        name: &'static str,
        /// Its value.
        found: u64,
        /// The largest value that the format can record.
        most: u64,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Scheme { found, expected } => {
                write!(f, "its hash scheme is {found}, expected ")?;
                joined(f, expected)
            }
            Obstacle::Layout { found, expected } => write!(f, "its layout is {found}, expected {expected}"),
            Obstacle::Chain { links } => {
                let filters = if *links == 1 { "filter" } else { "filters" };
                write!(
                    f,
                    "it is a chain of {links} {filters}, which grows as keys come, and the format holds no such chain"
                )
            }
            Obstacle::Kind { found } => {
                write!(f, "it is a {}, and the format holds Bloom filters", found.common_name())
            }
            Obstacle::KeyDomain { found, expected } => {
                write!(f, "its keys are {found}, and that program's are ")?;
                joined(f, expected)
            }
            Obstacle::Recipe => {
                f.write_str("it trims keys or ignores their case, which no other program would do")
            }
            #[cfg(feature = "extras")]
            Obstacle::Exceptions => {
                f.write_str("it has exceptions, keys that it says no for, and only tepal files hold these")
            }
            Obstacle::Form { asked } => {
                write!(f, "its files have no form {asked}, which those of redisbloom have")
            }
            Obstacle::Number { name, found, most } => {
                write!(f, "{name} is {found}, and the format has room up to {most}")
            }
        }
    }
}

impl Obstacle {
    /// What to do about it.
    pub(super) fn advice(&self) -> Advice {
        match self {
            Obstacle::Scheme { .. } => {
                advice!("bits cannot be turned into those of another hash, so rebuild it from the keys")
            }
            Obstacle::Layout { .. } | Obstacle::Kind { .. } | Obstacle::Number { .. } => {
                advice!("rebuild it from the keys")
            }
            Obstacle::Chain { .. } => advice!("build one filter from the keys"),
            Obstacle::KeyDomain { .. } => advice!("rebuild it from keys of one of these"),
            Obstacle::Recipe => advice!("rebuild it from keys without a recipe"),
            #[cfg(feature = "extras")]
            Obstacle::Exceptions => advice!("leave it in the format tepal"),
            Obstacle::Form { .. } => advice!("name that format, or leave the form out"),
        }
    }
}

/// What bytes that are not a tepal file look like ([`Error::NotTepal`](super::Error::NotTepal)).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Looks {
    /// No bytes.
    Empty,
    /// Data compressed by this program.
    Packed(&'static str),
    /// A tepal file damaged by a copy in text mode, which changed its line ends.
    TextMode,
    /// The beginning of a tepal file; the rest is missing.
    Cut,
    /// Text; the value is its beginning.
    Text(String),
    /// A file without a mark. By its length it could be in one of these formats.
    Unmarked(Vec<Format>),
    /// A whole Parquet file, which may contain filters.
    #[cfg(feature = "foreign")]
    Parquet(ParquetFile),
    /// A `DUMP` payload of Redis and one line end, which `redis-cli --raw` adds.
    #[cfg(feature = "foreign")]
    DumpAndLineEnd,
    /// Anything else; the value is its first bytes.
    Other(Vec<u8>),
}

impl Looks {
    /// What to do about it.
    pub(super) fn advice(&self) -> Advice {
        match self {
            Looks::Unmarked(_) => advice!("name its format", OpenFormat),
            #[cfg(feature = "foreign")]
            Looks::Parquet(file) => file.advice(),
            #[cfg(feature = "foreign")]
            Looks::DumpAndLineEnd => advice!("cut off the last byte"),
            Looks::Other(_) => advice!(
                "give a filter's file",
                MakeFile,
                ", or open the file of another program as a filter of any kind",
                OpenAny
            ),
            _ => advice!("give a filter's file", MakeFile),
        }
    }
}

impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Looks::Empty => f.write_str("it is empty"),
            Looks::Packed(by) => write!(f, "it looks like {by} data"),
            Looks::TextMode => f.write_str("it was one, but a copy in text mode has changed its line ends"),
            Looks::Cut => f.write_str("it ends within the first 8 bytes"),
            Looks::Text(start) => write!(f, "it looks like text ({start:?})"),
            Looks::Unmarked(formats) => {
                f.write_str("it has no mark; by its lengths it could be ")?;
                joined(f, formats)
            }
            #[cfg(feature = "foreign")]
            Looks::Parquet(file) => file.fmt(f),
            #[cfg(feature = "foreign")]
            Looks::DumpAndLineEnd => f.write_str(
                "it is a DUMP payload of Redis with one line end behind it, which redis-cli adds to raw output",
            ),
            Looks::Other(start) => write!(f, "it starts with the bytes {start:02x?}"),
        }
    }
}

/// `a or b or c`.
pub(super) fn joined<T: fmt::Display>(f: &mut fmt::Formatter<'_>, all: &[T]) -> fmt::Result {
    all.iter().enumerate().try_for_each(|(i, one)| {
        let or = if i > 0 { " or " } else { "" };
        write!(f, "{or}{one}")
    })
}
