//! Reads the tables of hashed keys in the Markdown that a run printed.

use std::error::Error;

use crate::args;
use crate::keys::Kind;

/// The tables of one run.
pub(super) struct Run {
    /// The name of the CPU, if the head tells it.
    pub(super) cpu: Option<String>,
    pub(super) tables: Vec<Table>,
}

/// One table of hashed keys.
pub(super) struct Table {
    pub(super) keys: usize,
    /// The rate that the filters were made for.
    pub(super) rate: f64,
    pub(super) rows: Vec<Row>,
}

/// One row; a limit has no rate, and some limits have no bits.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) calls: String,
    pub(super) bits: Option<f64>,
    pub(super) rate: Option<f64>,
    pub(super) hit: f64,
    pub(super) miss: f64,
}

/// What a table begins with.
const HEAD: &str = "| filter | calls | bits/key | rate | insert | hit | miss |";

/// Reads what a run printed.
///
/// # Errors
/// If a table of hashed keys has a row that is not a filter and its figures.
pub(super) fn run(text: &str) -> Result<Run, Box<dyn Error>> {
    let mut run = Run { cpu: None, tables: Vec::new() };
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        let named = |what: &str| format!("line {}: expected {what}, found '{line}'", i + 1);
        if let Some(title) = line.strip_prefix("## ") {
            let case = title.strip_suffix(Kind::Hashed.title()).and_then(|case| case.strip_suffix(": "));
            inside = case.is_some();
            if let Some(case) = case {
                let parsed = case
                    .split_once(" keys at ")
                    .and_then(|(keys, rate)| Some((args::key_count(keys).ok()?, args::rate(rate).ok()?)));
                let (keys, rate) =
                    parsed.ok_or_else(|| named("a number of keys and a rate, as '2e7 keys at 1 %'"))?;
                run.tables.push(Table { keys, rate, rows: Vec::new() });
            }
        } else if let Some((cpu, _)) =
            line.strip_prefix("- ").and_then(|fact| fact.split_once(" cores for this "))
        {
            run.cpu = cpu.rsplit_once(", ").map(|(name, _)| name.to_string());
        } else if inside && line.starts_with('|') && !line.starts_with(HEAD) && !line.starts_with("| ---") {
            let table = run.tables.last_mut().expect("inside a table");
            table
                .rows
                .push(row(line).ok_or_else(|| named(&format!("a row of '{HEAD}' with figures above 0")))?);
        }
    }
    Ok(run)
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, name, calls, bits, rate, _, hit, miss, ..] = cells[..] else { return None };
    Some(Row {
        name: name.into(),
        calls: calls.into(),
        bits: optional(bits)?,
        rate: optional(rate.trim_end_matches(" %"))?.map(|percent| percent / 100.0),
        hit: figure(hit)?,
        miss: figure(miss)?,
    })
}

/// A figure that may be missing; `None` if it is there and wrong.
fn optional(cell: &str) -> Option<Option<f64>> {
    if cell.is_empty() { Some(None) } else { figure(cell).map(Some) }
}

fn figure(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|figure: &f64| figure.is_finite() && *figure > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, Group};
    use crate::contender::Calls;
    use crate::measure::{self, Times};
    use crate::report;

    #[test]
    fn a_kept_run_is_read() {
        let run = run(include_str!("../../results/2026-11-20.md")).expect("a run printed it");
        assert_eq!(run.cpu.as_deref(), Some("AMD EPYC"));
        let cases: Vec<(usize, f64)> = run.tables.iter().map(|table| (table.keys, table.rate)).collect();
        let deep = 1.0 / 65_536.0;
        let three = |keys| [(keys, 0.01), (keys, 0.001), (keys, deep)];
        let mut expected = [three(100_000), three(1_000_000), three(20_000_000)].concat();
        expected.push((100_000_000, 0.01));
        assert_eq!(cases, expected);
        let rows = &run.tables[6].rows;
        assert_eq!(rows.len(), 21);
        let (name, calls) = ("tepal line".into(), "batch".into());
        let line = Row { name, calls, bits: Some(9.95), rate: Some(0.997 / 100.0), hit: 4.80, miss: 4.95 };
        assert_eq!(rows[5], line);
        assert_eq!((rows[0].name.as_str(), rows[0].bits, rows[0].rate), ("XXH3 alone", None, None));
    }

    #[test]
    fn what_this_program_prints_is_read() {
        let times = |figure: f64| {
            let mut times = Times::default();
            times.push(figure);
            times
        };
        let row = measure::Row {
            name: "tepal line".into(),
            calls: Calls::OneKey,
            bits_per_key: 28.43,
            rate: Some(0.0000154),
            insert: times(1.0),
            hit: times(2.5),
            miss: times(3.5),
        };
        let case = Case { group: Group::Alone(Kind::Hashed), keys: 1_000_000, rate: 1.0 / 65_536.0 };
        let run = run(&report::Table { case, rows: vec![row] }.markdown()).expect("it was just printed");
        let [table] = &run.tables[..] else { panic!("one table was printed") };
        assert_eq!((table.keys, table.rate), (case.keys, case.rate));
        let [row] = &table.rows[..] else { panic!("one row was printed") };
        assert_eq!((row.name.as_str(), row.calls.as_str(), row.bits), ("tepal line", "one key", Some(28.43)));
        assert_eq!((row.hit, row.miss), (2.5, 3.5));
        assert!((row.rate.expect("a filter has one") - 0.0000154).abs() < 1e-9);
    }

    #[test]
    fn a_broken_row_is_named() {
        let title = format!("## 1e6 keys at 1 %: {}\n", Kind::Hashed.title());
        for broken in
            ["batch | 9.95 |", "batch | 9.95 | 1 % | 2 | x | 4 |", "batch | 9.95 | 0 % | 2 | 3 | 4 |"]
        {
            let error =
                run(&format!("{title}| tepal line | {broken}\n")).err().expect("it is broken").to_string();
            assert!(error.starts_with("line 2: expected a row") && error.contains(broken), "{error}");
        }
        let error = run(&title.replace("1e6", "many")).err().expect("not a number").to_string();
        assert!(error.starts_with("line 1: expected a number of keys"), "{error}");
    }
}
