//! Builds ribbon filters of very many sets and looks up all keys of each, one by one and as a
//! batch: sets of every size from 0 on, and random ones around the sizes at which the filter's form
//! changes. It stops at the first that cannot be built or loses a key.
//!
//! `bench/measure/run ribbon_sets 1000000` builds a million of them:
//! `testdata/records/ribbon-sets.md`.

use std::time::Instant;

use tepal::{RibbonFilter, hash::finish_hash};

/// Sets of all sizes up to this one.
const SIZES: u64 = 20_000;
/// Numbers of keys at which a filter's form changes: the last slots are full; the first layer is as
/// small as a layer can be; its buckets become coarse; it is filled more; the first layer, and the
/// second, leave as many keys as the last slots take; one shard becomes two, and then three.
const EDGES: [u64; 12] = [0, 64, 128, 256, 320, 2_017, 2_048, 5_100, 10_240, 20_000, 131_072, 207_000];
/// From this size on only few sets are built.
const LARGE: u64 = 20_000;

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 += 0x9E37_79B9_7F4A_7C15;
        finish_hash(self.0)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A rate from 1/64 to 0.5, at which a filter usually has a second ribbon.
    fn high_rate(&mut self) -> f64 {
        0.5f64.powi(1 + self.below(5) as i32) * (0.5 + self.below(1 << 20) as f64 / (1u64 << 21) as f64)
    }

    /// A rate from 2^-32 to 0.5, a power of two in one of three cases.
    fn rate(&mut self) -> f64 {
        let power = 1 + self.below(31) as i32;
        let rate = 0.5f64.powi(power);
        if self.below(3) == 0 {
            rate
        } else {
            rate * (0.5 + self.below(1 << 20) as f64 / (1u64 << 21) as f64)
        }
    }

    /// A size near one of the edges, seldom near the large ones.
    fn size(&mut self) -> u64 {
        let is_large = self.below(2_000) == 0;
        let edges = EDGES.iter().filter(|edge| (**edge > LARGE) == is_large);
        let edge = edges.clone().nth(self.below(edges.count() as u64) as usize).copied().unwrap_or(0);
        // Small sets are more frequent, so that a million take minutes.
        if edge > 4_000 && edge <= LARGE && self.below(8) > 0 {
            return self.below(700);
        }
        let about = edge / 16 + 8;
        (edge + self.below(2 * about)).saturating_sub(about)
    }
}

/// The counts of the built filters.
#[derive(Default)]
struct Count {
    sets: u64,
    keys: u64,
    /// The number of keys that were given twice or more often.
    repeated: u64,
}

impl Count {
    fn check(&mut self, random: &mut Random, size: u64, rate: f64) -> tepal::Result<()> {
        let mut keys: Vec<u64> = (0..size).map(|_| random.next()).collect();
        let mut hashes = keys.clone();
        if size > 0 && random.below(5) == 0 {
            let repeats = random.below(size) + 1;
            hashes.extend((0..repeats).map(|i| keys[(i * 7 % size) as usize]));
            self.repeated += 1;
        }
        let filter = RibbonFilter::builder().false_positive_rate(rate).build_from_hashes(hashes)?;
        let case = || format!("{size} keys at {rate:e}");
        assert_eq!(filter.len(), size, "{}", case());
        assert!(keys.iter().all(|key| filter.contains_hash(*key)), "a key is lost: {}", case());
        let mut answers = vec![false; keys.len()];
        filter.contains_many_hashes(&keys, &mut answers);
        assert!(answers.iter().all(|held| *held), "a batch loses a key: {}", case());
        // Lookups one at a time and together, of non-members too.
        keys.truncate(100);
        keys.iter_mut().for_each(|key| *key = !*key);
        let mut answers = vec![false; keys.len()];
        filter.contains_many_hashes(&keys, &mut answers);
        assert!(
            keys.iter().zip(&answers).all(|(key, held)| filter.contains_hash(*key) == *held),
            "{}",
            case()
        );
        self.sets += 1;
        self.keys += size;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sets = std::env::args().nth(1).map_or(Ok(1_000), |sets| sets.parse::<u64>())?;
    println!("| sets | of them with repeats | keys | seconds |\n| --- | --: | --: | --: |");
    let mut random = Random(sets);
    let row = |name: &str, count: &Count, begun: Instant| {
        let Count { keys, repeated, .. } = count;
        println!("| {name} | {repeated} | {keys} | {:.0} |", begun.elapsed().as_secs_f64());
    };
    let (begun, mut each) = (Instant::now(), Count::default());
    let sizes = SIZES.min(sets);
    for size in 0..=sizes {
        let rate = random.rate();
        each.check(&mut random, size, rate)?;
    }
    row(&format!("{}, one of each size from 0 to {sizes}", each.sets), &each, begun);
    let (begun, mut each) = (Instant::now(), Count::default());
    for size in 0..=sizes {
        each.check(&mut random, size, 0.1)?;
    }
    row(&format!("{}, one of each size from 0 to {sizes}, at 0.1", each.sets), &each, begun);
    let (begun, mut high) = (Instant::now(), Count::default());
    for _ in 0..sets / 10 {
        let (size, rate) = (random.size() + 1_990, random.high_rate());
        high.check(&mut random, size, rate)?;
    }
    row(&format!("{}, of 2,000 keys and more, at 1/64 to 0.5", high.sets), &high, begun);
    let (begun, mut some) = (Instant::now(), Count::default());
    for _ in 0..sets {
        let (size, rate) = (random.size(), random.rate());
        some.check(&mut random, size, rate)?;
    }
    row(&format!("{}, about the sizes where something begins", some.sets), &some, begun);
    Ok(())
}
