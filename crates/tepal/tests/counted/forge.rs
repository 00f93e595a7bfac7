//! Files with changed numbers and corrected checksums and seal: a reader then has to check the
//! number itself.

#![allow(dead_code)] // What one test does not need, another does.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The bytes of a chunk of the body.
const CHUNK: usize = 65_536;
/// The bytes of a seal.
const SEAL_BYTES: usize = 32;

/// A valid tepal file, to be changed.
pub(crate) struct Forge {
    pub(crate) good: Vec<u8>,
    /// The bytes before the body.
    pub(crate) head: usize,
    /// The offset of the chunks' checksums.
    table: usize,
    body_end: usize,
    /// The seal key.
    seal: Option<Vec<u8>>,
}

impl Forge {
    /// Takes a valid file, with its seal key.
    ///
    /// # Panics
    /// If the file is no tepal file.
    pub(crate) fn new(good: Vec<u8>, seal: &[u8]) -> Self {
        let head = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
        let is_sealed = good[24] & 1 == 1;
        let file_end = good.len() - if is_sealed { SEAL_BYTES } else { 0 };
        // The body is whole lines. Exceptions, a divider or added keys may follow it.
        let ends: Vec<usize> = match good[24] & 0b1110 {
            0 => vec![file_end],
            _ => (head + 64..=file_end).step_by(64).collect(),
        };
        let place = |end: usize| {
            let chunks = good[head..end].chunks(CHUNK);
            let sums: Vec<u8> = chunks.flat_map(|chunk| xxh3_64(chunk).to_le_bytes()).collect();
            let table = good[128..head].windows(sums.len()).position(|bytes| bytes == sums)?;
            Some((128 + table, end))
        };
        let (table, body_end) = ends.into_iter().find_map(place).expect("the checksums of the body's chunks");
        Forge { head, table, body_end, seal: is_sealed.then(|| seal.to_vec()), good }
    }

    /// The file with other bytes at these offsets.
    pub(crate) fn with(&self, changes: &[(usize, &[u8])]) -> Vec<u8> {
        let mut file = self.good.clone();
        for (at, bytes) in changes {
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        let is_body = |(at, _): &&(usize, &[u8])| (self.head..self.body_end).contains(at);
        if let Some((at, _)) = changes.iter().find(is_body) {
            let chunk = (at - self.head) / CHUNK;
            let from = self.head + chunk * CHUNK;
            let sum = xxh3_64(&file[from..self.body_end.min(from + CHUNK)]);
            put(&mut file, self.table + 8 * chunk, sum);
        }
        let sum = xxh3_64(&file[..self.head - 8]);
        put(&mut file, self.head - 8, sum);
        let end = file.len() - if self.seal.is_some() { SEAL_BYTES } else { 0 };
        if self.body_end < end {
            let behind = xxh3_64_with_seed(&file[self.body_end..end - 8], sum);
            put(&mut file, end - 8, behind);
        }
        #[cfg(feature = "seal")]
        if let Some(key) = &self.seal {
            use hmac::Mac;
            let mut sealing = hmac::Hmac::<sha2::Sha256>::new_from_slice(key).unwrap();
            sealing.update(&file[..end]);
            file[end..].copy_from_slice(&sealing.finalize().into_bytes());
        }
        file
    }
}

fn put(file: &mut [u8], at: usize, number: u64) {
    file[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// Corrects the CRC-64 at the end of a `DUMP` payload, if the file is one.
pub(crate) fn mend_dump(file: &mut [u8]) {
    let Some(end) = file.len().checked_sub(8).filter(|_| file[0] == 7) else { return };
    let sum = file[..end].iter().fold(0u64, |crc, byte| {
        (0..8).fold(crc ^ u64::from(*byte), |crc, _| match crc & 1 {
            1 => crc >> 1 ^ 0x95AC_9329_AC4B_C9B5,
            _ => crc >> 1,
        })
    });
    file[end..].copy_from_slice(&sum.to_le_bytes());
}
