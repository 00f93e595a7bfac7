//! The Markdown.

use std::fmt::Write;

use crate::case::Case;
use crate::contender::Calls;
use crate::contenders::BASE;
use crate::machine;
use crate::measure::{Row, Times};

/// What a case found.
pub(crate) struct Table {
    pub(crate) case: Case,
    pub(crate) rows: Vec<Row>,
}

/// What stands above the tables.
pub(crate) fn header(date: Option<&str>) -> String {
    let level = tepal::BloomFilter::builder().capacity(1).build().map_or("none", |f| f.cpu_level());
    let mut text = String::from("# tepal beside its peers and the limits\n\n");
    if let Some(date) = date {
        let _ = writeln!(text, "{date}\n");
    }
    text += &machine::describe();
    let _ = writeln!(text, "- tepal {} (loops for {level})", version("tepal"));
    let peers = ["fastbloom", "sbbf-rs-safe", "parquet", "qfilter", "xorf", "sux"];
    let peers: Vec<String> = peers.iter().map(|name| format!("{name} {}", version(name))).collect();
    let _ = writeln!(text, "- {}", peers.join(", "));
    text += "\nTimes are CPU nanoseconds a key, medians over the rounds; rows of several threads go by the clock. \
             `x` columns: fastbloom's time divided by this row's in the same round, the median of all rounds; above \
             1 is faster than fastbloom. Filters have the size that the library chooses for the wanted rate; sbbf-rs-safe gets the bytes of tepal's split \
             block. The insert column of a static filter is its whole build. Limit rows are no filters.\n";
    text
}

/// The version in use, as the lock file has it.
fn version(package: &str) -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines();
    let name = format!("name = \"{package}\"");
    lines.find(|line| *line == name);
    lines.next().map_or("", |line| line.trim_start_matches("version = ").trim_matches('"'))
}

impl Table {
    /// The rows and what is to be known of them.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("\n## {}\n\n", self.case.title());
        text += "| filter | calls | bits/key | rate | insert | hit | miss | insert x | hit x | miss x |\n";
        text += "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
        let base = self.rows.iter().find(|row| row.name == BASE);
        for row in &self.rows {
            let bits = if row.calls == Calls::Limit && row.bits_per_key == 0.0 {
                String::new()
            } else {
                format!("{:.2}", row.bits_per_key)
            };
            let rate = row.rate.map(percent).unwrap_or_default();
            let _ = write!(text, "| {} | {} | {bits} | {rate} ", row.name, row.calls.label());
            for times in row.times() {
                let _ = write!(text, "| {:.2} ", times.median());
            }
            for (times, base) in row.times().into_iter().zip(base.map(Row::times).into_iter().flatten()) {
                let _ = write!(text, "| {:.2} ", base.over(times));
            }
            text += "|\n";
        }
        let mut spreads: Vec<f64> = self.rows.iter().flat_map(Row::times).map(Times::spread).collect();
        spreads.sort_by(f64::total_cmp);
        let wrong = self.case.wrong_expected();
        let _ = writeln!(
            text,
            "\nSlowest round minus fastest, as a share of the median: {:.0} % in the middle cell, {:.0} % in the \
             worst; {} rounds. Rates: {:e} questions to each filter; of {wrong:.0} wrong answers, as wanted, one \
             standard deviation is {:.0}, {:.1} % of the rate.",
            100.0 * spreads[spreads.len() / 2],
            100.0 * spreads[spreads.len() - 1],
            self.case.rounds(),
            self.case.questions(),
            wrong.sqrt(),
            100.0 / wrong.sqrt(),
        );
        text
    }
}

/// A rate with three significant digits, such as `0.0997 %`.
pub(crate) fn percent(rate: f64) -> String {
    if rate == 0.0 {
        return "0 %".into();
    }
    let digits = (2.0 - (100.0 * rate).log10().floor()).max(0.0) as usize;
    format!("{:.digits$} %", 100.0 * rate)
}
