//! `tepal build --static`: the smallest filter of a list, to which no key is added later.
//!
//! It is built of all hashes, sorted: they wait in memory and in temporary files, as for a Bloom
//! filter of unknown size.

use tepal::RibbonFilter;
use tepal::build::Gather;

use super::described::described;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::machine;
use crate::output::Target;
use crate::rows::Origin;
use crate::secrets::Secrets;

/// Takes keys into the filter that the flags describe, with the secret key.
pub fn new_gather(
    args: &BuildArgs,
    rows: Origin,
    secrets: &Secrets,
    target: &Target,
) -> Result<Gather, Failure> {
    let builder = described!(RibbonFilter::builder(), args, rows, secrets);
    let builder = if args.ribbon.prefer_speed { builder.prefer_speed() } else { builder };
    let gather = Gather::ribbon(builder, &target.folder(), args.keys.threads())?;
    Ok(gather.memory(args.memory.unwrap_or_else(machine::share)))
}
