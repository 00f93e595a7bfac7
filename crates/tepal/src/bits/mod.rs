//! Arrays of bits, and the operations on a whole array.
//!
//! This module knows lines of bits. It knows nothing of keys, hash functions or files.

mod asked;
#[cfg(target_has_atomic = "64")]
pub(crate) mod atomic;
pub(crate) mod fetch;
pub(crate) mod kernel;
pub(crate) mod line;
pub(crate) mod mask;
pub(crate) mod memory;
pub(crate) mod mix;
pub(crate) mod pages;
#[cfg(feature = "static")]
pub(crate) mod parities;
#[cfg(feature = "parallel")]
pub(crate) mod part;
#[cfg(feature = "parallel")]
pub(crate) mod radix;
#[cfg(feature = "static")]
pub(crate) mod ribbon;
pub(crate) mod rule;
pub(crate) mod rules;
pub(crate) mod shape;
#[cfg(feature = "table")]
pub(crate) mod table;

use alloc::vec::Vec;

use crate::error::{Error, Result};
pub(crate) use asked::Bits;
pub(crate) use line::Line;
pub(crate) use line::{LINE_BITS, LINE_BYTES, count, halves, halves_mut, most_set, words, words_mut};

/// A zeroed array, on huge pages if the system provides them. An error if the machine cannot
/// allocate it.
pub(crate) fn zeroed(lines: u64) -> Result<Vec<Line>> {
    let mut zeroed = room_for(lines)?;
    // `vec![0; n]` would zero the memory by writing it, because of the alignment of a line.
    zeroed.resize(lines as usize, Line([0; 8]));
    Ok(zeroed)
}

/// Space for this number of lines, on huge pages if the system provides them. No memory is touched
/// before a line is pushed.
pub(crate) fn room_for(lines: u64) -> Result<Vec<Line>> {
    let too_large = Error::TooLarge { bytes: lines.saturating_mul(LINE_BYTES) };
    match usize::try_from(lines) {
        Ok(n) if n <= isize::MAX as usize / size_of::<Line>() => {
            let mut room = Vec::new();
            room.try_reserve_exact(n).map_err(|_| too_large)?;
            pages::ask_for_huge(room.spare_capacity_mut());
            Ok(room)
        }
        _ => Err(too_large),
    }
}

/// The lines of these bytes, which lie in consecutive pieces: bit `p` is bit `p % 8` of byte
/// `p / 8`. Zeros follow the last byte. No memory is written twice.
pub(crate) fn from_pieces<'a>(lines: u64, pieces: impl Iterator<Item = &'a [u8]>) -> Result<Vec<Line>> {
    let mut all = room_for(lines)?;
    let line =
        |bytes: &[u8; LINE_BYTES as usize]| Line(bytemuck::cast::<_, [u64; 8]>(*bytes).map(u64::from_le));
    // A line that lies in several pieces, and how many of its bytes there are.
    let (mut begun, mut len) = ([0; LINE_BYTES as usize], 0);
    for mut piece in pieces {
        if len > 0 {
            let (here, rest) = piece.split_at(piece.len().min(begun.len() - len));
            begun[len..][..here.len()].copy_from_slice(here);
            (len, piece) = (len + here.len(), rest);
            if len < begun.len() {
                continue;
            }
            all.push(line(&begun));
        }
        let whole = piece.chunks_exact(begun.len());
        len = whole.remainder().len();
        begun[..len].copy_from_slice(whole.remainder());
        all.extend(whole.filter_map(|bytes| bytes.first_chunk()).map(line));
    }
    if len > 0 {
        begun[len..].fill(0);
        all.push(line(&begun));
    }
    all.resize(lines as usize, Line([0; 8]));
    Ok(all)
}

/// Copies bits from bytes into zeroed lines with enough space: bit `p` is bit `p % 8` of byte
/// `p / 8`.
pub(crate) fn fill_from_bytes(lines: &mut [Line], bytes: &[u8]) {
    bytemuck::cast_slice_mut(lines)[..bytes.len()].copy_from_slice(bytes);
    words_mut(lines).iter_mut().for_each(|word| *word = u64::from_le(*word));
}

/// The number of set bits; an error if one is set after the first `bit_len`.
pub(crate) fn count_within(lines: &[Line], bit_len: u64) -> Result<u64> {
    let words = words(lines);
    let (whole, rest) = ((bit_len / 64) as usize, bit_len % 64);
    let beyond = words.get(whole).map_or(0, |word| word >> rest);
    if beyond == 0 && words.iter().skip(whole + 1).all(|word| *word == 0) {
        return Ok(kernel::count(lines));
    }
    Err(Error::damaged(format_args!("bits are set beyond the last one, {}", bit_len - 1)))
}

/// The number of set bits among the first `bits`.
pub(crate) fn count_below(lines: &[Line], bits: u64) -> u64 {
    let words = words(lines);
    let (whole, rest) = ((bits / 64) as usize, bits % 64);
    let partly = words.get(whole).map_or(0, |word| word & ((1 << rest) - 1));
    words[..whole].iter().map(|word| u64::from(word.count_ones())).sum::<u64>()
        + u64::from(partly.count_ones())
}

/// The number of bits that would be set in the union.
pub(crate) fn count_union(a: &[Line], b: &[Line]) -> u64 {
    words(a).iter().zip(words(b)).map(|(a, b)| u64::from((a | b).count_ones())).sum()
}

/// Are all set bits of `a` set in `b` too?
pub(crate) fn is_subset(a: &[Line], b: &[Line]) -> bool {
    words(a).iter().zip(words(b)).all(|(a, b)| a & !b == 0)
}

/// `a |= b`, word by word.
pub(crate) fn union(a: &mut [Line], b: &[Line]) {
    words_mut(a).iter_mut().zip(words(b)).for_each(|(a, b)| *a |= b);
}

/// `a &= b`, word by word.
pub(crate) fn intersect(a: &mut [Line], b: &[Line]) {
    words_mut(a).iter_mut().zip(words(b)).for_each(|(a, b)| *a &= b);
}

/// The OR of each `factor` neighbouring units of `unit` 64-bit words. `from` has a multiple of
/// `factor` units; `to` is zeroed and has space for the folded units.
pub(crate) fn fold_words(from: &[u64], to: &mut [u64], unit: usize, factor: usize) {
    for start in (0..from.len() / factor).step_by(unit) {
        for i in 0..unit {
            let first = start * factor + i;
            to[start + i] = (0..factor).fold(0, |sum, j| sum | from[first + j * unit]);
        }
    }
}

/// The OR of each `factor` neighbouring bits of the first `bit_len`. `to` is zeroed and has space
/// for the folded bits.
pub(crate) fn fold_bits(from: &[u64], to: &mut [u64], bit_len: u64, factor: u64) {
    for p in 0..bit_len / factor {
        let bit = (p * factor..(p + 1) * factor).any(|p| from[(p / 64) as usize] >> (p % 64) & 1 != 0);
        to[(p / 64) as usize] |= u64::from(bit) << (p % 64);
    }
}

#[cfg(test)]
mod tests;
