//! The hashes of a list until its length is known: some in memory, the others in a file.
//!
//! They are kept by their highest bits. In every layout but `scattered` these say where in a filter a key's bits lie,
//! so when the hashes come back part after part, the filter is filled region after region, each of them near the
//! processor: a fraction of the time that filling it in the order of the list would take. Counting the different ones
//! gains by it in the same way.
//!
//! The file lies in the folder of the output, has no name there, and is gone with the process.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use crate::build::different;
use crate::distinct::DistinctCounter;
use crate::error::{Failure, io_text, shown};
use crate::number;
use crate::parallel::started;

/// How many of the highest bits of a hash name its part.
const PART_BITS: u32 = 7;
const PARTS: usize = 1 << PART_BITS;
/// Hashes of one block: 32 KiB.
const BLOCK: usize = 1 << 12;
/// Blocks that stay in memory, those being filled included: 44 MiB, beside a filter and within 64 MiB more than it
/// together with the rest.
const BLOCKS: usize = 1408;
/// Blocks that are read ahead when they come back.
const AHEAD: usize = 8;
/// Up to this many hashes, the different ones are counted by sorting: exactly.
const FEW: u64 = 1 << 16;

/// Hashes, those of a part in the order they came.
pub struct Spool {
    parts: Vec<Part>,
    /// Has seen all full blocks.
    counter: DistinctCounter,
    /// Blocks in memory.
    blocks: usize,
    file: File,
    folder: PathBuf,
    /// Blocks in the file.
    in_file: u64,
    len: u64,
}

/// The hashes with the same highest bits.
#[derive(Default)]
struct Part {
    /// The block being filled.
    open: Vec<u64>,
    /// Full blocks in memory.
    kept: Vec<Vec<u64>>,
    /// Full blocks in the file, by their places there.
    written: Vec<u64>,
}

impl Spool {
    /// An empty spool whose file lies in `folder`, which must allow that.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let file = tempfile::tempfile_in(folder).map_err(|error| {
            let text = format!("{}; expected a folder to write in", io_text(&error));
            Failure::at(&shown(folder), text)
        })?;
        let parts = (0..PARTS).map(|_| Part::default()).collect();
        let counter = DistinctCounter::new();
        Ok(Self { parts, counter, blocks: 0, file, folder: folder.to_owned(), in_file: 0, len: 0 })
    }

    /// How many hashes there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds hashes.
    pub fn push(&mut self, hashes: &[u64]) -> Result<(), Failure> {
        for &hash in hashes {
            let part = (hash >> (u64::BITS - PART_BITS)) as usize;
            let open = &mut self.parts[part].open;
            if open.len() == open.capacity() {
                self.make_room(part)?;
            }
            self.parts[part].open.push(hash);
        }
        self.len += hashes.len() as u64;
        Ok(())
    }

    /// Makes room in the block that a part fills.
    #[cold]
    fn make_room(&mut self, part: usize) -> Result<(), Failure> {
        let Part { open, kept, written } = &mut self.parts[part];
        if open.capacity() < BLOCK {
            // A short list fills no blocks.
            let more = (2 * open.len()).clamp(64, BLOCK) - open.len();
            open.reserve_exact(more);
            return Ok(());
        }
        self.counter.add(open);
        if self.blocks + PARTS < BLOCKS {
            kept.push(std::mem::replace(open, Vec::with_capacity(BLOCK)));
            self.blocks += 1;
            return Ok(());
        }
        if let Err(error) = self.file.write_all(bytemuck::cast_slice(open)) {
            let so_far = number::size(self.in_file * (8 * BLOCK) as u64);
            let text = format!("{} after {so_far} of temporary data", io_text(&error));
            return Err(Failure::at(&shown(&self.folder), text));
        }
        written.push(self.in_file);
        self.in_file += 1;
        open.clear();
        Ok(())
    }

    /// How many different hashes there are, and whether that is exact.
    pub fn different(&mut self) -> (u64, bool) {
        if self.len <= FEW {
            let mut all: Vec<u64> = self.kept().copied().collect();
            all.sort_unstable();
            all.dedup();
            return (all.len() as u64, true);
        }
        for part in &self.parts {
            self.counter.add(&part.open);
        }
        different(self.len, self.counter.estimate())
    }

    /// The hashes in memory: all of them, where there are few.
    fn kept(&self) -> impl Iterator<Item = &u64> {
        self.parts.iter().flat_map(|part| part.kept.iter().flatten().chain(&part.open))
    }

    /// Gives all hashes to `take`, part after part, and frees their memory on the way. Where there may be more than
    /// one thread, another one reads the file ahead.
    pub fn drain(
        self,
        threads: NonZeroUsize,
        take: impl FnMut(&[u64]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Self { parts, file, folder, .. } = self;
        let mut reader = Reader { file, folder };
        let places: Vec<u64> = parts.iter().flat_map(|part| &part.written).copied().collect();
        if threads.get() == 1 || places.is_empty() {
            let mut places = places.into_iter();
            return give(parts, take, |block| {
                places.next().map_or(Ok(()), |place| reader.read(place, block))
            });
        }
        let (free, empty) = mpsc::channel::<Vec<u64>>();
        let (send, full) = mpsc::channel();
        for _ in 0..AHEAD {
            // The receiver is at hand.
            let _ = free.send(Vec::new());
        }
        let read = move || {
            for (place, mut block) in places.into_iter().zip(empty) {
                let read = reader.read(place, &mut block);
                if send.send(read.map(|()| block)).is_err() {
                    return;
                }
            }
        };
        thread::scope(move |scope| {
            started(thread::Builder::new().name("tepal spool".to_owned()).spawn_scoped(scope, read))?;
            give(parts, take, |block| match full.recv() {
                Ok(next) => {
                    // The reading thread may have ended.
                    let _ = free.send(std::mem::replace(block, next?));
                    Ok(())
                }
                Err(_) => panic!("a thread of this program has panicked"),
            })
        })
    }
}

/// Gives all hashes to `take`; `next` puts the next block of the file into the place of another.
fn give(
    parts: Vec<Part>,
    mut take: impl FnMut(&[u64]) -> Result<(), Failure>,
    mut next: impl FnMut(&mut Vec<u64>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut block = Vec::new();
    for Part { open, kept, written } in parts {
        for kept in kept {
            take(&kept)?;
        }
        for _ in written {
            next(&mut block)?;
            take(&block)?;
        }
        take(&open)?;
    }
    Ok(())
}

/// Reads blocks back.
struct Reader {
    file: File,
    folder: PathBuf,
}

impl Reader {
    /// Reads the block at a place.
    fn read(&mut self, place: u64, block: &mut Vec<u64>) -> Result<(), Failure> {
        block.resize(BLOCK, 0);
        let start = SeekFrom::Start(place * (8 * BLOCK) as u64);
        let read = self.file.seek(start).and_then(|_| self.file.read_exact(bytemuck::cast_slice_mut(block)));
        read.map_err(|error| Failure::io(&shown(&self.folder), &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hashes_come_back_by_parts_from_memory_and_from_the_file() {
        for n in [0, 1, BLOCK, BLOCK * PARTS + 1, BLOCK * BLOCKS + 1, 2 * BLOCK * BLOCKS + 5] {
            let folder = tempfile::tempdir().unwrap();
            let mut spool = Spool::new(folder.path()).unwrap();
            // Spread over all parts, in no order of them.
            let hash = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let all: Vec<u64> = (0..n as u64).map(hash).collect();
            for piece in all.chunks(1000) {
                spool.push(piece).unwrap();
            }
            assert_eq!(spool.len(), n as u64);
            assert!(spool.kept().count() <= BLOCK * BLOCKS);
            assert_eq!(spool.kept().count() == n, n <= BLOCK * (BLOCKS - PARTS), "{n}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            let mut back = Vec::new();
            let threads = NonZeroUsize::new(1 + n % 2).unwrap();
            spool
                .drain(threads, |hashes| {
                    back.extend_from_slice(hashes);
                    Ok(())
                })
                .unwrap();
            let part = |hash: &u64| hash >> (u64::BITS - PART_BITS);
            assert!(back.is_sorted_by_key(part));
            back.sort_unstable();
            let mut all = all;
            all.sort_unstable();
            assert!(back == all);
        }
    }

    #[test]
    fn hashes_that_are_all_alike_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path()).unwrap();
        let n = BLOCK * (BLOCKS + 2) + 3;
        for _ in 0..n {
            spool.push(&[u64::MAX]).unwrap();
        }
        let mut back = 0;
        spool
            .drain(NonZeroUsize::MIN, |hashes| {
                assert!(hashes.iter().all(|&hash| hash == u64::MAX));
                back += hashes.len();
                Ok(())
            })
            .unwrap();
        assert_eq!(back, n);
    }

    #[test]
    fn draining_ends_where_a_block_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path()).unwrap();
        spool.push(&vec![7; BLOCK * (BLOCKS + 50)]).unwrap();
        let mut left = 20;
        let drained = spool.drain(NonZeroUsize::new(2).unwrap(), |_| {
            left -= 1;
            if left == 0 { Err(Failure::new("enough")) } else { Ok(()) }
        });
        assert!(matches!(drained, Err(Failure::Message(text)) if text == "enough"));
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(Spool::new(Path::new("/no/such/folder")).is_err());
    }
}
