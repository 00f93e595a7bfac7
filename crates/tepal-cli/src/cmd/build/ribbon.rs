//! `tepal build --static`: the smallest filter of a list, to which no key is added later.
//!
//! It is built of all hashes, sorted: they wait in memory and in temporary files, as for a Bloom filter of unknown size.

use tepal::RibbonFilter;
use tepal::build::Gather;

use super::described::described;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::machine;
use crate::output::Target;
use crate::secrets::Secrets;

/// Refuses what this filter has not, before anything is read.
pub fn check(args: &BuildArgs) -> Result<(), Failure> {
    if !args.ribbon.is_static {
        return Ok(());
    }
    let complete = "it is as large as its keys make it, and takes no others";
    super::table::refuse(
        "--static",
        &[("-n", args.shape.capacity.is_some(), complete), ("--over", args.over.is_some(), complete)],
    )?;
    super::table::check_of("--static", ("a ribbon", "it is sized by -p and by its keys"), args)
}

/// Takes keys into the filter that the flags describe, with the secret key.
pub fn new_gather(
    args: &BuildArgs,
    rows: Option<String>,
    secrets: &Secrets,
    target: &Target,
) -> Result<Gather, Failure> {
    let builder = described!(RibbonFilter::builder(), args, rows, secrets);
    let builder = if args.ribbon.prefer_speed { builder.prefer_speed() } else { builder };
    let gather = Gather::ribbon(builder, &target.folder(), args.keys.threads())?;
    Ok(gather.memory(args.memory.unwrap_or_else(machine::share)))
}
