//! Times tepal beside its peers and beside the limits of the machine: CPU nanoseconds a key, in one
//! process and one run, as Markdown.
//!
//! Rounds go over all contenders in random order, so whatever slows the machine for a while slows all of
//! them alike. criterion and divan run one benchmark to its end before the next begins: on a shared
//! machine its drift would land in the ratios, and the ratios are what this program is for.
//!
//! - [`contender`]: what a filter must do to take part; [`contenders`]: those that do
//! - [`keys`]: the two families of keys, already hashed and not
//! - [`measure`]: the check of the answers, the false-positive rate, the rounds
//! - [`report`] and [`machine`]: the tables, and what they were measured on

mod args;
mod contender;
mod contenders;
mod keys;
mod machine;
mod measure;
mod report;

use args::Args;
use clap::Parser;
use keys::{Family, Id};
use measure::Case;

fn main() {
    let args = Args::parse();
    print!("{}", report::header(args.date.as_deref()));
    for keys in args.keys() {
        for rate in args.rates() {
            let case = Case { keys, rate };
            table::<u64>(case);
            table::<Id>(case);
        }
    }
}

fn table<K: Family>(case: Case) {
    eprintln!("measuring {:e} keys at {} %: {}", case.keys, 100.0 * case.rate, K::TITLE);
    print!("{}", report::table(K::TITLE, case, &measure::run::<K>(case)));
}
