//! `tepal build --window`: a filter whose keys expire. All keys of the list come now.

use tepal::build::{Built, KeyCounter};
use tepal::{
    Error, ExpiringFilter, Opened, builders::ExpiringFilterBuilder, facts::Window, file::Format,
    hash::PreparedKeys,
};

use super::described::described;
use super::way::Way;
use crate::args::BuildArgs;
use crate::clock;
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::{Hashes, Prepare, distinct, takes_keys};
use crate::rows::Origin;
use crate::secrets::Secrets;
use crate::text::number;

/// Builds a filter whose keys expire, as the flags describe it, with the secret key.
pub fn way<'a>(args: &'a BuildArgs, rows: Origin, secrets: &Secrets) -> Result<Way<'a>, Failure> {
    let mut builder = described!(ExpiringFilter::builder(), args, rows, secrets)
        .over_capacity(args.over.unwrap_or_default());
    match args.window.window {
        Some(Window::Keys(keys)) => builder = builder.window_of_keys(keys),
        Some(Window::Time(length)) => {
            clock::check_set()?;
            builder = builder.window_of_time(length);
        }
        _ => {}
    }
    if let Some(generations) = args.window.generations {
        builder = builder.generations(generations);
    }
    if let Some(keys) = args.shape.capacity {
        builder = builder.capacity(keys);
    }
    Ok(Way::of(move |inputs| build(builder, args, inputs)))
}

/// Reads all keys and builds the filter of them.
fn build(builder: ExpiringFilterBuilder, args: &BuildArgs, inputs: &mut Inputs) -> Result<Built, Failure> {
    let list = args.list();
    let counts = matches!(args.window.window, Some(Window::Time(_))) && args.shape.capacity.is_none();
    let hasher = takes_keys(builder.key_hasher()?)?;
    let work = Prepare { hasher: hasher.clone() };
    if counts {
        // What cannot be is refused before the list is read.
        builder.clone().capacity(1).build()?;
        let instead = Some("say how many come with -n");
        let mut listed = Hashes { once: true, instead, ..Hashes::default() };
        pipeline::run(inputs, &work, &mut listed)?;
        distinct(&mut listed.hashes);
        let different = listed.hashes.len() as u64;
        let mut filter = told(builder.capacity(different.max(1)).build()?)?;
        filter.insert_many_hashes(&listed.hashes).map_err(|error| refused(&list, &error))?;
        return Ok(Built::counted(Opened::new(filter, Format::Tepal)?, listed.keys, different));
    }
    // The filter itself knows too few: two keys may share a number, and a window of keys forgets
    // some.
    let counter = KeyCounter::new(hasher)?;
    let mut come = Come { filter: told(builder.build()?)?, counter, list };
    pipeline::run(inputs, &work, &mut come)?;
    let Come { filter, counter, .. } = come;
    let mut built = Built::counted(Opened::new(filter, Format::Tepal)?, counter.keys(), counter.different());
    built.is_exact = counter.is_exact();
    Ok(built)
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
        Error::NumbersClustered { .. } => Failure::side_by_side(list),
        error => Failure::at(list, error),
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
