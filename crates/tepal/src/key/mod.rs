//! What a key is, and the one way from it to a hash or to positions (FORMAT.md, section 1).
//!
//! [`hasher`] is that way: the [`recipe`], the [`domain`], the scheme in [`schemes`]. What can be a
//! key and how it writes itself is in [`sink`], as what it is handed about in [`key_ref`], which
//! types are keys in [`types`], many of them in [`keys`]; [`insert`] takes them the way in batches;
//! [`prepared`] holds keys that went it ahead of a filter. This room knows nothing of bits.

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
