//! `refused.json`: section 4.6, files that a reader refuses although their checksums are right.
//!
//! Checksums find accidental damage. These files are wrong on purpose: some fields of a good file
//! are changed. Header checksum and chunk table are corrected if an earlier step would refuse the
//! file otherwise.

use crate::changed::mend_header;
use crate::changes::{self, Change};
use crate::json::{Json, hex, list, object, optional, plain};
use crate::kinds::{SECRET, offset_of, under_a_secret};
use crate::schemes::VALKEY_SEEDS;
use tepal_reference::bits::{LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::filter::Filter;
use tepal_reference::hash::xxh3;
use tepal_reference::read::read;
use tepal_reference::write::{body_offset as offset_for, write};

const ABOUT: &str = "Files that a reader refuses (FORMAT.md section 4.6) although, unless the case is about them, \
    their checksums are right. `step` is the step of section 4.6 that refuses the file. Where `secret_key` is there, the \
    file is opened with it, and where `seal_key` is, with that. A `file` that is a list is its parts one after the \
    other, those with `times` so often.";

/// Records, tag and value, in the order in which they are written.
type Records<'a> = &'a [(u16, &'a str)];

/// Bytes that all records of a file may take.
const MOST_RECORDS: usize = 65_536;

/// Offsets of the number of bits and of the number of set bits.
const M: usize = 40;
const SET_BITS: usize = 80;

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let line = good(LINE, 1, 6, 3 * 512)?;
    let mut cases = changed(&line, changes::LINE)?;
    cases.extend(line_cases(&line)?);
    cases.extend(record_cases(&line)?);
    cases.extend(foreign_cases()?);
    cases.extend(sealed_cases(&line)?);
    cases.extend(caller_hash_cases()?);
    Ok(object([("about", plain(ABOUT)), ("refused", list(cases))]))
}

/// The JSON of a file that is refused at this step. Checks that it is refused there.
fn case(
    step: u32,
    name: &str,
    file: &[u8],
    secret: Option<[u8; 16]>,
    seal_key: Option<&[u8]>,
) -> Result<Json, String> {
    match read(file, secret.as_ref(), seal_key) {
        Err(message) if message.starts_with(&format!("step {step}:")) => {}
        Err(message) => return Err(format!("{name}, expected at step {step}: {message}")),
        Ok(_) => return Err(format!("{name}: not refused")),
    }
    Ok(object([
        ("name", plain(name)),
        ("step", plain(step)),
        ("secret_key", optional(secret.map(|key| hex(&key)))),
        ("seal_key", optional(seal_key.map(hex))),
        ("file", in_parts(file)),
    ]))
}

/// The bytes of a file; a list of parts if the file has long runs of one byte.
fn in_parts(file: &[u8]) -> Json {
    const LONG: usize = 1000;
    let mut parts = Vec::new();
    let mut rest = 0;
    let mut at = 0;
    while at < file.len() {
        let times = file[at..].iter().take_while(|byte| **byte == file[at]).count();
        if times >= LONG {
            parts.push(hex(&file[rest..at]));
            parts.push(object([("hex", hex(&file[at..=at])), ("times", plain(times))]));
            rest = at + times;
        }
        at += times;
    }
    if parts.is_empty() {
        return hex(file);
    }
    parts.push(hex(&file[rest..]));
    list(parts)
}

/// A good file with each of some changes.
fn changed(good: &[u8], changes: &[Change]) -> Result<Vec<Json>, String> {
    read(good, None, None)?;
    let mut cases = Vec::new();
    for &(step, name, edits) in changes {
        let mut file = good.to_vec();
        for (at, bytes) in edits {
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        mend_header(&mut file, offset_of(good));
        cases.push(case(step, name, &file, None, None)?);
    }
    Ok(cases)
}

/// Other changes to the file of layout line, and files under a secret key.
fn line_cases(line: &[u8]) -> Result<Vec<Json>, String> {
    let line = line.to_vec();
    let mut cases = Vec::new();
    let mut add = |step: u32, name: &str, file: &[u8], secret: Option<[u8; 16]>| -> Result<(), String> {
        cases.push(case(step, name, file, secret, None)?);
        Ok(())
    };
    add(1, "no bytes", &[], None)?;
    add(1, "the magic alone", &line[..8], None)?;
    add(1, "23 bytes", &line[..23], None)?;
    add(2, "24 bytes", &line[..24], None)?;
    add(2, "one byte missing", &line[..line.len() - 1], None)?;
    let mut longer = line.clone();
    longer.push(0);
    add(2, "one byte more", &longer, None)?;
    set_file_len(&mut longer);
    mend_header(&mut longer, 192);
    add(5, "one byte more, and file_len says so", &longer, None)?;

    let mut unmended = line.clone();
    unmended[72] ^= 1;
    add(3, "keys inserted changed, header checksum not mended", &unmended, None)?;
    let mut body = line.clone();
    body[192] ^= 1;
    add(7, "a bit of the body changed", &body, None)?;
    mend_body(&mut body, 144, 192);
    add(7, "a bit of the body changed, all checksums mended", &body, None)?;

    // A body of 96 bytes and 32 bytes of padding; no space is left for anything else: table at 144,
    // as above.
    let mut padded = good(SPLIT_BLOCK, 1, 8, 3 * 256)?;
    let last = padded.len() - 1;
    padded[last] = 1;
    mend_body(&mut padded, 144, 192);
    add(7, "padding after the body not zero", &padded, None)?;
    // The number of set bits counts the bit, as if it were a bit of the filter.
    one_more_set_bit(&mut padded, 192);
    add(7, "padding after the body not zero, and counted", &padded, None)?;
    let mut scattered = good(SCATTERED, 1, 7, 640)?;
    scattered[192 + 640 / 8] = 1;
    mend_body(&mut scattered, 144, 192);
    add(7, "a bit beyond bit_len", &scattered, None)?;
    one_more_set_bit(&mut scattered, 192);
    add(7, "a bit beyond bit_len, counted", &scattered, None)?;
    // 64 zero bytes more before the body than needed.
    let mut wide = line.clone();
    wide.splice(152..152, [0; 64]);
    wide[12..16].copy_from_slice(&256u32.to_le_bytes());
    set_file_len(&mut wide);
    mend_header(&mut wide, 256);
    add(5, "body_offset larger than needed", &wide, None)?;

    let keyed = good(LINE, 2, 6, 3 * 512)?;
    read(&keyed, Some(&SECRET), None)?;
    add(6, "secret key not given", &keyed, None)?;
    add(6, "wrong secret key", &keyed, Some([0; 16]))?;
    add(6, "secret key for a file without one", &line, Some(SECRET))?;
    let mut checked = keyed;
    checked[64] ^= 1;
    mend_header(&mut checked, 192);
    add(6, "another key check", &checked, Some(SECRET))?;
    Ok(cases)
}

/// Files that are good except for the order, the number or the total length of their records.
fn record_cases(line: &[u8]) -> Result<Vec<Json>, String> {
    // Good counterparts of the wrong lists below.
    let longest = "x".repeat(MOST_RECORDS - 8);
    let good: [Records<'_>; 14] = [
        &[(1, "one"), (2, "two"), (4, "four")],
        &[(1, "one"), (0x8000, "of later"), (0x8001, "of later")],
        &[(0xFFFF, "of later")],
        &[(0x8000, &longest)],
        &[(4, "id"), (7, "csv 2c")],
        &[(4, "id"), (7, "plain 09 nul")],
        &[(4, "/id"), (7, "json")],
        &[(7, "whole")],
        &[(4, "id"), (7, "csv 2c 5c")],
        &[(4, "id"), (7, "csv 3b empty")],
        &[(4, "id"), (7, "csv 3b 5c empty")],
        &[(4, "id"), (7, "plain 09 nul empty")],
        &[(4, "/id"), (7, "json nul empty")],
        &[(4, "id"), (7, "empty")],
    ];
    for records in good {
        read(&with_records(line, records), None, None)?;
    }
    let longer = "x".repeat(MOST_RECORDS - 7);
    let short = "x".repeat(30_000);
    let bad: [(&str, Records<'_>); 23] = [
        ("records out of order", &[(2, "two"), (1, "one")]),
        ("the last record out of order", &[(1, "one"), (4, "four"), (3, "three")]),
        ("a record twice", &[(1, "one"), (1, "one")]),
        ("a record twice, with another value", &[(1, "one"), (2, "two"), (2, "zwei")]),
        ("ignored records out of order", &[(0x8001, "of later"), (0x8000, "of later")]),
        ("an ignored record twice", &[(0x8000, "of later"), (0x8000, "of later")]),
        ("a record after an ignored one", &[(0x8000, "of later"), (1, "one")]),
        ("one record of more than 65,536 bytes", &[(0x8000, &longer)]),
        (
            "records of more than 65,536 bytes",
            &[(0x8000, "y"), (0x8001, &short), (0x8002, &longest[..40_000])],
        ),
        ("rows of no field", &[(1, "one"), (7, "csv 2c")]),
        ("rows without a separator", &[(4, "id"), (7, "csv")]),
        ("rows with a separator in capital letters", &[(4, "id"), (7, "csv 2C")]),
        ("rows with a line feed between fields", &[(4, "id"), (7, "plain 0a")]),
        ("rows of CSV that end with NUL", &[(4, "id"), (7, "csv 2c nul")]),
        ("rows of JSON with a name", &[(4, "id"), (7, "json")]),
        ("rows of CSV with a pointer", &[(4, "/id"), (7, "csv 2c")]),
        ("rows of another form", &[(4, "id"), (7, "tsv 09")]),
        ("whole records, and a field", &[(4, "id"), (7, "whole")]),
        ("empty fields of no field", &[(7, "empty")]),
        ("rows of which empty fields are keys twice", &[(4, "id"), (7, "csv 2c empty empty")]),
        ("rows with NUL after empty", &[(4, "id"), (7, "plain 09 empty nul")]),
        ("rows of CSV with the separator as the escape", &[(4, "id"), (7, "csv 2c 2c")]),
        ("plain rows with an escape", &[(4, "id"), (7, "plain 2c 5c")]),
    ];
    bad.into_iter().map(|(name, records)| case(4, name, &with_records(line, records), None, None)).collect()
}

/// The file of one chunk with other records, without a check of the records.
fn with_records(file: &[u8], records: Records<'_>) -> Vec<u8> {
    let (mut bytes, body) = (Vec::new(), offset_of(file));
    for (tag, value) in records {
        bytes.extend(tag.to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let bit_len = u64::from_le_bytes(file[M..M + 8].try_into().unwrap_or_default());
    let offset = offset_for(bytes.len() as u64, bit_len) as usize;
    let old_end = 128 + u32::from_le_bytes(file[120..124].try_into().unwrap_or_default()) as usize;
    let table = &file[old_end..old_end + 8];
    let mut changed = [&file[..128], &bytes, table].concat();
    changed.resize(offset, 0);
    changed.extend(&file[body..]);
    changed[12..16].copy_from_slice(&(offset as u32).to_le_bytes());
    changed[120..124].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    set_file_len(&mut changed);
    mend_header(&mut changed, offset);
    changed
}

/// Files of schemes with a rule of their own.
fn foreign_cases() -> Result<Vec<Json>, String> {
    let mut split = Filter::new(SCATTERED, 17, 7, 2003);
    split.parameter = 1;
    let split = filled(split)?;
    let mut valkey = Filter::new(SCATTERED, 28, 6, 408);
    valkey.records = vec![(5, VALKEY_SEEDS[0].iter().map(|byte| format!("{byte:02x}")).collect())];
    let mut cases = changed(&split, changes::SPLIT)?;
    cases.extend(changed(&filled(valkey)?, changes::VALKEY)?);

    // Bits 2003 to 2007 are the unused bits of the last byte that has bits of the filter.
    let mut beyond = split.clone();
    let body = offset_of(&split);
    beyond[body + 250] |= 0x08;
    mend_body(&mut beyond, 128, body);
    cases.push(case(7, "md5-split with a bit beyond bit_len", &beyond, None, None)?);
    one_more_set_bit(&mut beyond, body);
    cases.push(case(7, "md5-split with a bit beyond bit_len, counted", &beyond, None, None)?);
    cases.push(case(6, "secret key for md5-split", &split, Some([7; 16]), None)?);
    Ok(cases)
}

/// Files of scheme 4.
fn caller_hash_cases() -> Result<Vec<Json>, String> {
    let mut filter = Filter::new(LINE, 4, 6, 512);
    filter.capacity = 50;
    filter.records = vec![(6, "the hash".to_string())];
    for text in ["petal", "sepal", "tepal"] {
        filter.insert_hash(xxh3(text.as_bytes(), 0));
    }
    let file = write(&filter, None)?;
    let mut cases = changed(&file, changes::CALLER)?;
    cases.push(case(6, "secret key for caller-hash", &file, Some(SECRET), None)?);
    Ok(cases)
}

/// Files with a wrong seal: missing, under another key, of other bytes. `line` is a file without a
/// seal.
fn sealed_cases(line: &[u8]) -> Result<Vec<Json>, String> {
    const KEY: &[u8] = b"the key of this seal";
    let filter = read(line, None, None)?;
    let sealed = write(&filter, Some(KEY))?;
    read(&sealed, None, Some(KEY))?;
    let end = sealed.len() - 32;
    let mut stripped = sealed[..end].to_vec();
    set_file_len(&mut stripped);
    mend_header(&mut stripped, 192);
    let mut unsealed = stripped.clone();
    unsealed[24] = 0;
    mend_header(&mut unsealed, 192);
    let mut doubled = sealed.clone();
    doubled.extend(&sealed[end..]);
    set_file_len(&mut doubled);
    mend_header(&mut doubled, 192);
    // Somebody without the key can change a bit and correct every checksum.
    let mut swapped = sealed.clone();
    swapped[72] ^= 1;
    mend_header(&mut swapped, 192);
    let mut flipped = sealed.clone();
    flipped[end] ^= 1;
    let mut last = sealed.clone();
    last[end + 31] ^= 0x80;
    let mut body = sealed.clone();
    body[192] ^= 1;
    let mut other = filter.clone();
    other.capacity += 1;
    let other = write(&other, Some(KEY))?;
    let spliced = [&sealed[..end], &other[end..]].concat();
    [
        (6, "sealed, no seal key given", &sealed, None),
        (6, "not sealed, a seal key given", &line.to_vec(), Some(KEY)),
        (6, "the seal taken off", &unsealed, Some(KEY)),
        (5, "the seal cut off", &stripped, Some(KEY)),
        (5, "two seals", &doubled, Some(KEY)),
        (7, "sealed, a bit of the body changed", &body, Some(KEY)),
        (8, "another seal key", &sealed, Some(&b"the key of that seal"[..])),
        (8, "sealed, header changed and its checksum mended", &swapped, Some(KEY)),
        (8, "first bit of the seal changed", &flipped, Some(KEY)),
        (8, "last bit of the seal changed", &last, Some(KEY)),
        (8, "the seal of another file", &spliced, Some(KEY)),
    ]
    .into_iter()
    .map(|(step, name, file, key)| case(step, name, file, None, key))
    .collect()
}

/// A file with one record, `name` = "vectr", and three keys.
fn good(layout: u8, scheme: u8, k: u32, bit_len: u64) -> Result<Vec<u8>, String> {
    let mut filter = Filter::new(layout, scheme, k, bit_len);
    if scheme == 2 {
        (filter.scheme, filter.secret, filter.parameter) = under_a_secret();
    }
    filter.policy = 2;
    filter.records.push((1, "vectr".to_string()));
    filled(filter)
}

/// The file of a filter with three keys.
fn filled(mut filter: Filter) -> Result<Vec<u8>, String> {
    filter.capacity = 100;
    for key in ["petal", "sepal", "tepal"] {
        filter.insert(key.as_bytes())?;
    }
    write(&filter, None)
}

/// Corrects the only entry of the chunk table, and then the header checksum.
fn mend_body(file: &mut [u8], table: usize, body_offset: usize) {
    let checksum = xxh3(&file[body_offset..], 0);
    file[table..table + 8].copy_from_slice(&checksum.to_le_bytes());
    mend_header(file, body_offset);
}

/// Adds one to the number of set bits in the header.
fn one_more_set_bit(file: &mut [u8], body_offset: usize) {
    file[SET_BITS] += 1;
    mend_header(file, body_offset);
}

/// Sets `file_len` to the real length.
fn set_file_len(file: &mut [u8]) {
    let file_len = file.len() as u64;
    file[16..24].copy_from_slice(&file_len.to_le_bytes());
}
