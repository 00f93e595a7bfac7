//! Sections 2.8, 4.2.6, 4.2.7, 4.11 and 5.7: the bumped ribbon, and the filter that uses it.
//! `build` makes a ribbon, `file` has its file, `embedded` its embedded form (4.8.1), `second` a
//! second ribbon behind it. `map` has the map from keys to numbers.

mod build;
pub mod embedded;
mod file;
pub mod map;
mod second;

use crate::bits::mulhi;
use crate::hash::{finish, siphash13};
use crate::hashing::Hashing;
use crate::table::{number, spread};

pub use build::columns_for;
pub use file::{lengths, read, write};
pub use second::{Second, second_for};

/// The most layers.
pub const LAYERS: usize = 8;
/// The hashes move by multiples of this number.
const STEP: u64 = 0x9E3779B97F4A7C15;

/// The numbers of a ribbon in the header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RibbonShape {
    /// r: columns of layer 0.
    pub columns: u64,
    /// d: columns of the later layers and of the last slots.
    pub deep: u64,
    /// v: the columns of a value, the lowest ones; 0 in a filter.
    pub value_bits: u64,
    /// The first words of layer 0 whose keys have one more column.
    pub split: u64,
    /// Words of a column in each layer.
    pub words: [u64; LAYERS],
    /// The seed of each layer.
    pub seeds: [u64; LAYERS],
    /// The number of last slots.
    pub last: u64,
    /// Their seed.
    pub last_seed: u64,
}

/// One layer, and its place among the bits of the body.
#[derive(Clone, Debug)]
struct Layer {
    k: u64,
    seed: u64,
    words: u64,
    columns: u64,
    split: u64,
    columns_at: u64,
    thresholds_at: u64,
}

impl Layer {
    /// S: the shards.
    fn shards(&self) -> u64 {
        (self.words / 1024).max(1)
    }

    /// P: the slots of a shard.
    fn slots(&self) -> u64 {
        64 * self.words / self.shards()
    }

    /// Does it have coarse thresholds?
    fn coarse(&self) -> bool {
        self.words >= 30
    }

    fn bucket(&self) -> u64 {
        if self.coarse() { 128 } else { 64 }
    }

    fn buckets_of_shard(&self) -> u64 {
        self.slots().div_ceil(self.bucket())
    }

    fn code_bits(&self) -> u64 {
        if self.coarse() { 2 } else { 4 }
    }

    /// The threshold of a code.
    fn threshold(&self, code: u64) -> u64 {
        match (self.coarse(), code) {
            (true, _) => [0, 12, 36, 128][code as usize],
            (false, 15) => 64,
            (false, _) => 4 * code,
        }
    }

    /// Words that have one more column.
    fn wide(&self) -> u64 {
        if self.split == 0 { 0 } else { (self.split + 1).min(self.words) }
    }

    fn column_words(&self) -> u64 {
        self.words * self.columns + self.wide()
    }

    fn threshold_words(&self) -> u64 {
        (self.shards() * self.buckets_of_shard() * self.code_bits()).div_ceil(64)
    }

    /// The hash of a key in this layer.
    fn hash(&self, h: u64) -> u64 {
        match (self.k, self.seed) {
            (0, 0) => h,
            _ => finish(h.wrapping_add(STEP.wrapping_mul(256 * self.k + self.seed))),
        }
    }

    /// The shard of a hash, and its start there.
    fn start(&self, x: u64) -> (u64, u64) {
        (mulhi(x, self.shards()), mulhi(x.wrapping_mul(self.shards()), self.slots() - 63))
    }

    /// The bit of the body for a slot and a column of the layer.
    fn bit(&self, slot: u64, column: u64) -> usize {
        let word = slot / 64;
        (64 * (self.columns_at + self.columns * word + word.min(self.wide()) + column) + slot % 64) as usize
    }
}

impl RibbonShape {
    /// The layers that exist, with their places.
    fn layers(&self) -> Vec<Layer> {
        let mut layers = Vec::new();
        let mut at = 0;
        for k in 0..LAYERS {
            if self.words[k] == 0 {
                break;
            }
            let (columns, split) = if k == 0 { (self.columns, self.split) } else { (self.deep, 0) };
            let (words, seed) = (self.words[k], self.seeds[k]);
            let layer = Layer { k: k as u64, seed, words, columns, split, columns_at: at, thresholds_at: 0 };
            at += layer.column_words();
            layers.push(layer);
        }
        for layer in &mut layers {
            layer.thresholds_at = at;
            at += layer.threshold_words();
        }
        layers
    }

    /// The first word of the last slots.
    fn last_at(&self) -> u64 {
        self.layers().iter().map(|layer| layer.column_words() + layer.threshold_words()).sum()
    }

    /// Words of the whole ribbon.
    pub fn all_words(&self) -> u64 {
        self.last_at() + (self.last * self.deep).div_ceil(64)
    }

    fn check(&self) -> Result<(), String> {
        let refuse = |what: &str| Err(format!("{what}: {self:?}"));
        let most = 32 + self.value_bits;
        if !(self.value_bits.max(1)..=most).contains(&self.columns) || self.deep > most {
            return refuse("1 to 32 columns, or those of a value and up to 32");
        }
        if self.deep != self.columns && self.deep != self.columns + 1 {
            return refuse("later layers have as many columns, or one more");
        }
        let depth = self.words.iter().take_while(|words| **words > 0).count();
        if self.words[depth..].iter().any(|words| *words > 0)
            || self.seeds[depth..].iter().any(|seed| *seed > 0)
        {
            return refuse("a layer behind the last one");
        }
        for words in &self.words[..depth] {
            let shards = (words / 1024).max(1);
            if *words < 2 || shards > 1 && words % (2 * shards) != 0 {
                return refuse("words that are no whole shards");
            }
        }
        let bucket = if self.words[0] >= 30 { 2 } else { 1 };
        if self.split > self.words[0] || self.split % bucket != 0 && self.split != self.words[0] {
            return refuse("the split is at no edge of a bucket");
        }
        if self.split > 0 && self.columns == most {
            return refuse("33 columns");
        }
        if self.last > 256 || self.last == 0 && self.last_seed > 0 {
            return refuse("last slots");
        }
        Ok(())
    }
}

/// A ribbon filter: the fields of its file as numbers, and the bits of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Ribbon {
    /// Offset 32: how the bytes of a key become a hash, 1 to 4.
    pub scheme: u8,
    /// Offset 33: the key domain (section 1.1).
    pub domain: u8,
    /// Offset 56: the promised false-positive rate.
    pub rate: f64,
    /// Offset 64: the seed or the key check of the scheme.
    pub parameter: u64,
    /// Offset 124: the recipe (section 1.2).
    pub recipe: u32,
    /// Tags and values of the records (section 4.3).
    pub records: Vec<(u16, String)>,
    /// The secret key of scheme 2, which is not in the file; zeros under every other scheme.
    pub secret: [u8; 16],
    /// Offset 40: the number of different keys.
    pub keys: u64,
    /// The ribbon.
    pub shape: RibbonShape,
    /// Its bits, in whole words.
    pub bits: Vec<bool>,
    /// Section 2.8.1: the second ribbon.
    pub second: Option<Second>,
    /// Section 4.11: the hashes of added keys, ascending.
    pub added: Vec<u64>,
    /// U, if the ribbon holds the numbers of a table (section 4.2.6), else 0.
    pub numbers: u64,
}

/// The value stored for a key in a filter.
pub fn fingerprint(h: u64) -> u64 {
    let product = u128::from(h ^ (h >> 32)) * u128::from(STEP);
    (product >> 64) as u64 & 0xFFFF_FFFF
}

/// The coefficients of a key over the last slots.
fn last_row(h: u64, slots: u64, seed: u64) -> Vec<bool> {
    let word = |i: u64| finish(finish(h).wrapping_add(STEP.wrapping_mul(65_536 + 4 * seed + i)));
    (0..slots).map(|slot| word(slot / 64) >> (slot % 64) & 1 == 1).collect()
}

impl Ribbon {
    /// A filter of byte keys with scheme 1 and seed 0, without recipe, records and keys.
    pub fn new(rate: f64) -> Ribbon {
        let (columns, exact) = columns_for(rate);
        let deep = if exact { columns } else { columns + 1 };
        Ribbon {
            scheme: 1,
            domain: 1,
            rate,
            parameter: 0,
            recipe: 0,
            records: Vec::new(),
            secret: [0; 16],
            keys: 0,
            shape: RibbonShape { columns, deep, ..RibbonShape::default() },
            bits: Vec::new(),
            second: None,
            added: Vec::new(),
            numbers: 0,
        }
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        self.check_ribbon()?;
        if let Some(second) = &self.second {
            second.check(self)?;
        }
        // NaN is refused too.
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        Ok(())
    }

    /// The fields that decide how keys are hashed.
    fn hashing(&self) -> Hashing<'_> {
        Hashing {
            scheme: self.scheme,
            domain: self.domain,
            parameter: self.parameter,
            recipe: self.recipe,
            records: &self.records,
            secret: &self.secret,
        }
    }

    /// Refuses fields that neither a filter nor a map can have.
    fn check_ribbon(&self) -> Result<(), String> {
        if self.keys >> 56 > 0 || self.numbers >> 56 > 0 || self.numbers > 0 && self.keys > self.numbers {
            return Err(format!("{} keys of {} numbers", self.keys, self.numbers));
        }
        self.shape.check()?;
        self.hashing().check()?;
        if (self.keys == 0) != (self.shape.words[0] == 0 && self.shape.last == 0) {
            return Err(format!("{} keys in {} words", self.keys, self.shape.all_words()));
        }
        Ok(())
    }

    /// The hash of a key.
    pub fn hash_of(&self, key: &[u8]) -> Result<u64, String> {
        self.hashing().hash_of(key)
    }

    /// Section 2.8: does the stored value of a key equal its fingerprint?
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        Ok(self.contains_hash(self.hash_of(key)?))
    }

    /// Looks up the hash of a key.
    pub fn contains_hash(&self, h: u64) -> bool {
        self.added.contains(&h) || self.ribbon_contains(h)
    }

    /// Section 4.11: adds the hash of a key beside the ribbon, if the filter does not contain it.
    pub fn add(&mut self, h: u64) {
        if !self.contains_hash(h) {
            self.added.push(h);
            self.added.sort();
        }
    }

    fn ribbon_contains(&self, h: u64) -> bool {
        if self.keys == 0 {
            return false;
        }
        let h = self.hash_in_ribbon(h);
        let (value, columns) = self.value(h);
        value == fingerprint(h) & ((1 << columns) - 1)
            && self.second.as_ref().is_none_or(|second| second.passes(&self.shape, h))
    }

    /// Section 2.8: the hash under which the ribbon holds the hash of a key.
    pub fn hash_in_ribbon(&self, h: u64) -> u64 {
        if self.numbers == 0 { h } else { finish(number(h, self.numbers)) }
    }

    /// The value stored for a hash, and its number of columns.
    fn value(&self, h: u64) -> (u64, u64) {
        for layer in self.shape.layers() {
            let x = layer.hash(h);
            let (shard, start) = layer.start(x);
            if start % layer.bucket() < layer.threshold(self.code(&layer, shard, start / layer.bucket())) {
                continue;
            }
            let start = shard * layer.slots() + start;
            let columns = layer.columns + u64::from(start < 64 * layer.split);
            let c = spread(x) | 1;
            let mut value = 0;
            for column in 0..columns {
                for i in (0..64).filter(|i| c >> i & 1 == 1) {
                    value ^= u64::from(self.bits[layer.bit(start + i, column)]) << column;
                }
            }
            return (value, columns);
        }
        let (slots, at) = (self.shape.last, 64 * self.shape.last_at());
        let row = last_row(h, slots, self.shape.last_seed);
        let mut value = 0;
        for column in 0..self.shape.deep {
            for slot in (0..slots).filter(|slot| row[*slot as usize]) {
                value ^= u64::from(self.bits[(at + column * slots + slot) as usize]) << column;
            }
        }
        (value, self.shape.deep)
    }

    /// The code of a bucket of a shard.
    fn code(&self, layer: &Layer, shard: u64, bucket: u64) -> u64 {
        let bucket = shard * layer.buckets_of_shard() + bucket;
        let at = 64 * layer.thresholds_at + bucket * layer.code_bits();
        (0..layer.code_bits()).map(|i| u64::from(self.bits[(at + i) as usize]) << i).sum()
    }

    /// Offset 112: the sum of the spread hashes of four fixed keys.
    pub fn self_test(&self) -> Result<u64, String> {
        self.hashing().self_test()
    }
}
