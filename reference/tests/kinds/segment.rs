//! The segment filter: the segments that may hold a key, and damage to its file.

use crate::every_kind::{Kind, Setting, setting};
use tepal_reference::hash::finish;
use tepal_reference::segment::{Segmented, read, tag_bits, write};
use tepal_reference::size::{numbers_for, table};

const KIND: Kind<Segmented> = Kind { write, read, scheme: |filter| filter.scheme };

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
        let Setting { parameter, secret, policy, recipe, records } = setting(scheme);
        let like = Segmented::new(shape, 100, 0.01);
        let mut filter = Segmented { scheme, parameter, secret, policy, recipe, records, ..like };
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
    KIND.check_damage(&filters());
}

#[test]
fn every_flip_with_all_checksums_mended_is_refused_or_another_filter() {
    let segments = |file: &[u8]| u64::from_le_bytes(file[104..112].try_into().unwrap()) as usize;
    let differ = |other: &Segmented, filter: &Segmented| {
        other.held != filter.held || other.segments != filter.segments
    };
    KIND.check_mended(&filters(), segments, differ);
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
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
    KIND.check_not_written(&filters()[0], &changes);
}
