//! Reading a file out of a stream of bytes.

use std::io::Read;
use std::vec::Vec;

use super::envelope::{Header, Lengths, MAGIC, START};
use super::open::Open;
use super::opened::Opened;
use crate::error::{Error, Looks, Result};
#[cfg(feature = "foreign")]
use crate::ids::Format;
use crate::kinds::{AnyFilter, FromFile};

/// The most bytes that are read of another program's filter out of a pipe: a tepal file says its
/// length, theirs may not.
const MOST: u64 = 256 << 20;

/// Says whether the header of a file is right, before its length is believed:
/// [`Open::check_header`] of what is asked for.
pub(super) type CheckHeader<'a> = fn(&Open<'a>, Lengths, &[u8]) -> Result<()>;

impl<'a> Open<'a> {
    /// Reads one tepal file out of a stream, and leaves what follows it: files can stand one after
    /// the other. Everything is checked, as by [`from_bytes`](Self::from_bytes).
    ///
    /// Memory grows with what has come, not with what the file says of its length. The reads are
    /// few and large; a buffer around `stream` is not needed.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`Error::Io`]; at the end of the stream
    /// [`Error::NotTepal`] with [`Looks::Empty`]. Of other programs' files few say where they end:
    /// read all of it, for [`from_bytes`](Self::from_bytes).
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

    /// Is the header that of a file of what is asked for?
    pub(super) fn check_header<F: FromFile>(&self, lengths: Lengths, head: &[u8]) -> Result<()> {
        Header::decode::<F>(lengths, head, self.secret, self.seal).map(drop)
    }

    /// The bytes of one file. Its length is believed once the header is known to be right, so that
    /// a stream is not read past the end of a damaged file.
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

    /// Reads on after the first [`START`] bytes of a tepal file, to its end.
    fn rest_of_file(&self, stream: &mut dyn Read, bytes: &mut Vec<u8>, check: CheckHeader<'a>) -> Result<()> {
        let file_len = u64::from_le_bytes(core::array::from_fn(|i| bytes[START - 8 + i]));
        let lengths = Lengths::read(bytes, file_len)?;
        read_up_to(stream, lengths.body_offset, bytes)?;
        // Where fewer come than that, the file is cut, and opening says so.
        if bytes.len() as u64 == lengths.body_offset {
            check(self, lengths, bytes)?;
            read_up_to(stream, file_len, bytes)?;
        }
        Ok(())
    }

    /// The bytes of one filter, ours or another program's, out of a pipe that should end with it.
    /// Of one that does not, so many that opening refuses them.
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
                    ("a pipe gives more than is read of it", "save it to a file, and open that");
                return Err(Error::PastLimit { what, most: MOST, instead });
            }
        }
        Ok(bytes)
    }

    /// Whether bytes that begin so can be a filter of another program, or can be told to be none
    /// only at their end.
    #[cfg(feature = "foreign")]
    fn may_be_foreign(&self, first: &[u8]) -> bool {
        let is_told = self.format.is_some_and(|format| format != Format::Tepal);
        is_told
            || super::foreign::is_marked(first)
            || matches!(super::envelope::looks_like(first), Looks::Other(_))
    }

    /// This build reads no other program's files.
    #[cfg(not(feature = "foreign"))]
    fn may_be_foreign(&self, _: &[u8]) -> bool {
        false
    }
}

/// Reads on until there are so many bytes, or no more come.
pub(super) fn read_up_to(stream: &mut dyn Read, len: u64, bytes: &mut Vec<u8>) -> Result<()> {
    let missing = len.saturating_sub(bytes.len() as u64);
    let reading = |source| Error::Io { doing: "reading a filter".into(), source };
    stream.take(missing).read_to_end(bytes).map(drop).map_err(reading)
}

#[cfg(test)]
mod tests;
