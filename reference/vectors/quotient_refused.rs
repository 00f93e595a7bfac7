//! The cases of `quotient.json` in which a reader refuses a good file with some changed bytes.

use crate::changed::{Change, case, cases, file_of};
use crate::json::{Json, list};
use crate::kinds::{Good, SEAL, SECRET, u32_at};
use crate::quotient::{COPIES, COUNTED, LINES, PLAIN, SEALED};
use tepal_reference::quotient::read;
use tepal_reference::table::{Shape, Slot, encode};
use tepal_reference::write::body;

const MOST: &[u8] = &[0xFF; 8];
const ONE: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F];
const NAN: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F];

/// Offsets of fields.
const TAG: usize = 35;
const R: usize = 36;
const B: usize = 37;
const S: usize = 38;
const V: usize = 39;
const U: usize = 40;
const HELD: usize = 72;
const SLOTS: usize = 80;
const DIFFERENT: usize = 88;
const SPARE: usize = 96;
/// The offset of the lines in files without records.
const BODY: usize = 192;

/// `plain` has the shape U = 5056, r = 6, v = 0, B = 79, S = 59 on one line and holds six keys,
/// four of them different; `counts` has v = 4 and holds 26 keys.
const CHANGES: &[Change] = &[
    (1, PLAIN, "kind 65535", &[(10, &[0xFF, 0xFF])]),
    (4, PLAIN, "required flag 1", &[(24, &[2])]),
    (4, PLAIN, "required flag 31", &[(27, &[0x80])]),
    (4, PLAIN, "scheme 0", &[(32, &[0])]),
    (4, PLAIN, "scheme 5", &[(32, &[5])]),
    (4, PLAIN, "scheme 26", &[(32, &[26]), (64, &[0])]),
    (4, PLAIN, "scheme 3 with a seed", &[(32, &[3])]),
    (4, PLAIN, "scheme 4 without record 6", &[(32, &[4]), (64, &[0])]),
    (4, PLAIN, "key domain 0", &[(33, &[0])]),
    (4, PLAIN, "key domain 8", &[(33, &[8])]),
    (4, PLAIN, "policy 0", &[(34, &[0])]),
    (4, PLAIN, "policy 4", &[(34, &[4])]),
    (4, PLAIN, "recipe with an unknown bit", &[(124, &[4])]),
    (4, PLAIN, "a record where there is none", &[(120, &[8, 0, 0, 0])]),
    (4, PLAIN, "tag 1 without bits", &[(TAG, &[1])]),
    (4, PLAIN, "tag 2", &[(TAG, &[2])]),
    (4, COUNTED, "tag 0 with bits", &[(TAG, &[0])]),
    (4, COUNTED, "tag 1 of three bits", &[(V, &[3])]),
    (4, COUNTED, "tag 1 of 16 bits, too many for a line", &[(V, &[16])]),
    (4, COUNTED, "tag 1 of 32 bits", &[(V, &[32]), (S, &[8])]),
    (4, PLAIN, "r = 0", &[(R, &[0])]),
    (4, PLAIN, "r = 41", &[(R, &[41]), (S, &[8])]),
    (4, PLAIN, "r = 255", &[(R, &[255])]),
    (4, PLAIN, "B = 7", &[(B, &[7])]),
    (4, PLAIN, "B = 151", &[(B, &[151]), (S, &[8])]),
    (4, PLAIN, "B = 0", &[(B, &[0])]),
    (4, PLAIN, "S = 0", &[(S, &[0])]),
    (4, PLAIN, "S = 255", &[(S, &[255])]),
    (4, PLAIN, "one slot too many for a line", &[(S, &[60])]),
    (4, PLAIN, "M = 193", &[(B, &[140]), (S, &[45]), (R, &[1])]),
    (4, PLAIN, "U = 0", &[(U, &[0; 8])]),
    (4, PLAIN, "U = 2^56", &[(U, &[0, 0, 0, 0, 0, 0, 0, 1])]),
    (4, PLAIN, "U = 2^64-1", &[(U, MOST)]),
    (
        4,
        COUNTED,
        "U = 2^48 + 1 with tags of 16 bits",
        &[(R, &[40]), (S, &[7]), (V, &[16]), (U, &[1, 0, 0, 0, 0, 0, 1, 0])],
    ),
    (4, PLAIN, "65 spare lines", &[(SPARE, &[65])]),
    (4, PLAIN, "2^32-1 spare lines", &[(SPARE, &[0xFF; 4])]),
    (4, PLAIN, "more than 2^37 lines", &[(U, &[0, 0, 0, 0, 0, 0, 4])]),
    (5, PLAIN, "2^36 lines and more", &[(U, &[0, 0, 0, 0, 0, 0, 2])]),
    (4, PLAIN, "removal 2", &[(100, &[2])]),
    (4, PLAIN, "something behind the removal", &[(101, &[1])]),
    (4, PLAIN, "something before the self-test", &[(111, &[0x80])]),
    (4, PLAIN, "capacity 0", &[(48, &[0; 8])]),
    (4, PLAIN, "rate 0", &[(56, &[0; 8])]),
    (4, PLAIN, "rate 1", &[(56, ONE)]),
    (4, PLAIN, "rate not a number", &[(56, NAN)]),
    (4, PLAIN, "more slots than the lines have", &[(SLOTS, &[60]), (HELD, &[60])]),
    (4, PLAIN, "2^64-1 slots", &[(SLOTS, MOST), (HELD, MOST)]),
    (4, PLAIN, "more different numbers than slots", &[(DIFFERENT, &[7])]),
    (4, PLAIN, "fewer keys than slots", &[(HELD, &[5])]),
    (4, PLAIN, "more keys than slots without tags", &[(HELD, &[7])]),
    (4, COUNTED, "more keys than slots can count", &[(HELD, &[0x71, 1])]),
    (4, COUNTED, "2^64-1 keys", &[(HELD, MOST)]),
    (
        5,
        COUNTED,
        "U = 2^48 with tags of 16 bits",
        &[(R, &[40]), (S, &[7]), (V, &[16]), (U, &[0, 0, 0, 0, 0, 0, 1, 0])],
    ),
    (5, PLAIN, "a spare line more", &[(SPARE, &[1])]),
    (5, PLAIN, "U of two lines", &[(U, &[0, 32])]),
    (5, PLAIN, "r of two lines", &[(R, &[5])]),
    (5, PLAIN, "B of two lines", &[(B, &[78])]),
    (5, PLAIN, "required flag 0, and no seal", &[(24, &[1])]),
    (5, PLAIN, "padding before the header checksum not zero", &[(183, &[1])]),
    (6, PLAIN, "another self-test", &[(112, &[0xEE])]),
    (6, PLAIN, "another seed", &[(64, &[8])]),
    (6, PLAIN, "another scheme", &[(32, &[3]), (64, &[0])]),
    (7, PLAIN, "another chunk checksum", &[(128, &[0xEE])]),
    (7, PLAIN, "another r", &[(R, &[7]), (S, &[51])]),
    (7, PLAIN, "another B", &[(B, &[80])]),
    (7, PLAIN, "another S", &[(S, &[50])]),
    (7, PLAIN, "a U that is too small", &[(U, &[1, 0])]),
    (7, PLAIN, "fewer different numbers", &[(DIFFERENT, &[3])]),
    (7, PLAIN, "a slot and a key too many", &[(SLOTS, &[7]), (HELD, &[7])]),
    (7, PLAIN, "no keys at all", &[(SLOTS, &[0]), (HELD, &[0]), (DIFFERENT, &[0])]),
    (7, COUNTED, "a key less", &[(HELD, &[25])]),
    (7, COUNTED, "a slot less", &[(SLOTS, &[22]), (DIFFERENT, &[22])]),
];

/// The fields of a shape in a file's header.
fn shape(file: &[u8]) -> Shape {
    Shape {
        numbers: u64_at(file, U),
        rem_bits: u32::from(file[R]),
        tag_bits: u32::from(file[V]),
        buckets: u64::from(file[B]),
        slots: u64::from(file[S]),
        spare: u64::from(file[SPARE]),
    }
}

/// A change of the lines of a file without records: the description, the file, offsets and new
/// bytes.
type BodyChange = (&'static str, &'static str, Vec<(usize, Vec<u8>)>);

/// Lines that no slots give, or lines of slots that a filter cannot hold.
fn body_changes(good: &Good) -> Result<Vec<BodyChange>, String> {
    let mut changes = Vec::new();
    let bytes = |name: &str| Ok::<_, String>(file_of(good, name)?.to_vec());
    let mut flip = |what: &'static str, name: &'static str, bits: &[u64]| -> Result<(), String> {
        let mut file = bytes(name)?;
        let edits = bits.iter().map(|&bit| BODY + bit as usize / 8).collect::<Vec<_>>();
        for &bit in bits {
            file[BODY + bit as usize / 8] ^= 1 << (bit % 8);
        }
        changes.push((what, name, edits.iter().map(|&at| (at, vec![file[at]])).collect()));
        Ok(())
    };
    let one = shape(file_of(good, PLAIN)?);
    let slots_at = one.meta();
    let end = slots_at + one.slots * u64::from(one.width());
    flip("d of the first line 1", PLAIN, &[502])?;
    flip("d of the first line 512", PLAIN, &[511])?;
    flip("a bit of a slot that is not used", PLAIN, &[end - 1])?;
    flip("a bit between the slots and d", PLAIN, &[501])?;
    flip("a slot before the first bucket", PLAIN, &[0])?;
    flip("the last bit of meta set", PLAIN, &[slots_at - 1])?;
    let lines = shape(file_of(good, LINES)?);
    flip("a d that is larger by one", LINES, &[512 + 502])?;
    flip(
        "a d of 1,023",
        LINES,
        &[
            512 + 502,
            512 + 503,
            512 + 504,
            512 + 505,
            512 + 506,
            512 + 507,
            512 + 508,
            512 + 509,
            512 + 510,
            512 + 511,
        ],
    )?;
    flip("a 0 among the 1s that fill meta up", LINES, &[lines.meta() - 1])?;
    flip("d of the last line 1", LINES, &[512 * (lines.lines() - 1) + 502])?;
    flip("a 1 in the meta of the last line", LINES, &[512 * (lines.lines() - 1) + 20])?;

    // Other slots, with matching counts in the header.
    let mut other = |what: &'static str,
                     name: &'static str,
                     slots: &[Slot],
                     held: u64,
                     different: u64|
     -> Result<(), String> {
        let file = bytes(name)?;
        let lines = body(&encode(&shape(&file), slots)?);
        let mut edits = vec![
            (HELD, held.to_le_bytes().to_vec()),
            (SLOTS, (slots.len() as u64).to_le_bytes().to_vec()),
            (DIFFERENT, different.to_le_bytes().to_vec()),
        ];
        for (i, line) in lines.chunks(64).enumerate() {
            edits.push((BODY + 64 * i, line.to_vec()));
        }
        changes.push((what, name, edits));
        Ok(())
    };
    let counted = shape(file_of(good, COUNTED)?);
    other("65 slots of one number", COPIES, &[(5, 0); 65], 65, 1)?;
    other("two slots that one would do for", COUNTED, &[(9, 2), (9, 2)], 6, 1)?;
    other("three slots, the second not full", COUNTED, &[(9, 2), (9, 3), (9, 15)], 23, 1)?;
    other("a number past the last one", COUNTED, &[(counted.numbers, 0)], 1, 1)?;

    // Two slots of one bucket change places. `plain` has three slots of one number, so other slots
    // are made first.
    let mut swapped = body(&encode(&one, &[(1, 0), (2, 0)])?);
    let value = |bytes: &mut Vec<u8>, i: u64, value: u64| {
        for bit in 0..u64::from(one.width()) {
            let at = slots_at + i * u64::from(one.width()) + bit;
            bytes[at as usize / 8] &= !(1 << (at % 8));
            bytes[at as usize / 8] |= ((value >> bit & 1) as u8) << (at % 8);
        }
    };
    value(&mut swapped, 0, 2);
    value(&mut swapped, 1, 1);
    let counts = |n: u64| n.to_le_bytes().to_vec();
    changes.push((
        "two slots of a bucket in the wrong order",
        PLAIN,
        vec![(HELD, counts(2)), (SLOTS, counts(2)), (DIFFERENT, counts(2)), (BODY, swapped)],
    ));
    Ok(changes)
}

/// All cases; each is checked to be refused.
pub(crate) fn refused(good: &Good) -> Result<Json, String> {
    let mut cases = cases(good, read, CHANGES)?;
    let case = |of, edits: &[(usize, Vec<u8>)], keys| case(good, read, of, edits, keys);
    for (what, name, edits) in body_changes(good)? {
        cases.push(case((7, name, what), &edits, (None, None))?);
    }
    let (secret, seal) = (Some(&SECRET), Some(SEAL));
    for (step, what, edits, keys) in [
        (6, "secret key not given", vec![], (None, seal)),
        (6, "wrong secret key", vec![], (Some(&[0; 16]), seal)),
        (6, "seal key not given", vec![], (secret, None)),
        (8, "another seal key", vec![], (secret, Some(&b"the key of that seal"[..]))),
        (8, "sealed, capacity changed", vec![(48, vec![41])], (secret, seal)),
        (6, "sealed, another key check", vec![(64, vec![0])], (secret, seal)),
    ] {
        cases.push(case((step, SEALED, what), &edits, keys)?);
    }
    cases.push(case((6, PLAIN, "secret key for a file without one"), &[], (secret, None))?);
    cases.push(case((6, PLAIN, "seal key for a file without a seal"), &[], (None, seal))?);
    Ok(list(cases))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
