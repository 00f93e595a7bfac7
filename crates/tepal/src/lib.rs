//! "Have I seen this key?" for sets too large to keep: Bloom filters of one cache line a key, in memory
//! and in files that are refused or right.
//!
//! ```
//! use tepal::BloomFilter;
//!
//! let mut seen = BloomFilter::builder().capacity(20_000).false_positive_rate(0.01).build()?;
//! assert!(seen.insert("570108428378")?);       // true: surely new
//! assert!(seen.contains("570108428378"));      // true: perhaps (here: certainly inserted)
//! assert!(!seen.contains("730101300018"));     // false: certainly never inserted
//! seen.insert_many(&["850514300021", "910227400034"])?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("seen.tepal");
//! seen.save(&path)?;                           // atomic: the old file or the new one, whole
//! let seen = BloomFilter::open(&path)?;        // checked, then mapped: no copy
//! assert_eq!(seen.contains_many(&["850514300021", "910227400034"]), [true, true]);
//! assert!(seen.false_positive_rate() < 0.01);  // now, from the set bits
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which one
//!
//! `docs/choosing.md` in the repository has figures for each job, and says when no filter is for it.
//!
//! | you need | use |
//! | --- | --- |
//! | the fastest answers, rates down to 0.1 % | nothing: [`Layout::Line`] is chosen for you |
//! | the least memory, or rates below 0.1 % | [`Goal::Memory`]; below 0.1 % [`Layout::Double`] is chosen for you |
//! | bits as Apache Parquet sets them | [`Layout::SplitBlock`] |
//! | the classic filter, to compare with | [`Layout::Scattered`] |
//! | keys that strangers choose | [`secret_key`](builders::BloomFilterBuilder::secret_key) |
//! | a file that nobody can swap for another | the feature `seal`: `SealKey` and `save_sealed` |
//! | 64-bit numbers as keys, no text | [`KeyDomain::Integer`]: among keys of bytes each number is written as text first, which takes several times as long |
//! | structs, tuples, addresses, paths as keys | nothing, or one line: [`Key`] |
//! | keys from an iterator | [`insert_iter`](BloomFilter::insert_iter), [`contains_iter`](BloomFilter::contains_iter), [`build_from`](builders::BloomFilterBuilder::build_from) |
//! | several filters whose keys are divided by a hash, or follow from each other | [`seed_for`](builders::BloomFilterBuilder::seed_for): each its own seed |
//! | columns (offsets and data), answers as a bitmap | [`Column`], [`contains_many_bits`](BloomFilter::contains_many_bits) |
//! | each answer before the next question | [`contains_branching`](BloomFilter::contains_branching) |
//! | many threads that insert at once | [`into_shared`](BloomFilter::into_shared) |
//! | a size before anything is built | [`plan`](builders::BloomFilterBuilder::plan) |
//! | to build from millions of keys, or to ask for them, over several threads | `BloomFilter::insert_bulk` and `contains_bulk`, with the feature `parallel` |
//! | a filter from a file, of any kind and program | [`open`] (mapped where it can be), [`from_bytes`] (in memory), [`Open`] with keys and options |
//! | the same, and its kind is known | `open`, `from_bytes` and `save` of its type, such as [`BloomFilter::open`]: no other kind is in the program then |
//! | a function or a list for filters of any kind | [`Filter`] and [`MutableFilter`] with [`Ask`] and [`Change`]; [`can`](AnyFilter::can) says what one can do |
//! | the same at once, from a file of many GiB | [`BloomFilter::open_quick`], then [`verify`](BloomFilter::verify) |
//! | a file of Guava, Spark, Parquet, Redis, Valkey, DCSO or Go | [`open`], with the feature `foreign`; to write one, [`Opened::new`] |
//! | a filter where its bytes are: in the program, in a map or a table file of yours | [`BloomFilter::view`], [`include_aligned!`]; static ones too (`RibbonFilter::view`, `RibbonMap::view`); [`Open::view`] with keys and options |
//! | a file that several programs change | `FileLock` (one at a time), or `Opened::save_over` (refused where another was quicker); `save_new` for a file that must not be there yet |
//! | copies of a filter far away that follow a new one | the feature `extras`: `Patch`, the bits that differ in few bytes |
//! | known strangers that must get `false` | the feature `extras`: `Opened::except`, and `Opened::divide` where all members and strangers are known |
//! | one file out of a stream of several | `BloomFilter::read_from`, [`write_to`](BloomFilter::write_to) |
//! | many small filters in a store of yours | [`to_embedded`](BloomFilter::to_embedded), [`view_embedded`](BloomFilter::view_embedded): the bits and 16 bytes; static ones too, in fewer bytes (`RibbonFilter::to_embedded`, `RibbonMap::to_embedded`) |
//! | the bits alone | [`to_bits`](BloomFilter::to_bits), [`build_with_bits`](builders::BloomFilterBuilder::build_with_bits) |
//! | a field of something that serde writes | the feature `serde`: filters of every kind, and [`AnyFilter`] |
//! | to hash ahead of a filter, or on other threads | [`key_hasher`](BloomFilter::key_hasher) |
//! | a hash of your own | [`caller_hash`](builders::BloomFilterBuilder::caller_hash) |
//! | the bits of one of those programs, or of the five articles | [`scheme`](builders::BloomFilterBuilder::scheme), with the feature `foreign` |
//! | to insert without knowing how many keys will come | `build_growing`, a chain that keeps one promise (feature `extras`) |
//! | to build without knowing how many keys | [`build_from`](builders::BloomFilterBuilder::build_from); `build::Gather` for more keys than memory has; or build large, then [`shrink_to`](BloomFilter::shrink_to) |
//!
//! Short programs for each of these jobs are in the package's `examples/`: `dedupe_urls`, `own_keys`, `lsm_table`,
//! `web_service`, `partial_filters`, `foreign_files`, `serde_formats`, `iterators`, `unknown_size`, `white_list`.
//!
//! # Without `std`
//!
//! Without its default features (`tepal = { version = "0.1", default-features = false }`) the crate is `no_std` and needs
//! `alloc`: for a page (`wasm32-unknown-unknown`), a phone, a small machine. Files come as bytes there, and a filter that was
//! built into the program is asked where it lies:
//!
//! ```
//! # mod tepal_page {
//! use tepal::BloomFilter;
//!
//! /// Is the account blocked? `file` is what `fetch` has brought, or `tepal::include_aligned!("blocked.tepal")`.
//! pub fn is_blocked(file: &[u8], account: &str) -> tepal::Result<bool> {
//!     let blocked = BloomFilter::view(file).map(|filter| filter.contains(account));
//!     match blocked {
//!         // Bytes that came from elsewhere may lie anywhere: these are copied.
//!         Err(tepal::Error::NotInPlace { .. }) => Ok(BloomFilter::from_bytes(file)?.contains(account)),
//!         answer => answer,
//!     }
//! }
//! # }
//! # let file = tepal::BloomFilter::builder().build_from(["7"])?.to_bytes()?;
//! # assert!(tepal_page::is_blocked(&file, "7")? && !tepal_page::is_blocked(&file, "8")?);
//! # Ok::<(), tepal::Error>(())
//! ```
//!
//! # What an answer promises
//!
//! `false` is certain: no key that was inserted ever gets it, not after saving, union or folding. `true`
//! means perhaps: about the promised share of all other keys get it, at most, as long as the filter holds
//! no more keys than its capacity; what happens beyond is chosen ([`OverCapacity`]) and never silent unless
//! that is chosen. The same bits are set on every machine, and for ever: `FORMAT.md` is their specification.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `std` | yes | files, and the CPU's level found at run time. Without it the crate is `no_std` + `alloc` |
//! | `mmap` | yes | [`BloomFilter::open`] maps the file; without it the file is read into memory |
//! | `avx512` | no | loops for AVX-512 too, where the CPU has it. Needs Rust 1.89 |
//! | `parallel` | no | several threads: `BloomFilter::insert_bulk` and `contains_bulk` for millions of keys; `build::Gather`: a filter of the right size from keys that come once, in any number; `build::KeyCounter`: how many there are in several places |
//! | `table` | no | [`QuotientFilter`]: keys can be removed and are counted; [`GrowingFilter`]: as many keys as come under one promise; [`ExpiringFilter`]: keys expire; [`SegmentFilter`]: which segments may hold a key. Without it files of these kinds are refused |
//! | `static` | no | [`RibbonFilter`]: the smallest filter of a set that does not change; [`RibbonMap`]: keys to small numbers. Without it files of these kinds are refused |
//! | `extras` | no | `Exceptions`: keys that a filter says no for though its bits say yes; `Patch`: from one filter's file to another's in few bytes; `build_growing`: a chain of Bloom filters that keeps one promise. Without it files that have exceptions, and such chains, are refused |
//! | `foreign` | no | schemes of the five articles and of other programs, their key domains and files. Without it they are refused, and the library is smaller: for a page or a phone that asks one file of ours |
//! | `seal` | no | files under a seal, so that nobody can swap them: `SealKey`. Without it they are refused |
//! | `serde` | no | filters of every kind, and [`AnyFilter`], in serde's formats, as the bytes of their file |

#![cfg_attr(
    not(all(feature = "foreign", feature = "table", feature = "static", feature = "extras")),
    allow(dead_code, reason = "what only other programs' schemes and files, and some kinds, need")
)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

#[macro_use]
mod list;

mod bits;
#[cfg(feature = "parallel")]
pub mod build;
pub mod error;
pub mod facts;
mod fields;
mod ids;
mod key;
mod params;
#[cfg(test)]
mod tests;

// Before the room of files, for the order of calls on the page of `BloomFilter`.
mod kinds;

mod format;

#[doc(inline)]
pub use error::{Error, Result};
#[cfg(feature = "std")]
pub use format::map::open;
pub use format::open::{Open, from_bytes};
pub use format::opened::Opened;
#[cfg(feature = "seal")]
pub use format::seal::SealKey;
pub use ids::{KeyDomain, Kind, Layout, OverCapacity, Scheme};
pub use key::{Column, Key, KeyRef, KeySink, Keys, Recipe, SecretKey};
#[cfg(feature = "extras")]
pub use kinds::exceptions::Exceptions;
pub use kinds::{AnyFilter, Ask, Change, Filter, MutableFilter, Removal};
pub use params::{Goal, Plan};

/// The builders: `builder()` of a filter's type gives its one.
pub mod builders {
    pub use super::kinds::bloom::BloomFilterBuilder;
    #[cfg(feature = "static")]
    pub use super::kinds::ribbon::{RibbonFilterBuilder, RibbonMapBuilder};
    #[cfg(feature = "table")]
    pub use super::kinds::table::{
        ExpiringFilterBuilder, GrowingFilterBuilder, QuotientFilterBuilder, SegmentFilterBuilder,
    };
}

/// Files, beyond opening and saving: whose format, a lock, a patch, a filter inside bytes.
pub mod file {
    #[cfg(feature = "extras")]
    pub use super::format::patch::Patch;
    #[cfg(feature = "std")]
    pub use super::format::replace::{FileLock, check_place};
    pub use super::format::view::Viewed;
    pub use super::ids::Format;
}

/// From a key to its hash: for whoever hashes ahead of a filter, on other threads, or by a hash of their own.
pub mod hash {
    #[cfg(feature = "foreign")]
    pub use super::key::Md5Split;
    pub use super::key::{Compound, DEFAULT_SEED, KeyHasher, Offset, PreparedKeys, finish_hash};
}

/// Segments: the names, and the answers, of a [`SegmentFilter`].
#[cfg(feature = "table")]
pub mod segments {
    pub use super::kinds::table::{Segment, SegmentAnswers, Segments, check_segment_name};
}

/// Where a filter's bits live: the parameter of [`BloomFilter`] and of the ribbons.
pub mod storage {
    #[cfg(target_has_atomic = "64")]
    pub use super::kinds::bloom::Shared;
    pub use super::kinds::storage::{
        InBytes, InMemory, Mapped, PlainStorage, StableBytes, Storage, StorageMut,
    };
}

/// The types of the list.
macro_rules! types {
    ($(
        $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
        $kind:ident = $id:literal $name:literal: $module:ident::$type:ident $(<$storage:ident>)?;
    )+ $(
        + $(#[doc = $form_doc:literal])* $(#[feature = $form_feature:literal])?
        $form:ident of $of:ident: $form_module:ident::$form_type:ident;
    )*) => {
        $(
            $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
            pub use kinds::$module::$type;
        )+
        $(
            $(#[cfg(feature = $form_feature)])?
            pub use kinds::$form_module::$form_type;
        )*
    };
}
each_kind!(types);

/// The package's README's examples, compiled and run.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples of the page for people who come from other libraries.
#[cfg(all(doctest, feature = "foreign", feature = "parallel", feature = "serde"))]
#[doc = include_str!("../docs/coming-from.md")]
struct ComingFrom;
