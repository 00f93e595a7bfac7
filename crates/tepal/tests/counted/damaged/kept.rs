//! Every byte of every kept file is set to 00, 7F, 80 and FF, with corrected checksums and seal.
//! Every file that opens answers every lookup and allows every operation. Where overflow checks are
//! on (`.ci/features test`), arithmetic that overflows is a panic.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tepal::{Open, Opened, Result, SecretKey};

use crate::files::files_in;
use crate::forge::Forge;
#[cfg(feature = "foreign")]
use crate::forge::mend_dump;
use crate::kinds::SECRET;
use crate::operations::each::{NewKeys, each};

const BYTES: [u8; 4] = [0x00, 0x7F, 0x80, 0xFF];
/// Of the bytes of a body, one in this many is changed: most of them mean nothing alone.
const STEP: usize = 61;

/// The key of the seals.
fn seal() -> &'static [u8] {
    #[cfg(feature = "seal")]
    return crate::kinds::SEAL;
    #[cfg(not(feature = "seal"))]
    &[]
}

fn open(file: &[u8], is_keyed: bool) -> Result<Opened> {
    let secret = SecretKey::new(SECRET);
    let open = if is_keyed { Open::new().secret_key(&secret) } else { Open::new() };
    #[cfg(feature = "seal")]
    if file[24] & 1 == 1 {
        return open.seal_key(&tepal::SealKey::new(seal()).unwrap()).from_bytes(file);
    }
    open.from_bytes(file)
}

/// The kept files that this build reads, with their names, and whether the secret key opens them.
fn kept() -> Vec<(String, Vec<u8>, bool)> {
    let paths = files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kept"), "tepal");
    assert!(paths.len() >= 109, "{}", paths.len());
    let read = |path: &PathBuf| {
        let good = fs::read(path).unwrap();
        // A build without its feature refuses it.
        let is_keyed = [false, true].into_iter().find(|is_keyed| open(&good, *is_keyed).is_ok())?;
        Some((path.file_name().unwrap().to_string_lossy().into_owned(), good, is_keyed))
    };
    let kept: Vec<_> = paths.iter().filter_map(read).collect();
    // A build without a kind's feature refuses its files.
    let least = if cfg!(all(feature = "foreign", feature = "table", feature = "static")) { 80 } else { 20 };
    assert!(kept.len() >= least, "{} files", kept.len());
    kept
}

/// All kept files, in quarters that run side by side.
mod every_byte_of_every_kept_file {
    #[test]
    fn quarter_0() {
        super::check_quarter(0);
    }

    #[test]
    fn quarter_1() {
        super::check_quarter(1);
    }

    #[test]
    fn quarter_2() {
        super::check_quarter(2);
    }

    #[test]
    fn quarter_3() {
        super::check_quarter(3);
    }
}

/// Every fourth of the kept files, from this one on.
fn check_quarter(quarter: usize) {
    let (mut opened, mut rest) = (0, 0);
    for (name, good, is_keyed) in kept().into_iter().skip(quarter).step_by(4) {
        let forge = Forge::new(good, seal());
        let new = NewKeys::of(&open(&forge.good, is_keyed).unwrap(), 3);
        let all = |file: &Opened| each(file, 0, &new, &mut |_| ());
        all(&open(&forge.good, is_keyed).unwrap());
        let places = (8..forge.head - 8).chain((forge.head..forge.good.len()).step_by(STEP));
        for (at, byte) in places.flat_map(|at| BYTES.map(|byte| (at, byte))) {
            let file = forge.with(&[(at, &[byte])]);
            let done = catch_unwind(AssertUnwindSafe(|| {
                let Ok(file) = open(&file, is_keyed) else { return false };
                // Of the bytes that only the body depends on, each sixteenth.
                rest += usize::from(at >= forge.head);
                if at < forge.head || rest % 16 == 0 {
                    all(&file);
                }
                true
            }));
            match done {
                Ok(is_open) => opened += usize::from(is_open),
                Err(_) => panic!("{name}: {byte:02X} at {at}"),
            }
        }
    }
    assert!(opened > 250, "{opened} changed files could be opened");
}

/// The same for the first bytes of other programs' files.
#[cfg(feature = "foreign")]
#[test]
fn the_first_bytes_of_every_golden_file() {
    use tepal::file::Format;

    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
    let (mut files, mut opened) = (0, 0);
    for &format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        for entry in fs::read_dir(golden.join(format.name())).unwrap() {
            let path = entry.unwrap().path();
            let good = fs::read(&path).unwrap();
            let open = |file: &[u8]| Open::new().format(format).from_bytes(file);
            let (Ok(honest), true) = (open(&good), good.len() <= 4096) else { continue };
            files += 1;
            let new = NewKeys::of(&honest, 3);
            for (at, byte) in (0..good.len().min(128)).flat_map(|at| BYTES.map(|byte| (at, byte))) {
                let mut file = good.clone();
                file[at] = byte;
                mend_dump(&mut file);
                let done = catch_unwind(AssertUnwindSafe(|| {
                    let opened = open(&file);
                    let _ = opened.as_ref().map(|file| each(file, 0, &new, &mut |_| ()));
                    opened.is_ok()
                }));
                match done {
                    Ok(is_open) => opened += usize::from(is_open),
                    Err(_) => panic!("{}: {byte:02X} at {at}", path.display()),
                }
            }
        }
    }
    assert!(files >= 20 && opened > 100, "{files} files, of which {opened} could be opened");
}
