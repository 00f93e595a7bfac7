//! Code that the articles' examples share: filling a filter, lookups, and the table of the results.

use std::time::{Duration, Instant};

use tepal::{BloomFilter, Key, Result, builders::BloomFilterBuilder};

/// The number of keys that one call looks up.
const AT_ONCE: usize = 1 << 16;

/// One filter, measured.
pub(crate) struct Row {
    name: String,
    bytes: u64,
    bits_per_key: f64,
    promised: f64,
    members: usize,
    missed: usize,
    others: usize,
    wrong: usize,
    build: Duration,
    ask: Duration,
}

impl Row {
    /// Looks up the members of a filled filter (none may be missed) and other keys (few should be
    /// false positives).
    pub(crate) fn ask<K: Key>(
        name: &str,
        filter: &BloomFilter,
        build: Duration,
        members: &[K],
        others: &[K],
    ) -> Self {
        let held = |keys: &[K]| -> usize {
            let yes = |keys: &[K]| filter.contains_many(keys).into_iter().filter(|&answer| answer).count();
            keys.chunks(AT_ONCE).map(yes).sum()
        };
        let missed = members.len() - held(members);
        let start = Instant::now();
        let wrong = held(others);
        Row {
            ask: start.elapsed(),
            name: name.into(),
            bytes: filter.size_in_bytes(),
            bits_per_key: filter.bits_per_key(),
            promised: filter.promised_false_positive_rate(),
            members: members.len(),
            missed,
            others: others.len(),
            wrong,
            build,
        }
    }
}

/// Builds a filter of these keys, and measures the time of inserting.
pub(crate) fn fill<K: Key>(builder: BloomFilterBuilder, keys: &[K]) -> Result<(BloomFilter, Duration)> {
    let mut filter = builder.build()?;
    let start = Instant::now();
    filter.insert_many(keys)?;
    Ok((filter, start.elapsed()))
}

/// Prints one line a filter: times are for one key, the measured rate is among the other keys.
pub(crate) fn print(rows: &[Row]) {
    println!(
        "{:<24} {:>10} {:>10} {:>11} {:>11} {:>10} {:>10}",
        "", "size", "bits a key", "promised", "measured", "to build", "to ask"
    );
    for row in rows {
        let each = |time: Duration, keys: usize| format!("{:.0} ns", time.as_secs_f64() * 1e9 / keys as f64);
        println!(
            "{:<24} {:>10} {:>10.1} {:>11} {:>11} {:>10} {:>10}",
            row.name,
            size(row.bytes),
            row.bits_per_key,
            percent(row.promised),
            percent(row.wrong as f64 / row.others as f64),
            each(row.build, row.members),
            each(row.ask, row.others),
        );
    }
    let missed: usize = rows.iter().map(|row| row.missed).sum();
    println!("members missed: {missed}");
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.2} MiB", bytes as f64 / 1_048_576.0),
    }
}

fn percent(rate: f64) -> String {
    match 100.0 * rate {
        0.0 => "0 %".into(),
        small if small < 0.001 => format!("{small:.1e} %"),
        percent => format!("{percent:.4} %"),
    }
}

/// The only argument of an example, a number from 1 to `most`; anything else ends with the usage.
pub(crate) fn argument(usage: &str, default: usize, most: usize) -> usize {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into()).collect();
    let number = match arguments.as_slice() {
        [] => Some(default),
        [one] => one.parse().ok().filter(|n| (1..=most).contains(n)),
        _ => None,
    };
    number.unwrap_or_else(|| {
        eprintln!("usage: {usage}, a number from 1 to {most}; {default} without it");
        std::process::exit(2)
    })
}
