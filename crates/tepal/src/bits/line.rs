//! A line of bits, and many of them as words.

/// Bits in a line.
pub(crate) const LINE_BITS: u64 = 512;
/// Bytes in a line.
pub(crate) const LINE_BYTES: u64 = 64;

/// 512 bits, one cache line: the unit in which a filter's bits live.
///
/// Bit `64 w + b` of the line is bit `b` (0 = least significant) of word `w`; in a file the words
/// are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub(crate) [u64; 8]);

impl Line {
    /// The bits of both.
    pub(crate) fn or(self, other: Line) -> Line {
        Line(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

/// The same bits as 64-bit words: bit `p` is bit `p % 64` of word `p / 64`.
#[inline]
pub(crate) fn words(lines: &[Line]) -> &[u64] {
    bytemuck::cast_slice(lines)
}

/// [`words`], to change.
#[inline]
pub(crate) fn words_mut(lines: &mut [Line]) -> &mut [u64] {
    bytemuck::cast_slice_mut(lines)
}

/// The halves of all lines, in order: 256-bit blocks, each the eight 32-bit words of a split block.
#[inline(always)]
pub(crate) fn halves(lines: &[Line]) -> &[[u32; 8]] {
    bytemuck::cast_slice(lines)
}

/// [`halves`], to change.
#[inline(always)]
pub(crate) fn halves_mut(lines: &mut [Line]) -> &mut [[u32; 8]] {
    bytemuck::cast_slice_mut(lines)
}

/// How many bits are set. One loop over words: over lines of words, AVX-512 would gather the words
/// of eight lines, which takes several times as long.
#[inline(always)]
pub(crate) fn count(lines: &[Line]) -> u64 {
    words(lines).iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The most bits that are set in one line of every so many, or in a half of one.
#[inline(always)]
pub(crate) fn most_set(lines: impl Iterator<Item = Line>, every: usize, in_halves: bool) -> u32 {
    let mut most = 0;
    for Line(words) in lines.step_by(every) {
        let ones = words.map(u64::count_ones);
        let halves = [&ones[..4], &ones[4..]].map(|half| half.iter().sum::<u32>());
        most = most.max(if in_halves { halves[0].max(halves[1]) } else { halves[0] + halves[1] });
    }
    most
}
