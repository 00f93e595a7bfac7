//! Rows of filters from which keys can be removed.

use tepal::{QuotientFilter, QuotientFilterBuilder};

use super::{Row, Wanted, empty};

/// The name of a row, bits of its counts, what to say of it.
const ROWS: [(&str, u8, &str); 2] = [
    ("deletable", 0, "keys can be removed (build --deletable)"),
    ("counting", 4, "and are counted (build --count-bits 4)"),
];

/// Rates are tried down to this one.
const LEAST_RATE: f64 = 1e-15;

/// Steps from one end of a range to the other: as fine as a number can be.
const STEPS: u32 = 64;

/// How large such filters are.
pub fn rows(wanted: &Wanted) -> Vec<Row> {
    ROWS.iter().map(|(kind, count_bits, note)| row(wanted, kind, *count_bits, note)).collect()
}

fn row(wanted: &Wanted, kind: &'static str, count_bits: u8, note: &'static str) -> Row {
    let sized = |keys: u64, rate: f64| bytes(keys, rate, count_bits);
    let found = match (wanted.capacity, wanted.false_positive_rate, wanted.bit_len.map(|bits| bits / 8)) {
        (Some(keys), Some(rate), _) => sized(keys, rate).map(|bytes| (keys, rate, bytes)),
        (Some(keys), None, Some(most)) => least_rate(keys, most, count_bits),
        (None, Some(rate), Some(most)) => most_keys(rate, most, count_bits),
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
        false_positive_rate: Some(rate),
        note,
        ..empty(kind)
    }
}

fn described(keys: u64, rate: f64, count_bits: u8) -> QuotientFilterBuilder {
    QuotientFilter::builder().capacity(keys).false_positive_rate(rate).count_bits(count_bits)
}

fn bytes(keys: u64, rate: f64, count_bits: u8) -> Option<u64> {
    described(keys, rate, count_bits).planned_size_in_bytes().ok()
}

/// The lowest rate in so many bytes.
fn least_rate(keys: u64, most: u64, count_bits: u8) -> Option<(u64, f64, u64)> {
    let fits = |rate: f64| bytes(keys, rate, count_bits).filter(|bytes| *bytes <= most);
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
fn most_keys(rate: f64, most: u64, count_bits: u8) -> Option<(u64, f64, u64)> {
    let fits = |keys: u64| bytes(keys, rate, count_bits).filter(|bytes| *bytes <= most);
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
        let size = bytes(keys, rate, 0).unwrap();
        assert!((9.5..9.8).contains(&(8.0 * size as f64 / keys as f64)), "{size}");
        let (_, found, used) = least_rate(keys, size, 0).unwrap();
        assert!(found <= rate && found > 0.9 * rate && used <= size, "{found}");
        let (found, _, used) = most_keys(rate, size, 0).unwrap();
        assert!(found >= keys && found < keys + keys / 100 && used <= size, "{found}");
        assert_eq!((least_rate(keys, 64, 0), most_keys(rate, 63, 0)), (None, None));
    }
}
