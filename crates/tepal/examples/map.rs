//! The size of a map, by the bits of its values and its rate: bits a key in all, and how many times
//! the least.
//!
//! `cargo run --release -p tepal --features static --example map -- 1000000` prints a table for a
//! million keys.

use tepal::{Opened, RibbonMap, file::Format, hash::finish_hash};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A country for each block of addresses, by name.
    let blocks = [("2.125.160.0/24", "GB"), ("81.2.69.0/24", "GB"), ("89.160.20.0/24", "SE")];
    let countries = RibbonMap::builder().false_positive_rate(1e-6).build_from(blocks)?;
    let of = |block: &str| countries.get(block).map(|country| country.to_string());
    assert_eq!((of("89.160.20.0/24").as_deref(), of("127.0.0.0/24")), (Some("SE"), None));

    let keys = std::env::args().nth(1).and_then(|keys| keys.parse::<u64>().ok()).unwrap_or(10_000);
    println!("| bits of a value | every key has a value | 1 % | 2^-8 | bytes of the file at 1 % |");
    println!("| --: | --: | --: | --: | --: |");
    for bits in [1u8, 6, 16] {
        let (mut cells, mut file_len) = (Vec::new(), 0);
        for rate in [1.0, 0.01, 1.0 / 256.0] {
            let builder = match rate {
                1.0 => RibbonMap::builder().known_keys_only(),
                _ => RibbonMap::builder().false_positive_rate(rate),
            };
            let pairs = (0..keys).map(|i| (finish_hash(i), (i % (1 << bits)) as u32)).collect();
            let map = builder.value_bits(bits).build_from_hashes(pairs)?;
            let taken = map.bit_len() as f64 / keys as f64;
            cells.push(format!("{taken:.2} ({:.4})", taken / (f64::from(bits) - f64::log2(rate))));
            if rate == 0.01 {
                file_len = Opened::new(map, Format::Tepal)?.file_len()?;
            }
        }
        println!("| {bits} | {} | {file_len} |", cells.join(" | "));
    }
    Ok(())
}
