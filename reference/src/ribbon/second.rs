//! Section 2.8.1: the second ribbon of a filter whose rate is between two powers of two.

use super::*;

/// The second ribbon.
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
    /// T: the number of picked keys in 2^16.
    pub most: u64,
    /// The seed of each bucket of layer 0 of the first ribbon.
    pub seeds: Vec<u64>,
    /// The ribbon itself: keys, shape and bits.
    pub ribbon: Box<Ribbon>,
}

/// Does this seed pick the hash?
fn is_picked(h: u64, seed: u64, most: u64) -> bool {
    (2 * seed + 1) * (fingerprint(h) >> 16) % 65_536 < most
}

/// The bucket of layer 0 in which a hash starts, counted over all shards.
fn bucket(first: &RibbonShape, h: u64) -> u64 {
    let layer = &first.layers()[0];
    let (shard, start) = layer.start(h);
    shard * layer.buckets_of_shard() + start / layer.bucket()
}

/// The number of buckets of layer 0.
fn buckets(first: &RibbonShape) -> u64 {
    let layer = &first.layers()[0];
    layer.shards() * layer.buckets_of_shard()
}

impl Second {
    /// A second ribbon without seeds and bits.
    pub(super) fn new(most: u64, keys: u64, shape: RibbonShape) -> Second {
        Second { most, seeds: Vec::new(), ribbon: Box::new(Ribbon { keys, shape, ..Ribbon::new(0.5) }) }
    }

    /// Does a hash that passes the first ribbon also pass the second?
    pub(super) fn passes(&self, first: &RibbonShape, h: u64) -> bool {
        !is_picked(h, self.seeds[bucket(first, h) as usize], self.most)
            || self.ribbon.value(h).0 == fingerprint(h) & 1
    }

    /// Refuses fields that no file has.
    pub(super) fn check(&self, first: &Ribbon) -> Result<(), String> {
        self.ribbon.check_ribbon()?;
        let (before, own) = (&first.shape, &self.ribbon.shape);
        if before.words[0] < 30 || before.seeds[0] != 0 {
            return Err(format!("a second ribbon behind {before:?}"));
        }
        if before.columns > 8 || before.deep != before.columns || before.split != 0 {
            return Err(format!("a second ribbon behind {before:?}"));
        }
        if (own.columns, own.deep, own.split, own.value_bits) != (1, 1, 0, 0) {
            return Err(format!("a second ribbon of {own:?}"));
        }
        if self.most == 0 || self.ribbon.keys > first.keys {
            return Err(format!("a second ribbon for {} keys, {} of 2^16", self.ribbon.keys, self.most));
        }
        Ok(())
    }

    /// The words of the seeds, and of the second ribbon.
    pub(super) fn words(&self, first: &RibbonShape) -> (u64, u64) {
        (buckets(first).div_ceil(8), self.ribbon.shape.all_words())
    }

    /// Section 5.7: builds the second ribbon from the hashes in a first ribbon, without repeats.
    pub(super) fn build(most: u64, first: &RibbonShape, hashes: &[u64]) -> Result<Second, String> {
        let mut seeds = Vec::new();
        let mut of_buckets = vec![Vec::new(); buckets(first) as usize];
        for &h in hashes {
            of_buckets[bucket(first, h) as usize].push(h);
        }
        let mut picked = Vec::new();
        for of_bucket in of_buckets {
            let picks = |seed: u64| of_bucket.iter().filter(move |h| is_picked(**h, seed, most));
            // The first of equal seeds.
            let seed = (0..256).min_by_key(|seed| picks(*seed).count()).unwrap_or(0);
            picked.extend(picks(seed));
            seeds.push(seed);
        }
        let mut second = Second::new(most, 0, RibbonShape::default());
        second.ribbon.build_of(&picked, 0.5, 0, &fingerprint)?;
        second.seeds = seeds;
        Ok(second)
    }

    /// The words after the first ribbon, as bits.
    pub(super) fn bits(&self) -> Vec<bool> {
        let mut bits: Vec<bool> =
            self.seeds.iter().flat_map(|seed| (0..8).map(move |i| seed >> i & 1 == 1)).collect();
        bits.resize(bits.len().next_multiple_of(64), false);
        bits.extend(&self.ribbon.bits);
        bits
    }

    /// Reads its seeds and bits from those after the first ribbon's words; ignores the bits after
    /// them.
    pub(super) fn take(&mut self, first: &RibbonShape, bits: &[bool]) -> Result<(), String> {
        let count = buckets(first) as usize;
        let (seeds, own) = bits.split_at(64 * self.words(first).0 as usize);
        if seeds[8 * count..].contains(&true) {
            return crate::read::refuse(7, "bits behind the last seed are set");
        }
        let byte = |bits: &[bool]| (0..8).map(|i| u64::from(bits[i]) << i).sum();
        self.seeds = seeds[..8 * count].chunks(8).map(byte).collect();
        self.ribbon.bits = own.to_vec();
        self.ribbon.check_unused()?;
        self.ribbon.bits.truncate(64 * self.ribbon.shape.all_words() as usize);
        Ok(())
    }
}

/// Section 5.7: the columns of the first ribbon, and T, if a filter of this number of hashes has a
/// second ribbon.
pub fn second_for(n: u64, rate: f64) -> Option<(u64, u64)> {
    let (r, _) = columns_for(rate);
    let most = (131_072.0 * (1.0 - rate * 2f64.powi(r as i32))).ceil() as u64;
    let a = match r {
        1 | 2 => 3,
        3 => 4,
        4 => 6,
        5 => 9,
        _ => return None,
    };
    (n >= 2048 && 2048 * a <= most && most <= 65_536 - 2048 * a).then_some((r, most))
}
