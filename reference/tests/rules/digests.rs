//! Compares the digests of sections 1.4 and 4.7 with published values.

use tepal_reference::digest::{hmac_sha256, md5, md5_constant, sha256, sha384};
use tepal_reference::write::seal;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn md5_check_values() {
    // RFC 1321, section A.5.
    for (message, digest) in [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f",
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ] {
        assert_eq!(hex(&md5(message.as_bytes())), digest, "{message}");
    }
}

#[test]
fn the_first_and_the_last_constant() {
    // RFC 1321 prints its table in rounds.
    assert_eq!((md5_constant(0), md5_constant(15)), (0xd76aa478, 0x49b40821));
    assert_eq!((md5_constant(16), md5_constant(63)), (0xf61e2562, 0xeb86d391));
}

#[test]
fn sha384_check_values() {
    // FIPS 180-4's examples, and the empty message.
    for (message, digest) in [
        (
            "",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
        ),
        (
            "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039",
        ),
    ] {
        assert_eq!(hex(&sha384(message.as_bytes())), digest, "{message}");
    }
}

#[test]
fn every_length_around_a_block() {
    // Padding fits the last block up to 111 bytes. From another implementation: SHA-384 of 'a'
    // repeated.
    for (len, first_word) in [
        (111, 0x3c37955051cb5c30),
        (112, 0x187d4e07cb306103),
        (127, 0x9bd06b1763c2cf7a),
        (128, 0xedb12730a366098b),
    ] {
        let digest = sha384(&vec![b'a'; len]);
        assert_eq!(u64::from_be_bytes(digest[..8].try_into().unwrap()), first_word, "length {len}");
    }
}

#[test]
fn sha256_check_values() {
    // FIPS 180-4's examples, and the empty message.
    for (message, digest) in [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ] {
        assert_eq!(hex(&sha256(message.as_bytes())), digest, "{message}");
    }
}

#[test]
fn hmac_check_values() {
    // RFC 4231, test cases 1, 2, 3, 6 and 7.
    let long: &[u8] =
        b"This is a test using a larger than block-size key and a larger than block-size data. \
        The key needs to be hashed before being used by the HMAC algorithm.";
    for (key, message, expected) in [
        (
            &[0x0B; 20][..],
            &b"Hi There"[..],
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (&[0xAA; 20], &[0xDD; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            &[0xAA; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (&[0xAA; 131], long, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ] {
        assert_eq!(hex(&hmac_sha256(key, message)), expected);
    }
}

#[test]
fn short_keys_are_refused() {
    assert!(seal(&[7; 15], b"").is_err());
    assert!(seal(&[7; 16], b"").is_ok());
}
