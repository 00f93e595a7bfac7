//! The flags of `tepal remove`.

use std::path::PathBuf;

use clap::Args;

use super::{AskedArgs, ChangeArgs, FileArgs, KeyArgs, SecretArgs};

/// The end of its help, before that about keys.
pub const HELP: &str = "\
One copy of each key is removed. A filter of build --deletable has one copy of each different key of its list, and one more for each \
tepal add of it; one of build --count-bits has one copy for each time the key was given. A key that the list names more often than \
the filter has copies of it loses all of them. The filter is replaced as a whole or not at all.

Remove only keys that are in the filter. The filter knows numbers, not keys: a key that is not in has by chance, at the filter's \
false-positive rate, the number of a member, and removing it makes that member missing. So all keys are looked up first: a file is \
read twice, of a pipe the hashes are kept in memory, 8 bytes for each key. If any key is surely not in the filter, as when a list is \
removed a second time, nothing is removed, and the exit code is 2. --allow-absent removes the others all the same, and says how many \
members are lost on average: of 1,000 keys that are not in, 10 take a member each at 1 %.

--members LIST, with all keys that are in, guards these: a key that is not on it is left alone, and need not be in the filter. A \
short list of keys that are not in may look like members throughout, and only --members tells them apart.

From a filter with segments (build --by, --set) whole ones are dropped, with --segment NAME; the keys of all others stay.

Bloom filters share their bits between keys, so no key can be removed from one; build it again with: tepal build LIST --deletable.";

/// `tepal remove`.
#[derive(Args, Debug)]
pub struct RemoveArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Lists of keys; none or - is standard input
    #[arg(value_name = "KEYS")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// Lists of all keys that are in the filter: a key that is on none of them is not removed
    #[arg(long, value_name = "LIST", num_args = 1..)]
    pub members: Vec<PathBuf>,
    /// Remove the keys that are in, though others are not: each of those takes a member with it, at
    /// the false-positive rate
    #[arg(long)]
    pub allow_absent: bool,
    /// Drop this whole segment of a filter of build --by or --set, and no single keys; may be given
    /// several times
    #[arg(long, value_name = "NAME", conflicts_with_all = ["inputs", "asked", "members", "allow_absent"])]
    pub segment: Vec<String>,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Describe the filter as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
