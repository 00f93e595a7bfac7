//! tepal: each layout, one key at a time, in batches and in bulk; the table from which keys can be
//! removed; and the filter of a set that does not change.
//!
//! All settings are the defaults. In particular a filter refuses keys past its capacity, and the
//! work of knowing when that is belongs to the time of an insert.

use std::num::NonZeroUsize;

use tepal::{BloomFilter, Layout, Plan, QuotientFilter, RibbonFilter};

use super::{LINE, QUOTIENT, SHARED, SHARED_BATCH, SPLIT_BLOCK};
use crate::contender::{Calls, Contender, made, many_keys, one_key, shared};
use crate::keys::Text;

const FITS: &str = "a filter takes the keys it was planned for";

/// The size the library chooses.
pub(crate) fn plan(layout: Layout, keys: usize, rate: f64) -> Plan {
    let builder = BloomFilter::builder().capacity(keys as u64).false_positive_rate(rate).layout(layout);
    builder.plan().expect("the layout reaches the rate")
}

fn filter(layout: Layout, keys: usize, rate: f64) -> (&'static str, u64, BloomFilter) {
    let builder = BloomFilter::builder().capacity(keys as u64).false_positive_rate(rate).layout(layout);
    let filter = builder.build().expect("the layout reaches the rate and the machine has the memory");
    let name = match layout {
        Layout::Line => LINE,
        Layout::Double => "tepal double",
        Layout::SplitBlock => SPLIT_BLOCK,
        Layout::Scattered => "tepal scattered",
        _ => panic!("a layout without a name here"),
    };
    (name, filter.bit_len(), filter)
}

pub(crate) fn one_hash(layout: Layout, keys: usize, rate: f64) -> Box<dyn Contender<u64>> {
    let (name, bits, filter) = filter(layout, keys, rate);
    one_key(
        name,
        bits,
        filter,
        |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
        |filter, &hash| {
            filter.insert_hash(hash).expect(FITS);
        },
        |filter, &hash| filter.contains_hash(hash),
    )
}

pub(crate) fn hash_batch(layout: Layout, keys: usize, rate: f64) -> Box<dyn Contender<u64>> {
    let (name, bits, filter) = filter(layout, keys, rate);
    many_keys(
        (name, Calls::Batch, bits),
        filter,
        |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
        |filter, hashes| filter.insert_many_hashes(hashes).expect(FITS),
        |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
    )
}

pub(crate) fn hash_bulk(
    layout: Layout,
    keys: usize,
    rate: f64,
    threads: NonZeroUsize,
) -> Box<dyn Contender<u64>> {
    let (name, bits, filter) = filter(layout, keys, rate);
    many_keys(
        (name, Calls::Bulk(threads.get()), bits),
        filter,
        |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
        move |filter, hashes| filter.insert_bulk_hashes(hashes, threads).expect(FITS),
        move |filter, hashes, answers| filter.contains_bulk_hashes(hashes, answers, threads),
    )
}

/// The table of numbers, one key at a time and in batches.
pub(crate) fn quotient(keys: usize, rate: f64) -> [Box<dyn Contender<u64>>; 2] {
    let filter = || {
        let builder = QuotientFilter::builder().capacity(keys as u64).false_positive_rate(rate);
        builder.build().expect("the table reaches the rate and the machine has the memory")
    };
    let bits = 8 * filter().size_in_bytes();
    let one_key = one_key(
        QUOTIENT,
        bits,
        filter(),
        |filter: &mut QuotientFilter| filter.clear().expect("a filter in memory"),
        |filter, &hash| {
            filter.insert_hash(hash).expect(FITS);
        },
        |filter, &hash| filter.contains_hash(hash),
    );
    let batch = many_keys(
        (QUOTIENT, Calls::Batch, bits),
        filter(),
        |filter: &mut QuotientFilter| filter.clear().expect("a filter in memory"),
        |filter, hashes| filter.insert_many_hashes(hashes).expect(FITS),
        |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
    );
    [one_key, batch]
}

/// The filter of a set that does not change.
pub(crate) fn ribbon(rate: f64) -> Box<dyn Contender<u64>> {
    made(
        "tepal ribbon",
        move |hashes: &[u64]| {
            let builder = RibbonFilter::builder().false_positive_rate(rate);
            builder.build_from_hashes(hashes.to_vec()).expect("the machine has the memory")
        },
        |filter| filter.bit_len(),
        |filter, &hash| filter.contains_hash(hash),
    )
}

/// The layout `line`, filled by threads that share it: one key at a time, and in batches. A cleared
/// one is a new one, its pages already in memory.
pub(crate) fn shared_line(keys: usize, rate: f64, threads: usize) -> [Box<dyn Contender<u64>>; 2] {
    let empty = move || {
        let (_, bits, mut filter) = filter(Layout::Line, keys, rate);
        filter.clear().expect("it is in memory");
        (bits, filter.into_shared().expect("there is memory"))
    };
    let one_key = shared(
        (SHARED, threads, empty().0),
        empty().1,
        move |filter| *filter = empty().1,
        |filter, hashes| {
            for &hash in hashes {
                filter.insert_hash(hash).expect(FITS);
            }
        },
        |filter, hashes: &[u64], answers| {
            for (&hash, answer) in hashes.iter().zip(answers) {
                *answer = filter.contains_hash(hash);
            }
        },
    );
    let batch = shared(
        (SHARED_BATCH, threads, empty().0),
        empty().1,
        move |filter| *filter = empty().1,
        |filter, hashes| filter.insert_many_hashes(hashes).expect(FITS),
        |filter, hashes, answers| filter.contains_many_hashes(hashes, answers),
    );
    [one_key, batch]
}

pub(crate) fn one_text<const N: usize>(
    layout: Layout,
    keys: usize,
    rate: f64,
) -> Box<dyn Contender<Text<N>>> {
    let (name, bits, filter) = filter(layout, keys, rate);
    one_key(
        name,
        bits,
        filter,
        |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
        |filter, key| {
            filter.insert(key).expect(FITS);
        },
        |filter, key| filter.contains(key),
    )
}

pub(crate) fn text_batch<const N: usize>(
    layout: Layout,
    keys: usize,
    rate: f64,
) -> Box<dyn Contender<Text<N>>> {
    let (name, bits, filter) = filter(layout, keys, rate);
    many_keys(
        (name, Calls::Batch, bits),
        filter,
        |filter: &mut BloomFilter| filter.clear().expect("it is in memory"),
        |filter, keys| filter.insert_many(keys).expect(FITS),
        |filter, keys, answers| filter.contains_many_into(keys, answers),
    )
}
