//! SipHash-1-3 (Aumasson and Bernstein 2012, with 1 compression and 3 finalisation rounds), by the
//! crate `siphasher`.

use siphasher::sip::SipHasher13;

#[inline(never)]
pub(crate) fn hash(bytes: &[u8], key: &[u8; 16]) -> u64 {
    SipHasher13::new_with_key(key).hash(bytes)
}
