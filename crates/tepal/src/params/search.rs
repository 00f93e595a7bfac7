//! The k that needs the least bits a key for a rate, and those bits: to nine digits, downhill, and
//! by the plain search of [`rate`] wherever nine digits do not decide.

use core::f64::consts::LN_2;
use core::ops::RangeInclusive;

use super::near::{self, Than, compare};
use super::rate::{self, BITS_PER_KEY};
use crate::ids::Layout;

/// What the plain search finds for a rate: k, and about how many bits a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Needed {
    layout: Layout,
    wanted: f64,
    pub(super) num_hashes: u32,
    bits: f64,
    /// As a share, so far the plain search may be from `bits`; 0 for what it found itself.
    off_by: f64,
    /// How the logarithm of the rate falls with that of the bits.
    slope: f64,
}

impl Needed {
    /// Of the plain search itself.
    pub(super) fn exactly(layout: Layout, wanted: f64, (num_hashes, bits): (u32, f64)) -> Self {
        Needed { layout, wanted, num_hashes, bits, off_by: 0.0, slope: 0.0 }
    }

    /// What follows from the bits a key that the plain search finds: it is that search itself only
    /// where it matters.
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

    /// The same, a hundred times as close: one step from the plain rate there.
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

    /// Does it need at most as many bits a key as `times` those of the other? Nothing where that is
    /// too close to tell.
    fn is_within(&self, times: f64, other: &Needed) -> Option<bool> {
        match (self.high() <= other.low() * times, self.low() > other.high() * times) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// The k of these that needs the least bits a key, but `narrow` where that needs no more than
/// `worth` times as many. Nothing where no k reaches the rate.
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

/// By the plain search.
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

/// Nothing where what is near does not decide.
fn nearly_least(
    layout: Layout,
    ks: &RangeInclusive<u32>,
    wanted: f64,
    narrow: Option<u32>,
    worth: f64,
) -> Option<Needed> {
    // Of a classic filter: the blocked ones need more bits, and about as many of them a key.
    let guess = -libm::log(wanted) / (LN_2 * LN_2);
    let k = ((guess * LN_2 + 0.5) as u32).clamp(*ks.start(), *ks.end());
    let mut until = ROUGH;
    let mut best = solve(layout, k, wanted, guess.max(0.2), until)?;
    // What errs least with the bits of another k needs less; with those again another may be the
    // best.
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

/// The bits a key of this k, from a guess on: secants of the logarithms, until the logarithm of the
/// rate is this close. Nothing where that does not lead there.
fn solve(layout: Layout, num_hashes: u32, wanted: f64, guess: f64, until: f64) -> Option<Needed> {
    let target = libm::log(wanted);
    let above = |bits: f64| libm::log(near::rate(layout, num_hashes, libm::exp(bits))) - target;
    let mut bits = libm::log(guess);
    let mut off = above(bits);
    // The logarithm of the rate falls so much with that of the bits, where half of the bits are
    // set.
    let mut slope = -LN_2 * f64::from(num_hashes);
    for _ in 0..MOST_SECANTS {
        let next = bits - (off / slope).clamp(-1.0, 1.0);
        let next_off = above(next);
        if next != bits {
            slope = (next_off - off) / (next - bits);
        }
        (bits, off) = (next, next_off);
        // Nearly as many keys wrong as right: the curve is flat there.
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

/// As many lead to ten digits from any guess.
const MOST_SECANTS: u32 = 24;
/// What is added to either side of what was found, of the logarithm of the rate: several times what
/// rates may be off.
const SURE: f64 = 5e-9;
/// The same, of the plain rate: it rounds.
const SURE_OF_PLAIN: f64 = 1e-11;
/// Close enough to look for a better k.
const ROUGH: f64 = 0.03;

#[cfg(test)]
mod tests;
