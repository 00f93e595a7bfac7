//! `exceptions.json`: section 4.9, small files with exceptions, and some that are refused.

use crate::json::{Json, hex, list, object, optional, plain};
use crate::names;
use tepal_reference::filter::Filter;
use tepal_reference::hash::xxh3;
use tepal_reference::read::read;
use tepal_reference::write::write;

const ABOUT: &str = "Files with exceptions (FORMAT.md section 4.9). Each filter was given the keys `member 0` to `member 99`, and then \
    those of the keys `stranger 0` to `stranger 59` for which its bits said yes were made exceptions; `exceptions` are their \
    numbers. `file_after` is the file once the first of them was inserted as a member. Of `refused` none is a file; all of them \
    are changes of the first one, and a checksum is wrong only where that is the reason.";

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
            filter.secret = *b"sixteen secrets!";
            filter.parameter = tepal_reference::hash::siphash13(&filter.secret, b"tepal key check");
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
        let secret = if scheme == 2 { Some(filter.secret) } else { None };
        let key = if sealed { Some(&seal[..]) } else { None };
        let file = write(&filter, key)?;
        if read(&file, secret.as_ref(), key)? != filter {
            return Err(format!("{name}: the file read again is another filter"));
        }
        if name == "line" {
            for (why, changed) in damaged(&file, exceptions.len()) {
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
        ]));
    }
    Ok(object([("about", plain(ABOUT)), ("files", list(files)), ("refused", list(refused))]))
}

/// Changes of a file with so many exceptions, each with why it is refused.
fn damaged(file: &[u8], exceptions: usize) -> Vec<(&'static str, Vec<u8>)> {
    let start = file.len() - 8 * exceptions - 8;
    // The header with a checksum that fits, then the exceptions with theirs.
    let again = |flags: Option<u8>, change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = file[..start].to_vec();
        let mut hashes = file[start..file.len() - 8].to_vec();
        change(&mut hashes);
        let len = (start + hashes.len() + 8) as u64;
        changed[16..24].copy_from_slice(&len.to_le_bytes());
        changed[24] = flags.unwrap_or(changed[24]);
        let offset = u32::from_le_bytes([changed[12], changed[13], changed[14], changed[15]]) as usize;
        let sum = xxh3(&changed[..offset - 8], 0);
        changed[offset - 8..offset].copy_from_slice(&sum.to_le_bytes());
        changed.extend(&hashes);
        changed.extend(xxh3(&hashes, sum).to_le_bytes());
        changed
    };
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
        ("flag 2 too", again(Some(6), &|_| {})),
        ("the flag of a seal, and none", again(Some(3), &|_| {})),
    ]
}
