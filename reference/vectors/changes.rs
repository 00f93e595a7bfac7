//! The cases of `refused.json` that are a good file with some bytes changed.

/// A change: (step that refuses it, description, offsets and new bytes). The header checksum is
/// corrected.
pub(crate) type Change = (u32, &'static str, &'static [(usize, &'static [u8])]);

const NAN: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F];
const INFINITY: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF0, 0x7F];
const ONE: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F];
const MINUS_ZERO: &[u8] = &[0, 0, 0, 0, 0, 0, 0, 0x80];
const MOST: &[u8] = &[0xFF; 8];

/// Changes to a file of layout line: 3 lines, k = 6, one record `name` of 5 bytes at 128, chunk
/// table at 144, zero bytes from 152, header checksum at 184, body at 192.
pub(crate) const LINE: &[Change] = &[
    (1, "magic of another case", &[(1, b"t")]),
    (1, "version 0", &[(8, &[0, 0])]),
    (1, "version 2", &[(8, &[2, 0])]),
    (1, "kind 0", &[(10, &[0, 0])]),
    (1, "kind 65535", &[(10, &[0xFF, 0xFF])]),
    (2, "body_offset 0", &[(12, &[0, 0, 0, 0])]),
    (2, "body_offset 128", &[(12, &[128, 0, 0, 0])]),
    (2, "body_offset 200", &[(12, &[200, 0, 0, 0])]),
    (2, "body_offset beyond the file", &[(12, &[0, 2, 0, 0])]),
    (2, "body_offset 2^31 + 64", &[(12, &[64, 0, 0, 0x80])]),
    (2, "file_len one too small", &[(16, &[0x7F, 1])]),
    (2, "file_len 2^64-1", &[(16, MOST)]),
    (5, "required flag 0, and no seal", &[(24, &[1])]),
    (5, "required flag 1, and no exceptions", &[(24, &[2])]),
    (4, "required flags 0 and 2", &[(24, &[5])]),
    (4, "required flag 31", &[(27, &[0x80])]),
    (4, "recipe with an unknown bit", &[(124, &[4])]),
    (4, "records_len not a multiple of 8", &[(120, &[15, 0, 0, 0])]),
    (4, "records_len beyond the body", &[(120, &[0, 1, 0, 0])]),
    (4, "records_len 2^32-8", &[(120, &[0xF8, 0xFF, 0xFF, 0xFF])]),
    (4, "record with tag 0", &[(128, &[0, 0])]),
    (4, "record with tag 5 in scheme 1", &[(128, &[5, 0])]),
    (4, "record with tag 6 in scheme 1", &[(128, &[6, 0])]),
    (4, "record with tag 7 without tag 4", &[(128, &[7, 0])]),
    (4, "record with tag 8", &[(128, &[8, 0])]),
    (4, "record with tag 7FFF", &[(128, &[0xFF, 0x7F])]),
    (4, "record with something after its tag", &[(130, &[1])]),
    (4, "record of length 0", &[(132, &[0])]),
    (4, "record longer than the records", &[(132, &[9])]),
    (4, "record of 2^32-1 bytes", &[(132, &[0xFF; 4])]),
    (4, "record with a line feed", &[(137, b"\n")]),
    (4, "record with a delete character", &[(137, &[0x7F])]),
    (4, "record that is not UTF-8", &[(137, &[0xFF])]),
    (4, "record with padding that is not zero", &[(143, &[1])]),
    (4, "record with padding that is not zero at once", &[(141, &[0x80])]),
    (4, "layout 0", &[(32, &[0])]),
    (4, "layout 5", &[(32, &[5])]),
    (4, "layout split-block with k = 6", &[(32, &[3])]),
    (4, "scheme 0", &[(33, &[0])]),
    (4, "scheme 4 without record 6", &[(33, &[4])]),
    (4, "scheme 5", &[(33, &[5])]),
    (4, "scheme 15", &[(33, &[15])]),
    (4, "scheme 29", &[(33, &[29])]),
    (4, "scheme 255", &[(33, &[255])]),
    (4, "key domain 0", &[(34, &[0])]),
    (4, "key domain 8", &[(34, &[8])]),
    (4, "policy 0", &[(35, &[0])]),
    (4, "policy 4", &[(35, &[4])]),
    (4, "k = 0", &[(36, &[0, 0, 0, 0])]),
    (4, "k = 17", &[(36, &[17, 0, 0, 0])]),
    (4, "k = 2^32-1", &[(36, &[0xFF; 4])]),
    (4, "bit_len 0", &[(40, &[0; 8])]),
    (4, "bit_len not in whole lines", &[(40, &[64, 6])]),
    (4, "bit_len 2^64-1", &[(40, MOST)]),
    (4, "capacity 0", &[(48, &[0; 8])]),
    (4, "rate 0", &[(56, &[0; 8])]),
    (4, "rate -0.0", &[(56, MINUS_ZERO)]),
    (4, "rate 1", &[(56, ONE)]),
    (4, "rate infinite", &[(56, INFINITY)]),
    (4, "rate not a number", &[(56, NAN)]),
    (4, "more set bits than bits", &[(80, &[1, 6])]),
    (4, "set bits 2^64-1", &[(80, MOST)]),
    (5, "bit_len of another size", &[(40, &[0, 4])]),
    (5, "bit_len 2^46", &[(40, &[0, 0, 0, 0, 0, 0x40, 0, 0])]),
    (4, "bit_len 2^46 + 512", &[(40, &[0, 2, 0, 0, 0, 0x40, 0, 0])]),
    (4, "bit_len 2^63", &[(40, &[0, 0, 0, 0, 0, 0, 0, 0x80])]),
    (4, "bit_len 2^64-512", &[(40, &[0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]),
    (5, "padding before the header checksum not zero", &[(183, &[1])]),
    (6, "another seed", &[(64, &[1])]),
    (6, "another scheme", &[(33, &[3])]),
    (6, "another layout", &[(32, &[4])]),
    (6, "another k", &[(36, &[7])]),
    (6, "another self-test", &[(112, &[0xFF])]),
    (7, "another chunk checksum", &[(144, &[0xEE])]),
    (7, "another number of set bits", &[(80, &[0, 0])]),
];

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
pub(crate) const SPLIT: &[Change] = &[
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

/// Changes to a file of scheme 28 (`valkey-bloom`), k = 6, m = 408, whose only record is its seed:
/// tag at 128, length at 132, digits at 136 to 199.
pub(crate) const VALKEY: &[Change] = &[
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

/// Changes to a file of scheme 4 (`caller-hash`), layout line, k = 6, one line, whose only record
/// is the name of the hash, of 8 bytes: tag at 128, length at 132.
pub(crate) const CALLER: &[Change] = &[
    (4, "caller-hash with a parameter", &[(PARAMETERS, &[1])]),
    (4, "caller-hash with the highest bit of a parameter", &[(PARAMETERS + 7, &[0x80])]),
    (4, "caller-hash with its name under another tag", &[(128, &[4])]),
    (4, "caller-hash with a seed record", &[(128, &[5])]),
    (4, "caller-hash with its name in a record that is ignored", &[(128, &[6, 0x80])]),
    (4, "caller-hash with a control character in its name", &[(137, b"\n")]),
    (4, "scheme 1 with the name of a hash", &[(SCHEME, &[1])]),
    (4, "scheme 3 with the name of a hash", &[(SCHEME, &[3])]),
    (4, "caller-hash with k = 17", &[(K, &[17])]),
    (4, "caller-hash with part of a line", &[(M, &[64, 2])]),
    (6, "caller-hash with another k", &[(K, &[7])]),
    (6, "caller-hash with another layout", &[(LAYOUT, &[4])]),
];
