//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::keys::Kind;

/// Times tepal beside its peers and the limits of the machine; prints Markdown.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// Something else than the filters
    #[command(subcommand)]
    pub(crate) task: Option<Task>,

    /// Numbers of keys [default: 1e5,1e6,2e7]
    #[arg(long, value_delimiter = ',', value_parser = key_count)]
    keys: Vec<usize>,

    /// False-positive rates [default: 1%,0.1%,2^-16]
    #[arg(long, value_delimiter = ',', value_parser = rate)]
    rates: Vec<f64>,

    /// Kinds of keys [default: all]
    #[arg(long, value_delimiter = ',', value_enum)]
    kinds: Vec<Kind>,

    /// The short form, under a minute: 1e5 and 1e6 hashes and identifiers at 1 %, where nothing
    /// else is named
    #[arg(long)]
    quick: bool,

    /// Also 1e8 hashed keys at 1 %: needs 6 GB of memory and some minutes more
    #[arg(long)]
    pub(crate) large: bool,

    /// Also Guava, in a Java program of its own; needs a JDK and Guava's jar
    #[arg(long)]
    pub(crate) guava: bool,

    /// A date to print above the tables
    #[arg(long)]
    pub(crate) date: Option<String>,
}

/// Something else than the filters.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Reads lines and hashes them, and nothing more: what any program on lines costs at least
    Floor {
        /// Files of lines; none is standard input
        files: Vec<PathBuf>,
    },
    /// Times the command beside the floor, in processes of their own
    Command(CommandArgs),
    /// Filters in the cache: one key at a time and in batches, text and integers; small filters by
    /// the thousand
    Small,
    /// Asks many questions as they come and sorted by the part of the array that they fall on; a
    /// minute
    Sorted,
    /// What a filter that forgets keys takes, errs and costs beside the same table without ages; a
    /// minute
    Expiring,
    /// One filter that says which segments may hold a key, beside a filter of each of 8, 64 and
    /// 1,000; a minute
    Segments,
    /// The filter of a set that does not change, beside those of xorf and sux, and the bits by
    /// number of keys and rate; some ten minutes
    Static {
        /// These numbers of keys [default: 1e5,1e6,1e7]
        #[arg(long, value_delimiter = ',', value_parser = key_count)]
        keys: Vec<usize>,
    },
    /// Filters from which keys can be removed, beside those that count or grow; some ten minutes
    Quotient {
        /// These numbers of keys [default: 1e5,1e6,1e7]
        #[arg(long, value_delimiter = ',', value_parser = key_count)]
        keys: Vec<usize>,
    },
    /// Compares the loops of the CPU levels; fails where the vector loops win less than they should
    Guard,
    /// Draws a picture of the tables that a run printed, as SVG: size and time of the filters on
    /// its largest set of hashed keys
    Plot {
        /// The Markdown that the run printed
        result: PathBuf,
        /// The SVG file to write
        picture: PathBuf,
    },
}

/// `command`.
#[derive(Debug, clap::Args)]
pub(crate) struct CommandArgs {
    /// Keys on the list; half as many are asked
    #[arg(long, value_parser = key_count, default_value = "2e7")]
    pub(crate) keys: usize,
    /// Times `tepal uniq` in place of the others, over so many lines, half of them repeats, beside
    /// the peers that are there
    #[arg(long, value_parser = key_count)]
    pub(crate) urls: Option<usize>,
    /// Rounds; a figure is the median
    #[arg(long, default_value = "5", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// This program, in place of the one built from this repository
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) tepal: Option<PathBuf>,
    /// The folder for the lists, made if need be and kept [default: a temporary one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
}

impl Args {
    /// The numbers of keys to measure.
    pub(crate) fn keys(&self) -> Vec<usize> {
        let default: &[usize] =
            if self.quick { &[100_000, 1_000_000] } else { &[100_000, 1_000_000, 20_000_000] };
        if self.keys.is_empty() { default.to_vec() } else { self.keys.clone() }
    }

    /// The rates to measure.
    pub(crate) fn rates(&self) -> Vec<f64> {
        let default: &[f64] = if self.quick { &[0.01] } else { &[0.01, 0.001, 1.0 / 65_536.0] };
        if self.rates.is_empty() { default.to_vec() } else { self.rates.clone() }
    }

    /// The kinds of keys.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let default: &[Kind] =
            if self.quick { &[Kind::Hashed, Kind::Ids] } else { &[Kind::Hashed, Kind::Ids, Kind::Urls] };
        if self.kinds.is_empty() { default.to_vec() } else { self.kinds.clone() }
    }
}

/// Fewer keys than this are inserted in so little time that reading the clock would be part of the
/// figure.
const FEWEST: f64 = 1e4;
/// More keys than this need more memory than most machines have: a key takes up to 12 bytes, and
/// all contenders are in memory together.
const MOST: f64 = 1e9;

pub(crate) fn key_count(text: &str) -> Result<usize, String> {
    match text.parse::<f64>() {
        Ok(keys) if (FEWEST..=MOST).contains(&keys) && keys.fract() == 0.0 => Ok(keys as usize),
        _ => Err(format!("expected a whole number from {FEWEST:e} to {MOST:e}, such as 1e5 or 250000")),
    }
}

pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let rate = match (text.strip_suffix('%'), text.strip_prefix("2^-")) {
        (Some(percent), _) => percent.trim_end().parse::<f64>().ok().map(|p| p / 100.0),
        (_, Some(power)) => power.parse::<u8>().ok().map(|p| 2.0_f64.powi(-i32::from(p))),
        _ => text.parse().ok(),
    };
    // Below 1e-5 the measured rate would take more questions than the run has time for.
    rate.filter(|rate| (1e-5..=0.5).contains(rate))
        .ok_or_else(|| "expected a rate from 1e-5 to 0.5, such as 1%, 0.01 or 2^-16".into())
}
