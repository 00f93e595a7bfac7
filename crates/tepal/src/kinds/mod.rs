//! What is asked of every filter, and the kinds of the list.
//!
//! A kind is a file or folder here, which implements [`Filter`] and [`Kinded`], and one line in
//! `list.rs`. What is left out does not compile.

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
pub(crate) mod generic;
mod in_file;
#[cfg(any(feature = "foreign", feature = "extras", feature = "table"))]
mod links;
#[cfg(any(feature = "table", feature = "static"))]
#[cfg_attr(not(feature = "table"), allow(unreachable_pub, reason = "segments are of the kind that it has"))]
pub(crate) mod named;
#[cfg(feature = "static")]
pub(crate) mod ribbon;
mod shown;
mod smaller;
pub(crate) mod storage;
#[cfg(feature = "table")]
pub(crate) mod table;

use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Result};
use crate::facts::{Can, Facts, Labels, Warning};
use crate::ids::{Kind, Operation, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef, PreparedKeys};
pub use any::AnyFilter;
pub use generic::{Ask, Change};
pub(crate) use in_file::{
    AwaitsBody, Behind, BodyChecked, CheckBody, Entry, FilePart, FromFile, HONOURS_EXCEPTIONS, Kinded,
    OWN_BYTES, SELF_TEST_KEYS, What, unknown_kind,
};
pub(crate) use storage::Ref;

/// What every filter answers, whatever its kind and wherever its bits are: a
/// [`BloomFilter`](crate::BloomFilter), any other type of the list, an [`AnyFilter`], an
/// [`Opened`](crate::Opened).
///
/// A concrete type has these calls of its own, and nothing is to be imported for them. This is for
/// a function that takes any filter, and for a list of several; calls that are generic over keys,
/// such as `contains`, come by [`Ask`]. Nothing outside of this crate can be a filter.
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
#[allow(
    private_bounds,
    reason = "what only the library asks stands there, so that nobody else can be a filter"
)]
pub trait Filter: Inner + fmt::Debug {
    /// What the filter is.
    fn kind(&self) -> Kind;
    /// What it can do.
    fn can(&self) -> Can;
    /// What the filter does with a key: to hash ahead of it.
    fn key_hasher(&self) -> &KeyHasher;
    /// Is the key in the set? `false` is certain; `true` means perhaps. A key that the domain
    /// refuses is not in. [`Ask::contains`] takes keys of every type.
    fn contains_key(&self, key: KeyRef<'_>) -> bool;
    /// How often the key is in, where the filter counts: at least as often as it was inserted.
    fn count_key(&self, _key: KeyRef<'_>) -> Option<u64> {
        None
    }
    /// The share of wrong answers now, from the bits: of keys that are not in it and whose hashes
    /// are spread evenly. Each kind says whether it is exact.
    fn false_positive_rate(&self) -> f64;
    /// The share of wrong answers promised as long as the filter holds no more than its capacity.
    fn promised_false_positive_rate(&self) -> f64;
    /// Keys the filter was planned for; of a chain, of all its links.
    fn capacity(&self) -> u64;
    /// What happens when more keys come than that.
    fn over_capacity(&self) -> OverCapacity;
    /// Does the filter hold more than it was planned for?
    fn is_over_capacity(&self) -> bool;
    /// Does it refuse every new key, now as it is? Keys that are in it, or look so, are still
    /// taken.
    fn is_full(&self) -> bool;
    /// Free text about the set.
    fn labels(&self) -> &Labels;
    /// How many keys were given to it, repeats included, where that is known. After a union of
    /// Bloom filters, chains or expiring filters it is the sum of both. Of a table it is what the
    /// table holds: copies of keys, or pairs of key and segment.
    fn keys_inserted(&self) -> Option<u64>;
    /// How many different keys are in it, going by the bits alone.
    fn estimated_len(&self) -> f64;
    /// Bytes that the bits take in memory.
    fn size_in_bytes(&self) -> u64;
    /// Everything about the filter, as data. Costs some passes over the bits.
    fn facts(&self) -> Facts;
    /// The fill of equal parts of the largest array, for a picture.
    fn fill_of_slices(&self, slices: usize) -> Vec<f64>;
    /// How many times smaller it can be made: nothing for a kind that does not fold.
    fn fold_factors(&self) -> Vec<u64> {
        Vec::new()
    }
    /// [`size_in_bytes`](Self::size_in_bytes) after a fold by one of these factors.
    fn folded_size_in_bytes(&self, _factor: u64) -> Option<u64> {
        None
    }
    /// Holds the bits against what the file says of them: the rest of what a quick opening has left
    /// out.
    ///
    /// # Errors
    /// [`Error::Damaged`], with the bytes of the first chunk that is; [`Error::WrongSeal`] for a
    /// file that was changed without the key of its seal.
    fn verify(&self) -> Result<()>;
    /// The error for what it cannot do: it names the kind, the operation, and what to do instead.
    fn refusal(&self, operation: Operation) -> Error {
        Error::NotPossible { kind: self.kind(), operation, instead: self.instead(operation) }
    }
}

/// What changes a filter, whatever its kind. What a kind cannot do is [`Error::NotPossible`], which
/// names the kind, the [`Operation`] and what to do instead; [`Filter::can`] says so ahead. Calls
/// that are generic over keys, such as `insert`, come by [`Change`].
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
#[allow(
    private_bounds,
    reason = "what only the library asks stands there, so that nobody else can be a filter"
)]
pub trait MutableFilter: Filter + InnerMut {
    /// Inserts a key. `true`: it is surely new.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key where the filter is full and refuses more;
    /// [`Error::KeyRefused`] for a key that the key domain does not have; [`Error::CallerHashes`]
    /// in a filter of the caller's hashes; [`Error::TooLarge`] where there is no memory;
    /// [`Error::NotPossible`]. The filter is unchanged then.
    fn insert_key(&mut self, key: KeyRef<'_>) -> Result<bool>;
    /// Forgets all keys.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for an opened file's bits;
    /// [`Error::NotPossible`].
    fn clear(&mut self) -> Result<()> {
        Err(self.refusal(Operation::Clear))
    }
    /// Changes what happens past capacity.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a kind that has one policy.
    fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()>;
    /// Puts other texts about the set in the place of those there are.
    ///
    /// # Errors
    /// [`Error::Parameter`] for text that a file cannot hold; [`Error::NotPossible`].
    fn set_labels(&mut self, labels: Labels) -> Result<()>;
    /// Takes one copy of a key away, by its hash. Remove only what was inserted: a stranger's
    /// removal takes a member away at the filter's rate.
    ///
    /// # Errors
    /// [`Error::NotPossible`] where keys cannot be removed; [`Error::TooLarge`] and
    /// [`Error::Damaged`] for an opened file, which is copied into memory first. The filter is
    /// unchanged then.
    fn remove_hash(&mut self, _hash: u64) -> Result<Removal> {
        Err(self.refusal(Operation::Remove))
    }
    /// Takes one copy of each key away that the filter's key hasher has prepared. Says how many
    /// were removed.
    ///
    /// A list that is removed a second time removes members: its keys are not in the filter any
    /// more, and at the rate they look as if they were. Where that can happen, look all keys up
    /// first, and remove none if one of them is surely not in.
    ///
    /// # Errors
    /// As [`remove_hash`](Self::remove_hash). The keys before the refused one are removed.
    fn remove_prepared(&mut self, _keys: &PreparedKeys) -> Result<u64> {
        Err(self.refusal(Operation::Remove))
    }
    /// Tells a filter whose keys expire the time. Says by how many generations.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a kind whose keys do not expire, or expire by their number.
    fn advance_to(&mut self, _time: u64) -> Result<u64> {
        Err(self.refusal(Operation::Advance))
    }
    /// Adds all keys of a filter of the same kind, shape and hasher.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where they differ; [`Error::CapacityReached`] where the union would
    /// hold more than the capacity and the policy is to refuse; [`Error::NotPossible`]. The filter
    /// is unchanged then.
    fn union_with(&mut self, _other: &Self) -> Result<()>
    where
        Self: Sized,
    {
        Err(self.refusal(Operation::Unite))
    }
    /// Keeps what both filters have.
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

/// What became of a key that was to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// One copy of it was taken away.
    Removed,
    /// It was not in, and nothing is changed.
    NotHeld,
    /// A growing filter keeps it, since it looks as if it were in two links, and in one of them it
    /// is another key: nothing is changed, lest that one be lost.
    Kept,
}

/// What the library alone asks of a filter.
pub(crate) trait Inner {
    /// Answers prepared keys; there are as many answers.
    fn contains_batch(&self, keys: Batch<'_>, answers: &mut [bool]);
    /// [`Filter::verify`] before the bits are copied, where it has not been done.
    fn check_before_copying(&self) -> Result<()>;
    /// What a tepal file holds of it; or why there is none.
    fn file_part(&self) -> Result<FilePart<'_>>;
    /// What its user should know.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
    /// What to do instead of what it cannot do.
    fn instead(&self, operation: Operation) -> &'static str {
        operation.instead()
    }
}

/// What the library alone does to a filter.
pub(crate) trait InnerMut {
    /// Inserts prepared keys, of which `done` of the same call are in already.
    fn insert_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()>;
    /// Its keys are of this domain from now on.
    #[cfg(feature = "foreign")]
    fn set_key_domain(&mut self, domain: crate::ids::KeyDomain);
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
