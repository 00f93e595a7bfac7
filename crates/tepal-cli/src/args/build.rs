//! The flags of `tepal build`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde::Serialize;
use tepal::OverCapacity;

use super::{
    ChainArgs, EmptyArgs, GrowArgs, KeyArgs, MapArgs, RecipeArgs, RibbonArgs, SchemeArgs, SegmentArgs,
    ShapeArgs, TableArgs, WindowArgs,
};
use crate::text::message::shown;
use crate::text::number;

/// The end of its help, after that about keys.
pub const EXACT_HELP: &str = "\
Exact on a universe: where all keys that will ever be asked are known, the filter can be right about each of them.
  tepal build revoked.txt --exact-on all.txt -o revoked.tepal
The keys of the universe for which it says yes by mistake are its exceptions. The file has a list of them, 8 bytes each (see tepal \
except), or a divider, which tells them from the members with 1.23 bits for each key of both: whichever makes the file smaller, or \
what --exact-as says. Without -p and -s the rate is the one, up to 25 %, at which all of it takes the fewest bytes: with 10 \
non-members for each member 7 bits a member (a list: 15), with 1,000 of them 17 (a list: 25).
A filter with a divider takes no key later (add, merge and except refuse it): build it anew, or with --exact-as list. With a list \
a key that is added can make others of the universe wrong. Keys outside of the universe are wrong at the rate of the filter, as \
always, and with a divider at about half of it. A key that is on the list of members is a member, whether it is in the universe or \
not. Keys are compared by two hashes: if one of the universe has the 64-bit hash of a member and is another key, nothing is built, \
and another --seed helps.
Memory: 17 bytes for each key of the list and 8 for each other key of the universe, up to twice that while they are read, and then \
for a divider some 60 for each member and exception (testdata/records/exact-on.md has figures).";

/// How a filter knows its exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExactAs {
    /// A list of them, which stays right about all others when keys are added
    List,
    /// Bits that tell them from the members, in less room; no key can be added
    Divider,
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
    /// Build in the shape of this filter, so that tepal diff can make a patch from it to the new
    /// one
    ///
    /// The new filter has the size, hash, seed, recipe, capacity, promise and name of this one.
    /// --secret and --seal open this one, and the new filter gets them too.
    #[arg(long, value_name = "FILTER", conflicts_with_all = [
        "fpr", "capacity", "size", "layout", "num_hashes", "small", "trim", "nocase", "integer", "scheme", "preset",
        "md5_split", "expansion", "valkey_seed", "form", "seed", "seed_for",
    ])]
    pub like: Option<PathBuf>,
    /// Be right about every key of this list, which has all keys that will be asked, members or
    /// not; - is standard input. May be given several times
    #[arg(long, value_name = "UNIVERSE", conflicts_with_all = [
        "like", "memory", "preset", "md5_split", "expansion", "valkey_seed", "form",
    ])]
    pub exact_on: Vec<PathBuf>,
    /// With --exact-on: what makes it right [default: the smaller]
    #[arg(long, value_name = "FORM", value_enum, requires = "exact_on")]
    pub exact_as: Option<ExactAs>,
    #[command(flatten)]
    pub shape: ShapeArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub grow: GrowArgs,
    #[command(flatten)]
    pub window: WindowArgs,
    #[command(flatten)]
    pub segments: SegmentArgs,
    #[command(flatten)]
    pub ribbon: RibbonArgs,
    #[command(flatten)]
    pub map: MapArgs,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub empty: EmptyArgs,
    /// Memory for keys that wait until they are counted, 8 bytes each; the rest waits in temporary
    /// files [default: an eighth of the free memory, at least 46MiB]
    ///
    /// The peak is this, the filter (with --static twice the filter, and a byte a key) and some 20
    /// MiB.
    #[arg(long, value_name = "SIZE", value_parser = number::parse_size)]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Keys are integers of 64 bits, hashed faster; short for --keys int64
    #[arg(long)]
    pub integer: bool,
    #[command(flatten)]
    pub scheme: SchemeArgs,
    #[command(flatten)]
    pub chain: ChainArgs,
    /// Hash keys with the secret in this file: 16 bytes, or 32 hex digits. Lookups need it too
    ///
    /// Keep the file to yourself (chmod 600): a file that others can open gives a warning.
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// Seal the filter with the key in this file, so that nobody can replace the filter unnoticed:
    /// 16 bytes or more, or 32 hex digits or more. Lookups need it too
    #[arg(long, value_name = "FILE")]
    pub seal: Option<PathBuf>,
    /// Seed of the hash; a negative one for Spark [default: one of tepal's own]
    #[arg(long, value_name = "SEED", allow_negative_numbers = true, value_parser = number::parse_seed, conflicts_with = "secret")]
    pub seed: Option<u64>,
    /// A seed of its own for this purpose: "shard 3". For filters whose keys are divided by a hash
    #[arg(long, value_name = "PURPOSE", conflicts_with_all = ["secret", "seed"])]
    pub seed_for: Option<String>,
    /// What to do with more keys than the filter has room for [default: refuse, or what the filter
    /// of --like does]
    #[arg(long, value_name = "POLICY", value_parser = parse_policy())]
    pub over: Option<OverCapacity>,
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
    /// With --force, replace it also by a filter without keys; with --bad, make one of a list where
    /// no record has a key
    #[arg(long)]
    pub allow_empty: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Describe the new filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

impl BuildArgs {
    /// The name of the first list.
    pub fn list(&self) -> String {
        self.inputs.first().map_or("standard input".to_owned(), |path| shown(path))
    }
}

fn parse_policy() -> impl TypedValueParser<Value = OverCapacity> {
    PossibleValuesParser::new(OverCapacity::ALL.iter().map(|policy| policy.name()))
        .try_map(|name| name.parse::<OverCapacity>())
}
