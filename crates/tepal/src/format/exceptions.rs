//! The exceptions of a file, behind its body (FORMAT.md, section 4.9).

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::{Error, Result};

/// Bytes of so many exceptions.
pub(super) fn len(exceptions: &[u64]) -> u64 {
    if exceptions.is_empty() { 0 } else { 8 * (exceptions.len() as u64 + 1) }
}

/// Exceptions as bytes, behind this head.
pub(super) fn encode(exceptions: &[u64], head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(len(exceptions) as usize);
    exceptions.iter().for_each(|hash| out.extend(hash.to_le_bytes()));
    let sum = xxh3_64_with_seed(&out, seed(head));
    out.extend(sum.to_le_bytes());
    out
}

/// Reads bytes of a file that has exceptions.
pub(super) fn decode(bytes: &[u8], head: &[u8]) -> Result<Vec<u64>> {
    let number = |bytes: &[u8]| u64::from_le_bytes(core::array::from_fn(|i| bytes[i]));
    let Some((hashes, sum)) =
        bytes.split_last_chunk::<8>().filter(|(hashes, _)| !hashes.is_empty() && hashes.len() % 8 == 0)
    else {
        return Err(Error::damaged(format_args!("exceptions of {} bytes", bytes.len())));
    };
    if xxh3_64_with_seed(hashes, seed(head)) != number(sum) {
        return Err(Error::damaged("the checksum of its exceptions is not that of their bytes"));
    }
    let mut exceptions = Vec::new();
    exceptions
        .try_reserve_exact(hashes.len() / 8)
        .map_err(|_| Error::TooLarge { bytes: hashes.len() as u64 })?;
    exceptions.extend(hashes.chunks_exact(8).map(number));
    match exceptions.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(exceptions),
        false => Err(Error::damaged("its exceptions do not ascend")),
    }
}

/// The checksum of the header: so exceptions belong to one file.
fn seed(head: &[u8]) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|i| head[head.len() - 8 + i]))
}
