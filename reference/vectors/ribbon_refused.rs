//! The cases of `ribbon.json` in which a reader refuses a good file or a good embedded form with
//! some changed bytes.

use crate::changed::{Change, case, cases, file_of};
use crate::json::{Json, hex, list, object, plain};
use crate::kinds::{Good, SEAL, SECRET};
use crate::ribbon::{ADDED, FEW, NONE, PLAIN, SEALED, SECOND, TABLE, without_keys};
use tepal_reference::ribbon::embedded::{self, embed, extract, forged};
use tepal_reference::ribbon::read;

/// The bytes after the body of an embedded form.
pub(crate) fn trailer(embedded: &[u8]) -> Json {
    let end = embedded.len() - 16;
    hex(&embedded[end - usize::from(embedded[end + 1])..])
}

/// A change of the numbers of an embedded form, and of the 8 bytes after them.
pub(crate) type Forgery = fn((&mut Vec<u8>, &mut [u8]));

/// Changes of an embedded form: the file, the description, the change. `300 keys` ends with its
/// only layer, of four words.
const FORGERIES: &[(&str, &str, Forgery)] = &[
    (PLAIN, "a number of a byte more than it needs", |(numbers, _)| {
        *numbers.last_mut().unwrap() |= 0x80;
        numbers.push(0);
    }),
    (PLAIN, "a layer with seed 0", |(numbers, _)| {
        *numbers.last_mut().unwrap() |= 1;
        numbers.push(0);
    }),
    (PLAIN, "a layer of no words", |(numbers, _)| numbers.extend([1, 5])),
    (PLAIN, "nine layers", |(numbers, _)| numbers.extend([2; 8])),
    (PLAIN, "a second ribbon of which nothing is said", |(numbers, _)| numbers.push(0)),
    (PLAIN, "257 last slots", |(_, rest)| rest[4..6].copy_from_slice(&[1, 1])),
    (PLAIN, "no columns", |(_, rest)| rest[2] = 0),
    (FEW, "other keys than slots", |(numbers, _)| numbers[0] = 0),
    (SECOND, "a third ribbon", |(numbers, _)| numbers.push(0)),
    (SECOND, "a layer of the second ribbon with seed 0", |(numbers, _)| {
        // Its one layer has 2 * words in one byte.
        *numbers.last_mut().unwrap() |= 1;
        numbers.push(0);
    }),
    (SECOND, "more keys in the second ribbon", |(numbers, _)| {
        let at = of_second(numbers);
        numbers.splice(at..at + 2, embedded::number(2049));
    }),
    (SECOND, "no keys in the second ribbon", |(numbers, _)| {
        let at = of_second(numbers);
        numbers.splice(at..at + 2, [0]);
    }),
];

/// The place of the keys of the second ribbon: after the first 0 that is not the split, and after
/// T.
fn of_second(numbers: &[u8]) -> usize {
    let second = 3 + numbers[3..].iter().position(|byte| *byte == 0).unwrap();
    second + 2 + numbers[second + 1..].iter().position(|byte| *byte < 128).unwrap()
}

/// All forgeries; each is checked to be refused.
pub(crate) fn embedded_refused(good: &Good) -> Result<Json, String> {
    let mut cases = Vec::new();
    for &(name, what, change) in FORGERIES {
        let filter = read(file_of(good, name)?, None, None)?;
        let keys = without_keys(&filter);
        let forged = forged(&embed(&filter)?, &keys, &change)?;
        if extract(&forged, &keys).is_ok() {
            return Err(format!("{name}: {what}: not refused"));
        }
        cases.push(object([("of", plain(name)), ("what", plain(what)), ("trailer", trailer(&forged))]));
    }
    Ok(list(cases))
}

/// Offsets of fields.
const COLUMNS: usize = 35;
const DEEP: usize = 36;
const LAST_SEED: usize = 37;
const LAST: usize = 38;
const KEYS: usize = 40;
const SPLIT: usize = 48;
const SECTION: usize = 52;
const WORDS: usize = 72;
const SEEDS: usize = 104;
/// The offsets of the length field of a second ribbon's part, and of this part in files without
/// records.
const SECOND_LEN: usize = 52;
const PART: usize = 128;
/// The offset of the body of `SECOND`, and the offset of its 15 seeds, after 101 words of the first
/// ribbon.
const BODY_OF_SECOND: usize = 256;
const SEEDS_OF_SECOND: usize = BODY_OF_SECOND + 8 * 101;
/// The offset of the body in files without records.
const BODY: usize = 192;

/// The offset of the added keys of `ADDED`, after a body of 64 bytes.
const LIST: usize = BODY + 64;

/// `300 keys` has a layer of four words, with six or seven columns, and some last slots; `3 keys`
/// has three last slots of seven columns.
const CHANGES: &[Change] = &[
    (1, PLAIN, "kind 65535", &[(10, &[0xFF, 0xFF])]),
    (4, PLAIN, "required flag 1", &[(24, &[2])]),
    (4, PLAIN, "required flag 2", &[(24, &[4])]),
    (4, PLAIN, "scheme 0", &[(32, &[0])]),
    (4, PLAIN, "scheme 26", &[(32, &[26]), (64, &[0])]),
    (4, PLAIN, "scheme 3 with a seed", &[(32, &[3])]),
    (4, PLAIN, "scheme 4 without record 6", &[(32, &[4]), (64, &[0])]),
    (4, PLAIN, "key domain 0", &[(33, &[0])]),
    (4, PLAIN, "a number before the columns", &[(34, &[1])]),
    (4, PLAIN, "recipe with an unknown bit", &[(124, &[4])]),
    (4, PLAIN, "no columns", &[(COLUMNS, &[0, 0])]),
    (4, PLAIN, "33 columns", &[(COLUMNS, &[33, 33])]),
    (4, PLAIN, "32 columns, and 33 in some words", &[(COLUMNS, &[32, 32])]),
    (4, PLAIN, "later layers of a column less", &[(DEEP, &[5])]),
    (4, PLAIN, "later layers of two columns more", &[(DEEP, &[8])]),
    (4, PLAIN, "257 last slots", &[(LAST, &[1, 1])]),
    (4, PLAIN, "a seed of no last slots", &[(LAST_SEED, &[1, 0, 0])]),
    (4, PLAIN, "no keys", &[(KEYS, &[0; 8])]),
    (4, NONE, "one key nowhere", &[(KEYS, &[1])]),
    (4, PLAIN, "2^56 keys", &[(KEYS, &[0, 0, 0, 0, 0, 0, 0, 1])]),
    (4, ADDED, "2^64 - 1 keys, and 60 that were added", &[(KEYS, &[0xFF; 8])]),
    (4, PLAIN, "a split behind the end", &[(SPLIT, &[5])]),
    (4, PLAIN, "a byte behind the records", &[(SPLIT, &[0, 0, 0, 0, 1])]),
    (4, PLAIN, "8 bytes behind the records that are not there", &[(SECTION, &[8])]),
    (4, PLAIN, "16 bytes behind the records", &[(SECTION, &[16])]),
    (5, TABLE, "no bytes behind the records", &[(SECTION, &[0])]),
    (4, TABLE, "7 bytes behind the records", &[(SECTION, &[7])]),
    (4, TABLE, "fewer numbers than keys", &[(128, &[0x2B, 0])]),
    (4, TABLE, "no numbers", &[(128, &[0, 0])]),
    (4, TABLE, "2^56 numbers", &[(135, &[1])]),
    (4, PLAIN, "a layer of one word", &[(WORDS, &[1]), (SPLIT, &[0])]),
    (4, PLAIN, "a layer behind none", &[(WORDS + 8, &[2])]),
    (4, PLAIN, "a split within a bucket", &[(WORDS, &[30]), (SPLIT, &[3])]),
    (4, PLAIN, "shards that are not even", &[(WORDS, &[2, 8])]),
    (4, PLAIN, "shards of a part of a word", &[(WORDS, &[1, 8])]),
    (4, PLAIN, "a seed of no layer", &[(SEEDS + 1, &[1])]),
    (4, PLAIN, "rate 0", &[(56, &[0; 8])]),
    (4, PLAIN, "rate not a number", &[(56, &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F])]),
    (5, PLAIN, "a layer of many words", &[(WORDS, &[0, 0xFC, 0xFF, 0xFF])]),
    (5, PLAIN, "a layer more", &[(WORDS + 4, &[20])]),
    (5, PLAIN, "more columns", &[(COLUMNS, &[20, 20])]),
    (5, PLAIN, "required flag 0, and no seal", &[(24, &[1])]),
    (5, PLAIN, "padding before the header checksum not zero", &[(183, &[1])]),
    (6, PLAIN, "another self-test", &[(112, &[0xEE])]),
    (6, PLAIN, "another seed", &[(64, &[8])]),
    (7, PLAIN, "another chunk checksum", &[(128, &[0xEE])]),
    (7, FEW, "a bit behind the last slots", &[(BODY + 2, &[0x20])]),
    (7, FEW, "a bit in the last byte", &[(BODY + 63, &[0x80])]),
    (7, NONE, "a bit where there are no keys", &[(BODY, &[1])]),
    (4, PLAIN, "a part of a second ribbon that is not there", &[(SECOND_LEN, &[80])]),
    (4, SECOND, "79 bytes of a second ribbon's part", &[(SECOND_LEN, &[79])]),
    (4, SECOND, "a second ribbon behind one of other columns later", &[(DEEP, &[4])]),
    (4, SECOND, "a second ribbon behind 9 columns", &[(COLUMNS, &[9, 9])]),
    (4, SECOND, "a second ribbon behind a split", &[(SPLIT, &[2])]),
    (4, SECOND, "a second ribbon behind fine thresholds", &[(WORDS, &[29])]),
    (4, SECOND, "a second ribbon behind a seed", &[(SEEDS, &[1])]),
    (4, SECOND, "a second ribbon for nobody", &[(PART, &[0, 0])]),
    (4, SECOND, "a value in a second ribbon", &[(PART + 2, &[1])]),
    (4, SECOND, "a value of 255 bits in a second ribbon", &[(PART + 2, &[0xFF])]),
    (4, SECOND, "two columns in a second ribbon", &[(PART + 3, &[2, 2])]),
    (4, SECOND, "two columns in later layers of a second ribbon", &[(PART + 4, &[2])]),
    (4, SECOND, "257 last slots in a second ribbon", &[(PART + 6, &[1, 1])]),
    (4, SECOND, "no keys in a second ribbon", &[(PART + 8, &[0, 0])]),
    (4, SECOND, "more keys in the second ribbon", &[(PART + 8, &[1, 8])]),
    (4, SECOND, "a split in a second ribbon", &[(PART + 16, &[1])]),
    (4, SECOND, "a number before the words of a second ribbon", &[(PART + 39, &[1])]),
    (4, SECOND, "a layer of one word in a second ribbon", &[(PART + 40, &[1])]),
    (4, SECOND, "a seed of no layer of a second ribbon", &[(PART + 79, &[1])]),
    (7, SECOND, "a bit behind the second ribbon", &[(SEEDS_OF_SECOND + 16 + 8 * 16, &[1])]),
    (5, SECOND, "a larger second ribbon", &[(PART + 40, &[100])]),
    (7, SECOND, "a bit behind the last seed", &[(SEEDS_OF_SECOND + 15, &[1])]),
    (4, ADDED, "required flags 1 and 3", &[(24, &[10])]),
    (5, ADDED, "added keys, and no flag", &[(24, &[0])]),
    (5, PLAIN, "required flag 3, and no added keys", &[(24, &[8])]),
];

/// All cases; each is checked to be refused.
pub(crate) fn refused(good: &Good) -> Result<Json, String> {
    let mut cases = cases(good, read, CHANGES)?;
    let case =
        |step, name, what, edits: &[(usize, &[u8])], keys| case(good, read, (step, name, what), edits, keys);
    let (secret, seal) = (Some(&SECRET), Some(SEAL));
    cases.push(case(6, SEALED, "secret key not given", &[], (None, seal))?);
    cases.push(case(6, SEALED, "wrong secret key", &[], (Some(&[0; 16]), seal))?);
    cases.push(case(6, SEALED, "seal key not given", &[], (secret, None))?);
    cases.push(case(8, SEALED, "another seal key", &[], (secret, Some(b"the key of that seal")))?);
    cases.push(case(8, SEALED, "sealed, keys changed", &[(KEYS, &[41])], (secret, seal))?);
    cases.push(case(7, ADDED, "another added key", &[(LIST, &[0xEE])], (None, None))?);
    cases.push(case(6, PLAIN, "secret key for a file without one", &[], (secret, None))?);
    cases.push(case(6, PLAIN, "seal key for a file without a seal", &[], (None, seal))?);
    Ok(list(cases))
}
