//! Copies the lines of a stream without repeats, in the memory of a filter: like `sort -u`, but it
//! keeps the order and does not store the text. About 1 in 1,000 new lines is mistaken for a
//! repeat.
//!
//! ```sh
//! cargo run --release -p tepal --example dedupe_urls -- - < urls.txt
//! ```

use std::io::{self, BufRead, Write};

use tepal::{BloomFilter, OverCapacity};

/// Copies each new line, and returns their number.
fn dedupe(input: impl BufRead, mut output: impl Write) -> io::Result<u64> {
    let builder = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.001);
    // If there are more lines than planned, the stream goes on; more new lines are then mistaken
    // for repeats.
    let mut seen = builder.over_capacity(OverCapacity::Warn).build().map_err(io::Error::other)?;
    let mut new = 0;
    for line in input.split(b'\n') {
        let line = line?;
        if seen.insert(&line).map_err(io::Error::other)? {
            output.write_all(&line)?;
            output.write_all(b"\n")?;
            new += 1;
        }
    }
    if seen.is_over_capacity() {
        eprintln!(
            "more than planned: 1 new line in {:.0} is taken for a repeat",
            1.0 / seen.false_positive_rate()
        );
    }
    Ok(new)
}

pub(crate) fn main() -> io::Result<()> {
    let mut unique = Vec::new();
    dedupe(&b"https://a.org/\nhttps://b.org/\nhttps://a.org/\n"[..], &mut unique)?;
    assert_eq!(unique, b"https://a.org/\nhttps://b.org/\n");
    if std::env::args().nth(1).as_deref() == Some("-") {
        dedupe(io::stdin().lock(), io::stdout().lock())?;
    }
    Ok(())
}
