//! Sections 3, 4.1, 4.4, 4.6, 4.7 and 4.11: the envelope around the filter in a file of the kinds 2
//! and up. A Bloom filter may have exceptions after its body; [`write`](crate::write::write()) and
//! [`read`](crate::read::read) handle its file.

use crate::hash::{siphash13, xxh3};
use crate::read::{read_records, refuse, u16_at, u32_at, u64_at};
use crate::write::{CHUNK, KEY_CHECK, MAGIC, seal, write_records};

/// Bytes of a kind's own part, and of the own part of each link.
pub(crate) const OWN: usize = 88;

/// The parts of a file.
pub(crate) struct Parts<'a> {
    pub(crate) kind: u16,
    pub(crate) own: Vec<u8>,
    pub(crate) recipe: u32,
    pub(crate) records: &'a [(u16, String)],
    /// The section after the records: the own part of each link, or the segments of kind 6.
    pub(crate) links: Vec<Vec<u8>>,
    /// The bodies of all links in sequence.
    pub(crate) body: Vec<u8>,
    /// The hashes of section 4.11, for kind 7.
    pub(crate) added: Vec<u64>,
}

/// The offset of the body, after the records, the links' own parts or the segments, and the chunk
/// table.
fn body_offset(records: usize, links: usize, body: u64) -> u64 {
    (128 + records as u64 + links as u64 + 8 * body.div_ceil(CHUNK as u64) + 8).next_multiple_of(64)
}

/// Writes the file, sealed if there is a seal key.
pub(crate) fn write(parts: &Parts, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    let records = write_records(parts.records)?;
    let offset = body_offset(records.len(), parts.links.concat().len(), parts.body.len() as u64);
    let sealed = seal_key.is_some();
    let added: Vec<u8> = parts.added.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    let added_len = if added.is_empty() { 0 } else { added.len() as u64 + 8 };

    let mut file = Vec::new();
    // 4.1, the common part.
    file.extend(MAGIC);
    file.extend(1u16.to_le_bytes()); // version
    file.extend(parts.kind.to_le_bytes());
    file.extend((offset as u32).to_le_bytes());
    file.extend((offset + parts.body.len() as u64 + added_len + if sealed { 32 } else { 0 }).to_le_bytes());
    file.extend((u32::from(sealed) | if added.is_empty() { 0 } else { 8 }).to_le_bytes()); // required flags
    file.extend(0u32.to_le_bytes()); // optional flags
    // 4.2.1 to 4.2.5, the kind's own part.
    file.extend(&parts.own);
    file.resize(32 + OWN, 0);
    // 4.1 again.
    file.extend((records.len() as u32).to_le_bytes());
    file.extend(parts.recipe.to_le_bytes());
    // 3: records, own parts of the links or segments, chunk table, zero bytes, header checksum,
    // body, seal.
    file.extend(records);
    for link in &parts.links {
        file.extend(link);
    }
    for chunk in parts.body.chunks(CHUNK) {
        file.extend(xxh3(chunk, 0).to_le_bytes());
    }
    file.resize(offset as usize - 8, 0);
    file.extend(xxh3(&file, 0).to_le_bytes());
    let header_sum = u64_at(&file, offset as usize - 8);
    file.extend(&parts.body);
    // 4.11: the added keys.
    if !added.is_empty() {
        file.extend(&added);
        file.extend(xxh3(&added, header_sum).to_le_bytes());
    }
    if let Some(key) = seal_key {
        file.extend(seal(key, &file)?);
    }
    Ok(file)
}

/// A file that passed steps 1 to 3, and the part of step 4 that is common to all kinds.
pub(crate) struct Head<'a> {
    file: &'a [u8],
    /// Everything before the header checksum.
    pub(crate) header: &'a [u8],
    pub(crate) records: Vec<(u16, String)>,
    pub(crate) recipe: u32,
    offset: usize,
    records_end: usize,
    sealed: bool,
    added: bool,
}

/// Steps 1 to 3, and of step 4 the flags and the records.
pub(crate) fn head<'a>(file: &'a [u8], kind: u16, name: &str) -> Result<Head<'a>, String> {
    if file.len() < 24 || file[..8] != MAGIC || u16_at(file, 8) != 1 || u16_at(file, 10) != kind {
        return refuse(1, &format!("this is no {name}"));
    }
    let offset = u32_at(file, 12) as usize;
    if u64_at(file, 16) != file.len() as u64 {
        return refuse(2, "the length is another one");
    }
    if offset % 64 != 0 || !(192..=1 << 31).contains(&offset) || offset > file.len() {
        return refuse(2, &format!("body_offset cannot be {offset}"));
    }
    let header = &file[..offset - 8];
    if u64_at(file, offset - 8) != xxh3(header, 0) {
        return refuse(3, "the header checksum is another one");
    }
    let flags = u32_at(header, 24);
    if flags & !9 != 0 || flags & 8 != 0 && kind != 7 {
        return refuse(4, &format!("required flags {flags:#x} are not known"));
    }
    let records_end = 128 + u32_at(header, 120) as usize;
    if records_end % 8 != 0 || records_end > 128 + 65_536 || records_end > header.len() {
        return refuse(4, &format!("records cannot take {} bytes", records_end - 128));
    }
    let records = read_records(&header[128..records_end]).or_else(|why| refuse(4, &why))?;
    let recipe = u32_at(header, 124);
    Ok(Head {
        file,
        header,
        records,
        recipe,
        offset,
        records_end,
        sealed: flags & 1 == 1,
        added: flags & 8 != 0,
    })
}

impl<'a> Head<'a> {
    /// The kind's own part.
    pub(crate) fn own(&self) -> &'a [u8] {
        &self.header[32..32 + OWN]
    }

    /// Step 4: checks that there is space for the own parts of this number of links.
    pub(crate) fn check_links(&self, count: usize, most: usize) -> Result<(), String> {
        match count == 0 || count > most || self.records_end + count * OWN > self.header.len() {
            true => refuse(4, &format!("{count} links")),
            false => Ok(()),
        }
    }

    /// The own part of link `i`.
    pub(crate) fn link(&self, i: usize) -> &'a [u8] {
        &self.header[self.records_end + i * OWN..][..OWN]
    }

    /// Step 4: the segments of kind 6, which take `len` bytes.
    pub(crate) fn section(&self, len: u64) -> Result<&'a [u8], String> {
        let rest = &self.header[self.records_end..];
        match len % 8 != 0 || len > rest.len() as u64 {
            true => refuse(4, &format!("segments cannot take {len} bytes")),
            false => Ok(&rest[..len as usize]),
        }
    }

    /// Step 5: checks the lengths that follow from the body's length and the length of the section
    /// after the records, and the padding. Returns the body.
    pub(crate) fn body(&self, links: usize, len: u64) -> Result<&'a [u8], String> {
        let body_end = self.offset as u64 + len;
        let behind = (self.file.len() as u64).checked_sub(body_end + if self.sealed { 32 } else { 0 });
        let fits = match (behind, self.added) {
            (None, _) => false,
            (Some(behind), false) => behind == 0,
            (Some(behind), true) => behind >= 16 && behind % 8 == 0,
        };
        if self.offset as u64 != body_offset(self.records_end - 128, links, len) || !fits {
            return refuse(5, "the lengths do not follow from the body's");
        }
        let body = &self.file[self.offset..body_end as usize];
        let chunks_end = self.records_end + links + 8 * body.len().div_ceil(CHUNK);
        if self.header[chunks_end..].iter().any(|&byte| byte != 0) {
            return refuse(5, "the padding before the header checksum is not 0");
        }
        Ok(body)
    }

    /// Step 6: checks the secret key and the seal key, for a filter with this scheme and this field
    /// at offset 64 (of a Bloom filter's file).
    pub(crate) fn check_keys(
        &self,
        scheme: u8,
        parameter: u64,
        secret: Option<&[u8; 16]>,
        seal_key: Option<&[u8]>,
    ) -> Result<(), String> {
        if secret.is_some() != (scheme == 2) || seal_key.is_some() != self.sealed {
            return refuse(6, "a key is missing, or one too many");
        }
        match secret {
            Some(key) if siphash13(key, KEY_CHECK) != parameter => {
                refuse(6, "this is not the secret key of the filter")
            }
            _ => Ok(()),
        }
    }

    /// Step 7: the added keys after a body, with their checksum and order checked.
    pub(crate) fn added(&self, body: &[u8]) -> Result<Vec<u64>, String> {
        if !self.added {
            return Ok(Vec::new());
        }
        let end = self.file.len() - if self.sealed { 32 } else { 0 };
        let behind = &self.file[self.offset + body.len()..end];
        let (hashes, sum) = behind.split_at(behind.len() - 8);
        if xxh3(hashes, u64_at(self.file, self.offset - 8)) != u64_at(sum, 0) {
            return refuse(7, "the checksum of the added keys is not that of their bytes");
        }
        let hashes: Vec<u64> = hashes.chunks(8).map(|hash| u64_at(hash, 0)).collect();
        match hashes.windows(2).any(|pair| pair[0] >= pair[1]) {
            true => refuse(7, "the added keys do not ascend"),
            false => Ok(hashes),
        }
    }

    /// Step 7: checks the chunks' checksums.
    pub(crate) fn check_chunks(&self, links: usize, body: &[u8]) -> Result<(), String> {
        let table = self.records_end + links;
        for (i, chunk) in body.chunks(CHUNK).enumerate() {
            if u64_at(self.header, table + 8 * i) != xxh3(chunk, 0) {
                return refuse(7, &format!("the checksum of chunk {i} is not that of its bytes"));
            }
        }
        Ok(())
    }

    /// Step 8: checks the seal.
    pub(crate) fn check_seal(&self, seal_key: Option<&[u8]>) -> Result<(), String> {
        let Some(key) = seal_key else { return Ok(()) };
        let (sealed, found) = self.file.split_at(self.file.len() - 32);
        let computed = seal(key, sealed).or_else(|why| refuse(8, &why))?;
        match found.iter().zip(computed).fold(0, |all, (a, b)| all | (a ^ b)) {
            0 => Ok(()),
            _ => refuse(8, "the seal is not that of this key"),
        }
    }
}
