//! Every level compared with the plain functions.

use alloc::vec;
use alloc::vec::Vec;

use super::shape::{LAYERS, Layer, RibbonFields, RibbonShape};
use super::*;
use crate::bits::kernel::{MapKernel, RibbonKernel, RibbonMaker};
use crate::bits::mix::{finish, unfinish};
use band::{Band, Keys};
use thin::Thin;

#[test]
fn a_finished_hash_is_found_again() {
    let hashes = (0..1000u64).map(|i| (i << 54) ^ (i * i));
    assert!(hashes.into_iter().all(|h| unfinish(finish(h)) == h && finish(unfinish(h)) == h));
}

fn fields(words: u32, columns: u8, split: u32) -> RibbonFields {
    let mut of_layers = [0; LAYERS];
    (of_layers[0], of_layers[1]) = (words, 5);
    RibbonFields {
        columns,
        deep: columns,
        split,
        words: of_layers,
        seeds: [0; LAYERS],
        last: 70,
        last_seed: 3,
        value_bits: 0,
    }
}

/// Keys of one layer, ascending.
fn keys(count: u64) -> Vec<u64> {
    let mut keys: Vec<u64> = (0..count).map(|i| finish(i | 1 << 40)).collect();
    keys.sort_unstable();
    keys
}

/// The fingerprint, column by column.
fn contains_plainly(shape: &RibbonShape, words: &[u64], h: u64) -> bool {
    let (value, columns) = ask::value_plainly(shape, words, h);
    lowest(value ^ fingerprint(h), columns) == 0
}

/// All levels give the same bits and answers, with any number of columns, also at the end of the
/// words.
#[test]
fn every_level_does_the_same() {
    for (words, columns, split) in
        [(40, 7, 0), (40, 7, 12), (40, 8, 40), (33, 1, 2), (2, 3, 1), (70, 15, 70), (64, 32, 0), (50, 31, 8)]
    {
        let fields = fields(words, columns, split);
        fields.check().unwrap();
        let shape = RibbonShape::new(fields).unwrap();
        let layer = &shape.layers()[0];
        let keys = keys(u64::from(words) * 64);
        let mut seen = Vec::new();
        for (kernel, maker) in RibbonKernel::available(&shape).zip(RibbonMaker::available()) {
            let (mut band, mut bumped) = (Band::new(), Vec::new());
            let most = u32::from(columns) + u32::from(split > 0);
            maker.fill(layer, most, (&mut band, Keys { keys: &keys, bumped: &mut bumped }), None);
            // A shard gives the same bits beside another shard.
            let (mut twins, mut left) = ([Band::new(), Band::new()], [Vec::new(), Vec::new()]);
            let mut work = twins.iter_mut().zip(&mut left).zip([&keys[..], &keys[..keys.len() / 3]]);
            let mut work = || work.next().map(|((band, bumped), keys)| (band, Keys { keys, bumped }));
            if let Some(one) = work() {
                maker.fill(layer, most, one, work());
            }
            assert!(twins[0].rows() == band.rows() && twins[0].codes() == band.codes() && left[0] == bumped);
            let mut out = vec![0; layer.column_words() as usize];
            maker.solve(&band, layer.columns.into(), layer.wide, &mut out);
            let mut all = vec![0; shape.words() as usize];
            all[..out.len()].copy_from_slice(&out);
            layer.pack(band.codes(), &mut all[layer.thresholds..][..layer.threshold_words() as usize]);
            shape.check_padding(&all).unwrap();
            let mut answers = vec![false; keys.len()];
            kernel.contains_many(&shape, &all, &keys, &mut answers);
            for (h, answer) in keys.iter().zip(&answers) {
                assert_eq!(kernel.contains(&shape, &all, *h), *answer);
                assert_eq!(contains_plainly(&shape, &all, *h), *answer, "the plain way");
                assert!(*answer || bumped.contains(h));
            }
            assert!(bumped.len() < keys.len() / 4, "{} of {}", bumped.len(), keys.len());
            seen.push((all, answers, bumped));
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{words} {columns} {split}");
    }
}

/// Any bits give an answer.
#[test]
fn any_bits_are_asked() {
    for (words, columns, split) in [(40, 7, 0), (2, 3, 1), (64, 32, 0), (50, 31, 8), (3000, 2, 1024)] {
        let shape = RibbonShape::new(fields(words, columns, split)).unwrap();
        for fill in [0, u64::MAX, 0x1234_5678_9ABC_DEF1] {
            let all = vec![fill; shape.words() as usize];
            for h in keys(500).into_iter().chain([0, u64::MAX]) {
                for kernel in RibbonKernel::available(&shape) {
                    let plainly = contains_plainly(&shape, &all, h);
                    assert_eq!(kernel.contains(&shape, &all, h), plainly);
                    // Single lookups and batches, shorter than a group, of one group, and longer.
                    for len in [1, 15, 16, 17, 32, 33, 50] {
                        let mut answers = vec![!plainly; len];
                        kernel.contains_many(&shape, &all, &vec![h; len], &mut answers);
                        assert!(answers.iter().all(|answer| *answer == plainly), "{len} at once");
                    }
                }
            }
            assert!((0.0..=0.5).contains(&rate::rate(&shape, &all)));
        }
    }
}

/// Too few words follow the columns to read eight at once: keys near the end take the general path,
/// in a batch too.
#[test]
fn keys_near_the_end_are_asked() {
    let mut fields = RibbonFields { last: 0, last_seed: 0, ..fields(30, 9, 0) };
    fields.words[1] = 0;
    fields.check().unwrap();
    let shape = RibbonShape::new(fields).unwrap();
    let words: Vec<u64> = (0..shape.words()).map(finish).collect();
    let keys: Vec<u64> = (0..20_000).map(|i| u64::MAX - (finish(i) >> 5)).collect();
    let expected: Vec<bool> = keys.iter().map(|h| contains_plainly(&shape, &words, *h)).collect();
    assert!(expected.contains(&true));
    for kernel in RibbonKernel::available(&shape) {
        let mut answers = vec![false; keys.len()];
        kernel.contains_many(&shape, &words, &keys, &mut answers);
        assert!(answers == expected);
    }
}

/// With any bits in both ribbons, all levels give the same answers, alone and in a batch, and the
/// same as the general path.
#[test]
fn two_ribbons_are_asked_the_same_by_every_level() {
    // The second ribbon has fine thresholds, coarse ones, moved hashes, only last slots, or
    // nothing.
    for (own, seed, last) in [(9, 0, 70), (64, 0, 70), (64, 5, 70), (0, 0, 70), (0, 0, 0)] {
        let mut second = RibbonFields { last, ..fields(own, 1, 0) };
        (second.words[1], second.seeds[0]) = (0, seed);
        second.last_seed = if last == 0 { 0 } else { 3 };
        second.check().unwrap();
        let first = RibbonShape::new(fields(70, 4, 0)).unwrap();
        let thin = Thin::new(&first, RibbonShape::new(second).unwrap(), 1, 26_215).unwrap();
        let (mut words, mut state) = (vec![0; thin::words(&first, Some(&thin)) as usize], 0u64);
        words.fill_with(|| {
            state += 1;
            finish(state)
        });
        let keys = keys(20_000);
        let expected: Vec<bool> = keys.iter().map(|h| thin.contains_plainly(&first, &words, *h)).collect();
        let found = expected.iter().filter(|held| **held).count();
        // 1/16 of all keys, and 0.8 of these.
        assert!((900..1100).contains(&found), "{found}");
        for kernel in RibbonKernel::available(&first) {
            let mut answers = vec![false; keys.len()];
            kernel.contains_many_thin(&first, &thin, &words, &keys, &mut answers);
            assert!(answers == expected, "{own}");
            let alone = keys.iter().map(|h| kernel.contains_thin(&first, &thin, &words, *h));
            assert!(alone.eq(expected.iter().copied()), "{own}");
            kernel.contains_many_thin(&first, &thin, &words, &keys[..5], &mut answers[..5]);
            assert!(answers == expected, "{own}");
        }
    }
}

#[test]
fn the_best_seed_is_the_first_of_those_that_pick_the_fewest() {
    let picks: Vec<u16> = keys(200).into_iter().map(thin::pick).collect();
    for (most, count) in [(1, 0), (1, 200), (6554, 130), (26_215, 130), (26_215, 7), (65_535, 130)] {
        let picks = &picks[..count];
        let of = |seed: u64| picks.iter().filter(|pick| thin::is_picked(**pick, seed as u8, most)).count();
        let least = (0..256).map(of).min().unwrap();
        let first = (0..256).find(|seed| of(*seed) == least).unwrap();
        for maker in RibbonMaker::available() {
            assert_eq!(maker.best_seed(most, picks), (first as u8, least));
        }
        // More than a 16-bit counter holds.
        let many = picks.repeat(600);
        let (seed, found) = RibbonMaker::best().best_seed(most, &many);
        assert_eq!((seed, found), (first as u8, 600 * least));
    }
    // Every seed picks the same number of all 16-bit numbers.
    for seed in [0, 1, 2, 100, 255] {
        let of_all = (0..=u16::MAX).filter(|pick| thin::is_picked(*pick, seed, 12_345)).count();
        assert_eq!(of_all, 12_345);
    }
}

#[test]
fn the_rate_of_two_ribbons_is_met_and_hardly_overshot() {
    // Of 0.09375 the number of picked non-members is whole.
    for (rate, expected) in
        [(0.1, Some(3)), (0.4, Some(1)), (0.2, Some(2)), (0.04, Some(4)), (0.0313, None), (0.09375, Some(3))]
    {
        let found = thin::picked_for(1 << 20, rate);
        assert_eq!(found.map(|(columns, _)| columns), expected, "{rate}");
        if let Some((columns, most)) = found {
            let of = |most: u16| thin::share_of(most) / f64::from(1u32 << columns);
            assert!(of(most) <= rate && of(most - 1) > rate, "{rate}");
        }
    }
    assert!(thin::picked_for(2047, 0.1).is_none() && thin::picked_for(2048, 0.1).is_some());
}

#[test]
fn fields_that_cannot_be_are_refused() {
    let good = fields(2048, 7, 16);
    good.check().unwrap();
    let wrong: [fn(&mut RibbonFields); 14] = [
        |f| f.columns = 0,
        |f| (f.columns, f.deep) = (33, 33),
        |f| f.deep = 6,
        |f| f.deep = 9,
        |f| (f.columns, f.deep) = (32, 32),
        |f| (f.columns, f.deep, f.split) = (32, 33, 0),
        |f| f.split = 2050,
        |f| f.split = 15,
        |f| f.words[0] = 1,
        |f| f.words[0] = 2050,
        |f| f.words[0] = 2049,
        |f| f.words[3] = 9,
        |f| f.seeds[2] = 1,
        |f| f.last = 257,
    ];
    for (i, wrong) in wrong.iter().enumerate() {
        let mut fields = good;
        wrong(&mut fields);
        assert!(fields.check().is_err(), "{i}");
    }
}

/// All sizes that are made can be read.
#[test]
fn every_number_of_keys_has_a_layer() {
    for keys in (0..70_000).step_by(7).chain((0..50).map(|i| (1usize << 17) + (i << 14) + i)) {
        let words = Layer::words_for(keys as u64).unwrap();
        fields(words, 3, 0).check().unwrap();
        let load = keys as f64 / (f64::from(words) * 64.0);
        assert!(keys < 2048 || (1.03..1.075).contains(&load), "{keys}: {load}");
    }
    // On 32 bits memory ends before the number of words does.
    assert!(Layer::words_for(u64::MAX / 2).is_err());
}

/// Every level finds values of any number of bits, alone and in a batch, with and without a
/// fingerprint above them.
#[test]
fn every_level_finds_the_same_values() {
    for (words, value_bits, prints, split) in
        [(40, 1, 0, 0), (40, 6, 7, 12), (33, 8, 0, 33), (64, 32, 32, 0), (50, 32, 31, 50), (2, 16, 3, 1)]
    {
        let fields = RibbonFields { value_bits, ..fields(words, value_bits + prints, split) };
        fields.check().unwrap();
        let shape = RibbonShape::new(fields).unwrap();
        let layer = &shape.layers()[0];
        let keys: Vec<(u64, u32)> =
            keys(u64::from(words) * 60).into_iter().map(|h| (h, (h % (1 << value_bits)) as u32)).collect();
        let hashes: Vec<u64> = keys.iter().map(|key| key.0).collect();
        let greatest = keys.iter().map(|key| key.1).max().unwrap();
        let mut seen = Vec::new();
        for (kernel, maker) in MapKernel::available(&shape).zip(RibbonMaker::available()) {
            let (mut band, mut bumped) = (Band::new(), Vec::new());
            let columns = u32::from(value_bits + prints) + u32::from(split > 0);
            maker.fill(layer, columns, (&mut band, Keys { keys: &keys, bumped: &mut bumped }), None);
            let mut out = vec![0; layer.column_words() as usize];
            maker.solve(&band, layer.columns.into(), layer.wide, &mut out);
            let mut all = vec![0; shape.words() as usize];
            all[..out.len()].copy_from_slice(&out);
            layer.pack(band.codes(), &mut all[layer.thresholds..][..layer.threshold_words() as usize]);
            let mut answers = vec![None; keys.len()];
            kernel.get_many(&shape, &all, greatest, &hashes, &mut answers);
            for (key, answer) in keys.iter().zip(&answers) {
                assert_eq!(kernel.get(&shape, &all, greatest, key.0), *answer);
                assert!(*answer == Some(key.1) || bumped.contains(key));
            }
            let mut none = vec![Some(1); keys.len()];
            kernel.get_many(&shape, &all, 0, &hashes, &mut none);
            assert!(none.iter().all(|answer| answer.is_none_or(|value| value == 0)));
            seen.push((all, answers, bumped));
        }
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{words} {value_bits}");
    }
}
