//! The false-positive rate of a ribbon: exact, as an average over all hashes.
//!
//! A fingerprint of r bits matches by chance once in 2^r lookups. So the rate depends on two
//! counts: the starts of the first layer with each number of columns, and the starts that lead to
//! later layers.

use super::shape::{LAST_KEYS, LAYERS, Layer, RibbonFields, RibbonShape};

/// The most columns, up to 32, with 2^-columns at or above the rate, which is at most 1; and
/// whether 2^-columns is the rate itself.
pub(crate) fn columns_for(rate: f64) -> (u8, bool) {
    let (mut columns, mut reached) = (0, 1.0);
    while columns < 32 && reached * 0.5 >= rate {
        columns += 1;
        reached *= 0.5;
    }
    (columns, reached <= rate)
}

/// The fields of a ribbon for this number of keys, bits of a value and rate, before it has layers;
/// and whether its columns reach the rate exactly.
pub(crate) fn fields_for(keys: u64, value_bits: u8, rate: f64) -> (RibbonFields, bool) {
    let (columns, is_exact) = columns_for(rate);
    let deep_has_more = if keys > LAST_KEYS as u64 { rate * power(columns) <= 0.75 } else { !is_exact };
    let fields = RibbonFields {
        columns: value_bits + columns,
        deep: value_bits + columns + u8::from(deep_has_more),
        value_bits,
        split: 0,
        words: [0; LAYERS],
        seeds: [0; LAYERS],
        last: 0,
        last_seed: 0,
    };
    (fields, is_exact)
}

/// 2^columns.
fn power(columns: u8) -> f64 {
    (1u64 << columns) as f64
}

/// The number of starts in this bucket; buckets are counted over all shards.
fn starts(layer: &Layer, bucket: u64) -> u64 {
    let size = 1 << layer.bucket_shift;
    let first = bucket % layer.buckets_of_shard() * size;
    layer.starts.saturating_sub(first).min(size)
}

/// The number of these starts that lead to later layers.
fn bumped(layer: &Layer, bucket: u64, code: u64) -> u64 {
    layer.threshold(code).min(starts(layer, bucket))
}

/// The weight of a start that leads to later layers. The weighted sum over all starts is twice
/// 2^columns times the rate times the number of starts. A start with one more column weighs 1,
/// without it 2.
fn share_of_deep(fields: &RibbonFields) -> u64 {
    if fields.deep > fields.columns { 1 } else { 2 }
}

/// The rate of a ribbon with these words.
pub(crate) fn rate(shape: &RibbonShape, words: &[u64]) -> f64 {
    let fields = shape.fields();
    let Some(layer) = shape.layers().first() else {
        return 1.0 / power(fields.deep - fields.value_bits);
    };
    let (mut all, mut sum) = (0, 0);
    for bucket in 0..layer.buckets() {
        let (starts, out) = (starts(layer, bucket), bumped(layer, bucket, layer.code(words, bucket)));
        let has_more = bucket << layer.bucket_shift < layer.split;
        all += starts;
        sum += (starts - out) * if has_more { 1 } else { 2 } + out * share_of_deep(fields);
    }
    sum as f64 / (all as f64 * 2.0 * power(fields.print_columns()))
}

/// The fewest words of the first layer whose keys need one more column to reach the rate. `codes`
/// are the codes of that layer.
pub(crate) fn split_for(fields: &RibbonFields, codes: &[u8], rate: f64) -> u32 {
    let layer = Layer::new(fields, 0);
    let (mut all, mut sum) = (0, 0);
    for (bucket, code) in (0..).zip(codes) {
        let (starts, out) = (starts(&layer, bucket), bumped(&layer, bucket, (*code).into()));
        all += starts;
        sum += (starts - out) * 2 + out * share_of_deep(fields);
    }
    let most = rate * all as f64 * 2.0 * power(fields.print_columns());
    let mut buckets = 0;
    while sum as f64 > most && buckets < layer.buckets() {
        sum -= starts(&layer, buckets) - bumped(&layer, buckets, codes[buckets as usize].into());
        buckets += 1;
    }
    (((buckets << layer.bucket_shift) / 64) as u32).min(fields.words[0])
}

/// An estimate of [`split_for`], before there are codes.
pub(crate) fn split_guessed(fields: &RibbonFields, rate: f64) -> u32 {
    // The share of starts that lead to later layers, with slots for 0.95 of the keys.
    const BUMPED: f64 = 0.0465;
    let more = 2.0 * (1.0 - rate * power(fields.print_columns()));
    let of_deep = if fields.deep > fields.columns { BUMPED } else { 0.0 };
    let share = (more - of_deep) / (1.0 - BUMPED);
    let layer = Layer::new(fields, 0);
    let bucket = 1 << (layer.bucket_shift - 6);
    ((f64::from(fields.words[0]) * share.clamp(0.0, 1.0)) as u32)
        .next_multiple_of(bucket)
        .min(fields.words[0])
}
