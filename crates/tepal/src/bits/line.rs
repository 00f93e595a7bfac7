//! A line of bits, and lines as words.

/// Bits in a line.
pub(crate) const LINE_BITS: u64 = 512;
/// Bytes in a line.
pub(crate) const LINE_BYTES: u64 = 64;

/// 512 bits, one cache line: the unit of a filter's bits.
///
/// Bit `64 w + b` of the line is bit `b` (0 = least significant) of word `w`. In a file the words
/// are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub(crate) [u64; 8]);

impl Line {
    /// The OR of both lines.
    pub(crate) fn or(self, other: Line) -> Line {
        Line(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

/// The lines as 64-bit words: bit `p` is bit `p % 64` of word `p / 64`.
#[inline]
pub(crate) fn words(lines: &[Line]) -> &[u64] {
    bytemuck::cast_slice(lines)
}

/// [`words`], mutable.
#[inline]
pub(crate) fn words_mut(lines: &mut [Line]) -> &mut [u64] {
    bytemuck::cast_slice_mut(lines)
}

/// The halves of all lines, in order: 256-bit blocks, each the eight 32-bit words of a split block.
#[inline(always)]
pub(crate) fn halves(lines: &[Line]) -> &[[u32; 8]] {
    bytemuck::cast_slice(lines)
}

/// [`halves`], mutable.
#[inline(always)]
pub(crate) fn halves_mut(lines: &mut [Line]) -> &mut [[u32; 8]] {
    bytemuck::cast_slice_mut(lines)
}

/// The number of set bits. One loop over words: in a loop over lines, AVX-512 would gather the
/// words of eight lines, which takes several times as long.
#[inline(always)]
pub(crate) fn count(lines: &[Line]) -> u64 {
    words(lines).iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The largest number of set bits in a line, or with `in_halves` in half a line. Reads one line in
/// `every`.
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
