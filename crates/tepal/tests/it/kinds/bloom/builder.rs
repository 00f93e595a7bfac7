//! Filters that cannot be built, and why.

#[cfg(not(feature = "foreign"))]
use tepal::KeyDomain;
#[cfg(feature = "foreign")]
use tepal::hash::Md5Split;
use tepal::{
    BloomFilter, Goal, Layout, OverCapacity, Scheme, SecretKey, builders::BloomFilterBuilder, facts::Labels,
};

use super::WITHIN;

fn refused(builder: BloomFilterBuilder) -> String {
    builder.capacity(10).build().unwrap_err().to_string()
}

#[test]
fn schemes_and_their_parameters() {
    let builder = BloomFilter::builder;
    assert!(refused(builder().scheme(Scheme::SipHash13)).contains("the secret key is missing"));
    let secret = builder().scheme(Scheme::Xxh64).secret_key(SecretKey::new([0; 16]));
    assert!(refused(secret).contains("only the scheme siphash13"));
    assert!(refused(builder().scheme(Scheme::Xxh64).seed(1)).contains("this scheme has none"));
}

#[cfg(feature = "foreign")]
#[test]
fn schemes_of_other_programs_and_their_parameters() {
    let builder = BloomFilter::builder;
    let secret = builder().scheme(Scheme::Dcso).secret_key(SecretKey::new([0; 16]));
    assert!(refused(secret).contains("only the scheme siphash13"));
    assert!(refused(builder().scheme(Scheme::Dcso).seed(1)).contains("this scheme has none"));
    assert!(refused(builder().scheme(Scheme::SparkV2).seed(1 << 40)).contains("32-bit"));
    assert!(refused(builder().scheme(Scheme::Dcso).layout(Layout::Line)).contains("the layout is line"));
    assert!(refused(builder().scheme(Scheme::Bkdr7).num_hashes(6)).contains("7 in the scheme"));
    assert!(refused(builder().valkey_seed([0; 32]).scheme(Scheme::Dcso)).contains("another scheme"));
    let split = builder().md5_split(Md5Split::default()).scheme(Scheme::Dcso);
    assert!(refused(split).contains("another scheme"));
    let spark = builder().scheme(Scheme::SparkV2).seed(-7i64 as u64).capacity(10).build().unwrap();
    assert_eq!(spark.seed(), Some(u64::from(-7i32 as u32)));
    assert_eq!(spark.scheme(), Scheme::SparkV2);
}

/// The errors of a build without other programs' schemes and key domains name only the ones it has.
#[cfg(not(feature = "foreign"))]
#[test]
fn schemes_and_domains_of_other_programs_are_not_known() {
    for &domain in KeyDomain::ALL.iter().filter(|domain| domain.id() >= 3) {
        let text = refused(BloomFilter::builder().key_domain(domain));
        assert!(text.contains("key domain"), "{domain}: {text}");
        assert!(text.contains("the feature foreign"), "{domain}: {text}");
    }
    for &scheme in Scheme::ALL.iter().filter(|scheme| scheme.id() >= 16) {
        let text = refused(BloomFilter::builder().scheme(scheme));
        assert!(text.contains("hash scheme"), "{scheme}: {text}");
        assert!(text.contains("the feature foreign"), "{scheme}: {text}");
    }
}

/// Texts that no label and no name can be: the empty text, and characters that steer a terminal.
#[rustfmt::skip]
const NO_LABELS: [&str; 10] = [
    "", "a\nb", "\u{7f}", "\u{9b}2J", "\u{202e}x", "\u{2028}", "\u{61c}", "\u{200e}", "\u{2066}", "\u{2069}",
];

#[test]
fn builders_refuse() {
    let text = |builder: BloomFilterBuilder| builder.build().unwrap_err().to_string();
    let none = text(BloomFilter::builder());
    assert!(none.contains("two of capacity"), "{none}");
    let both = text(BloomFilter::builder().capacity(1).seed(1).secret_key(SecretKey::new([0; 16])));
    assert!(both.contains("the seed"), "{both}");
    let labels = |name: &str| Labels::new().name(name);
    for name in NO_LABELS {
        let label = text(BloomFilter::builder().capacity(1).labels(labels(name)));
        assert!(label.contains("a label"), "{label}");
        assert!(name.is_empty() || label.contains('\u{FFFD}') && !label.contains(name), "{label}");
    }
    // Their neighbours in the Unicode tables, and characters that join letters, are allowed.
    for name in ["\u{a0}", "\u{200c}", "\u{200d}", "\u{202f}", "\u{2065}", "\u{206a}", "\u{61b}", "Märchen"]
    {
        BloomFilter::builder().capacity(1).labels(labels(name)).build().unwrap();
    }
    let long = text(BloomFilter::builder().capacity(1).labels(labels(&"x".repeat(70_000))));
    assert!(long.contains("65000"), "{long}");
    let huge = text(BloomFilter::builder().capacity(1 << 42).false_positive_rate(0.01));
    assert!(huge.contains("more than this machine"), "{huge}");
}

#[test]
fn what_is_described_is_built() {
    let builder = BloomFilter::builder().capacity(1000).goal(Goal::Memory).false_positive_rate(0.01);
    assert_eq!(builder.plan().unwrap().layout, Layout::Double);
    let filter = builder.build().unwrap();
    assert_eq!((filter.layout(), filter.promised_false_positive_rate()), (Layout::Double, 0.01));
    assert_eq!(BloomFilter::builder().goal(Goal::Speed).capacity(9).plan().unwrap().layout, Layout::Line);
    for policy in [OverCapacity::Refuse, OverCapacity::Warn, OverCapacity::Ignore] {
        let filter = BloomFilter::builder().capacity(9).over_capacity(policy).build().unwrap();
        assert_eq!(filter.over_capacity(), policy);
    }
    let by_size = BloomFilter::builder().capacity(1000).bit_len(20_480).build().unwrap();
    assert_eq!((by_size.bit_len(), by_size.bits_per_key()), (20_480, 20.48));
}

/// Labels may have 65,000 bytes together, and not one more.
#[test]
fn labels_have_a_limit() {
    let labels = |len: usize| Labels::new().name("n".repeat(1000)).field("f".repeat(len - 1000));
    let build = |len| BloomFilter::builder().capacity(1).labels(labels(len)).build();
    assert_eq!(build(65_000).unwrap().labels(), &labels(65_000));
    let error = build(65_001).unwrap_err().to_string();
    assert_eq!(error, "the length of the labels is 65001 bytes; it must be at most 65000 together");
}

/// The name tells which hash it is, and a file must be able to hold it.
#[test]
fn names_of_the_callers_hash() {
    let build = |name: &str| BloomFilter::builder().capacity(10).caller_hash(name).build();
    let filter = build(&"n".repeat(256)).unwrap();
    assert_eq!(
        (filter.scheme(), filter.key_hasher().caller_hash()),
        (Scheme::CallerHash, Some("n".repeat(256)))
    );
    for name in NO_LABELS {
        let text = build(name).unwrap_err().to_string();
        assert!(text.contains("the name of the caller's hash"), "{text}");
    }
    let long = build(&"n".repeat(257)).unwrap_err().to_string();
    assert_eq!(long, "the name of the caller's hash is 257 bytes; it must be at most 256");
    let missing = refused(BloomFilter::builder().scheme(Scheme::CallerHash));
    assert!(missing.contains("the name of the caller's hash is missing"), "{missing}");
    let other = refused(BloomFilter::builder().caller_hash("mine").scheme(Scheme::Xxh3));
    assert!(other.contains("only the scheme caller-hash has one"), "{other}");
    let seeded = refused(BloomFilter::builder().caller_hash("mine").seed(1));
    assert!(seeded.contains("this scheme has none"), "{seeded}");
    let keyed = refused(BloomFilter::builder().caller_hash("mine").secret_key(SecretKey::new([0; 16])));
    assert!(keyed.contains("only the scheme siphash13"), "{keyed}");
}

/// A filter that is made for given keys keeps the promise by itself, and not only as a mean: if its
/// bits fell badly, it has one more line. Its seed does not change, and a size that was asked for
/// stays.
#[test]
fn a_filter_of_given_keys_keeps_its_own_promise() {
    let mut larger = 0;
    for &layout in Layout::ALL {
        for (keys, rate) in [(1, 0.01), (10, 1e-4), (50, 0.01), (100, 1e-3), (1000, 1e-4), (1000, 1e-6)] {
            let builder = BloomFilter::builder().layout(layout).false_positive_rate(rate);
            let planned = builder.clone().capacity(keys).plan().unwrap();
            for stream in 0..30 {
                let keys = (0..keys).map(|i| stream << 32 | i);
                let filter = builder.clone().build_from(keys.clone()).unwrap();
                assert!(filter.false_positive_rate() <= WITHIN * rate, "{filter:?}");
                assert_eq!(
                    (filter.seed(), filter.num_hashes()),
                    (Some(tepal::hash::DEFAULT_SEED), planned.num_hashes)
                );
                assert_eq!(
                    (filter.capacity(), filter.promised_false_positive_rate()),
                    (planned.capacity, rate)
                );
                assert!(keys.clone().all(|key| filter.contains(&key)));
                let more = (filter.bit_len() - planned.bit_len) / 512;
                assert!(more <= 2 + planned.bit_len / 512 / 5, "{filter:?}: {more} lines more");
                larger += u32::from(more > 0);

                let sized = builder.clone().capacity(planned.capacity).build_from(keys).unwrap();
                assert_eq!(sized.bit_len(), planned.bit_len);
            }
        }
    }
    assert!((3..60).contains(&larger), "{larger} of 720 are larger than planned");
}

/// Keys that were chosen by the filter's own hash do not make it grow without end.
#[test]
fn keys_chosen_by_the_hash_do_not_enlarge_a_filter() {
    let hasher = BloomFilter::builder().key_hasher().unwrap();
    for (count, lines) in [(50, 1..40), (5000, 98..131)] {
        let keys = (0..2_000_000u64).filter(|key| hasher.hash(key).unwrap() >> 58 == 7).take(count);
        let filter = BloomFilter::builder().false_positive_rate(0.01).build_from(keys).unwrap();
        assert!(lines.contains(&(filter.bit_len() / 512)), "{filter:?}");
        let told = filter.false_positive_rate() <= WITHIN * 0.01 || !filter.warnings().is_empty();
        assert!(told, "{filter:?}");
    }
}
