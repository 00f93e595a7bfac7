//! A frame of zstd that is a few bytes and unpacks to many.

/// A frame of so many blocks of 128 KiB line ends, whose window is `eighths` / 8 of a power of two.
pub(crate) fn line_ends(window_log: u8, eighths: u8, blocks: u32) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, (window_log - 10) << 3 | (eighths - 8)];
    for block in 1..=blocks {
        let header = (1 << 17) << 3 | 1 << 1 | u32::from(block == blocks);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(b'\n');
    }
    frame
}
