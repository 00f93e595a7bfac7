//! The keys of a list until its length is known, for schemes that have no hash to keep in their place.
//!
//! The file lies in the folder of the output, has no name there, and is gone with the process.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::Failure;
use crate::key_batch::KeyBatch;
use crate::text::message::{io_text, shown};
use crate::text::number;

/// Bytes gathered before they are written, and read at once.
const BUFFER: usize = 1 << 20;
/// Keys that are given at once, and the bytes after which a batch ends.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 1 << 22;

/// Keys in the order they came, each after its length.
pub struct KeySpool {
    file: BufWriter<File>,
    folder: PathBuf,
    keys: u64,
    bytes: u64,
}

impl KeySpool {
    /// An empty spool whose file lies in `folder`, which must allow that.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let file = tempfile::tempfile_in(folder).map_err(|error| {
            let text = format!("{}; expected a folder to write in", io_text(&error));
            Failure::at(&shown(folder), text)
        })?;
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(Self { file, folder: folder.to_owned(), keys: 0, bytes: 0 })
    }

    /// How many keys there are.
    pub fn len(&self) -> u64 {
        self.keys
    }

    /// Adds keys.
    pub fn push(&mut self, keys: &KeyBatch) -> Result<(), Failure> {
        for (_, key) in keys.iter() {
            let len = key.len() as u64;
            let written = self.file.write_all(&len.to_le_bytes()).and_then(|()| self.file.write_all(key));
            written.map_err(|error| {
                let text =
                    format!("{} after {} of temporary data", io_text(&error), number::size(self.bytes));
                Failure::at(&shown(&self.folder), text)
            })?;
            self.bytes += 8 + len;
        }
        self.keys += keys.len() as u64;
        Ok(())
    }

    /// Gives all keys to `take`, in order.
    pub fn drain(self, mut take: impl FnMut(&KeyBatch) -> Result<(), Failure>) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::io(&shown(&self.folder), &error);
        let mut file = self.file.into_inner().map_err(|error| fail(error.into_error()))?;
        file.rewind().map_err(fail)?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let (mut batch, mut bytes) = (KeyBatch::default(), 0);
        let mut key = Vec::new();
        for _ in 0..self.keys {
            let mut len = [0; 8];
            file.read_exact(&mut len).map_err(fail)?;
            // It was the length of a key in memory.
            key.resize(u64::from_le_bytes(len) as usize, 0);
            file.read_exact(&mut key).map_err(fail)?;
            batch.push(batch.len(), &key);
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
    use super::*;

    #[test]
    fn keys_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = KeySpool::new(folder.path()).unwrap();
        let keys: Vec<Vec<u8>> = (0..5000_usize).map(|n| vec![n as u8; (n * n) % 3001]).collect();
        for piece in keys.chunks(700) {
            let mut batch = KeyBatch::default();
            piece.iter().enumerate().for_each(|(i, key)| batch.push(i, key));
            spool.push(&batch).unwrap();
        }
        assert_eq!(spool.len(), 5000);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut back = Vec::new();
        spool
            .drain(|batch| {
                back.extend(batch.iter().map(|(_, key)| key.to_vec()));
                Ok(())
            })
            .unwrap();
        assert!(back == keys);
    }
}
