//! What a key holds: a filter, or the pieces of one that is not complete.

use std::io::{self, Write};

use tepal::facts::Can;
use tepal::file::Format;
use tepal::{AnyFilter, Filter, Open, Opened, SecretKey};

use crate::loading::Loading;
use crate::memory::counted;
use crate::reply::Refusal;

/// The value of a key.
pub(crate) struct Value {
    pub(crate) state: State,
    /// The bytes of the allocator that the state takes.
    heap: isize,
}

#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "a key holds one, in a box")]
pub(crate) enum State {
    Whole(Held),
    Loading(Loading),
}

/// A filter and what its file does not record.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) file: Opened,
    pub(crate) about: About,
}

/// What a key has beside the file of its filter.
#[derive(Clone, Default)]
pub(crate) struct About {
    /// The secret of the filter's hash; `None` for another program's filter.
    pub(crate) secret: Option<SecretKey>,
    /// `EXPANSION` as it was given, which INFO tells; `None` for a filter that does not grow.
    pub(crate) expansion: Option<u32>,
    /// `BUCKETSIZE` and `MAXITERATIONS` as they were given, which CF.INFO tells.
    pub(crate) bucket_size: u32,
    pub(crate) max_iterations: u32,
    /// How many items were removed.
    pub(crate) deleted: u64,
}

impl Value {
    /// Makes a value; counts the memory that `make` allocates.
    pub(crate) fn new<E>(make: impl FnOnce() -> Result<State, E>) -> Result<Box<Self>, E> {
        let (state, heap) = counted(make);
        Ok(Box::new(Value { state: state?, heap }))
    }

    /// A copy, for `COPY`.
    pub(crate) fn copied(&self) -> Box<Self> {
        let (state, heap) = counted(|| self.state.clone());
        Box::new(Value { state, heap })
    }

    /// The filter; `None` while its pieces arrive.
    pub(crate) fn held(&self) -> Option<&Held> {
        match &self.state {
            State::Whole(held) => Some(held),
            State::Loading(_) => None,
        }
    }

    /// Changes the state, and counts its memory.
    pub(crate) fn change<T>(&mut self, f: impl FnOnce(&mut State) -> T) -> T {
        let (result, grown) = counted(|| f(&mut self.state));
        self.heap += grown;
        result
    }

    /// The bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Value>() + self.heap.max(0) as usize
    }

    /// The pair of `SCANDUMP` after this iterator.
    pub(crate) fn pair(&self, iterator: u64) -> Result<Option<(u64, Vec<u8>)>, Refusal> {
        let State::Whole(held) = &self.state else { return Err(UNFINISHED.into()) };
        match held.file.format() {
            Format::RedisBloom => return Ok(held.file.pair(iterator)?),
            Format::Tepal => {}
            _ => return Err("ERR a filter of valkey-bloom has no pairs: use DUMP and RESTORE".into()),
        }
        let Some(before) = iterator.checked_sub(1) else {
            return Ok(Some((1, held.head(held.file.file_len()?).to_vec())));
        };
        let mut piece = Piece { before, bytes: Vec::new() };
        match held.file.write_to(&mut piece) {
            // The rest of the file is not needed.
            Err(_) if piece.bytes.len() == CHUNK => {}
            written => written?,
        }
        let next = iterator + piece.bytes.len() as u64;
        Ok(Some((next, piece.bytes)).filter(|(next, _)| *next > iterator))
    }
}

/// Takes at most [`CHUNK`] bytes of a file that is written, and ends the writing after them.
struct Piece {
    /// The bytes before the piece that are not written yet.
    before: u64,
    bytes: Vec<u8>,
}

impl Write for Piece {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let missing = CHUNK - self.bytes.len();
        if missing == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let skipped = self.before.min(bytes.len() as u64);
        self.before -= skipped;
        let here = &bytes[skipped as usize..];
        self.bytes.extend_from_slice(&here[..here.len().min(missing)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The most bytes of a file in one pair of `SCANDUMP`, and of the append-only file.
pub(crate) const CHUNK: usize = 16 << 20;

pub(crate) const UNFINISHED: &str =
    "ERR the filter is not complete: send the rest of it by LOADCHUNK, or delete the key";

/// The bytes before the file of a filter, where a server stores both.
pub(crate) const HEAD: usize = 56;
const MARK: [u8; 8] = *b"tepalRDS";
const VERSION: u8 = 1;

/// Whether these bytes begin a dump of a filter of the module's own.
pub(crate) fn has_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(&MARK)
}

impl Held {
    /// The filter.
    pub(crate) fn filter(&self) -> &AnyFilter {
        self.file.filter()
    }

    pub(crate) fn can(&self) -> Can {
        self.file.can()
    }

    /// The number of items.
    pub(crate) fn items(&self) -> u64 {
        self.file.keys_inserted().unwrap_or_else(|| self.file.estimated_len() as u64)
    }

    /// The number of filters that a lookup asks.
    pub(crate) fn filters(&self) -> usize {
        match self.filter() {
            AnyFilter::Scalable(chain) => chain.links().len(),
            AnyFilter::Growing(growing) => growing.num_links(),
            _ => 1,
        }
    }

    /// The number of items for which it was made, or has grown.
    pub(crate) fn capacity(&self) -> u64 {
        match self.filter() {
            AnyFilter::Growing(growing) if growing.len() <= growing.first() => growing.first(),
            _ => self.file.capacity(),
        }
    }

    /// How many times larger it becomes when it grows; `None` if it does not grow.
    pub(crate) fn expansion(&self) -> Option<u32> {
        match self.filter() {
            AnyFilter::Scalable(chain) => chain.expansion(),
            _ => self.about.expansion,
        }
    }

    /// What a server stores before the file, for a file of this length.
    pub(crate) fn head(&self, file_len: u64) -> [u8; HEAD] {
        let about = &self.about;
        let mut head = [0; HEAD];
        let numbers = [about.bucket_size, about.max_iterations, about.expansion.unwrap_or(0)];
        head[..8].copy_from_slice(&MARK);
        head[8] = VERSION;
        head[9] = self.file.format().id();
        head[10] = about.expansion.is_some().into();
        head[11] = about.secret.is_some().into();
        for (place, number) in head[12..24].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        head[24..32].copy_from_slice(&about.deleted.to_le_bytes());
        head[32..40].copy_from_slice(&file_len.to_le_bytes());
        if let Some(secret) = &about.secret {
            head[40..].copy_from_slice(secret.as_bytes());
        }
        head
    }
}

/// What the bytes before a file say.
#[derive(Clone)]
pub(crate) struct Head {
    format: Format,
    about: About,
    pub(crate) file_len: u64,
}

impl Head {
    /// Reads the bytes before a file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        const WRONG: &str = "its first bytes are not those of a filter of this module";
        let bytes: &[u8; HEAD] = bytes.try_into().map_err(|_| WRONG)?;
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        let format = Format::ALL.iter().find(|format| format.id() == bytes[9]).copied();
        let (Some(format), true, 0..=1, 0..=1) =
            (format, has_mark(bytes) && bytes[8] == VERSION, bytes[10], bytes[11])
        else {
            return Err(WRONG);
        };
        let mut secret = [0; 16];
        secret.copy_from_slice(&bytes[40..]);
        let about = About {
            secret: (bytes[11] == 1).then(|| SecretKey::new(secret)),
            expansion: (bytes[10] == 1).then(|| number(20)),
            bucket_size: number(12),
            max_iterations: number(16),
            deleted: long(24),
        };
        Ok(Head { format, about, file_len: long(32) })
    }

    /// Reads the file, which lies in pieces.
    pub(crate) fn open(&self, pieces: &[Vec<u8>]) -> tepal::Result<Held> {
        let mut open = Open::new().format(self.format);
        if let Some(secret) = &self.about.secret {
            open = open.secret_key(secret);
        }
        Ok(Held { file: open.from_pieces(pieces)?, about: self.about.clone() })
    }
}

impl State {
    /// Writes everything that the value is, for a digest.
    pub(crate) fn write_to(&self, mut out: impl Write) -> io::Result<()> {
        match self {
            State::Whole(held) => {
                out.write_all(&held.head(0))?;
                held.file.write_to(out).map_err(io::Error::other)
            }
            State::Loading(loading) => loading.pairs().try_for_each(|(iterator, data)| {
                out.write_all(&iterator.to_le_bytes())?;
                out.write_all(data)
            }),
        }
    }
}

/// Whether the module keeps this kind of filter: a file from elsewhere may be any.
pub(crate) fn check_kind(filter: &AnyFilter) -> Result<(), &'static str> {
    if Filter::can(filter).insert { Ok(()) } else { Err("it is a filter that takes no items") }
}
