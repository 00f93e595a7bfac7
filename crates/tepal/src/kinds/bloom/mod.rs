//! The Bloom filter, in every layout: the struct, and asking it.
//!
//! Asking for many keys is in [`batch`], building in [`builder`], inserting in [`insert`], both over many
//! threads in `bulk`, from iterators in [`iter`], inserting by threads of the caller's in `shared`, union, intersection and folding in
//! [`combine`], rates and fill in [`measure`], schemes without a hash in [`positions`], the bits alone in [`raw`], what a file holds of it in
//! [`part`], what every kind of filter does in [`kind`].

mod batch;
mod builder;
#[cfg(feature = "parallel")]
pub(crate) mod bulk;
mod combine;
mod embedded;
mod insert;
mod iter;
mod kind;
mod measure;
mod part;
mod positions;
mod raw;
#[cfg(target_has_atomic = "64")]
mod shared;

use core::fmt;

pub(crate) use batch::put_bits;
pub use builder::BloomFilterBuilder;
pub(crate) use builder::shape_of;
#[cfg(feature = "parallel")]
pub(crate) use bulk::answer_in_bulk;
pub(crate) use embedded::Embedded;
pub(crate) use insert::after;
#[cfg(target_has_atomic = "64")]
pub use shared::Shared;

use super::in_file::{BodyChecked, Ref};
use super::storage::{self, InMemory, Mapped, PlainStorage, Storage};
use crate::bits::LINE_BYTES;
use crate::bits::kernel::Kernel;
use crate::bits::rules::Rules;
use crate::bits::shape::Shape;
use crate::error::Result;
use crate::facts::Labels;
use crate::ids::{KeyDomain, Layout, OverCapacity, Scheme};
use crate::key::{Key, KeyHasher, KeySink, One, Recipe, is_perhaps_in};

/// A set that forgets its keys and keeps their trace: "have I seen this key?"
///
/// [`contains`](Self::contains) answering `false` is certain: the key was never inserted. `true` means
/// *perhaps*: about a promised share of the keys that were never inserted get it too. Keys are bytes,
/// text or integers ([`Key`]). The filter grows no larger than it was built, and no key can be removed.
///
/// `L` is where the bits live: [`InMemory`](crate::InMemory), [`Mapped`](crate::Mapped) for an opened file,
/// [`InBytes`](crate::InBytes) for bytes of the caller's, [`Shared`] for one into which many threads insert at once. All are asked by the
/// same code and turn into a filter in memory by [`into_owned`](Self::into_owned).
///
/// ```
/// use tepal::BloomFilter;
/// let mut seen = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.01).build()?;
/// assert!(seen.insert("570108428378")?);    // true: surely new
/// assert!(seen.contains("570108428378"));   // true: perhaps (here: certainly inserted)
/// assert!(!seen.contains("000000000000"));  // false: certainly never inserted
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone)]
pub struct BloomFilter<L = InMemory> {
    pub(crate) meta: Meta,
    pub(crate) rules: Rules,
    kernel: Kernel,
    pub(crate) lines: L,
    tally: insert::Tally,
    /// What the bits are held against, where they are those of an opened file.
    body_check: Option<Ref<dyn BodyChecked>>,
}

/// Everything about a filter that is not its bits: what the header of a file holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) shape: Shape,
    pub(crate) keys: KeyHasher,
    pub(crate) over_capacity: OverCapacity,
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
    /// Keys given to it, repeats included, where that is known.
    pub(crate) inserted: Option<u64>,
    pub(crate) labels: Labels,
}

impl<L> BloomFilter<L> {
    pub(crate) fn from_parts(meta: Meta, lines: L, set_bits: u64) -> Self {
        let tally = insert::Tally::new(&meta, set_bits);
        let rules = Rules::new(meta.shape);
        BloomFilter { rules, kernel: Kernel::best(&rules), meta, lines, tally, body_check: None }
    }

    /// The same filter with its bits elsewhere, where nothing is held against them.
    pub(crate) fn map_lines<M>(self, lines: impl FnOnce(L) -> M) -> BloomFilter<M> {
        let BloomFilter { meta, rules, kernel, tally, .. } = self;
        BloomFilter { meta, rules, kernel, lines: lines(self.lines), tally, body_check: None }
    }
}

impl BloomFilter<Mapped> {
    /// The same filter with the bits that it has been waiting for, and what they are held against.
    pub(crate) fn with_lines<M>(self, lines: M) -> BloomFilter<M> {
        let body_check = self.body_check.clone();
        BloomFilter { body_check, ..self.map_lines(|_| lines) }
    }
}

impl<L: Storage> BloomFilter<L> {
    /// Is the key in the set?
    ///
    /// `false` is certain: it was never inserted. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too.
    ///
    /// A key that the filter's domain refuses (text that is no integer, in an integer filter) cannot have
    /// been inserted, and the answer is `false`; [`hash_key`](Self::hash_key) tells the two apart. Under
    /// [`Scheme::CallerHash`] the filter cannot hash a key, and the answer is `true`.
    ///
    /// Costs one hash and one or two memory accesses (layout `scattered`: up to k).
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        let mut sink = KeySink::new();
        let key = key.key(&mut sink);
        match self.meta.keys.own() {
            None => match self.meta.keys.hash_ref(key) {
                Ok(hash) => self.kernel.contains(&self.rules, self.lines.view().0, hash),
                Err(error) => is_perhaps_in(&error),
            },
            Some(own) => self.contains_positions(own, One::Key(key)).unwrap_or(false),
        }
    }

    /// [`contains`](Self::contains) for a key hashed before by [`hash_key`](Self::hash_key), by an equal
    /// [`key_hasher`](Self::key_hasher), or by the caller under [`Scheme::CallerHash`].
    ///
    /// A hash from a filter with another hasher gets a meaningless answer. Where the scheme has no 64-bit hash, all that
    /// can be said is `true`: perhaps.
    #[inline]
    pub fn contains_hash(&self, hash: u64) -> bool {
        !self.has_hash() || self.kernel.contains(&self.rules, self.lines.view().0, hash)
    }

    /// [`contains`](Self::contains) for a caller who waits for each answer before the next question, as on a
    /// walk where the answer says where to go: it branches, so that a CPU which guesses the answer goes on before
    /// the memory has given it. There about 3 times as fast out of cache (`cargo run --release -p tepal --example
    /// branching -- 20000000`); where questions do not wait for each other, no faster.
    #[inline]
    pub fn contains_branching<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.meta.keys.hash(key) {
            Ok(hash) => self.kernel.contains_branching(&self.rules, self.lines.view().0, hash),
            Err(_) => self.contains(key),
        }
    }

    /// The hash of a key under this filter's recipe, key domain, scheme and seed, to be used with the `_hash`
    /// forms of this filter and of all filters that share them: [`KeyHasher::hash`] of its
    /// [`key_hasher`](Self::key_hasher).
    ///
    /// # Errors
    /// As [`KeyHasher::hash`].
    #[inline]
    pub fn hash_key<K: Key + ?Sized>(&self, key: &K) -> Result<u64> {
        self.meta.keys.hash(key)
    }

    /// What the filter does with a key, for threads and programs that hash ahead of it.
    pub fn key_hasher(&self) -> KeyHasher {
        self.meta.keys.clone()
    }

    /// Does the scheme have a 64-bit hash, so that the `_hash` calls can be used?
    pub fn has_hash(&self) -> bool {
        self.meta.keys.has_hash()
    }

    /// To be called before the bits go into another filter or file, whose new checksums would hide what is
    /// wrong with them. Costs a pass over the bits of a filter that was opened quick and not verified since;
    /// else nothing.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        match (&self.body_check, self.lines.view().0) {
            (Some(check), crate::bits::Bits::Plain(lines)) if !check.has_passed() => check.run(lines),
            _ => Ok(()),
        }
    }

    /// Which bits a hash sets.
    pub fn layout(&self) -> Layout {
        self.meta.shape.layout
    }

    /// Bits set for each key, k.
    pub fn num_hashes(&self) -> u32 {
        self.meta.shape.num_hashes
    }

    /// Bits of the array, m.
    pub fn bit_len(&self) -> u64 {
        self.meta.shape.bit_len
    }

    /// Bytes that the bit array takes in memory.
    pub fn size_in_bytes(&self) -> u64 {
        self.meta.shape.lines() * LINE_BYTES
    }

    /// How key bytes become a hash.
    pub fn scheme(&self) -> Scheme {
        self.meta.keys.scheme()
    }

    /// The public seed of the hash; `None` for a keyed filter and for schemes without a seed.
    pub fn seed(&self) -> Option<u64> {
        self.meta.keys.seed()
    }

    /// What the keys are.
    pub fn key_domain(&self) -> KeyDomain {
        self.meta.keys.key_domain()
    }

    /// What the filter does to a key before it is hashed.
    pub fn recipe(&self) -> Recipe {
        self.meta.keys.recipe()
    }

    /// Free text about the set.
    pub fn labels(&self) -> &Labels {
        &self.meta.labels
    }

    /// Keys the filter was planned for.
    pub fn capacity(&self) -> u64 {
        self.meta.capacity
    }

    /// Bits of the array for each key of the capacity.
    pub fn bits_per_key(&self) -> f64 {
        self.bit_len() as f64 / self.capacity() as f64
    }

    /// What happens when more keys come than that.
    pub fn over_capacity(&self) -> OverCapacity {
        self.meta.over_capacity
    }

    /// The share of wrong answers promised as long as the filter holds no more than its capacity.
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.meta.promised_rate
    }

    /// How many keys were given to it, repeats included; `None` after an intersection.
    pub fn keys_inserted(&self) -> Option<u64> {
        self.meta.inserted?.checked_add(self.lines.inserted_since()?)
    }

    /// The CPU level whose loops this filter runs: `baseline` or `avx2`. All levels answer alike.
    pub fn cpu_level(&self) -> &'static str {
        self.kernel.level()
    }

    /// The filter in memory, to be changed through `&mut`: a copy, or the same memory where threads shared it.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) where there is no memory for it; [`Error::Damaged`](crate::Error::Damaged) for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn into_owned(self) -> Result<BloomFilter> {
        self.check_before_copying()?;
        let (set_bits, inserted) = (self.set_bits(), self.keys_inserted());
        let lines = self.lines.into_lines()?;
        Ok(BloomFilter::from_parts(Meta { inserted, ..self.meta }, InMemory(lines), set_bits))
    }
}

/// Two filters are equal when they give every key the same answer for the same reason: same shape, hash,
/// domain, recipe and bits. Capacity, labels and counts do not matter.
impl<L: PlainStorage, M: PlainStorage> PartialEq<BloomFilter<M>> for BloomFilter<L> {
    fn eq(&self, other: &BloomFilter<M>) -> bool {
        self.check_compatible(other).is_ok() && self.lines.as_lines() == other.lines.as_lines()
    }
}

impl<L: Storage> fmt::Debug for BloomFilter<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BloomFilter")
            .field("layout", &self.layout())
            .field("num_hashes", &self.num_hashes())
            .field("bit_len", &self.bit_len())
            .field("capacity", &self.capacity())
            .field("promised_false_positive_rate", &self.promised_false_positive_rate())
            .field("keys_inserted", &self.keys_inserted())
            .field("scheme", &self.scheme())
            .field("seed", &self.seed())
            .field("key_domain", &self.key_domain())
            .field("over_capacity", &self.over_capacity())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
