//! The calls that are generic over keys, written once: [`Ask`] and [`Change`] give them to every
//! filter, and the types that stand for any kind have them as inherent calls.

use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use core::num::NonZeroUsize;

use super::{Filter, MutableFilter, Removal};
use crate::error::Result;
use crate::ids::{KeyDomain, Scheme};
use crate::key::{Batch, Key, KeySink, Keys, PreparedKeys, insert_in_batches, insert_iter_in_batches};

/// Lookups. `$vis` is `pub`, or nothing in a trait.
macro_rules! ask_calls {
    ($($vis:tt)?) => {
        /// Looks up a key: `false` means surely not in the set, `true` means perhaps.
        #[inline]
        #[must_use]
        $($vis)? fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
            self.contains_key(key.key(&mut KeySink::new()))
        }

        /// Looks up many keys in batches; the answers are in the order of the keys. Each key is
        /// hashed once.
        #[must_use]
        $($vis)? fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> Vec<bool> {
            let mut answers = alloc::vec![false; keys.len()];
            self.contains_many_into(keys, &mut answers);
            answers
        }

        /// [`contains_many`](Self::contains_many) into the caller's buffer: `answers[i]` is for key
        /// `i`.
        ///
        /// # Panics
        /// If the number of answers differs from the number of keys.
        $($vis)? fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
            assert_eq!(keys.len(), answers.len(), "one answer for each key");
            Filter::key_hasher(self).answer_in_batches(
                keys,
                Filter::size_in_bytes(self),
                |batch, answers| self.contains_batch(batch, answers),
                |start, batch| answers[start..start + batch.len()].copy_from_slice(batch),
            );
        }

        /// [`contains_many`](Self::contains_many) into the caller's bitmap, in Apache Arrow's
        /// layout: the answer for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`.
        /// Bits after the last key become 0.
        ///
        /// # Panics
        /// If the length of the bitmap is not one bit for each key, rounded up to whole bytes.
        $($vis)? fn contains_many_bits<K: Keys + ?Sized>(&self, keys: &K, bitmap: &mut [u8]) {
            assert_eq!(keys.len().div_ceil(8), bitmap.len(), "one bit for each key, and no byte more");
            Filter::key_hasher(self).answer_in_batches(
                keys,
                Filter::size_in_bytes(self),
                |batch, answers| self.contains_batch(batch, answers),
                |start, batch| crate::kinds::bloom::put_bits(start, batch, bitmap),
            );
        }

        /// [`contains_many`](Self::contains_many) over several threads.
        #[cfg(feature = "parallel")]
        #[must_use]
        $($vis)? fn contains_bulk<K: Keys + Sync + ?Sized>(&self, keys: &K, threads: NonZeroUsize) -> Vec<bool>
        where
            Self: Sync,
        {
            crate::kinds::bloom::answer_in_bulk(keys, threads, |piece, answers| {
                self.contains_many_into(piece, answers);
            })
        }

        /// Looks up keys that the filter's key hasher has prepared; the answers are in their order.
        ///
        /// # Panics
        /// If the number of answers differs from the number of keys.
        $($vis)? fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
            assert_eq!(keys.len(), answers.len(), "one answer for each key");
            self.contains_batch(keys.batch(), answers);
        }

        /// Looks up a key by its hash, which the filter's key hasher has computed. If the scheme
        /// has no 64-bit hash, the answer is always `true`: perhaps.
        #[must_use]
        $($vis)? fn contains_hash(&self, hash: u64) -> bool {
            let mut answer = [false];
            self.contains_many_hashes(&[hash], &mut answer);
            answer[0]
        }

        /// [`contains_hash`](Self::contains_hash) for many hashes; `answers[i]` is for `hashes[i]`.
        ///
        /// # Panics
        /// If the two slices differ in length.
        $($vis)? fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
            assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
            self.contains_batch(Batch::Hashes(hashes), answers);
        }

        /// The count of a key, if the filter counts: at least how often the key was inserted.
        #[must_use]
        $($vis)? fn count<K: Key + ?Sized>(&self, key: &K) -> Option<u64> {
            self.count_key(key.key(&mut KeySink::new()))
        }

        /// The hash scheme: how keys become hashes or bits.
        #[must_use]
        $($vis)? fn scheme(&self) -> Scheme {
            Filter::key_hasher(self).scheme()
        }

        /// The type of the keys.
        #[must_use]
        $($vis)? fn key_domain(&self) -> KeyDomain {
            Filter::key_hasher(self).key_domain()
        }
    };
}

/// Changes. `$vis` as in [`ask_calls!`].
macro_rules! change_calls {
    ($($vis:tt)?) => {
        /// Inserts a key. `true`: the key is surely new.
        ///
        /// # Errors
        /// As [`MutableFilter::insert_key`](crate::MutableFilter::insert_key).
        $($vis)? fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool> {
            self.insert_key(key.key(&mut KeySink::new()))
        }

        /// Inserts many keys, in batches.
        ///
        /// # Errors
        /// As [`insert`](Self::insert). The keys before the refused one are inserted:
        /// [`Error::CapacityReached`](crate::Error::CapacityReached) says how many.
        $($vis)? fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
            insert_in_batches(self, |filter| Filter::key_hasher(&**filter), keys, |filter, batch, done| {
                filter.insert_batch(batch, done)
            })
        }

        /// Inserts the keys of an iterator, in batches.
        ///
        /// # Errors
        /// As [`insert_many`](Self::insert_many).
        $($vis)? fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
            insert_iter_in_batches(self, |filter| Filter::key_hasher(&**filter), keys, |filter, batch, done| {
                filter.insert_batch(batch, done)
            })
        }

        /// Inserts keys that the filter's key hasher has prepared.
        ///
        /// # Errors
        /// As [`insert_many`](Self::insert_many).
        $($vis)? fn insert_prepared(&mut self, keys: &PreparedKeys) -> Result<()> {
            self.insert_batch(keys.batch(), 0)
        }

        /// Inserts a key by its hash. The filter's key hasher has computed the hash, or the caller
        /// for a filter with `caller_hash`. `true`: the key is surely new.
        ///
        /// # Errors
        /// As [`insert`](Self::insert); [`Error::NoHash`](crate::Error::NoHash) if the scheme has
        /// no 64-bit hash.
        $($vis)? fn insert_hash(&mut self, hash: u64) -> Result<bool> {
            let mut was_in = [false];
            self.contains_batch(Batch::Hashes(&[hash]), &mut was_in);
            self.insert_many_hashes(&[hash])?;
            Ok(!was_in[0])
        }

        /// [`insert_hash`](Self::insert_hash) for many hashes.
        ///
        /// # Errors
        /// As [`insert_many`](Self::insert_many); [`Error::NoHash`](crate::Error::NoHash) if the
        /// scheme has no 64-bit hash.
        $($vis)? fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
            Filter::key_hasher(self).check_has_hash()?;
            self.insert_batch(Batch::Hashes(hashes), 0)
        }

        /// Removes one copy of a key.
        ///
        /// # Errors
        /// As [`MutableFilter::remove_hash`](crate::MutableFilter::remove_hash);
        /// [`Error::KeyRefused`](crate::Error::KeyRefused) for a key that the key domain does not
        /// have.
        $($vis)? fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<Removal> {
            let hash = Filter::key_hasher(self).hash(key)?;
            self.remove_hash(hash)
        }
    };
}

/// Facts about a filter, as inherent calls of a type that stands for any kind. Each call goes to
/// its [`Filter`].
macro_rules! about_calls {
    () => {
        /// The kind of the filter.
        #[must_use]
        pub fn kind(&self) -> Kind {
            Filter::kind(self)
        }

        /// The operations that it supports.
        #[must_use]
        pub fn can(&self) -> Can {
            Filter::can(self)
        }

        /// The filter's key hasher, to hash keys ahead of a call.
        #[must_use]
        pub fn key_hasher(&self) -> KeyHasher {
            Filter::key_hasher(self).clone()
        }

        /// The false-positive rate now, from the bits, for non-members whose hashes are spread
        /// evenly.
        ///
        /// Each kind says whether the rate is exact. It is an estimate for a chain of Bloom
        /// filters, for some schemes of other programs
        /// ([`BloomFilter::false_positive_rate`](crate::BloomFilter::false_positive_rate)), and for
        /// maps in which some values have no name. For a filter with a divider it is an upper
        /// bound: about half of the false positives that were no exceptions are denied too.
        #[must_use]
        pub fn false_positive_rate(&self) -> f64 {
            Filter::false_positive_rate(self)
        }

        /// The false-positive rate that is promised while the filter holds at most its capacity.
        #[must_use]
        pub fn promised_false_positive_rate(&self) -> f64 {
            Filter::promised_false_positive_rate(self)
        }

        /// The number of keys that the filter was planned for; of a chain, the sum over all links.
        #[must_use]
        pub fn capacity(&self) -> u64 {
            Filter::capacity(self)
        }

        /// The policy for keys past the capacity.
        #[must_use]
        pub fn over_capacity(&self) -> OverCapacity {
            Filter::over_capacity(self)
        }

        /// Whether the filter holds more keys than it was planned for.
        #[must_use]
        pub fn is_over_capacity(&self) -> bool {
            Filter::is_over_capacity(self)
        }

        /// Whether it refuses every new key in its present state. A key that is a member, or a
        /// false positive, is still taken.
        #[must_use]
        pub fn is_full(&self) -> bool {
            Filter::is_full(self)
        }

        /// Free text about the set.
        #[must_use]
        pub fn labels(&self) -> &Labels {
            Filter::labels(self)
        }

        /// How many keys were inserted, repeats included, if that is known:
        /// [`Filter::keys_inserted`](crate::Filter::keys_inserted).
        #[must_use]
        pub fn keys_inserted(&self) -> Option<u64> {
            Filter::keys_inserted(self)
        }

        /// An estimate of the number of different keys, from the bits alone.
        #[must_use]
        pub fn estimated_len(&self) -> f64 {
            Filter::estimated_len(self)
        }

        /// The bytes of the bits in memory.
        #[must_use]
        pub fn size_in_bytes(&self) -> u64 {
            Filter::size_in_bytes(self)
        }

        /// The fill of equal parts of the array, for a picture; of several filters, the array of
        /// the largest.
        #[must_use]
        pub fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
            Filter::fill_of_slices(self, slices)
        }

        /// The factors by which [`fold`](Self::fold) can make it smaller. Empty for a kind that
        /// does not fold.
        #[must_use]
        pub fn fold_factors(&self) -> Vec<u64> {
            Filter::fold_factors(self)
        }

        /// [`size_in_bytes`](Self::size_in_bytes) after [`fold`](Self::fold) by one of
        /// [`fold_factors`](Self::fold_factors), for planning. `None` for a kind or factor that
        /// does not fold.
        #[must_use]
        pub fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
            Filter::folded_size_in_bytes(self, factor)
        }

        /// Checks the bits against the file's checksums and seal: the checks that a quick opening
        /// left out. A filter in memory has been checked, and nothing is done.
        ///
        /// # Errors
        /// [`Error::Damaged`](crate::Error::Damaged), with the position of the first damaged chunk;
        /// [`Error::WrongSeal`](crate::Error::WrongSeal) for a file that was changed without its
        /// seal key.
        pub fn verify(&self) -> Result<()> {
            Filter::verify(self)
        }

        /// Removes all keys. A chain becomes its first link; a filter whose keys expire forgets the
        /// time.
        ///
        /// # Errors
        /// [`Error::TooLarge`](crate::Error::TooLarge) if there is no memory for a copy of a mapped
        /// filter; [`Error::NotPossible`](crate::Error::NotPossible) for a static filter.
        pub fn clear(&mut self) -> Result<()> {
            MutableFilter::clear(self)
        }

        /// Changes the policy for keys past the capacity. A tepal file keeps it, other formats do
        /// not.
        ///
        /// # Errors
        /// [`Error::NotPossible`](crate::Error::NotPossible) for a kind that has one policy.
        pub fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
            MutableFilter::set_over_capacity(self, policy)
        }

        /// Replaces the labels. A tepal file keeps them, other formats do not.
        ///
        /// # Errors
        /// [`Error::Parameter`](crate::Error::Parameter) for text that a file cannot hold;
        /// [`Error::NotPossible`](crate::Error::NotPossible) for a chain, whose files have no
        /// labels.
        pub fn set_labels(&mut self, labels: Labels) -> Result<()> {
            MutableFilter::set_labels(self, labels)
        }

        /// Removes one copy of a key, by its hash:
        /// [`MutableFilter::remove_hash`](crate::MutableFilter::remove_hash).
        ///
        /// # Errors
        /// As there.
        pub fn remove_hash(&mut self, hash: u64) -> Result<Removal> {
            MutableFilter::remove_hash(self, hash)
        }

        /// Removes one copy of each prepared key:
        /// [`MutableFilter::remove_prepared`](crate::MutableFilter::remove_prepared).
        ///
        /// # Errors
        /// As there.
        pub fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
            MutableFilter::remove_prepared(self, keys)
        }

        /// Tells the time to a filter whose keys expire. Returns by how many generations it
        /// advanced.
        ///
        /// # Errors
        /// [`Error::NotPossible`](crate::Error::NotPossible) for a kind whose keys do not expire,
        /// or expire by their number.
        pub fn advance_to(&mut self, time: u64) -> Result<u64> {
            MutableFilter::advance_to(self, time)
        }

        /// Sets the clock of a filter whose keys expire, also to a time before the latest one:
        /// [`MutableFilter::set_clock`](crate::MutableFilter::set_clock).
        ///
        /// # Errors
        /// As there.
        pub fn set_clock(&mut self, time: u64) -> Result<()> {
            MutableFilter::set_clock(self, time)
        }
    };
}

/// Implements the traits for a type that stands for a filter: each call goes to `$inner` or
/// `$inner_mut`, the filter of `$self`. A missing call does not compile, or clippy finds it if the
/// trait has a default.
macro_rules! hand_on {
    ($type:ty: $self:ident => $inner:expr, $inner_mut:expr) => {
        #[deny(clippy::missing_trait_methods)]
        impl Inner for $type {
            fn contains_batch(&$self, keys: Batch<'_>, answers: &mut [bool]) {
                $inner.contains_batch(keys, answers);
            }

            fn check_before_copying(&$self) -> Result<()> {
                $inner.check_before_copying()
            }

            fn file_part(&$self) -> Result<FilePart<'_>> {
                $inner.file_part()
            }

            fn warnings(&$self) -> Vec<Warning> {
                Inner::warnings($inner)
            }

            #[cfg(any(feature = "table", feature = "static"))]
            fn touched(&$self, hash: u64) -> Option<crate::facts::Touched> {
                Inner::touched($inner, hash)
            }

            fn instead(&$self, operation: Operation) -> crate::error::Advice {
                $inner.instead(operation)
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl InnerMut for $type {
            fn insert_batch(&mut $self, keys: Batch<'_>, done: usize) -> Result<()> {
                $inner_mut.insert_batch(keys, done)
            }

            #[cfg(feature = "foreign")]
            fn set_key_domain(&mut $self, domain: KeyDomain) {
                $inner_mut.set_key_domain(domain);
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl Filter for $type {
            fn kind(&$self) -> Kind {
                $inner.kind()
            }

            fn can(&$self) -> Can {
                $inner.can()
            }

            fn key_hasher(&$self) -> &KeyHasher {
                Filter::key_hasher($inner)
            }

            #[inline(always)]
            fn contains_key(&$self, key: KeyRef<'_>) -> bool {
                $inner.contains_key(key)
            }

            fn count_key(&$self, key: KeyRef<'_>) -> Option<u64> {
                $inner.count_key(key)
            }

            fn false_positive_rate(&$self) -> f64 {
                $inner.false_positive_rate()
            }

            fn promised_false_positive_rate(&$self) -> f64 {
                $inner.promised_false_positive_rate()
            }

            fn capacity(&$self) -> u64 {
                $inner.capacity()
            }

            fn over_capacity(&$self) -> OverCapacity {
                $inner.over_capacity()
            }

            fn is_over_capacity(&$self) -> bool {
                $inner.is_over_capacity()
            }

            fn is_full(&$self) -> bool {
                $inner.is_full()
            }

            fn labels(&$self) -> &Labels {
                $inner.labels()
            }

            fn keys_inserted(&$self) -> Option<u64> {
                $inner.keys_inserted()
            }

            fn estimated_len(&$self) -> f64 {
                $inner.estimated_len()
            }

            fn size_in_bytes(&$self) -> u64 {
                $inner.size_in_bytes()
            }

            fn facts(&$self) -> Facts {
                $inner.facts()
            }

            fn fill_of_slices(&$self, slices: usize) -> Vec<f64> {
                $inner.fill_of_slices(slices)
            }

            fn fold_factors(&$self) -> Vec<u64> {
                $inner.fold_factors()
            }

            fn folded_size_in_bytes(&$self, factor: u64) -> Option<u64> {
                $inner.folded_size_in_bytes(factor)
            }

            fn verify(&$self) -> Result<()> {
                $inner.verify()
            }

            fn refusal(&$self, operation: Operation) -> Error {
                $inner.refusal(operation)
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl MutableFilter for $type {
            #[inline(always)]
            fn insert_key(&mut $self, key: KeyRef<'_>) -> Result<bool> {
                $inner_mut.insert_key(key)
            }

            fn clear(&mut $self) -> Result<()> {
                $inner_mut.clear()
            }

            fn set_over_capacity(&mut $self, policy: OverCapacity) -> Result<()> {
                $inner_mut.set_over_capacity(policy)
            }

            fn set_labels(&mut $self, labels: Labels) -> Result<()> {
                $inner_mut.set_labels(labels)
            }

            fn remove_hash(&mut $self, hash: u64) -> Result<Removal> {
                $inner_mut.remove_hash(hash)
            }

            fn remove_prepared(&mut $self, keys: &PreparedKeys) -> Result<u64> {
                $inner_mut.remove_prepared(keys)
            }

            fn advance_to(&mut $self, time: u64) -> Result<u64> {
                $inner_mut.advance_to(time)
            }

            fn set_clock(&mut $self, time: u64) -> Result<()> {
                $inner_mut.set_clock(time)
            }

            // The inherent calls have the same names.
            fn union_with(&mut $self, other: &Self) -> Result<()> {
                <$type>::union_with($self, other)
            }

            fn intersect_with(&mut $self, other: &Self) -> Result<()> {
                <$type>::intersect_with($self, other)
            }
        }
    };
}

pub(crate) use {about_calls, ask_calls, change_calls, hand_on};

/// Lookups for keys of every type, in a filter of any kind. Every [`Filter`] has these calls.
///
/// ```
/// use tepal::{Ask, BloomFilter, Filter};
/// fn route(filter: &impl Filter, key: &str) -> &'static str {
///     if filter.contains(key) { "near" } else { "far" }
/// }
/// let near = BloomFilter::builder().build_from(["apple"])?;
/// assert_eq!((route(&near, "apple"), route(&near, "pear")), ("near", "far"));
/// # Ok::<(), tepal::Error>(())
/// ```
pub trait Ask: Filter {
    ask_calls!();
}

impl<F: Filter + ?Sized> Ask for F {}

/// Changes by keys of every type, in a filter of any kind. Every [`MutableFilter`] has these calls.
pub trait Change: MutableFilter {
    change_calls!();
}

impl<F: MutableFilter + ?Sized> Change for F {}
