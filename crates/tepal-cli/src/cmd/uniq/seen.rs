//! What `tepal uniq` has seen: a chain of filters that grows, a filter that forgets, or every key's
//! 128 bits; and how keys are hashed for it.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash as HashKey, Hasher};

use tepal::{
    AnyFilter, BloomFilter, Error, Opened, ScalableBloomFilter, SecretKey,
    facts::Labels,
    file::Format,
    hash::{KeyHasher, PreparedKeys},
};

use super::recent::Recent;
use crate::args::UniqArgs;
use crate::error::Failure;
use crate::input::pages::Keys;
use crate::input::pipeline::{Refused, Work};
use crate::keys::prepare_whole;
use crate::rows::Origin;
use crate::text::number;
use crate::text::words::Words;

/// A new line is lost where it is held back by mistake: so the rate is lower than a filter's
/// usually is.
pub const RATE: f64 = 1e-6;
/// A seed of its own: of keys that came out of another filter with the same hash and seed, many
/// would fall on few lines.
pub const PURPOSE: &str = "uniq";

/// What was seen.
pub enum Seen {
    /// Bloom filters: a key that is new is taken for seen at the promised rate.
    Chain {
        chain: ScalableBloomFilter,
        /// New keys that are not remembered, as the chain cannot grow; nothing where that is a
        /// failure.
        forgotten: Option<u64>,
    },
    /// A filter whose keys expire. It has a fixed room.
    Window(Box<Recent>),
    /// Two hashes of each key, under secrets that nobody knows.
    Exact { hashers: [KeyHasher; 2], set: Pairs },
}

type Pairs = HashSet<Pair, BuildHasherDefault<First>>;

/// Two hashes of a key.
#[derive(PartialEq, Eq)]
pub struct Pair([u64; 2]);

impl HashKey for Pair {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
    }
}

/// Takes the first of two hashes for the hash of both.
#[derive(Default)]
pub struct First(u64);

impl Hasher for First {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a pair gives its first hash");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A chain in which nothing was seen, as the flags want it, with what it keeps of how its rows are
/// written.
pub fn empty_chain(
    args: &UniqArgs,
    secret: Option<&SecretKey>,
    rows: Origin,
) -> Result<ScalableBloomFilter, Failure> {
    let rate = args.fpr.unwrap_or(RATE);
    let mut builder = BloomFilter::builder().false_positive_rate(rate).recipe(args.recipe.recipe());
    builder = builder.labels(rows.label(Labels::new()));
    if let Some(keys) = args.capacity {
        builder = builder.capacity(keys);
    }
    let builder = match secret {
        Some(key) => builder.secret_key(key.clone()),
        None => builder.seed_for(PURPOSE),
    };
    builder.build_growing().map_err(|error| match error {
        Error::TooLarge { .. } => {
            Failure::new("no memory for so many keys at once; give fewer with -n, and more may come all the same")
        }
        Error::RateOutOfReach { .. } => Failure::new(format!(
            "{} is out of reach for a first filter of so many keys; give fewer keys with -n (more may come all the same), a \
             higher rate with -p, or --exact",
            number::rate(rate)
        )),
        error => Failure::from(error),
    })
}

impl Seen {
    /// Nothing, to be kept exactly.
    pub fn exact(args: &UniqArgs) -> Result<Self, Failure> {
        let hasher = || {
            let secret = SecretKey::generate()?;
            BloomFilter::builder().secret_key(secret).recipe(args.recipe.recipe()).key_hasher()
        };
        let hashers = [hasher()?, hasher()?];
        Ok(Self::Exact { hashers, set: Pairs::default() })
    }

    /// What hashes keys for it.
    pub fn hash(&self) -> Hash {
        match self {
            Self::Chain { chain, .. } => Hash { first: chain.key_hasher(), second: None },
            Self::Window(recent) => Hash { first: recent.filter().key_hasher(), second: None },
            Self::Exact { hashers: [first, second], .. } => {
                Hash { first: first.clone(), second: Some(second.clone()) }
            }
        }
    }

    /// Sees keys, and says of each whether it is new.
    pub fn note(&mut self, hashed: &Hashed, is_new: &mut Vec<bool>) -> Result<(), Failure> {
        is_new.clear();
        is_new.resize(hashed.first.len(), false);
        match self {
            Self::Chain { chain, forgotten } => {
                // Once a key was not remembered, no other can be.
                if let Some(forgotten @ 1..) = forgotten {
                    *forgotten += note_strangers(chain, &hashed.first, is_new);
                    return Ok(());
                }
                match (chain.insert_prepared_noting(&hashed.first, is_new), forgotten) {
                    (Err(Error::RateOutOfReach { .. }), Some(forgotten)) => {
                        *forgotten = note_strangers(chain, &hashed.first, is_new);
                        Ok(())
                    }
                    (done, _) => done.map_err(failure),
                }
            }
            Self::Window(recent) => recent.note(&hashed.first, is_new),
            Self::Exact { set, .. } => {
                let (first, second) = (hashed.first.hashes(), hashed.second.hashes());
                let both = first.unwrap_or_default().iter().zip(second.unwrap_or_default());
                for ((first, second), is_new) in both.zip(is_new) {
                    set.try_reserve(1).map_err(|_| out_of_memory())?;
                    *is_new = set.insert(Pair([*first, *second]));
                }
                Ok(())
            }
        }
    }

    /// Lends what was seen as a filter to `save`, which is not called for keys that are kept
    /// exactly.
    pub fn lent(&mut self, save: impl FnOnce(&Opened) -> Result<(), Failure>) -> Result<(), Failure> {
        let hasher = self.hash().first;
        let nothing = Self::Exact { hashers: [hasher.clone(), hasher], set: Pairs::default() };
        let lend = |filter: AnyFilter| -> Result<_, Failure> {
            let file = Opened::new(filter, Format::Tepal)?;
            let saved = save(&file);
            Ok((file.into_filter(), saved))
        };
        match std::mem::replace(self, nothing) {
            Self::Chain { chain, forgotten } => {
                let (filter, saved) = lend(chain.into())?;
                if let AnyFilter::Scalable(chain) = filter {
                    *self = Self::Chain { chain, forgotten };
                }
                saved
            }
            Self::Window(recent) => {
                let (filter, recent) = recent.into_parts();
                let (filter, saved) = lend(filter.into())?;
                if let AnyFilter::Expiring(filter) = filter {
                    *self = Self::Window(Box::new(recent.with(filter)));
                }
                saved
            }
            exact => {
                *self = exact;
                Ok(())
            }
        }
    }

    /// About so many more keys are new.
    pub fn expect_more(&mut self, keys: u64) {
        if let Self::Chain { chain, .. } = self {
            chain.expect_more(keys);
        }
    }

    /// New keys that are not remembered, as the chain cannot grow any more or the window is full.
    pub fn forgotten(&self) -> u64 {
        match self {
            Self::Chain { forgotten, .. } => forgotten.unwrap_or(0),
            Self::Window(recent) => recent.forgotten(),
            Self::Exact { .. } => 0,
        }
    }

    /// The chance now that a new key is taken for seen.
    pub fn rate(&self) -> f64 {
        match self {
            Self::Chain { chain, .. } => chain.false_positive_rate(),
            Self::Window(recent) => recent.filter().false_positive_rate(),
            Self::Exact { .. } => 0.0,
        }
    }

    /// Bytes of memory that it takes, or about that.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Chain { chain, .. } => chain.links().iter().map(|link| link.size_in_bytes()).sum(),
            Self::Window(recent) => recent.filter().size_in_bytes(),
            Self::Exact { set, .. } => (set.capacity() * (size_of::<Pair>() + 1)) as u64 * 8 / 7,
        }
    }
}

/// Marks the keys that the chain does not hold as new. Gives their number.
fn note_strangers(chain: &ScalableBloomFilter, keys: &PreparedKeys, is_new: &mut [bool]) -> u64 {
    let (mut held, mut in_link) = (vec![false; keys.len()], vec![false; keys.len()]);
    for link in chain.links() {
        link.contains_prepared(keys, &mut in_link);
        held.iter_mut().zip(&in_link).for_each(|(held, in_link)| *held |= in_link);
    }
    let mut strangers = 0;
    for (is_new, held) in is_new.iter_mut().zip(held) {
        strangers += u64::from(!held);
        *is_new |= !held;
    }
    strangers
}

fn out_of_memory() -> Failure {
    Failure::new("no memory for more keys; without --exact a key takes 4 to 16 bytes")
}

/// Why a key was not taken, in words for someone at a command line.
pub fn failure(error: Error) -> Failure {
    match error {
        Error::KeysClustered { .. } => Failure::new(
            "the keys fall on few of the filter's lines, as if they had been chosen by its own hash, and some may have been \
             held back by mistake. Give --secret FILE (and a new --state), or --exact",
        ),
        Error::TooLarge { .. } => Failure::new(format!(
            "no memory for a larger filter ({}); give a higher rate with -p",
            error.words()
        )),
        Error::RateOutOfReach { .. } => Failure::new(
            "no filter can hold more keys at this rate; give a higher rate with -p, or more keys from the first with -n",
        ),
        other => Failure::new(other.words()),
    }
}

/// How many new keys were taken for seen, about, in a chain that held `before` keys in each of its
/// links.
///
/// A key is asked in each link. While one fills, its rate grows by some power of its keys, nearly
/// as many as 0.7 for each bit of a key; after that it stays.
pub fn wrongly_held(chain: &ScalableBloomFilter, before: &[u64]) -> f64 {
    let links = chain.links();
    let keys = |i: usize| {
        let now = links[i].keys_inserted().unwrap_or(0);
        (before.get(i).copied().unwrap_or(0) as f64, now as f64)
    };
    let mut later = 0.0;
    let mut wrong = 0.0;
    for (i, link) in links.iter().enumerate().rev() {
        let ((from, to), rate) = (keys(i), link.false_positive_rate());
        let power = 1.0 + 0.7 * f64::from(link.num_hashes());
        if to > 0.0 {
            wrong += rate * (later + to / power * (1.0 - (from / to).powf(power)));
        }
        later += to - from;
    }
    wrong
}

/// Hashes keys, once or twice.
pub struct Hash {
    first: KeyHasher,
    second: Option<KeyHasher>,
}

/// The hashes of some records.
#[derive(Default)]
pub struct Hashed {
    first: PreparedKeys,
    second: PreparedKeys,
    /// The records that have no key, and whether nothing is wrong with that: blank rows.
    pub keyless: Vec<(usize, bool)>,
    /// How many records there are.
    pub records: usize,
}

impl Hashed {
    /// Counts a record whose key cannot be told: it is not printed.
    pub fn leave_out(&mut self) {
        self.keyless.push((self.records, false));
        self.records += 1;
    }
}

impl Work for Hash {
    type Tools = ();
    type Results = Hashed;

    fn tools(&self) {}

    fn clear(results: &mut Hashed) {
        results.first.clear();
        results.second.clear();
        results.keyless.clear();
        results.records = 0;
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, hashed: &mut Hashed) -> Result<(), Refused> {
        let records = keys.batch.len();
        let from = self.whole(keys, records, hashed);
        (from..records).try_for_each(|record| match self.one(keys, record, hashed) {
            Ok(()) => Ok(()),
            Err(text) => {
                keys.bad.push(record, text)?;
                hashed.leave_out();
                Ok(())
            }
        })
    }
}

impl Hash {
    /// Hashes the first records that are keys as they stand, all at once. Says how many.
    fn whole(&self, keys: &Keys<'_>, records: usize, hashed: &mut Hashed) -> usize {
        let first = prepare_whole(&self.first, keys, records, &mut hashed.first);
        if let Some(second) = &self.second {
            // It has the recipe and the key domain of the first, and refuses no other key.
            prepare_whole(second, keys, first, &mut hashed.second);
        }
        hashed.records += first;
        first
    }

    /// Hashes the key of one record, if it has one. An error says what is wrong with the record,
    /// which is then not counted.
    #[inline(always)]
    pub fn one(&self, keys: &mut Keys<'_>, record: usize, hashed: &mut Hashed) -> Result<(), String> {
        match keys.key(record)? {
            Some(key) => {
                self.first.prepare(key, &mut hashed.first).map_err(|error| error.words())?;
                if let Some(second) = &self.second {
                    second.prepare(key, &mut hashed.second).map_err(|error| error.words())?;
                }
            }
            None => hashed.keyless.push((hashed.records, true)),
        }
        hashed.records += 1;
        Ok(())
    }
}
