//! A file of hashes that has no name and is removed with the process.

use std::fs::File;
use std::io::{ErrorKind, IoSlice, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::vec::Vec;

use crate::error::Error;

/// The file.
pub(super) struct Store {
    file: File,
    /// The number of hashes in it.
    len: u64,
}

/// A range of consecutive hashes in it.
pub(super) struct StoredRange {
    start: u64,
    /// The number of hashes.
    pub(super) len: usize,
}

impl Store {
    /// An empty file in `folder`.
    pub(super) fn new(folder: &Path) -> Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, len: 0 })
    }

    /// Appends hashes, all pieces together. After an error the file must be neither written nor
    /// read.
    pub(super) fn append<'a>(&mut self, pieces: impl Iterator<Item = &'a [u64]>) -> Result<StoredRange> {
        let mut slices: Vec<_> = pieces.map(|piece| IoSlice::new(bytemuck::cast_slice(piece))).collect();
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        let mut left = &mut slices[..];
        // Empty slices at the front would look as if nothing could be written.
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match self.file.write_vectored(left) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => IoSlice::advance_slices(&mut left, written),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let place = StoredRange { start: self.len, len: bytes / size_of::<u64>() };
        self.len += place.len as u64;
        Ok(place)
    }

    /// Reads hashes of a place into `hashes`, from hash number `from` of the place on, up to the
    /// end of the place or of the slice. Returns their number. Nothing may be written after this
    /// call.
    pub(super) fn read(&mut self, place: &StoredRange, from: usize, hashes: &mut [u64]) -> Result<usize> {
        let len = hashes.len().min(place.len - from);
        self.file.seek(SeekFrom::Start(8 * (place.start + from as u64)))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut hashes[..len]))?;
        Ok(len)
    }
}

/// The error for a refused operation on a temporary file.
pub(super) fn temporary(folder: &Path, doing: &str, source: std::io::Error) -> Error {
    Error::io(folder, doing, source)
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut store = Store { file: File::open(file.path()).unwrap(), len: 0 };
        assert!(store.append([&[7u64][..]].into_iter()).is_err());
    }

    /// More pieces than the system takes at once, with empty ones among them.
    #[test]
    fn pieces_come_back_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::new(folder.path()).unwrap();
        let pieces: Vec<Vec<u64>> = (0..3000u64).map(|n| vec![n; (n % 5) as usize]).collect();
        let first = store.append(pieces.iter().map(Vec::as_slice)).unwrap();
        let second = store.append([&[7u64][..], &[]].into_iter()).unwrap();
        let nothing = store.append([].into_iter()).unwrap();
        let mut back = vec![0; first.len + 1];
        assert_eq!((store.read(&second, 0, &mut back).unwrap(), back[0]), (1, 7));
        assert_eq!(store.read(&nothing, 0, &mut back).unwrap(), 0);
        assert_eq!(store.read(&first, 0, &mut back).unwrap(), first.len);
        assert_eq!(back[..first.len], pieces.concat());
        assert_eq!(store.read(&first, 1000, &mut back[..10]).unwrap(), 10);
        assert_eq!(back[..10], pieces.concat()[1000..1010]);
        assert_eq!(store.read(&first, first.len - 3, &mut back[..10]).unwrap(), 3);
    }
}
