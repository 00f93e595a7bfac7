//! The command line.

use clap::Parser;

/// Times tepal beside its peers and the limits of the machine; prints Markdown.
#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Numbers of keys [default: 1e5,1e6,2e7]
    #[arg(long, value_delimiter = ',', value_parser = key_count)]
    keys: Vec<usize>,

    /// False-positive rates [default: 1%,0.1%]
    #[arg(long, value_delimiter = ',', value_parser = rate)]
    rates: Vec<f64>,

    /// The short form, under a minute: 1e5 and 1e6 keys at 1 %, where nothing else is named
    #[arg(long)]
    quick: bool,

    /// A date to print above the tables
    #[arg(long)]
    pub(crate) date: Option<String>,
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
        let default: &[f64] = if self.quick { &[0.01] } else { &[0.01, 0.001] };
        if self.rates.is_empty() { default.to_vec() } else { self.rates.clone() }
    }
}

/// Fewer keys than this are inserted in so little time that reading the clock would be part of the figure.
const FEWEST: f64 = 1e4;
/// More keys than this need more memory than most machines have: a key takes up to 12 bytes, and all
/// contenders are in memory together.
const MOST: f64 = 1e9;

fn key_count(text: &str) -> Result<usize, String> {
    match text.parse::<f64>() {
        Ok(keys) if (FEWEST..=MOST).contains(&keys) && keys.fract() == 0.0 => Ok(keys as usize),
        _ => Err(format!("expected a whole number from {FEWEST:e} to {MOST:e}, such as 1e5 or 250000")),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().map(|p| p / 100.0),
        None => text.parse(),
    };
    match rate {
        // Below 1e-5 the measured rate would take more questions than the run has time for.
        Ok(rate) if (1e-5..=0.5).contains(&rate) => Ok(rate),
        _ => Err("expected a rate from 1e-5 to 0.5, such as 1% or 0.01".into()),
    }
}
