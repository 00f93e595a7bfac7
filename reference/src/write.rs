//! Sections 3 and 4: writes a filter as the bytes of its file.

use crate::digest::hmac_sha256;
use crate::filter::Filter;
use crate::hash::{siphash13, xxh3};

/// The first 8 bytes of every file.
pub const MAGIC: [u8; 8] = *b"\x89TEPAL\r\n";
/// Length of a chunk of the body (section 4.4).
pub const CHUNK: usize = 65_536;
/// The text whose hash with the secret key is the key check of scheme 2 (section 1.3).
pub const KEY_CHECK: &[u8] = b"tepal key check";

/// Writes the filter's file, sealed if there is a seal key. Refuses a filter that a reader would
/// refuse.
pub fn write(filter: &Filter, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    if filter.bits.len() as u64 != filter.bit_len {
        return Err(format!("{} bits, and bit_len is {}", filter.bits.len(), filter.bit_len));
    }
    if filter.scheme == 2 && filter.parameter != siphash13(&filter.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    let records = write_records(&filter.records)?;
    let body = body(&filter.bits);
    let body_offset = body_offset(records.len() as u64, filter.bit_len);
    if body_offset > 1 << 31 {
        return Err(format!("the chunk table does not fit: body_offset would be {body_offset}"));
    }
    let sealed = seal_key.is_some();
    // 4.9 and 4.10: the section after the body, without its checksum.
    let mut behind = Vec::new();
    for hash in &filter.exceptions {
        behind.extend(hash.to_le_bytes());
    }
    if let Some(divider) = &filter.divider {
        behind.extend(divider.write());
    }
    let (excepted, divided) = (!behind.is_empty(), filter.divider.is_some());
    let exceptions_len = if excepted { behind.len() as u64 + 8 } else { 0 };
    let file_len = body_offset + body.len() as u64 + exceptions_len + if sealed { 32 } else { 0 };

    let mut file = Vec::new();
    // 4.1, the common part.
    file.extend(MAGIC);
    file.extend(1u16.to_le_bytes()); // version
    file.extend(1u16.to_le_bytes()); // kind
    file.extend((body_offset as u32).to_le_bytes());
    file.extend(file_len.to_le_bytes());
    file.extend((u32::from(sealed) + 2 * u32::from(excepted) + 4 * u32::from(divided)).to_le_bytes()); // required flags
    file.extend(0u32.to_le_bytes()); // optional flags
    // 4.2, the Bloom filter's own part.
    file.extend(own_part(filter)?);
    // 4.1 again.
    file.extend((records.len() as u32).to_le_bytes());
    file.extend(filter.recipe.to_le_bytes());

    // 3: records, chunk table, zero bytes, header checksum, body, exceptions, seal.
    file.extend(records);
    for chunk in body.chunks(CHUNK) {
        file.extend(xxh3(chunk, 0).to_le_bytes());
    }
    file.resize(body_offset as usize - 8, 0);
    let checksum = xxh3(&file, 0);
    file.extend(checksum.to_le_bytes());
    file.extend(body);
    if excepted {
        let sum = xxh3(&behind, checksum);
        file.extend(behind);
        file.extend(sum.to_le_bytes());
    }
    if let Some(key) = seal_key {
        file.extend(seal(key, &file)?);
    }
    Ok(file)
}

/// Section 4.2: the 88 bytes of a Bloom filter's own part.
pub fn own_part(filter: &Filter) -> Result<Vec<u8>, String> {
    let mut own = vec![filter.layout, filter.scheme, filter.domain, filter.policy];
    own.extend(filter.num_hashes.to_le_bytes());
    own.extend(filter.bit_len.to_le_bytes());
    own.extend(filter.capacity.to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.parameter.to_le_bytes());
    own.extend(filter.keys_inserted.to_le_bytes());
    own.extend(filter.set_bits().to_le_bytes());
    for sum in filter.self_test()? {
        own.extend(sum.to_le_bytes());
    }
    Ok(own)
}

/// Section 4.3: the bytes of all records. [`Filter::check`] must have accepted them.
pub fn write_records(records: &[(u16, String)]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for (tag, value) in records {
        bytes.extend(tag.to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value.as_bytes());
        while bytes.len() % 8 != 0 {
            bytes.push(0);
        }
    }
    if bytes.len() > 65_536 {
        return Err(format!("the records take {} bytes, more than 65536", bytes.len()));
    }
    Ok(bytes)
}

/// Section 2: bit p is bit `p mod 8`, counted from the lowest, of byte `p / 8`. Then zero padding.
pub fn body(bits: &[bool]) -> Vec<u8> {
    let mut bytes = vec![0; body_len(bits.len() as u64) as usize];
    for p in 0..bits.len() {
        if bits[p] {
            bytes[p / 8] |= 1 << (p % 8);
        }
    }
    bytes
}

/// Section 3: the bytes that `bit_len` bits need, padded to a multiple of 64.
pub fn body_len(bit_len: u64) -> u64 {
    bit_len.div_ceil(8).next_multiple_of(64)
}

/// Section 3: the smallest multiple of 64 after the header, the records, the chunk table and the
/// header checksum.
pub fn body_offset(records_len: u64, bit_len: u64) -> u64 {
    let chunks = body_len(bit_len).div_ceil(CHUNK as u64);
    (128 + records_len + 8 * chunks + 8).next_multiple_of(64)
}

/// Section 4.7: the seal of some bytes with a key of at least 16 bytes.
pub fn seal(key: &[u8], bytes: &[u8]) -> Result<[u8; 32], String> {
    if key.len() < 16 {
        return Err(format!("a seal key has at least 16 bytes, not {}", key.len()));
    }
    Ok(hmac_sha256(key, bytes))
}
