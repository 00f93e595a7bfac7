//! Section 4.6: from the bytes of a file to a filter, with every check in the order written there.
//!
//! Each refusal is a text that starts with the number of its step, as in `step 3: the header checksum ...`.

use crate::bits::Layout;
use crate::encode::{CHUNK, HEADER_LEN, KIND_BLOOM, MAGIC, SEALED, VERSION};
use crate::encode::{body_len, body_offset, check_plan, seal_len};
use crate::filter::{Filter, Policy, self_test};
use crate::hash::{Scheme, xxh3};
use crate::key::{Domain, check_recipe};
use crate::records::{self, Record, SEED};
use crate::schemes::Own;
use crate::seal::seal;

/// Reads a file that has no seal. `secret` is the key of scheme 2; under every other scheme there must be none.
pub fn decode(file: &[u8], secret: Option<&[u8; 16]>) -> Result<Filter, String> {
    decode_with(file, secret, None)
}

/// Reads a file, sealed or not: with a seal key it must be, without one it must not.
pub fn decode_with(
    file: &[u8],
    secret: Option<&[u8; 16]>,
    seal_key: Option<&[u8]>,
) -> Result<Filter, String> {
    magic_version_kind(file).map_err(step(1))?;
    let offset = lengths(file).map_err(step(2))?;
    let header = &file[..offset];
    header_checksum(header).map_err(step(3))?;
    let fields = fields(header).map_err(step(4))?;
    sizes_follow(header, file.len() as u64, &fields).map_err(step(5))?;
    let scheme = with_secret(header, &fields, secret).map_err(step(6))?;
    seal_key_fits(header, seal_key).map_err(step(6))?;
    compare_self_test(header, &fields, &scheme).map_err(step(6))?;
    let body_end = offset + body_len(fields.bit_len) as usize;
    let bits = body(header, &file[offset..body_end], &fields).map_err(step(7))?;
    if let Some(key) = seal_key {
        compare_seal(key, &file[..body_end], &file[body_end..]).map_err(step(8))?;
    }

    Ok(Filter {
        layout: fields.layout,
        num_hashes: fields.num_hashes,
        scheme,
        domain: fields.domain,
        policy: fields.policy,
        capacity: u64_at(header, 48),
        rate: fields.rate,
        recipe: u32_at(header, 124),
        records: fields.records,
        keys_inserted: u64_at(header, 72),
        bits,
    })
}

/// Puts the number of the step before a message.
fn step(number: u32) -> impl Fn(String) -> String {
    move |message| format!("step {number}: {message}")
}

/// Step 1: at least 8 bytes and the magic; at least 24 bytes; version and kind known.
fn magic_version_kind(file: &[u8]) -> Result<(), String> {
    if file.len() < 8 || file[..8] != MAGIC {
        return Err("this is not a tepal file".to_string());
    }
    if file.len() < 24 {
        return Err(format!("the file ends after {} bytes", file.len()));
    }
    let (version, kind) = (u16_at(file, 8), u16_at(file, 10));
    if version != VERSION {
        return Err(format!("version {version} is not known, {VERSION} is"));
    }
    if kind != KIND_BLOOM {
        return Err(format!("kind {kind} is not known, {KIND_BLOOM} (Bloom filter) is"));
    }
    Ok(())
}

/// Step 2: the two lengths, compared with the bytes that are there. Gives `body_offset`.
fn lengths(file: &[u8]) -> Result<usize, String> {
    let file_len = u64_at(file, 16);
    if file_len != file.len() as u64 {
        return Err(format!("the file has {} bytes and says {file_len}", file.len()));
    }
    let offset = u32_at(file, 12);
    let fits = u64::from(offset) <= file_len && offset <= 1 << 31;
    if offset % 64 != 0 || offset < 192 || !fits {
        return Err(format!("body_offset cannot be {offset}"));
    }
    Ok(offset as usize)
}

/// Step 3: the checksum in the last 8 bytes before the body, of everything before it.
fn header_checksum(header: &[u8]) -> Result<(), String> {
    let end = header.len() - 8;
    let (found, computed) = (u64_at(header, end), xxh3(&header[..end], 0));
    if found != computed {
        return Err(format!("the header checksum is {found:#018x}, its bytes give {computed:#018x}"));
    }
    Ok(())
}

/// What step 4 has read and checked.
struct Fields {
    layout: Layout,
    /// The scheme, save scheme 2, whose key is not in the file.
    open_scheme: Option<Scheme>,
    domain: Domain,
    policy: Policy,
    num_hashes: u32,
    bit_len: u64,
    rate: f64,
    records: Vec<Record>,
}

/// Step 4: flags, recipe, records, and the fields of section 4.2 one by one.
fn fields(header: &[u8]) -> Result<Fields, String> {
    let flags = u32_at(header, 24);
    if flags & !SEALED != 0 {
        return Err(format!("required flags {flags:#x} are not known"));
    }
    check_recipe(u32_at(header, 124))?;

    let records_len = u32_at(header, 120) as usize;
    if records_len % 8 != 0 || records_len > records::MAX_LEN {
        return Err(format!("records_len cannot be {records_len}"));
    }
    let start = HEADER_LEN as usize;
    if start + records_len > header.len() - 8 {
        return Err(format!("{records_len} bytes of records do not fit before the body"));
    }
    let mut records = records::decode(&header[start..start + records_len])?;

    let layout = by_id(&Layout::ALL, Layout::id, header[32], "layout")?;
    let seed = records.iter().position(|record| record.tag == SEED).map(|i| records.remove(i).value);
    let open_scheme = open_scheme(header[33], u64_at(header, 64), seed.as_deref())?;
    let domain = by_id(&Domain::ALL, Domain::id, header[34], "key domain")?;
    let policy = by_id(&Policy::ALL, Policy::id, header[35], "policy")?;
    let (num_hashes, bit_len) = (u32_at(header, 36), u64_at(header, 40));
    match &open_scheme {
        Some(scheme) => scheme.check(layout, num_hashes, bit_len)?,
        None => layout.check(num_hashes, bit_len)?,
    }
    let rate = f64::from_bits(u64_at(header, 56));
    check_plan(u64_at(header, 48), rate)?;
    let set_bits = u64_at(header, 80);
    if set_bits > bit_len {
        return Err(format!("{set_bits} set bits in {bit_len}"));
    }
    Ok(Fields { layout, open_scheme, domain, policy, num_hashes, bit_len, rate, records })
}

/// The scheme of an id, with what offset 64 and record 5 say of it; nothing for scheme 2.
fn open_scheme(id: u8, field: u64, seed: Option<&str>) -> Result<Option<Scheme>, String> {
    if id == 0 || id > 3 {
        return Ok(Some(Scheme::Own(Own::from_file(id, field, seed)?)));
    }
    if seed.is_some() {
        return Err(format!("scheme {id} has no record {SEED}"));
    }
    match (id, field) {
        (1, seed) => Ok(Some(Scheme::Xxh3 { seed })),
        (2, _) => Ok(None),
        (_, 0) => Ok(Some(Scheme::Xxh64)),
        (_, other) => Err(format!("scheme {id} has no parameter {other:#x}")),
    }
}

/// The member of a closed list that has an id.
fn by_id<T: Copy>(all: &[T], id_of: fn(T) -> u8, id: u8, what: &str) -> Result<T, String> {
    all.iter().copied().find(|&value| id_of(value) == id).ok_or(format!("{what} {id} is not known"))
}

/// Step 5: bit_len and records_len leave one possible value for `body_offset` and for `file_len`. The zero
/// bytes before the header checksum are looked at here, because only now is it known where they begin.
fn sizes_follow(header: &[u8], file_len: u64, fields: &Fields) -> Result<(), String> {
    let records_len = u64::from(u32_at(header, 120));
    let offset = header.len() as u64;
    if offset != body_offset(records_len, fields.bit_len) {
        return Err(format!("body_offset {offset} does not follow from {} bits", fields.bit_len));
    }
    if file_len - offset != body_len(fields.bit_len) + seal_len(u32_at(header, 24)) {
        return Err(format!(
            "{} bytes of body and seal do not follow from {} bits",
            file_len - offset,
            fields.bit_len
        ));
    }
    let table_end = HEADER_LEN + records_len + 8 * body_len(fields.bit_len).div_ceil(CHUNK);
    if header[table_end as usize..header.len() - 8].iter().any(|&byte| byte != 0) {
        return Err("the padding before the header checksum is not 0".to_string());
    }
    Ok(())
}

/// Step 6, first half: the scheme of the header, or the secret key if it is the right one.
fn with_secret(header: &[u8], fields: &Fields, secret: Option<&[u8; 16]>) -> Result<Scheme, String> {
    match (&fields.open_scheme, secret) {
        (Some(scheme), None) => Ok(scheme.clone()),
        (Some(_), Some(_)) => Err("a secret key is given, and the filter was made without one".to_string()),
        (None, None) => Err("the filter needs its secret key".to_string()),
        (None, Some(key)) => {
            let scheme = Scheme::SipHash13 { key: *key };
            if scheme.field_at_64() != u64_at(header, 64) {
                return Err("this is not the secret key of the filter".to_string());
            }
            Ok(scheme)
        }
    }
}

/// Step 6: a seal key for a sealed file, and only for one.
fn seal_key_fits(header: &[u8], seal_key: Option<&[u8]>) -> Result<(), String> {
    match (u32_at(header, 24) & SEALED != 0, seal_key) {
        (true, None) => Err("the file is sealed, and no seal key is given".to_string()),
        (false, Some(_)) => Err("a seal key is given, and the file is not sealed".to_string()),
        _ => Ok(()),
    }
}

/// Step 8: the seal is that of all bytes before it.
fn compare_seal(key: &[u8], sealed: &[u8], found: &[u8]) -> Result<(), String> {
    // Every byte is looked at, whichever differs: how long it takes tells nothing.
    let computed = seal(key, sealed)?;
    let differing = found.iter().zip(computed).fold(0, |all, (found, computed)| all | (found ^ computed));
    if differing == 0 { Ok(()) } else { Err("the seal is not that of this key".to_string()) }
}

/// Step 6, the rest: hash and layout are the writer's.
fn compare_self_test(header: &[u8], fields: &Fields, scheme: &Scheme) -> Result<(), String> {
    let computed = self_test(fields.layout, fields.num_hashes, fields.bit_len, scheme);
    for (i, &sum) in computed.iter().enumerate() {
        let found = u64_at(header, 88 + 8 * i);
        if found != sum {
            return Err(format!("self-test {i} is {found}, computed {sum}"));
        }
    }
    Ok(())
}

/// Step 7: every chunk's checksum, the zero padding, the number of set bits. Gives the bits.
fn body(header: &[u8], body: &[u8], fields: &Fields) -> Result<Vec<bool>, String> {
    let table = (HEADER_LEN + u64::from(u32_at(header, 120))) as usize;
    for (i, chunk) in body.chunks(CHUNK as usize).enumerate() {
        let (found, computed) = (u64_at(header, table + 8 * i), xxh3(chunk, 0));
        if found != computed {
            return Err(format!("checksum {i} is {found:#018x}, its chunk gives {computed:#018x}"));
        }
    }
    let mut bits = Vec::new();
    for byte in body {
        for i in 0..8 {
            bits.push(byte >> i & 1 == 1);
        }
    }
    let padding = bits.split_off(fields.bit_len as usize);
    if padding.contains(&true) {
        return Err("the padding after the body is not 0".to_string());
    }
    let (found, counted) = (u64_at(header, 80), bits.iter().filter(|&&bit| bit).count() as u64);
    if found != counted {
        return Err(format!("the header says {found} set bits, the body has {counted}"));
    }
    Ok(bits)
}

/// The little-endian u16 at an offset.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// The little-endian u32 at an offset.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

/// The little-endian u64 at an offset.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
