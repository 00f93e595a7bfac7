//! SipHash-1-3 (Aumasson and Bernstein 2012, with 1 compression and 3 finalisation rounds) under a secret key, by the
//! crate `siphasher`.

use alloc::boxed::Box;
use core::fmt;

use siphasher::sip::SipHasher13;

use super::{Hash64, Parameter, Parameters};
use crate::error::{Error, Result};

/// The secret of the keyed scheme: 16 bytes from a source of random numbers, kept outside every file.
///
/// Its bytes are overwritten with zeros when it is dropped, and so are those of its clones: of the builder's, and of each
/// filter's. Not overwritten is what is not a `SecretKey` any more, or not yet: the array it was made of, places in memory
/// that it was moved away from, the state of a hash that was under way, and what the system wrote to a swap file or a core
/// dump. It makes the time shorter in which a key can be found in memory, and promises no more.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// Wraps 16 secret bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        SecretKey(bytes)
    }

    /// A new key from the system's source of random numbers. Whoever opens the filter later needs it:
    /// [`as_bytes`](Self::as_bytes) are to be kept, apart from the filter.
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

/// The scheme with its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SipHash13 {
    key: Box<SecretKey>,
}

impl Hash64 for SipHash13 {
    const PARAMETER: Parameter = Parameter::Secret;

    fn make(given: &Parameters) -> Result<Self> {
        match &given.secret {
            Some(key) => Ok(SipHash13 { key: Box::new(key.clone()) }),
            None => Err(Error::parameter("the secret key", "missing", "given with the scheme `siphash13`")),
        }
    }

    /// A check of the secret that does not reveal it.
    fn parameters(&self) -> u64 {
        hash(b"tepal key check", &self.key.0)
    }

    fn hash(&self, bytes: &[u8]) -> Result<u64> {
        Ok(hash(bytes, &self.key.0))
    }
}

#[inline(never)]
fn hash(bytes: &[u8], key: &[u8; 16]) -> u64 {
    SipHasher13::new_with_key(key).hash(bytes)
}
