//! Calls that several kinds share, written once as macros. Each kind's `impl` names the macros that
//! it takes. The fields that a macro uses, such as `self.meta.keys`, belong to the kind.

/// A builder's calls about keys and labels, for a kind that needs a 64-bit hash. The builder has
/// the fields `keys: KeyOptions` and `labels: Labels`. `$kind` is the filter's name with its
/// article, for errors.
macro_rules! key_options {
    ($kind:literal) => {
        /// The public seed of the hash:
        /// [`BloomFilterBuilder::seed`](crate::builders::BloomFilterBuilder::seed).
        pub fn seed(mut self, seed: u64) -> Self {
            self.keys.parameters.seed = Some(seed);
            self
        }

        /// Derives a seed for a purpose:
        /// [`BloomFilterBuilder::seed_for`](crate::builders::BloomFilterBuilder::seed_for).
        pub fn seed_for(self, purpose: &str) -> Self {
            self.seed(crate::key::schemes::xxh3::seed_for(purpose))
        }

        /// Hashes with SipHash-1-3 under this secret. Without the secret nobody can choose keys
        /// with equal or neighbouring fingerprints:
        /// [`BloomFilterBuilder::secret_key`](crate::builders::BloomFilterBuilder::secret_key).
        pub fn secret_key(mut self, key: crate::key::SecretKey) -> Self {
            self.keys.parameters.secret = Some(key);
            self
        }

        /// The hash scheme; it must have a 64-bit hash.
        pub fn scheme(mut self, scheme: crate::ids::Scheme) -> Self {
            self.keys.scheme = Some(scheme);
            self
        }

        /// For keys that the caller hashes:
        /// [`BloomFilterBuilder::caller_hash`](crate::builders::BloomFilterBuilder::caller_hash).
        pub fn caller_hash(mut self, name: impl Into<alloc::string::String>) -> Self {
            self.keys.set_caller_hash(name.into());
            self
        }

        /// The type of the keys: bytes (the default) or 64-bit integers.
        pub fn key_domain(mut self, domain: crate::ids::KeyDomain) -> Self {
            self.keys.domain = domain;
            self
        }

        /// Changes that are made to a key before it is hashed.
        pub fn recipe(mut self, recipe: crate::key::Recipe) -> Self {
            self.keys.recipe = recipe;
            self
        }

        /// Free text about the set, stored in the file.
        pub fn labels(mut self, labels: crate::facts::Labels) -> Self {
            self.labels = labels;
            self
        }

        /// The key hasher that the filter will have, before there is a filter.
        ///
        /// # Errors
        /// [`Error::Parameter`](crate::Error::Parameter) if the seed or the secret key does not fit
        /// the scheme, and for a scheme without a 64-bit hash.
        pub fn key_hasher(&self) -> crate::error::Result<crate::key::KeyHasher> {
            self.keys.key_hasher_with_hash(concat!("the scheme of ", $kind))
        }
    };
}

/// A filter's calls about keys and labels.
macro_rules! about_keys {
    () => {
        crate::kinds::calls::about_keys!(meta);
    };
    ($($meta:ident).+) => {
        /// The hash scheme: how key bytes become a hash.
        #[must_use]
        pub fn scheme(&self) -> crate::ids::Scheme {
            self.$($meta).+.keys.scheme()
        }

        /// The public seed of the hash; `None` for a keyed filter.
        #[must_use]
        pub fn seed(&self) -> Option<u64> {
            self.$($meta).+.keys.seed()
        }

        /// The type of the keys.
        #[must_use]
        pub fn key_domain(&self) -> crate::ids::KeyDomain {
            self.$($meta).+.keys.key_domain()
        }

        /// The changes that the filter makes to a key before it is hashed.
        #[must_use]
        pub fn recipe(&self) -> crate::key::Recipe {
            self.$($meta).+.keys.recipe()
        }

        /// The filter's key hasher, for threads and programs that hash keys ahead of a call.
        #[must_use]
        pub fn key_hasher(&self) -> crate::key::KeyHasher {
            self.$($meta).+.keys.clone()
        }

        /// Free text about the set.
        #[must_use]
        pub fn labels(&self) -> &crate::facts::Labels {
            const NONE: &crate::facts::Labels = &crate::facts::Labels::new();
            self.$($meta).+.labels.as_deref().unwrap_or(NONE)
        }

        /// Replaces the labels. No answer changes.
        ///
        /// # Errors
        /// [`Error::Parameter`](crate::Error::Parameter) for text that a file cannot hold.
        pub fn set_labels(&mut self, labels: crate::facts::Labels) -> crate::error::Result<()> {
            labels.check()?;
            self.$($meta).+.labels = labels.kept();
            Ok(())
        }
    };
}

/// Lookups of many keys, by the kind's `answer_batch`. `$example` is the body of an example.
macro_rules! ask_many {
    ($($example:literal)*) => {
        crate::kinds::calls::ask_many!(meta; $(#[doc = $example])*);
    };
    ($($meta:ident).+; $(#[$example:meta])*) => {
        /// The hash of a key under this filter's recipe, key domain, scheme and seed, for the
        /// `_hash` calls.
        ///
        /// # Errors
        /// As [`KeyHasher::hash`](crate::hash::KeyHasher::hash).
        #[inline]
        pub fn hash_key<K: Key + ?Sized>(&self, key: &K) -> crate::error::Result<u64> {
            self.$($meta).+.keys.hash(key)
        }

        /// Looks up many keys; the answers are in the order of the keys. The lookups of a batch
        /// wait for memory together.
        $(#[$example])*
        #[must_use]
        pub fn contains_many<K: Keys + ?Sized>(&self, keys: &K) -> alloc::vec::Vec<bool> {
            let mut answers = alloc::vec![false; keys.len()];
            self.contains_many_into(keys, &mut answers);
            answers
        }

        /// [`contains_many`](Self::contains_many) into the caller's buffer: `answers[i]` is for key
        /// `i`. Allocates nothing.
        ///
        /// # Panics
        /// If the number of answers differs from the number of keys.
        pub fn contains_many_into<K: Keys + ?Sized>(&self, keys: &K, answers: &mut [bool]) {
            assert_eq!(keys.len(), answers.len(), "one answer for each key");
            self.$($meta).+.keys.answer_in_batches(
                keys,
                self.size_in_bytes(),
                |batch, answers| self.answer_batch(batch, answers),
                |start, batch| answers[start..start + batch.len()].copy_from_slice(batch),
            );
        }

        /// [`contains_many`](Self::contains_many) into the caller's bitmap, in Apache Arrow's
        /// layout: the answer for key `i` is bit `i % 8` (0 = least significant) of byte `i / 8`.
        /// Bits after the last key become 0.
        ///
        /// # Panics
        /// If the length of the bitmap is not one bit for each key, rounded up to whole bytes.
        pub fn contains_many_bits<K: Keys + ?Sized>(&self, keys: &K, bitmap: &mut [u8]) {
            assert_eq!(keys.len().div_ceil(8), bitmap.len(), "one bit for each key, and no byte more");
            self.$($meta).+.keys.answer_in_batches(
                keys,
                self.size_in_bytes(),
                |batch, answers| self.answer_batch(batch, answers),
                |start, batch| crate::kinds::bloom::put_bits(start, batch, bitmap),
            );
        }

        /// [`contains_many`](Self::contains_many) for keys that this filter's
        /// [`key_hasher`](Self::key_hasher) has prepared.
        ///
        /// # Panics
        /// If the number of answers differs from the number of keys.
        pub fn contains_prepared(&self, keys: &PreparedKeys, answers: &mut [bool]) {
            assert_eq!(keys.len(), answers.len(), "one answer for each key");
            self.answer_batch(keys.batch(), answers);
        }

        /// [`contains_many`](Self::contains_many) on this many threads.
        #[cfg(feature = "parallel")]
        #[must_use]
        pub fn contains_bulk<K: Keys + Sync + ?Sized>(
            &self,
            keys: &K,
            threads: core::num::NonZeroUsize,
        ) -> alloc::vec::Vec<bool>
        where
            Self: Sync,
        {
            crate::kinds::bloom::answer_in_bulk(keys, threads, |piece, answers| {
                self.contains_many_into(piece, answers);
            })
        }

        /// Answers prepared keys. For bytes in place of hashes the only right answer is "perhaps".
        #[inline]
        pub(super) fn answer_batch(&self, keys: Batch<'_>, answers: &mut [bool]) {
            match keys {
                Batch::Hashes(hashes) => self.contains_many_hashes(hashes, answers),
                Batch::One(One::Key(key)) => answers[0] = self.contains(&key),
                Batch::Bytes(_) | Batch::One(One::Encoded(_)) => answers.fill(true),
            }
        }
    };
}

/// Inserts of many keys, by the kind's `insert_many_hashes`. `$told` ends the sentence about the
/// keys before the refused one.
#[cfg(feature = "table")]
macro_rules! insert_many {
    ($told:literal) => {
        crate::kinds::calls::insert_many!(meta; $told);
    };
    ($($meta:ident).+; $told:literal) => {
        /// [`insert`](Self::insert) for many keys.
        ///
        /// # Errors
        #[doc = concat!("As [`insert`](Self::insert). The keys before the refused one are inserted", $told)]
        pub fn insert_many<K: Keys + ?Sized>(&mut self, keys: &K) -> Result<()> {
            crate::key::insert_in_batches(
                self,
                |filter| &filter.$($meta).+.keys,
                keys,
                |filter, batch, done| filter.insert_prepared_batch(batch, done),
            )
        }

        /// [`insert`](Self::insert) for the keys of an iterator.
        ///
        /// # Errors
        /// As [`insert_many`](Self::insert_many).
        pub fn insert_iter<K: Key>(&mut self, keys: impl IntoIterator<Item = K>) -> Result<()> {
            crate::key::insert_iter_in_batches(
                self,
                |filter| &filter.$($meta).+.keys,
                keys,
                |filter, batch, done| filter.insert_prepared_batch(batch, done),
            )
        }

        /// [`insert`](Self::insert) for keys that the filter's [`key_hasher`](Self::key_hasher) has
        /// prepared.
        ///
        /// # Errors
        /// As [`insert_many`](Self::insert_many).
        pub fn insert_prepared(&mut self, keys: &PreparedKeys) -> Result<()> {
            self.insert_prepared_batch(keys.batch(), 0)
        }

        pub(super) fn insert_prepared_batch(&mut self, keys: Batch<'_>, done: usize) -> Result<()> {
            match keys {
                Batch::Hashes(hashes) => self.insert_many_hashes(hashes).map_err(after(done)),
                Batch::One(One::Key(key)) => self.insert(&key).map(drop).map_err(after(done)),
                // Only filters whose scheme has no hash take bytes.
                Batch::Bytes(_) | Batch::One(One::Encoded(_)) => {
                    Err(Error::NoHash { scheme: self.$($meta).+.keys.scheme() })
                }
            }
        }
    };
}

/// The trait calls that the kind has as inherent calls of the same name, and `$more` for each
/// trait. `$generics` are the generics of a type with a storage.
macro_rules! same_calls {
    ($type:ty: $kind:ident $([$($generics:tt)*])? Inner $($rest:tt)*) => {
        crate::kinds::calls::same_calls! { $type: $kind $([$($generics)*])? of meta Inner $($rest)* }
    };
    (
        $type:ty: $kind:ident $([$($generics:tt)*])? of $($meta:ident).+
        Inner { $($inner:item)* }
        InnerMut { $($inner_mut:item)* }
        Filter { $($filter:item)* }
        MutableFilter { $($mutable:item)* }
    ) => {
        impl$(<$($generics)*>)? crate::kinds::Inner for $type {
            fn contains_batch(&self, keys: crate::key::Batch<'_>, answers: &mut [bool]) {
                self.answer_batch(keys, answers);
            }

            fn file_part(&self) -> crate::error::Result<crate::kinds::FilePart<'_>> {
                self.part()
            }

            $($inner)*
        }

        impl$(<$($generics)*>)? crate::kinds::InnerMut for $type {
            #[cfg(feature = "foreign")]
            fn set_key_domain(&mut self, domain: crate::ids::KeyDomain) {
                self.$($meta).+.keys = self.$($meta).+.keys.of_domain(domain);
            }

            $($inner_mut)*
        }

        impl$(<$($generics)*>)? crate::kinds::Filter for $type {
            fn kind(&self) -> crate::ids::Kind {
                crate::ids::Kind::$kind
            }

            fn key_hasher(&self) -> &crate::key::KeyHasher {
                &self.$($meta).+.keys
            }

            fn contains_key(&self, key: crate::key::KeyRef<'_>) -> bool {
                self.contains(&key)
            }

            fn false_positive_rate(&self) -> f64 {
                self.false_positive_rate()
            }

            fn promised_false_positive_rate(&self) -> f64 {
                self.promised_false_positive_rate()
            }

            fn labels(&self) -> &crate::facts::Labels {
                self.labels()
            }

            fn size_in_bytes(&self) -> u64 {
                self.size_in_bytes()
            }

            fn facts(&self) -> crate::facts::Facts {
                self.facts()
            }

            fn verify(&self) -> crate::error::Result<()> {
                self.verify()
            }

            $($filter)*
        }

        impl$(<$($generics)*>)? crate::kinds::MutableFilter for $type {
            fn set_labels(&mut self, labels: crate::facts::Labels) -> crate::error::Result<()> {
                self.set_labels(labels)
            }

            $($mutable)*
        }
    };
}

/// [`same_calls!`] for a filter that is one table of fingerprints.
#[cfg(feature = "table")]
macro_rules! table_calls {
    (
        $type:ty: $kind:ident
        Inner { $($inner:item)* }
        InnerMut { $($inner_mut:item)* }
        Filter { $($filter:item)* }
        MutableFilter { $($mutable:item)* }
    ) => {
        crate::kinds::calls::same_calls! {
            $type: $kind of core.meta
            Inner {
                fn check_before_copying(&self) -> crate::error::Result<()> {
                    self.core.table.check_before_copying()
                }

                fn touched(&self, hash: u64) -> Option<crate::facts::Touched> {
                    Some(self.core.table.touched(hash))
                }

                $($inner)*
            }
            InnerMut { $($inner_mut)* }
            Filter {
                fn capacity(&self) -> u64 {
                    self.capacity()
                }

                fn over_capacity(&self) -> crate::ids::OverCapacity {
                    self.over_capacity()
                }

                fn is_over_capacity(&self) -> bool {
                    self.is_over_capacity()
                }

                fn is_full(&self) -> bool {
                    self.is_full()
                }

                fn estimated_len(&self) -> f64 {
                    self.core.table.estimated_len()
                }

                /// The load factor of equal parts of the table.
                fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
                    self.core.table.fill_of_slices(slices)
                }

                $($filter)*
            }
            MutableFilter {
                fn clear(&mut self) -> crate::error::Result<()> {
                    self.clear()
                }

                fn set_over_capacity(&mut self, policy: crate::ids::OverCapacity) -> crate::error::Result<()> {
                    self.set_over_capacity(policy)
                }

                fn union_with(&mut self, other: &Self) -> crate::error::Result<()> {
                    self.union_with(other)
                }

                fn intersect_with(&mut self, other: &Self) -> crate::error::Result<()> {
                    self.intersect_with(other)
                }

                $($mutable)*
            }
        }
    };
}

/// [`same_calls!`] for a ribbon kind, whose only policy is to refuse.
#[cfg(feature = "static")]
macro_rules! ribbon_calls {
    (
        $type:ty: $kind:ident
        Inner { $($inner:item)* }
        InnerMut { $($inner_mut:item)* }
        Filter { $($filter:item)* }
        MutableFilter { $($mutable:item)* }
    ) => {
        crate::kinds::calls::same_calls! {
            $type: $kind [L: PlainStorage]
            Inner {
                fn check_before_copying(&self) -> crate::error::Result<()> {
                    self.check_before_copying()
                }

                $($inner)*
            }
            InnerMut { $($inner_mut)* }
            Filter {
                fn capacity(&self) -> u64 {
                    self.len()
                }

                fn over_capacity(&self) -> OverCapacity {
                    OverCapacity::Refuse
                }

                fn is_over_capacity(&self) -> bool {
                    false
                }

                fn keys_inserted(&self) -> Option<u64> {
                    Some(self.len())
                }

                fn estimated_len(&self) -> f64 {
                    self.len() as f64
                }

                /// The fill is equal everywhere.
                fn fill_of_slices(&self, slices: usize) -> Vec<f64> {
                    let fill = if self.ribbon.keys == 0 { 0.0 } else { 1.0 };
                    alloc::vec![fill; slices.clamp(1, self.ribbon.shape.lines() as usize)]
                }

                $($filter)*
            }
            MutableFilter {
                fn set_over_capacity(&mut self, policy: OverCapacity) -> crate::error::Result<()> {
                    match policy {
                        OverCapacity::Refuse => Ok(()),
                        _ => Err(self.refusal(Operation::SetOverCapacity)),
                    }
                }

                $($mutable)*
            }
        }
    };
}

#[cfg(feature = "static")]
pub(crate) use ribbon_calls;
pub(crate) use {about_keys, ask_many, key_options, same_calls};
#[cfg(feature = "table")]
pub(crate) use {insert_many, table_calls};
