//! The Go library bits-and-blooms/bloom v3: m and k, then a bitset of the package `bitset`, as binary or
//! as JSON with the bitset in base64.

use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use super::{Beside, Found, json, words_of};
use crate::bits::Line;
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::format::fields::Fields;
use crate::hash::KeyDomain;
use crate::schemes::Own;

/// How the file was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    /// The bitset's own length, which need not be m.
    len: u64,
    /// The bitset is little-endian: a switch of the package `bitset`.
    little_endian: bool,
    json: Option<Alphabet>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Alphabet {
    Url,
    Standard,
}

impl Form {
    pub(super) fn binary(filter: &AnyFilter) -> Self {
        Form { len: filter.parts()[0].bit_len(), little_endian: false, json: None }
    }
}

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    let (m, k, bitset, json) = if bytes.trim_ascii_start().starts_with(b"{") {
        let (m, k, text) = json::read(bytes)?;
        let (bitset, alphabet) = decode(&text)?;
        (m, k, bitset, Some(alphabet))
    } else {
        let mut fields = Fields::at(bytes, 0);
        (fields.u64_be()?, fields.u64_be()?, fields.rest().to_vec(), None)
    };
    let (len, little_endian, words) = read_bitset(&bitset)?;
    let num_hashes =
        u32::try_from(k).map_err(|_| Error::parameter("the number of hashes", k, "1 to 65535"))?;
    // Bits from the bitset's length on are 0; so must those be that no key can reach.
    let reachable = m.div_ceil(64).min(words.len() as u64) as usize;
    if words[reachable..].iter().any(|word| *word != 0) {
        return Err(Error::damaged(format_args!(
            "bits are set beyond the last one, {}",
            m.saturating_sub(1)
        )));
    }
    if m.div_ceil(64) > words.len() as u64 + 1024 {
        // A bitset much shorter than m is legal, but its memory would be taken on the word of a number.
        return Err(Error::damaged(format_args!("{m} bits are named, and its bitset has {len}")));
    }
    let found = Found {
        own: Own::BitsAndBlooms,
        domain,
        num_hashes,
        bit_len: m,
        capacity: None,
        rate: None,
        inserted: None,
    };
    let filter = found.filter(words.into_iter())?;
    Ok((AnyFilter::Bloom(filter), Beside::BitsAndBlooms(Form { len, little_endian, json })))
}

pub(super) fn write<L: AsRef<[Line]>>(filter: &BloomFilter<L>, form: &Form) -> Result<Vec<u8>> {
    // A bitset grows to the highest bit that was set.
    let highest = words_of(filter).zip(0u64..).filter(|(word, _)| *word != 0).last();
    let needed = highest.map_or(0, |(word, i)| 64 * i + 64 - u64::from(word.leading_zeros()));
    let len = form.len.max(needed);
    let to_bytes = |n: u64| if form.little_endian { n.to_le_bytes() } else { n.to_be_bytes() };
    let words = words_of(filter).chain(core::iter::repeat(0)).take(len.div_ceil(64) as usize);
    let mut bitset: Vec<u8> = to_bytes(len).to_vec();
    words.for_each(|word| bitset.extend(to_bytes(word)));
    let (m, k) = (filter.bit_len(), u64::from(filter.num_hashes()));
    Ok(match form.json {
        None => [m.to_be_bytes().as_slice(), &k.to_be_bytes(), &bitset].concat(),
        Some(Alphabet::Url) => json::write(m, k, &URL_SAFE.encode(&bitset)),
        Some(Alphabet::Standard) => json::write(m, k, &STANDARD.encode(&bitset)),
    })
}

fn decode(text: &str) -> Result<(Vec<u8>, Alphabet)> {
    let url = URL_SAFE.decode(text).map(|bytes| (bytes, Alphabet::Url));
    let either = url.or_else(|_| STANDARD.decode(text).map(|bytes| (bytes, Alphabet::Standard)));
    either.map_err(|error| Error::damaged(format_args!("the field b is not base64: {error}")))
}

/// Length in bits, byte order and words of a bitset that fills `bytes`.
fn read_bitset(bytes: &[u8]) -> Result<(u64, bool, Vec<u64>)> {
    let mut fields = Fields::at(bytes, 0);
    let len = fields.array::<8>()?;
    let body = fields.rest();
    let fits = |len: u64| len.div_ceil(64).checked_mul(8) == Some(body.len() as u64);
    let word = |b: &[u8]| [b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]];
    let chunks = body.chunks_exact(8).map(word);
    let (big, little) = (u64::from_be_bytes(len), u64::from_le_bytes(len));
    let (len, little_endian, words): (_, _, Vec<u64>) = if fits(big) {
        (big, false, chunks.map(u64::from_be_bytes).collect())
    } else if fits(little) {
        (little, true, chunks.map(u64::from_le_bytes).collect())
    } else {
        return Err(Error::damaged(format_args!(
            "its bitset says {big} bits, and {} bytes of words follow",
            body.len()
        )));
    };
    if let (Some(last), rest @ 1..) = (words.last(), len % 64) {
        if last >> rest != 0 {
            return Err(Error::damaged(format_args!("bits are set beyond the bitset's end, {len}")));
        }
    }
    Ok((len, little_endian, words))
}

#[cfg(test)]
mod tests;
