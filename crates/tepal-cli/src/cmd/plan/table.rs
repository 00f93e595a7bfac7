//! Rows of filters that are no Bloom filters: keys can be removed, are counted, never end, expire, are complete, or have values.

use tepal::{
    ExpiringFilter, GrowingFilter, QuotientFilter, RibbonFilter, RibbonMap, SegmentFilter,
    builders::RibbonMapBuilder,
};

use super::{Row, Wanted, empty};
use crate::segments::MOST_SEGMENTS;

/// A kind of filter: most are made of tables.
#[derive(Clone, Copy)]
enum Table {
    /// With counts of so many bits.
    Quotient(u8),
    /// When it has just the keys that it began with.
    Growing,
    /// Its keys are those of a window.
    Expiring,
    /// Of a list that is complete: a ribbon.
    Static,
    /// Of so many segments.
    Segments(usize),
    /// From keys to one of so many values.
    Map(u64),
    /// The same, which tells no other key.
    KnownMap(u64),
}

/// The name of a row, what it is, what to say of it.
const ROWS: [(&str, Table, &str); 5] = [
    ("static", Table::Static, "the smallest, of a complete list (build --static)"),
    ("deletable", Table::Quotient(0), "keys can be removed (build --deletable)"),
    ("counting", Table::Quotient(4), "and are counted (build --count-bits 4)"),
    ("growing", Table::Growing, "takes more keys for ever (build --growing)"),
    ("expiring", Table::Expiring, "forgets keys by itself (build --window)"),
];

/// Rates are tried down to this one.
const LEAST_RATE: f64 = 1e-15;

/// Steps from one end of a range to the other: as fine as a number can be.
const STEPS: u32 = 64;

/// How large such filters are.
pub fn rows(wanted: &Wanted, segments: Option<u64>, values: Option<u64>) -> Vec<Row> {
    let segments = segments.map(|segments| {
        let table = Table::Segments(usize::try_from(segments).unwrap_or(usize::MAX));
        ("segments", table, "which segments have a key (build --by)")
    });
    let maps = values.into_iter().flat_map(|values| {
        [
            ("map", Table::Map(values), "the value of each key (build --map)"),
            ("map-known", Table::KnownMap(values), "of its own keys alone (build --map --known-keys)"),
        ]
    });
    let all = ROWS.into_iter().chain(segments).chain(maps);
    all.map(|(kind, table, note)| row(wanted, kind, table, note)).collect()
}

/// What describes a map to one of so many values: they have names, as long as these are not too many.
fn map(values: u64) -> RibbonMapBuilder {
    let builder = RibbonMap::builder();
    match usize::try_from(values) {
        Ok(names) if values <= MOST_SEGMENTS => builder.names((0..names).map(|name| name.to_string())),
        _ => builder.value_bits((64 - (values - 1).leading_zeros()) as u8),
    }
}

fn row(wanted: &Wanted, kind: &'static str, table: Table, note: &'static str) -> Row {
    let sized = |keys: u64, rate: f64| bytes(keys, rate, table);
    let found = match (wanted.capacity, wanted.false_positive_rate, wanted.bit_len.map(|bits| bits / 8)) {
        // No rate makes it smaller.
        (Some(keys), None, Some(most)) if matches!(table, Table::KnownMap(_)) => {
            sized(keys, 1.0).filter(|bytes| *bytes <= most).map(|bytes| (keys, 1.0, bytes))
        }
        (Some(keys), Some(rate), _) => sized(keys, rate).map(|bytes| (keys, rate, bytes)),
        (Some(keys), None, Some(most)) => least_rate(keys, most, table),
        (None, Some(rate), Some(most)) => most_keys(rate, most, table),
        _ => None,
    };
    let Some((keys, rate, bytes)) = found else {
        return Row {
            problem: Some("no such filter: it would need a higher rate, or fewer keys".to_owned()),
            ..empty(kind)
        };
    };
    Row {
        capacity: Some(keys as f64),
        size_in_bytes: Some(bytes as f64),
        bits_per_key: Some(8.0 * bytes as f64 / keys as f64),
        false_positive_rate: Some(rate).filter(|_| !matches!(table, Table::KnownMap(_))),
        note,
        ..empty(kind)
    }
}

fn bytes(keys: u64, rate: f64, table: Table) -> Option<u64> {
    let planned = match table {
        Table::Quotient(bits) => {
            let described = QuotientFilter::builder().capacity(keys).false_positive_rate(rate);
            described.count_bits(bits).planned_size_in_bytes()
        }
        Table::Growing => {
            GrowingFilter::builder().first(keys).false_positive_rate(rate).planned_size_in_bytes()
        }
        // Any window of time: only its generations count.
        Table::Expiring => {
            let described = ExpiringFilter::builder().window_of_time(86_400).capacity(keys);
            described.false_positive_rate(rate).planned_size_in_bytes()
        }
        Table::Static => RibbonFilter::builder().false_positive_rate(rate).planned_size_in_bytes(keys),
        Table::Segments(segments) => {
            let described = SegmentFilter::builder().capacity(keys).false_positive_rate(rate);
            described.planned_size_in_bytes(segments)
        }
        Table::Map(values) => map(values).false_positive_rate(rate).planned_size_in_bytes(keys),
        Table::KnownMap(values) => map(values).known_keys_only().planned_size_in_bytes(keys),
    };
    planned.ok()
}

/// The next power of two below a rate that is none: a ribbon of it wastes nothing. Down to 2^-32.
pub fn next_power(rate: f64) -> Option<f64> {
    let power = (-(-rate.log2()).ceil()).exp2();
    // A whole logarithm is off by its last bit at most.
    let is_power = rate / power < 1.0 + 1e-9 || rate / power > 2.0 - 1e-9;
    (!is_power && power >= 1.0 / (1u64 << 32) as f64).then_some(power)
}

/// What a ribbon of so many keys takes at the next power of two, and that rate. Nothing of few keys: a ribbon of these has the rate of the
/// power anyway, or whole lines hide what a bit of each key takes.
pub fn at_next_power(keys: u64, rate: f64) -> Option<(f64, u64)> {
    const FEW: u64 = 10_000;
    let power = next_power(rate).filter(|_| keys >= FEW)?;
    bytes(keys, power, Table::Static).map(|bytes| (power, bytes))
}

/// The lowest rate in so many bytes.
fn least_rate(keys: u64, most: u64, table: Table) -> Option<(u64, f64, u64)> {
    let fits = |rate: f64| bytes(keys, rate, table).filter(|bytes| *bytes <= most);
    let (mut low, mut high) = (LEAST_RATE.ln(), 0.5f64.ln());
    fits(high.exp())?;
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        match fits(middle.exp()) {
            Some(_) => high = middle,
            None => low = middle,
        }
    }
    fits(high.exp()).map(|bytes| (keys, high.exp(), bytes))
}

/// The most keys in so many bytes.
fn most_keys(rate: f64, most: u64, table: Table) -> Option<(u64, f64, u64)> {
    let fits = |keys: u64| bytes(keys, rate, table).filter(|bytes| *bytes <= most);
    // A key takes more than a bit.
    let (mut least, mut above) = (1, most.saturating_mul(8));
    fits(least)?;
    while above - least > 1 {
        let middle = least + (above - least) / 2;
        match fits(middle) {
            Some(_) => least = middle,
            None => above = middle,
        }
    }
    fits(least).map(|bytes| (least, rate, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_follows_from_the_other_two() {
        let (keys, rate) = (1_000_000, 0.01);
        for (table, bits) in [
            (Table::Quotient(0), 9.5..9.8),
            (Table::Quotient(4), 14.0..14.5),
            (Table::Growing, 15.0..16.0),
            (Table::Expiring, 15.0..16.0),
            (Table::Segments(8), 12.5..13.5),
            (Table::Static, 6.7..6.8),
            (Table::Map(64), 12.7..12.8),
            (Table::Map(5), 8.9..9.1),
            (Table::Map(100_000), 23.7..23.8),
        ] {
            let size = bytes(keys, rate, table).unwrap();
            assert!(bits.contains(&(8.0 * size as f64 / keys as f64)), "{size}");
            let (_, found, used) = least_rate(keys, size, table).unwrap();
            // Bytes follow the rate in small steps, which go back at times.
            assert!(found < 1.05 * rate && found > 0.8 * rate && used <= size, "{found}");
            let (found, _, used) = most_keys(rate, size, table).unwrap();
            assert!(found >= keys && found < keys + keys / 100 && used <= size, "{found}");
            assert!(least_rate(keys, 64, table).is_none() && most_keys(rate, 63, table).is_none());
            assert!(next_power(0.01).is_some_and(|rate| rate == 0.0078125) && next_power(0.25).is_none());
        }
    }
}
