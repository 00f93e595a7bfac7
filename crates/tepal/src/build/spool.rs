//! The hashes of a list until its length is known: some in memory, the others in files.
//!
//! They are kept by their highest bits. In every layout but `scattered` these say where in a filter a key's bits lie,
//! so when the hashes come back part after part, the filter is filled region after region, each of them near the
//! processor: a fraction of the time that filling it in the order of the list would take. Counting the different ones
//! gains by it in the same way.
//!
//! Each thread sorts into blocks of its own and, up to 16, has a file of its own ([`Sorter`]); a block that is full
//! changes hands under its part's lock, and is not copied.
//!
//! The files lie in a folder of the caller's choice ([`super::store`]).

use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::boxed::Box;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::vec::Vec;
use std::{format, io, mem, vec};

use super::distinct::{DistinctCounter, different};
use super::store::{Place, Store};
use super::temporary;
use crate::error::Result;
use crate::kinds::bloom::bulk::lock;

/// How many of the highest bits of a hash name its part.
pub(super) const PART_BITS: u32 = 7;
const PARTS: usize = 1 << PART_BITS;
/// Memory of a spool in hashes: 46 MiB, beside a filter and within 64 MiB more than it together with the rest.
const MEMORY: usize = 46 << 17;
/// Hashes of a block: 32 KiB, less where several threads fill blocks, so that these take a few MiB in all.
const BLOCK: usize = 1 << 12;
/// The least of it.
const SMALL_BLOCK: usize = 1 << 8;
/// Files at most: a process may not have many.
const FILES: usize = 16;
/// More threads than this gain nothing.
const MOST_THREADS: usize = 256;
/// Up to this many hashes, the different ones are counted by sorting: exactly.
const FEW: u64 = 1 << 16;

/// Hashes of a block where so many threads fill some.
fn block(threads: NonZeroUsize) -> usize {
    (BLOCK / threads.get().min(BLOCK).next_power_of_two()).max(SMALL_BLOCK)
}

/// Sorters at a time, for which memory is set aside: the caller's own, and those of the threads that it starts.
fn sorters(threads: NonZeroUsize) -> usize {
    threads.get().min(MOST_THREADS) + 1
}

/// Hashes, by parts.
pub(super) struct Spool {
    parts: Vec<Mutex<Part>>,
    /// What no thread has at the moment.
    desks: RwLock<Vec<Desk>>,
    /// How many desks there are.
    made: AtomicUsize,
    /// Hashes of a block.
    block: usize,
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
    /// Those in files: the number of the file, and where in it.
    written: Vec<(usize, Place)>,
}

/// What one thread at a time fills.
struct Desk {
    /// The number of its file.
    store: usize,
    /// A block of each part.
    filling: Vec<Block>,
}

/// Hashes of one part.
struct Block {
    hashes: Box<[u64]>,
    len: usize,
}

impl Block {
    fn new(room: usize) -> Self {
        Block { hashes: vec![0; room].into(), len: 0 }
    }

    fn hashes(&self) -> &[u64] {
        &self.hashes[..self.len]
    }
}

impl Desk {
    fn new(block: usize, store: usize) -> Self {
        Desk { store, filling: (0..PARTS).map(|part| Block::new(block - shorter_by(part))).collect() }
    }
}

/// Sorts hashes into a spool.
pub(super) struct Sorter<'s> {
    spool: &'s Spool,
    desk: Desk,
}

impl Spool {
    /// An empty spool for so many threads, whose files lie in `folder`, which must allow that.
    pub(super) fn new(folder: &Path, threads: NonZeroUsize) -> Result<Self> {
        let files = sorters(threads).min(FILES);
        let stores: io::Result<_> = (0..files).map(|_| Store::new(folder).map(Mutex::new)).collect();
        let stores = stores.map_err(|error| temporary(folder, "making a temporary file", error))?;
        let block = block(threads);
        // What the desks take is part of the whole.
        let desks = block * PARTS * sorters(threads);
        let free = MEMORY.max(2 * desks).saturating_sub(desks) / block;
        Ok(Self {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            desks: RwLock::default(),
            made: AtomicUsize::new(0),
            block,
            free: AtomicUsize::new(free),
            stores,
            stored: AtomicU64::new(0),
            folder: folder.to_owned(),
        })
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

    /// Takes a full block of a part and puts an empty one in its place: the same, if its hashes go to a file.
    #[cold]
    #[inline(never)]
    fn exchange(&self, store: usize, part: usize, block: &mut Block) -> Result<()> {
        let mut place = lock(&self.parts[part]);
        let Part { counter, kept, written } = &mut *place;
        counter.get_or_insert_with(|| DistinctCounter::of_part(PART_BITS, part)).add(block.hashes());
        let take_one = |free: usize| free.checked_sub(1);
        match self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one) {
            Ok(_) => kept.push(mem::replace(block, Block::new(self.block))),
            Err(_) => {
                written.push((store, self.write(store, block.hashes())?));
                block.len = 0;
            }
        }
        Ok(())
    }

    fn write(&self, store: usize, block: &[u64]) -> Result<Place> {
        let place = lock(&self.stores[store]).append(block).map_err(|error| {
            let so_far = self.stored.load(Ordering::Relaxed);
            temporary(&self.folder, &format!("writing after {so_far} bytes of temporary data"), error)
        })?;
        self.stored.fetch_add(size_of_val(block) as u64, Ordering::Relaxed);
        Ok(place)
    }

    /// How many hashes there are.
    pub(super) fn len(&mut self) -> u64 {
        let mut len: usize = self.filling().map(|(_, hashes)| hashes.len()).sum();
        for part in &mut self.parts {
            let Part { kept, written, .. } = owned(part);
            len += kept.iter().map(|block| block.len).sum::<usize>();
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
            all.extend(owned(part).kept.iter().flat_map(Block::hashes));
        }
        all
    }

    /// What is in blocks that are not full, with its part.
    fn filling(&mut self) -> impl Iterator<Item = (usize, &[u64])> {
        let desks = self.desks.get_mut().unwrap_or_else(PoisonError::into_inner);
        desks.iter().flat_map(|desk| desk.filling.iter().map(Block::hashes).enumerate())
    }

    /// Gives the hashes of one part to `take`.
    pub(super) fn part(&self, part: usize, take: &mut dyn FnMut(&[u64])) -> Result<()> {
        let Part { kept, written, .. } = &*lock(&self.parts[part]);
        kept.iter().for_each(|block| take(block.hashes()));
        let mut block = Vec::new();
        for (store, place) in written {
            let read = lock(&self.stores[*store]).read(place, &mut block);
            read.map_err(|error| temporary(&self.folder, "reading temporary data", error))?;
            take(&block);
        }
        let desks = self.desks.read().unwrap_or_else(PoisonError::into_inner);
        desks.iter().for_each(|desk| take(desk.filling[part].hashes()));
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
            if block.len == block.hashes.len() {
                self.spool.exchange(*store, part, block)?;
            }
            block.hashes[block.len] = hash;
            block.len += 1;
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
/// Parts grow about alike. Blocks that begin at the same place of a page and are equally full compete for the same few
/// sets of the first-level cache; so the first blocks of the parts have 32 different lengths.
fn shorter_by(part: usize) -> usize {
    part % 32 * 8
}

/// What is behind a lock that no other thread can have.
fn owned<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
