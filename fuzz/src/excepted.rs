//! Files with exceptions, unchanged and with matching checksums.

use tepal::{Error, Opened};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::KEYS;

/// Checks an opened file: it is not a plain Bloom filter, and an inserted key is no exception.
pub(crate) fn held(file: &Opened) {
    assert!(file.filter().exceptions() > 0);
    assert!(matches!(file.clone().into_filter().into_bloom(), Err(Error::NotPossible { .. })));
    let mut changed = file.clone();
    for key in KEYS {
        if changed.insert(key).is_ok() {
            assert!(changed.contains(key));
        }
    }
}

/// The file with correct lengths and checksums, if the bytes after the body can be exceptions.
pub(crate) fn fitting(data: &[u8]) -> Option<Vec<u8>> {
    let mut file = data.to_vec();
    let int = |at: usize| Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?) as usize);
    let bit_len = u64::from_le_bytes(data.get(40..48)?.try_into().ok()?);
    let body_len = usize::try_from(bit_len.div_ceil(8).checked_next_multiple_of(64)?).ok()?;
    let (offset, table) = (int(12)?, int(120)?.checked_add(128)?);
    let end = offset.checked_add(body_len)?;
    let last = file.len().checked_sub(8).filter(|last| *last > end)?;
    let body = data.get(offset..end)?;
    let sums: Vec<u8> = body.chunks(65_536).flat_map(|chunk| xxh3_64(chunk).to_le_bytes()).collect();
    let set_bits: u64 = body.iter().map(|byte| u64::from(byte.count_ones())).sum();
    file[16..24].copy_from_slice(&(data.len() as u64).to_le_bytes());
    // A list or a divider, chosen by a bit of the optional flags.
    file[24..28].copy_from_slice(&[if data.get(28)? & 1 == 0 { 2 } else { 6 }, 0, 0, 0]);
    file.get_mut(80..88)?.copy_from_slice(&set_bits.to_le_bytes());
    let sum_at = offset.checked_sub(8).filter(|at| *at >= table + sums.len())?;
    file.get_mut(table..table + sums.len())?.copy_from_slice(&sums);
    let sum = xxh3_64(&file[..sum_at]);
    file[sum_at..offset].copy_from_slice(&sum.to_le_bytes());
    let sum = xxh3_64_with_seed(&file[end..last], sum);
    file[last..].copy_from_slice(&sum.to_le_bytes());
    Some(file)
}
