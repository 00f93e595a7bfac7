//! The flags of the verbs that print an answer for each record: `has`, `which` and `get`.

use clap::Args;

use super::{FileArgs, HeaderArgs, KeyArgs, SecretArgs};
use crate::text::number;

/// What the keys are, and how the filters are opened, and opened again.
#[derive(Args, Debug)]
pub struct AskArgs {
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
}

impl AskArgs {
    /// How the files are opened. A file that is followed is read: who replaces it may cut it in
    /// place, and a mapped one would end the process then.
    pub fn file(&self) -> FileArgs {
        FileArgs { quick: self.quick, read: self.file.read || self.reload, ..self.file }
    }
}

/// The flags of grep that `has` and `get` have.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct GrepArgs {
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
    /// Print only the names of the files of which a line is selected, and read each no further than
    /// that
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
    /// Compare whole lines, as always; accepted because grep has this flag
    #[arg(short = 'x', long, hide = true)]
    pub line_regexp: bool,
}
