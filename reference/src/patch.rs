//! Section 6: a patch makes one file from another. `code` has the code of the bits and keys.

mod code;

use crate::hash::xxh3;
use crate::ribbon;
use crate::write::{CHUNK, MAGIC, body_len, body_offset};
use code::{Reader, gaps, hashes, pack};

/// The first 8 bytes of every patch.
pub const PATCH_MAGIC: [u8; 8] = *b"\x89PATCH\r\n";
/// Bytes before the uncoded sections of a patch.
const START: usize = 72;

/// The patch from the file `old` to the file `new`.
pub fn diff(old: &[u8], new: &[u8]) -> Result<Vec<u8>, String> {
    let (form, from, to) = match (kind(old), kind(new)) {
        (1, 1) => (2, split(old)?, split(new)?),
        (7, 7) if has_added(old) || has_added(new) => (3, split(old)?, split(new)?),
        _ => (1, Parts::bytes(old), Parts::bytes(new)),
    };
    let same: &[(usize, usize)] = match form {
        1 => &[],
        2 => &[(32, 3), (36, 12), (64, 8), (124, 4)],
        _ => &[(32, 2), (64, 8), (124, 4)],
    };
    for &(at, len) in same {
        if old[at..at + len] != new[at..at + len] {
            return Err(format!("the filters differ at offset {at}"));
        }
    }
    let (old_body, new_body) = (from.body, to.body);
    if old_body.len() != new_body.len() {
        return Err("the files differ in length".to_string());
    }
    let (mut tail, mut keys_inverted) = (Vec::new(), false);
    if form == 3 {
        (tail, keys_inverted) = code_keys(&from.added, &to.added);
    }
    tail.extend(to.tail);
    let differs = |p: usize| (old_body[p / 8] ^ new_body[p / 8]) >> (p % 8) & 1 == 1;
    let bits = 8 * new_body.len();
    let flips = (0..bits).filter(|&p| differs(p)).count();
    let inverted = flips > bits - flips;
    let positions: Vec<u64> = (0..bits).filter(|&p| differs(p) != inverted).map(|p| p as u64).collect();

    let mut patch = Vec::new();
    patch.extend(PATCH_MAGIC);
    patch.extend(1u16.to_le_bytes());
    patch.extend([form, u8::from(inverted) + 2 * u8::from(keys_inverted)]);
    patch.extend((to.head.len() as u32).to_le_bytes());
    patch.extend((new_body.len() as u64).to_le_bytes());
    patch.extend((old.len() as u64).to_le_bytes());
    patch.extend(xxh3(old, 0).to_le_bytes());
    patch.extend((new.len() as u64).to_le_bytes());
    patch.extend(xxh3(new, 0).to_le_bytes());
    patch.extend((positions.len() as u64).to_le_bytes());
    patch.extend((tail.len() as u64).to_le_bytes());
    patch.extend(to.head);
    patch.extend(tail);
    patch.extend(pack(&gaps(bits as u64, &positions)));
    patch.extend(xxh3(&patch, 0).to_le_bytes());
    Ok(patch)
}

/// Section 6.2: the code of ascending positions below `bits`, as bytes.
pub fn code_of(bits: u64, positions: &[u64]) -> Vec<u8> {
    pack(&gaps(bits, positions))
}

/// Applies the patch to the old file and returns the new one.
pub fn apply(old: &[u8], patch: &[u8]) -> Result<Vec<u8>, String> {
    if patch.len() < START + 8 || patch[..8] != PATCH_MAGIC || patch[8..10] != [1, 0] {
        return Err("this is not a patch of version 1".to_string());
    }
    let end = patch.len() - 8;
    if u64_at(patch, end) != xxh3(&patch[..end], 0) {
        return Err("the checksum is not that of the patch".to_string());
    }
    let (form, inverted) = (patch[10], patch[11]);
    if !matches!(form, 1..=3) || inverted > if form == 3 { 3 } else { 1 } {
        return Err(format!("form {form} or inversion {inverted} is not known"));
    }
    let head_len = u64::from(u32::from_le_bytes(patch[12..16].try_into().unwrap()));
    let [body, old_len, old_sum, new_len, new_sum, coded, tail_len] =
        [16, 24, 32, 40, 48, 56, 64].map(|at| u64_at(patch, at));
    if old_len != old.len() as u64 || old_sum != xxh3(old, 0) {
        return Err("the patch is for another file".to_string());
    }
    let most_head = if form == 3 { 65_616 } else { 65_536 };
    let before = match form {
        1 => head_len == 0 && tail_len == 0 && body == old_len && body == new_len,
        _ => {
            (128..=128 + most_head).contains(&head_len)
                && head_len % 8 == 0
                && body % 64 == 0
                && body <= old_len
                && tail_len <= end as u64
        }
    };
    if !before || coded > 4 * body || START as u64 + head_len + tail_len > end as u64 {
        return Err("the lengths do not fit each other".to_string());
    }
    let offset = if form == 1 { 0 } else { body_offset(head_len - 128, 8 * body) };
    let behind = new_len.checked_sub(offset + body).ok_or("the new file is too short")?;
    let (head_len, tail_len, body) = (head_len as usize, tail_len as usize, body as usize);
    let head = &patch[START..START + head_len];
    let tail = &patch[START + head_len..START + head_len + tail_len];
    let mut reader = Reader::new(&patch[START + head_len + tail_len..end]);
    let positions = reader.gaps(8 * body as u64, coded)?;
    reader.end()?;

    let old_offset = if form == 1 { 0 } else { u32::from_le_bytes(old[12..16].try_into().unwrap()) as usize };
    if old_offset + body > old.len() {
        return Err("the old file has no such body".to_string());
    }
    let mut changed = old[old_offset..old_offset + body].to_vec();
    if inverted & 1 == 1 {
        for byte in &mut changed {
            *byte = !*byte;
        }
    }
    for p in positions {
        changed[(p / 8) as usize] ^= 1 << (p % 8);
    }
    let mut new = Vec::new();
    if form != 1 {
        new.extend(head);
        for chunk in changed.chunks(CHUNK) {
            new.extend(xxh3(chunk, 0).to_le_bytes());
        }
        new.resize(offset as usize - 8, 0);
        new.extend(xxh3(&new, 0).to_le_bytes());
    }
    let header_sum = if form == 1 { 0 } else { u64_at(&new, offset as usize - 8) };
    new.extend(changed);
    if form == 3 {
        let (added, seal) = new_keys(&old[old_offset + body..], tail, inverted & 2 != 0, behind)?;
        let list: Vec<u8> = added.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        if !added.is_empty() {
            new.extend(&list);
            new.extend(xxh3(&list, header_sum).to_le_bytes());
        }
        new.extend(seal);
    } else {
        new.extend(tail);
    }
    if new.len() as u64 != new_len || xxh3(&new, 0) != new_sum {
        return Err("what the patch makes is not what it says".to_string());
    }
    Ok(new)
}

/// A file in the parts that a patch uses.
struct Parts<'a> {
    /// The fixed header, the records, and the section after these.
    head: &'a [u8],
    body: &'a [u8],
    /// In form 3: the added keys.
    added: Vec<u64>,
    /// The bytes after the body or after the added keys.
    tail: &'a [u8],
}

impl<'a> Parts<'a> {
    /// The parts in form 1.
    fn bytes(file: &'a [u8]) -> Parts<'a> {
        Parts { head: &[], body: file, added: Vec::new(), tail: &[] }
    }
}

/// The kind of a tepal file; 0 for other files.
fn kind(file: &[u8]) -> u8 {
    if file.len() >= 128 && file[..8] == MAGIC && file[11] == 0 { file[10] } else { 0 }
}

/// Is it a file of kind 7 with required flag 3?
fn has_added(file: &[u8]) -> bool {
    file[24] & 8 != 0
}

/// The parts of a tepal file of kind 1 or 7.
fn split(file: &[u8]) -> Result<Parts<'_>, String> {
    let offset = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let records = u32::from_le_bytes(file[120..124].try_into().unwrap()) as usize;
    let (section, body_len) = match kind(file) {
        1 => (0, body_len(u64_at(file, 40))),
        _ => ribbon::lengths(file)?,
    };
    let (head, end) = (128 + records + section as usize, offset + body_len as usize);
    if head > offset || end > file.len() {
        return Err("the lengths in the file are not right".to_string());
    }
    let (mut added, mut tail) = (Vec::new(), &file[end..]);
    if kind(file) == 7 && has_added(file) {
        let keys = (tail.len() - if file[24] & 1 == 1 { 32 } else { 0 }) / 8 - 1;
        added = (0..keys).map(|i| u64_at(tail, 8 * i)).collect();
        tail = &tail[8 * keys + 8..];
    }
    Ok(Parts { head: &file[..head], body: &file[offset..end], added, tail })
}

/// Form 3: the tail without the seal, and whether the coded keys are the keys that stay.
fn code_keys(old: &[u64], new: &[u64]) -> (Vec<u8>, bool) {
    let places = |go: bool| (0..old.len()).filter(move |&i| new.contains(&old[i]) != go).map(|i| i as u64);
    let inverted = places(false).count() < places(true).count();
    let coded: Vec<u64> = places(!inverted).collect();
    let put: Vec<u64> = new.iter().copied().filter(|hash| !old.contains(hash)).collect();
    let mut tail = Vec::new();
    for number in [old.len(), coded.len(), put.len()] {
        tail.extend((number as u64).to_le_bytes());
    }
    let mut code = gaps(old.len() as u64, &coded);
    code.extend(hashes(&put));
    tail.extend(pack(&code));
    (tail, inverted)
}

/// Form 3: the added keys of the new file and its seal, `behind` bytes in all, from the bytes after
/// the old body and the tail.
fn new_keys<'a>(
    old: &[u8],
    tail: &'a [u8],
    inverted: bool,
    behind: u64,
) -> Result<(Vec<u64>, &'a [u8]), String> {
    if tail.len() < 24 {
        return Err("a tail without its numbers".to_string());
    }
    let (code, bits) = (&tail[24..], 8 * (tail.len() as u64 - 24));
    let [count, coded, put] = [0, 8, 16].map(|at| u64_at(tail, at));
    let list_len = |keys: u64| if keys == 0 { 0 } else { 8 * keys + 8 };
    let old_len = old.len() as u64;
    let is_list = count <= old_len / 8 && matches!(old_len.checked_sub(list_len(count)), Some(0 | 32));
    if !is_list {
        return Err("the old file has not so many added keys".to_string());
    }
    if coded > count / 2 || put > bits {
        return Err("more added keys are coded than there can be".to_string());
    }
    let keys = if inverted { coded } else { count - coded } + put;
    let seal = behind.checked_sub(list_len(keys)).filter(|&seal| seal == 0 || seal == 32);
    let seal = seal.ok_or("the new length is not that of its added keys")? as usize;
    if code.len() < seal {
        return Err("no room for the seal".to_string());
    }
    let (code, seal) = code.split_at(code.len() - seal);
    let mut reader = Reader::new(code);
    let places = reader.gaps(count, coded)?;
    let put = reader.hashes(put)?;
    reader.end()?;
    let old: Vec<u64> = (0..count as usize).map(|i| u64_at(old, 8 * i)).collect();
    if old.windows(2).any(|pair| pair[0] >= pair[1]) || put.iter().any(|hash| old.contains(hash)) {
        return Err("the added keys do not ascend, or one is put in that was there".to_string());
    }
    let mut new = put;
    for (i, hash) in (0..).zip(old) {
        if places.contains(&i) == inverted {
            new.push(hash);
        }
    }
    new.sort();
    Ok((new, seal))
}

/// The little-endian u64 at an offset.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}
