//! Prepared keys: hashed, or encoded if the scheme has no hash.

use alloc::vec::Vec;

use super::key_ref::KeyRef;

/// Keys of a batch: all are hashed, then all are looked up. The hashes take 4 KiB on the stack.
pub(crate) const BATCH: usize = 512;
/// The number of keys in a batch that is known to be short.
pub(super) const SHORT_BATCH: usize = 32;

/// Bytes of a short key.
const SHORT: usize = 16;

/// Keys prepared by a [`KeyHasher`](super::KeyHasher) for its filters: 64-bit hashes, or the
/// encoded bytes of the keys if the scheme has no hash. The caller need not know which.
///
/// Do not mix keys of different hashers: a filter can use only keys that were prepared by a hasher
/// equal to its own.
///
#[cfg_attr(feature = "foreign", doc = "```")]
#[cfg_attr(not(feature = "foreign"), doc = "```ignore")]
/// use tepal::{AnyFilter, BloomFilter, Scheme, hash::PreparedKeys};
/// for scheme in [Scheme::Xxh3, Scheme::GuavaMitz64] {
///     let builder = BloomFilter::builder().capacity(100).scheme(scheme);
///     let mut filter = AnyFilter::from(builder.build()?);
///     let hasher = filter.key_hasher();
///     let mut keys = PreparedKeys::default();
///     hasher.prepare("apple", &mut keys)?;
///     hasher.prepare("banana", &mut keys)?;
///     filter.insert_prepared(&keys)?;
///     assert!(filter.contains("banana"));
/// }
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedKeys {
    hashes: Vec<u64>,
    bytes: Vec<u8>,
    /// The end of each key in `bytes`.
    ends: Vec<usize>,
}

impl PreparedKeys {
    /// Prepared keys from [`hashes`](Self::hashes) that the caller kept.
    ///
    /// ```
    /// use tepal::{AnyFilter, BloomFilter, hash::PreparedKeys};
    /// let mut filter = AnyFilter::from(BloomFilter::builder().capacity(100).build()?);
    /// let kept = vec![filter.key_hasher().hash("apple")?];
    /// filter.insert_prepared(&PreparedKeys::from_hashes(kept))?;
    /// assert!(filter.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    pub const fn from_hashes(hashes: Vec<u64>) -> Self {
        PreparedKeys { hashes, bytes: Vec::new(), ends: Vec::new() }
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len() + self.ends.len()
    }

    /// Is the list empty?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    /// The hashes, if the scheme has them: the input of the calls whose names end in `_hashes`.
    #[must_use]
    pub fn hashes(&self) -> Option<&[u64]> {
        self.ends.is_empty().then_some(&self.hashes)
    }

    /// The hashes, to be sorted or filtered.
    pub(crate) fn hashes_mut(&mut self) -> Option<&mut Vec<u64>> {
        self.ends.is_empty().then_some(&mut self.hashes)
    }

    #[inline]
    pub(crate) fn has_bytes(&self) -> bool {
        !self.ends.is_empty()
    }

    #[inline]
    pub(crate) fn has_hashes(&self) -> bool {
        !self.hashes.is_empty()
    }

    /// Reserves memory for this number of short keys by their bytes.
    pub(crate) fn reserve_bytes(&mut self, keys: usize) {
        self.bytes.reserve(SHORT * keys);
        self.ends.reserve(keys);
    }

    #[inline]
    pub(crate) fn push_hash(&mut self, hash: u64) {
        self.hashes.push(hash);
    }

    /// Appends `keys` hashes, which `fill` writes. Appends none if `fill` returns `false` or if the
    /// other keys are bytes. Returns whether it appended them.
    #[inline]
    pub(super) fn push_hashes(&mut self, keys: usize, fill: impl FnOnce(&mut [u64]) -> bool) -> bool {
        let before = self.hashes.len();
        self.hashes.resize(before + keys, 0);
        let is_filled = !self.has_bytes() && fill(&mut self.hashes[before..]);
        if !is_filled {
            self.hashes.truncate(before);
        }
        is_filled
    }

    #[inline]
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// The encoded bytes of each key, in order.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }

    /// The keys in the form in which a filter accepts them.
    pub(crate) fn batch(&self) -> Batch<'_> {
        if self.ends.is_empty() { Batch::Hashes(&self.hashes) } else { Batch::Bytes(self) }
    }
}

/// One or several prepared keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Batch<'a> {
    /// By their hashes.
    Hashes(&'a [u64]),
    /// By their encoded bytes.
    Bytes(&'a PreparedKeys),
    /// A single key.
    One(One<'a>),
}

/// A single key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum One<'a> {
    /// As the caller holds it.
    Key(KeyRef<'a>),
    /// By its encoded bytes, for a scheme without a hash.
    Encoded(&'a [u8]),
}
