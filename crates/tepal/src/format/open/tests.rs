//! Quick opening: the damage it detects, the damage it leaves to `verify`, and that nothing panics
//! between.

use std::fs;
use std::path::PathBuf;
use std::vec::Vec;

use super::Open;
use crate::storage::PlainStorage;
use crate::{BloomFilter, Error, Layout, SecretKey, hash::PreparedKeys};

static SECRET: SecretKey = SecretKey::new(*b"0123456789abcdef");

/// A file that cannot be mapped is read, and then all of it is checked at once.
const MAPS: bool = cfg!(target_endian = "little");

/// Are the bits in the mapped file?
fn is_mapped(filter: &BloomFilter) -> bool {
    !filter.lines.is_in_memory()
}

/// One filter of each layout, and one with a secret key.
fn filters(capacity: u64) -> Vec<BloomFilter> {
    let mut filters = Vec::new();
    for &layout in Layout::ALL {
        let builder = BloomFilter::builder().layout(layout).capacity(capacity);
        filters.push(builder.clone().build().unwrap());
        if layout == Layout::Line {
            filters.push(builder.secret_key(SECRET.clone()).build().unwrap());
        }
    }
    for filter in &mut filters {
        filter.insert_many(&(0..capacity as u32 / 2).collect::<Vec<_>>()).unwrap();
    }
    filters
}

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
    keyed: bool,
}

impl File {
    fn new(keyed: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        File { path: folder.path().join("f"), _folder: folder, keyed }
    }

    fn options(&self) -> Open<'static> {
        if self.keyed { Open::new().secret_key(&SECRET) } else { Open::new() }
    }

    fn quick(&self, bytes: &[u8]) -> crate::Result<BloomFilter> {
        fs::write(&self.path, bytes).unwrap();
        self.options().quick().open(&self.path)?.into_filter().into_bloom()
    }
}

/// The first change copies the bits of a file: the file stays unchanged, and so does every other
/// filter opened from it.
#[test]
fn a_change_is_made_to_a_copy() {
    type Change = fn(&mut BloomFilter);
    let changes: [(&str, Change); 8] = [
        ("insert", |filter| _ = filter.insert("new").unwrap()),
        ("insert_many", |filter| filter.insert_many(&["new", "newer"]).unwrap()),
        ("insert_hash", |filter| _ = filter.insert_hash(filter.hash_key("new").unwrap()).unwrap()),
        ("insert_many_hashes", |filter| {
            filter.insert_many_hashes(&[filter.hash_key("new").unwrap()]).unwrap();
        }),
        ("insert_prepared", |filter| {
            let mut prepared = PreparedKeys::default();
            filter.key_hasher().prepare("new", &mut prepared).unwrap();
            filter.insert_prepared(&prepared).unwrap();
        }),
        ("union_with", |filter| {
            let mut other = filter.clone().into_owned().unwrap();
            other.clear().unwrap();
            other.insert("new").unwrap();
            filter.union_with(&other).unwrap();
        }),
        ("insert_bulk", |filter| {
            #[cfg(feature = "parallel")]
            filter.insert_bulk(&["new"], core::num::NonZeroUsize::MIN).unwrap();
            #[cfg(not(feature = "parallel"))]
            filter.insert("new").map(drop).unwrap();
        }),
        ("insert and intersect_with", |filter| {
            filter.insert("new").unwrap();
            let same = filter.clone();
            filter.intersect_with(&same).unwrap();
        }),
    ];
    for filter in filters(20_000) {
        let file = File::new(filter.seed().is_none());
        filter.save(&file.path).unwrap();
        let bytes = fs::read(&file.path).unwrap();
        let opened = || file.options().open(&file.path).unwrap().into_filter().into_bloom().unwrap();
        let quick = || file.options().quick().open(&file.path).unwrap().into_filter().into_bloom().unwrap();
        for (name, change) in changes {
            for mut changed in [opened(), quick()] {
                let (clone, other) = (changed.clone(), opened());
                assert_eq!(is_mapped(&changed), MAPS);
                assert!(!changed.contains("new"));
                change(&mut changed);
                assert!(!is_mapped(&changed), "{name}");
                assert!(changed.contains("new") && changed.contains(&7u32), "{name}");
                assert!(changed != filter, "{name}");
                assert!(clone == filter && other == filter, "{name}");
                assert!(!clone.contains("new") && is_mapped(&clone) == MAPS, "{name}");
                assert!(fs::read(&file.path).unwrap() == bytes, "{name}");
                // The bits are not checked any more from then on, and a second change copies
                // nothing.
                changed.verify().unwrap();
                let at = changed.lines.as_lines().as_ptr();
                changed.insert("newest").unwrap();
                assert_eq!(changed.lines.as_lines().as_ptr(), at, "{name}");
                // Counts continue from those of the file.
                let keys = changed.keys_inserted();
                assert!(keys.is_none_or(|keys| keys > 10_000), "{name}: {keys:?}");
                let words = crate::bits::count(changed.lines.as_lines());
                assert_eq!(changed.set_bits(), words, "{name}");
            }
        }
        // The same for an `Opened`, which saves the changed filter.
        let mut changed = file.options().open(&file.path).unwrap();
        let clone = changed.clone();
        changed.insert("new").unwrap();
        assert!(changed.contains("new") && !clone.contains("new"));
        assert!(fs::read(&file.path).unwrap() == bytes);
        let mut expected = filter.clone();
        expected.insert("new").unwrap();
        changed.save(&file.path).unwrap();
        assert!(fs::read(&file.path).unwrap() == expected.to_bytes().unwrap());
        // The clone still has the content of the file that was opened.
        assert!(clone.to_bytes().unwrap() == bytes);
        clone.verify().unwrap();
    }
}

/// A refused change copies nothing.
#[test]
fn a_refused_change_is_none() {
    let file = File::new(false);
    let builder = BloomFilter::builder().key_domain(crate::KeyDomain::Integer).capacity(100);
    let mut filter = builder.build().unwrap();
    while filter.insert(&filter.keys_inserted().unwrap()).is_ok() {}
    filter.save(&file.path).unwrap();
    let mut opened = BloomFilter::open(&file.path).unwrap();
    assert!(matches!(opened.insert("x"), Err(Error::KeyRefused { .. })));
    assert!((1000..2000u64).any(|key| matches!(opened.insert(&key), Err(Error::CapacityReached { .. }))));
    assert!(matches!(opened.union_with(&filters(10)[0]), Err(Error::Incompatible { .. })));
    assert_eq!(is_mapped(&opened), MAPS);
    assert!(opened == filter);
}

/// The first change of a quick-opened filter checks the bits and refuses damaged ones; later
/// changes are refused too. Clearing all bits needs no check.
#[cfg(target_endian = "little")]
#[test]
fn damaged_bits_are_not_changed() {
    for filter in filters(120_000) {
        let file = File::new(filter.seed().is_none());
        let mut bytes = filter.to_bytes().unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 0x10;
        let mut quick = file.quick(&bytes).unwrap();
        let before = quick.clone();
        let keys = quick.keys_inserted();
        for _ in 0..2 {
            assert!(matches!(quick.insert("new"), Err(Error::Damaged { .. })));
            assert!(matches!(quick.insert_many(&["new"]), Err(Error::Damaged { .. })));
            assert!(matches!(quick.insert_hash(7), Err(Error::Damaged { .. })));
            assert!(matches!(quick.union_with(&filter), Err(Error::Damaged { .. })));
            assert!(matches!(quick.intersect_with(&filter), Err(Error::Damaged { .. })));
        }
        assert!(is_mapped(&quick) && quick == before && quick.keys_inserted() == keys);
        let mut opened = file.options().quick().open(&file.path).unwrap();
        assert!(matches!(opened.insert("new"), Err(Error::Damaged { .. })));
        assert!(matches!(opened.insert_many(&["new"]), Err(Error::Damaged { .. })));
        assert!(fs::read(&file.path).unwrap() == bytes);
        opened.clear().unwrap();
        opened.verify().unwrap();
        assert!(!opened.contains(&7u32) && opened.insert("new").unwrap());
        assert_eq!(opened.filter().keys_inserted(), Some(1));
        // The filter was cleared, and the file was not.
        assert!(fs::read(&file.path).unwrap() == bytes);
    }
}
