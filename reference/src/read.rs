//! Section 4.6: reads the bytes of a file into a filter, with every check in the order of that
//! section.
//!
//! Each error is a text that starts with the number of its step, as in
//! `step 3: the header checksum ...`.

use crate::divider::Divider;
use crate::filter::{Filter, check_records};
use crate::hash::{siphash13, xxh3};
use crate::write::{CHUNK, KEY_CHECK, MAGIC, body_len, body_offset, seal};

/// Reads a file. The secret key belongs to scheme 2; it must be `None` for every other scheme. A
/// seal key must be given exactly if the file is sealed.
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Filter, String> {
    // Step 1: at least 8 bytes and the magic; at least 24 bytes; version and kind known.
    if file.len() < 8 || file[..8] != MAGIC {
        return refuse(1, "this is not a tepal file");
    }
    if file.len() < 24 {
        return refuse(1, &format!("the file ends after {} bytes", file.len()));
    }
    if u16_at(file, 8) != 1 || u16_at(file, 10) != 1 {
        return refuse(1, &format!("version {} or kind {} is not known", u16_at(file, 8), u16_at(file, 10)));
    }

    // Step 2: the two lengths, compared with the real length.
    let file_len = u64_at(file, 16);
    if file_len != file.len() as u64 {
        return refuse(2, &format!("the file has {} bytes and says {file_len}", file.len()));
    }
    let offset = u32_at(file, 12) as usize;
    if offset % 64 != 0 || !(192..=1 << 31).contains(&offset) || offset > file.len() {
        return refuse(2, &format!("body_offset cannot be {offset}"));
    }
    let header = &file[..offset - 8];

    // Step 3: the header checksum.
    let (found, computed) = (u64_at(file, offset - 8), xxh3(header, 0));
    if found != computed {
        return refuse(3, &format!("the header checksum is {found:#018x}, its bytes give {computed:#018x}"));
    }

    // Step 4: required flags, records, and the limits of every field.
    let flags = u32_at(header, 24);
    if flags > 7 || flags & 6 == 4 {
        return refuse(4, &format!("required flags {flags:#x} are not known, or flag 2 without flag 1"));
    }
    let records_end = 128 + u32_at(header, 120) as usize;
    if records_end % 8 != 0 || records_end > 128 + 65_536 || records_end > header.len() {
        return refuse(4, &format!("records cannot take {} bytes", records_end - 128));
    }
    let mut filter = Filter {
        layout: header[32],
        scheme: header[33],
        domain: header[34],
        policy: header[35],
        num_hashes: u32_at(header, 36),
        bit_len: u64_at(header, 40),
        capacity: u64_at(header, 48),
        rate: f64::from_bits(u64_at(header, 56)),
        parameter: u64_at(header, 64),
        keys_inserted: u64_at(header, 72),
        recipe: u32_at(header, 124),
        records: read_records(&header[128..records_end]).or_else(|why| refuse(4, &why))?,
        secret: [0; 16],
        exceptions: Vec::new(),
        divider: None,
        bits: Vec::new(),
    };
    filter.check().or_else(|why| refuse(4, &why))?;
    let set_bits = u64_at(header, 80);
    if set_bits > filter.bit_len {
        return refuse(4, &format!("{set_bits} set bits in {}", filter.bit_len));
    }

    // Step 5: body_offset and file_len have the only possible values, and the padding is zero.
    let (sealed, excepted) = (flags & 1 == 1, flags & 2 == 2);
    let body_end = offset as u64 + body_len(filter.bit_len);
    let records_len = records_end as u64 - 128;
    if offset as u64 != body_offset(records_len, filter.bit_len) {
        return refuse(5, &format!("body_offset {offset} does not follow from {} bits", filter.bit_len));
    }
    let seal_len = if sealed { 32 } else { 0 };
    let exceptions_end = file_len.saturating_sub(seal_len);
    let fits = match excepted {
        false => exceptions_end == body_end,
        true => exceptions_end >= body_end + 16 && (exceptions_end - body_end) % 8 == 0,
    };
    if !fits || file_len < seal_len {
        return refuse(5, &format!("file_len {file_len} does not follow from {} bits", filter.bit_len));
    }
    let body = &file[offset..body_end as usize];
    let table_end = records_end + 8 * body.len().div_ceil(CHUNK);
    if header[table_end..].iter().any(|&byte| byte != 0) {
        return refuse(5, "the padding before the header checksum is not 0");
    }

    // Step 6: secret key, seal key, self-test.
    if secret.is_some() != (filter.scheme == 2) {
        return refuse(6, "a secret key is needed if and only if the scheme is 2");
    }
    if let Some(key) = secret {
        if siphash13(key, KEY_CHECK) != filter.parameter {
            return refuse(6, "this is not the secret key of the filter");
        }
        filter.secret = *key;
    }
    if seal_key.is_some() != sealed {
        return refuse(6, "a seal key is needed if and only if the file is sealed");
    }
    let sums = filter.self_test().or_else(|why| refuse(6, &why))?;
    for i in 0..4 {
        let found = u64_at(header, 88 + 8 * i);
        if found != sums[i] {
            return refuse(6, &format!("self-test {i} is {found}, computed {}", sums[i]));
        }
    }

    // Step 7: the exceptions, or the divider.
    if excepted {
        let section = &file[body_end as usize..exceptions_end as usize];
        let (hashes, sum) = section.split_at(section.len() - 8);
        if u64_at(sum, 0) != xxh3(hashes, u64_at(file, offset - 8)) {
            return refuse(7, "the checksum of the exceptions is not that of their bytes");
        }
        if flags & 4 == 4 {
            filter.divider = Some(Divider::read(hashes).or_else(|why| refuse(7, &why))?);
        } else {
            filter.exceptions = hashes.chunks(8).map(|hash| u64_at(hash, 0)).collect();
        }
        if filter.exceptions.windows(2).any(|pair| pair[0] >= pair[1]) {
            return refuse(7, "the exceptions do not ascend");
        }
    }

    // Then each chunk's checksum, zero padding, the number of set bits.
    for (i, chunk) in body.chunks(CHUNK).enumerate() {
        if u64_at(header, records_end + 8 * i) != xxh3(chunk, 0) {
            return refuse(7, &format!("the checksum of chunk {i} is not that of its bytes"));
        }
    }
    for p in 0..8 * body.len() {
        filter.bits.push(body[p / 8] >> (p % 8) & 1 == 1);
    }
    let padding = filter.bits.split_off(filter.bit_len as usize);
    if padding.contains(&true) {
        return refuse(7, "the padding after the bits is not 0");
    }
    if set_bits != filter.set_bits() {
        return refuse(7, &format!("the header says {set_bits} set bits, there are {}", filter.set_bits()));
    }

    // Step 8: the seal. All bytes are compared, so the time does not tell which byte differs.
    if let Some(key) = seal_key {
        let computed = seal(key, &file[..exceptions_end as usize]).or_else(|why| refuse(8, &why))?;
        let found = &file[exceptions_end as usize..];
        let mut differing = 0;
        for i in 0..32 {
            differing |= found[i] ^ computed[i];
        }
        if differing != 0 {
            return refuse(8, "the seal is not that of this key");
        }
    }
    Ok(filter)
}

/// The error of a step.
pub(crate) fn refuse<T>(step: u32, why: &str) -> Result<T, String> {
    Err(format!("step {step}: {why}"))
}

/// Section 4.3: parses records; the length of the bytes is a multiple of 8. Optional unknown
/// records are checked and skipped.
pub fn read_records(bytes: &[u8]) -> Result<Vec<(u16, String)>, String> {
    let mut records = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        // The rest is a multiple of 8 long, so 8 bytes exist.
        let (tag, len) = (u16_at(bytes, at), u32_at(bytes, at + 4) as usize);
        if u16_at(bytes, at + 2) != 0 {
            return Err(format!("record {tag} has no 0 after its tag"));
        }
        at += 8;
        if len > bytes.len() - at {
            return Err(format!("record {tag} claims {len} bytes, {} are there", bytes.len() - at));
        }
        // The padding exists for the same reason.
        let (value, end) = (&bytes[at..at + len], at + len.next_multiple_of(8));
        if bytes[at + len..end].iter().any(|&byte| byte != 0) {
            return Err(format!("record {tag} has padding that is not 0"));
        }
        let value = std::str::from_utf8(value).map_err(|_| format!("record {tag} is not UTF-8"))?;
        records.push((tag, value.to_string()));
        at = end;
    }
    check_records(&records)?;
    records.retain(|record| record.0 < 0x8000);
    Ok(records)
}

/// The little-endian u16 at an offset.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

/// The little-endian u32 at an offset.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The little-endian u64 at an offset.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}
