//! Compares the hashes of sections 1.3 and 1.4 with published values.

use tepal_reference::bits::LINE;
use tepal_reference::filter::Filter;
use tepal_reference::hash::{MURMUR64A_M, crc32, fnv1_64, fnv1a_32, murmur3_x64_128, murmur64a};
use tepal_reference::hash::{siphash, siphash13, spark_murmur3_32, xxh3, xxh64};
use tepal_reference::write::write;

/// The input of xxHash's own sanity check.
fn sanity_buffer(len: usize) -> Vec<u8> {
    let mut generator: u64 = 2654435761;
    let mut buffer = Vec::new();
    for _ in 0..len {
        buffer.push((generator >> 56) as u8);
        generator = generator.wrapping_mul(0x9E3779B185EBCA8D);
    }
    buffer
}

#[test]
fn xxh3_check_values() {
    const PRIME64: u64 = 0x9E3779B185EBCA8D;
    // From xxHash v0.8.3, cli/xsum_sanity_check.c.
    let expected: [(usize, u64, u64); 14] = [
        (0, 0, 0x2D06800538D394C2),
        (0, PRIME64, 0xA8A6B918B2F0364A),
        (1, 0, 0xC44BDFF4074EECDB),
        (1, PRIME64, 0x032BE332DD766EF8),
        (6, 0, 0x27B56A84CD2D7325),
        (6, PRIME64, 0x84589C116AB59AB9),
        (12, 0, 0xA713DAF0DFBB77E7),
        (12, PRIME64, 0xE7303E1B2336DE0E),
        (24, 0, 0xA3FE70BF9D3510EB),
        (24, PRIME64, 0x850E80FC35BDD690),
        (80, 0, 0xBCDEFBBB2C47C90A),
        (80, PRIME64, 0xC6DD0CB699532E73),
        (195, 0, 0xCD94217EE362EC3A),
        (195, PRIME64, 0xBA68003D370CB3D9),
    ];
    for (len, seed, hash) in expected {
        assert_eq!(xxh3(&sanity_buffer(len), seed), hash, "length {len}, seed {seed:#x}");
    }
}

#[test]
fn xxh64_check_values() {
    // From xxHash v0.8.3, cli/xsum_sanity_check.c, and two short texts.
    for (len, hash) in [
        (0, 0xEF46DB3751D8E999),
        (1, 0xE934A84ADB052768),
        (4, 0x9136A0DCA57457EE),
        (14, 0x8282DCC4994E35C8),
        (222, 0xB641AE8CB691C174),
    ] {
        assert_eq!(xxh64(&sanity_buffer(len)), hash, "length {len}");
    }
    assert_eq!(xxh64(b"hello"), 0x26c7827d889f6da3);
}

#[test]
fn the_field_at_offset_64_is_the_seed_or_a_check_of_the_key() {
    let mut filter = Filter::new(LINE, 1, 6, 512);
    filter.parameter = 77;
    assert_eq!(write(&filter, None).unwrap()[64..72], 77u64.to_le_bytes());
    (filter.scheme, filter.secret) = (2, [9; 16]);
    assert!(write(&filter, None).is_err());
    filter.parameter = siphash13(&[9; 16], b"tepal key check");
    assert_eq!(write(&filter, None).unwrap()[64..72], filter.parameter.to_le_bytes());
}

/// The key of all published check values: the bytes 00 to 0f.
const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

#[test]
fn siphash_1_3_check_values() {
    // Inputs of 0, 1, 2, ... bytes: 00, 00 01, ...; the first, and those around whole words.
    let expected: [(usize, [u8; 8]); 8] = [
        (0, [0xdc, 0xc4, 0x0f, 0x05, 0x58, 0x01, 0xac, 0xab]),
        (1, [0x93, 0xca, 0x57, 0x7d, 0xf3, 0x9b, 0xf4, 0xc9]),
        (7, [0x40, 0x11, 0xb1, 0x9b, 0x98, 0x7d, 0x92, 0xd3]),
        (8, [0x8e, 0x9a, 0x29, 0x8d, 0x11, 0x95, 0x90, 0x36]),
        (9, [0xe4, 0x3d, 0x06, 0x6c, 0xb3, 0x8e, 0xa4, 0x25]),
        (15, [0x56, 0x99, 0x51, 0x2a, 0x6d, 0xd8, 0x20, 0xd3]),
        (16, [0x66, 0x8b, 0x90, 0x7d, 0x1a, 0xdd, 0x4f, 0xcc]),
        (63, [0xa8, 0xb3, 0xbb, 0xb7, 0x62, 0x90, 0x19, 0x9d]),
    ];
    for (len, bytes) in expected {
        let input: Vec<u8> = (0..len as u8).collect();
        assert_eq!(siphash13(&KEY, &input), u64::from_le_bytes(bytes), "length {len}");
    }
    assert_eq!(siphash13(&KEY, b"hello"), 0xb6be2b8cd61385b7);
}

#[test]
fn siphash_2_4_of_the_paper() {
    // Appendix A of the SipHash paper: 15 bytes 00 to 0e.
    let input: Vec<u8> = (0..15).collect();
    assert_eq!(siphash(2, 4, &KEY, &input), 0xa129ca6149be45e5);
}

#[test]
fn fnv_and_crc_check_values() {
    // Noll's test vectors of FNV for "", "a" and "foobar".
    assert_eq!(fnv1_64(b""), 0xcbf29ce484222325);
    assert_eq!(fnv1_64(b"a"), 0xaf63bd4c8601b7be);
    assert_eq!(fnv1_64(b"foobar"), 0x340d8765a4dda9c2);
    assert_eq!(fnv1_64(b"hello"), 0x7b495389bdbdd4c7);
    assert_eq!(fnv1a_32(b""), 0x811c9dc5);
    assert_eq!(fnv1a_32(b"a"), 0xe40c292c);
    assert_eq!(fnv1a_32(b"foobar"), 0xbf9cf968);
    assert_eq!(fnv1a_32(b"apple"), 0x10bc2abf);
    // The check value of every list of CRCs.
    assert_eq!(crc32(b"123456789"), 0xcbf43926);
    assert_eq!(crc32(b""), 0);
}

/// SMHasher's verification value: hash the keys of 0 to 255 bytes 0, 1, 2, ... with the seeds 256,
/// 255, ..., then all hashes together with seed 0; the first four bytes of that.
fn smhasher(hash: impl Fn(&[u8], u32) -> Vec<u8>) -> u32 {
    let key: Vec<u8> = (0..=255).collect();
    let mut hashes = Vec::new();
    for len in 0..256 {
        hashes.extend(hash(&key[..len], 256 - len as u32));
    }
    u32::from_le_bytes(hash(&hashes, 0)[..4].try_into().unwrap())
}

#[test]
fn murmur3_check_values() {
    assert_eq!(murmur3_x64_128(b"hello", 0), (0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19));
    assert_eq!(murmur3_x64_128(b"", 0), (0, 0));
    let verification = smhasher(|data, seed| {
        let (h1, h2) = murmur3_x64_128(data, seed);
        [h1.to_le_bytes(), h2.to_le_bytes()].concat()
    });
    assert_eq!(verification, 0x6384ba69);
}

#[test]
fn murmur64a_check_values() {
    assert_eq!(murmur64a(b"hello", MURMUR64A_M), 0x5ba5b8a59803e699);
    let verification = smhasher(|data, seed| murmur64a(data, seed.into()).to_le_bytes().to_vec());
    assert_eq!(verification, 0x1f0d3804);
}

#[test]
fn spark_check_values() {
    assert_eq!(spark_murmur3_32(b"hello", 0), 0xb21f6e00);
    assert_eq!(spark_murmur3_32(&[0xC3, 0xA9], 0), 0xf6d63f31);
    assert_eq!(spark_murmur3_32(&1u64.to_le_bytes(), 0), 0x53075d44);
    // For whole words it is the original Murmur3: the published value of "test" for seed 0.
    assert_eq!(spark_murmur3_32(b"test", 0), 0xba6bd213);
}
