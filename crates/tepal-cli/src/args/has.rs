//! The flags of `tepal has`, most of which are grep's.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{AskArgs, AskedArgs, GrepArgs};

/// `tepal has`.
#[derive(Args, Debug)]
pub struct HasArgs {
    /// The filter. It may be left out where --in names one; files of lines then come after --
    #[arg(value_name = "FILTER", required_unless_present_any = ["others", "lines"])]
    pub filter: Option<PathBuf>,
    /// Files of lines; none or - is standard input
    #[arg(value_name = "LINES")]
    pub inputs: Vec<PathBuf>,
    /// What comes after --
    #[arg(last = true, hide = true)]
    pub lines: Vec<PathBuf>,
    /// Another filter: a line is selected when any of them has its key
    #[arg(long = "in", value_name = "FILTER")]
    pub others: Vec<PathBuf>,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// Select the lines whose key is surely not in the filter
    #[arg(short = 'v', long)]
    pub invert: bool,
    #[command(flatten)]
    pub grep: GrepArgs,
    #[command(flatten)]
    pub ask: AskArgs,
    /// With --in: after each line a tab and the filters that may hold its key, with a comma between
    /// them, as `tepal which` prints them
    #[arg(long, conflicts_with_all = ["invert", "count", "quiet", "json"])]
    pub which: bool,
    /// After each line a tab and how often its key is in the filter, one of build --deletable
    /// or --count-bits: never too low, and too high at its rate of error
    #[arg(long, aliases = ["counts", "how-often"], conflicts_with_all = ["others", "invert", "count", "quiet", "files_with_matches", "which"])]
    pub copies: bool,
    /// Name the filters without folder and ending
    #[arg(long)]
    pub stem: bool,
    /// Print one JSON object for each record, also for those that are not in the filter; it names
    /// the filters
    #[arg(long, conflicts_with_all = ["with_filename", "files_with_matches", "invert", "count", "quiet", "line_number", "max_count"])]
    pub json: bool,
}

impl HasArgs {
    /// The filters and the files of lines, each in their order.
    pub fn files(&self) -> (Vec<&Path>, Vec<PathBuf>) {
        let (mut lines, mut after) = (self.inputs.clone(), self.lines.as_slice());
        let mut named = self.filter.as_ref();
        // A filter may have a name for which -- is needed.
        if let (None, true, Some((first, rest))) = (named, self.others.is_empty(), after.split_first()) {
            (named, after) = (Some(first), rest);
        }
        lines.extend_from_slice(after);
        (named.into_iter().chain(&self.others).map(|path| path.as_path()).collect(), lines)
    }
}
