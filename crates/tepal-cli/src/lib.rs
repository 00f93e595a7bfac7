//! The command `tepal`: builds, asks and measures Bloom filters over lists of any size.
//!
//! [`main`] is the whole program. From flags (`args`) it goes to a verb (one file each in `cmd`). A
//! verb reads keys through `input` (bytes, records, keys), hands them to the library `tepal`, and
//! prints through `text` and `output`. No filter is computed here.
//!
#![allow(unreachable_pub, reason = "`main` is all that others use, and `pub` is shorter than `pub(crate)`")]

mod args;
mod article;
mod asking;
#[cfg(unix)]
mod at_start;
mod clock;
mod cmd;
mod describe;
mod error;
mod guess;
mod input;
mod keys;
mod live;
mod machine;
mod measure;
mod names;
mod open;
mod output;
mod parquet;
mod random;
mod rows;
mod secrets;
mod segments;
mod text;
mod unsaid;

/// What the fuzz targets need. It may change at any time.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::error::Failure;
    pub use crate::input::field::{Field, KeyRules, RowFormat};
    pub use crate::input::pages::{Inputs, Keys, Page};
    pub use crate::input::pipeline::{Flow, Refused, Sink, Work, run};
    pub use crate::input::sniff;
    pub use crate::input::source::Source;
    pub use crate::secrets::{read_seal, read_secret};
    pub use crate::text::number;
}

use std::io::{self, Write};
use std::iter;
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::{Cli, Color, Verb, help};
use crate::error::{ERROR, Failure, Outcome};
use crate::output::{check_stdout, complain, interrupt};
use crate::text::nearest::nearest;

/// Does what the command line of this process says, and gives the exit code.
pub fn main() -> ExitCode {
    let program = help::command();
    let words = args::with_whole_keys(std::env::args_os(), &program);
    let parsed = program.try_get_matches_from(words);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    interrupt::install();
    choose_color(cli.color);
    finish(match cli.verb {
        Verb::Build(args) => cmd::build::run(&args),
        Verb::Add(args) => cmd::add::run(&args),
        Verb::Remove(args) => cmd::remove::run(&args),
        Verb::Has(args) => cmd::has::run(&args),
        Verb::Which(args) => cmd::which::run(&args),
        Verb::Get(args) => cmd::get::run(&args),
        Verb::Uniq(args) => cmd::uniq::run(&args),
        Verb::Info(args) => cmd::info::run(&args),
        Verb::Plan(args) => cmd::plan::run(&args),
        Verb::Merge(args) => cmd::merge::run(&args),
        Verb::Except(args) => cmd::except::run(&args),
        Verb::Diff(args) => cmd::diff::run(&args),
        Verb::Patch(args) => cmd::patch::run(&args),
        Verb::Shrink(args) => cmd::shrink::run(&args),
        Verb::Convert(args) => cmd::convert::run(&args),
        Verb::Verify(args) => cmd::verify::run(&args),
        Verb::Test(args) => cmd::test::run(&args),
        Verb::Demo(args) => cmd::demo::run(&args),
        Verb::Completions { shell } => cmd::manual::completions(shell),
        Verb::Man { verb } => cmd::manual::man(verb.as_deref()),
    })
}

/// The exit code of a verb, after the message about its failure.
fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Message(text)) => {
            complain(&text);
            ExitCode::from(ERROR)
        }
    }
}

/// What to type in place of a flag, or of its value, that the verb does not have.
fn guessed(error: &clap::Error, verb: &str) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    // `--flag`, `--flag=value` or `--flag <VALUE>`.
    let flag = text(ContextKind::InvalidArg)?.split([' ', '=']).next()?;
    match error.kind() {
        ErrorKind::UnknownArgument => guess::flag(verb, flag).map(|instead| match flag.starts_with('-') {
            true => format!("{flag} is no flag of {verb}: {instead}"),
            false => format!("{flag}: {instead}"),
        }),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = text(ContextKind::InvalidValue).filter(|value| !value.is_empty())?;
            guess::value(verb, flag, value).map(|instead| format!("{flag} {value}: {instead}"))
        }
        _ => None,
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

/// Prints help and version as `clap` does, and any error of the command line as one line.
fn refuse(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        let print = || check_stdout().and_then(|()| error.print()).and_then(|()| io::stdout().flush());
        return match (error.use_stderr(), print) {
            (true, _) => {
                let _ = error.print();
                ExitCode::from(ERROR)
            }
            (false, print) => finish(print().map(|()| 0).map_err(|failed| Failure::stdout(&failed))),
        };
    }
    // What people guess is known too, by its real name.
    let mut cli = help::command();
    cli.build();
    let real = |verb: &str| cli.find_subcommand(verb).map(|verb| verb.get_name().to_owned());
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(found))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    {
        if let Some(instead) = guess::verb(found) {
            complain(&format!("no verb {found:?}: {instead}; see tepal --help"));
            return ExitCode::from(ERROR);
        }
        let verbs = || {
            cli.get_subcommands().flat_map(|verb| iter::once(verb.get_name()).chain(verb.get_all_aliases()))
        };
        let meant = nearest(found, verbs()).and_then(real);
        let meant = meant.map_or("; see".to_owned(), |verb| format!("; did you mean {verb}? See"));
        complain(&format!("no verb {found:?}{meant} tepal --help"));
        return ExitCode::from(ERROR);
    }
    let text = error.to_string();
    let lines = text.trim_start_matches("error: ").lines();
    let message = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = message.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    // Most flags are a verb's.
    let real = std::env::args().nth(1).and_then(|verb| real(&verb));
    let verb = real.as_ref().map_or(String::new(), |verb| format!("{verb} "));
    if let Some(text) = real.and_then(|verb| guessed(error, &verb)) {
        complain(&format!("{text}; see tepal {verb}--help"));
        return ExitCode::from(ERROR);
    }
    // The other verbs take a key by -e.
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(flag)), false) =
        (error.kind(), error.get(ContextKind::InvalidArg), verb.is_empty())
    {
        if flag == "-e" {
            complain(&format!(
                "-e: {verb}reads keys from files or from standard input: printf '%s\\n' KEY | tepal {verb}...; see tepal {verb}--help"
            ));
            return ExitCode::from(ERROR);
        }
    }
    complain(&format!("{}; see tepal {verb}--help", line.replace(":;", ":")));
    ExitCode::from(ERROR)
}
