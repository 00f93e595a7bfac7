//! What is asked of every filter, and the kinds of the list.
//!
//! A kind is a file or folder here, which implements [`Filter`] and [`Kinded`], and one line in `list.rs`. What is left out
//! does not compile.

pub(crate) mod any;
pub(crate) mod bloom;
#[cfg(any(feature = "table", feature = "static"))]
mod calls;
#[cfg(any(feature = "foreign", feature = "extras"))]
pub(crate) mod chain;
#[cfg(feature = "extras")]
pub(crate) mod divider;
#[cfg(feature = "extras")]
pub(crate) mod excepted;
#[cfg(feature = "extras")]
pub(crate) mod exceptions;
mod in_file;
#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
mod links;
#[cfg(any(feature = "table", feature = "static"))]
#[cfg_attr(not(feature = "table"), allow(unreachable_pub, reason = "segments are of the kind that it has"))]
pub(crate) mod named;
#[cfg(feature = "static")]
pub(crate) mod ribbon;
pub(crate) mod storage;
#[cfg(feature = "table")]
pub(crate) mod table;

use alloc::vec::Vec;
use core::fmt;

use crate::error::Result;
use crate::facts::{Facts, Labels, Warning};
use crate::ids::OverCapacity;
use crate::key::{Batch, KeyHasher, KeyRef};
pub use any::AnyFilter;
pub(crate) use in_file::{
    AwaitsBody, Behind, BodyChecked, CheckBody, Entry, FilePart, FromFile, Kinded, OWN_BYTES, Ref,
    SELF_TEST_KEYS, What,
};

/// What every kind of filter does, or refuses with an error that names the kind and the operation.
///
/// Object-safe: what is generic stands on [`AnyFilter`] and on the kinds themselves, and comes down to this.
pub(crate) trait Filter: fmt::Debug {
    /// The filter's own hasher.
    fn key_hasher(&self) -> &KeyHasher;
    /// Is the key in the set? A key that the domain refuses is not.
    fn contains(&self, key: KeyRef<'_>) -> bool;
    /// Answers prepared keys; there are as many answers.
    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]);
    /// Inserts a key. `true`: it is surely new.
    fn insert(&mut self, key: KeyRef<'_>) -> Result<bool>;
    /// Inserts prepared keys, of which `done` of the same call are in already.
    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()>;
    /// Forgets all keys.
    fn clear(&mut self) -> Result<()>;
    /// Changes what happens past capacity.
    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()>;
    /// Its keys are of this domain from now on.
    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain);
    /// The share of wrong answers now, from the bits.
    fn false_positive_rate(&self) -> f64;
    /// The share of wrong answers promised.
    fn promised_false_positive_rate(&self) -> f64;
    /// Keys it was planned for.
    fn capacity(&self) -> u64;
    /// What happens when more come.
    fn over_capacity(&self) -> OverCapacity;
    /// Does it hold more than its capacity?
    fn is_over_capacity(&self) -> bool;
    /// Does it refuse every new key?
    fn is_full(&self) -> bool;
    /// Free text about the set, where the kind can keep some.
    fn labels(&self) -> Option<&Labels>;
    /// Puts other texts in the place of those there are.
    fn set_labels(&mut self, labels: Labels) -> Result<()>;
    /// Keys given to it, where that is known.
    fn keys_inserted(&self) -> Option<u64>;
    /// Different keys in it, going by the bits.
    fn estimated_len(&self) -> f64;
    /// Bytes of the bits in memory.
    fn size_in_bytes(&self) -> u64;
    /// What it is, as data.
    fn facts(&self) -> Facts;
    /// The fill of equal parts of its largest array.
    fn fill_of_slices(&self, slices: usize) -> Vec<f64>;
    /// What its user should know.
    fn warnings(&self) -> Vec<Warning>;
    /// Holds the bits against what the file says of them.
    fn verify(&self) -> Result<()>;
    /// The same before its bits are copied, where it has not been done.
    fn check_before_copying(&self) -> Result<()>;
    /// What a tepal file holds of it; or why there is none.
    fn file_part(&self) -> Result<FilePart<'_>>;
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
