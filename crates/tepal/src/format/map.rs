//! Opening a file: mapped into memory where that can be, else read.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::vec::Vec;

use super::open::Open;
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;
use crate::hash::SecretKey;

/// The bits of an opened file: mapped, not copied, on little-endian machines with the feature `mmap`;
/// else in memory. Clones share them.
#[derive(Clone, Debug)]
pub struct Mapped(Backing);

#[derive(Clone, Debug)]
enum Backing {
    #[cfg(all(feature = "mmap", target_endian = "little"))]
    File {
        map: Arc<memmap2::Mmap>,
        body_offset: usize,
    },
    Memory(Arc<Vec<Line>>),
}

impl AsRef<[Line]> for Mapped {
    #[inline]
    fn as_ref(&self) -> &[Line] {
        match &self.0 {
            // The map starts on a page and the body on a multiple of 64: the cast cannot fail.
            #[cfg(all(feature = "mmap", target_endian = "little"))]
            Backing::File { map, body_offset } => bytemuck::cast_slice(&map[*body_offset..]),
            Backing::Memory(lines) => lines,
        }
    }
}

impl BloomFilter<Mapped> {
    /// Opens a file and checks all of it: header, lengths, parameters, hash self-test, and the checksum of
    /// every bit. A file that was damaged, cut, extended or made by something else is refused; any change
    /// of a single bit is found.
    ///
    /// The bits are mapped, not copied: they come from disk once, at memory speed, and are shared by all
    /// processes that open the file. Replacing the file by [`save`](BloomFilter::save) while it is open is
    /// safe. **Cutting or overwriting it in place is not**: the system then stops the process (`SIGBUS`) or
    /// answers change, as with every mapped file. Use [`BloomFilter::from_bytes`] where that can happen.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::NotTepal`], [`Error::Unsupported`] for a newer version or unknown kind,
    /// layout, scheme or flag, [`Error::Damaged`], [`Error::Parameter`] for impossible values,
    /// [`Error::KeyRequired`] for a filter made with a secret key, [`Error::SealRequired`] for a sealed file, and
    /// [`Error::TooLarge`] for a file of 2 GiB or more on a machine of 32 bits.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Open::new().open(path)
    }

    /// [`open`](Self::open) for a filter made with a secret key.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::WrongKey`]; [`Error::KeyNotUsed`] for a filter made without one.
    pub fn open_with_key(path: impl AsRef<Path>, key: &SecretKey) -> Result<Self> {
        Open::new().secret_key(key).open(path)
    }

    /// Opens a file without reading its bits, for files so large that [`open`](Self::open) takes too long.
    ///
    /// Damage before the bits is found, and so are cuts and additions; damage in the bits is found by
    /// [`verify`](Self::verify) alone: [`Open::quick`] has the details.
    ///
    /// # Errors
    /// As [`open`](Self::open), save for damage in the bits.
    pub fn open_quick(path: impl AsRef<Path>) -> Result<Self> {
        Open::new().quick().open(path)
    }

    /// Holds the bits against what the header says of them: every chunk's checksum, the padding, the number
    /// of set bits, and the seal where there is one. After [`open_quick`](Self::open_quick) this is the rest of
    /// what [`open`](Self::open) checks.
    ///
    /// Reads all of the file, at memory speed, and can be run beside lookups.
    ///
    /// # Errors
    /// [`Error::Damaged`], with the bytes of the first chunk that is; [`Error::WrongSeal`] for a file that was
    /// changed without the key of its seal.
    pub fn verify(&self) -> Result<()> {
        // Every opened file has it.
        self.body_check.as_ref().map_or(Ok(()), |check| check.run(self.lines.as_ref()))
    }

    /// Is the file sealed, and was it opened with a seal key? After a quick opening only
    /// [`verify`](Self::verify) says whether it is the right one.
    pub fn is_sealed(&self) -> bool {
        self.body_check.as_ref().is_some_and(|check| check.is_sealed())
    }

    /// Chunks of the file that have a checksum of their own: 64 KiB each, the last one up to that.
    pub fn chunks(&self) -> u64 {
        self.size_in_bytes().div_ceil(super::header::CHUNK_BYTES)
    }
}

impl Open<'_> {
    /// Opens a file, as [`BloomFilter::open`] says, with these keys and checks.
    ///
    /// # Errors
    /// As [`BloomFilter::open`]; [`Error::WrongKey`] and [`Error::KeyNotUsed`] for a secret that is not the
    /// filter's, [`Error::WrongSeal`] and [`Error::NotSealed`] for a seal key that is not the file's.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<BloomFilter<Mapped>> {
        let path = path.as_ref();
        let io = |source| Error::Io { doing: format!("{}: opening", path.display()), source };
        let mut file = File::open(path).map_err(io)?;
        let kind = file.metadata().map_err(io)?;
        if kind.is_file() && isize::try_from(kind.len()).is_err() {
            // No slice is that long: half of what 32 bits can address.
            return Err(Error::TooLarge { bytes: kind.len() });
        }
        #[cfg(all(feature = "mmap", target_endian = "little"))]
        if kind.is_file() && kind.len() > 0 {
            // SAFETY: the map is only read. That no one cuts or overwrites the file under it is what `open`
            // asks of its caller in its documentation; our own `save` replaces files and never does.
            let map = unsafe { memmap2::Mmap::map(&file) }.map_err(io)?;
            return self.of_map(map, &file);
        }
        if kind.is_dir() {
            return Err(io(std::io::ErrorKind::IsADirectory.into()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let (filter, check) = self.read(&bytes)?;
        let set_bits = filter.set_bits();
        let lines = Mapped(Backing::Memory(Arc::new(filter.lines)));
        Ok(BloomFilter::from_parts(filter.meta, lines, set_bits).of_file(check))
    }

    #[cfg(all(feature = "mmap", target_endian = "little"))]
    fn of_map(&self, mut map: memmap2::Mmap, file: &File) -> Result<BloomFilter<Mapped>> {
        let lengths = super::header::Lengths::read(&map, map.len() as u64)?;
        let body_offset = lengths.body_offset as usize;
        let head = &map[..body_offset];
        let mut header = super::header::Header::decode(lengths, head, self)?;
        let body_end = map.len() - header.seal_len();
        let check = super::check::BodyCheck::new(&mut header, head, &map[body_end..], self.seal)?;
        if body_end < map.len() {
            // A map that ends with the body, so that asking need not look where that is.
            // SAFETY: as for the whole file, in `open`.
            map = unsafe { memmap2::MmapOptions::new().len(body_end).map(file) }
                .map_err(|source| Error::Io { doing: "mapping a sealed file".into(), source })?;
        }
        let lines = Mapped(Backing::File { map: Arc::new(map), body_offset });
        if !self.quick {
            check.run(lines.as_ref())?;
        }
        Ok(BloomFilter::from_parts(header.meta, lines, header.set_bits).of_file(check))
    }
}

#[cfg(all(test, unix))]
mod tests;
