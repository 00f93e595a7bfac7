//! Apache Parquet's split-block Bloom filter: the bitset, with or without a header in Thrift's
//! compact protocol.

use super::{Beside, Foreign, ForeignFields, Read, Reading, one, put_bytes, words_of};
use crate::error::{Error, Obstacle, Result};
use crate::fields::{Fields, Put};
use crate::ids::{Format, KeyDomain, Layout, Scheme};
use crate::kinds::{AnyFilter, Ref};
use crate::params::Request;

/// Bytes of a block.
const BLOCK: usize = 32;

/// The format.
#[derive(Debug)]
pub(super) struct ParquetSbbf;

/// The properties of a file.
#[derive(Debug)]
struct SbbfFile {
    header: bool,
}

impl Foreign for ParquetSbbf {
    fn format(&self) -> Format {
        Format::ParquetSbbf
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::Xxh64]
    }

    fn key_domains(&self) -> &'static [KeyDomain] {
        // The physical types; text is UTF-8.
        &[
            KeyDomain::Bytes,
            KeyDomain::Integer,
            KeyDomain::Integer32,
            KeyDomain::Float32,
            KeyDomain::Float64,
            KeyDomain::Hex,
        ]
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::SplitBlock)
    }

    fn has_mark(&self, bytes: &[u8]) -> bool {
        bytes.first() == Some(&0x15) && bytes.len() % BLOCK != 0
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        // A header is shorter than a block, so the length alone distinguishes the two.
        let header = bytes.len() % BLOCK != 0;
        let bitset = if header { after_header(bytes)? } else { bytes };
        let mut found = ForeignFields::of(Scheme::Xxh64, reading, 8, bitset.len() as u64 * 8);
        found.layout = Layout::SplitBlock;
        // The capacity of this size at 1 %, since the file does not record it.
        let request = Request {
            bit_len: Some(found.bit_len),
            false_positive_rate: Some(0.01),
            layout: Some(Layout::SplitBlock),
            ..Request::default()
        };
        found.capacity = Some(request.plan()?.capacity);
        found.rate = Some(0.01);
        let filter = found.filter_of_bytes(core::iter::once(bitset))?;
        Ok((filter.into(), Ref::new(SbbfFile { header })))
    }

    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        one(self, &filter)?;
        Ok((filter, Ref::new(SbbfFile { header: true })))
    }
}

impl Beside for SbbfFile {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let filter = one(&ParquetSbbf, filter)?;
        let len = (filter.bit_len() / 8) as usize;
        if self.header {
            put_header(len, out)?;
        }
        put_bytes(out, words_of(filter), len)
    }
}

/// Writes the header for this number of bytes.
fn put_header(len: usize, out: &mut dyn Put) -> Result<()> {
    if i32::try_from(len).is_err() {
        let (name, found, most) = ("the number of bytes", len as u64, i32::MAX as u64);
        let obstacle = Obstacle::Number { name, found, most };
        return Err(Error::Unconvertible { format: Format::ParquetSbbf, obstacle });
    }
    out.u8(0x15)?;
    let mut rest = (len as u32) << 1; // zigzag of a number of 0 or more
    while rest > 0x7F {
        out.u8(rest as u8 | 0x80)?;
        rest >>= 7;
    }
    out.u8(rest as u8)?;
    out.bytes(&[0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0])
}

/// The bitset after the header. The header must name the only known algorithm, hash and
/// compression.
///
/// ```text
/// 1: i32 numBytes  2: union { 1: BLOCK {} }  3: union { 1: XXHASH {} }  4: union { 1: UNCOMPRESSED {} }
/// ```
fn after_header(bytes: &[u8]) -> Result<&[u8]> {
    let mut fields = Fields::at(bytes, 0);
    let len = header(&mut fields)?;
    let bitset = fields.rest();
    if len == bitset.len() as i64 && bitset.len() % BLOCK == 0 {
        return Ok(bitset);
    }
    Err(Error::damaged(format_args!(
        "its header says {len} bytes of bits, and {} follow; expected a multiple of {BLOCK}",
        bitset.len()
    )))
}

/// The length of the filter at the start of these bytes, header included, if the header records it.
pub(super) fn length_with_header(bytes: &[u8]) -> Option<u64> {
    let mut fields = Fields::at(bytes, 0);
    let bits = u64::try_from(header(&mut fields).ok()?).ok()?;
    Some(bits + fields.position() as u64)
}

/// The length of the bits, from the header.
fn header(fields: &mut Fields<'_>) -> Result<i64> {
    let mut len = None;
    let mut last = 0;
    let mut named = [false; 3];
    loop {
        let byte = fields.u8()?;
        let (delta, kind) = (byte >> 4, byte & 15);
        if byte == 0 {
            break;
        }
        let id = if delta == 0 { zigzag(fields)? } else { last + i64::from(delta) };
        match (id, kind) {
            (1, 5) => len = Some(zigzag(fields)?),
            (2..=4, 12) => {
                // The first member of the union, an empty struct; then the end of the struct and of
                // the union.
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
    match len {
        Some(len) if named == [true; 3] => Ok(len),
        Some(_) => Err(Error::damaged("its header does not name algorithm, hash and compression")),
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
    use alloc::vec::Vec;

    use super::*;
    use crate::BloomFilter;

    const REST: [u8; 13] = [0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0x1C, 0x1C, 0, 0, 0];

    /// Lengths in the fewest groups of seven bits, the lowest first.
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
            let (filter, form) = ParquetSbbf.adopt(filter.into()).unwrap();
            let mut bytes = Vec::new();
            form.write(&filter, &mut bytes).unwrap();
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
