//! Every error of the crate: what was found, what was expected and what to do.

mod details;
mod door;
#[cfg(feature = "foreign")]
mod parquet;
mod text;

#[cfg(feature = "static")]
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

pub use details::{Looks, Obstacle};
pub use door::{Advice, Door, WayOut};
pub(crate) use door::{Calls, InWords, Piece, Told, advice};
#[cfg(feature = "foreign")]
pub use parquet::{ParquetFile, ParquetFilter};

pub use crate::ids::Operation;
use crate::ids::{Format, KeyDomain, Kind, Layout, OverCapacity, Scheme};

/// The result type of every call in this crate that can fail.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a filter could not be built, opened, changed or queried.
///
/// The text (`Display`) is one line: what was found, what was expected and what to do. An error of
/// the operating system is the [`source`](core::error::Error::source) and not in the text. `Debug`
/// gives the text and the source, so a `fn main() -> tepal::Result<()>` that fails prints both.
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its allowed values.
    #[non_exhaustive]
    Parameter {
        /// The name of the parameter.
        name: &'static str,
        /// The value given.
        found: String,
        /// The allowed values.
        expected: String,
        /// What to do. Empty if the allowed values are all that can be said.
        advice: Advice,
    },
    /// The layout cannot reach the rate.
    #[non_exhaustive]
    RateOutOfReach {
        /// The requested rate.
        rate: f64,
        /// The rate in words, why it is out of reach, and which rates would be in reach.
        reason: String,
        /// What to do. Empty if the reason says it.
        advice: Advice,
    },
    /// The filter needs more memory than this machine can address or has.
    #[non_exhaustive]
    TooLarge {
        /// The size of the bit array in bytes.
        bytes: u64,
    },
    /// The filter holds as many keys as its capacity, and its policy refuses more.
    #[non_exhaustive]
    CapacityReached {
        /// The capacity in keys.
        capacity: u64,
        /// Keys of this call that were inserted before the filter was full. Continue after them.
        inserted: usize,
    },
    /// The keys fall on few of the filter's lines, as if they had been chosen by its own hash. Keys
    /// like them would be found wrongly far more often than promised. Checked under the policy that
    /// refuses, when the filter holds half of its capacity.
    #[non_exhaustive]
    KeysClustered {
        /// The false-positive rate now for keys like the members.
        rate: f64,
        /// The promised rate.
        promised: f64,
        /// Keys of this call that were inserted before the error.
        inserted: usize,
    },
    /// The key is not in the filter's key domain, for example text in an integer filter.
    #[non_exhaustive]
    KeyRefused {
        /// The filter's key domain.
        domain: KeyDomain,
        /// The key, cut after a few characters.
        found: String,
    },
    /// A call with a 64-bit hash, but the filter's scheme has none.
    #[non_exhaustive]
    NoHash {
        /// The filter's scheme.
        scheme: Scheme,
    },
    /// A key was given to a filter that takes only the caller's hashes ([`Scheme::CallerHash`]).
    #[non_exhaustive]
    CallerHashes {
        /// The name that the caller gave to the hash.
        name: String,
    },
    /// The kind of filter does not support the operation.
    #[non_exhaustive]
    NotPossible {
        /// The kind.
        kind: Kind,
        /// The operation.
        operation: Operation,
        /// What to do instead.
        instead: Advice,
    },
    /// Two filters that cannot be combined.
    #[non_exhaustive]
    Incompatible {
        /// The property in which they differ.
        property: &'static str,
        /// Its value in the filter that was to be changed.
        expected: String,
        /// Its value in the other filter.
        found: String,
    },
    /// The filter hashes its keys in another way than the caller expects.
    #[non_exhaustive]
    OtherKeys {
        /// The property in which they differ.
        property: &'static str,
        /// The value that the caller expects.
        expected: String,
        /// The filter's value.
        found: String,
    },
    /// Files of the format cannot have keys of this domain.
    #[non_exhaustive]
    NoSuchKeys {
        /// The format.
        format: Format,
        /// The requested key domain.
        found: KeyDomain,
        /// The key domains of the format.
        expected: &'static [KeyDomain],
    },
    /// The name in the file is not the expected one
    /// ([`Open::expect_name`](crate::Open::expect_name)).
    #[non_exhaustive]
    OtherName {
        /// The expected name.
        expected: String,
        /// The name in the file, if it has one.
        found: Option<String>,
    },
    /// The filter cannot be written in this format.
    #[non_exhaustive]
    Unconvertible {
        /// The format.
        format: Format,
        /// The reason.
        obstacle: Obstacle,
    },
    /// The bytes are not a tepal file.
    #[non_exhaustive]
    NotTepal {
        /// What the bytes look like.
        found: Looks,
    },
    /// The file has a version, kind or feature that this build does not know.
    #[non_exhaustive]
    Unsupported {
        /// What is unknown.
        what: &'static str,
        /// The value found.
        found: u64,
        /// The values that this build knows.
        known: &'static str,
    },
    /// The bits cannot be read in place, without a copy.
    #[non_exhaustive]
    NotInPlace {
        /// Bytes from the last multiple of 64 to the start of the bits in memory. 0 on a big-endian
        /// machine, which has to copy every file.
        past: usize,
    },
    /// The bytes are not in the format that the caller named.
    #[non_exhaustive]
    NotOfFormat {
        /// The format that the caller named.
        format: Format,
        /// The format whose mark the bytes have.
        found: Format,
    },
    /// The input has more bytes than the limit for an input that does not tell its own length.
    #[non_exhaustive]
    PastLimit {
        /// What is too long.
        what: &'static str,
        /// The limit in bytes.
        most: u64,
        /// What to do instead.
        instead: Advice,
    },
    /// The key is already in the filter as many times as the filter can count.
    #[cfg(feature = "table")]
    #[non_exhaustive]
    TooManyCopies {
        /// The largest number of copies.
        most: u64,
        /// Keys of this call that were inserted before the error.
        inserted: usize,
    },
    /// Too many keys have equal or neighbouring fingerprints: even a table of four times the size
    /// cannot hold them all. By chance this happens only in a table for very few keys, where a
    /// union or a smaller size is refused, and with many copies of few keys. In a larger table the
    /// keys may have been chosen by the filter's own hash.
    #[cfg(feature = "table")]
    #[non_exhaustive]
    NumbersClustered {
        /// Keys of this call that were inserted before the error.
        inserted: usize,
    },
    /// A map was built from two different values for one key, or for two keys with the same 64-bit
    /// hash.
    #[cfg(feature = "static")]
    #[non_exhaustive]
    SeveralValues {
        /// The hash of the key.
        hash: u64,
        /// The two smallest values of the key: their numbers, or their names in quotes.
        values: [Box<str>; 2],
    },
    /// The file is damaged: its bytes are not the written ones.
    #[non_exhaustive]
    Damaged {
        /// The damaged part, and the sign of the damage.
        what: String,
    },
    /// The patch belongs to another file than the given one.
    #[cfg(feature = "extras")]
    #[non_exhaustive]
    OtherOld {
        /// Is the given file already the result of the patch, so that there is nothing to do?
        is_new: bool,
    },
    /// The filter was made with a secret key and opened without it.
    KeyRequired,
    /// The filter was made with a secret key and opened with another one.
    WrongKey,
    /// A secret key was given for a filter that was made without one.
    KeyNotUsed,
    /// The file is sealed and was opened without a seal key.
    SealRequired,
    /// The seal does not match: the file was changed, or sealed with another key.
    WrongSeal,
    /// A seal key was given for a file without a seal.
    NotSealed,
    /// A file of this name already exists, and the call was to create a new one.
    #[cfg(feature = "std")]
    #[non_exhaustive]
    FileExists {
        /// The path of the file.
        path: String,
    },
    /// The file to be overwritten was changed or removed after it was opened.
    #[cfg(feature = "std")]
    #[non_exhaustive]
    FileChanged {
        /// The path of the file.
        path: String,
    },
    /// The operating system reported an error on reading or writing.
    #[cfg(feature = "std")]
    #[non_exhaustive]
    Io {
        /// The file or folder, if it has a name.
        path: Option<std::path::PathBuf>,
        /// The operation, such as "opening".
        doing: String,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Error {
    pub(crate) fn parameter(
        name: &'static str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        Error::Parameter { name, found: text(&found), expected: text(&expected), advice: Advice::NONE }
    }

    pub(crate) fn rate_out_of_reach(rate: f64, reason: impl fmt::Display) -> Self {
        let reason = text(&format_args!("a false-positive rate of {rate:e} is out of reach: {reason}"));
        Error::RateOutOfReach { rate, reason, advice: Advice::NONE }
    }

    /// The same error with advice, if its kind has some of its own.
    pub(crate) fn with(mut self, what_to_do: Advice) -> Self {
        match &mut self {
            Error::Parameter { advice, .. } | Error::RateOutOfReach { advice, .. } => *advice = what_to_do,
            Error::NotPossible { instead, .. } | Error::PastLimit { instead, .. } => *instead = what_to_do,
            _ => {}
        }
        self
    }

    /// An operation of the system on a file or folder that failed.
    #[cfg(feature = "std")]
    pub(crate) fn io(path: &std::path::Path, doing: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io { path: Some(path.into()), doing: doing.into(), source }
    }

    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        Error::Damaged { what: text(&what) }
    }
}

/// Turns a part of an error into text: one function, so that it is compiled once.
#[cold]
#[inline(never)]
fn text(shown: &dyn fmt::Display) -> String {
    alloc::format!("{shown}")
}

impl core::error::Error for Error {
    /// The system's error, which the text does not repeat.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Reads members of the closed sets, from a number in a file or from a name.
macro_rules! read {
    ($($type:ident),+) => {$(
        impl $type {
            /// The member with this number.
            #[allow(dead_code, reason = "a set that no file names by number")]
            pub(crate) fn from_id(id: impl Into<u64>) -> Result<Self> {
                let id: u64 = id.into();
                let unknown = Error::Unsupported { what: Self::WHAT, found: id, known: Self::NUMBERS };
                id.try_into().ok().and_then(Self::with_id).ok_or(unknown)
            }
        }

        impl FromStr for $type {
            type Err = Error;

            /// Reads the [`name`](Self::name).
            fn from_str(name: &str) -> Result<Self> {
                let unknown = || Error::parameter(Self::THE, name, format_args!("one of: {}", Self::NAMES));
                Self::with_name(name).ok_or_else(unknown)
            }
        }
    )+};
}

read!(Kind, Layout, Scheme, KeyDomain, OverCapacity, Format);

#[cfg(test)]
mod tests;
