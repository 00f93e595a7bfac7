//! The cases of `refused`: a good file with some bytes changed, which is refused at a step of
//! section 4.6.

use crate::json::{Json, hex, list, object, optional, plain};
use tepal_reference::hash::xxh3;

/// The good files, by their names.
pub(crate) type Good = [(&'static str, Vec<u8>)];

/// The secret key and the seal key.
pub(crate) type Keys<'a> = (Option<&'a [u8; 16]>, Option<&'a [u8]>);

/// Reads a file, with its keys.
pub(crate) type Reader = dyn Fn(&[u8], Option<&[u8; 16]>, Option<&[u8]>) -> Result<(), String>;

/// The file of a name.
pub(crate) fn file_of<'a>(good: &'a Good, name: &str) -> Result<&'a [u8], String> {
    let found = good.iter().find(|file| file.0 == name);
    found.map(|file| file.1.as_slice()).ok_or_else(|| format!("no file {name}"))
}

/// The offset of a file's body.
pub(crate) fn offset_of(file: &[u8]) -> usize {
    u32_at(file, 12) as usize
}

/// The JSON of a changed file that is refused at this step. Checks that it is refused there.
pub(crate) fn case<Bytes: AsRef<[u8]>>(
    good: &Good,
    read: &Reader,
    (step, name, what): (u32, &'static str, &str),
    edits: &[(usize, Bytes)],
    keys: Keys<'_>,
) -> Result<Json, String> {
    refused(file_of(good, name)?, read, (step, what), edits, keys)?;
    let change =
        |(at, bytes): &(usize, Bytes)| object([("offset", plain(*at)), ("bytes", hex(bytes.as_ref()))]);
    Ok(object([
        ("what", plain(what)),
        ("step", plain(step)),
        ("file", plain(name)),
        ("secret_key", optional(keys.0.map(|key| hex(key)))),
        ("seal_key", optional(keys.1.map(hex))),
        ("changes", list(edits.iter().map(change))),
    ]))
}

/// Checks that the file with these changes is refused at this step. Corrects the header checksum,
/// and the chunk's checksum if a change is in the body.
pub(crate) fn refused<Bytes: AsRef<[u8]>>(
    good: &[u8],
    read: &Reader,
    (step, what): (u32, &str),
    edits: &[(usize, Bytes)],
    (secret, seal): Keys<'_>,
) -> Result<(), String> {
    let mut file = good.to_vec();
    let (offset, sealed) = (offset_of(&file), file[24] & 1 == 1);
    let body_end = file.len() - if sealed { 32 } else { 0 };
    // The section after the records: segments, the names of a map, or the part of a second ribbon.
    let section = match file[10] {
        6 => u32_at(&file, 104),
        7 | 8 => u32_at(&file, 52),
        _ => 0,
    };
    let table = 128 + (u32_at(&file, 120) + section) as usize;
    for (at, bytes) in edits {
        let bytes = bytes.as_ref();
        file[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    // In a file with added keys, changes after the header are only in the added keys.
    if file[24] & 8 == 0 && edits.iter().any(|edit| edit.0 >= offset) {
        let sum = xxh3(&file[offset..body_end], 0);
        file[table..table + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = xxh3(&file[..offset - 8], 0);
    file[offset - 8..offset].copy_from_slice(&sum.to_le_bytes());
    match read(&file, secret, seal) {
        Err(why) if why.starts_with(&format!("step {step}: ")) => Ok(()),
        Err(why) => Err(format!("{what}: {why}, and step {step} was expected")),
        Ok(()) => Err(format!("{what} is read")),
    }
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
