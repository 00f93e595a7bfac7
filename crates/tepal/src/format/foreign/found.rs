//! Makes a filter from the fields of a foreign file.

use super::format::{PIECE, Reading};
use crate::bits::shape::Shape;
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::ids::{Layout, OverCapacity, Scheme};
use crate::key::schemes::{Hasher, Parameters, sizing};
use crate::key::{KeyHasher, Recipe};
use crate::kinds::bloom::{BloomFilter, BloomMeta, shape_of};
use crate::kinds::storage::Owned;
use crate::params::keys_for_fill;

/// The fields of a foreign file: the filter, and its use if the file records it.
pub(super) struct ForeignFields<'r> {
    pub(super) scheme: Scheme,
    pub(super) parameters: Parameters,
    pub(super) reading: Reading<'r>,
    pub(super) layout: Layout,
    pub(super) num_hashes: u32,
    pub(super) bit_len: u64,
    pub(super) capacity: Option<u64>,
    pub(super) rate: Option<f64>,
    pub(super) inserted: Option<u64>,
}

/// No program plans more keys for each bit than this. The next link of a chain is sized by the
/// capacity of its last one, and a small file must not cause a huge allocation.
const MOST_KEYS_A_BIT: u64 = 64;

impl<'r> ForeignFields<'r> {
    /// The fields for a scheme without parameters, from a file that does not record its use.
    pub(super) fn of(scheme: Scheme, reading: Reading<'r>, num_hashes: u32, bit_len: u64) -> Self {
        let (parameters, layout) = (Parameters::default(), Layout::Scattered);
        let (capacity, rate, inserted) = (None, None, None);
        ForeignFields { scheme, parameters, reading, layout, num_hashes, bit_len, capacity, rate, inserted }
    }

    /// The filter with these bits, given as words of 8 bytes. Their length was compared with the
    /// file's.
    pub(super) fn filter_of_words(self, bytes: &[u8], word: impl Fn([u8; 8]) -> u64) -> Result<BloomFilter> {
        let reading = self.reading;
        self.filled(|lines| {
            let mut words = bits::words_mut(lines).iter_mut();
            for piece in bytes.chunks(PIECE) {
                for (b, here) in piece.chunks_exact(8).zip(words.by_ref()) {
                    *here = word([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
                }
                reading.done(piece);
            }
        })
    }

    /// The filter with these bits, given as pieces of bytes, the lowest bit first.
    pub(super) fn filter_of_bytes<'a>(self, pieces: impl Iterator<Item = &'a [u8]>) -> Result<BloomFilter> {
        let reading = self.reading;
        self.filled(|lines| {
            let mut rest: &mut [u8] = bytemuck::cast_slice_mut(lines);
            for piece in pieces.flat_map(|bytes| bytes.chunks(PIECE)) {
                let (here, later) = core::mem::take(&mut rest).split_at_mut(piece.len());
                here.copy_from_slice(piece);
                reading.done(piece);
                rest = later;
            }
            bits::words_mut(lines).iter_mut().for_each(|word| *word = u64::from_le(*word));
        })
    }

    /// The shape of the filter, after the checks that need no bits.
    pub(super) fn shape(&self) -> Result<Shape> {
        let shape = shape_of(self.scheme, self.layout, self.num_hashes, self.bit_len)?;
        match self.capacity.filter(|keys| *keys / MOST_KEYS_A_BIT > shape.bit_len) {
            None => Ok(shape),
            Some(keys) => {
                Err(Error::damaged(format_args!("{} bits are said to hold {keys} keys", shape.bit_len)))
            }
        }
    }

    /// The filter with lines from `fill`.
    fn filled(self, fill: impl FnOnce(&mut [Line])) -> Result<BloomFilter> {
        let (scheme, shape) = (self.scheme, self.shape()?);
        let mut lines = bits::zeroed(shape.lines())?;
        fill(&mut lines);
        let set_bits = bits::count_within(&lines, shape.bit_len)?;
        let capacity = match self.capacity {
            Some(keys) if keys > 0 => keys,
            // Not recorded: the number of keys that sets half of the bits, or those it already
            // holds.
            _ => {
                let held = keys_for_fill(shape.layout, shape.num_hashes, shape.bit_len, set_bits);
                sizing::half_full(shape.num_hashes, shape.bit_len).max(libm::ceil(held) as u64)
            }
        };
        let expected = || sizing::rate_at(scheme, shape.num_hashes, shape.bit_len, capacity);
        let promised_rate = self.rate.filter(|rate| *rate > 0.0 && *rate < 1.0).unwrap_or_else(expected);
        let hasher = Hasher::new(scheme, &self.parameters)?;
        let meta = BloomMeta {
            shape,
            keys: KeyHasher::new(hasher, self.reading.domain, Recipe::default()),
            // None of these programs refuses a key to keep a promised rate.
            over_capacity: OverCapacity::Warn,
            capacity,
            promised_rate,
            inserted: self.inserted.into(),
            labels: None,
        };
        Ok(BloomFilter::from_parts(meta, Owned::new(lines), set_bits))
    }
}

/// k from a file that stores it in 64 bits.
pub(super) fn num_hashes(k: u64) -> Result<u32> {
    u32::try_from(k).map_err(|_| Error::parameter("the number of hashes", k, "1 to 2048"))
}
