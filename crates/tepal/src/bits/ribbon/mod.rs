//! A bumped ribbon: slots in which each key finds what was stored for it, in hardly more bits than
//! that has (FORMAT.md, section 2.8).
//!
//! A key has a start among the slots of a layer, and 64 coefficients. Its value is, column by
//! column, the parity of those slots from its start on that its coefficients name. Keys for which a
//! place in their layer is too dense are in the next one. What is where is in [`shape`], looking a
//! value up in [`ask`]; slots that give each key its value are found in [`band`] and [`mod@solve`];
//! of the few keys that are left over in [`last`]. How often a key that was not stored finds its
//! fingerprint is counted in [`rate`]. A second ribbon for a rate between two powers of two is in
//! [`thin`].
//!
//! What is stored for a key is [`stored`]: the value that it has in a map, mixed with its hash, in
//! the lowest columns, and of its fingerprint as many bits as there are columns above. Of a filter
//! there is no value: [`ask::contains`] compares fingerprints, [`get`] gives values too.

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

/// What the hash of a key is moved by from layer to layer: 2^64 over the golden ratio. By the same
/// number hashes are multiplied.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a key times an odd number, once its halves are mixed: 64 bits that are one to one
/// with it, and 64 of a further use.
#[inline(always)]
const fn product(h: u64) -> (u64, u64) {
    let product = (h ^ h >> 32) as u128 * STEP as u128;
    (product as u64, (product >> 64) as u64)
}

/// What tells a key from others: as many of these bits as there are columns for them, the lowest
/// first.
#[inline(always)]
pub(crate) const fn fingerprint(h: u64) -> u64 {
    product(h).1 & u32::MAX as u64
}

/// What is stored for a key that has a value of so many bits: as many of these bits as the key has
/// columns, the lowest first.
#[inline(always)]
pub(crate) const fn stored(h: u64, value: u64, value_bits: u32) -> u64 {
    value ^ mask(h, value_bits) | fingerprint(h) << value_bits
}

/// What the value of a key is mixed with, so that columns are those of chance whatever the values
/// are: a key that was not stored finds every value as often.
#[inline(always)]
const fn mask(h: u64, value_bits: u32) -> u64 {
    lowest(product(h).0 >> 32, value_bits)
}

/// The 64 coefficients of a key in a layer, by its hash there. The first is 1.
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
