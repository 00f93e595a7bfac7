//! From hashes to a ribbon (FORMAT.md, section 5.7): layer after layer, shard by shard, each shard by whichever thread is free.

use alloc::vec::Vec;

use crate::bits::kernel::RibbonKernel;
use crate::bits::ribbon::band::Band;
use crate::bits::ribbon::rate::{columns_for, deep_has_more, split_for, split_guessed};
use crate::bits::ribbon::shape::{Fields, LAST_KEYS, LAYERS, Layer, Shape};
use crate::bits::ribbon::{fingerprint, last, lowest};
use crate::bits::{self, words_mut};
use crate::error::{Error, Result};
use crate::kinds::storage::{Backing, Mapped};

/// One shard that was built.
#[derive(Default)]
struct Shard {
    /// Where its hashes are in the layer's.
    hashes: core::ops::Range<usize>,
    codes: Vec<u8>,
    /// The hashes of keys that are left to the next layer.
    bumped: Vec<u64>,
    columns: Vec<u64>,
}

/// One layer that was built.
struct Built {
    shards: Vec<Shard>,
    codes: Vec<u8>,
}

/// The ribbon of these hashes, and how many different ones they are.
pub(super) fn ribbon_of(mut hashes: Vec<u64>, rate: f64, threads: usize) -> Result<(Shape, Mapped, u64)> {
    sort(&mut hashes, threads);
    hashes.dedup();
    let keys = hashes.len() as u64;
    let (columns, is_exact) = columns_for(rate);
    let has_more = if hashes.len() > LAST_KEYS { deep_has_more(rate, columns) } else { !is_exact };
    let mut fields = Fields {
        columns,
        deep: columns + u8::from(has_more),
        split: 0,
        words: [0; LAYERS],
        seeds: [0; LAYERS],
        last: 0,
        last_seed: 0,
    };
    let mut layers = Vec::new();
    for k in 0..LAYERS {
        if hashes.len() <= LAST_KEYS {
            break;
        }
        let rate = (k == 0 && !is_exact).then_some(rate);
        let mut built = layer_of(&mut fields, k, &mut hashes, rate, threads)?;
        let bumped: usize = built.shards.iter().map(|shard| shard.bumped.len()).sum();
        hashes = Vec::new();
        hashes.try_reserve_exact(bumped).map_err(|_| Error::TooLarge { bytes: 8 * bumped as u64 })?;
        for shard in &mut built.shards {
            hashes.append(&mut core::mem::take(&mut shard.bumped));
        }
        layers.push(built);
    }
    if hashes.len() > LAST_KEYS {
        return Err(chosen());
    }
    hashes.sort_unstable();
    let last = last::solve(&hashes, fields.deep, |h| lowest(fingerprint(h), fields.deep.into()))?;
    (fields.last, fields.last_seed) = (last.slots, last.seed);
    let shape = Shape::new(fields)?;
    let mut lines = bits::zeroed(shape.lines())?;
    let words = words_mut(&mut lines);
    for (layer, built) in shape.layers().iter().zip(layers) {
        let mut at = layer.at;
        for shard in built.shards {
            words[at..][..shard.columns.len()].copy_from_slice(&shard.columns);
            at += shard.columns.len();
        }
        layer.pack(&built.codes, &mut words[layer.thresholds..][..layer.threshold_words() as usize]);
    }
    words[shape.last_at()..][..last.words.len()].copy_from_slice(&last.words);
    Ok((shape, Mapped(Backing::Memory(lines)), keys))
}

/// Builds layer `k`. The hashes are left as those in the layer, ascending. With a rate, as many keys as that takes have a column more.
fn layer_of(
    fields: &mut Fields,
    k: usize,
    hashes: &mut [u64],
    rate: Option<f64>,
    threads: usize,
) -> Result<Built> {
    fields.words[k] = Layer::words_for(hashes.len())?;
    let mut before = Layer::new(fields, k);
    let mut is_sorted = k == 0;
    for seed in 0..=u8::MAX {
        fields.seeds[k] = seed;
        let layer = Layer::new(fields, k);
        // In the first layer, with its first seed, they are what they were.
        if !is_sorted {
            hashes.iter_mut().for_each(|x| *x = layer.hash(if seed == 0 { *x } else { before.unhash(*x) }));
            sort(hashes, threads);
        }
        let built = with_seed(fields, k, hashes, rate, threads);
        let bumped: usize = built.shards.iter().map(|shard| shard.bumped.len()).sum();
        if bumped < hashes.len() / 2 {
            return Ok(built);
        }
        (before, is_sorted) = (layer, false);
    }
    Err(chosen())
}

/// The same with its seed, of hashes in the layer.
fn with_seed(fields: &mut Fields, k: usize, hashes: &[u64], rate: Option<f64>, threads: usize) -> Built {
    let kernel = RibbonKernel::best();
    let columns =
        if k == 0 { u32::from(fields.columns) + u32::from(rate.is_some()) } else { fields.deep.into() };
    fields.split = if k == 0 { rate.map_or(0, |rate| split_guessed(fields, rate)) } else { fields.split };
    let guessed = Layer::new(fields, k);
    let mut shards: Vec<Shard> = Vec::new();
    let mut begin = 0;
    for number in 0..guessed.shards {
        let len = hashes[begin..].partition_point(|x| guessed.start(*x).0 == number);
        shards.push(Shard { hashes: begin..begin + len, ..Shard::default() });
        begin += len;
    }
    let is_alone = shards.len() == 1;
    let fields_of_one = *fields;
    each(threads, shards.iter_mut().enumerate(), |band: &mut Band, (number, shard): (usize, &mut Shard)| {
        kernel.fill(band, &guessed, &hashes[shard.hashes.clone()], columns, &mut shard.bumped);
        shard.codes.extend_from_slice(band.codes());
        let mut fields = fields_of_one;
        if let (true, Some(rate)) = (is_alone, rate) {
            fields.split = split_for(&fields, &shard.codes, rate);
        }
        solve(kernel, band, &Layer::new(&fields, k), number, shard);
    });
    let codes: Vec<u8> = shards.iter().flat_map(|shard| &shard.codes).copied().collect();
    if let Some(rate) = rate {
        fields.split = split_for(fields, &codes, rate);
    }
    // What was guessed wrong for one or two shards.
    let layer = Layer::new(fields, k);
    let wrong = shards.iter_mut().enumerate();
    let wrong: Vec<_> =
        wrong.filter(|(number, shard)| shard.columns.len() != layer.column_words_of(*number)).collect();
    each(threads, wrong.into_iter(), |band: &mut Band, (number, shard): (usize, &mut Shard)| {
        kernel.fill(band, &layer, &hashes[shard.hashes.clone()], columns, &mut Vec::new());
        solve(kernel, band, &layer, number, shard);
    });
    Built { shards, codes }
}

fn solve(kernel: RibbonKernel, band: &Band, layer: &Layer, number: usize, shard: &mut Shard) {
    shard.columns.clear();
    shard.columns.resize(layer.column_words_of(number), 0);
    kernel.solve(band, layer.columns, layer.wide_of(number), &mut shard.columns);
}

/// The error for hashes that lie together whatever they are moved by: none does by chance.
fn chosen() -> Error {
    let expected = "keys that nobody chose by the filter's own hash; give it another seed (`seed_for`), or a secret key (`secret_key`)";
    Error::parameter("the keys of a ribbon filter", "hashes that lie together", expected)
}

/// Does `act` with every piece of work, on so many threads.
#[cfg(feature = "parallel")]
fn each<T: Send>(
    threads: usize,
    work: impl ExactSizeIterator<Item = T> + Send,
    act: impl Fn(&mut Band, T) + Sync,
) {
    std::thread_local!(static BAND: core::cell::RefCell<Band> = const { core::cell::RefCell::new(Band::new()) });
    crate::kinds::bloom::bulk::share_out(threads, work, |piece| {
        BAND.with_borrow_mut(|band| act(band, piece))
    });
    // The caller's thread goes on: what it has is given back.
    BAND.with_borrow_mut(|band| *band = Band::new());
}

#[cfg(not(feature = "parallel"))]
fn each<T>(_: usize, work: impl Iterator<Item = T>, act: impl Fn(&mut Band, T)) {
    let mut band = Band::new();
    work.for_each(|piece| act(&mut band, piece));
}

#[cfg(feature = "parallel")]
fn sort(hashes: &mut [u64], threads: usize) {
    /// Fewer are sorted by one thread.
    const FEW: usize = 1 << 16;
    let mut pieces = alloc::vec![hashes];
    while pieces.len() < threads && pieces.iter().all(|piece| piece.len() > FEW) {
        let halves = pieces.into_iter().flat_map(|piece| {
            let middle = piece.len() / 2;
            piece.select_nth_unstable(middle);
            let (lower, upper) = piece.split_at_mut(middle);
            [lower, upper]
        });
        pieces = halves.collect();
    }
    crate::kinds::bloom::bulk::share_out(threads, pieces.into_iter(), <[u64]>::sort_unstable);
}

#[cfg(not(feature = "parallel"))]
fn sort(hashes: &mut [u64], _: usize) {
    hashes.sort_unstable();
}
