//! Ribbon filters: whatever opens must answer, the same in a batch, and be written again; and whatever hashes there are, a filter of
//! them has them all.

use serde::Deserialize;
use serde::de::value::{BytesDeserializer, Error as Told};
use tepal::{AnyFilter, Open, Opened, RibbonFilter, Scheme, SecretKey, file::Format, storage::PlainStorage};
use tepal_fuzz_cli::Scratch;
use xxhash_rust::xxh3::xxh3_64;

use crate::doors::Placed;
use crate::quotient::{HASHES, fitting};
use crate::{KEYS, SECRETS, has_ignorable};

/// A tepal file of a ribbon filter: as it is, under a header that fits, and under checksums that fit, checked and quick.
pub fn ribbon(data: &[u8]) {
    let fitting = [false, true].map(|body| fitting(data, body));
    for file in [Some(data.to_vec())].into_iter().chain(fitting).flatten() {
        let is_ribbon = file.get(10..12) == Some(&[7, 0]);
        let sound = opened(&file);
        if is_ribbon {
            quick(&file, sound);
        }
    }
    built(data);
}

fn filter(file: &Opened) -> Option<&RibbonFilter> {
    match file.filter() {
        AnyFilter::Ribbon(filter) => Some(filter),
        _ => None,
    }
}

/// What it says of keys and hashes, by themselves and in batches.
fn answers(filter: &RibbonFilter<impl PlainStorage>) -> Vec<bool> {
    let keys: Vec<bool> = KEYS.iter().map(|key| filter.contains(*key)).collect();
    assert_eq!(filter.contains_many(&KEYS), keys);
    let many: Vec<u64> = (0..70u64).map(|i| xxh3_64(&i.to_le_bytes())).chain(HASHES).collect();
    let mut hashes = vec![false; many.len()];
    filter.contains_many_hashes(&many, &mut hashes);
    assert!(many.iter().zip(&hashes).all(|(hash, answer)| filter.contains_hash(*hash) == *answer));
    assert!((0.0..=1.0).contains(&filter.false_positive_rate()));
    assert!(filter.numbers().is_some() || filter.false_positive_rate() <= 0.5);
    keys.into_iter().chain(hashes).collect()
}

/// Is it a sound file of a ribbon filter?
fn opened(data: &[u8]) -> bool {
    let secrets = SECRETS.map(SecretKey::new);
    let opens = secrets.iter().map(|secret| Open::new().secret_key(secret)).chain([Open::new()]);
    let mut sound = false;
    for open in opens {
        let Ok(file) = open.from_bytes(data) else { continue };
        let told = AnyFilter::deserialize(BytesDeserializer::<Told>::new(data));
        // Without a key, and of tepal files alone.
        let is_told = file.format() == Format::Tepal && file.filter().scheme() != Scheme::SipHash13;
        assert!(told.map_or(!is_told, |told| told == *file.filter()));
        let Some(held) = filter(&file) else { continue };
        sound = true;
        let before = answers(held);
        assert_eq!(file.facts().unwrap().keys_inserted, Some(held.len()));
        let written = file.to_bytes().unwrap();
        let again = open.from_bytes(&written).unwrap();
        assert!(again.filter() == file.filter() && again.to_bytes().unwrap() == written);
        assert_eq!(answers(filter(&again).unwrap()), before);
        if !has_ignorable(data) {
            assert_eq!(written, data);
        }
    }
    sound
}

/// Opened quick, or asked where it lies, it answers whatever its body is; to be written, it is checked.
fn quick(data: &[u8], sound: bool) {
    let scratch = Scratch::new(data, "tepal");
    let secrets = SECRETS.map(SecretKey::new);
    let opens = secrets.iter().map(|secret| Open::new().secret_key(secret)).chain([Open::new()]);
    let placed = Placed::new(data);
    for open in opens {
        let view = open.quick().view::<RibbonFilter<_>>(placed.bytes(data.len()));
        let Ok(file) = open.quick().open(scratch.path()) else {
            assert!(view.is_err());
            continue;
        };
        let Some(held) = filter(&file) else { continue };
        let view = view.unwrap();
        assert!(answers(held) == answers(&view) && view == *held);
        assert_eq!(view.verify().is_ok(), sound);
        assert_eq!(view.into_owned().is_ok(), sound);
        assert_eq!(held.verify().is_ok(), sound);
        assert_eq!(file.to_bytes().is_ok(), sound);
    }
}

/// The first byte is a rate, the others are hashes of eight bytes, and so many more as the second pair of bytes says, which lie where the
/// fourth byte says.
fn built(data: &[u8]) {
    let Some((&[rate, low, high, shift], rest)) = data.split_first_chunk::<4>() else { return };
    let rate = [0.5, 0.3, 0.25, 0.1, 0.01, 1e-3, 1e-6, 2.4e-10][usize::from(rate % 8)];
    let more = u64::from(u16::from_le_bytes([low, high])) % 4000;
    let mut hashes: Vec<u64> =
        rest.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect();
    hashes.extend((0..more).map(|i| match shift {
        0..64 => i << shift,
        _ => xxh3_64(&[shift, i as u8, (i >> 8) as u8]),
    }));
    let builder = RibbonFilter::builder().false_positive_rate(rate);
    let builder = if shift % 2 == 1 && low % 2 == 1 { builder.prefer_speed() } else { builder };
    let filter = builder.build_from_hashes(hashes.clone()).unwrap();
    let mut answers = vec![false; hashes.len()];
    filter.contains_many_hashes(&hashes, &mut answers);
    assert!(answers.iter().all(|held| *held) && filter.false_positive_rate() <= rate);
    let mut filter = filter;
    let more: Vec<u64> = (0..more % 70).map(|i| xxh3_64(&i.to_le_bytes())).chain(hashes).collect();
    filter.insert_many_hashes(&more).unwrap();
    assert!(more.iter().all(|hash| filter.contains_hash(*hash)));
    let bytes = Opened::new(filter.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let told = RibbonFilter::deserialize(BytesDeserializer::<Told>::new(&bytes)).unwrap();
    assert!(told == filter);
    assert!(*Open::new().from_bytes(&bytes).unwrap().filter() == AnyFilter::from(filter));
}
