//! Growing chains: an opened chain must answer, be written again, contain inserted keys, and keep
//! its promise by its numbers.

use tepal::{AnyFilter, Filter, Open, Opened, ScalableBloomFilter};
use xxhash_rust::xxh3::xxh3_64;

use crate::u32_at;

/// Bytes of a link's own part.
const LINK: usize = 88;

/// Checks that an opened chain keeps its promise by its numbers after an insert.
pub(crate) fn held(open: &Open<'_>, file: &Opened, chain: &ScalableBloomFilter) {
    assert!((1..=64).contains(&chain.links().len()));
    let mut changed = file.clone();
    if may_grow(file.filter()) && changed.insert("570108428378").is_ok() {
        let read = open.from_bytes(&changed.to_bytes().unwrap()).unwrap();
        assert!(read.contains("570108428378"));
        let promised = |file: &Opened| file.filter().promised_false_positive_rate();
        assert_eq!(promised(&read), promised(file));
    }
}

/// A full filter grows by the numbers in its file: here only if they are small.
pub(crate) fn may_grow(filter: &AnyFilter) -> bool {
    let AnyFilter::Scalable(chain) = filter else { return true };
    let newest = &chain.links()[chain.links().len() - 1];
    let is_small = newest.capacity() <= 1024 && chain.facts().expansion <= Some(16);
    is_small || newest.keys_inserted() < Some(newest.capacity())
}

/// The file with a correct length, counts of set bits for each link, and checksums.
pub(crate) fn repaired(data: &[u8]) -> Option<Vec<u8>> {
    let mut file = data.to_vec();
    let body_offset = u32_at(data, 12)? as usize;
    let links = u32_at(data, 32)? as usize;
    if links > 64 {
        return None;
    }
    let parts = (u32_at(data, 120)? as usize).checked_add(128)?;
    let body = file.get(body_offset..)?;
    let table: Vec<u8> = body.chunks(65_536).flat_map(|chunk| xxh3_64(chunk).to_le_bytes()).collect();
    let mut counts = Vec::new();
    let mut rest = body;
    for link in 0..links {
        let at = parts.checked_add(link * LINK + 8)?;
        let bits = u64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?);
        let len = usize::try_from(bits.div_ceil(512)).ok()?.checked_mul(64)?;
        let (here, after) = rest.split_at_checked(len)?;
        counts.push(here.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>());
        rest = after;
    }
    for (link, count) in counts.into_iter().enumerate() {
        let at = parts + link * LINK + 48;
        file.get_mut(at..at + 8)?.copy_from_slice(&count.to_le_bytes());
    }
    let file_len = file.len() as u64;
    file.get_mut(16..24)?.copy_from_slice(&file_len.to_le_bytes());
    let start = parts + links * LINK;
    let sum_at = body_offset.checked_sub(8).filter(|at| *at >= start + table.len())?;
    file.get_mut(start..start + table.len())?.copy_from_slice(&table);
    let sum = xxh3_64(&file[..sum_at]);
    file.get_mut(sum_at..body_offset)?.copy_from_slice(&sum.to_le_bytes());
    Some(file)
}
