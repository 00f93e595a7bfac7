//! Keys that wait until their number is known, for schemes without a hash that could wait in their
//! place.
//!
//! The file has no name and is removed with the process.

use std::format;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::vec::Vec;

use super::store::temporary;
use crate::error::Result;
use crate::key::PreparedKeys;

/// The bytes of a buffer for writing and reading.
const BUFFER: usize = 1 << 20;
/// The most keys of a batch that is passed on, and the bytes after which it ends.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 1 << 22;

/// Keys in the order of their arrival, each after its length.
pub(super) struct KeySpool {
    file: BufWriter<File>,
    folder: PathBuf,
    keys: u64,
    bytes: u64,
}

impl KeySpool {
    /// Makes an empty spool whose file is in `folder`.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder)
            .map_err(|error| temporary(folder, "making a temporary file", error))?;
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(Self { file, folder: folder.to_owned(), keys: 0, bytes: 0 })
    }

    /// Adds keys. After an error no keys may be added, and the spool cannot be read back.
    pub(super) fn push(&mut self, keys: &PreparedKeys) -> Result<()> {
        for key in keys.each() {
            let len = key.len() as u64;
            let written = self.file.write_all(&len.to_le_bytes()).and_then(|()| self.file.write_all(key));
            written.map_err(|error| {
                let doing = format!("writing after {} bytes of temporary data", self.bytes);
                temporary(&self.folder, &doing, error)
            })?;
            self.bytes += 8 + len;
            self.keys += 1;
        }
        Ok(())
    }

    /// Passes all keys to `take`, in order.
    pub(super) fn drain(self, mut take: impl FnMut(&PreparedKeys) -> Result<()>) -> Result<()> {
        let fail = |error: io::Error| temporary(&self.folder, "reading temporary data", error);
        let mut file = self.file.into_inner().map_err(|error| fail(error.into_error()))?;
        file.rewind().map_err(fail)?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let (mut batch, mut bytes) = (PreparedKeys::default(), 0);
        let mut key = Vec::new();
        for _ in 0..self.keys {
            let mut len = [0; 8];
            file.read_exact(&mut len).map_err(fail)?;
            // It was the length of a key in memory, so it fits `usize`.
            key.resize(u64::from_le_bytes(len) as usize, 0);
            file.read_exact(&mut key).map_err(fail)?;
            batch.push_bytes(&key);
            bytes += key.len();
            if batch.len() == BATCH || bytes > BATCH_BYTES {
                take(&batch)?;
                batch.clear();
                bytes = 0;
            }
        }
        take(&batch)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn keys_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = KeySpool::new(folder.path()).unwrap();
        let keys: Vec<Vec<u8>> = (0..5000_usize).map(|n| vec![n as u8; (n * n) % 3001]).collect();
        for piece in keys.chunks(700) {
            let mut batch = PreparedKeys::default();
            piece.iter().for_each(|key| batch.push_bytes(key));
            spool.push(&batch).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut back = Vec::new();
        spool
            .drain(|batch| {
                back.extend(batch.each().map(<[u8]>::to_vec));
                Ok(())
            })
            .unwrap();
        assert!(back == keys);
    }
}
