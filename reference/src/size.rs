//! Section 5: how often a filter errs, and how large it must be. Not part of the format.
//!
//! `c` is bits per key (`bit_len / capacity`), `k` bits set per key.

use crate::bits::{LINE, Layout};

/// The expected false-positive rate R(k, c).
pub fn rate(layout: Layout, k: u32, c: f64) -> f64 {
    match layout {
        Layout::Line => {
            let stays = 1.0 - f64::from(k) / 512.0;
            mean(512.0 / c, |i| (1.0 - stays.powf(i)).powf(k.into()))
        }
        // For even k, a = b = k/2 and this is the F^2 of the text.
        Layout::Double => {
            let (a, b) = (f64::from(k.div_ceil(2)), f64::from(k / 2));
            let stays = ((1.0 - a / 512.0) * (1.0 - b / 512.0)).sqrt();
            let f = |j: f64| mean(1024.0 / c, |i| (1.0 - stays.powf(i)).powf(j));
            f(a) * f(b)
        }
        Layout::SplitBlock => mean(256.0 / c, |i| (1.0 - (1.0f64 - 1.0 / 32.0).powf(i)).powi(8)),
        Layout::Scattered => (1.0 - (-f64::from(k) / c).exp()).powf(k.into()),
    }
}

/// Sum over i of Pois(i; m) times `value(i)`. The probabilities are built outwards from the most likely i,
/// relative to it, until they no longer matter, and then scaled so that they sum to 1.
fn mean(m: f64, value: impl Fn(f64) -> f64) -> f64 {
    const NEGLIGIBLE: f64 = 1e-30;
    let mode = m.floor();
    let (mut sum, mut total) = (0.0, 0.0);

    let (mut i, mut weight) = (mode, 1.0);
    while weight > NEGLIGIBLE {
        sum += weight * value(i);
        total += weight;
        i += 1.0;
        weight *= m / i; // Pois(i) = Pois(i - 1) * m / i
    }
    let (mut i, mut weight) = (mode, 1.0);
    while i > 0.0 && weight > NEGLIGIBLE {
        weight *= i / m;
        i -= 1.0;
        sum += weight * value(i);
        total += weight;
    }
    sum / total
}

/// The exact rate of one line for k from 1 to 8, where the formula treats the words of a line as if they
/// were filled independently of each other. With lambda = 512 / c keys a line and L_r the active words of
/// the rotation r (section 2.1), it is the sum over all subsets S of one L_r of
///
/// (-1)^|S| exp(-(lambda / 8) * sum over r of (1 - (63/64)^|S and L_r|))
///
/// by inclusion and exclusion over the words whose bit is *not* set.
pub fn exact_line_rate(k: u32, c: f64) -> f64 {
    assert!((1..=8).contains(&k), "the exact rate is known for k from 1 to 8, not {k}");
    const ORDER: [u32; 8] = [0, 1, 3, 7, 6, 2, 4, 5];
    let lambda = LINE as f64 / c;

    // Each L_r as a set of words: bit w is 1 when word w is active.
    let mut words = [0u32; 8];
    for (r, set) in words.iter_mut().enumerate() {
        for w in 0..8 {
            if ORDER[..k as usize].contains(&((w + r as u32) % 8)) {
                *set |= 1 << w;
            }
        }
    }

    let mut sum = 0.0;
    for s in 0..256u32 {
        if s & !words[0] != 0 {
            continue; // not a subset of L_0
        }
        let mut lost = 0.0;
        for set in words {
            lost += 1.0 - (63.0f64 / 64.0).powf((s & set).count_ones().into());
        }
        let sign = if s.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * (-lambda / 8.0 * lost).exp();
    }
    sum
}

/// The least bits per key at which `k` reaches a wanted rate; `None` where more than 512 are needed.
pub fn least_bits_per_key(layout: Layout, k: u32, wanted: f64) -> Option<f64> {
    least(|c| rate(layout, k, c), wanted)
}

/// The least c from 1/4 to 512 at which a rate that falls as c grows is at most `wanted`.
fn least(rate: impl Fn(f64) -> f64, wanted: f64) -> Option<f64> {
    let (mut too_few, mut enough) = (0.25, 512.0);
    if rate(enough) > wanted {
        return None;
    }
    // Halve the interval until it cannot be halved any more.
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

/// The least bits per key over all allowed k that reach a wanted rate, as (k, c).
pub fn best(layout: Layout, wanted: f64) -> Option<(u32, f64)> {
    let mut best: Option<(u32, f64)> = None;
    for k in layout.allowed_k() {
        if best.is_some_and(|(_, c)| rate(layout, k, c) > wanted) {
            continue; // needs more than the best so far
        }
        if let Some(c) = least_bits_per_key(layout, k, wanted) {
            best = Some((k, c));
        }
    }
    best
}

/// The k a writer takes, and its c: the best one, or the largest k that needs one product a line where
/// that costs at most 1 % more.
pub fn chosen(layout: Layout, wanted: f64) -> Option<(u32, f64)> {
    let (k, c) = best(layout, wanted)?;
    let one_product = match layout {
        Layout::Line => 8,
        Layout::Double => 16,
        Layout::SplitBlock | Layout::Scattered => return Some((k, c)),
    };
    match least_bits_per_key(layout, one_product, wanted) {
        Some(more) if k > one_product && more <= 1.01 * c => Some((one_product, more)),
        _ => Some((k, c)),
    }
}

/// `bit_len` for a capacity: whole lines in every layout, then [`foldable`], then as many lines more as a
/// small scattered filter needs.
pub fn bit_len(layout: Layout, (k, c): (u32, f64), capacity: u64, wanted: f64) -> u64 {
    let mut lines = (c * capacity as f64 / LINE as f64).ceil().max(1.0) as u64;
    lines = foldable(lines);
    if layout == Layout::Scattered && capacity <= 65_536 {
        while small_scattered_rate(k, LINE * lines, capacity) > wanted {
            lines += 1;
        }
    }
    LINE * lines
}

/// The mean rate of scattered filters of few bits: the fill differs from filter to filter, and the rate
/// is a power of it, so its mean is above the rate of the mean fill (second order of the mean of a power).
fn small_scattered_rate(k: u32, bit_len: u64, capacity: u64) -> f64 {
    let (k, bits, keys) = (f64::from(k), bit_len as f64, capacity as f64);
    let fill = 1.0 - (1.0 - 1.0 / bits).powf(k * keys);
    let empty = (-k * keys / bits).exp();
    let variance = empty * (1.0 - (1.0 + k * keys / bits) * empty) / bits;
    fill.powf(k) * (1.0 + k * (k - 1.0) / 2.0 * variance / (fill * fill))
}

/// From 1,024 lines up, the next multiple of the largest number of the list that is at most lines / 1024.
pub fn foldable(lines: u64) -> u64 {
    const FACTORS: [u64; 18] =
        [2, 4, 6, 12, 24, 36, 48, 60, 120, 180, 240, 360, 720, 840, 1260, 1680, 2520, 5040];
    match FACTORS.iter().rev().find(|&&factor| factor <= lines / 1024) {
        Some(&factor) => lines.next_multiple_of(factor),
        None => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
    use crate::hash::Scheme;
    use crate::key::{Domain, Key};

    #[test]
    fn bits_per_key_of_the_design_tables() {
        use Layout::*;
        for (layout, k, wanted, c) in [
            (Line, 5, 0.01, 10.14),
            (Line, 6, 0.01, 9.95),
            (Line, 7, 0.01, 9.96),
            (Line, 8, 0.01, 10.10),
            (Line, 8, 1.0 / 256.0, 12.18),
            (Line, 8, 0.001, 15.72),
            (Line, 9, 0.001, 15.62),
            (Line, 12, 1e-4, 22.18),
            (Line, 14, 1.0 / 65536.0, 28.41),
            (Double, 6, 0.01, 9.68),
            (Double, 7, 0.01, 9.67),
            (Double, 8, 1.0 / 256.0, 11.68),
            (Double, 10, 0.001, 14.66),
            (Double, 12, 1e-4, 19.89),
            (Double, 16, 1.0 / 65536.0, 24.37),
            (Double, 16, 1e-6, 31.45),
            (Double, 18, 1e-6, 31.24),
            (SplitBlock, 8, 0.01, 10.53),
            (SplitBlock, 8, 1.0 / 256.0, 12.85),
            (SplitBlock, 8, 0.001, 16.89),
            (SplitBlock, 8, 1.0 / 65536.0, 37.77),
            (Scattered, 7, 0.01, 9.59),
            (Scattered, 10, 0.001, 14.38),
        ] {
            let found = least_bits_per_key(layout, k, wanted).unwrap();
            assert!((found - c).abs() < 0.006, "{layout:?} k={k} {wanted}: {found}, not {c}");
        }
    }

    #[test]
    fn bits_per_key_by_the_exact_rate() {
        for (k, c) in [(5, 10.12), (6, 9.93), (7, 9.96), (8, 10.10)] {
            let found = least(|c| exact_line_rate(k, c), 0.01).unwrap();
            assert!((found - c).abs() < 0.006, "k={k}: {found}, not {c}");
        }
    }

    #[test]
    fn the_best_k() {
        assert_eq!(best(Layout::Line, 0.01).unwrap().0, 6);
        assert_eq!(best(Layout::Double, 0.01).unwrap().0, 7);
        assert_eq!(best(Layout::SplitBlock, 0.01).unwrap().0, 8);
        assert_eq!(best(Layout::Scattered, 0.001).unwrap().0, 10);
        assert_eq!(best(Layout::Line, 0.001).unwrap().0, 9);
        assert_eq!(chosen(Layout::Line, 0.001).unwrap().0, 8);
        assert_eq!(chosen(Layout::Line, 0.01), best(Layout::Line, 0.01));
    }

    #[test]
    fn the_even_double_is_a_square() {
        for (k, c) in [(6, 9.68), (16, 24.37)] {
            let j = f64::from(k / 2);
            let f = mean(1024.0 / c, |i| (1.0 - (1.0 - j / 512.0).powf(i)).powf(j));
            let found = rate(Layout::Double, k, c);
            assert!((found / (f * f) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_exact_rate_is_close_to_the_formula_and_mostly_below() {
        for k in 3..=8 {
            for c in [6.0, 8.0, 10.0, 12.0, 16.0] {
                let ratio = exact_line_rate(k, c) / rate(Layout::Line, k, c);
                assert!((0.97..1.003).contains(&ratio), "k={k} c={c}: {ratio}");
            }
        }
        // k = 1 leaves nothing to share: both are 1 - e^(-1/c).
        for exact in [exact_line_rate(1, 10.0), rate(Layout::Line, 1, 10.0)] {
            assert!((exact - (1.0 - (-0.1f64).exp())).abs() < 1e-12);
        }
    }

    #[test]
    fn lines_are_rounded_for_folding() {
        assert_eq!(bit_len(Layout::Line, (6, 9.93), 1, 0.01), 512);
        assert_eq!(bit_len(Layout::Line, (8, 10.0), 1000, 0.01), 512 * 20);
        assert_eq!(foldable(1025), 1025);
        assert_eq!(foldable(2047), 2047);
        assert_eq!(foldable(2049), 2050);
        assert_eq!(foldable(5 * 1024 + 1), 5 * 1024 + 4);
        assert_eq!(foldable(5040 * 1024 + 1), 5040 * 1025);
        for lines in (1..20_000_000).step_by(9973) {
            let rounded = foldable(lines);
            assert!(rounded >= lines && (rounded - lines) * 1024 <= lines);
        }
    }

    #[test]
    fn the_measured_rate_is_the_computed_rate() {
        const KEYS: u64 = 200_000;
        for (layout, k, c) in [
            (Layout::Line, 6, 9.93),
            (Layout::Line, 8, 10.10),
            (Layout::Line, 10, 8.0),
            (Layout::Double, 7, 9.66),
            (Layout::Double, 6, 9.68),
            (Layout::SplitBlock, 8, 10.53),
            (Layout::Scattered, 7, 9.59),
        ] {
            let bit_len = (c * KEYS as f64 / 512.0) as u64 * 512;
            let mut filter =
                Filter::new(layout, k, bit_len, Scheme::Xxh3 { seed: 0 }, Domain::Integer).unwrap();
            for i in 0..KEYS {
                filter.insert(Key::Integer(i.into())).unwrap();
            }
            let wrong =
                (KEYS..2 * KEYS).filter(|&i| filter.contains(Key::Integer(i.into())).unwrap()).count() as f64;
            let c = bit_len as f64 / KEYS as f64;
            let expected = KEYS as f64 * rate(layout, k, c);
            // Four standard deviations of the count, and the formula may be up to 4 % too high.
            let noise = 4.0 * expected.sqrt();
            assert!(wrong < expected + noise, "{layout:?} k={k}: {wrong}, expected {expected}");
            assert!(wrong > 0.96 * expected - noise, "{layout:?} k={k}: {wrong}, expected {expected}");
            if layout == Layout::Line && k <= 8 {
                let exact = KEYS as f64 * exact_line_rate(k, c);
                assert!((wrong - exact).abs() < noise, "k={k}: {wrong}, exact {exact}");
            }
        }
    }
}
