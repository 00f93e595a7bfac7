//! Patches from one file to another.

use tepal::{BloomFilter, Error, Layout, builders::BloomFilterBuilder, file::Patch};
use xxhash_rust::xxh3::xxh3_64;

fn builder() -> BloomFilterBuilder {
    BloomFilter::builder().capacity(2000).labels(tepal::facts::Labels::new().name("old"))
}

fn pair(old: BloomFilterBuilder, new: BloomFilterBuilder, keys: u32) -> (Vec<u8>, Vec<u8>) {
    let filled = |builder: BloomFilterBuilder, keys| {
        let mut filter = builder.build().unwrap();
        filter.insert_iter(0..keys).unwrap();
        filter.to_bytes().unwrap()
    };
    (filled(old, 1000u32), filled(new, keys))
}

fn refused(patch: Result<Patch, Error>) -> String {
    patch.unwrap_err().to_string()
}

#[test]
fn the_new_file_byte_for_byte() {
    for layout in Layout::ALL {
        for keys in [0, 999, 1000, 1001, 2000] {
            let of = builder().layout(*layout);
            let labels = tepal::facts::Labels::new().name("a longer name than before").date("2026-11-22");
            let (old, new) = pair(of.clone(), of.labels(labels), keys);
            let patch = Patch::between(&old, &new).unwrap();
            assert_eq!(patch.apply(&old).unwrap(), new, "{layout} {keys}");
            assert_eq!((patch.old_len(), patch.new_len()), (old.len() as u64, new.len() as u64));
            let again = Patch::from_bytes(patch.as_bytes().to_vec()).unwrap();
            assert!(again == patch);
            assert!(matches!(patch.apply(&new), Err(Error::OtherOld { is_new: true, .. })));
            assert!(matches!(patch.apply(&old[1..]), Err(Error::OtherOld { is_new: false, .. })));
            let back = Patch::between(&new, &old).unwrap();
            assert_eq!((back.apply(&new).unwrap(), back.flips()), (old, patch.flips()));
        }
    }
}

/// Nearly all bits differ: the equal bits are coded.
#[test]
fn bits_that_stay_are_coded_where_they_are_fewer() {
    let old: Vec<u8> = (0..100_000u32).map(|i| if i % 50 == 0 { 7 } else { 0 }).collect();
    let new: Vec<u8> = (0..100_000u32).map(|i| if i % 70 == 0 { 0 } else { 0xFF }).collect();
    let patch = Patch::between(&old, &new).unwrap();
    assert!(patch.as_bytes().len() < 20_000 && patch.flips() > 700_000);
    assert_eq!(patch.apply(&old).unwrap(), new);
    for (old, new) in [(&[][..], &[][..]), (&[1, 2, 3], &[3, 2, 1]), (&[0; 9], &[0xFF; 9])] {
        assert_eq!(Patch::between(old, new).unwrap().apply(old).unwrap(), new);
    }
}

#[test]
fn filters_of_other_shapes_and_hashes_are_refused() {
    let (old, _) = pair(builder(), builder(), 0);
    for (other, property) in [
        (builder().layout(Layout::Scattered), "layout"),
        (builder().capacity(4000), "number of bits"),
        (builder().num_hashes(3), "number of hashes"),
        (builder().seed(3), "seed"),
        (builder().recipe(tepal::Recipe::new().trim(true)), "recipe"),
        (builder().key_domain(tepal::KeyDomain::Integer), "key domain"),
    ] {
        let (_, new) = pair(builder(), other, 1000);
        let text = refused(Patch::between(&old, &new));
        assert!(text.contains(property), "{property}: {text}");
    }
    assert!(refused(Patch::between(&old, b"text")).contains("file format"));
    assert!(refused(Patch::between(b"abc", b"text")).contains("length"));
    let mut damaged = old.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(refused(Patch::between(&old, &damaged)).contains("damaged"));
}

#[test]
fn damaged_patches_are_refused() {
    let (old, new) = pair(builder(), builder(), 1010);
    let patch = Patch::between(&old, &new).unwrap();
    let bytes = patch.as_bytes();
    for at in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        assert!(Patch::from_bytes(changed).is_err(), "{at}");
        assert!(Patch::from_bytes(bytes[..at].to_vec()).is_err(), "{at}");
        // With a matching checksum: refused at once, or when it is applied.
        let mut changed = bytes[..bytes.len() - 8].to_vec();
        if let Some(byte) = changed.get_mut(at) {
            *byte ^= 0x81;
            let sum = xxh3_64(&changed);
            changed.extend(sum.to_le_bytes());
            assert!(Patch::from_bytes(changed).and_then(|patch| patch.apply(&old)).is_err(), "{at}");
        }
    }
    assert!(refused(Patch::from_bytes(old)).contains("a tepal file"));
}

/// Two hashes of the caller differ by their names, in Bloom filters and in ribbons: equal bits then
/// mean different keys.
#[test]
fn two_hashes_of_the_caller_have_no_patch() {
    let bloom = |name| {
        let mut filter = BloomFilter::builder().capacity(100).caller_hash(name).build().unwrap();
        filter.insert_many_hashes(&[1, 2, 3]).unwrap();
        filter.to_bytes().unwrap()
    };
    let mut pairs = Vec::from([(bloom("my hash, version 1"), bloom("my hash, version 2"))]);
    #[cfg(feature = "static")]
    {
        let ribbon = |name, added: &[u64]| {
            let builder = tepal::RibbonFilter::builder().caller_hash(name);
            let mut filter = builder.build_from_hashes(Vec::from([1, 2, 3])).unwrap();
            filter.insert_many_hashes(added).unwrap();
            tepal::Opened::new(filter, tepal::file::Format::Tepal).unwrap().to_bytes().unwrap()
        };
        pairs.push((ribbon("one", &[1 << 60]), ribbon("two", &[1 << 60, 1 << 61])));
    }
    for (old, new) in pairs {
        for text in [refused(Patch::between(&old, &new)), refused(Patch::between(&new, &old))] {
            assert!(text.contains("seed or name of the hash"), "{text}");
        }
        assert!(Patch::between(&old, &old).is_ok());
    }
}

/// A stream gets the whole new file or nothing.
#[cfg(feature = "std")]
#[test]
fn a_stream_gets_the_file_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old");
    let (old, new) = pair(builder(), builder(), 1500);
    let patch = Patch::between(&old, &new).unwrap();
    std::fs::write(&path, &old).unwrap();
    let mut out = Vec::new();
    patch.apply_to(&path, &mut out).unwrap();
    assert!(out == new);

    out.clear();
    let bytes = &patch.as_bytes()[..patch.as_bytes().len() - 8];
    let mut refused = 0;
    for at in 0..bytes.len() {
        let mut forged = bytes.to_vec();
        forged[at] ^= 1;
        forged.extend(xxh3_64(&forged).to_le_bytes());
        if let Ok(forged) = Patch::from_bytes(forged) {
            assert!(forged.apply_to(&path, &mut out).is_err() && out.is_empty(), "{at}");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
    std::fs::write(&path, &new).unwrap();
    assert!(matches!(patch.apply_to(&path, &mut out), Err(Error::OtherOld { is_new: true, .. })));
    assert!(out.is_empty());
}
