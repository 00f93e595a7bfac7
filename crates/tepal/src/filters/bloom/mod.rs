//! The Bloom filter, in every layout: the struct, and asking it.
//!
//! Asking for many keys is in [`batch`], building in [`builder`], inserting in [`insert`], both over many
//! threads in `bulk`, inserting by threads of the caller's in `shared`, union, intersection and folding in
//! [`combine`], rates and fill in [`measure`], schemes with a rule of their own in [`own`], where the bits live in
//! [`storage`].

mod batch;
mod builder;
#[cfg(feature = "parallel")]
mod bulk;
mod combine;
mod insert;
mod measure;
mod own;
#[cfg(target_has_atomic = "64")]
mod shared;
pub(crate) mod storage;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

pub use builder::BloomFilterBuilder;
#[cfg(target_has_atomic = "64")]
pub use shared::Shared;
use storage::Bits;
pub use storage::Storage;

use crate::bits::kernel::Kernel;
use crate::bits::{LINE_BYTES, Line};
use crate::error::{Error, Result};
use crate::format::check::BodyCheck;
use crate::hash::{Hasher, Key, KeyDomain, Recipe, Scheme};
use crate::probe::{Layout, Rules, Shape};
use crate::schemes::Own;

/// A set that forgets its keys and keeps their trace: "have I seen this key?"
///
/// [`contains`](Self::contains) answering `false` is certain: the key was never inserted. `true` means
/// *perhaps*: about a promised share of the keys that were never inserted get it too. Keys are bytes,
/// text or integers ([`Key`]). The filter grows no larger than it was built, and no key can be removed.
///
/// `L` is where the bits live: `Vec<Line>` for a filter in memory, [`Mapped`](crate::Mapped) for an
/// opened file, [`Shared`] for one into which many threads insert at once. All are asked by the
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
pub struct BloomFilter<L = Vec<Line>> {
    pub(crate) meta: Meta,
    pub(crate) rules: Rules,
    pub(crate) kernel: &'static Kernel,
    pub(crate) lines: L,
    tally: insert::Tally,
    /// What the bits must be, where they are those of an opened file.
    pub(crate) body_check: Option<Arc<BodyCheck>>,
}

/// Everything about a filter that is not its bits: what the header of a file holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) shape: Shape,
    pub(crate) hasher: Hasher,
    pub(crate) domain: KeyDomain,
    pub(crate) over_capacity: OverCapacity,
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
    /// Keys given to it, repeats included, where that is known.
    pub(crate) inserted: Option<u64>,
    pub(crate) recipe: Recipe,
    pub(crate) labels: Labels,
}

/// What happens when more keys come than the filter was planned for. Judged by the set bits, not by
/// counting calls: keys that come twice use nothing up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OverCapacity {
    /// Inserting a new key is an error; the promised rate is kept. The default.
    #[default]
    Refuse,
    /// The key goes in, and [`BloomFilter::is_over_capacity`] answers `true` from then on.
    Warn,
    /// The key goes in, and nobody is told; the rate rises.
    Ignore,
}

impl OverCapacity {
    const ALL: [OverCapacity; 3] = [OverCapacity::Refuse, OverCapacity::Warn, OverCapacity::Ignore];

    /// The number that stands for it in a file.
    pub const fn id(self) -> u8 {
        match self {
            OverCapacity::Refuse => 1,
            OverCapacity::Warn => 2,
            OverCapacity::Ignore => 3,
        }
    }

    pub(crate) fn from_id(id: u8) -> Result<Self> {
        Self::ALL.into_iter().find(|p| p.id() == id).ok_or(Error::Unsupported {
            what: "over-capacity policy",
            found: id.into(),
            known: "1 (refuse), 2 (warn) and 3 (ignore)",
        })
    }
}

impl fmt::Display for OverCapacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OverCapacity::Refuse => "refuse",
            OverCapacity::Warn => "warn",
            OverCapacity::Ignore => "ignore",
        })
    }
}

impl FromStr for OverCapacity {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "refuse" => Ok(OverCapacity::Refuse),
            "warn" => Ok(OverCapacity::Warn),
            "ignore" => Ok(OverCapacity::Ignore),
            _ => Err(Error::parameter("the over-capacity policy", name, "`refuse`, `warn` or `ignore`")),
        }
    }
}

/// Free text about the set that travels in the file. None of it changes an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels {
    /// Name of the set.
    pub name: Option<String>,
    /// Where the keys came from.
    pub source: Option<String>,
    /// When, in the writer's own form.
    pub date: Option<String>,
    /// Which field of a row is the key.
    pub field: Option<String>,
}

impl Labels {
    /// Tag and text of each label that is there, in file order (FORMAT.md, section 4.3).
    pub(crate) fn tagged(&self) -> impl Iterator<Item = (u16, &str)> {
        [(1, &self.name), (2, &self.source), (3, &self.date), (4, &self.field)]
            .into_iter()
            .filter_map(|(tag, text)| Some((tag, text.as_deref()?)))
    }

    pub(crate) fn set(&mut self, tag: u16, text: String) -> bool {
        let place = match tag {
            1 => &mut self.name,
            2 => &mut self.source,
            3 => &mut self.date,
            4 => &mut self.field,
            _ => return false,
        };
        *place = Some(text);
        true
    }

    /// The texts must be such as a file can hold.
    pub(crate) fn check(&self) -> Result<()> {
        self.tagged().try_for_each(|(_, text)| check_label(text))?;
        let len: usize = self.tagged().map(|(_, text)| text.len()).sum();
        if len > MOST_LABEL_BYTES {
            let expected = alloc::format!("at most {MOST_LABEL_BYTES} together");
            return Err(Error::parameter("the labels", format_args!("{len} bytes"), expected));
        }
        Ok(())
    }
}

/// Labels that leave room in a file's records for their tags and padding and for a scheme's seed.
const MOST_LABEL_BYTES: usize = 65_000;

/// A text that a file can hold.
pub(crate) fn check_label(text: &str) -> Result<()> {
    if text.is_empty() || text.chars().any(|c| c.is_ascii_control()) {
        let expected = "text that is not empty and has no control characters";
        return Err(Error::parameter("a label", format_args!("{text:?}"), expected));
    }
    Ok(())
}

/// Keys hashed before they are probed together: 4 KiB on the stack.
pub(crate) const BATCH: usize = 512;

impl<L> BloomFilter<L> {
    pub(crate) fn from_parts(meta: Meta, lines: L, set_bits: u64) -> Self {
        let tally = insert::Tally::new(&meta, set_bits);
        let rules = Rules::new(meta.shape);
        BloomFilter { rules, kernel: Kernel::best(&rules), meta, lines, tally, body_check: None }
    }
}

impl<L: Storage> BloomFilter<L> {
    /// Is the key in the set?
    ///
    /// `false` is certain: it was never inserted. `true` means perhaps: about
    /// [`false_positive_rate`](Self::false_positive_rate) of all other keys get it too.
    ///
    /// A key that the filter's domain refuses (text that is no integer, in an integer filter) cannot have
    /// been inserted, and the answer is `false`; [`hash_key`](Self::hash_key) tells the two apart.
    ///
    /// Costs one hash and one or two memory accesses (layout `scattered`: up to k).
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        match self.meta.hasher.own() {
            None => self.hash_key(key).is_ok_and(|h| self.contains_hash(h)),
            Some(own) => self.contains_own(own, key.key()),
        }
    }

    /// [`contains`](Self::contains) for a key hashed before by [`hash_key`](Self::hash_key).
    ///
    /// A hash from a filter with another scheme, seed or key domain gets a meaningless answer. Where the
    /// scheme has no 64-bit hash, all that can be said is `true`: perhaps.
    #[inline]
    pub fn contains_hash(&self, hash: u64) -> bool {
        if self.meta.hasher.own().is_some() {
            return true;
        }
        match self.lines.view().0 {
            Bits::Plain(lines) => self.kernel.contains(&self.rules, lines, hash),
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => self.kernel.shared_contains(&self.rules, &shared.lines, hash),
        }
    }

    /// [`contains`](Self::contains) for a caller who waits for each answer before the next question, as on a
    /// walk where the answer says where to go: it branches, so that a CPU which guesses the answer goes on before
    /// the memory has given it. There about 3 times as fast out of cache (`cargo run --release -p tepal --example
    /// branching -- 20000000`); where questions do not wait for each other, no faster.
    #[inline]
    pub fn contains_branching<K: Key + ?Sized>(&self, key: &K) -> bool {
        let Ok(hash) = self.hash_key(key) else {
            return self.contains(key);
        };
        match self.lines.view().0 {
            Bits::Plain(lines) => self.kernel.contains_branching(&self.rules, lines, hash),
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => self.kernel.shared_contains_branching(&self.rules, &shared.lines, hash),
        }
    }

    /// The hash of a key under this filter's scheme, seed and key domain, to be used with the `_hash`
    /// forms of this filter and of all filters that share the three.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] where the key domain does not have the key, such as text in an integer filter;
    /// [`Error::NoHash`] where the scheme goes from the key straight to the bits
    /// ([`has_hash`](Self::has_hash)).
    #[inline]
    pub fn hash_key<K: Key + ?Sized>(&self, key: &K) -> Result<u64> {
        self.meta.hasher.hash_key(self.meta.domain, key.key())
    }

    /// Does the scheme have a 64-bit hash, so that the `_hash` calls can be used?
    pub fn has_hash(&self) -> bool {
        self.meta.hasher.own().is_none()
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
        self.meta.hasher.scheme()
    }

    /// The public seed of the hash; `None` for a keyed filter and for schemes without a seed.
    pub fn seed(&self) -> Option<u64> {
        match &self.meta.hasher {
            Hasher::Xxh3 { seed } => Some(*seed),
            Hasher::Own(own @ Own::SparkV2 { .. }) => Some(own.parameters()),
            _ => None,
        }
    }

    /// What the keys are.
    pub fn key_domain(&self) -> KeyDomain {
        self.meta.domain
    }

    /// What whoever asks does to a key before it is hashed. The filter itself applies it to nothing.
    pub fn recipe(&self) -> Recipe {
        self.meta.recipe
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
        match self.lines.view().0 {
            Bits::Plain(_) => self.meta.inserted,
            #[cfg(target_has_atomic = "64")]
            Bits::Shared(shared) => self.meta.inserted?.checked_add(shared.inserted()),
        }
    }

    /// The CPU level whose loops this filter runs: `baseline` or `avx2`. All levels answer alike.
    pub fn cpu_level(&self) -> &'static str {
        self.kernel.level()
    }

    /// The filter in memory, to be changed through `&mut`: a copy, or the same memory where threads shared it.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where there is no memory for it; [`Error::Damaged`] for a filter that was opened
    /// [quick](crate::Open::quick) and whose bits are not what was written.
    pub fn into_owned(self) -> Result<BloomFilter> {
        self.check_before_copying()?;
        let (set_bits, inserted) = (self.set_bits(), self.keys_inserted());
        let lines = self.lines.into_lines()?;
        Ok(BloomFilter::from_parts(Meta { inserted, ..self.meta }, lines, set_bits))
    }
}

/// Two filters are equal when they give every key the same answer for the same reason: same shape, hash,
/// domain, recipe and bits. Capacity, labels and counts do not matter.
impl<L: AsRef<[Line]>, M: AsRef<[Line]>> PartialEq<BloomFilter<M>> for BloomFilter<L> {
    fn eq(&self, other: &BloomFilter<M>) -> bool {
        self.check_compatible(other).is_ok() && self.lines.as_ref() == other.lines.as_ref()
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
