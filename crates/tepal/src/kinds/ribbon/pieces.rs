//! The keys of a set by their hashes, ascending: in memory, or had piece by piece, as often as it
//! takes.

use alloc::vec::Vec;
use core::ops::Range;

use crate::bits::ribbon::entry::Entry;
use crate::bits::ribbon::shape::Layer;
use crate::error::{Error, Result};

/// Hashes that are elsewhere, or keys by theirs.
pub(crate) trait Pieces<E = u64> {
    /// Hands out those from `first` to `last`, ascending, each once, in pieces; the same ones each
    /// time.
    fn each(&self, first: u64, last: u64, take: &mut dyn FnMut(&[E]) -> Result<()>) -> Result<()>;
}

/// Keys whose hashes ascend, each once.
pub(super) enum Ascending<'a, E> {
    Here(Vec<E>),
    // Nothing else reads what is not in memory.
    #[cfg_attr(not(feature = "parallel"), allow(dead_code))]
    Elsewhere(&'a dyn Pieces<E>),
}

impl<E: Entry> Ascending<'_, E> {
    /// All of them, which are so many, at once.
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

    /// Hands out those of each of these shards of a layer, several shards at a time. Where they are
    /// elsewhere they are keys of a first layer that moves none.
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

/// The same of pieces: where one ends, the hashes of its last shard wait for the next.
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

/// Room for so many keys.
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
