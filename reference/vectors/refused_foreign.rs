//! What a reader refuses of schemes 3 and 16 to 28, for `refused.json`.

use crate::refused::{mend_body, mend_header};
use crate::schemes::VALKEY_SEEDS;
use tepal_reference::bits::Layout;
use tepal_reference::decode::decode;
use tepal_reference::encode::encode;
use tepal_reference::filter::Filter;
use tepal_reference::hash::Scheme;
use tepal_reference::key::{Domain, Key};
use tepal_reference::schemes::{Md5Split, Own};

/// The step that refuses a file, what it is, the file, the secret key it is opened with.
pub(crate) type Refusal = (u32, &'static str, Vec<u8>, Option<[u8; 16]>);

/// A change: (step that refuses it, what it is, offsets and new bytes). The header checksum is mended.
type Change = (u32, &'static str, &'static [(usize, &'static [u8])]);

/// Offsets of the fields that are changed.
const LAYOUT: usize = 32;
const SCHEME: usize = 33;
const K: usize = 36;
const M: usize = 40;
const PARAMETERS: usize = 64;

/// A bit_len of 2^32, 64 · 2^31 and 2^46 + 64, as bytes.
const TWO_TO_32: &[u8] = &[0, 0, 0, 0, 1, 0, 0, 0];
const TWO_TO_37: &[u8] = &[0, 0, 0, 0, 0x20, 0, 0, 0];
const TOO_MANY: &[u8] = &[64, 0, 0, 0, 0, 0x40, 0, 0];

/// Changes to a file of scheme 17 (`md5-split`), parameters 1, k = 7, m = 2003.
const SPLIT: &[Change] = &[
    (4, "md5-split with layout line", &[(LAYOUT, &[1])]),
    (4, "md5-split with layout double", &[(LAYOUT, &[2])]),
    (4, "md5-split with layout split-block", &[(LAYOUT, &[3])]),
    (4, "md5-split with an unknown parameter bit", &[(PARAMETERS, &[8])]),
    (4, "md5-split with the highest parameter bit", &[(PARAMETERS + 7, &[0x80])]),
    (6, "md5-split with other parameters", &[(PARAMETERS, &[3])]),
    (4, "md5-split with k = 0", &[(K, &[0])]),
    (4, "md5-split with k = 65536", &[(K, &[0, 0, 1, 0])]),
    (6, "md5-split with another k", &[(K, &[8])]),
    (4, "md5-split without bits", &[(M, &[0; 8])]),
    (4, "md5-split with more than 2^46 bits", &[(M, TOO_MANY)]),
    (6, "md5-split with one bit less", &[(M, &[0xD2])]),
    (5, "md5-split with a line more", &[(M, &[0xD3, 9])]),
    (4, "scheme 1 with a bit_len that is not in whole words", &[(SCHEME, &[1])]),
    (4, "scheme 3 with a parameter", &[(SCHEME, &[3]), (M, &[64, 7])]),
    (4, "md5-presets with 2^31 bits", &[(SCHEME, &[16]), (PARAMETERS, &[0]), (M, &[0, 0, 0, 0x80])]),
    (4, "bkdr7 with other than 2^25 bits", &[(SCHEME, &[18]), (PARAMETERS, &[0])]),
    (4, "bkdr7 with k = 6", &[(SCHEME, &[18]), (PARAMETERS, &[0]), (K, &[6]), (M, &[0, 0, 0, 2])]),
    (5, "bkdr7 without its body", &[(SCHEME, &[18]), (PARAMETERS, &[0]), (M, &[0, 0, 0, 2])]),
    (4, "fnv-crc with k = 7", &[(SCHEME, &[19]), (PARAMETERS, &[0])]),
    (4, "fnv-crc with 2^32 bits", &[(SCHEME, &[19]), (PARAMETERS, &[0]), (K, &[3]), (M, TWO_TO_32)]),
    (4, "sha384 with k = 11", &[(SCHEME, &[20]), (PARAMETERS, &[0]), (K, &[11]), (M, &[0, 8])]),
    (4, "sha384 with other than a power of two", &[(SCHEME, &[20]), (PARAMETERS, &[0]), (K, &[12])]),
    (4, "sha384 with 2^37 bits", &[(SCHEME, &[20]), (PARAMETERS, &[0]), (K, &[12]), (M, TWO_TO_37)]),
    (4, "guava-mitz32 with part of a word", &[(SCHEME, &[21]), (PARAMETERS, &[0])]),
    (4, "guava-mitz64 with part of a word", &[(SCHEME, &[22]), (PARAMETERS, &[0])]),
    (4, "guava-mitz64 with 2^31 words", &[(SCHEME, &[22]), (PARAMETERS, &[0]), (M, TWO_TO_37)]),
    (4, "spark-v1 with part of a word", &[(SCHEME, &[23]), (PARAMETERS, &[0])]),
    (4, "spark-v1 with 2^31 words", &[(SCHEME, &[23]), (PARAMETERS, &[0]), (M, TWO_TO_37)]),
    (4, "spark-v2 with a seed of 33 bits", &[(SCHEME, &[24]), (PARAMETERS + 4, &[1]), (M, &[0xC0])]),
    (4, "bits-and-blooms with a parameter", &[(SCHEME, &[25])]),
    (4, "dcso with a parameter", &[(SCHEME, &[26])]),
    (4, "redisbloom with part of a byte", &[(SCHEME, &[27]), (PARAMETERS, &[0])]),
    (4, "valkey-bloom without its seed", &[(SCHEME, &[28]), (PARAMETERS, &[0]), (M, &[0xD0])]),
];

/// Changes to a file of scheme 28 (`valkey-bloom`), k = 6, m = 408, whose only record is its seed: tag at 128,
/// length at 132, digits at 136 to 199.
const VALKEY: &[Change] = &[
    (4, "valkey-bloom with part of a byte", &[(M, &[0x9C])]),
    (4, "valkey-bloom with a parameter", &[(PARAMETERS, &[1])]),
    (4, "valkey-bloom with its seed under another tag", &[(128, &[4])]),
    (4, "valkey-bloom with its seed in a record that is ignored", &[(128, &[5, 0x80])]),
    (4, "valkey-bloom with a seed of 63 digits", &[(132, &[63]), (199, &[0])]),
    (4, "valkey-bloom with a seed that is not hexadecimal", &[(140, b"g")]),
    (4, "valkey-bloom with a capital letter in its seed", &[(139, b"F")]),
    (6, "valkey-bloom with another seed", &[(136, b"6")]),
    (4, "redisbloom with a seed", &[(SCHEME, &[27])]),
    (4, "scheme 1 with a seed record", &[(SCHEME, &[1]), (M, &[0xC0])]),
    (4, "scheme 3 with a seed record", &[(SCHEME, &[3]), (M, &[0xC0])]),
];

/// All of them.
pub(crate) fn foreign_cases() -> Result<Vec<Refusal>, String> {
    let rule = Md5Split { little_endian: true, from_zero: false, wrapping: false };
    let split = good(7, 2003, Own::Md5Split(rule))?;
    let valkey = good(6, 408, Own::ValkeyBloom { seed: VALKEY_SEEDS[0] })?;
    let mut cases = Vec::new();
    for (file, changes) in [(&split, SPLIT), (&valkey, VALKEY)] {
        decode(file, None)?;
        for &(step, name, edits) in changes {
            cases.push((step, name, changed(file, edits), None));
        }
    }

    // Bits 2003 to 2007 are in the last byte that has bits of the filter, and the others of it are in use.
    let mut beyond = split.clone();
    let body = body_offset(&split);
    beyond[body + 250] |= 0x08;
    mend_body(&mut beyond, 128, body);
    cases.push((7, "md5-split with a bit beyond bit_len", beyond, None));
    cases.push((6, "secret key for md5-split", split, Some([7; 16])));
    Ok(cases)
}

/// A file without labels, with three keys.
fn good(k: u32, m: u64, own: Own) -> Result<Vec<u8>, String> {
    let mut filter = Filter::new(Layout::Scattered, k, m, Scheme::Own(own), Domain::Bytes)?;
    filter.capacity = 100;
    for key in ["petal", "sepal", "tepal"] {
        filter.insert(Key::Bytes(key.as_bytes()))?;
    }
    encode(&filter)
}

/// The file with some bytes changed and the header checksum mended.
fn changed(file: &[u8], edits: &[(usize, &[u8])]) -> Vec<u8> {
    let mut file = file.to_vec();
    for (at, bytes) in edits {
        file[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    let body = body_offset(&file);
    mend_header(&mut file, body);
    file
}

fn body_offset(file: &[u8]) -> usize {
    u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize
}
