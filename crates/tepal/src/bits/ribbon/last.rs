//! The last slots, for a few keys. The equation of each key covers all last slots.

use alloc::vec;
use alloc::vec::Vec;

use super::STEP;
use super::entry::Entry;
use super::shape::MOST_LAST;
use crate::bits::mix::finish;
use crate::error::{Error, Result};

/// The coefficients of a key.
type Row = [u64; 4];

/// Larger than any number that moves the hashes in the layers.
const MOVED: u64 = 65_536;

/// The coefficients of a key. The hash is finished twice. Otherwise the equations of all 256 hashes
/// that differ only in eight neighbouring bits would add up to zero.
fn row(slots: u16, seed: u8, h: u64) -> Row {
    let h = finish(h);
    core::array::from_fn(|i| {
        let word = finish(h.wrapping_add(STEP.wrapping_mul(MOVED + 4 * u64::from(seed) + i as u64)));
        match u32::from(slots).saturating_sub(64 * i as u32) {
            0 => 0,
            bits @ 1..64 => word & ((1 << bits) - 1),
            _ => word,
        }
    })
}

/// The parities of all columns: bit `s` of column `i` is bit `i * slots + s` of the words.
pub(crate) fn value(words: &[u64], slots: u16, columns: u8, seed: u8, h: u64) -> u64 {
    let row = row(slots, seed, h);
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    (0..columns).fold(0, |value, column| {
        let first = usize::from(column) * usize::from(slots);
        let sum = row.iter().zip((first..).step_by(64)).fold(0, |sum, (c, bit)| {
            let (at, shift) = (bit / 64, bit % 64);
            sum ^ c & (word(at) >> shift | word(at + 1) << 1 << (63 - shift))
        });
        value | u64::from(sum.count_ones() & 1) << column
    })
}

/// The slots of the key's equation, each with its value.
pub(super) fn terms(words: &[u64], slots: u16, columns: u8, seed: u8, h: u64) -> Vec<(u64, u64)> {
    let row = row(slots, seed, h);
    let bit = |at: usize| words.get(at / 64).map_or(0, |word| word >> (at % 64) & 1);
    let is_in = |slot: &usize| row[slot / 64] >> (slot % 64) & 1 == 1;
    let value = |slot: usize| {
        (0..columns)
            .fold(0, |value, column| value | bit(usize::from(column) * usize::from(slots) + slot) << column)
    };
    (0..slots.into()).filter(is_in).map(|slot| (slot as u64, value(slot))).collect()
}

/// Values of the slots that give each key its value.
pub(crate) struct Solved {
    pub(crate) slots: u16,
    pub(crate) seed: u8,
    pub(crate) words: Vec<u64>,
}

/// Solves for a few keys without repeats; `value` returns the value of a key, of `columns` bits.
pub(crate) fn solve<E: Entry>(keys: &[E], columns: u8, value: impl Fn(E) -> u64) -> Result<Solved> {
    // A random square system has a solution in three of ten cases.
    for slots in keys.len() as u16..=MOST_LAST {
        for seed in 0..=u8::MAX {
            if let Some(values) = eliminate(keys, slots, seed, &value) {
                let words = packed(&values, columns);
                return Ok(Solved { slots, seed, words });
            }
        }
    }
    Err(Error::parameter(
        "the list of the hashes of a ribbon",
        format_args!("one with {} that no last slots tell apart", keys.len()),
        "one of spread hashes: of another seed, or mixed once more",
    ))
}

/// The value of each slot, if there is a solution; 0 for a slot whose value does not matter.
fn eliminate<E: Entry>(keys: &[E], slots: u16, seed: u8, value: &impl Fn(E) -> u64) -> Option<Vec<u64>> {
    // For each slot, the equation whose first coefficient is there.
    let mut rows: Vec<Option<(Row, u64)>> = vec![None; slots.into()];
    for &key in keys {
        let (mut c, mut sum) = (row(slots, seed, key.hash()), value(key));
        loop {
            let Some(word) = c.iter().position(|word| *word != 0) else {
                if sum == 0 {
                    break;
                }
                return None;
            };
            let place = &mut rows[64 * word + c[word].trailing_zeros() as usize];
            let Some((other, value)) = place else {
                *place = Some((c, sum));
                break;
            };
            c = core::array::from_fn(|i| c[i] ^ other[i]);
            sum ^= *value;
        }
    }
    let mut values = vec![0; slots.into()];
    for (slot, row) in rows.iter().enumerate().rev() {
        if let Some((c, sum)) = row {
            let is_in = |other: &usize| c[other / 64] >> (other % 64) & 1 == 1;
            values[slot] =
                (slot + 1..values.len()).filter(is_in).fold(*sum, |sum, other| sum ^ values[other]);
        }
    }
    Some(values)
}

fn packed(values: &[u64], columns: u8) -> Vec<u64> {
    let mut words = vec![0; (values.len() * usize::from(columns)).div_ceil(64)];
    for column in 0..usize::from(columns) {
        for (slot, value) in values.iter().enumerate() {
            let bit = column * values.len() + slot;
            words[bit / 64] |= (value >> column & 1) << (bit % 64);
        }
    }
    words
}
