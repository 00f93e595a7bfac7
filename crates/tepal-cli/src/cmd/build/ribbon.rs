//! `tepal build --static`: the smallest filter of a list, to which no key is added later.
//!
//! It is built of all hashes at once, so the list is read once and kept as hashes.

use tepal::build::Built;
use tepal::{Error, Format, Opened, RibbonFilter, RibbonFilterBuilder};

use super::described::described;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::keys::{Hashes, Prepare};
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

/// The filter that the flags describe, with the secret key.
pub fn described(
    args: &BuildArgs,
    rows: Option<String>,
    secrets: &Secrets,
) -> Result<RibbonFilterBuilder, Failure> {
    let builder = described!(RibbonFilter::builder(), args, rows, secrets).threads(args.keys.threads());
    // What cannot be is refused before the list is read.
    builder.clone().build_from_hashes(Vec::new())?;
    Ok(builder)
}

/// Reads all keys and builds the filter of them.
pub fn build(builder: RibbonFilterBuilder, inputs: &mut Inputs) -> Result<Built, Failure> {
    let hasher = builder.key_hasher()?;
    // A filter of the caller's hashes takes no keys.
    if let Err(error @ Error::CallerHashes { .. }) = hasher.check("") {
        return Err(error.into());
    }
    let mut listed = Hashes { once: true, ..Hashes::default() };
    pipeline::run(inputs, &Prepare { hasher }, &mut listed)?;
    let filter = builder.build_from_hashes(listed.hashes)?;
    let different = filter.len();
    Ok(Built::counted(Opened::new(filter, Format::Tepal)?, listed.keys, different))
}
