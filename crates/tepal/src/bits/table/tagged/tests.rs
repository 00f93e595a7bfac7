//! Tags compared with a list of them, on every CPU level.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::bits::kernel::TableKernel;
use crate::bits::table::change::Scratch;
use crate::bits::table::packing::PackingFields;
use crate::bits::table::stream;

fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((u128::from(z ^ (z >> 31)) * u128::from(below)) >> 64) as u64
}

/// Numbers with tags in tables of every width and load. Each is found, gets another tag, and is
/// removed when it is old. The lines equal those of a table that was written at once.
#[test]
fn tags_are_found_changed_and_dropped() {
    let mut state = 3;
    let (mut dropped, mut pushed) = (0, 0);
    for tag_bits in [2u8, 3, 4, 8] {
        for (r, buckets, load) in [
            (1u8, 8u8, 60),
            (1, 150, 97),
            (2, 60, 92),
            (5, 83, 92),
            (6, 70, 97),
            (9, 74, 50),
            (15, 49, 95),
            (40, 8, 80),
        ] {
            let width = u32::from(r) + u32::from(tag_bits);
            let slots = ((494 - u32::from(buckets)) / (width + 1)).min(184 - u32::from(buckets));
            let home = 20;
            let fields = PackingFields {
                numbers: (home * u64::from(buckets)) << r,
                remainder_bits: r,
                buckets,
                slots: slots as u8,
                tag_bits,
                spare: 40,
            };
            let packing = Packing::new(fields).unwrap();
            let mut map = BTreeMap::new();
            // Half of them in one place, so that slots are pushed to later lines.
            let most = (home * u64::from(slots) * load / 100).min(fields.numbers / 2);
            while (map.len() as u64) < most {
                let within =
                    if random(&mut state, 8) == 0 { fields.numbers / 16 + 1 } else { fields.numbers };
                map.insert(random(&mut state, within), random(&mut state, 1 << tag_bits));
            }
            let written = |map: &BTreeMap<u64, u64>| {
                let mut lines = vec![Line([0; 8]); packing.lines() as usize];
                let entries = map.iter().map(|(number, tag)| number << tag_bits | tag);
                stream::write(&packing, stream::Stream::of(entries), &mut lines).map(|()| lines)
            };
            let Ok(mut lines) = written(&map) else { continue };
            pushed += lines.iter().filter(|line| begins_before(line) > 0).count();
            for (i, level) in TableKernel::available().enumerate() {
                for _ in 0..300 {
                    let number = random(&mut state, fields.numbers);
                    assert_eq!(level.tag_of(&packing, &lines, number), map.get(&number).copied());
                    let tag = random(&mut state, 1 << tag_bits);
                    assert_eq!(level.refresh(&packing, &mut lines, number, tag), map.contains_key(&number));
                    map.entry(number).and_modify(|old| *old = tag);
                }
                let held: Vec<u64> = map.keys().copied().collect();
                for number in held.iter().step_by(3) {
                    let tag = random(&mut state, 1 << tag_bits);
                    assert!(level.refresh(&packing, &mut lines, *number, tag));
                    map.insert(*number, tag);
                }
                assert!(lines == written(&map).unwrap());
                assert!(
                    map.iter().all(|(number, tag)| level.tag_of(&packing, &lines, *number) == Some(*tag))
                );

                let recent = Recent {
                    now: random(&mut state, 1 << tag_bits),
                    most: random(&mut state, 1 << tag_bits),
                };
                let hashes: Vec<u64> = (0..500).map(|_| random(&mut state, u64::MAX)).collect();
                let mut answers = vec![true; hashes.len()];
                level.contains_recent(&packing, &lines, recent, &hashes, &mut answers);
                for (hash, answer) in hashes.iter().zip(answers) {
                    let tag = map.get(&packing.number(*hash));
                    let age = tag.map(|tag| (recent.now + (1 << tag_bits) - tag) % (1 << tag_bits));
                    assert_eq!(answer, age.is_some_and(|age| age <= recent.most));
                }
                let before = map.len();
                map.retain(|_, tag| recent.has(tag_bits.into(), *tag));
                assert_eq!(level.sweep(&packing, &mut lines, recent), (before - map.len()) as u64);
                assert!(lines == written(&map).unwrap(), "level {i}");
                dropped += before - map.len();
                // Filled again for the next level.
                let mut scratch = Scratch::default();
                for _ in 0..most / 2 {
                    let (number, tag) =
                        (random(&mut state, fields.numbers), random(&mut state, 1 << tag_bits));
                    if !map.contains_key(&number)
                        && level.insert(&packing, &mut lines, number, tag, &mut scratch).is_ok()
                    {
                        map.insert(number, tag);
                    }
                }
                assert!(lines == written(&map).unwrap());
            }
        }
    }
    assert!(dropped > 3000 && pushed > 100, "{dropped} {pushed}");
}
