//! The lines of a stream without those that came before, in the memory of a filter: `sort -u` that
//! keeps the order and forgets the text. About 1 in 1,000 new lines is taken for a repeat.
//!
//! ```sh
//! cargo run --release -p tepal --example dedupe_urls -- - < urls.txt
//! ```

use std::io::{self, BufRead, Write};

use tepal::{BloomFilter, OverCapacity};

/// Copies each line that is new, and says how many were.
fn dedupe(input: impl BufRead, mut output: impl Write) -> io::Result<u64> {
    let builder = BloomFilter::builder().capacity(1_000_000).false_positive_rate(0.001);
    // A stream goes on when there are more than planned; the rate of wrong repeats rises then.
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
