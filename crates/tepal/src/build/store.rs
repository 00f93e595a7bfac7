//! A file of hashes that has no name and is gone with the process.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::vec::Vec;

/// The file.
pub(super) struct Store {
    file: File,
    /// Hashes in it.
    len: u64,
}

/// Hashes that follow each other in it.
pub(super) struct Place {
    start: u64,
    /// How many they are.
    pub(super) len: usize,
}

impl Store {
    /// An empty file in `folder`.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, len: 0 })
    }

    /// Writes hashes after those that are there. After an error nothing more is to be written, nor read.
    pub(super) fn append(&mut self, hashes: &[u64]) -> Result<Place> {
        self.file.write_all(bytemuck::cast_slice(hashes))?;
        let place = Place { start: self.len, len: hashes.len() };
        self.len += hashes.len() as u64;
        Ok(place)
    }

    /// Reads hashes back, in place of what `hashes` holds. After that nothing more is to be written.
    pub(super) fn read(&mut self, place: &Place, hashes: &mut Vec<u64>) -> Result<()> {
        hashes.resize(place.len, 0);
        self.file.seek(SeekFrom::Start(8 * place.start))?;
        self.file.read_exact(bytemuck::cast_slice_mut(hashes))
    }
}
