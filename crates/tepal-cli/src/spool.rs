//! The hashes of a list until its length is known: the first ones in memory, the others in a file.
//!
//! The file lies in the folder of the output, has no name there, and is gone with the process.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Failure, io_text, shown};
use crate::number;

/// Hashes of one block: 512 KiB.
const BLOCK: usize = 1 << 16;
/// Blocks that stay in memory: 44 MiB, beside a filter and within 64 MiB more than it together with the rest.
const BLOCKS: usize = 88;

/// Hashes in the order they came.
pub struct Spool {
    /// The first hashes.
    kept: Vec<Vec<u64>>,
    /// Hashes on their way to the file.
    waiting: Vec<u64>,
    file: File,
    folder: PathBuf,
    in_file: u64,
}

impl Spool {
    /// An empty spool whose file lies in `folder`, which must allow that.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let file = tempfile::tempfile_in(folder).map_err(|error| {
            let text = format!("{}; expected a folder to write in", io_text(&error));
            Failure::at(&shown(folder), text)
        })?;
        Ok(Self { kept: Vec::new(), waiting: Vec::new(), file, folder: folder.to_owned(), in_file: 0 })
    }

    /// How many hashes there are.
    pub fn len(&self) -> u64 {
        let kept: usize = self.kept.iter().map(Vec::len).sum();
        self.in_file + (kept + self.waiting.len()) as u64
    }

    /// Adds hashes.
    pub fn push(&mut self, mut hashes: &[u64]) -> Result<(), Failure> {
        while !hashes.is_empty() {
            let block = self.block()?;
            let (fit, rest) = hashes.split_at(hashes.len().min(BLOCK - block.len()));
            block.extend_from_slice(fit);
            hashes = rest;
        }
        Ok(())
    }

    /// A block with room.
    fn block(&mut self) -> Result<&mut Vec<u64>, Failure> {
        let full = self.kept.last().is_none_or(|block| block.len() == BLOCK);
        if full && self.kept.len() < BLOCKS {
            self.kept.push(Vec::with_capacity(BLOCK));
        } else if full {
            if self.waiting.len() == BLOCK {
                self.write()?;
            }
            self.waiting.reserve_exact(BLOCK - self.waiting.len());
            return Ok(&mut self.waiting);
        }
        let last = self.kept.len() - 1;
        Ok(&mut self.kept[last])
    }

    /// Writes the waiting hashes to the file.
    fn write(&mut self) -> Result<(), Failure> {
        if let Err(error) = self.file.write_all(bytemuck::cast_slice(&self.waiting)) {
            let written = number::size(self.in_file * 8);
            let text = format!("{} after {written} of temporary data", io_text(&error));
            return Err(Failure::at(&shown(&self.folder), text));
        }
        self.in_file += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// The hashes that are kept: all of them, where there are few.
    pub fn kept(&self) -> impl Iterator<Item = &u64> {
        self.kept.iter().flatten()
    }

    /// Gives all hashes to `take`, in order, and frees their memory on the way.
    pub fn drain(mut self, mut take: impl FnMut(&[u64]) -> Result<(), Failure>) -> Result<(), Failure> {
        for block in self.kept {
            take(&block)?;
        }
        let fail = |error: io::Error| Failure::io(&shown(&self.folder), &error);
        if self.in_file > 0 {
            self.file.rewind().map_err(fail)?;
        }
        let mut block = vec![0_u64; self.in_file.min(BLOCK as u64) as usize];
        let mut left = self.in_file;
        while left > 0 {
            let n = left.min(BLOCK as u64) as usize;
            let bytes = bytemuck::cast_slice_mut(&mut block[..n]);
            self.file.read_exact(bytes).map_err(fail)?;
            take(&block[..n])?;
            left -= n as u64;
        }
        take(&self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_come_back_in_order_from_memory_and_from_the_file() {
        for n in [0, 1, BLOCK, BLOCK + 1, BLOCK * BLOCKS, BLOCK * BLOCKS + 1, BLOCK * (BLOCKS + 2) + 5] {
            let folder = tempfile::tempdir().unwrap();
            let mut spool = Spool::new(folder.path()).unwrap();
            let all: Vec<u64> = (0..n as u64).collect();
            for piece in all.chunks(1000) {
                spool.push(piece).unwrap();
            }
            assert_eq!(spool.len(), n as u64);
            assert_eq!(spool.kept().count(), n.min(BLOCK * BLOCKS));
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            let mut next = 0;
            spool
                .drain(|hashes| {
                    assert!(hashes.iter().copied().eq(next..next + hashes.len() as u64));
                    next += hashes.len() as u64;
                    Ok(())
                })
                .unwrap();
            assert_eq!(next, n as u64);
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(Spool::new(Path::new("/no/such/folder")).is_err());
    }
}
