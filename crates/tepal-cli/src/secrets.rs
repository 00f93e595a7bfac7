//! Reads the secret of a filter, and the key of its seal, from files.

use std::path::Path;

use tepal::{SealKey, SecretKey};

use crate::args::SecretArgs;
use crate::error::Failure;
use crate::text::message::{io_text, shown};

/// The most bytes of such a file.
const LONGEST: u64 = 4096;

/// What is needed to open filters that have a secret or a seal.
#[derive(Default)]
pub struct Secrets {
    /// The secret with which keys are hashed.
    pub secret: Option<SecretKey>,
    /// The key with which files are sealed.
    pub seal: Option<SealKey>,
}

impl Secrets {
    /// Reads the files that the flags name.
    pub fn read(args: &SecretArgs) -> Result<Self, Failure> {
        Ok(Self {
            secret: args.secret.as_deref().map(read_secret).transpose()?,
            seal: args.seal.as_deref().map(read_seal).transpose()?,
        })
    }
}

/// Reads a secret from a file of 16 bytes, or of 32 hex digits.
pub fn read_secret(path: &Path) -> Result<SecretKey, Failure> {
    let expected = "expected exactly 16 bytes, or 32 hex digits (head -c 16 /dev/urandom makes some)";
    let bytes = read(path, expected)?;
    if let Ok(key) = <[u8; 16]>::try_from(bytes.as_slice()) {
        return Ok(SecretKey::new(key));
    }
    match from_hex(bytes.trim_ascii_end()).and_then(|key| <[u8; 16]>::try_from(key).ok()) {
        Some(key) => Ok(SecretKey::new(key)),
        None => Err(Failure::at(
            &shown(path),
            format!("{} bytes that are no hex digits; {expected}", bytes.len()),
        )),
    }
}

/// Reads the key of a seal from a file of 32 or more hex digits. Any other file is the key, byte for byte.
pub fn read_seal(path: &Path) -> Result<SealKey, Failure> {
    let expected = "expected 16 bytes or more, or 32 hex digits or more (head -c 32 /dev/urandom makes some)";
    let bytes = read(path, expected)?;
    let digits = from_hex(bytes.trim_ascii_end()).filter(|key| key.len() >= 16);
    SealKey::new(digits.as_deref().unwrap_or(&bytes))
        .map_err(|_| Failure::at(&shown(path), format!("{} bytes; {expected}", bytes.len())))
}

fn read(path: &Path, expected: &str) -> Result<Vec<u8>, Failure> {
    let name = shown(path);
    let metadata = std::fs::metadata(path).map_err(|error| Failure::io(&name, &error))?;
    if metadata.is_file() && metadata.len() > LONGEST {
        let text = format!("{} bytes; {expected}", metadata.len());
        return Err(Failure::at(&name, text));
    }
    std::fs::read(path).map_err(|error| Failure::at(&name, format!("{}; {expected}", io_text(&error))))
}

/// Bytes from pairs of hex digits.
fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(bytes: &[u8]) -> Result<SecretKey, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, bytes).unwrap();
        read_secret(&path).map_err(|failure| match failure {
            Failure::Message(text) => text,
            Failure::ClosedPipe => unreachable!(),
        })
    }

    #[test]
    fn secrets_are_raw_or_hex() {
        let raw = secret(b"0123456789abcdef").unwrap();
        assert!(raw == secret(b"30313233343536373839616263646566\n").unwrap());
        assert!(raw == secret(b"30313233343536373839616263646566\r\n").unwrap());
        for bad in [&b""[..], b"short", b"0123456789abcdef\n", &[b'g'; 32], &[b'0'; 33], &[0; 100]] {
            assert!(secret(bad).unwrap_err().contains("expected exactly 16 bytes"));
        }
    }

    #[test]
    fn seal_keys_are_raw_or_hex() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seal");
        let seal = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            // Two keys are equal if they give the same seal.
            let key = read_seal(&path).map_err(|failure| match failure {
                Failure::Message(text) => text,
                Failure::ClosedPipe => unreachable!(),
            })?;
            let filter = tepal::BloomFilter::builder().capacity(1).build().unwrap();
            Ok::<_, String>(filter.to_bytes_sealed(&key).unwrap())
        };
        let raw = seal(b"0123456789abcdef").unwrap();
        assert_eq!(raw, seal(b"30313233343536373839616263646566\n").unwrap());
        assert_ne!(raw, seal(b"0123456789abcdef\n").unwrap());
        // These files have too few digits, an odd number of digits or other letters, so they are keys byte for byte.
        for bytes in [&b"0123456789abcdef01"[..], &[b'0'; 33], &[b'g'; 32], &[0xFF; 4096]] {
            seal(bytes).unwrap();
        }
        for bad in [&b""[..], b"short", &[b'0'; 15], &[b'g'; 15], &[0; 4097]] {
            assert!(seal(bad).unwrap_err().contains("expected 16 bytes or more"));
        }
    }
}
