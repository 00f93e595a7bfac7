//! What a lookup of one key reads, for a program that draws it.

use alloc::vec::Vec;

/// The part of a filter that a lookup of one key reads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Touched {
    /// A table of numbers: the place of the key's number.
    Number {
        /// The number.
        number: u64,
        /// The home line of its bucket.
        line: u64,
        /// The bucket, by its index in the line.
        bucket: u32,
        /// The remainder: the part of the number that its slot stores.
        remainder: u64,
    },
    /// A ribbon: the slots whose values are added, bit by bit.
    Slots {
        /// The number of each slot, and its value.
        slots: Vec<(u64, u64)>,
        /// The number of bits of a value.
        columns: u32,
        /// The sum that a member finds: its fingerprint, above the value of a map.
        fingerprint: u64,
        /// Bits of a map's value, below the fingerprint.
        value_bits: u32,
    },
}
