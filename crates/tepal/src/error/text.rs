//! The texts of errors: what was found, how many keys are in, and what to do.

use core::fmt;

use super::door::{Advice, Calls, Door, InWords, Told, advice};
use super::{Error, details};
use crate::ids::KeyDomain;

impl Error {
    /// What to do about it. Empty if the error is all that can be said.
    pub(super) fn advice(&self) -> Advice {
        match self {
            Error::Parameter { advice, .. } | Error::RateOutOfReach { advice, .. } => *advice,
            Error::NotPossible { instead, .. } | Error::PastLimit { instead, .. } => *instead,
            Error::TooLarge { .. } => advice!(
                "plan for fewer keys or a higher rate, or split the keys over several filters, each with its own \
                 seed",
                Seed
            ),
            Error::CapacityReached { .. } => {
                advice!("build a larger one, or change its over-capacity policy", OverCapacity)
            }
            Error::KeysClustered { .. } => advice!(
                "give it a seed of its own",
                Seed,
                ", divide the keys by another hash, or change its over-capacity policy",
                OverCapacity
            ),
            Error::NotInPlace { past: 0 } => advice!("copy it", Copy),
            Error::NotInPlace { .. } => {
                advice!("put it at a multiple of 64", Aligned, ", or copy it", Copy)
            }
            Error::NoHash { .. } => advice!("give keys, not hashes"),
            Error::CallerHashes { .. } => advice!("ask it in a program that computes this hash", HashCalls),
            Error::Incompatible { .. } => advice!(
                "only filters of one shape and one hash can be combined, rebuild one of them from its keys"
            ),
            Error::OtherKeys { .. } => advice!("ask for the value that it was made with"),
            Error::OtherName { .. } => {
                advice!("it is another filter, or was built without that name", Name)
            }
            Error::Unconvertible { obstacle, .. } => obstacle.advice(),
            Error::NotTepal { found } => found.advice(),
            Error::NotOfFormat { .. } => advice!("name that format, or none", OpenFormat),
            Error::Unsupported { .. } => advice!("use a newer tepal", Features),
            #[cfg(feature = "table")]
            Error::NumbersClustered { .. } => advice!(
                "build it for more keys or with another seed",
                Seed,
                ", count copies",
                CountBits,
                ", or hash with a secret key, so that nobody can choose such keys",
                Secret
            ),
            #[cfg(feature = "static")]
            Error::SeveralValues { .. } => advice!(
                "give each key one value; if no key was given twice, two keys have the same hash: take another \
                 seed",
                Seed
            ),
            #[cfg(feature = "table")]
            Error::TooManyCopies { .. } => {
                advice!("insert each key once, or count in more bits", CountBits)
            }
            Error::Damaged { .. } => advice!("restore the file from a good copy, or build it again"),
            #[cfg(feature = "extras")]
            Error::OtherOld { is_new: true } => advice!("there is nothing to do"),
            #[cfg(feature = "extras")]
            Error::OtherOld { is_new: false } => {
                advice!("get one that was made from this file, or the whole new file")
            }
            Error::KeyRequired | Error::WrongKey => advice!("open it with that key", OpenSecret),
            Error::KeyNotUsed => advice!(
                "get the filter that was made with the key from its maker, or leave the key out",
                OpenSecret
            ),
            Error::SealRequired => advice!("open it with that key", OpenSeal),
            Error::WrongSeal => advice!("get the file from its maker again"),
            Error::NotSealed => {
                advice!("get the sealed file from its maker, or leave the key out", OpenSeal)
            }
            #[cfg(feature = "std")]
            Error::FileExists { .. } => advice!("name another file, or replace this one", Replace),
            #[cfg(feature = "std")]
            Error::FileChanged { .. } => advice!("open it again and repeat the change"),
            #[cfg(feature = "std")]
            Error::Io { .. } => Advice::NONE,
            Error::KeyRefused { .. } | Error::NoSuchKeys { .. } => Advice::NONE,
        }
    }

    /// The text in the words of a door. `Display` gives it in the library's own.
    pub fn in_words<'a>(&'a self, door: &'a dyn Door) -> impl fmt::Display + use<'a> {
        InWords(self, door)
    }

    /// What was found, and what was expected.
    fn found(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Parameter { name, found, expected, .. } => {
                write!(f, "{name} is {found}; it must be {expected}")
            }
            // The planner writes this text, so that a program that only opens files does not
            // contain the code that prints floats.
            Error::RateOutOfReach { reason, .. } => f.write_str(reason),
            Error::TooLarge { bytes } => {
                write!(f, "the filter would take {bytes} bytes, more than this machine or a file can hold")
            }
            Error::CapacityReached { capacity, .. } => write!(
                f,
                "the filter is full: it was planned for {capacity} {} and refuses more to keep its promised rate",
                if *capacity == 1 { "key" } else { "keys" }
            ),
            Error::KeysClustered { rate, promised, .. } => write!(
                f,
                "of keys like those in the filter one in {} is found by mistake, where one in {} is promised: the \
                 keys fall on few of its lines, as if they had been chosen by its own hash",
                one_in(*rate),
                one_in(*promised)
            ),
            Error::NotInPlace { past: 0 } => {
                f.write_str("this machine is big-endian, so a filter cannot be used in place")
            }
            Error::NotInPlace { past } => write!(
                f,
                "the bits begin {past} past a multiple of 64 bytes in memory, so the filter cannot be used in place"
            ),
            Error::KeyRefused { domain, found } => {
                let (keys, expected) = keys_of(*domain);
                write!(f, "this filter has {keys}; {found:?} is not {expected}")
            }
            Error::NoHash { scheme } => {
                write!(f, "the scheme {scheme} turns a key into bits at once and has no 64-bit hash")
            }
            Error::CallerHashes { name } => write!(
                f,
                "this filter holds hashes that its caller computes ({name:?}), and cannot hash a key"
            ),
            Error::NotPossible { kind, operation, .. } => {
                write!(f, "a {} cannot {operation}", kind.common_name())
            }
            Error::Incompatible { property, expected, found } => {
                write!(f, "the filters differ in {property}: {expected} here, {found} in the other")
            }
            Error::OtherKeys { property, expected, found } => {
                write!(f, "the filter's {property} is {found}, and {expected} was asked for")
            }
            Error::NoSuchKeys { format, found, expected } => {
                write!(f, "the program of the format {format} has no keys of the domain {found}; ask for ")?;
                details::joined(f, expected)
            }
            Error::OtherName { expected, found } => {
                match found {
                    Some(found) => write!(f, "the filter's name is {found:?}")?,
                    None => f.write_str("the filter has no name")?,
                }
                write!(f, ", and {expected:?} was expected")
            }
            Error::Unconvertible { format, obstacle } => {
                write!(f, "a file of the format {format} cannot hold this filter: {obstacle}")
            }
            Error::NotTepal { found } => write!(f, "not a tepal filter: {found}"),
            Error::NotOfFormat { format, found } => write!(f, "its mark says {found}, not {format}"),
            Error::Unsupported { what, found, known } => {
                write!(f, "{what} {found} is not known to this build, which knows {known}")
            }
            Error::PastLimit { what, most, .. } => write!(f, "{what}, expected {most} bytes or less"),
            #[cfg(feature = "table")]
            Error::NumbersClustered { .. } => f.write_str(
                "too many keys have equal or neighbouring hash values: a table of four times the size does not hold \
                 them. So it is by chance in a table for very few keys, or with many copies of few keys; in a larger \
                 table the keys may have been chosen by the filter's own hash",
            ),
            #[cfg(feature = "static")]
            Error::SeveralValues { hash, values: [one, other] } => write!(
                f,
                "a key was given with the value {one} and with {other}, and a map has one value for each key (its \
                 hash is {hash:#018x})"
            ),
            #[cfg(feature = "table")]
            Error::TooManyCopies { most, .. } => {
                write!(f, "a key is in {most} times, and cannot be in more often")
            }
            Error::Damaged { what } => write!(f, "damaged: {what}"),
            #[cfg(feature = "extras")]
            Error::OtherOld { is_new: true } => f.write_str("the file is already the result of the patch"),
            #[cfg(feature = "extras")]
            Error::OtherOld { is_new: false } => f.write_str("the patch is for another file, of other bytes"),
            Error::KeyRequired => {
                f.write_str("the filter was made with a secret key, which is not in the file")
            }
            Error::WrongKey => f.write_str("the secret key is not the one that the filter was made with"),
            Error::KeyNotUsed => f.write_str(
                "a secret key was given, but the filter was made without one and may be anyone's",
            ),
            Error::SealRequired => f.write_str("the file is sealed, and the key of its seal is not in the file"),
            Error::WrongSeal => f.write_str(
                "the seal does not fit the key: the file was changed without the key, or sealed with another key",
            ),
            Error::NotSealed => {
                f.write_str("a seal key was given, but the file has no seal and may be anyone's")
            }
            #[cfg(feature = "std")]
            Error::FileExists { path } => write!(f, "{path}: exists, and was to be a new file"),
            #[cfg(feature = "std")]
            Error::FileChanged { path } => write!(
                f,
                "{path}: replaced or changed by another program since it was opened; nothing was saved"
            ),
            #[cfg(feature = "std")]
            Error::Io { path, doing, .. } => {
                if let Some(path) = path {
                    write!(f, "{}: ", path.display())?;
                }
                write!(f, "{doing} failed")
            }
        }
    }

    /// The number of keys that the call inserted before the error.
    fn inserted(&self) -> usize {
        match self {
            Error::CapacityReached { inserted, .. } | Error::KeysClustered { inserted, .. } => *inserted,
            #[cfg(feature = "table")]
            Error::TooManyCopies { inserted, .. } | Error::NumbersClustered { inserted } => *inserted,
            _ => 0,
        }
    }
}

impl Told for Error {
    fn tell(&self, f: &mut fmt::Formatter<'_>, door: &dyn Door) -> fmt::Result {
        self.found(f)?;
        match self.inserted() {
            0 => {}
            1 => f.write_str(" (the first key of this call is in)")?,
            keys => write!(f, " (the first {keys} keys of this call are in)")?,
        }
        match self.advice() {
            Advice::NONE => Ok(()),
            advice => {
                f.write_str("; ")?;
                advice.tell(f, door)
            }
        }
    }
}

impl fmt::Display for Error {
    /// The text in the library's words, without the system's error, which is the
    /// [`source`](core::error::Error::source).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, &Calls)
    }
}

impl fmt::Debug for Error {
    /// The text, and the system's error after it: what `main` prints for an error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        match self {
            #[cfg(feature = "std")]
            Error::Io { source, .. } => write!(f, ": {source}"),
            _ => Ok(()),
        }
    }
}

/// `n` of a rate that is written as "1 in n".
fn one_in(rate: f64) -> u64 {
    (1.0 / rate + 0.5) as u64
}

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
