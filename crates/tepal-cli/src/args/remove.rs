//! The flags of `tepal remove`.

use std::path::PathBuf;

use clap::Args;

use super::{AskedArgs, ChangeArgs, FileArgs, KeyArgs, SecretArgs};

/// The end of its help, before that about keys.
pub const HELP: &str = "\
One copy of each key is taken out. A filter of build --deletable has one copy of each different key of its list, and one more for each \
tepal add of it; one of build --count-bits has as many as came. The filter is replaced as a whole or not at all. Keys that are not in \
it are counted, and are no error.

Remove only keys that were put in. The filter knows numbers, not keys: a key that was never in has by chance, at the filter's rate of \
error, the number of a member, and that member is then missed. --members LIST, with all keys that are in, is the guard: a key that is \
not on it is left alone. Of 1,000 strangers removed without it, 10 members are lost at 1 %.

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
    /// Drop this whole segment of a filter of build --by or --set, and no single keys; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with_all = ["inputs", "asked", "members"])]
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
