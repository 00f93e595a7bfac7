//! The sequence of values that RedisBloom saves for a key: the fields of the chain, then those of
//! each filter. A `DUMP` payload holds it ([`rdb`](super::rdb)), and a server hands it to a module
//! value by value ([`Engine`]).

use alloc::vec::Vec;

use super::chain::{Body, Header, Link, items, made, size};
use crate::error::{Error, Result};
use crate::format::beside::Read;
use crate::format::foreign::format::{Reading, given, with_bytes};
use crate::format::values::{PutValues, Values};
use crate::kinds::bloom::BloomFilter;

/// Gives the values in their order.
pub(super) trait Source<'a> {
    fn unsigned(&mut self) -> Result<u64>;
    fn double(&mut self) -> Result<f64>;
    /// A string with this number of bits.
    fn body(&mut self, bits: u64) -> Result<Body<'a>>;
}

/// Takes the values in their order.
pub(super) trait Sink {
    fn unsigned(&mut self, value: u64) -> Result<()>;
    fn double(&mut self, value: f64) -> Result<()>;
    /// The bits of a link, and the compressed bits that it was read from.
    fn body(&mut self, link: &BloomFilter, packed: Option<&[u8]>) -> Result<()>;
}

/// Reads a chain; `version` is the RDB version of a payload with these values.
pub(super) fn read<'a>(values: &mut impl Source<'a>, version: u16, reading: Reading<'_>) -> Result<Read> {
    let total = values.unsigned()?;
    let count = values.unsigned()?;
    let (options, growth) = (small(values)?, small(values)?);
    let mut links = Vec::new();
    for _ in 0..count {
        let entries = values.unsigned()?;
        let error = values.double()?;
        let hashes = small(values)?;
        let per_entry = values.double()?;
        let bits = values.unsigned()?;
        let n2 = values.unsigned()?;
        let body = values.body(bits)?;
        let size = values.unsigned()?;
        links.push(Link { bits, size, error, per_entry, hashes, entries, n2, body });
    }
    made(total, options, growth, links, Some(version), reading)
}

/// Writes a chain.
pub(super) fn write(links: &[BloomFilter], header: &Header, values: &mut impl Sink) -> Result<()> {
    values.unsigned(items(links)?)?;
    values.unsigned(links.len() as u64)?;
    values.unsigned(header.options.into())?;
    values.unsigned(header.growth.into())?;
    for (i, link) in links.iter().enumerate() {
        let (error, per_entry) = header.link(i, link);
        values.unsigned(link.capacity())?;
        values.double(error)?;
        values.unsigned(link.num_hashes().into())?;
        values.double(per_entry)?;
        values.unsigned(link.bit_len())?;
        values.unsigned(0)?;
        values.body(link, header.packed(i))?;
        values.unsigned(size(link))?;
    }
    Ok(())
}

fn small<'a>(values: &mut impl Source<'a>) -> Result<u32> {
    let value = values.unsigned()?;
    u32::try_from(value)
        .map_err(|_| Error::damaged(format_args!("{value} stands where 32 bits are expected")))
}

/// Refuses a string of `len` bytes for this number of bits.
pub(super) fn check_bits(bits: u64, len: u64) -> Result<()> {
    match len.checked_mul(8) {
        Some(found) if found == bits => Ok(()),
        _ => Err(Error::damaged(format_args!("a filter of {len} bytes says {bits} bits"))),
    }
}

/// The values that a server hands over.
pub(super) struct Engine<V>(pub(super) V);

impl Source<'static> for Engine<&mut dyn Values> {
    fn unsigned(&mut self) -> Result<u64> {
        given(self.0.unsigned())
    }

    fn double(&mut self) -> Result<f64> {
        given(self.0.double())
    }

    fn body(&mut self, bits: u64) -> Result<Body<'static>> {
        let string = given(self.0.string())?;
        check_bits(bits, string.len() as u64)?;
        Ok(Body::Whole(string))
    }
}

impl Sink for Engine<&mut dyn PutValues> {
    fn unsigned(&mut self, value: u64) -> Result<()> {
        self.0.unsigned(value);
        Ok(())
    }

    fn double(&mut self, value: f64) -> Result<()> {
        self.0.double(value);
        Ok(())
    }

    /// The server compresses strings itself.
    fn body(&mut self, link: &BloomFilter, _: Option<&[u8]>) -> Result<()> {
        with_bytes(link, |bytes| {
            self.0.string(bytes);
            Ok(())
        })
    }
}
