//! `tepal plan`: calculates keys, rate or size from the other two, for every layout.

mod table;
pub use table::at_next_power;

use serde::Serialize;
use tepal::{BloomFilter, Layout, Plan, Scheme, builders::BloomFilterBuilder};

use crate::args::PlanArgs;
use crate::error::{Failure, Outcome};
use crate::output::Stdout;
use crate::segments::MOST_SEGMENTS;
use crate::text::number::{count, rate, size};
use crate::text::words::Words;

/// The most different values of a map: those of 32 bits.
const MOST_VALUES: u64 = 1 << 32;

/// One way to keep the set.
#[derive(Serialize)]
struct Row {
    /// A layout, another kind of filter, or something to compare with.
    kind: &'static str,
    /// Whether `build` takes this one.
    chosen: bool,
    capacity: Option<f64>,
    size_in_bytes: Option<f64>,
    bits_per_key: Option<f64>,
    false_positive_rate: Option<f64>,
    num_hashes: Option<u32>,
    /// Why there is no such filter.
    problem: Option<String>,
    #[serde(skip)]
    note: &'static str,
}

/// Runs the verb.
pub fn run(args: &PlanArgs) -> Outcome {
    let wanted = wanted(args)?;
    let rows = rows(args, &wanted)?;
    let mut stdout = Stdout::new();
    if args.json {
        stdout.document(&rows)?;
    } else {
        stdout.write(table(&rows).as_bytes())?;
        if let Some(hint) = hint(args, &rows) {
            stdout.write(hint.as_bytes())?;
        }
        if let Some(hint) = hint_of_static(&rows) {
            stdout.write(hint.as_bytes())?;
        }
    }
    stdout.flush()?;
    Ok(0)
}

/// What was typed.
struct Wanted {
    capacity: Option<u64>,
    false_positive_rate: Option<f64>,
    bit_len: Option<u64>,
    layout: Option<Layout>,
    /// All of it.
    builder: BloomFilterBuilder,
}

/// The request as it was typed. Where only the keys are given, the rate is 1 %.
fn wanted(args: &PlanArgs) -> Result<Wanted, Failure> {
    let shape = &args.shape;
    shape.check()?;
    if let Some(segments) = args.segments.filter(|segments| *segments > MOST_SEGMENTS) {
        return Err(Failure::new(format!(
            "--segments is {}; a filter has at most {}, so plan for several",
            count(segments),
            count(MOST_SEGMENTS)
        )));
    }
    if let Some(values) = args.values.filter(|values| *values > MOST_VALUES) {
        return Err(Failure::new(format!(
            "--values is {}; a map has at most {} different values",
            count(values),
            count(MOST_VALUES)
        )));
    }
    let mut wanted = Wanted {
        capacity: shape.capacity,
        false_positive_rate: shape.fpr,
        bit_len: shape.bit_len(!args.scheme.is_some_and(has_own_sizes))?,
        layout: shape.layout,
        builder: BloomFilter::builder(),
    };
    match (wanted.capacity, wanted.false_positive_rate, wanted.bit_len) {
        (Some(_), None, None) => wanted.false_positive_rate = Some(0.01),
        (None, None, _) | (None, _, None) => {
            return Err(Failure::new(
                "give two of -n KEYS, -p RATE and -s SIZE (or -n alone, for a rate of 1%)",
            ));
        }
        _ => {}
    }
    wanted.builder = shape.describe(wanted.bit_len, args.scheme);
    Ok(wanted)
}

fn rows(args: &PlanArgs, wanted: &Wanted) -> Result<Vec<Row>, Failure> {
    // The plan that `build` would take. There may be none.
    let chosen = wanted.builder.plan();
    if let Some(scheme) = args.scheme.filter(|scheme| has_own_sizes(*scheme)) {
        let plan = chosen?;
        return Ok(vec![Row {
            kind: scheme.name(),
            note: "sized as its own program does",
            ..planned(&plan, true)
        }]);
    }
    let layouts: Vec<Layout> = match wanted.layout {
        Some(layout) => vec![layout],
        None => Layout::ALL.to_vec(),
    };
    let mut rows = Vec::new();
    for layout in layouts {
        let plan = wanted.builder.clone().layout(layout).plan();
        rows.push(match plan {
            Ok(plan) => {
                let is_chosen = chosen.as_ref().is_ok_and(|chosen| chosen.layout == layout);
                planned(&plan, is_chosen)
            }
            Err(error) => Row { problem: Some(error.words()), ..empty(layout.name()) },
        });
    }
    if rows.iter().all(|row| row.problem.is_some()) {
        chosen?;
    }
    // A layout, k and --small are those of Bloom filters.
    if wanted.layout.is_none() && args.shape.num_hashes.is_none() && !args.shape.small {
        rows.extend(table::rows(wanted, args.segments, args.values));
    }
    rows.push(limit(wanted));
    if let (Some(universe), Some(keys)) = (args.universe, wanted.capacity) {
        if universe < keys {
            return Err(Failure::new(format!(
                "--universe is {}, fewer than the {} keys of -n; expected at least as many",
                count(universe),
                count(keys)
            )));
        }
        rows.push(exact(universe, keys));
    } else if args.universe.is_some() {
        return Err(Failure::new("--universe needs -n, the number of keys in the set"));
    }
    Ok(rows)
}

/// Whether the scheme goes from the key straight to the bits. It then has formulas of its own for
/// the size of a filter.
pub fn has_own_sizes(scheme: Scheme) -> bool {
    let hasher = BloomFilter::builder().scheme(scheme).key_hasher();
    hasher.is_ok_and(|hasher| !hasher.has_hash())
}

fn empty(kind: &'static str) -> Row {
    Row {
        kind,
        chosen: false,
        capacity: None,
        size_in_bytes: None,
        bits_per_key: None,
        false_positive_rate: None,
        num_hashes: None,
        problem: None,
        note: "",
    }
}

fn planned(plan: &Plan, chosen: bool) -> Row {
    Row {
        chosen,
        capacity: Some(plan.capacity as f64),
        size_in_bytes: Some(plan.size_in_bytes() as f64),
        bits_per_key: Some(plan.bits_per_key()),
        false_positive_rate: Some(plan.false_positive_rate),
        num_hashes: Some(plan.num_hashes),
        note: note(plan.layout),
        ..empty(plan.layout.name())
    }
}

fn note(layout: Layout) -> &'static str {
    match layout {
        Layout::Line => "one memory access a key",
        Layout::Double => "two memory accesses a key",
        Layout::SplitBlock => "one; the bits of Parquet",
        Layout::Scattered => "the classic filter: up to k accesses",
        _ => "",
    }
}

/// The smallest size of any filter: log2(1/rate) bits for each key.
fn limit(wanted: &Wanted) -> Row {
    let capacity = wanted.capacity.map(|keys| keys as f64);
    let bits = wanted.bit_len.map(|bits| bits as f64);
    let given_rate = wanted.false_positive_rate.filter(|_| capacity.is_none() || bits.is_none());
    let bits_per_key = match (given_rate, capacity, bits) {
        (Some(rate), _, _) => -rate.log2(),
        (None, Some(keys), Some(bits)) => bits / keys,
        _ => return empty("limit"),
    };
    Row {
        capacity: capacity.or(bits.map(|bits| (bits / bits_per_key).floor())),
        size_in_bytes: bits.or(capacity.map(|keys| keys * bits_per_key)).map(|bits| (bits / 8.0).ceil()),
        bits_per_key: Some(bits_per_key),
        false_positive_rate: Some(given_rate.unwrap_or((-bits_per_key).exp2())),
        note: "the least that any filter can take",
        ..empty("limit")
    }
}

/// The smallest size of an exact set of `keys` out of `universe`: log2 of the number of such sets.
fn exact(universe: u64, keys: u64) -> Row {
    let (u, n) = (universe as f64, keys as f64);
    let bits =
        ((log_factorial(u) - log_factorial(n) - log_factorial(u - n)) / std::f64::consts::LN_2).max(0.0);
    Row {
        capacity: Some(n),
        size_in_bytes: Some((bits / 8.0).ceil()),
        bits_per_key: Some(bits / n),
        false_positive_rate: Some(0.0),
        note: "the least for an exact set; no answer wrong",
        ..empty("exact")
    }
}

/// ln(x!) by Stirling's series.
fn log_factorial(x: f64) -> f64 {
    if x < 2.0 {
        return 0.0;
    }
    x * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI * x).ln() + 1.0 / (12.0 * x)
}

fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<13} {:>15} {:>10} {:>9}  {:<17} {:>2}\n",
        "layout", "keys", "size", "bits/key", "rate", "k"
    );
    for row in rows {
        let name = format!("{}{}", row.kind, if row.chosen { " *" } else { "" });
        if let Some(problem) = &row.problem {
            text.push_str(&format!("{name:<13} {problem}\n"));
            continue;
        }
        let show = |value: Option<f64>, how: fn(u64) -> String| {
            value.map_or_else(String::new, |value| how(value as u64))
        };
        let bits = row.bits_per_key.map_or_else(String::new, |bits| format!("{bits:.2}"));
        let k = row.num_hashes.map_or_else(String::new, |k| k.to_string());
        let line = format!(
            "{name:<13} {:>15} {:>10} {bits:>9}  {:<17} {k:>2}  {}",
            show(row.capacity, count),
            show(row.size_in_bytes, size),
            row.false_positive_rate.map_or_else(String::new, rate),
            row.note
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if rows.iter().any(|row| row.chosen) {
        text.push_str("* what `tepal build` takes for these figures\n");
    }
    text
}

/// A hint where an exact set is not larger than the filter.
fn hint(args: &PlanArgs, rows: &[Row]) -> Option<String> {
    let universe = args.universe?;
    let size_of = |wanted: fn(&Row) -> bool| rows.iter().find(|row| wanted(row))?.size_in_bytes;
    let filter = size_of(|row| row.chosen)?;
    let exact = size_of(|row| row.kind == "exact")?;
    (exact <= filter).then(|| {
        format!(
            "With only {} possible keys an exact set can be as small as the filter, and never errs.\n",
            count(universe)
        )
    })
}

/// What a static filter takes at the next power of two, where its rate is none.
fn hint_of_static(rows: &[Row]) -> Option<String> {
    let row = rows.iter().find(|row| row.kind == "static")?;
    let (keys, of) = (row.capacity?, row.false_positive_rate?);
    let (power, bytes) = at_next_power(keys as u64, of)?;
    Some(format!(
        "A static filter is cheapest at powers of two: one of {} takes {:.2} bits a key.\n",
        rate(power),
        8.0 * bytes as f64 / keys
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_set_of_identity_numbers() {
        let row = exact(615_000_000, 20_000_000);
        assert!((row.bits_per_key.unwrap() - 6.4).abs() < 0.05);
        assert_eq!(exact(100, 100).bits_per_key.unwrap().round(), 0.0);
        assert!((exact(10, 5).size_in_bytes.unwrap() - 1.0).abs() < 0.1);
        let row = exact(1000, 10);
        assert_eq!((row.kind, row.capacity, row.false_positive_rate), ("exact", Some(10.0), Some(0.0)));
        assert_eq!(row.note, "the least for an exact set; no answer wrong");
        // 2.634 · 10^23 sets.
        assert_eq!(row.size_in_bytes, Some(10.0));
        assert!((row.bits_per_key.unwrap() - 7.7802).abs() < 1e-3);
    }

    #[test]
    fn factorials() {
        for (x, factorial) in [(0.0, 1.0), (1.0, 1.0), (2.0, 2.0), (5.0, 120.0), (10.0, 3_628_800.0)] {
            assert!((log_factorial(x) - f64::ln(factorial)).abs() < 1e-3, "{x}");
        }
        assert_eq!((log_factorial(0.0), log_factorial(1.0)), (0.0, 0.0));
    }

    #[test]
    fn each_layout_has_its_note() {
        let notes: std::collections::BTreeSet<_> = Layout::ALL.iter().map(|layout| note(*layout)).collect();
        assert!(notes.len() == Layout::ALL.len() && !notes.contains(""));
        assert_eq!(note(Layout::Line), "one memory access a key");
    }
}
