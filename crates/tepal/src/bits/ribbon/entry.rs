//! A key to be stored in a ribbon.

/// The hash of a key, and the value to store for it. Entries are sorted by hash.
pub(crate) trait Entry: Copy + Ord + Send + Sync {
    /// The hash.
    fn hash(self) -> u64;

    /// The same key with its hash in another layer.
    fn with_hash(self, hash: u64) -> Self;

    /// The value; 0 if only the fingerprint is stored.
    fn value(self) -> u64;
}

/// A key of a filter.
impl Entry for u64 {
    #[inline(always)]
    fn hash(self) -> u64 {
        self
    }

    #[inline(always)]
    fn with_hash(self, hash: u64) -> Self {
        hash
    }

    #[inline(always)]
    fn value(self) -> u64 {
        0
    }
}

/// A key of a map.
impl Entry for (u64, u32) {
    #[inline(always)]
    fn hash(self) -> u64 {
        self.0
    }

    #[inline(always)]
    fn with_hash(self, hash: u64) -> Self {
        (hash, self.1)
    }

    #[inline(always)]
    fn value(self) -> u64 {
        self.1.into()
    }
}
