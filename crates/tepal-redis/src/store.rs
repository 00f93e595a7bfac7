//! The bytes of a value in the server's files, and the commands that make it again.

use std::io::{self, Write};

use tepal::Open;
use tepal::file::{Format, PutValues, Values};

use crate::api::{OK, Opaque, api};
use crate::loading::Loading;
use crate::memory::taken;
use crate::server::c_text;
use crate::value::{About, CHUNK, Head, Held, State, check_kind};
use crate::words::words;

/// The bytes of a string in the server's files: the server compresses and copies each one whole.
const PIECE: usize = 1 << 20;

/// A stream of the server, to read.
pub(crate) struct Input(pub(crate) Opaque);

/// A stream of the server, to write.
pub(crate) struct Output(pub(crate) Opaque);

impl Input {
    /// `value`, unless reading it failed.
    fn checked<T>(&self, value: T) -> Option<T> {
        // SAFETY: the stream is the server's.
        (unsafe { (api().IsIOError)(self.0) } == OK).then_some(value)
    }

    fn next(&mut self) -> Result<Vec<u8>, String> {
        self.string().ok_or_else(|| "it ends early".into())
    }
}

impl Output {
    /// Writes to the log that a value could not be saved, for which memory must be missing. Its
    /// bytes end early, and are refused when they are loaded: a server has no other way to learn
    /// it.
    fn report(&self, written: tepal::Result<()>) {
        let Err(error) = written else { return };
        let line = c_text(&format!("a filter could not be saved: {}", words(&error)));
        // SAFETY: the texts end with zeros, and the format takes one text.
        unsafe { (api().LogIOError)(self.0, c"warning".as_ptr(), c"%s".as_ptr(), line.as_ptr()) };
    }
}

impl Values for Input {
    fn unsigned(&mut self) -> Option<u64> {
        // SAFETY: the stream is the server's.
        self.checked(unsafe { (api().LoadUnsigned)(self.0) })
    }

    fn double(&mut self) -> Option<f64> {
        // SAFETY: the stream is the server's.
        self.checked(unsafe { (api().LoadDouble)(self.0) })
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        let mut len = 0;
        // SAFETY: the stream is the server's.
        let first = unsafe { (api().LoadStringBuffer)(self.0, &raw mut len) };
        if first.is_null() {
            return None;
        }
        // SAFETY: the server allocated this string for the module.
        let string = unsafe { taken(first, len) };
        self.checked(string)
    }
}

impl PutValues for Output {
    fn unsigned(&mut self, value: u64) {
        // SAFETY: the stream is the server's.
        unsafe { (api().SaveUnsigned)(self.0, value) };
    }

    fn double(&mut self, value: f64) {
        // SAFETY: the stream is the server's.
        unsafe { (api().SaveDouble)(self.0, value) };
    }

    fn string(&mut self, value: &[u8]) {
        // SAFETY: the stream is the server's, which writes the bytes in this call.
        unsafe { (api().SaveStringBuffer)(self.0, value.as_ptr(), value.len()) };
    }
}

/// Passes on what is written in pieces of one size.
struct Pieces<F: FnMut(&[u8])> {
    piece: Vec<u8>,
    size: usize,
    each: F,
}

impl<F: FnMut(&[u8])> Pieces<F> {
    fn new(size: usize, each: F) -> Self {
        Pieces { piece: Vec::new(), size, each }
    }

    fn end(mut self) {
        if !self.piece.is_empty() {
            (self.each)(&self.piece);
        }
    }
}

impl<F: FnMut(&[u8])> Write for Pieces<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let here = bytes.len().min(self.size - self.piece.len());
        self.piece.extend_from_slice(&bytes[..here]);
        if self.piece.len() == self.size {
            (self.each)(&self.piece);
            self.piece.clear();
        }
        Ok(here)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Saves a value of the module's own type: the bytes before the file, then the file in pieces. Of
/// a value that is not complete: the number of its pairs, then the data of each.
pub(crate) fn save_own(io: &mut Output, state: &State) {
    match state {
        State::Whole(held) => {
            let file_len = held.file.file_len().unwrap_or_default();
            io.string(&held.head(file_len));
            let mut pieces = Pieces::new(PIECE, |piece| io.string(piece));
            let written = held.file.write_to(&mut pieces);
            pieces.end();
            io.report(written);
        }
        State::Loading(loading) => {
            io.string(b"");
            io.unsigned(loading.pairs().count() as u64);
            loading.pairs().for_each(|(_, data)| io.string(data));
        }
    }
}

/// Loads a value of the module's own type.
pub(crate) fn load_own(io: &mut Input) -> Result<State, String> {
    let first = io.next()?;
    if first.is_empty() {
        return load_pairs(io).map(State::Loading);
    }
    let head = Head::read(&first)?;
    /// Shorter pieces are joined, since each takes some memory beside its bytes.
    const SHORT: usize = 1 << 16;
    let (mut pieces, mut missing) = (Vec::<Vec<u8>>::new(), head.file_len);
    while missing > 0 {
        let piece = io.next()?;
        if piece.is_empty() || piece.len() as u64 > missing {
            return Err("its pieces are longer than it says".into());
        }
        missing -= piece.len() as u64;
        match pieces.last_mut() {
            Some(last) if last.len().max(piece.len()) < SHORT => last.extend_from_slice(&piece),
            _ => pieces.push(piece),
        }
    }
    whole(head.open(&pieces).map_err(|error| words(&error))?)
}

fn whole(held: Held) -> Result<State, String> {
    check_kind(held.filter())?;
    Ok(State::Whole(held))
}

fn load_pairs(io: &mut Input) -> Result<Loading, String> {
    let count = io.unsigned().ok_or("it ends early")?;
    let reason = |_| "its pieces do not fit together";
    let mut loading = Loading::new(&io.next()?).map_err(reason)?;
    let mut at = 1u64;
    for _ in 1..count {
        let data = io.next()?;
        at = at.saturating_add(data.len() as u64);
        loading.push(at, &data).map_err(reason)?;
    }
    Ok(loading)
}

/// Saves a filter of another program as that program does.
pub(crate) fn save_foreign(io: &mut Output, state: &State) {
    if let State::Whole(held) = state {
        let written = held.file.put_values(io);
        io.report(written);
    }
}

/// Loads a filter of another program.
pub(crate) fn load_foreign(io: &mut Input, format: Format) -> Result<State, String> {
    let file = Open::new().format(format).from_values(io).map_err(|error| words(&error))?;
    whole(Held { file, about: About::default() })
}

/// Emits the commands that make the value again, to the last bit.
pub(crate) fn rewrite(io: &mut Output, key: Opaque, state: &State) {
    let pair = |iterator: u64, data: &[u8]| {
        // SAFETY: the format takes a string, a number, and bytes with their number.
        unsafe {
            (api().EmitAOF)(
                io.0,
                c"BF.LOADCHUNK".as_ptr(),
                c"slb".as_ptr(),
                key,
                iterator as i64,
                data.as_ptr(),
                data.len(),
            )
        };
    };
    match state {
        State::Loading(loading) => loading.pairs().for_each(|(iterator, data)| pair(iterator, data)),
        State::Whole(held) => match held.file.format() {
            Format::RedisBloom => {
                let mut iterator = 0;
                while let Ok(Some((next, data))) = held.file.pair(iterator) {
                    pair(next, &data);
                    iterator = next;
                }
            }
            Format::ValkeyBloom => {
                let blob = match held.file.to_bytes() {
                    Ok(blob) => blob,
                    Err(error) => return io.report(Err(error)),
                };
                // SAFETY: the format takes a string, and bytes with their number.
                unsafe {
                    (api().EmitAOF)(io.0, c"BF.LOAD".as_ptr(), c"sb".as_ptr(), key, blob.as_ptr(), blob.len())
                };
            }
            _ => {
                pair(1, &held.head(held.file.file_len().unwrap_or_default()));
                let mut at = 1;
                let mut pieces = Pieces::new(CHUNK, |piece| {
                    at += piece.len() as u64;
                    pair(at, piece);
                });
                let written = held.file.write_to(&mut pieces);
                pieces.end();
                io.report(written);
            }
        },
    }
}

/// Adds the value to a digest.
pub(crate) fn digest(digest: Opaque, state: &State) {
    let mut pieces = Pieces::new(PIECE, |piece: &[u8]| {
        // SAFETY: the digest is the server's, and the bytes are read in this call.
        unsafe { (api().DigestAddStringBuffer)(digest, piece.as_ptr(), piece.len()) };
    });
    let _ = state.write_to(&mut pieces);
    pieces.end();
    // SAFETY: as above.
    unsafe { (api().DigestEndSequence)(digest) };
}
