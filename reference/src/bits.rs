//! Sections 2.1 to 2.5: which bits a hash sets.

use std::ops::RangeInclusive;

/// Bits in a line.
pub const LINE: u64 = 512;

/// The order in which the words of a line are used (section 2.1).
const ORDER: [u64; 8] = [0, 1, 3, 7, 6, 2, 4, 5];

/// The odd numbers of Parquet's split-block filter (section 2.4).
const SALT: [u32; 8] =
    [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31];

/// Which bits a hash sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Id 1: all bits in one line.
    Line,
    /// Id 2: half of the bits in each of two lines.
    Double,
    /// Id 3: Parquet's block of 256 bits.
    SplitBlock,
    /// Id 4: the classic filter, bits anywhere.
    Scattered,
}

impl Layout {
    /// All layouts, in the order of their ids.
    pub const ALL: [Layout; 4] = [Layout::Line, Layout::Double, Layout::SplitBlock, Layout::Scattered];

    /// The id in the header.
    pub fn id(self) -> u8 {
        match self {
            Layout::Line => 1,
            Layout::Double => 2,
            Layout::SplitBlock => 3,
            Layout::Scattered => 4,
        }
    }

    /// The name in the table of section 2.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Line => "line",
            Layout::Double => "double",
            Layout::SplitBlock => "split-block",
            Layout::Scattered => "scattered",
        }
    }

    /// `bit_len` is a multiple of this: a line, a block or a word.
    pub fn unit(self) -> u64 {
        match self {
            Layout::Line | Layout::Double => LINE,
            Layout::SplitBlock => 256,
            Layout::Scattered => 64,
        }
    }

    /// The values `k` may have.
    pub fn allowed_k(self) -> RangeInclusive<u32> {
        match self {
            Layout::Line => 1..=16,
            Layout::Double => 2..=32,
            Layout::SplitBlock => 8..=8,
            Layout::Scattered => 1..=64,
        }
    }

    /// The table of section 2: refuses a `k` or a `bit_len` that the layout cannot have.
    pub fn check(self, k: u32, bit_len: u64) -> Result<(), String> {
        let name = self.name();
        let allowed = self.allowed_k();
        if !allowed.contains(&k) {
            return Err(format!(
                "layout {name} has k from {} to {}, not {k}",
                allowed.start(),
                allowed.end()
            ));
        }
        if bit_len == 0 || bit_len % self.unit() != 0 {
            return Err(format!(
                "layout {name} needs a bit_len that is a multiple of {}, not {bit_len}",
                self.unit()
            ));
        }
        if bit_len > 1 << 46 {
            return Err(format!("a filter has at most 2^46 bits, not {bit_len}"));
        }
        if self == Layout::SplitBlock && bit_len / 256 > 1 << 32 {
            return Err(format!("layout {name} has at most 2^32 blocks, not {}", bit_len / 256));
        }
        Ok(())
    }
}

/// The `k` bit positions of the hash `h`, in the order in which section 2 names them.
/// [`Layout::check`] must accept `k` and `bit_len`.
pub fn positions(layout: Layout, k: u32, bit_len: u64, h: u64) -> Vec<u64> {
    match layout {
        Layout::Line => bits_of_line(h, k, bit_len / LINE),
        Layout::Double => {
            let mut bits = bits_of_line(h, k.div_ceil(2), bit_len / LINE);
            bits.extend(bits_of_line(next(h), k / 2, bit_len / LINE));
            bits
        }
        Layout::SplitBlock => split_block(h, bit_len / 256),
        Layout::Scattered => scattered(h, k, bit_len),
    }
}

/// The high 64 bits of the 128-bit product.
pub fn mulhi(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Section 2.3: the hash that takes the place of `h` for the next line or bit.
pub fn next(h: u64) -> u64 {
    h.wrapping_mul(0xD1342543DE82EF95).rotate_left(32)
}

/// Section 2.1: `k` bits (1 to 16) in one of `lines` lines.
fn bits_of_line(h: u64, k: u32, lines: u64) -> Vec<u64> {
    let line = mulhi(h, lines);
    let g = h.wrapping_mul(0x9E3779B97F4A7C15);
    let g2 = h.wrapping_mul(0xD1342543DE82EF95);
    let r = (g >> 12) & 7;
    let bit = |g: u64, w: u64| LINE * line + 64 * w + ((g >> (15 + 6 * w)) & 63);

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

/// The words `w` for which `(w + r) mod 8` is among the first `j` of [`ORDER`], ascending.
fn active(j: u32, r: u64) -> Vec<u64> {
    let first = &ORDER[..j as usize];
    (0..8).filter(|w| first.contains(&((w + r) % 8))).collect()
}

/// Section 2.4: one bit in each of the 8 words of 32 bits of one block.
fn split_block(h: u64, blocks: u64) -> Vec<u64> {
    let block = ((h >> 32) * blocks) >> 32;
    let lo = h as u32;
    let mut bits = Vec::new();
    for (j, salt) in SALT.into_iter().enumerate() {
        let bit = u64::from(lo.wrapping_mul(salt) >> 27);
        bits.push(256 * block + 32 * j as u64 + bit);
    }
    bits
}

/// Section 2.5: `k` bits anywhere.
fn scattered(h: u64, k: u32, bit_len: u64) -> Vec<u64> {
    let mut bits = Vec::new();
    let mut x = h;
    for _ in 0..k {
        bits.push(mulhi(x, bit_len));
        x = next(x);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::xxh3;

    #[test]
    fn k_positions_inside_the_filter() {
        for layout in Layout::ALL {
            for k in layout.allowed_k() {
                for units in [1, 2, 7, 1 << 32] {
                    let bit_len = units * layout.unit();
                    layout.check(k, bit_len).unwrap();
                    for h in [0, 1, 1 << 63, u64::MAX, xxh3(b"a", 0)] {
                        let bits = positions(layout, k, bit_len, h);
                        assert_eq!(bits.len(), k as usize);
                        assert!(bits.iter().all(|&p| p < bit_len), "{layout:?} k={k} {bit_len} {h:#x}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_has_one_bit_in_each_active_word() {
        for k in 1..=8 {
            for i in 0..1000u32 {
                let h = xxh3(&i.to_le_bytes(), 0);
                let bits = positions(Layout::Line, k, 512 * 5, h);
                let mut words: Vec<u64> = bits.iter().map(|p| p / 64).collect();
                words.dedup();
                assert_eq!(words.len(), k as usize);
                assert_eq!(bits[0] / 512, bits[bits.len() - 1] / 512);
            }
        }
    }

    #[test]
    fn a_line_by_hand() {
        // h = 1: g is the multiplier itself, so r = (0x9E3779B97F4A7C15 >> 12) & 7 = 0xA7 & 7 = 7.
        // k = 2: (w + 7) mod 8 is 0 or 1 for w = 1 and w = 2; bits g >> 21 and g >> 27, mod 64.
        let g: u64 = 0x9E3779B97F4A7C15;
        assert_eq!((g >> 12) & 7, 7);
        assert_eq!(positions(Layout::Line, 2, 512, 1), [64 + ((g >> 21) & 63), 128 + ((g >> 27) & 63)]);
    }

    #[test]
    fn what_a_layout_cannot_have_is_refused() {
        assert!(Layout::Line.check(17, 512).is_err());
        assert!(Layout::Line.check(0, 512).is_err());
        assert!(Layout::Double.check(1, 512).is_err());
        assert!(Layout::SplitBlock.check(7, 256).is_err());
        assert!(Layout::SplitBlock.check(8, (256 << 32) + 256).is_err());
        assert!(Layout::Scattered.check(7, 0).is_err());
        assert!(Layout::Scattered.check(7, 65).is_err());
    }
}
