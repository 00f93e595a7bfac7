//! The Go library bits-and-blooms/bloom v3: m and k, then a bitset of the package `bitset`; as
//! binary, or as JSON with the bitset in base64.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::{Beside, Foreign, ForeignFields, Read, Reading, json, num_hashes, one, words_of};
use crate::error::{Error, Result};
use crate::fields::{Fields, Put};
use crate::ids::{Format, Scheme};
use crate::kinds::{AnyFilter, Ref};

/// The format.
#[derive(Debug)]
pub(super) struct BitsAndBlooms;

/// The properties of a file.
#[derive(Debug)]
struct BitsetFile {
    /// The length of the bitset, which may differ from m.
    len: u64,
    /// Is the bitset little-endian? The package `bitset` has a switch for it.
    little_endian: bool,
    json: Option<Alphabet>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Alphabet {
    Url,
    Standard,
}

impl Foreign for BitsAndBlooms {
    fn format(&self) -> Format {
        Format::BitsAndBlooms
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::BitsAndBlooms]
    }

    fn has_mark(&self, bytes: &[u8]) -> bool {
        bytes.trim_ascii_start().starts_with(b"{")
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        let (m, k, bitset, json) = if self.has_mark(bytes) {
            let (m, k, text) = json::read(bytes)?;
            let (bitset, alphabet) = decode(text)?;
            (m, k, Cow::Owned(bitset), Some(alphabet))
        } else {
            let mut fields = Fields::at(bytes, 0);
            (fields.u64_be()?, fields.u64_be()?, Cow::Borrowed(fields.rest()), None)
        };
        let Bitset { len, little_endian, words } = Bitset::of(&bitset)?;
        let num_hashes = num_hashes(k)?;
        let word = if little_endian { u64::from_le_bytes } else { u64::from_be_bytes };
        let count = (words.len() / 8) as u64;
        // Bits after the end of the bitset are 0; so must be the bits that no key can reach.
        let reachable = m.div_ceil(64).min(count) as usize;
        if words[8 * reachable..].iter().any(|byte| *byte != 0) {
            return Err(Error::damaged(format_args!(
                "bits are set beyond the last one, {}",
                m.saturating_sub(1)
            )));
        }
        if let (Some(last), rest @ 1..) = (words.last_chunk::<8>(), len % 64) {
            if word(*last) >> rest != 0 {
                return Err(Error::damaged(format_args!("bits are set beyond the bitset's end, {len}")));
            }
        }
        if m.div_ceil(64) > count + 1024 {
            // A bitset much shorter than m is legal, but its memory would be allocated by an
            // unchecked number.
            return Err(Error::damaged(format_args!("{m} bits are named, and its bitset has {len}")));
        }
        let found = ForeignFields::of(Scheme::BitsAndBlooms, reading, num_hashes, m);
        let filter = found.filter_of_words(words, word)?;
        Ok((filter.into(), Ref::new(BitsetFile { len, little_endian, json })))
    }

    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        let form = BitsetFile { len: one(self, &filter)?.bit_len(), little_endian: false, json: None };
        Ok((filter, Ref::new(form)))
    }
}

impl Beside for BitsetFile {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let filter = one(&BitsAndBlooms, filter)?;
        let (m, k, words) = (filter.bit_len(), u64::from(filter.num_hashes()), words_of(filter));
        match self.json {
            None => {
                out.u64_be(m)?;
                out.u64_be(k)?;
                self.put_bitset(words, out)
            }
            Some(alphabet) => {
                let mut bitset = Vec::new();
                self.put_bitset(words, &mut bitset)?;
                let text = match alphabet {
                    Alphabet::Url => URL_SAFE.encode(&bitset),
                    Alphabet::Standard => STANDARD.encode(&bitset),
                };
                out.bytes(&json::write(m, k, &text))
            }
        }
    }
}

impl BitsetFile {
    /// Writes the length and the words of the bitset.
    fn put_bitset(&self, words: &[u64], out: &mut dyn Put) -> Result<()> {
        // A bitset ends at the highest bit that was set.
        let highest = (0u64..).zip(words).filter(|(_, word)| **word != 0).last();
        let needed = highest.map_or(0, |(i, word)| 64 * i + 64 - u64::from(word.leading_zeros()));
        let len = self.len.max(needed);
        let to_bytes = if self.little_endian { u64::to_le_bytes } else { u64::to_be_bytes };
        out.bytes(&to_bytes(len))?;
        let all = words.iter().copied().chain(core::iter::repeat(0));
        out.words(&mut all.take(len.div_ceil(64) as usize), to_bytes)
    }
}

fn decode(text: &str) -> Result<(Vec<u8>, Alphabet)> {
    let url = URL_SAFE.decode(text).map(|bytes| (bytes, Alphabet::Url));
    let either = url.or_else(|_| STANDARD.decode(text).map(|bytes| (bytes, Alphabet::Standard)));
    either.map_err(|error| Error::damaged(format_args!("the field b is not base64: {error}")))
}

/// A bitset within some bytes.
struct Bitset<'a> {
    /// Its length in bits.
    len: u64,
    little_endian: bool,
    words: &'a [u8],
}

impl<'a> Bitset<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self> {
        let mut fields = Fields::at(bytes, 0);
        let len = fields.array::<8>()?;
        let words = fields.rest();
        let fits = |len: u64| len.div_ceil(64).checked_mul(8) == Some(words.len() as u64);
        let (big, little) = (u64::from_be_bytes(len), u64::from_le_bytes(len));
        if fits(big) {
            Ok(Bitset { len: big, little_endian: false, words })
        } else if fits(little) {
            Ok(Bitset { len: little, little_endian: true, words })
        } else {
            Err(Error::damaged(format_args!(
                "its bitset says {big} bits, and {} bytes of words follow",
                words.len()
            )))
        }
    }
}

#[cfg(test)]
mod tests;
