//! Describing a filter before it exists.

use super::{BloomFilter, Labels, Meta, OverCapacity};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::hash::{Hasher, KeyDomain, Recipe, Scheme, SecretKey};
use crate::params::{Goal, Plan, Request};
use crate::probe::Layout;
use crate::schemes::{Md5Split, Own};

/// The rate that is promised where the caller names neither rate nor size.
const DEFAULT_RATE: f64 = 0.01;

/// Describes a [`BloomFilter`]; everything has a default but the capacity.
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
    request: Request,
    seed: Option<u64>,
    secret: Option<SecretKey>,
    own: Option<Own>,
    domain: KeyDomain,
    over_capacity: Option<OverCapacity>,
    recipe: Recipe,
    labels: Labels,
}

impl BloomFilter {
    /// Starts to describe a filter.
    pub fn builder() -> BloomFilterBuilder {
        BloomFilterBuilder::default()
    }
}

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// An empty filter of the same scheme, parameters and key domain for other keys and another rate, of at
    /// most `most_bytes`.
    pub(crate) fn same_scheme(&self, capacity: u64, rate: f64, most_bytes: u64) -> Result<BloomFilter> {
        let scheme = Some(self.scheme());
        let request = Request {
            capacity: Some(capacity),
            false_positive_rate: Some(rate),
            scheme,
            ..Request::default()
        };
        let plan = request.plan()?;
        if plan.size_in_bytes() > most_bytes {
            return Err(Error::TooLarge { bytes: plan.size_in_bytes() });
        }
        let shape = plan.shape(self.scheme())?;
        let meta = Meta { shape, capacity, promised_rate: rate, inserted: Some(0), ..self.meta.clone() };
        let lines = bits::zeroed(shape.lines())?;
        Ok(BloomFilter::from_parts(meta, lines, 0))
    }
}

impl BloomFilterBuilder {
    /// How many different keys the filter shall hold: keys, not bits.
    pub fn capacity(mut self, keys: u64) -> Self {
        self.request.capacity = Some(keys);
        self
    }

    /// The promised share of `true` answers among keys that were never inserted, such as 0.01 for 1 %.
    /// 0.01 where neither this nor a size is given.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.request.false_positive_rate = Some(rate);
        self
    }

    /// The size of the array in bits. With a capacity, the rate follows; with a rate, the capacity.
    pub fn bit_len(mut self, bits: u64) -> Self {
        self.request.bit_len = Some(bits);
        self
    }

    /// The layout, in place of the one that [`goal`](Self::goal) would choose.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.request.layout = Some(layout);
        self
    }

    /// Bits set for each key, in place of the best number.
    pub fn num_hashes(mut self, k: u32) -> Self {
        self.request.num_hashes = Some(k);
        self
    }

    /// What to prefer where no layout is named: speed (the default) or memory.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.request.goal = goal;
        self
    }

    /// The public seed of the hash, 0 by default. The file keeps it. Filters with different seeds err on
    /// different keys.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Hashes with SipHash-1-3 under this secret, so that nobody without it can choose keys that collide.
    /// The file does not keep it: whoever opens the file needs it.
    pub fn secret_key(mut self, key: SecretKey) -> Self {
        self.secret = Some(key);
        self
    }

    /// The hash scheme, in place of XXH3-64: for filters whose bits another program shall understand, or
    /// one of the five articles' ([`Scheme`]). Such a scheme sizes the filter by its own formulas.
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.request.scheme = Some(scheme);
        self
    }

    /// The scheme [`Scheme::Md5Split`] with what the article leaves open fixed.
    pub fn md5_split(mut self, rule: Md5Split) -> Self {
        self.request.scheme = Some(Scheme::Md5Split);
        self.own = Some(Own::Md5Split(rule));
        self
    }

    /// The scheme [`Scheme::ValkeyBloom`] under this seed, in place of the one fixed in valkey-bloom.
    pub fn valkey_seed(mut self, seed: [u8; 32]) -> Self {
        self.request.scheme = Some(Scheme::ValkeyBloom);
        self.own = Some(Own::ValkeyBloom { seed });
        self
    }

    /// What the keys are: bytes (the default), 64-bit integers, or what another program hashes.
    pub fn key_domain(mut self, domain: KeyDomain) -> Self {
        self.domain = domain;
        self
    }

    /// What happens when more keys come than planned: refuse them (the default), warn (the default of the
    /// schemes with a rule of their own, whose programs refuse nothing), or ignore it.
    pub fn over_capacity(mut self, policy: OverCapacity) -> Self {
        self.over_capacity = Some(policy);
        self
    }

    /// What whoever asks shall do to a key before it is hashed; stored, not applied.
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.recipe = recipe;
        self
    }

    /// Free text about the set, stored in the file.
    pub fn labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self
    }

    /// What the filter would be, without building it: no memory is taken.
    ///
    /// # Errors
    /// As [`Request::plan`].
    pub fn plan(&self) -> Result<Plan> {
        let mut request = self.request;
        if request.bit_len.is_none() {
            request.false_positive_rate.get_or_insert(DEFAULT_RATE);
        }
        request.plan()
    }

    /// Builds the empty filter.
    ///
    /// # Errors
    /// As [`Request::plan`]; [`Error::TooLarge`] where the machine has no memory for it;
    /// [`Error::Parameter`] where both a seed and a secret key are given, or a label is empty, has control
    /// characters or is too long.
    pub fn build(self) -> Result<BloomFilter> {
        let plan = self.plan()?;
        let hasher = self.hasher()?;
        let shape = plan.shape(hasher.scheme())?;
        self.labels.check()?;
        let usual = if hasher.own().is_some() { OverCapacity::Warn } else { OverCapacity::Refuse };
        let meta = Meta {
            shape,
            hasher,
            domain: self.domain,
            over_capacity: self.over_capacity.unwrap_or(usual),
            capacity: plan.capacity,
            promised_rate: plan.false_positive_rate,
            inserted: Some(0),
            recipe: self.recipe,
            labels: self.labels,
        };
        let lines = bits::zeroed(shape.lines())?;
        Ok(BloomFilter::from_parts(meta, lines, 0))
    }

    fn hasher(&self) -> Result<Hasher> {
        let scheme = match (self.request.scheme, &self.secret) {
            (Some(scheme), _) => scheme,
            (None, Some(_)) => Scheme::SipHash13,
            (None, None) => Scheme::Xxh3,
        };
        let refused =
            |what, expected| Err(Error::parameter(what, format_args!("given with `{scheme}`"), expected));
        let hasher = match (scheme, self.seed, &self.secret) {
            (Scheme::Xxh3, seed, None) => Hasher::Xxh3 { seed: seed.unwrap_or(0) },
            (Scheme::SipHash13, None, Some(key)) => Hasher::SipHash13 { key: key.clone() },
            (Scheme::SipHash13, _, None) => {
                return Err(Error::parameter(
                    "the secret key",
                    "missing",
                    "given with the scheme `siphash13`",
                ));
            }
            (_, _, Some(_)) if scheme != Scheme::SipHash13 => {
                return refused("the secret key", "left out: only the scheme `siphash13` has one");
            }
            (Scheme::SparkV2, Some(seed), _) => match i32::try_from(seed as i64) {
                Ok(seed) => Hasher::Own(Own::SparkV2 { seed }),
                Err(_) => return Err(Error::parameter("the seed", seed, "a signed 32-bit number for Spark")),
            },
            (_, Some(_), _) => return refused("the seed", "left out: this scheme has none"),
            (Scheme::Xxh64, ..) => Hasher::Xxh64,
            (scheme, ..) => match self.own.clone().or_else(|| Own::of(scheme)) {
                Some(own) if own.scheme() == scheme => Hasher::Own(own),
                _ => return refused("a parameter of another scheme", "left out"),
            },
        };
        Ok(hasher)
    }
}

#[cfg(test)]
mod tests;
