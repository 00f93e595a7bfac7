//! Rows of filters that are no Bloom filters: keys can be removed, are counted, never end, expire,
//! are complete, or have values.

use tepal::Error;

use super::{Row, Wanted, empty};
use crate::cmd::build::{grow, map, ribbon, segments, table, window};

/// How many bytes a filter of a kind takes for this many keys, at this rate.
type Size = dyn Fn(u64, f64) -> Result<u64, Error>;

/// A kind of filter: most are made of tables.
struct Table {
    name: &'static str,
    size: Box<Size>,
    /// No rate makes it smaller, since it tells no other key.
    of_known_keys: bool,
    /// What to say of it.
    note: &'static str,
}

impl Table {
    fn of(
        name: &'static str,
        note: &'static str,
        size: impl Fn(u64, f64) -> Result<u64, Error> + 'static,
    ) -> Self {
        Self { name, size: Box::new(size), of_known_keys: false, note }
    }

    fn bytes(&self, keys: u64, rate: f64) -> Option<u64> {
        (self.size)(keys, rate).ok()
    }
}

/// Rates are tried down to this one.
const LEAST_RATE: f64 = 1e-15;

/// Steps from one end of a range to the other: as fine as a number can be.
const STEPS: u32 = 64;

/// How large such filters are.
pub fn rows(wanted: &Wanted, segments: Option<u64>, values: Option<u64>) -> Vec<Row> {
    let counting = |bits| move |keys, rate| table::planned_size(bits, keys, rate);
    let mut all = vec![
        Table::of("static", "the smallest, of a complete list (build --static)", ribbon::planned_size),
        Table::of("deletable", "keys can be removed (build --deletable)", counting(0)),
        Table::of("counting", "and are counted (build --count-bits 4)", counting(4)),
        Table::of("growing", "takes more keys for ever (build --growing)", grow::planned_size),
        Table::of("expiring", "forgets keys by itself (build --window)", window::planned_size),
    ];
    all.extend(segments.map(|segments| {
        let size = move |pairs, rate| segments::planned_size(segments, pairs, rate);
        Table::of("segments", "which segments have a key (build --by)", size)
    }));
    if let Some(values) = values {
        let size = move |rate: Option<f64>| {
            move |keys, other| map::planned_size(values, keys, rate.unwrap_or(other))
        };
        all.push(Table::of("map", "the value of each key (build --map)", size(None)));
        let known =
            Table::of("map-known", "of its own keys alone (build --map --known-keys)", size(Some(1.0)));
        all.push(Table { of_known_keys: true, ..known });
    }
    all.iter().map(|table| row(wanted, table)).collect()
}

fn row(wanted: &Wanted, table: &Table) -> Row {
    let found = match (wanted.capacity, wanted.false_positive_rate, wanted.bit_len.map(|bits| bits / 8)) {
        (Some(keys), None, Some(most)) if table.of_known_keys => {
            table.bytes(keys, 1.0).filter(|bytes| *bytes <= most).map(|bytes| (keys, 1.0, bytes))
        }
        (Some(keys), Some(rate), _) => table.bytes(keys, rate).map(|bytes| (keys, rate, bytes)),
        (Some(keys), None, Some(most)) => least_rate(keys, most, table),
        (None, Some(rate), Some(most)) => most_keys(rate, most, table),
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
        false_positive_rate: Some(rate).filter(|_| !table.of_known_keys),
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
    Some((power, ribbon::planned_size(keys, power).ok()?))
}

/// The lowest rate in so many bytes.
fn least_rate(keys: u64, most: u64, table: &Table) -> Option<(u64, f64, u64)> {
    let fits = |rate: f64| table.bytes(keys, rate).filter(|bytes| *bytes <= most);
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
fn most_keys(rate: f64, most: u64, table: &Table) -> Option<(u64, f64, u64)> {
    let fits = |keys: u64| table.bytes(keys, rate).filter(|bytes| *bytes <= most);
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
        let of = |size: Box<Size>| Table { name: "", size, of_known_keys: false, note: "" };
        let sized: [(Box<Size>, _); 9] = [
            (Box::new(|keys, rate| table::planned_size(0, keys, rate)), 9.5..9.8),
            (Box::new(|keys, rate| table::planned_size(4, keys, rate)), 14.0..14.5),
            (Box::new(grow::planned_size), 15.0..16.0),
            (Box::new(window::planned_size), 15.0..16.0),
            (Box::new(|keys, rate| segments::planned_size(8, keys, rate)), 12.5..13.5),
            (Box::new(ribbon::planned_size), 6.7..6.8),
            (Box::new(|keys, rate| map::planned_size(64, keys, rate)), 12.7..12.8),
            (Box::new(|keys, rate| map::planned_size(5, keys, rate)), 8.9..9.1),
            (Box::new(|keys, rate| map::planned_size(100_000, keys, rate)), 23.7..23.8),
        ];
        for (table, bits) in sized.map(|(size, bits)| (of(size), bits)) {
            let table = &table;
            let size = table.bytes(keys, rate).unwrap();
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
