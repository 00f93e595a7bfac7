//! From a list of unknown length to a filter of the right size, reading the list once.
//!
//! A filter cannot grow, so its size must be known before the first key goes in. The list is therefore read and
//! hashed once; the hashes wait in a [`Spool`], which counts the different ones; then the filter is built for that
//! many and the hashes go in. Where the caller fixes the size, they go in directly.

use std::path::Path;
use std::thread;

use tepal::{
    BloomFilter, BloomFilterBuilder, Error, Goal, KeyDomain, Labels, Md5Split, OverCapacity, Recipe, Scheme,
    SecretKey,
};

use crate::args::ShapeArgs;
use crate::distinct::{DistinctCounter, MARGIN};
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{Flow, Sink, run};
use crate::keep::{AllKept, Keep};
use crate::key::HashKeys;
use crate::spool::{self, PART_BITS, Spool};
use crate::text::number;

/// Everything about a filter to be but its keys.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Size, rate and layout, as far as they are given.
    pub shape: ShapeArgs,
    /// What is done to each key first.
    pub recipe: Recipe,
    /// What the keys are.
    pub domain: KeyDomain,
    /// When more keys come than planned.
    pub over: OverCapacity,
    /// Free text.
    pub labels: Labels,
    /// Seed of the hash.
    pub seed: Option<u64>,
    /// Secret of the hash, in place of a seed.
    pub secret: Option<SecretKey>,
    /// How keys become bits, in place of our own schemes.
    pub scheme: Option<Scheme>,
    /// What the scheme md5-split leaves open.
    pub md5_split: Option<Md5Split>,
}

/// A filter with all keys of its list.
pub struct Built {
    /// The filter.
    pub filter: BloomFilter,
    /// Keys on the list, repeats included.
    pub keys: u64,
    /// Different keys among them.
    pub different: u64,
    /// Whether `different` is exact and no estimate.
    pub exact: bool,
}

impl Settings {
    /// Everything as a builder that has room for `capacity` keys, or for as many as rate and size allow.
    pub fn builder(&self, capacity: Option<u64>) -> Result<BloomFilterBuilder, Failure> {
        let shape = &self.shape;
        let mut builder = BloomFilter::builder()
            .goal(goal(shape.memory))
            .key_domain(self.domain)
            .over_capacity(self.over)
            .recipe(self.recipe)
            .labels(self.labels.clone());
        if let Some(keys) = capacity {
            builder = builder.capacity(keys);
        }
        if let Some(rate) = shape.fpr {
            builder = builder.false_positive_rate(rate);
        }
        if let Some(bytes) = shape.size {
            let bits = if self.has_own_rule() { exact_bits_of(bytes)? } else { bits_of(bytes)? };
            builder = builder.bit_len(bits);
        }
        if let Some(scheme) = self.scheme {
            builder = builder.scheme(scheme);
        }
        if let Some(rule) = self.md5_split {
            builder = builder.md5_split(rule);
        }
        if let Some(layout) = shape.layout {
            builder = builder.layout(layout);
        }
        if let Some(k) = shape.num_hashes {
            builder = builder.num_hashes(k);
        }
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        if let Some(key) = &self.secret {
            builder = builder.secret_key(key.clone());
        }
        Ok(builder)
    }

    /// Whether the scheme goes from the key straight to the bits, without a 64-bit hash.
    pub fn has_own_rule(&self) -> bool {
        !matches!(self.scheme, None | Some(Scheme::Xxh3 | Scheme::SipHash13 | Scheme::Xxh64))
    }

    /// Whether the size of the filter follows from what is given, without the list.
    pub fn is_sized(&self) -> bool {
        self.shape.capacity.is_some() || (self.shape.fpr.is_some() && self.shape.size.is_some())
    }

    /// The empty filter of a given capacity.
    pub fn empty(&self, capacity: Option<u64>) -> Result<BloomFilter, Failure> {
        Ok(self.builder(capacity)?.build()?)
    }
}

/// Whole lines of 512 bits in so many bytes, in bits.
pub fn bits_of(bytes: u64) -> Result<u64, Failure> {
    let lines = bytes / 64;
    match lines.checked_mul(512) {
        Some(0) => Err(Failure::new(format!("-s: {bytes} bytes; expected 64 or more, the size of one line"))),
        Some(bits) => Ok(bits),
        None => Err(Failure::new(format!(
            "-s: {bytes} bytes, more than any machine can hold; take a smaller size"
        ))),
    }
}

/// All bits of so many bytes: other programs' filters are not made of lines.
fn exact_bits_of(bytes: u64) -> Result<u64, Failure> {
    let text = || format!("-s: {bytes} bytes, more than any machine can hold; take a smaller size");
    bytes.checked_mul(8).ok_or_else(|| Failure::new(text()))
}

/// What to prefer where no layout is named.
pub fn goal(memory: bool) -> Goal {
    if memory { Goal::Memory } else { Goal::Speed }
}

/// A build that has checked everything which can be checked before the list is read.
pub struct Build {
    settings: Settings,
    /// Hashes keys as the filter will, and has no room for them.
    hasher: BloomFilter,
    /// The filter, where its size is known already.
    sized: Option<BloomFilter>,
}

impl Build {
    /// Checks the settings.
    pub fn new(settings: Settings) -> Result<Self, Failure> {
        let shape = &settings.shape;
        if shape.capacity.is_some() && shape.fpr.is_some() && shape.size.is_some() {
            return Err(Failure::new(
                "-n, -p and -s are given; leave one out, it follows from the other two",
            ));
        }
        let sized = if settings.is_sized() {
            Some(settings.empty(shape.capacity)?)
        } else {
            // The size asked for with -s may be large, and its memory is not needed yet.
            settings.builder(Some(1))?.plan()?;
            None
        };
        let mut small = settings.clone();
        small.shape = ShapeArgs { layout: shape.layout, ..ShapeArgs::default() };
        let hasher = small.empty(Some(1))?;
        Ok(Self { settings, hasher, sized })
    }

    /// Reads the list and builds the filter. Temporary data goes to `folder`.
    pub fn run(mut self, inputs: &mut Inputs, folder: &Path) -> Result<Built, Failure> {
        match self.sized.take() {
            Some(filter) => self.directly(filter, inputs),
            None => {
                let threads = inputs.threads;
                let mut memory = spool::memory(threads);
                let mut spool = Spool::new(folder, &mut memory, threads)?;
                let built = self.by_counting(inputs, &mut spool)?;
                let spent = (spool.into_files(), memory);
                if threads.get() > 1 {
                    // To give all that back takes a twentieth of the time; meanwhile the filter is saved.
                    let _ = thread::Builder::new().spawn(move || drop(spent));
                }
                Ok(built)
            }
        }
    }

    fn directly(self, filter: BloomFilter, inputs: &mut Inputs) -> Result<Built, Failure> {
        let counter = DistinctCounter::new();
        let mut sink = Insert { filter, counter, keys: 0 };
        run(inputs, &HashKeys { filter: &self.hasher }, &mut sink)?;
        let Insert { filter, counter, keys } = sink;
        let (different, exact) = different(keys, counter.estimate());
        Ok(Built { filter, keys, different, exact })
    }

    fn by_counting(self, inputs: &mut Inputs, spool: &mut Spool<'_>) -> Result<Built, Failure> {
        let hash = HashKeys { filter: &self.hasher };
        run(inputs, &Keep { hash, spool }, &mut AllKept)?;
        let keys = spool.len();
        let (different, exact) = spool.different();
        let room = room_for(different, exact, keys);
        let mut filter = self.settings.empty(Some(room.max(1)))?;
        // What was counted has room; nothing is refused on the way.
        filter.set_over_capacity(OverCapacity::Ignore);
        filter.insert_bulk_parts(PART_BITS, inputs.threads, |part, take| spool.part(part, take))?;
        filter.set_over_capacity(self.settings.over);
        Ok(Built { filter, keys, different, exact })
    }
}

/// Puts the keys into a filter whose size is known.
struct Insert {
    filter: BloomFilter,
    counter: DistinctCounter,
    keys: u64,
}

impl Sink<Vec<u64>> for Insert {
    fn take(&mut self, page: &mut Page<'_>, hashes: &Vec<u64>) -> Result<Flow, Failure> {
        self.keys += hashes.len() as u64;
        self.counter.add(hashes);
        match self.filter.insert_many_hashes(hashes) {
            Ok(()) => Ok(Flow::Continue),
            Err(Error::CapacityReached { capacity, .. }) => Err(too_many(page.name, capacity)),
            Err(error) => Err(error.into()),
        }
    }
}

/// The room to make for so many different keys: an estimate may be low, and the promise is to be kept all the same.
pub fn room_for(different: u64, exact: bool, keys: u64) -> u64 {
    match exact || different == keys {
        true => different,
        false => ((different as f64 * (1.0 + MARGIN)).ceil() as u64).min(keys),
    }
}

/// More keys than the room that was asked for.
pub fn too_many(list: &str, capacity: u64) -> Failure {
    Failure::at(
        list,
        format!(
            "more different keys than the filter has room for, {}; give more with -n or -s, leave them out so that \
             the keys are counted, or say --over ignore",
            number::count(capacity)
        ),
    )
}

/// The number of different keys and whether it is exact: all of them, where the estimate cannot tell it from that.
pub fn different(keys: u64, estimate: f64) -> (u64, bool) {
    if keys as f64 <= estimate * (1.0 + MARGIN) { (keys, false) } else { (estimate.round() as u64, false) }
}
