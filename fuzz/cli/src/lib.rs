//! How the command `tepal` handles bytes from people: numbers, inputs with their records and
//! fields, files of secrets.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tepal_cli::fuzzing::{
    Failure, Field, Flow, Inputs, KeyRules, Keys, Page, Refused, RowFormat, Sink, Source, Work, number,
    read_seal, read_secret, run, sniff,
};

/// The most compressed bytes; they decompress to at most a few dozen MiB.
const MOST_PACKED: usize = 1024;

/// An argument that is a number, a size, a rate or a seed. It is parsed or refused in one line. Its
/// printed form is parsed to the same value. A comma never changes a number: it is refused, or it
/// separates thousands.
pub fn numbers(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let one_line = |error: String| assert!(!error.is_empty() && !error.contains('\n'), "{error}");
    match number::parse_count(text) {
        Ok(n) => {
            assert!(n > 0);
            assert_eq!(number::parse_count(&number::count(n)), Ok(n));
            assert_eq!(number::parse_count_or_zero(text), Ok(n));
            // A count without a letter is also that number of bytes.
            assert_eq!(number::parse_size(text), Ok(n));
        }
        Err(error) => one_line(error),
    }
    match number::parse_size(text) {
        Ok(bytes) => {
            assert!(bytes > 0);
            assert!(!number::size(bytes).is_empty());
        }
        Err(error) => one_line(error),
    }
    match number::parse_rate(text) {
        Ok(rate) => {
            assert!(rate > 0.0 && rate < 1.0);
            let _ = (number::rate(rate), number::percent(rate), number::four_digits(1.0 / rate));
            assert_eq!(number::parse_rate(&format!("{rate:e}")), Ok(rate));
        }
        Err(error) => one_line(error),
    }
    if let Some(plain) = without_commas(text) {
        assert_eq!(number::parse_count(text).ok(), number::parse_count(&plain).ok());
        assert_eq!(number::parse_size(text).ok(), number::parse_size(&plain).ok());
    } else if text.contains(',') {
        assert!(number::parse_count(text).is_err() && number::parse_size(text).is_err());
        let is_ratio = text.contains(['/', 'n', 'N']);
        assert!(is_ratio || number::parse_rate(text).is_err());
    }
    if let Ok(seed) = number::parse_seed(text) {
        assert_eq!(number::parse_seed(&seed.to_string()), Ok(seed));
        assert_eq!(number::parse_seed(&format!("{seed:#x}")), Ok(seed));
    }
    if let Ok(field) = Field::parse(text) {
        assert_eq!(Field::parse(&field.text()), Ok(field));
    }
}

/// The text without its commas, if each comma separates thousands.
fn without_commas(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.trim().split(',').collect();
    let is_whole = |group: &&&str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = (1..=3).contains(&groups[0].len()) && !groups[0].starts_with('0');
    let are_groups = groups.iter().filter(is_whole).count() == groups.len()
        && groups[1..].iter().all(|group| group.len() == 3);
    (groups.len() > 1 && is_first && are_groups).then(|| groups.concat())
}

/// A file of keys: the form of its rows, a line with the field, and the file. Its records are its
/// bytes without a UTF-8 byte-order mark, or the text of a UTF-16 file; all bytes if they end with
/// NUL.
pub fn keys(data: &[u8]) {
    let Some((&form, rest)) = data.split_first() else { return };
    let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let (field, file) = (&rest[..line], rest.get(line + 1..).unwrap_or_default());
    let null = form & 1 != 0;
    let looks = sniff::looks(&file[..file.len().min(sniff::HEAD)], null);
    let plain = matches!(looks, None | Some(sniff::Looks::Plain));
    if !plain && file.len() > MOST_PACKED {
        return;
    }
    let field = std::str::from_utf8(field).ok().and_then(|text| Field::parse(text).ok());
    let row_format = match form >> 1 & 3 {
        0 => None,
        1 => Some(RowFormat { escape: (form & 32 != 0).then_some(b'\\'), ..RowFormat::quoted(b',') }),
        2 => Some(RowFormat::plain(b'\t')),
        _ => Some(RowFormat { quotes: form & 8 != 0, ..RowFormat::plain(form.max(1)) }),
    };
    let rules = KeyRules { null, field, row_format, ..KeyRules::default() };
    let scratch = Scratch::new(file, if form & 16 != 0 { "csv" } else { "txt" });
    if let Ok(read) = read(scratch.path(), rules) {
        let text = if null { Some(file.to_vec()) } else { text(file) };
        assert!(!plain || text == Some(read.clone()), "{} bytes of {}", read.len(), file.len());
    }
}

/// A file as UTF-8 without its byte-order mark. `None` for a file that must be refused.
fn text(file: &[u8]) -> Option<Vec<u8>> {
    let units = |of: fn([u8; 2]) -> u16| {
        let units = file[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        let text = char::decode_utf16(units).collect::<Result<String, _>>().ok()?;
        (file.len() % 2 == 0).then(|| text.into_bytes())
    };
    match file {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => None,
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => Some(rest.to_vec()),
        _ => Some(file.to_vec()),
    }
}

/// The bytes of all records in order, after each key was read.
fn read(path: &Path, rules: KeyRules) -> Result<Vec<u8>, Failure> {
    let sources = vec![Source::Path(path.to_owned())];
    let mut inputs = Inputs::new(sources, rules, NonZeroUsize::MIN, true)?;
    let mut records = Records(Vec::new());
    run(&mut inputs, &Look, &mut records)?;
    Ok(records.0)
}

/// Reads each key.
struct Look;

impl Work for Look {
    type Tools = ();
    type Results = ();

    fn tools(&self) {}

    fn clear((): &mut ()) {}

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, (): &mut ()) -> Result<(), Refused> {
        for record in 0..keys.batch.len() {
            let content = keys.batch.content(record).len();
            if let Some(key) = keys.key(record).map_err(|text| Refused { record, text })? {
                assert!(key.len() <= content);
            }
        }
        Ok(())
    }
}

/// The bytes of the records.
struct Records(Vec<u8>);

impl Sink<()> for Records {
    fn header(&mut self, page: &mut Page<'_>) -> Result<(), Failure> {
        self.0.extend_from_slice(page.keys.batch.bytes(0, page.keys.batch.len()));
        Ok(())
    }

    fn take(&mut self, page: &mut Page<'_>, (): &()) -> Result<Flow, Failure> {
        self.0.extend_from_slice(page.keys.batch.bytes(0, page.keys.batch.len()));
        Ok(Flow::Continue)
    }
}

/// A file of a secret (16 bytes, or 32 hexadecimal digits) and of the key of a seal (16 bytes or
/// more, or their digits).
pub fn secret(data: &[u8]) {
    let scratch = Scratch::new(data, "secret");
    let digits = data.trim_ascii_end();
    let hex = digits.iter().all(u8::is_ascii_hexdigit);
    let secret = read_secret(scratch.path()).is_ok();
    assert_eq!(secret, data.len() == 16 || hex && digits.len() == 32 && data.len() <= 4096);
    let seal = read_seal(scratch.path()).is_ok();
    assert_eq!(seal, (16..=4096).contains(&data.len()));
}

/// A temporary file of this process, written again for each input.
pub struct Scratch(PathBuf);

impl Scratch {
    /// The bytes in a file with this name extension.
    pub fn new(bytes: &[u8], extension: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tepal-fuzz-{}.{extension}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Scratch(path)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
