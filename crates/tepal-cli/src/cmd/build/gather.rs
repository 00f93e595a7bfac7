//! `tepal build` of a Bloom filter: keys that come once, in any number, into a filter of the right
//! size.

use std::path::Path;

use tepal::build::{Built, Gather};
use tepal::{Error, builders::BloomFilterBuilder, file::Format, hash::PreparedKeys};

use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::{Keep, Kept};
use crate::machine;
use crate::output::Target;
use crate::text::message::shown;
use crate::text::number;

/// Takes keys into a new filter.
pub fn new_gather(args: &BuildArgs, builder: BloomFilterBuilder, target: &Target) -> Result<Gather, Failure> {
    let format = args.scheme.to.unwrap_or(Format::Tepal);
    if format != Format::Tepal {
        super::refuse_what_is_lost(args, format)?;
    }
    let gather =
        Gather::with(builder, format, &target.folder(), args.keys.threads()).map_err(super::refusal)?;
    Ok(gather.memory(args.memory.unwrap_or_else(machine::share)))
}

/// Reads all keys and builds the filter, in the shape of the one that is named.
pub fn gather_all(gather: Gather, inputs: &mut Inputs, like: Option<&Path>) -> Result<Built, Failure> {
    let keep = Keep::new(&gather);
    pipeline::run(inputs, &keep, &mut Take { gather: &gather, like })?;
    drop(keep);
    Ok(gather.finish()?)
}

/// Gives the filter the keys whose order counts.
struct Take<'a> {
    gather: &'a Gather,
    like: Option<&'a Path>,
}

impl Sink<Kept> for Take<'_> {
    fn take(&mut self, page: &mut Page<'_>, kept: &Kept) -> Result<Flow, Failure> {
        if let Some(failure) = &kept.failure {
            return Err(failure.clone());
        }
        take(self.gather, &kept.keys, page.name, self.like)?;
        Ok(Flow::Continue)
    }
}

/// Gives a filter keys of a list.
pub fn take(gather: &Gather, keys: &PreparedKeys, list: &str, like: Option<&Path>) -> Result<(), Failure> {
    gather.take(keys).map_err(|error| match error {
        Error::CapacityReached { capacity, .. } => too_many(list, capacity, gather.format(), like),
        Error::KeysClustered { rate, promised, .. } => {
            Failure::clustered(list, rate, promised, "--over warn")
        }
        error => error.into(),
    })
}

/// More keys than the room that was asked for.
pub fn too_many(list: &str, capacity: u64, format: Format, like: Option<&Path>) -> Failure {
    if let Some(like) = like {
        let text = format!(
            "more different keys than {} has room for, {}; build that one with more room first (-n) and send it whole, or \
             say --over warn to go past its promised rate",
            shown(like),
            number::count(capacity)
        );
        return Failure::at(list, text);
    }
    let last = match format {
        // Their servers refuse more, whatever is said here.
        Format::RedisBloom | Format::ValkeyBloom => "let it grow with --expansion 2",
        _ => "say --over ignore",
    };
    Failure::at(
        list,
        format!(
            "more different keys than the filter has room for, {}; give more with -n or -s, leave them out so that \
             the keys are counted, or {last}",
            number::count(capacity)
        ),
    )
}
