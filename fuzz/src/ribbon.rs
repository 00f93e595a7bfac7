//! Ribbon filters: an opened filter must answer, equally in a batch, and be written again. A filter
//! built from any hashes contains them all.

use serde::Deserialize;
use serde::de::value::{BytesDeserializer, Error as Told};
use tepal::{AnyFilter, Open, Opened, RibbonFilter, file::Format, storage::PlainStorage};
use xxhash_rust::xxh3::xxh3_64;

use crate::KEYS;
use crate::open::HASHES;

/// Its answers for keys and hashes, alone and in batches.
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

/// Checks an opened filter.
pub(crate) fn held(filter: &RibbonFilter) {
    assert_eq!(filter.facts().keys_inserted, Some(filter.len()));
    assert!(filter.numbers().is_some() || filter.false_positive_rate() <= 0.5);
}

/// Opened quick, and in place, it gives the same answers for any body; a copy is checked first.
pub(crate) fn quick(open: &Open<'_>, held: &RibbonFilter, placed: &[u8], sound: bool) {
    let view = open.quick().view::<RibbonFilter<_>>(placed).unwrap();
    assert!(answers(held) == answers(&view) && view == *held);
    assert_eq!(view.verify().is_ok(), sound);
    assert_eq!(view.into_owned().is_ok(), sound);
}

/// The first byte is a rate, the others are hashes of eight bytes. The second pair of bytes gives
/// the number of further hashes, the fourth byte their place.
pub(crate) fn built(data: &[u8]) {
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
