//! The two families of keys: 64-bit hashes, ready for every filter, and 12-byte identifiers, which each
//! library hashes in its own way.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use tepal::KeyRef;
use xxhash_rust::xxh3::xxh3_64;

use crate::contender::Contender;
use crate::contenders;

/// A kind of key, and who competes with it.
pub(crate) trait Family: Copy + 'static {
    /// What the table is about.
    const TITLE: &'static str;

    /// Key number `i`. Different numbers below 10^12 give different keys.
    fn numbered(i: u64) -> Self;

    /// XXH3-64 of the key's bytes: the work of the row `XXH3 alone`.
    fn xxh3(&self) -> u64;

    /// The hash by which a limit row finds its line: no work where keys come hashed.
    fn line_hash(&self) -> u64;

    /// Everyone who takes such keys, each sized for `keys` keys at `rate`.
    fn contenders(keys: usize, rate: f64) -> Vec<Box<dyn Contender<Self>>>;
}

impl Family for u64 {
    const TITLE: &'static str = "keys hashed beforehand, the same 64-bit hash for all";

    fn numbered(i: u64) -> u64 {
        xxh3_64(&i.to_le_bytes())
    }

    #[inline]
    fn xxh3(&self) -> u64 {
        xxh3_64(&self.to_le_bytes())
    }

    #[inline]
    fn line_hash(&self) -> u64 {
        *self
    }

    fn contenders(keys: usize, rate: f64) -> Vec<Box<dyn Contender<u64>>> {
        contenders::hashed(keys, rate)
    }
}

/// Twelve decimal digits, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id([u8; 12]);

impl Family for Id {
    const TITLE: &'static str = "12-byte identifiers, each library's default hash";

    fn numbered(i: u64) -> Id {
        // The factor shares no divisor with 10^12, so the identifiers are as different as the numbers.
        let mut rest = (u128::from(i) * 618_033_988_749 % 1_000_000_000_000) as u64;
        let mut digits = [0; 12];
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        Id(digits)
    }

    #[inline]
    fn xxh3(&self) -> u64 {
        xxh3_64(&self.0)
    }

    #[inline]
    fn line_hash(&self) -> u64 {
        self.xxh3()
    }

    fn contenders(keys: usize, rate: f64) -> Vec<Box<dyn Contender<Id>>> {
        contenders::identifiers(keys, rate)
    }
}

impl tepal::Key for Id {
    #[inline]
    fn key(&self) -> KeyRef<'_> {
        KeyRef::Bytes(&self.0)
    }
}

/// Hands over the twelve bytes and nothing else. The standard framing of arrays and strings would make
/// libraries that hash through this trait hash up to eight bytes more.
impl Hash for Id {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(&self.0);
    }
}

/// The keys with these numbers.
pub(crate) fn numbered<K: Family>(numbers: Range<u64>) -> Vec<K> {
    numbers.map(K::numbered).collect()
}

/// Keys from this number on are never inserted.
pub(crate) const ABSENT: u64 = 500_000_000_000;
