//! The flags of `tepal diff` and `tepal patch`.

use std::path::PathBuf;

use clap::Args;

use super::{ChangeArgs, FileArgs};

/// The end of the help of both.
pub const PATCH_HELP: &str = "A patch has the bits that differ, a Rice code of the gaps between them, and what else is new: the \
count of keys, labels, a seal. Both filters must be of one shape and one hash; `tepal build LIST --like OLD` builds the \
new one so. Of a static filter a patch has the keys that were added to it (`tepal add`), about 7 bytes for each. Neither a secret nor the key of a seal is needed. A patch is for one file alone, by its checksum: applied to another, it \
is refused, and what it makes is checked before it replaces anything.";

/// `tepal diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The filter that the others have
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The filter that they shall have
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// The patch to write; - is standard output
    #[arg(short, long, value_name = "PATCH")]
    pub output: PathBuf,
    #[command(flatten)]
    pub file: FileArgs,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Describe the patch as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// `tepal patch`.
#[derive(Args, Debug)]
pub struct PatchArgs {
    /// The filter that the patch was made from
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The patch; - is standard input
    #[arg(value_name = "PATCH")]
    pub patch: PathBuf,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Describe the patch and the new file as JSON on standard output
    #[arg(long)]
    pub json: bool,
}
