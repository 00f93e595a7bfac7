//! Fruit: the fourth article's job (scheme `fnv-crc`).
//!
//! The article puts `apple` and `banana` into 1,000 bits, three for each, and looks up `grape`. The
//! first position is FNV-1a of the word mod m, and the step to the next is CRC-32 of the word mod
//! m: `apple` sets bits 167, 655 and 143. The article does not give the answer for `grape`: it is
//! false.
//!
//! The second part puts a whole stall of fruit into the 1,000 bits and looks up labels that the
//! stall does not have. With a fixed three bits a key, the rule cannot use all of the room. For the
//! same promise tepal sets as many bits a key as pay, and has far fewer false positives in the same
//! 128 bytes.
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example fruit            # asks 1,000,000 labels
//! cargo run --release -p tepal --features foreign --example fruit -- 1000
//! ```

#[path = "shared/table.rs"]
mod table;

use table::Row;
use tepal::{BloomFilter, Scheme};

/// The article's size.
const BITS: u64 = 1000;
/// A stall of fruit.
const STALL: &str = "apple apricot avocado banana bilberry blackberry blackcurrant blueberry cherimoya cherry \
    clementine cloudberry coconut cranberry date durian elderberry feijoa fig gooseberry grapefruit guava \
    jackfruit jujube kiwi kumquat lemon lime longan loquat lychee mango mangosteen medlar melon mulberry \
    nectarine olive orange papaya passionfruit peach pear persimmon pineapple plum pomegranate pomelo quince \
    rambutan raspberry redcurrant satsuma starfruit strawberry tamarind tangerine yuzu";
/// Words on a label beside the fruit.
const KINDS: [&str; 8] = ["dried", "green", "ripe", "wild", "early", "late", "sweet", "sour"];

/// The numbers of the set bits, read from the end of the filter's file (FORMAT.md).
fn positions(filter: &BloomFilter) -> tepal::Result<Vec<usize>> {
    let file = filter.to_bytes()?;
    let bits = &file[file.len() - filter.size_in_bytes() as usize..];
    Ok((0..8 * bits.len()).filter(|i| bits[i / 8] >> (i % 8) & 1 == 1).collect())
}

fn main() -> tepal::Result<()> {
    let asked = table::argument("fruit [LABELS]", 1_000_000, 50_000_000);
    let article = |keys| BloomFilter::builder().scheme(Scheme::FnvCrc).bit_len(BITS).capacity(keys);
    let like = |rate, keys| BloomFilter::builder().false_positive_rate(rate).capacity(keys);

    for word in ["apple", "banana", "grape"] {
        let (filter, _) = table::fill(article(1), &[word])?;
        println!("{word:<8} sets bits {:?} of {BITS}", positions(&filter)?);
    }
    println!();
    let builder = article(2);
    let rate = builder.plan()?.false_positive_rate;
    for (name, builder) in [("fnv-crc", builder), ("tepal", like(rate, 2))] {
        let (filter, _) = table::fill(builder, &["apple", "banana"])?;
        let answers = ["apple", "banana", "grape"].map(|word| format!("{word}: {}", filter.contains(word)));
        println!("{name:<8} {}", answers.join(", "));
    }

    let stall: Vec<&str> = STALL.split_whitespace().collect();
    let label = |i: usize| {
        let (kind, rest) = (KINDS[i % KINDS.len()], i / KINDS.len());
        format!("{kind} {} no. {}", stall[rest % stall.len()], rest / stall.len() + 1)
    };
    let labels: Vec<String> = (0..asked).map(label).collect();
    println!("\nA stall of {} fruits, asked for {asked} labels such as `{}`:", stall.len(), labels[0]);
    // Members and non-members have one key type in the table.
    let stall: Vec<String> = stall.iter().map(|&fruit| fruit.into()).collect();
    let keys = stall.len() as u64;
    let builder = article(keys);
    let rate = builder.plan()?.false_positive_rate;
    let mut rows = Vec::new();
    for (name, builder) in [("fnv-crc, m=1000, k=3", builder), ("tepal, same promise", like(rate, keys))] {
        let (filter, build) = table::fill(builder, &stall)?;
        rows.push(Row::ask(name, &filter, build, &stall, &labels));
    }
    table::print(&rows);
    Ok(())
}
