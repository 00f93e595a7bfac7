//! The k that needs the fewest bits for each key at a rate, and this number of bits. A descent
//! finds both to nine digits; the plain search of [`rate`] decides if nine digits are not enough.

use core::f64::consts::LN_2;
use core::ops::RangeInclusive;

use super::near::{self, Than, compare};
use super::rate::{self, BITS_PER_KEY};
use crate::ids::Layout;

/// The result of the plain search for a rate: k, and the approximate bits for each key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Needed {
    layout: Layout,
    wanted: f64,
    pub(super) num_hashes: u32,
    bits: f64,
    /// The largest relative distance of `bits` from the result of the plain search; 0 for this
    /// result itself.
    off_by: f64,
    /// The slope of the logarithm of the rate over the logarithm of the bits.
    slope: f64,
}

impl Needed {
    /// The result of the plain search itself.
    pub(super) fn exactly(layout: Layout, wanted: f64, (num_hashes, bits): (u32, f64)) -> Self {
        Needed { layout, wanted, num_hashes, bits, off_by: 0.0, slope: 0.0 }
    }

    /// Applies `follows` to the bits for each key that the plain search finds. Runs the plain
    /// search only if the result depends on it.
    pub(super) fn give<T: PartialEq>(&self, follows: impl Fn(f64) -> T) -> T {
        let of_both_ends = |needed: &Needed| {
            let at_low = follows(needed.low());
            (at_low == follows(needed.high())).then_some(at_low)
        };
        of_both_ends(self).or_else(|| of_both_ends(&self.finer())).unwrap_or_else(|| {
            let bits = rate::bits_per_key(self.layout, self.num_hashes, self.wanted);
            follows(bits.unwrap_or(self.bits))
        })
    }

    /// A result that is a hundred times as close, by one correction with the plain rate.
    fn finer(&self) -> Self {
        let off = rate::rate(self.layout, self.num_hashes, self.bits) / self.wanted - 1.0;
        let off_by = (SURE_OF_PLAIN + 0.01 * off.abs()) / -self.slope;
        Needed { bits: self.bits * (1.0 - off / self.slope), off_by, ..*self }
    }

    fn low(&self) -> f64 {
        self.bits * (1.0 - self.off_by)
    }

    fn high(&self) -> f64 {
        self.bits * (1.0 + self.off_by)
    }

    /// Does it need at most `times` the bits of `other`? `None` if the two are too close to tell.
    fn is_within(&self, times: f64, other: &Needed) -> Option<bool> {
        match (self.high() <= other.low() * times, self.low() > other.high() * times) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// The k in `ks` that needs the fewest bits for each key, or `narrow` if that needs at most `worth`
/// times as many bits. `None` if no k reaches the rate.
pub(super) fn least(
    layout: Layout,
    ks: RangeInclusive<u32>,
    wanted: f64,
    narrow: Option<u32>,
    worth: f64,
) -> Option<Needed> {
    nearly_least(layout, &ks, wanted, narrow, worth)
        .or_else(|| Some(Needed::exactly(layout, wanted, plain_least(layout, ks, wanted, narrow, worth)?)))
}

/// [`least`] by the plain search.
pub(super) fn plain_least(
    layout: Layout,
    ks: RangeInclusive<u32>,
    wanted: f64,
    narrow: Option<u32>,
    worth: f64,
) -> Option<(u32, f64)> {
    let best = rate::least_bits(layout, ks, wanted)?;
    let narrow = narrow.filter(|narrow| *narrow < best.0).and_then(|k| {
        let bits = rate::bits_per_key(layout, k, wanted).filter(|bits| *bits <= best.1 * worth)?;
        Some((k, bits))
    });
    Some(narrow.unwrap_or(best))
}

/// [`least`] by the approximation; `None` if the approximation does not decide.
fn nearly_least(
    layout: Layout,
    ks: &RangeInclusive<u32>,
    wanted: f64,
    narrow: Option<u32>,
    worth: f64,
) -> Option<Needed> {
    // The size of a classic filter. Blocked filters need more bits, with about the same k.
    let guess = -libm::log(wanted) / (LN_2 * LN_2);
    let k = ((guess * LN_2 + 0.5) as u32).clamp(*ks.start(), *ks.end());
    let mut until = ROUGH;
    let mut best = solve(layout, k, wanted, guess.max(0.2), until)?;
    // The k that has the lowest rate at the bits of another k needs fewer bits itself. At this
    // smaller number of bits, yet another k may be the best.
    loop {
        let (mut k, mut lowest) = (best.num_hashes, wanted);
        for step in [-1, 1] {
            while let Some(next) = k.checked_add_signed(step).filter(|next| ks.contains(next)) {
                let rate = near::rate(layout, next, best.bits);
                match compare(rate, lowest) {
                    Than::Below => (k, lowest) = (next, rate),
                    Than::Above => break,
                    Than::Close => return None,
                }
            }
        }
        if k == best.num_hashes {
            if until == SURE {
                break;
            }
            until = SURE;
        }
        best = solve(layout, k, wanted, best.bits, until)?;
    }
    let Some(narrow) = narrow.filter(|narrow| *narrow < best.num_hashes) else { return Some(best) };
    if compare(near::rate(layout, narrow, best.bits * worth), wanted) == Than::Above {
        return Some(best);
    }
    let narrow = solve(layout, narrow, wanted, best.bits * worth, SURE)?;
    Some(if narrow.is_within(worth, &best)? { narrow } else { best })
}

/// The bits for each key with this k: the secant method on the logarithms, from a guess, until the
/// logarithm of the rate is within `until`. `None` if it does not converge.
fn solve(layout: Layout, num_hashes: u32, wanted: f64, guess: f64, until: f64) -> Option<Needed> {
    let target = libm::log(wanted);
    let above = |bits: f64| libm::log(near::rate(layout, num_hashes, libm::exp(bits))) - target;
    let mut bits = libm::log(guess);
    let mut off = above(bits);
    // The slope if half of the bits are set.
    let mut slope = -LN_2 * f64::from(num_hashes);
    for _ in 0..MOST_SECANTS {
        let next = bits - (off / slope).clamp(-1.0, 1.0);
        let next_off = above(next);
        if next != bits {
            slope = (next_off - off) / (next - bits);
        }
        (bits, off) = (next, next_off);
        // At a rate near 1 the curve is flat.
        let falls = slope < -0.01;
        if !falls {
            return None;
        }
        if off.abs() < until {
            let off_by = (SURE + off.abs()) / -slope;
            let needed =
                Needed { layout, wanted, num_hashes, bits: libm::exp(bits - off / slope), off_by, slope };
            let (least, most) = BITS_PER_KEY;
            return (least < needed.low() && needed.high() < most).then_some(needed);
        }
    }
    None
}

/// The most secant steps; they give ten digits from any guess.
const MOST_SECANTS: u32 = 24;
/// The margin added on both sides of the result, in the logarithm of the rate: several times the
/// error of a rate.
const SURE: f64 = 5e-9;
/// The margin for the plain rate, which rounds.
const SURE_OF_PLAIN: f64 = 1e-11;
/// The precision that is enough to look for a better k.
const ROUGH: f64 = 0.03;

#[cfg(test)]
mod tests;
