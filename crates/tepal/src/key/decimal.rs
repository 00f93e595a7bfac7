//! Integers as their decimal text.

/// A sign and the 20 digits of 2^64-1.
pub(super) const DECIMAL: usize = 21;

/// Calls `with` with the shortest decimal text of an integer.
pub(super) fn with_decimal<R>(negative: bool, n: u64, with: impl FnOnce(&[u8]) -> R) -> R {
    with(write_decimal(negative, n, &mut [0; DECIMAL]))
}

/// The two digits of each number below 100.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n as usize] = [b'0' + n / 10, b'0' + n % 10];
        n += 1;
    }
    pairs
};

/// The shortest decimal text of an integer.
#[inline]
pub(super) fn write_decimal(negative: bool, mut n: u64, buffer: &mut [u8; DECIMAL]) -> &[u8] {
    let mut start = DECIMAL;
    // Two digits at a time need half as many divisions.
    while n >= 10 {
        start -= 2;
        buffer[start..start + 2].copy_from_slice(&PAIRS[(n % 100) as usize]);
        n /= 100;
    }
    if n > 0 || start == DECIMAL {
        start -= 1;
        buffer[start] = b'0' + n as u8;
    }
    if negative {
        start -= 1;
        buffer[start] = b'-';
    }
    &buffer[start..]
}
