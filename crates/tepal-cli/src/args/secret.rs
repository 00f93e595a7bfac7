//! The flags that say which filter it must be: files with its secret or the key of its seal, and
//! its name.

use std::path::PathBuf;

use clap::Args;

/// The secrets that filters were made with, and their name. A file of secrets that others can open
/// is told of, and used.
#[derive(Args, Clone, Debug, Default)]
pub struct SecretArgs {
    /// The file with the secret of the filter; each filter named must be made with it, and any
    /// other is refused
    ///
    /// Keep the file to yourself (chmod 600): a file that others can open gives a warning.
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// The file with the key of its seal; each filter named must be sealed with it, and any other
    /// is refused
    #[arg(long, value_name = "FILE")]
    pub seal: Option<PathBuf>,
    /// The name that each filter named must have (build --name), and any other is refused:
    /// with --seal, one sealed file cannot stand for another
    #[arg(long, value_name = "NAME")]
    pub expect_name: Option<String>,
}
