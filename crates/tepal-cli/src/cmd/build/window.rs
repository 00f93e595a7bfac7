//! `tepal build --window`: a filter whose keys expire. All keys of the list come now.

use tepal::build::{Built, KeyCounter};
use tepal::{Error, ExpiringFilter, ExpiringFilterBuilder, Format, KeyHasher, Opened, PreparedKeys, Window};

use super::described::described;
use crate::args::BuildArgs;
use crate::clock;
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::Prepare;
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// Refuses what only Bloom filters have, before anything is read.
pub fn check(args: &BuildArgs) -> Result<(), Failure> {
    if args.window.window.is_none() {
        return Ok(());
    }
    super::table::check_of("--window", super::table::TABLE, args)
}

/// The filter that the flags describe, with the secret key.
pub fn described(
    args: &BuildArgs,
    rows: Option<String>,
    secrets: &Secrets,
) -> Result<ExpiringFilterBuilder, Failure> {
    let mut builder = described!(ExpiringFilter::builder(), args, rows, secrets)
        .over_capacity(args.over.unwrap_or_default());
    match args.window.window {
        Some(Window::Keys(keys)) => builder = builder.window_of_keys(keys),
        Some(Window::Time(length)) => builder = builder.window_of_time(length),
        _ => {}
    }
    if let Some(generations) = args.window.generations {
        builder = builder.generations(generations);
    }
    if let Some(keys) = args.shape.capacity {
        builder = builder.capacity(keys);
    }
    Ok(builder)
}

/// Reads all keys and builds the filter of them.
pub fn build(
    builder: ExpiringFilterBuilder,
    args: &BuildArgs,
    inputs: &mut Inputs,
) -> Result<Built, Failure> {
    let list = args.inputs.first().map_or("standard input".to_owned(), |path| shown(path));
    let counts = matches!(args.window.window, Some(Window::Time(_))) && args.shape.capacity.is_none();
    let hasher = builder.key_hasher()?;
    if let Err(error @ Error::CallerHashes { .. }) = hasher.check("") {
        return Err(error.into());
    }
    if counts {
        // What cannot be is refused before the list is read.
        builder.clone().capacity(1).build()?;
        let mut listed = Listed { keys: 0, hashes: Vec::new() };
        run(inputs, hasher, &mut listed)?;
        listed.dedup();
        let different = listed.hashes.len() as u64;
        let mut filter = told(builder.capacity(different.max(1)).build()?)?;
        filter.insert_many_hashes(&listed.hashes).map_err(|error| refused(&list, &error))?;
        return Ok(Built::counted(Opened::new(filter, Format::Tepal)?, listed.keys, different));
    }
    // The filter itself knows too few: two keys may share a number, and a window of keys forgets some.
    let counter = KeyCounter::new(hasher.clone())?;
    let mut come = Come { filter: told(builder.build()?)?, counter, list };
    run(inputs, hasher, &mut come)?;
    let Come { filter, counter, .. } = come;
    let mut built = Built::counted(Opened::new(filter, Format::Tepal)?, counter.keys(), counter.different());
    built.is_exact = counter.is_exact();
    Ok(built)
}

fn run(inputs: &mut Inputs, hasher: KeyHasher, sink: &mut dyn Sink<PreparedKeys>) -> Result<(), Failure> {
    pipeline::run(inputs, &Prepare { hasher }, sink)
}

/// Its keys come now.
fn told(mut filter: ExpiringFilter) -> Result<ExpiringFilter, Failure> {
    if let Window::Time(_) = filter.window() {
        filter.advance_to(clock::now())?;
    }
    Ok(filter)
}

/// Why keys of a list do not go in.
fn refused(list: &str, error: &Error) -> Failure {
    match error {
        Error::CapacityReached { capacity, .. } => Failure::at(
            list,
            format!(
                "more different keys than -n says a window has, {}; give more with -n, or say --over warn to go past the promised rate",
                number::count(*capacity)
            ),
        ),
        Error::NumbersClustered { .. } => super::table::clustered(list),
        error => Failure::at(list, error),
    }
}

/// Keeps the different hashes of the list.
struct Listed {
    keys: u64,
    hashes: Vec<u64>,
}

impl Listed {
    fn dedup(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }
}

impl Sink<PreparedKeys> for Listed {
    fn take(&mut self, _: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.keys += keys.len() as u64;
        let more = keys.hashes().unwrap_or_default();
        if self.hashes.capacity() - self.hashes.len() < more.len() {
            self.dedup();
            self.hashes.try_reserve_exact(self.hashes.len().max(more.len()).max(1 << 16)).map_err(|_| {
                Failure::new("the keys of the list wait as hashes, 8 bytes each, and there is no memory for them; say how many come with -n")
            })?;
        }
        self.hashes.extend_from_slice(more);
        Ok(Flow::Continue)
    }
}

/// Puts keys into the filter as they come.
struct Come {
    filter: ExpiringFilter,
    counter: KeyCounter,
    list: String,
}

impl Sink<PreparedKeys> for Come {
    fn take(&mut self, _: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.filter.insert_prepared(keys).map_err(|error| refused(&self.list, &error))?;
        self.counter.insert_prepared(keys)?;
        Ok(Flow::Continue)
    }
}
