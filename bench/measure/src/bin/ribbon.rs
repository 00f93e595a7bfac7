//! The size of a ribbon filter, by its number of keys and its rate: bits a key in all, and how many
//! times the least bits that any filter of the rate can take.
//!
//! `bench/measure/run ribbon 1000000` goes up to a million keys.

use tepal::{Opened, RibbonFilter, file::Format, hash::finish_hash};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most = std::env::args().nth(1).map_or(Ok(100_000), |most| most.parse::<u64>())?;
    let rates = [0.1, 1.0 / 16.0, 0.01, 1.0 / 256.0, 0.001, 1.0 / 65_536.0];
    println!("| keys | 0.1 | 2^-4 | 0.01 | 2^-8 | 0.001 | 2^-16 | bytes of the file at 0.01 |");
    println!("| --: | --: | --: | --: | --: | --: | --: | --: |");
    let powers = (0..12).map(|power| 10u64.pow(power)).take_while(|keys| *keys <= most);
    for keys in [0].into_iter().chain(powers) {
        let (mut cells, mut file_len) = (Vec::new(), 0);
        for rate in rates {
            let hashes: Vec<u64> = (0..keys).map(finish_hash).collect();
            let filter = RibbonFilter::builder().false_positive_rate(rate).build_from_hashes(hashes)?;
            let bits = filter.bit_len() as f64 / keys as f64;
            cells.push(match keys {
                0 => "-".to_owned(),
                _ => format!("{bits:.2} ({:.4})", bits / -rate.log2()),
            });
            if rate == 0.01 {
                file_len = Opened::new(filter, Format::Tepal)?.file_len()?;
            }
        }
        println!("| {keys} | {} | {file_len} |", cells.join(" | "));
    }
    Ok(())
}
