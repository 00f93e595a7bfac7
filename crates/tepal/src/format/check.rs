//! The checks of a file's bits, kept until they run: at opening, or later.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use super::chunks::chunks;
use super::envelope::{CHUNK_BYTES, Header, checksum};
use super::seal::{Seal, SealKey};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::kinds::{BodyChecked, CheckBody};

/// The expected properties of the bits of an opened file. The header's checksum covers them all.
pub(super) struct BodyCheck {
    body_offset: u64,
    chunk_table: Vec<u64>,
    own: Box<dyn CheckBody>,
    is_sealed: bool,
    /// Nothing of a file without a seal, and of one that was opened without the key of its seal.
    seal: Option<Seal>,
    /// Did the last check of the bits pass?
    passed: AtomicBool,
}

impl BodyCheck {
    /// `head` are the bytes before the body, `exceptions` the bytes after it, and `written_seal`
    /// the last bytes. The header's checks ensured that there is no key without a seal.
    pub(super) fn new(
        header: &mut Header,
        own: Box<dyn CheckBody>,
        head: &[u8],
        exceptions: &[u8],
        written_seal: &[u8],
        key: Option<&SealKey>,
    ) -> Result<Self> {
        Ok(BodyCheck {
            body_offset: header.lengths.body_offset,
            chunk_table: core::mem::take(&mut header.chunk_table),
            own,
            is_sealed: header.seal_len() > 0,
            seal: key.map(|key| Seal::new(key, head, exceptions, written_seal)).transpose()?,
            passed: AtomicBool::new(false),
        })
    }

    fn chunks_are_right(&self, lines: &[Line]) -> Result<()> {
        for (i, (chunk, &expected)) in (0u64..).zip(chunks(lines).zip(&self.chunk_table)) {
            let found = checksum(&chunk);
            if found != expected {
                let from = self.body_offset + i * CHUNK_BYTES;
                return Err(Error::damaged(format_args!(
                    "bytes {from} to {} have the checksum {found:016x}, and {expected:016x} was written",
                    from + chunk.len() as u64 - 1
                )));
            }
        }
        Ok(())
    }
}

impl BodyChecked for BodyCheck {
    /// Steps 7 and 8 of FORMAT.md, section 4.6: every chunk's checksum, the checks of the kind, the
    /// seal.
    fn run(&self, lines: &[Line]) -> Result<()> {
        let checked = self
            .chunks_are_right(lines)
            .and_then(|()| self.own.check(lines))
            .and_then(|()| self.seal.as_ref().map_or(Ok(()), |seal| seal.check(lines)));
        self.passed.store(checked.is_ok(), Ordering::Relaxed);
        checked
    }

    fn has_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    fn is_sealed(&self) -> bool {
        self.is_sealed
    }
}
