//! Sections 3 and 4: from a filter to the bytes of its file.

use crate::filter::Filter;
use crate::hash::{Scheme, xxh3};
use crate::records::{Record, SEED};
use crate::seal::{SEAL_LEN, seal};
use crate::{key, records};

/// The first 8 bytes of every file.
pub const MAGIC: [u8; 8] = *b"\x89TEPAL\r\n";
/// The version of the format.
pub const VERSION: u16 = 1;
/// The kind "Bloom filter".
pub const KIND_BLOOM: u16 = 1;
/// Length of the fixed header.
pub const HEADER_LEN: u64 = 128;
/// Length of a chunk of the body (section 4.4).
pub const CHUNK: u64 = 65_536;

/// Required flag 0: the file ends with a seal (section 4.7).
pub const SEALED: u32 = 1;

/// The one file of a filter. Refuses what a reader would refuse.
pub fn encode(filter: &Filter) -> Result<Vec<u8>, String> {
    encode_with(filter, 0)
}

/// Its one file under a seal key.
pub fn encode_sealed(filter: &Filter, seal_key: &[u8]) -> Result<Vec<u8>, String> {
    let mut file = encode_with(filter, SEALED)?;
    file.extend(seal(seal_key, &file)?);
    Ok(file)
}

/// The file with these required flags, without the seal.
fn encode_with(filter: &Filter, required_flags: u32) -> Result<Vec<u8>, String> {
    filter.scheme.check(filter.layout, filter.num_hashes, filter.bit_len())?;
    check_plan(filter.capacity, filter.rate)?;
    key::check_recipe(filter.recipe)?;
    let records = records::encode(&all_records(filter)?)?;
    let body = body(&filter.bits);
    let body_offset = body_offset(records.len() as u64, filter.bit_len());
    if body_offset > 1 << 31 {
        return Err(format!("the chunk table does not fit: body_offset would be {body_offset}"));
    }
    let file_len = body_offset + body.len() as u64 + seal_len(required_flags);

    let mut file = Vec::new();
    // 4.1, common part.
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(KIND_BLOOM.to_le_bytes());
    file.extend((body_offset as u32).to_le_bytes());
    file.extend(file_len.to_le_bytes());
    file.extend(required_flags.to_le_bytes());
    file.extend(0u32.to_le_bytes()); // optional flags
    // 4.2, the Bloom filter's part.
    file.push(filter.layout.id());
    file.push(filter.scheme.id());
    file.push(filter.domain.id());
    file.push(filter.policy.id());
    file.extend(filter.num_hashes.to_le_bytes());
    file.extend(filter.bit_len().to_le_bytes());
    file.extend(filter.capacity.to_le_bytes());
    file.extend(filter.rate.to_le_bytes());
    file.extend(filter.scheme.field_at_64().to_le_bytes());
    file.extend(filter.keys_inserted.to_le_bytes());
    file.extend(filter.set_bits().to_le_bytes());
    for sum in filter.self_test() {
        file.extend(sum.to_le_bytes());
    }
    // 4.1 again.
    file.extend((records.len() as u32).to_le_bytes());
    file.extend(filter.recipe.to_le_bytes());
    assert_eq!(file.len() as u64, HEADER_LEN);

    // 3: records, chunk table, zero bytes, checksum, body.
    file.extend(records);
    for chunk in body.chunks(CHUNK as usize) {
        file.extend(xxh3(chunk, 0).to_le_bytes());
    }
    file.resize(body_offset as usize - 8, 0);
    file.extend(xxh3(&file, 0).to_le_bytes());
    file.extend(body);
    Ok(file)
}

/// The filter's records and, among them, the one that its scheme needs.
fn all_records(filter: &Filter) -> Result<Vec<Record>, String> {
    let mut records = filter.records.clone();
    if records.iter().any(|record| record.tag == SEED) {
        return Err(format!("record {SEED} follows from the scheme, nobody may give it"));
    }
    if let Scheme::Own(own) = &filter.scheme {
        if let Some(seed) = own.seed_record() {
            let before = records.iter().take_while(|record| record.tag < SEED).count();
            records.insert(before, Record::new(SEED, &seed));
        }
    }
    Ok(records)
}

/// Offsets 48 and 56: a capacity of 1 or more, and a rate greater than 0 and less than 1 (NaN is neither).
pub fn check_plan(capacity: u64, rate: f64) -> Result<(), String> {
    if capacity == 0 {
        return Err("the capacity is 0".to_string());
    }
    if !(rate > 0.0 && rate < 1.0) {
        return Err(format!("the promised rate {rate} is not between 0 and 1"));
    }
    Ok(())
}

/// Length of the body: the bytes that `bit_len` bits need, padded to a multiple of 64.
pub fn body_len(bit_len: u64) -> u64 {
    bit_len.div_ceil(8).next_multiple_of(64)
}

/// Length of what follows the body.
pub fn seal_len(required_flags: u32) -> u64 {
    if required_flags & SEALED != 0 { SEAL_LEN as u64 } else { 0 }
}

/// The least multiple of 64 that leaves room for header, records, chunk table and header checksum.
pub fn body_offset(records_len: u64, bit_len: u64) -> u64 {
    let chunks = body_len(bit_len).div_ceil(CHUNK);
    (HEADER_LEN + records_len + 8 * chunks + 8).next_multiple_of(64)
}

/// Bit `p` is bit `p mod 8`, the least significant first, of byte `p / 8`; then zero padding.
fn body(bits: &[bool]) -> Vec<u8> {
    let mut bytes = vec![0; body_len(bits.len() as u64) as usize];
    for (p, &bit) in bits.iter().enumerate() {
        if bit {
            bytes[p / 8] |= 1 << (p % 8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_offset_is_the_least_that_leaves_room() {
        // 128 + 8 + 8 = 144 bytes before the body.
        assert_eq!(body_offset(0, 512), 192);
        // 48 bytes of records fill the 192 bytes exactly, 56 do not fit.
        assert_eq!(body_offset(48, 512), 192);
        assert_eq!(body_offset(56, 512), 256);
        // 7 chunks, then 8: one entry too many for 192.
        assert_eq!(body_offset(0, 7 * 65_536 * 8), 192);
        assert_eq!(body_offset(0, 8 * 65_536 * 8), 256);
    }

    #[test]
    fn the_body_is_padded_to_64_bytes() {
        assert_eq!(body_len(1), 64);
        assert_eq!(body_len(64), 64);
        assert_eq!(body_len(513), 128);
        assert_eq!(body_len(512), 64);
        assert_eq!(body_len(768), 128);
        let mut bits = vec![false; 64];
        bits[0] = true;
        bits[9] = true;
        bits[63] = true;
        let bytes = body(&bits);
        assert_eq!(bytes[..8], [1, 2, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(bytes[8..], [0; 56]);
    }
}
