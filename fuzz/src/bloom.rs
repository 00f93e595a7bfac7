//! Bloom filters: opened by their type and on disk, and built from parameters in the bytes.

use tepal::build::Gather;
use tepal::{
    BloomFilter, KeyDomain, Layout, OverCapacity, Recipe, Scheme, SecretKey, builders::BloomFilterBuilder,
    file::Format,
};
use tepal_fuzz_cli::Scratch;
use xxhash_rust::xxh3::xxh3_64;

use crate::{KEYS, SECRETS, THREADS, has_ignorable, u32_at};

/// Opened by their type, in memory and on disk.
pub(crate) fn typed(data: &[u8]) {
    in_memory(data);
    on_disk(data);
}

fn in_memory(data: &[u8]) {
    let open = BloomFilter::from_bytes(data);
    let under_key = SECRETS.map(|secret| BloomFilter::from_bytes_with_key(data, &SecretKey::new(secret)));
    assert!(open.is_err() || under_key.iter().all(Result::is_err));
    for filter in under_key.into_iter().chain([open]).flatten() {
        let before: Vec<bool> = KEYS.iter().map(|key| filter.contains(*key)).collect();
        assert_eq!(filter.contains_many(&KEYS), before);
        let _ = (filter.false_positive_rate(), filter.estimated_len(), filter.fill_ratio());
        // Read, written and read again it is the same filter; and one filter has one file.
        let written = filter.to_bytes().unwrap();
        let again = match filter.seed() {
            None if filter.has_hash() && filter.scheme() == Scheme::SipHash13 => SECRETS
                .iter()
                .find_map(|secret| BloomFilter::from_bytes_with_key(&written, &SecretKey::new(*secret)).ok())
                .unwrap(),
            _ => BloomFilter::from_bytes(&written).unwrap(),
        };
        assert!(again == filter);
        assert_eq!(again.to_bytes().unwrap(), written);
        assert_eq!((again.labels(), again.recipe()), (filter.labels(), filter.recipe()));
        assert_eq!((again.capacity(), again.keys_inserted()), (filter.capacity(), filter.keys_inserted()));
        if !has_ignorable(data) {
            assert_eq!(written, data);
        }
    }
}

/// Opening gives the same result as reading the same bytes; quick opening gives it later.
fn on_disk(bytes: &[u8]) {
    let file = Scratch::new(bytes, "tepal");
    let expected = BloomFilter::from_bytes(bytes);
    match (BloomFilter::open(file.path()), &expected) {
        (Ok(opened), Ok(expected)) => same(opened, expected),
        (Err(opened), Err(expected)) => {
            assert!(opened.to_string().ends_with(&expected.to_string()), "{opened}; {expected}");
        }
        (opened, expected) => panic!("{:?}, {:?}", opened.is_ok(), expected.is_ok()),
    }
    match (BloomFilter::open_quick(file.path()), &expected) {
        (Ok(opened), Ok(expected)) => {
            opened.verify().unwrap();
            same(opened, expected);
        }
        (Ok(opened), Err(expected)) => {
            // The bits are damaged: nothing panics, and every check of all bits reports it.
            let _ = (opened.contains_many(&KEYS), opened.false_positive_rate(), opened.estimated_len());
            assert_eq!(opened.verify().unwrap_err().to_string(), expected.to_string());
            assert!(opened.to_bytes().is_err());
            assert!(opened.into_owned().is_err());
        }
        (opened, expected) => assert!(opened.is_err() && expected.is_err()),
    }
}

fn same(opened: BloomFilter, expected: &BloomFilter) {
    assert!(&opened == expected);
    assert_eq!(opened.contains_many(&KEYS), expected.contains_many(&KEYS));
    assert_eq!(opened.into_owned().unwrap().to_bytes().unwrap(), expected.to_bytes().unwrap());
}

/// A filter with parameters and keys from the bytes: it is built, written, and read back equal.
pub fn build(data: &[u8]) {
    let Some((choices, keys)) = data.split_first_chunk::<12>() else { return };
    let pick = |i: usize, most: usize| usize::from(choices[i]) % most;
    let layout = Layout::ALL[pick(0, 4)];
    let scheme = Scheme::ALL[pick(1, Scheme::ALL.len())];
    // These two take megabytes for any parameters.
    if matches!(scheme, Scheme::Bkdr7 | Scheme::Sha384) {
        return;
    }
    let bits = u64::from(u16::from_le_bytes([choices[2], choices[3]])) * 64;
    let mut builder = BloomFilter::builder()
        .scheme(scheme)
        .key_domain(KeyDomain::ALL[pick(4, KeyDomain::ALL.len())])
        .over_capacity([OverCapacity::Refuse, OverCapacity::Warn, OverCapacity::Ignore][pick(5, 3)])
        .recipe(Recipe::new().trim(choices[6] & 1 != 0).nocase(choices[6] & 2 != 0));
    builder = match choices[6] >> 6 {
        0 => builder.bit_len(bits).capacity(u64::from(choices[7])),
        1 => builder.bit_len(bits).false_positive_rate(f64::from(choices[7]) / 256.0),
        2 => builder.capacity(bits).false_positive_rate(0.5f64.powi(i32::from(choices[7]))),
        _ => builder.capacity(u64::from(choices[7])).num_hashes(choices[8].into()),
    };
    if choices[6] & 4 != 0 {
        builder = builder.layout(layout);
    }
    if choices[6] & 8 != 0 {
        builder = builder.seed(u64::from_le_bytes([choices[9]; 8]));
    }
    let secret = SecretKey::new([choices[10]; 16]);
    let keyed = scheme == Scheme::SipHash13;
    if keyed {
        builder = builder.secret_key(secret.clone());
    }
    let caller_hashes = scheme == Scheme::CallerHash;
    if caller_hashes {
        builder = builder.caller_hash("xxh3, of the fuzzer");
    }
    let keys: Vec<&[u8]> = keys.chunks(8).collect();
    let Ok(plan) = builder.plan() else {
        assert!(builder.build().is_err());
        return;
    };
    if plan.size_in_bytes() > 1 << 20 {
        return;
    }
    let Ok(mut filter) = builder.clone().build() else { return };
    assert_eq!(filter.size_in_bytes(), plan.size_in_bytes());
    let mut held = Vec::new();
    for key in &keys {
        let inserted = match caller_hashes {
            true => filter.insert_hash(xxh3_64(key)),
            false => filter.insert(*key),
        };
        if inserted.is_ok() {
            held.push(*key);
        }
    }
    let file = filter.to_bytes().unwrap();
    assert_eq!(file.len() as u64, filter.file_len());
    let again = match keyed {
        true => BloomFilter::from_bytes_with_key(&file, &secret).unwrap(),
        false => BloomFilter::from_bytes(&file).unwrap(),
    };
    assert!(again == filter);
    assert_eq!(again.to_bytes().unwrap(), file);
    assert!(held.iter().all(|key| match caller_hashes {
        true => again.contains_hash(xxh3_64(key)),
        false => again.contains(*key),
    }));
    let many = again.contains_many(&keys);
    assert_eq!(many, filter.contains_many(&keys));
    assert_eq!(again.contains_bulk(&keys, THREADS), many);
    // It takes ten times as long as the rest.
    if choices[11] % 8 == 7 {
        gathered(builder, &keys);
    }
}

/// A filter built from a stream of keys contains them all.
fn gathered(builder: BloomFilterBuilder, keys: &[&[u8]]) {
    let Ok(gather) = Gather::new(builder, Format::Tepal) else { return };
    // Refused: a key outside the domain, or more keys than the capacity.
    if gather.insert_many(keys).is_err() {
        return;
    }
    let Ok(built) = gather.finish() else { return };
    assert!(built.keys == keys.len() as u64 && built.different <= built.keys);
    assert!(keys.iter().all(|key| built.file.contains(*key)));
}

/// The file with a correct length, count of bits and checksums, with `behind` bytes to follow.
pub(crate) fn repaired(data: &[u8], behind: u64) -> Option<Vec<u8>> {
    let mut file = data.to_vec();
    let body_offset = u32_at(data, 12)? as usize;
    let records = u32_at(data, 120)? as usize;
    let body = file.get(body_offset..)?;
    let table: Vec<u8> = body.chunks(65_536).flat_map(|chunk| xxh3_64(chunk).to_le_bytes()).collect();
    let set_bits: u64 = body.iter().map(|byte| u64::from(byte.count_ones())).sum();
    let file_len = file.len() as u64 + behind;
    file.get_mut(16..24)?.copy_from_slice(&file_len.to_le_bytes());
    file.get_mut(80..88)?.copy_from_slice(&set_bits.to_le_bytes());
    let start = records.checked_add(128)?;
    let end = start.checked_add(table.len())?;
    let sum_at = body_offset.checked_sub(8).filter(|at| *at >= end)?;
    file.get_mut(start..end)?.copy_from_slice(&table);
    let sum = xxh3_64(&file[..sum_at]);
    file.get_mut(sum_at..body_offset)?.copy_from_slice(&sum.to_le_bytes());
    Some(file)
}
