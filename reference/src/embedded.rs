//! Section 4.8: the embedded form.

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

/// The number c: everything that decides which hash a key gets.
fn check_of_keys(filter: &Filter) -> u64 {
    let mut block = vec![filter.scheme, filter.domain, 0, 0];
    block.extend(filter.recipe.to_le_bytes());
    block.extend(filter.parameter.to_le_bytes());
    for (tag, text) in &filter.records {
        if matches!(tag, 5 | 6) {
            block.extend(text.as_bytes());
        }
    }
    xxh3(&block, 0)
}

/// Reads the embedded form. `keys` is an empty filter with the scheme, parameters, key domain and recipe that the store
/// keeps; the layout, k and the bits come from the bytes.
pub fn extract(bytes: &[u8], keys: &Filter) -> Result<Filter, String> {
    if bytes.len() < 80 || bytes.len() % 64 != 16 {
        return Err(format!("{} bytes are not the embedded form", bytes.len()));
    }
    let (body, trailer) = bytes.split_at(bytes.len() - 16);
    let u16_at = |at: usize| u16::from_le_bytes([trailer[at], trailer[at + 1]]);
    if trailer[0] != 0xE1 {
        return Err(format!("version {:#x} is not known", trailer[0]));
    }
    let c = check_of_keys(keys);
    if trailer[8..] != xxh3(&trailer[..8], xxh3(body, c)).to_le_bytes() {
        return Err(match u16_at(6) == c as u16 {
            true => "the checksum is wrong".to_string(),
            false => "it was made with other keys".to_string(),
        });
    }
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
