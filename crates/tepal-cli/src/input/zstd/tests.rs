#[path = "../../../tests/shared/line_ends.rs"]
mod line_ends;

use super::*;
use line_ends::line_ends;

/// `printf 'one\ntwo\n' | zstd --check` (zstd 1.5.4), checksum included.
const FRAME_OF_TWO: &[u8] = &[
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x41, 0x00, 0x00, 0x6f, 0x6e, 0x65, 0x0a, 0x74, 0x77, 0x6f, 0x0a,
    0xe6, 0xa6, 0x0e, 0x40,
];

const MIB: u64 = 1 << 20;

fn read_all(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    ZstdReader::new(bytes, 128 * MIB)?.read_to_end(&mut out)?;
    Ok(out)
}

/// The text of the error, with this limit.
fn refused(bytes: &[u8], most: u64) -> String {
    ZstdReader::new(bytes, most).unwrap().read_to_end(&mut Vec::new()).unwrap_err().to_string()
}

#[test]
fn frames_follow_each_other() {
    let skippable = [0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
    let all = [&skippable[..], FRAME_OF_TWO, FRAME_OF_TWO, &skippable[..], FRAME_OF_TWO].concat();
    assert_eq!(read_all(&all).unwrap(), b"one\ntwo\n".repeat(3));
    for cut in 1..skippable.len() {
        assert!(read_all(&skippable[..cut]).is_err(), "cut at {cut}");
    }
    let garbage = [FRAME_OF_TWO, b"one\n"].concat();
    let text = refused(&garbage, 2 * MIB);
    assert!(text.contains("no frame begins"), "{text}");
}

#[test]
fn every_cut_and_every_flip_of_the_data_is_seen() {
    for cut in 1..FRAME_OF_TWO.len() {
        assert!(read_all(&FRAME_OF_TWO[..cut]).is_err(), "cut at {cut}");
    }
    for bit in 0..FRAME_OF_TWO.len() * 8 {
        let mut bytes = FRAME_OF_TWO.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(read) = read_all(&bytes) {
            assert_eq!(read, b"one\ntwo\n", "bit {bit}");
        }
    }
}

/// Bytes come as they are asked for, and from a source that gives few at a time.
#[test]
fn every_size_of_a_read_gives_the_same() {
    let bytes = [&line_ends(17, 8, 2)[..], FRAME_OF_TWO].concat();
    let expected = [&vec![b'\n'; 1 << 18][..], b"one\ntwo\n"].concat();
    for step in [1, 7, 100_000, 1 << 20] {
        for capacity in [1, 5, 1 << 16] {
            let source = io::BufReader::with_capacity(capacity, &bytes[..]);
            let (mut reader, mut buffer) = (ZstdReader::new(source, 2 * MIB).unwrap(), vec![0; step]);
            let mut found = Vec::new();
            loop {
                match reader.read(&mut buffer).unwrap() {
                    0 => break,
                    n => found.extend_from_slice(&buffer[..n]),
                }
            }
            assert!(found == expected, "{step} and {capacity}");
        }
    }
}

/// What was unpacked is given out before more of the data is waited for.
#[test]
fn nothing_is_waited_for_while_there_are_bytes() {
    struct Refusing<'a>(&'a [u8]);
    impl Read for Refusing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::other("would wait"));
            }
            self.0.read(buffer)
        }
    }
    let bytes = line_ends(20, 8, 2);
    let source = io::BufReader::new(Refusing(&bytes[..bytes.len() - 4]));
    let (mut reader, mut buffer) = (ZstdReader::new(source, MIB).unwrap(), [0; 1000]);
    let mut found = 0;
    let error = loop {
        match reader.read(&mut buffer) {
            Ok(n) => found += n,
            Err(error) => break error,
        }
    };
    assert_eq!((error.to_string().as_str(), found), ("would wait", 1 << 17));
}

#[test]
fn the_window_of_every_frame_is_compared_with_the_limit() {
    for (frame, window) in [
        (line_ends(20, 8, 1), MIB),
        (line_ends(20, 15, 1), 15 * MIB / 8),
        (line_ends(27, 8, 1), 128 * MIB),
        (line_ends(31, 8, 1), 2048 * MIB),
    ] {
        for frames in [1, 3] {
            // Before and after a small one the limit is the same.
            for small in [0, 1] {
                let bytes = [line_ends(17, 8, 1).repeat(small), frame.repeat(frames)].concat();
                let mut out = Vec::new();
                ZstdReader::new(&bytes[..], window).unwrap().read_to_end(&mut out).unwrap();
                assert_eq!(out.len(), (small + frames) << 17);
                let text = refused(&bytes, window - 1);
                assert!(text.contains("give it that memory with --max-window"), "{text}");
            }
        }
    }
    let text = refused(&line_ends(31, 8, 1), 128 * MIB);
    assert_eq!(
        text,
        "zstd data with a window of 2.0 GiB, expected 128MiB or less; give it that memory with --max-window 2048MiB"
    );
    for more in [line_ends(31, 9, 1), line_ends(41, 15, 1)] {
        assert!(refused(&more, 2048 * MIB).contains("pack it again"), "{}", refused(&more, 2048 * MIB));
    }
}

/// A frame of one segment has no field for its window: that is its content, whatever the length of
/// the field.
#[test]
fn the_window_of_one_segment_is_its_content() {
    for (flag, length, window) in [
        (0_u8, &[255_u8][..], 255),
        (1, &[0, 1], 512),
        (2, &[0, 0, 0, 64], 1 << 30),
        (3, &[0, 0, 0, 0, 1, 0, 0, 0], 1 << 32),
        (3, &[255; 8], u64::MAX),
    ] {
        for (dictionary, number) in [(0, &[][..]), (1, &[0]), (2, &[0, 0]), (3, &[0, 0, 0, 0])] {
            let descriptor = flag << 6 | 0x20 | dictionary;
            let bytes = [&[0x28, 0xb5, 0x2f, 0xfd, descriptor][..], number, length].concat();
            let text = refused(&bytes, window - 1);
            assert!(text.contains("zstd data with a window of"), "{descriptor:#x}: {text}");
            if window < 1000 {
                assert!(refused(&bytes, window).contains("it ends too early"), "{descriptor:#x}");
            }
        }
    }
}

/// A block of `sequences` copies of 65,539 bytes and more, in a window of 128 KiB. Lengths are
/// codes without a table.
fn long_copies(sequences: u16) -> Vec<u8> {
    let literals = 1 | 3 << 2 | u32::from(sequences) << 4;
    let mut block = literals.to_le_bytes()[..3].to_vec();
    block.push(b'\n');
    match sequences {
        0..128 => block.push(sequences as u8),
        _ => block.extend_from_slice(&[128 | (sequences >> 8) as u8, sequences as u8]),
    }
    // Of one code each: one literal, the last offset again, a copy of 65,539 and a number of 16
    // bits.
    block.extend_from_slice(&[0b0101_0100, 1, 0, 52]);
    block.resize(block.len() + 2 * usize::from(sequences), 0);
    block.push(1);
    let header = (block.len() as u32) << 3 | 2 << 1 | 1;
    [&[0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3], &header.to_le_bytes()[..3], &block].concat()
}

/// The format allows a block 128 KiB, and a window no less; copies in it could say a thousand times
/// as much.
#[test]
fn a_block_that_unpacks_to_more_than_it_may_is_refused() {
    assert_eq!(read_all(&long_copies(1)).unwrap().len(), 65_540);
    for copies in [2, 100, 30_000] {
        let text = read_all(&long_copies(copies)).unwrap_err().to_string();
        assert!(text.starts_with("broken zstd data ("), "{copies}: {text}");
    }
}
