//! The bits of a block that a hash chooses, as masks of words, for blocks of 256 and 512 bits.
//!
//! Every CPU level compiles these loops ([`super::kernel`]), so all levels set the same bits. They
//! are written so that the compiler vectorizes them; ARCHITECTURE.md lists the obstacles.

// The compiler vectorizes index loops over arrays of eight best.
#![allow(clippy::needless_range_loop)]

/// The bits of one line that a hash sets, as one mask for each of the eight words.
pub(crate) trait LineMask: Copy {
    /// The largest number of bits in one word.
    const MOST_A_WORD: u32;

    /// The bits chosen by the first product of `h`, and by the second one (FORMAT.md, section 2.1).
    fn parts(&self, h: u64) -> [[u64; 8]; 2];

    /// The bits of both products.
    #[inline(always)]
    fn mask(&self, h: u64) -> [u64; 8] {
        let [mut mask, second] = self.parts(h);
        for i in 0..8 {
            mask[i] |= second[i];
        }
        mask
    }
}

const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
pub(crate) const SECOND: u64 = 0xD134_2543_DE82_EF95;

/// The order in which the words of a line become active as k grows. Neighbouring words would fill
/// together. This order varies the distances between active words, so the rate follows the formula.
/// At rotation r word w is active if (w + r) mod 8 is among the first j of the order, for j active
/// words.
pub(crate) const ORDER: [usize; 8] = [0, 1, 3, 7, 6, 2, 4, 5];

/// 1 for a word that is active at rotation 0, else 0. Written twice, so that eight words from
/// offset r are rotation r. A word with 0 reads and sets no bit, without a branch in the loop.
#[cfg_attr(not(target_family = "wasm"), repr(C, align(128)))]
#[derive(Debug)]
struct Ones([One; 16]);

/// A one is as wide as a word, so that vectors load the ones directly. In WebAssembly it is a byte,
/// because a web page is loaded over a network.
#[cfg(not(target_family = "wasm"))]
type One = u64;
#[cfg(target_family = "wasm")]
type One = u8;

/// The first `words` words of the order.
const fn active(words: u32) -> Ones {
    let mut ones = [0; 16];
    let mut i = 0;
    while i < words as usize {
        ones[ORDER[i]] = 1;
        ones[ORDER[i] + 8] = 1;
        i += 1;
    }
    Ones(ones)
}

/// The table for each number of active words; all filters share it.
static ACTIVE: [Ones; 9] =
    [active(0), active(1), active(2), active(3), active(4), active(5), active(6), active(7), active(8)];

/// Shifts each of the eight ones to its bit. Bits 15 to 62 of `g` choose. Bit 63 stays unused: with
/// it the compiler would treat the last word differently and give up vectorizing.
#[inline(always)]
fn shift(ones: &[impl Copy + Into<u64>], g: u64) -> [u64; 8] {
    let mut mask = [0; 8];
    for i in 0..8 {
        mask[i] = ones[i].into() << ((g >> (15 + 6 * i)) & 63);
    }
    mask
}

#[inline(always)]
fn window(ones: &Ones, h: u64) -> &[One] {
    let r = (h.wrapping_mul(FIRST) >> 12) as usize & 7;
    &ones.0[r..r + 8]
}

/// Up to 8 bits: at most one in each word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow {
    ones: &'static Ones,
}

impl Narrow {
    pub(crate) fn new(k: u32) -> Self {
        Narrow { ones: &ACTIVE[k as usize] }
    }
}

impl LineMask for Narrow {
    const MOST_A_WORD: u32 = 1;

    #[inline(always)]
    fn parts(&self, h: u64) -> [[u64; 8]; 2] {
        [shift(window(self.ones, h), h.wrapping_mul(FIRST)), [0; 8]]
    }
}

/// 8 to 16 bits: one in every word, and a second one in k - 8 words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    ones: &'static Ones,
}

impl Wide {
    pub(crate) fn new(k: u32) -> Self {
        Wide { ones: &ACTIVE[k as usize - 8] }
    }
}

impl LineMask for Wide {
    const MOST_A_WORD: u32 = 2;

    #[inline(always)]
    fn parts(&self, h: u64) -> [[u64; 8]; 2] {
        let first = shift(&[1_u64; 8], h.wrapping_mul(FIRST));
        let second = shift(window(self.ones, h), h.wrapping_mul(SECOND));
        [first, second]
    }
}

/// The index in memory of word `j` of a split block. On big-endian machines, words of 32 bits
/// inside words of 64 bits change places.
#[inline(always)]
pub(crate) const fn split_word(j: usize) -> usize {
    if cfg!(target_endian = "big") { j ^ 1 } else { j }
}

/// The salts of Parquet's split block, in the memory order of its words.
const SALT: [u32; 8] = {
    let salt = [
        0x47b6_137b,
        0x4497_4d91,
        0x8824_ad5b,
        0xa2b7_289d,
        0x7054_95c7,
        0x2df1_424b,
        0x9efc_4947,
        0x5c6b_fb31,
    ];
    let mut placed = [0; 8];
    let mut j = 0;
    while j < 8 {
        placed[split_word(j)] = salt[j];
        j += 1;
    }
    placed
};

/// One bit in each of the eight 32-bit words, in memory order (FORMAT.md, section 2.4).
#[inline(always)]
pub(crate) fn split_mask(h: u64) -> [u32; 8] {
    let mut mask = [0; 8];
    for i in 0..8 {
        mask[i] = 1 << ((h as u32).wrapping_mul(SALT[i]) >> 27);
    }
    mask
}
