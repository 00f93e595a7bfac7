//! How each of these schemes sizes a filter: its own formulas, quirks included, so that a filter made here
//! for the same keys and rate has the size and k that the original program would have chosen.

use alloc::format;

use crate::error::{Error, Result};
use crate::hash::Scheme;
use crate::params::{Plan, Request, power};
use crate::probe::{Layout, MOST_BITS};

use core::f64::consts::LN_2;

/// The most positions that a file of these schemes may name.
pub(crate) const MOST_POSITIONS: u32 = 65_535;

/// Bits and positions for `n` keys at rate `p`, as the original program computes them.
fn own_size(scheme: Scheme, n: u64, p: f64) -> Result<(f64, f64)> {
    let keys = n as f64;
    let classic = -keys * libm::log(p) / (LN_2 * LN_2);
    let round = |x: f64| libm::floor(x + 0.5);
    Ok(match scheme {
        Scheme::Md5Presets => {
            let bits = libm::ceil(keys * md5_preset(p)?);
            (bits, round(bits / keys * LN_2))
        }
        // The classic formulas as they are. `params` plans for the schemes that have a 64-bit hash.
        Scheme::Md5Split | Scheme::Xxh3 | Scheme::SipHash13 | Scheme::Xxh64 => {
            let bits = libm::ceil(classic);
            (bits, round(bits / keys * LN_2).max(1.0))
        }
        Scheme::Bkdr7 => (f64::from(1u32 << 25), 7.0),
        Scheme::FnvCrc => (libm::ceil(-3.0 * keys / libm::log1p(-libm::cbrt(p))), 3.0),
        Scheme::Sha384 => (sha384_aligned(n, libm::ceil(classic)), 12.0),
        Scheme::GuavaMitz32 | Scheme::GuavaMitz64 => {
            let words = libm::ceil(libm::trunc(classic) / 64.0).max(1.0);
            (64.0 * words, round(-libm::log(p) / LN_2).max(1.0))
        }
        Scheme::SparkV1 | Scheme::SparkV2 => {
            let bits = libm::trunc(classic);
            (64.0 * libm::ceil(bits / 64.0).max(1.0), round(bits / keys * LN_2).max(1.0))
        }
        Scheme::BitsAndBlooms => {
            let bits = libm::ceil(classic).max(1.0);
            (bits, libm::ceil(LN_2 * bits / keys).max(1.0))
        }
        Scheme::Dcso => {
            let bits = libm::floor(classic).max(1.0);
            (bits, libm::ceil(LN_2 * bits / keys).max(1.0))
        }
        Scheme::RedisBloom => {
            let per_key = redisbloom_bits_per_key(p);
            (redisbloom_bits(n, p), libm::ceil(REDISBLOOM_LN_2 * per_key))
        }
        Scheme::ValkeyBloom => {
            let bits = 8.0 * libm::ceil(keys * libm::log(p) / (-8.0 * LN_2 * LN_2));
            (bits, libm::round(bits / keys * LN_2).max(1.0))
        }
    })
}

/// ln 2 with the digits that RedisBloom's source has, which are not all.
#[allow(clippy::approx_constant)]
pub(crate) const REDISBLOOM_LN_2: f64 = 0.693_147_180_559_945;

/// RedisBloom's bits per entry for an error rate.
pub(crate) fn redisbloom_bits_per_key(error: f64) -> f64 {
    libm::fabs(libm::log(error) / 0.480_453_013_918_201)
}

/// RedisBloom's bits for so many entries: whole words of 64.
pub(crate) fn redisbloom_bits(entries: u64, error: f64) -> f64 {
    let raw = libm::trunc(entries as f64 * redisbloom_bits_per_key(error)).max(1.0);
    64.0 * libm::ceil(raw / 64.0)
}

/// Bits a key of the first article's presets, named there after the rate: high, middle, low.
fn md5_preset(rate: f64) -> Result<f64> {
    match rate {
        // The third is the sum that the original computes, which is not the literal 14.4.
        0.1..1.0 => Ok(4.8),
        0.01..0.1 => Ok(9.6),
        0.001..0.01 => Ok(9.6 + 4.8),
        _ => Err(Error::RateOutOfReach {
            rate,
            reason: "the presets of md5-presets are 10 %, 1 % and 0.1 %; ask for one of them".into(),
        }),
    }
}

/// The fifth article's alignment: twice the highest power of two that is at most the bit count, but the
/// number of *keys* where that power is the number of keys, an evident slip for the bit count.
fn sha384_aligned(keys: u64, bits: f64) -> f64 {
    let power = libm::exp2(libm::floor(libm::log2(bits)));
    if power == keys as f64 { power } else { 2.0 * power }
}

/// A plan by the scheme's own rules, for whatever of keys, rate, size and k the request leaves open.
pub(crate) fn plan(scheme: Scheme, request: &Request) -> Result<Plan> {
    if let Some(layout) = request.layout.filter(|layout| *layout != Layout::Scattered) {
        let expected = format!("`scattered` with the scheme `{scheme}`, or left out");
        return Err(Error::parameter("the layout", layout, expected));
    }
    let rate = request.false_positive_rate.unwrap_or(0.01);
    let (capacity, bit_len, k) = match (request.capacity, request.bit_len) {
        (Some(keys), None) => {
            let (bits, k) = own_size(scheme, keys, rate)?;
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
            let expected = "fixed by two of capacity, false-positive rate and size";
            return Err(Error::parameter("the plan", "open", expected));
        }
    };
    let num_hashes = match fixed_positions(scheme) {
        Some(fixed) => match request.num_hashes.filter(|k| *k != fixed) {
            None => fixed,
            Some(k) => {
                let expected = format!("{fixed} in the scheme `{scheme}`");
                return Err(Error::parameter("the number of hashes", k, expected));
            }
        },
        None => request.num_hashes.unwrap_or(k.min(f64::from(MOST_POSITIONS)) as u32),
    };
    let capacity = capacity.unwrap_or_else(|| keys_at(num_hashes, bit_len, rate));
    check(scheme, num_hashes, bit_len)?;
    let computed = rate_at(scheme, num_hashes, bit_len, capacity);
    // These programs write the rate that was asked for into the file.
    let records_wanted = matches!(scheme, Scheme::Dcso | Scheme::RedisBloom | Scheme::ValkeyBloom);
    let wanted = request.false_positive_rate.filter(|wanted| records_wanted && computed <= 1.05 * wanted);
    let false_positive_rate = wanted.unwrap_or(computed);
    Ok(Plan { layout: Layout::Scattered, num_hashes, bit_len, capacity, false_positive_rate })
}

/// The keys at which m bits with k positions a key reach a rate, by the classic formula; at least 1.
fn keys_at(k: u32, m: u64, rate: f64) -> u64 {
    let k = f64::from(k);
    (-(m as f64) / k * libm::log1p(-libm::pow(rate, 1.0 / k))).max(1.0) as u64
}

/// The capacity to state for a filter whose file records none: the keys that set half of its bits.
pub(crate) fn half_full(k: u32, m: u64) -> u64 {
    ((m as f64) * LN_2 / f64::from(k)).max(1.0) as u64
}

/// The expected rate with `keys` keys: classic, or what positions of 31 bits make of it.
pub(crate) fn rate_at(scheme: Scheme, k: u32, m: u64, keys: u64) -> f64 {
    let set = f64::from(k) * keys as f64;
    let found = if matches!(scheme, Scheme::GuavaMitz32 | Scheme::SparkV1) {
        // The first 2^31 mod m bits are hit once more than the others; from 2^31 on none is.
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

/// How 2^31 numbers fall on m positions: the first so many positions get one number more than the rest,
/// and how many numbers those get.
pub(crate) fn thirty_one_bits(m: u64) -> (u64, f64) {
    ((1 << 31) % m, ((1u64 << 31) / m) as f64)
}

fn fixed_positions(scheme: Scheme) -> Option<u32> {
    match scheme {
        Scheme::Bkdr7 => Some(7),
        Scheme::FnvCrc => Some(3),
        Scheme::Sha384 => Some(12),
        _ => None,
    }
}

/// Refuses a k or a size that the scheme cannot have.
pub(crate) fn check(scheme: Scheme, k: u32, m: u64) -> Result<()> {
    let (least, most) = fixed_positions(scheme).map_or((1, MOST_POSITIONS), |k| (k, k));
    if !(least..=most).contains(&k) {
        let expected = format!("{least} to {most} in the scheme `{scheme}`");
        return Err(Error::parameter("the number of hashes", k, expected));
    }
    let (allowed, expected) = match scheme {
        Scheme::Md5Presets => (m <= i32::MAX as u64, "1 to 2^31 - 1"),
        Scheme::Bkdr7 => (m == 1 << 25, "2^25 = 33554432, as always with this scheme"),
        Scheme::FnvCrc => (m <= u64::from(u32::MAX), "1 to 2^32 - 1"),
        Scheme::Sha384 => (m.is_power_of_two() && m <= 1 << 32, "a power of two up to 2^32"),
        Scheme::GuavaMitz32 | Scheme::GuavaMitz64 | Scheme::SparkV1 | Scheme::SparkV2 => {
            (m % 64 == 0 && m / 64 <= i32::MAX as u64, "a multiple of 64 up to 64 · (2^31 - 1)")
        }
        Scheme::RedisBloom | Scheme::ValkeyBloom => (m % 8 == 0, "a multiple of 8"),
        _ => (true, ""),
    };
    let fits = (1..=MOST_BITS).contains(&m);
    if fits && allowed {
        return Ok(());
    }
    let expected = if allowed { "1 to 2^46" } else { expected };
    Err(Error::parameter("the number of bits", m, format!("{expected} in the scheme `{scheme}`")))
}

#[cfg(test)]
mod tests;
