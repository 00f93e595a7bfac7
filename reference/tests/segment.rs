//! The segment filter: the segments that may hold a key, and damage to its file.

use tepal_reference::hash::{finish, siphash13, xxh3};
use tepal_reference::segment::{Segmented, read, tag_bits, write};
use tepal_reference::size::{numbers_for, table};
use tepal_reference::write::KEY_CHECK;

const SECRET: [u8; 16] = *b"sixteen secrets!";

#[test]
fn bits_for_every_segment() {
    let greatest = [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (255, 8), (256, 9), (u16::MAX, 16)];
    assert!(greatest.into_iter().all(|(greatest, bits)| tag_bits(greatest) == bits));
}

/// Small filters of each scheme, with a key that is in 66 segments.
fn filters() -> Vec<Segmented> {
    let mut filters = Vec::new();
    for (scheme, segments) in [(1, 4), (2, 70), (3, 1), (4, 66)] {
        let shape = table(100, numbers_for(100, 0.01).unwrap(), tag_bits(segments - 1)).unwrap();
        let mut filter = Segmented::new(shape, 100, 0.01);
        filter.scheme = scheme;
        match scheme {
            1 => filter.parameter = 9,
            2 => (filter.secret, filter.parameter) = (SECRET, siphash13(&SECRET, KEY_CHECK)),
            3 => (filter.recipe, filter.policy) = (3, 3),
            _ => filter.records.push((6, "some hash, finished".to_string())),
        }
        for segment in 0..segments {
            let name = if segment % 7 == 3 { String::new() } else { format!("part {segment}") };
            filter.segments.insert(segment, name);
            for i in (0..6).filter(|i| *i == 0 || (segment + i) % 30 == 2) {
                match scheme {
                    4 => filter.insert_hash(segment, finish(i.into())),
                    _ => filter.insert(segment, format!("key {i}").as_bytes()).unwrap(),
                }
            }
        }
        filter.lay().unwrap();
        filters.push(filter);
    }
    filters
}

fn secret(filter: &Segmented) -> Option<&'static [u8; 16]> {
    (filter.scheme == 2).then_some(&SECRET)
}

#[test]
fn a_key_is_in_its_segments() {
    let filter = &filters()[1];
    assert_eq!(filter.segments_of(b"key 0").unwrap(), (0..70).collect::<Vec<u16>>());
    assert_eq!(filter.segments_of(b"key 1").unwrap(), [1, 31, 61]);
    assert_eq!(filter.segments_of(b"another").unwrap(), []);
    let (slots, more) = filter.slots();
    assert_eq!((slots.len() + 6, more.len()), (filter.held.len(), 1));
    let mut fewer = filter.clone();
    fewer.drop_segment(2);
    assert_eq!(fewer.segments_of(b"key 0").unwrap().len(), 69);
    assert_eq!(fewer.slots().1.values().next().unwrap()[..], [65, 66, 67, 68, 69]);
}

#[test]
fn reading_gives_the_filter_and_every_damage_is_refused() {
    for filter in filters() {
        for seal_key in [None, Some(&b"the key of this seal"[..])] {
            let mut file = write(&filter, seal_key).unwrap();
            let again = read(&file, secret(&filter), seal_key).unwrap();
            assert_eq!(again, filter);
            assert_eq!(write(&again, seal_key).unwrap(), file);
            let is_refused = |file: &[u8]| read(file, secret(&filter), seal_key).is_err();
            for bit in (0..file.len() * 8).step_by(if file.len() > 1000 { 7 } else { 1 }) {
                file[bit / 8] ^= 1 << (bit % 8);
                assert!(is_refused(&file), "scheme {}, bit {bit}", filter.scheme);
                file[bit / 8] ^= 1 << (bit % 8);
            }
            for len in 0..file.len() {
                assert!(is_refused(&file[..len]), "scheme {}, length {len}", filter.scheme);
            }
            file.push(0);
            assert!(is_refused(&file));
        }
    }
}

/// A file with one flipped bit in the segments or the lines, and with corrected checksums, is
/// another valid filter or is refused.
#[test]
fn every_flip_with_all_checksums_mended_is_refused_or_another_filter() {
    for filter in filters() {
        let good = write(&filter, None).unwrap();
        let body = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
        let from = 128 + u32::from_le_bytes(good[120..124].try_into().unwrap()) as usize;
        let table = from + u64::from_le_bytes(good[104..112].try_into().unwrap()) as usize;
        for bit in (8 * from..8 * table).chain(8 * body..8 * good.len()) {
            let mut file = good.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            let sum = xxh3(&file[body..], 0);
            file[table..table + 8].copy_from_slice(&sum.to_le_bytes());
            let sum = xxh3(&file[..body - 8], 0);
            file[body - 8..body].copy_from_slice(&sum.to_le_bytes());
            if let Ok(other) = read(&file, secret(&filter), None) {
                assert!(other.held != filter.held || other.segments != filter.segments);
                assert_eq!(write(&other, None).unwrap(), file);
            }
        }
    }
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let good = filters().remove(0);
    let changes: [fn(&mut Segmented); 14] = [
        |filter| filter.capacity = 0,
        |filter| filter.rate = f64::NAN,
        |filter| filter.rate = 1.0,
        |filter| filter.recipe = 4,
        |filter| filter.domain = 8,
        |filter| filter.policy = 0,
        |filter| filter.shape.tag_bits = 1,
        |filter| filter.shape.spare = 65,
        |filter| filter.scheme = 26,
        |filter| filter.records = vec![(6, "a hash".to_string())],
        |filter| drop(filter.segments.insert(9, "a number too large".to_string())),
        |filter| drop(filter.segments.insert(0, "part 1".to_string())),
        |filter| drop(filter.segments.insert(0, "two\nlines".to_string())),
        |filter| drop(filter.segments.insert(0, "x".repeat(1025))),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut filter = good.clone();
        change(&mut filter);
        assert!(write(&filter, None).is_err(), "change {i}");
    }
}
