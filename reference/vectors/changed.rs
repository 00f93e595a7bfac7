//! The cases of `refused`: a good file with some bytes changed, which is refused at a step of
//! section 4.6.

use crate::changes;
use crate::json::{Json, decimal, hex, list, object, optional, plain};
use crate::kinds::{Good, Keys, Read, offset_of, u32_at};
use tepal_reference::hash::xxh3;

/// A change of a file: the step that refuses it, the file, the description, offsets and new bytes.
pub(crate) type Change = (u32, &'static str, &'static str, &'static [(usize, &'static [u8])]);

/// The file of a name.
pub(crate) fn file_of<'a>(good: &'a Good, name: &str) -> Result<&'a [u8], String> {
    let found = good.iter().find(|file| file.0 == name);
    found.map(|file| file.1.as_slice()).ok_or_else(|| format!("no file {name}"))
}

/// The JSON of a changed file that is refused at this step. Checks that it is refused there.
pub(crate) fn case<Bytes: AsRef<[u8]>, Filter>(
    good: &Good,
    read: Read<Filter>,
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

/// The cases of these changes, of files that need no keys.
pub(crate) fn cases<Filter>(
    good: &Good,
    read: Read<Filter>,
    changes: &[Change],
) -> Result<Vec<Json>, String> {
    let case =
        |&(step, name, what, edits): &Change| case(good, read, (step, name, what), edits, (None, None));
    changes.iter().map(case).collect()
}

/// The cases of these changes, all of one file that needs no keys. The JSON has no name of a file,
/// and offsets as texts.
pub(crate) fn cases_of_one<Filter>(
    good: &[u8],
    read: Read<Filter>,
    changes: &[changes::Change],
) -> Result<Json, String> {
    let mut cases = Vec::new();
    for &(step, what, edits) in changes {
        refused(good, read, (step, what), edits, (None, None))?;
        let change =
            |(at, bytes): &(usize, &[u8])| object([("offset", decimal(*at as u64)), ("bytes", hex(bytes))]);
        cases.push(object([
            ("what", plain(what)),
            ("step", plain(step)),
            ("changes", list(edits.iter().map(change))),
        ]));
    }
    Ok(list(cases))
}

/// Checks that the file with these changes is refused at this step. Corrects the header checksum,
/// and the chunk's checksum if a change is in the body.
fn refused<Bytes: AsRef<[u8]>, Filter>(
    good: &[u8],
    read: Read<Filter>,
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
    mend_header(&mut file, offset);
    match read(&file, secret, seal) {
        Err(why) if why.starts_with(&format!("step {step}: ")) => Ok(()),
        Err(why) => Err(format!("{what}: {why}, and step {step} was expected")),
        Ok(_) => Err(format!("{what} is read")),
    }
}

/// Corrects the header checksum, and returns it. The body really starts at `body_offset`, even if
/// the header has another number.
pub(crate) fn mend_header(file: &mut [u8], body_offset: usize) -> u64 {
    let end = body_offset - 8;
    let checksum = xxh3(&file[..end], 0);
    file[end..body_offset].copy_from_slice(&checksum.to_le_bytes());
    checksum
}
