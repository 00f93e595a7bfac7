//! Section 5.7: makes a ribbon from hashes.

use super::*;

impl Ribbon {
    /// Section 5.7: builds the ribbon from these hashes.
    pub fn build(&mut self, hashes: &[u64]) -> Result<(), String> {
        if columns_for(self.rate).0 == 0 {
            return Err(format!("no ribbon has the rate {}", self.rate));
        }
        let mut different = hashes.to_vec();
        different.sort();
        different.dedup();
        if let Some((columns, most)) = second_for(different.len() as u64, self.rate) {
            self.build_of(hashes, 0.5f64.powi(columns as i32), 0, &fingerprint)?;
            if self.shape.seeds[0] == 0 {
                self.second = Some(Second::build(most, &self.shape, &different)?);
                return Ok(());
            }
        }
        self.build_for_speed(hashes)
    }

    /// Builds the ribbon without a second one.
    pub fn build_for_speed(&mut self, hashes: &[u64]) -> Result<(), String> {
        self.second = None;
        self.build_of(hashes, self.rate, 0, &fingerprint)
    }

    /// Section 5.7: builds the ribbon from the numbers `held` of a table, whose numbers are below
    /// `numbers` = U.
    pub fn build_of_table(&mut self, numbers: u64, held: &[u64]) -> Result<(), String> {
        let mut held = held.to_vec();
        held.sort();
        held.dedup();
        let own = held.len() as f64 / numbers as f64;
        let rate = (self.rate - own) / (1.0 - own);
        let hashes: Vec<u64> = held.iter().map(|&number| finish(number)).collect();
        self.numbers = numbers;
        self.build_of(&hashes, rate, 0, &fingerprint)
    }

    /// Builds a ribbon whose stored values are `stored`: a value of `value_bits` bits below the
    /// fingerprint.
    pub(super) fn build_of(
        &mut self,
        hashes: &[u64],
        rate: f64,
        value_bits: u64,
        stored: &dyn Fn(u64) -> u64,
    ) -> Result<(), String> {
        let (columns, exact) = columns_for(rate);
        if columns == 32 && !exact {
            return Err(format!("no ribbon has the rate {rate}"));
        }
        let mut hashes = hashes.to_vec();
        hashes.sort();
        hashes.dedup();
        self.keys = hashes.len() as u64;
        let more = if hashes.len() <= 256 { !exact } else { rate * 2f64.powi(columns as i32) <= 0.75 };
        let columns = value_bits + columns;
        self.shape =
            RibbonShape { columns, deep: columns + u64::from(more), value_bits, ..RibbonShape::default() };
        let (mut columns_of, mut codes_of) = (Vec::new(), Vec::new());
        for k in 0..LAYERS {
            if hashes.len() <= 256 {
                break;
            }
            let rate = (k == 0 && !exact).then_some(rate);
            let (columns, codes, bumped) = self.shape.layer(k, &hashes, rate, stored)?;
            columns_of.extend(columns);
            codes_of.extend(codes);
            hashes = bumped;
        }
        if hashes.len() > 256 {
            return Err("more layers than there can be".to_string());
        }
        hashes.sort();
        let last = self.shape.last_slots(&hashes, stored)?;
        self.bits = [columns_of, codes_of, last].concat();
        Ok(())
    }
}

/// Section 5.7: the largest r with 2^-r >= rate, and whether 2^-r = rate.
pub fn columns_for(rate: f64) -> (u64, bool) {
    let mut r = 0;
    while r < 32 && 0.5f64.powi(r + 1) >= rate {
        r += 1;
    }
    (r as u64, 0.5f64.powi(r) == rate)
}

/// The lowest bits.
fn lowest(value: u64, bits: u64) -> u64 {
    if bits == 64 { value } else { value & ((1 << bits) - 1) }
}

/// Words of a column for this number of keys.
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

/// The equation of a slot: the coefficients from that slot on, and the value.
type Row = Option<(u64, u64)>;

/// Puts an equation into its slot and returns the slot; `None` if it follows from the others.
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

impl RibbonShape {
    /// Builds layer `k`. Returns its columns and its codes, both in whole words, and the keys for
    /// the next layer.
    fn layer(
        &mut self,
        k: usize,
        hashes: &[u64],
        rate: Option<f64>,
        stored: &dyn Fn(u64) -> u64,
    ) -> Result<(Bits, Bits, Vec<u64>), String> {
        self.words[k] = words_for(hashes.len() as u64);
        for seed in 0..256 {
            self.seeds[k] = seed;
            let layer = &self.layers()[k];
            // The hashes in the layer, each with the hash of its key.
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
                    let stored = |h| lowest(stored(h), columns);
                    let code = fill(layer, &mut rows_here, &of_bucket, first, &stored);
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

    /// The fewest words whose keys need one more column.
    fn split_for(&self, layer: &Layer, codes: &[u64], rate: f64) -> u64 {
        let buckets = layer.buckets_of_shard();
        let starts = |i: usize| {
            let first = (i as u64 % buckets) * layer.bucket();
            (layer.slots() - 63).saturating_sub(first).min(layer.bucket())
        };
        let bumped = |i: usize| layer.threshold(codes[i]).min(starts(i));
        let power = 2f64.powi((self.columns - self.value_bits) as i32);
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
    fn last_slots(&mut self, hashes: &[u64], stored: &dyn Fn(u64) -> u64) -> Result<Bits, String> {
        for slots in hashes.len() as u64..=256 {
            for seed in 0..256 {
                let mut rows: Vec<Option<(Vec<bool>, u64)>> = vec![None; slots as usize];
                let fits = hashes.iter().all(|&h| {
                    let mut row = last_row(h, slots, seed);
                    let mut value = lowest(stored(h), self.deep);
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

/// Places the keys of the bucket that begins at `first`, and returns the bucket's code.
fn fill(
    layer: &Layer,
    rows: &mut [Row],
    keys: &[(u64, u64)],
    first: u64,
    stored: &dyn Fn(u64) -> u64,
) -> u64 {
    let mut placed = Vec::new();
    for offset in (0..layer.bucket()).rev() {
        for &(x, h) in keys.iter().filter(|key| layer.start(key.0).1 == first + offset) {
            match put(rows, first + offset, spread(x) | 1, stored(h)) {
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
                    // The additional column ends with its last word.
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
