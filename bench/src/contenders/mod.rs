//! Who takes part. To add one: write the function that builds it, as in [`peers`], and name it
//! here.

pub(crate) mod limits;
mod ours;
pub(crate) mod peers;

use std::num::NonZeroUsize;

use limits::{Fetch, OneLine};
use tepal::Layout;

use crate::contender::Contender;
use crate::keys::{Family, Text};

/// The row that the ratios of a table compare with.
pub(crate) const BASE: &str = "fastbloom";
/// The row of tepal's layout `line`.
pub(crate) const LINE: &str = "tepal line";
/// The row of tepal's layout `split-block`.
pub(crate) const SPLIT_BLOCK: &str = "tepal split-block";
/// The row of tepal's table of numbers.
pub(crate) const QUOTIENT: &str = "tepal quotient";
/// The row of tepal's layout `line` whose filter several threads fill.
pub(crate) const SHARED: &str = "tepal line, shared";
/// The same, where each thread inserts and asks in batches.
pub(crate) const SHARED_BATCH: &str = "tepal line, shared, in batches";
/// The row of fastbloom's filter that several threads fill.
pub(crate) const SHARED_BASE: &str = "fastbloom atomic";
/// The row of sbbf-rs-safe.
pub(crate) const SBBF_RS_SAFE: &str = "sbbf-rs-safe";
/// The limit row whose lines are prefetched in pieces.
pub(crate) const FETCHED_IN_PIECES: &str = "one line, prefetched by 32";
/// The limit row whose lines are prefetched one by one.
pub(crate) const FETCHED_AHEAD: &str = "one line, prefetched 32 ahead";

/// Those that can be given a hash.
pub(crate) fn hashed(keys: usize, rate: f64) -> Vec<Box<dyn Contender<u64>>> {
    let mut field = limits::<u64>(keys, rate);
    for &layout in Layout::ALL {
        field.push(ours::one_hash(layout, keys, rate));
        field.push(ours::hash_batch(layout, keys, rate));
        // Scattered filters are not filled in bulk.
        if layout != Layout::Scattered {
            for threads in [1, 2] {
                let threads = NonZeroUsize::new(threads).expect("more than none");
                field.push(ours::hash_bulk(layout, keys, rate, threads));
            }
        }
    }
    field.extend(ours::quotient(keys, rate));
    field.push(ours::ribbon(rate));
    field.push(peers::fastbloom_hashed(keys, rate));
    field.push(peers::sbbf_rs_safe(keys, rate));
    field.push(peers::qfilter(keys, rate));
    field.extend(peers::xorf(rate));
    field.push(peers::sux(rate));
    field
}

/// Those that hash by themselves.
pub(crate) fn texts<const N: usize>(keys: usize, rate: f64) -> Vec<Box<dyn Contender<Text<N>>>> {
    let mut field = limits::<Text<N>>(keys, rate);
    for &layout in Layout::ALL {
        field.push(ours::one_text(layout, keys, rate));
        field.push(ours::text_batch(layout, keys, rate));
    }
    field.push(peers::fastbloom(keys, rate));
    field.push(peers::fastbloom_foldhash(keys, rate));
    field.push(peers::parquet(keys, rate));
    field
}

/// Those that several threads can fill, and what the ratios compare with.
pub(crate) fn shared(keys: usize, rate: f64) -> Vec<Box<dyn Contender<u64>>> {
    let mut field = vec![peers::fastbloom_hashed(keys, rate)];
    for threads in [1, 2] {
        field.push(peers::fastbloom_atomic(keys, rate, threads));
        field.extend(ours::shared_line(keys, rate, threads));
    }
    field
}

fn limits<K: Family>(keys: usize, rate: f64) -> Vec<Box<dyn Contender<K>>> {
    let bits = ours::plan(Layout::Line, keys, rate).bit_len;
    vec![
        Box::new(limits::HashOnly::default()),
        Box::new(OneLine::new(bits, Fetch::Never)),
        Box::new(OneLine::new(bits, Fetch::InPieces)),
        Box::new(OneLine::new(bits, Fetch::Ahead)),
    ]
}
