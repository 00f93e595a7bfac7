//! The parameters of a scheme, as a caller gives them.

use alloc::string::String;
use core::fmt;

use crate::error::{Error, Result};
use crate::ids::Scheme;

/// The parameter that a scheme has. The scheme refuses all other parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// None.
    None,
    /// A public seed; the file stores it at offset 64.
    Seed,
    /// A secret key; the file stores a check value of it at offset 64.
    Secret,
    /// A name; the file stores it in record 6.
    Name,
    /// The choices that an article leaves open, at offset 64.
    #[cfg(feature = "foreign")]
    Choices,
    /// A seed of 32 bytes; the file stores it in record 5.
    #[cfg(feature = "foreign")]
    Seed32,
}

impl Parameter {
    /// The tag of the record that stores it.
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
    /// Refuses a parameter that the scheme does not have.
    pub(super) fn check(&self, scheme: Scheme, its: Parameter) -> Result<()> {
        let given = [
            (Parameter::Seed, self.seed.is_some(), "the seed", "left out: this scheme has none"),
            (
                Parameter::Secret,
                self.secret.is_some(),
                "the secret key",
                "left out: only the scheme siphash13 has one",
            ),
            (
                Parameter::Name,
                self.name.is_some(),
                "the name of the caller's hash",
                "left out: only the scheme caller-hash has one",
            ),
            #[cfg(feature = "foreign")]
            (Parameter::Choices, self.md5_split.is_some(), "a parameter of another scheme", "left out"),
            #[cfg(feature = "foreign")]
            (Parameter::Seed32, self.seed32.is_some(), "a parameter of another scheme", "left out"),
        ];
        match given.into_iter().find(|(parameter, is_given, ..)| *is_given && *parameter != its) {
            Some((.., what, expected)) => {
                Err(Error::parameter(what, format_args!("given with the scheme {scheme}"), expected))
            }
            None => Ok(()),
        }
    }
}

/// The secret of the keyed scheme: 16 random bytes, never stored in a filter's file.
///
/// Dropping it overwrites its bytes with zeros. This also holds for its clones: the builder's and
/// each filter's. Other copies are not overwritten: the array it was made from, memory that it was
/// moved from, the state of a running hash, and pages that the system wrote to a swap file or a
/// core dump. So a key can be found in memory for a shorter time; nothing more is promised.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// Wraps 16 secret bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        SecretKey(bytes)
    }

    /// A new key from the system's source of random numbers. Opening the filter later needs it:
    /// keep [`as_bytes`](Self::as_bytes), apart from the filter.
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
    /// [`Error::Io`] if the system has no source of random numbers.
    #[cfg(all(feature = "std", not(all(target_family = "wasm", target_os = "unknown"))))]
    pub fn generate() -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Error::Io {
            path: None,
            doing: "making a secret key".into(),
            source: std::io::Error::other(alloc::format!("{error}")),
        })?;
        Ok(SecretKey(bytes))
    }

    /// Parses 32 hexadecimal digits, small or capital.
    ///
    /// ```
    /// use tepal::SecretKey;
    /// let key = SecretKey::from_hex("00112233445566778899aabbccddeeff")?;
    /// assert_eq!(key.as_bytes()[..3], [0, 0x11, 0x22]);
    /// assert!(SecretKey::from_hex("0011").is_err());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for any other text, which the error does not show.
    pub fn from_hex(digits: impl AsRef<[u8]>) -> Result<Self> {
        let digits = digits.as_ref();
        // Written in place, so that an error leaves no digit behind.
        let mut key = SecretKey([0; 16]);
        let mut is_hex = digits.len() == 2 * key.0.len();
        for (byte, pair) in key.0.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair.iter().map(|digit| char::from(*digit).to_digit(16)) {
                is_hex &= digit.is_some();
                *byte = *byte << 4 | digit.unwrap_or(0) as u8;
            }
        }
        let expected = "32 hexadecimal digits";
        is_hex.then_some(key).ok_or_else(|| Error::parameter("the secret key", "another text", expected))
    }

    /// The 16 secret bytes. Keep them out of the reach of others.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.0 = [0; 16];
        // Without this, the compiler may remove a write that nothing reads.
        core::hint::black_box(&mut self.0);
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// How the halves of an MD5 digest become positions: the choices that the second article leaves
/// open.
///
/// The default is the canonical choice: big-endian halves, i from 1 to k, no wrap-around.
#[cfg(feature = "foreign")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Md5Split {
    /// Read the halves as little-endian numbers.
    pub little_endian: bool,
    /// Let i run from 0 to k-1 instead of from 1 to k.
    pub from_zero: bool,
    /// Let h1 + i·h2 wrap at 2^64, as in 64-bit arithmetic, before it is reduced.
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
    use alloc::string::ToString;

    use super::SecretKey;

    #[test]
    fn keys_are_32_digits_and_no_error_shows_one() {
        let digits = "00112233445566778899aAbBcCdDeEfF";
        let key = SecretKey::from_hex(digits).unwrap();
        let bytes =
            [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF];
        assert_eq!(*key.as_bytes(), bytes);
        let other = digits.replace('7', "g");
        let long = [digits, "00"].concat();
        for wrong in [
            "",
            &digits[1..],
            &digits[2..],
            &other,
            &long,
            "0x112233445566778899aabbccddeeff",
            &"é".repeat(16),
        ] {
            let text = SecretKey::from_hex(wrong).unwrap_err().to_string();
            assert_eq!(text, "the secret key is another text; it must be 32 hexadecimal digits", "{wrong}");
        }
    }

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
