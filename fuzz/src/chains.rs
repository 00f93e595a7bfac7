//! Growing chains: whatever opens must answer, be written again, hold what is put in, and keep its promise by its numbers.

use tepal::{AnyFilter, Kind, Open, SecretKey, file::Format};
use xxhash_rust::xxh3::xxh3_64;

use crate::{KEYS, SECRETS, has_ignorable, u32_at};

/// Bytes of a link's part.
const LINK: usize = 88;

/// A tepal file of a chain: as it is, and again with lengths and checksums made to fit.
pub fn chain(data: &[u8]) {
    opened(data);
    if let Some(repaired) = repaired(data) {
        opened(&repaired);
    }
}

fn opened(data: &[u8]) {
    let secrets = SECRETS.map(SecretKey::new);
    let opens = secrets.iter().map(|secret| Open::new().secret_key(secret)).chain([Open::new()]);
    for open in opens {
        let Ok(mut file) = open.from_bytes(data) else { continue };
        if file.format() != Format::Tepal || file.filter().kind() != Kind::Scalable {
            continue;
        }
        let before: Vec<bool> = KEYS.iter().map(|key| file.contains(*key)).collect();
        assert_eq!(file.contains_many(&KEYS), before);
        let facts = file.facts().unwrap();
        assert!((1..=64).contains(&facts.parts.len()));
        let written = file.to_bytes().unwrap();
        let again = open.from_bytes(&written).unwrap();
        assert!(again.filter() == file.filter() && again.to_bytes().unwrap() == written);
        if !has_ignorable(data) {
            assert_eq!(written, data);
        }
        // A full chain grows by the numbers in its file: only small ones here.
        let AnyFilter::Scalable(chain) = file.filter() else { unreachable!() };
        let newest = &chain.links()[chain.links().len() - 1];
        let is_small = newest.capacity() <= 1024 && facts.expansion <= Some(16);
        let has_room = newest.keys_inserted() < Some(newest.capacity());
        if (is_small || has_room) && file.insert("570108428378").is_ok() {
            let changed = open.from_bytes(&file.to_bytes().unwrap()).unwrap();
            assert!(changed.contains("570108428378"));
            assert!(KEYS.iter().zip(&before).all(|(key, held)| !held || changed.contains(*key)));
            assert_eq!(
                changed.facts().unwrap().promised_false_positive_rate,
                facts.promised_false_positive_rate
            );
        }
        if file.clear().is_ok() {
            assert_eq!(file.facts().unwrap().keys_inserted, Some(0));
        }
    }
}

/// The file with its length, the set bits of each link and its checksums as they must be for its bits.
fn repaired(data: &[u8]) -> Option<Vec<u8>> {
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
