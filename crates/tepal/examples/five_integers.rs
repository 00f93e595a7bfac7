//! Five integers and 999: the second article's job (scheme `md5-split`).
//!
//! The article inserts the numbers 1 to 5, asks for others, and is told that 999 is in the set: its
//! example of a false positive. One MD5 digest of the number's decimal text is cut into halves h1
//! and h2, and bit number i is (h1 + i·h2) mod m. The article's listing is lost, and with it its m;
//! this program shows for which m the number 999 is held. So its 999 tells of that one m, and
//! nothing of the method.
//!
//! With few bits that rule has a weakness of its own: only h1 mod m and h2 mod m count, and where
//! h2 has a large factor in common with m, the k bits are the same few again and again. So it errs
//! far more often than its formula says: some 25 and 200 times as often in this run. tepal keeps
//! its promise at this size too; its least size, one cache line, is what the 100 bits take in
//! memory as well.
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example five_integers            # asks 6 to 1,000,000
//! cargo run --release -p tepal --features foreign --example five_integers -- 1000
//! ```

#[path = "shared/table.rs"]
mod table;

use table::Row;
use tepal::{BloomFilter, Scheme};

/// The bits and the bits a key of the reference files in `testdata/golden/legacy-md5-split`.
const BITS: u64 = 100;
const HASHES: u32 = 6;
/// The size is not known: these are tried.
const SIZES: std::ops::RangeInclusive<u64> = 10..=120;

/// As the article asks: the wrong ones among 6 to 1000.
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
    // k as in the reference files, and k as the article's rule (m/n)·ln 2 gives it.
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
