//! Maps: an opened map must answer, equally in a batch, and be written again. A map built from any
//! pairs has the value of each, or the error says that a key has two values.

use std::collections::BTreeMap;

use tepal::{AnyFilter, Error, Open, Opened, RibbonMap, file::Format, storage::PlainStorage};
use xxhash_rust::xxh3::xxh3_64;

use crate::KEYS;
use crate::open::HASHES;

/// Its answers for keys and hashes, alone and in batches.
fn answers(map: &RibbonMap<impl PlainStorage>) -> Vec<Option<u32>> {
    let keys: Vec<Option<u32>> = KEYS.iter().map(|key| map.get(*key).map(u32::from)).collect();
    assert!(map.get_many(&KEYS).into_iter().map(|value| value.map(u32::from)).eq(keys.iter().copied()));
    let many: Vec<u64> = (0..70u64).map(|i| xxh3_64(&i.to_le_bytes())).chain(HASHES).collect();
    let mut hashes = vec![None; many.len()];
    map.get_many_hashes(&many, &mut hashes);
    assert!(many.iter().zip(&hashes).all(|(hash, answer)| map.get_hash(*hash).map(u32::from) == *answer));
    let most = ((1u64 << map.value_bits()) - 1) as u32;
    for value in hashes.iter().flatten() {
        assert!(*value <= most && (map.num_names() == 0 || map.value(*value).name().is_some()));
    }
    assert!(map.names().enumerate().all(|(value, (name, _))| map.value_of_name(name) == Some(value as u32)));
    assert!((0.0..=1.0).contains(&map.false_positive_rate()));
    keys.into_iter().chain(hashes).collect()
}

/// Checks an opened map.
pub(crate) fn held(map: &RibbonMap) {
    let _ = answers(map);
    assert_eq!(map.facts().keys_inserted, Some(map.len()));
}

/// Opened quick, and in place, it gives the same answers for any body; a copy is checked first.
pub(crate) fn quick(open: &Open<'_>, held: &RibbonMap, placed: &[u8], sound: bool) {
    let view = open.quick().view::<RibbonMap<_>>(placed).unwrap();
    assert!(answers(held) == answers(&view) && view == *held);
    assert_eq!(view.verify().is_ok(), sound);
    assert_eq!(view.into_owned().is_ok(), sound);
}

/// The first byte is a rate. The second gives the bits of a value and whether values have names.
/// Then come pairs of a hash of eight bytes and a value of two. The third byte gives the number of
/// further pairs, the fourth their place.
pub(crate) fn built(data: &[u8]) {
    let Some((&[rate, bits, more, shift], rest)) = data.split_first_chunk::<4>() else { return };
    let rate = [1.0, 0.9, 0.5, 0.3, 0.01, 1e-3, 1e-6, 2.4e-10][usize::from(rate % 8)];
    let (names, bits) = if bits < 128 { (0, 1 + bits % 32) } else { (u32::from(bits - 127), 7) };
    let limit = if names > 0 { names } else { u32::MAX >> (32 - bits) };
    let value = |value: u32| if names > 0 { value % limit } else { value & limit };
    let pair = |bytes: &[u8]| {
        (
            u64::from_le_bytes(bytes[..8].try_into().unwrap()),
            value(u32::from(bytes[8]) << 24 | u32::from(bytes[9])),
        )
    };
    let mut pairs: Vec<(u64, u32)> = rest.chunks_exact(10).map(pair).collect();
    pairs.extend((0..8 * u64::from(more)).map(|i| match shift {
        0..64 => (i << shift, value(i as u32)),
        _ => (xxh3_64(&[shift, i as u8, (i >> 8) as u8]), value(i as u32)),
    }));
    let builder = RibbonMap::builder().value_bits(bits).names((0..names).map(|i| i.to_string()));
    let builder = if rate == 1.0 { builder.known_keys_only() } else { builder.false_positive_rate(rate) };
    let mut held = BTreeMap::new();
    let is_twice =
        pairs.iter().any(|(hash, value)| held.insert(*hash, *value).is_some_and(|other| other != *value));
    let built = builder.build_from_hashes(pairs);
    if is_twice {
        assert!(matches!(built, Err(Error::SeveralValues { .. })), "{built:?}");
        return;
    }
    let map = built.unwrap();
    let hashes: Vec<u64> = held.keys().copied().collect();
    let mut answers = vec![None; hashes.len()];
    map.get_many_hashes(&hashes, &mut answers);
    assert!(answers.iter().zip(held.values()).all(|(answer, value)| *answer == Some(*value)));
    assert!(map.false_positive_rate() <= rate);
    let bytes = Opened::new(map.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    assert!(*Open::new().from_bytes(&bytes).unwrap().filter() == AnyFilter::from(map));
}
