//! Builds a ribbon from hashes (FORMAT.md, section 5.7): layer after layer, and in a layer shard by
//! shard, each on any free thread.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::bits::kernel::{Filled, RibbonMaker};
use crate::bits::memory;
use crate::bits::ribbon::band::{Band, Keys};
use crate::bits::ribbon::rate::{fields_for, split_for, split_guessed};
use crate::bits::ribbon::shape::{LAST_KEYS, LAYERS, Layer, RibbonFields, RibbonShape};
use crate::bits::ribbon::{last, lowest, stored};
use crate::bits::{self, words_mut};
use crate::error::{Error, Result, advice};
use crate::kinds::ribbon::lines::Ribbon;
use crate::kinds::ribbon::pieces::{Ascending, room_for};

/// A shard that was built.
struct BuiltShard<E> {
    codes: Vec<u8>,
    /// The keys that are bumped to the next layer, with their own hashes.
    bumped: Vec<E>,
    columns: Vec<u64>,
}

/// A layer that was built.
struct BuiltLayer<E> {
    shards: Vec<BuiltShard<E>>,
    codes: Vec<u8>,
}

impl<E> BuiltLayer<E> {
    /// The number of keys that are bumped to the next layer.
    fn bumped(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bumped.len() as u64).sum()
    }
}

/// Sorts keys by their hashes and removes repeats.
pub(crate) fn sort_different<E: Filled>(keys: &mut Vec<E>, threads: usize) {
    sort(keys, threads);
    keys.dedup();
}

/// Builds the ribbon of `keys` different ascending hashes. It stores for each key its value of
/// `value_bits` bits, and the number of fingerprint bits that the rate needs.
pub(crate) fn ribbon_of_different<E: Filled>(
    keys: Vec<E>,
    value_bits: u8,
    rate: f64,
    threads: usize,
) -> Result<Ribbon> {
    let count = keys.len() as u64;
    ribbon_of_ascending(Ascending::Here(keys), count, value_bits, rate, threads)
}

pub(super) fn ribbon_of_ascending<E: Filled>(
    mut hashes: Ascending<'_, E>,
    keys: u64,
    value_bits: u8,
    rate: f64,
    threads: usize,
) -> Result<Ribbon> {
    let (mut fields, is_exact) = fields_for(keys, value_bits, rate);
    let mut layers = Vec::new();
    let mut left = keys;
    for k in 0..LAYERS {
        if left <= LAST_KEYS as u64 {
            break;
        }
        let rate = (k == 0 && !is_exact).then_some(rate);
        let mut built = layer_of(&mut fields, k, hashes, left, rate, threads)?;
        left = built.bumped();
        let mut bumped = room_for(left)?;
        for shard in &mut built.shards {
            bumped.append(&mut core::mem::take(&mut shard.bumped));
        }
        hashes = Ascending::Here(bumped);
        layers.push(built);
    }
    if left > LAST_KEYS as u64 {
        return Err(chosen());
    }
    let mut hashes = hashes.all(left)?;
    hashes.sort_unstable();
    let stored_for = |key: E| lowest(stored(key.hash(), key.value(), value_bits.into()), fields.deep.into());
    let last = last::solve(&hashes, fields.deep, stored_for)?;
    (fields.last, fields.last_seed) = (last.slots, last.seed);
    let shape = RibbonShape::new(fields)?;
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
    Ok(Ribbon::built(shape, None, lines, keys))
}

/// Builds layer `k` of `count` hashes, which ascend in the first layer. With a rate, the share of
/// keys that the rate needs gets one more column.
fn layer_of<E: Filled>(
    fields: &mut RibbonFields,
    k: usize,
    hashes: Ascending<'_, E>,
    count: u64,
    rate: Option<f64>,
    threads: usize,
) -> Result<BuiltLayer<E>> {
    fields.words[k] = Layer::words_for(count)?;
    let mut before = Layer::new(fields, k);
    // In the first layer with its first seed, hashes are not moved.
    if k == 0 {
        let built = with_seed(fields, k, &hashes, rate, threads)?;
        if built.bumped() < count / 2 {
            return Ok(built);
        }
    }
    // Moved hashes must be sorted again.
    let mut hashes = hashes.all(count)?;
    let mut is_moved = false;
    for seed in u8::from(k == 0)..=u8::MAX {
        fields.seeds[k] = seed;
        let layer = Layer::new(fields, k);
        let own = |key: E| if is_moved { before.unhash(key.hash()) } else { key.hash() };
        hashes.iter_mut().for_each(|key| *key = key.with_hash(layer.hash(own(*key))));
        sort(&mut hashes, threads);
        let moved = Ascending::Here(hashes);
        let built = with_seed(fields, k, &moved, rate, threads)?;
        if built.bumped() < count / 2 {
            return Ok(built);
        }
        hashes = moved.all(count)?;
        (before, is_moved) = (layer, true);
    }
    Err(chosen())
}

/// Builds the layer with its present seed, from hashes in the layer's form.
fn with_seed<E: Filled>(
    fields: &mut RibbonFields,
    k: usize,
    hashes: &Ascending<'_, E>,
    rate: Option<f64>,
    threads: usize,
) -> Result<BuiltLayer<E>> {
    let kernel = RibbonMaker::best();
    let columns =
        if k == 0 { u32::from(fields.columns) + u32::from(rate.is_some()) } else { fields.deep.into() };
    fields.split = if k == 0 { rate.map_or(0, |rate| split_guessed(fields, rate)) } else { fields.split };
    let guessed = Layer::new(fields, k);
    let is_alone = guessed.shards == 1;
    let fields_of_one = *fields;
    // Set by a thread that has no memory for a band.
    let is_refused = AtomicBool::new(false);
    let mut shards: Vec<BuiltShard<E>> = Vec::new();
    hashes.each_shard(&guessed, 0..guessed.shards, &mut |pieces| {
        let first = shards.len();
        shards.extend(pieces.iter().map(|_| BuiltShard {
            codes: Vec::new(),
            bumped: Vec::new(),
            columns: Vec::new(),
        }));
        for (number, shard) in shards.iter_mut().enumerate().skip(first) {
            // A layer of one shard finds for itself how many words have one more column.
            let more = if is_alone { guessed.words_of_shard() } else { 0 };
            memory::reserve(&mut shard.columns, guessed.column_words_of(number) + more)?;
        }
        let work = pairs(shards[first..].iter_mut().zip(pieces).zip(first..));
        each(threads, work.into_iter(), |bands: &mut [Band; 2], mut pair: Pair<'_, '_, E>| {
            if fill(kernel, bands, &guessed, columns, &mut pair).is_err() {
                return is_refused.store(true, Ordering::Relaxed);
            }
            for (((shard, _), number), band) in pair.into_iter().zip(bands) {
                shard.codes.extend_from_slice(band.codes());
                let mut fields = fields_of_one;
                if let (true, Some(rate)) = (is_alone, rate) {
                    fields.split = split_for(&fields, &shard.codes, rate);
                }
                solve(kernel, band, &Layer::new(&fields, k), number, shard);
            }
        });
        check_filled(&is_refused, &guessed)
    })?;
    let mut codes: Vec<u8> = memory::room(shards.iter().map(|shard| shard.codes.len()).sum())?;
    shards.iter().for_each(|shard| codes.extend_from_slice(&shard.codes));
    if let Some(rate) = rate {
        fields.split = split_for(fields, &codes, rate);
    }
    // Solves the one or two shards again whose number of columns was guessed wrong.
    let layer = Layer::new(fields, k);
    let wrong = shards.iter().enumerate();
    let is_wrong: Vec<bool> =
        wrong.map(|(number, shard)| shard.columns.len() != layer.column_words_of(number)).collect();
    let mut wrong = (0..shards.len()).filter(|number| is_wrong[*number]);
    if let Some(first) = wrong.next() {
        let past = wrong.next_back().unwrap_or(first) + 1;
        for number in (first..past).filter(|number| is_wrong[*number]) {
            let more = layer.column_words_of(number).saturating_sub(shards[number].columns.len());
            memory::reserve(&mut shards[number].columns, more)?;
        }
        let mut redone = shards[first..past].iter_mut().zip(first..);
        hashes.each_shard(&layer, first as u64..past as u64, &mut |pieces| {
            let some = redone.by_ref().take(pieces.len()).zip(pieces);
            let some = some.map(|((shard, number), keys)| ((shard, keys), number));
            let some = pairs(some.filter(|(_, number)| is_wrong[*number]));
            each(threads, some.into_iter(), |bands: &mut [Band; 2], mut pair: Pair<'_, '_, E>| {
                if fill(kernel, bands, &layer, columns, &mut pair).is_err() {
                    return is_refused.store(true, Ordering::Relaxed);
                }
                for (((shard, _), number), band) in pair.into_iter().zip(bands) {
                    solve(kernel, band, &layer, number, shard);
                }
            });
            check_filled(&is_refused, &layer)
        })?;
    }
    Ok(BuiltLayer { shards, codes })
}

/// One or two shards, with their keys and numbers, which one thread builds at once.
type Pair<'a, 'k, E> = Vec<((&'a mut BuiltShard<E>, &'a &'k [E]), usize)>;

fn pairs<T>(shards: impl Iterator<Item = T>) -> Vec<Vec<T>> {
    let mut shards = shards.peekable();
    let mut pairs = Vec::new();
    while shards.peek().is_some() {
        pairs.push(shards.by_ref().take(2).collect());
    }
    pairs
}

/// Fills the bands of a pair. The bumped keys of an earlier fill are dropped.
fn fill<E: Filled>(
    kernel: RibbonMaker,
    bands: &mut [Band; 2],
    layer: &Layer,
    columns: u32,
    pair: &mut Pair<'_, '_, E>,
) -> Result<()> {
    for (((shard, keys), _), band) in pair.iter_mut().zip(&mut *bands) {
        band.make_room(layer, keys.len())?;
        // A twentieth of the keys is bumped, unless the keys were chosen.
        shard.bumped.clear();
        memory::reserve(&mut shard.bumped, keys.len() / 16 + 64)?;
    }
    let mut work = pair.iter_mut().zip(bands).map(|(((shard, keys), _), band)| {
        shard.bumped.clear();
        (band, Keys { keys, bumped: &mut shard.bumped })
    });
    if let Some(one) = work.next() {
        kernel.fill(layer, columns, one, work.next());
    }
    Ok(())
}

/// The error if a thread had no memory for the band of a shard.
fn check_filled(is_refused: &AtomicBool, layer: &Layer) -> Result<()> {
    match is_refused.load(Ordering::Relaxed) {
        false => Ok(()),
        true => Err(Error::TooLarge { bytes: 16 * layer.slots }),
    }
}

fn solve<E>(kernel: RibbonMaker, band: &Band, layer: &Layer, number: usize, shard: &mut BuiltShard<E>) {
    shard.columns.clear();
    shard.columns.resize(layer.column_words_of(number), 0);
    kernel.solve(band, layer.columns.into(), layer.wide_of(number), &mut shard.columns);
}

/// The error for hashes that collide under every seed: that does not happen by chance.
fn chosen() -> Error {
    let expected = "keys that nobody chose by the filter's own hash";
    let error =
        Error::parameter("the list of keys", "one of hash values that collide under every seed", expected);
    error.with(advice!("give the filter another seed", Seed, ", or a secret key", Secret))
}

/// Runs `act` on every piece of work, on this many threads.
#[cfg(feature = "parallel")]
pub(super) fn each<T: Send>(
    threads: usize,
    work: impl ExactSizeIterator<Item = T> + Send,
    act: impl Fn(&mut [Band; 2], T) + Sync,
) {
    const NONE: [Band; 2] = [Band::new(), Band::new()];
    std::thread_local!(static BANDS: core::cell::RefCell<[Band; 2]> = const { core::cell::RefCell::new(NONE) });
    crate::kinds::bloom::bulk::share_out(threads, work, |piece| {
        BANDS.with_borrow_mut(|bands| act(bands, piece))
    });
    // The caller's thread goes on living: it frees its bands here.
    BANDS.with_borrow_mut(|bands| *bands = NONE);
}

#[cfg(not(feature = "parallel"))]
pub(super) fn each<T>(_: usize, work: impl Iterator<Item = T>, act: impl Fn(&mut [Band; 2], T)) {
    let mut bands = [Band::new(), Band::new()];
    work.for_each(|piece| act(&mut bands, piece));
}

#[cfg(feature = "parallel")]
pub(crate) fn sort<E: Filled>(hashes: &mut [E], threads: usize) {
    /// Fewer keys are sorted on one thread.
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
    crate::kinds::bloom::bulk::share_out(threads, pieces.into_iter(), <[E]>::sort_unstable);
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn sort<E: Filled>(hashes: &mut [E], _: usize) {
    hashes.sort_unstable();
}
