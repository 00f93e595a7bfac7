//! The flags of `tepal except`.

use std::path::PathBuf;

use clap::Args;

use super::{AskedArgs, ChangeArgs, FileArgs, KeyArgs, SecretArgs};

/// The end of its help, before that about keys.
pub const EXCEPT_HELP: &str = "\
A filter says yes for some keys that are not in it. Of those that are known, the file can keep a list: the filter then says no for \
them. Keys for which it says no anyway are left out. A member on the list would be a missed key, so the members are compared with \
it (--members), or the caller vouches for the keys (--non-members). A key that is added later (tepal add) is taken off the list.

An exception is kept as the 64-bit hash of its key, 8 bytes, so the keys cannot be listed. Of n members one has the same hash as \
one of e exceptions with a chance of n·e / 2^64; --members finds that too. Programs open such a file with `tepal::open`; \
`BloomFilter::open` refuses it.";

/// `tepal except`.
#[derive(Args, Debug)]
pub struct ExceptArgs {
    /// The filter
    #[arg(value_name = "FILTER")]
    pub filter: PathBuf,
    /// Lists of keys that are not in the filter; none or - is standard input
    #[arg(value_name = "KEYS")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// Lists of all members: a key that is on one is refused, and nothing is changed
    #[arg(long, value_name = "LIST", num_args = 1..)]
    pub members: Vec<PathBuf>,
    /// The keys are surely no members. Without --members nobody else finds out
    #[arg(long, conflicts_with = "members")]
    pub non_members: bool,
    /// Show how many exceptions there are, and change nothing
    #[arg(long, conflicts_with_all = ["inputs", "asked", "members", "non_members", "output", "force", "no_wait"])]
    pub list: bool,
    #[command(flatten)]
    pub keys: KeyArgs,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub keyed: SecretArgs,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Describe what was done as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
