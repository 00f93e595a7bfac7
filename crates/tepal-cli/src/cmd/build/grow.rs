//! `tepal build --growing`: a filter for as many keys as come, now and later.
//!
//! With `-n` the keys go in as they come. Without it the first ones wait, so that the filter begins
//! with room for as many as there are. Where keys can be removed, all of them wait: each different
//! one goes in once.

use std::num::NonZeroUsize;

use tepal::build::Built;
use tepal::{
    Error, GrowingFilter, Opened, QuotientFilter,
    builders::GrowingFilterBuilder,
    file::Format,
    hash::{KeyHasher, PreparedKeys},
};

use super::described::described;
use super::way::Way;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::{Hashes, Prepare, takes_keys};
use crate::rows::Origin;
use crate::secrets::Secrets;

/// Keys that go in together.
const PIECE: usize = 1 << 20;

/// Keys that wait for the filter to begin, at the most: 128 MiB.
const WAITING: usize = 1 << 24;

/// A filter begins with room for so many keys at least, where nothing is said: 2 kB at 1 %.
const LEAST_FIRST: u64 = 1000;

/// Builds a filter that grows, as the flags describe it, with the secret key.
pub fn way<'a>(args: &'a BuildArgs, rows: Origin, secrets: &Secrets) -> Result<Way<'a>, Failure> {
    let mut builder =
        described!(GrowingFilter::builder(), args, rows, secrets).deletable(args.table.deletable);
    if let Some(keys) = args.shape.capacity {
        builder = builder.first(keys);
    }
    // What cannot be is refused before the list is read.
    builder.planned_size_in_bytes()?;
    let hasher = takes_keys(builder.key_hasher()?)?;
    Ok(Way::of(move |inputs| build(builder, hasher, args, inputs)))
}

/// Reads all keys and builds the filter of them.
fn build(
    builder: GrowingFilterBuilder,
    hasher: KeyHasher,
    args: &BuildArgs,
    inputs: &mut Inputs,
) -> Result<Built, Failure> {
    let begins = args.shape.capacity.is_some() && !args.table.deletable;
    let mut come = Come {
        list: args.list(),
        threads: args.keys.threads(),
        first: args.shape.capacity,
        filter: if begins { Some(builder.clone().build()?) } else { None },
        waiting: Vec::new(),
        builder,
        keys: 0,
    };
    let work = Prepare { hasher };
    if args.table.deletable {
        let mut all = Hashes { once: true, ..Hashes::default() };
        pipeline::run(inputs, &work, &mut all)?;
        (come.keys, come.waiting) = (all.keys, all.hashes);
    } else {
        pipeline::run(inputs, &work, &mut come)?;
    }
    come.finish()
}

/// Brings hashes into an order in which their numbers are spread. Sorted, those that come first
/// would lie side by side in a table that has not grown yet.
pub fn mix(hashes: &mut [u64]) {
    hashes.sort_unstable_by_key(|hash| hash.reverse_bits());
}

/// Puts keys into the filter as they come, a piece at a time.
struct Come {
    builder: GrowingFilterBuilder,
    /// So many keys it begins with, where that was said.
    first: Option<u64>,
    /// Nothing before it has begun.
    filter: Option<GrowingFilter>,
    /// Hashes that are not in it yet.
    waiting: Vec<u64>,
    keys: u64,
    threads: NonZeroUsize,
    list: String,
}

impl Come {
    /// The filter, once all keys came.
    fn finish(mut self) -> Result<Built, Failure> {
        let Some(filter) = self.filter.take() else {
            // All wait, and are counted.
            let (filter, different) = self.begin()?;
            return Ok(Built::counted(Opened::new(filter, Format::Tepal)?, self.keys, different));
        };
        let file = Opened::new(self.put_in(filter)?, Format::Tepal)?;
        let estimated = file.filter().estimated_len().round() as u64;
        let mut built = Built::counted(file, self.keys, estimated);
        built.is_exact = false;
        Ok(built)
    }

    /// The filter of the keys that wait, and how many different ones these are.
    fn begin(&mut self) -> Result<(GrowingFilter, u64), Failure> {
        QuotientFilter::sort_hashes(&mut self.waiting, self.threads);
        self.waiting.dedup();
        let different = self.waiting.len() as u64;
        let first = self.first.unwrap_or(different.max(LEAST_FIRST));
        if first < different {
            mix(&mut self.waiting);
        }
        let filter = self.builder.clone().first(first).build()?;
        Ok((self.put_in(filter)?, different))
    }

    /// The filter with the keys that wait.
    fn put_in(&mut self, mut filter: GrowingFilter) -> Result<GrowingFilter, Failure> {
        filter.insert_many_hashes(&self.waiting).map_err(|error| match error {
            Error::NumbersClustered { .. } => Failure::side_by_side(&self.list),
            Error::RateOutOfReach { .. } => Failure::at(
                &self.list,
                "more keys than a filter of this rate can ever have; begin with more (-n), or give a higher rate (-p)",
            ),
            error => Failure::at(&self.list, error),
        })?;
        self.waiting.clear();
        Ok(filter)
    }
}

impl Sink<PreparedKeys> for Come {
    fn take(&mut self, _: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.keys += keys.len() as u64;
        let mut hashes = keys.hashes().unwrap_or_default();
        loop {
            let most = if self.filter.is_none() { WAITING } else { PIECE };
            let (now, later) = hashes.split_at(hashes.len().min(most - self.waiting.len()));
            self.waiting.try_reserve(now.len()).map_err(|_| {
                Failure::new(
                    "the first keys wait as hashes, 8 bytes each, and there is no memory for them; say how many come with -n",
                )
            })?;
            self.waiting.extend_from_slice(now);
            if self.waiting.len() < most {
                return Ok(Flow::Continue);
            }
            let filter = match self.filter.take() {
                Some(filter) => self.put_in(filter)?,
                None => self.begin()?.0,
            };
            self.filter = Some(filter);
            hashes = later;
        }
    }
}
