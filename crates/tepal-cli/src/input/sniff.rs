//! Recognises a file by its first bytes: a list is read, compressed data is unpacked, all else is
//! refused.

/// What the first bytes of a file say it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// None of these: a plain list.
    Plain,
    /// A tepal filter.
    Tepal,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
    /// Compressed data that is not unpacked here: its name, which is also the name of the tool that
    /// unpacks it.
    OtherPacked(&'static str),
    /// A zip archive, which may hold several files.
    Zip,
    /// Apache Parquet.
    Parquet,
}

/// The most bytes that [`looks`] needs.
pub const HEAD: usize = 10;

/// First bytes and what they mean. Each byte is a range of values, from the first to the last.
const MAGICS: [(&[(u8, u8)], Looks); 8] = [
    (&[is(0x89), is(b'T'), is(b'E'), is(b'P'), is(b'A'), is(b'L')], Looks::Tepal),
    (&[is(0x1f), is(0x8b), is(0x08)], Looks::Gzip),
    (&[is(0x28), is(0xb5), is(0x2f), is(0xfd)], Looks::Zstd),
    // A skippable frame, which may come first.
    (&[(0x50, 0x5f), is(0x2a), is(0x4d), is(0x18)], Looks::Zstd),
    (&[is(b'P'), is(b'K'), is(3), is(4)], Looks::Zip),
    (&[is(b'P'), is(b'A'), is(b'R'), is(b'1'), is(0x15)], Looks::Parquet),
    (&[is(0xfd), is(b'7'), is(b'z'), is(b'X'), is(b'Z'), is(0)], Looks::OtherPacked("xz")),
    (
        &[
            is(b'B'),
            is(b'Z'),
            is(b'h'),
            (b'1', b'9'),
            is(0x31),
            is(0x41),
            is(0x59),
            is(0x26),
            is(0x53),
            is(0x59),
        ],
        Looks::OtherPacked("bzip2"),
    ),
];

const fn is(byte: u8) -> (u8, u8) {
    (byte, byte)
}

/// What a file that begins with `head` looks like. Gives nothing where more bytes are needed to
/// decide.
pub fn looks(head: &[u8]) -> Option<Looks> {
    let mut undecided = false;
    for (magic, looks) in MAGICS {
        let fits = head.iter().zip(magic).all(|(byte, (from, to))| (from..=to).contains(&byte));
        if fits && head.len() >= magic.len() {
            return Some(looks);
        }
        undecided |= fits;
    }
    if undecided { None } else { Some(Looks::Plain) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell() {
        assert_eq!(looks(b"\x89TEPAL\r\n"), Some(Looks::Tepal));
        assert_eq!(looks(b"\x1f\x8b\x08"), Some(Looks::Gzip));
        assert_eq!(looks(b"\x28\xb5\x2f\xfd"), Some(Looks::Zstd));
        assert_eq!(looks(b"\x5a\x2a\x4d\x18"), Some(Looks::Zstd));
        assert_eq!(looks(b"BZh91AY&SY"), Some(Looks::OtherPacked("bzip2")));
        for plain in [&b"570108428378\n"[..], b"a", b"\x1f\x8b\x09", b"Zebra", b"BZh91AY&SX", b"\0"] {
            assert_eq!(looks(plain), Some(Looks::Plain));
        }
        for short in [&b""[..], b"\x1f", b"\x1f\x8b", b"B", b"Z", b"BZh91AY&S"] {
            assert_eq!(looks(short), None);
        }
        assert!(MAGICS.iter().all(|(magic, _)| magic.len() <= HEAD));
    }
}
