//! Sections 2.1 to 2.5: the bits that a hash sets.

use std::ops::RangeInclusive;

/// Layout 1, section 2.2: all bits in one line of 512 bits.
pub const LINE: u8 = 1;
/// Layout 2, section 2.3: half of the bits in each of two lines.
pub const DOUBLE: u8 = 2;
/// Layout 3, section 2.4: Parquet's block of 256 bits.
pub const SPLIT_BLOCK: u8 = 3;
/// Layout 4, section 2.5: the classic filter, bits anywhere.
pub const SCATTERED: u8 = 4;

/// The allowed values of k in a layout (table of section 2).
pub fn allowed_k(layout: u8) -> RangeInclusive<u32> {
    match layout {
        LINE => 1..=16,
        DOUBLE => 2..=32,
        SPLIT_BLOCK => 8..=8,
        _ => 1..=64,
    }
}

/// `bit_len` is a multiple of this: a line, a block or a word (table of section 2).
pub fn unit(layout: u8) -> u64 {
    match layout {
        LINE | DOUBLE => 512,
        SPLIT_BLOCK => 256,
        _ => 64,
    }
}

/// Refuses an unknown layout, and a k or a `bit_len` that the layout cannot have (section 2).
pub fn check(layout: u8, k: u32, bit_len: u64) -> Result<(), String> {
    if !(LINE..=SCATTERED).contains(&layout) {
        return Err(format!("layout {layout} is not known"));
    }
    if !allowed_k(layout).contains(&k) {
        return Err(format!("layout {layout} cannot have k = {k}"));
    }
    let most = if layout == SPLIT_BLOCK { 256 << 32 } else { 1 << 46 };
    if bit_len == 0 || bit_len > most || bit_len % unit(layout) != 0 {
        return Err(format!("layout {layout} cannot have {bit_len} bits"));
    }
    Ok(())
}

/// The k bit positions of the hash `h`, in the order of section 2. [`check`] must have accepted the
/// numbers.
pub fn positions(layout: u8, k: u32, bit_len: u64, h: u64) -> Vec<u64> {
    match layout {
        LINE => bits_of_line(h, k, bit_len / 512),
        DOUBLE => {
            let mut bits = bits_of_line(h, k.div_ceil(2), bit_len / 512);
            bits.extend(bits_of_line(next(h), k / 2, bit_len / 512));
            bits
        }
        SPLIT_BLOCK => split_block(h, bit_len / 256),
        _ => scattered(h, k, bit_len),
    }
}

/// The high 64 bits of the 128-bit product.
pub(crate) fn mulhi(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Section 2.3: the hash for the next line or bit.
fn next(h: u64) -> u64 {
    h.wrapping_mul(0xD1342543DE82EF95).rotate_left(32)
}

/// Section 2.1: k bits (1 to 16) in one of `lines` lines.
fn bits_of_line(h: u64, k: u32, lines: u64) -> Vec<u64> {
    let line = mulhi(h, lines);
    let g = h.wrapping_mul(0x9E3779B97F4A7C15);
    let g2 = h.wrapping_mul(0xD1342543DE82EF95);
    let r = (g >> 12) & 7;
    let bit = |g: u64, w: u64| 512 * line + 64 * w + ((g >> (15 + 6 * w)) & 63);

    let mut bits = Vec::new();
    if k <= 8 {
        for w in active(k, r) {
            bits.push(bit(g, w));
        }
    } else {
        for w in 0..8 {
            bits.push(bit(g, w));
        }
        for w in active(k - 8, r) {
            bits.push(bit(g2, w));
        }
    }
    bits
}

/// Section 2.1: the words `w` for which `(w + r) mod 8` is among the first `j` of ORDER, ascending.
fn active(j: u32, r: u64) -> Vec<u64> {
    const ORDER: [u64; 8] = [0, 1, 3, 7, 6, 2, 4, 5];
    (0..8).filter(|w| ORDER[..j as usize].contains(&((w + r) % 8))).collect()
}

/// Section 2.4: one bit in each of the 8 words of 32 bits of one block.
fn split_block(h: u64, blocks: u64) -> Vec<u64> {
    const SALT: [u32; 8] =
        [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];
    let block = ((h >> 32) * blocks) >> 32;
    let lo = h as u32;
    let mut bits = Vec::new();
    for j in 0..8 {
        let bit = lo.wrapping_mul(SALT[j]) >> 27;
        bits.push(256 * block + 32 * j as u64 + u64::from(bit));
    }
    bits
}

/// Section 2.5: k bits anywhere.
fn scattered(h: u64, k: u32, bit_len: u64) -> Vec<u64> {
    let mut bits = Vec::new();
    let mut x = h;
    for _ in 0..k {
        bits.push(mulhi(x, bit_len));
        x = next(x);
    }
    bits
}
