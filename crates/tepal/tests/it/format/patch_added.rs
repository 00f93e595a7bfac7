//! Patches to a ribbon with more keys.
// Some lists of ranges have one range.
#![allow(clippy::single_range_in_vec_init)]

use std::collections::BTreeSet;

use tepal::{
    AnyFilter, Error, Open, Opened, RibbonFilter,
    file::{Format, Patch},
};
use xxhash_rust::xxh3::xxh3_64;

fn ribbon(keys: u32, rate: f64) -> RibbonFilter {
    RibbonFilter::builder().false_positive_rate(rate).build_from(0..keys).unwrap()
}

fn file(filter: RibbonFilter) -> Vec<u8> {
    Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap()
}

fn read(file: &[u8]) -> RibbonFilter {
    match Open::new().from_bytes(file).unwrap().filter() {
        AnyFilter::Ribbon(filter) => filter.clone(),
        other => panic!("{other:?}"),
    }
}

/// The file of a filter with these keys added.
fn with(filter: &RibbonFilter, keys: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let mut filter = filter.clone();
    filter.insert_iter(keys).unwrap();
    file(filter)
}

/// Changed bytes with a matching checksum.
fn mended(patch: &[u8], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut changed = patch[..patch.len() - 8].to_vec();
    change(&mut changed);
    let sum = xxh3_64(&changed);
    changed.extend(sum.to_le_bytes());
    changed
}

fn refused(made: Result<Vec<u8>, Error>) -> String {
    made.unwrap_err().to_string()
}

/// Checks both directions between two files, whose filters have added keys.
fn check(old: &[u8], new: &[u8]) -> Patch {
    let patch = Patch::between(old, new).unwrap();
    assert!(patch.apply(old).unwrap() == new);
    assert!(Patch::from_bytes(patch.as_bytes().to_vec()).unwrap() == patch);
    let [before, after] = [old, new].map(|file| -> BTreeSet<u64> {
        let keys = read(file).added() as usize;
        // Their checksum follows them.
        let list = &file[file.len() - if keys == 0 { 0 } else { 8 * (keys + 1) }..];
        list.chunks_exact(8).map(|hash| u64::from_le_bytes(hash.try_into().unwrap())).take(keys).collect()
    });
    assert_eq!(patch.added_keys(), after.difference(&before).count() as u64);
    assert_eq!(patch.removed_keys(), before.difference(&after).count() as u64);
    let back = Patch::between(new, old).unwrap();
    assert!(back.apply(new).unwrap() == old);
    assert_eq!((back.added_keys(), back.removed_keys()), (patch.removed_keys(), patch.added_keys()));
    if old != new {
        assert!(matches!(patch.apply(new), Err(Error::OtherOld { is_new: true, .. })));
        assert!(matches!(patch.apply(&old[1..]), Err(Error::OtherOld { is_new: false, .. })));
    }
    patch
}

/// Ribbons without keys and with many, with one and two ribbons, and every list of added keys.
#[test]
fn every_list_becomes_every_other_one() {
    for (keys, rate) in [(0, 0.01), (1, 0.01), (20, 0.3), (300, 0.01), (3000, 0.1), (100_000, 1e-3)] {
        let filter = ribbon(keys, rate);
        let lists: [&[std::ops::Range<u32>]; 7] =
            [&[], &[0..1], &[5..6], &[0..100], &[0..49, 51..100], &[0..4, 98..100, 300..330], &[2000..5000]];
        let files =
            lists.map(|list| with(&filter, list.iter().cloned().flatten().map(|key| key + 10_000_000)));
        for old in &files {
            for new in &files {
                let patch = check(old, new);
                // The same ribbon.
                assert_eq!(patch.flips(), 0);
                let is_plain = patch.as_bytes()[10] == 1;
                assert_eq!(is_plain, read(old).added() + read(new).added() == 0);
                // A new key takes at most 64 + 1 bits; a key that is removed or stays takes at most
                // 15.
                let changed = 66 * patch.added_keys() + 15 * (read(old).added() / 2 + 1);
                assert!(patch.as_bytes().len() as u64 <= 72 + 128 + 80 + 24 + 8 + changed.div_ceil(8));
            }
        }
    }
}

/// The bits differ too, if the bodies have equal lengths.
#[test]
fn of_another_ribbon() {
    let of = |keys: std::ops::Range<u32>| {
        RibbonFilter::builder().false_positive_rate(1e-3).build_from(keys).unwrap()
    };
    let (one, other) = (of(0..30), of(1..31));
    for (old, new) in [(0, 5), (5, 0), (5, 5), (3, 70)] {
        let added = |count: u32| (0..count).map(|key| key + 1_000_000);
        let patch = check(&with(&one, added(old)), &with(&other, added(new)));
        assert!(patch.flips() > 50 && patch.as_bytes()[10] == 3);
    }
    // Without added keys the patch is the plain one: the bytes of two files.
    let (old, new) = (with(&one, []), with(&other, []));
    let patch = check(&old, &new);
    assert_eq!((patch.as_bytes()[10], patch.added_keys(), patch.removed_keys()), (1, 0, 0));
    let differing = old.iter().zip(&new).map(|(old, new)| u64::from((old ^ new).count_ones())).sum::<u64>();
    assert_eq!(patch.flips(), differing);
}

/// One patch each day; none may be left out.
#[test]
fn a_chain_of_patches() {
    let mut filter = ribbon(5000, 0.05);
    let mut files = Vec::from([file(filter.clone())]);
    for day in 0..10u32 {
        filter.insert_iter((0..day * 20 + 1).map(|key| 1_000_000 + day * 1000 + key)).unwrap();
        files.push(file(filter.clone()));
    }
    let patches: Vec<Patch> = files.windows(2).map(|pair| check(&pair[0], &pair[1])).collect();
    let mut copy = files[0].clone();
    for (patch, new) in patches.iter().zip(&files[1..]) {
        copy = patch.apply(&copy).unwrap();
        assert!(copy == *new);
    }
    assert!(matches!(patches[2].apply(&files[1]), Err(Error::OtherOld { is_new: false, .. })));
    assert!(read(&copy) == filter);
}

#[test]
fn labels_and_seals_come_along() {
    let filter = ribbon(400, 0.01);
    let opened = |keys: u32, name: Option<&str>| {
        let mut filter = filter.clone();
        filter.insert_iter(1_000_000..1_000_000 + keys).unwrap();
        if let Some(name) = name {
            filter.set_labels(tepal::facts::Labels::new().name(name)).unwrap();
        }
        Opened::new(filter, Format::Tepal).unwrap()
    };
    let longer =
        "a name that is longer than all the others, so that the body begins at another place in the file";
    let plain = opened(3, None).to_bytes().unwrap();
    check(&plain, &opened(9, Some(longer)).to_bytes().unwrap());
    #[cfg(feature = "seal")]
    {
        let seal = tepal::SealKey::new(b"sixteen bytes or more").unwrap();
        for (old, new) in [(0, 7), (7, 0), (7, 8)] {
            let [sealed, other] = [opened(new, Some("new")), opened(old, None)]
                .map(|file| file.to_bytes_sealed(&seal).unwrap());
            let [not, neither] = [opened(old, None), opened(new, None)].map(|file| file.to_bytes().unwrap());
            for (old, new) in [(&not, &sealed), (&other, &sealed), (&other, &neither)] {
                let patch = Patch::between(old, new).unwrap();
                assert!(patch.apply(old).unwrap() == *new);
            }
            assert!(Open::new().seal_key(&seal).from_bytes(&sealed).is_ok());
        }
    }
}

/// The ribbon of a table, and the smallest and largest hashes.
#[cfg(feature = "table")]
#[test]
fn beside_the_ribbon_of_a_table() {
    let table = tepal::QuotientFilter::builder().false_positive_rate(1e-4).capacity(3000);
    let filter = table.build_from(0..3000u32).unwrap().to_ribbon(0.01).unwrap();
    let mut more = filter.clone();
    more.insert_many_hashes(&[0, u64::MAX, 1, u64::MAX - 1]).unwrap();
    let patch = check(&file(filter.clone()), &file(more.clone()));
    assert!(patch.added_keys() >= 3 && patch.as_bytes().len() < 350);
    more.insert_many_hashes(&[1 << 40]).unwrap();
    check(&file(filter), &file(more));
}

#[test]
fn other_ribbons_are_refused() {
    let old = with(&ribbon(300, 0.01), [1_000_000]);
    for (other, property) in [
        (ribbon(400, 0.01), "length without added keys"),
        (RibbonFilter::builder().seed(3).build_from(0..300u32).unwrap(), "seed, key or parameter"),
        (
            RibbonFilter::builder().recipe(tepal::Recipe::new().trim(true)).build_from(0..300u32).unwrap(),
            "recipe",
        ),
        (RibbonFilter::builder().scheme(tepal::Scheme::Xxh64).build_from(0..300u32).unwrap(), "scheme"),
    ] {
        let new = with(&other, []);
        for text in [Patch::between(&old, &new), Patch::between(&new, &old)].map(Result::unwrap_err) {
            assert!(text.to_string().contains(property), "{property}: {text}");
        }
    }
    let bloom = tepal::BloomFilter::builder().capacity(300).build().unwrap().to_bytes().unwrap();
    assert!(Patch::between(&old, &bloom).unwrap_err().to_string().contains("kind"));
    // Damage anywhere in the file is detected.
    for at in 0..old.len() {
        let mut damaged = old.clone();
        damaged[at] ^= 0x10;
        assert!(Patch::between(&old, &damaged).is_err() && Patch::between(&damaged, &old).is_err(), "{at}");
        assert!(Patch::between(&old, &old[..at]).is_err());
    }
}

#[test]
fn damaged_patches_are_refused() {
    let filter = ribbon(20, 0.01);
    let list = |keys: &[std::ops::Range<u32>]| with(&filter, keys.iter().cloned().flatten());
    let old = list(&[1000..1010]);
    for new in
        [list(&[]), list(&[1000..1030]), list(&[1003..1005, 1500..1520]), with(&ribbon(21, 0.01), [77])]
    {
        let patch = Patch::between(&old, &new).unwrap();
        let bytes = patch.as_bytes();
        for at in 0..bytes.len() {
            assert!(Patch::from_bytes(bytes[..at].to_vec()).is_err(), "{at}");
            // Cut, with a matching checksum.
            if at + 9 < bytes.len() {
                let cut = mended(&bytes[..at + 8], |_| {});
                assert!(Patch::from_bytes(cut).and_then(|patch| patch.apply(&old)).is_err(), "{at}");
            }
            for flip in [1, 2, 0x10, 0x80, 0xFF] {
                let mut changed = bytes.to_vec();
                changed[at] ^= flip;
                assert!(Patch::from_bytes(changed).is_err(), "{at}");
                // With a matching checksum: refused at once, or when it is applied.
                if at < bytes.len() - 8 {
                    let changed = mended(bytes, |patch| patch[at] ^= flip);
                    assert!(Patch::from_bytes(changed).and_then(|patch| patch.apply(&old)).is_err(), "{at}");
                }
            }
        }
    }
}

/// Lists that no writer makes, with all checksums matching.
#[test]
fn lists_that_no_writer_makes_are_refused() {
    let filter = ribbon(20, 0.01);
    let (none, one) = (with(&filter, []), with(&filter, 1000..1001));
    let patch = Patch::between(&none, &one).unwrap();
    let bytes = patch.as_bytes();
    // For another old file.
    let of = |old: &[u8], keys: u64, bytes: &[u8]| {
        let changed = mended(bytes, |patch| {
            patch[24..32].copy_from_slice(&(old.len() as u64).to_le_bytes());
            patch[32..40].copy_from_slice(&xxh3_64(old).to_le_bytes());
            patch[200..208].copy_from_slice(&keys.to_le_bytes());
            // The new file has one more key than the old one.
            let new_len = one.len() as u64 + 8 * keys;
            patch[40..48].copy_from_slice(&new_len.to_le_bytes());
        });
        refused(Patch::from_bytes(changed).and_then(|patch| patch.apply(old)))
    };
    assert!(of(&one, 1, bytes).contains("a key is put in that the old file has"));
    assert!(of(&one, 0, bytes).contains("number of added keys is 0, and 16 bytes are behind"));
    let mut swapped = with(&filter, 2000..2010);
    let at = swapped.len() - 88;
    swapped[at..at + 16].rotate_left(8);
    assert!(of(&swapped, 10, bytes).contains("do not ascend"));
    for (at, numbers) in [(200, "old"), (208, "coded"), (216, "new")] {
        for number in [u64::MAX, 1 << 63, 1 << 61, (1 << 61) - 1, 1 << 32, 100] {
            let changed = mended(bytes, |patch| patch[at..at + 8].copy_from_slice(&number.to_le_bytes()));
            let text = Patch::from_bytes(changed).unwrap_err().to_string();
            assert!(text.contains("the numbers of added keys in the patch"), "{numbers} {number}: {text}");
        }
    }
    // The largest number of old keys, for the largest possible old file.
    let changed = mended(bytes, |patch| {
        patch[24..32].fill(0xFF);
        patch[200..208].copy_from_slice(&(u64::MAX / 8).to_le_bytes());
    });
    assert!(Patch::from_bytes(changed).is_err());
}
