//! The flags of the verbs that answer each record: `has`, `which` and `get`.

use clap::Args;

use super::{AskedArgs, FileArgs, HeaderArgs, KeyArgs, SecretArgs};
use crate::text::number;

/// The flags of all three.
#[derive(Args, Debug)]
pub struct AskArgs {
    #[command(flatten)]
    pub asked: AskedArgs,
    #[command(flatten)]
    pub grep: GrepArgs,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Follow the filters: after a file is replaced (a rebuild, add, mv), the lines that follow are
    /// answered from the new one, without a restart
    ///
    /// A new file that cannot be opened is reported once, and the old filter goes on answering,
    /// also where the file was cut or overwritten in place: each filter is read into memory, as
    /// with --read.
    #[arg(long)]
    pub reload: bool,
    /// Answer at once, however large the filter is: its bits are not compared with their checksums
    /// first
    ///
    /// Header, sizes and lengths are checked. A bit that has changed on the disk is not found, and
    /// may answer no for a key on the list (`tepal verify` finds it). Files of other programs are
    /// checked in any case, and so is what --reload reads into memory.
    #[arg(long, conflicts_with_all = ["seal", "read"])]
    quick: bool,
    /// Print one JSON object for each record, selected or not; with -c one for all
    #[arg(long, conflicts_with_all = ["invert", "quiet", "line_number", "with_filename", "max_count"])]
    pub json: bool,
}

impl AskArgs {
    /// How the files are opened. A file that is followed is read: who replaces it may cut it in
    /// place, and a mapped one would end the process then.
    pub fn file(&self) -> FileArgs {
        FileArgs { quick: self.quick, read: self.file.read || self.reload, ..self.file }
    }
}

/// The flags of grep.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct GrepArgs {
    /// Select the lines whose key is surely not in; `which` and `get` then print only these
    #[arg(short = 'v', long)]
    pub invert: bool,
    /// Print only the number of selected lines, of each file where several are named
    ///
    /// `which` prints for each filter how many lines it may hold, and last how many are in none;
    /// with -v only the latter.
    #[arg(short, long)]
    pub count: bool,
    /// Print nothing, and end with exit code 0 at the first selected line
    #[arg(short, long)]
    pub quiet: bool,
    /// Print before each line its number in its file
    #[arg(short = 'n', long)]
    pub line_number: bool,
    /// Print before each line the name of its file, also where only one file is named
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub with_filename: bool,
    /// Print no name of a file before a line, also where several files are named
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    pub no_filename: bool,
    /// Print only the names of the files of which a line is selected, and read each no further than
    /// that
    #[arg(short = 'l', long, conflicts_with_all = ["count", "json", "line_number", "with_filename"])]
    pub files_with_matches: bool,
    /// Print only the names of the files of which no line is selected
    #[arg(short = 'L', long, conflicts_with_all = ["count", "files_with_matches", "json", "line_number", "with_filename"])]
    pub files_without_match: bool,
    #[command(flatten)]
    pub header: HeaderArgs,
    /// Stop reading each input after this many selected lines
    #[arg(short, long, value_name = "NUM", value_parser = number::parse_count_or_zero)]
    pub max_count: Option<u64>,
    /// Check that the filter ignores case. That is decided when it is built, with --nocase
    #[arg(short = 'i', long)]
    pub ignore_case: bool,
    /// Compare whole lines, as always; accepted because grep has this flag
    #[arg(short = 'x', long, hide = true)]
    pub line_regexp: bool,
}

impl GrepArgs {
    /// Whether names of files are printed, and no lines.
    pub fn lists_files(&self) -> bool {
        self.files_with_matches || self.files_without_match
    }
}
