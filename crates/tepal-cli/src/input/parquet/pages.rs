//! The pages of one column in one row group, unpacked, with every number checked that the crate
//! `parquet` would allocate by.
//!
//! The crate finds the pages and compares their checksums. It is told that they are not packed, and
//! [`unpack`] unpacks them within a limit.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::basic::{Compression, Encoding, Type};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{ChunkReader, Length, SerializedPageReader};
use bytes::Bytes;

use super::{delta, unpack};
use crate::input::limits::{self, Limits};
use crate::input::progress::Progress;

/// The largest page, unpacked. DuckDB writes pages of up to 100 MB, others of 1 MiB.
const LARGEST: u64 = 256 << 20;
/// Bytes that are read for the header of a page.
const HEADER: usize = 512;

/// A Parquet file that is read at any place.
pub struct Bytewise {
    file: Arc<File>,
    len: u64,
    /// The most bytes of a page.
    most: u64,
    progress: Progress,
    /// The unpacked length of the page whose header was read last.
    unpacked: AtomicU64,
}

impl Bytewise {
    /// The bytes of a file of this length.
    pub fn new(file: Arc<File>, len: u64, limits: Limits, progress: Progress) -> Self {
        let most = LARGEST.max(limits.record as u64);
        Self { file, len, most, progress, unpacked: AtomicU64::new(0) }
    }

    fn reader(&self, start: u64) -> BufReader<At> {
        BufReader::with_capacity(HEADER, At { file: self.file.clone(), start })
    }
}

/// Reads a file from a place on.
pub struct At {
    file: Arc<File>,
    start: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.file).seek(SeekFrom::Start(self.start))?;
        let read = (&*self.file).read(buffer)?;
        self.start += read as u64;
        Ok(read)
    }
}

impl Length for Bytewise {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Bytewise {
    type T = BufReader<At>;

    /// Is called for the header of each page.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        // A page's kind, its unpacked and its packed length come first, each as one field.
        let mut header = [0; 24];
        let mut lengths = self.reader(start);
        let mut have = 0;
        while have < header.len() {
            match lengths.read(&mut header[have..])? {
                0 => break,
                n => have += n,
            }
        }
        let unpacked = sizes(&header[..have]).ok_or_else(|| damaged("the header of a page is wrong"))?;
        if unpacked > self.most {
            return Err(damaged(&format!(
                "a page of more than {}, the most that is read; --max-record allows longer ones",
                limits::exact(self.most)
            )));
        }
        self.unpacked.store(unpacked, Ordering::Relaxed);
        Ok(self.reader(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len) {
            return Err(damaged("a page is outside of the file"));
        }
        let mut bytes = Vec::with_capacity(length);
        let read = self.reader(start).take(length as u64).read_to_end(&mut bytes)?;
        self.progress.add(read);
        if read != length {
            return Err(damaged("it became shorter while it was read"));
        }
        Ok(bytes.into())
    }
}

/// The unpacked length in the header of a page.
fn sizes(header: &[u8]) -> Option<u64> {
    /// The next field, of 32 bits.
    const FIELD: u8 = 0x15;
    let mut bytes = header.iter();
    let mut field = || {
        let head = bytes.next()?;
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = bytes.next()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                // Zigzag: an even number is positive.
                return (*head == FIELD && value & 1 == 0).then_some(value >> 1);
            }
        }
        None
    };
    let (_kind, unpacked, _packed) = (field()?, field()?, field()?);
    Some(unpacked)
}

pub fn damaged(text: &str) -> ParquetError {
    ParquetError::General(text.to_owned())
}

/// The unpacked pages of a column in a row group.
pub struct Unpacked {
    pages: SerializedPageReader<Bytewise>,
    file: Arc<Bytewise>,
    packed: Compression,
    /// The bits of a level, which says whether a value is there; 0 if all are.
    level_bits: u64,
    /// The fewest bytes of a value in a dictionary.
    least: usize,
}

impl Unpacked {
    /// The pages of a column.
    pub fn new(file: Arc<Bytewise>, column: &ColumnChunkMetaData, rows: usize) -> Result<Self> {
        let packed = column.compression();
        let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let pages = SerializedPageReader::new(file.clone(), &plain, rows, None)?;
        let description = column.column_descr();
        let level_bits = u64::from(i16::BITS - description.max_def_level().leading_zeros());
        let least = match description.physical_type() {
            Type::INT64 => 8,
            Type::INT32 | Type::BYTE_ARRAY => 4,
            Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(description.type_length()).unwrap_or(1).max(1),
            _ => 1,
        };
        Ok(Self { pages, file, packed, level_bits, least })
    }

    fn unpack(&self, bytes: &[u8], len: usize) -> Result<Vec<u8>> {
        unpack::page(self.packed, bytes, len).ok_or_else(|| damaged("a page cannot be unpacked"))
    }

    /// The page with its bytes unpacked and its counts checked.
    fn checked(&self, page: Page) -> Result<Page> {
        // At most [`LARGEST`], or a number of the type `usize` from the flags.
        let len = self.file.unpacked.load(Ordering::Relaxed) as usize;
        let wrong = || damaged("the header of a page is wrong");
        let mut page = page;
        match &mut page {
            Page::DataPage { buf, encoding, num_values, def_level_encoding, .. } => {
                *buf = self.unpack(buf, len)?.into();
                #[allow(deprecated, reason = "old files have it")]
                let values = match (self.level_bits, *def_level_encoding) {
                    (0, _) => &buf[..],
                    (bits, Encoding::BIT_PACKED) => {
                        let len = (u64::from(*num_values) * bits).div_ceil(8);
                        usize::try_from(len).ok().and_then(|len| buf.get(len..)).ok_or_else(wrong)?
                    }
                    _ => {
                        let (levels, rest) = buf.split_first_chunk().ok_or_else(wrong)?;
                        rest.get(u32::from_le_bytes(*levels) as usize..).ok_or_else(wrong)?
                    }
                };
                delta::check(*encoding, values, *num_values).ok_or_else(wrong)?;
            }
            Page::DataPageV2 {
                buf,
                encoding,
                num_values,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                let at = (*def_levels_byte_len as usize).checked_add(*rep_levels_byte_len as usize);
                let (levels, values) = at.and_then(|at| buf.split_at_checked(at)).ok_or_else(wrong)?;
                if *is_compressed {
                    let len = len.checked_sub(levels.len()).ok_or_else(wrong)?;
                    *buf = [levels, &self.unpack(values, len)?].concat().into();
                    *is_compressed = false;
                }
                let values = &buf[at.unwrap_or_default()..];
                delta::check(*encoding, values, *num_values).ok_or_else(wrong)?;
            }
            Page::DictionaryPage { buf, num_values, .. } => {
                *buf = self.unpack(buf, len)?.into();
                if *num_values as usize > buf.len() / self.least {
                    return Err(wrong());
                }
            }
        }
        Ok(page)
    }
}

impl Iterator for Unpacked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Unpacked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
