//! The most memory that an input of keys may ask for: the window of zstd data.
//!
//! A few bytes of packed data can ask for gigabytes. So what they ask for is compared with the limit before the memory is
//! taken.

use crate::text::number;

/// The largest window where none is given: that of `zstd -d`, and of `zstd --long`.
const WINDOW: u64 = 128 << 20;
/// The smallest window that zstd data can have.
const LEAST_WINDOW: u64 = 1 << 10;
/// The largest window that the library `zstd` unpacks on this machine, as a power of two.
pub const MOST_WINDOW_LOG: u32 = if cfg!(target_pointer_width = "64") { 31 } else { 30 };

/// What one input may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest window of zstd data, in bytes.
    pub window: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { window: WINDOW }
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
