//! The calls that are generic over keys, written once: for every filter by [`Ask`] and [`Change`],
//! and inherent for the types that stand for any kind.

use alloc::vec::Vec;
#[cfg(feature = "parallel")]
use core::num::NonZeroUsize;

use super::{Filter, MutableFilter, Removal};
use crate::error::Result;
use crate::facts::Facts;
use crate::ids::{KeyDomain, Scheme};
use crate::key::{Batch, Key, KeySink, Keys, PreparedKeys, insert_in_batches, insert_iter_in_batches};

/// Asking. `$vis` is `pub`, or nothing in a trait.
macro_rules! ask_calls {
    ($($vis:tt)?) => {
        /// Is the key in the set? `false` is certain; `true` means perhaps.
        #[inline]
        #[must_use]
        $($vis)? fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
            self.contains_key(key.key(&mut KeySink::new()))
        }

        /// Answers for many keys, in their order: hashed once and probed in batches.
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
        /// If there are not as many answers as keys.
        $($vis)? fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
            assert_eq!(keys.len(), answers.len(), "one answer for each key");
            Filter::key_hasher(self).answer_in_batches(
                keys,
                Filter::size_in_bytes(self),
                |batch, answers| self.contains_batch(batch, answers),
                |start, batch| answers[start..start + batch.len()].copy_from_slice(batch),
            );
        }

        /// [`contains_many`](Self::contains_many) into the caller's bitmap, as Apache Arrow lays it
        /// out: the answer for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`. Bits
        /// after the last key become 0.
        ///
        /// # Panics
        /// If the bitmap has not just one bit for each key, in whole bytes.
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

        /// Answers for keys that the filter's key hasher has prepared, in their order.
        ///
        /// # Panics
        /// If there are not as many answers as keys.
        $($vis)? fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
            assert_eq!(keys.len(), answers.len(), "one answer for each key");
            self.contains_batch(keys.batch(), answers);
        }

        /// Is the key with this hash in the set? The hash is one of the filter's key hasher; where
        /// that has none, all that can be said is `true`: perhaps.
        #[must_use]
        $($vis)? fn contains_hash(&self, hash: u64) -> bool {
            let mut answer = [false];
            self.contains_many_hashes(&[hash], &mut answer);
            answer[0]
        }

        /// [`contains_hash`](Self::contains_hash) for many; `answers[i]` is for `hashes[i]`.
        ///
        /// # Panics
        /// If the two slices differ in length.
        $($vis)? fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
            assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
            self.contains_batch(Batch::Hashes(hashes), answers);
        }

        /// How often a key is in, where the filter counts: at least as often as it was inserted.
        #[must_use]
        $($vis)? fn count<K: Key + ?Sized>(&self, key: &K) -> Option<u64> {
            self.count_key(key.key(&mut KeySink::new()))
        }

        /// How keys become hashes or bits.
        #[must_use]
        $($vis)? fn scheme(&self) -> Scheme {
            Filter::key_hasher(self).scheme()
        }

        /// What the keys are.
        #[must_use]
        $($vis)? fn key_domain(&self) -> KeyDomain {
            Filter::key_hasher(self).key_domain()
        }
    };
}

/// Changing.
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
        /// As [`insert`](Self::insert). The keys before the refused one are in:
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

        /// Inserts a key by its hash, which the filter's key hasher has computed, or the caller in
        /// a filter of the caller's hashes. `true`: the key is surely new.
        ///
        /// # Errors
        /// As [`insert`](Self::insert); [`Error::NoHash`](crate::Error::NoHash) where the scheme
        /// has no 64-bit hash.
        $($vis)? fn insert_hash(&mut self, hash: u64) -> Result<bool> {
            let mut was_in = [false];
            self.contains_batch(Batch::Hashes(&[hash]), &mut was_in);
            self.insert_many_hashes(&[hash])?;
            Ok(!was_in[0])
        }

        /// [`insert_hash`](Self::insert_hash) for many.
        ///
        /// # Errors
        /// As [`insert_many`](Self::insert_many); [`Error::NoHash`](crate::Error::NoHash) where the
        /// scheme has no 64-bit hash.
        $($vis)? fn insert_many_hashes(&mut self, hashes: &[u64]) -> Result<()> {
            Filter::key_hasher(self).check_has_hash()?;
            self.insert_batch(Batch::Hashes(hashes), 0)
        }

        /// Takes one copy of a key away.
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

/// What is known of a filter, as inherent calls of a type that stands for any kind: it hands them
/// on to its [`Filter`].
macro_rules! about_calls {
    () => {
        /// What the filter is.
        #[must_use]
        pub fn kind(&self) -> Kind {
            Filter::kind(self)
        }

        /// What it can do.
        #[must_use]
        pub fn can(&self) -> Can {
            Filter::can(self)
        }

        /// What the filter does with a key: to hash ahead of it.
        #[must_use]
        pub fn key_hasher(&self) -> KeyHasher {
            Filter::key_hasher(self).clone()
        }

        /// The share of wrong answers now, from the bits: of keys that are not in it and whose
        /// hashes are spread evenly. Each kind says whether it is exact. It is an estimate of a
        /// chain of Bloom filters and of some schemes of other programs
        /// ([`BloomFilter::false_positive_rate`](crate::BloomFilter::false_positive_rate)), and of
        /// maps where some values have no name. Beside a divider it is the most: of keys that were
        /// no exceptions about half are denied too.
        #[must_use]
        pub fn false_positive_rate(&self) -> f64 {
            Filter::false_positive_rate(self)
        }

        /// The share of wrong answers promised as long as the filter holds no more than its
        /// capacity.
        #[must_use]
        pub fn promised_false_positive_rate(&self) -> f64 {
            Filter::promised_false_positive_rate(self)
        }

        /// Keys the filter was planned for; of a chain, of all its links.
        #[must_use]
        pub fn capacity(&self) -> u64 {
            Filter::capacity(self)
        }

        /// What happens when more keys come than that.
        #[must_use]
        pub fn over_capacity(&self) -> OverCapacity {
            Filter::over_capacity(self)
        }

        /// Does the filter hold more than it was planned for?
        #[must_use]
        pub fn is_over_capacity(&self) -> bool {
            Filter::is_over_capacity(self)
        }

        /// Does it refuse every new key, now as it is? Keys that are in it, or look so, are still
        /// taken.
        #[must_use]
        pub fn is_full(&self) -> bool {
            Filter::is_full(self)
        }

        /// Free text about the set.
        #[must_use]
        pub fn labels(&self) -> &Labels {
            Filter::labels(self)
        }

        /// How many keys were given to it, repeats included, where that is known:
        /// [`Filter::keys_inserted`](crate::Filter::keys_inserted).
        #[must_use]
        pub fn keys_inserted(&self) -> Option<u64> {
            Filter::keys_inserted(self)
        }

        /// How many different keys are in it, going by the bits alone.
        #[must_use]
        pub fn estimated_len(&self) -> f64 {
            Filter::estimated_len(self)
        }

        /// Bytes that the bits take in memory.
        #[must_use]
        pub fn size_in_bytes(&self) -> u64 {
            Filter::size_in_bytes(self)
        }

        /// The fill of equal parts of the array, for a picture; of several filters, of the largest.
        #[must_use]
        pub fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
            Filter::fill_of_slices(self, slices)
        }

        /// How many times smaller [`fold`](Self::fold) can make it. Nothing for a kind that does
        /// not fold.
        #[must_use]
        pub fn fold_factors(&self) -> Vec<u64> {
            Filter::fold_factors(self)
        }

        /// [`size_in_bytes`](Self::size_in_bytes) after [`fold`](Self::fold) by one of
        /// [`fold_factors`](Self::fold_factors), to plan with. `None` for what does not fold.
        #[must_use]
        pub fn folded_size_in_bytes(&self, factor: u64) -> Option<u64> {
            Filter::folded_size_in_bytes(self, factor)
        }

        /// Holds the bits against what the file says of them: the rest of what a quick opening has
        /// left out. A filter that is in memory has been checked; there is nothing to do then.
        ///
        /// # Errors
        /// [`Error::Damaged`](crate::Error::Damaged), with the bytes of the first chunk that is;
        /// [`Error::WrongSeal`](crate::Error::WrongSeal) for a file that was changed without the
        /// key of its seal.
        pub fn verify(&self) -> Result<()> {
            Filter::verify(self)
        }

        /// Forgets all keys. A chain becomes its first link.
        ///
        /// # Errors
        /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for a mapped
        /// filter's copy; [`Error::NotPossible`](crate::Error::NotPossible) for a static filter.
        pub fn clear(&mut self) -> Result<()> {
            MutableFilter::clear(self)
        }

        /// Changes what happens past capacity. A tepal file keeps it, other files do not.
        ///
        /// # Errors
        /// [`Error::NotPossible`](crate::Error::NotPossible) for a kind that has one policy.
        pub fn set_over_capacity(&mut self, policy: OverCapacity) -> Result<()> {
            MutableFilter::set_over_capacity(self, policy)
        }

        /// Puts other texts about the set in the place of those there are. A tepal file keeps them,
        /// other files do not.
        ///
        /// # Errors
        /// [`Error::Parameter`](crate::Error::Parameter) for text that a file cannot hold;
        /// [`Error::NotPossible`](crate::Error::NotPossible) for a chain, whose files have none.
        pub fn set_labels(&mut self, labels: Labels) -> Result<()> {
            MutableFilter::set_labels(self, labels)
        }

        /// Takes one copy of a key away, by its hash:
        /// [`MutableFilter::remove_hash`](crate::MutableFilter::remove_hash).
        ///
        /// # Errors
        /// As there.
        pub fn remove_hash(&mut self, hash: u64) -> Result<Removal> {
            MutableFilter::remove_hash(self, hash)
        }

        /// Takes one copy of each prepared key away:
        /// [`MutableFilter::remove_prepared`](crate::MutableFilter::remove_prepared).
        ///
        /// # Errors
        /// As there.
        pub fn remove_prepared(&mut self, keys: &PreparedKeys) -> Result<u64> {
            MutableFilter::remove_prepared(self, keys)
        }

        /// Tells a filter whose keys expire the time. Says by how many generations.
        ///
        /// # Errors
        /// [`Error::NotPossible`](crate::Error::NotPossible) for a kind whose keys do not expire,
        /// or expire by their number.
        pub fn advance_to(&mut self, time: u64) -> Result<u64> {
            MutableFilter::advance_to(self, time)
        }
    };
}

/// A type that stands for a filter hands everything on to it: `$inner` and `$inner_mut` are the
/// filter of `$self`. What is left out does not compile, or is found by clippy where the trait has
/// an answer of its own.
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

            fn instead(&$self, operation: Operation) -> &'static str {
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

            // The inherent calls have the name.
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

/// What there is to say of every filter; a kind puts in what it has beside that.
pub(crate) fn usual_facts(filter: &dyn Filter) -> Facts {
    let keys = filter.key_hasher();
    Facts {
        kind: filter.kind(),
        scheme: keys.scheme(),
        seed: keys.seed(),
        valkey_seed: keys.valkey_seed(),
        caller_hash: keys.caller_hash(),
        key_domain: keys.key_domain(),
        recipe: keys.recipe(),
        capacity: filter.capacity(),
        promised_false_positive_rate: filter.promised_false_positive_rate(),
        expansion: None,
        window: None,
        exceptions: 0,
        is_divided: false,
        over_capacity: filter.over_capacity(),
        is_over_capacity: filter.is_over_capacity(),
        is_full: filter.is_full(),
        keys_inserted: filter.keys_inserted(),
        estimated_len: filter.estimated_len(),
        false_positive_rate: filter.false_positive_rate(),
        size_in_bytes: filter.size_in_bytes(),
        labels: filter.labels().clone(),
        parts: Vec::new(),
        tables: Vec::new(),
        segments: Vec::new(),
        ribbon: None,
        warnings: filter.warnings(),
        file: None,
    }
}

/// Asking a filter of whatever kind for keys of every type: what every [`Filter`] has.
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

/// Changing a filter of whatever kind by keys of every type: what every [`MutableFilter`] has.
pub trait Change: MutableFilter {
    change_calls!();
}

impl<F: MutableFilter + ?Sized> Change for F {}
