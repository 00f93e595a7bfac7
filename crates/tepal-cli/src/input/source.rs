//! The sources of keys: files and standard input, plain or compressed.
//!
//! gzip and zstd data are recognised by their first bytes, also in a pipe. So is text that begins
//! with a mark of UTF-8 or UTF-16, compressed or not. Compressed data that ends too early is an
//! error.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use crate::error::Failure;
use crate::input::field::KeyRules;
use crate::input::form::Named;
use crate::input::limits::Limits;
#[cfg(feature = "parquet")]
use crate::input::parquet;
use crate::input::progress::Progress;
use crate::input::separator;
use crate::input::sniff::{self, Looks};
use crate::input::start::{Started, TextRules};
use crate::input::zstd::ZstdReader;
use crate::output::complain;
use crate::text::message::shown;

/// Bytes that are read from the system at once.
const BLOCK: usize = 1 << 18;

/// An input as the user named it: a path, or `-` for standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, pipe or device.
    Path(PathBuf),
}

impl Source {
    /// The sources of a command: standard input when none is named.
    pub fn list(paths: &[PathBuf]) -> Vec<Self> {
        if paths.is_empty() {
            return vec![Self::Stdin];
        }
        paths.iter().map(|path| Self::of(path)).collect()
    }

    /// The source that a path names.
    pub fn of(path: &Path) -> Self {
        match path.as_os_str() == "-" {
            true => Self::Stdin,
            false => Self::Path(path.to_owned()),
        }
    }

    /// Would standard input be read twice? `list` is standard input if it is empty; `more` are
    /// further inputs.
    pub fn reads_stdin_twice(list: &[PathBuf], more: &[PathBuf]) -> bool {
        let named = list.iter().chain(more).filter(|path| path.as_os_str() == "-").count();
        named + usize::from(list.is_empty()) > 1
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::Path(path) => shown(path),
        }
    }

    /// Its path, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::Path(path) => Some(path),
        }
    }

    /// Checks that the source can be read, without reading a byte.
    ///
    /// Only an ordinary file is opened for this. If a pipe were opened and closed again, the
    /// program that writes into it would end.
    pub fn check(&self) -> Result<(), Failure> {
        let Self::Path(path) = self else {
            return Ok(());
        };
        let fail = |error| Failure::io(&self.name(), &error);
        let metadata = std::fs::metadata(path).map_err(fail)?;
        if metadata.is_dir() {
            return Err(Failure::at(&self.name(), "a directory; expected a file of keys"));
        }
        if metadata.is_file() {
            File::open(path).map_err(fail)?;
        }
        Ok(())
    }

    /// The number of bytes, if the system knows it.
    pub fn file_len(&self) -> Option<u64> {
        let metadata = std::fs::metadata(self.path()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Is it a file that begins as a Parquet file?
    pub fn is_parquet(&self) -> bool {
        let Self::Path(path) = self else { return false };
        // Opening a pipe to look at it would end the program that writes into it.
        let file = || File::open(path).and_then(|file| self.head(&file));
        self.file_len().is_some() && file().is_ok_and(|(_, is_parquet)| is_parquet)
    }

    /// The first bytes of its file, and whether they are those of a Parquet file. A file of that
    /// name may also be encrypted, or begin with other pages than writers of today write.
    fn head(&self, mut file: &File) -> io::Result<(Vec<u8>, bool)> {
        let mut head = Vec::new();
        if file.metadata()?.is_file() {
            file.by_ref().take(sniff::HEAD as u64).read_to_end(&mut head)?;
        }
        let is_named = || Named::of(self) == Some(Named::Parquet);
        let is_marked = || [b"PAR1", b"PARE"].iter().any(|mark| head.starts_with(*mark));
        let is_parquet = sniff::looks(&head, false) == Some(Looks::Parquet) || (is_marked() && is_named());
        Ok((head, is_parquet))
    }

    /// Opens the source for reading. Compressed data is unpacked, within these limits. If a mark
    /// gives the encoding of the text, the text is turned into UTF-8 without a mark. Of a Parquet
    /// file the columns are read that the rules name.
    pub fn open(&self, progress: &Progress, rules: &KeyRules) -> Result<Input, Failure> {
        let name = self.name();
        let (head, raw): (_, Box<dyn Read + Send>) = match self {
            Self::Stdin => {
                let stdin = io::stdin();
                if stdin.is_terminal() {
                    complain("reading keys from the terminal, end with Ctrl-D");
                }
                (Vec::new(), Box::new(stdin))
            }
            Self::Path(path) => {
                let fail = |error| Failure::io(&name, &error);
                let file = File::open(path).map_err(fail)?;
                let (head, is_parquet) = self.head(&file).map_err(fail)?;
                if is_parquet {
                    #[cfg(feature = "parquet")]
                    return Ok(Input {
                        reader: Started::new(parquet::open(path, file, progress, rules)?),
                        name,
                        is_parquet,
                    });
                    #[cfg(not(feature = "parquet"))]
                    return Err(Failure::at(&name, PARQUET));
                }
                let other = sniff::by_its_end(&head, || File::open(path)).map_err(fail)?;
                if let Some(Looks::Other(what, way_out)) = other {
                    return Err(Failure::at(&name, format!("{what}; {way_out}")));
                }
                (head, Box::new(file))
            }
        };
        progress.add(head.len());
        let all = Started::after(head, Box::new(progress.count(raw)));
        let reader = Started::new(unpacked(&name, all, rules.limits, TextRules::of(rules))?);
        Ok(Input { name, reader, is_parquet: false })
    }
}

/// The name of an input and its bytes, unpacked.
pub struct Input {
    /// For messages.
    pub name: String,
    /// Its bytes are the rows of a Parquet file.
    pub is_parquet: bool,
    reader: Started,
}

impl Input {
    /// The first record that is not blank, before anything is read. A longer one than is allowed is
    /// cut off.
    pub fn first(&mut self, rules: &KeyRules) -> Result<&[u8], Failure> {
        let end = if rules.null { 0 } else { b'\n' };
        let first = self.reader.first_record(end, rules.limits.record);
        first.map_err(|error| Failure::io(&self.name, &error))
    }

    /// The first lines, before anything is read: those that have come, and at least one that is not
    /// blank; or those that decide, if they are waited for.
    pub fn first_records(&mut self, rules: &KeyRules) -> Result<&[u8], Failure> {
        let lines = if rules.waits { separator::RECORDS } else { 1 };
        let first = self.reader.first_lines(lines, rules.limits.record);
        first.map_err(|error| Failure::io(&self.name, &error))
    }

    /// Reads up to `buffer.len()` bytes. Returns 0 at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(&self.name, &error)),
                Ok(n) => return Ok(n),
            }
        }
    }

    /// An input over bytes in memory.
    pub fn of_bytes(name: &str, reader: impl Read + Send + 'static) -> Self {
        Self { name: name.to_owned(), is_parquet: false, reader: Started::new(Box::new(reader)) }
    }
}

/// At most so many times is an input packed that is read.
const LAYERS: usize = 2;

/// Unpacks an input as long as its first bytes show that it is compressed, and decodes its text by
/// the mark at its start.
fn unpacked(
    name: &str,
    mut all: Started,
    limits: Limits,
    how: TextRules,
) -> Result<Box<dyn Read + Send>, Failure> {
    for layer in 0.. {
        let looks = |head: &[u8]| sniff::looks(head, how.null);
        let looks = all.decide(sniff::HEAD, looks).map_err(|error| Failure::io(name, &error))?;
        let unpacked: Box<dyn Read + Send> = match looks.unwrap_or(Looks::Plain) {
            Looks::Plain => break,
            Looks::Gzip | Looks::Zstd if layer == LAYERS => {
                let text =
                    "data that is packed more than twice; unpack it first: gzip -dc FILE, or zstd -dc FILE";
                return Err(Failure::at(name, text));
            }
            Looks::Gzip => Box::new(Gunzip::new(buffered(all))),
            Looks::Zstd => {
                let reader = ZstdReader::new(buffered(all), limits.window);
                Box::new(reader.map_err(|error| Failure::io(name, &error))?)
            }
            Looks::Tepal => return Err(Failure::at(name, "a tepal filter; expected a list of keys")),
            Looks::Parquet if layer > 0 => {
                let text = "a packed Parquet file; unpack it into a file first, and give its name";
                return Err(Failure::at(name, text));
            }
            Looks::Parquet => return Err(Failure::at(name, PARQUET)),
            Looks::Other(what, way_out) => {
                return Err(Failure::at(name, format!("{what}; {way_out}")));
            }
        };
        all = Started::new(unpacked);
    }
    all.text(name, how)
}

/// Why a Parquet file is not read.
const PARQUET: &str = if cfg!(feature = "parquet") {
    "a Parquet file from a pipe, and its columns are found from its end: write it into a file, and give its name"
} else {
    "a Parquet file (PAR1), and this program was built without reading them; build it with cargo install --features parquet, or export \
     the column first: duckdb -noheader -list -c \"select COLUMN from 'FILE'\" | tepal …"
};

fn buffered(all: Started) -> BufReader<Started> {
    BufReader::with_capacity(BLOCK, all)
}

/// A gzip stream: members that follow each other, and zeros after the last one, which fill up a
/// tape or a block. Its errors say that it is gzip.
struct Gunzip<R> {
    /// The member that is unpacked; `None` after the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gunzip<R> {
    fn new(packed: R) -> Self {
        Self { member: Some(GzDecoder::new(packed)) }
    }
}

/// The first byte of a member.
const GZIP: u8 = 0x1f;

/// Does another member follow? If only zeros follow, they are read.
fn is_followed(packed: &mut impl BufRead) -> io::Result<bool> {
    let mut has_zeros = false;
    loop {
        let bytes = match packed.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        match bytes.get(zeros) {
            Some(_) if has_zeros || zeros > 0 => {
                return Err(broken("gzip", "what follows the zeros at its end is no zero"));
            }
            Some(&GZIP) => return Ok(true),
            Some(_) => return Err(broken("gzip", "what follows is no gzip data")),
            None if bytes.is_empty() => return Ok(false),
            None => has_zeros = true,
        }
        packed.consume(zeros);
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer).map_err(gzip_error)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.member = match self.member.take().map(GzDecoder::into_inner) {
                Some(mut rest) => is_followed(&mut rest)?.then(|| GzDecoder::new(rest)),
                None => None,
            };
        }
        Ok(0)
    }
}

/// An error of a gzip stream, in words.
fn gzip_error(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        io::ErrorKind::UnexpectedEof => broken("gzip", "it ends too early"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            let why = error.to_string();
            broken(
                "gzip",
                match () {
                    () if why.contains("checksum") => CHECKSUM,
                    () if why.contains("header") => "what follows is no gzip data",
                    () => CHANGED,
                },
            )
        }
        _ => error,
    }
}

/// The reason if the unpacked bytes do not fit the checksum.
pub const CHECKSUM: &str = "what it unpacks to is not what its checksum says";
/// The reason if no packer writes these bytes.
pub const CHANGED: &str = "some of its bytes were changed or lost";

/// The error of a compressed stream that cannot be unpacked to its end.
pub fn broken(kind: &str, why: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("broken {kind} data ({why}); nothing after this point can be read"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read_all(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let all = Started::new(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut reader = match unpacked("x", all, Limits::default(), TextRules::default()) {
            Ok(reader) => reader,
            Err(Failure::Message(text)) => return Err(text),
            Err(Failure::ClosedPipe) => unreachable!(),
        };
        let mut out = Vec::new();
        match reader.read_to_end(&mut out) {
            Ok(_) => Ok(out),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn plain_bytes_come_through() {
        for bytes in [&b""[..], b"a", b"\x1f", b"\x1f\x8b", b"a\nb\n", b"\xff\xfd"] {
            assert_eq!(read_all(bytes).unwrap(), bytes);
        }
    }

    #[test]
    fn marks_are_known_in_packed_data_too() {
        for bytes in [&b"\xef\xbb\xbfa\n"[..], b"\xff\xfea\0\n\0", b"\xfe\xff\0a\0\n"] {
            assert_eq!(read_all(bytes).unwrap(), b"a\n");
            assert_eq!(read_all(&gzip(bytes)).unwrap(), b"a\n");
        }
        for bytes in [b"a\rb\r".to_vec(), gzip(b"a\rb\r"), b"\xff\xfea\0\r\0b\0".to_vec()] {
            assert!(read_all(&bytes).unwrap_err().contains("CR alone"));
        }
    }

    #[test]
    fn gzip_is_unpacked_every_member_and_every_cut_is_seen() {
        let mut packed = gzip(b"one\ntwo\n");
        packed.extend(gzip(b"three\n"));
        assert_eq!(read_all(&packed).unwrap(), b"one\ntwo\nthree\n");
        let first = gzip(b"one\ntwo\n").len();
        for cut in 4..packed.len() {
            if cut != first {
                assert!(read_all(&packed[..cut]).is_err(), "cut at {cut}");
            }
        }
        let mut flipped = gzip(b"one\ntwo\n");
        let at = flipped.len() - 5;
        flipped[at] ^= 1;
        assert!(read_all(&flipped).unwrap_err().contains("gzip"));
    }

    #[test]
    fn gzip_may_end_with_zeros() {
        let packed = [gzip(b"one\n"), gzip(b"two\n")].concat();
        for zeros in [1, 100, 3 * BLOCK] {
            let filled = [&packed[..], &vec![0; zeros]].concat();
            assert_eq!(read_all(&filled).unwrap(), b"one\ntwo\n", "{zeros}");
            for after in [&b"x"[..], &gzip(b"three\n")] {
                let error = read_all(&[&filled[..], after].concat()).unwrap_err();
                assert!(error.contains("broken gzip data (what follows the zeros"), "{error}");
            }
        }
        assert!(
            read_all(&[&packed[..], b"x"].concat()).unwrap_err().contains("what follows is no gzip data")
        );
    }

    #[test]
    fn what_is_unpacked_is_looked_at_again() {
        let list = b"one\ntwo\n";
        assert_eq!(read_all(&gzip(&gzip(list))).unwrap(), list);
        assert!(read_all(&gzip(&gzip(&gzip(list)))).unwrap_err().contains("packed more than twice"));
        for (inner, what) in [
            (&b"\xfd7zXZ\0...."[..], "xz -dc"),
            (b"\x89TEPAL\r\n....", "a tepal filter"),
            (b"PAR1\x15\x04....", "a packed Parquet file"),
            (b"SQLite format 3\0", "sqlite3 FILE"),
        ] {
            assert!(read_all(&gzip(inner)).unwrap_err().contains(what), "{what}");
            assert!(read_all(&gzip(&gzip(inner))).unwrap_err().contains(what), "{what}");
        }
    }

    #[test]
    fn other_data_than_a_list_is_refused() {
        assert!(read_all(b"\x89TEPAL\r\n....").unwrap_err().contains("tepal filter"));
        assert!(read_all(b"\xfd7zXZ\0....").unwrap_err().contains("xz -dc"));
        assert!(read_all(b"PK\x03\x04....").unwrap_err().contains("unzip -p"));
        assert!(read_all(b"PAR1\x15\x04....").unwrap_err().contains("a Parquet file"));
        // A list may begin with these bytes.
        for list in [&b"PAR1\nPAR2\n"[..], b"PK\n", b"PAR1"] {
            assert_eq!(read_all(list).unwrap(), list);
        }
    }

    #[test]
    fn files_are_read_from_their_first_byte_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.parquet");
        for text in ["", "a", "PAR1", "PAREnt\n", "PAR1\nPAR2", "PAR1\nPAR2\n", &"PAR1\n".repeat(1000)] {
            for name in ["list", "list.parquet"] {
                let path = path.with_file_name(name);
                std::fs::write(&path, text).unwrap();
                let source = Source::of(&path);
                // By its name and its first bytes it may be a damaged Parquet file.
                let is_parquet = name.ends_with("parquet") && text.starts_with("PAR");
                assert_eq!(source.is_parquet(), is_parquet, "{name}: {text:?}");
                if !is_parquet {
                    let mut input = source.open(&Progress::of(&[], true), &KeyRules::default()).ok().unwrap();
                    let (mut buffer, mut read) = ([0; 7], Vec::new());
                    while let len @ 1.. = input.read(&mut buffer).ok().unwrap() {
                        read.extend_from_slice(&buffer[..len]);
                    }
                    assert_eq!(read, text.as_bytes());
                }
            }
        }
    }

    #[test]
    fn sources_are_named() {
        assert_eq!(Source::list(&[]), [Source::Stdin]);
        let two = Source::list(&[PathBuf::from("a"), PathBuf::from("-")]);
        assert_eq!(two[0].name(), "a");
        assert_eq!(two[1], Source::Stdin);
    }
}
