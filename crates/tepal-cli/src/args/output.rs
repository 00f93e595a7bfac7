//! The flags about where a filter goes, which all verbs have that change one or make one of others.

use std::path::PathBuf;

use clap::Args;

/// Of a verb that changes a filter: it is replaced, unless the new one goes elsewhere.
#[derive(Args, Clone, Debug, Default)]
pub struct ChangeArgs {
    /// Write the new filter to this file, and do not change the old one; - is standard output
    #[arg(short, long, value_name = "FILTER")]
    pub output: Option<PathBuf>,
    /// With -o, replace an existing file
    #[arg(long)]
    pub force: bool,
    /// If another program is changing the filter, end with an error instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Of a verb that makes a new filter of others, which it may replace.
#[derive(Args, Clone, Debug)]
pub struct MakeArgs {
    /// The filter to write; - is standard output
    #[arg(short, long, value_name = "FILTER")]
    pub output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// If another program is changing a file that is read and replaced, end with an error instead
    /// of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

impl MakeArgs {
    /// The same as of a verb that changes a filter.
    pub fn as_change(&self) -> ChangeArgs {
        let Self { output, force, no_wait, quiet } = self.clone();
        ChangeArgs { output: Some(output), force, no_wait, quiet }
    }
}
