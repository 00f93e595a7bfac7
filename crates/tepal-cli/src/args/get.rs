//! `tepal get`.

use std::path::PathBuf;

use clap::Args;

use super::AskArgs;

/// The end of the help.
pub const HELP: &str = "\
Each line comes out with one more field, after a tab: the value of its key, a number or a name, or the word none. So \
`awk -F'\\t' '{print $NF}'` has the values. The name none and a name that begins with a quote are in quotes, as in CSV: \"none\"; \
--json has names as they are. none without quotes is certain: the key was not on the list. A key that was on the list has its value, \
certainly. Another one gets a value by mistake at the rate of the map; where that was built with --known-keys, nearly always.

A line is selected when its key has a value, with -v when it has none. Without -v, -c, -q, -l and -L each line comes out, selected or not.

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
    pub ask: AskArgs,
}
