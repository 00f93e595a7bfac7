//! Memory that the system does not give: an error, the filter as it was, and never half of one.
//!
//! Of the allocations of a call that are as large as the filter each fails in turn. The small ones (labels, a
//! header, the answers of a batch) end the program where they fail, as everywhere in Rust.

#[path = "shared/allocator.rs"]
mod allocator;
#[path = "shared/kinds.rs"]
mod kinds;

use std::fs;

use allocator::failing;
use kinds::{Opener, Sample, kinds};
use tepal::{BloomFilter, Error, Result};

/// Of a file of this length every allocation of at least so many bytes fails: what is as large as the filter,
/// not what is as large as a chunk.
const FILE: u64 = 256 << 10;
const LARGE: usize = 160 << 10;

fn samples() -> Vec<Sample> {
    let all = kinds().into_iter().map(|kind| kind.sample(FILE));
    // Some schemes have small sizes only.
    let large: Vec<_> = all.filter(|sample| sample.file.len() > LARGE + 1024).collect();
    assert!(large.len() >= 35, "{}", large.len());
    large
}

/// Fails the first large allocation of a call, then the second, and so on: each time it must be an error. Says
/// how many there were.
fn each_fails<T>(what: &str, mut call: impl FnMut() -> Result<T>) -> u32 {
    for after in 0.. {
        let (result, failed) = failing(LARGE, after, &mut call);
        match result {
            Ok(_) if !failed => return after,
            Ok(_) => panic!("{what}: a filter, though allocation {after} failed"),
            Err(Error::TooLarge { bytes }) => assert!(failed && bytes as usize >= LARGE, "{what}: {bytes}"),
            Err(other) => panic!("{what}: {other}"),
        }
    }
    unreachable!()
}

/// A filter of the kind, an eighth full.
fn filter(sample: &Sample, capacity: u64) -> BloomFilter {
    let mut filter = sample.kind.builder.clone().capacity(capacity).build().unwrap();
    for i in 0..capacity.div_ceil(8) {
        filter.insert(&sample.kind.key(i)).unwrap();
    }
    filter
}

#[test]
fn building_reading_and_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for sample in samples() {
        let name = &sample.kind.name;
        let opener = Opener::of(&sample.kind);
        let capacity = 2 * sample.members;
        let built = || sample.kind.builder.clone().capacity(capacity).build();
        assert_eq!(each_fails(&format!("{name}: build"), built), 1);
        assert_eq!(each_fails(&format!("{name}: from_bytes"), || opener.read(&sample.file)), 1);
        let whole = filter(&sample, capacity);
        assert_eq!(each_fails(&format!("{name}: to_bytes"), || whole.to_bytes()), 1);

        fs::write(&path, &sample.file).unwrap();
        // Mapped, it needs none; where it cannot be mapped, one for the file and one for the bits.
        let opened = opener.options().open(&path).unwrap();
        let owned = || opened.clone().into_owned();
        assert_eq!(each_fails(&format!("{name}: into_owned"), owned), 1);
        assert_eq!(opened.to_bytes().unwrap(), sample_bytes(&sample, &opener), "{name}");
    }
}

fn sample_bytes(sample: &Sample, opener: &Opener) -> Vec<u8> {
    opener.options().from_bytes(&sample.file).unwrap().to_bytes().unwrap()
}

/// Changing a filter leaves it as it was where that fails; where no memory is needed, nothing can.
#[test]
fn changing() {
    let mut folded = 0;
    for sample in samples() {
        let name = &sample.kind.name;
        let mut one = filter(&sample, 2 * sample.members);
        let other = one.clone();
        assert_eq!(each_fails(&format!("{name}: union"), || one.union_with(&other)), 0);
        assert_eq!(each_fails(&format!("{name}: intersection"), || one.intersect_with(&other)), 0);
        assert_eq!(each_fails(&format!("{name}: insert"), || one.insert(&sample.kind.key(9))), 0);

        if one.has_hash() {
            // The folded filter is smaller.
            let rate = one.promised_false_positive_rate();
            let mut one = filter(&sample, 2 * sample.members);
            let before = one.to_bytes().unwrap();
            for after in 0.. {
                let (result, failed) = failing(4096, after, || one.shrink_to(rate));
                if !failed {
                    assert!(result.unwrap() > 1, "{name}");
                    break;
                }
                assert!(matches!(result, Err(Error::TooLarge { .. })), "{name}: {result:?}");
                assert!(one.to_bytes().unwrap() == before, "{name}: changed");
                folded += 1;
            }
        }
    }
    assert!(folded >= 20, "{folded}");
}

/// Without memory for sorting the keys they go in one batch after the other: the same bits.
#[cfg(feature = "parallel")]
#[test]
fn building_from_many_keys() {
    use std::num::NonZeroUsize;

    let keys: Vec<u64> = (0..2_000_000).collect();
    let empty = BloomFilter::builder().layout(tepal::Layout::Line).capacity(8_000_000).build().unwrap();
    let two = NonZeroUsize::new(2).unwrap();
    let mut batch = empty.clone();
    batch.insert_many(&keys).unwrap();
    let mut failures = 0;
    for after in 0..10 {
        let mut bulk = empty.clone();
        let (result, failed) = failing(4096, after, || bulk.insert_bulk(&keys, two));
        result.unwrap();
        assert!(bulk == batch && bulk.keys_inserted() == batch.keys_inserted(), "after {after}");
        failures += u32::from(failed);
    }
    // An arena and two lists for each thread.
    assert!((2..10).contains(&failures), "{failures}");
}
