//! Inserts the keys of a list or an iterator, hashed in batches.
//!
//! The filter is passed together with a function that returns its hasher, so that the hasher is not
//! copied for each call.

#[cfg(any(feature = "table", feature = "static"))]
use alloc::vec::Vec;

use super::hasher::KeyHasher;
use super::keys::Keys;
use super::prepared::{BATCH, Batch, One, SHORT_BATCH};
use super::sink::{Key, KeySink};
#[cfg(any(feature = "table", feature = "static"))]
use crate::bits::memory;
use crate::error::Result;

/// Collects the results of `hash` for all items: the hash, and a value that belongs to it.
#[cfg(any(feature = "table", feature = "static"))]
pub(crate) fn hash_each<I, H>(
    items: impl IntoIterator<Item = I>,
    mut hash: impl FnMut(I, &mut KeySink) -> Result<H>,
) -> Result<Vec<H>> {
    let items = items.into_iter();
    let mut hashes = memory::room(items.size_hint().0)?;
    let mut sink = KeySink::new();
    for item in items {
        memory::push(&mut hashes, hash(item, sink.cleared())?)?;
    }
    Ok(hashes)
}

/// Passes many keys in batches to `insert`, with the number of the first key of each batch. Stops
/// at the first key that is refused.
#[inline(always)]
pub(crate) fn insert_in_batches<F, K: Keys + ?Sized>(
    mut filter: F,
    hasher: impl Fn(&F) -> &KeyHasher,
    keys: &K,
    mut insert: impl FnMut(&mut F, Batch<'_>, usize) -> Result<()>,
) -> Result<()> {
    if !hasher(&filter).has_hash() {
        let mut sink = KeySink::new();
        // A batch would not be faster.
        return (0..keys.len())
            .try_for_each(|i| insert(&mut filter, Batch::One(One::Key(keys.key(i, sink.cleared()))), i));
    }
    // As in lookups: clearing the array for 512 keys would take longer than ten inserts.
    if keys.len() <= SHORT_BATCH {
        insert_hashed_in_batches_of::<SHORT_BATCH, F, K>(filter, hasher, keys, insert)
    } else {
        insert_hashed_in_batches_of::<BATCH, F, K>(filter, hasher, keys, insert)
    }
}

#[inline(always)]
fn insert_hashed_in_batches_of<const BATCH: usize, F, K: Keys + ?Sized>(
    mut filter: F,
    hasher: impl Fn(&F) -> &KeyHasher,
    keys: &K,
    mut insert: impl FnMut(&mut F, Batch<'_>, usize) -> Result<()>,
) -> Result<()> {
    let mut sink = KeySink::new();
    let mut hashes = [0; BATCH];
    for start in (0..keys.len()).step_by(BATCH) {
        let most = keys.len().min(start + BATCH) - start;
        if hasher(&filter).hash_if_integers(keys, start, &mut hashes[..most]) {
            insert(&mut filter, Batch::Hashes(&hashes[..most]), start)?;
            continue;
        }
        let (mut count, mut refused) = (0, Ok(()));
        let hash = hasher(&filter).hash_refs();
        for i in start..start + most {
            match hash(keys.key(i, sink.cleared())) {
                Ok(hash) => hashes[count] = hash,
                Err(error) => {
                    refused = Err(error);
                    break;
                }
            }
            count += 1;
        }
        drop(hash);
        insert(&mut filter, Batch::Hashes(&hashes[..count]), start)?;
        refused?;
    }
    Ok(())
}

/// [`insert_in_batches`] for the keys of an iterator. Do not use it for lists: as an iterator, a
/// list of integers took a third more instructions.
pub(crate) fn insert_iter_in_batches<F, K: Key>(
    mut filter: F,
    hasher: impl Fn(&F) -> &KeyHasher,
    keys: impl IntoIterator<Item = K>,
    mut insert: impl FnMut(&mut F, Batch<'_>, usize) -> Result<()>,
) -> Result<()> {
    let (mut keys, mut sink) = (keys.into_iter(), KeySink::new());
    if !hasher(&filter).has_hash() {
        return (0..)
            .zip(keys)
            .try_for_each(|(i, key)| insert(&mut filter, Batch::One(One::Key(key.key(sink.cleared()))), i));
    }
    let (mut hashes, mut done) = ([0; BATCH], 0);
    loop {
        let (mut count, mut refused) = (0, Ok(()));
        let hash = hasher(&filter).hash_refs();
        for (place, key) in hashes.iter_mut().zip(keys.by_ref()) {
            match hash(key.key(sink.cleared())) {
                Ok(hash) => *place = hash,
                Err(error) => {
                    refused = Err(error);
                    break;
                }
            }
            count += 1;
        }
        drop(hash);
        insert(&mut filter, Batch::Hashes(&hashes[..count]), done)?;
        refused?;
        done += count;
        if count < BATCH {
            return Ok(());
        }
    }
}
