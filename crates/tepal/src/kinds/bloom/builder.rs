//! Describes a filter before it exists.

use alloc::string::String;

use super::{BloomFilter, BloomMeta};
use crate::bits::shape::Shape;
use crate::bits::{self, LINE_BITS};
#[cfg(any(feature = "foreign", feature = "extras"))]
use crate::error::advice;
use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::ids::{KeyDomain, Layout, OverCapacity, Scheme};
#[cfg(feature = "foreign")]
use crate::key::Md5Split;
use crate::key::options::KeyOptions;
use crate::key::schemes::{sizing, xxh3};
use crate::key::{KeyHasher, Recipe, SecretKey};
use crate::kinds::storage::{Owned, Storage};
use crate::params::{DEFAULT_RATE, Goal, Plan, Request, Sizes, WITHIN, check_rate};

/// Describes a [`BloomFilter`]; only the capacity has no default.
///
/// ```
/// use tepal::{BloomFilter, Goal, OverCapacity};
/// let filter = BloomFilter::builder()
///     .capacity(50_000)
///     .false_positive_rate(1e-4)
///     .goal(Goal::Memory)
///     .over_capacity(OverCapacity::Warn)
///     .build()?;
/// assert!(filter.bits_per_key() < 20.0);
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct BloomFilterBuilder {
    /// The request without the scheme, which is in `keys`.
    pub(in crate::kinds) request: Request,
    pub(in crate::kinds) keys: KeyOptions,
    pub(in crate::kinds) over_capacity: Option<OverCapacity>,
    labels: Labels,
    pub(in crate::kinds) planned: Option<Plan>,
    #[cfg(any(feature = "foreign", feature = "extras"))]
    pub(in crate::kinds) expansion: Option<u32>,
}

impl BloomFilter {
    /// Starts to describe a filter.
    pub fn builder() -> BloomFilterBuilder {
        BloomFilterBuilder::default()
    }
}

impl<L: Storage> BloomFilter<L> {
    /// An empty filter with the same hasher, for other keys and another rate, of at most
    /// `most_bytes`.
    pub(crate) fn same_hasher(&self, capacity: u64, rate: f64, most_bytes: u64) -> Result<BloomFilter> {
        let scheme = self.scheme();
        let request = Request {
            capacity: Some(capacity),
            false_positive_rate: Some(rate),
            scheme: Some(scheme),
            ..Request::default()
        };
        let plan = request.plan()?;
        if plan.size_in_bytes() > most_bytes {
            return Err(Error::TooLarge { bytes: plan.size_in_bytes() });
        }
        let shape = shape_of(scheme, plan.layout, plan.num_hashes, plan.bit_len)?;
        let meta =
            BloomMeta { shape, capacity, promised_rate: rate, inserted: Some(0).into(), ..self.meta.clone() };
        let lines = bits::zeroed(shape.lines())?;
        Ok(BloomFilter::from_parts(meta, Owned::new(lines), 0))
    }
}

/// The shape of a filter of this scheme. A scheme without a hash has one layout and its own limits.
pub(crate) fn shape_of(scheme: Scheme, layout: Layout, num_hashes: u32, bit_len: u64) -> Result<Shape> {
    if !sizing::is_own(scheme) {
        return Shape::new(layout, num_hashes, bit_len);
    }
    if layout != Layout::Scattered {
        let expected = alloc::format!("scattered with the scheme {scheme}");
        return Err(Error::parameter("the layout", layout, expected));
    }
    sizing::check(scheme, num_hashes, bit_len)?;
    Ok(Shape { layout, num_hashes, bit_len })
}

impl BloomFilterBuilder {
    /// The number of different keys that the filter will hold: keys, not bits.
    pub fn capacity(mut self, keys: u64) -> Self {
        self.request.capacity = Some(keys);
        self
    }

    /// The promised false-positive rate: the share of non-members that get `true`, for example 0.01
    /// for 1 %. The default is 0.01, if no size is given either.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.request.false_positive_rate = Some(rate);
        self
    }

    /// The size of the array in bits. With a capacity, the rate follows from both; with a rate, the
    /// capacity does.
    ///
    /// ```
    /// let filter = tepal::BloomFilter::builder().bit_len(8 << 20).false_positive_rate(0.01).build()?;
    /// assert_eq!((filter.size_in_bytes(), filter.capacity() / 1000), (1 << 20, 843));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn bit_len(mut self, bits: u64) -> Self {
        self.request.bit_len = Some(bits);
        self
    }

    /// The layout, in place of [`goal`](Self::goal)'s choice.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.request.layout = Some(layout);
        self
    }

    /// A [plan](Self::plan) that decides size and rate, in place of capacity, rate, size, layout,
    /// number of hashes and goal.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let plan = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.01).plan()?;
    /// let shards: Vec<BloomFilter> =
    ///     (0..8).map(|_| BloomFilter::builder().planned(plan).build()).collect::<Result<_, _>>()?;
    /// assert!(shards[0].is_compatible(&shards[7]));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn planned(mut self, plan: Plan) -> Self {
        self.planned = Some(plan);
        self
    }

    /// The number of bits that each key sets, in place of the best number.
    pub fn num_hashes(mut self, k: u32) -> Self {
        self.request.num_hashes = Some(k);
        self
    }

    /// The goal if no layout is named: speed (the default) or memory.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.request.goal = goal;
        self
    }

    /// The public seed of the hash; the default is [`DEFAULT_SEED`](crate::hash::DEFAULT_SEED). The
    /// file keeps it. Filters with different seeds have different false positives.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let shards = [1, 2].map(|seed| BloomFilter::builder().capacity(1000).seed(seed).build().unwrap());
    /// assert!(!shards[0].is_compatible(&shards[1]));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn seed(mut self, seed: u64) -> Self {
        self.keys.parameters.seed = Some(seed);
        self
    }

    /// Derives a seed for a purpose, for example `shard 3`: the same words always give the same
    /// seed.
    ///
    /// Keys that were chosen by a hash fall on a few lines of a filter with the same hash and seed.
    /// For similar keys that filter's false-positive rate is many times the promised one. This
    /// happens to the shards of a set that is divided by a filter's own
    /// [`key_hasher`](BloomFilter::key_hasher), and to a filter of the keys that another filter let
    /// through. Give each such filter a purpose of its own.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let blocked = BloomFilter::builder().seed_for("blocked").build_from(["a", "b"])?;
    /// let let_through = ["c", "d"];            // false positives of `blocked`
    /// let allowed = BloomFilter::builder().seed_for("let through by blocked").build_from(let_through)?;
    /// assert_ne!(blocked.seed(), allowed.seed());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn seed_for(self, purpose: &str) -> Self {
        self.seed(xxh3::seed_for(purpose))
    }

    /// Hashes with SipHash-1-3 under this secret. Without the secret nobody can choose keys that
    /// collide. The file does not keep the secret: opening the file needs it.
    ///
    /// ```
    /// use tepal::{BloomFilter, SecretKey};
    /// let filter = BloomFilter::builder().capacity(1000).secret_key(SecretKey::generate()?).build()?;
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn secret_key(mut self, key: SecretKey) -> Self {
        self.keys.parameters.secret = Some(key);
        self
    }

    /// The hash scheme, in place of XXH3-64: for a filter whose bits another program must
    /// understand, or the scheme of one of five articles ([`Scheme`]). Such a scheme computes the
    /// filter's size by its own formulas.
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.keys.scheme = Some(scheme);
        self
    }

    /// The scheme [`Scheme::Md5Split`], with values for the parameters that the article leaves
    /// open.
    #[cfg(feature = "foreign")]
    pub fn md5_split(mut self, rule: Md5Split) -> Self {
        self.keys.scheme = Some(Scheme::Md5Split);
        self.keys.parameters.md5_split = Some(rule);
        self
    }

    /// The scheme [`Scheme::ValkeyBloom`] with this seed, in place of valkey-bloom's fixed one.
    #[cfg(feature = "foreign")]
    pub fn valkey_seed(mut self, seed: [u8; 32]) -> Self {
        self.keys.scheme = Some(Scheme::ValkeyBloom);
        self.keys.parameters.seed32 = Some(seed);
        self
    }

    /// For keys that the caller hashes: the scheme [`Scheme::CallerHash`]. The name tells which
    /// hash it is, with its seed. The file keeps the name, and a union needs equal names.
    ///
    /// Such a filter takes hashes ([`insert_hash`](BloomFilter::insert_hash),
    /// [`contains_hash`](BloomFilter::contains_hash) and their forms for many hashes). It cannot
    /// hash a key: inserting a key is [`Error::CallerHashes`], and
    /// [`contains`](BloomFilter::contains) answers `true`, perhaps.
    ///
    /// The hash must spread evenly over all 64 bits. Otherwise the false-positive rate is far
    /// higher than the filter says. [`finish_hash`](crate::hash::finish_hash) makes a weaker hash
    /// usable.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let mut filter = BloomFilter::builder().capacity(1000).caller_hash("wyhash 4.2, seed 7").build()?;
    /// # let my_hash = |key: &str| key.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23));
    /// filter.insert_hash(my_hash("apple"))?;
    /// assert!(filter.contains_hash(my_hash("apple")) && !filter.contains_hash(my_hash("banana")));
    /// assert!(filter.insert("apple").is_err());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn caller_hash(mut self, name: impl Into<String>) -> Self {
        self.keys.set_caller_hash(name.into());
        self
    }

    /// The type of the keys: bytes (the default), 64-bit integers, or the encoding that another
    /// program hashes.
    ///
    /// ```
    /// use tepal::{BloomFilter, KeyDomain};
    /// let mut ids = BloomFilter::builder().capacity(1000).key_domain(KeyDomain::Integer).build()?;
    /// ids.insert(&42u64)?;
    /// assert!(ids.contains("42") && ids.insert("forty-two").is_err());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn key_domain(mut self, domain: KeyDomain) -> Self {
        self.keys.domain = domain;
        self
    }

    /// The policy for keys past the capacity: refuse them (the default), warn, or ignore it. To
    /// warn is the default of the schemes with their own sizing rule, because their programs refuse
    /// nothing.
    ///
    /// ```
    /// use tepal::{BloomFilter, OverCapacity};
    /// let stream = BloomFilter::builder().capacity(1000).over_capacity(OverCapacity::Warn).build()?;
    /// assert!(!stream.is_over_capacity());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn over_capacity(mut self, policy: OverCapacity) -> Self {
        self.over_capacity = Some(policy);
        self
    }

    /// Changes that are made to a key before it is hashed. The filter applies them to every key
    /// that is bytes or text, in every call, and so does every program that opens its file.
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.keys.recipe = recipe;
        self
    }

    /// Free text about the set, stored in the file.
    pub fn labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self
    }

    /// Whether the size follows from the given values, without counting keys.
    pub(crate) fn is_sized(&self) -> bool {
        let Request { capacity, false_positive_rate, bit_len, .. } = self.request;
        self.planned.is_some() || capacity.is_some() || (false_positive_rate.is_some() && bit_len.is_some())
    }

    /// The same description for one key, at the size that follows.
    #[cfg(feature = "parallel")]
    pub(crate) fn smallest(mut self) -> Self {
        (self.request.capacity, self.request.bit_len, self.planned) = (Some(1), None, None);
        self
    }

    /// The policy for keys past the capacity.
    pub(crate) fn policy(&self) -> OverCapacity {
        let is_own = self.keys.scheme.is_some_and(sizing::is_own);
        self.over_capacity.unwrap_or(if is_own { OverCapacity::Warn } else { OverCapacity::Refuse })
    }

    /// Builds a filter for this many keys. `fill` inserts them, once for each size that is tried.
    /// Nothing is refused during that, since there is room for the counted keys. If the caller
    /// fixed no size, the filter has the lines that it needs for its own rate to be within the
    /// promise.
    pub(crate) fn build_filled(
        self,
        capacity: u64,
        fill: impl Fn(&mut BloomFilter) -> Result<()>,
    ) -> Result<BloomFilter> {
        let policy = self.policy();
        let may_grow = self.request.bit_len.is_none() && !self.keys.scheme.is_some_and(sizing::is_own);
        let mut meta = self.capacity(capacity).over_capacity(OverCapacity::Ignore).meta()?;
        let sizes = Sizes::of(meta.shape.layout, Some(meta.keys.scheme()));
        let planned = meta.shape.bit_len;
        let most = sizes.after(planned).max(planned + planned / 4 + 8 * LINE_BITS);
        loop {
            let mut filter =
                BloomFilter::from_parts(meta.clone(), Owned::new(bits::zeroed(meta.shape.lines())?), 0);
            fill(&mut filter)?;
            if !may_grow {
                filter.set_over_capacity(policy)?;
                return Ok(filter);
            }
            let times = filter.false_positive_rate() / (WITHIN * meta.promised_rate);
            // The rate falls with at most the k-th power of the size.
            let wanted = meta.shape.bit_len as f64 * libm::pow(times, 1.0 / f64::from(meta.shape.num_hashes));
            let bit_len = sizes.after((wanted as u64).max(meta.shape.bit_len));
            // No size helps much against keys that were chosen by the filter's own hash: a warning
            // reports them.
            if times <= 1.0 || bit_len > most {
                filter.set_over_capacity(policy)?;
                return Ok(filter);
            }
            meta.shape.bit_len = bit_len;
        }
    }

    /// Lets a chain grow: each further link has this many times the capacity of the one before. The
    /// default of [`build_growing`](Self::build_growing) is 4, the default of RedisBloom and
    /// valkey-bloom is 2 (`EXPANSION`). It is for `build_chain` and `build::Gather` too; a single
    /// filter does not grow.
    #[cfg(any(feature = "foreign", feature = "extras"))]
    pub fn expansion(mut self, times: u32) -> Self {
        self.expansion = Some(times);
        self
    }

    /// Computes the filter's size and rate without building it: no memory is allocated.
    ///
    /// ```
    /// let plan = tepal::BloomFilter::builder().capacity(20_000_000).false_positive_rate(0.01).plan()?;
    /// println!("{} MB, {:.2} bits a key", plan.size_in_bytes() / 1_000_000, plan.bits_per_key());
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for impossible values, and if the given values leave two of capacity,
    /// rate and size open; [`Error::RateOutOfReach`] if the layout or the size does not reach the
    /// rate; [`Error::TooLarge`] for a size that a file cannot express.
    pub fn plan(&self) -> Result<Plan> {
        if let Some(plan) = self.planned {
            return if self.request == Request::default() { Ok(plan) } else { Err(planned_twice()) };
        }
        let mut request = Request { scheme: self.keys.scheme, ..self.request };
        if request.bit_len.is_none() {
            request.false_positive_rate.get_or_insert(DEFAULT_RATE);
        }
        request.plan()
    }

    /// Builds the empty filter.
    ///
    /// # Errors
    /// As [`plan`](Self::plan); [`Error::TooLarge`] if the machine has no memory for it;
    /// [`Error::Parameter`] if both a seed and a secret key are given, or if a label is empty, has
    /// control characters or is too long.
    pub fn build(self) -> Result<BloomFilter> {
        let meta = self.meta()?;
        let lines = bits::zeroed(meta.shape.lines())?;
        Ok(BloomFilter::from_parts(meta, Owned::new(lines), 0))
    }

    /// Refuses an expansion for one filter.
    #[cfg(any(feature = "foreign", feature = "extras"))]
    fn check_is_one(&self) -> Result<()> {
        match self.expansion {
            None => Ok(()),
            Some(times) => {
                let expected = "left out: one filter does not grow";
                Err(Error::parameter("the expansion", times, expected)
                    .with(advice!("build one that grows", Growing)))
            }
        }
    }

    /// All properties of the filter but its bits.
    pub(super) fn meta(self) -> Result<BloomMeta> {
        #[cfg(any(feature = "foreign", feature = "extras"))]
        self.check_is_one()?;
        let plan = self.plan()?;
        let keys = self.key_hasher()?;
        let shape = shape_of(keys.scheme(), plan.layout, plan.num_hashes, plan.bit_len)?;
        if self.planned.is_some() {
            check_planned(keys.scheme(), &plan)?;
        }
        self.labels.check()?;
        Ok(BloomMeta {
            shape,
            keys,
            over_capacity: self.policy(),
            capacity: plan.capacity,
            promised_rate: plan.false_positive_rate,
            inserted: Some(0).into(),
            labels: self.labels.kept(),
        })
    }

    /// The key hasher that the filter will have, for hashing keys before the size of the filter is
    /// known.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the seed, the secret key or another parameter does not fit the
    /// scheme.
    pub fn key_hasher(&self) -> Result<KeyHasher> {
        self.keys.key_hasher()
    }
}

/// Refuses a plan that was changed or made for another scheme: its file would be refused, or its
/// size does not give its rate.
fn check_planned(scheme: Scheme, plan: &Plan) -> Result<()> {
    let request = Request {
        capacity: Some(plan.capacity),
        bit_len: Some(plan.bit_len),
        layout: Some(plan.layout),
        num_hashes: Some(plan.num_hashes),
        scheme: Some(scheme),
        ..Request::default()
    };
    check_rate(plan.false_positive_rate)?;
    if !sizing::is_own(scheme) && request.surely_keeps(1.1 * plan.false_positive_rate) {
        return Ok(());
    }
    let rate = request.plan()?.false_positive_rate;
    if rate > 1.1 * plan.false_positive_rate {
        let found =
            alloc::format!("one of {:e} at a capacity of {}", plan.false_positive_rate, plan.capacity);
        let expected = alloc::format!("one that its size gives, {rate:e} with the scheme {scheme}");
        return Err(Error::parameter("the rate of the plan", found, expected));
    }
    Ok(())
}

/// The error for a plan together with another size option.
#[cold]
fn planned_twice() -> Error {
    let found = "given with a capacity, rate, size, layout, number of hashes or goal beside it";
    Error::parameter("the plan", found, "given alone: it has all of these")
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
