//! Parquet files as an input: columns are read as rows of CSV.
//!
//! The file's last bytes say where its footer is. [`footer`] checks it and the crate `parquet`
//! reads it. [`mod@column`] finds the columns that flags name, and [`text`] decides how their
//! values become text. [`rows`] reads them, row group by row group, from [`pages`], which
//! [`unpack`] unpacks and [`delta`] checks. Memory is one page of each column and the values of a
//! thousand rows.

mod column;
mod delta;
mod footer;
mod pages;
mod rows;
mod text;
mod unpack;

use std::cell::Cell;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Once};

use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use self::column::Column;
use self::footer::Wrong;
use self::pages::Bytewise;
use self::rows::Rows;
use crate::error::Failure;
use crate::input::field::KeyRules;
use crate::input::find::{of_flag, shown_names};
use crate::input::progress::Progress;
use crate::text::message::shown;

/// The bytes after the footer: its length, and PAR1.
const TAIL: u64 = 8;

/// The names of the columns of a file that can be keys.
pub fn names(path: &Path) -> Result<Vec<String>, Failure> {
    let mut file = File::open(path).map_err(|error| Failure::io(&shown(path), &error))?;
    let (metadata, _) = metadata(&mut file).map_err(|text| Failure::at(&shown(path), text))?;
    Ok(column::names(metadata.file_metadata().schema_descr()))
}

/// Opens a file, whose rows have the columns that the rules name.
pub fn open(
    path: &Path,
    file: File,
    progress: &Progress,
    rules: &KeyRules,
) -> Result<Box<dyn Read + Send>, Failure> {
    let refused = |text: String| Failure::at(&shown(path), text);
    let mut file = file;
    let (metadata, len) = metadata(&mut file).map_err(refused)?;
    let schema = metadata.file_metadata().schema_descr();
    let Some(key) = &rules.field else {
        let names = column::names(schema);
        let columns = if names.len() == 1 { "column" } else { "columns" };
        return Err(refused(format!(
            "a Parquet file, which has columns and no lines; say with -f which one is the key. It has the {columns} {}",
            shown_names(names)
        )));
    };
    if rules.null || rules.row_format.is_some() {
        let flag = if rules.null { "-0" } else { "--csv, --tsv or -d" };
        return Err(refused(format!("a Parquet file, whose rows are no text; leave out {flag}")));
    }
    let mut columns = vec![Column::find(schema, key).map_err(refused)?];
    if let Some((by, flag)) = &rules.by {
        columns.push(Column::find(schema, by).map_err(|text| refused(of_flag(flag, &text)))?);
    }
    check(&metadata, &columns).map_err(refused)?;
    let file = Bytewise::new(Arc::new(file), len, rules.limits, progress.clone());
    Ok(Box::new(Rows::new(file, metadata, columns, rules.limits)))
}

/// The metadata in the footer, and the length of the file.
fn metadata(file: &mut File) -> Result<(ParquetMetaData, u64), String> {
    let broken = |why: &str| format!("a damaged Parquet file ({why}); get it again from where it came");
    let encrypted =
        || "an encrypted Parquet file; decrypt it first, with a program that has its key".to_owned();
    let unreadable = |error: std::io::Error| error.to_string();
    let len = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let mut tail = [0; TAIL as usize];
    // Its first bytes are PAR1, or it would not be read as Parquet.
    let end = len.checked_sub(TAIL).filter(|end| *end >= 4).ok_or_else(|| broken("it ends too early"))?;
    file.seek(SeekFrom::Start(end)).map_err(unreadable)?;
    file.read_exact(&mut tail).map_err(unreadable)?;
    let [a, b, c, d, mark @ ..] = tail;
    match &mark {
        b"PAR1" => {}
        b"PARE" => return Err(encrypted()),
        _ => return Err(broken("it does not end with PAR1, so it is cut")),
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = end.checked_sub(footer).filter(|start| *start >= 4);
    let start = start.ok_or_else(|| broken("its footer is longer than the file"))?;
    file.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // As many bytes as the file has.
    let read = file.take(footer).read_to_end(&mut bytes).map_err(unreadable)?;
    if read as u64 != footer {
        return Err(broken("it became shorter while it was read"));
    }
    footer::check(&bytes).map_err(|wrong| match wrong {
        Wrong::Encrypted => encrypted(),
        Wrong::Damaged(why) => broken(why),
    })?;
    let metadata = without_panic(|| ParquetMetaDataReader::decode_metadata(&bytes).map_err(said));
    metadata.map(|metadata| (metadata, len)).map_err(|why| broken(&why))
}

/// Checks what the footer says of these columns, before a row is read.
fn check(metadata: &ParquetMetaData, columns: &[Column]) -> Result<(), String> {
    let rows = metadata.row_groups().iter().try_fold(0i64, |rows, group| rows.checked_add(group.num_rows()));
    if rows != Some(metadata.file_metadata().num_rows()) {
        return Err(
            "a damaged Parquet file (its row groups have another number of rows than the file)".to_owned()
        );
    }
    for (group, column) in
        metadata.row_groups().iter().flat_map(|group| columns.iter().map(move |it| (group, it)))
    {
        let chunk = group.column(column.leaf);
        if let Some(other) = chunk.file_path() {
            return Err(format!(
                "a Parquet file whose data is in other files, such as {}",
                shown(Path::new(other))
            ));
        }
        unpack::check(chunk.compression()).map_err(|name| {
            format!("a Parquet file packed with {name}, which is not read; write it with zstd, gzip, snappy, lz4_raw or none")
        })?;
    }
    Ok(())
}

/// An error of the crate `parquet` in its own words, without its prefix.
fn said(error: impl Display) -> String {
    let text = error.to_string();
    let plain = ["Parquet error: ", "EOF: ", "External: ", "NYI: "]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    plain.unwrap_or(&text).to_owned()
}

thread_local! {
    /// No panic of this thread is told.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Calls the crate `parquet`, which panics at some damaged files, and makes a panic an error.
fn without_panic<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                told(info);
            }
        }));
    });
    IS_QUIET.set(true);
    let called = panic::catch_unwind(AssertUnwindSafe(call));
    IS_QUIET.set(false);
    called.unwrap_or_else(|_| Err("its values are not written as they must be".to_owned()))
}

#[cfg(test)]
mod tests;
