//! `refused.json`: section 4.6, files that a reader refuses though their checksums are right.
//!
//! Damage by chance is caught by the checksums. These files are wrong on purpose: one field of a good file is
//! changed and, where the change comes before that step, header checksum and chunk table are made to agree.

use crate::all::hex;
use crate::print::to_json;
use crate::refused_foreign::foreign_cases;
use serde::Serialize;
use tepal_reference::bits::Layout;
use tepal_reference::decode::{decode, decode_with};
use tepal_reference::encode::{encode, encode_sealed};
use tepal_reference::filter::{Filter, Policy};
use tepal_reference::hash::{Scheme, xxh3};
use tepal_reference::key::{Domain, Key};
use tepal_reference::records::{NAME, Record};

const ABOUT: &str = "Files that a reader refuses (FORMAT.md section 4.6) although, unless the case is about them, \
    their checksums are right. `step` is the step of section 4.6 at which this implementation refuses the file; what \
    matters is that it is refused. Where `secret_key` is there, the file is opened with it, and where `seal_key` is, with \
    that.";

/// The key under which the files of scheme 2 are written.
const SECRET: [u8; 16] = *b"sixteen secrets!";

#[derive(Serialize)]
struct Refused {
    about: &'static str,
    refused: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    name: String,
    step: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal_key: Option<String>,
    file: String,
}

/// The text of the file.
pub(crate) fn json() -> Result<String, String> {
    to_json(&Refused { about: ABOUT, refused: cases()? }, 2)
}

/// A change at an offset: (step that refuses it, what it is, offset, new bytes). Header checksum mended.
type Change = (u32, &'static str, usize, &'static [u8]);

const NAN: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F];
const INFINITY: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF0, 0x7F];
const ONE: &[u8] = &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F];
const MINUS_ZERO: &[u8] = &[0, 0, 0, 0, 0, 0, 0, 0x80];
const MOST: &[u8] = &[0xFF; 8];

/// Changes to a file of layout line: 3 lines, k = 6, one record `name` of 5 bytes at 128, chunk table at 144,
/// zero bytes from 152, header checksum at 184, body at 192.
const CHANGES: &[Change] = &[
    (1, "magic of another case", 1, b"t"),
    (1, "version 0", 8, &[0, 0]),
    (1, "version 2", 8, &[2, 0]),
    (1, "kind 0", 10, &[0, 0]),
    (1, "kind 2", 10, &[2, 0]),
    (2, "body_offset 0", 12, &[0, 0, 0, 0]),
    (2, "body_offset 128", 12, &[128, 0, 0, 0]),
    (2, "body_offset 200", 12, &[200, 0, 0, 0]),
    (2, "body_offset beyond the file", 12, &[0, 2, 0, 0]),
    (2, "body_offset 2^31 + 64", 12, &[64, 0, 0, 0x80]),
    (2, "file_len one too small", 16, &[0x7F, 1]),
    (2, "file_len 2^64-1", 16, MOST),
    (5, "required flag 0, and no seal", 24, &[1]),
    (4, "required flag 1: an exception list", 24, &[2]),
    (4, "required flags 0 and 2", 24, &[5]),
    (4, "required flag 31", 27, &[0x80]),
    (4, "recipe with an unknown bit", 124, &[4]),
    (4, "records_len not a multiple of 8", 120, &[15, 0, 0, 0]),
    (4, "records_len beyond the body", 120, &[0, 1, 0, 0]),
    (4, "records_len 2^32-8", 120, &[0xF8, 0xFF, 0xFF, 0xFF]),
    (4, "record with tag 0", 128, &[0, 0]),
    (4, "record with tag 5 in scheme 1", 128, &[5, 0]),
    (4, "record with tag 6", 128, &[6, 0]),
    (4, "record with tag 7FFF", 128, &[0xFF, 0x7F]),
    (4, "record with something after its tag", 130, &[1]),
    (4, "record of length 0", 132, &[0]),
    (4, "record longer than the records", 132, &[9]),
    (4, "record of 2^32-1 bytes", 132, &[0xFF; 4]),
    (4, "record with a line feed", 137, b"\n"),
    (4, "record with a delete character", 137, &[0x7F]),
    (4, "record that is not UTF-8", 137, &[0xFF]),
    (4, "record with padding that is not zero", 143, &[1]),
    (4, "layout 0", 32, &[0]),
    (4, "layout 5", 32, &[5]),
    (4, "layout split-block with k = 6", 32, &[3]),
    (4, "scheme 0", 33, &[0]),
    (4, "scheme 4", 33, &[4]),
    (4, "scheme 15", 33, &[15]),
    (4, "scheme 29", 33, &[29]),
    (4, "scheme 255", 33, &[255]),
    (4, "key domain 0", 34, &[0]),
    (4, "key domain 7", 34, &[7]),
    (4, "policy 0", 35, &[0]),
    (4, "policy 4", 35, &[4]),
    (4, "k = 0", 36, &[0, 0, 0, 0]),
    (4, "k = 17", 36, &[17, 0, 0, 0]),
    (4, "k = 2^32-1", 36, &[0xFF; 4]),
    (4, "bit_len 0", 40, &[0; 8]),
    (4, "bit_len not in whole lines", 40, &[64, 6]),
    (4, "bit_len 2^64-1", 40, MOST),
    (4, "capacity 0", 48, &[0; 8]),
    (4, "rate 0", 56, &[0; 8]),
    (4, "rate -0.0", 56, MINUS_ZERO),
    (4, "rate 1", 56, ONE),
    (4, "rate infinite", 56, INFINITY),
    (4, "rate not a number", 56, NAN),
    (4, "more set bits than bits", 80, &[1, 6]),
    (4, "set bits 2^64-1", 80, MOST),
    (5, "bit_len of another size", 40, &[0, 4]),
    (5, "bit_len 2^46", 40, &[0, 0, 0, 0, 0, 0x40, 0, 0]),
    (4, "bit_len 2^46 + 512", 40, &[0, 2, 0, 0, 0, 0x40, 0, 0]),
    (4, "bit_len 2^63", 40, &[0, 0, 0, 0, 0, 0, 0, 0x80]),
    (4, "bit_len 2^64-512", 40, &[0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    (5, "padding before the header checksum not zero", 183, &[1]),
    (6, "another seed", 64, &[1]),
    (6, "another scheme", 33, &[3]),
    (6, "another layout", 32, &[4]),
    (6, "another k", 36, &[7]),
    (6, "another self-test", 112, &[0xFF]),
    (7, "another chunk checksum", 144, &[0xEE]),
    (7, "another number of set bits", 80, &[0, 0]),
];

/// All cases.
fn cases() -> Result<Vec<Case>, String> {
    let line = good(Layout::Line, 6, 3, Scheme::Xxh3 { seed: 0 })?;
    let mut cases = Vec::new();
    let mut add = |step: u32, name: &str, file: &[u8], secret: Option<[u8; 16]>| {
        let case = Case::new(step, name, file, secret, None)?;
        cases.push(case);
        Ok::<(), String>(())
    };

    for &(step, name, at, bytes) in CHANGES {
        let mut file = line.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        mend_header(&mut file, 192);
        add(step, name, &file, None)?;
    }

    add(1, "no bytes", &[], None)?;
    add(1, "the magic alone", &line[..8], None)?;
    add(1, "23 bytes", &line[..23], None)?;
    add(2, "24 bytes", &line[..24], None)?;
    add(2, "one byte missing", &line[..line.len() - 1], None)?;
    let mut longer = line.clone();
    longer.push(0);
    add(2, "one byte more", &longer, None)?;
    longer[16..24].copy_from_slice(&(line.len() as u64 + 1).to_le_bytes());
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

    // A body of 96 bytes and 32 of padding; no room is left for anything else: table at 144, as above.
    let mut padded = good(Layout::SplitBlock, 8, 3, Scheme::Xxh3 { seed: 0 })?;
    let last = padded.len() - 1;
    padded[last] = 1;
    mend_body(&mut padded, 144, 192);
    add(7, "padding after the body not zero", &padded, None)?;
    // One more line of 64 zero bytes before the body than is needed.
    let mut wide = line.clone();
    wide.splice(152..152, [0; 64]);
    wide[12..16].copy_from_slice(&256u32.to_le_bytes());
    let wide_len = wide.len() as u64;
    wide[16..24].copy_from_slice(&wide_len.to_le_bytes());
    mend_header(&mut wide, 256);
    add(5, "body_offset larger than needed", &wide, None)?;

    let keyed = good(Layout::Line, 6, 3, Scheme::SipHash13 { key: SECRET })?;
    decode(&keyed, Some(&SECRET))?;
    add(6, "secret key not given", &keyed, None)?;
    add(6, "wrong secret key", &keyed, Some([0; 16]))?;
    add(6, "secret key for a file without one", &line, Some(SECRET))?;
    let mut checked = keyed;
    checked[64] ^= 1;
    mend_header(&mut checked, 192);
    add(6, "another key check", &checked, Some(SECRET))?;
    for (step, name, file, secret) in foreign_cases()? {
        add(step, name, &file, secret)?;
    }
    cases.extend(sealed_cases(&line)?);
    Ok(cases)
}

/// Files about the seal: not there, under another key, of other bytes; `line` is a file without one.
fn sealed_cases(line: &[u8]) -> Result<Vec<Case>, String> {
    const KEY: &[u8] = b"the key of this seal";
    let filter = decode(line, None)?;
    let sealed = encode_sealed(&filter, KEY)?;
    decode_with(&sealed, None, Some(KEY))?;
    let end = sealed.len() - 32;
    let mut stripped = sealed[..end].to_vec();
    stripped[16..24].copy_from_slice(&(end as u64).to_le_bytes());
    mend_header(&mut stripped, 192);
    let mut unsealed = stripped.clone();
    unsealed[24] = 0;
    mend_header(&mut unsealed, 192);
    let mut doubled = sealed.clone();
    doubled.extend(&sealed[end..]);
    doubled[16..24].copy_from_slice(&(end as u64 + 64).to_le_bytes());
    mend_header(&mut doubled, 192);
    // What someone without the key can do: change a bit and mend every checksum.
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
    let other = encode_sealed(&other, KEY)?;
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
    .map(|(step, name, file, key)| Case::new(step, name, file, None, key))
    .collect()
}

impl Case {
    /// A file that is refused at this step, which is checked here.
    fn new(
        step: u32,
        name: &str,
        file: &[u8],
        secret: Option<[u8; 16]>,
        seal_key: Option<&[u8]>,
    ) -> Result<Case, String> {
        match decode_with(file, secret.as_ref(), seal_key) {
            Err(message) if message.starts_with(&format!("step {step}:")) => {}
            Err(message) => return Err(format!("{name}, expected at step {step}: {message}")),
            Ok(_) => return Err(format!("{name}: not refused")),
        }
        Ok(Case {
            name: name.to_string(),
            step,
            secret_key: secret.map(|key| hex(&key)),
            seal_key: seal_key.map(hex),
            file: hex(file),
        })
    }
}

/// A file with one record, `name` = "vectr", and three keys.
fn good(layout: Layout, k: u32, units: u64, scheme: Scheme) -> Result<Vec<u8>, String> {
    let mut filter = Filter::new(layout, k, units * layout.unit(), scheme, Domain::Bytes)?;
    filter.policy = Policy::Warn;
    filter.capacity = 100;
    filter.records.push(Record::new(NAME, "vectr"));
    for key in ["petal", "sepal", "tepal"] {
        filter.insert(Key::Bytes(key.as_bytes()))?;
    }
    encode(&filter)
}

/// Makes the header checksum right; the body really starts at `body_offset`, whatever the header says.
pub(crate) fn mend_header(file: &mut [u8], body_offset: usize) {
    let end = body_offset - 8;
    let checksum = xxh3(&file[..end], 0);
    file[end..body_offset].copy_from_slice(&checksum.to_le_bytes());
}

/// Makes the one entry of the chunk table right, and then the header checksum.
pub(crate) fn mend_body(file: &mut [u8], table: usize, body_offset: usize) {
    let checksum = xxh3(&file[body_offset..], 0);
    file[table..table + 8].copy_from_slice(&checksum.to_le_bytes());
    mend_header(file, body_offset);
}
