//! What a header says of the bits, kept so that they can be held against it: at opening, or later.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use super::chunks;
use super::header::{CHUNK_BYTES, Header};
use super::seal::{Seal, SealKey};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::filters::bloom::BloomFilter;
use crate::filters::bloom::storage::{Bits, Storage};

/// What the bits of an opened file must be. All of it stood under the header's checksum.
#[derive(Debug)]
pub(crate) struct BodyCheck {
    body_offset: u64,
    bit_len: u64,
    set_bits: u64,
    chunk_table: Vec<u64>,
    seal: Option<Seal>,
    /// Have the bits been found right, and not wrong since?
    passed: AtomicBool,
}

impl BodyCheck {
    /// `head` are the bytes before the body, `written_seal` those after it. That there is a key if and only if
    /// there is a seal was checked with the header.
    pub(super) fn new(
        header: &mut Header,
        head: &[u8],
        written_seal: &[u8],
        key: Option<&SealKey>,
    ) -> Result<Self> {
        Ok(BodyCheck {
            body_offset: header.lengths.body_offset,
            bit_len: header.meta.shape.bit_len,
            set_bits: header.set_bits,
            chunk_table: core::mem::take(&mut header.chunk_table),
            seal: key.map(|key| Seal::new(key, head, written_seal)).transpose()?,
            passed: AtomicBool::new(false),
        })
    }

    /// Steps 7 and 8 of FORMAT.md, section 4.6: every chunk's checksum, the padding, the number of set bits, the
    /// seal.
    pub(super) fn run(&self, lines: &[Line]) -> Result<()> {
        let checked = self
            .chunks_are_right(lines)
            .and_then(|()| self.counts_are_right(lines))
            .and_then(|()| self.seal.as_ref().map_or(Ok(()), |seal| seal.check(lines)));
        self.passed.store(checked.is_ok(), Ordering::Relaxed);
        checked
    }

    #[cfg(feature = "std")]
    pub(super) fn is_sealed(&self) -> bool {
        self.seal.is_some()
    }

    fn chunks_are_right(&self, lines: &[Line]) -> Result<()> {
        for (i, (chunk, &expected)) in (0u64..).zip(chunks(lines).zip(&self.chunk_table)) {
            let found = xxh3_64(&chunk);
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

    fn counts_are_right(&self, lines: &[Line]) -> Result<()> {
        let set_bits = bits::count(lines);
        if bits::count_below(lines, self.bit_len) != set_bits {
            return Err(Error::damaged(format_args!(
                "bits are set beyond the last one, {}",
                self.bit_len - 1
            )));
        }
        if set_bits != self.set_bits {
            return Err(Error::damaged(format_args!(
                "{set_bits} bits are set, and the header says {}",
                self.set_bits
            )));
        }
        Ok(())
    }
}

impl<L: AsRef<[Line]>> BloomFilter<L> {
    /// The filter, whose bits are those of a file.
    #[cfg(feature = "std")]
    pub(super) fn of_file(mut self, check: BodyCheck) -> Self {
        self.body_check = Some(alloc::sync::Arc::new(check));
        self
    }
}

impl<L: Storage> BloomFilter<L> {
    /// To be called before the bits go into another filter or file, whose new checksums would hide what is
    /// wrong with them. Costs a pass over the bits of a filter that was opened quick and not verified since;
    /// else nothing.
    pub(crate) fn check_before_copying(&self) -> Result<()> {
        match (&self.body_check, self.lines.view().0) {
            (Some(check), Bits::Plain(lines)) if !check.passed.load(Ordering::Relaxed) => check.run(lines),
            _ => Ok(()),
        }
    }
}
