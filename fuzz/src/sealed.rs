//! Sealed files: opened with the key of the seal, or refused.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use tepal::{BloomFilter, Error, Open, Opened, SealKey, SecretKey};
use tepal_fuzz_cli::Scratch;

use crate::bloom::repaired;
use crate::{KEYS, has_ignorable};

/// The seal key of the files in the corpus, which are the kept files.
const SEAL: &[u8] = b"a seal for testing";

/// The secret key of these files.
const SECRET: [u8; 16] = *b"kept for testing";

/// A sealed file: unchanged, and with correct checksums and seal, so that the checks after these
/// are reached.
pub fn sealed(data: &[u8]) {
    under_seal(data);
    if let Some(fitting) = fitting(data) {
        under_seal(&fitting);
    }
}

fn under_seal(data: &[u8]) {
    let (seal, secret) = (SealKey::new(SEAL).unwrap(), SecretKey::new(SECRET));
    let file = Scratch::new(data, "sealed");
    for open in [Open::new(), Open::new().secret_key(&secret)] {
        let unsealed = open.from_bytes(data);
        let open = open.seal_key(&seal);
        let expected = open.from_bytes(data);
        // A seal key refuses a file without a seal; without the key, a sealed file is refused.
        assert!(expected.is_err() || matches!(unsealed, Err(Error::SealRequired)));
        // Bytes may follow the file in a stream.
        assert!(expected.is_err() || open.read_from(data).is_ok());
        match (open.open(file.path()), &expected) {
            (Ok(opened), Ok(expected)) => assert_eq!(answers(&opened), answers(expected)),
            (opened, expected) => assert!(opened.is_err() && expected.is_err()),
        }
        match (open.quick().open(file.path()), &expected) {
            (Ok(opened), Ok(expected)) => {
                opened.verify().unwrap();
                assert_eq!(answers(&opened), answers(expected));
            }
            (Ok(opened), Err(_)) => {
                // Bits or seal are damaged: nothing panics, and every check of all bits reports it.
                let _ = answers(&opened);
                assert!(opened.verify().is_err() && opened.to_bytes().is_err());
            }
            (opened, expected) => assert!(opened.is_err() && expected.is_err()),
        }
        let Ok(opened) = expected else { continue };
        assert!(opened.is_sealed());
        let written = opened.to_bytes_sealed(&seal).unwrap();
        assert_eq!(answers(&open.from_bytes(&written).unwrap()), answers(&opened));
        if !has_ignorable(data) {
            assert_eq!(written, data);
        }
        assert!(BloomFilter::from_bytes(&written).is_err());
        let mut other = written;
        *other.last_mut().unwrap() ^= 1;
        assert!(matches!(open.from_bytes(&other), Err(Error::WrongSeal)));
    }
}

fn answers(file: &Opened) -> Vec<bool> {
    file.contains_many(&KEYS)
}

/// The file with correct checksums and seal; a file without a seal gets one.
fn fitting(data: &[u8]) -> Option<Vec<u8>> {
    let sealed = u32::from_le_bytes(data.get(24..28)?.try_into().ok()?) & 1 != 0;
    let mut file = data[..data.len().checked_sub(if sealed { 32 } else { 0 })?].to_vec();
    *file.get_mut(24)? |= 1;
    let mut file = repaired(&file, 32)?;
    let mut seal = Hmac::<Sha256>::new_from_slice(SEAL).unwrap();
    seal.update(&file);
    file.extend(seal.finalize().into_bytes());
    Some(file)
}
