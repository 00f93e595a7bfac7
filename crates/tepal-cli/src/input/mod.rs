//! From bytes to records to keys.
//!
//! An input is opened and unpacked ([`source`], [`sniff`], [`zstd`]) within [`limits`], turned into
//! UTF-8 where a mark at its start says that it is UTF-16 ([`start`], [`utf16`], [`checked`]),
//! and taken for rows or JSON ([`form`],
//! [`separator`]). It is read in pieces of whole records ([`pieces`],
//! [`records`]) and given out in pages with the key of each record ([`pages`], [`field`], [`find`],
//! [`extractor`], [`row`], [`csv`], [`json`]). Of a Parquet file columns are read, as rows of CSV
//! (`parquet`). [`pipeline`] does a command's work on all records, and [`parallel`] does the same
//! on several threads. Of a record without a key [`bad`] keeps account.

pub mod bad;
pub mod checked;
pub mod csv;
pub mod extractor;
pub mod field;
pub mod find;
pub mod form;
pub mod json;
pub mod limits;

pub mod pages;
pub mod parallel;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod pieces;
pub mod pipeline;
pub mod progress;
pub mod records;
pub mod row;
pub mod separator;
pub mod sniff;
pub mod source;
pub mod start;
#[cfg(test)]
pub mod trickle;
pub mod utf16;
pub mod zstd;
