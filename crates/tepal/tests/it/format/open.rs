//! Quick opening: the damage it detects, the damage it leaves to `verify`, and that nothing panics
//! between.

use std::fs;
use std::path::PathBuf;

use tepal::{BloomFilter, Error, Layout, Open, SecretKey};

static SECRET: SecretKey = SecretKey::new(*b"0123456789abcdef");

/// A file that cannot be mapped is read, and then all of it is checked at once.
const MAPS: bool = cfg!(target_endian = "little");

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

    fn quick(&self, bytes: &[u8]) -> tepal::Result<BloomFilter> {
        fs::write(&self.path, bytes).unwrap();
        self.options().quick().open(&self.path)?.into_filter().into_bloom()
    }
}

#[test]
fn a_quick_opened_filter_is_the_filter_and_verifies() {
    for filter in filters(120_000) {
        let file = File::new(filter.seed().is_none());
        let bytes = filter.to_bytes().unwrap();
        let quick = file.quick(&bytes).unwrap();
        assert!(quick == filter);
        assert_eq!(
            (quick.set_bits(), quick.chunks()),
            (filter.set_bits(), filter.size_in_bytes() / 65_536 + 1)
        );
        assert!((0..60_000u32).all(|key| quick.contains(&key)));
        quick.verify().unwrap();
        quick.clone().verify().unwrap();
        assert_eq!(quick.to_bytes().unwrap(), bytes);
        file.options().open(&file.path).unwrap().verify().unwrap();
    }
    let file = File::new(false);
    BloomFilter::builder().capacity(10).build().unwrap().save(&file.path).unwrap();
    BloomFilter::open_quick(&file.path).unwrap().verify().unwrap();
}

#[test]
fn what_is_before_the_bits_is_found_at_once() {
    for filter in filters(1000) {
        let file = File::new(filter.seed().is_none());
        let mut bytes = filter.to_bytes().unwrap();
        let body_offset = bytes.len() - filter.size_in_bytes() as usize;
        for bit in 0..body_offset * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(file.quick(&bytes).is_err(), "{filter:?}: bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for len in [0, 7, 8, 24, 191, body_offset - 1, body_offset, bytes.len() - 64, bytes.len() - 1] {
            assert!(file.quick(&bytes[..len]).is_err(), "{filter:?}: {len} bytes");
        }
        bytes.push(0);
        assert!(file.quick(&bytes).is_err(), "{filter:?}: one byte more");
    }
}

#[test]
fn what_is_in_the_bits_is_found_by_verify_and_by_whatever_copies_them() {
    for mut filter in filters(120_000) {
        let file = File::new(filter.seed().is_none());
        let good = filter.to_bytes().unwrap();
        let body_offset = good.len() - filter.size_in_bytes() as usize;
        // In the first, the second and the last chunk; and in all of them.
        for at in [body_offset, body_offset + 70_000, good.len() - 1, usize::MAX] {
            let mut bytes = good.clone();
            match bytes.get_mut(at) {
                Some(byte) => *byte ^= 0x10,
                None => bytes[body_offset..].iter_mut().for_each(|byte| *byte = !*byte),
            }
            if !MAPS {
                assert!(matches!(file.quick(&bytes), Err(Error::Damaged { .. })));
                continue;
            }
            let quick = file.quick(&bytes).unwrap();
            for key in 0..1000u32 {
                let _ = quick.contains(&key);
            }
            let _ = quick.contains_many(&(0..1000u32).collect::<Vec<_>>());
            let _ = (quick.false_positive_rate(), quick.estimated_len(), quick.fill_ratio());
            let _ = (quick.fill_of_slices(10), quick.is_over_capacity());
            let chunk = at.checked_sub(body_offset).filter(|_| at < good.len()).unwrap_or(0) / 65_536;
            let from = body_offset + chunk * 65_536;
            let to = (from + 65_536).min(good.len()) - 1;
            let error = quick.verify().unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, Error::Damaged { .. }), "{text}");
            assert!(text.contains(&std::format!("bytes {from} to {to} have the checksum")), "{text}");
            assert!(matches!(quick.to_bytes(), Err(Error::Damaged { .. })));
            assert!(matches!(quick.write_to(std::io::sink()), Err(Error::Damaged { .. })));
            assert!(matches!(quick.save(&file.path), Err(Error::Damaged { .. })));
            // The same for an `Opened`.
            let mut opened = file.options().quick().open(&file.path).unwrap();
            assert!(matches!(opened.verify(), Err(Error::Damaged { .. })));
            assert!(matches!(opened.to_bytes(), Err(Error::Damaged { .. })));
            assert!(matches!(opened.write_to(std::io::sink()), Err(Error::Damaged { .. })));
            assert!(matches!(opened.save(&file.path), Err(Error::Damaged { .. })));
            assert!(matches!(opened.insert("x"), Err(Error::Damaged { .. })));
            assert_eq!(fs::read(&file.path).unwrap(), bytes);
            assert!(matches!(filter.union_with(&quick), Err(Error::Damaged { .. })));
            assert!(matches!(filter.intersect_with(&quick), Err(Error::Damaged { .. })));
            assert!(matches!(quick.into_owned(), Err(Error::Damaged { .. })));
            assert!(matches!(file.options().open(&file.path), Err(Error::Damaged { .. })));
            assert!(matches!(file.options().quick().from_bytes(&bytes), Err(Error::Damaged { .. })));
        }
        assert_eq!(filter.to_bytes().unwrap(), good);
    }
}

#[test]
fn a_file_that_changed_since_is_found_too() {
    let file = File::new(false);
    let filter = BloomFilter::builder().capacity(1000).build().unwrap();
    filter.save(&file.path).unwrap();
    let opened = BloomFilter::open(&file.path).unwrap();
    let mut bytes = fs::read(&file.path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    // Overwritten in place, as no program should do: same length, same inode.
    fs::write(&file.path, &bytes).unwrap();
    if opened != filter {
        assert!(matches!(opened.verify(), Err(Error::Damaged { .. })));
        assert!(matches!(opened.to_bytes(), Err(Error::Damaged { .. })));
    } else {
        // Read into memory and not mapped: the change does not affect the filter.
        opened.verify().unwrap();
    }
}

/// Every call checks the name: for bytes, a mapped file, quick or in memory, and in place.
#[test]
fn another_name_is_refused_by_every_way_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let named = |name: Option<&str>| {
        let labels = name.map_or(tepal::facts::Labels::new(), |name| tepal::facts::Labels::new().name(name));
        BloomFilter::builder().labels(labels).build_from(["apple"]).unwrap()
    };
    for (name, is_right) in [(Some("fruit"), true), (Some("Fruit"), false), (None, false)] {
        let filter = named(name);
        filter.save(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let open = Open::new().expect_name("fruit");
        // Bytes with the alignment that a view needs.
        let mut aligned = std::vec![0u8; bytes.len() + 64];
        let start = aligned.as_ptr().align_offset(64);
        aligned[start..start + bytes.len()].copy_from_slice(&bytes);
        let place = &aligned[start..start + bytes.len()];
        for opened in [
            open.from_bytes(&bytes).err(),
            open.open(&path).err(),
            open.quick().open(&path).err(),
            open.in_memory().open(&path).err(),
            if cfg!(target_endian = "little") {
                open.view::<BloomFilter<_>>(place).err()
            } else {
                open.from_bytes(&bytes).err()
            },
        ] {
            match opened {
                None => assert!(is_right, "{name:?}"),
                Some(Error::OtherName { expected, found, .. }) => {
                    assert!(!is_right && expected == "fruit" && found.as_deref() == name);
                }
                Some(other) => panic!("{other}"),
            }
        }
    }
}
