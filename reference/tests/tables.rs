//! The quotient table: random slots of every shape are written into lines and read back, and
//! numbers are found in the lines.

use tepal_reference::hash::xxh3;
use tepal_reference::size::{numbers_for, table, table_for};
use tepal_reference::table::{
    MOST_D, Shape, Slot, decode, decode_canonical, encode, find, most_numbers, number, slots_of, spread,
};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 += 1;
        number(xxh3(&self.0.to_le_bytes(), 0), n)
    }

    /// `count` random slots with numbers below `numbers`.
    fn slots(&mut self, count: u64, numbers: u64, tag_bits: u32) -> Vec<Slot> {
        let mut slots: Vec<Slot> =
            (0..count).map(|_| (self.below(numbers), self.below(1 << tag_bits))).collect();
        slots.sort();
        slots
    }
}

/// Checks that the lines of these slots give the slots again. Then looks up each number and its
/// neighbour: it is found with exactly its tags.
fn check(shape: &Shape, slots: &[Slot]) {
    let bits = encode(shape, slots).unwrap_or_else(|why| panic!("{shape:?}: {why}"));
    assert_eq!(decode_canonical(shape, &bits).unwrap(), slots, "{shape:?}");
    for &(y, _) in slots {
        for y in [y, y ^ 1] {
            let tags: Vec<u64> = slots.iter().filter(|slot| slot.0 == y).map(|slot| slot.1).collect();
            if y < shape.numbers {
                assert_eq!(find(shape, &bits, y), tags, "{shape:?}: {y}");
            }
        }
    }
}

/// The largest S of a line.
fn most_slots(rem_bits: u32, tag_bits: u32, buckets: u64) -> u64 {
    (184 - buckets).min((494 - buckets) / u64::from(rem_bits + tag_bits + 1))
}

fn shape(rem_bits: u32, tag_bits: u32, buckets: u64, slots: u64, home: u64) -> Shape {
    let shape =
        Shape { numbers: (home * buckets) << rem_bits, rem_bits, tag_bits, buckets, slots, spare: 64 };
    shape.check().unwrap_or_else(|why| panic!("{shape:?}: {why}"));
    assert_eq!(shape.lines(), home + 64);
    shape
}

#[test]
fn tables_at_every_load_give_their_slots_again() {
    let mut random = Random(0);
    for (r, v, b, home) in [(4, 0, 50, 40), (6, 0, 83, 40), (9, 0, 74, 40), (15, 0, 49, 30), (6, 4, 46, 30)] {
        let shape = shape(r, v, b, most_slots(r, v, b), home);
        for load in [10, 50, 60, 70, 80, 85, 90, 92, 95, 97] {
            let slots = random.slots(home * shape.slots * load / 100, shape.numbers, v);
            // A nearly full table may need more lines than it has.
            if load < 95 || encode(&shape, &slots).is_ok() {
                check(&shape, &slots);
            }
        }
    }
}

#[test]
fn every_width_and_every_number_of_buckets() {
    let mut random = Random(1 << 32);
    for r in 1..=40 {
        for v in [0, 1, 3, 4, 8, 15, 16] {
            for b in [8, 9, 40, 63, 64, 65, 127, 150] {
                let most = most_slots(r, v, b);
                // Three home lines would have more numbers than a table may have.
                if (3 * b) << r > most_numbers(v) {
                    continue;
                }
                for slots in [1, most.div_ceil(2), most] {
                    let shape = shape(r, v, b, slots, 3);
                    check(&shape, &random.slots(3 * slots * 3 / 4, shape.numbers, v));
                }
            }
        }
    }
}

#[test]
fn the_largest_tables_that_are_refused_and_not() {
    let good = Shape { numbers: 64, rem_bits: 6, tag_bits: 0, buckets: 83, slots: 58, spare: 6 };
    good.check().unwrap();
    let most = Shape { numbers: 1 << 48, rem_bits: 40, tag_bits: 16, buckets: 8, slots: 8, ..good };
    most.check().unwrap();
    for bad in [
        Shape { numbers: 0, ..good },
        Shape { numbers: (1 << 48) + 1, ..most },
        Shape { numbers: 1 << 56, tag_bits: 8, ..most },
        Shape { numbers: 1 << 56, tag_bits: 0, ..most },
        Shape { rem_bits: 0, ..good },
        Shape { rem_bits: 41, ..most },
        Shape { tag_bits: 17, slots: 1, ..good },
        Shape { buckets: 7, ..good },
        Shape { buckets: 151, slots: 1, ..good },
        Shape { slots: 0, ..good },
        Shape { slots: 59, ..good },
        Shape { buckets: 120, slots: 65, rem_bits: 1, ..good },
        Shape { spare: 65, ..good },
        Shape { numbers: (1 << 56) - 1, rem_bits: 10, ..good },
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
}

#[test]
fn slots_of_one_bucket_go_on_over_lines() {
    for (r, v, b) in [(6, 0, 83), (1, 0, 150), (36, 16, 8), (40, 8, 8), (9, 8, 50)] {
        for slots in [1, 2, most_slots(r, v, b)] {
            // 400 home lines, because the remaining 0s take many lines: each line has space for
            // only a few more 0s than its own.
            let shape = shape(r, v, b, slots, 400);
            // The largest allowed number of equal slots; or fewer, if d, which grows by the buckets
            // of a line in each line, would pass its limit.
            let copies = 64.min(slots * (MOST_D / b));
            for y in [0, 1, shape.numbers / 2] {
                check(&shape, &vec![(y, 0); copies as usize]);
            }
            check(&shape, &vec![(shape.numbers - 1, 0); 2 * slots as usize]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    // One slot and 150 buckets in a line: the line of the eighth slot of bucket 0 would begin 1,050
    // buckets before its own first one.
    let long = shape(3, 0, 150, 1, 200);
    assert!(encode(&long, &[(0, 0); 7]).is_ok());
    assert!(encode(&long, &[(0, 0); 8]).unwrap_err().contains("line 7 begins 1050 buckets"));
    // The slots fill the last line and no more.
    let short = Shape { spare: 1, ..shape(6, 0, 83, 58, 1) };
    let full = vec![(short.numbers - 1, 0); 58];
    assert!(encode(&short, &full).is_ok());
    assert!(encode(&short, &[&full[..], &full].concat()).is_ok());
    assert!(encode(&short, &[&full[..], &full, &full[..1]].concat()).is_err());
    // Here all slots are written, but the 0s of some of the 166 buckets are not.
    assert!(encode(&short, &[(0, 0); 59]).is_err());
    assert!(encode(&Shape { spare: 2, ..short }, &[(0, 0); 59]).is_ok());
}

#[test]
fn lines_that_no_encoder_wrote_are_refused_or_read_but_never_canonical() {
    let mut random = Random(2 << 32);
    for (r, v, b) in [(6, 0, 83), (3, 4, 20)] {
        let shape = Shape { spare: 1, ..shape(r, v, b, most_slots(r, v, b), 3) };
        let good = encode(&shape, &random.slots(shape.slots * 3 * 9 / 10, shape.numbers, v)).unwrap();
        for bit in 0..good.len() {
            let mut bits = good.clone();
            bits[bit] = !bits[bit];
            // The bit may turn a slot into another one. Then the lines are the lines of the other
            // slots.
            if let Ok(slots) = decode_canonical(&shape, &bits) {
                assert_eq!(encode(&shape, &slots).unwrap(), bits);
            }
        }
        for _ in 0..200 {
            let bits: Vec<bool> = (0..good.len()).map(|_| random.below(2) == 1).collect();
            let _ = decode(&shape, &bits);
            assert!(decode_canonical(&shape, &bits).is_err());
        }
    }
}

#[test]
fn the_order_of_slots_is_of_no_matter() {
    let mut random = Random(3 << 32);
    let shape = shape(6, 4, 46, most_slots(6, 4, 46), 10);
    let mut slots = random.slots(shape.slots * 9, shape.numbers, 4);
    let bits = encode(&shape, &slots).unwrap();
    slots.reverse();
    assert_eq!(encode(&shape, &slots).unwrap(), bits);
}

#[test]
fn spread_is_a_bijection() {
    // The inverse of the odd number modulo 2^64, by Newton.
    let odd = 0x9E3779B97F4A7C15u64;
    let inverse = (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))));
    for i in 0..1000u64 {
        let h = xxh3(&i.to_le_bytes(), 0);
        let x = spread(h).wrapping_mul(inverse);
        assert_eq!(x ^ (x >> 32), h);
    }
    // Hashes with equal first or last bits give numbers in the whole range.
    for same in [|h: u64| h >> 12, |h: u64| h << 12] {
        let mut lines = [0; 16];
        for i in 0..16_000u64 {
            lines[number(same(xxh3(&i.to_le_bytes(), 0)), 16) as usize] += 1;
        }
        assert!(lines.iter().all(|count| (850..1150).contains(count)), "{lines:?}");
    }
}

#[test]
fn counts_are_spread_over_slots() {
    assert_eq!(slots_of(7, 3, 0), [(7, 0); 3]);
    assert_eq!(slots_of(7, 1, 4), [(7, 0)]);
    assert_eq!(slots_of(7, 16, 4), [(7, 15)]);
    assert_eq!(slots_of(7, 17, 4), [(7, 0), (7, 15)]);
    assert_eq!(slots_of(7, 40, 4), [(7, 7), (7, 15), (7, 15)]);
    for v in [0, 4, 8, 16] {
        for count in [1, 2, 15, 16, 17, 63, 64, 64 << v] {
            let slots = slots_of(7, count, v);
            assert!(slots.is_sorted() && slots.len() as u64 == count.div_ceil(1 << v));
            assert_eq!(slots.iter().map(|slot| slot.1 + 1).sum::<u64>(), count);
        }
    }
}

#[test]
fn tables_of_the_design_and_their_bits() {
    for (rate, r, b, s, bits) in [
        (0.1, 4, 50, 88, 6.40),
        (0.01, 6, 83, 58, 9.64),
        (1.0 / 256.0, 7, 92, 50, 11.13),
        (0.001, 9, 74, 42, 13.51),
        (1.0 / 65536.0, 15, 49, 27, 20.90),
        (1e-6, 18, 76, 22, 25.70),
    ] {
        let n = 1_000_000;
        let found = table(n, numbers_for(n, rate).unwrap(), 0).unwrap();
        assert_eq!((found.rem_bits, found.buckets, found.slots, found.spare), (r, b, s, 6), "{rate}");
        let found = 512.0 * found.lines() as f64 / n as f64;
        assert!((found - bits).abs() < 0.01, "{rate}: {found} bits, not {bits}");
    }
}

#[test]
fn small_sets_take_one_line_and_every_table_is_good() {
    for n in [1, 2, 50, 54] {
        let found = table(n, numbers_for(n, 0.01).unwrap(), 0).unwrap();
        assert_eq!((found.lines(), found.spare), (1, 0), "{n}");
    }
    for rate in [0.999, 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9] {
        for n in [1, 2, 10, 100, 1000, 100_000, 1_000_000] {
            for v in [0, 4, 16] {
                let numbers = numbers_for(n, rate).unwrap();
                match table(n, numbers, v) {
                    Ok(found) => found.check().unwrap(),
                    Err(why) => assert!(numbers > most_numbers(v), "{why}"),
                }
            }
        }
    }
    assert!(numbers_for(1, 1e-17).is_err());
    assert!(numbers_for(u64::MAX, 0.5).is_err());
    assert!(table(1 << 40, 64, 0).is_err());
}

#[test]
fn slots_that_do_not_fit_take_a_larger_table() {
    let mut random = Random(4 << 32);
    let numbers = numbers_for(100, 0.01).unwrap();
    let first = table(100, numbers, 0).unwrap();
    assert_eq!(table_for(100, numbers, 0, &random.slots(100, numbers, 0)).unwrap(), first);
    for count in [200, 400, 1000] {
        let slots = random.slots(count, numbers, 0);
        let larger = table_for(100, numbers, 0, &slots).unwrap();
        assert!(larger.lines() > first.lines());
        check(&larger, &slots);
    }
    assert!(table_for(100, numbers, 0, &random.slots(20_000, numbers, 0)).is_err());
}
