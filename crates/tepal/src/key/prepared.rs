//! Keys that are ready for a filter: hashed, or encoded under a scheme without a hash.

use alloc::vec::Vec;

use super::key_ref::KeyRef;

/// Keys hashed before they are probed together: 4 KiB on the stack.
pub(crate) const BATCH: usize = 512;
/// The same of a batch that is known to be short.
pub(super) const SHORT_BATCH: usize = 32;

/// Bytes of a key that is not long.
const SHORT: usize = 16;

/// Keys made ready by a [`KeyHasher`](super::KeyHasher), for its filters: 64-bit hashes, or the
/// bytes that stand for the keys under a scheme that has none. Whoever prepares keys need not know
/// which.
///
/// What was prepared by one hasher means nothing to another, so only keys of one hasher go
/// together.
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
    /// Where each key ends in `bytes`.
    ends: Vec<usize>,
}

impl PreparedKeys {
    /// Keys of which the caller has kept the [`hashes`](Self::hashes).
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

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len() + self.ends.len()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all keys, and keeps the memory.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    /// The hashes, where the scheme has them: what the calls whose names end in `_hashes` take.
    #[must_use]
    pub fn hashes(&self) -> Option<&[u64]> {
        self.ends.is_empty().then_some(&self.hashes)
    }

    /// The hashes, to be put in another order or thinned out.
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

    /// Makes room for so many short keys by their bytes.
    pub(crate) fn reserve_bytes(&mut self, keys: usize) {
        self.bytes.reserve(SHORT * keys);
        self.ends.reserve(keys);
    }

    #[inline]
    pub(crate) fn push_hash(&mut self, hash: u64) {
        self.hashes.push(hash);
    }

    #[inline]
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// The bytes that stand for each key, in order.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }

    /// As a filter takes them.
    pub(crate) fn batch(&self) -> Batch<'_> {
        if self.ends.is_empty() { Batch::Hashes(&self.hashes) } else { Batch::Bytes(self) }
    }
}

/// Some prepared keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Batch<'a> {
    /// By their hashes.
    Hashes(&'a [u64]),
    /// By the bytes that stand for them.
    Bytes(&'a PreparedKeys),
    /// One key by itself.
    One(One<'a>),
}

/// A key by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum One<'a> {
    /// As the caller holds it.
    Key(KeyRef<'a>),
    /// By the bytes that stand for it under a scheme without a hash.
    Encoded(&'a [u8]),
}
