//! Sizes beyond 32 bits: refused or right, never truncated. On a machine of 32 bits
//! (`.ci/platforms` has one) the limits are those of a `usize`, elsewhere those of the format.

#[cfg(feature = "std")]
use std::fs::{self, File};
#[cfg(feature = "std")]
use std::io::Write;

use tepal::{BloomFilter, Error, Layout};
use xxhash_rust::xxh3::xxh3_64;

const NARROW: bool = usize::BITS == 32;
/// The bytes of a filter with the fixed header and one line.
const ONE_LINE: usize = 256;

/// A file of one empty line, with replaced header fields and a corrected header checksum.
fn forged(fields: &[(usize, u64)]) -> Vec<u8> {
    let filter = BloomFilter::builder().layout(Layout::Line).bit_len(512).capacity(20).build().unwrap();
    let mut file = filter.to_bytes().unwrap();
    assert_eq!(file.len(), ONE_LINE);
    for (at, value) in fields {
        file[*at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    let end = ONE_LINE - 64;
    let checksum = xxh3_64(&file[..end - 8]);
    file[end - 8..end].copy_from_slice(&checksum.to_le_bytes());
    file
}

/// Offsets of FORMAT.md, section 3.
const FILE_LEN: usize = 16;
const BIT_LEN: usize = 40;

/// A plan is only numbers: a small machine plans for a large one, up to the limits of a file.
#[test]
fn plans_go_as_far_as_the_format() {
    for bits in [1u64 << 33, 1 << 35, 1 << 38, 1 << 45] {
        for layout in [Layout::Line, Layout::Double, Layout::Scattered] {
            let builder = BloomFilter::builder().false_positive_rate(0.01).layout(layout);
            let plan = builder.clone().bit_len(bits).plan().unwrap();
            assert_eq!(plan.bit_len, bits);
            assert_eq!(plan.size_in_bytes(), bits / 8);
            assert!(plan.capacity > bits / 12 && plan.capacity < bits / 9, "{layout} {bits}: {plan:?}");
            assert!(plan.file_len() > bits / 8);

            // The same filter from the other two numbers.
            let again = builder.capacity(plan.capacity).plan().unwrap();
            let ratio = again.bit_len as f64 / bits as f64;
            assert!((0.99..1.01).contains(&ratio), "{layout} {bits}: {again:?}");
        }
    }
    let beyond = BloomFilter::builder().capacity(1 << 46).false_positive_rate(0.01).layout(Layout::Line);
    assert!(matches!(beyond.plan(), Err(Error::TooLarge { bytes, .. }) if bytes > 1 << 43));
}

/// One key more than the largest plan is too large, although only rounding up takes it past the
/// format.
#[test]
fn one_key_past_the_largest_plan_is_too_large() {
    for layout in [Layout::Line, Layout::Double, Layout::Scattered] {
        let builder = BloomFilter::builder().layout(layout).false_positive_rate(0.01);
        let (mut fits, mut beyond) = (1u64 << 40, 1 << 46);
        while fits + 1 < beyond {
            let middle = fits.midpoint(beyond);
            if builder.clone().capacity(middle).plan().is_ok() { fits = middle } else { beyond = middle }
        }
        let most = builder.clone().capacity(fits).plan().unwrap().bit_len;
        assert!(most <= 1 << 46 && most > (1 << 46) - 5040 * 512, "{layout}: {most}");
        let built = builder.capacity(beyond).build();
        assert!(
            matches!(built, Err(Error::TooLarge { bytes, .. }) if bytes > 1 << 43),
            "{layout}: {built:?}"
        );
    }
}

/// These sizes modulo 2^32 bytes would all fit into memory.
#[test]
fn a_filter_that_memory_cannot_address_is_refused() {
    for bits in [1u64 << 34, (1 << 35) + 512, (1 << 36) + 512, (1 << 40) + 1024, 1 << 46] {
        let builder = BloomFilter::builder().layout(Layout::Line).bit_len(bits).false_positive_rate(0.01);
        assert_eq!(builder.plan().unwrap().bit_len, bits);
        if NARROW {
            let built = builder.build();
            assert!(matches!(built, Err(Error::TooLarge { bytes, .. }) if bytes == bits / 8), "{bits}");
        }
    }
    // Beyond the format it is refused everywhere, before any memory is allocated.
    for capacity in [1u64 << 44, 1 << 50, u64::MAX / 20] {
        let built = BloomFilter::builder().capacity(capacity).layout(Layout::Line).build();
        assert!(matches!(built, Err(Error::TooLarge { .. } | Error::RateOutOfReach { .. })), "{capacity}");
    }
}

/// 2^33 bits are 1 GiB, which 32 bits can address: if it can be built, all of it must be usable.
#[test]
fn a_filter_of_2_to_the_33_bits_is_right_or_refused() {
    for layout in [Layout::Line, Layout::Scattered] {
        let builder = BloomFilter::builder().layout(layout).bit_len(1 << 33).false_positive_rate(0.01);
        let mut filter = match builder.build() {
            Ok(filter) => filter,
            Err(Error::TooLarge { bytes, .. }) if NARROW => {
                assert_eq!(bytes, 1 << 30);
                continue;
            }
            Err(error) => panic!("{layout}: {error}"),
        };
        let keys: Vec<u64> = (0..2000).collect();
        filter.insert_many(&keys[..500]).unwrap();
        for key in &keys[500..1000] {
            assert!(filter.insert(key).unwrap(), "{layout}: of 1,000 keys two share all their bits");
        }
        assert!(filter.contains_many(&keys)[..1000].iter().all(|held| *held));
        assert!(!keys[1000..].iter().any(|key| filter.contains(key)), "{layout}");
        // Every eighth of the array has its share: no index was truncated.
        let bits: Vec<f64> = filter.fill_of_slices(8).iter().map(|fill| fill * (1u64 << 30) as f64).collect();
        let most = f64::from(1000 * filter.num_hashes());
        assert!(bits.iter().all(|bits| (0.6..1.4).contains(&(8.0 * bits / most))), "{layout}: {bits:?}");
    }
}

/// Lengths whose lower 32 bits equal the file's length are refused.
#[test]
fn claims_of_more_are_not_cut_to_what_is_there() {
    #[cfg(feature = "std")]
    let folder = tempfile::tempdir().unwrap();
    assert!(BloomFilter::from_bytes(&forged(&[])).is_ok());
    let len = ONE_LINE as u64;
    for (fields, name) in [
        (&[(FILE_LEN, len + (1 << 32))][..], "the length, 2^32 more"),
        (&[(FILE_LEN, len + (1 << 63))][..], "the length, 2^63 more"),
        (&[(BIT_LEN, 512 + (1 << 32))][..], "the bits, 2^32 more"),
        (&[(BIT_LEN, 512 + (1 << 35))][..], "the bits, 2^32 bytes more"),
        (&[(BIT_LEN, 512 + (1 << 41))][..], "the bits, 2^32 lines more"),
        (&[(BIT_LEN, 512 + (1 << 63))][..], "the bits, 2^63 more"),
        (&[(BIT_LEN, 512 + (1 << 35)), (FILE_LEN, len + (1 << 32))][..], "both, 2^32 bytes more"),
    ] {
        let file = forged(fields);
        let refused = |error: &Error| matches!(error, Error::Damaged { .. } | Error::Parameter { .. });
        let error = BloomFilter::from_bytes(&file).map(|_| ()).expect_err(name);
        assert!(refused(&error), "{name}: {error}");
        #[cfg(feature = "std")]
        {
            let path = folder.path().join("forged.tepal");
            fs::write(&path, &file).unwrap();
            let error = BloomFilter::open(&path).map(|_| ()).expect_err(name);
            assert!(refused(&error), "{name}: {error}");
        }
    }
}

/// A file of 4 GiB that takes no disk space. If files are mapped, its header is refused at once; if
/// it cannot be mapped, the error says so.
#[cfg(all(feature = "std", any(target_pointer_width = "32", target_endian = "little")))]
#[test]
fn a_file_beyond_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.tepal");
    for (bits, len) in [(1u64 << 34, 1u64 << 31), (1 << 35, 1 << 32), (1 << 36, 1 << 33)] {
        let len = len + ONE_LINE as u64;
        let mut file = File::create(&path).unwrap();
        file.write_all(&forged(&[(BIT_LEN, bits), (FILE_LEN, len)])).unwrap();
        file.set_len(len).unwrap();
        drop(file);
        let error = BloomFilter::open(&path).map(|_| ()).unwrap_err();
        match error {
            Error::TooLarge { bytes, .. } if NARROW => assert_eq!(bytes, len),
            Error::Damaged { .. } if !NARROW => {}
            other => panic!("{len} bytes: {other}"),
        }
    }
}
