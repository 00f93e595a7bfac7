//! The Markdown.

use std::fmt::Write;

use crate::contender::Calls;
use crate::contenders::BASE;
use crate::machine;
use crate::measure::{Case, Row, Times};

/// What stands above the tables.
pub(crate) fn header(date: Option<&str>) -> String {
    let level = tepal::BloomFilter::builder().capacity(1).build().map_or("none", |f| f.cpu_level());
    let mut text = String::from("# tepal beside its peers and the limits\n\n");
    if let Some(date) = date {
        let _ = writeln!(text, "{date}\n");
    }
    text += &machine::describe();
    let _ = writeln!(text, "- tepal {} (loops for {level})", version("tepal"));
    let _ = writeln!(text, "- fastbloom {}, sbbf-rs-safe {}", version("fastbloom"), version("sbbf-rs-safe"));
    text += "\nTimes are CPU nanoseconds a key, medians over the rounds. `x` columns: fastbloom's time divided by \
             this row's, above 1 is faster than fastbloom. Filters have the size that the library chooses for \
             the wanted rate; sbbf-rs-safe gets the bytes of tepal's split block. Limit rows are no filters.\n";
    text
}

/// The version in use, as the lock file has it.
fn version(package: &str) -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines();
    let name = format!("name = \"{package}\"");
    lines.find(|line| *line == name);
    lines.next().map_or("", |line| line.trim_start_matches("version = ").trim_matches('"'))
}

/// The rows of one case.
pub(crate) fn table(title: &str, case: Case, rows: &[Row]) -> String {
    let mut text = format!("\n## {:e} keys at {} %: {title}\n\n", case.keys, 100.0 * case.rate);
    text += "| filter | calls | bits/key | rate | insert | hit | miss | insert x | hit x | miss x |\n";
    text += "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
    let base = rows.iter().find(|row| row.name == BASE);
    for row in rows {
        let calls = match row.calls {
            Calls::OneKey => "one key",
            Calls::Batch => "batch",
            Calls::Limit => "limit",
        };
        let bits = if row.bits_per_key > 0.0 { format!("{:.2}", row.bits_per_key) } else { String::new() };
        let rate = row.rate.map(percent).unwrap_or_default();
        let _ = write!(text, "| {} | {calls} | {bits} | {rate} ", row.name);
        for times in cells(row) {
            let _ = write!(text, "| {:.2} ", times.median());
        }
        for (times, base) in cells(row).into_iter().zip(base.map(cells).into_iter().flatten()) {
            let _ = write!(text, "| {:.2} ", base.median() / times.median());
        }
        text += "|\n";
    }
    let mut spreads: Vec<f64> = rows.iter().flat_map(cells).map(Times::spread).collect();
    spreads.sort_by(f64::total_cmp);
    let _ = writeln!(
        text,
        "\nSlowest round minus fastest, as a share of the median: {:.0} % in the middle cell, {:.0} % in the worst.",
        100.0 * spreads[spreads.len() / 2],
        100.0 * spreads[spreads.len() - 1]
    );
    text
}

fn cells(row: &Row) -> [&Times; 3] {
    [&row.insert, &row.hit, &row.miss]
}

/// A rate with three significant digits, such as `0.0997 %`.
pub(crate) fn percent(rate: f64) -> String {
    let digits = (2.0 - (100.0 * rate).log10().floor()).max(0.0) as usize;
    format!("{:.digits$} %", 100.0 * rate)
}
