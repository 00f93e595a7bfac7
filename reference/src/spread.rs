//! Section 5, small filters: the differences in rate between filters, and the rate that can be
//! promised for all of them. Not part of the format.

use crate::bits::{DOUBLE, LINE, SPLIT_BLOCK};

/// The mean M of the rates of all filters with one shape and one number of keys, and their standard
/// deviation D as a share of M.
pub fn mean_and_deviation(layout: u8, k: u32, bit_len: u64, keys: u64) -> (f64, f64) {
    let (k, m, n) = (f64::from(k), bit_len as f64, keys as f64);
    match layout {
        LINE => blocks(m / 512.0, 512.0, n, 1.0 - k / 512.0, k, k),
        SPLIT_BLOCK => blocks(m / 256.0, 256.0, n, 1.0 - 8.0 / 256.0, 8.0, 8.0),
        DOUBLE => {
            let (a, b) = ((k / 2.0).ceil(), (k / 2.0).floor());
            let kept = ((1.0 - a / 512.0) * (1.0 - b / 512.0)).sqrt();
            // Each key falls on two lines: like two keys that set half of the bits each.
            let (first, d_first) = blocks(m / 512.0, 512.0, 2.0 * n, kept, a, k / 2.0);
            let (second, d_second) = blocks(m / 512.0, 512.0, 2.0 * n, kept, b, k / 2.0);
            (first * second * (1.0 + d_first * d_second), d_first + d_second)
        }
        _ => {
            let fill = 1.0 - (1.0 - 1.0 / m).powf(k * n);
            let relative = variance_of_fill(k * n / m, m) / (fill * fill);
            (fill.powf(k) * (1.0 + k * (k - 1.0) / 2.0 * relative), k * relative.sqrt())
        }
    }
}

/// The lowest rate that can be promised, P.
pub fn promise(layout: u8, k: u32, bit_len: u64, keys: u64) -> f64 {
    let (mean, deviation) = mean_and_deviation(layout, k, bit_len, keys);
    let variance = (1.0 + deviation * deviation).ln();
    // 19 of 20 filters are below this factor, for a log-normal distribution.
    let most = mean * (1.645 * variance.sqrt() - variance / 2.0).exp();
    mean.max(most / 1.03)
}

/// M and D of filters of `count` blocks of `bits` bits, on which `keys` keys fall at random. `kept`
/// is the probability that a key leaves a given bit of its block unset. A key sets `set` bits of
/// its block; a lookup reads `k` bits.
fn blocks(count: f64, bits: f64, keys: f64, kept: f64, k: f64, set: f64) -> (f64, f64) {
    let fill = |i: f64| 1.0 - kept.powf(i);
    let rate = |i: f64| fill(i).powf(k);
    // How much the rate of a block with i keys varies, since keys may share bits.
    let own = |i: f64| match i {
        0.0 => 0.0,
        _ => (rate(i) * k / fill(i)).powi(2) * variance_of_fill(i * set / bits, bits),
    };

    let mean = expected(keys, count, rate);
    let mean_load = expected(keys, count, |i| i);
    let of_rates = expected(keys, count, |i| (rate(i) - mean).powi(2));
    let of_loads = expected(keys, count, |i| (i - mean_load).powi(2));
    let of_both = expected(keys, count, |i| (i - mean_load) * (rate(i) - mean));
    // The number of keys is fixed, so the part of the variance that comes from it is zero.
    let between = match count {
        1.0 => 0.0,
        _ => of_rates - of_both.powi(2) / of_loads,
    };
    let variance = (expected(keys, count, own) + between) / count;
    (mean, variance.sqrt() / mean)
}

/// The variance of the share of set bits between filters, after x random bits for each of `bits`
/// bits were set.
fn variance_of_fill(x: f64, bits: f64) -> f64 {
    let clear = (-x).exp();
    clear * (1.0 - (1.0 + x) * clear) / bits
}

/// The sum over i of B(i) · value(i). B(i) is the binomial probability that i of `keys` keys fall
/// on one of `count` blocks. The probabilities are computed from the most likely i outwards, as in
/// `size::mean`.
fn expected(keys: f64, count: f64, value: impl Fn(f64) -> f64) -> f64 {
    const NEGLIGIBLE: f64 = 1e-30;
    if count == 1.0 {
        return value(keys);
    }
    let odds = 1.0 / (count - 1.0);
    let middle = (keys / count).floor();
    let (mut sum, mut total) = (0.0, 0.0);
    let (mut i, mut weight) = (middle, 1.0);
    while weight > NEGLIGIBLE && i <= keys {
        sum += weight * value(i);
        total += weight;
        weight *= (keys - i) / (i + 1.0) * odds; // B(i + 1) = B(i) · (n - i) / (i + 1) · p / (1 - p)
        i += 1.0;
    }
    (i, weight) = (middle, 1.0);
    while i > 0.0 && weight > NEGLIGIBLE {
        weight *= i / (keys - i + 1.0) / odds;
        i -= 1.0;
        sum += weight * value(i);
        total += weight;
    }
    sum / total
}
