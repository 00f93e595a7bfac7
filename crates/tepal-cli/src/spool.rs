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
//! The files lie in the folder of the output ([`store`]).

mod store;

use std::io;
use std::mem;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::slice::ChunksExactMut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use crate::build::different;
use crate::distinct::DistinctCounter;
use crate::error::Failure;
use crate::input::parallel::lock;
use crate::spool::store::{Place, Store};
use crate::text::message::{io_text, shown};
use crate::text::number;

/// How many of the highest bits of a hash name its part.
pub const PART_BITS: u32 = 7;
const PARTS: usize = 1 << PART_BITS;
/// Memory of a spool in hashes: 46 MiB, beside a filter and within 64 MiB more than it together with the rest.
const MEMORY: usize = 46 << 17;
/// Hashes of a block: 32 KiB, less where several threads fill blocks, so that these take a few MiB in all.
const BLOCK: usize = 1 << 12;
/// The least of it.
const SMALL_BLOCK: usize = 1 << 8;
/// Files at most: a process may not have many.
const FILES: usize = 16;
/// Up to this many hashes, the different ones are counted by sorting: exactly.
const FEW: u64 = 1 << 16;

/// The memory of a spool for so many threads. Where it is not used it costs nothing.
pub fn memory(threads: NonZeroUsize) -> Vec<u64> {
    vec![0; MEMORY.max(2 * PARTS * block(threads) * sorters(threads))]
}

/// Hashes of a block where so many threads fill some.
fn block(threads: NonZeroUsize) -> usize {
    (BLOCK / threads.get().min(BLOCK).next_power_of_two()).max(SMALL_BLOCK)
}

/// Sorters at a time: the caller's own, and those of the threads that it starts.
fn sorters(threads: NonZeroUsize) -> usize {
    threads.get() + 1
}

/// Hashes, by parts.
pub struct Spool<'m> {
    parts: Vec<Mutex<Part<'m>>>,
    /// What no thread has at the moment.
    desks: RwLock<Vec<Desk<'m>>>,
    /// Blocks that nobody has filled yet.
    free: Mutex<ChunksExactMut<'m, u64>>,
    /// The files.
    stores: Vec<Mutex<Store>>,
    /// Bytes in them.
    stored: AtomicU64,
    folder: PathBuf,
}

/// The full blocks of hashes with the same highest bits.
#[derive(Default)]
struct Part<'m> {
    /// Has seen all of them. Nothing while there are none.
    counter: Option<DistinctCounter>,
    /// Those in memory.
    kept: Vec<&'m mut [u64]>,
    /// Those in files: the number of the file, and where in it.
    written: Vec<(usize, Place)>,
}

/// What one thread at a time fills.
struct Desk<'m> {
    /// The number of its file.
    store: usize,
    /// A block of each part.
    open: Vec<Open<'m>>,
}

/// A block being filled.
struct Open<'m> {
    block: &'m mut [u64],
    len: usize,
}

impl<'m> Desk<'m> {
    /// A desk in memory of its own.
    fn new(memory: &'m mut [u64], store: usize) -> Self {
        let blocks = memory.chunks_exact_mut(memory.len() / PARTS).enumerate();
        let open = blocks.map(|(part, block)| Open { block: &mut block[shorter_by(part)..], len: 0 });
        Self { store, open: open.collect() }
    }
}

/// Sorts hashes into a spool.
pub struct Sorter<'s, 'm> {
    spool: &'s Spool<'m>,
    desk: Desk<'m>,
}

impl<'m> Spool<'m> {
    /// An empty spool in the [`memory`] for so many threads, whose files lie in `folder`, which must allow that.
    pub fn new(folder: &Path, memory: &'m mut [u64], threads: NonZeroUsize) -> Result<Self, Failure> {
        let files = sorters(threads).min(FILES);
        let stores: io::Result<_> = (0..files).map(|_| Store::new(folder).map(Mutex::new)).collect();
        let stores = stores.map_err(|error| {
            let text = format!("{}; expected a folder to write in", io_text(&error));
            Failure::at(&shown(folder), text)
        })?;
        let block = block(threads);
        let (own, common) = memory.split_at_mut(block * PARTS * sorters(threads));
        let own = own.chunks_exact_mut(block * PARTS).enumerate();
        Ok(Self {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            desks: RwLock::new(own.map(|(number, own)| Desk::new(own, number % files)).collect()),
            free: Mutex::new(common.chunks_exact_mut(block)),
            stores,
            stored: AtomicU64::new(0),
            folder: folder.to_owned(),
        })
    }

    /// The files, which take a while to close.
    pub fn into_files(self) -> impl Send + use<> {
        self.stores
    }

    /// What a thread sorts with.
    ///
    /// # Panics
    /// If there are as many as the spool is for.
    pub fn sorter(&self) -> Sorter<'_, 'm> {
        let desk = self.desks.write().unwrap_or_else(PoisonError::into_inner).pop();
        Sorter { spool: self, desk: desk.expect("no more sorters than threads") }
    }

    /// Takes a full block of a part and puts an empty one in its place: the same, if its hashes go to a file.
    #[cold]
    #[inline(never)]
    fn exchange(&self, store: usize, part: usize, block: &mut &'m mut [u64]) -> Result<(), Failure> {
        let mut place = lock(&self.parts[part]);
        let Part { counter, kept, written } = &mut *place;
        counter.get_or_insert_with(|| DistinctCounter::of_part(PART_BITS, part)).add(block);
        let free = lock(&self.free).next();
        match free {
            Some(free) => kept.push(mem::replace(block, free)),
            None => written.push((store, self.write(store, block)?)),
        }
        Ok(())
    }

    fn write(&self, store: usize, block: &[u64]) -> Result<Place, Failure> {
        let place = lock(&self.stores[store]).append(block).map_err(|error| {
            let so_far = number::size(self.stored.load(Ordering::Relaxed));
            let text = format!("{} after {so_far} of temporary data", io_text(&error));
            Failure::at(&shown(&self.folder), text)
        })?;
        self.stored.fetch_add(size_of_val(block) as u64, Ordering::Relaxed);
        Ok(place)
    }

    /// How many hashes there are.
    pub fn len(&mut self) -> u64 {
        let mut len: usize = self.opened().map(|(_, hashes)| hashes.len()).sum();
        for part in &mut self.parts {
            let Part { kept, written, .. } = owned(part);
            len += kept.iter().map(|block| block.len()).sum::<usize>();
            len += written.iter().map(|(_, place)| place.len).sum::<usize>();
        }
        len as u64
    }

    /// How many different hashes there are, and whether that is exact.
    pub fn different(&mut self) -> (u64, bool) {
        let len = self.len();
        if len <= FEW {
            let mut all = self.in_memory();
            all.sort_unstable();
            all.dedup();
            return (all.len() as u64, true);
        }
        let mut counters: Vec<_> = self.parts.iter_mut().map(|part| owned(part).counter.take()).collect();
        for (part, hashes) in self.opened() {
            counters[part].get_or_insert_with(|| DistinctCounter::of_part(PART_BITS, part)).add(hashes);
        }
        different(len, DistinctCounter::estimate_of(counters.iter().flatten()))
    }

    /// The hashes in memory: all of them, where there are few.
    fn in_memory(&mut self) -> Vec<u64> {
        let mut all: Vec<u64> = self.opened().flat_map(|(_, hashes)| hashes).copied().collect();
        self.parts.iter_mut().for_each(|part| all.extend(owned(part).kept.iter().flat_map(|block| &**block)));
        all
    }

    /// What is in blocks that are not full, with its part.
    fn opened(&mut self) -> impl Iterator<Item = (usize, &[u64])> {
        let desks = self.desks.get_mut().unwrap_or_else(PoisonError::into_inner);
        desks.iter().flat_map(|desk| desk.open.iter().map(Open::hashes).enumerate())
    }

    /// Gives the hashes of one part to `take`.
    pub fn part(&self, part: usize, take: &mut dyn FnMut(&[u64])) -> Result<(), Failure> {
        let Part { kept, written, .. } = &*lock(&self.parts[part]);
        kept.iter().for_each(|block| take(block));
        let mut block = Vec::new();
        for (store, place) in written {
            let read = lock(&self.stores[*store]).read(place, &mut block);
            read.map_err(|error| Failure::io(&shown(&self.folder), &error))?;
            take(&block);
        }
        let desks = self.desks.read().unwrap_or_else(PoisonError::into_inner);
        desks.iter().for_each(|desk| take(desk.open[part].hashes()));
        Ok(())
    }
}

impl Open<'_> {
    fn hashes(&self) -> &[u64] {
        &self.block[..self.len]
    }
}

impl Sorter<'_, '_> {
    /// Adds hashes.
    pub fn push(&mut self, hashes: &[u64]) -> Result<(), Failure> {
        let Desk { store, open } = &mut self.desk;
        for &hash in hashes {
            let part = (hash >> (u64::BITS - PART_BITS)) as usize;
            let open = &mut open[part];
            open.block[open.len] = hash;
            open.len += 1;
            if open.len == open.block.len() {
                open.len = 0;
                self.spool.exchange(*store, part, &mut open.block)?;
            }
        }
        Ok(())
    }
}

impl Drop for Sorter<'_, '_> {
    /// Leaves what it has with the spool.
    fn drop(&mut self) {
        let empty = Desk { store: 0, open: Vec::new() };
        let desk = mem::replace(&mut self.desk, empty);
        self.spool.desks.write().unwrap_or_else(PoisonError::into_inner).push(desk);
    }
}

/// By how many hashes the first block of a part is shorter than a block.
///
/// Parts grow about alike. When all blocks begin at the same place of a page, the ends of the hashes in them compete for
/// the same few sets of the first-level cache; so they begin at 32 places, a cache line apart.
fn shorter_by(part: usize) -> usize {
    part % 32 * 8
}

/// What is behind a lock that no other thread can have.
fn owned<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
