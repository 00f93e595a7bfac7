//! Five integers and 999: the second article's job (scheme `md5-split`).
//!
//! The article inserts the numbers 1 to 5, looks up others, and finds 999: its example of a false
//! positive. One MD5 digest of the number's decimal text is cut into halves h1 and h2, and bit
//! number i is (h1 + i·h2) mod m. The article's listing is lost, and with it its m. This program
//! prints for which m the number 999 is a false positive. So the article's 999 shows only its m,
//! and nothing about the method.
//!
//! With few bits that rule has a weakness: only h1 mod m and h2 mod m matter, and if h2 has a large
//! common factor with m, the k bits repeat a few positions. So its false-positive rate is far above
//! its formula: some 25 and 200 times in this run. tepal keeps its promise at this size too. Its
//! least size is one cache line; the 100 bits take as much in memory.
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example five_integers            # asks 6 to 1,000,000
//! cargo run --release -p tepal --features foreign --example five_integers -- 1000
//! ```

#[path = "shared/table.rs"]
mod table;

use table::Row;
use tepal::{BloomFilter, Scheme};

/// The number of bits, and of bits a key, of the reference files in
/// `testdata/golden/legacy-md5-split`.
const BITS: u64 = 100;
const HASHES: u32 = 6;
/// The size is not known: these are tried.
const SIZES: std::ops::RangeInclusive<u64> = 10..=120;

/// As in the article: the false positives among 6 to 1000.
fn tell_wrong(name: &str, filter: &BloomFilter) {
    let wrong: Vec<_> = (6..=1000u64).filter(|number| filter.contains(number)).collect();
    println!("{name:<24} wrongly holds {wrong:?}");
}

fn main() -> tepal::Result<()> {
    let last = table::argument("five_integers [LAST], the last number asked", 1_000_000, 100_000_000) as u64;
    let members: Vec<u64> = (1..=5).collect();
    let others: Vec<u64> = (6..=last.max(6)).collect();
    let article = |bits| BloomFilter::builder().scheme(Scheme::Md5Split).capacity(5).bit_len(bits);

    println!("1 to 5 are in. Of 6 to 1000, each filter");
    let mut rows = Vec::new();
    // k of the reference files, and k by the article's rule (m/n)·ln 2.
    for builder in [article(BITS).num_hashes(HASHES), article(BITS)] {
        let plan = builder.plan()?;
        let tepal = BloomFilter::builder().capacity(5).false_positive_rate(plan.false_positive_rate);
        let names = [format!("md5-split, m=100, k={}", plan.num_hashes), "tepal, same promise".into()];
        for (name, builder) in names.iter().zip([builder, tepal]) {
            let (filter, build) = table::fill(builder, &members)?;
            tell_wrong(name, &filter);
            rows.push(Row::ask(name, &filter, build, &members, &others));
        }
    }
    println!("\nAnd of 6 to {}:", last.max(6));
    table::print(&rows);

    println!("\n999 depends on m, which the article does not tell. With k = (m/n)·ln 2 for these five it is");
    let mut held = Vec::new();
    for bits in SIZES {
        let (filter, _) = table::fill(article(bits), &members)?;
        if filter.contains(&999u64) {
            held.push(bits);
        }
    }
    println!("wrongly held with m = {held:?}");
    println!(
        "and rightly refused with each of the {} other m up to {}.",
        SIZES.count() - held.len(),
        SIZES.end()
    );
    Ok(())
}
