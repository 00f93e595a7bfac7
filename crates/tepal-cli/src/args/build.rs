//! The flags of `tepal build`, and those about size that `tepal plan` shares.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tepal::{Layout, OverCapacity};

use super::{KeyArgs, SchemeArgs};
use crate::text::number;

/// How large a filter is and how it works inside.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ShapeArgs {
    /// Wrong answers among keys that are not in it: 1%, 0.001, 1e-6, "1 in 1000" [default: 1%]
    #[arg(short = 'p', long, value_name = "RATE", value_parser = number::parse_rate)]
    pub fpr: Option<f64>,
    /// Room for this many different keys: 20M, 1.5k
    #[arg(short = 'n', long, value_name = "KEYS", value_parser = number::parse_count)]
    pub capacity: Option<u64>,
    /// Bytes of the filter: 24MiB, 1GB
    #[arg(short, long, value_name = "SIZE", value_parser = number::parse_size)]
    pub size: Option<u64>,
    /// Which bits a key sets
    #[arg(long, value_name = "LAYOUT", value_parser = parse_layout())]
    pub layout: Option<Layout>,
    /// Bits that each key sets, in place of the best number
    #[arg(short = 'k', long, value_name = "K")]
    pub num_hashes: Option<u32>,
    /// The least memory, not the most speed
    #[arg(long, conflicts_with = "layout")]
    pub memory: bool,
}

/// `tepal build`.
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// Lists of keys; none or - is standard input
    #[arg(value_name = "KEYS")]
    pub inputs: Vec<PathBuf>,
    /// The filter to write; - is standard output
    #[arg(short, long, value_name = "FILTER")]
    pub output: PathBuf,
    #[command(flatten)]
    pub shape: ShapeArgs,
    #[command(flatten)]
    pub keys: KeyArgs,
    /// White space around a key does not count (stored; `has` does the same)
    #[arg(long)]
    pub trim: bool,
    /// Capital letters A to Z do not count (stored; `has` does the same)
    #[arg(long)]
    pub nocase: bool,
    /// Keys are integers of 64 bits, hashed faster; short for --keys integer
    #[arg(long)]
    pub integer: bool,
    #[command(flatten)]
    pub scheme: SchemeArgs,
    /// Hash under a secret: a file of 16 bytes or 32 hex digits, needed by whoever asks
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// Seal the filter, so that nobody can swap it: a file of 16 bytes or more, or of 32 hex digits or more, needed
    /// by whoever asks
    #[arg(long, value_name = "FILE")]
    pub seal: Option<PathBuf>,
    /// Seed of the hash [default: 0]
    #[arg(long, value_name = "SEED", value_parser = number::parse_seed, conflicts_with = "secret")]
    pub seed: Option<u64>,
    /// When more keys come than there is room for
    #[arg(long, value_name = "POLICY", default_value = "refuse", value_parser = parse_policy())]
    pub over: OverCapacity,
    /// Name of the set, stored in the filter
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// Where the keys came from, stored in the filter
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
    /// Date of the list, stored in the filter
    #[arg(long, value_name = "TEXT")]
    pub date: Option<String>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Describe the new filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

fn parse_layout() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(Layout::ALL.map(Layout::name)).try_map(|name| name.parse::<Layout>())
}

fn parse_policy() -> impl TypedValueParser<Value = OverCapacity> {
    PossibleValuesParser::new(["refuse", "warn", "ignore"]).try_map(|name| name.parse::<OverCapacity>())
}
