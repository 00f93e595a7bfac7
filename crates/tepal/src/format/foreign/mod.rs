//! Other programs' files: open them, look up and insert keys, unite filters, and write the files
//! again byte for byte (`docs/formats.md`).
//!
//! A foreign filter always keeps its own hash. Each format has one file here that implements
//! [`Foreign`]: its mark, how to read it, and its content beside the filter ([`Beside`]), which
//! writes it again. One line in [`of`] adds the format. [`mod@format`] has functions for all
//! formats; [`found`] makes the filter.

mod bits_and_blooms;
mod dcso;
mod format;
mod found;
mod guava;
mod json;
mod parquet_file;
mod parquet_sbbf;
mod redisbloom;
mod spark;
mod thrift;
mod valkey_bloom;

use alloc::vec::Vec;

use self::format::{Foreign, chain, check, check_lookup, given, one, put_bytes, with_bytes, words_of};
pub(super) use self::format::{Reading, no_values};
use self::found::{ForeignFields, num_hashes};
pub use self::redisbloom::pairs::Pairs;
use self::redisbloom::rdb;
use super::beside::{Beside, Read};
use super::envelope::looks_like;
use super::values::{PutValues, Values};
use crate::error::{Error, Looks, Obstacle, Result};
use crate::ids::{Format, KeyDomain};
use crate::kinds::AnyFilter;

/// The implementation of a format; `None` for tepal's own.
pub(super) fn of(format: Format) -> Option<&'static dyn Foreign> {
    Some(match format {
        Format::Tepal => return None,
        Format::Guava => &guava::Guava,
        Format::Spark => &spark::Spark,
        Format::ParquetSbbf => &parquet_sbbf::ParquetSbbf,
        Format::BitsAndBlooms => &bits_and_blooms::BitsAndBlooms,
        Format::Dcso => &dcso::Dcso,
        Format::RedisBloom => &redisbloom::RedisBloom,
        Format::ValkeyBloom => &valkey_bloom::ValkeyBloom,
    })
}

/// Reads a key of another program's module from the values that a server hands over.
pub(super) fn read_values(format: Format, values: &mut dyn Values, reading: Reading<'_>) -> Result<Read> {
    match format {
        Format::RedisBloom => redisbloom::read_values(values, reading),
        Format::ValkeyBloom => valkey_bloom::read_values(values, reading),
        Format::Tepal
        | Format::Guava
        | Format::Spark
        | Format::ParquetSbbf
        | Format::BitsAndBlooms
        | Format::Dcso => Err(no_values(format)),
    }
}

/// Hands a filter over to a server, value by value.
pub(super) fn put_values(
    format: Format,
    (filter, beside): (&AnyFilter, &dyn Beside),
    values: &mut dyn PutValues,
) -> Result<()> {
    let of_module = beside.of_module();
    if let Some(header) = of_module.and_then(|any| any.downcast_ref::<redisbloom::Header>()) {
        return header.put_values(filter, values);
    }
    match of_module.and_then(|any| any.downcast_ref::<valkey_bloom::Object>()) {
        Some(object) => object.put_values(filter, values),
        None => Err(no_values(format)),
    }
}

/// The pair of `BF.SCANDUMP` after this iterator, of a filter of RedisBloom.
pub(super) fn pair(
    format: Format,
    (filter, beside): (&AnyFilter, &dyn Beside),
    iterator: u64,
) -> Result<Option<(u64, Vec<u8>)>> {
    match beside.of_module().and_then(|any| any.downcast_ref::<redisbloom::Header>()) {
        Some(header) => header.pair(filter, iterator),
        None => Err(no_values(format)),
    }
}

/// All formats. RedisBloom comes before DCSO: their files begin alike, and RedisBloom's are more
/// specific.
fn all() -> impl Iterator<Item = &'static dyn Foreign> {
    Format::ALL.iter().rev().filter_map(|format| of(*format))
}

/// Reads a file of a given format.
pub(super) fn read(format: Format, bytes: &[u8], reading: Reading<'_>) -> Result<Read> {
    let Some(foreign) = of(format) else {
        return Err(Error::NotTepal { found: looks_like(bytes) });
    };
    foreign.read(bytes, reading).map_err(|error| match read_marked(bytes, reading) {
        Some((found, Ok(_))) if found != format => Error::NotOfFormat { format, found },
        _ => error,
    })
}

/// The format of a file by its mark, and the result of reading it: the mark alone is not enough.
/// The result is an error only in two cases: a valid file that takes more memory than allowed, and
/// a damaged file whose mark leaves no doubt.
pub(super) fn read_marked(bytes: &[u8], reading: Reading<'_>) -> Option<(Format, Result<Read>)> {
    let marked = all().filter(|format| format.has_mark(bytes));
    let mut read = marked.map(|format| (format.format(), format.read(bytes, reading)));
    // Ten bytes are not chance: such a file is a dump, perhaps a damaged one.
    let is_dump = rdb::has_mark(bytes);
    read.find(|(format, read)| match read {
        Ok(_) | Err(Error::PastLimit { .. }) => true,
        Err(_) => is_dump && *format == Format::RedisBloom,
    })
}

/// Refuses a key domain that the format's program does not have.
pub(super) fn check_domain(format: Format, domain: KeyDomain) -> Result<()> {
    let expected = format.key_domains();
    if expected.contains(&domain) {
        Ok(())
    } else {
        Err(Error::NoSuchKeys { format, found: domain, expected })
    }
}

/// A description of bytes that contain a filter and are not one.
pub(super) fn around(bytes: &[u8]) -> Option<Looks> {
    match parquet_file::whole(bytes) {
        Some(file) => Some(Looks::Parquet(file)),
        None => rdb::has_line_end(bytes).then_some(Looks::DumpAndLineEnd),
    }
}

/// [`around`], also for bytes that are cut.
pub(super) fn around_or_cut(bytes: &[u8]) -> Option<Looks> {
    around(bytes).or_else(|| parquet_file::begins_so(bytes).then(|| Looks::Parquet(parquet_file::cut())))
}

/// Do these bytes begin with the mark of any format?
#[cfg(feature = "std")]
pub(super) fn is_marked(first: &[u8]) -> bool {
    all().any(|format| format.has_mark(first))
}

/// The most bytes that are tried as Parquet's bits without a header. These can be any bytes, and a
/// hint must not take their memory. Parquet's own writers stop at 128 MiB.
const MOST_WITHOUT_HEADER: usize = 128 << 20;

/// The formats that these bytes could have, with or without a mark: for a hint only.
pub(super) fn possible(bytes: &[u8]) -> Vec<Format> {
    let readable = |format: &Format| {
        let is_any = *format == Format::ParquetSbbf && bytes.len() > MOST_WITHOUT_HEADER;
        !is_any && of(*format).is_some_and(|foreign| foreign.read(bytes, Reading::default()).is_ok())
    };
    Format::ALL.iter().copied().filter(readable).collect()
}

/// Prepares a filter to be written in a format, if the format can hold it.
pub(super) fn adopt(foreign: &dyn Foreign, filter: AnyFilter) -> Result<Read> {
    check(foreign, &filter)?;
    let (format, found, expected) = (foreign.format(), filter.key_domain(), foreign.key_domains());
    if !expected.contains(&found) {
        return Err(Error::Unconvertible { format, obstacle: Obstacle::KeyDomain { found, expected } });
    }
    foreign.adopt(filter)
}

#[cfg(test)]
pub(super) mod tests;
