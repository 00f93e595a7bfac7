//! The natural logarithm, correctly rounded. One program writes the result of its C library's
//! logarithm into its files. That result is correctly rounded for all but one rate in two thousand;
//! the last bit of `libm::log` is wrong for one rate in fourteen.

use core::f64::consts::{FRAC_1_SQRT_2, LN_2};

/// A number with twice the digits, as a sum. The second term is less than half a last bit of the
/// first.
#[derive(Clone, Copy)]
struct Double(f64, f64);

/// ln 2.
const LN_TWO: Double = Double(LN_2, 2.319_046_813_846_299_6e-17);

/// Terms of the series below: the last one is less than 2^-110 of the first.
const TERMS: u32 = 22;

/// The natural logarithm of a positive number.
pub(super) fn ln(x: f64) -> f64 {
    let (mut mantissa, mut exponent) = libm::frexp(x);
    if mantissa < FRAC_1_SQRT_2 {
        (mantissa, exponent) = (2.0 * mantissa, exponent - 1);
    }
    // ln m = 2 (s + s^3 / 3 + s^5 / 5 + ..) with s = (m - 1) / (m + 1), below 0.172.
    let s = Double(mantissa - 1.0, 0.0) / sum_of(mantissa, 1.0);
    let square = s * s;
    let term = |i: u32| Double(1.0, 0.0) / Double(f64::from(2 * i + 1), 0.0);
    let series = (0..TERMS).rev().fold(term(TERMS), |sum, i| term(i) + square * sum);
    let of_mantissa = s * series;
    let of_exponent = Double(f64::from(exponent), 0.0) * LN_TWO;
    let Double(high, low) = of_exponent + Double(2.0 * of_mantissa.0, 2.0 * of_mantissa.1);
    high + low
}

/// The sum, with its rounding error.
fn sum_of(a: f64, b: f64) -> Double {
    let sum = a + b;
    let of_b = sum - a;
    Double(sum, (a - (sum - of_b)) + (b - of_b))
}

impl core::ops::Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (sum_of(self.0, other.0), sum_of(self.1, other.1));
        let sum = sum_of(high.0, high.1 + low.0);
        sum_of(sum.0, sum.1 + low.1)
    }
}

impl core::ops::Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let rest = libm::fma(self.0, other.0, -product);
        sum_of(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
}

impl core::ops::Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = Double(self.0 / other.0, 0.0);
        let product = first * other;
        let rest = self + Double(-product.0, -product.1);
        let second = rest.0 / other.0;
        let product = Double(second, 0.0) * other;
        let rest = rest + Double(-product.0, -product.1);
        sum_of(first.0, second) + Double(rest.0 / other.0, 0.0)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    /// Numbers whose logarithms are known to forty digits and more.
    #[test]
    fn known_logarithms() {
        for (x, expected) in [
            (1.0, 0.0),
            (2.0, LN_2),
            (10.0, core::f64::consts::LN_10),
            (0.5, -LN_2),
            (core::f64::consts::E, 1.0),
        ] {
            assert_eq!(ln(x), expected, "{x}");
        }
    }

    /// Compared with the C library, on a system whose library is the one that servers use. Equal
    /// for rates as people write them and as a chain halves them, and for 999 in 1,000 of any other
    /// rates.
    #[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
    #[test]
    fn the_c_librarys_logarithm() {
        let differs = |log: fn(f64) -> f64, rate: f64| usize::from(log(rate) != rate.ln());
        let written = (1..=250).map(|n| f64::from(n) / 1000.0).chain((1..100).map(|n| f64::from(n) * 1e-5));
        for rate in written {
            for halvings in 0..20 {
                let rate = rate / f64::from(1 << halvings);
                assert_eq!(ln(rate), rate.ln(), "{rate}");
            }
        }
        let mut state = 7u64;
        let random = (0..100_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / 9_007_199_254_740_992.0
        });
        let (mut ours, mut libms) = (0, 0);
        for rate in random {
            ours += differs(ln, rate);
            libms += differs(libm::log, rate);
        }
        assert!(ours < 100, "{ours} of 100,000 differ");
        assert!(libms > 1000, "libm's differs {libms} times: this module is no longer needed");
    }
}
