//! Unpacks zstd data: every frame, and each is compared with its checksum.
//!
//! Before a frame is begun, the window that it asks for is compared with the limit: the window is
//! memory.

use std::io::{self, BufRead, Read};

use zstd_safe::zstd_sys::ZSTD_ErrorCode::{
    ZSTD_error_checksum_wrong, ZSTD_error_corruption_detected, ZSTD_error_dictionary_wrong,
    ZSTD_error_memory_allocation,
};
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

use crate::input::limits::{MOST_WINDOW_LOG, exact};
use crate::input::source::{CHANGED, CHECKSUM, broken};
use crate::text::number;

/// The first bytes of a frame.
const FRAME: u32 = 0xFD2F_B528;
/// The first bytes of a frame that holds no data of zstd, but for their lowest four bits.
const SKIPPABLE: u32 = 0x184D_2A50;
/// The most bytes of a header: of the frame, its descriptor, the window, a dictionary's number, and
/// its length.
const LONGEST_HEADER: usize = 4 + 1 + 1 + 4 + 8;

/// The unpacked bytes of a sequence of zstd frames.
pub struct ZstdReader<R> {
    source: R,
    decoder: DCtx<'static>,
    /// The largest window that is unpacked.
    most: u64,
    /// The window of the frame.
    window: u64,
    in_frame: bool,
    /// The decoder may have more bytes without being given any.
    has_more: bool,
}

impl<R: BufRead> ZstdReader<R> {
    /// A reader of bytes that begin with a frame, whose windows may have `most` bytes.
    pub fn new(source: R, most: u64) -> io::Result<Self> {
        let mut decoder = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        // The decoder's own limit is only for powers of two.
        decoder.set_parameter(DParameter::WindowLogMax(MOST_WINDOW_LOG)).map_err(|code| failure(code, 0))?;
        Ok(Self { source, decoder, most, window: 0, in_frame: false, has_more: false })
    }

    /// Skips skippable frames and starts the next other frame. Gives `false` at the end of the
    /// data.
    fn start(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let mut header = [0; LONGEST_HEADER];
            let magic = u32::from_le_bytes(self.next()?);
            header[..4].copy_from_slice(&magic.to_le_bytes());
            if magic & !0xF == SKIPPABLE {
                self.skip()?;
                continue;
            }
            if magic != FRAME {
                return Err(broken("zstd", "no frame begins after the last one"));
            }
            [header[4]] = self.next()?;
            let len = 5 + Fields::of(header[4]).len();
            self.fill(&mut header[5..len])?;
            self.window = Fields::of(header[4]).window(&header[5..len]);
            if self.window > self.most {
                return Err(too_large(self.window, self.most));
            }
            self.feed(&header[..len])?;
            return Ok(true);
        }
    }

    /// Skips a skippable frame after its first four bytes.
    fn skip(&mut self) -> io::Result<()> {
        let length = u64::from(u32::from_le_bytes(self.next()?));
        match io::copy(&mut (&mut self.source).take(length), &mut io::sink())? {
            skipped if skipped == length => Ok(()),
            _ => Err(cut()),
        }
    }

    /// The next bytes of the data.
    fn next<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.source.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => cut(),
            _ => error,
        })
    }

    /// Gives a header to the decoder, which unpacks nothing yet.
    fn feed(&mut self, header: &[u8]) -> io::Result<()> {
        let mut input = InBuffer::around(header);
        while input.pos() < header.len() {
            let mut none: [u8; 0] = [];
            let mut output = OutBuffer::around(&mut none[..]);
            self.decoder
                .decompress_stream(&mut output, &mut input)
                .map_err(|code| failure(code, self.window))?;
        }
        Ok(())
    }

    /// Unpacks the next bytes of the frame. Gives 0 where there are none yet, or no more.
    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let all_given = self.has_more;
        let given = if all_given { &[] } else { self.source.fill_buf()? };
        let at_end = !all_given && given.is_empty();
        let (mut input, mut output) = (InBuffer::around(given), OutBuffer::around(buffer));
        let left = self.decoder.decompress_stream(&mut output, &mut input);
        let (used, made, room) = (input.pos(), output.pos(), output.capacity());
        self.source.consume(used);
        let left = left.map_err(|code| failure(code, self.window))?;
        self.in_frame = left > 0;
        self.has_more = self.in_frame && made == room;
        if at_end && made == 0 && self.in_frame {
            return Err(cut());
        }
        Ok(made)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame {
                if !self.start()? {
                    return Ok(0);
                }
                self.in_frame = true;
            }
            let n = self.decode(buffer)?;
            if n > 0 {
                return Ok(n);
            }
        }
    }
}

/// Which fields follow the descriptor of a frame (RFC 8878, section 3.1.1.1), and how long each is.
struct Fields {
    window: usize,
    dictionary: usize,
    content: usize,
}

impl Fields {
    fn of(descriptor: u8) -> Self {
        // The frame is one segment: its window is its content.
        let single = descriptor & 0x20 != 0;
        Self {
            window: usize::from(!single),
            dictionary: [0, 1, 2, 4][usize::from(descriptor & 3)],
            content: match descriptor >> 6 {
                0 => usize::from(single),
                log => 1 << log,
            },
        }
    }

    fn len(&self) -> usize {
        self.window + self.dictionary + self.content
    }

    /// The window that these fields say, in bytes.
    fn window(&self, fields: &[u8]) -> u64 {
        if self.window > 0 {
            let (exponent, eighths) = (u64::from(fields[0] >> 3), u64::from(fields[0] & 7));
            return (8 + eighths) << (7 + exponent);
        }
        let content = fields[self.dictionary..].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        if self.content == 2 { content + 256 } else { content }
    }
}

/// The error of data that ends within a frame.
fn cut() -> io::Error {
    broken("zstd", "it ends too early")
}

/// The error of a frame that asks for more memory than it is allowed.
fn too_large(window: u64, most: u64) -> io::Error {
    let found =
        format!("zstd data with a window of {}, expected {} or less", number::size(window), exact(most));
    let largest = 1 << MOST_WINDOW_LOG;
    let way_out = if window <= largest {
        format!("give it that memory with --max-window {}", exact(window))
    } else {
        format!("pack it again with a smaller one: --max-window {} is the largest", exact(largest))
    };
    io::Error::new(io::ErrorKind::InvalidData, format!("{found}; {way_out}"))
}

/// What the decoder says is wrong.
fn failure(code: usize, window: u64) -> io::Error {
    if zstd_safe::is_error_kind(code, ZSTD_error_memory_allocation) {
        let text =
            format!("this machine has no memory for zstd data with a window of {}", number::size(window));
        return io::Error::new(io::ErrorKind::OutOfMemory, text);
    }
    let kinds = [
        (ZSTD_error_checksum_wrong, CHECKSUM),
        (ZSTD_error_corruption_detected, CHANGED),
        (
            ZSTD_error_dictionary_wrong,
            "packed with a dictionary; unpack it first: zstd -dc -D DICTIONARY FILE | tepal …",
        ),
    ];
    if let Some((_, why)) = kinds.iter().find(|(kind, _)| zstd_safe::is_error_kind(code, *kind)) {
        return broken("zstd", why);
    }
    let why = zstd_safe::get_error_name(code);
    let mut letters = why.chars();
    let why = letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect());
    broken("zstd", &why)
}

#[cfg(test)]
mod tests;
