//! valkey-bloom: SipHash-1-3 of the length and the key under the two halves of a 32-byte seed.

use alloc::format;
use alloc::string::String;
use core::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::parameters::{Parameter, Parameters};
use super::rule::Positions;
use super::sizing::{LN_2, Sizing};
use crate::error::Result;

/// The fixed seed of valkey-bloom, used if it is configured not to draw one.
pub(crate) const VALKEY_FIXED_SEED: [u8; 32] = [
    0x59, 0x0f, 0xf5, 0x22, 0xea, 0x78, 0x11, 0xda, 0xa7, 0x14, 0xd8, 0x09, 0x3b, 0x3e, 0x7b, 0xd9, 0x1d,
    0x89, 0x8a, 0x73, 0x3e, 0x98, 0x88, 0x87, 0x30, 0x7f, 0x97, 0xcd, 0x28, 0x07, 0x33, 0x83,
];

/// The scheme with its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValkeyBloom {
    pub(crate) seed: [u8; 32],
}

impl Default for ValkeyBloom {
    fn default() -> Self {
        ValkeyBloom { seed: VALKEY_FIXED_SEED }
    }
}

impl Positions for ValkeyBloom {
    const SIZING: Sizing = Sizing {
        size: |keys, rate| {
            let keys = keys as f64;
            let bits = 8.0 * libm::ceil(keys * libm::log(rate) / (-8.0 * LN_2 * LN_2));
            Ok((bits, libm::round(bits / keys * LN_2).max(1.0)))
        },
        allows: |m| m % 8 == 0,
        allowed: "a multiple of 8",
        records_rate: true,
        ..Sizing::USUAL
    };
    const PARAMETER: Parameter = Parameter::Seed32;

    fn make(given: &Parameters) -> Result<Self> {
        Ok(ValkeyBloom { seed: given.seed32.unwrap_or(VALKEY_FIXED_SEED) })
    }

    fn record(&self) -> Option<String> {
        Some(self.seed.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn positions(&self, key: &[u8], k: u32, m: u64) -> impl Iterator<Item = u64> {
        const PRIME: u64 = 0xffff_ffff_ffff_ffc5;
        let half = |from: usize| {
            let mut half = [0; 16];
            half.copy_from_slice(&self.seed[from..from + 16]);
            let mut hasher = SipHasher13::new_with_key(&half);
            hasher.write(&(key.len() as u64).to_le_bytes());
            hasher.write(key);
            hasher.finish()
        };
        let (s0, s1) = (half(0), half(16));
        (0..u64::from(k)).map(move |i| match i {
            0 => s0 % m,
            1 => s1 % m,
            _ => s0.wrapping_add(i.wrapping_mul(s1)) % PRIME % m,
        })
    }
}
