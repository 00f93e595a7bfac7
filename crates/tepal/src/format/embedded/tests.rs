use alloc::string::ToString;

use super::super::samples::builders;
use super::*;
use crate::{OverCapacity, Recipe, Scheme, SecretKey, builders::BloomFilterBuilder};

/// Filters, each with the builder that has its key options.
fn filters() -> Vec<(BloomFilterBuilder, BloomFilter)> {
    let mut builders = builders();
    builders.push(BloomFilter::builder().secret_key(SecretKey::new([1; 16])));
    builders.push(BloomFilter::builder().recipe(Recipe::new().nocase(true)));
    builders.push(BloomFilter::builder().layout(Layout::SplitBlock).bit_len(256));
    let mut filters = Vec::new();
    for builder in builders {
        let sized = builder.clone().capacity(90).false_positive_rate(0.05).build();
        // Some schemes have a fixed size, and some are not in this build.
        let Ok(mut filter) = sized.or_else(|_| builder.clone().capacity(20).build()) else { continue };
        filter.set_over_capacity(OverCapacity::Ignore).unwrap();
        filter.insert_iter(0..80u64).unwrap();
        filters.push((builder, filter));
    }
    assert!(filters.len() > if cfg!(feature = "foreign") { 20 } else { 9 });
    filters
}

impl<'a> crate::Open<'a> {
    /// With the secret of the builder, if it has one.
    fn secret_key_of(self, builder: &BloomFilterBuilder) -> Self {
        static KEY: SecretKey = SecretKey::new([1; 16]);
        let is_keyed = builder.key_hasher().is_ok_and(|keys| keys.scheme() == Scheme::SipHash13);
        if is_keyed { self.secret_key(&KEY) } else { self }
    }
}

/// Every change of one bit, every cut, and changes with a matching checksum.
#[test]
fn damage_is_refused() {
    for (builder, filter) in filters() {
        let keys = builder.key_hasher().unwrap();
        let bytes = filter.to_embedded().unwrap();
        let step = (bytes.len() / 400).max(1);
        for bit in (0..8 * bytes.len()).step_by(step).chain(8 * (bytes.len() - 16)..8 * bytes.len()) {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(BloomFilter::from_embedded(&changed, &keys).is_err(), "{filter:?}: bit {bit}");
        }
        for len in (0..bytes.len()).step_by(step).chain([bytes.len() - 64, bytes.len() - 16, 16, 15, 1]) {
            assert!(BloomFilter::from_embedded(&bytes[..len], &keys).is_err(), "{filter:?}: {len} bytes");
        }
        assert!(BloomFilter::from_embedded(&[&bytes[..], &[0]].concat(), &keys).is_err());
        let cut = BloomFilter::from_embedded(&bytes[bytes.len() - 16..], &keys).unwrap_err().to_string();
        assert!(cut.contains("and 16 behind them, and there are 16 bytes"), "{cut}");

        // With a matching checksum, any numbers: none makes it panic, and the shape fits the bits.
        let trailer = bytes.len() - 16;
        for at in 1..8 {
            for value in [0, 1, 2, 3, 4, 5, 9, 64, 255] {
                let mut changed = bytes.clone();
                changed[trailer + at] = value;
                let (body, said) = changed.split_at(trailer);
                let sum = checksum(body, &said[..SAID], check_of_keys(&keys));
                changed[trailer + SAID..].copy_from_slice(&sum.to_le_bytes());
                if let Ok(other) = BloomFilter::from_embedded(&changed, &keys) {
                    let _ = other.contains(&7u64);
                    assert_eq!(other.size_in_bytes() as usize, trailer);
                    assert_eq!(other.to_embedded().unwrap(), changed);
                }
            }
        }
    }
}

/// The bits of a view are the caller's, in the embedded form and in a file.
#[cfg(target_endian = "little")]
#[test]
fn a_view_copies_nothing() {
    for (builder, filter) in filters() {
        let (form, file) = (filter.to_embedded().unwrap(), filter.to_bytes().unwrap());
        let mut table = bits::zeroed(2 + file.len() as u64 / 64).unwrap();
        let table: &mut [u8] = bytemuck::cast_slice_mut(&mut table);
        table[64..64 + form.len()].copy_from_slice(&form);
        let keys = builder.key_hasher().unwrap();
        let view = BloomFilter::view_embedded_at(&*table, 64..64 + form.len(), &keys).unwrap();
        assert_eq!(view.lines.as_lines().as_ptr().cast(), table[64..].as_ptr());
        table[64..64 + file.len()].copy_from_slice(&file);
        let file = &table[64..64 + file.len()];
        let view: BloomFilter<_> = crate::Open::new().secret_key_of(&builder).view(file).unwrap();
        let body = file.len() - filter.size_in_bytes() as usize;
        assert_eq!(view.lines.as_lines().as_ptr().cast(), file[body..].as_ptr());
    }
}
