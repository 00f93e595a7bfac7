//! Filters and files: `FORMAT.md` in code. Only this room knows of files.
//!
//! A tepal file is an envelope around what a kind of filter gives and takes: [`envelope`] is everything but the bits, with
//! its [`records`]; [`check`] holds the bits against it; [`mod@write`] writes and [`replace`] saves atomically, over the file that the `stamp` says; [`map`] maps
//! a file without copying it, and [`view`] asks one inside the caller's bytes; [`seal`] is for files that must not be swapped. [`open`] says how to open, and [`opened`] is
//! a filter with where it came from. `patch` makes one file of another, from the bits that differ. The bits with 16 bytes behind them, for stores that keep the rest, are in [`embedded`]. Other programs' files are in `foreign`, one file a format.

mod behind;
mod check;
mod embedded;
mod envelope;
#[cfg(feature = "foreign")]
pub(crate) mod foreign;
#[cfg(feature = "std")]
pub(crate) mod map;
mod of_kinds;
pub(crate) mod open;
pub(crate) mod opened;
#[cfg(feature = "extras")]
pub(crate) mod patch;
mod records;
#[cfg(feature = "std")]
pub(crate) mod replace;
#[cfg(test)]
mod samples;
pub(crate) mod seal;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "std")]
mod stamp;
#[cfg(feature = "std")]
mod stream;
pub(crate) mod view;
mod write;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::bits::{self, LINE_BYTES, Line};
use crate::error::Looks;
use crate::ids::{Format, KeyDomain, Layout, Scheme};

/// Lines in a chunk.
const CHUNK_LINES: usize = (envelope::CHUNK_BYTES / LINE_BYTES) as usize;

/// The body as the file holds it, chunk by chunk: the words little-endian, whatever the machine.
fn chunks(lines: &[Line]) -> impl Iterator<Item = Cow<'_, [u8]>> {
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

/// [`chunks`] of a body in pieces that follow each other. A chunk that lies in several of them is a copy.
fn chunks_of<'a>(pieces: &'a [&'a [Line]]) -> impl Iterator<Item = Cow<'a, [u8]>> {
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
        let mut chunk = Vec::with_capacity(envelope::CHUNK_BYTES as usize);
        chunk.extend_from_slice(&bytes_of(first));
        while chunk.len() < envelope::CHUNK_BYTES as usize {
            let Some(next) = pieces.next() else { break };
            let missing = CHUNK_LINES - chunk.len() / LINE_BYTES as usize;
            let (more, rest) = next.split_at(next.len().min(missing));
            chunk.extend_from_slice(&bytes_of(more));
            here = rest;
        }
        Some(Cow::Owned(chunk))
    })
}

impl Format {
    /// The format that a file's mark names: bytes that are there for no other reason, or that fit the
    /// length of the file so closely that chance is ruled out. `None` where the format must be told. A mark of another
    /// program counts only where the rest can be read, so this costs as much as reading the file; but for the ten bytes that
    /// begin a `DUMP` of RedisBloom: what begins so is one, if a damaged one.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(&envelope::MAGIC) {
            return Some(Format::Tepal);
        }
        #[cfg(feature = "foreign")]
        return foreign::read_marked(bytes, Default::default()).map(|(format, _)| format);
        #[cfg(not(feature = "foreign"))]
        None
    }

    /// The schemes whose filters it holds, the one that its program uses today first.
    #[must_use]
    pub fn schemes(self) -> &'static [Scheme] {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.schemes();
        }
        match self {
            Format::Tepal => Scheme::ALL,
            // Left out of this build.
            _ => &[],
        }
    }

    /// The one layout whose filters it holds, where the scheme alone does not say it.
    #[must_use]
    pub fn layout(self) -> Option<Layout> {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.layout();
        }
        None
    }

    /// How its program can have made bytes of its keys: the key domains in which its files are asked.
    ///
    /// What is missing has no meaning there. A program that takes nothing but bytes has [`KeyDomain::Bytes`] and, for bytes
    /// that are no text, [`KeyDomain::Hex`].
    #[must_use]
    pub fn key_domains(self) -> &'static [KeyDomain] {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.key_domains();
        }
        match self {
            Format::Tepal => KeyDomain::ALL,
            // Left out of this build.
            _ => &[],
        }
    }

    /// Do its files say how many keys they were planned for, and at which rate?
    #[must_use]
    pub fn records_plan(self) -> bool {
        #[cfg(feature = "foreign")]
        if let Some(foreign) = foreign::of(self) {
            return foreign.records_plan();
        }
        true
    }
}

/// Is told of each piece of a file that is not needed any more, at least for now.
type Done<'r> = &'r dyn Fn(&[u8]);

/// What bytes that are no tepal file look like, for the error.
fn looks_like(bytes: &[u8]) -> Looks {
    let first = &bytes[..bytes.len().min(8)];
    let is_text = |b: &u8| matches!(b, b'\t'..=b'\r' | b' '..=b'~') || *b >= 0x80;
    // More of them than are shown: the first bytes of a filter may be letters by chance.
    let start = &bytes[..bytes.len().min(256)];
    let is_utf8 = core::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    match first {
        [] => Looks::Empty,
        [0x1F, 0x8B, ..] => Looks::Packed("gzip"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Looks::Packed("zstd"),
        [b'P', b'K', 3 | 5, ..] => Looks::Packed("zip"),
        [0x89, b'T', b'E', b'P', b'A', b'L', ..] => Looks::TextMode,
        _ if envelope::MAGIC.starts_with(first) => Looks::Cut,
        _ if is_utf8 && start.iter().all(is_text) => Looks::Text(String::from_utf8_lossy(first).into_owned()),
        _ => Looks::Other(first.into()),
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
