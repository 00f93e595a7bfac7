//! The flags of `tepal has`, most of which are grep's.

use clap::Args;

use super::{AskArgs, FiltersArgs};

/// `tepal has`.
#[derive(Args, Debug)]
pub struct HasArgs {
    #[command(flatten)]
    pub filters: FiltersArgs,
    #[command(flatten)]
    pub ask: AskArgs,
    /// After each line a tab and how often its key is in the filter, one of build --deletable
    /// or --count-bits: never too low, and too high at its rate of error
    #[arg(long, aliases = ["counts", "how-often"], conflicts_with_all = ["invert", "count", "quiet", "files_with_matches", "files_without_match"])]
    pub copies: bool,
}
