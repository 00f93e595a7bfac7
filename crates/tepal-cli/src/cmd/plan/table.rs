//! Rows of filters that are no Bloom filters: keys can be removed, are counted, never end, expire,
//! are complete, or have values.

use tepal::PlannedKind;

use super::{Row, Wanted, empty};

/// A kind of filter: most are made of tables.
struct Table {
    name: &'static str,
    kind: PlannedKind,
    /// What to say of it.
    note: &'static str,
}

/// How large such filters are.
pub fn rows(wanted: &Wanted, segments: Option<u64>, values: Option<u64>) -> Vec<Row> {
    let of = |name, note, kind| Table { name, kind, note };
    let mut all = vec![
        of("static", "the smallest, of a complete list (build --static)", PlannedKind::Static),
        of("deletable", "keys can be removed (build --deletable)", PlannedKind::Deletable),
        of("counting", "and are counted (build --count-bits 4)", PlannedKind::Counting(4)),
        of("growing", "takes more keys for ever (build --growing)", PlannedKind::Growing),
        of("expiring", "forgets keys by itself (build --window)", PlannedKind::Window),
    ];
    let segments = segments.map(PlannedKind::Segments);
    all.extend(segments.map(|kind| of("segments", "which segments have a key (build --by)", kind)));
    if let Some(values) = values {
        all.push(of("map", "the value of each key (build --map)", PlannedKind::Map(values)));
        let note = "of its own keys alone (build --map --known-keys)";
        all.push(of("map-known", note, PlannedKind::KnownKeys(values)));
    }
    all.iter().map(|table| row(wanted, table)).collect()
}

fn row(wanted: &Wanted, table: &Table) -> Row {
    let found = match (wanted.capacity, wanted.false_positive_rate, wanted.bit_len.map(|bits| bits / 8)) {
        (Some(keys), Some(rate), _) => {
            table.kind.size_in_bytes(keys, rate).ok().map(|bytes| (keys, rate, bytes))
        }
        (Some(keys), None, Some(most)) => {
            table.kind.least_rate(keys, most).map(|(rate, bytes)| (keys, rate, bytes))
        }
        (None, Some(rate), Some(most)) => {
            table.kind.most_keys(rate, most).map(|(keys, bytes)| (keys, rate, bytes))
        }
        _ => None,
    };
    let Some((keys, rate, bytes)) = found else {
        return Row {
            problem: Some("no such filter: it would need a higher rate, or fewer keys".to_owned()),
            ..empty(table.name)
        };
    };
    Row {
        capacity: Some(keys as f64),
        size_in_bytes: Some(bytes as f64),
        bits_per_key: Some(8.0 * bytes as f64 / keys as f64),
        false_positive_rate: Some(rate).filter(|_| table.kind.has_rate()),
        note: table.note,
        ..empty(table.name)
    }
}

/// The next power of two below a rate that is none: a ribbon of it wastes nothing. Down to 2^-32.
pub fn next_power(rate: f64) -> Option<f64> {
    let power = (-(-rate.log2()).ceil()).exp2();
    // A whole logarithm is off by its last bit at most.
    let is_power = rate / power < 1.0 + 1e-9 || rate / power > 2.0 - 1e-9;
    (!is_power && power >= 1.0 / (1u64 << 32) as f64).then_some(power)
}

/// What a ribbon of so many keys takes at the next power of two, and that rate. Nothing of few
/// keys: a ribbon of these has the rate of the power anyway, or whole lines hide what a bit of each
/// key takes.
pub fn at_next_power(keys: u64, rate: f64) -> Option<(f64, u64)> {
    const FEW: u64 = 10_000;
    let power = next_power(rate).filter(|_| keys >= FEW)?;
    Some((power, PlannedKind::Static.size_in_bytes(keys, power).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_power_of_two() {
        assert_eq!((next_power(0.01), next_power(0.25)), (Some(0.0078125), None));
    }
}
