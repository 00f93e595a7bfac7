//! Every error of the crate: what was found, what was expected and what to do.

mod details;
#[cfg(feature = "foreign")]
mod parquet;

#[cfg(feature = "static")]
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

pub use details::{Looks, Obstacle};
#[cfg(feature = "foreign")]
pub use parquet::{ParquetFile, ParquetFilter};

pub use crate::ids::Operation;
use crate::ids::{Format, KeyDomain, Kind, Layout, OverCapacity, Scheme};

/// The result type of every call in this crate that can fail.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a filter could not be built, opened, changed or queried.
///
/// The text (`Display`) is one line: what was found, what was expected and what to do. `Debug`
/// gives the same text, so a `fn main() -> tepal::Result<()>` that fails prints it.
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
    },
    /// The layout cannot reach the rate.
    #[non_exhaustive]
    RateOutOfReach {
        /// The requested rate.
        rate: f64,
        /// The rate in words, why it is out of reach, and which parameters would reach it.
        reason: String,
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
        instead: &'static str,
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
        instead: &'static str,
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
    /// Too many keys have equal or neighbouring numbers: even a table of four times the size cannot
    /// hold them all. It looks as if the keys had been chosen by the filter's own hash.
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
        /// The operation, with the file's name if it has one.
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
        Error::Parameter { name, found: text(&found), expected: text(&expected) }
    }

    pub(crate) fn rate_out_of_reach(rate: f64, reason: impl fmt::Display) -> Self {
        let reason = text(&format_args!("a false-positive rate of {rate:e} is out of reach: {reason}"));
        Error::RateOutOfReach { rate, reason }
    }

    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        Error::Damaged { what: text(&what) }
    }
}

/// Turns a part of an error into text: one function, so that it is compiled once.
#[cold]
#[inline(never)]
/// Says how many keys a call inserted before it stopped.
fn say_how_many_are_in(f: &mut fmt::Formatter<'_>, inserted: usize) -> fmt::Result {
    match inserted {
        0 => Ok(()),
        keys => write!(f, " (the first {keys} keys of this call are in)"),
    }
}

/// `n` of a rate that is written as "1 in n".
fn one_in(rate: f64) -> u64 {
    (1.0 / rate + 0.5) as u64
}

fn text(shown: &dyn fmt::Display) -> String {
    alloc::format!("{shown}")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Parameter { name, found, expected } => {
                write!(f, "{name} is {found}; it must be {expected}")
            }
            // The planner writes this text, so that a program that only opens files does not
            // contain the code that prints floats.
            Error::RateOutOfReach { reason, .. } => f.write_str(reason),
            Error::TooLarge { bytes } => write!(
                f,
                "the filter would take {bytes} bytes, more than this machine or any file of this format can \
                 hold; plan for fewer keys or a higher rate, or split the keys over several \
                 filters, each with its own seed (`seed_for`, `--seed-for`)"
            ),
            Error::CapacityReached { capacity, inserted } => {
                write!(
                    f,
                    "the filter is full: it was planned for {capacity} keys and refuses more to keep its \
                     promised rate; build a larger one or change its over-capacity policy"
                )?;
                say_how_many_are_in(f, *inserted)
            }
            Error::KeysClustered { rate, promised, inserted } => {
                write!(
                    f,
                    "of keys like those in the filter one in {} would get in, where one in {} is promised: the \
                     keys fall on few of its lines, as if they had been chosen by its own hash; give it a seed of \
                     its own (`seed_for`, `--seed-for`), divide the keys by another hash, or change its \
                     over-capacity policy",
                    one_in(*rate),
                    one_in(*promised)
                )?;
                say_how_many_are_in(f, *inserted)
            }
            Error::NotInPlace { past: 0 } => write!(
                f,
                "this machine is big-endian, so a filter cannot be asked where it lies; copy it with `BloomFilter::from_bytes`"
            ),
            Error::NotInPlace { past } => write!(
                f,
                "the bits lie {past} bytes past a multiple of 64 in memory, so they cannot be asked where they are; put the \
                 filter at a multiple of 64 (`tepal::include_aligned!` for bytes in the program), or copy it with \
                 `BloomFilter::from_bytes` or `from_embedded`"
            ),
            Error::KeyRefused { domain, found } => {
                let (keys, expected) = keys_of(*domain);
                write!(f, "this filter has {keys}; {found:?} is not {expected}")
            }
            Error::NoHash { scheme } => write!(
                f,
                "the scheme `{scheme}` goes from the key straight to the bits and has no 64-bit hash; \
                 use the calls that take keys"
            ),
            Error::CallerHashes { name } => write!(
                f,
                "this filter holds hashes that its caller computes ({name:?}), and cannot hash a key; hash it and use \
                 the `_hash` calls"
            ),
            Error::NotPossible { kind, operation, instead } => {
                write!(f, "a filter of the kind `{kind}` cannot {operation}; {instead}")
            }
            Error::Incompatible { property, expected, found } => write!(
                f,
                "the filters differ in {property}: {expected} here, {found} in the other; only filters \
                 of one shape and one hash can be combined, rebuild one of them from its keys"
            ),
            Error::OtherKeys { property, expected, found } => write!(
                f,
                "the filter's {property} is {found}, and {expected} was asked for; ask for the one that it was made with"
            ),
            Error::NoSuchKeys { format, found, expected } => {
                write!(f, "the program of the format {format} has no keys of the domain {found}; ask for ")?;
                details::joined(f, expected)
            }
            Error::OtherName { expected, found } => {
                match found {
                    Some(found) => write!(f, "the filter's name is {found:?}")?,
                    None => f.write_str("the filter has no name")?,
                }
                write!(f, ", and {expected:?} was expected; it is another filter, or was built without that name (`Labels::name`)")
            }
            Error::Unconvertible { format, obstacle } => {
                write!(f, "a file of the format {format} cannot hold this filter: {obstacle}")
            }
            Error::NotTepal { found } => write!(f, "not a tepal filter: {found}; {}", found.way_out()),
            Error::NotOfFormat { format, found } => write!(
                f,
                "its mark says {found}, not {format}; open it as {found}, or name no format"
            ),
            Error::Unsupported { what, found, known } => {
                write!(f, "{what} {found} is not known to this build, which knows {known}; use a newer tepal, or one with more features")
            }
            Error::PastLimit { what, most, instead } => {
                write!(f, "{what}, expected {most} bytes or less; {instead}")
            }
            #[cfg(feature = "table")]
            Error::NumbersClustered { inserted } => {
                f.write_str(
                    "so many keys have numbers side by side that a table of four times the size does not hold them, as if they \
                     had been chosen by the filter's own hash, or it has many copies of few keys; hash with a secret key, so that \
                     nobody can choose them (`secret_key`, `--secret`), give it a seed of its own (`seed_for`, `--seed-for`), or \
                     count copies (`count_bits`, `--count-bits`)",
                )?;
                say_how_many_are_in(f, *inserted)
            }
            #[cfg(feature = "static")]
            Error::SeveralValues { hash, values: [one, other] } => write!(
                f,
                "a key was given with the value {one} and with {other}, and a map has one value for each key; give it one of them (its \
                 hash is {hash:#018x}), or where no key comes twice, so that two keys have one hash, another seed (`seed_for`, `--seed-for`)"
            ),
            #[cfg(feature = "table")]
            Error::TooManyCopies { most, inserted } => {
                write!(
                    f,
                    "a key is in {most} times, and cannot be in more often; insert each key once, or count in more bits \
                     (`count_bits`, `--count-bits`)"
                )?;
                say_how_many_are_in(f, *inserted)
            }
            Error::Damaged { what } => {
                write!(f, "damaged: {what}; restore the file from a good copy or build it again")
            }
            #[cfg(feature = "extras")]
            Error::OtherOld { is_new: true } => {
                f.write_str("the file is what the patch makes of another one; there is nothing to do")
            }
            #[cfg(feature = "extras")]
            Error::OtherOld { is_new: false } => f.write_str(
                "the patch is for another file, of other bytes; get one that was made from this file, or the whole new file",
            ),
            Error::KeyRequired => {
                f.write_str("the filter was made with a secret key; open it with that key (`Open::secret_key`)")
            }
            Error::WrongKey => {
                f.write_str("the secret key is not the one the filter was made with; open it with that one")
            }
            Error::KeyNotUsed => f.write_str(
                "a secret key was given, but the filter was made without one; open it without a key",
            ),
            Error::SealRequired => {
                f.write_str("the file is sealed; open it with the key of its seal (`Open::seal_key`)")
            }
            Error::WrongSeal => f.write_str(
                "the seal is not that of this key: the file was changed by someone who has not the key, or sealed \
                 under another one; get it from its maker again",
            ),
            Error::NotSealed => f.write_str(
                "a seal key was given, but the file has no seal and may be anyone's; get the sealed one from its \
                 maker, or open it without a seal key",
            ),
            #[cfg(feature = "std")]
            Error::FileExists { path } => {
                write!(f, "{path}: exists, and was to be a new file; name another one, or replace it with `save`")
            }
            #[cfg(feature = "std")]
            Error::FileChanged { path } => write!(
                f,
                "{path}: replaced or changed by something else since it was opened; nothing was saved, open it again \
                 and repeat the change"
            ),
            #[cfg(feature = "std")]
            Error::Io { doing, source } => write!(f, "{doing}: {source}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {
    /// The message already contains the system's error, so `source` is the cause of that error.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            Error::Io { source, .. } => core::error::Error::source(source),
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

/// The name of the keys of a domain, and the form that one key must have.
fn keys_of(domain: KeyDomain) -> (&'static str, &'static str) {
    match domain {
        KeyDomain::Bytes => ("keys of bytes", "bytes"),
        KeyDomain::Integer => ("integer keys", "the shortest decimal form of a 64-bit integer"),
        KeyDomain::Integer32 => ("integer keys", "the shortest decimal form of a 32-bit integer"),
        KeyDomain::Utf16 => ("text keys", "text in UTF-8"),
        KeyDomain::Float32 | KeyDomain::Float64 => ("keys that are numbers", "a number in decimal form"),
        KeyDomain::Hex => {
            ("keys in hexadecimal", "pairs of hexadecimal digits without a prefix, such as 00ff or 00-FF")
        }
    }
}

#[cfg(test)]
mod tests;
