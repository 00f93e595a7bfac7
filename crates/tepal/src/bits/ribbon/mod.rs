//! A bumped ribbon: stores a value for each key, in hardly more bits than the values themselves
//! (FORMAT.md, section 2.8).
//!
//! A key has a start among the slots of a layer and 64 coefficients. The coefficients select slots
//! from the start on; column by column, the value of the key is the parity of these slots. A key
//! whose place in a layer is too dense is bumped to the next layer.
//!
//! [`shape`] has the places of all parts, [`ask`] looks a value up. [`band`] and [`mod@solve`]
//! compute the slots, so that each key gets its value; [`last`] does it for the few keys that
//! remain. [`rate`] computes the false-positive rate. [`thin`] is a second ribbon, for a rate
//! between two powers of two.
//!
//! The value stored for a key is [`stored`]. The lowest columns hold the key's value in a map,
//! mixed with its hash; the columns above hold bits of its fingerprint. A filter has no values:
//! [`ask::contains`] compares fingerprints. [`get`] also returns values.

pub(crate) mod ask;
pub(crate) mod band;
pub(crate) mod batch;
pub(crate) mod entry;
pub(crate) mod get;
pub(crate) mod last;
pub(crate) mod rate;
pub(crate) mod shape;
pub(crate) mod solve;
pub(crate) mod thin;

/// The hash of a key moves by a multiple of this number from layer to layer: 2^64 divided by the
/// golden ratio. Hashes are also multiplied by it.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a key, with its halves mixed, times an odd number. The lower 64 bits are one to one
/// with the hash; the upper 64 bits give the fingerprint.
#[inline(always)]
const fn product(h: u64) -> (u64, u64) {
    let product = (h ^ h >> 32) as u128 * STEP as u128;
    (product as u64, (product >> 64) as u64)
}

/// The fingerprint of a key. A ribbon stores the lowest of these bits, one for each column.
#[inline(always)]
pub(crate) const fn fingerprint(h: u64) -> u64 {
    product(h).1 & u32::MAX as u64
}

/// The value stored for a key with a value of `value_bits` bits. A ribbon stores the lowest of
/// these bits, one for each column of the key.
#[inline(always)]
pub(crate) const fn stored(h: u64, value: u64, value_bits: u32) -> u64 {
    value ^ mask(h, value_bits) | fingerprint(h) << value_bits
}

/// The bits that are mixed with the value of a key. With them the columns are random for any
/// values, so a non-member finds every value equally often.
#[inline(always)]
const fn mask(h: u64, value_bits: u32) -> u64 {
    lowest(product(h).0 >> 32, value_bits)
}

/// The 64 coefficients of a key in a layer, from its hash there. The first is 1.
#[inline(always)]
const fn coefficients(x: u64) -> u64 {
    product(x).0 | 1
}

/// The lowest bits of a value.
#[inline(always)]
pub(crate) const fn lowest(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

#[cfg(test)]
mod tests;
