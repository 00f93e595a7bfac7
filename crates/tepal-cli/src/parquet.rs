//! What to do with a whole Parquet file that is given where a filter is expected: command lines
//! that cut one out.

use std::path::Path;

use tepal::{
    KeyDomain,
    error::{ParquetFile, ParquetFilter},
};

use crate::text::message::{for_shell, is_steering, one_line};

/// So many filters are named in a message.
const SHOWN: usize = 8;

/// Why the file is no filter, and what to do.
pub fn why(path: &Path, file: &ParquetFile) -> String {
    let ParquetFile::Filters { first, total, .. } = file else {
        return one_line(&format!("not a tepal filter: {file}; {}", way_out(file)));
    };
    let name = quoted(path);
    let mut lines: Vec<_> = first.iter().take(SHOWN).map(|filter| line(&name, filter)).collect();
    let more = total.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    format!(
        "a whole Parquet file; cut a filter out of it, and ask that: {}. A column has one for each row group, and a key \
         is held if any of them says so",
        lines.join("; ")
    )
}

/// Where one filter is, with the command line that cuts it out.
fn line(name: &str, filter: &ParquetFilter) -> String {
    let place = format!("row group {}, column {}", filter.row_group, one_line(&filter.column));
    let name = match &filter.file {
        Some(other) => quoted(Path::new(other)),
        None => name.to_owned(),
    };
    match filter.cutting(&name) {
        Some(command) => {
            let keys = match filter.key_domain {
                Some(domain) if domain != KeyDomain::Bytes => format!(" (ask it with --keys {domain})"),
                _ => String::new(),
            };
            format!("{place}: {command} > FILTER{keys}")
        }
        None if filter.is_encrypted => format!("{place}: encrypted, decrypt it first"),
        None => format!("{place}: from byte {} on, its length is not recorded", filter.offset),
    }
}

/// What to do with a file that has no filters, or whose filters cannot be reached.
fn way_out(file: &ParquetFile) -> &'static str {
    match file {
        ParquetFile::WithoutFilters => {
            "have its writer make them (`bloom_filter_options` of pyarrow, parquet.bloom.filter.enabled of Spark and \
             parquet-java), or build a filter of the column's values with: tepal build LIST --to parquet-sbbf -o FILTER"
        }
        ParquetFile::Encrypted => "decrypt it first, with a program that has its key",
        _ => "get the file again from where it came",
    }
}

/// A path as a shell reads it, which is no flag; FILE where that would not stay on one line.
fn quoted(path: &Path) -> String {
    match path.to_str() {
        Some(text) if text.contains(is_steering) => "FILE".to_owned(),
        Some(text) if text.starts_with('-') => quoted(&Path::new(".").join(path)),
        Some(text) => for_shell(text),
        None => "FILE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_a_shell_reads_them() {
        for (name, expected) in [
            ("data/t-1.parquet", "data/t-1.parquet"),
            ("a b.parquet", "'a b.parquet'"),
            ("-x.parquet", "./-x.parquet"),
            ("it's", "'it'\\''s'"),
            ("a\nb", "FILE"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(quoted(Path::new(name)), expected);
        }
    }
}
