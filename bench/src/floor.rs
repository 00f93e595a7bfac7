//! The floor: reading lines and hashing them.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use cpu_time::ProcessTime;
use memchr::memchr;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes read at a time.
const PIECE: usize = 256 << 10;

/// What was read.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum {
    lines: u64,
    /// All hashes by exclusive or, so that none can be left out.
    xor: u64,
}

impl Sum {
    #[inline]
    fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        self.xor ^= xxh3_64(line);
    }
}

/// Reads the files, or standard input where there are none; prints the number of lines, their
/// hashes by exclusive or, and the CPU time of this process so far.
pub(crate) fn run(files: &[PathBuf]) -> io::Result<()> {
    let mut sum = Sum::default();
    if files.is_empty() {
        read(io::stdin().lock(), &mut sum)?;
    }
    for file in files {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        read(File::open(file).map_err(named)?, &mut sum).map_err(named)?;
    }
    let seconds = ProcessTime::now().as_duration().as_secs_f64();
    println!("{} lines, xor {:016x}, {seconds:.3} s of CPU time", sum.lines, sum.xor);
    Ok(())
}

fn read(mut source: impl Read, sum: &mut Sum) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    // The first bytes of the buffer are a line whose end has not come yet.
    let mut kept = 0;
    loop {
        if kept == buffer.len() {
            buffer.resize(2 * kept, 0);
        }
        let read = source.read(&mut buffer[kept..])?;
        if read == 0 {
            if kept > 0 {
                sum.add(&buffer[..kept]);
            }
            return Ok(());
        }
        let end = kept + read;
        let (mut start, mut from) = (0, kept);
        while let Some(length) = memchr(b'\n', &buffer[from..end]) {
            sum.add(&buffer[start..from + length]);
            start = from + length + 1;
            from = start;
        }
        buffer.copy_within(start..end, 0);
        kept = end - start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn lines_are_the_same_however_they_come() {
        let long = "x".repeat(3 * PIECE);
        let text = format!("one\n\ntwo\n{long}\nno end");
        let mut expected = Sum::default();
        text.split('\n').for_each(|line| expected.add(line.as_bytes()));
        for drop in [1, 7, PIECE - 1, usize::MAX] {
            let mut sum = Sum::default();
            read(Drops(text.as_bytes(), drop), &mut sum).expect("memory can be read");
            assert_eq!(sum, expected, "{drop} bytes at a time");
        }
    }

    #[test]
    fn an_end_of_line_ends_the_last_line() {
        let mut sum = Sum::default();
        read(&b"one\ntwo\n"[..], &mut sum).expect("memory can be read");
        assert_eq!(sum.lines, 2);
    }
}
