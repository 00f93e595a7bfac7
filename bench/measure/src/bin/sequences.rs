//! Random operations on filters of every kind against an exact set:
//! `bench/measure/run sequences 1000000`.
//!
//! The argument is the number of sequences, each of up to 24 operations (insert, insert many,
//! unite, intersect, fold, save and read, clear), in turn over the kinds and policies. It ends with
//! a message if a member is missing or is called new, or if there are more false positives than the
//! bits allow.

#[path = "../../../../crates/tepal/tests/shared/kinds.rs"]
mod kinds;
#[path = "../../../../crates/tepal/tests/shared/random.rs"]
mod random;
#[path = "../../../../crates/tepal/tests/shared/sequences.rs"]
mod sequences;

use kinds::{Subject, is_large, kinds};
use sequences::{Found, assert_enough, sequence};

fn main() {
    let count = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse::<u64>());
    let Ok(count) = count else {
        eprintln!("usage: sequences [COUNT], such as 1000000");
        std::process::exit(2);
    };
    // A scheme whose filters always have 4 MiB is used a thousand times less often.
    let (large, small): (Vec<_>, Vec<_>) = kinds().into_iter().partition(|kind| is_large(&**kind));
    println!(
        "| kind | sequences | operations | members asked | missed | strangers asked | let in | expected |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut all = Found::default();
    let share = count.div_ceil(small.len() as u64);
    let shares = small.iter().map(|kind| (kind, share)).chain(large.iter().map(|kind| (kind, share / 1000)));
    for (number, (kind, share)) in (1u64 << 32..).zip(shares) {
        let kind: &dyn Subject = &**kind;
        let opener = kind.opener();
        let mut found = Found::default();
        for round in 0..share {
            found += sequence(kind, &opener, number << 24 ^ round);
        }
        let Found { operations, members, strangers, let_in, expected, .. } = found;
        println!(
            "| {} | {share} | {operations} | {members} | 0 | {strangers} | {let_in} | {expected:.0} |",
            kind.name()
        );
        let is_told = found.assert_selective(kind.name());
        assert!(is_told || share < 500, "{}: too few to tell, {found:?}", kind.name());
        all += found;
    }
    assert_enough(&all);
    println!("\nNo member was missed or called new; {} keys were refused by full filters.", all.refused);
}
