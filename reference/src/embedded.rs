//! Section 4.8: the embedded form; `ribbon/embedded.rs` has that of a ribbon.

use crate::filter::Filter;
use crate::hash::xxh3;
use crate::write::body;

/// The embedded form of a filter.
pub fn embed(filter: &Filter) -> Vec<u8> {
    let mut bytes = body(&filter.bits);
    let unused = 8 * bytes.len() as u64 - filter.bit_len;
    let c = check_of_keys(filter);
    let mut said = vec![0xE1, filter.layout];
    said.extend((filter.num_hashes as u16).to_le_bytes());
    said.extend((unused as u16).to_le_bytes());
    said.extend((c as u16).to_le_bytes());
    let checksum = xxh3(&said, xxh3(&bytes, c));
    bytes.extend(said);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// The number c of a filter.
fn check_of_keys(filter: &Filter) -> u64 {
    check_of(filter.scheme, filter.domain, filter.recipe, filter.parameter, &filter.records)
}

/// The number c: a hash of everything that decides which hash a key gets.
pub(crate) fn check_of(
    scheme: u8,
    domain: u8,
    recipe: u32,
    parameter: u64,
    records: &[(u16, String)],
) -> u64 {
    let mut block = vec![scheme, domain, 0, 0];
    block.extend(recipe.to_le_bytes());
    block.extend(parameter.to_le_bytes());
    for (tag, text) in records {
        if matches!(tag, 5 | 6) {
            block.extend(text.as_bytes());
        }
    }
    xxh3(&block, 0)
}

/// The body and the trailer up to the checksum, of an embedded form of this version. The trailer
/// has 8 bytes; for a ribbon its second byte names the number of further bytes.
pub(crate) fn checked(version: u8, bytes: &[u8], c: u64) -> Result<(&[u8], &[u8]), String> {
    let not = || format!("{} bytes are not the embedded form", bytes.len());
    let end = bytes.len().checked_sub(16).ok_or_else(not)?;
    if bytes[end] != version {
        return Err(format!("version {:#x} is not {version:#x}", bytes[end]));
    }
    let more = if version == 0xE1 { 0 } else { bytes[end + 1].into() };
    let body_len = end.checked_sub(more).filter(|len| *len > 0 && len % 64 == 0).ok_or_else(not)?;
    let (body, said) = (&bytes[..body_len], &bytes[body_len..end + 8]);
    let checksum = bytes[end + 8..] == xxh3(said, xxh3(body, c)).to_le_bytes();
    match (checksum, bytes[end + 6..end + 8] == (c as u16).to_le_bytes()) {
        (true, true) => Ok((body, said)),
        (false, true) => Err("the checksum is wrong".to_string()),
        (false, false) => Err("it was made with other keys".to_string()),
        (true, false) => Err("the check of the keys is wrong".to_string()),
    }
}

/// Reads the embedded form. `keys` is an empty filter with the scheme, parameters, key domain and
/// recipe that the store keeps. The layout, k and the bits come from the bytes.
pub fn extract(bytes: &[u8], keys: &Filter) -> Result<Filter, String> {
    let (body, trailer) = checked(0xE1, bytes, check_of_keys(keys))?;
    let u16_at = |at: usize| u16::from_le_bytes([trailer[at], trailer[at + 1]]);
    let mut filter = keys.clone();
    filter.layout = trailer[1];
    filter.num_hashes = u16_at(2).into();
    let bits = 8 * body.len() as u64;
    filter.bit_len = bits.checked_sub(u16_at(4).into()).ok_or("more unused bits than bits")?;
    if filter.bit_len.div_ceil(512) * 512 != bits {
        return Err(format!("{} bits do not take {} bytes", filter.bit_len, body.len()));
    }
    filter.check()?;
    let bit = |p: u64| body[(p / 8) as usize] >> (p % 8) & 1 != 0;
    if (filter.bit_len..bits).any(bit) {
        return Err("a bit is set beyond the last one".to_string());
    }
    filter.bits = (0..filter.bit_len).map(bit).collect();
    Ok(filter)
}
