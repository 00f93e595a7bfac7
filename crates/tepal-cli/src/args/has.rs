//! The flags of `tepal has`, most of which are grep's.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{AskedArgs, FileArgs, HeaderArgs, KeyArgs, LiveArgs, SecretArgs};
use crate::text::number;

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
    /// Print only the number of selected lines, of all inputs together
    #[arg(short, long)]
    pub count: bool,
    /// Print nothing, and end with exit code 0 at the first selected line
    #[arg(short, long)]
    pub quiet: bool,
    /// Print before each line its number in its file
    #[arg(short = 'n', long)]
    pub line_number: bool,
    /// Print before each line the name of its file; with -c, the number of each file by itself
    #[arg(short = 'H', long)]
    pub with_filename: bool,
    /// Print only the names of the files of which a line is selected, and read each no further than that
    #[arg(short = 'l', long, conflicts_with_all = ["count", "line_number", "with_filename"])]
    pub files_with_matches: bool,
    #[command(flatten)]
    pub header: HeaderArgs,
    /// Stop reading each input after this many selected lines
    #[arg(short, long, value_name = "NUM", value_parser = number::parse_count_or_zero)]
    pub max_count: Option<u64>,
    /// Check that the filter ignores case. That is decided when it is built, with --nocase
    #[arg(short = 'i', long)]
    pub ignore_case: bool,
    /// Compare whole lines, as `has` always does; accepted because grep has this flag
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
    /// With --in: after each line a tab and the filters that may hold its key, with a comma between them, as `tepal which`
    /// prints them
    #[arg(long, conflicts_with_all = ["invert", "count", "quiet", "json"])]
    pub which: bool,
    /// After each line a tab and how often its key is in the filter, one of build --deletable or --count-bits: never too low, and too
    /// high at its rate of error
    #[arg(long, aliases = ["counts", "how-often"], conflicts_with_all = ["others", "invert", "count", "quiet", "files_with_matches", "which"])]
    pub copies: bool,
    /// Name the filters without folder and ending
    #[arg(long)]
    pub stem: bool,
    /// Print one JSON object for each record, also for those that are not in the filter; it names the filters
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
