//! Damages a file of every kind in every way and reads it: `bench/measure/run mutations 1000000`.
//!
//! For each kind: every single bit of a file of 64 KiB, and the given number of random mutations of
//! a file of 2 KiB. One kind has no file below 4 MiB. Every bit of its header and every 4,099th of
//! the rest is changed. Its mutations, the same number, take most of the time. With a kind's name
//! after the number only that kind is tested.
//!
//! Prints a table; exits with 1 if a damaged file was read without an error, caused a panic, or
//! took more memory than twice the file and 64 KiB.

#[path = "../../../../crates/tepal/tests/shared/allocator.rs"]
mod allocator;
#[path = "../../../../crates/tepal/tests/shared/kinds.rs"]
mod kinds;
#[path = "../../../../crates/tepal/tests/shared/mutate.rs"]
mod mutate;
#[path = "../../../../crates/tepal/tests/shared/random.rs"]
mod random;

use kinds::{Sample, sample, tepal_kinds};
use mutate::{flips, mutations};

const KIB_64: u64 = 64 << 10;

fn main() {
    let count = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse::<u64>());
    let Ok(count) = count else {
        eprintln!("usage: mutations [COUNT [KIND]], such as 1000000 or 1000000 scheme-bkdr7");
        std::process::exit(2);
    };
    let only = std::env::args().nth(2);
    // The table reports it once.
    std::panic::set_hook(Box::new(|_| {}));
    let samples: Vec<Sample> = tepal_kinds().into_iter().map(|kind| sample(kind, 2048)).collect();
    println!(
        "| kind | bits of | flipped | not found | file | damaged | refused | whole | forged headers | refused | panics | most memory / allowed |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut kept, mut shown) = (true, 0);
    for (seed, (small, kind)) in (0..).zip(samples.iter().zip(tepal_kinds())) {
        if only.as_ref().is_some_and(|only| small.subject.name() != only) {
            continue;
        }
        shown += 1;
        let fixed = small.file.len() as u64 > KIB_64;
        let large = sample(kind, KIB_64);
        let (tried, not_found) = flips(&large, if fixed { 4099 } else { 1 });
        let tally = mutations(small, &samples, count, seed);
        let most = 2 * small.file.len() as u64 + KIB_64;
        println!(
            "| {} | {} | {tried} | {not_found} | {} | {} | {} | {} | {} | {} | {} | {} / {most} |",
            small.subject.name(),
            large.file.len(),
            small.file.len(),
            tally.damaged,
            tally.refused,
            tally.whole,
            tally.forged,
            tally.forged_refused,
            tally.panics,
            tally.most_held,
        );
        kept &= not_found == 0 && tally.accepted == 0 && tally.panics == 0 && tally.most_held <= most;
    }
    if shown == 0 {
        eprintln!("mutations: no kind has that name; without a name all are shown");
        std::process::exit(2);
    }
    println!("\n{}", if kept { "No damage was read as a filter." } else { "BROKEN" });
    std::process::exit(i32::from(!kept));
}
