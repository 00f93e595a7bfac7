//! Recognises a file by its first bytes: a list is read, compressed data is unpacked, all else is
//! refused.

use std::io::{self, Read, Seek, SeekFrom};

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
    /// Apache Parquet.
    Parquet,
    /// Data that is not read here: what it is, and what to do.
    Other(&'static str, &'static str),
}

/// The most bytes that [`looks`] needs.
pub const HEAD: usize = TAR_MARK + 5;

/// First bytes and what they mean. Each byte is a range of values, from the first to the last.
const MAGICS: &[(&[(u8, u8)], Looks)] = &[
    (&[is(0x89), is(b'T'), is(b'E'), is(b'P'), is(b'A'), is(b'L')], Looks::Tepal),
    (&[is(0x1f), is(0x8b), is(0x08)], Looks::Gzip),
    (&[is(0x28), is(0xb5), is(0x2f), is(0xfd)], Looks::Zstd),
    // A skippable frame, which may come first.
    (&[(0x50, 0x5f), is(0x2a), is(0x4d), is(0x18)], Looks::Zstd),
    (&[is(b'P'), is(b'A'), is(b'R'), is(b'1'), is(0x15)], Looks::Parquet),
    (&[is(b'P'), is(b'K'), is(3), is(4)], ZIP),
    (&[is(0xfd), is(b'7'), is(b'z'), is(b'X'), is(b'Z'), is(0)], XZ),
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
        BZIP2,
    ),
    (&[is(0x04), is(0x22), is(0x4d), is(0x18)], LZ4),
    (&[is(0x02), is(0x21), is(0x4c), is(0x18)], LZ4),
    (&[is(b'7'), is(b'z'), is(0xbc), is(0xaf), is(0x27), is(0x1c)], SEVEN_ZIP),
    (&[is(b'R'), is(b'a'), is(b'r'), is(b'!'), is(0x1a), is(0x07)], RAR),
    (&[is(0x1f), is(0x9d)], COMPRESS),
    (&[is(b'O'), is(b'b'), is(b'j'), is(1)], AVRO),
    (&[is(0xd0), is(0xcf), is(0x11), is(0xe0), is(0xa1), is(0xb1), is(0x1a), is(0xe1)], XLS),
    (&[is(0x93), is(b'N'), is(b'U'), is(b'M'), is(b'P'), is(b'Y')], NPY),
];

/// The same that begin as text and have NULs: records that end with NUL may begin so.
const MAGICS_WITH_NUL: &[(&[(u8, u8)], Looks)] = &[
    (&[is(b'A'), is(b'R'), is(b'R'), is(b'O'), is(b'W'), is(b'1'), is(0), is(0)], ARROW),
    (
        &[
            is(b'S'),
            is(b'Q'),
            is(b'L'),
            is(b'i'),
            is(b't'),
            is(b'e'),
            is(b' '),
            is(b'f'),
            is(b'o'),
            is(b'r'),
            is(b'm'),
            is(b'a'),
            is(b't'),
            is(b' '),
            is(b'3'),
            is(0),
        ],
        SQLITE,
    ),
    (
        &[
            is(b']'),
            is(0),
            is(0),
            (0, 0xff),
            (0, 0xff),
            is(0xff),
            is(0xff),
            is(0xff),
            is(0xff),
            is(0xff),
            is(0xff),
            is(0xff),
            is(0xff),
        ],
        LZMA,
    ),
];

const ZIP: Looks = Looks::Other("a zip archive", "unpack it first: unzip -p ARCHIVE LIST | tepal …");
const XZ: Looks = Looks::Other("xz data", "unpack it first: xz -dc FILE | tepal …");
const BZIP2: Looks = Looks::Other("bzip2 data", "unpack it first: bzip2 -dc FILE | tepal …");
const LZ4: Looks = Looks::Other("lz4 data", "unpack it first: lz4 -dc FILE | tepal …");
const LZMA: Looks = Looks::Other("lzma data", "unpack it first: lzma -dc FILE | tepal …");
const COMPRESS: Looks = Looks::Other("data of compress (.Z)", "unpack it first: gzip -dc FILE | tepal …");
const SEVEN_ZIP: Looks = Looks::Other("a 7z archive", "unpack it first: 7z x -so FILE | tepal …");
const RAR: Looks = Looks::Other("a rar archive", "unpack it first: unrar p -inul FILE | tepal …");
const TAR: Looks = Looks::Other("a tar archive", "unpack it first: tar -xOf ARCHIVE LIST | tepal …");
const AVRO: Looks = Looks::Other("an Avro file", "write it as JSON lines: avro-tools tojson FILE | tepal …");
const XLS: Looks = Looks::Other("an old Excel or Office file", "save it as CSV, and give that file");
const NPY: Looks = Looks::Other(
    "an array of NumPy",
    "write it as lines: python3 -c 'import numpy; print(*numpy.load(\"FILE\"), sep=\"\\n\")' | tepal …",
);
const SQLITE: Looks =
    Looks::Other("an SQLite database", "write one column: sqlite3 FILE 'SELECT COLUMN FROM TABLE' | tepal …");
const ARROW: Looks =
    Looks::Other("an Arrow or Feather file", "write it as Parquet with the program that made it, and say -f");
const ORC: Looks =
    Looks::Other("an ORC file", "write it as Parquet with the program that made it, and say -f");

/// Where the mark of a tar archive is.
const TAR_MARK: usize = 257;

const fn is(byte: u8) -> (u8, u8) {
    (byte, byte)
}

/// What a file that begins with `head` looks like. Gives nothing where more bytes are needed to
/// decide. `null`: records end with NUL.
pub fn looks(head: &[u8], null: bool) -> Option<Looks> {
    let mut undecided = false;
    let others = if null { &[] } else { MAGICS_WITH_NUL };
    for (magic, looks) in MAGICS.iter().chain(others) {
        let fits = head.iter().zip(*magic).all(|(byte, (from, to))| (from..=to).contains(&byte));
        if fits && head.len() >= magic.len() {
            return Some(*looks);
        }
        undecided |= fits;
    }
    match is_tar(head) {
        Some(true) => return Some(TAR),
        // A record may end with the NUL that has come.
        None => undecided |= !null,
        Some(false) => {}
    }
    if undecided { None } else { Some(Looks::Plain) }
}

/// Is it a tar archive that begins with `head`? `None` if more bytes are needed to decide. A list
/// of lines is none at its first line end.
fn is_tar(head: &[u8]) -> Option<bool> {
    let header = &head[..head.len().min(TAR_MARK)];
    let (name, others) = header.split_at(header.len().min(100));
    let text = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let is_number = |field: &[u8]| field.iter().all(|byte| matches!(byte, 0 | b' ' | b'0'..=b'7'));
    let field = |from: usize, to: usize| &others[from.min(others.len())..to.min(others.len())];
    let fits = !header.contains(&b'\n')
        && (text > 0 || name.is_empty())
        && name[text..].iter().all(|byte| *byte == 0)
        // The mode, and the checksum.
        && is_number(field(0, 8))
        && is_number(field(48, 56));
    match head.get(TAR_MARK..TAR_MARK + 5) {
        Some(mark) => Some(fits && mark == b"ustar"),
        None if fits => None,
        None => Some(false),
    }
}

/// What a file is that has a mark of text at its start, and the same at its end.
pub fn by_its_end(
    head: &[u8],
    open: impl FnOnce() -> io::Result<std::fs::File>,
) -> io::Result<Option<Looks>> {
    let (mark, after, looks) = match head {
        [b'O', b'R', b'C', ..] => (&b"ORC"[..], 1, ORC),
        [b'F', b'E', b'A', b'1', ..] => (&b"FEA1"[..], 0, ARROW),
        _ => return Ok(None),
    };
    // A list may begin and end so, and has no such bytes.
    if !head.iter().any(|byte| *byte < b'\t') {
        return Ok(None);
    }
    let (mut file, len) = (open()?, (mark.len() + after) as i64);
    if file.seek(SeekFrom::End(-len)).is_err() {
        return Ok(None);
    }
    let mut end = Vec::new();
    file.take(len as u64).read_to_end(&mut end)?;
    Ok(end.starts_with(mark).then_some(looks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell() {
        for null in [false, true] {
            assert_eq!(looks(b"\x89TEPAL\r\n", null), Some(Looks::Tepal));
            assert_eq!(looks(b"\x1f\x8b\x08", null), Some(Looks::Gzip));
            assert_eq!(looks(b"\x28\xb5\x2f\xfd", null), Some(Looks::Zstd));
            assert_eq!(looks(b"\x5a\x2a\x4d\x18", null), Some(Looks::Zstd));
            for (bytes, other) in [
                (&b"BZh91AY&SY"[..], BZIP2),
                (b"\x04\x22\x4d\x18", LZ4),
                (b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
                (b"Rar!\x1a\x07\0", RAR),
                (b"\x1f\x9d\x90", COMPRESS),
                (b"Obj\x01\x04", AVRO),
                (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", XLS),
                (b"\x93NUMPY\x01", NPY),
            ] {
                assert_eq!(looks(bytes, null), Some(other));
            }
            for plain in
                [&b"570108428378\n"[..], b"a\n", b"\x1f\x8b\x09\n", b"Zebra\n", b"BZh91AY&SX\n", b"\0"]
            {
                assert_eq!(looks(plain, null), Some(Looks::Plain), "{plain:?}");
            }
            for plain in
                [&b"Rar!\n"[..], b"Obj\n", b"ORC\n", b"FEA1\n", b"ARROW1\n", b"SQLite format 3\n", b"]\n"]
            {
                assert_eq!(looks(plain, null), Some(Looks::Plain), "{plain:?}");
            }
            for short in [&b""[..], b"\x1f", b"\x1f\x8b", b"B", b"Z", b"BZh91AY&S"] {
                assert_eq!(looks(short, null), None);
            }
        }
        assert_eq!(looks(b"ARROW1\0\0", false), Some(ARROW));
        assert_eq!(looks(b"SQLite format 3\0", false), Some(SQLITE));
        assert_eq!(looks(b"]\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff", false), Some(LZMA));
        // Records that end with NUL are answered at once.
        for keys in [&b"ARROW1\0"[..], b"SQLite format 3\0", b"]\0\0", b"a\0", b"a\0\0\0"] {
            assert_eq!(looks(keys, true), Some(Looks::Plain), "{keys:?}");
        }
        assert!(MAGICS.iter().chain(MAGICS_WITH_NUL).all(|(magic, _)| magic.len() <= HEAD));
    }

    fn tar(name: &str) -> Vec<u8> {
        let mut header = vec![0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[148..156].copy_from_slice(b"012345\0 ");
        header[257..263].copy_from_slice(b"ustar ");
        header
    }

    #[test]
    fn archives_of_tar_and_long_lines() {
        for name in ["keys.txt", &"x".repeat(100)] {
            let header = tar(name);
            for len in 1..HEAD {
                assert_eq!(looks(&header[..len], false), None, "{len}");
            }
            for null in [false, true] {
                assert_eq!(looks(&header, null), Some(TAR));
            }
        }
        // A first line of any length is decided with its end.
        for len in [1, 50, 99, 100, 105, 120, 150, 200, 256] {
            for letter in ["x", "0", " "] {
                let line = letter.repeat(len) + "\n";
                assert_eq!(looks(line.as_bytes(), false), Some(Looks::Plain), "{len} of {letter:?}");
            }
        }
        let mut other = tar("keys.txt");
        other[257] = b'x';
        assert_eq!(looks(&other, false), Some(Looks::Plain));
    }
}
