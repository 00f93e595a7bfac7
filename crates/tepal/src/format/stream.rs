//! Reads a file from a stream of bytes.

use std::io::Read;
use std::vec::Vec;

use super::envelope::{Header, Lengths, MAGIC, START};
use super::open::Open;
use super::opened::Opened;
use crate::error::{Error, Looks, Result, advice};
#[cfg(feature = "foreign")]
use crate::ids::Format;
use crate::kinds::{AnyFilter, FromFile};

/// The most bytes of another program's filter that are read from a pipe. A tepal file records its
/// length; their files may not.
const MOST: u64 = 256 << 20;

/// Checks the header of a file before its length is used: [`Open::check_header`] of the requested
/// type.
pub(super) type CheckHeader<'a> = fn(&Open<'a>, Lengths, &[u8]) -> Result<()>;

impl<'a> Open<'a> {
    /// Reads one tepal file from a stream, and no byte after it: a stream can contain several
    /// files. Everything is checked, as in [`from_bytes`](Self::from_bytes).
    ///
    /// Memory grows with the bytes that arrive, not with the length in the header. The reads are
    /// few and large; a buffer around `stream` is not needed.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`]. At the end of the stream:
    /// [`Error::NotTepal`] with [`Looks::Empty`]. Few files of other programs record their end:
    /// read all of the stream and use [`from_bytes`](Self::from_bytes).
    pub fn read_from(&self, mut stream: impl Read) -> Result<Opened> {
        let bytes = self.file_in(&mut stream, Open::<'a>::check_header::<AnyFilter>)?;
        let (filter, is_sealed) = self.read(&bytes)?;
        self.opened(filter, is_sealed)
    }

    /// The same for a filter of one kind.
    pub(super) fn read_one<F: FromFile>(&self, stream: &mut dyn Read) -> Result<F> {
        let bytes = self.file_in(stream, Open::<'a>::check_header::<F>)?;
        Ok(self.read(&bytes)?.0)
    }

    /// Checks the header for the requested type.
    pub(super) fn check_header<F: FromFile>(&self, lengths: Lengths, head: &[u8]) -> Result<()> {
        Header::decode::<F>(lengths, head, self.given_keys()).map(drop)
    }

    /// The bytes of one file. Its length is used only after the header was checked, so that a
    /// stream is not read past the end of a damaged file.
    fn file_in(&self, stream: &mut dyn Read, check: CheckHeader<'a>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        read_up_to(stream, START as u64, &mut bytes)?;
        if bytes.len() < START || !bytes.starts_with(&MAGIC) {
            return Err(Error::NotTepal {
                found: if bytes.is_empty() { Looks::Empty } else { super::envelope::looks_like(&bytes) },
            });
        }
        self.rest_of_file(stream, &mut bytes, check)?;
        Ok(bytes)
    }

    /// Reads on after the first [`START`] bytes of a tepal file, up to its end.
    fn rest_of_file(&self, stream: &mut dyn Read, bytes: &mut Vec<u8>, check: CheckHeader<'a>) -> Result<()> {
        let file_len = u64::from_le_bytes(core::array::from_fn(|i| bytes[START - 8 + i]));
        let lengths = Lengths::read(bytes, file_len)?;
        read_up_to(stream, lengths.body_offset, bytes)?;
        // If there are fewer bytes, the file was cut, and opening reports it.
        if bytes.len() as u64 == lengths.body_offset {
            check(self, lengths, bytes)?;
            read_up_to(stream, file_len, bytes)?;
        }
        Ok(())
    }

    /// The bytes of one filter, of tepal or of another program, from a pipe that should end with
    /// it. If the pipe does not end, enough bytes that opening refuses them.
    pub(super) fn all_of(&self, stream: &mut dyn Read, check: CheckHeader<'a>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        read_up_to(stream, START as u64, &mut bytes)?;
        if bytes.len() < START {
            return Ok(bytes);
        }
        if bytes.starts_with(&MAGIC) {
            self.rest_of_file(stream, &mut bytes, check)?;
            let one_more = bytes.len() as u64 + 1;
            read_up_to(stream, one_more, &mut bytes)?;
        } else if self.may_be_foreign(&bytes) {
            read_up_to(stream, MOST + 1, &mut bytes)?;
            if bytes.len() as u64 > MOST {
                let (what, instead) =
                    ("a pipe gives more than is read of it", advice!("save it to a file, and open that"));
                return Err(Error::PastLimit { what, most: MOST, instead });
            }
        }
        Ok(bytes)
    }

    /// May a file with these first bytes be another program's filter, or one that can be refused
    /// only at its end?
    #[cfg(feature = "foreign")]
    fn may_be_foreign(&self, first: &[u8]) -> bool {
        let is_told = self.format.is_some_and(|format| format != Format::Tepal);
        is_told
            || super::foreign::is_marked(first)
            || matches!(super::envelope::looks_like(first), Looks::Other(_))
    }

    /// This build reads no other programs' files.
    #[cfg(not(feature = "foreign"))]
    fn may_be_foreign(&self, _: &[u8]) -> bool {
        false
    }
}

/// Reads until there are `len` bytes, or the stream ends.
pub(super) fn read_up_to(stream: &mut dyn Read, len: u64, bytes: &mut Vec<u8>) -> Result<()> {
    let missing = len.saturating_sub(bytes.len() as u64);
    let reading = |source| Error::Io { path: None, doing: "reading a filter".into(), source };
    stream.take(missing).read_to_end(bytes).map(drop).map_err(reading)
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
