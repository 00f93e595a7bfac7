//! The other libraries. Each is built as its documentation shows.

use fastbloom::BloomFilter;
use sbbf_rs_safe::Filter;
use tepal::Layout;

use super::{BASE, ours};
use crate::contender::{Contender, one_key};
use crate::keys::Id;

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

/// fastbloom with its default hash, SipHash-1-3; the seed is fixed so that runs repeat.
pub(crate) fn fastbloom(keys: usize, rate: f64) -> Box<dyn Contender<Id>> {
    let filter = BloomFilter::with_false_pos(rate).seed(&1).expected_items(keys);
    one_key(
        BASE,
        filter.num_bits() as u64,
        filter,
        |filter| filter.clear(),
        |filter, id| {
            filter.insert(id);
        },
        |filter, id| filter.contains(id),
    )
}

/// sbbf-rs-safe. Its own sizing takes whole bits a key and leaves the rate to the caller, so it gets as
/// many bytes as tepal's split block, which sets the same bits: its row compares speed at equal memory
/// and equal rate.
pub(crate) fn sbbf_rs_safe(keys: usize, rate: f64) -> Box<dyn Contender<u64>> {
    let bits = ours::plan(Layout::SplitBlock, keys, rate).bit_len;
    let filter = Filter::from_bytes(&vec![0; bits as usize / 8]).expect("whole blocks");
    one_key(
        "sbbf-rs-safe",
        bits,
        filter,
        |filter| filter.reset(),
        |filter, &hash| {
            filter.insert_hash(hash);
        },
        |filter, &hash| filter.contains_hash(hash),
    )
}
