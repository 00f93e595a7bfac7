//! Apache Parquet's split-block Bloom filter: a header in Thrift's compact protocol and the bitset, or the
//! bitset alone.

use alloc::vec::Vec;

use super::{Beside, bytes_of, foreign_meta, words_from_bytes};
use crate::bits::{self, Line};
use crate::error::{Error, Result};
use crate::filters::AnyFilter;
use crate::filters::bloom::BloomFilter;
use crate::format::fields::Fields;
use crate::hash::{Hasher, KeyDomain};
use crate::params::Request;
use crate::probe::{Layout, Shape};

/// Bytes of a block.
const BLOCK: usize = 32;

pub(super) fn read(bytes: &[u8], domain: KeyDomain) -> Result<(AnyFilter, Beside)> {
    // A header is shorter than a block, so the length alone tells the two forms apart.
    let header = bytes.len() % BLOCK != 0;
    let bitset = if header { after_header(bytes)? } else { bytes };
    let shape = Shape::new(Layout::SplitBlock, 8, bitset.len() as u64 * 8)?;
    let mut lines = bits::zeroed(shape.lines())?;
    bits::words_mut(&mut lines).iter_mut().zip(words_from_bytes(bitset)).for_each(|(w, found)| *w = found);
    // What the size holds at 1 %, since the file does not say.
    let request = Request {
        bit_len: Some(shape.bit_len),
        false_positive_rate: Some(0.01),
        layout: Some(Layout::SplitBlock),
        ..Request::default()
    };
    let set_bits = bits::count(&lines);
    let meta = foreign_meta(shape, Hasher::Xxh64, domain, request.plan()?.capacity, 0.01, None);
    let filter = BloomFilter::from_parts(meta, lines, set_bits);
    Ok((AnyFilter::Bloom(filter), Beside::Parquet { header }))
}

pub(super) fn write<L: AsRef<[Line]>>(filter: &BloomFilter<L>, header: bool) -> Result<Vec<u8>> {
    let len = (filter.bit_len() / 8) as usize;
    let mut out = Vec::new();
    if header {
        let len = i32::try_from(len).map_err(|_| {
            Error::parameter("the number of bytes", len, "at most 2^31 - 1 in a Parquet file")
        })?;
        out.push(0x15);
        let mut rest = (len as u32) << 1; // zigzag of a number of 0 or more
        while rest > 0x7F {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
        out.extend([0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0]);
    }
    out.extend(bytes_of(filter, len));
    Ok(out)
}

/// The bitset behind the header, which must name the one algorithm, hash and compression there are.
///
/// ```text
/// 1: i32 numBytes  2: union { 1: BLOCK {} }  3: union { 1: XXHASH {} }  4: union { 1: UNCOMPRESSED {} }
/// ```
fn after_header(bytes: &[u8]) -> Result<&[u8]> {
    let mut fields = Fields::at(bytes, 0);
    let mut len = None;
    let mut last = 0;
    let mut named = [false; 3];
    loop {
        let byte = fields.u8()?;
        let (delta, kind) = (byte >> 4, byte & 15);
        if byte == 0 {
            break;
        }
        let id = if delta == 0 { zigzag(&mut fields)? } else { last + i64::from(delta) };
        match (id, kind) {
            (1, 5) => len = Some(zigzag(&mut fields)?),
            (2..=4, 12) => {
                // The union's first member, an empty struct; then the end of the struct and of the union.
                let expected: [u8; 3] = [0x1C, 0, 0];
                let found = fields.array::<3>()?;
                if found != expected {
                    let what = ["algorithm", "hash", "compression"][id as usize - 2];
                    return Err(Error::damaged(format_args!(
                        "the header's {what} is {found:02x?}, and only BLOCK, XXHASH, UNCOMPRESSED are known"
                    )));
                }
                named[id as usize - 2] = true;
            }
            _ => {
                return Err(Error::damaged(format_args!(
                    "field {id} of type {kind} at byte {} is none of a Bloom filter header",
                    fields.position()
                )));
            }
        }
        last = id;
    }
    let bitset = fields.rest();
    match len {
        Some(len) if named == [true; 3] && len == bitset.len() as i64 && bitset.len() % BLOCK == 0 => {
            Ok(bitset)
        }
        Some(len) => Err(Error::damaged(format_args!(
            "its header says {len} bytes of bits, and {} follow; expected a multiple of {BLOCK}",
            bitset.len()
        ))),
        None => Err(Error::damaged("its header does not say how long the bits are")),
    }
}

/// A zigzag number of up to 32 bits.
fn zigzag(fields: &mut Fields<'_>) -> Result<i64> {
    let mut value = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = fields.u8()?;
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
        }
    }
    Err(Error::damaged("a number in its header is longer than 32 bits"))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;
    use crate::Scheme;

    const REST: [u8; 13] = [0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0];

    /// Lengths in as few groups of seven bits as they need, the lowest first.
    #[test]
    fn headers() {
        for (blocks, length) in [
            (1, &[0x40][..]),
            (2, &[0x80, 0x01]),
            (3, &[0xC0, 0x01]),
            (254, &[0x80, 0x7F]),
            (255, &[0xC0, 0x7F]),
            (256, &[0x80, 0x80, 0x01]),
        ] {
            let builder = BloomFilter::builder().scheme(Scheme::Xxh64).layout(Layout::SplitBlock);
            let filter = builder.bit_len(256 * blocks).capacity(1).build().unwrap();
            let bytes = write(&filter, true).unwrap();
            let expected = [&[0x15], length, &REST, &vec![0; 32 * blocks as usize]].concat();
            assert_eq!(bytes, expected, "{blocks} blocks");
            assert_eq!(after_header(&bytes).unwrap().len(), 32 * blocks as usize);
        }
    }

    #[test]
    fn what_a_header_says_wrong_is_named() {
        let good = [&[0x15, 0x40][..], &REST, &[0; 32]].concat();
        assert_eq!(after_header(&good).unwrap(), [0; 32]);
        for (at, byte, part) in [
            (1, 0x01, "its header says -1 bytes of bits, and 32 follow"),
            (1, 0x03, "its header says -2 bytes of bits, and 32 follow"),
            (1, 0x42, "its header says 33 bytes of bits, and 32 follow"),
            (3, 0x2C, "the header's algorithm is [2c, 00, 00]"),
            (7, 0x2C, "the header's hash is [2c, 00, 00]"),
            (11, 0x2C, "the header's compression is [2c, 00, 00]"),
        ] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            let text = after_header(&bytes).unwrap_err().to_string();
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }
}
