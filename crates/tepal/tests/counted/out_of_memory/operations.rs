//! Every operation of every kind, while each of its large allocations fails in turn. The result is
//! an error with the filter unchanged or with some more of the keys, or another way that needs less
//! memory. The program goes on.

use tepal::{
    Error, Opened, OverCapacity, Result,
    facts::Labels,
    hash::{PreparedKeys, finish_hash},
};

use crate::allocator::failing;
use crate::kinds::{Subject, numbers, tepal_kinds};
use crate::shared::groups::Group;

/// Allocations from this size on fail.
const LARGE: usize = 120 << 10;
const CAPACITY: u64 = 300_000;
const MEMBERS: u64 = 200_000;
/// Hashes that take more than a large allocation.
const NEW: u64 = 40_000;

struct Keys {
    texts: Vec<String>,
    hashes: Vec<u64>,
    prepared: PreparedKeys,
}

fn keys_of(file: &Opened) -> Keys {
    let texts: Vec<String> = (0..NEW).map(|number| (400_000 + number).to_string()).collect();
    let mut prepared = PreparedKeys::default();
    for text in &texts {
        // A filter with `caller_hash` refuses them.
        drop(file.key_hasher().prepare(text.as_str(), &mut prepared));
    }
    Keys { texts, hashes: (1 << 40..).take(NEW as usize).map(finish_hash).collect(), prepared }
}

#[cfg(feature = "extras")]
type Call<'a> = (&'static str, &'a dyn Fn(&mut Opened) -> Result<()>);
type Operation<'a> = (&'static str, Box<dyn Fn(&mut Opened) -> Result<()> + 'a>);

fn operations<'a>(
    file: &'a Opened,
    bytes: &'a [u8],
    other: &'a Opened,
    keys: &'a Keys,
) -> Vec<Operation<'a>> {
    let rate = (8.0 * file.filter().false_positive_rate()).clamp(1e-9, 0.9);
    let factor = file.filter().fold_factors().first().copied().unwrap_or(2);
    #[allow(unused_mut)] // Without features this is all.
    let mut all: Vec<Operation<'a>> = vec![
        ("insert_many", Box::new(|file| file.insert_many(&keys.texts))),
        ("insert_many_hashes", Box::new(|file| file.insert_many_hashes(&keys.hashes))),
        ("insert_prepared", Box::new(|file| file.insert_prepared(&keys.prepared))),
        (
            "insert past the capacity",
            Box::new(|file| {
                file.set_over_capacity(OverCapacity::Ignore)?;
                file.insert_many_hashes(&keys.hashes)
            }),
        ),
        ("union_with", Box::new(|file| file.union_with(other))),
        ("intersect_with", Box::new(|file| file.intersect_with(other))),
        ("fold", Box::new(move |file| file.fold(factor))),
        ("shrink_to", Box::new(move |file| file.shrink_to(rate).map(drop))),
        (
            "shrink_to the same rate",
            Box::new(|file| {
                let rate = file.filter().false_positive_rate() * 1.5;
                file.shrink_to(rate).map(drop)
            }),
        ),
        ("set_labels", Box::new(|file| file.set_labels(Labels::new().name("another")))),
        ("to_bytes", Box::new(|file| file.to_bytes().map(drop))),
        (
            "from_bytes",
            Box::new(move |file| {
                *file = tepal::from_bytes(bytes)?;
                Ok(())
            }),
        ),
    ];
    #[cfg(feature = "table")]
    {
        let segment = match file.filter() {
            tepal::AnyFilter::Segment(filter) => filter.all_segments().next(),
            _ => None,
        };
        all.extend::<[Operation<'a>; 6]>([
            ("remove_prepared", Box::new(|file| file.remove_prepared(&keys.prepared).map(drop))),
            ("advance_to", Box::new(|file| file.advance_to(u64::MAX - 1).map(drop))),
            ("set_clock", Box::new(|file| file.set_clock(1))),
            ("add_segment", Box::new(|file| file.add_segment("another segment").map(drop))),
            (
                "drop_segment",
                Box::new(move |file| segment.map_or(Ok(()), |segment| file.drop_segment(segment).map(drop))),
            ),
            (
                "insert_pairs",
                Box::new(move |file| {
                    let Some(segment) = segment else { return Ok(()) };
                    file.insert_pairs(keys.hashes[..5000].iter().map(|hash| (*hash, segment)).collect())
                }),
            ),
        ]);
        #[cfg(feature = "static")]
        all.push(("make_static", Box::new(move |file| file.make_static(rate))));
    }
    all
}

/// Filters of every kind; of the Bloom filters one of each layout.
fn subjects() -> Vec<Box<dyn Subject>> {
    let is_chosen =
        |subject: &dyn Subject| subject.kind() != tepal::Kind::Bloom || subject.name().ends_with("-xxh3");
    tepal_kinds().into_iter().filter(|subject| is_chosen(&**subject)).collect()
}

mod every_operation_of_every_kind {
    crate::shared::groups::for_each_group!(check_operations);
}

fn check_operations(group: Group) {
    let subjects: Vec<_> = subjects().into_iter().filter(|subject| group.has(&**subject)).collect();
    let least = 2 * subjects.len() as u32;
    let mut failures = 0;
    for subject in subjects {
        let name = subject.name().to_owned();
        let opener = subject.opener();
        let filled = |from: u64| subject.filled(CAPACITY, &numbers(from..from + MEMBERS));
        // Keys that lie together may pass the capacity by a few fingerprints.
        let (Ok(file), Ok(other)) = (filled(0), filled(MEMBERS / 2)) else { panic!("{name}") };
        let members = subject.keys(&numbers(0..500));
        let keys = keys_of(&file);
        // If the body is a file's, the first change copies it.
        let bytes = file.to_bytes().unwrap();
        let sealed = opener.file(&file);
        let opened = opener.read(&sealed).unwrap();
        for (what, operation) in operations(&file, &bytes, &other, &keys) {
            for source in [&file, &opened] {
                failures += fail_each(&format!("{name}: {what}"), source, &operation, |file| {
                    let loses = matches!(what, "remove_prepared" | "advance_to" | "drop_segment");
                    assert!(loses || members.are_held(file), "{name}: {what} lost a member");
                });
            }
        }
    }
    assert!(failures >= least, "{failures} of at least {least}");
}

/// Lets each large allocation of an operation fail. Returns how many there were.
fn fail_each(
    what: &str,
    file: &Opened,
    operation: &dyn Fn(&mut Opened) -> Result<()>,
    check: impl Fn(&Opened),
) -> u32 {
    for after in 0.. {
        let mut copy = file.clone();
        let (result, failed) = failing(LARGE, after, || operation(&mut copy));
        match (result, failed) {
            // It succeeded, or is not possible.
            (_, false) => return after,
            // It found another way.
            (Ok(()), true) => {}
            (Err(Error::TooLarge { bytes, .. }), true) => {
                // A growing list allocates twice what it needs.
                assert!(bytes as usize >= LARGE / 2, "{what}: {bytes}");
                check(&copy);
                assert!(copy.to_bytes().is_ok(), "{what}: cannot be written");
            }
            (Err(error), true) => panic!("{what}: {error}"),
        }
    }
    unreachable!()
}

/// A Bloom filter with many exceptions, which take more memory than its bits.
#[cfg(feature = "extras")]
#[test]
fn exceptions() {
    use tepal::{BloomFilter, Exceptions, file::Format};

    let builder = BloomFilter::builder().capacity(100_000).false_positive_rate(0.5);
    let filter = builder.build_from((0..100_000u64).map(|number| number.to_string())).unwrap();
    let mut plain = Opened::new(filter, Format::Tepal).unwrap();
    plain.set_over_capacity(OverCapacity::Ignore).unwrap();
    let strangers = keys_of(&plain);
    let mut exceptions = Exceptions::new();
    assert!(exceptions.take(plain.filter(), &strangers.prepared) > LARGE / 8);
    let file = plain.clone().except(&exceptions).unwrap();
    let of_member = plain.key_hasher().hash("7").unwrap();
    let mut failures = 0;
    let operations: [Call<'_>; 6] = [
        ("union_with", &|file| file.union_with(&plain)),
        ("intersect_with", &|file| file.intersect_with(&plain)),
        ("fold", &|file| file.fold(file.filter().fold_factors()[0])),
        ("to_bytes", &|file| file.to_bytes().map(drop)),
        ("insert_prepared", &|file| file.insert_prepared(&strangers.prepared)),
        ("set_labels", &|file| file.set_labels(Labels::new().name("another"))),
    ];
    for (what, operation) in operations {
        failures += fail_each(what, &file, operation, |file| {
            assert!(file.filter().contains_hash(of_member), "{what} lost a member");
        });
    }
    assert!(failures >= 4, "{failures}");
}

/// Building from an iterator that announces more keys than fit into memory is an error too.
#[cfg(all(feature = "table", feature = "static"))]
#[test]
fn more_keys_than_memory() {
    use tepal::{QuotientFilter, RibbonFilter, RibbonMap, SegmentFilter};

    let keys = || 0..u64::MAX;
    let is_refused = |result: Result<()>| matches!(result, Err(Error::TooLarge { .. }));
    assert!(is_refused(QuotientFilter::builder().build_from(keys()).map(drop)));
    assert!(is_refused(RibbonFilter::builder().build_from(keys()).map(drop)));
    assert!(is_refused(RibbonMap::builder().build_from(keys().map(|key| (key, 0))).map(drop)));
    assert!(is_refused(SegmentFilter::builder().build_from(keys().map(|key| ("a", key))).map(drop)));
    // One allocation after the other, as the hashes arrive.
    let some = || (0..100_000u32).filter(|key| *key < 90_000);
    let mut failures = 0;
    for build in [
        &(|| QuotientFilter::builder().build_from(some()).map(drop)) as &dyn Fn() -> Result<()>,
        &|| RibbonFilter::builder().build_from(some()).map(drop),
        &|| RibbonMap::builder().build_from(some().map(|key| (key, key % 7))).map(drop),
        &|| SegmentFilter::builder().build_from(some().map(|key| ("a", key))).map(drop),
    ] {
        for after in 0.. {
            match failing(LARGE, after, build) {
                (result, false) => {
                    result.unwrap();
                    break;
                }
                (result, true) => assert!(is_refused(result), "after {after}"),
            }
            failures += 1;
        }
    }
    assert!(failures >= 12, "{failures}");
}
