//! Measures a rate: keys that are asked for, counted, and how sure that is.

use std::io::Write;

use serde::Serialize;
use tepal::{KeyDomain, Opened, hash::PreparedKeys, segments::SegmentAnswers};

use crate::error::Failure;
use crate::input::pages::PAGE;
use crate::random::Random;
use crate::text::number::{count, four_digits, rate};
use crate::text::words::Words;

/// 95 % of all measurements are within so many standard errors.
pub const SURE_95: f64 = 1.96;

/// Counts of one list.
#[derive(Debug, Default)]
pub struct Tally {
    /// Keys in it.
    pub keys: u64,
    /// Those that the filter holds.
    pub held: u64,
    /// The segments that hold them, all together, of a filter that has some.
    pub segments: Option<u64>,
    /// The first that it does not hold, of keys that were read.
    pub first_missed: Option<Missed>,
}

/// A key that a filter does not hold.
#[derive(Clone, Debug, Serialize)]
pub struct Missed {
    /// The input in which it stands.
    pub input: String,
    /// Its line.
    pub line: u64,
    /// The key, as far as it can be shown.
    pub key: String,
}

/// Asks for random keys of 128 bits, or fewer where keys are numbers. So few of them are on the
/// list by chance that it does not matter.
pub fn random(filter: &Opened, asked: u64, seed: u64) -> Result<Tally, Failure> {
    let hasher = filter.key_hasher();
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let domain = filter.filter().key_domain();
    let (mut key, mut keys, mut held) = (Vec::new(), PreparedKeys::default(), [false; PAGE]);
    let mut segments = SegmentAnswers::new();
    while tally.keys < asked {
        let wanted = (asked - tally.keys).min(PAGE as u64) as usize;
        keys.clear();
        for _ in 0..wanted {
            random_key(domain, &mut random, &mut key);
            hasher.prepare(&key, &mut keys).map_err(|error| Failure::new(error.words()))?;
        }
        tally.keys += wanted as u64;
        if let Some(filter) = filter.filter().as_segmented() {
            filter.segments_prepared(&keys, &mut segments);
            let of_each = segments.iter().map(|of_key| of_key.len() as u64);
            tally.held += of_each.clone().filter(|segments| *segments > 0).count() as u64;
            tally.segments = Some(tally.segments.unwrap_or(0) + of_each.sum::<u64>());
            continue;
        }
        filter.filter().contains_prepared(&keys, &mut held[..wanted]);
        tally.held += held[..wanted].iter().filter(|&&held| held).count() as u64;
    }
    Ok(tally)
}

/// Puts a random key of a domain in the place of `key`: bytes, or text.
fn random_key(domain: KeyDomain, random: &mut Random, key: &mut Vec<u8>) {
    let (high, low) = (random.next_u64(), random.next_u64());
    key.clear();
    let written = match domain {
        KeyDomain::Bytes => {
            key.write_all(&low.to_le_bytes()).and_then(|()| key.write_all(&high.to_le_bytes()))
        }
        KeyDomain::Integer => write!(key, "{high}"),
        KeyDomain::Integer32 => write!(key, "{}", high >> 32),
        // The highest bit of the exponent is 0, so the number is finite.
        KeyDomain::Float32 => write!(key, "{}", f32::from_bits((high >> 32) as u32 & 0xbfff_ffff)),
        KeyDomain::Float64 => write!(key, "{}", f64::from_bits(high & 0xbfff_ffff_ffff_ffff)),
        // Text, or hexadecimal.
        _ => write!(key, "{high:016x}{low:016x}"),
    };
    written.expect("a vector takes every byte");
}

/// The interval for a share after `hits` of `trials` (Wilson, "Probable inference", 1927); 0 to 1
/// without trials.
pub fn wilson(hits: u64, trials: u64, z: f64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let n = trials as f64;
    let p = hits as f64 / n;
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    let low = if hits == 0 { 0.0 } else { ((middle - spread) / whole).max(0.0) };
    let high = if hits == trials { 1.0 } else { ((middle + spread) / whole).min(1.0) };
    (low, high)
}

/// `1 in 94.9 to 96.1`, the higher rate first.
pub fn between(low: f64, high: f64) -> String {
    if low <= 0.0 {
        return format!("at most {}", rate(high));
    }
    let one_in = |rate: f64| match 1.0 / rate {
        many if many >= 99.95 => count(four_digits(many)),
        few => format!("{few:.1}"),
    };
    format!("1 in {} to {}", one_in(high), one_in(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_wilson() {
        let (low, high) = wilson(94_223, 8_999_446, SURE_95);
        assert!((1.0 / high - 94.9).abs() < 0.05 && (1.0 / low - 96.1).abs() < 0.05);
        assert_eq!(wilson(0, 0, SURE_95), (0.0, 1.0));
        assert_eq!(wilson(0, 10, SURE_95).0, 0.0);
        assert_eq!(wilson(10, 10, SURE_95).1, 1.0);
        // 1 of 10: the textbook gives 0.018 to 0.404.
        let (low, high) = wilson(1, 10, SURE_95);
        assert!((low - 0.0179).abs() < 1e-3 && (high - 0.4042).abs() < 1e-3);
        assert_eq!(between(low, high), "1 in 2.5 to 55.9");
        assert_eq!(between(0.0, 0.25), "at most 1 in 4");
        assert_eq!(between(0.001, 0.002), "1 in 500 to 1,000");
        assert_eq!(between(1.0 / 1234.0, 1.0 / 99.9), "1 in 99.9 to 1,234");
    }

    #[test]
    fn random_keys_are_of_the_domain() {
        let mut random = Random::new(1);
        let mut key = b"left over".to_vec();
        for _ in 0..1000 {
            let mut text = |domain| {
                random_key(domain, &mut random, &mut key);
                String::from_utf8(key.clone())
            };
            assert!(text(KeyDomain::Integer).unwrap().parse::<u64>().is_ok());
            assert!(text(KeyDomain::Integer32).unwrap().parse::<u32>().is_ok());
            assert!(text(KeyDomain::Float32).unwrap().parse::<f32>().unwrap().is_finite());
            assert!(text(KeyDomain::Float64).unwrap().parse::<f64>().unwrap().is_finite());
            assert_eq!(text(KeyDomain::Utf16).unwrap().len(), 32);
            random_key(KeyDomain::Bytes, &mut random, &mut key);
            assert_eq!(key.len(), 16);
        }
    }

    #[test]
    fn random_keys_measure_the_rate() {
        let mut filter =
            tepal::BloomFilter::builder().capacity(10_000).false_positive_rate(0.1).build().unwrap();
        filter.insert_iter(0..10_000u64).unwrap();
        let tally = random(&Opened::new(filter, tepal::file::Format::Tepal).unwrap(), 1_000_000, 7).unwrap();
        assert_eq!(tally.keys, 1_000_000);
        let rate = tally.held as f64 / tally.keys as f64;
        assert!((0.095..0.105).contains(&rate), "{rate}");
    }
}
