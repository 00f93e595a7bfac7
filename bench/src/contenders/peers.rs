//! The other libraries. Each is built as its documentation shows; hashes are seeded, so that runs
//! repeat.

use std::hash::{BuildHasher, Hash};

use fastbloom::{AtomicBloomFilter, BloomFilter};
use foldhash::fast::FixedState;
use mem_dbg::MemSize as _;
use parquet::bloom_filter::Sbbf;
use sbbf_rs_safe::Filter;
use tepal::Layout;
use xorf::{BinaryFuse8, BinaryFuse16, Filter as _};

use super::{BASE, SBBF_RS_SAFE, SHARED_BASE, ours};
use crate::contender::{Contender, made, one_key, shared};
use crate::keys::Text;

/// fastbloom, given the hash.
pub(crate) fn fastbloom_hashed(keys: usize, rate: f64) -> Box<dyn Contender<u64>> {
    let filter = BloomFilter::with_false_pos(rate).expected_items(keys);
    one_key(
        BASE,
        filter.num_bits() as u64,
        filter,
        |filter| filter.clear(),
        |filter, &hash| {
            filter.insert_hash(hash);
        },
        |filter, &hash| filter.contains_hash(hash),
    )
}

/// fastbloom's filter that several threads fill, given the hash.
pub(crate) fn fastbloom_atomic(keys: usize, rate: f64, threads: usize) -> Box<dyn Contender<u64>> {
    let filter = AtomicBloomFilter::with_false_pos(rate).expected_items(keys);
    shared(
        (SHARED_BASE, threads, filter.num_bits() as u64),
        filter,
        |filter| filter.clear(),
        |filter, hashes| {
            for &hash in hashes {
                filter.insert_hash(hash);
            }
        },
        |filter, hashes: &[u64], answers| {
            for (&hash, answer) in hashes.iter().zip(answers) {
                *answer = filter.contains_hash(hash);
            }
        },
    )
}

/// fastbloom with its default hash, SipHash-1-3.
pub(crate) fn fastbloom<K: Hash + 'static>(keys: usize, rate: f64) -> Box<dyn Contender<K>> {
    fastbloom_on(BASE, BloomFilter::with_false_pos(rate).seed(&1).expected_items(keys))
}

/// fastbloom with the fast hash of its documentation.
pub(crate) fn fastbloom_foldhash<K: Hash + 'static>(keys: usize, rate: f64) -> Box<dyn Contender<K>> {
    let hasher = FixedState::with_seed(1);
    fastbloom_on("fastbloom, foldhash", BloomFilter::with_false_pos(rate).hasher(hasher).expected_items(keys))
}

fn fastbloom_on<K: Hash + 'static, S: BuildHasher + 'static>(
    name: &'static str,
    filter: BloomFilter<S>,
) -> Box<dyn Contender<K>> {
    one_key(
        name,
        filter.num_bits() as u64,
        filter,
        |filter| filter.clear(),
        |filter, key| {
            filter.insert(key);
        },
        |filter, key| filter.contains(key),
    )
}

/// sbbf-rs-safe. Its own sizing takes whole bits a key and leaves the rate to the caller, so it
/// gets as many bytes as tepal's split block, which sets the same bits: its row compares speed at
/// equal memory and equal rate.
pub(crate) fn sbbf_rs_safe(keys: usize, rate: f64) -> Box<dyn Contender<u64>> {
    let bits = ours::plan(Layout::SplitBlock, keys, rate).bit_len;
    let filter = Filter::from_bytes(&vec![0; bits as usize / 8]).expect("whole blocks");
    one_key(
        SBBF_RS_SAFE,
        bits,
        filter,
        |filter| filter.reset(),
        |filter, &hash| {
            filter.insert_hash(hash);
        },
        |filter, &hash| filter.contains_hash(hash),
    )
}

/// The filter of the `parquet` crate, which hashes with XXH64 and takes no hash from outside. Its
/// sizes are powers of two. It cannot be emptied: a cleared one is a copy of zeroes, its pages
/// already in memory.
pub(crate) fn parquet<const N: usize>(keys: usize, rate: f64) -> Box<dyn Contender<Text<N>>> {
    let filter = Sbbf::new_with_ndv_fpp(keys as u64, rate).expect("a rate between 0 and 1");
    let bytes = filter.num_blocks() * 32;
    one_key(
        "parquet",
        8 * bytes as u64,
        filter,
        move |filter| *filter = Sbbf::new(&vec![0; bytes]),
        |filter, key: &Text<N>| filter.insert(key.bytes()),
        |filter, key| filter.check(key.bytes()),
    )
}

/// qfilter, whose sizes are powers of two, given the hash. A cleared one is a new one.
pub(crate) fn qfilter(keys: usize, rate: f64) -> Box<dyn Contender<u64>> {
    let empty = move || qfilter::Filter::new(keys as u64, rate).expect("a size that it has");
    one_key(
        "qfilter",
        8 * empty().memory_usage() as u64,
        empty(),
        move |filter| *filter = empty(),
        |filter, &hash| {
            filter.insert_fingerprint(true, hash).expect("it takes the keys it was planned for");
        },
        |filter, &hash| filter.contains_fingerprint(hash),
    )
}

/// The filter of sux: three rows of a function over a hypergraph, of as many bits as the rate
/// takes.
pub(crate) type VFilter = sux::dict::VFilter<u64, sux::bits::BitFieldVec<Box<[u64]>>>;

/// Built by one thread, of hashes that it hashes again.
pub(crate) fn vfilter_of(hashes: &[u64], rate: f64) -> VFilter {
    let builder = sux::func::VBuilder::default().max_num_threads(1);
    let bits = (-rate.log2()).ceil() as usize;
    let hashes = sux::utils::FromSlice::new(hashes);
    VFilter::try_new_with_builder(hashes, bits, builder, dsi_progress_logger::no_logging![])
        .expect("the keys are different")
}

/// Bits of everything that it has in memory.
pub(crate) fn vfilter_bits(filter: &VFilter) -> u64 {
    8 * filter.mem_size(mem_dbg::SizeFlags::default()) as u64
}

/// [`VFilter`].
pub(crate) fn sux(rate: f64) -> Box<dyn Contender<u64>> {
    made(
        "sux VFilter",
        move |hashes: &[u64]| vfilter_of(hashes, rate),
        vfilter_bits,
        |filter, hash| filter.contains(hash),
    )
}

/// The binary fuse filter of xorf that keeps the rate with the fewest bits: 8 of them give 2^-8, 16
/// give 2^-16. None keeps a lower rate.
pub(crate) fn xorf(rate: f64) -> Option<Box<dyn Contender<u64>>> {
    const DIFFERENT: &str = "the keys are different";
    if rate >= 2.0_f64.powi(-8) {
        Some(made(
            "xorf BinaryFuse8",
            |keys: &[u64]| BinaryFuse8::try_from(keys).expect(DIFFERENT),
            |filter| 8 * filter.len() as u64,
            |filter, key| filter.contains(key),
        ))
    } else if rate >= 2.0_f64.powi(-16) {
        Some(made(
            "xorf BinaryFuse16",
            |keys: &[u64]| BinaryFuse16::try_from(keys).expect(DIFFERENT),
            |filter| 16 * filter.len() as u64,
            |filter, key| filter.contains(key),
        ))
    } else {
        None
    }
}
