//! Sections 2.8, 4.2.6 and 5.7: the bumped ribbon, the filter that is one, and its file.

use crate::bits::mulhi;
use crate::envelope::{self, Parts};
use crate::filter::check_records;
use crate::hash::{finish, siphash13, xxh3, xxh64};
use crate::key::{apply_recipe, bytes_of};
use crate::read::{refuse, u64_at};
use crate::table::spread;
use crate::write::{KEY_CHECK, body};

/// Layers at most.
pub const LAYERS: usize = 8;
/// What the hashes are moved by.
const STEP: u64 = 0x9E3779B97F4A7C15;

/// The numbers of a ribbon that stand in the header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// r: columns of layer 0.
    pub columns: u64,
    /// d: columns of the later layers and of the last slots.
    pub deep: u64,
    /// Words of layer 0 in which keys start that have one column more.
    pub split: u64,
    /// Words of a column of each layer.
    pub words: [u64; LAYERS],
    /// The seed of each layer.
    pub seeds: [u64; LAYERS],
    /// Last slots.
    pub last: u64,
    /// Their seed.
    pub last_seed: u64,
}

/// One layer, and where it stands among the bits of the body.
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
    /// S, the shards.
    fn shards(&self) -> u64 {
        (self.words / 1024).max(1)
    }

    /// P, slots of a shard.
    fn slots(&self) -> u64 {
        64 * self.words / self.shards()
    }

    /// Is it one of coarse thresholds?
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

    /// Words that have one column more.
    fn wide(&self) -> u64 {
        if self.split == 0 { 0 } else { (self.split + 1).min(self.words) }
    }

    fn column_words(&self) -> u64 {
        self.words * self.columns + self.wide()
    }

    fn threshold_words(&self) -> u64 {
        (self.shards() * self.buckets_of_shard() * self.code_bits()).div_ceil(64)
    }

    /// The hash of a key here.
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

    /// The bit of the body for a slot of the layer and a column.
    fn bit(&self, slot: u64, column: u64) -> usize {
        let word = slot / 64;
        (64 * (self.columns_at + self.columns * word + word.min(self.wide()) + column) + slot % 64) as usize
    }
}

impl Shape {
    /// The layers there are, with their places.
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

    /// Where the last slots begin, in words.
    fn last_at(&self) -> u64 {
        self.layers().iter().map(|layer| layer.column_words() + layer.threshold_words()).sum()
    }

    /// Words of everything.
    pub fn all_words(&self) -> u64 {
        self.last_at() + (self.last * self.deep).div_ceil(64)
    }

    fn check(&self) -> Result<(), String> {
        let refuse = |what: &str| Err(format!("{what}: {self:?}"));
        if !(1..=32).contains(&self.columns) || self.deep > 32 {
            return refuse("1 to 32 columns");
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
        if self.split > 0 && self.columns == 32 {
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
    /// Offset 33: what the keys are (section 1.1).
    pub domain: u8,
    /// Offset 56: the promised false-positive rate.
    pub rate: f64,
    /// Offset 64: the seed or the key check of the scheme.
    pub parameter: u64,
    /// Offset 124: what is done to a key before it is hashed (section 1.2).
    pub recipe: u32,
    /// Tags and values of the records (section 4.3).
    pub records: Vec<(u16, String)>,
    /// The secret key of scheme 2, which is not in the file; zeros under every other scheme.
    pub secret: [u8; 16],
    /// Offset 40: different keys.
    pub keys: u64,
    /// The ribbon.
    pub shape: Shape,
    /// Its bits, up to whole words.
    pub bits: Vec<bool>,
}

/// What is stored for a key.
pub fn fingerprint(h: u64) -> u64 {
    spread(h) >> 32
}

/// The coefficients of a key over the last slots.
fn last_row(h: u64, slots: u64, seed: u64) -> Vec<bool> {
    let word = |i: u64| finish(h.wrapping_add(STEP.wrapping_mul(65_536 + 4 * seed + i)));
    (0..slots).map(|slot| word(slot / 64) >> (slot % 64) & 1 == 1).collect()
}

impl Ribbon {
    /// A filter of byte keys under scheme 1 and seed 0, without recipe, records and keys.
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
            shape: Shape { columns, deep, ..Shape::default() },
            bits: Vec::new(),
        }
    }

    /// Refuses fields that a file cannot have.
    pub fn check(&self) -> Result<(), String> {
        self.shape.check()?;
        if !(1..=4).contains(&self.scheme) {
            return Err(format!("scheme {} has no 64-bit hash", self.scheme));
        }
        if matches!(self.scheme, 3 | 4) && self.parameter != 0 {
            return Err(format!("scheme {} has no parameter", self.scheme));
        }
        check_records(&self.records)?;
        let has = |tag: u16| self.records.iter().any(|record| record.0 == tag);
        if has(5) || has(6) != (self.scheme == 4) {
            return Err("record 5 is not there, and record 6 if and only if the scheme is 4".to_string());
        }
        if !(1..=7).contains(&self.domain) {
            return Err(format!("key domain {} is not known", self.domain));
        }
        if self.recipe > 3 {
            return Err(format!("recipe {:#x} has unknown bits", self.recipe));
        }
        if (self.keys == 0) != (self.shape.words[0] == 0 && self.shape.last == 0) {
            return Err(format!("{} keys in {} words", self.keys, self.shape.all_words()));
        }
        // NaN is neither.
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return Err(format!("the promised rate {} is not between 0 and 1", self.rate));
        }
        Ok(())
    }

    fn hash(&self, bytes: &[u8]) -> Result<u64, String> {
        match self.scheme {
            1 => Ok(xxh3(bytes, self.parameter)),
            2 => Ok(siphash13(&self.secret, bytes)),
            3 => Ok(xxh64(bytes)),
            _ => Err("scheme 4 cannot hash a key".to_string()),
        }
    }

    /// The hash of a key.
    pub fn hash_of(&self, key: &[u8]) -> Result<u64, String> {
        self.hash(&bytes_of(self.domain, &apply_recipe(self.recipe, key))?)
    }

    /// Section 2.8: is what stands there for a key its fingerprint?
    pub fn contains(&self, key: &[u8]) -> Result<bool, String> {
        Ok(self.contains_hash(self.hash_of(key)?))
    }

    /// The same for the hash of a key.
    pub fn contains_hash(&self, h: u64) -> bool {
        if self.keys == 0 {
            return false;
        }
        let (value, columns) = self.value(h);
        value == fingerprint(h) & ((1 << columns) - 1)
    }

    /// The value that stands there for a hash, and of how many columns.
    fn value(&self, h: u64) -> (u64, u64) {
        for layer in self.shape.layers() {
            let x = layer.hash(h);
            let (shard, start) = layer.start(x);
            if start % layer.bucket() < layer.threshold(self.code(&layer, shard, start / layer.bucket())) {
                continue;
            }
            let start = shard * layer.slots() + start;
            let columns = layer.columns + u64::from(start < 64 * layer.split);
            let c = finish(x) | 1;
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

    /// Section 5.7: builds it of these hashes.
    pub fn build(&mut self, hashes: &[u64]) -> Result<(), String> {
        let (columns, exact) = columns_for(self.rate);
        if columns == 0 || columns == 32 && !exact {
            return Err(format!("no ribbon has the rate {}", self.rate));
        }
        let mut hashes = hashes.to_vec();
        hashes.sort();
        hashes.dedup();
        self.keys = hashes.len() as u64;
        let more = if hashes.len() <= 256 { !exact } else { self.rate * 2f64.powi(columns as i32) <= 0.75 };
        self.shape = Shape { columns, deep: columns + u64::from(more), ..Shape::default() };
        let (mut columns_of, mut codes_of) = (Vec::new(), Vec::new());
        for k in 0..LAYERS {
            if hashes.len() <= 256 {
                break;
            }
            let rate = (k == 0 && !exact).then_some(self.rate);
            let (columns, codes, bumped) = self.shape.layer(k, &hashes, rate)?;
            columns_of.extend(columns);
            codes_of.extend(codes);
            hashes = bumped;
        }
        if hashes.len() > 256 {
            return Err("more layers than there can be".to_string());
        }
        hashes.sort();
        let last = self.shape.last_slots(&hashes)?;
        self.bits = [columns_of, codes_of, last].concat();
        Ok(())
    }

    /// Offset 112: the sum of the spread hashes of four fixed keys, hashed as they stand. Scheme 4 has four fixed
    /// hashes in their place.
    pub fn self_test(&self) -> Result<u64, String> {
        let mut sum = 0u64;
        for i in 0..4 {
            let h = match self.scheme {
                4 => (i + 1u64).wrapping_mul(STEP),
                _ => self.hash(format!("tepal self-test {i}").as_bytes())?,
            };
            sum = sum.wrapping_add(spread(h));
        }
        Ok(sum)
    }
}

/// Section 5.7: the greatest r with 2^-r >= rate, and whether 2^-r = rate.
pub fn columns_for(rate: f64) -> (u64, bool) {
    let mut r = 0;
    while r < 32 && 0.5f64.powi(r + 1) >= rate {
        r += 1;
    }
    (r as u64, 0.5f64.powi(r) == rate)
}

/// Words of a column for so many keys.
fn words_for(n: u64) -> u64 {
    if n < 2048 {
        return ((90 * n + 3200) / 6400).max(2);
    }
    let words = (95 * n + 3200) / 6400;
    match words / 1024 {
        0 | 1 => words,
        shards => words / (2 * shards) * (2 * shards),
    }
}

/// The equation of a slot: coefficients from there on, and value.
type Row = Option<(u64, u64)>;

/// Puts an equation to its slot, which is told; or says whether it follows from the others.
fn put(rows: &mut [Row], start: u64, mut c: u64, mut value: u64) -> Result<Option<u64>, ()> {
    let mut slot = start;
    loop {
        let Some((other, its_value)) = rows[slot as usize] else {
            rows[slot as usize] = Some((c, value));
            return Ok(Some(slot));
        };
        c ^= other;
        value ^= its_value;
        if c == 0 {
            return if value == 0 { Ok(None) } else { Err(()) };
        }
        while c & 1 == 0 {
            c >>= 1;
            slot += 1;
        }
    }
}

type Bits = Vec<bool>;

impl Shape {
    /// Builds layer `k`: its columns, its codes, both as whole words, and what is left to the next layer.
    fn layer(
        &mut self,
        k: usize,
        hashes: &[u64],
        rate: Option<f64>,
    ) -> Result<(Bits, Bits, Vec<u64>), String> {
        self.words[k] = words_for(hashes.len() as u64);
        for seed in 0..256 {
            self.seeds[k] = seed;
            let layer = &self.layers()[k];
            // Hashes in the layer, with those of their keys.
            let mut keys: Vec<(u64, u64)> = hashes.iter().map(|&h| (layer.hash(h), h)).collect();
            keys.sort();
            let columns = layer.columns + u64::from(rate.is_some());
            let (mut rows, mut codes, mut bumped) = (Vec::new(), Vec::new(), Vec::new());
            for shard in 0..layer.shards() {
                let here: Vec<_> = keys.iter().filter(|key| layer.start(key.0).0 == shard).copied().collect();
                let mut rows_here = vec![None; layer.slots() as usize];
                for bucket in 0..layer.buckets_of_shard() {
                    let first = bucket * layer.bucket();
                    let start = |key: &&(u64, u64)| layer.start(key.0).1;
                    let of_bucket: Vec<_> =
                        here.iter().filter(|key| start(key) / layer.bucket() == bucket).copied().collect();
                    let code = fill(layer, &mut rows_here, &of_bucket, first, columns);
                    codes.push(code);
                    let out = of_bucket.iter().filter(|key| start(key) < first + layer.threshold(code));
                    bumped.extend(out.map(|key| key.1));
                }
                rows.push(rows_here);
            }
            if bumped.len() < hashes.len() / 2 {
                if let Some(rate) = rate {
                    self.split = self.split_for(layer, &codes, rate);
                }
                let layer = &self.layers()[k];
                return Ok((solve(layer, &rows), packed(layer, &codes), bumped));
            }
        }
        Err("every seed leaves half of the keys".to_string())
    }

    /// The least number of words in which keys have to have one column more.
    fn split_for(&self, layer: &Layer, codes: &[u64], rate: f64) -> u64 {
        let buckets = layer.buckets_of_shard();
        let starts = |i: usize| {
            let first = (i as u64 % buckets) * layer.bucket();
            (layer.slots() - 63).saturating_sub(first).min(layer.bucket())
        };
        let bumped = |i: usize| layer.threshold(codes[i]).min(starts(i));
        let power = 2f64.powi(self.columns as i32);
        let all: u64 = (0..codes.len()).map(starts).sum();
        let out: u64 = (0..codes.len()).map(bumped).sum();
        let mut sum = 2 * (all - out) + if self.deep > self.columns { out } else { 2 * out };
        let mut i = 0;
        while sum as f64 > rate * all as f64 * 2.0 * power {
            sum -= starts(i) - bumped(i);
            i += 1;
        }
        (i as u64 * layer.bucket() / 64).min(layer.words)
    }

    /// The last slots.
    fn last_slots(&mut self, hashes: &[u64]) -> Result<Bits, String> {
        for slots in hashes.len() as u64..=256 {
            for seed in 0..256 {
                let mut rows: Vec<Option<(Vec<bool>, u64)>> = vec![None; slots as usize];
                let fits = hashes.iter().all(|&h| {
                    let mut row = last_row(h, slots, seed);
                    let mut value = fingerprint(h) & ((1 << self.deep) - 1);
                    for slot in 0..slots as usize {
                        if !row[slot] {
                            continue;
                        }
                        let Some((other, its_value)) = &rows[slot] else {
                            rows[slot] = Some((row, value));
                            return true;
                        };
                        row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
                        value ^= its_value;
                    }
                    value == 0
                });
                if fits {
                    (self.last, self.last_seed) = (slots, seed);
                    let mut values = vec![0; slots as usize];
                    for slot in (0..slots as usize).rev() {
                        let Some((row, value)) = &rows[slot] else { continue };
                        values[slot] = (slot + 1..slots as usize)
                            .filter(|&other| row[other])
                            .fold(*value, |sum, other| sum ^ values[other]);
                    }
                    let mut bits: Bits = (0..self.deep)
                        .flat_map(|column| values.iter().map(move |value| value >> column & 1 == 1))
                        .collect();
                    bits.resize(bits.len().next_multiple_of(64), false);
                    return Ok(bits);
                }
            }
        }
        Err("256 slots are too few".to_string())
    }
}

/// Takes the keys of the bucket that begins at `first`, and tells its code.
fn fill(layer: &Layer, rows: &mut [Row], keys: &[(u64, u64)], first: u64, columns: u64) -> u64 {
    let mut placed = Vec::new();
    for offset in (0..layer.bucket()).rev() {
        for &(x, h) in keys.iter().filter(|key| layer.start(key.0).1 == first + offset) {
            let value = fingerprint(h) & ((1 << columns) - 1);
            match put(rows, first + offset, finish(x) | 1, value) {
                Ok(Some(slot)) => placed.push((offset, slot)),
                Ok(None) => {}
                Err(()) => {
                    let mut code = 0;
                    while layer.threshold(code) <= offset {
                        code += 1;
                    }
                    for (offset, slot) in placed {
                        if offset < layer.threshold(code) {
                            rows[slot as usize] = None;
                        }
                    }
                    return code;
                }
            }
        }
    }
    0
}

/// The columns of a layer, from the last slot of each shard on.
fn solve(layer: &Layer, shards: &[Vec<Row>]) -> Bits {
    let mut layer = layer.clone();
    layer.columns_at = 0;
    let mut bits = vec![false; 64 * layer.column_words() as usize];
    for (shard, rows) in (0..).zip(shards) {
        let first = shard * layer.slots();
        for slot in (first..first + layer.slots()).rev() {
            let Some((c, value)) = rows[(slot - first) as usize] else { continue };
            let columns = layer.columns + u64::from(slot / 64 < layer.wide());
            for column in 0..columns {
                let mut bit = value >> column & 1 == 1;
                for i in (1..64).filter(|i| c >> i & 1 == 1) {
                    // The one column more ends with its last word.
                    if column < layer.columns || (slot + i) / 64 < layer.wide() {
                        bit ^= bits[layer.bit(slot + i, column)];
                    }
                }
                bits[layer.bit(slot, column)] = bit;
            }
        }
    }
    bits
}

fn packed(layer: &Layer, codes: &[u64]) -> Bits {
    let mut bits: Bits =
        codes.iter().flat_map(|code| (0..layer.code_bits()).map(move |i| code >> i & 1 == 1)).collect();
    bits.resize(64 * layer.threshold_words() as usize, false);
    bits
}

/// Section 4.2.6: the 88 bytes of a filter's own part.
fn own_part(filter: &Ribbon) -> Result<Vec<u8>, String> {
    let shape = &filter.shape;
    let mut own = vec![filter.scheme, filter.domain, 0, shape.columns as u8];
    own.extend([shape.deep as u8, shape.last_seed as u8]);
    own.extend((shape.last as u16).to_le_bytes());
    own.extend(filter.keys.to_le_bytes());
    own.extend(shape.split.to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.parameter.to_le_bytes());
    for words in shape.words {
        own.extend((words as u32).to_le_bytes());
    }
    own.extend(shape.seeds.map(|seed| seed as u8));
    own.extend(filter.self_test()?.to_le_bytes());
    Ok(own)
}

/// The filter of an own part, without its bits.
fn of_own_part(
    own: &[u8],
    recipe: u32,
    records: &[(u16, String)],
    secret: Option<&[u8; 16]>,
) -> Result<Ribbon, String> {
    let u32_at = |at: usize| u64::from(crate::read::u32_at(own, at));
    let filter = Ribbon {
        scheme: own[0],
        domain: own[1],
        rate: f64::from_bits(u64_at(own, 24)),
        parameter: u64_at(own, 32),
        recipe,
        records: records.to_vec(),
        secret: secret.copied().unwrap_or_default(),
        keys: u64_at(own, 8),
        shape: Shape {
            columns: own[3].into(),
            deep: own[4].into(),
            split: u64_at(own, 16),
            words: std::array::from_fn(|k| u32_at(40 + 4 * k)),
            seeds: std::array::from_fn(|k| own[72 + k].into()),
            last: u64::from(own[6]) | u64::from(own[7]) << 8,
            last_seed: own[5].into(),
        },
        bits: Vec::new(),
    };
    if own[2] != 0 {
        return Err(format!("contents {} are not known", own[2]));
    }
    filter.check()?;
    Ok(filter)
}

/// The one file of a filter, sealed where there is a seal key.
pub fn write(filter: &Ribbon, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    if filter.scheme == 2 && filter.parameter != siphash13(&filter.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    let mut bits = filter.bits.clone();
    bits.resize(bits.len().next_multiple_of(512).max(512), false);
    let parts = Parts {
        kind: 7,
        own: own_part(filter)?,
        recipe: filter.recipe,
        records: &filter.records,
        links: Vec::new(),
        body: body(&bits),
    };
    envelope::write(&parts, seal_key)
}

/// Reads a file of kind 7, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Ribbon, String> {
    // Steps 1 to 4.
    let head = envelope::head(file, 7, "ribbon filter")?;
    let mut filter =
        of_own_part(head.own(), head.recipe, &head.records, secret).or_else(|why| refuse(4, &why))?;
    // Step 5.
    let words = filter.shape.all_words();
    let body = head.body(0, 64 * words.div_ceil(8).max(1))?;
    // Step 6: keys, self-test.
    head.check_keys(filter.scheme, filter.parameter, secret, seal_key)?;
    if u64_at(head.own(), 80) != filter.self_test().or_else(|why| refuse(6, &why))? {
        return refuse(6, "the self-test");
    }
    // Step 7: chunks, bits that stand for nothing.
    head.check_chunks(0, body)?;
    filter.bits = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
    let mut unused: Vec<(u64, u64)> = Vec::new();
    for layer in filter.shape.layers() {
        let used = 64 * layer.thresholds_at + layer.shards() * layer.buckets_of_shard() * layer.code_bits();
        unused.push((used, 64 * (layer.thresholds_at + layer.threshold_words())));
    }
    let last = 64 * filter.shape.last_at() + filter.shape.last * filter.shape.deep;
    unused.push((last, filter.bits.len() as u64));
    if unused.iter().any(|&(from, to)| filter.bits[from as usize..to as usize].contains(&true)) {
        return refuse(7, "bits that stand for nothing are set");
    }
    filter.bits.truncate(64 * words as usize);
    // Step 8.
    head.check_seal(seal_key)?;
    Ok(filter)
}
