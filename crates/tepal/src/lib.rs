//! Filters answer "have I seen this key?" for sets that are too large to store, in memory and in
//! files. A lookup in the default filter reads one cache line.
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
//! # Which filter
//!
//! | you need | type | feature | fill | look up |
//! | --- | --- | --- | --- | --- |
//! | membership; you know the number of keys | [`BloomFilter`] | | `insert` | `contains` |
//! | to remove keys, or to count them | [`QuotientFilter`] | `table` | `insert`, `remove` | `contains`, `count` |
//! | any number of keys under one promise | [`GrowingFilter`] | `table` | `insert`, `remove` | `contains` |
//! | keys that expire | [`ExpiringFilter`] | `table` | `insert`, `advance_to` | `contains`, `age_estimate` |
//! | which segments may hold a key | [`SegmentFilter`] | `table` | `insert(segment, key)` | `segments` |
//! | the smallest filter of a fixed set | [`RibbonFilter`] | `static` | `build_from`; `insert` a few later | `contains` |
//! | a small number or a name for each key of a fixed set | [`RibbonMap`] | `static` | `build_from` | `get` |
//!
//! Every type has `builder()`, whose `build()` or `build_from(keys)` makes the filter. `build_from`
//! takes any iterator. There is no `FromIterator`, which has no place for a rate or an error. Types
//! that take keys later have `insert_iter` and `Extend`. Every type has `contains_many` for a
//! batch, `save`, `open`, `to_bytes` and `from_bytes`, and `facts()`, which describes the filter. A
//! type's `open` gives what `build` gives; the first change of an opened filter copies it into
//! memory. [`open`] and [`from_bytes`] read a file of any kind and return an [`Opened`], which
//! holds an [`AnyFilter`]. A function that takes any filter takes `&dyn`
//! [`Filter`] or `&mut dyn` [`MutableFilter`]; [`Ask`] and [`Change`] add the calls that are
//! generic over keys. [`can`](AnyFilter::can) tells what a filter can do.
//!
//! `docs/choosing.md` in the repository has figures for each job. It also names the jobs for which
//! no filter is the right tool.
//!
//! # What an answer promises
//!
//! `false` is certain: a key that was inserted gets `true`, also after saving, union and folding.
//! Only three calls take keys out: `remove`, `advance_to` and `except`. Remove only keys that you
//! inserted: removing another key may take a member out. `true` means perhaps: at most the promised
//! rate of non-members gets it, as long as the filter holds no more keys than its capacity.
//! [`OverCapacity`] chooses what happens beyond the capacity. The same keys set the same bits on
//! every machine, and for ever: `FORMAT.md` is their specification.
//!
//! # How to
//!
//! For a [`BloomFilter`]:
//!
//! | you want | use |
//! | --- | --- |
//! | the size before you build | [`plan`](builders::BloomFilterBuilder::plan) |
//! | the fastest answers, rates down to 0.1 % | the default, [`Layout::Line`] |
//! | the least memory, or rates below 0.1 % | [`Goal::Memory`]; [`Layout::Double`] is the default below 0.1 % |
//! | bits as Apache Parquet sets them; the classic filter | [`Layout::SplitBlock`]; [`Layout::Scattered`] |
//! | only 64-bit numbers as keys | [`KeyDomain::Integer`]: several times faster than writing each number as text |
//! | keys that strangers choose | [`secret_key`](builders::BloomFilterBuilder::secret_key) |
//! | several filters whose keys depend on each other | [`seed_for`](builders::BloomFilterBuilder::seed_for): a seed for each |
//! | a hash of your own | [`caller_hash`](builders::BloomFilterBuilder::caller_hash) |
//! | the bits of another program, or of the five articles in `docs/formats.md` | [`scheme`](builders::BloomFilterBuilder::scheme), feature `foreign` |
//! | a filter of the right size for an unknown number of keys | [`build_from`](builders::BloomFilterBuilder::build_from); `build::Gather` for more keys than memory; `build_growing` if you look up while you insert; [`shrink_to`](BloomFilter::shrink_to) afterwards |
//! | to insert from many threads | [`into_shared`](BloomFilter::into_shared), or `insert_bulk` with the feature `parallel` |
//! | the answer of a lookup before the next one starts | [`contains_branching`](BloomFilter::contains_branching) |
//! | the bits alone | [`to_bits`](BloomFilter::to_bits), [`build_with_bits`](builders::BloomFilterBuilder::build_with_bits) |
//!
//! For most filters; the page of each type lists its calls:
//!
//! | you want | use |
//! | --- | --- |
//! | structs, tuples, addresses, paths as keys | [`Key`] |
//! | keys from an iterator | [`insert_iter`](BloomFilter::insert_iter) or `extend`, [`contains_iter`](BloomFilter::contains_iter), `build_from` |
//! | a column of keys (offsets and data); answers as a bitmap | [`Column`], [`contains_many_bits`](BloomFilter::contains_many_bits) |
//! | to hash ahead of a filter, or on other threads | [`key_hasher`](BloomFilter::key_hasher), [`hash`] |
//! | options for opening: a secret key, a seal, a format | [`Open`] |
//! | to open many GiB at once and check later | [`open_quick`](BloomFilter::open_quick), then [`verify`](BloomFilter::verify) |
//! | to keep a filter in a struct | a field of the type [`BloomFilter`], built or opened |
//! | a filter inside your program, your memory map or your file (Bloom, ribbon) | [`view`](BloomFilter::view), [`include_aligned!`] |
//! | one file from a stream of several | [`read_from`](BloomFilter::read_from), [`write_to`](BloomFilter::write_to) |
//! | many small filters in a store of yours (Bloom, ribbon) | [`to_embedded`](BloomFilter::to_embedded): the bits and 16 bytes |
//! | a file of Guava, Spark, Parquet, Redis, Valkey, DCSO or Go | [`open`], feature `foreign`; [`Opened::new`] writes one |
//! | a file that several programs change | [`FileLock`](file::FileLock), or `Opened::save_over`, which refuses to overwrite a newer file |
//! | a file that nobody can exchange for another | [`SealKey`] and `save_sealed`, feature `seal` |
//! | distant copies that follow a new filter | [`Patch`](file::Patch), feature `extras` |
//! | non-members that must get `false` | `Opened::except` and `Opened::divide`, feature `extras` |
//! | a field of a type that serde writes | feature `serde` |
//!
//! Short programs for these jobs are in the package's `examples/`: `dedupe_urls`, `own_keys`,
//! `lsm_table`, `web_service`, `partial_filters`, `foreign_files`, `serde_formats`, `iterators`,
//! `unknown_size`, `white_list`.
//!
//! # Without `std`
//!
//! Without default features (`default-features = false`) the crate is `no_std` and needs `alloc`.
//! This is for a web page (`wasm32-unknown-unknown`), a phone or a small machine. Files are byte
//! slices there, and a filter inside the program is read in place:
//!
//! ```
//! # mod tepal_page {
//! use tepal::BloomFilter;
//!
//! /// Is the account blocked? `file` came by `fetch`, or from `tepal::include_aligned!("blocked.tepal")`.
//! pub fn is_blocked(file: &[u8], account: &str) -> tepal::Result<bool> {
//!     let blocked = BloomFilter::view(file).map(|filter| filter.contains(account));
//!     match blocked {
//!         // The bytes are not aligned to 64: copy them.
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
//! # Features
//!
//! Opening a file that needs a feature that is off is an error; the error names the feature.
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `std` | yes | files, which `open` maps, and the CPU's level found at run time; without it the crate is `no_std` and needs `alloc` |
//! | `avx512` | no | loops for AVX-512, if the CPU has it; needs Rust 1.89 |
//! | `parallel` | no | several threads: `insert_bulk`, `contains_bulk`, `build::Gather`, `build::KeyCounter` |
//! | `table` | no | [`QuotientFilter`], [`GrowingFilter`], [`ExpiringFilter`], [`SegmentFilter`] |
//! | `static` | no | [`RibbonFilter`], [`RibbonMap`] |
//! | `extras` | no | [`Exceptions`], `file::Patch`, and chains of Bloom filters that keep one promise (`build_growing`) |
//! | `foreign` | no | the files, schemes and key domains of other programs and of the five articles |
//! | `seal` | no | sealed files: [`SealKey`] |
//! | `serde` | no | filters of every kind in serde's formats, as the bytes of their file |
//! | `derive` | no | `#[derive(tepal::Key)]`: the fields of a struct as one key |

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

// `kinds` comes before `format`, so that rustdoc lists the calls of `BloomFilter` in this order.
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
#[cfg(all(feature = "table", feature = "static"))]
#[doc(hidden)]
pub use kinds::planned::PlannedKind;
pub use kinds::{AnyFilter, Ask, Change, Filter, MutableFilter, Removal};
pub use params::{Goal, Plan};
#[cfg(feature = "derive")]
pub use tepal_derive::Key;

/// The builders that `builder()` of each filter type returns, and [`Inserter`](builders::Inserter),
/// which fills a Bloom filter key by key.
pub mod builders {
    pub use super::kinds::bloom::{BloomFilterBuilder, Inserter};
    #[cfg(feature = "static")]
    pub use super::kinds::ribbon::{RibbonFilterBuilder, RibbonMapBuilder};
    #[cfg(feature = "table")]
    pub use super::kinds::table::{
        ExpiringFilterBuilder, GrowingFilterBuilder, QuotientFilterBuilder, SegmentFilterBuilder,
    };
}

/// Files, beyond opening and saving: formats, a lock, a patch, a filter inside other bytes.
pub mod file {
    #[cfg(feature = "foreign")]
    pub use super::format::foreign::Pairs;
    #[cfg(feature = "extras")]
    pub use super::format::patch::Patch;
    #[cfg(feature = "std")]
    pub use super::format::replace::{FileLock, check_place};
    #[cfg(feature = "foreign")]
    pub use super::format::values::{PutValues, Values};
    pub use super::format::view::Viewed;
    pub use super::ids::Format;
}

/// Hashing without a filter: ahead of it, on other threads, or with a hash of your own.
pub mod hash {
    #[cfg(feature = "foreign")]
    pub use super::key::Md5Split;
    pub use super::key::{Compound, DEFAULT_SEED, KeyHasher, Offset, PreparedKeys, finish_hash};
}

/// Segments: the names and the answers of a [`SegmentFilter`].
#[cfg(feature = "table")]
pub mod segments {
    pub use super::kinds::table::{Segment, SegmentAnswers, Segments, check_segment_name};
}

/// The values of a [`RibbonMap`].
#[cfg(feature = "static")]
pub mod values {
    pub use super::kinds::ribbon::{MapValue, Value};
}

/// Where a filter's bits live: the type parameter of [`BloomFilter`] and of the ribbons.
pub mod storage {
    #[cfg(target_has_atomic = "64")]
    pub use super::kinds::bloom::Shared;
    pub use super::kinds::storage::{InBytes, Owned, PlainStorage, StableBytes, Storage};
}

/// Exports the filter types that `list.rs` lists.
macro_rules! types {
    ($(
        $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
        $kind:ident = $id:literal $name:literal $common:literal: $module:ident::$type:ident $(<$storage:ident>)?;
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

/// The examples of the package's README, compiled and run.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples of the page for people who come from other libraries, compiled and run.
#[cfg(all(doctest, feature = "derive", feature = "foreign", feature = "parallel", feature = "serde"))]
#[doc = include_str!("../docs/coming-from.md")]
struct ComingFrom;
