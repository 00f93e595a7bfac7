//! What the tests of every kind share: the settings of four schemes, and what holds for the file of
//! every filter.

use std::fmt::Debug;
use tepal_reference::hash::{siphash13, xxh3};
use tepal_reference::write::KEY_CHECK;

pub(crate) const SECRET: [u8; 16] = *b"sixteen secrets!";
const SEAL_KEY: &[u8] = b"the key of this seal";

/// Fields of a small filter that every kind has.
pub(crate) struct Setting {
    pub(crate) parameter: u64,
    pub(crate) secret: [u8; 16],
    pub(crate) policy: u8,
    pub(crate) recipe: u32,
    pub(crate) records: Vec<(u16, String)>,
}

/// The fields under a scheme, 1 to 4. Each scheme has another field that is not 0.
pub(crate) fn setting(scheme: u8) -> Setting {
    let plain = Setting { parameter: 0, secret: [0; 16], policy: 1, recipe: 0, records: Vec::new() };
    match scheme {
        1 => Setting { parameter: 9, ..plain },
        2 => Setting { secret: SECRET, parameter: siphash13(&SECRET, KEY_CHECK), ..plain },
        3 => Setting { recipe: 3, policy: 3, ..plain },
        _ => Setting { records: vec![(6, "some hash, finished".to_string())], ..plain },
    }
}

/// Writes the file of a filter, sealed if there is a seal key.
type Write<Filter> = fn(&Filter, Option<&[u8]>) -> Result<Vec<u8>, String>;
/// Reads a file, with its secret key and its seal key.
type Read<Filter> = fn(&[u8], Option<&[u8; 16]>, Option<&[u8]>) -> Result<Filter, String>;

/// One kind of filter: the functions that write and read its files, and the scheme of a filter.
pub(crate) struct Kind<Filter> {
    pub(crate) write: Write<Filter>,
    pub(crate) read: Read<Filter>,
    pub(crate) scheme: fn(&Filter) -> u8,
}

impl<Filter: Clone + Debug + PartialEq> Kind<Filter> {
    /// The secret key that opens the filter's file.
    pub(crate) fn secret(&self, filter: &Filter) -> Option<&'static [u8; 16]> {
        ((self.scheme)(filter) == 2).then_some(&SECRET)
    }

    /// Each file, with and without a seal, is read as its filter, which writes the same bytes
    /// again. With a flipped bit, with bytes cut off, and with a byte more it is refused.
    pub(crate) fn check_damage(&self, filters: &[Filter]) {
        for (i, filter) in filters.iter().enumerate() {
            for seal_key in [None, Some(SEAL_KEY)] {
                let open = |file: &[u8]| (self.read)(file, self.secret(filter), seal_key);
                let mut file = (self.write)(filter, seal_key).unwrap();
                let again = open(&file).unwrap();
                assert_eq!(again, *filter);
                assert_eq!((self.write)(&again, seal_key).unwrap(), file);
                for bit in (0..file.len() * 8).step_by(if file.len() > 1000 { 7 } else { 1 }) {
                    file[bit / 8] ^= 1 << (bit % 8);
                    assert!(open(&file).is_err(), "filter {i}, bit {bit}");
                    file[bit / 8] ^= 1 << (bit % 8);
                }
                assert!(open(&file).is_ok(), "filter {i}");
                for len in 0..file.len() {
                    assert!(open(&file[..len]).is_err(), "filter {i}, length {len}");
                }
                file.push(0);
                assert!(open(&file).is_err(), "filter {i}, a byte more");
            }
        }
    }

    /// A file with one flipped bit and with corrected checksums is refused, or it is the file of
    /// another filter: `differ` compares the two. The bit is in the lines, or in the part between
    /// the records and the chunk table; `part` gives the length of this part.
    pub(crate) fn check_mended(
        &self,
        filters: &[Filter],
        part: fn(&[u8]) -> usize,
        differ: fn(&Filter, &Filter) -> bool,
    ) {
        for (i, filter) in filters.iter().enumerate() {
            let good = (self.write)(filter, None).unwrap();
            let body = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
            let from = 128 + u32::from_le_bytes(good[120..124].try_into().unwrap()) as usize;
            let table = from + part(&good);
            for bit in (8 * from..8 * table).chain(8 * body..8 * good.len()) {
                let mut file = good.clone();
                file[bit / 8] ^= 1 << (bit % 8);
                let sum = xxh3(&file[body..], 0);
                file[table..table + 8].copy_from_slice(&sum.to_le_bytes());
                let sum = xxh3(&file[..body - 8], 0);
                file[body - 8..body].copy_from_slice(&sum.to_le_bytes());
                if let Ok(other) = (self.read)(&file, self.secret(filter), None) {
                    assert!(differ(&other, filter), "filter {i}, bit {bit}");
                    assert_eq!((self.write)(&other, None).unwrap(), file);
                }
            }
        }
    }

    /// A filter with any of these changes is not written, because a reader would refuse its file.
    pub(crate) fn check_not_written(&self, good: &Filter, changes: &[fn(&mut Filter)]) {
        for (i, change) in changes.iter().enumerate() {
            let mut filter = good.clone();
            change(&mut filter);
            assert!((self.write)(&filter, None).is_err(), "change {i}");
        }
    }
}
