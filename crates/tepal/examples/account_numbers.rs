//! Account numbers on a phone: the first article's job (scheme `md5-presets`).
//!
//! The article puts account numbers such as `123-456-789` into a filter that is small enough for a
//! phone. Without a connection the phone can then tell that a number surely does not exist. Its
//! three presets are named after the false-positive rate: high (10 %, 4.8 bits a key), middle (1 %,
//! 9.6) and low (0.1 %, 14.4). Each key costs one MD5 digest for every four of its bits.
//!
//! tepal's default keeps the same three promises with one fast hash and one memory access a key.
//! That takes up to a tenth more memory, the most at 0.1 %. `Goal::Memory` saves most of that
//! again, so the table has it too. There are no presets: any other rate works as well.
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example account_numbers              # 1,000,000 accounts
//! cargo run --release -p tepal --features foreign --example account_numbers -- 100000
//! ```

#[path = "shared/table.rs"]
mod table;

use table::Row;
use tepal::{BloomFilter, Goal, Scheme};

/// The number of nine-digit numbers.
const ALL: u64 = 1_000_000_000;
/// Decides which accounts exist.
const SEED: u64 = 271_828_182;

/// Account number `i` in a fixed order of all numbers: different `i` below [`ALL`] give different
/// numbers.
fn account(i: u64) -> [u8; 11] {
    // A step that has no common factor with 10^9 visits every number once.
    let mut number = (i * 618_033_989 + SEED) % ALL;
    let mut text = *b"ddd-ddd-ddd";
    for digit in text.iter_mut().rev().filter(|byte| **byte == b'd') {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    text
}

fn main() -> tepal::Result<()> {
    let n = table::argument("account_numbers [ACCOUNTS]", 1_000_000, 100_000_000) as u64;
    let accounts: Vec<_> = (0..n).map(account).collect();
    let others: Vec<_> = (n..2 * n).map(account).collect();
    let example = String::from_utf8_lossy(&accounts[0]);
    println!("{n} accounts such as {example}, and {n} other numbers asked\n");

    let mut rows = Vec::new();
    for (preset, rate) in [("high", 0.1), ("middle", 0.01), ("low", 0.001)] {
        let promise = BloomFilter::builder().capacity(n).false_positive_rate(rate);
        let builders = [
            (format!("md5-presets, {preset}"), promise.clone().scheme(Scheme::Md5Presets)),
            (format!("tepal, {} %", 100.0 * rate), promise.clone()),
            (format!("tepal, {} %, memory", 100.0 * rate), promise.goal(Goal::Memory)),
        ];
        for (name, builder) in builders {
            let (filter, build) = table::fill(builder, &accounts)?;
            rows.push(Row::ask(&name, &filter, build, &accounts, &others));
        }
    }
    table::print(&rows);

    println!("\nThe phone asks, and only a `perhaps` needs a connection:");
    let (on_phone, _) = table::fill(BloomFilter::builder().capacity(n), &accounts)?;
    for number in accounts.iter().take(1).chain(others.iter().take(2)) {
        let answer = if on_phone.contains(number) { "perhaps an account" } else { "surely no account" };
        println!("{}  {answer}", String::from_utf8_lossy(number));
    }
    Ok(())
}
