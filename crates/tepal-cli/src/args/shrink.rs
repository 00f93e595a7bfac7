//! `tepal shrink`.

use std::path::PathBuf;

use clap::Args;

use super::{ChangeArgs, FileArgs, SecretArgs};
use crate::text::number;

/// The end of the help.
pub const HELP: &str = "\
Neighbouring lines of bits become one, so no key is lost. The number of lines is divided by a whole number, and so there \
are few sizes that a filter can be folded to; a size that is not one of them is refused, and those around it are named. \
What a filter of that size built from the same keys is, the folded one is, bit for bit.

A filter from which keys can be removed (build --deletable) folds by 2 to 64; where -p allows no factor, its table is laid out for the \
keys that are left in it. Fewer numbers mean fewer bits a key, so that a half takes more than half of the bytes.

A growing filter (build --growing) becomes one table with -p, at the fewest bits there are at that rate: for a set to which no more keys \
come, or few. Such a table takes no more keys than its rate allows, and keys can be removed from it where they could before.

The rate of error rises, and without the keys it cannot be lowered again: without -o the filter is replaced only with --force. \
A static filter of it is made by tepal convert --static.

Filters whose positions are remainders (Guava, Spark, RedisBloom, and the others but Parquet) do not fold; build them again \
from their keys.";

/// `tepal shrink`.
#[derive(Args, Debug)]
#[group(id = "goal", required = true, multiple = true, args = ["fpr", "size"])]
pub struct ShrinkArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// As small as can be at this rate of false positives, which is promised from then on: 1%,
    /// 1e-6, "1 in 1000"
    #[arg(short = 'p', long, value_name = "RATE", value_parser = number::parse_rate)]
    pub fpr: Option<f64>,
    /// The largest size of the bits that is not above this: 24MiB, 1GB
    #[arg(short, long, value_name = "SIZE", value_parser = number::parse_size, conflicts_with = "fpr")]
    pub size: Option<u64>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Describe the small filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
