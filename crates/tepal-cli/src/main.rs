//! The command `tepal`: builds, asks and measures Bloom filters over lists of any size.
//!
//! The way through it: [`args`] (flags) to [`cmd`] (one file for each verb), which read keys through [`pages`]
//! (inputs, records, fields) and [`pipeline`] (on one thread, or by [`parallel`] on several), hash them through [`key`]
//! and hand them to the library. No filter is computed here.

#![allow(unreachable_pub, reason = "a program has no public items, and `pub` is shorter")]

mod args;
mod ask;
mod ask_keys;
mod build;
mod build_keys;
mod cmd;
mod describe;
mod describe_foreign;
mod distinct;
mod error;
mod field;
mod iin;
mod input;
mod interrupt;
mod keep;
mod key;
mod key_batch;
mod key_spool;
mod number;
mod open;
mod output;
mod pages;
mod parallel;
mod picture;
mod pieces;
mod pipeline;
mod progress;
mod records;
mod secrets;
mod sniff;
mod spool;
mod zstd;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Color, Verb};
use crate::error::{Failure, Outcome};

/// The exit code of every error.
const ERROR: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    interrupt::install();
    choose_color(cli.color);
    match run(cli.verb) {
        Ok(code) => ExitCode::from(code),
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Message(text)) => {
            error::complain(&text);
            ExitCode::from(ERROR)
        }
    }
}

fn run(verb: Verb) -> Outcome {
    match verb {
        Verb::Build(args) => cmd::build::run(&args),
        Verb::Add(args) => cmd::add::run(&args),
        Verb::Has(args) => cmd::has::run(&args),
        Verb::Info(args) => cmd::info::run(&args),
        Verb::Plan(args) => cmd::plan::run(&args),
        Verb::Merge(args) => cmd::merge::run(&args),
        Verb::Convert(args) => cmd::convert::run(&args),
        Verb::Verify(args) => cmd::verify::run(&args),
        Verb::Test(args) => cmd::test::run(&args),
        Verb::Demo(args) => cmd::demo::run(&args),
        Verb::Completions { shell } => cmd::manual::completions(shell),
        Verb::Man { verb } => cmd::manual::man(verb.as_deref()),
    }
}

fn choose_color(color: Color) {
    match color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Help and version as `clap` prints them; a wrong command line as one line like every other error.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // A closed pipe is no error here either.
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { ERROR } else { 0 });
    }
    let text = error.to_string();
    let words = text.trim_start_matches("error: ").lines();
    let said = words.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = said.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    error::complain(&format!("{}; see tepal --help", line.replace(":;", ":")));
    ExitCode::from(ERROR)
}
