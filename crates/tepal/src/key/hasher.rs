//! From a key to its hash: recipe, domain and scheme, in one type.

use alloc::string::String;
use core::fmt;

use super::key_ref::KeyRef;
use super::keys::Keys;
use super::prepared::{BATCH, Batch, One, PreparedKeys, SHORT_BATCH};
use super::recipe::Recipe;
use super::schemes::{HashScheme, Hasher, OwnScheme};
use super::sink::{Key, KeySink};
use super::usual::{OfNone, Usual, Way};
use crate::bits::kernel::hash_integers;
use crate::error::{Error, Result};
use crate::ids::{KeyDomain, Scheme};

/// How a filter hashes a key: the [`Recipe`], the [`KeyDomain`], the [`Scheme`] with its seed or
/// secret.
///
/// Every call of a filter with a key uses the filter's hasher.
/// [`key_hasher`](crate::BloomFilter::key_hasher) returns a copy, so that threads and other
/// programs can hash ahead of the filter. Filters with equal hashers share hashes. Cheap to clone.
///
/// ```
/// use tepal::{BloomFilter, Recipe};
/// let recipe = Recipe::new().trim(true).nocase(true);
/// let mut filter = BloomFilter::builder().capacity(1000).recipe(recipe).build()?;
/// let hasher = filter.key_hasher();
/// let hash = std::thread::spawn(move || hasher.hash(" Alice@X.org ")).join().unwrap()?;
/// filter.insert_hash(hash)?;
/// assert!(filter.contains("alice@x.org"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[repr(C)]
pub struct KeyHasher {
    usual: Usual,
    hasher: Hasher,
}

impl KeyHasher {
    /// The size of the first part of a hasher, which suffices to hash a usual key.
    #[cfg(test)]
    pub(crate) const HOT_BYTES: usize = size_of::<Usual>();

    pub(crate) fn new(hasher: Hasher, domain: KeyDomain, recipe: Recipe) -> Self {
        let usual = match (&hasher, domain) {
            (Hasher::Hash(HashScheme::Xxh3(rule)), KeyDomain::Bytes) if recipe.is_identity() => {
                Usual::bytes(rule.seed)
            }
            (Hasher::Hash(HashScheme::Xxh3(rule)), KeyDomain::Integer) if recipe.is_identity() => {
                Usual::integers(rule.seed)
            }
            _ => Usual::none(domain, recipe),
        };
        KeyHasher { usual, hasher }
    }

    /// This hasher for keys of another domain.
    #[cfg(feature = "foreign")]
    pub(crate) fn of_domain(&self, domain: KeyDomain) -> Self {
        KeyHasher::new(self.hasher.clone(), domain, self.usual.recipe)
    }

    /// The 64-bit hash of a key, for the calls whose names end in `_hash` or `_hashes`.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] if the key is not in the key domain, for example text in an integer
    /// filter; [`Error::NoHash`] if the scheme has no 64-bit hash ([`has_hash`](Self::has_hash));
    /// [`Error::CallerHashes`] for [`Scheme::CallerHash`].
    #[inline]
    pub fn hash<K: Key + ?Sized>(&self, key: &K) -> Result<u64> {
        self.hash_ref(key.key(&mut KeySink::new()))
    }

    /// [`hash`](Self::hash) of a borrowed key. The usual cases are inlined into the loops over
    /// keys: a call costs as much as the hash.
    #[inline(always)]
    pub(crate) fn hash_ref(&self, key: KeyRef<'_>) -> Result<u64> {
        match self.usual_hash(key) {
            Some(hash) => Ok(hash),
            None => self.hash_any(&{ key }),
        }
    }

    /// The hash of a usual key: the scheme, the domain and the key have a fast path. `None` for
    /// other keys.
    #[inline(always)]
    pub(crate) fn usual_hash(&self, key: KeyRef<'_>) -> Option<u64> {
        self.usual.hash(key)
    }

    /// A copy of the values that the usual hash needs, for a local variable.
    #[inline]
    pub(crate) fn usual(&self) -> Usual {
        self.usual
    }

    /// [`usual_hash`](Self::usual_hash) of a key that needs no call.
    #[inline(always)]
    pub(crate) fn quick_hash(&self, key: KeyRef<'_>) -> Option<u64> {
        self.usual.quick(key)
    }

    /// [`usual_hash`](Self::usual_hash) of bytes for which [`quick_hash`](Self::quick_hash) is
    /// `None`.
    #[inline(always)]
    pub(crate) fn usual_hash_of_bytes(&self, bytes: &[u8]) -> Option<u64> {
        self.usual.hash_bytes(bytes)
    }

    /// Hashes the keys from number `start` on if they are 64-bit integers and have a fast path.
    /// Returns whether it hashed them.
    #[inline(always)]
    pub(super) fn hash_if_integers<K: Keys + ?Sized>(
        &self,
        keys: &K,
        start: usize,
        hashes: &mut [u64],
    ) -> bool {
        match (self.usual.integer_secret(), keys.integers()) {
            (Some(secret), Some(integers)) => {
                hash_integers(secret, &integers[start..][..hashes.len()], hashes);
                true
            }
            _ => false,
        }
    }

    /// [`hash_ref`](Self::hash_ref) for many keys in turn, with the hasher's values in local
    /// variables.
    #[inline(always)]
    pub(super) fn hash_refs(&self) -> impl Fn(KeyRef<'_>) -> Result<u64> {
        let usual = self.usual;
        move |key| match usual.hash_in_loop(key) {
            Some(hash) => Ok(hash),
            None => self.hash_any(&{ key }),
        }
    }

    /// [`hash`](Self::hash) for every scheme, domain, recipe and key. The key is passed by
    /// reference: by value it would be stored as words and loaded as vectors, which stalls the CPU.
    #[inline(never)]
    pub(crate) fn hash_any(&self, key: &KeyRef<'_>) -> Result<u64> {
        // Most keys of a filter with a secret are bytes that are hashed as they are.
        if let (Hasher::Hash(hash @ HashScheme::SipHash13(_)), KeyRef::Bytes(bytes)) = (&self.hasher, key) {
            if self.usual.domain == KeyDomain::Bytes && self.usual.recipe.is_identity() {
                return hash.hash(bytes);
            }
        }
        match &self.hasher {
            // No key has a hash here.
            Hasher::Hash(hash @ HashScheme::CallerHash(_)) => hash.hash(b""),
            Hasher::Hash(hash) => self.encode(*key, |bytes| hash.hash(bytes))?,
            Hasher::Own(own) => Err(Error::NoHash { scheme: own.scheme() }),
        }
    }

    /// Looks up an unusual key in a filter; `holds` looks up its hash. [`is_perhaps_in`] answers
    /// for a key without a hash.
    #[inline(always)]
    pub(crate) fn is_in_any(&self, key: &KeyRef<'_>, holds: impl FnOnce(u64) -> bool) -> bool {
        match self.hash_any(key) {
            Ok(hash) => holds(hash),
            Err(error) => is_perhaps_in(&error),
        }
    }

    /// Calls `with` with the bytes that are hashed for a key: the recipe first, then the domain.
    #[inline(always)]
    pub(crate) fn encode<R>(&self, key: KeyRef<'_>, with: impl FnOnce(&[u8]) -> R) -> Result<R> {
        match key {
            KeyRef::Bytes(text) if !self.usual.recipe.is_identity() => {
                self.usual.domain.encode(KeyRef::Bytes(&self.usual.recipe.apply(text)), with)
            }
            KeyRef::Compound(compound)
                if !self.usual.recipe.is_identity() && self.usual.domain == KeyDomain::Bytes =>
            {
                Ok(with(&compound.map(&|part| self.usual.recipe.apply(part).into_owned())))
            }
            key => self.usual.domain.encode(key, with),
        }
    }

    /// Calls `with` with the bytes that are hashed for a single key.
    #[inline(always)]
    pub(crate) fn encode_one<R>(&self, key: One<'_>, with: impl FnOnce(&[u8]) -> R) -> Result<R> {
        match key {
            One::Key(key) => self.encode(key, with),
            One::Encoded(bytes) => Ok(with(bytes)),
        }
    }

    /// Appends a key to `prepared`, for filters with this hasher: its hash, or its encoded bytes if
    /// the scheme has no hash. This is the costly part of a lookup or insert, and it may run on any
    /// thread.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] and [`Error::CallerHashes`], as in [`hash`](Self::hash);
    /// [`Error::NoHash`] if the scheme of `prepared` has a hash and this one has none, or the other
    /// way round. An error appends nothing.
    #[inline(always)]
    pub fn prepare<K: Key + ?Sized>(&self, key: &K, prepared: &mut PreparedKeys) -> Result<()> {
        match &self.hasher {
            Hasher::Hash(_) if prepared.has_bytes() => Err(Error::NoHash { scheme: self.scheme() }),
            Hasher::Hash(_) => {
                self.hash_ref(key.key(&mut KeySink::new())).map(|hash| prepared.push_hash(hash))
            }
            Hasher::Own(_) if prepared.has_hashes() => Err(Error::NoHash { scheme: self.scheme() }),
            Hasher::Own(_) => self.encode(key.key(&mut KeySink::new()), |bytes| prepared.push_bytes(bytes)),
        }
    }

    /// Prepares many keys. This is faster than a call of [`prepare`](Self::prepare) for each key.
    ///
    /// ```
    /// use tepal::{BloomFilter, hash::PreparedKeys};
    /// let mut filter = BloomFilter::builder().capacity(100).build()?;
    /// let mut keys = PreparedKeys::default();
    /// filter.key_hasher().prepare_many(&["apple", "banana"], &mut keys)?;
    /// filter.insert_many_hashes(keys.hashes().unwrap())?;
    /// assert!(filter.contains("banana"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As in [`prepare`](Self::prepare), for the first refused key. The keys before it are added.
    pub fn prepare_many<K: Keys + ?Sized>(&self, keys: &K, prepared: &mut PreparedKeys) -> Result<()> {
        if self.has_hash() && prepared.push_hashes(keys.len(), |hashes| !self.hash_batch(keys, 0, hashes)) {
            return Ok(());
        }
        let mut sink = KeySink::new();
        (0..keys.len()).try_for_each(|i| self.prepare(&keys.key(i, sink.cleared()), prepared))
    }

    /// Checks that a filter with this hasher can contain the key. A refused key is a non-member.
    ///
    /// # Errors
    /// [`Error::KeyRefused`] and [`Error::CallerHashes`], as in [`hash`](Self::hash).
    pub fn check<K: Key + ?Sized>(&self, key: &K) -> Result<()> {
        match self.hash(key) {
            Err(Error::NoHash { .. }) => self.encode(key.key(&mut KeySink::new()), drop_bytes),
            hashed => hashed.map(drop),
        }
    }

    /// Hashes the keys from number `start` on. Returns `true` if at least one key has no hash. Each
    /// fast path has its own loop.
    #[inline(always)]
    pub(crate) fn hash_batch<K: Keys + ?Sized>(&self, keys: &K, start: usize, hashes: &mut [u64]) -> bool {
        if let Some(integers) = self.usual.of_integers() {
            if self.hash_if_integers(keys, start, hashes) {
                return false;
            }
            return self.hash_each(keys, start, hashes, integers);
        }
        match self.usual.of_bytes() {
            Some(bytes) => self.hash_each(keys, start, hashes, bytes),
            None => self.hash_each(keys, start, hashes, OfNone),
        }
    }

    /// [`hash_batch`](Self::hash_batch) for a few keys. A separate function: inlined twice into one
    /// caller, the loops keep less in registers.
    #[inline(never)]
    fn hash_short_batch<K: Keys + ?Sized>(&self, keys: &K, start: usize, hashes: &mut [u64]) -> bool {
        self.hash_batch(keys, start, hashes)
    }

    /// The loop of one fast path. The fast path is a type and not a closure: LLVM did not inline
    /// the closure, and then each key was written to memory.
    #[inline(always)]
    fn hash_each<K: Keys + ?Sized>(&self, keys: &K, start: usize, hashes: &mut [u64], way: impl Way) -> bool {
        let (mut refused, mut sink) = (false, KeySink::new());
        for (i, hash) in hashes.iter_mut().enumerate() {
            let key = keys.key(start + i, sink.cleared());
            *hash = match way.hash(key) {
                Some(hash) => hash,
                None => self.hash_any(&{ key }).unwrap_or_else(|_| {
                    refused = true;
                    0
                }),
            };
        }
        refused
    }

    /// Looks up many keys in batches, which `ask` answers; `size` is the bytes of the bits.
    /// [`is_perhaps_in`] answers for a key without a hash.
    #[inline(always)]
    pub(crate) fn answer_in_batches<K: Keys + ?Sized>(
        &self,
        keys: &K,
        size: u64,
        ask: impl FnMut(Batch<'_>, &mut [bool]),
        take: impl FnMut(usize, &[bool]),
    ) {
        // Clearing the arrays for 512 keys would take longer than ten lookups.
        if keys.len() <= SHORT_BATCH {
            self.answer_in_batches_of::<SHORT_BATCH, K>(keys, size, ask, take);
        } else {
            self.answer_in_batches_of::<BATCH, K>(keys, size, ask, take);
        }
    }

    #[inline(always)]
    fn answer_in_batches_of<const BATCH: usize, K: Keys + ?Sized>(
        &self,
        keys: &K,
        size: u64,
        mut ask: impl FnMut(Batch<'_>, &mut [bool]),
        mut take: impl FnMut(usize, &[bool]),
    ) {
        let (mut hashes, mut answers) = ([0; BATCH], [false; BATCH]);
        let (mut prepared, mut sink) = (PreparedKeys::default(), KeySink::new());
        // If the bits are in the CPU's cache, shorter batches read the text of the keys more
        // evenly: lookups of non-members of 12 bytes in a filter of 100,000 keys took 0.9 times as
        // long.
        let most = if size < SMALL { BATCH.min(SMALL_BATCH) } else { BATCH };
        for start in (0..keys.len()).step_by(most) {
            let count = (keys.len() - start).min(most);
            let answers = &mut answers[..count];
            let mut refused = false;
            if self.has_hash() {
                let hashes = &mut hashes[..count];
                refused = if BATCH > SHORT_BATCH {
                    self.hash_batch(keys, start, hashes)
                } else {
                    self.hash_short_batch(keys, start, hashes)
                };
                ask(Batch::Hashes(&hashes[..count]), answers);
            } else if count < FEW || size < SMALL {
                for (i, answer) in answers.iter_mut().enumerate() {
                    let key = keys.key(start + i, sink.cleared());
                    ask(Batch::One(One::Key(key)), core::slice::from_mut(answer));
                }
            } else {
                prepared.clear();
                prepared.reserve_bytes(count);
                for i in 0..count {
                    if self.prepare(&keys.key(start + i, sink.cleared()), &mut prepared).is_err() {
                        refused = true;
                        prepared.push_bytes(b"");
                    }
                }
                ask(Batch::Bytes(&prepared), answers);
            }
            if refused {
                for (i, answer) in answers.iter_mut().enumerate() {
                    if let Err(error) = self.check(&keys.key(start + i, sink.cleared())) {
                        *answer = is_perhaps_in(&error);
                    }
                }
            }
            take(start, answers);
        }
    }

    /// Does the scheme have a 64-bit hash, so that the `_hash` calls can be used?
    #[must_use]
    pub fn has_hash(&self) -> bool {
        matches!(self.hasher, Hasher::Hash(_))
    }

    /// How key bytes become a hash.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.hasher.scheme()
    }

    /// The key domain.
    #[must_use]
    pub fn key_domain(&self) -> KeyDomain {
        self.usual.domain
    }

    /// The changes made to a key before hashing.
    #[must_use]
    pub fn recipe(&self) -> Recipe {
        self.usual.recipe
    }

    /// The public seed of the hash; `None` for a keyed filter and for schemes without a seed.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        use super::schemes::{Parameter, parameter};
        (parameter(self.scheme()) == Parameter::Seed).then(|| self.hasher.parameters())
    }

    /// The name that the caller gave to the hash, for [`Scheme::CallerHash`].
    #[must_use]
    pub fn caller_hash(&self) -> Option<String> {
        if self.scheme() == Scheme::CallerHash { self.hasher.record().map(|(_, name)| name) } else { None }
    }

    /// How digests become positions, for [`Scheme::Md5Split`].
    #[cfg(feature = "foreign")]
    #[must_use]
    pub fn md5_split(&self) -> Option<super::Md5Split> {
        (self.scheme() == Scheme::Md5Split)
            .then(|| super::Md5Split::from_flags(self.hasher.parameters()))
            .flatten()
    }

    /// The scheme with its parameters.
    pub(crate) fn hasher(&self) -> &Hasher {
        &self.hasher
    }

    /// The seed of valkey-bloom's scheme.
    pub(crate) fn valkey_seed(&self) -> Option<[u8; 32]> {
        match self.own() {
            #[cfg(feature = "foreign")]
            Some(OwnScheme::ValkeyBloom(rule)) => Some(rule.seed),
            _ => None,
        }
    }

    /// The rule of a scheme that has no 64-bit hash.
    #[inline(always)]
    pub(crate) fn own(&self) -> Option<&OwnScheme> {
        match &self.hasher {
            Hasher::Own(own) => Some(own),
            Hasher::Hash(_) => None,
        }
    }

    /// [`Error::NoHash`] if the scheme has no 64-bit hash.
    #[inline]
    pub(crate) fn check_has_hash(&self) -> Result<()> {
        if self.has_hash() { Ok(()) } else { Err(Error::NoHash { scheme: self.scheme() }) }
    }

    /// Checks that both hashers give every key the same hash or positions. The error names the
    /// first difference.
    pub(crate) fn check_same(&self, other: &KeyHasher) -> Result<()> {
        use alloc::string::ToString;
        let differ = |property, expected, found| Err(Error::Incompatible { property, expected, found });
        if self.usual.domain != other.usual.domain {
            return differ("key domain", self.usual.domain.to_string(), other.usual.domain.to_string());
        }
        if self.scheme() != other.scheme() {
            return differ("hash scheme", self.scheme().to_string(), other.scheme().to_string());
        }
        if self.hasher != other.hasher {
            let shown = |hasher: &KeyHasher| match (hasher.seed(), hasher.hasher.record(), hasher.own()) {
                (Some(seed), ..) => seed.to_string(),
                (None, Some((_, text)), _) => text,
                (None, None, Some(own)) => alloc::format!("{own:?}"),
                (None, None, None) => "a secret".to_string(),
            };
            let property = match (self.scheme(), self.has_hash()) {
                (Scheme::CallerHash, _) => "name of the caller's hash",
                (_, true) => "hash seed",
                (_, false) => "scheme parameters",
            };
            return differ(property, shown(self), shown(other));
        }
        if self.usual.recipe != other.usual.recipe {
            let shown = |r: Recipe| alloc::format!("trim {}, nocase {}", r.trim, r.nocase);
            return differ("key recipe", shown(self.usual.recipe), shown(other.usual.recipe));
        }
        Ok(())
    }
}

fn drop_bytes(_: &[u8]) {}

/// The answer for a key whose hashing gave this error. A key that the domain refuses was never
/// inserted: `false`. If the caller hashes, or the secret key is not known, any key may be a
/// member: `true`.
#[cold]
pub(crate) fn is_perhaps_in(error: &Error) -> bool {
    matches!(error, Error::CallerHashes { .. } | Error::KeyRequired)
}

/// Under a scheme without a hash, fewer keys than this are looked up one by one. So are all keys of
/// a filter smaller than [`SMALL`]. There, preparing a batch takes longer than its prefetches save.
const FEW: usize = 32;
/// Keys of a batch if the bits of the filter take less than [`SMALL`] bytes.
const SMALL_BATCH: usize = 256;
pub(crate) const SMALL: u64 = 4 << 20;

impl fmt::Debug for KeyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyHasher")
            .field("scheme", &self.scheme())
            .field("seed", &self.seed())
            .field("caller_hash", &self.caller_hash())
            .field("key_domain", &self.usual.domain)
            .field("recipe", &self.usual.recipe)
            .finish_non_exhaustive()
    }
}
