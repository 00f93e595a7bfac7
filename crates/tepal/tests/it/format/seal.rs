//! A sealed file opens with the key of its seal, or is refused.

use tepal::{BloomFilter, Error};
use xxhash_rust::xxh3::xxh3_64;

/// Corrects the header checksum and the chunk table of a file with one chunk, as an attacker would.
fn mend(file: &mut [u8], body_len: usize) {
    let body_offset = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let sum = xxh3_64(&file[body_offset..body_offset + body_len]).to_le_bytes();
    // Without records, the only entry of the table follows the fixed header.
    file[128..136].copy_from_slice(&sum);
    let sum = xxh3_64(&file[..body_offset - 8]).to_le_bytes();
    file[body_offset - 8..body_offset].copy_from_slice(&sum);
}

fn filter() -> BloomFilter {
    let mut filter = BloomFilter::builder().capacity(100).build().unwrap();
    filter.insert_many(&(0..50u32).collect::<Vec<_>>()).unwrap();
    filter
}

#[cfg(not(feature = "seal"))]
#[test]
fn a_build_without_seals_refuses_sealed_files() {
    let filter = filter();
    let mut bytes = filter.to_bytes().unwrap();
    bytes.extend([0; 32]);
    let len = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&len.to_le_bytes());
    bytes[24] = 1;
    mend(&mut bytes, filter.size_in_bytes() as usize);
    let error = BloomFilter::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, Error::Unsupported { found: 1, .. }));
    assert!(error.to_string().contains("feature seal"), "{error}");
}

#[cfg(feature = "seal")]
mod with {
    use tepal::{Open, Opened, Result, SealKey, SecretKey};

    use super::*;

    const BYTES: &[u8] = b"the key of this seal";

    fn key() -> SealKey {
        SealKey::new(BYTES).unwrap()
    }

    fn open(bytes: &[u8]) -> Result<BloomFilter> {
        one(Open::new().seal_key(&key()).from_bytes(bytes)?)
    }

    /// The only filter of a file, in memory.
    fn one(opened: Opened) -> Result<BloomFilter> {
        opened.into_filter().into_bloom()?.into_owned()
    }

    #[test]
    fn what_was_sealed_opens_with_its_key_alone() {
        let filter = filter();
        let bytes = filter.to_bytes_sealed(&key()).unwrap();
        assert_eq!(bytes.len() as u64, filter.file_len() + SealKey::SEAL_BYTES);
        let again = open(&bytes).unwrap();
        assert!(again == filter);
        assert_eq!(again.to_bytes_sealed(&key()).unwrap(), bytes);
        assert_eq!(again.to_bytes().unwrap(), filter.to_bytes().unwrap());
        assert!(matches!(BloomFilter::from_bytes(&bytes), Err(Error::SealRequired)));
        assert!(matches!(open(&filter.to_bytes().unwrap()), Err(Error::NotSealed)));
        let other = SealKey::new(b"the key of that seal").unwrap();
        let opened = Open::new().seal_key(&other).from_bytes(&bytes);
        assert!(matches!(opened, Err(Error::WrongSeal)));
    }

    #[test]
    fn secret_and_seal_together() {
        let secret = SecretKey::new(*b"0123456789abcdef");
        let filter = BloomFilter::builder().capacity(10).secret_key(secret.clone()).build().unwrap();
        let bytes = filter.to_bytes_sealed(&key()).unwrap();
        assert!(matches!(open(&bytes), Err(Error::KeyRequired)));
        let keyed = Open::new().secret_key(&secret);
        assert!(matches!(keyed.from_bytes(&bytes), Err(Error::SealRequired)));
        assert!(one(keyed.seal_key(&key()).from_bytes(&bytes).unwrap()).unwrap() == filter);
    }

    #[test]
    fn without_its_keys_a_file_is_looked_at_alone() {
        let secret = SecretKey::new(*b"0123456789abcdef");
        let built = BloomFilter::builder().capacity(10).secret_key(secret.clone()).build_from(["apple"]);
        let filter = built.unwrap();
        let bytes = filter.to_bytes_sealed(&key()).unwrap();
        let whole = Open::new().secret_key(&secret).seal_key(&key()).from_bytes(&bytes).unwrap();
        let look = Open::new().without_keys();
        let mut opened = look.from_bytes(&bytes).unwrap();
        assert!(opened.is_sealed() && opened.facts().unwrap() == whole.facts().unwrap());
        // No key is surely not in, and none goes in.
        assert!(opened.contains("apple") && opened.contains("banana"));
        assert!(opened.filter().contains_many(&["banana", "cherry"]).iter().all(|perhaps| *perhaps));
        assert!(matches!(opened.insert("banana"), Err(Error::KeyRequired)));
        assert!(matches!(opened.key_hasher().hash("banana"), Err(Error::KeyRequired)));
        // The self-test of a file needs the key, so none is written.
        assert!(matches!(opened.to_bytes(), Err(Error::KeyRequired)));
        assert!(matches!(opened.to_bytes_sealed(&key()), Err(Error::KeyRequired)));
        // A key that is given must be right.
        let (other, strange) = (SealKey::new(b"the key of that seal").unwrap(), SecretKey::new([7; 16]));
        assert!(matches!(look.seal_key(&other).from_bytes(&bytes), Err(Error::WrongSeal)));
        assert!(matches!(look.secret_key(&strange).from_bytes(&bytes), Err(Error::WrongKey)));
        let open = BloomFilter::builder().capacity(10).build().unwrap().to_bytes().unwrap();
        assert!(matches!(look.seal_key(&other).from_bytes(&open), Err(Error::NotSealed)));
        assert!(matches!(look.secret_key(&secret).from_bytes(&open), Err(Error::KeyNotUsed)));
        // The checksums find what they find with the keys: all but a change of the seal.
        for bit in 0..(bytes.len() - 32) * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(look.from_bytes(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_flip_cut_and_addition_is_refused_even_with_mended_checksums() {
        let filter = filter();
        let body_len = filter.size_in_bytes() as usize;
        let good = filter.to_bytes_sealed(&key()).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&bytes).is_err(), "bit {bit}");
            // The lengths decide where the checksums are, so they stay.
            if !(12 * 8..24 * 8).contains(&bit) {
                mend(&mut bytes, body_len);
                assert!(open(&bytes).is_err() || bytes == good, "bit {bit}, mended");
            }
        }
        for len in 0..good.len() {
            assert!(open(&good[..len]).is_err(), "{len} bytes");
        }
        let mut more = good.clone();
        more.push(0);
        assert!(open(&more).is_err());
        // Changes with correct checksums: only the seal detects them.
        let mut swapped = good.clone();
        swapped[72] ^= 1;
        mend(&mut swapped, body_len);
        assert!(matches!(open(&swapped), Err(Error::WrongSeal)));
        // The seal of one file does not fit another file.
        let mut other = filter.clone();
        other.insert(&1000u32).unwrap();
        let mut spliced = other.to_bytes_sealed(&key()).unwrap();
        let end = spliced.len() - 32;
        spliced[end..].copy_from_slice(&good[end..]);
        assert!(matches!(open(&spliced), Err(Error::WrongSeal)));
    }

    #[test]
    fn keys_are_long_enough_and_stay_hidden() {
        for len in 0..16 {
            let error = SealKey::new(&BYTES[..len]).unwrap_err().to_string();
            assert_eq!(error, format!("the length of the seal key is {len}; it must be 16 bytes or more"));
        }
        for len in [16, 17, 63, 64, 65, 1000] {
            SealKey::new(&[7; 1000][..len]).unwrap();
        }
        assert_eq!(format!("{:?}", key()), "SealKey(..)");
        let key = key();
        let shown = format!("{:?}", Open::new().seal_key(&key));
        assert!(shown.starts_with("Open { secret: None, seal: Some(SealKey(..)), format: None, "), "{shown}");
    }

    #[cfg(feature = "std")]
    #[test]
    fn sealed_files_mapped_and_quick() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let mut filter = BloomFilter::builder().capacity(200_000).build().unwrap();
        filter.insert_many(&(0..100_000u32).collect::<Vec<_>>()).unwrap();
        filter.save_sealed(&path, &key()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes, filter.to_bytes_sealed(&key()).unwrap());
        let mut written = Vec::new();
        filter.write_to_sealed(&mut written, &key()).unwrap();
        assert_eq!(bytes, written);

        let key = key();
        let open = Open::new().seal_key(&key);
        for open in [open, open.quick()] {
            let opened = open.open(&path).unwrap();
            assert!(opened.is_sealed());
            assert_eq!(opened.filter().size_in_bytes(), filter.size_in_bytes());
            opened.verify().unwrap();
            assert_eq!(opened.to_bytes_sealed(&key).unwrap(), bytes);
            let mapped = opened.clone().into_filter().into_bloom().unwrap();
            assert!(mapped == filter);
            mapped.verify().unwrap();
            assert_eq!(mapped.to_bytes_sealed(&key).unwrap(), bytes);
            assert!(one(opened).unwrap() == filter);
        }
        assert!(matches!(BloomFilter::open(&path), Err(Error::SealRequired)));
        assert!(matches!(BloomFilter::open_quick(&path), Err(Error::SealRequired)));

        // Someone without the key has changed it and corrected the checksums.
        let mut swapped = bytes.clone();
        swapped[72] ^= 1;
        let body_offset = bytes.len() - 32 - filter.size_in_bytes() as usize;
        let sum = xxh3_64(&swapped[..body_offset - 8]).to_le_bytes();
        swapped[body_offset - 8..body_offset].copy_from_slice(&sum);
        std::fs::write(&path, &swapped).unwrap();
        assert!(matches!(open.open(&path), Err(Error::WrongSeal)));
        // A file that cannot be mapped is read, and then all of it is checked at once.
        if cfg!(all(feature = "std", target_endian = "little")) {
            let quick = open.quick().open(&path).unwrap();
            assert!(matches!(quick.verify(), Err(Error::WrongSeal)));
            assert!(matches!(quick.save(&path), Err(Error::WrongSeal)));
            assert!(matches!(one(quick), Err(Error::WrongSeal)));
        }

        filter.save(&path).unwrap();
        assert!(matches!(open.open(&path), Err(Error::NotSealed)));
        assert!(!tepal::open(&path).unwrap().is_sealed());
    }

    /// A thousand files contain neither the keys nor values that are computed from them alone.
    #[test]
    fn no_file_holds_a_key() {
        for n in 0..1000u64 {
            let seed = xxh3_64(&n.to_le_bytes());
            let part = |i: u64| (seed ^ i).wrapping_mul(0x9E37_79B9_7F4A_7C15 | i << 1);
            let secret: Vec<u8> = [part(1), part(2)].iter().flat_map(|word| word.to_le_bytes()).collect();
            let seal: Vec<u8> = (3..7).flat_map(|i| part(i).to_le_bytes()).collect();
            let mut filter = BloomFilter::builder()
                .capacity(20)
                .secret_key(SecretKey::new(secret.clone().try_into().unwrap()))
                .build()
                .unwrap();
            filter.insert(&n).unwrap();
            let file = filter.to_bytes_sealed(&SealKey::new(&seal).unwrap()).unwrap();

            // SipHash's state before the first byte, and HMAC's two pads.
            let k = [part(1), part(2)];
            let start = [
                0x736f_6d65_7073_6575,
                0x646f_7261_6e64_6f6d,
                0x6c79_6765_6e65_7261,
                0x7465_6462_7974_6573u64,
            ];
            let sip = (0..4).map(|i| (k[i % 2] ^ start[i]).to_le_bytes().to_vec());
            let pads = [0x36u8, 0x5C].map(|pad| seal.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>());
            let mut parts: Vec<Vec<u8>> = sip.chain(pads).collect();
            parts.extend([secret, seal]);
            for secret in &parts {
                for eight in secret.windows(8) {
                    let reversed: Vec<u8> = eight.iter().rev().copied().collect();
                    assert!(file.windows(8).all(|window| window != eight && window != reversed), "file {n}");
                }
            }
            // Without its keys it cannot be opened.
            assert!(BloomFilter::from_bytes(&file).is_err());
        }
    }
}
