//! Operations on a whole array, compared bit by bit with plain sets of positions.

use alloc::collections::BTreeSet;

use super::*;

/// Lines with these bits set.
fn lines_of(lines: u64, bits: &BTreeSet<u64>) -> Vec<Line> {
    let mut array = zeroed(lines).unwrap();
    bits.iter().for_each(|p| words_mut(&mut array)[(p / 64) as usize] |= 1 << (p % 64));
    array
}

/// The positions of the set bits.
fn bits_of(words: &[u64]) -> BTreeSet<u64> {
    (0..64 * words.len() as u64).filter(|p| words[(p / 64) as usize] >> (p % 64) & 1 != 0).collect()
}

/// About one bit in seven, with the first and the last.
fn some_bits(bit_len: u64, stream: u64) -> BTreeSet<u64> {
    let chosen = |p: &u64| (p ^ stream).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < (1 << 32) / 7;
    (0..bit_len).filter(chosen).chain([0, bit_len - 1]).collect()
}

#[test]
fn an_array_begins_empty_and_no_larger_than_memory() {
    for lines in [0, 1, 2, 1000, (4 << 20) / LINE_BYTES + 1] {
        let array = zeroed(lines).unwrap();
        assert_eq!((array.len() as u64, count(&array)), (lines, 0));
    }
    // Sizes beyond any address, and sizes within reach but larger than the memory.
    for lines in [u64::MAX, u64::MAX / LINE_BYTES, (1 << 63) / LINE_BYTES, (1 << 63) / LINE_BYTES - 1] {
        let bytes = lines.saturating_mul(LINE_BYTES);
        let error = zeroed(lines).unwrap_err();
        assert!(matches!(error, Error::TooLarge { bytes: b } if b == bytes), "{lines}: {error}");
    }
}

#[test]
fn lines_of_pieces_are_those_of_the_bytes() {
    let bytes: Vec<u8> = (0..5 * LINE_BYTES as u32 + 7).map(|i| (i * 37 % 251) as u8).collect();
    let mut expected = zeroed(7).unwrap();
    fill_from_bytes(&mut expected, &bytes);
    for size in 1..=bytes.len() {
        let empty = [&[][..]].into_iter();
        let pieces = bytes.chunks(size).flat_map(|piece| [piece, &[]]);
        assert!(from_pieces(7, empty.chain(pieces)).unwrap() == expected, "{size}");
    }
    assert!(from_pieces(u64::MAX, core::iter::empty()).is_err());
}

#[test]
fn bits_are_counted_wherever_they_are() {
    let bits = some_bits(3 * LINE_BITS, 1);
    let array = lines_of(3, &bits);
    assert_eq!(count(&array), bits.len() as u64);
    for below in 0..=3 * LINE_BITS {
        assert_eq!(count_below(&array, below), bits.range(..below).count() as u64, "{below}");
    }
    let full = [Line([u64::MAX; 8]); 3];
    assert_eq!((count(&full), count_below(&full, 1000)), (3 * LINE_BITS, 1000));
}

#[test]
fn union_and_intersection_are_those_of_sets() {
    let (a, b) = (some_bits(5 * LINE_BITS, 1), some_bits(5 * LINE_BITS, 2));
    let (mut both, mut common) = (lines_of(5, &a), lines_of(5, &a));
    let other = lines_of(5, &b);
    let expected: BTreeSet<u64> = a.union(&b).copied().collect();
    assert!(expected.len() < a.len() + b.len() && expected.len() > a.len());
    assert_eq!(count_union(&both, &other), expected.len() as u64);
    union(&mut both, &other);
    assert_eq!(bits_of(words(&both)), expected);
    intersect(&mut common, &other);
    let expected: BTreeSet<u64> = a.intersection(&b).copied().collect();
    assert_eq!(bits_of(words(&common)), expected);
}

/// Bit `p` of unit `u` goes to bit `p` of unit `u / factor`.
#[test]
fn units_are_folded_onto_each_other() {
    for unit in [4, 8] {
        for factor in [1, 2, 3, 5, 15, 30] {
            let unit_bits = 64 * unit as u64;
            let bits = some_bits(30 * unit_bits, 3 + factor as u64);
            let array = lines_of((30 * unit_bits).div_ceil(LINE_BITS), &bits);
            let mut to = array.clone();
            to.fill(Line([0; 8]));
            fold_words(words(&array), words_mut(&mut to), unit, factor);
            let folded: BTreeSet<u64> =
                bits.iter().map(|p| p / unit_bits / factor as u64 * unit_bits + p % unit_bits).collect();
            assert_eq!(bits_of(words(&to)), folded, "units of {unit} words, by {factor}");
        }
    }
}

/// Bit `p` goes to bit `p / factor`, also where the folded bits end within a word.
#[test]
fn bits_are_folded_onto_each_other() {
    for factor in [1, 2, 3, 5, 10, 16, 30, 64, 960] {
        let bits = some_bits(960, factor);
        let array = lines_of(2, &bits);
        let mut to = [0; 15];
        fold_bits(&words(&array)[..15], &mut to, 960, factor);
        let folded: BTreeSet<u64> = bits.iter().map(|p| p / factor).collect();
        assert_eq!(bits_of(&to), folded, "by {factor}");
    }
    // One bit in the middle of each neighbourhood, and none.
    let mut to = [0];
    fold_bits(&[0, 1 << 63, 0], &mut to, 192, 64);
    assert_eq!(to, [0b010]);
}
