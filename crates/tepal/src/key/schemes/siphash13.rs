//! SipHash-1-3 (Aumasson and Bernstein 2012, with 1 compression and 3 finalisation rounds) with a
//! secret key, by the crate `siphasher`.

use alloc::boxed::Box;

use siphasher::sip::SipHasher13;

use super::parameters::{Parameter, Parameters, SecretKey};
use super::rule::Hash64;
use crate::error::{Error, Result};

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

    /// A check value of the secret that does not reveal it.
    fn parameters(&self) -> u64 {
        hash(b"tepal key check", self.key.as_bytes())
    }

    fn hash(&self, bytes: &[u8]) -> Result<u64> {
        Ok(hash(bytes, self.key.as_bytes()))
    }
}

#[inline(never)]
fn hash(bytes: &[u8], key: &[u8; 16]) -> u64 {
    SipHasher13::new_with_key(key).hash(bytes)
}
