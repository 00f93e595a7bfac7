//! What a file says of its bits, kept so that they can be held against it: at opening, or later.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use super::chunks::chunks;
use super::envelope::{CHUNK_BYTES, Header, checksum};
use super::seal::{Seal, SealKey};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::kinds::{BodyChecked, CheckBody};

/// What the bits of an opened file must be. All of it stood under the header's checksum.
pub(super) struct BodyCheck {
    body_offset: u64,
    chunk_table: Vec<u64>,
    own: Box<dyn CheckBody>,
    seal: Option<Seal>,
    /// Have the bits been found right, and not wrong since?
    passed: AtomicBool,
}

impl BodyCheck {
    /// `head` are the bytes before the body, `exceptions` those after it, and `written_seal` the
    /// last. That there is a key if and only if there is a seal was checked with the header.
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
    /// Steps 7 and 8 of FORMAT.md, section 4.6: every chunk's checksum, what the kind demands, the
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
        self.seal.is_some()
    }
}
