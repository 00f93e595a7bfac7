//! The formulas: the false-positive rate of a shape under a load, and the inverse (FORMAT.md,
//! section 5).
//!
//! A blocked filter is a mixture. The number of keys in a block is Poisson distributed around the
//! mean load. A block with i keys has the rate of a small classic filter with i keys (Putze,
//! Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007). `libm` gives the
//! same results on every machine, so a plan is the same everywhere.

use crate::ids::Layout;

/// The least and the most bits for each key in a plan.
pub(super) const BITS_PER_KEY: (f64, f64) = (0.1, 1024.0);

/// The rate of a large filter that sets `num_hashes` bits for each key and has `bits_per_key`.
///
/// Measured rates equal the formula, or are up to 6 % below it for more than 8 bits in a line. Very
/// small filters deviate: [`Plan`](super::Plan) allows for it.
pub(crate) fn rate(layout: Layout, num_hashes: u32, bits_per_key: f64) -> f64 {
    let k = f64::from(num_hashes);
    match layout {
        Layout::Line => mixture(512.0 / bits_per_key, 1.0 - k / 512.0, num_hashes),
        Layout::SplitBlock => mixture(256.0 / bits_per_key, 1.0 - 8.0 / 256.0, 8),
        Layout::Scattered => power(1.0 - libm::exp(-k / bits_per_key), num_hashes),
        Layout::Double => {
            // A line is the first line of half of its keys and the second line of the other half.
            let (a, b) = (num_hashes.div_ceil(2), num_hashes / 2);
            let kept = kept_by_both(a, b);
            let line = |k| mixture(1024.0 / bits_per_key, kept, k);
            let first = line(a);
            if a == b { first * first } else { first * line(b) }
        }
    }
}

/// The mean probability that a key leaves a given bit of one of its two lines unset. The key sets
/// `a` bits in its first line and `b` in its second line; a line is equally often a first and a
/// second line.
pub(super) fn kept_by_both(a: u32, b: u32) -> f64 {
    libm::sqrt((1.0 - f64::from(a) / 512.0) * (1.0 - f64::from(b) / 512.0))
}

/// The sum over i of `Poisson(i; load) * (1 - kept^i)^k`, over the loads that matter. `kept` is the
/// probability that one key leaves a given bit of the block unset.
fn mixture(load: f64, kept: f64, k: u32) -> f64 {
    let spread = 10.0 * libm::sqrt(load) + 20.0;
    let first = libm::floor((load - spread).max(0.0));
    let mut chance = libm::exp(first * libm::log(load) - load - libm::lgamma(first + 1.0));
    let mut untouched = libm::pow(kept, first);
    let mut sum = 0.0;
    let mut i = first;
    while i < load + spread {
        sum += chance * power(1.0 - untouched, k);
        i += 1.0;
        chance *= load / i;
        untouched *= kept;
    }
    sum
}

/// `base` to an integer power by multiplication alone, so that every machine rounds the same way.
pub(crate) fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut rest) = (1.0, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= square;
        }
        square *= square;
        rest >>= 1;
    }
    result
}

/// The fewest bits for each key that reach `wanted` with this k, if any number does.
pub(crate) fn bits_per_key(layout: Layout, num_hashes: u32, wanted: f64) -> Option<f64> {
    let (mut low, mut high) = BITS_PER_KEY;
    if rate(layout, num_hashes, high) > wanted {
        return None;
    }
    // The rate falls as the bits per key rise; after 60 halvings the rest is below rounding.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if rate(layout, num_hashes, middle) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

/// The k that reaches `wanted` with the fewest bits for each key, and this number of bits.
pub(super) fn least_bits(
    layout: Layout,
    ks: core::ops::RangeInclusive<u32>,
    wanted: f64,
) -> Option<(u32, f64)> {
    let mut best: Option<(u32, f64)> = None;
    for k in ks {
        // Search the size only for a k that beats the best one so far.
        if best.is_none_or(|(_, least)| rate(layout, k, least) < wanted) {
            best = bits_per_key(layout, k, wanted).map(|bits| (k, bits)).or(best);
        }
    }
    best
}

/// The mean share of set bits after `keys` different keys in `bit_len` bits, and the standard
/// deviation of that share between filters.
pub(crate) fn expected_fill(layout: Layout, num_hashes: u32, bit_len: u64, keys: f64) -> (f64, f64) {
    let empty = libm::exp(keys * log_kept(layout, num_hashes, bit_len));
    let bits = bit_len as f64;
    let load = keys * f64::from(num_hashes) / bits;
    // Balls in bins: Var(empty share) = e^-x (1 - (1 + x) e^-x) / m.
    let one_over_e = libm::exp(-load);
    let variance = one_over_e * (1.0 - (1.0 + load) * one_over_e) / bits;
    (1.0 - empty, libm::sqrt(variance.max(0.0)))
}

/// The number of different keys that gives this fill: the inverse of [`expected_fill`].
pub(crate) fn keys_for_fill(layout: Layout, num_hashes: u32, bit_len: u64, set_bits: u64) -> f64 {
    // A full array does not tell its number of keys; one clear bit gives the largest estimate.
    let clear = bit_len.saturating_sub(set_bits).max(1) as f64 / bit_len as f64;
    let keys = libm::log(clear) / log_kept(layout, num_hashes, bit_len);
    if set_bits == 0 { 0.0 } else { keys }
}

/// The probability that a key with k bits in a line sets a given bit of the line.
///
/// A key with k > 8 sets one bit in each word and a second one, possibly the same, in k - 8 words.
pub(crate) fn touched_in_line(k: u32) -> f64 {
    match k.saturating_sub(8) {
        0 => f64::from(k) / 512.0,
        more => 1.0 - (1.0 - 1.0 / 64.0) * (1.0 - f64::from(more) / 512.0),
    }
}

/// The logarithm of the probability that one key leaves a given bit of the filter unset.
fn log_kept(layout: Layout, num_hashes: u32, bit_len: u64) -> f64 {
    let bits = bit_len as f64;
    let one_line = |k| libm::log1p(-touched_in_line(k) * (512.0 / bits).min(1.0));
    match layout {
        Layout::Line => one_line(num_hashes),
        Layout::Double => one_line(num_hashes.div_ceil(2)) + one_line(num_hashes / 2),
        Layout::SplitBlock => libm::log1p(-8.0 / bits),
        Layout::Scattered => f64::from(num_hashes) * libm::log1p(-1.0 / bits),
    }
}

#[cfg(test)]
mod tests;
