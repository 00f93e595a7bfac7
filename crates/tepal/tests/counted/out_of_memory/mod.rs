//! Failed allocations: the result is an error and the unchanged filter, never half of a change.
//!
//! Each allocation of a call that is as large as the filter fails in turn. A small one (labels, a
//! header, the answers of a batch) ends the program if it fails, as everywhere in Rust.

mod operations;

use std::fs;

use tepal::{BloomFilter, Error, Kind, Opened, Result};

use crate::allocator::failing;
use crate::kinds::{Sample, Subject, kinds, numbers, sample, tepal_kinds};

/// For a file of this length every allocation of at least `LARGE` bytes fails: those as large as
/// the filter, not those as large as a chunk.
const FILE: u64 = 256 << 10;
const LARGE: usize = 120 << 10;

/// Whether opened files are mapped. If not, they are in memory, and nothing has to be copied.
const MAPPED: bool = cfg!(target_endian = "little");

fn samples() -> Vec<Sample> {
    let blooms = tepal_kinds().into_iter().filter(|subject| subject.kind() == Kind::Bloom);
    let all = blooms.map(|subject| sample(subject, FILE));
    // Some schemes have only small sizes; a size that is a power of two is about half of that file.
    let large: Vec<_> = all.filter(|sample| sample.file.len() > LARGE + 1024).collect();
    let least = if cfg!(feature = "foreign") { 39 } else { 24 };
    assert!(large.len() >= least, "{}", large.len());
    large
}

/// Fails the first large allocation of a call, then the second, and so on: each time the result
/// must be an error. Returns how many there were.
fn each_fails<T>(what: &str, mut call: impl FnMut() -> Result<T>) -> u32 {
    for after in 0.. {
        let (result, failed) = failing(LARGE, after, &mut call);
        match result {
            Ok(_) if !failed => return after,
            Ok(_) => panic!("{what}: a filter, though allocation {after} failed"),
            Err(Error::TooLarge { bytes, .. }) => {
                assert!(failed && bytes as usize >= LARGE, "{what}: {bytes}")
            }
            Err(other) => panic!("{what}: {other}"),
        }
    }
    unreachable!()
}

/// A filter of the kind, an eighth full.
fn filter(sample: &Sample, capacity: u64) -> BloomFilter {
    let mut filter = build(sample, capacity).unwrap();
    let keys = sample.subject.keys(&numbers(0..capacity.div_ceil(8)));
    keys.insert_each(&mut filter, |_, _| ()).unwrap();
    filter
}

fn build(sample: &Sample, capacity: u64) -> Result<BloomFilter> {
    sample.subject.builder().unwrap().clone().capacity(capacity).build()
}

#[test]
fn building_reading_and_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for sample in samples() {
        let name = sample.subject.name();
        let opener = sample.subject.opener();
        let capacity = 2 * sample.members;
        let built = || build(&sample, capacity);
        assert_eq!(each_fails(&format!("{name}: build"), built), 1);
        assert_eq!(each_fails(&format!("{name}: from_bytes"), || opener.read(&sample.file)), 1);
        let whole = filter(&sample, capacity);
        assert_eq!(each_fails(&format!("{name}: to_bytes"), || whole.to_bytes()), 1);

        fs::write(&path, &sample.file).unwrap();
        // Mapped, it needs none; otherwise one for the file and one for the bits.
        let mut opened = opener.open(&path).unwrap();
        let mapped = opened.clone().into_filter().into_bloom().unwrap();
        let unsealed = opener.read(&sample.file).unwrap().to_bytes().unwrap();
        assert_eq!(mapped.to_bytes().unwrap(), unsealed, "{name}");
        if MAPPED {
            let owned = || mapped.clone().into_owned();
            assert_eq!(each_fails(&format!("{name}: into_owned"), owned), 1);
        }

        // The first change of a mapped filter copies it. If that fails, the filter is unchanged.
        let key = sample.subject.keys(&[0]);
        let changed = || key.insert_all(&mut opened);
        assert_eq!(each_fails(&format!("{name}: the first change"), changed), u32::from(MAPPED));
        let mut opened = opener.open(&path).unwrap();
        let (result, failed) = failing(LARGE, 0, || opened.clear());
        assert_eq!((result.is_err(), failed), (MAPPED, MAPPED), "{name}: clear");
        assert!(!failed || opener.file(&opened) == sample.file, "{name}: changed");
    }
}

/// The memory for a filter's bits is allocated before anything changes, in a chain too: if its next
/// link finds no memory, the chain is unchanged.
#[test]
fn growing() {
    let mut grown = 0;
    for subject in kinds().into_iter().filter(|kind| grows(&**kind)) {
        let name = subject.name();
        // A new table has room for an eighth of the present keys.
        let capacity = if subject.kind() == Kind::Growing { 1_600_000 } else { 400_000 };
        let opener = subject.opener();
        let mut full = subject.empty(capacity).unwrap();
        let capacity = full.filter().capacity();
        // A golden file is small.
        if capacity < 100_000 {
            continue;
        }
        let mut members = 0..capacity;
        subject.keys(&numbers(members.clone())).insert_all(&mut full).unwrap();
        // Keys that were false positives took no room.
        while full.filter().keys_inserted() < Some(capacity) {
            subject.keys(&[members.end]).insert_all(&mut full).unwrap();
            members.end += 1;
        }
        let file = opener.file(&full);
        assert!(file.len() > LARGE && links(&full) == 1, "{name}: {}", file.len());
        assert_eq!(each_fails(&format!("{name}: from_bytes"), || opener.read(&file)), 1);
        assert!(each_fails(&format!("{name}: to_bytes"), || full.to_bytes()) > 0, "{name}");

        for number in members.end.. {
            let key = subject.keys(&[number]);
            let (result, failed) = failing(LARGE, 0, || key.insert_all(&mut full));
            match result {
                Ok(()) => assert!(!failed, "{name}"),
                Err(Error::CapacityReached { .. }) => {
                    assert!(!failed, "{name}");
                    break;
                }
                Err(Error::TooLarge { .. }) => {
                    assert!(failed && opener.file(&full) == file, "{name}: changed");
                    key.insert_all(&mut full).unwrap();
                    assert!(links(&full) == 2 && key.are_held(&full), "{name}");
                    grown += 1;
                    break;
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
        assert!(subject.keys(&numbers(members)).are_held(&full), "{name}");
    }
    let ours = tepal_kinds().into_iter().filter(|kind| grows(&**kind)).count();
    assert_eq!(grown, ours + if cfg!(feature = "foreign") { 2 } else { 0 });
}

/// Whether more keys need more memory. With several copies of a fingerprint, a table has more slots
/// than different fingerprints.
fn grows(kind: &dyn Subject) -> bool {
    matches!(kind.kind(), Kind::Scalable | Kind::Growing) && !kind.name().ends_with("deletable")
}

fn links(filter: &Opened) -> usize {
    let facts = filter.filter().facts();
    facts.parts.len() + facts.tables.len()
}

/// If a change fails, the filter is unchanged; if a change needs no memory, it cannot fail.
#[test]
fn changing() {
    let mut folded = 0;
    for sample in samples() {
        let name = sample.subject.name();
        let mut one = filter(&sample, 2 * sample.members);
        let key = sample.subject.keys(&[9]);
        let other = one.clone();
        assert_eq!(each_fails(&format!("{name}: union"), || one.union_with(&other)), 0);
        assert_eq!(each_fails(&format!("{name}: intersection"), || one.intersect_with(&other)), 0);
        assert_eq!(each_fails(&format!("{name}: insert"), || key.insert_all(&mut one)), 0);

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

/// Without memory for sorting, the keys are inserted in batches: the same bits.
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

/// A patch of a ribbon's added keys: the positions of the keys that leave are a list too.
#[cfg(all(feature = "extras", feature = "static"))]
#[test]
fn patching_added_keys() {
    let filter = tepal::RibbonFilter::builder().build_from(0..1000u64).unwrap();
    let file = |keys: &mut dyn Iterator<Item = u64>| {
        let mut filter = filter.clone();
        filter.insert_iter(keys).unwrap();
        Opened::new(filter, tepal::file::Format::Tepal).unwrap().to_bytes().unwrap()
    };
    let old = file(&mut (10_000..60_000u64));
    let new = file(&mut (10_000..60_000u64).step_by(2).chain(60_000..61_000));
    let patch = tepal::file::Patch::between(&old, &new).unwrap();
    assert!(patch.removed_keys() > 20_000 && patch.apply(&old).unwrap() == new);
    // The file, its list of keys, and the positions.
    assert!(each_fails("patch", || patch.apply(&old)) >= 3);
}
