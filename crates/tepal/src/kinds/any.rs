//! The list of kinds as one enum: a filter whose kind is known only at run time.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "parallel")]
use core::num::NonZeroUsize;

use super::bloom::BloomFilter;
use super::storage::{Backing, Mapped};
use super::{AwaitsBody, Behind, BodyChecked, CheckBody, Entry, FilePart, Filter, FromFile, Kinded, Ref};
use crate::error::{Error, Result};
use crate::facts::{Facts, Labels, Warning};
use crate::ids::{KeyDomain, Kind, OverCapacity, Scheme};
use crate::key::{
    Batch, Key, KeyHasher, KeySink, Keys, PreparedKeys, SecretKey, insert_in_batches, insert_iter_in_batches,
};

/// Makes of the list the enum, what comes out of a file, and what tells the variants apart.
macro_rules! any_filter {
    ($(
        $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
        $kind:ident = $id:literal $name:literal: $module:ident::$type:ident $(<$storage:ident>)?;
    )+ $(
        + $(#[doc = $form_doc:literal])* $(#[feature = $form_feature:literal])?
        $form:ident of $of:ident: $form_module:ident::$form_type:ident;
    )*) => {
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
            $(
                $(#[doc = $doc])*
                $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                $kind(super::$module::$type $(<$storage>)?),
            )+
            $(
                $(#[doc = $form_doc])*
                $(#[cfg(feature = $form_feature)])?
                $form(super::$form_module::$form_type),
            )*
        }

        impl AnyFilter {
            /// What the filter is.
            pub fn kind(&self) -> Kind {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(_) => Kind::$kind,
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        AnyFilter::$form(_) => Kind::$of,
                    )*
                }
            }

            pub(crate) fn as_dyn(&self) -> &dyn Filter {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(filter) => filter,
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        AnyFilter::$form(filter) => filter,
                    )*
                }
            }

            pub(crate) fn as_dyn_mut(&mut self) -> &mut dyn Filter {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(filter) => filter,
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        AnyFilter::$form(filter) => filter,
                    )*
                }
            }

            /// Adds all keys of a filter of the same kind, shape and hasher.
            ///
            /// # Errors
            /// [`Error::Incompatible`] where they differ; [`Error::CapacityReached`] where the union would hold more
            /// than the capacity and the policy is to refuse. The filter is unchanged then.
            pub fn union_with(&mut self, other: &AnyFilter) -> Result<()> {
                match (self, other) {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        (AnyFilter::$kind(a), AnyFilter::$kind(b)) => a.union_with(b),
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$form(b)) => a.union_with(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$of(b)) => a.union_with_plain(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$of(_), AnyFilter::$form(_)) => Err(super::$form_module::comes_first()),
                    )*
                    #[allow(unreachable_patterns, reason = "where there is one kind")]
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
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        (AnyFilter::$kind(a), AnyFilter::$kind(b)) => a.intersect_with(b),
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$form(b)) => a.intersect_with(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$of(b)) => a.intersect_with_plain(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$of(_), AnyFilter::$form(_)) => Err(super::$form_module::comes_first()),
                    )*
                    #[allow(unreachable_patterns, reason = "where there is one kind")]
                    (a, b) => Err(other_kind(a.kind(), b.kind())),
                }
            }
        }

        $(
            $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
            impl From<super::$module::$type $(<$storage>)?> for AnyFilter {
                fn from(filter: super::$module::$type $(<$storage>)?) -> Self {
                    AnyFilter::$kind(filter)
                }
            }
        )+
        $(
            $(#[cfg(feature = $form_feature)])?
            impl From<super::$form_module::$form_type> for AnyFilter {
                fn from(filter: super::$form_module::$form_type) -> Self {
                    AnyFilter::$form(filter)
                }
            }
        )*

        /// A filter of whichever kind, of a file, that awaits its body.
        pub(crate) enum AnyBodiless {
            $(
                $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                $kind(<super::$module::$type $(<$storage>)? as Kinded>::Bodiless),
            )+
        }

        impl AnyBodiless {
            fn as_dyn(&self) -> &dyn AwaitsBody {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyBodiless::$kind(bodiless) => bodiless,
                    )+
                }
            }
        }

        $(
            $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
            const _: () = assert!(
                <super::$module::$type $(<$storage>)? as Kinded>::ENTRY.kind as u16 == Kind::$kind as u16,
                "the entry of a type names another kind than its line in the list"
            );
        )+

        impl FromFile for AnyFilter {
            type Bodiless = AnyBodiless;

            #[allow(unreachable_patterns, reason = "where every kind is built in")]
            fn entry(kind: Kind) -> Result<Entry> {
                match kind {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        Kind::$kind => Ok(<super::$module::$type $(<$storage>)? as Kinded>::ENTRY),
                    )+
                    _ => Err(not_built_in(kind)),
                }
            }

            #[allow(unreachable_patterns, reason = "where every kind is built in")]
            fn of_part(kind: Kind, part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<AnyBodiless> {
                match kind {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        Kind::$kind => <super::$module::$type $(<$storage>)? as Kinded>::of_part(part, secret)
                            .map(AnyBodiless::$kind),
                    )+
                    _ => Err(not_built_in(kind)),
                }
            }

            fn with_body(bodiless: AnyBodiless, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> Self {
                match bodiless {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyBodiless::$kind(bodiless) => AnyFilter::$kind(Kinded::with_body(bodiless, lines, checked)),
                    )+
                }
            }

            const WITH_BEHIND: Option<fn(Self, Behind) -> Self> = Some(|filter, behind| match filter {
                // The form of a kind is what takes what its type cannot.
                $(
                    $(#[cfg(feature = $form_feature)])?
                    AnyFilter::$of(filter) => AnyFilter::$form(super::$form_module::$form_type::of_file(filter, behind)),
                )*
                #[allow(unreachable_patterns, reason = "the kinds that have a form")]
                other => other.kind_with_behind(behind),
            });

            fn as_filter(&self) -> &dyn Filter {
                self.as_dyn()
            }
        }

        impl AnyFilter {
            /// With what stood behind the body of its file, where its own type takes that.
            fn kind_with_behind(self, behind: Behind) -> Self {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(filter) => AnyFilter::$kind(taking(filter, behind)),
                    )+
                    #[allow(unreachable_patterns, reason = "where there is no further form")]
                    form => form,
                }
            }
        }
    };
}
each_kind!(any_filter);

/// The filter with what stood behind the body of its file; a kind of which nothing stands there has been refused it.
fn taking<K: Kinded>(filter: K, behind: Behind) -> K {
    match K::WITH_BEHIND {
        Some(take) => take(filter, behind),
        None => filter,
    }
}

impl AwaitsBody for AnyBodiless {
    fn lines(&self) -> u64 {
        self.as_dyn().lines()
    }

    fn self_test(&self) -> Result<()> {
        self.as_dyn().self_test()
    }

    fn check(&self) -> Box<dyn CheckBody> {
        self.as_dyn().check()
    }
}

impl fmt::Debug for AnyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_dyn().fmt(f)
    }
}

/// The error for a kind that this build leaves out.
fn not_built_in(kind: Kind) -> Error {
    Error::Unsupported { what: Kind::WHAT, found: kind.id().into(), known: Kind::WITH_FEATURES }
}

fn other_kind(expected: Kind, found: Kind) -> Error {
    Error::Incompatible { property: "kind", expected: expected.name().into(), found: found.name().into() }
}

impl AnyFilter {
    /// Is the key in the set? `false` is certain; `true` means perhaps.
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.as_dyn().contains(key.key(&mut KeySink::new()))
    }

    /// Answers for many keys, in their order: hashed once and probed in batches.
    #[must_use]
    pub fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<bool> {
        let mut answers = vec![false; keys.len()];
        self.contains_many_into(keys, &mut answers);
        answers
    }

    /// [`contains_many`](Self::contains_many) into the caller's buffer: `answers[i]` is for key `i`.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.as_dyn().key_hasher().answer_in_batches(
            keys,
            self.size_in_bytes(),
            |batch, answers| self.as_dyn().contains_batch(batch, answers),
            |start, batch| answers[start..start + batch.len()].copy_from_slice(batch),
        );
    }

    /// [`contains_many`](Self::contains_many) into the caller's bitmap, as Apache Arrow lays it out: the answer
    /// for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`. Bits after the last key become 0.
    ///
    /// # Panics
    /// If the bitmap has not just the bytes for so many bits.
    pub fn contains_many_bits<K: Keys + ?Sized>(&self, keys: &K, bitmap: &mut [u8]) {
        assert_eq!(keys.len().div_ceil(8), bitmap.len(), "one bit for each key, and no byte more");
        self.as_dyn().key_hasher().answer_in_batches(
            keys,
            self.size_in_bytes(),
            |batch, answers| self.as_dyn().contains_batch(batch, answers),
            |start, batch| super::bloom::put_bits(start, batch, bitmap),
        );
    }

    /// [`contains_many`](Self::contains_many) over so many threads.
    #[cfg(feature = "parallel")]
    #[must_use]
    pub fn contains_bulk<K: Keys + Sync + ?Sized>(&self, keys: &K, threads: NonZeroUsize) -> Vec<bool> {
        super::bloom::answer_in_bulk(keys, threads, |piece, answers| self.contains_many_into(piece, answers))
    }

    /// Answers for keys that the filter's [`key_hasher`](Self::key_hasher) has prepared, in their order.
    ///
    /// # Panics
    /// If there are not as many answers as keys.
    pub fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
        assert_eq!(keys.len(), answers.len(), "one answer for each key");
        self.as_dyn().contains_batch(keys.batch(), answers);
    }

    /// Is the key with this hash in the set? The hash is one of the filter's [`key_hasher`](Self::key_hasher); where
    /// that has none, all that can be said is `true`: perhaps.
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        let mut answer = [false];
        self.contains_many_hashes(&[hash], &mut answer);
        answer[0]
    }

    /// [`contains_hash`](Self::contains_hash) for many; `answers[i]` is for `hashes[i]`.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
        assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
        self.as_dyn().contains_batch(Batch::Hashes(hashes), answers);
    }

    /// Inserts a key. `true`: the key is surely new.
    ///
    /// # Errors
    /// [`Error::CapacityReached`] for a new key where the filter is full and refuses more; [`Error::KeyRefused`] for a
    /// key that the key domain does not have; [`Error::CallerHashes`] under [`Scheme::CallerHash`];
    /// [`Error::TooLarge`] where there is no memory for a mapped filter's copy, or for the next link of a chain. The
    /// filter is unchanged then.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        self.as_dyn_mut().insert(key.key(&mut KeySink::new()))
    }

    /// Inserts many keys, in batches.
    ///
    /// # Errors
    /// As [`insert`](Self::insert). The keys before the refused one are in: [`Error::CapacityReached`] says how many.
    pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
        insert_in_batches(
            self.as_dyn_mut(),
            |filter| filter.key_hasher(),
            keys,
            |filter, batch, done| filter.insert_batch(batch, done),
        )
    }

    /// Inserts the keys of an iterator, in batches: [`BloomFilter::insert_iter`].
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
        insert_iter_in_batches(
            self.as_dyn_mut(),
            |filter| filter.key_hasher(),
            keys,
            |filter, batch, done| filter.insert_batch(batch, done),
        )
    }

    /// Inserts keys that the filter's [`key_hasher`](Self::key_hasher) has prepared.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_prepared(&mut self, keys: &PreparedKeys) -> Result<()> {
        self.as_dyn_mut().insert_batch(keys.batch(), 0)
    }

    /// Inserts a key by its hash. `true`: the key is surely new. [`BloomFilter::insert_hash`] says which hash that is.
    ///
    /// # Errors
    /// As [`insert`](Self::insert); [`Error::NoHash`] where the scheme has no 64-bit hash. The filter is unchanged then.
    pub fn insert_hash(&mut self, hash: u64) -> Result<bool> {
        let is_new = !self.contains_hash(hash);
        self.insert_many_hashes(&[hash])?;
        Ok(is_new)
    }

    /// Inserts keys by the hashes that the filter's [`key_hasher`](Self::key_hasher), or under [`Scheme::CallerHash`]
    /// the caller, has computed.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many); [`Error::NoHash`] where the scheme has no 64-bit hash.
    pub fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        self.as_dyn().key_hasher().check_has_hash()?;
        self.as_dyn_mut().insert_batch(Batch::Hashes(hashes), 0)
    }

    /// What the filter does with a key: to hash ahead of it.
    #[must_use]
    pub fn key_hasher(&self) -> KeyHasher {
        self.as_dyn().key_hasher().clone()
    }

    /// How keys become bits.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.as_dyn().key_hasher().scheme()
    }

    /// What the keys are.
    #[must_use]
    pub fn key_domain(&self) -> KeyDomain {
        self.as_dyn().key_hasher().key_domain()
    }

    /// The share of wrong answers now, from the bits: of keys that are not in it and whose hashes are spread evenly. Each kind says whether
    /// it is exact. It is an estimate of a chain of Bloom filters and of some schemes of other programs
    /// ([`BloomFilter::false_positive_rate`]), and of maps where some values have no name. Beside a divider
    /// (`divide`) it is the most: of keys that were no exceptions about half are denied too.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.as_dyn().false_positive_rate()
    }

    /// The share of wrong answers promised as long as the filter holds no more than its capacity.
    #[must_use]
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.as_dyn().promised_false_positive_rate()
    }

    /// Keys the filter was planned for; of a chain, of all its links.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.as_dyn().capacity()
    }

    /// What happens when more keys come than that.
    #[must_use]
    pub fn over_capacity(&self) -> OverCapacity {
        self.as_dyn().over_capacity()
    }

    /// Does the filter hold more than it was planned for? [`BloomFilter::is_over_capacity`].
    #[must_use]
    pub fn is_over_capacity(&self) -> bool {
        self.as_dyn().is_over_capacity()
    }

    /// Does it refuse every new key, now as it is? Keys that are in it, or look so, are still taken. [`BloomFilter::is_full`].
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.as_dyn().is_full()
    }

    /// Free text about the set; `None` for a kind that keeps none.
    #[must_use]
    pub fn labels(&self) -> Option<&Labels> {
        self.as_dyn().labels()
    }

    /// Changes what happens past capacity.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a chain, whose program decides that.
    pub fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
        self.as_dyn_mut().set_over_capacity(policy)
    }

    /// Puts other texts about the set in the place of those there are.
    ///
    /// # Errors
    /// [`Error::Parameter`] for text that a file cannot hold; [`Error::NotPossible`] for a chain, whose files have none.
    pub fn set_labels(&mut self, labels: Labels) -> Result<()> {
        self.as_dyn_mut().set_labels(labels)
    }

    /// Forgets all keys. A chain becomes its first link.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for a mapped filter's copy.
    pub fn clear(&mut self) -> Result<()> {
        self.as_dyn_mut().clear()
    }

    /// How many keys were given to it, repeats included, where that is known. After a union of Bloom filters, chains or expiring filters
    /// it is the sum of both, and so the most that can be different: [`estimated_len`](Self::estimated_len) counts a key that both
    /// have once. Of a table it is what the table holds: copies of keys, or pairs of key and segment.
    #[must_use]
    pub fn keys_inserted(&self) -> Option<u64> {
        self.as_dyn().keys_inserted()
    }

    /// How many different keys are in it, going by the bits alone: [`BloomFilter::estimated_len`].
    #[must_use]
    pub fn estimated_len(&self) -> f64 {
        self.as_dyn().estimated_len()
    }

    /// How many keys it says no for though its bits say yes: exceptions, which the feature `extras` has.
    #[must_use]
    pub fn exceptions(&self) -> u64 {
        match self {
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => filter.exceptions(),
            _ => 0,
        }
    }

    /// Bytes of its file that these exceptions take, as a list or a divider.
    #[must_use]
    pub fn exceptions_len(&self) -> u64 {
        match self {
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => filter.exceptions_len(),
            _ => 0,
        }
    }

    /// Bytes that the bits take in memory.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.as_dyn().size_in_bytes()
    }

    /// Everything about the filter, as data. Costs some passes over the bits.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.as_dyn().facts()
    }

    /// The fill of equal parts of the array, for a picture; of a chain, of its largest filter:
    /// [`BloomFilter::fill_of_slices`].
    #[must_use]
    pub fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
        self.as_dyn().fill_of_slices(slices)
    }

    /// What its user should know: promises that the scheme cannot keep.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        self.as_dyn().warnings()
    }

    /// How many times smaller [`fold`](Self::fold) can make it: [`BloomFilter::fold_factors`]. Nothing for a chain.
    #[must_use]
    pub fn fold_factors(&self) -> Vec<u64> {
        #[cfg(feature = "table")]
        if let AnyFilter::Quotient(filter) = self {
            return filter.fold_factors();
        }
        self.foldable().map_or(Vec::new(), |filter| filter.fold_factors())
    }

    /// [`size_in_bytes`](Self::size_in_bytes) after [`fold`](Self::fold) by one of [`fold_factors`](Self::fold_factors), to plan with.
    /// `None` for what does not fold.
    #[must_use]
    pub fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
        #[cfg(feature = "table")]
        if let AnyFilter::Quotient(filter) = self {
            return filter.folded_size_in_bytes(factor);
        }
        self.foldable().ok()?;
        self.size_in_bytes().checked_div(factor)
    }

    /// [`BloomFilter::fold`].
    ///
    /// # Errors
    /// As there; [`Error::NotPossible`] for a chain; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn fold(&mut self, factor: u64) -> Result<()> {
        *self = self.folded_by(factor)?;
        Ok(())
    }

    /// [`BloomFilter::shrink_to`]. A growing filter becomes one table, of another kind (`GrowingFilter::freeze`).
    ///
    /// # Errors
    /// As there, and as [`fold`](Self::fold).
    pub fn shrink_to(&mut self, rate: f64) -> Result<u64> {
        let Some((factor, folded)) = self.shrunk_to(rate)? else { return Ok(1) };
        *self = folded;
        Ok(factor)
    }

    pub(crate) fn folded_by(&self, factor: u64) -> Result<AnyFilter> {
        #[cfg(feature = "table")]
        if let AnyFilter::Quotient(filter) = self {
            return filter.folded_by(factor).map(AnyFilter::Quotient);
        }
        self.same_exceptions(self.foldable()?.folded_by(factor)?.into())
    }

    pub(crate) fn shrunk_to(&self, rate: f64) -> Result<Option<(u64, AnyFilter)>> {
        #[cfg(feature = "table")]
        if let AnyFilter::Quotient(filter) = self {
            let (factor, shrunk) = filter.shrunk_to(rate)?;
            return Ok(Some((factor, AnyFilter::Quotient(shrunk))));
        }
        #[cfg(feature = "table")]
        if let AnyFilter::Growing(filter) = self {
            return Ok(Some((1, AnyFilter::Quotient(filter.freeze(rate)?))));
        }
        let Some((factor, folded)) = self.foldable()?.shrunk_to(rate)? else { return Ok(None) };
        Ok(Some((factor, self.same_exceptions(folded.into())?)))
    }

    /// A ribbon of what a table holds: [`QuotientFilter::to_ribbon`](crate::QuotientFilter::to_ribbon), and of a growing filter.
    ///
    /// # Errors
    /// As there; [`Error::NotPossible`] for every other kind.
    #[cfg(all(feature = "table", feature = "static"))]
    pub fn to_ribbon(&self, rate: f64) -> Result<super::ribbon::RibbonFilter> {
        match self {
            AnyFilter::Quotient(filter) => filter.to_ribbon(rate),
            AnyFilter::Growing(filter) => filter.to_ribbon(rate),
            _ => Err(self.not_frozen()),
        }
    }

    /// The refusal of a kind of which no ribbon is made.
    #[cfg(all(feature = "table", feature = "static"))]
    fn not_frozen(&self) -> Error {
        let instead = match self {
            AnyFilter::Ribbon(_) => "it is one",
            AnyFilter::Expiring(_) => {
                "its keys go by themselves; build one of those to keep (`RibbonFilter::builder`, `tepal build --static`)"
            }
            AnyFilter::Segment(_) => {
                "its keys are in segments; build a map of them (`RibbonMap::builder`, `tepal build --by --static`)"
            }
            _ => {
                "it holds bits that keys have in common, and of no key enough to make another filter of it; build one of the list (`RibbonFilter::builder`, `tepal build --static`)"
            }
        };
        Error::NotPossible { kind: self.kind(), operation: "become a static filter", instead }
    }

    /// A folded filter has the members of the one that it was, so that the same keys are none.
    fn same_exceptions(&self, folded: AnyFilter) -> Result<AnyFilter> {
        match self {
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => filter.same_exceptions(folded),
            _ => Ok(folded),
        }
    }

    fn foldable(&self) -> Result<&BloomFilter<Mapped>> {
        match self {
            AnyFilter::Bloom(filter) => Ok(filter),
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => Ok(filter.bits()),
            #[cfg(feature = "table")]
            AnyFilter::Quotient(_) => Err(not_one_bloom(self.kind())),
            #[cfg(feature = "table")]
            AnyFilter::Expiring(_) => Err(Error::NotPossible {
                kind: self.kind(),
                operation: "be folded",
                instead: "build a smaller one: its keys come again, or expire",
            }),
            #[cfg(feature = "table")]
            AnyFilter::Growing(_) => Err(Error::NotPossible {
                kind: self.kind(),
                operation: "be folded",
                instead: "make one table of it (`GrowingFilter::freeze`), or build one filter from its keys",
            }),
            #[cfg(feature = "table")]
            AnyFilter::Segment(_) => Err(Error::NotPossible {
                kind: self.kind(),
                operation: "be folded",
                instead: "build one filter from its keys, or lay its table out for them (`SegmentFilter::shrink_to_fit`)",
            }),
            #[cfg(feature = "static")]
            AnyFilter::Ribbon(_) => Err(Error::NotPossible {
                kind: self.kind(),
                operation: "be folded",
                instead: "build a smaller one from its keys, at a higher rate",
            }),
            #[cfg(feature = "static")]
            AnyFilter::Map(_) => Err(Error::NotPossible {
                kind: self.kind(),
                operation: "be folded",
                instead: "build a smaller one from its pairs, at a higher rate",
            }),
            #[cfg(any(feature = "foreign", feature = "extras"))]
            AnyFilter::Scalable(_) => Err(Error::NotPossible {
                kind: self.kind(),
                operation: "be folded",
                instead: "build one filter from its keys",
            }),
        }
    }

    /// The Bloom filter that this is.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a filter of another kind, and for one with exceptions.
    pub fn into_bloom(self) -> Result<BloomFilter<Mapped>> {
        let kind = self.kind();
        match self {
            AnyFilter::Bloom(filter) => Ok(filter),
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => filter.into_bloom(),
            #[allow(unreachable_patterns, reason = "where there is one kind")]
            _ => Err(not_one_bloom(kind)),
        }
    }

    /// Takes one copy of a key away. `false`: there was none; or it is kept, in a growing filter, lest another key be lost.
    /// [`QuotientFilter::remove`](crate::QuotientFilter::remove) and
    /// [`GrowingFilter::remove`](crate::GrowingFilter::remove) say which keys may be removed.
    ///
    /// # Errors
    /// As there; [`Error::NotPossible`] for a kind from which no key can be removed.
    #[cfg(feature = "table")]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
        let hash = self.as_dyn().key_hasher().hash(key)?;
        self.remove_hash(hash)
    }

    /// [`remove`](Self::remove) for a key hashed before.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    #[cfg(feature = "table")]
    pub fn remove_hash(&mut self, hash: u64) -> Result<bool> {
        match self {
            AnyFilter::Quotient(filter) => filter.remove_hash(hash),
            AnyFilter::Growing(filter) => Ok(filter.remove_hash(hash)? == super::table::Removal::Removed),
            _ => Err(not_removable(self.kind())),
        }
    }

    /// [`remove`](Self::remove) for keys that the filter's [`key_hasher`](Self::key_hasher) has prepared. Says how many copies
    /// were removed.
    ///
    /// A list that is removed a second time removes members: its keys are not in the filter any
    /// more, and at the rate they look as if they were. Where that can happen, look all keys up
    /// first ([`contains_prepared`](Self::contains_prepared)), and remove none if one of them is
    /// surely not in.
    ///
    /// # Errors
    /// As [`remove`](Self::remove). The keys before the refused one are removed.
    #[cfg(feature = "table")]
    pub fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
        match self {
            AnyFilter::Quotient(filter) => filter.remove_prepared(keys),
            AnyFilter::Growing(filter) => filter.remove_prepared(keys),
            _ => Err(not_removable(self.kind())),
        }
    }

    /// How often a key is in: [`QuotientFilter::count_estimate`](crate::QuotientFilter::count_estimate). Nothing of a kind that does
    /// not count.
    #[cfg(feature = "table")]
    #[must_use]
    pub fn count_estimate<K: Key + ?Sized>(&self, key: &K) -> Option<u64> {
        match self {
            AnyFilter::Quotient(filter) => Some(filter.count_estimate(key)),
            _ => None,
        }
    }

    /// Tells an expiring filter the time: [`ExpiringFilter::advance_to`](crate::ExpiringFilter::advance_to).
    ///
    /// # Errors
    /// As there; [`Error::NotPossible`] for a kind whose keys do not expire.
    #[cfg(feature = "table")]
    pub fn advance_to(&mut self, time: u64) -> Result<u64> {
        let kind = self.kind();
        match self {
            AnyFilter::Expiring(filter) => filter.advance_to(time),
            _ => Err(Error::NotPossible {
                kind,
                operation: "be told the time",
                instead: "build an `ExpiringFilter` of its keys (`tepal build --window`)",
            }),
        }
    }
}

/// The refusal of a kind that cannot forget a key.
#[cfg(feature = "table")]
fn not_removable(kind: Kind) -> Error {
    let instead = "build a `QuotientFilter` of its keys (`tepal build --deletable`)";
    Error::NotPossible { kind, operation: "forget one key", instead }
}

/// The refusal of what is not one Bloom filter.
fn not_one_bloom(kind: Kind) -> Error {
    let instead = "use it as an `AnyFilter`, which `tepal::open` gives";
    Error::NotPossible { kind, operation: "be one Bloom filter", instead }
}

impl From<BloomFilter> for AnyFilter {
    /// Without a copy.
    fn from(filter: BloomFilter) -> Self {
        AnyFilter::Bloom(filter.map_lines(|lines| Mapped(Backing::Memory(lines.0.into_vec()))))
    }
}
