//! DCSO's bloom (Go), flor (Python) and fleur (C): a header of six 8-byte fields, words, and data
//! that the user attached; all little-endian.

use alloc::vec::Vec;

use super::{Beside, Foreign, ForeignFields, Read, Reading, num_hashes, one, words_of};
use crate::error::{Error, Result, advice};
use crate::fields::{Fields, Put};
use crate::ids::{Format, Scheme};
use crate::kinds::{AnyFilter, Ref};

/// The format.
#[derive(Debug)]
pub(super) struct Dcso;

/// The most bytes of the user's data.
const MOST_DATA: usize = 256 << 20;

/// The fields of the header beside the filter, and the user's data.
#[derive(Debug)]
struct Extra {
    flags: u64,
    capacity: u64,
    rate: f64,
    /// The file's count of keys, if it is the number that also stands for an unknown count.
    no_count: Option<u64>,
    data: Vec<u8>,
}

impl Foreign for Dcso {
    fn format(&self) -> Format {
        Format::Dcso
    }

    fn schemes(&self) -> &'static [Scheme] {
        &[Scheme::Dcso]
    }

    fn records_plan(&self) -> bool {
        true
    }

    fn has_mark(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&1u64.to_le_bytes())
    }

    fn read(&self, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
        let mut fields = Fields::at(bytes, 0);
        let flags = fields.u64_le()?;
        if flags & 0xFF != 1 {
            let known = "version 1 in the lowest byte of the flags";
            return Err(Error::Unsupported { what: "DCSO version", found: flags & 0xFF, known });
        }
        let capacity = fields.u64_le()?;
        let rate = fields.f64_le()?;
        let num_hashes = num_hashes(fields.u64_le()?)?;
        let bit_len = fields.u64_le()?;
        let inserted = fields.u64_le()?;
        let body = fields.take_claimed(bit_len.div_ceil(64).saturating_mul(8))?;
        let found = ForeignFields {
            capacity: Some(capacity),
            rate: Some(rate),
            inserted: Some(inserted),
            ..ForeignFields::of(Scheme::Dcso, reading, num_hashes, bit_len)
        };
        let filter = found.filter_of_bytes(core::iter::once(body))?;
        let no_count = filter.keys_inserted().is_none().then_some(inserted);
        // Copied last, because this may be any bytes, also of a file that is not a filter.
        let data = copied(fields.rest())?;
        Ok((filter.into(), Ref::new(Extra { flags, capacity, rate, no_count, data })))
    }

    fn adopt(&self, filter: AnyFilter) -> Result<Read> {
        let own = one(self, &filter)?;
        let (capacity, rate) = (own.capacity(), own.promised_false_positive_rate());
        Ok((filter, Ref::new(Extra { flags: 1, capacity, rate, no_count: None, data: Vec::new() })))
    }
}

/// Copies the user's data into memory.
fn copied(data: &[u8]) -> Result<Vec<u8>> {
    if data.len() > MOST_DATA {
        let (what, instead) =
            ("the user's data behind the filter are longer", advice!("cut them off, and keep them apart"));
        return Err(Error::PastLimit { what, most: MOST_DATA as u64, instead });
    }
    let mut copy = Vec::new();
    copy.try_reserve_exact(data.len()).map_err(|_| Error::TooLarge { bytes: data.len() as u64 })?;
    copy.extend_from_slice(data);
    Ok(copy)
}

impl Beside for Extra {
    fn write(&self, filter: &AnyFilter, out: &mut dyn Put) -> Result<()> {
        let filter = one(&Dcso, filter)?;
        let counted = filter.keys_inserted().or(self.no_count);
        let inserted = counted.unwrap_or_else(|| filter.estimated_len() as u64);
        for field in [
            self.flags,
            self.capacity,
            self.rate.to_bits(),
            filter.num_hashes().into(),
            filter.bit_len(),
            inserted,
        ] {
            out.u64_le(field)?;
        }
        out.words(&mut words_of(filter).iter().copied(), u64::to_le_bytes)?;
        out.bytes(&self.data)
    }
}
