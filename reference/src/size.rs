//! Section 5: the rate of a filter, and its size. Not part of the format.
//!
//! `c` is bits per key (`bit_len / capacity`), `k` bits set per key.

use crate::bits::{DOUBLE, LINE, SPLIT_BLOCK, allowed_k};
use crate::spread::promise;
use crate::table::{Shape, Slot, encode, most_numbers};

/// The expected false-positive rate R(k, c) of a layout.
pub fn rate(layout: u8, k: u32, c: f64) -> f64 {
    let k_f = f64::from(k);
    match layout {
        LINE => mean(512.0 / c, |i| (1.0 - (1.0 - k_f / 512.0).powf(i)).powf(k_f)),
        // For even k, a = b = k/2 and this is the F^2 of the text.
        DOUBLE => {
            let (a, b) = (f64::from(k.div_ceil(2)), f64::from(k / 2));
            let stays = ((1.0 - a / 512.0) * (1.0 - b / 512.0)).sqrt();
            let f = |j: f64| mean(1024.0 / c, |i| (1.0 - stays.powf(i)).powf(j));
            f(a) * f(b)
        }
        SPLIT_BLOCK => mean(256.0 / c, |i| (1.0 - (1.0f64 - 1.0 / 32.0).powf(i)).powi(8)),
        _ => (1.0 - (-k_f / c).exp()).powf(k_f),
    }
}

/// The sum over i of Pois(i; m) · value(i). The probabilities are computed from the most likely i
/// outwards, relative to it, until they are negligible. Then they are scaled so that they sum to 1.
pub fn mean(m: f64, value: impl Fn(f64) -> f64) -> f64 {
    const NEGLIGIBLE: f64 = 1e-30;
    let (mut sum, mut total) = (0.0, 0.0);
    let (mut i, mut weight) = (m.floor(), 1.0);
    while weight > NEGLIGIBLE {
        sum += weight * value(i);
        total += weight;
        i += 1.0;
        weight *= m / i; // Pois(i) = Pois(i - 1) · m / i
    }
    (i, weight) = (m.floor(), 1.0);
    while i > 0.0 && weight > NEGLIGIBLE {
        weight *= i / m;
        i -= 1.0;
        sum += weight * value(i);
        total += weight;
    }
    sum / total
}

/// The smallest c from 1/4 to 512 with a rate of at most `wanted`. The rate must fall as c grows.
pub fn least(rate: impl Fn(f64) -> f64, wanted: f64) -> Option<f64> {
    let (mut too_few, mut enough) = (0.25, 512.0);
    if rate(enough) > wanted {
        return None;
    }
    // Halve the interval until it cannot be halved further.
    for _ in 0..60 {
        let middle = (too_few + enough) / 2.0;
        if rate(middle) <= wanted {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Some(enough)
}

/// The fewest bits per key over all allowed k that reach a rate, as (k, c).
pub fn best(layout: u8, wanted: f64) -> Option<(u32, f64)> {
    let mut best = None;
    for k in allowed_k(layout) {
        let found = least(|c| rate(layout, k, c), wanted);
        if found.is_some_and(|c| best.is_none_or(|(_, best_c)| c < best_c)) {
            best = found.map(|c| (k, c));
        }
    }
    best
}

/// The k that a writer uses, and its c: the best one, or the k that needs one product less if it
/// costs at most 1 % more memory.
pub fn chosen(layout: u8, wanted: f64) -> Option<(u32, f64)> {
    let (k, c) = best(layout, wanted)?;
    let cheaper_k = match layout {
        LINE => 8,
        DOUBLE => 16,
        _ => return Some((k, c)),
    };
    match least(|c| rate(layout, cheaper_k, c), wanted) {
        Some(more) if k > cheaper_k && more <= 1.01 * c => Some((cheaper_k, more)),
        _ => Some((k, c)),
    }
}

/// The `bit_len` for a capacity: whole lines in every layout, then [`foldable`], then further lines
/// until small filters can promise the rate.
pub fn bit_len(layout: u8, (k, c): (u32, f64), capacity: u64, wanted: f64) -> u64 {
    let lines = (c * capacity as f64 / 512.0).ceil().max(1.0) as u64;
    let mut lines = foldable(lines);
    while promise(layout, k, 512 * lines, capacity) > wanted {
        lines = foldable(lines + 1);
    }
    512 * lines
}

/// The `bit_len` of a filter in Apache Parquet's format (scheme 3, layout split-block): a power of
/// two.
pub fn parquet_bit_len((k, c): (u32, f64), capacity: u64, wanted: f64) -> u64 {
    let mut bits = 256;
    while (bits as f64) < c * capacity as f64 || promise(SPLIT_BLOCK, k, bits, capacity) > wanted {
        bits *= 2;
    }
    bits
}

/// From 1,024 lines up: the next multiple of the largest number in the list that is at most lines /
/// 1024.
pub fn foldable(lines: u64) -> u64 {
    const FACTORS: [u64; 18] =
        [2, 4, 6, 12, 24, 36, 48, 60, 120, 180, 240, 360, 720, 840, 1260, 1680, 2520, 5040];
    match FACTORS.iter().rev().find(|&&factor| factor <= lines / 1024) {
        Some(&factor) => lines.next_multiple_of(factor),
        None => lines,
    }
}

/// Section 5.3: U of a quotient filter for a capacity.
pub fn numbers_for(capacity: u64, rate: f64) -> Result<u64, String> {
    let least = (capacity as f64 / rate).ceil();
    if least > ((1u64 << 56) - 64) as f64 {
        return Err(format!("{capacity} keys at the rate {rate} need too many numbers"));
    }
    Ok((least as u64).next_multiple_of(64))
}

/// Section 5.3: the table with the fewest lines for `n` slots, with `numbers` = U.
pub fn table(n: u64, numbers: u64, tag_bits: u32) -> Result<Shape, String> {
    table_of(n, numbers, tag_bits, 150, |home| (1 + home / 8).min(6))
}

/// Section 5.3: the table with the fewest lines for slots that lie close together.
pub fn close_table(n: u64, numbers: u64, tag_bits: u32) -> Result<Shape, String> {
    table_of(n, numbers, tag_bits, 16, |_| 64)
}

fn table_of(
    n: u64,
    numbers: u64,
    tag_bits: u32,
    most_buckets: u64,
    spare: impl Fn(u64) -> u64,
) -> Result<Shape, String> {
    if numbers > most_numbers(tag_bits) {
        return Err(format!("no table with {tag_bits} tag bits has {numbers} numbers"));
    }
    let mut best: Option<Shape> = None;
    for rem_bits in 1..=40 {
        for buckets in 8..=most_buckets {
            let slots = (494 - buckets) / u64::from(rem_bits + tag_bits + 1);
            let mut shape = Shape { numbers, rem_bits, tag_bits, buckets, slots, spare: 0 };
            if slots == 0 || shape.meta() > 192 {
                continue;
            }
            let home = shape.home_lines();
            if home == 1 && slots >= n {
                shape.spare = 0;
            } else if 100 * u128::from(n) <= 92 * u128::from(home) * u128::from(slots) {
                shape.spare = spare(home);
            } else {
                continue;
            }
            let better = |best: Shape| {
                shape.lines() < best.lines() || shape.lines() == best.lines() && shape.slots > best.slots
            };
            if best.is_none_or(better) {
                best = Some(shape);
            }
        }
    }
    best.ok_or_else(|| format!("no table of {numbers} numbers has {n} slots"))
}

/// Section 5.3: the table for `n` slots, or the next larger one that holds these slots. If none
/// does and the numbers are spread and have many slots each, the table for slots that lie close
/// together.
pub fn table_for(n: u64, numbers: u64, tag_bits: u32, slots: &[Slot]) -> Result<Shape, String> {
    let most = 4 * table(n, numbers, tag_bits)?.lines() + 64;
    let mut size = n;
    while let Ok(shape) = table(size, numbers, tag_bits) {
        if shape.lines() > most {
            break;
        }
        if encode(&shape, slots).is_ok() {
            return Ok(shape);
        }
        size += size / 8 + 1;
    }
    let mut numbers_once: Vec<Slot> = slots.iter().map(|slot| (slot.0, 0)).collect();
    numbers_once.sort();
    numbers_once.dedup();
    if encode(&table(n, numbers, tag_bits)?, &numbers_once).is_err() {
        return Err(format!("{} different numbers lie side by side", numbers_once.len()));
    }
    let mut size = n;
    while let Ok(shape) = close_table(size, numbers, tag_bits) {
        if shape.lines() > most + 64 {
            break;
        }
        if encode(&shape, slots).is_ok() {
            return Ok(shape);
        }
        size += size / 8 + 1;
    }
    Err(format!("{} slots fit no table of {most} lines", slots.len()))
}
