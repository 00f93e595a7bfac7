//! The options about keys that every builder has, and the hasher they give.

use alloc::string::String;

use super::schemes::{Hasher, Parameters};
use super::{KeyHasher, Recipe};
use crate::error::{Error, Result};
use crate::fields::check_text;
use crate::ids::{KeyDomain, Scheme};

/// The options of a builder about keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyOptions {
    pub(crate) scheme: Option<Scheme>,
    pub(crate) parameters: Parameters,
    pub(crate) domain: KeyDomain,
    pub(crate) recipe: Recipe,
}

impl KeyOptions {
    /// Sets the scheme of keys that the caller hashes, with the name of the hash.
    pub(crate) fn set_caller_hash(&mut self, name: String) {
        self.scheme = Some(Scheme::CallerHash);
        self.parameters.name = Some(name);
    }

    /// The hasher that these options describe.
    pub(crate) fn key_hasher(&self) -> Result<KeyHasher> {
        let scheme = match (self.scheme, &self.parameters.secret) {
            (Some(scheme), _) => scheme,
            (None, Some(_)) => Scheme::SipHash13,
            (None, None) => Scheme::Xxh3,
        };
        if let Some(name) = &self.parameters.name {
            check_text("the name of the caller's hash", name)?;
            if name.len() > MOST_NAME_BYTES {
                let expected = alloc::format!("at most {MOST_NAME_BYTES}");
                let found = alloc::format!("{} bytes", name.len());
                return Err(Error::parameter("the name of the caller's hash", found, expected));
            }
        }
        self.domain.check_known()?;
        Ok(KeyHasher::new(Hasher::new(scheme, &self.parameters)?, self.domain, self.recipe))
    }

    /// The hasher for a kind that needs a 64-bit hash; `what` names the scheme of that kind in the
    /// error.
    #[cfg(any(feature = "table", feature = "static"))]
    pub(crate) fn key_hasher_with_hash(&self, what: &'static str) -> Result<KeyHasher> {
        let keys = self.key_hasher()?;
        super::schemes::sizing::check_has_hash(what, keys.scheme())?;
        Ok(keys)
    }
}

/// The most bytes in the name of a hash.
const MOST_NAME_BYTES: usize = 256;
