//! A program that keeps a filter in a field: the field takes what was built and what was opened,
//! and no change reaches the file before it is saved.

use std::fs;
use std::path::Path;

use tepal::{BloomFilter, Error, Open, Result, SecretKey};

/// A user's type: no storage is named.
#[derive(Clone, Debug, PartialEq)]
struct Crawler {
    seen: BloomFilter,
}

impl Crawler {
    fn new() -> Result<Self> {
        BloomFilter::builder().capacity(20_000).build().map(|seen| Crawler { seen })
    }

    fn resume(path: &Path) -> Result<Self> {
        if path.exists() { Ok(Crawler { seen: BloomFilter::open(path)? }) } else { Crawler::new() }
    }

    fn of(seen: BloomFilter) -> Self {
        Crawler { seen }
    }
}

type Change = fn(&mut BloomFilter) -> Result<()>;
type Opening = fn(&Path) -> Result<BloomFilter>;

const CHANGES: [(&str, Change); 11] = [
    ("insert", |seen| seen.insert("new").map(drop)),
    ("inserter", |seen| {
        let mut inserter = seen.inserter();
        ["new", "newer", "newest"].iter().try_for_each(|key| inserter.insert(*key).map(drop))
    }),
    ("insert_many", |seen| seen.insert_many(&["new", "newer"])),
    ("insert_iter", |seen| seen.insert_iter("new newer".split(' '))),
    ("extend", |seen| {
        seen.extend(["new", "newer"]);
        Ok(())
    }),
    ("union_with", |seen| seen.union_with(&Crawler::new()?.seen)),
    ("intersect_with", |seen| seen.intersect_with(&Crawler::new()?.seen)),
    ("fold", |seen| seen.fold(seen.fold_factors()[0])),
    ("shrink_to", |seen| seen.shrink_to(0.01).map(drop)),
    ("clear", |seen| seen.clear()),
    ("into_shared", |seen| {
        let shared = seen.clone().into_shared()?;
        shared.insert("new")?;
        *seen = shared.into_owned()?;
        Ok(())
    }),
];

#[test]
fn a_field_takes_what_is_built_and_what_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let mut built = Crawler::resume(&path).unwrap();
    built.seen.insert_many(&(0..500u64).collect::<Vec<_>>()).unwrap();
    built.seen.save(&path).unwrap();
    let file = fs::read(&path).unwrap();

    let resumed = Crawler::resume(&path).unwrap();
    assert_eq!(resumed, built);
    let ways: [(&str, Opening); 5] = [
        ("open", |path| BloomFilter::open(path)),
        ("open_quick", |path| BloomFilter::open_quick(path)),
        ("from_bytes", |path| BloomFilter::from_bytes(&fs::read(path).unwrap())),
        ("read_from", |path| BloomFilter::read_from(fs::File::open(path).unwrap())),
        ("copy_on_write", |path| Open::new().copy_on_write().open(path)?.into_filter().into_bloom()),
    ];
    for (change, apply) in CHANGES {
        let mut expected = built.clone();
        apply(&mut expected.seen).unwrap();
        for (way, open) in ways {
            let mut crawler = Crawler::of(open(&path).unwrap());
            let (before, clone) = (crawler.seen.keys_inserted(), crawler.clone());
            apply(&mut crawler.seen).unwrap_or_else(|error| panic!("{way}, {change}: {error}"));
            assert_eq!(crawler, expected, "{way}, {change}");
            assert_eq!(
                crawler.seen.to_bytes().unwrap(),
                expected.seen.to_bytes().unwrap(),
                "{way}, {change}"
            );
            crawler.seen.verify().unwrap();
            // Neither the file nor a clone has changed.
            assert!(fs::read(&path).unwrap() == file, "{way}, {change}");
            assert_eq!((clone.seen.keys_inserted(), &clone), (before, &built), "{way}, {change}");
            clone.seen.verify().unwrap();
            // Saved over the file that it may have mapped.
            crawler.seen.save(&path).unwrap();
            assert_eq!(Crawler::resume(&path).unwrap(), expected, "{way}, {change}");
            assert_eq!(clone, built, "{way}, {change}");
            fs::write(folder.path().join("beside"), &file).unwrap();
            fs::rename(folder.path().join("beside"), &path).unwrap();
        }
    }
}

/// Damage in bits that were not checked is found by the first change, whose copy would hide it, and
/// the change is refused.
#[test]
fn damage_is_found_by_the_first_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let mut built = Crawler::new().unwrap();
    built.seen.insert("apple").unwrap();
    built.seen.save(&path).unwrap();
    let mut damaged = fs::read(&path).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert!(matches!(BloomFilter::open(&path), Err(Error::Damaged { .. })));
    if cfg!(target_endian = "big") {
        return; // Read into memory, so it is checked when it is opened.
    }
    for (change, apply) in CHANGES {
        let mut crawler = Crawler::of(BloomFilter::open_quick(&path).unwrap());
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| apply(&mut crawler.seen)));
        match (change, refused) {
            // These read no damaged bit: all bits become 0, or `extend` has no error to return.
            ("clear", Ok(done)) => done.unwrap(),
            ("extend", refused) => assert!(refused.is_err()),
            (_, refused) => {
                let refused = refused.unwrap_or_else(|_| panic!("{change} panicked"));
                assert!(matches!(refused, Err(Error::Damaged { .. })), "{change}: {refused:?}");
                assert!(crawler.seen.contains("apple") && crawler.seen.save(&path).is_err(), "{change}");
            }
        }
        assert!(fs::read(&path).unwrap() == damaged, "{change}");
    }
}

#[test]
fn a_filter_with_a_secret_key_fits_the_field_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let key = SecretKey::new([7; 16]);
    let mut built = BloomFilter::builder().capacity(100).secret_key(key.clone()).build().unwrap();
    built.insert("apple").unwrap();
    let mut crawler = Crawler::of(built);
    crawler.seen.save(&path).unwrap();
    crawler = Crawler::of(BloomFilter::open_with_key(&path, &key).unwrap());
    assert!(crawler.seen.insert("banana").unwrap() && crawler.seen.contains("apple"));
    assert!(!BloomFilter::open_with_key(&path, &key).unwrap().contains("banana"));
}

/// The static kinds have the same type in both cases.
#[cfg(feature = "static")]
#[test]
fn static_kinds_fit_a_field() {
    use tepal::{RibbonFilter, RibbonMap};

    struct Router {
        blocked: RibbonFilter,
        shards: RibbonMap,
    }
    let folder = tempfile::tempdir().unwrap();
    let [blocked, shards] = ["blocked", "shards"].map(|name| folder.path().join(name));
    let built = Router {
        blocked: RibbonFilter::builder().false_positive_rate(1e-6).build_from(["apple", "banana"]).unwrap(),
        shards: RibbonMap::builder().build_from([("apple", 7), ("banana", 3)]).unwrap(),
    };
    built.blocked.save(&blocked).unwrap();
    built.shards.save(&shards).unwrap();
    let file = fs::read(&blocked).unwrap();
    let mut opened =
        Router { blocked: RibbonFilter::open(&blocked).unwrap(), shards: RibbonMap::open(&shards).unwrap() };
    assert!(opened.blocked == built.blocked && opened.shards == built.shards);
    assert!(opened.blocked.insert("cherry").unwrap() && opened.blocked.contains("cherry"));
    assert!(fs::read(&blocked).unwrap() == file);
    opened = Router { blocked: opened.blocked.into_owned().unwrap(), shards: built.shards };
    assert!(opened.blocked.contains("banana") && opened.shards.get("banana").unwrap() == 3);
}
