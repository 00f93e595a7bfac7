//! The flags of `tepal test`.

use std::path::PathBuf;

use clap::Args;

use super::{FileArgs, KeyArgs, SecretArgs};
use crate::input::field::Field;
use crate::text::number;

/// `tepal test`.
#[derive(Args, Debug)]
pub struct TestArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Lists of keys that are in the filter; none may be missed
    #[arg(long, value_name = "LIST", num_args = 1..)]
    pub members: Vec<PathBuf>,
    /// Each row of --members names in this field the segment that its key must be in, as with
    /// build --by
    #[arg(long, value_name = "FIELD", value_parser = Field::parse, requires = "members")]
    pub by: Option<Field>,
    /// Each row of --members has in this field the value that the map must have for its key, as
    /// with build --map
    #[arg(long, value_name = "FIELD", value_parser = Field::parse, aliases = ["value", "map-to"], requires = "members", conflicts_with = "by")]
    pub map: Option<Field>,
    /// Lists of keys that are not in the filter [default: a million random keys]
    #[arg(long, value_name = "LIST", num_args = 1..)]
    pub absent: Vec<PathBuf>,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = number::parse_seed)]
    pub random_seed: u64,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Print nothing; the exit code is the result
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the measurement as JSON
    #[arg(long)]
    pub json: bool,
}
