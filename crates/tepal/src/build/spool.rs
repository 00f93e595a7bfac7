//! Holds the hashes of a list until its length is known, some in memory and the others in files.
//!
//! Hashes are grouped by their highest bits. In every layout but `scattered` these bits decide
//! where in a filter the bits of a key are. So when the hashes come back part after part, the
//! filter is filled region after region, each of them in cache. That takes a fraction of the time
//! of filling it in the order of the list. Counting the different hashes is faster for the same
//! reason.
//!
//! Each thread sorts into blocks of its own and, up to 16, has a file of its own ([`Sorter`]). A
//! full block is moved to its part under the part's lock, and is not copied. When the memory is
//! used up, the part with the most blocks is written to a file, all its blocks in one piece. So the
//! pieces are large, and few are read back.
//!
//! The files are in a folder that the caller chooses ([`super::store`]).

use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::vec::Vec;
use std::{format, io, mem, vec};

use super::distinct::{DistinctCounter, different};
use super::store::{Store, StoredRange, temporary};
use crate::error::Result;
use crate::kinds::bloom::bulk::lock;

/// How many of the highest bits of a hash are the number of its part.
pub(super) const PART_BITS: u32 = 7;
const PARTS: usize = 1 << PART_BITS;
/// The least memory of a spool in hashes: 46 MiB, which together with the rest stays within 64 MiB
/// beside the filter.
const MEMORY: usize = 46 << 17;
/// Hashes that are read back at once: 1 MiB.
const READ: usize = 1 << 17;
/// The hashes of a block: 32 KiB. If several threads fill blocks they are smaller, so that all
/// blocks take a few MiB.
const BLOCK: usize = 1 << 12;
/// The least size of a block.
const SMALL_BLOCK: usize = 1 << 8;
/// The most files: a process may not have many.
const FILES: usize = 16;
/// More threads than this gain nothing.
const MOST_THREADS: usize = 256;
/// Up to this many hashes, the different ones are counted exactly, by sorting.
pub(super) const FEW: u64 = 1 << 16;

/// The hashes of a block if this many threads fill blocks.
fn block(threads: NonZeroUsize) -> usize {
    (BLOCK / threads.get().min(BLOCK).next_power_of_two()).max(SMALL_BLOCK)
}

/// The most sorters at a time, for which memory is set aside: the caller's own, and those of its
/// threads.
fn sorters(threads: NonZeroUsize) -> usize {
    threads.get().min(MOST_THREADS) + 1
}

/// Hashes in parts.
pub(super) struct Spool {
    parts: Vec<Mutex<SpoolPart>>,
    /// The approximate number of blocks that each part keeps in memory, readable without its lock.
    kept: Vec<AtomicUsize>,
    /// The desks that no thread uses at the moment.
    desks: RwLock<Vec<Desk>>,
    /// The number of desks.
    made: AtomicUsize,
    /// The hashes of a block.
    block: usize,
    /// The number of sorters for which memory is set aside.
    sorters: usize,
    /// The number of blocks that may be kept in memory.
    room: usize,
    /// The number of blocks that may still be kept in memory.
    free: AtomicUsize,
    /// The files.
    stores: Vec<Mutex<Store>>,
    /// The number of bytes in the files.
    stored: AtomicU64,
    folder: PathBuf,
}

/// The full blocks of hashes with the same highest bits.
#[derive(Default)]
struct SpoolPart {
    /// The counter of all hashes of the part; `None` if there are no hashes yet.
    counter: Option<DistinctCounter>,
    /// The blocks in memory.
    kept: Vec<Block>,
    /// The pieces in files: for each the number of its file, and its place in the file.
    written: Vec<(usize, StoredRange)>,
}

impl SpoolPart {
    /// Counts hashes of this part, whose number is `part`.
    fn count(&mut self, part: usize, hashes: &[u64]) {
        self.counter.get_or_insert_with(|| DistinctCounter::of_part(PART_BITS, part)).add(hashes);
    }
}

/// A desk: the blocks that one thread fills. No other thread uses it meanwhile.
struct Desk {
    /// The number of its file.
    store: usize,
    /// A block for each part.
    filling: Vec<Block>,
}

/// Hashes of one part, up to the capacity of the vector.
type Block = Vec<u64>;

impl Desk {
    fn new(block: usize, store: usize) -> Self {
        Desk {
            store,
            filling: (0..PARTS).map(|part| Block::with_capacity(block - shorter_by(part))).collect(),
        }
    }
}

/// Sorts hashes into a spool.
pub(super) struct Sorter<'s> {
    spool: &'s Spool,
    desk: Desk,
}

impl Spool {
    /// Makes an empty spool with the least memory for this many threads. Its files are in `folder`.
    pub(super) fn new(folder: &Path, threads: NonZeroUsize) -> Result<Self> {
        let files = sorters(threads).min(FILES);
        let stores: io::Result<_> = (0..files).map(|_| Store::new(folder).map(Mutex::new)).collect();
        let stores = stores.map_err(|error| temporary(folder, "making a temporary file", error))?;
        let block = block(threads);
        // The memory includes the blocks of the desks.
        let sorters = sorters(threads);
        let desks = block * PARTS * sorters;
        let room = MEMORY.max(2 * desks).saturating_sub(desks) / block;
        Ok(Self {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            kept: (0..PARTS).map(|_| AtomicUsize::new(0)).collect(),
            desks: RwLock::default(),
            made: AtomicUsize::new(0),
            block,
            sorters,
            room,
            free: AtomicUsize::new(room),
            stores,
            stored: AtomicU64::new(0),
            folder: folder.to_owned(),
        })
    }

    /// Sets the memory to this many hashes, if that is more than it has.
    pub(super) fn enlarge(&mut self, memory: usize) {
        let desks = self.block * PARTS * self.sorters;
        let blocks = memory.saturating_sub(desks) / self.block;
        *self.free.get_mut() += blocks.saturating_sub(self.room);
        self.room = self.room.max(blocks);
    }

    /// Makes a sorter for a thread.
    pub(super) fn sorter(&self) -> Sorter<'_> {
        let desk = self.desks.write().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || Desk::new(self.block, self.made.fetch_add(1, Ordering::Relaxed) % self.stores.len());
        Sorter { spool: self, desk: desk.unwrap_or_else(new) }
    }

    /// Whether every sorter has given back its desk.
    pub(super) fn is_whole(&mut self) -> bool {
        self.desks.get_mut().unwrap_or_else(PoisonError::into_inner).len() == *self.made.get_mut()
    }

    /// Takes a full block of a part and puts an empty one in its place.
    #[cold]
    #[inline(never)]
    fn exchange(&self, store: usize, part: usize, block: &mut Block) -> Result<()> {
        loop {
            if let Some(empty) = self.free_block() {
                let mut place = lock(&self.parts[part]);
                place.count(part, block);
                place.kept.push(mem::replace(block, empty));
                self.kept[part].store(place.kept.len(), Ordering::Relaxed);
                return Ok(());
            }
            // If no part keeps a block, or other threads are about to write all kept blocks, this
            // block is written alone.
            let largest = (0..PARTS).max_by_key(|part| self.kept[*part].load(Ordering::Relaxed));
            if !largest.map_or(Ok(false), |largest| self.spill(store, largest))? {
                return self.write_alone(store, part, block);
            }
        }
    }

    /// An empty block, while there is memory for one more.
    fn free_block(&self) -> Option<Block> {
        let take_one = |free: usize| free.checked_sub(1);
        self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).ok()?;
        let mut block = Block::new();
        if block.try_reserve_exact(self.block).is_err() {
            // There is less memory than the limit: the present blocks must be enough.
            self.free.store(0, Ordering::Relaxed);
            return None;
        }
        Some(block)
    }

    /// Writes all blocks that a part keeps in memory into a file, in one piece. `false` if it keeps
    /// none.
    fn spill(&self, store: usize, part: usize) -> Result<bool> {
        let mut place = lock(&self.parts[part]);
        let SpoolPart { kept, written, .. } = &mut *place;
        if kept.is_empty() {
            return Ok(false);
        }
        written.push((store, self.write(store, kept.iter().map(Vec::as_slice))?));
        self.kept[part].store(0, Ordering::Relaxed);
        let blocks = mem::take(kept);
        drop(place);
        let freed = blocks.len();
        drop(blocks);
        self.free.fetch_add(freed, Ordering::Relaxed);
        Ok(true)
    }

    /// Writes one full block of a part into a file, and empties it.
    fn write_alone(&self, store: usize, part: usize, block: &mut Block) -> Result<()> {
        let mut place = lock(&self.parts[part]);
        place.count(part, block);
        place.written.push((store, self.write(store, [block.as_slice()].into_iter())?));
        block.clear();
        Ok(())
    }

    fn write<'a>(&self, store: usize, pieces: impl Iterator<Item = &'a [u64]>) -> Result<StoredRange> {
        let place = lock(&self.stores[store]).append(pieces).map_err(|error| {
            let so_far = self.stored.load(Ordering::Relaxed);
            temporary(&self.folder, &format!("writing after {so_far} bytes of temporary data"), error)
        })?;
        self.stored.fetch_add(8 * place.len as u64, Ordering::Relaxed);
        Ok(place)
    }

    /// The number of hashes.
    pub(super) fn len(&mut self) -> u64 {
        let mut len: usize = self.filling().map(|(_, hashes)| hashes.len()).sum();
        for part in &mut self.parts {
            let SpoolPart { kept, written, .. } = owned(part);
            len += kept.iter().map(Vec::len).sum::<usize>();
            len += written.iter().map(|(_, place)| place.len).sum::<usize>();
        }
        len as u64
    }

    /// The number of different hashes, and whether it is exact.
    pub(super) fn different(&mut self) -> (u64, bool) {
        let len = self.len();
        if len <= FEW {
            let mut all = self.in_memory();
            all.sort_unstable();
            all.dedup();
            return (all.len() as u64, true);
        }
        let mut counters: Vec<_> = self.parts.iter_mut().map(|part| owned(part).counter.take()).collect();
        for (part, hashes) in self.filling() {
            counters[part].get_or_insert_with(|| DistinctCounter::of_part(PART_BITS, part)).add(hashes);
        }
        (different(len, DistinctCounter::estimate_of(counters.iter().flatten())), false)
    }

    /// The hashes in memory: all of them, if they are few.
    fn in_memory(&mut self) -> Vec<u64> {
        let mut all: Vec<u64> = self.filling().flat_map(|(_, hashes)| hashes).copied().collect();
        for part in &mut self.parts {
            all.extend(owned(part).kept.iter().flatten());
        }
        all
    }

    /// The hashes in blocks that are not full, with their parts.
    fn filling(&mut self) -> impl Iterator<Item = (usize, &[u64])> {
        let desks = self.desks.get_mut().unwrap_or_else(PoisonError::into_inner);
        desks.iter().flat_map(|desk| desk.filling.iter().map(Vec::as_slice).enumerate())
    }

    /// Passes the hashes of one part to `take`.
    pub(super) fn part(&self, part: usize, take: &mut dyn FnMut(&[u64])) -> Result<()> {
        let SpoolPart { kept, written, .. } = &*lock(&self.parts[part]);
        kept.iter().for_each(|block| take(block));
        let most = written.iter().map(|(_, place)| place.len).max().unwrap_or(0);
        let mut block = vec![0; most.min(READ)];
        for (store, place) in written {
            let mut from = 0;
            while from < place.len {
                let read = lock(&self.stores[*store]).read(place, from, &mut block);
                let len = read.map_err(|error| temporary(&self.folder, "reading temporary data", error))?;
                take(&block[..len]);
                from += len;
            }
        }
        let desks = self.desks.read().unwrap_or_else(PoisonError::into_inner);
        desks.iter().for_each(|desk| take(&desk.filling[part]));
        Ok(())
    }
}

impl Sorter<'_> {
    /// Adds hashes.
    pub(super) fn push(&mut self, hashes: &[u64]) -> Result<()> {
        let Desk { store, filling } = &mut self.desk;
        for &hash in hashes {
            let part = (hash >> (u64::BITS - PART_BITS)) as usize;
            let block = &mut filling[part];
            // If that fails, the block stays full, and the next hash tries again.
            if block.len() == block.capacity() {
                self.spool.exchange(*store, part, block)?;
            }
            block.push(hash);
        }
        Ok(())
    }
}

impl Drop for Sorter<'_> {
    /// Gives its desk back to the spool.
    fn drop(&mut self) {
        let empty = Desk { store: 0, filling: Vec::new() };
        let desk = mem::replace(&mut self.desk, empty);
        self.spool.desks.write().unwrap_or_else(PoisonError::into_inner).push(desk);
    }
}

/// The number of hashes by which the first block of a part is shorter than a block.
///
/// Parts grow about equally fast. Blocks that begin at the same offset of a page and are equally
/// full compete for the same few sets of the first-level cache. So the first blocks of the parts
/// have 32 different lengths.
fn shorter_by(part: usize) -> usize {
    part % 32 * 8
}

/// The value behind a lock that no other thread can hold.
fn owned<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
