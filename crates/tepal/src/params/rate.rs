//! The formulas: which false-positive rate a shape gives under a load, and back (FORMAT.md, section
//! 5).
//!
//! A blocked filter is a mixture: the keys of a block are Poisson distributed around its mean load,
//! and a block with i keys answers wrongly at the rate of a small classic filter with i keys
//! (Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", 2007). `libm`
//! computes them alike on every machine, so that a plan is the same everywhere.

use crate::ids::Layout;

/// Bits a key that no plan goes below or above.
pub(super) const BITS_PER_KEY: (f64, f64) = (0.1, 1024.0);

/// The rate of a large filter with `num_hashes` bits a key set out of `bits_per_key`.
///
/// Measured rates are at the formula or up to 6 % below it (more than 8 bits a line, where it is on
/// the safe side). Very small filters deviate: [`Plan`](super::Plan) allows for it.
pub(crate) fn rate(layout: Layout, num_hashes: u32, bits_per_key: f64) -> f64 {
    let k = f64::from(num_hashes);
    match layout {
        Layout::Line => mixture(512.0 / bits_per_key, 1.0 - k / 512.0, num_hashes),
        Layout::SplitBlock => mixture(256.0 / bits_per_key, 1.0 - 8.0 / 256.0, 8),
        Layout::Scattered => power(1.0 - libm::exp(-k / bits_per_key), num_hashes),
        Layout::Double => {
            // Each line is the first line of half of its keys and the second line of the other
            // half.
            let (a, b) = (num_hashes.div_ceil(2), num_hashes / 2);
            let kept = kept_by_both(a, b);
            let line = |k| mixture(1024.0 / bits_per_key, kept, k);
            let first = line(a);
            if a == b { first * first } else { first * line(b) }
        }
    }
}

/// The chance that a key leaves a bit of one of its two lines as it is, where it sets `a` bits in
/// the first line and `b` in the second: each line is the one as often as the other.
pub(super) fn kept_by_both(a: u32, b: u32) -> f64 {
    libm::sqrt((1.0 - f64::from(a) / 512.0) * (1.0 - f64::from(b) / 512.0))
}

/// The sum over i of `Poisson(i; load) * (1 - kept^i)^k`, over the loads that matter: `kept` is the
/// chance that one key leaves a bit of the block as it is.
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

/// `base` to an integer power by multiplication alone, so that every machine rounds alike.
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

/// The least bits a key that reach `wanted` with `num_hashes` bits a key, if any do.
pub(crate) fn bits_per_key(layout: Layout, num_hashes: u32, wanted: f64) -> Option<f64> {
    let (mut low, mut high) = BITS_PER_KEY;
    if rate(layout, num_hashes, high) > wanted {
        return None;
    }
    // The rate falls as the bits a key rise; 60 halvings leave less than rounding.
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

/// The k that reaches `wanted` with the least bits a key, and those bits.
pub(super) fn least_bits(
    layout: Layout,
    ks: core::ops::RangeInclusive<u32>,
    wanted: f64,
) -> Option<(u32, f64)> {
    let mut best: Option<(u32, f64)> = None;
    for k in ks {
        // Only a k that does better than the best one so far is worth the search for its size.
        if best.is_none_or(|(_, least)| rate(layout, k, least) < wanted) {
            best = bits_per_key(layout, k, wanted).map(|bits| (k, bits)).or(best);
        }
    }
    best
}

/// The share of the bits that a filter of `bit_len` bits has set after `keys` different keys, and
/// the standard deviation of that share from filter to filter.
pub(crate) fn expected_fill(layout: Layout, num_hashes: u32, bit_len: u64, keys: f64) -> (f64, f64) {
    let empty = libm::exp(keys * log_kept(layout, num_hashes, bit_len));
    let bits = bit_len as f64;
    let load = keys * f64::from(num_hashes) / bits;
    // Balls in bins: Var(empty share) = e^-x (1 - (1 + x) e^-x) / m.
    let one_over_e = libm::exp(-load);
    let variance = one_over_e * (1.0 - (1.0 + load) * one_over_e) / bits;
    (1.0 - empty, libm::sqrt(variance.max(0.0)))
}

/// How many different keys leave a filter with this fill: the inverse of [`expected_fill`].
pub(crate) fn keys_for_fill(layout: Layout, num_hashes: u32, bit_len: u64, set_bits: u64) -> f64 {
    // A full array has lost count; one bit short of it is the most that can be told.
    let clear = bit_len.saturating_sub(set_bits).max(1) as f64 / bit_len as f64;
    let keys = libm::log(clear) / log_kept(layout, num_hashes, bit_len);
    if set_bits == 0 { 0.0 } else { keys }
}

/// The chance that a key of this line with k bits sets a given bit of it.
///
/// A line of k > 8 sets one bit in each word and, in k - 8 of the words, another that may coincide.
pub(crate) fn touched_in_line(k: u32) -> f64 {
    match k.saturating_sub(8) {
        0 => f64::from(k) / 512.0,
        more => 1.0 - (1.0 - 1.0 / 64.0) * (1.0 - f64::from(more) / 512.0),
    }
}

/// The logarithm of the chance that one key leaves a given bit of the filter as it is.
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
