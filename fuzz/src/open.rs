//! Tepal files of every kind. An opened filter must answer equally for one key and for many, be
//! written again as the same bytes, and contain inserted keys. The calls of single kinds are in
//! their modules.

use serde::Deserialize;
use serde::de::value::{BytesDeserializer, Error as Told};
use tepal::{AnyFilter, Kind, Open, Opened, Scheme, SecretKey, file::Format};
use tepal_fuzz_cli::Scratch;
use xxhash_rust::xxh3::xxh3_64;

use crate::doors::Placed;
use crate::{
    KEYS, SECRETS, bloom, chains, doors, excepted, has_ignorable, map, quotient, ribbon, segment, u32_at,
};

/// Hashes for lookups and inserts, beside the keys.
pub(crate) const HASHES: [u64; 6] = [0, 1, 1 << 63, u64::MAX, 0x9E37_79B9_7F4A_7C15, 0x0123_4567_89AB_CDEF];

/// A tepal file: unchanged, and with correct lengths, counts and checksums, so that the checks
/// after these are reached; opened with all checks and quick.
pub fn open(data: &[u8]) {
    let id = data.get(10..12).map(|id| u16::from_le_bytes([id[0], id[1]]));
    let kind = Kind::ALL.iter().copied().find(|kind| Some(kind.id()) == id);
    let fitting = match kind {
        Some(Kind::Bloom) => [bloom::repaired(data, 0), excepted::fitting(data)],
        Some(Kind::Scalable) => [chains::repaired(data), None],
        _ => [fitting(data, false), fitting(data, true)],
    };
    for file in [Some(data.to_vec())].into_iter().chain(fitting).flatten() {
        let sound = checked(&file);
        if kind.is_some() {
            quick(&file, sound);
        }
        if kind == Some(Kind::Bloom) {
            bloom::typed(&file);
            doors::every(&file);
        }
    }
}

/// Options with each secret of the corpus, and without one.
fn opens(secrets: &[SecretKey]) -> impl Iterator<Item = Open<'_>> {
    secrets.iter().map(|secret| Open::new().secret_key(secret)).chain([Open::new()])
}

/// Its answers for keys and hashes, each alone and in a batch.
pub(crate) fn answers(filter: &AnyFilter) -> Vec<bool> {
    let keys: Vec<bool> = KEYS.iter().map(|key| filter.contains(*key)).collect();
    assert_eq!(filter.contains_many(&KEYS), keys);
    let many: Vec<u64> = (0..70u64).map(|i| xxh3_64(&i.to_le_bytes())).chain(HASHES).collect();
    let mut hashes = vec![false; many.len()];
    filter.contains_many_hashes(&many, &mut hashes);
    assert!(many.iter().zip(&hashes).all(|(hash, answer)| filter.contains_hash(*hash) == *answer));
    assert!((0.0..=1.0).contains(&filter.false_positive_rate()));
    keys.into_iter().chain(hashes).collect()
}

/// Is it a sound file of one of the kinds?
fn checked(data: &[u8]) -> bool {
    let (secrets, mut sound) = (SECRETS.map(SecretKey::new), false);
    for open in opens(&secrets) {
        let Ok(file) = open.from_bytes(data) else { continue };
        if file.format() != Format::Tepal {
            continue;
        }
        sound = true;
        let filter = file.filter();
        let before = answers(filter);
        let facts = file.facts().unwrap();
        assert_eq!((facts.kind, facts.keys_inserted), (filter.kind(), filter.keys_inserted()));
        // Without a key.
        let told = AnyFilter::deserialize(BytesDeserializer::<Told>::new(data));
        assert!(told.map_or(filter.scheme() == Scheme::SipHash13, |told| told == *filter));
        // Read, written and read again it is the same filter; and one filter has one file.
        let written = file.to_bytes().unwrap();
        let again = open.from_bytes(&written).unwrap();
        assert!(again.filter() == filter && again.to_bytes().unwrap() == written);
        assert_eq!(answers(again.filter()), before);
        assert_eq!(again.labels(), file.labels());
        if !has_ignorable(data) {
            assert_eq!(written, data);
        }
        match filter {
            AnyFilter::Quotient(filter) => quotient::held(filter),
            AnyFilter::Segment(filter) => segment::held(filter),
            AnyFilter::Ribbon(filter) => ribbon::held(filter),
            AnyFilter::Map(map) => map::held(map),
            AnyFilter::Scalable(chain) => chains::held(&open, &file, chain),
            AnyFilter::Excepted(_) => excepted::held(&file),
            _ => {}
        }
        changed(file, &before);
    }
    sound
}

/// After inserts, the new keys are found, and all old ones.
fn changed(mut file: Opened, before: &[bool]) {
    if file.filter().can().grow && !chains::may_grow(file.filter()) {
        return;
    }
    for key in KEYS {
        if file.insert(key).is_ok() {
            assert!(file.contains(key));
        }
    }
    let after = answers(file.filter());
    assert!(
        before.iter().zip(&after).all(|(before, after)| !before || *after || file.filter().exceptions() > 0)
    );
    if file.clear().is_ok() {
        assert!(file.filter().keys_inserted().is_none_or(|keys| keys == 0));
    }
}

/// Opened quick or in place, it answers for any bits; before it is written, it is checked.
fn quick(data: &[u8], sound: bool) {
    let scratch = Scratch::new(data, "tepal");
    let (placed, secrets) = (Placed::new(data), SECRETS.map(SecretKey::new));
    for open in opens(&secrets) {
        let checked = open.open(scratch.path());
        let Ok(file) = open.quick().open(scratch.path()) else {
            assert!(checked.is_err());
            continue;
        };
        if file.format() != Format::Tepal {
            continue;
        }
        let filter = file.filter();
        let _ = (answers_of_any(filter), filter.estimated_len(), file.facts(), filter.fill_of_slices(7));
        assert_eq!(file.verify().is_ok(), sound);
        assert_eq!(file.to_bytes().is_ok(), sound);
        if let Ok(checked) = checked {
            assert!(checked.filter() == filter && answers(checked.filter()) == answers(filter));
        }
        match filter {
            AnyFilter::Quotient(filter) => quotient::quick(filter, sound),
            AnyFilter::Segment(filter) => segment::quick(filter, sound),
            AnyFilter::Ribbon(filter) => ribbon::quick(&open, filter, placed.bytes(data.len()), sound),
            AnyFilter::Map(map) => map::quick(&open, map, placed.bytes(data.len()), sound),
            _ => {}
        }
    }
}

/// Lookups in bits that may be damaged: nothing panics.
fn answers_of_any(filter: &AnyFilter) -> Vec<bool> {
    let mut hashes = vec![false; HASHES.len()];
    filter.contains_many_hashes(&HASHES, &mut hashes);
    hashes.into_iter().chain(filter.contains_many(&KEYS)).collect()
}

/// The file with a correct length and header checksum; with `body`, also with the body's checksums.
fn fitting(data: &[u8], body: bool) -> Option<Vec<u8>> {
    let mut file = data.to_vec();
    let body_offset = u32_at(data, 12)? as usize;
    // Segments, the part of a second ribbon, and the names of a map's values come before the
    // chunks' checksums.
    let section = match data.get(10..12) {
        Some([6, 0]) => u32_at(data, 104)? as usize,
        Some([7 | 8, 0]) => u32_at(data, 52)? as usize,
        _ => 0,
    };
    let start = (u32_at(data, 120)? as usize).checked_add(128)?.checked_add(section)?;
    let sum_at = body_offset.checked_sub(8).filter(|at| *at >= start)?;
    let file_len = file.len() as u64;
    file.get_mut(16..24)?.copy_from_slice(&file_len.to_le_bytes());
    if body {
        let table: Vec<u8> =
            data.get(body_offset..)?.chunks(65_536).flat_map(|chunk| xxh3_64(chunk).to_le_bytes()).collect();
        file.get_mut(start..start.checked_add(table.len()).filter(|end| *end <= sum_at)?)?
            .copy_from_slice(&table);
    }
    let sum = xxh3_64(file.get(..sum_at)?);
    file.get_mut(sum_at..body_offset)?.copy_from_slice(&sum.to_le_bytes());
    Some(file)
}
