//! Opening a file: mapped into memory where that can be, else read.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::vec::Vec;

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
        map: std::sync::Arc<memmap2::Mmap>,
        body_offset: usize,
    },
    Memory(std::sync::Arc<Vec<Line>>),
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
    /// layout, scheme or flag, [`Error::Damaged`], [`Error::Parameter`] for impossible values, and
    /// [`Error::KeyRequired`] for a filter made with a secret key.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        open(path.as_ref(), None)
    }

    /// [`open`](Self::open) for a filter made with a secret key.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::WrongKey`]; [`Error::KeyNotUsed`] for a filter made without one.
    pub fn open_with_key(path: impl AsRef<Path>, key: &SecretKey) -> Result<Self> {
        open(path.as_ref(), Some(key))
    }
}

fn open(path: &Path, key: Option<&SecretKey>) -> Result<BloomFilter<Mapped>> {
    let io = |source| Error::Io { doing: format!("{}: opening", path.display()), source };
    let mut file = File::open(path).map_err(io)?;
    let kind = file.metadata().map_err(io)?;
    #[cfg(all(feature = "mmap", target_endian = "little"))]
    if kind.is_file() && kind.len() > 0 {
        // SAFETY: the map is only read. That no one cuts or overwrites the file under it is what `open`
        // asks of its caller in its documentation; our own `save` replaces files and never does.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(io)?;
        return from_map(map, key);
    }
    if kind.is_dir() {
        return Err(io(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io)?;
    let filter = super::from_bytes(&bytes, key)?;
    let set_bits = filter.set_bits();
    let lines = Mapped(Backing::Memory(std::sync::Arc::new(filter.lines)));
    Ok(BloomFilter::from_parts(filter.meta, lines, set_bits))
}

#[cfg(all(feature = "mmap", target_endian = "little"))]
fn from_map(map: memmap2::Mmap, key: Option<&SecretKey>) -> Result<BloomFilter<Mapped>> {
    let lengths = super::Lengths::read(&map, map.len() as u64)?;
    let body_offset = lengths.body_offset as usize;
    let header = super::Header::decode(lengths, &map[..body_offset], key)?;
    let lines = Mapped(Backing::File { map: std::sync::Arc::new(map), body_offset });
    super::check_body(&header, lines.as_ref())?;
    Ok(BloomFilter::from_parts(header.meta, lines, header.set_bits))
}
