//! The body in chunks, in the byte order of the file.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::bits::{self, LINE_BYTES, Line};

/// Bytes of the body that share one checksum.
pub(super) const CHUNK_BYTES: u64 = 65_536;
/// Lines in a chunk.
const CHUNK_LINES: usize = (CHUNK_BYTES / LINE_BYTES) as usize;

/// The body chunk by chunk, in the byte order of the file: little-endian words on every machine.
pub(super) fn chunks(lines: &[Line]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    lines.chunks(CHUNK_LINES).map(bytes_of)
}

/// Lines in the byte order of the file.
fn bytes_of(lines: &[Line]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(lines))
    } else {
        Cow::Owned(bits::words(lines).iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// [`chunks`] of a body in consecutive pieces. A chunk that lies in several pieces is copied.
pub(super) fn chunks_of<'a>(pieces: &'a [&'a [Line]]) -> impl Iterator<Item = Cow<'a, [u8]>> {
    let (mut pieces, mut here) = (pieces.iter().copied(), &[][..]);
    core::iter::from_fn(move || {
        while here.is_empty() {
            here = pieces.next()?;
        }
        let (first, rest) = here.split_at(here.len().min(CHUNK_LINES));
        here = rest;
        if first.len() == CHUNK_LINES {
            return Some(bytes_of(first));
        }
        let mut chunk = Vec::with_capacity(CHUNK_BYTES as usize);
        chunk.extend_from_slice(&bytes_of(first));
        while chunk.len() < CHUNK_BYTES as usize {
            let Some(next) = pieces.next() else { break };
            let missing = CHUNK_LINES - chunk.len() / LINE_BYTES as usize;
            let (more, rest) = next.split_at(next.len().min(missing));
            chunk.extend_from_slice(&bytes_of(more));
            here = rest;
        }
        Some(Cow::Owned(chunk))
    })
}

/// Called with each piece of a file that is no longer needed, at least for now.
pub(super) type Done<'r> = &'r dyn Fn(&[u8]);
