//! The keys of a set in ascending order of their hashes: in memory, or read piece by piece, any
//! number of times.

use alloc::vec::Vec;
use core::ops::Range;

use crate::bits::ribbon::entry::Entry;
use crate::bits::ribbon::shape::Layer;
use crate::error::{Error, Result};

/// A source of ascending hashes, or of keys with their hashes.
pub(crate) trait Pieces<E = u64> {
    /// Passes the hashes from `first` to `last` to `take`, ascending, without repeats, in pieces.
    /// Every call passes the same hashes.
    fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&[E]) -> Result<()>) -> Result<()>;
}

/// Keys whose hashes ascend, without repeats.
pub(super) enum Ascending<'a, E> {
    Here(Vec<E>),
    // Only code with the feature `parallel` reads hashes that are not in memory.
    #[cfg_attr(not(feature = "parallel"), allow(dead_code))]
    Elsewhere(&'a dyn Pieces<E>),
}

impl<E: Entry> Ascending<'_, E> {
    /// All keys at once; `count` is their number.
    pub(super) fn all(self, count: u64) -> Result<Vec<E>> {
        match self {
            Ascending::Here(hashes) => Ok(hashes),
            Ascending::Elsewhere(pieces) => {
                let mut all = room_for(count)?;
                pieces.each(0, u64::MAX, &mut |piece| {
                    all.extend_from_slice(piece);
                    Ok(())
                })?;
                Ok(all)
            }
        }
    }

    /// Passes the keys of each of these shards of a layer to `take`, several shards at a time.
    /// Hashes that are not in memory must be those of a first layer that moves none.
    pub(super) fn each_shard(
        &self,
        layer: &Layer,
        shards: Range<u64>,
        take: &mut dyn FnMut(&[&[E]]) -> Result<()>,
    ) -> Result<()> {
        match self {
            Ascending::Here(hashes) => {
                let mut rest =
                    &hashes[hashes.partition_point(|key| layer.start(key.hash()).0 < shards.start)..];
                let own = shards.map(|shard| {
                    let (own, others) =
                        rest.split_at(rest.partition_point(|key| layer.start(key.hash()).0 == shard));
                    rest = others;
                    own
                });
                take(&own.collect::<Vec<_>>())
            }
            Ascending::Elsewhere(pieces) => each_shard_of(*pieces, layer, shards, take),
        }
    }
}

/// [`each_shard`](Ascending::each_shard) for pieces: the hashes of the last shard of a piece wait
/// for the next piece.
fn each_shard_of<E: Entry>(
    pieces: &dyn Pieces<E>,
    layer: &Layer,
    shards: Range<u64>,
    take: &mut dyn FnMut(&[&[E]]) -> Result<()>,
) -> Result<()> {
    let (mut shard, past) = (shards.start, shards.end);
    let mut waiting: Vec<E> = Vec::new();
    let last = if past == layer.shards { u64::MAX } else { layer.first_of(past) - 1 };
    pieces.each(layer.first_of(shard), last, &mut |piece| {
        let Some(last) = piece.last().map(|key| layer.start(key.hash()).0) else { return Ok(()) };
        let mut rest = piece;
        let mut next = |shard: u64| {
            let (own, others) = rest.split_at(rest.partition_point(|key| layer.start(key.hash()).0 == shard));
            rest = others;
            own
        };
        if shard < last {
            let head = next(shard);
            waiting.try_reserve(head.len()).map_err(|_| too_large::<E>(waiting.len() + head.len()))?;
            waiting.extend_from_slice(head);
            let own: Vec<&[E]> =
                core::iter::once(waiting.as_slice()).chain((shard + 1..last).map(&mut next)).collect();
            take(&own)?;
            waiting.clear();
            shard = last;
        }
        waiting.try_reserve(rest.len()).map_err(|_| too_large::<E>(waiting.len() + rest.len()))?;
        waiting.extend_from_slice(rest);
        Ok(())
    })?;
    let rest = core::iter::once(waiting.as_slice()).chain((shard + 1..past).map(|_| &[][..]));
    take(&rest.collect::<Vec<_>>())
}

/// Allocates room for this many keys.
pub(crate) fn room_for<E>(count: u64) -> Result<Vec<E>> {
    let mut room = Vec::new();
    let too_large = || Error::TooLarge { bytes: count.saturating_mul(size_of::<E>() as u64) };
    let hashes = usize::try_from(count).map_err(|_| too_large())?;
    room.try_reserve_exact(hashes).map_err(|_| too_large())?;
    Ok(room)
}

fn too_large<E>(keys: usize) -> Error {
    Error::TooLarge { bytes: (keys as u64).saturating_mul(size_of::<E>() as u64) }
}
