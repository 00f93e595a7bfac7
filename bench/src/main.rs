//! Times tepal beside its peers and beside the limits of the machine: CPU nanoseconds a key, in one
//! process and one run, as Markdown.
//!
//! Rounds go over all contenders in random order, so whatever slows the machine for a while slows
//! all of them alike. criterion and divan run one benchmark to its end before the next begins: on a
//! shared machine its drift would land in the ratios, and the ratios are what this program is for.
//!
//! - [`contender`]: what a filter must do to take part; [`contenders`]: those that do
//! - [`keys`]: the families of keys, already hashed and not; [`case`]: which, how many, at which
//!   rate
//! - [`check`]: the check of the answers and the false-positive rate; [`measure`]: the rounds
//! - [`report`] and [`machine`]: the tables, and what they were measured on; [`targets`]: the aims;
//!   [`plot`]: the picture of a run
//! - [`guava`]: the Java program beside; [`command`] and [`floor`]: the command, and what it costs
//!   at least;
//!   [`guard`]: the CPU levels beside each other; [`small`]: filters in the cache; [`sorted`]: questions by part;
//!   [`expiring`]: a filter that forgets keys; [`quotient`]: filters from which keys can be removed;
//!   [`segments`]: which segment may hold a key

mod args;
mod case;
mod check;
mod command;
mod contender;
mod contenders;
mod expiring;
mod fixed;
mod floor;
mod guard;
mod guava;
mod keys;
mod machine;
mod measure;
mod plot;
mod quotient;
mod report;
mod segments;
mod small;
mod sorted;
mod targets;

use std::error::Error;
use std::process::ExitCode;

use args::{Args, Task};
use case::{Case, Group};
use clap::Parser;
use keys::{Family, Id, Kind, Url};
use report::Table;

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.task {
        None => filters(&args),
        Some(Task::Floor { files }) => floor::run(files).map_err(Into::into),
        Some(Task::Command(args)) => command::run(args),
        Some(Task::Small) => {
            print!("{}", small::run());
            Ok(())
        }
        Some(Task::Sorted) => {
            print!("{}", sorted::run());
            Ok(())
        }
        Some(Task::Expiring) => {
            print!("{}", expiring::run());
            Ok(())
        }
        Some(Task::Segments) => {
            print!("{}", segments::run());
            Ok(())
        }
        Some(Task::Static { keys }) => {
            print!("{}", fixed::run(keys));
            Ok(())
        }
        Some(Task::Quotient { keys }) => {
            print!("{}", quotient::run(keys));
            Ok(())
        }
        Some(Task::Guard) => guard::run(),
        Some(Task::Plot { result, picture }) => plot::run(result, picture),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tepal-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn filters(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut cases = case::cases(&args.keys(), &args.rates(), &args.kinds());
    if args.large {
        cases.push(case::LARGE);
    }
    // First of all, for what it needs may be missing.
    let guava = if args.guava { Some(guava::run(&cases)?) } else { None };
    print!("{}", report::header(args.date.as_deref()));
    let mut tables = Vec::new();
    for case in cases {
        eprintln!("measuring {}", case.title());
        let table = Table { case, rows: rows(case) };
        print!("{}", table.markdown());
        tables.push(table);
    }
    if let Some(guava) = guava {
        print!("{guava}");
    }
    print!("{}", targets::section(&tables));
    Ok(())
}

fn rows(case: Case) -> Vec<measure::Row> {
    fn alone<K: Family>(case: Case) -> Vec<measure::Row> {
        measure::run::<K>(case, K::contenders(case.keys, case.rate))
    }
    match case.group {
        Group::Alone(Kind::Hashed) => alone::<u64>(case),
        Group::Alone(Kind::Ids) => alone::<Id>(case),
        Group::Alone(Kind::Urls) => alone::<Url>(case),
        Group::Shared => measure::run(case, contenders::shared(case.keys, case.rate)),
    }
}
