//! Bytes at a known distance from a multiple of 64.

/// Bytes that begin this number of bytes after a multiple of 64.
pub(super) struct Placed {
    bytes: Vec<u8>,
    from: usize,
    pub(super) len: usize,
}

impl Placed {
    pub(super) fn new(bytes: &[u8], past: usize) -> Self {
        let room = vec![0; 64 + past + bytes.len()];
        let from = room.as_ptr().align_offset(64) + past;
        let mut placed = Placed { bytes: room, from, len: bytes.len() };
        placed.as_mut().copy_from_slice(bytes);
        placed
    }
}

impl AsRef<[u8]> for Placed {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.from..self.from + self.len]
    }
}

impl AsMut<[u8]> for Placed {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.from..self.from + self.len]
    }
}
