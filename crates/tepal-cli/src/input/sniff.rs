//! What a file looks like by its first bytes, so that it is unpacked, or refused.

/// What the first bytes of a file say it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// None of these: a plain list.
    Plain,
    /// One of our filters.
    Tepal,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
    /// Packed in a way that we do not unpack: its name, which is also that of the tool which does.
    OtherPacked(&'static str),
}

/// Bytes that [`looks`] may want to see.
pub const HEAD: usize = 10;

/// First bytes, each from one value to another, and what they mean.
const MAGICS: [(&[(u8, u8)], Looks); 6] = [
    (&[is(0x89), is(b'T'), is(b'E'), is(b'P'), is(b'A'), is(b'L')], Looks::Tepal),
    (&[is(0x1f), is(0x8b), is(0x08)], Looks::Gzip),
    (&[is(0x28), is(0xb5), is(0x2f), is(0xfd)], Looks::Zstd),
    // A frame to be skipped, which may come first.
    (&[(0x50, 0x5f), is(0x2a), is(0x4d), is(0x18)], Looks::Zstd),
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

/// What a file looks like that begins with `head`; nothing where more bytes are needed to tell.
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
