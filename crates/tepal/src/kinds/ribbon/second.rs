//! Builds a ribbon from hashes, with a second ribbon if that takes fewer bits (FORMAT.md, section
//! 5.7). The first one has a power of two as its rate. Each bucket of its first layer has a seed,
//! which picks some of the keys. The second ribbon holds the picked keys.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::construct::{each, ribbon_of_ascending, ribbon_of_different, sort_different};
use super::lines::Ribbon;
use super::pieces::{Ascending, Pieces};
use crate::bits::kernel::RibbonMaker;
use crate::bits::memory;
use crate::bits::ribbon::shape::{Layer, RibbonShape};
use crate::bits::ribbon::thin::{Thin, bucket, is_picked, lines, pick, picked_for};
use crate::bits::{self, words_mut};
use crate::error::Result;

/// Builds the ribbon of the fingerprints of these hashes, with their number of different ones.
pub(super) fn ribbon_of(mut hashes: Vec<u64>, rate: f64, has_second: bool, threads: usize) -> Result<Ribbon> {
    sort_different(&mut hashes, threads);
    let keys = hashes.len() as u64;
    if let Some(picked) = picked_for(keys, rate).filter(|_| has_second) {
        let pieces = SortedHashes(hashes);
        if let Some(built) = ribbons_of_pieces(&pieces, keys, picked, threads)? {
            return Ok(built);
        }
        hashes = pieces.0;
    }
    ribbon_of_different(hashes, 0, rate, threads)
}

/// Builds the ribbon of hashes that are read in pieces, several times.
#[cfg(feature = "parallel")]
pub(super) fn ribbon_of_pieces(
    pieces: &dyn Pieces,
    rate: f64,
    has_second: bool,
    threads: usize,
) -> Result<Ribbon> {
    let mut keys = 0;
    pieces.each(0, u64::MAX, &mut |piece| {
        keys += piece.len() as u64;
        Ok(())
    })?;
    if let Some(picked) = picked_for(keys, rate).filter(|_| has_second) {
        if let Some(built) = ribbons_of_pieces(pieces, keys, picked, threads)? {
            return Ok(built);
        }
    }
    ribbon_of_ascending(Ascending::Elsewhere(pieces), keys, 0, rate, threads)
}

/// Hashes in memory, ascending, without repeats.
struct SortedHashes(Vec<u64>);

impl Pieces for SortedHashes {
    fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let begin = self.0.partition_point(|hash| *hash < first);
        let end = self.0.partition_point(|hash| *hash <= last);
        take(&self.0[begin..end])
    }
}

/// The picked hashes.
struct Picked<'a> {
    of: &'a dyn Pieces,
    first: &'a RibbonShape,
    /// The seed of each bucket of its first layer.
    seeds: &'a [u8],
    most: u16,
}

impl Pieces for Picked<'_> {
    fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&[u64]) -> Result<()>) -> Result<()> {
        /// Hashes that are tested at once: the picked ones of them are in memory.
        const SOME: usize = 1 << 20;
        let mut picked = Vec::new();
        self.of.each(first, last, &mut |piece| {
            for some in piece.chunks(SOME) {
                picked.clear();
                memory::reserve(&mut picked, some.len())?;
                picked.extend(some.iter().filter(|hash| {
                    let seed = self.seeds[bucket(self.first, **hash) as usize];
                    is_picked(pick(**hash), seed, self.most)
                }));
                take(&picked)?;
            }
            Ok(())
        })
    }
}

/// Builds both ribbons of `keys` hashes: the first has `columns` columns, and the second picks
/// `most` of 65,536 non-members. `None` if the first has to move its hashes, which does not happen
/// by chance.
fn ribbons_of_pieces(
    pieces: &dyn Pieces,
    keys: u64,
    (columns, most): (u8, u16),
    threads: usize,
) -> Result<Option<Ribbon>> {
    let power = 1.0 / (1u64 << columns) as f64;
    let first = ribbon_of_ascending(Ascending::Elsewhere(pieces), keys, 0, power, threads)?;
    let (first, keys, first_words) = (&first.shape, first.keys, first.words());
    if first.first().is_moved() {
        return Ok(None);
    }
    let (seeds, count) = seeds_of(pieces, first, most, threads)?;
    let picked = Picked { of: pieces, first, seeds: &seeds, most };
    let second = ribbon_of_ascending(Ascending::Elsewhere(&picked), count, 0, 0.5, threads)?;
    let thin = Thin::new(first, second.shape, count, most)?;
    let mut all = bits::zeroed(lines(first, Some(&thin)))?;
    let to = words_mut(&mut all);
    let own = first.words() as usize;
    to[..own].copy_from_slice(&first_words[..own]);
    thin.pack(&seeds, to);
    let own = thin.shape.words() as usize;
    to[thin.at..][..own].copy_from_slice(&second.words()[..own]);
    Ok(Some(Ribbon::built(*first, Some(Box::new(thin)), all, keys)))
}

/// The best seed of each bucket of the first layer, and how many keys are picked.
fn seeds_of(pieces: &dyn Pieces, first: &RibbonShape, most: u16, threads: usize) -> Result<(Vec<u8>, u64)> {
    let layer = first.first();
    let kernel = RibbonMaker::best();
    let mut seeds = memory::zeros(layer.buckets() as usize)?;
    let mut picked: Vec<u64> = memory::zeros(layer.shards as usize)?;
    let mut shards = seeds.chunks_mut(layer.buckets_of_shard() as usize).zip(&mut picked);
    Ascending::Elsewhere(pieces).each_shard(layer, 0..layer.shards, &mut |pieces| {
        let work: Vec<_> = shards.by_ref().take(pieces.len()).zip(pieces).collect();
        each(threads, work.into_iter(), |_, ((seeds, picked), keys)| {
            *picked = seeds_of_shard(kernel, layer, most, keys, seeds);
        });
        Ok(())
    })?;
    Ok((seeds, picked.iter().sum()))
}

/// The best seeds of a shard's buckets, and how many keys are picked.
fn seeds_of_shard(kernel: RibbonMaker, layer: &Layer, most: u16, keys: &[u64], seeds: &mut [u8]) -> u64 {
    let (mut picks, mut rest, mut picked) = (Vec::new(), keys, 0);
    for (past, seed) in (1..).zip(seeds) {
        let is_here = |hash: &u64| layer.start(*hash).1 < past << layer.bucket_shift;
        let (here, others) = rest.split_at(rest.iter().take_while(|hash| is_here(hash)).count());
        picks.clear();
        picks.extend(here.iter().map(|hash| pick(*hash)));
        let of_bucket;
        (*seed, of_bucket) = kernel.best_seed(most, &picks);
        (rest, picked) = (others, picked + of_bucket as u64);
    }
    picked
}
