//! `exceptions.json`: sections 4.9 and 4.10, small files with exceptions, and some that are
//! refused.

use crate::changed::mend_header;
use crate::json::{Json, hex, list, object, optional, plain};
use crate::kinds::{offset_of, under_a_secret, written};
use crate::names;
use tepal_reference::filter::Filter;
use tepal_reference::hash::xxh3;
use tepal_reference::read::read;
use tepal_reference::write::write;

const ABOUT: &str = "Files with exceptions (FORMAT.md sections 4.9 and 4.10). Each filter was given the keys `member 0` to `member 99`, and then \
    those of the keys `stranger 0` to `stranger 59` for which its bits said yes were made exceptions; `exceptions` are their \
    numbers. `file_after` is the file once the first of them was inserted as a member, `file_divided` the one with a divider in \
    the place of the list: its array is one of many that do. Of `refused` none is a file; all of them are changes of the first \
    `file` or `file_divided`, and a checksum is wrong only where that is the reason.";

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut files = Vec::new();
    let mut refused = Vec::new();
    let seal = b"a seal for testing";
    for (name, layout, scheme, sealed) in [
        ("line", 1, 1, false),
        ("double, sealed", 2, 1, true),
        ("scattered, a keyed hash", 4, 2, false),
        ("a scheme without a hash", 4, 22, false),
    ] {
        let mut filter = Filter::new(layout, scheme, 3, 512);
        filter.capacity = 100;
        filter.rate = 0.1;
        if scheme == 2 {
            (filter.scheme, filter.secret, filter.parameter) = under_a_secret();
        }
        for n in 0..100 {
            filter.insert(format!("member {n}").as_bytes())?;
        }
        let mut exceptions = Vec::new();
        for n in 0..60u32 {
            let stranger = format!("stranger {n}");
            if filter.contains(stranger.as_bytes())? {
                exceptions.push(n);
            }
        }
        let Some(first) = exceptions.first().copied() else { return Err(format!("{name}: no exception")) };
        for n in &exceptions {
            filter.except(format!("stranger {n}").as_bytes())?;
        }
        let mut divided = filter.clone();
        divided.divide(&(0..100).map(|n| format!("member {n}")).collect::<Vec<_>>())?;
        let secret = if scheme == 2 { Some(filter.secret) } else { None };
        let key = if sealed { Some(&seal[..]) } else { None };
        let file = written(name, &filter, (write, read), (secret.as_ref(), key))?;
        let file_divided = written(name, &divided, (write, read), (secret.as_ref(), key))?;
        for filter in [&filter, &divided] {
            for n in 0..100 {
                let stranger = format!("stranger {n}");
                if !filter.contains(format!("member {n}").as_bytes())?
                    || n < 60 && filter.contains(stranger.as_bytes())?
                {
                    return Err(format!("{name}: wrong about number {n}"));
                }
            }
        }
        if name == "line" {
            let words = divided.divider.as_ref().map_or(0, |divider| divider.write().len() / 8);
            let of_the_list = damaged(&file, exceptions.len());
            for (why, changed) in of_the_list.into_iter().chain(damaged_divider(&file_divided, words)) {
                if read(&changed, None, None).is_ok() {
                    return Err(format!("{why}: not refused"));
                }
                refused.push(object([("reason", plain(why)), ("file", hex(&changed))]));
            }
        }
        filter.insert(format!("stranger {first}").as_bytes())?;
        files.push(object([
            ("name", plain(name)),
            ("scheme", plain(names::scheme(scheme))),
            ("secret_key", optional(secret.map(|key| hex(&key)))),
            ("seal_key", optional(key.map(hex))),
            ("exceptions", list(exceptions.iter().map(|&n| plain(n)))),
            ("file", hex(&file)),
            ("file_after", hex(&write(&filter, key)?)),
            ("file_divided", hex(&file_divided)),
        ]));
    }
    Ok(object([("about", plain(ABOUT)), ("files", list(files)), ("refused", list(refused))]))
}

/// A file with other last words before its checksum, with matching checksums, and with other flags
/// if they are given.
fn again(file: &[u8], words: usize, flags: Option<u8>, change: &dyn Fn(&mut Vec<u8>)) -> Vec<u8> {
    let start = file.len() - 8 * words - 8;
    let mut changed = file[..start].to_vec();
    let mut behind = file[start..file.len() - 8].to_vec();
    change(&mut behind);
    let len = (start + behind.len() + 8) as u64;
    changed[16..24].copy_from_slice(&len.to_le_bytes());
    changed[24] = flags.unwrap_or(changed[24]);
    let offset = offset_of(&changed);
    let sum = mend_header(&mut changed, offset);
    changed.extend(&behind);
    changed.extend(xxh3(&behind, sum).to_le_bytes());
    changed
}

/// Changes of a file with a divider of this number of words, each with the reason why it is
/// refused.
fn damaged_divider(file: &[u8], words: usize) -> Vec<(&'static str, Vec<u8>)> {
    let start = file.len() - 8 * words - 8;
    let again = |flags: Option<u8>, change: &dyn Fn(&mut Vec<u8>)| again(file, words, flags, change);
    let mut flipped = file.to_vec();
    flipped[start + 24] ^= 1;
    vec![
        ("a bit of a divider is flipped", flipped),
        ("a divider of no exceptions", again(None, &|words| words[..8].fill(0))),
        ("a divider of another width", again(None, &|words| words[16] ^= 64)),
        (
            "a divider of 3 times 2^63 bits",
            again(None, &|words| words[16..24].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 128])),
        ),
        ("a divider without bits", again(None, &|words| words[16..24].fill(0))),
        ("a divider of three words", again(None, &|words| words.truncate(24))),
        ("a divider with a word more", again(None, &|words| words.extend([0; 8]))),
        (
            "a divider with bits behind its last",
            again(None, &|words| words.last_mut().iter_mut().for_each(|byte| **byte |= 128)),
        ),
        ("a divider and no flag of exceptions", again(Some(4), &|_| {})),
        ("a divider under the flag of a list", again(Some(2), &|_| {})),
        ("flag 3 too", again(Some(14), &|_| {})),
    ]
}

/// Changes of a file with this number of exceptions, each with the reason why it is refused.
fn damaged(file: &[u8], exceptions: usize) -> Vec<(&'static str, Vec<u8>)> {
    let start = file.len() - 8 * exceptions - 8;
    let again = |flags: Option<u8>, change: &dyn Fn(&mut Vec<u8>)| again(file, exceptions, flags, change);
    let mut flipped = file.to_vec();
    flipped[start] ^= 1;
    let mut other_sum = file.to_vec();
    let end = other_sum.len() - 1;
    other_sum[end] ^= 1;
    vec![
        ("a bit of an exception is flipped", flipped),
        ("another checksum of the exceptions", other_sum),
        ("no exception", again(None, &|hashes| hashes.clear())),
        ("an exception of 4 bytes", again(None, &|hashes| hashes.truncate(hashes.len() - 4))),
        ("exceptions in another order", again(None, &|hashes| hashes.rotate_left(8))),
        ("an exception twice", again(None, &|hashes| hashes.copy_within(0..8, 8))),
        ("exceptions and no flag", again(Some(0), &|_| {})),
        ("a list under the flag of a divider", again(Some(6), &|_| {})),
        ("the flag of a seal, and none", again(Some(3), &|_| {})),
    ]
}
