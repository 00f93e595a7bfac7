//! The flags of `tepal add`.

use std::path::PathBuf;

use clap::Args;

use super::{AskedArgs, ChangeArgs, EmptyArgs, FileArgs, KeyArgs, SecretArgs};
use crate::input::field::Field;

/// The end of its help, after that about keys.
pub const ADD_COST: &str = "\
Cost: the filter is replaced as a whole or not at all, so however few the keys, it is read twice (checked, then written) and \
written once, and the disk needs room for both. Of a filter of 256 MiB or more only the pages that keys change are in memory of \
the program's own; the rest is the file's, which the system keeps in memory as far as there is room. One key into 1 GiB: 1 MB \
of its own memory, 2.4 s of CPU on a slow machine, 0.3 of them to check it (tepal build one.txt -s 1GiB -n 800M -o big.tepal; \
/usr/bin/time -v tepal add big.tepal one.txt). Add many keys at once.";

/// `tepal add`.
#[derive(Args, Debug)]
pub struct AddArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Lists of keys; none or - is standard input
    #[arg(value_name = "KEYS")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub asked: AskedArgs,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub empty: EmptyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    /// Add them to this segment of a filter of build --by or --set. One that it has not is made
    #[arg(long, value_name = "NAME")]
    pub segment: Option<String>,
    /// The segment of each key is named by this field of its row, as with build --by
    #[arg(long, value_name = "FIELD", value_parser = Field::parse, conflicts_with_all = ["segment", "asked"])]
    pub by: Option<Field>,
    /// Set the clock of a filter of build --window to this machine's. Keys are then read only if
    /// a list, - or -e is given
    ///
    /// If its clock is ahead, no key expires until that time comes. Set back, it has all keys that
    /// it had, and they count as added now.
    #[arg(long)]
    pub set_clock: bool,
    /// Add keys even if the promised rate is exceeded
    #[arg(long)]
    pub past_promise: bool,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Describe the filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
