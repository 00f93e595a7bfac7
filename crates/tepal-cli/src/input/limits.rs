//! The most memory that an input of keys may ask for: one record, and the window of zstd data.
//!
//! A few bytes of packed data can stand for gigabytes, and a pipe need not end. So both are
//! compared with these limits before the memory is taken.

use crate::text::number;

/// The longest record where none is given, without its line end.
const RECORD: usize = 64 << 20;
/// The smallest limit of a record. Below it, all records of a piece would have to be measured, not
/// the first alone.
const LEAST_RECORD: usize = 1 << 20;
/// The largest window where none is given: that of `zstd -d`, and of `zstd --long`.
const WINDOW: u64 = 128 << 20;
/// The smallest window that zstd data can have.
const LEAST_WINDOW: u64 = 1 << 10;
/// The largest window that the library `zstd` unpacks on this machine, as a power of two.
pub const MOST_WINDOW_LOG: u32 = if cfg!(target_pointer_width = "64") { 31 } else { 30 };

/// What one input may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a record, without what ends it.
    pub record: usize,
    /// The largest window of zstd data, in bytes.
    pub window: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { record: RECORD, window: WINDOW }
    }
}

/// Reads the value of `--max-record`.
pub fn parse_record(text: &str) -> Result<usize, String> {
    let bytes = number::parse_size(text)?;
    match usize::try_from(bytes) {
        Ok(bytes) if (LEAST_RECORD..=isize::MAX as usize / 2).contains(&bytes) => Ok(bytes),
        _ => Err(format!("{}; expected 1MiB or more, such as 256MiB or 4GiB", number::size(bytes))),
    }
}

/// Reads the value of `--max-window`.
pub fn parse_window(text: &str) -> Result<u64, String> {
    let bytes = number::parse_size(text)?;
    let most = 1 << MOST_WINDOW_LOG;
    match bytes {
        LEAST_WINDOW.. if bytes <= most => Ok(bytes),
        _ => Err(format!("{}; expected 1KiB to {}, such as 512MiB", number::size(bytes), exact(most))),
    }
}

/// A size as the flags take it, rounded up to MiB.
pub fn exact(bytes: u64) -> String {
    format!("{}MiB", bytes.div_ceil(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        assert_eq!(parse_record("1MiB"), Ok(1 << 20));
        assert_eq!(parse_record("2GB"), Ok(2_000_000_000));
        for bad in ["", "x", "0", "1023KiB", "16000000TiB"] {
            assert!(parse_record(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_window("1KiB"), Ok(1 << 10));
        assert_eq!(parse_window("100MB"), Ok(100_000_000));
        assert_eq!(parse_window("1GiB"), Ok(1 << 30));
        for bad in ["", "x", "0", "1000", "3GiB", "16000000TiB"] {
            assert!(parse_window(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for bytes in [1 << 20, (1 << 20) + 1, 300_000_000, 1 << 30] {
            let again = number::parse_size(&exact(bytes)).unwrap();
            assert!((bytes..bytes + (1 << 20)).contains(&again), "{bytes}");
        }
    }
}
