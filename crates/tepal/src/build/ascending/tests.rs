//! The ribbon of a spool equals the ribbon of its hashes.

use std::path::Path;
use std::string::ToString;
use std::vec;

use super::*;
use crate::bits::mix::finish;
use crate::build::Gather;
use crate::{KeyDomain, RibbonFilter, builders::RibbonFilterBuilder};

fn threads(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

fn spool(hashes: &[u64], workers: usize) -> Spool {
    let spool = Spool::new(&std::env::temp_dir(), threads(workers)).unwrap();
    for share in hashes.chunks(hashes.len().div_ceil(workers).max(1)) {
        spool.sorter().push(share).unwrap();
    }
    spool
}

fn ascending(hashes: &[u64]) -> Vec<u64> {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

#[test]
fn all_come_in_order_and_a_range_is_that_of_all() {
    for n in [0u64, 1, 5, 3000, 2_500_000] {
        let hashes: Vec<u64> = (0..n).chain(0..n / 3).map(finish).collect();
        let spool = spool(&hashes, 2);
        let sorted = ascending(&hashes);
        for (first, last) in [
            (0, u64::MAX),
            (1 << 57, (1 << 58) - 1),
            (u64::MAX / 3, u64::MAX / 3 + (1 << 50)),
            (5, 5),
            (3 << 62, u64::MAX),
        ] {
            let parts = AscendingParts::new(&spool, threads(2));
            let (mut got, mut pieces) = (Vec::new(), 0);
            let take = &mut |piece: &[u64]| {
                got.extend_from_slice(piece);
                pieces += 1;
                Ok(())
            };
            parts.each(first, last, take).unwrap();
            let expected: Vec<u64> =
                sorted.iter().copied().filter(|hash| (first..=last).contains(hash)).collect();
            assert!(got == expected, "{n} {first:x} {last:x}");
            assert!(n < 2_000_000 || last - first < u64::MAX || pieces > 1, "{pieces}");
        }
    }
}

/// The length of a run is the number of different hashes, however often they repeat.
#[test]
fn repeats_take_no_memory() {
    let hashes = vec![7u64; 3 * RUN];
    let spool = spool(&hashes, 1);
    let parts = AscendingParts::new(&spool, threads(1));
    let mut run = Vec::new();
    spool.part(0, &mut |hashes| parts.push(&mut run, hashes).unwrap()).unwrap();
    assert!(run.capacity() <= 2 * RUN, "{}", run.capacity());
    let mut all = Vec::new();
    let take = &mut |piece: &[u64]| {
        all.extend_from_slice(piece);
        Ok(())
    };
    parts.each(0, u64::MAX, take).unwrap();
    assert_eq!(all, [7]);
}

#[test]
fn an_error_on_the_way_is_the_answer() {
    let spool = spool(&[1, 2, 3], 1);
    let parts = AscendingParts::new(&spool, threads(1));
    let error = parts.each(0, u64::MAX, &mut |_| Err(Error::damaged("no"))).unwrap_err();
    assert!(error.to_string().contains("no"), "{error}");
}

fn same(builder: &RibbonFilterBuilder, hashes: &[u64], workers: usize) {
    let expected = builder.clone().build_from_hashes(hashes.to_vec()).unwrap();
    let spool = spool(hashes, workers);
    let parts = AscendingParts::new(&spool, threads(workers));
    let built = builder.clone().threads(threads(workers)).build_from_pieces(&parts).unwrap();
    assert!(built == expected && built.len() == expected.len(), "{} {workers}", hashes.len());
}

#[test]
fn the_ribbon_of_a_spool_is_that_of_its_hashes() {
    let at = |rate| RibbonFilter::builder().false_positive_rate(rate);
    for n in [0u64, 1, 2, 256, 257, 300, 2047, 2048, 10_000] {
        for rate in [0.01, 0.1, 1.0 / 256.0] {
            let hashes: Vec<u64> = (0..n).chain(0..n / 3).map(|i| finish(i << 20 | n)).collect();
            same(&at(rate), &hashes, 1 + n as usize % 2);
        }
    }
    // Needs several shards, and several runs.
    let n = if cfg!(debug_assertions) { 150_000 } else { 2_500_000 };
    let hashes: Vec<u64> = (0..n).map(finish).collect();
    for (rate, workers) in [(0.01, 1), (0.1, 3), (1.0 / 256.0, 8)] {
        same(&at(rate), &hashes, workers);
    }
    // The hashes lie together, so that the first layer moves them.
    for shift in [0, 20, 44] {
        let hashes: Vec<u64> = (0..200_000u64).map(|i| i << shift).collect();
        same(&at(0.01), &hashes, 2);
        same(&at(0.1), &hashes, 2);
    }
}

#[test]
fn keys_are_gathered_for_a_ribbon() {
    let builder = || RibbonFilter::builder().false_positive_rate(0.001).seed_for("gathered");
    let folder = tempfile::tempdir().unwrap();
    for n in [0u32, 1, 50, 20_000] {
        for workers in [1, 3] {
            let gather = Gather::ribbon(builder(), folder.path(), threads(workers)).unwrap();
            let keys: Vec<_> = (0..n).chain(0..n / 3).map(|n| n.to_string()).collect();
            std::thread::scope(|scope| {
                for share in keys.chunks(keys.len().div_ceil(workers).max(1)) {
                    let gather = &gather;
                    scope.spawn(move || gather.insert_many(share).unwrap());
                }
            });
            let built = gather.memory(1 << 20).finish().unwrap();
            assert_eq!((built.keys, built.different), (keys.len() as u64, n.into()));
            assert!(built.is_exact && std::fs::read_dir(folder.path()).unwrap().count() == 0);
            let filter = builder().build_from(&keys).unwrap();
            assert!(*built.file.filter() == filter.into());
        }
    }
    let refused = |builder: RibbonFilterBuilder, folder: &Path| {
        Gather::ribbon(builder, folder, threads(1)).err().unwrap().to_string()
    };
    let folder = folder.path();
    assert!(refused(builder().false_positive_rate(0.6), folder).contains("0.5 at most"));
    assert!(refused(builder().caller_hash("mine"), folder).contains("seed"));
    assert!(
        refused(RibbonFilter::builder().caller_hash("mine"), folder)
            .contains("hashes that its caller computes")
    );
    assert!(refused(builder(), Path::new("/no/such/folder")).contains("making a temporary file"));
    let gather = Gather::ribbon(builder().key_domain(KeyDomain::Integer), folder, threads(1)).unwrap();
    assert!(matches!(gather.insert_many(&["7", "seven"]), Err(Error::KeyRefused { .. })));
}
