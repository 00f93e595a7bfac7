//! SipHash-1-3 (Aumasson and Bernstein 2012, with 1 compression and 3 finalisation rounds) with a
//! secret key, by the crate `siphasher`.

use alloc::boxed::Box;

use siphasher::sip::SipHasher13;

use super::parameters::{Parameter, Parameters, SecretKey};
use super::rule::Hash64;
use crate::error::{Error, Result, advice};

/// The scheme with its secret. A file that was opened without its keys has the scheme without the
/// secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SipHash13 {
    key: Box<Secret>,
}

/// The secret of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Secret {
    Known(SecretKey),
    /// The check value of the secret, which the file has at offset 64.
    Unknown(u64),
}

impl SipHash13 {
    /// The scheme of a file whose secret is not known: a key has no hash then.
    pub(crate) fn without_key(check: u64) -> Self {
        SipHash13 { key: Box::new(Secret::Unknown(check)) }
    }
}

impl Hash64 for SipHash13 {
    const PARAMETER: Parameter = Parameter::Secret;

    fn make(given: &Parameters) -> Result<Self> {
        match &given.secret {
            Some(key) => Ok(SipHash13 { key: Box::new(Secret::Known(key.clone())) }),
            None => Err(Error::parameter("the secret key", "missing", "given with the scheme siphash13")
                .with(advice!("give it", Secret))),
        }
    }

    /// A check value of the secret that does not reveal it.
    fn parameters(&self) -> u64 {
        match &*self.key {
            Secret::Known(key) => hash(b"tepal key check", key.as_bytes()),
            Secret::Unknown(check) => *check,
        }
    }

    fn hash(&self, bytes: &[u8]) -> Result<u64> {
        match &*self.key {
            Secret::Known(key) => Ok(hash(bytes, key.as_bytes())),
            Secret::Unknown(_) => Err(Error::KeyRequired),
        }
    }
}

#[inline(never)]
fn hash(bytes: &[u8], key: &[u8; 16]) -> u64 {
    SipHasher13::new_with_key(key).hash(bytes)
}
