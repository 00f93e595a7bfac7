//! Reads the secret of a filter, and the key of its seal, from files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tepal::{SealKey, SecretKey};

use crate::args::SecretArgs;
use crate::error::Failure;
use crate::output::complain;
use crate::text::message::{io_text, shown};
use crate::text::number;

/// The most bytes of such a file.
const LONGEST: u64 = 4096;

/// What is needed to open filters that have a secret, a seal or a name.
#[derive(Default)]
pub struct Secrets {
    /// The secret with which keys are hashed.
    pub secret: Option<SecretKey>,
    /// The key with which files are sealed.
    pub seal: Option<SealKey>,
    /// The name that filters must have.
    pub name: Option<String>,
}

impl Secrets {
    /// Reads the files that the flags name. Of those that others can open it warns.
    pub fn read(args: &SecretArgs, quiet: bool) -> Result<Self, Failure> {
        let secrets = Self::from_files(args.secret.as_deref(), args.seal.as_deref(), quiet)?;
        Ok(Secrets { name: args.expect_name.clone(), ..secrets })
    }

    /// Reads these files. Of those that others can open it warns, once each.
    pub fn from_files(secret: Option<&Path>, seal: Option<&Path>, quiet: bool) -> Result<Self, Failure> {
        if !quiet {
            let seal = seal.filter(|path| secret != Some(*path));
            secret.into_iter().chain(seal).for_each(warn_of_others);
        }
        let (secret, seal) = (secret.map(read_secret).transpose()?, seal.map(read_seal).transpose()?);
        Ok(Secrets { secret, seal, name: None })
    }
}

/// Says that others than its owner can open a file. The file is used all the same.
#[cfg(unix)]
fn warn_of_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(found) = std::fs::metadata(path) else { return };
    let mode = found.permissions().mode() & 0o777;
    if found.is_file() && mode & 0o077 != 0 {
        let name = shown(path);
        complain(&format!(
            "{name}: ! a key that others can open (mode {mode:03o}, expected 600); make it its owner's alone with: \
             chmod 600 {name}"
        ));
    }
}

/// Elsewhere a file has no mode.
#[cfg(not(unix))]
fn warn_of_others(_: &Path) {}

/// Bytes of a key, which are overwritten when they are dropped.
struct KeyBytes(Vec<u8>);

impl Drop for KeyBytes {
    fn drop(&mut self) {
        self.0.fill(0);
        // Without it the compiler may leave out what nobody reads.
        std::hint::black_box(&mut self.0);
    }
}

/// Reads a secret from a file of 16 bytes, or of 32 hex digits.
pub fn read_secret(path: &Path) -> Result<SecretKey, Failure> {
    let expected = "expected exactly 16 bytes, or 32 hex digits (head -c 16 /dev/urandom makes some)";
    let KeyBytes(bytes) = &read(path, expected)?;
    if let Ok(key) = <[u8; 16]>::try_from(bytes.as_slice()) {
        return Ok(SecretKey::new(key));
    }
    SecretKey::from_hex(bytes.trim_ascii_end()).map_err(|_| {
        let found = number::counted(bytes.len() as u64, "byte");
        Failure::at(&shown(path), format!("{found}, no hex digits; {expected}"))
    })
}

/// Reads the key of a seal from a file of 32 or more hex digits. Any other file is the key, byte
/// for byte.
pub fn read_seal(path: &Path) -> Result<SealKey, Failure> {
    let expected = "expected 16 bytes or more, or 32 hex digits or more (head -c 32 /dev/urandom makes some)";
    let KeyBytes(bytes) = &read(path, expected)?;
    let digits = from_hex(bytes.trim_ascii_end()).filter(|key| key.0.len() >= 16);
    SealKey::new(digits.as_ref().map_or(bytes, |key| &key.0)).map_err(|_| {
        Failure::at(&shown(path), format!("{}; {expected}", number::counted(bytes.len() as u64, "byte")))
    })
}

fn read(path: &Path, expected: &str) -> Result<KeyBytes, Failure> {
    let name = shown(path);
    let unreadable = |error| Failure::at(&name, format!("{}; {expected}", io_text(&error)));
    let metadata = std::fs::metadata(path).map_err(|error| Failure::io(&name, &error))?;
    if metadata.is_file() && metadata.len() > LONGEST {
        let text = format!("{} bytes; {expected}", metadata.len());
        return Err(Failure::at(&name, text));
    }
    // With room for all from the start, so that no copy stays where it grew from.
    let mut bytes = KeyBytes(Vec::with_capacity(LONGEST as usize + 1));
    let file = File::open(path).map_err(unreadable)?;
    file.take(LONGEST + 1).read_to_end(&mut bytes.0).map_err(unreadable)?;
    if bytes.0.len() as u64 > LONGEST {
        return Err(Failure::at(&name, format!("more than {LONGEST} bytes; {expected}")));
    }
    Ok(bytes)
}

/// Bytes from pairs of hex digits.
fn from_hex(digits: &[u8]) -> Option<KeyBytes> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let mut bytes = KeyBytes(Vec::with_capacity(pairs.len()));
    for pair in pairs {
        bytes.0.push((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    }
    Some(bytes)
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
        // These files have too few digits, an odd number of digits or other letters, so they are
        // keys byte for byte.
        for bytes in [&b"0123456789abcdef01"[..], &[b'0'; 33], &[b'g'; 32], &[0xFF; 4096]] {
            seal(bytes).unwrap();
        }
        for bad in [&b""[..], b"short", &[b'0'; 15], &[b'g'; 15], &[0; 4097]] {
            assert!(seal(bad).unwrap_err().contains("expected 16 bytes or more"));
        }
    }
}
