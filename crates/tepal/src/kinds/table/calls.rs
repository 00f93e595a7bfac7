//! The public calls that the kinds of one table share, written once. The `impl` of a filter with a
//! `core: TableCore` and `held()` contains `one_table!`, and the `impl` of its builder contains
//! `table_options!`. If a call's documentation differs between kinds, the macro takes it as text.

/// The calls of a filter. `$held` is the number that counts against the capacity.
macro_rules! one_table {
    (
        $(#[$capacity:meta])* capacity;
        $(#[$promised:meta])* promised_false_positive_rate;
        $(#[$rate:meta])* false_positive_rate;
        $(#[$size:meta])* size_in_bytes;
        $(#[$over:meta])* is_over_capacity;
        $(#[$full:meta])* is_full;
        $(#[$contains:meta])* contains;
        $(#[$many:meta])* contains_many;
    ) => {
        $(#[$capacity])*
        #[must_use]
        pub fn capacity(&self) -> u64 {
            self.core.meta.capacity
        }

        $(#[$promised])*
        #[must_use]
        pub fn promised_false_positive_rate(&self) -> f64 {
            self.core.meta.promised_rate
        }

        $(#[$rate])*
        #[must_use]
        pub fn false_positive_rate(&self) -> f64 {
            self.core.table.rate()
        }

        /// How many different fingerprints it holds. That is the number of different keys, except
        /// for the few keys that share a fingerprint.
        #[must_use]
        pub fn distinct_numbers(&self) -> u64 {
            self.core.table.distinct()
        }

        /// U: the number of possible fingerprints. A union needs equal U and equal hashers, if the
        /// kind asks for no more ([`check_compatible`](Self::check_compatible)).
        #[must_use]
        pub fn numbers(&self) -> u64 {
            self.core.numbers()
        }

        $(#[$size])*
        #[must_use]
        pub fn size_in_bytes(&self) -> u64 {
            self.core.table.packing().bytes()
        }

        /// The policy past the capacity.
        #[must_use]
        pub fn over_capacity(&self) -> crate::ids::OverCapacity {
            self.core.meta.over_capacity
        }

        /// Changes the policy past the capacity.
        ///
        /// # Errors
        /// None: a filter of this kind takes every policy.
        pub fn set_over_capacity(&mut self, policy: crate::ids::OverCapacity) -> crate::error::Result<()> {
            self.core.meta.over_capacity = policy;
            Ok(())
        }

        $(#[$over])*
        #[must_use]
        pub fn is_over_capacity(&self) -> bool {
            self.core.is_over_capacity(self.held())
        }

        $(#[$full])*
        #[inline]
        #[must_use]
        pub fn is_full(&self) -> bool {
            self.core.is_full(self.held())
        }

        crate::kinds::calls::about_keys!(core.meta);

        /// Checks the table against what the file says of it. After
        /// [`Open::quick`](crate::Open::quick) these are the checks that opening left out.
        ///
        /// # Errors
        /// [`Error::Damaged`](crate::Error::Damaged); [`Error::WrongSeal`](crate::Error::WrongSeal)
        /// for a file that was changed without its seal key.
        pub fn verify(&self) -> crate::error::Result<()> {
            self.core.table.verify()
        }

        $(#[$contains])*
        ///
        /// Costs one hash and one memory access, seldom two.
        #[inline]
        #[must_use]
        pub fn contains<K: crate::key::Key + ?Sized>(&self, key: &K) -> bool {
            let mut sink = crate::key::KeySink::new();
            let key = key.key(&mut sink);
            match self.core.meta.keys.usual_hash(key) {
                Some(hash) => self.core.table.contains(hash),
                None => self.core.contains_any(&{ key }),
            }
        }

        /// [`contains`](Self::contains) for a hash, computed by [`hash_key`](Self::hash_key), by an
        /// equal [`key_hasher`](Self::key_hasher), or by the caller.
        #[inline]
        #[must_use]
        pub fn contains_hash(&self, hash: u64) -> bool {
            self.core.table.contains(hash)
        }

        crate::kinds::calls::ask_many!(core.meta; $(#[$many])*);

        /// [`contains_many`](Self::contains_many) for hashes; `answers[i]` is for `hashes[i]`.
        ///
        /// # Panics
        /// If the two slices differ in length.
        pub fn contains_many_hashes(&self, hashes: &[u64], answers: &mut [bool]) {
            assert_eq!(hashes.len(), answers.len(), "one answer for each hash");
            self.core.table.contains_many(hashes, answers);
        }
    };
}

/// The calls of a builder with the fields `keys: KeyOptions`, `labels: Labels` and
/// `promise: Promise`. `$kind` is the filter's name with its article, for errors.
macro_rules! table_options {
    (
        $kind:literal;
        $(#[$capacity:meta])* capacity;
        $(#[$rate:meta])* false_positive_rate;
        $(#[$over:meta])* over_capacity;
    ) => {
        $(#[$capacity])*
        pub fn capacity(mut self, capacity: u64) -> Self {
            self.promise.capacity = Some(capacity);
            self
        }

        $(#[$rate])*
        pub fn false_positive_rate(mut self, rate: f64) -> Self {
            self.promise.rate = Some(rate);
            self
        }

        crate::kinds::calls::key_options!($kind);

        $(#[$over])*
        pub fn over_capacity(mut self, policy: crate::ids::OverCapacity) -> Self {
            self.promise.over_capacity = policy;
            self
        }
    };
}

pub(super) use {one_table, table_options};
