//! The sizes of filters for schemes without a 64-bit hash, by the formulas of their programs,
//! quirks included. A filter for the same keys and rate has the size and k that the original
//! program would choose.

use alloc::format;

pub(crate) use super::sizing;
use crate::error::{Error, Result};
use crate::ids::{Layout, Scheme};
use crate::params::{MOST_BITS, Plan, Request, open_plan, power};

pub(super) use core::f64::consts::LN_2;

/// The most positions that a file of these schemes may name. The smallest rate of an `f64` needs
/// 1,074; a lookup in a forged file costs at most about twice that.
pub(crate) const MOST_POSITIONS: u32 = 2048;

/// The size formulas of a program, and the oddities of its scheme.
pub(crate) struct Sizing {
    /// Bits and positions for a number of keys at a rate, by the original program's formula.
    pub(crate) size: fn(u64, f64) -> Result<(f64, f64)>,
    /// The only k that it allows.
    pub(crate) fixed_positions: Option<u32>,
    /// The sizes in bits that it allows; `allowed` says the same in words.
    pub(crate) allows: fn(u64) -> bool,
    pub(crate) allowed: &'static str,
    /// Its program writes the requested rate into the file.
    pub(crate) records_rate: bool,
    /// Its program counts only keys that set a bit.
    pub(crate) counts_only_new: bool,
    /// Its positions have 31 bits, so bits from 2^31 on are never set and the bits below are not
    /// equally likely.
    pub(crate) has_31_bit_positions: bool,
    /// Colliding keys can be written down by hand.
    pub(crate) is_weak: bool,
}

impl Sizing {
    /// The classic formulas without oddities.
    pub(super) const USUAL: Sizing = Sizing {
        size: |keys, rate| Ok(classic_rounded(keys, rate)),
        fixed_positions: None,
        allows: |_| true,
        allowed: "",
        records_rate: false,
        counts_only_new: false,
        has_31_bit_positions: false,
        is_weak: false,
    };
}

/// Refuses a scheme without a 64-bit hash for a kind of filter that needs one; `what` is the scheme
/// of that kind.
#[cfg(any(feature = "foreign", feature = "extras", feature = "table", feature = "static"))]
pub(crate) fn check_has_hash(what: &'static str, scheme: Scheme) -> Result<()> {
    match is_own(scheme) {
        false => Ok(()),
        true => Err(Error::parameter(what, scheme, "one with a 64-bit hash, such as xxh3 or siphash13")),
    }
}

/// m = -n ln p / (ln 2)^2, not rounded.
pub(super) fn classic(keys: u64, rate: f64) -> f64 {
    -(keys as f64) * libm::log(rate) / (LN_2 * LN_2)
}

/// The classic m, rounded up, and the classic k for it.
pub(super) fn classic_rounded(keys: u64, rate: f64) -> (f64, f64) {
    let bits = libm::ceil(classic(keys, rate));
    (bits, round(bits / keys as f64 * LN_2).max(1.0))
}

/// Rounds halves up, like these programs.
pub(super) fn round(x: f64) -> f64 {
    libm::floor(x + 0.5)
}

/// Is it the size of a Java array of `long`s?
#[cfg_attr(not(feature = "foreign"), allow(dead_code, reason = "of other programs"))]
pub(super) fn whole_words(bits: u64) -> bool {
    bits % 64 == 0 && bits / 64 <= i32::MAX as u64
}

#[cfg_attr(not(feature = "foreign"), allow(dead_code, reason = "of other programs"))]
pub(super) const WHOLE_WORDS: &str = "a multiple of 64 up to 64 · (2^31 - 1)";

impl Request {
    /// Computes the missing parameters.
    ///
    /// If keys, rate and size are all given, the size must be able to reach the rate, and the plan
    /// promises the rate of that size.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than two of the three, a capacity of 0, a rate that is not
    /// between 0 and 1 (NaN included), or a size or k that the layout cannot have;
    /// [`Error::RateOutOfReach`] if the layout, the size or a 64-bit hash cannot reach the rate;
    /// [`Error::TooLarge`] if the keys need more than 2^46 bits (8 TiB) at that rate.
    pub(crate) fn plan(&self) -> Result<Plan> {
        self.check()?;
        match self.scheme.and_then(|scheme| Some((scheme, sizing(scheme)?))) {
            Some((scheme, its)) => plan(scheme, its, self),
            None => self.plan_layout(),
        }
    }
}

/// A plan by the scheme's own rules: computes the missing ones of keys, rate, size and k.
pub(crate) fn plan(scheme: Scheme, its: &Sizing, request: &Request) -> Result<Plan> {
    if let Some(layout) = request.layout.filter(|layout| *layout != Layout::Scattered) {
        let expected = format!("scattered with the scheme {scheme}, or left out");
        return Err(Error::parameter("the layout", layout, expected));
    }
    let rate = request.false_positive_rate.unwrap_or(0.01);
    let (capacity, bit_len, k) = match (request.capacity, request.bit_len) {
        (Some(keys), None) => {
            let (bits, k) = (its.size)(keys, rate)?;
            if bits > MOST_BITS as f64 {
                return Err(Error::TooLarge { bytes: (bits / 8.0).min(u64::MAX as f64) as u64 });
            }
            (Some(keys), bits as u64, k)
        }
        (capacity, Some(bits)) => {
            let k = match capacity {
                Some(keys) => libm::floor(bits as f64 / keys as f64 * LN_2 + 0.5).max(1.0),
                None => libm::floor(-libm::log2(rate) + 0.5).max(1.0),
            };
            (capacity, bits, k)
        }
        (None, None) => {
            return Err(open_plan(request));
        }
    };
    let num_hashes = match its.fixed_positions {
        Some(fixed) => match request.num_hashes.filter(|k| *k != fixed) {
            None => fixed,
            Some(k) => {
                let expected = format!("{fixed} in the scheme {scheme}");
                return Err(Error::parameter("the number of hashes", k, expected));
            }
        },
        None => request.num_hashes.unwrap_or(k.min(f64::from(MOST_POSITIONS)) as u32),
    };
    let capacity = capacity.unwrap_or_else(|| keys_at(num_hashes, bit_len, rate));
    check(scheme, num_hashes, bit_len)?;
    let computed = rate_at(scheme, num_hashes, bit_len, capacity);
    // For a filter of the program's own size, the file records the requested rate, even if rounding
    // changes the real rate.
    let is_its_own = request.bit_len.is_none() && request.num_hashes.is_none();
    let wanted = request
        .false_positive_rate
        .filter(|wanted| its.records_rate && (is_its_own || computed <= 1.05 * wanted));
    let false_positive_rate = wanted.unwrap_or(computed);
    Ok(Plan { layout: Layout::Scattered, num_hashes, bit_len, capacity, false_positive_rate })
}

/// The number of keys at which m bits with k positions reach a rate, by the classic formula; at
/// least 1.
fn keys_at(k: u32, m: u64, rate: f64) -> u64 {
    let k = f64::from(k);
    (-(m as f64) / k * libm::log1p(-libm::pow(rate, 1.0 / k))).max(1.0) as u64
}

/// The capacity of a filter whose file records none: the number of keys that sets half of its bits.
pub(crate) fn half_full(k: u32, m: u64) -> u64 {
    ((m as f64) * LN_2 / f64::from(k)).max(1.0) as u64
}

/// The expected rate with `keys` keys, by the classic formula or by the formula for positions of 31
/// bits.
pub(crate) fn rate_at(scheme: Scheme, k: u32, m: u64, keys: u64) -> f64 {
    let set = f64::from(k) * keys as f64;
    let found = if sizing(scheme).is_some_and(|its| its.has_31_bit_positions) {
        // The first 2^31 mod m bits are hit once more than the others; bits from 2^31 on are never
        // hit.
        let (often, times) = thirty_one_bits(m);
        let fill = |times: f64| -libm::expm1(-set * times / TWO_31);
        let chance = often as f64 * (times + 1.0) / TWO_31;
        chance * fill(times + 1.0) + (1.0 - chance) * fill(times)
    } else {
        -libm::expm1(-set / m as f64)
    };
    power(found, k).clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON)
}

pub(crate) const TWO_31: f64 = 2_147_483_648.0;

/// How 2^31 numbers fall on m positions. Returns how many of the first positions get one number
/// more than the rest, and how many numbers those positions get.
pub(crate) fn thirty_one_bits(m: u64) -> (u64, f64) {
    ((1 << 31) % m, ((1u64 << 31) / m) as f64)
}

/// Does the scheme use size formulas of its own, because it has no 64-bit hash?
pub(crate) fn is_own(scheme: Scheme) -> bool {
    sizing(scheme).is_some()
}

/// Refuses a k or a size that a scheme without a 64-bit hash cannot have.
pub(crate) fn check(scheme: Scheme, k: u32, m: u64) -> Result<()> {
    let its = sizing(scheme).unwrap_or(&Sizing::USUAL);
    let (least, most) = its.fixed_positions.map_or((1, MOST_POSITIONS), |k| (k, k));
    if !(least..=most).contains(&k) {
        let expected = format!("{least} to {most} in the scheme {scheme}");
        return Err(Error::parameter("the number of hashes", k, expected));
    }
    let (fits, allowed) = ((1..=MOST_BITS).contains(&m), (its.allows)(m));
    if fits && allowed {
        return Ok(());
    }
    let expected = if allowed { "1 to 2^46" } else { its.allowed };
    Err(Error::parameter("the number of bits", m, format!("{expected} in the scheme {scheme}")))
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
