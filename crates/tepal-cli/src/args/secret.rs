//! The flags that name keys of filters: files, whose bytes are shown nowhere.

use std::path::PathBuf;

use clap::Args;

/// The keys that filters were made with.
#[derive(Args, Clone, Debug, Default)]
pub struct SecretArgs {
    /// The secret of the filter
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// The key of its seal; a filter that is not sealed under it is refused
    #[arg(long, value_name = "FILE")]
    pub seal: Option<PathBuf>,
}
