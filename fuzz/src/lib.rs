//! What every target does with its bytes. Nothing may panic, hang, or allocate by an unchecked
//! number. An opened filter must answer, be written again, and contain inserted keys. The package
//! `tepal-fuzz-cli` tests the arguments and inputs of the command.

mod bloom;
mod chains;
mod doors;
mod excepted;
mod map;
mod open;
mod operations;
mod patches;
mod quotient;
mod ribbon;
mod sealed;
mod segment;

use std::num::NonZeroUsize;

use tepal::{
    AnyFilter, BloomFilter, Error, Open,
    error::{Looks, ParquetFile},
    file::Format,
};

pub use bloom::build;
pub use doors::embedded;
pub use open::open;
pub use operations::operations;
pub use patches::patch;
pub use sealed::sealed;

const KEYS: [&str; 4] =
    ["", "42", "570108428378", "a longer key, one that fills more than one block of any hash"];

/// For calls with several threads.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// The secrets of the files in the corpus.
const SECRETS: [[u8; 16]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], *b"sixteen secrets!"];

/// A foreign file, or anything: a file that is read is written again, and an inserted key is found.
pub fn foreign(format: Format, data: &[u8]) {
    for &domain in format.key_domains() {
        let open = Open::new().format(format).key_domain(domain);
        let Ok(mut file) = open.from_bytes(data) else { return };
        // A tepal file is recognized, whatever format is named.
        if file.format() != format {
            assert_eq!(file.format(), Format::Tepal);
            return;
        }
        let before: Vec<bool> = KEYS.iter().map(|key| file.filter().contains(*key)).collect();
        assert_eq!(file.filter().contains_many(&KEYS), before);
        let facts = file.facts().unwrap();
        assert_eq!((facts.key_domain, facts.file.map(|file| file.format)), (domain, Some(format)));

        // The written bytes are read as the same filter, and do not change any more.
        let written = file.to_bytes().unwrap();
        let again = open.from_bytes(&written).unwrap();
        assert_eq!(again.to_bytes().unwrap(), written);
        assert_eq!(again.filter().contains_many(&KEYS), before);
        if one_form(format, data) {
            assert_eq!(written, data);
        }

        if may_insert(format, file.filter(), data) {
            // Refused: a key outside the domain, or a chain that may not grow.
            if file.insert("570108428378").is_ok() {
                let changed = open.from_bytes(&file.to_bytes().unwrap()).unwrap();
                assert!(changed.filter().contains("570108428378"));
                for (key, held) in KEYS.iter().zip(&before) {
                    assert!(!held || changed.filter().contains(*key));
                }
            }
        }
        if let Ok(ours) = again.convert_to(Format::Tepal) {
            let ours = BloomFilter::from_bytes(&ours.to_bytes().unwrap()).unwrap();
            assert_eq!(ours.contains_many(&KEYS), before);
        }
    }
}

/// Does every filter of the format have exactly one file, so that reading and writing gives the
/// same bytes at once? Not if a program has a choice: Thrift's field encodings, JSON's white space,
/// RDB's lengths, old RedisBloom fields.
fn one_form(format: Format, data: &[u8]) -> bool {
    match format {
        Format::Guava | Format::Spark | Format::Dcso | Format::ValkeyBloom => true,
        Format::ParquetSbbf => data.len() % 32 == 0,
        Format::BitsAndBlooms => !data.trim_ascii_start().starts_with(b"{"),
        _ => false,
    }
}

/// A full chain grows by the numbers in its file, which may be very large: here only if they are
/// small.
fn may_insert(format: Format, filter: &AnyFilter, data: &[u8]) -> bool {
    let AnyFilter::Scalable(chain) = filter else { return true };
    let newest = &chain.links()[chain.links().len() - 1];
    if newest.keys_inserted().is_some_and(|keys| keys < newest.capacity()) {
        return true;
    }
    let growth = match format {
        // After iterator and length: total, number of filters, options.
        Format::RedisBloom if data.starts_with(&[1, 0, 0, 0, 0, 0, 0, 0]) => u32_at(data, 28),
        Format::ValkeyBloom => u32_at(data, 1),
        _ => return false,
    };
    growth.is_some_and(|growth| growth <= 8) && newest.capacity() <= 4096
}

/// Recognizes the format of any bytes, and lists the formats they could have.
pub fn recognise(data: &[u8]) {
    let told = |format: Format| Open::new().format(format).from_bytes(data).unwrap().format();
    match (Format::of(data), tepal::from_bytes(data)) {
        (Some(format), Ok(file)) => {
            assert_eq!(file.format(), format);
            assert_eq!(told(format), format);
        }
        // A mark of another program counts only if the rest can be read, except for the mark of a
        // dump.
        (Some(format), Err(_)) => {
            let is_dump = format == Format::RedisBloom && data.starts_with(&[0x07, 0x81, 0x30, 0x16]);
            assert!(format == Format::Tepal || is_dump, "{format}");
        }
        (None, Ok(file)) => panic!("{} without a mark", file.format()),
        (None, Err(Error::NotTepal { found: Looks::Unmarked(possible), .. })) => {
            assert!(!possible.is_empty() && possible.iter().all(|format| told(*format) == *format));
        }
        (None, Err(Error::NotTepal { .. })) => {}
        (None, Err(error)) => panic!("{error}"),
    }
}

/// A whole Parquet file: unchanged, and as a footer with correct marks and length.
pub fn parquet_file(data: &[u8]) {
    for told in [None, Some(Format::ParquetSbbf)] {
        let open = told.map_or_else(Open::new, |format| Open::new().format(format));
        let len = data.len() as u32;
        let framed = [b"PAR1", data, &len.to_le_bytes(), b"PAR1"].concat();
        for bytes in [data, &framed] {
            if bytes.len() < 12 || !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
                continue;
            }
            let Err(Error::NotTepal { found: Looks::Parquet(file), .. }) = open.from_bytes(bytes) else {
                panic!("not named")
            };
            assert!(!file.to_string().contains('\n'));
            let ParquetFile::Filters { first, total, .. } = file else { continue };
            assert!(!first.is_empty() && first.len() <= 64 && first.len() as u64 <= total);
            for filter in first.iter().filter(|filter| filter.file.is_none()) {
                assert!(filter.offset + filter.length.unwrap_or(0) <= bytes.len() as u64);
            }
        }
    }
}

/// Does the file have optional flags, or records that a reader may ignore? These are not written
/// again.
fn has_ignorable(file: &[u8]) -> bool {
    let records_len = u32_at(file, 120).map_or(0, |len| len as usize);
    let mut records = file.get(128..128 + records_len).unwrap_or_default();
    let mut ignorable = u32_at(file, 28) != Some(0);
    while let (Some(head), Some(len)) = (u32_at(records, 0), u32_at(records, 4)) {
        ignorable |= head & 0x8000 != 0;
        records = records.get(8 + (len as usize).next_multiple_of(8)..).unwrap_or_default();
    }
    ignorable
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([field[0], field[1], field[2], field[3]]))
}
