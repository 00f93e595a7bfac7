//! The calls that are counted, each for every kind that has it, with text keys of 12 digits.

use std::hint::black_box;
use std::num::NonZeroUsize;

use tepal::{
    AnyFilter, BloomFilter, Exceptions, ExpiringFilter, GrowingFilter, Layout, Opened, OverCapacity,
    QuotientFilter, RibbonFilter, RibbonMap, SegmentFilter, file::Format, hash::PreparedKeys,
    segments::Segment,
};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Members of each filter; as many other keys are asked.
const KEYS: usize = 20_000;
const RATE: f64 = 0.01;

/// What valgrind counts: its name is the toggle.
#[inline(never)]
fn measured_section<R>(work: impl FnOnce() -> R) -> R {
    black_box(work())
}

/// Behind this call valgrind writes what it counted.
#[inline(never)]
fn end_of_section() {
    black_box(());
}

/// Counts `work`, which handles [`KEYS`] keys.
fn section<R>(name: &str, work: impl FnOnce() -> R) -> R {
    let result = measured_section(work);
    end_of_section();
    println!("{name}\t{KEYS}");
    result
}

struct Texts {
    members: Vec<String>,
    others: Vec<String>,
}

impl Texts {
    fn new() -> Self {
        let texts = |first: u64| (0..KEYS as u64).map(|i| format!("{:012}", first + 7_919 * i)).collect();
        Texts { members: texts(100_000_000_000), others: texts(500_000_000_000) }
    }
}

/// Counts lookups one by one and in batches, of members and of others.
macro_rules! ask {
    ($texts:expr, $name:literal, $filter:expr) => {{
        let filter = &$filter;
        for (what, keys) in [("hit", &$texts.members), ("miss", &$texts.others)] {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            section(&format!("{}: {what}", $name), || {
                keys.iter().filter(|key| filter.contains(**key)).count()
            });
            let mut answers = vec![false; KEYS];
            section(&format!("{}: {what}, batch", $name), || filter.contains_many_into(&keys, &mut answers));
        }
    }};
}

/// Counts inserts one by one and in batches into an empty filter; gives the one that was filled in
/// batches.
macro_rules! insert {
    ($texts:expr, $name:literal, $empty:expr) => {{
        let keys: Vec<&str> = $texts.members.iter().map(String::as_str).collect();
        let mut filter = $empty;
        section(&format!("{}: insert", $name), || {
            for key in &keys {
                filter.insert(*key).expect("there is room");
            }
        });
        let mut filter = $empty;
        section(&format!("{}: insert, batch", $name), || filter.insert_many(&keys).expect("there is room"));
        filter
    }};
}

/// Counts writing a filter to bytes and opening it from them; gives the bytes.
macro_rules! file {
    ($name:literal, $filter:expr) => {{
        let filter = Opened::new($filter, Format::Tepal).expect("it has a file");
        let bytes = section(&format!("{}: to_bytes", $name), || filter.to_bytes().expect("it has a file"));
        section(&format!("{}: from_bytes", $name), || {
            tepal::from_bytes(&bytes).expect("it was just written")
        });
        bytes
    }};
}

macro_rules! bloom {
    ($texts:expr, $name:literal, $layout:expr) => {{
        let builder =
            || BloomFilter::builder().capacity(KEYS as u64).false_positive_rate(RATE).layout($layout);
        let keys = || $texts.members.iter().map(String::as_str);
        section(concat!($name, ": build_from"), || builder().build_from(keys()).expect("a plan"));
        let filter = insert!($texts, $name, builder().build().expect("a plan"));
        let mut empty = builder().build().expect("a plan");
        section(concat!($name, ": inserter"), || {
            let mut inserter = empty.inserter();
            for key in keys() {
                inserter.insert(key).expect("there is room");
            }
        });
        ask!($texts, $name, filter);
        let bytes = section(concat!($name, ": to_bytes"), || filter.to_bytes().expect("it has a file"));
        section(concat!($name, ": from_bytes"), || {
            BloomFilter::from_bytes(&bytes).expect("it was just written")
        });
        bytes
    }};
}

pub(crate) fn run() {
    let texts = Texts::new();
    let keys = || texts.members.iter().map(String::as_str);
    let one = NonZeroUsize::MIN;

    let words: Vec<u64> = (0..1024u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    section("limit: hash and one word", || {
        let is_in = |key: &str| {
            let h = xxh3_64_with_seed(key.as_bytes(), 1);
            words[(h >> 54) as usize] >> (h & 63) & 1 == 1
        };
        keys().filter(|key| is_in(key)).count()
    });

    // As many bits as the split block has.
    let bits = BloomFilter::builder().capacity(KEYS as u64).false_positive_rate(RATE);
    let bits = bits.layout(Layout::SplitBlock).plan().expect("a plan").bit_len;
    let mut peer = sbbf_rs_safe::Filter::from_bytes(&vec![0; bits as usize / 8]).expect("whole blocks");
    let hash = |key: &str| xxh3_64_with_seed(key.as_bytes(), 1);
    section("sbbf-rs-safe: insert", || keys().for_each(|key| _ = peer.insert_hash(hash(key))));
    section("sbbf-rs-safe: hit", || keys().filter(|key| peer.contains_hash(hash(key))).count());
    section("sbbf-rs-safe: miss", || texts.others.iter().filter(|key| peer.contains_hash(hash(key))).count());

    let bytes = bloom!(texts, "line", Layout::Line);
    bloom!(texts, "double", Layout::Double);
    bloom!(texts, "split-block", Layout::SplitBlock);
    bloom!(texts, "scattered", Layout::Scattered);

    let path = std::env::temp_dir().join(format!("tepal-counts-{}.tepal", std::process::id()));
    std::fs::write(&path, &bytes).expect("a file in the temporary folder");
    let mapped = section("line, mapped: open", || BloomFilter::open(&path).expect("it was just written"));
    std::fs::remove_file(&path).expect("it is there");
    ask!(texts, "line, mapped", mapped);
    let any = tepal::from_bytes(&bytes).expect("it was just written").into_filter();
    ask!(texts, "line, AnyFilter", any);

    let growing =
        || BloomFilter::builder().capacity(KEYS as u64 / 16).false_positive_rate(RATE).build_growing();
    let mut chain = growing().expect("a plan");
    section("chain: insert", || keys().for_each(|key| assert!(chain.insert(key).is_ok())));
    section("chain: hit", || keys().filter(|key| chain.contains(*key)).count());
    section("chain: miss", || texts.others.iter().filter(|key| chain.contains(key.as_str())).count());
    file!("chain", AnyFilter::from(chain));

    let quotient = || QuotientFilter::builder().capacity(KEYS as u64).false_positive_rate(RATE);
    section("quotient: build_from", || quotient().build_from(keys()).expect("a plan"));
    let mut filter = insert!(texts, "quotient", quotient().build().expect("a plan"));
    ask!(texts, "quotient", filter);
    file!("quotient", AnyFilter::from(filter.clone()));
    section("quotient: remove", || keys().for_each(|key| assert!(filter.remove(key).is_ok())));

    let filter = insert!(texts, "counting", quotient().count_bits(4).build().expect("a plan"));
    ask!(texts, "counting", filter);

    let growing = || GrowingFilter::builder().first(KEYS as u64 / 16).false_positive_rate(RATE);
    section("growing: build_from", || growing().build_from(keys()).expect("a plan"));
    let filter = insert!(texts, "growing", growing().build().expect("a plan"));
    ask!(texts, "growing", filter);
    file!("growing", AnyFilter::from(filter));

    let expiring =
        || ExpiringFilter::builder().capacity(KEYS as u64).false_positive_rate(RATE).window_of_time(3_600);
    let filter = insert!(texts, "expiring", expiring().build().expect("a plan"));
    ask!(texts, "expiring", filter);
    file!("expiring", AnyFilter::from(filter));

    segments(&texts);

    let ribbon = || RibbonFilter::builder().false_positive_rate(RATE).threads(one);
    let filter = section("ribbon: build_from", || ribbon().build_from(keys()).expect("a plan"));
    ask!(texts, "ribbon", filter);
    file!("ribbon", AnyFilter::from(filter));

    let map = || RibbonMap::builder().false_positive_rate(RATE).value_bits(8).threads(one);
    let pairs = || keys().enumerate().map(|(i, key)| (key, i as u32 % 256));
    let filter = section("map: build_from", || map().build_from(pairs()).expect("a plan"));
    for (what, asked) in [("hit", &texts.members), ("miss", &texts.others)] {
        section(&format!("map: get, {what}"), || {
            asked.iter().filter(|key| filter.get(key.as_str()).is_some()).count()
        });
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let mut values = vec![None; KEYS];
        section(&format!("map: get, {what}, batch"), || filter.get_many_into(&asked, &mut values));
    }
    file!("map", AnyFilter::from(filter));

    let bloom = BloomFilter::builder().false_positive_rate(RATE).build_from(keys()).expect("a plan");
    let hasher = bloom.key_hasher();
    let bloom = AnyFilter::from(bloom);
    let mut prepared = PreparedKeys::default();
    for key in &texts.others {
        hasher.prepare(key.as_str(), &mut prepared).expect("a text");
    }
    let mut exceptions = Exceptions::new();
    exceptions.take(&bloom, &prepared);
    let filter = bloom.except(&exceptions).expect("a Bloom filter");
    ask!(texts, "with exceptions", filter);
}

fn segments(texts: &Texts) {
    let empty = || -> (SegmentFilter, Vec<Segment>) {
        let builder = SegmentFilter::builder().capacity(KEYS as u64).false_positive_rate(RATE);
        let mut filter = builder.over_capacity(OverCapacity::Warn).build().expect("a plan");
        let segments = (0..16).map(|i| filter.add_segment(&format!("s{i}")).expect("room")).collect();
        (filter, segments)
    };
    let keys: Vec<&str> = texts.members.iter().map(String::as_str).collect();
    let (mut filter, names) = empty();
    section("segment: insert", || {
        for (i, key) in keys.iter().enumerate() {
            filter.insert(names[i % 16], *key).expect("there is room");
        }
    });
    let (mut filter, names) = empty();
    section("segment: insert, batch", || {
        for (part, segment) in keys.chunks(KEYS / 16).zip(&names) {
            filter.insert_many(*segment, part).expect("there is room");
        }
    });
    ask!(texts, "segment", filter);
    section("segment: segments, hit", || keys.iter().map(|key| filter.segments(*key).count()).sum::<usize>());
    file!("segment", AnyFilter::from(filter));
}
