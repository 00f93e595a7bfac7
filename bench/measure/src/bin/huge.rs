//! Filters around and beyond 2^31, 2^32 and 2^33 bits: `bench/measure/run huge`.
//!
//! If an index is truncated to 32 bits, or a multiplication overflows, some part of such a filter
//! stays empty or is filled twice. So each filter is filled to its capacity with different hashes,
//! the set bits of every region of 2^20 bits are compared with the mean, and the rate is counted
//! over non-members. 2^27 non-members each, one thread, some minutes, 1.1 GiB. Prints a table;
//! exits with 1 if a region, the rate or a member is wrong.

use tepal::{BloomFilter, Layout};

const REGION_BITS: u64 = 1 << 20;
/// A region's set bits differ from the mean by at most this share. Their standard deviation is 0.1
/// % if each bit is independent and 0.23 % if the bits of a key lie together. Then the worst of up
/// to 8,192 regions is 1 % off now and then.
fn region_tolerance(layout: Layout) -> f64 {
    if layout == Layout::Scattered { 0.01 } else { 0.015 }
}
/// The measured rate is at most this many times the promise.
const RATE_TOLERANCE: f64 = 1.05;
const RATE: f64 = 0.01;
const STRANGERS: u64 = 1 << 27;
const BATCH: u64 = 4096;

fn main() {
    println!(
        "| layout | bits | hashes in | fill | regions of 2^20 bits | least / mean | most / mean | promised | \
         from the bits | strangers | wrong | measured / promised |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut kept = true;
    for (name, bits) in [("2^31", 1u64 << 31), ("2^32", 1 << 32)] {
        for layout in [Layout::Line, Layout::Scattered] {
            let unit = if layout == Layout::Line { 512 } else { 64 };
            kept &= measure(layout, &format!("{name} - {unit}"), bits - unit);
            kept &= measure(layout, &format!("{name} + {unit}"), bits + unit);
        }
    }
    for &layout in Layout::ALL {
        kept &= measure(layout, "2^33", 1 << 33);
    }
    println!("\n{}", if kept { "Every region is filled alike, every promise is kept." } else { "BROKEN" });
    std::process::exit(i32::from(!kept));
}

/// Fills one filter, prints its row, and returns whether it is right.
fn measure(layout: Layout, name: &str, bit_len: u64) -> bool {
    let builder = BloomFilter::builder().layout(layout).bit_len(bit_len).false_positive_rate(RATE);
    let mut filter = builder.build().expect("memory for 2^33 bits");
    assert_eq!(filter.bit_len(), bit_len);
    let members = filter.capacity();
    let mut hashes = Vec::with_capacity(BATCH as usize);
    for start in (0..members).step_by(BATCH as usize) {
        hashes.clear();
        hashes.extend((start..members.min(start + BATCH)).map(mix));
        filter.insert_many_hashes(&hashes).expect("room for the capacity");
    }
    // Members are looked up in every 16th batch, non-members in all.
    let held = count(&filter, (0..members).step_by(16 * BATCH as usize), members);
    let asked =
        (0..members).step_by(16 * BATCH as usize).map(|start| BATCH.min(members - start)).sum::<u64>();
    let end = members + STRANGERS;
    let wrong = count(&filter, (members..end).step_by(BATCH as usize), end);

    // The regions are slices of 2^20 bits, or a few more.
    let regions = (bit_len / REGION_BITS) as usize;
    let fills = filter.fill_of_slices(regions);
    let share = |fill: f64| fill / filter.fill_ratio();
    let least = share(fills.iter().copied().fold(f64::INFINITY, f64::min));
    let most = share(fills.iter().copied().fold(0.0, f64::max));
    let measured = wrong as f64 / STRANGERS as f64;
    println!(
        "| {layout} | {name} | {members} | {:.4} | {regions} | {least:.4} | {most:.4} | {RATE:e} | {:.4e} | \
         {STRANGERS} | {wrong} | {:.4} |",
        filter.fill_ratio(),
        filter.false_positive_rate(),
        measured / RATE
    );
    held == asked
        && least >= 1.0 - region_tolerance(layout)
        && most <= 1.0 + region_tolerance(layout)
        && filter.false_positive_rate() <= RATE_TOLERANCE * RATE
        // Above that by chance: once in a thousand filters.
        && measured <= RATE_TOLERANCE * RATE + 3.1 * (RATE / STRANGERS as f64).sqrt()
}

/// SplitMix64's output function: a bijection, so that no two numbers have the same hash.
fn mix(i: u64) -> u64 {
    let z = i.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The number of the batches' hashes that are members.
fn count(filter: &BloomFilter, starts: impl Iterator<Item = u64>, end: u64) -> u64 {
    let mut hashes = Vec::with_capacity(BATCH as usize);
    let mut answers = [false; BATCH as usize];
    let mut held = 0;
    for start in starts {
        hashes.clear();
        hashes.extend((start..end.min(start + BATCH)).map(mix));
        let answers = &mut answers[..hashes.len()];
        filter.contains_many_hashes(&hashes, answers);
        held += answers.iter().filter(|answer| **answer).count() as u64;
    }
    held
}
