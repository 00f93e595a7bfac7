//! The traits that every filter implements, and the kinds of the list.
//!
//! A kind is a file or folder here, which implements [`Filter`] and [`Kinded`], and one line in
//! `list.rs`. If one of them is missing, the crate does not compile.

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
pub(crate) mod extend;
pub(crate) mod generic;
mod in_file;
#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
mod links;
#[cfg(any(feature = "table", feature = "static"))]
#[cfg_attr(
    not(feature = "table"),
    allow(unreachable_pub, reason = "segments belong to the kind of the feature table")
)]
pub(crate) mod named;
#[cfg(all(feature = "table", feature = "static"))]
pub(crate) mod planned;
#[cfg(feature = "static")]
pub(crate) mod ribbon;
mod shown;
mod smaller;
pub(crate) mod storage;
#[cfg(feature = "table")]
pub(crate) mod table;
pub(crate) mod usual_facts;

use alloc::vec::Vec;
use core::fmt;

use crate::error::{Advice, Error, Result};
use crate::facts::{Can, Facts, Labels, Warning};
use crate::ids::{Kind, Operation, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef, PreparedKeys};
pub use any::AnyFilter;
pub use generic::{Ask, Change};
pub(crate) use in_file::{
    AwaitsBody, Behind, BodyChecked, CheckBody, FilePart, FromFile, HONOURS_EXCEPTIONS, KindEntry, Kinded,
    OWN_BYTES, SELF_TEST_KEYS, Trailer, unknown_kind,
};
pub(crate) use storage::Ref;

/// The calls that every filter has, whatever its kind and its storage: a
/// [`BloomFilter`](crate::BloomFilter), also one that threads share
/// ([`Shared`](crate::storage::Shared)), any other type of the list, an [`AnyFilter`], an
/// [`Opened`](crate::Opened).
///
/// Use this trait for a function that takes any filter, and for a list of several kinds. Calls that
/// are generic over keys, such as `contains`, are in [`Ask`]. Only this crate can implement the
/// trait.
///
/// ```
/// use tepal::{Ask, BloomFilter, Filter};
///
/// /// Each filter on the shelf that may hold the key.
/// fn holders<'a>(shelf: &'a [Box<dyn Filter + Send>], key: &str) -> Vec<&'a (dyn Filter + Send)> {
///     shelf.iter().map(AsRef::as_ref).filter(|filter| filter.contains(key)).collect()
/// }
///
/// let filter = |key: &str| BloomFilter::builder().build_from([key]);
/// let shelf: Vec<Box<dyn Filter + Send>> = vec![Box::new(filter("apple")?), Box::new(filter("pear")?)];
/// assert_eq!(holders(&shelf, "apple").len(), 1);
/// # Ok::<(), tepal::Error>(())
/// ```
#[allow(private_bounds, reason = "the private trait keeps other crates from implementing this one")]
pub trait Filter: Inner + fmt::Debug {
    /// The kind of the filter.
    fn kind(&self) -> Kind;
    /// The operations that it supports.
    fn can(&self) -> Can;
    /// The filter's key hasher, to hash keys ahead of a call.
    fn key_hasher(&self) -> &KeyHasher;
    /// Looks up a key: `false` means surely not in the set, `true` means perhaps. For a key that
    /// the key domain refuses the answer is `false`. [`Ask::contains`] takes keys of every type.
    fn contains_key(&self, key: KeyRef<'_>) -> bool;
    /// The count of the key, if the filter counts: at least how often the key was inserted.
    fn count_key(&self, _key: KeyRef<'_>) -> Option<u64> {
        None
    }
    /// The false-positive rate now, from the bits, for non-members whose hashes are spread evenly.
    /// Each kind says whether it is exact.
    fn false_positive_rate(&self) -> f64;
    /// The false-positive rate that is promised while the filter holds at most its capacity.
    fn promised_false_positive_rate(&self) -> f64;
    /// The number of keys that the filter was planned for; of a chain, the sum over all links.
    fn capacity(&self) -> u64;
    /// The policy for keys past the capacity.
    fn over_capacity(&self) -> OverCapacity;
    /// Whether the filter holds more keys than it was planned for.
    fn is_over_capacity(&self) -> bool;
    /// Whether it refuses every new key in its present state. A key that is a member, or a false
    /// positive, is still taken.
    fn is_full(&self) -> bool;
    /// Free text about the set.
    fn labels(&self) -> &Labels;
    /// How many keys were inserted, repeats included, if that is known. After a union of Bloom
    /// filters, chains or expiring filters it is the sum of both numbers. For a table it is the
    /// number of its entries: copies of keys, or pairs of key and segment.
    fn keys_inserted(&self) -> Option<u64>;
    /// An estimate of the number of different keys, from the bits alone.
    fn estimated_len(&self) -> f64;
    /// The bytes of the bits in memory.
    fn size_in_bytes(&self) -> u64;
    /// Everything about the filter, as data. Costs some passes over the bits.
    fn facts(&self) -> Facts;
    /// The fill of equal parts of the largest array, for a picture.
    fn fill_of_slices(&self, slices: usize) -> Vec<f64>;
    /// The factors by which it can be made smaller; empty for a kind that does not fold.
    fn fold_factors(&self) -> Vec<u64> {
        Vec::new()
    }
    /// [`size_in_bytes`](Self::size_in_bytes) after a fold by one of
    /// [`fold_factors`](Self::fold_factors).
    fn folded_size_in_bytes(&self, _factor: u64) -> Option<u64> {
        None
    }
    /// Checks the bits against the file's checksums and seal: the checks that a quick opening left
    /// out.
    ///
    /// # Errors
    /// [`Error::Damaged`], with the position of the first damaged chunk; [`Error::WrongSeal`] for a
    /// file that was changed without its seal key.
    fn verify(&self) -> Result<()>;
    /// The error for an operation that the filter does not support: it names the kind, the
    /// operation, and what to do instead.
    fn refusal(&self, operation: Operation) -> Error {
        Error::NotPossible { kind: self.kind(), operation, instead: self.instead(operation) }
    }
}

/// The calls that change a filter, whatever its kind.
///
/// An operation that a kind does not support returns [`Error::NotPossible`], which names the kind,
/// the [`Operation`] and what to do instead. [`Filter::can`] tells that ahead of the call. Calls
/// that are generic over keys, such as `insert`, are in [`Change`].
///
/// ```
/// use tepal::{BloomFilter, Change, MutableFilter};
/// fn fill(filter: &mut dyn MutableFilter) -> tepal::Result<()> {
///     filter.insert("apple")?;
///     filter.insert_many(&["pear", "plum"])
/// }
/// let mut seen = BloomFilter::builder().capacity(100).build()?;
/// fill(&mut seen)?;
/// assert!(seen.contains("plum"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[allow(private_bounds, reason = "the private trait keeps other crates from implementing this one")]
pub trait MutableFilter: Filter + InnerMut {
    /// Inserts a key. `true`: the key is surely new.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key if the filter is full and refuses more;
    /// [`Error::KeyRefused`] for a key that the key domain does not have; [`Error::CallerHashes`]
    /// in a filter with `caller_hash`; [`Error::TooLarge`] if there is no memory;
    /// [`Error::NotPossible`]. The filter is unchanged then.
    fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool>;
    /// Removes all keys. A filter whose keys expire forgets the time.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no memory for an opened file's bits; [`Error::NotPossible`].
    fn clear(&mut self) -> Result<()> {
        Err(self.refusal(Operation::Clear))
    }
    /// Changes the policy for keys past the capacity.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a kind that has one policy.
    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()>;
    /// Replaces the labels.
    ///
    /// # Errors
    /// [`Error::Parameter`] for text that a file cannot hold; [`Error::NotPossible`].
    fn set_labels(&mut self, labels: Labels) -> Result<()>;
    /// Removes one copy of a key, by its hash. Remove only keys that were inserted: removing a
    /// non-member removes a member with the probability of the filter's rate.
    ///
    /// # Errors
    /// [`Error::NotPossible`] if the kind cannot remove keys; [`Error::TooLarge`] and
    /// [`Error::Damaged`] for an opened file, which is copied into memory first. The filter is
    /// unchanged then.
    fn remove_hash(&mut self, _hash: u64) -> Result<Removal> {
        Err(self.refusal(Operation::Remove))
    }
    /// Removes one copy of each key that the filter's key hasher has prepared. Returns how many
    /// were removed.
    ///
    /// Removing the same list a second time removes members: its keys are no longer in the filter,
    /// and at the filter's rate they look like members. If that can happen, look all keys up first,
    /// and remove none if one of them is surely not a member.
    ///
    /// # Errors
    /// As [`remove_hash`](Self::remove_hash). The keys before the refused one are removed.
    fn remove_prepared(&mut self, _keys: &PreparedKeys) -> Result<u64> {
        Err(self.refusal(Operation::Remove))
    }
    /// Tells the time to a filter whose keys expire. Returns by how many generations it advanced.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a kind whose keys do not expire, or expire by their number.
    fn advance_to(&mut self, _time: u64) -> Result<u64> {
        Err(self.refusal(Operation::Advance))
    }
    /// Sets the clock of a filter whose keys expire, also to a time before the latest one: all its
    /// keys then count as inserted at that time.
    ///
    /// # Errors
    /// As [`advance_to`](Self::advance_to).
    fn set_clock(&mut self, _time: u64) -> Result<()> {
        Err(self.refusal(Operation::Advance))
    }
    /// Adds all keys of a filter of the same kind, shape and hasher.
    ///
    /// # Errors
    /// [`Error::Incompatible`] if they differ; [`Error::CapacityReached`] if the union would hold
    /// more than the capacity and the policy is to refuse; [`Error::NotPossible`]. The filter is
    /// unchanged then.
    fn union_with(&mut self, _other: &Self) -> Result<()>
    where
        Self: Sized,
    {
        Err(self.refusal(Operation::Unite))
    }
    /// Keeps the keys that both filters have.
    ///
    /// # Errors
    /// As [`union_with`](Self::union_with).
    fn intersect_with(&mut self, _other: &Self) -> Result<()>
    where
        Self: Sized,
    {
        Err(self.refusal(Operation::Intersect))
    }
}

/// The result of removing a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// One copy of the key was removed.
    Removed,
    /// The key was not in the filter; nothing changed.
    NotHeld,
    /// Nothing changed, because the key looks like a member in two links of a growing filter. In
    /// one of them it is a false positive, and removing it there would lose another key.
    Kept,
}

/// Calls of a filter for this crate only.
pub(crate) trait Inner {
    /// Answers prepared keys, one answer for each.
    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]);
    /// [`Filter::verify`] before the bits are copied, unless that has been done.
    fn check_before_copying(&self) -> Result<()>;
    /// The filter's part of a tepal file; an error that says why there is none.
    fn file_part(&self) -> Result<FilePart<'_>>;
    /// Warnings for the user.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// What a lookup of this hash reads, for kinds that can be drawn.
    #[cfg(any(feature = "table", feature = "static"))]
    fn touched(&self, _hash: u64) -> Option<crate::facts::Touched> {
        None
    }
    /// What to do instead of an operation that it does not support.
    fn instead(&self, operation: Operation) -> Advice {
        operation.instead()
    }
}

/// Changing calls of a filter for this crate only.
pub(crate) trait InnerMut {
    /// Inserts prepared keys. `done` keys of the same call are inserted already.
    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()>;
    /// Sets the key domain.
    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain);
}
