//! What a caller says of a scheme.

use alloc::string::String;
use core::fmt;

use crate::error::{Error, Result};
use crate::ids::Scheme;

/// Which parameter a scheme has. The others are refused with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// None.
    None,
    /// A public seed, which the file keeps at offset 64.
    Seed,
    /// A secret key; the file keeps a check of it at offset 64.
    Secret,
    /// A name, which the file keeps in record 6.
    Name,
    /// What an article leaves open, at offset 64.
    #[cfg(feature = "foreign")]
    Choices,
    /// A seed of 32 bytes, which the file keeps in record 5.
    #[cfg(feature = "foreign")]
    Seed32,
}

impl Parameter {
    /// The record of a file that keeps it.
    pub(crate) fn record_tag(self) -> Option<u16> {
        match self {
            #[cfg(feature = "foreign")]
            Parameter::Seed32 => Some(5),
            Parameter::Name => Some(6),
            _ => None,
        }
    }
}

/// Parameters of schemes, as a caller gives them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) seed: Option<u64>,
    pub(crate) secret: Option<SecretKey>,
    pub(crate) name: Option<String>,
    #[cfg(feature = "foreign")]
    pub(crate) md5_split: Option<Md5Split>,
    #[cfg(feature = "foreign")]
    pub(crate) seed32: Option<[u8; 32]>,
}

impl Parameters {
    /// Refuses a parameter that is not the scheme's.
    pub(super) fn check(&self, scheme: Scheme, its: Parameter) -> Result<()> {
        let given = [
            (Parameter::Seed, self.seed.is_some(), "the seed", "left out: this scheme has none"),
            (
                Parameter::Secret,
                self.secret.is_some(),
                "the secret key",
                "left out: only the scheme `siphash13` has one",
            ),
            (
                Parameter::Name,
                self.name.is_some(),
                "the name of the caller's hash",
                "left out: only the scheme `caller-hash` has one",
            ),
            #[cfg(feature = "foreign")]
            (Parameter::Choices, self.md5_split.is_some(), "a parameter of another scheme", "left out"),
            #[cfg(feature = "foreign")]
            (Parameter::Seed32, self.seed32.is_some(), "a parameter of another scheme", "left out"),
        ];
        match given.into_iter().find(|(parameter, is_given, ..)| *is_given && *parameter != its) {
            Some((.., what, expected)) => {
                Err(Error::parameter(what, format_args!("given with `{scheme}`"), expected))
            }
            None => Ok(()),
        }
    }
}

/// The secret of the keyed scheme: 16 bytes from a source of random numbers, kept outside every
/// file.
///
/// Its bytes are overwritten with zeros when it is dropped, and so are those of its clones: of the
/// builder's, and of each filter's. Not overwritten is what is not a `SecretKey` any more, or not
/// yet: the array it was made of, places in memory that it was moved away from, the state of a hash
/// that was under way, and what the system wrote to a swap file or a core dump. It makes the time
/// shorter in which a key can be found in memory, and promises no more.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// Wraps 16 secret bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        SecretKey(bytes)
    }

    /// A new key from the system's source of random numbers. Whoever opens the filter later needs
    /// it: [`as_bytes`](Self::as_bytes) are to be kept, apart from the filter.
    ///
    /// ```
    /// use tepal::{BloomFilter, SecretKey};
    /// let key = SecretKey::generate()?;
    /// let filter = BloomFilter::builder().capacity(1000).secret_key(key.clone()).build()?;
    /// let again = SecretKey::new(*key.as_bytes());
    /// assert!(BloomFilter::from_bytes_with_key(&filter.to_bytes()?, &again).is_ok());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] where the system has no such source.
    #[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
    pub fn generate() -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Error::Io {
            doing: "making a secret key".into(),
            source: std::io::Error::other(alloc::format!("{error}")),
        })?;
        Ok(SecretKey(bytes))
    }

    /// The 16 secret bytes, to be kept where nobody else can read them.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.0 = [0; 16];
        // Without it the compiler may leave out what nobody reads.
        core::hint::black_box(&mut self.0);
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// How the halves of an MD5 digest become positions: what the second article leaves open.
///
/// The default is the canonical reading: big-endian halves, i from 1 to k, no wrap-around.
#[cfg(feature = "foreign")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5Split {
    /// The halves are read as little-endian numbers.
    pub little_endian: bool,
    /// i runs from 0 to k-1, not from 1 to k.
    pub from_zero: bool,
    /// h1 + i·h2 wraps at 2^64, as in 64-bit arithmetic, before it is reduced.
    pub wrapping: bool,
}

#[cfg(feature = "foreign")]
impl Md5Split {
    pub(crate) fn to_flags(self) -> u64 {
        u64::from(self.little_endian) | u64::from(self.from_zero) << 1 | u64::from(self.wrapping) << 2
    }

    pub(crate) fn from_flags(flags: u64) -> Option<Self> {
        let bit = |i: u32| flags >> i & 1 != 0;
        (flags < 8).then_some(Md5Split { little_endian: bit(0), from_zero: bit(1), wrapping: bit(2) })
    }
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "foreign")]
    #[test]
    fn flags_go_both_ways() {
        use super::Md5Split;

        for flags in 0..8 {
            assert_eq!(Md5Split::from_flags(flags).map(Md5Split::to_flags), Some(flags));
        }
        assert_eq!(Md5Split::from_flags(8), None);
    }
}
