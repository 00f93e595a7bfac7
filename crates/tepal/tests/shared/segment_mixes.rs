//! Segment filters that are filled to their capacity with keys that nobody chose, each in one
//! segment or in many.

#![allow(dead_code)] // What the test does not need, the example does.

use tepal::{Open, Opened, Result, SegmentFilter, hash::finish_hash, segments::Segment};

/// The number of segments, and how many of them each key is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mix {
    pub(crate) of_a_key: u64,
    pub(crate) segments: u64,
}

const fn mix(of_a_key: u64, segments: u64) -> Mix {
    Mix { of_a_key, segments }
}

/// One segment a key, two, the most slots of a fingerprint in a table, one more, all of a hundred;
/// and all keys in one segment.
pub(crate) const MIXES: [Mix; 6] =
    [mix(1, 100), mix(2, 100), mix(64, 100), mix(65, 100), mix(100, 100), mix(1, 1)];

const RATES: [f64; 3] = [0.01, 1e-6, 0.3];

/// The counts of the filled filters.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) filters: u64,
    pub(crate) pairs: u64,
    /// The bits a pair, summed over all filters, and the most of one.
    pub(crate) bits: f64,
    pub(crate) most_bits: f64,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.filters += other.filters;
        self.pairs += other.pairs;
        self.bits += other.bits;
        self.most_bits = self.most_bits.max(other.most_bits);
    }
}

fn key(mix: Mix, seed: u64, pair: u64) -> u64 {
    finish_hash(finish_hash(seed << 8 | mix.of_a_key) ^ (pair / mix.of_a_key))
}

fn segment(mix: Mix, pair: u64) -> Segment {
    Segment::new(((pair / mix.of_a_key * 7 + pair % mix.of_a_key) % mix.segments) as u16)
}

/// The file of a filter, read.
fn read(filter: SegmentFilter) -> Result<SegmentFilter> {
    let file = Opened::new(filter, tepal::file::Format::Tepal)?.to_bytes()?;
    match Open::new().from_bytes(&file)?.into_filter() {
        tepal::AnyFilter::Segment(filter) => Ok(filter),
        _ => unreachable!("it was a segment filter"),
    }
}

/// Fills a filter to its capacity. The way of inserting, the capacity and the rate follow from the
/// seed.
///
/// # Errors
/// If a pair is refused.
///
/// # Panics
/// If one is lost.
pub(crate) fn fill(mix: Mix, seed: u64) -> Result<Count> {
    let capacity = 1000 * (1 + seed % 7) + seed % 101;
    let rate = RATES[(seed / 7 % 3) as usize];
    let builder = SegmentFilter::builder().capacity(capacity).false_positive_rate(rate);
    let names: Vec<String> = (0..mix.segments).map(|i| format!("segment {i}")).collect();
    let pairs: Vec<(u64, Segment)> = (0..capacity).map(|i| (key(mix, seed, i), segment(mix, i))).collect();
    let with_segments = || -> Result<SegmentFilter> {
        let mut filter = builder.clone().build()?;
        names.iter().try_for_each(|name| filter.add_segment(name).map(drop))?;
        Ok(filter)
    };
    let filter = match seed / 21 % 6 {
        0 => builder.clone().build_from_hashes(&names, pairs.clone())?,
        1 => {
            // One pair at a time.
            let mut filter = with_segments()?;
            for (hash, segment) in &pairs {
                filter.insert_hash(*segment, *hash)?;
            }
            filter
        }
        2 => {
            // The segments one after the other, many keys of each.
            let mut filter = with_segments()?;
            for number in 0..mix.segments {
                let is_its = |pair: &&(u64, Segment)| pair.1 == Segment::new(number as u16);
                let hashes: Vec<u64> = pairs.iter().filter(is_its).map(|pair| pair.0).collect();
                filter.insert_many_hashes(Segment::new(number as u16), &hashes)?;
            }
            filter
        }
        3 => {
            // Sorted pairs, some more each time.
            let mut filter = with_segments()?;
            pairs
                .chunks(capacity as usize / 5 + 1)
                .try_for_each(|some| filter.insert_pairs(some.to_vec()))?;
            filter
        }
        4 => {
            // Two filters of half of the pairs each.
            let (some, others) = pairs.split_at(pairs.len() / 2);
            let mut filter = builder.clone().build_from_hashes(&names, some.to_vec())?;
            filter.union_with(&builder.clone().build_from_hashes(&names, others.to_vec())?)?;
            filter
        }
        _ => {
            // A file with half of the pairs, which takes the others one at a time, and one of
            // these.
            let (some, others) = pairs.split_at(pairs.len() / 2);
            let mut filter = read(builder.clone().build_from_hashes(&names, some.to_vec())?)?;
            for (hash, segment) in others {
                filter.insert_hash(*segment, *hash)?;
            }
            read(filter)?
        }
    };
    let is_in = |(hash, segment): &(u64, Segment)| filter.contains_hash_in(*segment, *hash);
    assert!(pairs.iter().all(is_in), "{mix:?}, {seed}: a pair is lost");
    assert!(filter.len() <= capacity && filter.wrong_segments() <= rate, "{mix:?}, {seed}: {filter:?}");
    let bits = 8.0 * filter.size_in_bytes() as f64 / filter.len() as f64;
    Ok(Count { filters: 1, pairs: filter.len(), bits, most_bits: bits })
}
