//! `tepal get`.

use std::path::PathBuf;

use clap::Args;

use super::{AskedArgs, FileArgs, HeaderArgs, KeyArgs, LiveArgs, SecretArgs};
use crate::text::number;

/// The end of the help.
pub const HELP: &str = "\
Each line comes out with one more field, after a tab: the value of its key, a number or a name, or the word none. So \
`awk -F'\\t' '{print $NF}'` has the values. The name none and a name that begins with a quote are in quotes, as in CSV: \"none\"; \
--json has names as they are. none without quotes is certain: the key was not on the list. A key that was on the list has its value, \
certainly. Another one gets a value by mistake at the rate of the map; where that was built with --known-keys, nearly always.

A map is built by tepal build --map; of --by or --set with --static the values are the names of segments.

What the keys are, and how they are read: tepal has --help.
Exit codes: 0 a key has a value (-v: a key has none), 1 not so, 2 error.";

/// `tepal get`.
#[derive(Args, Debug)]
pub struct GetArgs {
    /// The map
    #[arg(value_name = "MAP")]
    pub map: PathBuf,
    /// Files of lines; none or - is standard input
    #[arg(value_name = "LINES")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// Print only the lines whose key surely has no value, as they are
    #[arg(short = 'v', long)]
    pub invert: bool,
    /// Print only how many keys have a value, of all inputs together. With -v: how many have none
    #[arg(short, long)]
    pub count: bool,
    /// Print nothing, and end with exit code 0 at the first key that has a value
    #[arg(short, long)]
    pub quiet: bool,
    /// Print before each line its number in its file
    #[arg(short = 'n', long)]
    pub line_number: bool,
    /// Print before each line the name of its file; with -c, the number of each file by itself
    #[arg(short = 'H', long)]
    pub with_filename: bool,
    /// Print only the names of the files of which a key has a value, and read each no further than that
    #[arg(short = 'l', long, conflicts_with_all = ["count", "line_number", "with_filename"])]
    pub files_with_matches: bool,
    #[command(flatten)]
    pub header: HeaderArgs,
    /// Stop reading each input after this many keys that have a value. With -v: that have none
    #[arg(short, long, value_name = "NUM", value_parser = number::parse_count_or_zero)]
    pub max_count: Option<u64>,
    /// Check that the map ignores case. That is decided when it is built, with --nocase
    #[arg(short = 'i', long)]
    pub ignore_case: bool,
    /// Compare whole lines, as `get` always does; accepted because grep has this flag
    #[arg(short = 'x', long, hide = true)]
    pub line_regexp: bool,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    #[command(flatten)]
    pub live: LiveArgs,
    /// Print one JSON object for each line
    #[arg(long, conflicts_with_all = ["with_filename", "files_with_matches", "invert", "count", "quiet", "line_number", "max_count"])]
    pub json: bool,
}
