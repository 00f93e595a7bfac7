//! The table compared with a sorted list, and with a table that was written at once.

use alloc::vec;
use alloc::vec::Vec;

use super::super::kernel::TableKernel;
use super::packing::{Packing, PackingFields};
use super::*;
use change::Scratch;
use stream::{Entries, NoRoom, Stream};

/// A random number generator with repeatable results.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

fn written(packing: &Packing, entries: &[u64]) -> Result<Vec<Line>, NoRoom> {
    let mut lines = vec![Line([0; 8]); packing.lines() as usize];
    stream::write(packing, Stream::of(entries.iter().copied()), &mut lines).map(|()| lines)
}

fn read(packing: &Packing, lines: &[Line]) -> Vec<u64> {
    Entries::new(packing, lines).collect()
}

/// Packings of every width, from nearly empty to nearly full.
fn packings() -> Vec<(Packing, usize)> {
    let mut all = Vec::new();
    let mut random = Random(7);
    for tag_bits in [0u32, 0, 0, 1, 4, 8, 16] {
        for (r, b) in
            [(1u32, 8u32), (1, 92), (1, 150), (2, 60), (4, 50), (6, 83), (9, 74), (15, 49), (18, 76), (40, 8)]
        {
            let width = r + tag_bits;
            let most = ((494 - b) / (width + 1)).min(184 - b);
            for slots in [most, 1 + most / 2] {
                let home = 1 + random.below(30);
                let numbers = ((home * u64::from(b)) << r) - random.below(u64::from(b) << (r - 1));
                let fields = PackingFields {
                    numbers,
                    remainder_bits: r as u8,
                    buckets: b as u8,
                    slots: slots as u8,
                    tag_bits: tag_bits as u8,
                    spare: random.below(7) as u32,
                };
                let packing = Packing::new(fields).unwrap();
                let load = [50, 80, 92, 97, 110][random.below(5) as usize];
                all.push((packing, (home * u64::from(slots) * load / 100) as usize));
            }
        }
    }
    all
}

#[test]
fn a_table_is_what_a_list_is() {
    let mut random = Random(1);
    let (mut changes, mut refused, mut rewritten) = (0, 0, 0);
    let levels: Vec<_> = TableKernel::available().collect();
    for (i, (packing, most)) in packings().into_iter().enumerate() {
        // Each CPU level in its turn: all must give the lines of a table that was written at once.
        let level = levels[i % levels.len()];
        let mut list: Vec<u64> = Vec::new();
        let mut lines = written(&packing, &list).unwrap();
        let mut scratch = Scratch::default();
        // Taken from few numbers, and from all.
        let within =
            if random.below(3) == 0 { 1 + random.below(packing.numbers()) } else { packing.numbers() };
        for step in 0..3 * most + 20 {
            let shrinks = list.len() > most || (step > 2 * most && random.below(3) > 0);
            let entry = match shrinks || random.below(5) == 0 {
                true if !list.is_empty() => Err(list[random.below(list.len() as u64) as usize]),
                _ => Ok(random.below(within) << packing.tag_bits() | random.below(1 << packing.tag_bits())),
            };
            let tags = (1 << packing.tag_bits()) - 1;
            let of = |entry: u64| (entry >> packing.tag_bits(), entry & tags);
            changes += 1;
            match entry {
                Ok(entry) => {
                    let (number, tag) = of(entry);
                    let before = lines.clone();
                    let at = list.partition_point(|other| *other < entry);
                    list.insert(at, entry);
                    match level.insert(&packing, &mut lines, number, tag, &mut scratch) {
                        Ok(()) => {}
                        Err(NoRoom) => {
                            refused += 1;
                            assert!(lines == before && written(&packing, &list) == Err(NoRoom));
                            list.remove(at);
                        }
                    }
                }
                Err(entry) => {
                    let (number, tag) = of(entry);
                    level.remove(&packing, &mut lines, number, tag, &mut scratch);
                    list.remove(list.partition_point(|other| *other < entry));
                }
            }
            rewritten += usize::from(line::begins_before(&lines[lines.len() / 2]) > 0);
            let expected = written(&packing, &list).unwrap();
            for (i, (line, other)) in lines.iter().zip(&expected).enumerate() {
                assert!(
                    line == other,
                    "{packing:?}: line {i} of {}, {entry:?}, {} entries",
                    lines.len(),
                    list.len()
                );
            }
        }
        assert_eq!(read(&packing, &lines), list);
        for _ in 0..200 {
            let number = random.below(within);
            let of_it: Vec<u64> =
                list.iter().copied().filter(|entry| entry >> packing.tag_bits() == number).collect();
            let place = packing.place(number);
            assert_eq!(contains_at::<ByArithmetic>(&packing, &lines, place), !of_it.is_empty());
            assert_eq!(level.copies(&packing, &lines, number).slots as usize, of_it.len());
        }
        let is_in = |entry: &u64| {
            contains_at::<ByArithmetic>(&packing, &lines, packing.place(entry >> packing.tag_bits()))
        };
        assert!(list.iter().all(is_in));
    }
    assert!(changes > 10_000 && refused > 100 && rewritten > 1000, "{changes} {refused} {rewritten}");
}

/// The packing for this number of slots, found by trying all in the order of FORMAT.md, section
/// 5.3.
fn plain_packing(
    slots: u64,
    numbers: u64,
    tag_bits: u8,
    most_buckets: u8,
    spare: fn(u64) -> u64,
) -> Option<PackingFields> {
    let mut best: Option<(u64, PackingFields)> = None;
    for remainder_bits in 1..=40u8 {
        for buckets in 8..=most_buckets {
            let s = (494 - u64::from(buckets)) / u64::from(remainder_bits + tag_bits + 1);
            let home = numbers.div_ceil(u64::from(buckets) << remainder_bits);
            let spare = match home {
                _ if s == 0 || u64::from(buckets) + s + 8 > 192 => continue,
                1 if s >= slots => 0,
                _ if u128::from(slots) * 100 <= u128::from(home) * u128::from(s) * 92 => spare(home),
                _ => continue,
            };
            let fields = PackingFields {
                numbers,
                remainder_bits,
                buckets,
                slots: s as u8,
                tag_bits,
                spare: spare as u32,
            };
            let lines = home + spare;
            if best.is_none_or(|(least, other)| lines < least || (lines == least && s > other.slots.into())) {
                best = Some((lines, fields));
            }
        }
    }
    best.map(|(_, fields)| fields)
}

#[test]
fn packings_are_those_of_all_tries() {
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut found = 0;
    for i in 0..1500 {
        let tag_bits = if i % 2 == 0 { 0 } else { (next() % 17) as u8 };
        let numbers = (next() >> (8 + next() % 54)).clamp(1, packing::most_numbers(tag_bits.into()));
        // Between no slots and twice as many slots as numbers.
        let slots = (next() % numbers.saturating_mul(2)) >> (next() % 20);
        for (of, most_buckets, spare) in [
            (Packing::for_slots as fn(_, _, _) -> _, 150, (|home| 6.min(1 + home / 8)) as fn(u64) -> u64),
            (Packing::for_close_slots, 16, |_| 64),
        ] {
            let plain = plain_packing(slots.max(1), numbers, tag_bits, most_buckets, spare);
            let plain = plain.and_then(|fields| Packing::new(fields).ok());
            let here: crate::error::Result<Packing> = of(slots, numbers, tag_bits);
            assert_eq!(here.ok(), plain, "{slots} slots, {numbers} numbers, {tag_bits} tag bits");
            found += u32::from(plain.is_some());
        }
    }
    assert!(found > 1500, "{found}");
}
