//! The payload of Redis's `DUMP` for a RedisBloom key: a module value of type `MBbloom--`, encoding
//! version 4, then the RDB version and a CRC-64.

use alloc::vec;
use alloc::vec::Vec;

use super::chain::{Body, Header};
use super::values::{self, Sink, Source, check_bits};
use crate::error::{Error, Result, advice};
use crate::fields::{Fields, Put};
use crate::format::beside::Read;
use crate::format::foreign::format::{PIECE, Reading, put_bytes, words_of};
use crate::kinds::bloom::BloomFilter;

/// A module value of the second kind, and the module's name in 6-bit letters with its encoding
/// version.
const MARK: [u8; 10] = [0x07, 0x81, 0x30, 0x16, 0xE5, 0xA2, 0x89, 0xBE, 0xF8, 0x04];
const UNSIGNED: u64 = 2;
const DOUBLE: u64 = 4;
const STRING: u64 = 5;
const END: u64 = 0;
/// The special string that is compressed.
const LZF: u8 = 3;
/// The RDB version of a payload that was not read: that of Redis 5.0 to 6.2. A server refuses later
/// versions and accepts all earlier ones. Values of this module came with version 8, of Redis 4.0.
/// (7.0 writes 10, 7.2 writes 11, 7.4 writes 12.)
pub(super) const VERSION: u16 = 9;
/// RDB version and checksum.
const FOOTER: usize = 10;
/// The compressed bits of a dump may decompress to this number of bytes, or to [`UNPACKED`] times
/// the dump if that is more. A half full filter cannot be compressed at all; one that shrinks
/// further than that is nearly empty.
const MOST: u64 = 64 << 20;
const UNPACKED: u64 = 16;

pub(in crate::format::foreign) fn has_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(&MARK)
}

/// Is it a payload with line ends after it? `redis-cli --raw` prints one after every answer.
pub(in crate::format::foreign) fn has_line_end(bytes: &[u8]) -> bool {
    // The payload itself may end with such a byte.
    let ends = bytes.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count().min(4);
    has_mark(bytes) && (1..=ends).any(|end| is_right(&bytes[..bytes.len() - end]))
}

/// Is its checksum right?
fn is_right(payload: &[u8]) -> bool {
    let sum = payload.last_chunk::<8>().map(|sum| u64::from_le_bytes(*sum));
    payload.len() >= MARK.len() + FOOTER && sum == Some(crc64(0, &payload[..payload.len() - 8]))
}

pub(super) fn read(bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
    let Some(values) = bytes.len().checked_sub(FOOTER).filter(|len| *len >= MARK.len()) else {
        return Err(Error::damaged(format_args!("it ends at byte {}", bytes.len())));
    };
    let mut footer = Fields::at(bytes, values);
    let version = footer.u16_le()?;
    // All bytes are read twice, here and below, and released each time.
    let found = bytes[..values + 2].chunks(PIECE).fold(0, |sum, piece| {
        let sum = crc64(sum, piece);
        reading.done(piece);
        sum
    });
    let expected = footer.u64_le()?;
    if found != expected {
        return Err(Error::damaged(format_args!(
            "its CRC-64 is {found:016x}, and {expected:016x} was written"
        )));
    }
    let fields = Fields::at(&bytes[..values], MARK.len());
    let most = MOST.max(UNPACKED * bytes.len() as u64);
    let mut payload = Payload { fields, most, room: most };
    let chain = values::read(&mut payload, version, reading)?;
    opcode(&mut payload.fields, END)?;
    payload.fields.end()?;
    Ok(chain)
}

/// The values of a payload.
struct Payload<'a> {
    fields: Fields<'a>,
    /// How many bytes its compressed bits may decompress to, and how many are left of them.
    most: u64,
    room: u64,
}

impl<'a> Source<'a> for Payload<'a> {
    fn unsigned(&mut self) -> Result<u64> {
        opcode(&mut self.fields, UNSIGNED)?;
        plain_length(&mut self.fields)
    }

    fn double(&mut self) -> Result<f64> {
        opcode(&mut self.fields, DOUBLE)?;
        self.fields.f64_le()
    }

    fn body(&mut self, bits: u64) -> Result<Body<'a>> {
        opcode(&mut self.fields, STRING)?;
        let string = string(&mut self.fields)?;
        let len = string.len();
        check_bits(bits, len)?;
        if let RdbString::Packed(..) = string {
            self.room = self.room.checked_sub(len).ok_or_else(|| past_limit(self.most))?;
        }
        string.unpacked()
    }
}

/// Writes to `out` and computes the checksum of the written bytes.
struct Summed<'a> {
    out: &'a mut dyn Put,
    sum: u64,
}

impl Put for Summed<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.sum = crc64(self.sum, bytes);
        self.out.bytes(bytes)
    }
}

pub(super) fn write(links: &[BloomFilter], header: &Header, version: u16, out: &mut dyn Put) -> Result<()> {
    let mut out = Summed { out, sum: 0 };
    out.bytes(&MARK)?;
    values::write(links, header, &mut out)?;
    put_length(&mut out, END)?;
    out.u16_le(version)?;
    let sum = out.sum;
    out.out.u64_le(sum)
}

impl Sink for Summed<'_> {
    fn unsigned(&mut self, value: u64) -> Result<()> {
        put_length(self, UNSIGNED)?;
        put_length(self, value)
    }

    fn double(&mut self, value: f64) -> Result<()> {
        put_length(self, DOUBLE)?;
        self.f64_le(value)
    }

    fn body(&mut self, link: &BloomFilter, packed: Option<&[u8]>) -> Result<()> {
        put_length(self, STRING)?;
        put_bits(self, link, packed)
    }
}

/// Writes the bits of a link. Redis reads a string plain or compressed. Compressing again could
/// give other bytes.
fn put_bits(out: &mut dyn Put, link: &BloomFilter, packed: Option<&[u8]>) -> Result<()> {
    let len = link.bit_len() / 8;
    let is_of_link = |packed: &&[u8]| {
        let bytes = words_of(link).iter().flat_map(|word| word.to_le_bytes()).take(len as usize);
        unpack(packed, len).is_ok_and(|bits| bits.into_iter().eq(bytes))
    };
    match packed.filter(is_of_link) {
        Some(packed) => {
            out.u8(0xC0 | LZF)?;
            put_length(out, packed.len() as u64)?;
            put_length(out, len)?;
            out.bytes(packed)
        }
        None => {
            put_length(out, len)?;
            put_bytes(out, words_of(link), len as usize)
        }
    }
}

/// Writes a length in the form of RDB: in 6, 14, 32 or 64 bits, whichever is shortest.
fn put_length(out: &mut dyn Put, n: u64) -> Result<()> {
    match n {
        0..0x40 => out.u8(n as u8),
        0x40..0x4000 => out.bytes(&(0x4000 | n as u16).to_be_bytes()),
        0x4000..=0xFFFF_FFFF => {
            out.u8(0x80)?;
            out.u32_be(n as u32)
        }
        _ => {
            out.u8(0x81)?;
            out.u64_be(n)
        }
    }
}

/// A length, or `Err` with the kind of a special string.
fn length(fields: &mut Fields<'_>) -> Result<core::result::Result<u64, u8>> {
    let first = fields.u8()?;
    Ok(match first {
        0..=0x3F => Ok(first.into()),
        0x40..=0x7F => Ok(u64::from(first & 0x3F) << 8 | u64::from(fields.u8()?)),
        0x80 => Ok(u32::from_be_bytes(fields.array()?).into()),
        0x81 => Ok(fields.u64_be()?),
        0xC0..=0xFF => Err(first & 0x3F),
        _ => return Err(Error::damaged(format_args!("{first:#x} begins no length"))),
    })
}

fn plain_length(fields: &mut Fields<'_>) -> Result<u64> {
    length(fields)?
        .map_err(|kind| Error::damaged(format_args!("a string of the kind {kind} stands for a number")))
}

fn opcode(fields: &mut Fields<'_>, expected: u64) -> Result<()> {
    match plain_length(fields)? {
        found if found == expected => Ok(()),
        found => Err(Error::damaged(format_args!(
            "a value of the kind {found} ends at byte {}, expected the kind {expected}",
            fields.position()
        ))),
    }
}

/// A string as it is in the file: plain, or compressed by LZF (Redis compresses what becomes
/// shorter).
enum RdbString<'a> {
    Plain(&'a [u8]),
    /// The compressed bytes and the length after decompression that the file names.
    Packed(&'a [u8], u64),
}

impl<'a> RdbString<'a> {
    /// The length, or the length that the file names.
    fn len(&self) -> u64 {
        match self {
            RdbString::Plain(bytes) => bytes.len() as u64,
            RdbString::Packed(_, len) => *len,
        }
    }

    fn unpacked(self) -> Result<Body<'a>> {
        Ok(match self {
            RdbString::Plain(bytes) => Body::Pieces(vec![bytes]),
            RdbString::Packed(packed, len) => Body::Packed { packed, unpacked: unpack(packed, len)? },
        })
    }
}

fn string<'a>(fields: &mut Fields<'a>) -> Result<RdbString<'a>> {
    match length(fields)? {
        Ok(len) => Ok(RdbString::Plain(fields.take_claimed(len)?)),
        Err(LZF) => {
            let packed = plain_length(fields)?;
            let len = plain_length(fields)?;
            Ok(RdbString::Packed(fields.take_claimed(packed)?, len))
        }
        Err(kind) => Err(Error::damaged(format_args!("a string of the kind {kind} stands for bits"))),
    }
}

/// The error for a small dump that decompresses to too many bytes.
fn past_limit(most: u64) -> Error {
    Error::PastLimit {
        what: "the packed bits of its filters unpack to more than a dump of its length may",
        most,
        instead: advice!("take the pairs of BF.SCANDUMP from the server, which are not packed"),
    }
}

/// LZF (Lehmann's LibLZF): runs of literals, and copies of earlier bytes. The length of the result
/// is compared with `len`. Memory of that size is allocated only if the input can give it: a copy
/// of three bytes makes at most 264.
fn unpack(packed: &[u8], len: u64) -> Result<Vec<u8>> {
    let damaged = || Error::damaged("its packed bits cannot be unpacked");
    if len > packed.len() as u64 * (264 / 3) {
        return Err(damaged());
    }
    let mut out = Vec::new();
    let too_large = |_| Error::TooLarge { bytes: len };
    out.try_reserve_exact(usize::try_from(len).unwrap_or(usize::MAX)).map_err(too_large)?;
    let mut fields = Fields::at(packed, 0);
    while !fields.rest().is_empty() {
        let control = usize::from(fields.u8()?);
        if control < 32 {
            out.extend_from_slice(fields.take(control + 1)?);
            continue;
        }
        let more = if control >> 5 == 7 { usize::from(fields.u8()?) } else { 0 };
        let back = ((control & 31) << 8 | usize::from(fields.u8()?)) + 1;
        let start = out.len().checked_sub(back).ok_or_else(damaged)?;
        for i in 0..(control >> 5) + more + 2 {
            out.push(out[start + i]);
        }
        if out.len() as u64 > len {
            return Err(damaged());
        }
    }
    if out.len() as u64 == len { Ok(out) } else { Err(damaged()) }
}

/// CRC-64 with Jones' polynomial, reflected, as in Redis; `crc` is the sum of the bytes before
/// these.
fn crc64(crc: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(crc, |crc, &byte| CRC[usize::from(crc as u8 ^ byte)] ^ crc >> 8)
}

/// The contribution of each byte.
static CRC: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u64, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x95AC_9329_AC4B_C9B5 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn the_published_checksum() {
        assert_eq!(crc64(0, b"123456789"), 0xe9c6_d914_c4b8_d9ca);
    }

    #[test]
    fn lengths_go_both_ways() {
        for n in [0, 1, 63, 64, 16_383, 16_384, u32::MAX.into(), 1 << 32, u64::MAX] {
            let mut bytes = Vec::new();
            put_length(&mut bytes, n).unwrap();
            assert_eq!(plain_length(&mut Fields::at(&bytes, 0)).unwrap(), n);
        }
        assert!(length(&mut Fields::at(&[0x82], 0)).is_err());
        // In the shortest of four forms.
        for (n, expected) in [
            (0x3F, &[0x3F][..]),
            (0x40, &[0x40, 0x40]),
            (0x3FFF, &[0x7F, 0xFF]),
            (0x4000, &[0x80, 0, 0, 0x40, 0]),
            (0xFFFF_FFFF, &[0x80, 0xFF, 0xFF, 0xFF, 0xFF]),
            (1 << 32, &[0x81, 0, 0, 0, 1, 0, 0, 0, 0]),
        ] {
            let mut bytes = Vec::new();
            put_length(&mut bytes, n).unwrap();
            assert_eq!(bytes, expected, "{n:#x}");
        }
    }

    #[test]
    fn a_value_of_another_kind_is_refused() {
        opcode(&mut Fields::at(&[2], 0), UNSIGNED).unwrap();
        let refused = opcode(&mut Fields::at(&[5], 0), UNSIGNED).unwrap_err().to_string();
        assert!(refused.contains("a value of the kind 5 ends at byte 1, expected the kind 2"), "{refused}");
        let refused = plain_length(&mut Fields::at(&[0xC3], 0)).unwrap_err().to_string();
        assert!(refused.contains("a string of the kind 3 stands for a number"), "{refused}");
    }

    #[test]
    fn lzf() {
        // Three literals, then a copy of 9 bytes from 3 back.
        assert_eq!(unpack(b"\x02abc\xe0\x00\x02", 12).unwrap(), b"abcabcabcabc");
        assert_eq!(unpack(b"\x00a\x20\x00", 4).unwrap(), b"aaaa");
        // One literal, then ten copies of 264 bytes.
        let packed = [&b"\x00a"[..], &b"\xe0\xff\x00".repeat(10)].concat();
        assert_eq!(unpack(&packed, 2641).unwrap(), b"a".repeat(2641));
        // 320 literals that differ, and a copy of three bytes from 0x123 = 291 back.
        let bytes: Vec<u8> = (0..320u32).map(|i| (i * i / 7) as u8).collect();
        let packed = bytes.chunks(32).flat_map(|run| [&[31], run].concat()).chain([0x21, 0x22]);
        let expected = [&bytes[..], &bytes[320 - 0x123..][..3]].concat();
        assert_eq!(unpack(&packed.collect::<Vec<u8>>(), 323).unwrap(), expected);
        for bad in [&b"\x02ab"[..], b"\x20\x00", b"\x00a\x20\x01", b"\x00a", b"\x00a\xe0"] {
            assert!(unpack(bad, 4).is_err(), "{bad:?}");
        }
        assert!(unpack(b"\x00a", u64::MAX).is_err());
    }
}
