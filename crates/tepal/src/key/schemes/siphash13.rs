//! SipHash-1-3 (Aumasson and Bernstein 2012, with 1 compression and 3 finalisation rounds) under a secret key, by the
//! crate `siphasher`.

use core::fmt;

use siphasher::sip::SipHasher13;

use super::{Hash64, Parameter, Parameters};
use crate::error::{Error, Result};

/// The secret of the keyed scheme: 16 bytes from a source of random numbers, kept outside every file.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 16]);

impl SecretKey {
    /// Wraps 16 secret bytes.
    pub const fn new(bytes: [u8; 16]) -> Self {
        SecretKey(bytes)
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
    key: SecretKey,
}

impl Hash64 for SipHash13 {
    const PARAMETER: Parameter = Parameter::Secret;

    fn make(given: &Parameters) -> Result<Self> {
        match &given.secret {
            Some(key) => Ok(SipHash13 { key: key.clone() }),
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
