//! The body in chunks, as the file holds it.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::bits::{self, LINE_BYTES, Line};

/// Bytes of the body under one checksum.
pub(super) const CHUNK_BYTES: u64 = 65_536;
/// Lines in a chunk.
const CHUNK_LINES: usize = (CHUNK_BYTES / LINE_BYTES) as usize;

/// The body as the file holds it, chunk by chunk: the words little-endian, whatever the machine.
pub(super) fn chunks(lines: &[Line]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    lines.chunks(CHUNK_LINES).map(bytes_of)
}

/// Lines as the file holds them.
fn bytes_of(lines: &[Line]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(lines))
    } else {
        Cow::Owned(bits::words(lines).iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// [`chunks`] of a body in pieces that follow each other. A chunk that lies in several of them is a
/// copy.
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

/// Is told of each piece of a file that is not needed any more, at least for now.
pub(super) type Done<'r> = &'r dyn Fn(&[u8]);
