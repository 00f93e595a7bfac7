//! Families of keys: the shapes that real lists have, each numbered from 0 without end.

use std::io::Write;

use tepal::KeyRef;

/// A shape of keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Family {
    /// `0`, `1`, `2`, ...
    Sequential,
    /// A long common prefix, then a number.
    Prefix,
    /// Twelve digits that begin with a date, as identity numbers do.
    Iin,
    /// Web addresses of about 60 bytes.
    Url,
    /// Random identifiers in their usual 36 characters.
    Uuid,
    /// 64-bit integers whose low 32 bits are all 0.
    Shifted,
}

impl Family {
    /// Every family.
    pub(crate) const ALL: [Family; 6] =
        [Family::Sequential, Family::Prefix, Family::Iin, Family::Url, Family::Uuid, Family::Shifted];

    /// Passes key number `i` to `with`: the same bytes each time, and another key for each number.
    pub(crate) fn key<R>(self, i: u64, with: impl FnOnce(KeyRef<'_>) -> R) -> R {
        let mut buffer = [0u8; 96];
        let mut rest = &mut buffer[..];
        let done = match self {
            Family::Sequential => write!(rest, "{i}"),
            Family::Prefix => write!(rest, "/var/lib/warehouse/export/customers/part-{i:08}"),
            Family::Iin => {
                let (day, serial) = (i / 20_000, i % 20_000);
                let (year, month, date) = (day / 372, day / 31 % 12 + 1, day % 31 + 1);
                let century = 3 + serial / 10_000 + 2 * (year / 100 % 2);
                write!(
                    rest,
                    "{:02}{month:02}{date:02}{century}{:04}{}",
                    year % 100,
                    serial % 10_000,
                    i % 11 % 10
                )
            }
            Family::Url => {
                write!(
                    rest,
                    "https://www.example{}.org/articles/{:08x}/comments?page={}",
                    i % 977,
                    mix(i) >> 32,
                    i
                )
            }
            Family::Uuid => {
                let (a, b) = (mix(i), mix(!i));
                let (a1, a2, a3) = (a >> 32, a >> 16 & 0xFFFF, a & 0xFFF);
                write!(rest, "{a1:08x}-{a2:04x}-4{a3:03x}-{:04x}-{:012x}", b >> 48, b & 0xFFFF_FFFF_FFFF)
            }
            Family::Shifted => return with(KeyRef::Unsigned(i << 32)),
        };
        done.expect("the buffer holds every key");
        let len = 96 - rest.len();
        with(KeyRef::Bytes(&buffer[..len]))
    }
}

/// SplitMix64's output function: a bijection.
pub(crate) fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
