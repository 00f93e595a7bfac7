//! For tests: an input that gives its bytes a few at a time.

use std::io::{self, Read};

/// Gives at most so many bytes a read.
pub struct Trickle {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
}

impl Trickle {
    /// These bytes, by `step`.
    pub fn new(bytes: &[u8], step: usize) -> Self {
        Self { bytes: bytes.to_vec(), at: 0, step }
    }
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.step.min(buffer.len()).min(self.bytes.len() - self.at);
        buffer[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
