//! The flags of a program that asks filters and may run for long: how they are opened, and opened again.

use clap::Args;

use super::FileArgs;

/// How filters are opened, and whether that is done again.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct LiveArgs {
    /// Follow the filters: when a file has been replaced (a rebuild, add, mv), the lines that come after that are answered
    /// from the new one, without a restart. One that cannot be opened is told of once, and the old one goes on answering, also
    /// where the file was cut or overwritten in place: each filter is read into memory, as with --read
    #[arg(long)]
    pub reload: bool,
    /// Answer at once, however large the filter is: its bits are not held against their checksums first. Header, sizes and
    /// lengths are checked; a bit that has changed on the disk is not found, and may answer no for a key on the list
    /// (`tepal verify` finds it). Files of other programs are checked in any case, and so is what --reload reads into memory
    #[arg(long, conflicts_with_all = ["seal", "read"])]
    pub quick: bool,
}

impl LiveArgs {
    /// How the files are opened. A file that is followed is read: who replaces it may cut it in place, and a mapped one would
    /// end the process then.
    pub fn file(self, file: FileArgs) -> FileArgs {
        FileArgs { quick: self.quick, read: file.read || self.reload, ..file }
    }
}
