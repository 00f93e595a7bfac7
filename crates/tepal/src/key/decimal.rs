//! Integers as their decimal text.

/// Bytes of three words: the text of a 64-bit integer takes 20 of them at most.
pub(super) const DECIMAL: usize = 24;
/// Eight times the digit 0.
const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
/// The limit of eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;

/// The shortest decimal text of an integer, in words that can stay in registers.
#[derive(Clone, Copy)]
pub(super) struct Decimal {
    /// The last bytes of the 24 are the text; in a word the first byte is the lowest.
    pub(super) words: [u64; 3],
    /// Bytes of the text.
    pub(super) len: usize,
}

impl Decimal {
    #[inline(always)]
    pub(super) fn new(negative: bool, n: u64) -> Self {
        let zeros_of = |digits: u64| digits.trailing_zeros() as usize / 8;
        let mut digits = [0, 0, eight_digits(n % EIGHT_DIGITS)];
        let mut zeros;
        if n < EIGHT_DIGITS {
            // The last digit of zero stays.
            zeros = 16 + zeros_of(digits[2]).min(7);
        } else {
            let rest = n / EIGHT_DIGITS;
            digits[1] = eight_digits(rest % EIGHT_DIGITS);
            if rest < EIGHT_DIGITS {
                zeros = 8 + zeros_of(digits[1]);
            } else {
                digits[0] = eight_digits(rest / EIGHT_DIGITS);
                zeros = zeros_of(digits[0]);
            }
        }
        let [mut a, mut b, mut c] = digits.map(|digits| digits | ZEROS);
        if negative {
            // The sign replaces the last 0 before the text.
            zeros -= 1;
            let sign = u64::from(b'0' ^ b'-') << (8 * (zeros % 8));
            match zeros / 8 {
                0 => a ^= sign,
                1 => b ^= sign,
                _ => c ^= sign,
            }
        }
        Decimal { words: [a, b, c], len: DECIMAL - zeros }
    }
}

/// The eight digits of a number below 10^8, a byte each, the first digit in the lowest byte.
///
/// The number is split into halves of four digits, then all halves into quarters at once, then the
/// quarters into digits. Each quotient is a product and a shift, and it takes the lower place.
#[inline(always)]
fn eight_digits(n: u64) -> u64 {
    let upper = n / 10_000;
    let halves = (n << 32) - upper * ((10_000 << 32) - 1);
    let upper = ((halves * 5243) >> 19) & 0x0000_007f_0000_007f;
    let quarters = (halves << 16) - upper * ((100 << 16) - 1);
    let upper = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
    (quarters << 8) - upper * ((10 << 8) - 1)
}

/// Calls `with` with the shortest decimal text of an integer.
pub(super) fn with_decimal<R>(negative: bool, n: u64, with: impl FnOnce(&[u8]) -> R) -> R {
    with(write_decimal(negative, n, &mut [0; DECIMAL]))
}

/// The shortest decimal text of an integer.
#[inline]
pub(super) fn write_decimal(negative: bool, n: u64, buffer: &mut [u8; DECIMAL]) -> &[u8] {
    let Decimal { words, len } = Decimal::new(negative, n);
    for (bytes, word) in buffer.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    &buffer[DECIMAL - len..]
}
