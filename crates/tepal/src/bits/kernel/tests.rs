//! Every level, with single keys and in batches, sets and reads exactly the positions of the plain
//! rule.

use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::bits::mix::mix_integer;
use crate::bits::shape::Shape;
use crate::bits::{self, words, words_mut};
use crate::ids::Layout;

/// Every layout and k, in arrays of one unit, of a few units, and large enough for prefetching.
fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for &layout in Layout::ALL {
        let (least, most) = layout.num_hashes_range();
        for k in least..=most {
            for units in [1, 2, 3, 7, 1000] {
                shapes.push(Shape::new(layout, k, units * layout.unit_bits()).unwrap());
            }
        }
        // More than the largest FETCH_AHEAD_FROM.
        let large = ((1 << 17) + 5) * bits::LINE_BITS;
        shapes.push(Shape::new(layout, most, large).unwrap());
    }
    shapes
}

/// A stream of 64-bit numbers (SplitMix64), after the extreme values.
fn hashes(count: usize) -> Vec<u64> {
    let mut state = 0x1234_5678u64;
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let random = core::iter::from_fn(|| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Some(mix(state))
    });
    [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 32].into_iter().chain(random).take(count).collect()
}

/// The plain rule: the positions of each hash, one by one.
struct Model(Vec<Line>);

impl Model {
    fn insert(&mut self, positions: &[u64]) -> u32 {
        let mut new = 0;
        for p in positions {
            let word = &mut words_mut(&mut self.0)[(p / 64) as usize];
            new += u32::from(*word >> (p % 64) & 1 == 0);
            *word |= 1 << (p % 64);
        }
        new
    }

    fn contains(&self, positions: &[u64]) -> bool {
        positions.iter().all(|p| words(&self.0)[(p / 64) as usize] >> (p % 64) & 1 != 0)
    }
}

#[test]
fn every_level_is_the_plain_rule() {
    for shape in shapes() {
        let rules = Rules::new(shape);
        let empty = bits::zeroed(shape.lines()).unwrap();
        let keys = hashes(if shape.lines() > 1000 { 3000 } else { 60 });
        let (inserted, asked) = keys.split_at(keys.len() / 3);
        let mut model = Model(empty.clone());
        let new_bits: Vec<u32> = inserted.iter().map(|&h| model.insert(&rules.positions(shape, h))).collect();
        let answers: Vec<bool> = keys.iter().map(|&h| model.contains(&rules.positions(shape, h))).collect();
        assert!(answers[..inserted.len()].iter().all(|a| *a));
        assert!(asked.len() > 30);

        for kernel in Kernel::available(&rules) {
            let (mut single, mut batch, mut counted_batch) = (empty.clone(), empty.clone(), empty.clone());
            let counted: Vec<u32> = inserted.iter().map(|&h| kernel.insert(&mut single, h)).collect();
            kernel.insert_many(&mut batch, inserted);
            let new = kernel.insert_many_counting(&mut counted_batch, inserted);
            assert_eq!(counted, new_bits, "{} {shape:?}", kernel.level());
            assert_eq!(
                new,
                new_bits.iter().map(|&n| u64::from(n)).sum::<u64>(),
                "{} {shape:?}",
                kernel.level()
            );
            for lines in [&single, &batch, &counted_batch] {
                assert!(*lines == model.0, "{} {shape:?}", kernel.level());
            }

            let one_by_one: Vec<bool> =
                keys.iter().map(|&h| kernel.contains(Bits::Plain(&single), h)).collect();
            let mut together = vec![false; keys.len()];
            kernel.contains_many(Bits::Plain(&batch), &keys, &mut together);
            assert_eq!(one_by_one, answers, "{} {shape:?}", kernel.level());
            let branching: Vec<bool> =
                keys.iter().map(|&h| kernel.contains_branching(Bits::Plain(&single), h)).collect();
            assert_eq!(branching, answers, "{} {shape:?}", kernel.level());
            assert_eq!(together, answers, "{} {shape:?}", kernel.level());
        }
    }
}

/// Batches of every length around the sizes of the pieces, with answers left from another batch.
#[test]
fn batches_of_any_length() {
    let keys = hashes(1100);
    for &layout in Layout::ALL {
        let k = layout.num_hashes_range().1;
        let shape = Shape::new(layout, k, 40 * bits::LINE_BITS).unwrap();
        let rules = Rules::new(shape);
        let mut lines = bits::zeroed(shape.lines()).unwrap();
        for kernel in Kernel::available(&rules) {
            kernel.insert_many(&mut lines, &keys[..100]);
            for len in (0..70).chain([511, 512, 513, 1023, 1024, 1025, 1100]) {
                let mut answers = vec![len % 2 == 0; len];
                kernel.contains_many(Bits::Plain(&lines), &keys[..len], &mut answers);
                let expected: Vec<bool> =
                    keys[..len].iter().map(|&h| kernel.contains(Bits::Plain(&lines), h)).collect();
                assert_eq!(answers, expected, "{layout} {len} {}", kernel.level());
            }
        }
    }
}

/// Filled part by part and pass by pass, with prefetching of any lines.
#[cfg(feature = "parallel")]
#[test]
fn every_level_fills_parts_by_the_plain_rule() {
    use crate::bits::part::LineSpan;

    const PART_LINES: usize = 16;
    for shape in shapes() {
        let rules = Rules::new(shape);
        let empty = bits::zeroed(shape.lines()).unwrap();
        let keys = hashes(60);
        let mut model = Model(empty.clone());
        keys.iter().for_each(|&h| _ = model.insert(&rules.positions(shape, h)));
        let passes: Vec<_> = rules.passes(empty.len()).into_iter().flatten().collect();
        if passes.is_empty() {
            assert_eq!(shape.layout, Layout::Scattered);
            continue;
        }
        for kernel in Kernel::available(&rules) {
            let mut lines = empty.clone();
            for pass in &passes {
                for (part, lines) in lines.chunks_mut(PART_LINES).enumerate() {
                    let here = |h: &u64| pass.line(*h) / PART_LINES == part;
                    let here: Vec<u64> = keys.iter().map(|&h| pass.hash(h)).filter(here).collect();
                    let next = &empty[..empty.len().min(part % 40)];
                    kernel.insert_part(pass, LineSpan { lines, first: PART_LINES * part }, &here, next);
                }
            }
            assert!(lines == model.0, "{} {shape:?}", kernel.level());
        }
    }
}

/// Each level has a name, the best level first and last the one that every machine has.
#[test]
fn levels_have_names() {
    let rules = Rules::new(Shape::new(Layout::Line, 8, 512).unwrap());
    let names: Vec<_> = Kernel::available(&rules).map(|kernel| kernel.level()).collect();
    let all: &[&str] = if cfg!(target_arch = "aarch64") {
        &["neon"]
    } else {
        &["avx512-vpopcnt", "avx512", "avx2", "baseline"]
    };
    assert!(!names.is_empty() && all.ends_with(&names), "{names:?}");
}

/// A level is chosen by its name. A name that does not exist never chooses another level.
#[cfg(feature = "std")]
mod forced {
    use super::*;

    #[test]
    fn every_level_has_its_name() {
        for level in available() {
            assert_eq!(forced(NAMES[level]), level);
        }
    }

    #[test]
    #[should_panic(expected = "TEPAL_CPU_LEVEL=abacus: expected one of ")]
    fn an_unknown_name_is_refused() {
        forced("abacus");
    }
}

/// Lines too few for the rules are never touched: each call panics first.
#[cfg(feature = "std")]
#[test]
fn too_few_lines_are_a_mistake() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    type Call<'a> = &'a dyn Fn(&mut [Line]);

    for shape in shapes().into_iter().filter(|shape| shape.lines() < 2000) {
        let rules = Rules::new(shape);
        let least = rules.least_lines();
        let mut lines = bits::zeroed(shape.lines()).unwrap();
        assert!(least == 1 || least == lines.len(), "{shape:?}");
        for kernel in Kernel::available(&rules) {
            for h in hashes(10) {
                kernel.insert(&mut lines[..least], h);
                assert!(kernel.contains(Bits::Plain(&lines[..least]), h), "{shape:?}");
                let few = &mut lines[..least - 1];
                let calls: [Call<'_>; 4] = [
                    &|lines| _ = kernel.contains(Bits::Plain(lines), h),
                    &|lines| _ = kernel.contains_branching(Bits::Plain(lines), h),
                    &|lines| _ = kernel.insert(lines, h),
                    &|lines| _ = kernel.insert_noting(lines, h),
                ];
                for call in calls {
                    assert!(catch_unwind(AssertUnwindSafe(|| call(few))).is_err(), "{shape:?}");
                }
            }
        }
    }
}

/// Random hashes in random, partly filled arrays of every layout and k: every level against the
/// plain rule, with every call. More cases:
/// `TEPAL_CASES=100000000 cargo test --release -p tepal --lib -- random_cases --nocapture`.
#[cfg(feature = "std")]
#[test]
fn random_cases() {
    const ROUND: usize = 1000;
    let wanted = match std::env::var("TEPAL_CASES") {
        Ok(number) => number.parse().expect("TEPAL_CASES is a number"),
        Err(_) => 500_000,
    };
    let mut state = 0u64;
    let mut random = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        z ^ (z >> 32)
    };
    let (mut cases, mut held) = (0usize, 0usize);
    while cases < wanted {
        let layout = Layout::ALL[random() as usize % 4];
        let (least, most) = layout.num_hashes_range();
        let k = least + (random() % u64::from(most - least + 1)) as u32;
        let units = 1 + random() % (1 << (random() % 11));
        let shape = Shape::new(layout, k, units * layout.unit_bits()).unwrap();
        let rules = Rules::new(shape);
        // About half full first, so that both answers are frequent.
        let mut filled = Model(bits::zeroed(shape.lines()).unwrap());
        for _ in 0..shape.bit_len * 2 / 3 / u64::from(k) {
            filled.insert(&rules.positions(shape, random()));
        }
        let hashes: Vec<u64> = (0..ROUND).map(|_| random()).collect();
        let positions: Vec<_> = hashes.iter().map(|&h| rules.positions(shape, h)).collect();
        let answers: Vec<bool> = positions.iter().map(|p| filled.contains(p)).collect();
        let before = filled.0.clone();
        let new: Vec<u32> = positions.iter().map(|p| filled.insert(p)).collect();
        let all_new = new.iter().map(|&n| u64::from(n)).sum::<u64>();
        for kernel in Kernel::available(&rules) {
            let what = (kernel.level(), shape);
            let mut found = vec![false; ROUND];
            kernel.contains_many(Bits::Plain(&before), &hashes, &mut found);
            assert!(found == answers, "{what:?}");
            let (mut single, mut batch, mut counting) = (before.clone(), before.clone(), before.clone());
            for (i, &h) in hashes.iter().enumerate() {
                assert_eq!(kernel.contains(Bits::Plain(&before), h), answers[i], "{what:?}: {h:#x}");
                assert_eq!(
                    kernel.contains_branching(Bits::Plain(&before), h),
                    answers[i],
                    "{what:?}: {h:#x}"
                );
                assert_eq!(kernel.insert(&mut single, h), new[i], "{what:?}: {h:#x}");
            }
            kernel.insert_many(&mut batch, &hashes);
            assert_eq!(kernel.insert_many_counting(&mut counting, &hashes), all_new, "{what:?}");
            assert!(single == filled.0 && batch == filled.0 && counting == filled.0, "{what:?}");
        }
        cases += ROUND;
        held += answers.iter().filter(|held| **held).count();
    }
    assert!(held > cases / 50 && held < cases, "{held} of {cases}");
    let levels: Vec<_> = Kernel::available(&Rules::new(shapes()[0])).map(|k| k.level()).collect();
    std::println!("{cases} hashes at the levels {levels:?}, {held} of them held: no difference");
}

/// Every level hashes integers alike, in batches of any length.
#[test]
fn every_level_hashes_integers_alike() {
    let integers = hashes(1030);
    for level in available() {
        for count in (0..40).chain([512, 1030]) {
            let (secret, integers) = (integers[40].wrapping_mul(count as u64), &integers[..count]);
            let mut found = vec![0; count];
            // SAFETY: `available` gives levels that the CPU has.
            unsafe { HASH_INTEGERS[level](secret, integers, &mut found) };
            let expected: Vec<u64> = integers.iter().map(|&n| mix_integer(secret, n)).collect();
            assert_eq!(found, expected, "{}, {count} integers", NAMES[level]);
        }
    }
}

/// A key is new exactly if it sets a bit.
#[test]
fn noting_is_counting_above_none() {
    for shape in shapes().into_iter().filter(|shape| shape.lines() < 2000) {
        let rules = Rules::new(shape);
        for kernel in Kernel::available(&rules) {
            let mut counted = bits::zeroed(shape.lines()).unwrap();
            let mut noted = counted.clone();
            for h in hashes(300).into_iter().chain(hashes(300)) {
                let is_new = kernel.insert(&mut counted, h) > 0;
                assert_eq!(kernel.insert_noting(&mut noted, h), is_new, "{shape:?} {h:#x}");
            }
            assert!(counted == noted, "{shape:?}");
        }
    }
}

/// Every level finds the fullest line and the fullest half line, in plain and in shared lines.
#[test]
fn every_level_finds_the_fullest_line() {
    let rules = Rules::new(Shape::new(Layout::Line, 6, 512).unwrap());
    let numbers = hashes(8 * 37);
    let lines: Vec<Line> =
        numbers.chunks(8).map(|words| Line(core::array::from_fn(|i| words[i] & words[0] >> i))).collect();
    let ones = |line: &Line, words: core::ops::Range<usize>| -> u32 {
        line.0[words].iter().map(|word| word.count_ones()).sum()
    };
    for every in [1, 2, 7, 100] {
        let some = || lines.iter().step_by(every);
        let fullest = some().map(|line| ones(line, 0..8)).max().unwrap();
        let half = some().map(|line| ones(line, 0..4).max(ones(line, 4..8))).max().unwrap();
        for kernel in Kernel::available(&rules) {
            assert_eq!(kernel.most_set(Bits::Plain(&lines), every, false), fullest);
            assert_eq!(kernel.most_set(Bits::Plain(&lines), every, true), half);
            #[cfg(target_has_atomic = "64")]
            {
                let shared = bits::atomic::share(lines.clone());
                assert_eq!(kernel.most_set(Bits::Shared(&shared), every, false), fullest);
                assert_eq!(kernel.most_set(Bits::Shared(&shared), every, true), half);
            }
        }
    }
}
