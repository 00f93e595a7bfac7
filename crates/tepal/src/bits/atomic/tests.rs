//! Shared lines behave like lines in memory, in the sample and outside it.

use alloc::vec::Vec;

use super::*;
use crate::bits::{count as count_plain, zeroed};

/// More lines than the sample has.
const LINES: usize = SAMPLE + 2;
/// The number of lines in the sample.
const SAMPLE: usize = 512;

/// A number for each index (SplitMix64).
fn random(index: u64) -> u64 {
    let z = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// About one bit in four, and none in one word of eight.
fn some_bits(index: u64) -> [u64; 8] {
    core::array::from_fn(|i| {
        let index = 16 * index + 2 * i as u64;
        if random(index) % 8 == 0 { 0 } else { random(index) & random(index + 1) }
    })
}

#[test]
fn the_sample_is_all_of_a_small_array_and_a_64th_of_a_large_one() {
    for (lines, watched) in [
        (0, 0),
        (1, 1),
        (512, 512),
        (513, 512),
        (64 * 512, 512),
        (64 * 513, 513),
        (1 << 20, 1 << 14),
        (100_000_000, 1_562_500),
    ] {
        assert_eq!(sample(lines), watched, "{lines}");
    }
}

/// Does the same with lines in memory and with shared ones, and compares all lines and the count of
/// the sample.
#[track_caller]
fn assert_same<T: PartialEq + core::fmt::Debug>(
    plain: &mut [Line],
    shared: &[AtomicLine],
    line: usize,
    in_memory: impl FnOnce(&mut [Line]) -> T,
    in_shared: impl FnOnce(&mut Atomics<'_>) -> T,
) {
    let before = count_plain(plain);
    let mut view = Atomics::new(shared);
    assert_eq!(in_shared(&mut view), in_memory(plain), "line {line}");
    let new = count_plain(plain) - before;
    assert_eq!(view.sampled(), if line < SAMPLE { new } else { 0 }, "line {line}");
    assert_eq!(shared[line].load(), plain[line], "line {line}");
    assert_eq!(count(shared), count_plain(plain), "line {line}");
}

#[test]
fn shared_lines_are_as_lines_in_memory() {
    let mut plain = zeroed(LINES as u64).unwrap();
    let shared = share(plain.clone());
    for (i, line) in (0u64..).zip([0, 1, SAMPLE - 2, SAMPLE - 1, SAMPLE, SAMPLE + 1]) {
        for round in 8 * i..8 * i + 4 {
            let mask = some_bits(round);
            let half: [u32; 8] = core::array::from_fn(|j| 1 << (random(100 * round + j as u64) % 32));
            let block = 2 * line + (round % 2) as usize;
            let position = line as u64 * LINE_BITS + random(round) % LINE_BITS;
            // Each twice: the second time no bit is new.
            for _ in 0..2 {
                let set = |lines: &mut [Line]| lines.set_bit(position);
                assert_same(&mut plain, &shared, line, set, |lines| lines.set_bit(position));
                let set = |lines: &mut [Line]| lines.split_set_counting(block, &half);
                assert_same(&mut plain, &shared, line, set, |lines| lines.split_set_counting(block, &half));
                let set = |lines: &mut [Line]| lines.set_counting(line, &mask, 64);
                assert_same(&mut plain, &shared, line, set, |lines| lines.set_counting(line, &mask, 64));
            }
            let (mask, half) = (some_bits(round + 4), half.map(|word| word.rotate_left(7)));
            for _ in 0..2 {
                let set = |lines: &mut [Line]| lines.set(line, &mask);
                assert_same(&mut plain, &shared, line, set, |lines| lines.set(line, &mask));
                let set = |lines: &mut [Line]| lines.split_set(block, &half);
                assert_same(&mut plain, &shared, line, set, |lines| lines.split_set(block, &half));
            }
        }
    }
    assert!(unshare(shared) == plain);
}

/// Every single missing bit is noticed, and no other.
#[test]
fn shared_lines_are_asked_as_lines_in_memory() {
    let bits: Vec<Line> = (0..3).map(|i| Line(some_bits(i).map(|word| word | 1))).collect();
    let shared = share(bits.clone());
    let (view, plain) = (Atomics::new(&shared), &bits[..]);
    assert_eq!(view.line_count(), 3);
    let (mut held, mut missed) = (0, 0);
    for position in 0..3 * LINE_BITS {
        let is_set = plain.holds_bit(position);
        assert_eq!(view.holds_bit(position), is_set, "{position}");
        assert_eq!(holds_bit(&shared, position), is_set, "{position}");
        let line = (position / LINE_BITS) as usize;
        let mut mask = bits[line].0;
        mask[(position / 64 % 8) as usize] |= 1 << (position % 64);
        assert_eq!((view.holds(line, &mask), plain.holds(line, &mask)), (is_set, is_set), "{position}");
        let halves: [[u32; 8]; 2] = bytemuck::cast(mask);
        let block = 2 * line + (position / 256 % 2) as usize;
        let half = &halves[block % 2];
        assert_eq!((view.split_holds(block, half), plain.split_holds(block, half)), (is_set, is_set));
        if is_set { held += 1 } else { missed += 1 }
    }
    assert!(held > 300 && missed > 300, "{held} {missed}");
}

#[test]
fn one_bit_is_new_once() {
    let shared = share(zeroed(2).unwrap());
    for position in [0, 1, 63, 64, 511, 512, 1023] {
        assert!(!holds_bit(&shared, position));
        assert!(set_bit(&shared, position) && !set_bit(&shared, position));
        assert!(holds_bit(&shared, position));
    }
    assert_eq!(count(&shared), 7);
}
