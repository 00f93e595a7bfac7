//! The page of `tepal info` about another program's filter.

use std::fmt::Write;

use tepal::{BloomFilter, FilterFile};

use crate::describe_foreign::{estimated_len, file_len, keys_inserted, records_plan};
use crate::error::Failure;
use crate::open::promised;
use crate::text::number::{count, counted, percent, rate, size};
use crate::text::picture::{self, WIDTH, columns};

/// The page about one file.
pub fn page(name: &str, file: &FilterFile) -> Result<String, Failure> {
    let mut page = String::new();
    let mut line = |label: &str, text: String| {
        let _ = writeln!(page, "{label:<11} {text}");
    };
    let filter = file.filter();
    let parts = filter.parts();
    let kind = match parts {
        [one] => format!("Bloom filter, {} a key", counted(u64::from(one.num_hashes()), "bit")),
        parts => format!("chain of {} Bloom filters", parts.len()),
    };
    line(name, format!("{kind}, in the format {}", file.format()));
    line("keys", keys(file));
    let bits: u64 = parts.iter().map(BloomFilter::bit_len).sum();
    let len = file_len(name, file)?;
    line("size", format!("{} in {} bits, file of {} bytes", size(bits.div_ceil(8)), count(bits), count(len)));
    let promise = match records_plan(file.format()) {
        true => format!("; {} promised", rate(promised(filter))),
        false => String::new(),
    };
    line("rate", format!("{} wrong now{promise}", rate(filter.false_positive_rate())));
    line("hash", format!("{}; keys are taken for {}", filter.scheme(), filter.key_domain()));
    if parts.len() > 1 {
        for (n, part) in (1..).zip(parts) {
            line(if n == 1 { "chain" } else { "" }, link(n, part));
        }
    }
    if let Some(largest) = parts.iter().max_by_key(|part| part.bit_len()) {
        let slices = largest.fill_of_slices(WIDTH);
        let picture = columns(&slices, picture::has_unicode());
        let which = if parts.len() > 1 { " of the largest" } else { "" };
        line("fill", format!("{picture} {}{which}", percent(largest.fill_ratio())));
    }
    line("unrecorded", unrecorded(file));
    for warning in file.warnings() {
        line("!", warning);
    }
    Ok(page)
}

fn keys(file: &FilterFile) -> String {
    let filter = file.filter();
    let by_bits = format!("about {} different by the bits", count(estimated_len(filter).round() as u64));
    match keys_inserted(filter) {
        Some(keys) => format!("{} recorded ({by_bits})", count(keys)),
        None => format!("{by_bits}; how many were added is not recorded"),
    }
}

/// One filter of a chain.
fn link(n: u32, part: &BloomFilter) -> String {
    let keys = part.keys_inserted().map_or("?".to_owned(), count);
    format!(
        "{n:>2}. {keys:>12} of {:>12} keys  {:>15} bits  k {:>2}  {:>6} full  {}",
        count(part.capacity()),
        count(part.bit_len()),
        part.num_hashes(),
        percent(part.fill_ratio()),
        rate(part.false_positive_rate()),
    )
}

/// What the file does not say about its filter.
fn unrecorded(file: &FilterFile) -> String {
    let mut missing = vec!["how keys become bytes (--keys)"];
    if !records_plan(file.format()) {
        missing.push("how many keys and which rate it was planned for");
    }
    missing.join("; ")
}
