//! The hashes of a list until its length is known: some in memory, the others in files.
//!
//! They are kept by their highest bits. In every layout but `scattered` these say where in a filter
//! a key's bits lie, so when the hashes come back part after part, the filter is filled region
//! after region, each of them near the processor: a fraction of the time that filling it in the
//! order of the list would take. Counting the different ones gains by it in the same way.
//!
//! Each thread sorts into blocks of its own and, up to 16, has a file of its own ([`Sorter`]); a
//! block that is full changes hands under its part's lock, and is not copied. When the memory is
//! used up, the part with the most blocks goes to a file, all of them in one piece: so the pieces
//! are large, and few are read back.
//!
//! The files lie in a folder of the caller's choice ([`super::store`]).

use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::vec::Vec;
use std::{format, io, mem, vec};

use super::distinct::{DistinctCounter, different};
use super::store::{Place, Store, temporary};
use crate::error::Result;
use crate::kinds::bloom::bulk::lock;

/// How many of the highest bits of a hash name its part.
pub(super) const PART_BITS: u32 = 7;
const PARTS: usize = 1 << PART_BITS;
/// Memory of a spool in hashes at the least: 46 MiB, beside a filter and within 64 MiB more than it
/// together with the rest.
const MEMORY: usize = 46 << 17;
/// Hashes that are read back at once: 1 MiB.
const READ: usize = 1 << 17;
/// Hashes of a block: 32 KiB, less where several threads fill blocks, so that these take a few MiB
/// in all.
const BLOCK: usize = 1 << 12;
/// The least of it.
const SMALL_BLOCK: usize = 1 << 8;
/// Files at most: a process may not have many.
const FILES: usize = 16;
/// More threads than this gain nothing.
const MOST_THREADS: usize = 256;
/// Up to this many hashes, the different ones are counted by sorting: exactly.
pub(super) const FEW: u64 = 1 << 16;

/// Hashes of a block where so many threads fill some.
fn block(threads: NonZeroUsize) -> usize {
    (BLOCK / threads.get().min(BLOCK).next_power_of_two()).max(SMALL_BLOCK)
}

/// Sorters at a time, for which memory is set aside: the caller's own, and those of the threads
/// that it starts.
fn sorters(threads: NonZeroUsize) -> usize {
    threads.get().min(MOST_THREADS) + 1
}

/// Hashes, by parts.
pub(super) struct Spool {
    parts: Vec<Mutex<Part>>,
    /// About how many blocks each part keeps in memory, to be read without its lock.
    kept: Vec<AtomicUsize>,
    /// What no thread has at the moment.
    desks: RwLock<Vec<Desk>>,
    /// How many desks there are.
    made: AtomicUsize,
    /// Hashes of a block.
    block: usize,
    /// Sorters at a time that memory is set aside for.
    sorters: usize,
    /// Blocks that may be kept in memory.
    room: usize,
    /// Blocks that may still be kept in memory.
    free: AtomicUsize,
    /// The files.
    stores: Vec<Mutex<Store>>,
    /// Bytes in them.
    stored: AtomicU64,
    folder: PathBuf,
}

/// The full blocks of hashes with the same highest bits.
#[derive(Default)]
struct Part {
    /// Has seen all of them. Nothing while there are none.
    counter: Option<DistinctCounter>,
    /// Those in memory.
    kept: Vec<Block>,
    /// Pieces in files: the number of the file, and where in it.
    written: Vec<(usize, Place)>,
}

impl Part {
    /// Counts hashes of this part, whose number it is told.
    fn count(&mut self, part: usize, hashes: &[u64]) {
        self.counter.get_or_insert_with(|| DistinctCounter::of_part(PART_BITS, part)).add(hashes);
    }
}

/// What one thread at a time fills.
struct Desk {
    /// The number of its file.
    store: usize,
    /// A block of each part.
    filling: Vec<Block>,
}

/// Hashes of one part, as many as there is room for.
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
    /// An empty spool for so many threads, whose files lie in `folder`, which must allow that; with
    /// the least memory.
    pub(super) fn new(folder: &Path, threads: NonZeroUsize) -> Result<Self> {
        let files = sorters(threads).min(FILES);
        let stores: io::Result<_> = (0..files).map(|_| Store::new(folder).map(Mutex::new)).collect();
        let stores = stores.map_err(|error| temporary(folder, "making a temporary file", error))?;
        let block = block(threads);
        // What the desks take is part of the whole.
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

    /// Memory for so many hashes, where that is more than it has.
    pub(super) fn enlarge(&mut self, memory: usize) {
        let desks = self.block * PARTS * self.sorters;
        let blocks = memory.saturating_sub(desks) / self.block;
        *self.free.get_mut() += blocks.saturating_sub(self.room);
        self.room = self.room.max(blocks);
    }

    /// What a thread sorts with.
    pub(super) fn sorter(&self) -> Sorter<'_> {
        let desk = self.desks.write().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || Desk::new(self.block, self.made.fetch_add(1, Ordering::Relaxed) % self.stores.len());
        Sorter { spool: self, desk: desk.unwrap_or_else(new) }
    }

    /// Has every sorter come back with what it had?
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
            // Where other threads have kept nothing or are about to free all of it, this block goes
            // alone.
            let largest = (0..PARTS).max_by_key(|part| self.kept[*part].load(Ordering::Relaxed));
            if !largest.map_or(Ok(false), |largest| self.spill(store, largest))? {
                return self.write_alone(store, part, block);
            }
        }
    }

    /// An empty block, as long as there is memory for one more.
    fn free_block(&self) -> Option<Block> {
        let take_one = |free: usize| free.checked_sub(1);
        self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).ok()?;
        let mut block = Block::new();
        if block.try_reserve_exact(self.block).is_err() {
            // There is less memory than was thought: what is kept has to do.
            self.free.store(0, Ordering::Relaxed);
            return None;
        }
        Some(block)
    }

    /// Writes all that a part keeps in memory into a file, in one piece. `false` where it keeps
    /// nothing.
    fn spill(&self, store: usize, part: usize) -> Result<bool> {
        let mut place = lock(&self.parts[part]);
        let Part { kept, written, .. } = &mut *place;
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

    fn write<'a>(&self, store: usize, pieces: impl Iterator<Item = &'a [u64]>) -> Result<Place> {
        let place = lock(&self.stores[store]).append(pieces).map_err(|error| {
            let so_far = self.stored.load(Ordering::Relaxed);
            temporary(&self.folder, &format!("writing after {so_far} bytes of temporary data"), error)
        })?;
        self.stored.fetch_add(8 * place.len as u64, Ordering::Relaxed);
        Ok(place)
    }

    /// How many hashes there are.
    pub(super) fn len(&mut self) -> u64 {
        let mut len: usize = self.filling().map(|(_, hashes)| hashes.len()).sum();
        for part in &mut self.parts {
            let Part { kept, written, .. } = owned(part);
            len += kept.iter().map(Vec::len).sum::<usize>();
            len += written.iter().map(|(_, place)| place.len).sum::<usize>();
        }
        len as u64
    }

    /// How many different hashes there are, and whether that is exact.
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

    /// The hashes in memory: all of them, where there are few.
    fn in_memory(&mut self) -> Vec<u64> {
        let mut all: Vec<u64> = self.filling().flat_map(|(_, hashes)| hashes).copied().collect();
        for part in &mut self.parts {
            all.extend(owned(part).kept.iter().flatten());
        }
        all
    }

    /// What is in blocks that are not full, with its part.
    fn filling(&mut self) -> impl Iterator<Item = (usize, &[u64])> {
        let desks = self.desks.get_mut().unwrap_or_else(PoisonError::into_inner);
        desks.iter().flat_map(|desk| desk.filling.iter().map(Vec::as_slice).enumerate())
    }

    /// Gives the hashes of one part to `take`.
    pub(super) fn part(&self, part: usize, take: &mut dyn FnMut(&[u64])) -> Result<()> {
        let Part { kept, written, .. } = &*lock(&self.parts[part]);
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
            // Where that fails, the block stays full, and the next hash tries again.
            if block.len() == block.capacity() {
                self.spool.exchange(*store, part, block)?;
            }
            block.push(hash);
        }
        Ok(())
    }
}

impl Drop for Sorter<'_> {
    /// Leaves what it has with the spool.
    fn drop(&mut self) {
        let empty = Desk { store: 0, filling: Vec::new() };
        let desk = mem::replace(&mut self.desk, empty);
        self.spool.desks.write().unwrap_or_else(PoisonError::into_inner).push(desk);
    }
}

/// By how many hashes the first block of a part is shorter than a block.
///
/// Parts grow about alike. Blocks that begin at the same place of a page and are equally full
/// compete for the same few sets of the first-level cache; so the first blocks of the parts have 32
/// different lengths.
fn shorter_by(part: usize) -> usize {
    part % 32 * 8
}

/// What is behind a lock that no other thread can have.
fn owned<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
