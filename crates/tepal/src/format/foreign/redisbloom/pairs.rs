//! Takes the pairs of `SCANDUMP` one by one, as `LOADCHUNK` sends them.

use alloc::vec::Vec;

use super::Claims;
use super::chain::Body;
use crate::bits::memory::copy_of;
use crate::error::{Error, Result};
use crate::format::beside::Read;
use crate::format::foreign::format::Reading;

/// A RedisBloom filter whose pairs of `BF.SCANDUMP` arrive one by one.
///
/// The first pair, the header, tells everything but the bits. It is checked before anything is
/// allocated, and memory grows with the bytes that arrive.
///
/// ```
/// use tepal::{BloomFilter, Opened, Scheme, file::{Format, Pairs}};
/// let builder = BloomFilter::builder().scheme(Scheme::RedisBloom).capacity(100);
/// let mut seen = Opened::new(builder.expansion(2).build_chain()?, Format::RedisBloom)?;
/// seen.insert("apple")?;
///
/// let (mut iterator, header) = seen.pair(0)?.expect("the header");
/// let mut pairs = Pairs::new(&header)?;
/// while let Some((next, data)) = seen.pair(iterator)? {
///     pairs.push(next, &data)?;
///     iterator = next;
/// }
/// assert!(pairs.is_complete() && pairs.finish()?.contains("apple"));
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pairs {
    header: Vec<u8>,
    /// The bytes of each filter.
    lens: Vec<u64>,
    pieces: Vec<Vec<u8>>,
    found: u64,
}

impl Pairs {
    /// Begins with the header, the data of the first pair.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Parameter`] and [`Error::Unsupported`] for a header that no
    /// server writes.
    pub fn new(header: &[u8]) -> Result<Self> {
        let claims = Claims::read(header)?;
        claims.check()?;
        let lens = claims.links.iter().map(|link| link.bits / 8).collect();
        Ok(Pairs { header: copy_of(header)?, lens, pieces: Vec::new(), found: 0 })
    }

    /// The bytes of bits that the header announces.
    #[must_use]
    pub fn announced(&self) -> u64 {
        self.lens.iter().fold(0, |sum, len| sum.saturating_add(*len))
    }

    /// The bytes of bits that have arrived.
    #[must_use]
    pub fn arrived(&self) -> u64 {
        self.found
    }

    /// Whether all bits have arrived.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.found == self.announced()
    }

    /// All pairs so far, the header first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut at = 1;
        core::iter::once((1, self.header.as_slice())).chain(self.pieces.iter().map(move |piece| {
            at += piece.len() as u64;
            (at, piece.as_slice())
        }))
    }

    /// Takes the next pair: a piece of the bits of one filter.
    ///
    /// # Errors
    /// [`Error::Damaged`] for a pair that does not come next, [`Error::TooLarge`] if there is no
    /// memory for it. Nothing changes then.
    pub fn push(&mut self, iterator: u64, data: &[u8]) -> Result<()> {
        let (mut end, mut found) = (0u64, self.found);
        for len in &self.lens {
            end = end.saturating_add(*len);
            if end > found {
                break;
            }
        }
        found = found.saturating_add(data.len() as u64);
        if data.is_empty() || found > end || iterator != found.saturating_add(1) {
            return Err(Error::damaged(format_args!(
                "a pair has the iterator {iterator} and {} bytes, which is not what comes next",
                data.len()
            )));
        }
        let piece = copy_of(data)?;
        self.pieces.try_reserve(1).map_err(|_| Error::TooLarge { bytes: data.len() as u64 })?;
        self.pieces.push(piece);
        self.found = found;
        Ok(())
    }

    /// Gives the last pair up: the number of bytes in it, or 0 if only the header is there.
    pub fn pop(&mut self) -> usize {
        let len = self.pieces.pop().map_or(0, |piece| piece.len());
        self.found -= len as u64;
        len
    }

    /// The filter of all pairs.
    pub(in crate::format) fn read(&self) -> Result<Read> {
        if !self.is_complete() {
            return Err(Error::damaged(format_args!(
                "{} bytes of its bits have arrived of {}",
                self.found,
                self.announced()
            )));
        }
        let mut claims = Claims::read(&self.header)?;
        let mut pieces = self.pieces.iter();
        for link in &mut claims.links {
            let (mut body, mut rest) = (Vec::new(), link.bits / 8);
            while rest > 0 {
                // All bytes are there, and no piece crosses the end of a filter.
                let Some(piece) = pieces.next() else { break };
                rest -= piece.len() as u64;
                body.push(piece.as_slice());
            }
            link.body = Body::Pieces(body);
        }
        claims.made(Reading::default())
    }
}
