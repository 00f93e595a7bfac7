//! The families of keys: 64-bit hashes, ready for every filter, and text of 12 and 60 bytes, which
//! each library hashes in its own way.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use clap::ValueEnum;
use tepal::KeyRef;
use xxhash_rust::xxh3::xxh3_64;

use crate::contender::Contender;
use crate::contenders;

/// The families by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// 64-bit hashes, computed beforehand
    Hashed,
    /// 12-byte identifiers
    Ids,
    /// 60-byte URLs
    Urls,
}

impl Kind {
    /// What a table of such keys is about.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Kind::Hashed => "keys hashed beforehand, the same 64-bit hash for all",
            Kind::Ids => "12-byte identifiers, each library's own hash",
            Kind::Urls => "60-byte URLs, each library's own hash",
        }
    }
}

/// A kind of key, and who competes with it.
pub(crate) trait Family: Copy + Sync + 'static {
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

/// A key of `N` bytes: a front that is the same for all keys, and at the end twelve decimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text<const N: usize>([u8; N]);

/// Twelve decimal digits.
pub(crate) type Id = Text<12>;
/// An address with twelve decimal digits at its end.
pub(crate) type Url = Text<60>;

impl<const N: usize> Text<N> {
    /// The front of the longest key; a shorter one has its first bytes.
    const FRONT: &[u8; 48] = b"https://www.example.org/catalogue/items/detail/n";

    /// The key's bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> Family for Text<N> {
    fn numbered(i: u64) -> Self {
        // The factor shares no divisor with 10^12, so the digits are as different as the numbers.
        let mut rest = (u128::from(i) * 618_033_988_749 % 1_000_000_000_000) as u64;
        let mut text = [0; N];
        text[..N - 12].copy_from_slice(&Self::FRONT[..N - 12]);
        for digit in text[N - 12..].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        Text(text)
    }

    #[inline]
    fn xxh3(&self) -> u64 {
        xxh3_64(&self.0)
    }

    #[inline]
    fn line_hash(&self) -> u64 {
        self.xxh3()
    }

    fn contenders(keys: usize, rate: f64) -> Vec<Box<dyn Contender<Self>>> {
        contenders::texts(keys, rate)
    }
}

impl<const N: usize> tepal::Key for Text<N> {
    #[inline]
    fn key<'a>(&'a self, _: &'a mut tepal::KeySink) -> KeyRef<'a> {
        KeyRef::Bytes(&self.0)
    }
}

/// Hands over the bytes and nothing else. The standard framing of arrays and strings would make
/// libraries that hash through this trait hash up to eight bytes more.
impl<const N: usize> Hash for Text<N> {
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
