//! One trial: builds a filter to its capacity, and counts missed members and false positives.

use tepal::{BloomFilter, KeyDomain, Layout};

use super::families::Family;

/// The result of a trial.
pub(crate) struct Outcome {
    /// Members that got `false`: must be 0.
    pub(crate) missed: u64,
    /// Non-members that were looked up.
    pub(crate) asked: u64,
    /// How many of them got `true`.
    pub(crate) wrong: u64,
    /// The filter, full.
    pub(crate) filter: BloomFilter,
}

/// Inserts keys 0 to n-1 of the family, looks up all of them, and then `asked` keys beyond.
pub(crate) fn run(layout: Layout, rate: f64, family: Family, n: u64, seed: u64, asked: u64) -> Outcome {
    let domain = if family == Family::Shifted { KeyDomain::Integer } else { KeyDomain::Bytes };
    let builder = BloomFilter::builder().layout(layout).false_positive_rate(rate).capacity(n);
    let mut filter = builder.seed(seed).key_domain(domain).build().expect("a filter of this size");

    let mut hashes = Vec::with_capacity(4096);
    let mut answers = [false; 4096];
    for pass in 0..2 {
        for start in (0..n).step_by(4096) {
            hash_range(&filter, family, start..n.min(start + 4096), &mut hashes);
            if pass == 0 {
                // The policy is to refuse: a filter must take all keys it was planned for.
                filter.insert_many_hashes(&hashes).expect("room for the capacity");
            } else {
                let answers = &mut answers[..hashes.len()];
                filter.contains_many_hashes(&hashes, answers);
                let missed = answers.iter().filter(|answer| !**answer).count() as u64;
                if missed > 0 {
                    return Outcome { missed, asked: 0, wrong: 0, filter };
                }
            }
        }
    }
    let mut wrong = 0;
    for start in (n..n + asked).step_by(4096) {
        hash_range(&filter, family, start..(n + asked).min(start + 4096), &mut hashes);
        let answers = &mut answers[..hashes.len()];
        filter.contains_many_hashes(&hashes, answers);
        wrong += answers.iter().filter(|answer| **answer).count() as u64;
    }
    Outcome { missed: 0, asked, wrong, filter }
}

fn hash_range(filter: &BloomFilter, family: Family, range: std::ops::Range<u64>, hashes: &mut Vec<u64>) {
    hashes.clear();
    hashes.extend(range.map(|i| family.key(i, |key| filter.hash_key(&key).expect("a key of the domain"))));
}

/// The most false positives that are credible at `rate`: exceeded by chance less than once in a
/// thousand trials (Bernstein's bound, which holds for every rate and number).
pub(crate) fn credible(asked: u64, rate: f64) -> f64 {
    let (mean, log) = (asked as f64 * rate, 1000f64.ln());
    mean + log / 3.0 + (log * log / 9.0 + 2.0 * log * mean * (1.0 - rate)).sqrt()
}
