//! A whole Parquet file, given instead of one of the filters in it: where the filters are.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::{Advice, advice};
use crate::ids::KeyDomain;

/// What the footer of a whole Parquet file says about the filters in it
/// ([`Looks::Parquet`](super::Looks::Parquet)).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParquetFile {
    /// It has filters; each belongs to one column in one row group.
    #[non_exhaustive]
    Filters {
        /// The first filters, at most 64, in the order of the row groups.
        first: Vec<ParquetFilter>,
        /// How many filters there are.
        total: u64,
    },
    /// It has no filters: its writer was not asked for any.
    WithoutFilters,
    /// Its footer is encrypted, and so are its filters.
    Encrypted,
    /// Its footer cannot be read.
    #[non_exhaustive]
    Damaged {
        /// The damaged part, and the sign of the damage.
        what: String,
    },
}

/// The place of one filter in a Parquet file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParquetFilter {
    /// The number of the row group, from 0.
    pub row_group: u64,
    /// The path of the column, its names joined by dots; cut after 100 characters.
    pub column: String,
    /// How the column's values become bytes, by the physical type of the column.
    pub key_domain: Option<KeyDomain>,
    /// The file that contains the column, if it is another file; cut after 100 characters.
    pub file: Option<String>,
    /// The offset of the filter in bytes.
    pub offset: u64,
    /// The length of the filter in bytes, header included. `None` if neither the footer nor the
    /// filter's own header records it.
    pub length: Option<u64>,
    /// Is the column encrypted, and its filter with it?
    pub is_encrypted: bool,
}

/// The largest number of filters that a text names.
const SHOWN: usize = 8;

impl ParquetFile {
    /// What to do about it.
    pub(super) fn advice(&self) -> Advice {
        match self {
            ParquetFile::Filters { .. } => {
                advice!("cut it out and open that; a key is held if the filter of any row group holds it")
            }
            // The options of the programs that write Parquet files.
            ParquetFile::WithoutFilters => advice!(
                "write it anew with them: bloom_filter_options of pyarrow's write_table, \
                 parquet.bloom.filter.enabled of parquet-java and Spark, set_bloom_filter_enabled of the crate \
                 parquet; DuckDB makes them of columns with a dictionary"
            ),
            ParquetFile::Encrypted => {
                advice!("write it anew without encryption, by a program that has its key")
            }
            ParquetFile::Damaged { .. } => advice!("get the file again from its source"),
        }
    }
}

impl fmt::Display for ParquetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParquetFile::Filters { first, total } => {
                let (is, s) = if *total == 1 { ("is", "") } else { ("are", "s") };
                write!(f, "it is a whole Parquet file, and {total} Bloom filter{s} {is} in it: ")?;
                for (i, filter) in first.iter().take(SHOWN).enumerate() {
                    write!(f, "{}{filter}", if i > 0 { "; " } else { "" })?;
                }
                match total.saturating_sub(first.len().min(SHOWN) as u64) {
                    0 => Ok(()),
                    more => write!(f, "; and {more} more"),
                }
            }
            ParquetFile::WithoutFilters => f.write_str("it is a whole Parquet file, without Bloom filters"),
            ParquetFile::Encrypted => f.write_str("it is a whole Parquet file, whose footer is encrypted"),
            ParquetFile::Damaged { what } => {
                write!(f, "it begins as a Parquet file does, and its footer cannot be read: {what}")
            }
        }
    }
}

impl fmt::Display for ParquetFilter {
    /// The place of the filter, and the command that extracts it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row_group, column, offset, .. } = self;
        write!(f, "row group {row_group}, column {column:?}, ")?;
        if let Some(file) = &self.file {
            write!(f, "in the file {file:?}, ")?;
        }
        match self.length {
            _ if self.is_encrypted => write!(f, "encrypted, from byte {offset} on"),
            Some(length) => {
                write!(
                    f,
                    "{length} bytes from byte {offset} on ({})",
                    self.cutting("FILE").unwrap_or_default()
                )
            }
            None => write!(f, "of unknown length from byte {offset} on"),
        }
    }
}

impl ParquetFilter {
    /// The command line that writes the filter's bytes to standard output. `file` is the file's
    /// name, quoted for a shell. `None` if the length is unknown or the column is encrypted.
    #[must_use]
    pub fn cutting(&self, file: &str) -> Option<String> {
        let length = self.length.filter(|_| !self.is_encrypted)?;
        Some(alloc::format!("tail -c +{} {file} | head -c {length}", self.offset.saturating_add(1)))
    }
}
