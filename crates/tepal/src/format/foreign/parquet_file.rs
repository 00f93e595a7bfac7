//! A whole Parquet file, given instead of one of its filters. Its footer records where the filters
//! are.
//!
//! ```text
//! PAR1, pages and filters, FileMetaData, its length (4 bytes, little-endian), PAR1
//!
//! FileMetaData    4: list of RowGroup
//! RowGroup        1: list of ColumnChunk
//! ColumnChunk     1: file_path  3: ColumnMetaData  8: crypto_metadata
//! ColumnMetaData  1: type  3: path_in_schema  14: bloom_filter_offset  15: bloom_filter_length
//! ```
//!
//! Only these fields are read. A file with an encrypted footer begins and ends with PARE.

use alloc::string::String;
use alloc::vec::Vec;

use super::parquet_sbbf;
use super::thrift::{BINARY, I32, I64, LIST, STRUCT, binary, each, expect, fields, skip, zigzag};
use crate::error::{Error, ParquetFile, ParquetFilter, Result};
use crate::fields::Fields;
use crate::ids::KeyDomain;

const MARK: &[u8; 4] = b"PAR1";
const ENCRYPTED: &[u8; 4] = b"PARE";
/// The most filters whose place is reported.
const MOST: usize = 64;
/// The most characters of a name.
const MOST_NAME: usize = 100;

/// Do the bytes begin like a Parquet file?
pub(super) fn begins_so(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK) || bytes.starts_with(ENCRYPTED)
}

/// The filters in the footer, if the bytes begin and end like a Parquet file.
pub(super) fn whole(bytes: &[u8]) -> Option<ParquetFile> {
    let is = |mark: &[u8]| bytes.len() >= 12 && bytes.starts_with(mark) && bytes.ends_with(mark);
    if is(ENCRYPTED) {
        return Some(ParquetFile::Encrypted);
    }
    is(MARK).then(|| match filters(bytes) {
        Ok((_, 0)) => ParquetFile::WithoutFilters,
        Ok((first, total)) => ParquetFile::Filters { first, total },
        Err(Error::Damaged { what }) => ParquetFile::Damaged { what },
        Err(other) => ParquetFile::Damaged { what: alloc::format!("{other}") },
    })
}

/// A file that begins like one and ends differently.
pub(super) fn cut() -> ParquetFile {
    ParquetFile::Damaged { what: "it does not end with PAR1, so it is cut".into() }
}

/// The first filters, and the number of all.
fn filters(bytes: &[u8]) -> Result<(Vec<ParquetFilter>, u64)> {
    let len = Fields::at(bytes, bytes.len() - 8).u32_le()?;
    let Some(start) = (bytes.len() - 8).checked_sub(len as usize).filter(|start| *start >= 4) else {
        let most = bytes.len() - 12;
        return Err(Error::damaged(format_args!(
            "it says that its length is {len}, and it is {most} at most"
        )));
    };
    let mut walk = Walk { file: &bytes[..start], first: Vec::new(), total: 0 };
    let mut footer = Fields::at(&bytes[..bytes.len() - 8], start);
    fields(&mut footer, |footer, id, kind| match id {
        4 => {
            expect(footer, kind, LIST)?;
            each(footer, STRUCT, |footer, group| walk.row_group(footer, group))
        }
        _ => skip(footer, kind),
    })?;
    Ok((walk.first, walk.total))
}

/// The results so far.
struct Walk<'a> {
    /// The bytes before the footer.
    file: &'a [u8],
    first: Vec<ParquetFilter>,
    total: u64,
}

impl<'a> Walk<'a> {
    fn row_group(&mut self, footer: &mut Fields<'a>, row_group: u64) -> Result<()> {
        fields(footer, |footer, id, kind| match id {
            1 => {
                expect(footer, kind, LIST)?;
                each(footer, STRUCT, |footer, _| self.column(footer, row_group))
            }
            _ => skip(footer, kind),
        })
    }

    fn column(&mut self, footer: &mut Fields<'a>, row_group: u64) -> Result<()> {
        let (mut file, mut is_encrypted, mut column) = (None, false, Column::default());
        fields(footer, |footer, id, kind| match (id, kind) {
            (1, BINARY) => binary(footer).map(|path| file = Some(path)),
            (3, STRUCT) => column.read(footer),
            (8, _) => {
                is_encrypted = true;
                skip(footer, kind)
            }
            _ => skip(footer, kind),
        })?;
        let Some(offset) = column.offset else { return Ok(()) };
        self.total += 1;
        let offset = u64::try_from(offset).ok().filter(|offset| *offset >= 4);
        let outside = || Error::damaged("a filter is said to lie outside of the file");
        let offset = offset.ok_or_else(outside)?;
        let length = match (column.length, file, is_encrypted) {
            (Some(length), ..) => Some(u64::try_from(length).map_err(|_| outside())?),
            // Older writers leave it out: the filter's own header has it.
            (None, None, false) => {
                let here = usize::try_from(offset).ok().and_then(|at| self.file.get(at..));
                here.and_then(parquet_sbbf::length_with_header)
            }
            _ => None,
        };
        let end = offset.checked_add(length.unwrap_or(0));
        if file.is_none() && end.is_none_or(|end| end > self.file.len() as u64) {
            return Err(outside());
        }
        if self.first.len() < MOST {
            let file = file.map(|path| shown([path].into_iter()));
            let key_domain = domain_of(column.physical);
            let column = shown(column.path.iter().copied());
            self.first.push(ParquetFilter {
                row_group,
                column,
                key_domain,
                file,
                offset,
                length,
                is_encrypted,
            });
        }
        Ok(())
    }
}

/// The metadata of a column.
#[derive(Default)]
struct Column<'a> {
    /// The first names of its path.
    path: Vec<&'a [u8]>,
    /// The number of its physical type.
    physical: Option<i64>,
    offset: Option<i64>,
    length: Option<i64>,
}

impl<'a> Column<'a> {
    fn read(&mut self, footer: &mut Fields<'a>) -> Result<()> {
        fields(footer, |footer, id, kind| match (id, kind) {
            (3, LIST) => each(footer, BINARY, |footer, _| {
                let name = binary(footer)?;
                if self.path.len() < MOST_NAME {
                    self.path.push(name);
                }
                Ok(())
            }),
            (1, I32) => zigzag(footer).map(|number| self.physical = Some(number)),
            (14, I64) => zigzag(footer).map(|offset| self.offset = Some(offset)),
            (15, I32) => zigzag(footer).map(|length| self.length = Some(length)),
            _ => skip(footer, kind),
        })
    }
}

/// The key domain of a physical type.
fn domain_of(physical: Option<i64>) -> Option<KeyDomain> {
    Some(match physical? {
        1 => KeyDomain::Integer32,
        2 => KeyDomain::Integer,
        4 => KeyDomain::Float32,
        5 => KeyDomain::Float64,
        6 => KeyDomain::Bytes,
        // INT96 and FIXED_LEN_BYTE_ARRAY.
        3 | 7 => KeyDomain::Hex,
        _ => return None,
    })
}

/// Names joined by dots, as a text of limited length.
fn shown<'a>(names: impl Iterator<Item = &'a [u8]>) -> String {
    let mut text = String::new();
    for (i, name) in names.enumerate() {
        if i > 0 {
            text.push('.');
        }
        text.push_str(&String::from_utf8_lossy(&name[..name.len().min(4 * MOST_NAME)]));
    }
    match text.char_indices().nth(MOST_NAME) {
        Some((end, _)) => alloc::format!("{}…", &text[..end]),
        None => text,
    }
}
