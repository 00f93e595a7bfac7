//! Unpacks zstd data: every frame, and each is compared with its checksum.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::input::source::broken;

/// Bytes that are unpacked at once.
const STEP: usize = 1 << 18;

/// The unpacked bytes of a sequence of zstd frames.
pub struct ZstdReader<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    /// A reader of bytes that begin with a frame.
    pub fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), in_frame: false }
    }

    /// Skips skippable frames and starts the next other frame. Gives `false` at the end of the data.
    fn start(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(broken("zstd", "it ends too early"));
                    }
                }
                Err(error) => return Err(broken("zstd", &error.to_string())),
            }
        }
    }

    /// Unpacks until there are some bytes or the frame ends.
    fn decode(&mut self) -> io::Result<()> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            self.decoder
                .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBytes(STEP))
                .map_err(|error| broken("zstd", &error.to_string()))?;
        }
        Ok(())
    }

    /// Compares the finished frame with the checksum that is written after it.
    fn verify(&self) -> io::Result<()> {
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(broken("zstd", "the checksum differs"));
        }
        Ok(())
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
            self.decode()?;
            let n = self.decoder.read(buffer)?;
            if n > 0 {
                return Ok(n);
            }
            self.verify()?;
            self.in_frame = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'one\ntwo\n' | zstd --check` (zstd 1.5.4), checksum included.
    const FRAME: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x41, 0x00, 0x00, 0x6f, 0x6e, 0x65, 0x0a, 0x74, 0x77, 0x6f, 0x0a,
        0xe6, 0xa6, 0x0e, 0x40,
    ];

    fn read_all(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        ZstdReader::new(bytes).read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn frames_follow_each_other() {
        let skippable = [0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        let all = [&skippable[..], FRAME, FRAME, &skippable[..], FRAME].concat();
        assert_eq!(read_all(&all).unwrap(), b"one\ntwo\n".repeat(3));
    }

    #[test]
    fn every_cut_and_every_flip_of_the_data_is_seen() {
        for cut in 1..FRAME.len() {
            assert!(read_all(&FRAME[..cut]).is_err(), "cut at {cut}");
        }
        for bit in 0..FRAME.len() * 8 {
            let mut bytes = FRAME.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = read_all(&bytes) {
                assert_eq!(read, b"one\ntwo\n", "bit {bit}");
            }
        }
    }
}
