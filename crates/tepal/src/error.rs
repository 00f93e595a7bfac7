//! What can go wrong, each with what was found, what was expected and what to do.

mod details;
#[cfg(feature = "foreign")]
mod parquet;

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

pub use details::{Looks, Obstacle};
#[cfg(feature = "foreign")]
pub use parquet::{ParquetFile, ParquetFilter};

pub use crate::ids::Operation;
use crate::ids::{Format, KeyDomain, Kind, Layout, OverCapacity, Scheme};

/// The result of everything in this crate that can be refused.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a filter was not built, not opened, not changed or not asked.
///
/// The text (`Display`) is one line that names what was found, what was expected and the way out.
/// `Debug` gives the same text, so that `fn main() -> tepal::Result<()>` ends with it.
#[non_exhaustive]
pub enum Error {
    /// A parameter that no filter can have.
    #[non_exhaustive]
    Parameter {
        /// Which parameter.
        name: &'static str,
        /// The value given.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// The rate cannot be reached by this layout.
    #[non_exhaustive]
    RateOutOfReach {
        /// The rate asked for.
        rate: f64,
        /// The rate again in words, why it is out of reach, and what would do.
        reason: String,
    },
    /// More memory than this machine can address or hold.
    #[non_exhaustive]
    TooLarge {
        /// The size of the bit array in bytes.
        bytes: u64,
    },
    /// The filter holds as many keys as it was planned for, and its policy is to refuse more.
    #[non_exhaustive]
    CapacityReached {
        /// The keys it was planned for.
        capacity: u64,
        /// How many keys of this call were inserted before it was full: go on from there.
        inserted: usize,
    },
    /// The keys in the filter fall on few of its lines, as if they had been chosen by its own hash:
    /// keys like them would get in far more often than promised. Found when half of the keys of the
    /// capacity are in, where the policy is to refuse.
    #[non_exhaustive]
    KeysClustered {
        /// The share of wrong answers now for keys like the members.
        rate: f64,
        /// The promised one.
        promised: f64,
        /// How many keys of this call were inserted before.
        inserted: usize,
    },
    /// A key that the filter's key domain does not have, such as text in an integer filter.
    #[non_exhaustive]
    KeyRefused {
        /// The filter's key domain.
        domain: KeyDomain,
        /// The key, cut after a few characters.
        found: String,
    },
    /// A 64-bit hash was asked of a scheme that has none, or given to one.
    #[non_exhaustive]
    NoHash {
        /// The filter's scheme.
        scheme: Scheme,
    },
    /// A key was given to a filter that takes the caller's hashes alone ([`Scheme::CallerHash`]).
    #[non_exhaustive]
    CallerHashes {
        /// The name that the caller gave the hash.
        name: String,
    },
    /// Something that this kind of filter cannot do.
    #[non_exhaustive]
    NotPossible {
        /// The kind.
        kind: Kind,
        /// What was asked of it.
        operation: Operation,
        /// What would do.
        instead: &'static str,
    },
    /// Two filters that cannot be combined.
    #[non_exhaustive]
    Incompatible {
        /// The property in which they differ.
        property: &'static str,
        /// Its value in the filter that was to change.
        expected: String,
        /// Its value in the other one.
        found: String,
    },
    /// A filter whose keys are hashed otherwise than the caller says.
    #[non_exhaustive]
    OtherKeys {
        /// In what they differ.
        property: &'static str,
        /// What the caller says.
        expected: String,
        /// What the filter has.
        found: String,
    },
    /// A key domain that files of a format do not have.
    #[non_exhaustive]
    NoSuchKeys {
        /// The format.
        format: Format,
        /// The domain that was asked for.
        found: KeyDomain,
        /// Those that its program's keys can have.
        expected: &'static [KeyDomain],
    },
    /// A file whose filter has another name than the one that was asked for
    /// ([`Open::expect_name`](crate::Open::expect_name)).
    #[non_exhaustive]
    OtherName {
        /// The name that was asked for.
        expected: String,
        /// The one in the file.
        found: Option<String>,
    },
    /// A filter that a file of another format cannot hold.
    #[non_exhaustive]
    Unconvertible {
        /// The format.
        format: Format,
        /// What stands against it.
        obstacle: Obstacle,
    },
    /// The bytes are not a tepal file.
    #[non_exhaustive]
    NotTepal {
        /// What they look like.
        found: Looks,
    },
    /// A file of a version, kind or feature that this build does not know.
    #[non_exhaustive]
    Unsupported {
        /// What is not known.
        what: &'static str,
        /// The value found.
        found: u64,
        /// What this build knows.
        known: &'static str,
    },
    /// Bits that cannot be asked where they lie.
    #[non_exhaustive]
    NotInPlace {
        /// So many bytes past a multiple of 64 in memory. 0 on a big-endian machine, which has to
        /// copy every file.
        past: usize,
    },
    /// The bytes cannot be read as what the caller says they are.
    #[non_exhaustive]
    NotOfFormat {
        /// The format that the caller named.
        format: Format,
        /// The format whose mark they have.
        found: Format,
    },
    /// More bytes than are read, or unpacked, where nothing else says how many there may be.
    #[non_exhaustive]
    PastLimit {
        /// What there is more of.
        what: &'static str,
        /// The most bytes that it may have.
        most: u64,
        /// What would do.
        instead: &'static str,
    },
    /// A key is in as often as it can be.
    #[cfg(feature = "table")]
    #[non_exhaustive]
    TooManyCopies {
        /// How often.
        most: u64,
        /// How many keys of this call are in.
        inserted: usize,
    },
    /// So many keys have numbers that lie side by side, or are the same, that no table of four
    /// times the size holds them all: as if they had been chosen by the filter's own hash.
    #[cfg(feature = "table")]
    #[non_exhaustive]
    NumbersClustered {
        /// How many keys of this call were inserted before.
        inserted: usize,
    },
    /// Of the pairs that a map is built of, two have one key and different values: or two keys have
    /// one 64-bit hash.
    #[cfg(feature = "static")]
    #[non_exhaustive]
    SeveralValues {
        /// The hash of the key.
        hash: u64,
        /// Its two least values.
        values: [u32; 2],
    },
    /// The file is damaged: it is not what was written.
    #[non_exhaustive]
    Damaged {
        /// Which part, and how it shows.
        what: String,
    },
    /// A patch for another file than the one that it was given.
    #[cfg(feature = "extras")]
    #[non_exhaustive]
    OtherOld {
        /// Is the file what the patch makes, so that there is nothing to do?
        is_new: bool,
    },
    /// A filter made with a secret key was opened without it.
    KeyRequired,
    /// A filter made with a secret key was opened with another one.
    WrongKey,
    /// A secret key was given for a filter that was made without one.
    KeyNotUsed,
    /// A sealed file was opened without the key of its seal.
    SealRequired,
    /// A sealed file is not what the holder of this seal key has sealed.
    WrongSeal,
    /// A seal key was given for a file without a seal.
    NotSealed,
    /// A file was to be made new, and there is one of that name.
    #[cfg(feature = "std")]
    #[non_exhaustive]
    FileExists {
        /// The file.
        path: String,
    },
    /// A file was to be saved over the one that was opened, and that is not there any more, or was
    /// changed.
    #[cfg(feature = "std")]
    #[non_exhaustive]
    FileChanged {
        /// The file.
        path: String,
    },
    /// The operating system refused to read or write.
    #[cfg(feature = "std")]
    #[non_exhaustive]
    Io {
        /// What was being done, with the file's name where there is one.
        doing: String,
        /// What the system answered.
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

/// The one place where parts of errors become texts, so that this is compiled once.
#[cold]
#[inline(never)]
/// What a call that inserts many keys did before it stopped.
fn say_how_many_are_in(f: &mut fmt::Formatter<'_>, inserted: usize) -> fmt::Result {
    match inserted {
        0 => Ok(()),
        keys => write!(f, " (the first {keys} keys of this call are in)"),
    }
}

/// A rate as one in so many.
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
            // Written by whoever plans: a program that only opens files has no use for the printing
            // of floats.
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
    /// The text has said what the system answered, so the chain of causes goes on behind that.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            #[cfg(feature = "std")]
            Error::Io { source, .. } => core::error::Error::source(source),
            _ => None,
        }
    }
}

/// How the closed sets are read, from a number in a file and from a name.
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

/// What the keys of a domain are called, and what one of them is.
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
