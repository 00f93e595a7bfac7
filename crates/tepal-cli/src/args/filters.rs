//! The filters and the files of lines of `has` and `which`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

/// One filter and files of lines, or several filters, `--`, and files of lines.
#[derive(Args, Debug)]
pub struct FiltersArgs {
    /// The filter. It may be left out where --in names one and files of lines come after --
    #[arg(value_name = "FILTER", required_unless_present_any = ["others", "lines"])]
    filter: Option<PathBuf>,
    /// Files of lines; none or - is standard input. With -- all names before it are filters
    #[arg(value_name = "LINES")]
    inputs: Vec<PathBuf>,
    /// What comes after --
    #[arg(last = true, hide = true)]
    lines: Vec<PathBuf>,
    /// Another filter: a line is selected when any of them may hold its key
    #[arg(long = "in", value_name = "FILTER")]
    others: Vec<PathBuf>,
    /// Name the filters without folder and ending; each must have a name of its own then
    #[arg(long)]
    pub stem: bool,
}

impl FiltersArgs {
    /// The filters and the files of lines, each in their order. `keys` are those of `-e`.
    pub fn files(&self, keys: &[OsString]) -> (Vec<&Path>, &[PathBuf]) {
        let named = self.filter.iter().chain(&self.inputs);
        let is_ended = !self.lines.is_empty() || ends_with_dashes(keys);
        let (filters, lines) = match self.lines.split_first() {
            // A filter may have a name for which -- is needed.
            Some((first, lines)) if self.filter.is_none() && self.others.is_empty() => (vec![first], lines),
            _ if is_ended => (named.collect(), &*self.lines),
            _ => (named.take(1).collect(), &*self.inputs),
        };
        (filters.into_iter().chain(&self.others).map(|path| path.as_path()).collect(), lines)
    }
}

/// Whether the command line ends with `--`. `clap` does not tell that from none.
fn ends_with_dashes(keys: &[OsString]) -> bool {
    let mut last = env::args_os().rev();
    let is_dashes = last.next().is_some_and(|last| last == "--");
    // It may be the key of a -e.
    let is_key = keys.last().is_some_and(|key| key == "--") && last.next().is_some_and(takes_a_key);
    is_dashes && !is_key
}

/// Whether the next argument is a key: this one is `--key`, or short flags that end with `-e`.
fn takes_a_key(argument: OsString) -> bool {
    argument == "--key"
        || argument
            .to_str()
            .is_some_and(|flags| flags.starts_with('-') && !flags.starts_with("--") && flags.ends_with('e'))
}
