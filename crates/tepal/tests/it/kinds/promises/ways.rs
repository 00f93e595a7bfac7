//! All insert calls, and all lookup calls, agree.

use std::thread;

use tepal::{AnyFilter, BloomFilter, KeyRef, Opened, Removal, hash::PreparedKeys};

use super::{MEMBERS, STRANGERS, empty, filled};
use crate::shared::kinds::{Door, Numbered, Subject, all_kinds, kinds, numbers};

/// The same keys set the same bits and make the same file by every insert call.
#[test]
fn one_filter_has_one_file() {
    for subject in kinds() {
        let subject = &*subject;
        let name = subject.name();
        let opener = subject.opener();
        let keys = subject.keys(&numbers(MEMBERS));
        let mut filter = empty(subject);
        keys.insert_all(&mut filter).unwrap();
        let file = opener.file(&filter);
        let same = |way: &str, filter: &Opened| assert!(opener.file(filter) == file, "{name}: {way}");

        let mut each = empty(subject);
        keys.insert_each(&mut each, |_, _| ()).unwrap();
        same("one by one", &each);
        if let Some(ready) = prepare(&filter, &keys) {
            let mut prepared = empty(subject);
            prepared.insert_prepared(&ready).unwrap();
            same("prepared", &prepared);
        }
        if let Some(hashes) = hashes(&filter, &keys) {
            let mut hashed = empty(subject);
            hashed.insert_many_hashes(&hashes).unwrap();
            same("by their hashes", &hashed);
        }
        same("read and written", &opener.read(&file).unwrap());
        let facts = opener.read(&file).unwrap().facts().unwrap().file.unwrap();
        assert_eq!((facts.file_len, facts.is_sealed), (file.len() as u64, opener.is_sealed()), "{name}");

        // Through the filter itself, whose kind is known only at run time, and through its own
        // type.
        let mut any = empty(subject).into_filter();
        match &keys {
            Numbered::Texts(texts) => {
                any.insert_many(&texts[..20]).unwrap();
                any.insert_iter(&texts[20..40]).unwrap();
                texts[40..].iter().for_each(|text| assert!(any.insert(text).is_ok()));
            }
            Numbered::Hashes(hashes) => any.insert_many_hashes(hashes).unwrap(),
        }
        assert_eq!(any.facts().parts, filter.filter().facts().parts, "{name}");
        let AnyFilter::Bloom(_) = any else { continue };
        same("any filter", &Opened::new(any, subject.format()).unwrap());
        for (way, typed) in typed_ways(subject, &keys) {
            same(way, &Opened::new(typed, subject.format()).unwrap());
        }
    }
}

/// Every remove call removes the same keys, and counts them.
#[test]
fn removed_keys_are_counted() {
    let mut kinds_that_remove = 0;
    for subject in kinds() {
        let subject = &*subject;
        let (name, filter) = (subject.name(), filled(subject, MEMBERS));
        if !filter.filter().can().remove {
            continue;
        }
        let keys = subject.keys(&numbers(0..40));
        let (mut each, mut together) = (filter.clone(), filter.clone());
        for hash in hashes(&filter, &keys).unwrap() {
            assert_eq!(each.remove_hash(hash).unwrap(), Removal::Removed, "{name}");
        }
        let Some(ready) = prepare(&filter, &keys) else { continue };
        kinds_that_remove += 1;
        assert_eq!(together.remove_prepared(&ready).unwrap(), 40, "{name}");
        assert!(subject.opener().file(&together) == subject.opener().file(&each), "{name}");
        assert_eq!(together.filter().keys_inserted(), Some(40), "{name}");
        assert_eq!(together.remove_prepared(&PreparedKeys::default()).unwrap(), 0, "{name}");
    }
    assert!(kinds_that_remove >= if cfg!(feature = "table") { 2 } else { 0 }, "{kinds_that_remove}");
}

fn typed_ways(subject: &dyn Subject, keys: &Numbered) -> Vec<(&'static str, BloomFilter)> {
    let start = || BloomFilter::of(empty(subject));
    let (mut each, mut many) = (start(), start());
    keys.insert_each(&mut each, |_, _| ()).unwrap();
    keys.insert_all(&mut many).unwrap();
    let shared = start().into_shared().unwrap();
    match keys {
        Numbered::Texts(texts) => texts.iter().for_each(|text| assert!(shared.insert(text).is_ok())),
        Numbered::Hashes(hashes) => hashes.iter().for_each(|hash| assert!(shared.insert_hash(*hash).is_ok())),
    }
    let (mut part, united) = (start(), start().into_shared().unwrap());
    let mut iterated = start();
    match keys {
        Numbered::Texts(texts) => {
            iterated.insert_iter(texts).unwrap();
            part.insert_iter(&texts[..50]).unwrap();
            united.insert_iter(&texts[50..]).unwrap();
        }
        Numbered::Hashes(hashes) => {
            iterated.insert_many_hashes(hashes).unwrap();
            part.insert_many_hashes(&hashes[..50]).unwrap();
            united.insert_many_hashes(&hashes[50..]).unwrap();
        }
    }
    united.union_with(&part).unwrap();
    vec![
        ("from an iterator", iterated),
        ("united into a shared one", united.into_owned().unwrap()),
        ("its type, one by one", each),
        ("its type, at once", many),
        ("shared", shared.into_owned().unwrap()),
        #[cfg(feature = "parallel")]
        ("in bulk", in_bulk(start(), keys)),
    ]
}

#[cfg(feature = "parallel")]
fn in_bulk(mut filter: BloomFilter, keys: &Numbered) -> BloomFilter {
    let threads = std::num::NonZeroUsize::new(2).unwrap();
    match keys {
        Numbered::Texts(texts) => filter.insert_bulk(texts, threads).unwrap(),
        Numbered::Hashes(hashes) => filter.insert_bulk_hashes(hashes, threads).unwrap(),
    }
    filter
}

/// Texts that were prepared on another thread; hashes need no preparation.
fn prepare(filter: &Opened, keys: &Numbered) -> Option<PreparedKeys> {
    let Numbered::Texts(texts) = keys.clone() else { return None };
    let hasher = filter.key_hasher();
    let work = move || {
        let mut prepared = PreparedKeys::default();
        texts.iter().for_each(|text| hasher.prepare(text, &mut prepared).unwrap());
        prepared
    };
    Some(thread::spawn(work).join().unwrap())
}

/// The hashes of the keys, if they have any.
fn hashes(filter: &Opened, keys: &Numbered) -> Option<Vec<u64>> {
    match keys {
        Numbered::Texts(texts) => {
            let hasher = filter.key_hasher();
            hasher.has_hash().then(|| texts.iter().map(|text| hasher.hash(text).unwrap()).collect())
        }
        Numbered::Hashes(hashes) => Some(hashes.clone()),
    }
}

/// Every lookup call gives the same answers.
#[test]
fn every_question_has_one_answer() {
    for subject in all_kinds() {
        let subject = &*subject;
        let name = subject.name();
        let filter = filled(subject, MEMBERS);
        let asked: Vec<u64> = MEMBERS.chain(STRANGERS).collect();
        let keys = subject.keys(&asked);
        let expected = keys.held(&filter);
        assert!(expected[..80].iter().all(|held| *held), "{name}");
        assert!(expected.iter().any(|held| !held), "{name}: it holds everything");
        let bitmap: Vec<u8> = expected
            .chunks(8)
            .map(|byte| (0..).zip(byte).map(|(i, held)| u8::from(*held) << i).sum())
            .collect();

        let any = filter.filter();
        let mut answers = vec![false; asked.len()];
        if let Some(ready) = prepare(&filter, &keys) {
            any.contains_prepared(&ready, &mut answers);
            assert_eq!(answers, expected, "{name}: prepared");
        }
        if let Some(hashes) = hashes(&filter, &keys) {
            answers.fill(false);
            any.contains_many_hashes(&hashes, &mut answers);
            assert_eq!(answers, expected, "{name}: hashes");
            let one_by_one: Vec<bool> = hashes.iter().map(|hash| any.contains_hash(*hash)).collect();
            assert_eq!(one_by_one, expected, "{name}: hashes one by one");
        } else {
            // If the scheme has no hash, the answer for a hash is "perhaps".
            assert!(any.contains_hash(0) && any.contains_hash(u64::MAX), "{name}");
        }
        let Numbered::Texts(texts) = &keys else {
            // So is the answer for a key, if the caller hashes.
            let many = any.contains_many(&["a key", "", "another"]);
            assert!(any.contains("a key") && any.contains(&7) && many == [true; 3], "{name}");
            continue;
        };
        answers.fill(false);
        any.contains_many_into(texts, &mut answers);
        assert_eq!(answers, expected, "{name}: into");
        let mut bits = vec![0x55; bitmap.len()];
        any.contains_many_bits(texts, &mut bits);
        assert_eq!(bits, bitmap, "{name}: bits");
        let bytes: Vec<KeyRef<'_>> = texts.iter().map(|text| KeyRef::Bytes(text.as_bytes())).collect();
        assert_eq!(any.contains_many(&bytes), expected, "{name}: bytes");
        #[cfg(feature = "parallel")]
        {
            let threads = std::num::NonZeroUsize::new(2).unwrap();
            assert_eq!(any.contains_bulk(texts, threads), expected, "{name}: bulk");
        }
        match any {
            AnyFilter::Bloom(typed) => {
                assert_eq!(keys.held(&typed.clone().into_owned().unwrap()), expected, "{name}: its type");
                let branching: Vec<bool> = texts.iter().map(|text| typed.contains_branching(text)).collect();
                assert_eq!(branching, expected, "{name}: branching");
                let (named, answers): (Vec<&String>, Vec<bool>) = typed.contains_iter(texts).unzip();
                assert!(named.into_iter().eq(texts), "{name}: from an iterator");
                assert_eq!(answers, expected, "{name}: from an iterator");
                let embedded = typed.to_embedded().unwrap();
                let embedded = BloomFilter::from_embedded(&embedded, &typed.key_hasher()).unwrap();
                assert_eq!(keys.held(&embedded), expected, "{name}: embedded");
            }
            #[cfg(any(feature = "foreign", feature = "extras"))]
            AnyFilter::Scalable(chain) => {
                let typed: Vec<bool> = texts.iter().map(|text| chain.contains(text)).collect();
                assert_eq!(typed, expected, "{name}: its type");
            }
            #[cfg(feature = "table")]
            AnyFilter::Quotient(filter) => {
                assert_eq!(filter.contains_many(texts), expected, "{name}: its type");
                let counted: Vec<bool> = texts.iter().map(|text| filter.count(text) > 0).collect();
                assert_eq!(counted, expected, "{name}: counts");
            }
            #[cfg(feature = "table")]
            AnyFilter::Expiring(filter) => {
                assert_eq!(filter.contains_many(texts), expected, "{name}: its type");
                let now = filter.now().unwrap_or(0);
                let held: Vec<bool> = texts.iter().map(|text| filter.contains_at(text, now)).collect();
                assert_eq!(held, expected, "{name}: as of now");
                let young = texts.iter().map(|text| filter.age_estimate(text) == Some(0));
                assert!(young.eq(expected), "{name}: ages");
            }
            #[cfg(feature = "table")]
            AnyFilter::Growing(filter) => {
                assert_eq!(filter.contains_many(texts), expected, "{name}: its type");
                let typed: Vec<bool> = texts.iter().map(|text| filter.contains(text)).collect();
                assert_eq!(typed, expected, "{name}: its type, one by one");
            }
            #[cfg(feature = "table")]
            AnyFilter::Segment(filter) => {
                assert_eq!(filter.contains_many(texts), expected, "{name}: its type");
                let only = filter.all_segments().next().unwrap();
                let held: Vec<bool> = texts.iter().map(|text| filter.contains_in(only, text)).collect();
                assert_eq!(held, expected, "{name}: its segment");
                let answers = filter.segments_many(texts);
                for ((i, text), held) in texts.iter().enumerate().zip(expected) {
                    let of: Vec<_> = filter.segments(text).collect();
                    assert_eq!(of, if held { vec![only] } else { vec![] }, "{name}: segments");
                    assert_eq!(answers.of(i), of, "{name}: segments of many");
                }
            }
            #[cfg(feature = "static")]
            AnyFilter::Ribbon(filter) => {
                assert_eq!(filter.contains_many(texts), expected, "{name}: its type");
                let typed: Vec<bool> = texts.iter().map(|text| filter.contains(text)).collect();
                assert_eq!(typed, expected, "{name}: its type, one by one");
            }
            #[cfg(feature = "static")]
            AnyFilter::Map(map) => {
                assert_eq!(map.contains_many(texts), expected, "{name}: its type");
                let typed: Vec<bool> = texts.iter().map(|text| map.contains(text)).collect();
                assert_eq!(typed, expected, "{name}: its type, one by one");
                let values: Vec<_> = texts.iter().map(|text| map.get(text)).collect();
                assert_eq!(map.get_many(texts), values, "{name}: values of many");
                assert!(values.iter().zip(expected).all(|(value, held)| value.is_some() == held), "{name}");
            }
            other => panic!("{name}: a kind that is new here, {}", other.kind()),
        }
    }
}
