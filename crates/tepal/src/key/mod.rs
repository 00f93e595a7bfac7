//! Keys, and the one way from a key to a hash or to positions (FORMAT.md, section 1).
//!
//! [`hasher`] is that way: it applies the [`recipe`], the [`domain`] and the scheme ([`schemes`]).
//! [`sink`] has the trait `Key`, [`key_ref`] the borrowed form of a key, [`types`] the types that
//! are keys, [`keys`] lists of keys. [`insert`] hashes keys in batches for an insert; [`prepared`]
//! holds keys that were hashed ahead of a filter. This module knows nothing of bits.

mod decimal;
pub(crate) mod domain;
mod hasher;
mod insert;
mod key_ref;
mod keys;
pub(crate) mod options;
mod prepared;
mod recipe;
pub(crate) mod schemes;
mod sink;
mod types;
mod usual;

pub use hasher::KeyHasher;
pub(crate) use hasher::SMALL;
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) use hasher::is_perhaps_in;
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) use insert::hash_each;
pub(crate) use insert::{insert_in_batches, insert_iter_in_batches};
pub use key_ref::{Compound, KeyRef};
#[cfg(target_has_atomic = "64")]
pub(crate) use keys::Stretch;
pub use keys::{Column, Keys, Offset};
#[cfg(target_has_atomic = "64")]
pub(crate) use prepared::BATCH;
pub use prepared::PreparedKeys;
pub(crate) use prepared::{Batch, One};
pub use recipe::Recipe;
#[cfg(feature = "foreign")]
pub use schemes::Md5Split;
pub use schemes::{DEFAULT_SEED, SecretKey, finish_hash};
pub use sink::{Key, KeySink};
pub(crate) use usual::Usual;

#[cfg(test)]
mod tests;
