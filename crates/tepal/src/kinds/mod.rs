//! The closed list of kinds: what is asked of every filter, and the one enum over all of them.
//!
//! A kind is a file or folder here, an implementation of [`Filter`], a number in [`Kind`], and one line in `kinds!`.
//! A line that is left out does not compile.

mod any;
pub(crate) mod bloom;
#[cfg(any(feature = "quotient", feature = "ribbon"))]
mod calls;
pub(crate) mod chain;
#[cfg(feature = "except")]
pub(crate) mod divider;
#[cfg(feature = "except")]
pub(crate) mod excepted;
#[cfg(feature = "except")]
pub(crate) mod exceptions;
mod in_file;
#[cfg(any(feature = "growing", feature = "quotient"))]
mod links;
#[cfg(any(feature = "quotient", feature = "ribbon"))]
#[cfg_attr(
    not(feature = "quotient"),
    allow(unreachable_pub, reason = "segments are of the kind that it has")
)]
pub(crate) mod named;
#[cfg(feature = "ribbon")]
pub(crate) mod ribbon;
pub(crate) mod storage;
#[cfg(feature = "quotient")]
pub(crate) mod table;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Result};
use crate::facts::{Facts, Labels, Warning};
use crate::ids::{Kind, OverCapacity};
use crate::key::{Batch, KeyHasher, KeyRef, SecretKey};
use bloom::BloomFilter;
use chain::ScalableBloomFilter;
#[cfg(feature = "except")]
use excepted::ExceptedBloomFilter;
pub(crate) use in_file::{AwaitsBody, BodyChecked, CheckBody, FilePart, OWN_BYTES, Ref, SELF_TEST_KEYS};
#[cfg(feature = "ribbon")]
use ribbon::{RibbonFilter, RibbonMap};
use storage::Mapped;
#[cfg(feature = "quotient")]
use table::{ExpiringFilter, GrowingFilter, QuotientFilter, SegmentFilter};

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

    /// From what a tepal file holds of a filter of this kind, but its body.
    fn of_file(part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<Box<dyn AwaitsBody>>
    where
        Self: Sized;
}

/// Joins each kind to everything that holds all of them.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $kind:ident($filter:ty),)+) => {
        /// A filter of a kind that is known only at run time, as it comes out of a file. It does what a
        /// [`BloomFilter`] does; what its kind cannot do is [`Error::NotPossible`], which names both.
        ///
        /// A filter that was mapped from a file is copied into memory by its first change. It is saved as an
        /// [`Opened`](crate::Opened), which has a format: `Opened::new(filter, Format::Tepal)?.save(path)?`.
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        // A program holds a handful of these; a box would cost every answer an indirection.
        #[allow(clippy::large_enum_variant)]
        pub enum AnyFilter {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $kind($filter),)+
            /// One Bloom filter that says no for some keys all the same. Its kind is that of a Bloom filter.
            #[cfg(feature = "except")]
            Excepted(ExceptedBloomFilter),
        }

        impl AnyFilter {
            /// What the filter is.
            pub fn kind(&self) -> Kind {
                match self {
                    $($(#[cfg($cfg)])? AnyFilter::$kind(_) => Kind::$kind,)+
                    #[cfg(feature = "except")]
                    AnyFilter::Excepted(_) => Kind::Bloom,
                }
            }

            pub(crate) fn as_dyn(&self) -> &dyn Filter {
                match self {
                    $($(#[cfg($cfg)])? AnyFilter::$kind(filter) => filter,)+
                    #[cfg(feature = "except")]
                    AnyFilter::Excepted(filter) => filter,
                }
            }

            pub(crate) fn as_dyn_mut(&mut self) -> &mut dyn Filter {
                match self {
                    $($(#[cfg($cfg)])? AnyFilter::$kind(filter) => filter,)+
                    #[cfg(feature = "except")]
                    AnyFilter::Excepted(filter) => filter,
                }
            }

            /// Adds all keys of a filter of the same kind, shape and hasher.
            ///
            /// # Errors
            /// [`Error::Incompatible`] where they differ; [`Error::CapacityReached`] where the union would hold more
            /// than the capacity and the policy is to refuse. The filter is unchanged then.
            pub fn union_with(&mut self, other: &AnyFilter) -> Result<()> {
                match (self, other) {
                    $($(#[cfg($cfg)])? (AnyFilter::$kind(a), AnyFilter::$kind(b)) => a.union_with(b),)+
                    #[cfg(feature = "except")]
                    (AnyFilter::Excepted(a), AnyFilter::Excepted(b)) => a.union_with(b),
                    #[cfg(feature = "except")]
                    (AnyFilter::Excepted(a), AnyFilter::Bloom(b)) => a.union_with_bloom(b),
                    #[cfg(feature = "except")]
                    (AnyFilter::Bloom(_), AnyFilter::Excepted(_)) => Err(excepted::comes_first()),
                    (a, b) => Err(other_kind(a.kind(), b.kind())),
                }
            }

            /// Keeps what both filters have.
            ///
            /// # Errors
            /// [`Error::Incompatible`] where they differ; [`Error::NotPossible`] for a kind that has no intersection. The
            /// filter is unchanged then.
            pub fn intersect_with(&mut self, other: &AnyFilter) -> Result<()> {
                match (self, other) {
                    $($(#[cfg($cfg)])? (AnyFilter::$kind(a), AnyFilter::$kind(b)) => a.intersect_with(b),)+
                    #[cfg(feature = "except")]
                    (AnyFilter::Excepted(a), AnyFilter::Excepted(b)) => a.intersect_with(b),
                    #[cfg(feature = "except")]
                    (AnyFilter::Excepted(a), AnyFilter::Bloom(b)) => a.intersect_with_bloom(b),
                    #[cfg(feature = "except")]
                    (AnyFilter::Bloom(_), AnyFilter::Excepted(_)) => Err(excepted::comes_first()),
                    (a, b) => Err(other_kind(a.kind(), b.kind())),
                }
            }
        }

        impl fmt::Debug for AnyFilter {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.as_dyn().fmt(f)
            }
        }

        $($(#[cfg($cfg)])? impl From<$filter> for AnyFilter {
            fn from(filter: $filter) -> Self {
                AnyFilter::$kind(filter)
            }
        })+

        /// From what a tepal file holds of a filter, but its body.
        pub(crate) fn of_file(
            kind: Kind,
            part: &FilePart<'_>,
            secret: Option<&SecretKey>,
        ) -> Result<Box<dyn AwaitsBody>> {
            match kind {
                $($(#[cfg($cfg)])? Kind::$kind => <$filter as Filter>::of_file(part, secret),)+
                #[cfg(not(feature = "quotient"))]
                Kind::Quotient | Kind::Growing | Kind::Expiring | Kind::Segment => Err(not_built_in(kind)),
                #[cfg(not(feature = "ribbon"))]
                Kind::Ribbon | Kind::Map => Err(not_built_in(kind)),
            }
        }
    };
}

kinds! {
    /// One Bloom filter, of any scheme and layout.
    Bloom(BloomFilter<Mapped>),
    /// A chain of them.
    Scalable(ScalableBloomFilter),
    /// A table of numbers, from which keys can be removed.
    #[cfg(feature = "quotient")]
    Quotient(QuotientFilter),
    /// A table of numbers that forgets keys by itself.
    #[cfg(feature = "quotient")]
    Expiring(ExpiringFilter),
    /// A chain of such tables, which grows under one promise.
    #[cfg(feature = "quotient")]
    Growing(GrowingFilter),
    /// A table of numbers that says which segments may hold a key.
    #[cfg(feature = "quotient")]
    Segment(SegmentFilter),
    /// The smallest filter of a set that does not change.
    #[cfg(feature = "ribbon")]
    Ribbon(RibbonFilter),
    /// The smallest map from keys to small numbers that does not change. As a filter it holds its keys.
    #[cfg(feature = "ribbon")]
    Map(RibbonMap),
}

/// The kind with this number in a file's header: one that this build reads.
pub(crate) fn kind_of_file(id: u16) -> Result<Kind> {
    match Kind::from_id(id) {
        Ok(Kind::Bloom) => Ok(Kind::Bloom),
        #[cfg(feature = "growing")]
        Ok(Kind::Scalable) => Ok(Kind::Scalable),
        #[cfg(feature = "quotient")]
        Ok(kind @ (Kind::Quotient | Kind::Growing | Kind::Expiring | Kind::Segment)) => Ok(kind),
        #[cfg(feature = "ribbon")]
        Ok(kind @ (Kind::Ribbon | Kind::Map)) => Ok(kind),
        _ => Err(not_known(id)),
    }
}

/// The error for the number of a kind that this build does not read.
fn not_known(id: u16) -> Error {
    let known = match cfg!(all(feature = "growing", feature = "quotient", feature = "ribbon")) {
        true => Kind::NUMBERS,
        false => {
            "1 (bloom), 2 (scalable) with its feature `growing`, 3 (quotient), 4 (growing), 5 (expiring) and 6 (segment) with their feature `quotient`, and 7 (ribbon) and 8 (map) with their feature `ribbon`"
        }
    };
    Error::Unsupported { what: "filter kind", found: id.into(), known }
}

/// The same for a kind.
#[cfg(not(all(feature = "quotient", feature = "ribbon")))]
fn not_built_in(kind: Kind) -> Error {
    not_known(kind.id())
}

/// How many filters' parts follow the records in a file of this kind, whose own part is this.
pub(crate) fn links_of_file(kind: Kind, own: &[u8; OWN_BYTES]) -> Result<usize> {
    match kind {
        Kind::Bloom | Kind::Quotient | Kind::Expiring | Kind::Segment | Kind::Ribbon | Kind::Map => Ok(0),
        #[cfg(feature = "growing")]
        Kind::Scalable => chain::links_of(own),
        #[cfg(feature = "quotient")]
        Kind::Growing => table::links_of(own),
        // They are not read.
        #[cfg(not(feature = "growing"))]
        Kind::Scalable => Ok(own.len() - OWN_BYTES),
        #[cfg(not(feature = "quotient"))]
        Kind::Growing => Ok(own.len() - OWN_BYTES),
    }
}

/// How many bytes follow the links' parts in a file of this kind, whose own part is this.
#[cfg(any(feature = "quotient", feature = "ribbon"))]
pub(crate) fn section_of_file(kind: Kind, own: &[u8; OWN_BYTES]) -> Result<u64> {
    match kind {
        #[cfg(feature = "quotient")]
        Kind::Segment => table::section_of(own),
        #[cfg(feature = "ribbon")]
        Kind::Ribbon => ribbon::section_of_filter(own),
        #[cfg(feature = "ribbon")]
        Kind::Map => ribbon::section_of_map(own),
        // They are not read.
        #[cfg(not(feature = "quotient"))]
        Kind::Segment => Ok(0),
        #[cfg(not(feature = "ribbon"))]
        Kind::Ribbon | Kind::Map => Ok(0),
        Kind::Bloom | Kind::Scalable | Kind::Quotient | Kind::Growing | Kind::Expiring => Ok(0),
    }
}

fn other_kind(expected: Kind, found: Kind) -> Error {
    Error::Incompatible { property: "kind", expected: expected.name().into(), found: found.name().into() }
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
