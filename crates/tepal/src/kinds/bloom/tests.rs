//! The promises of a Bloom filter, for every layout, domain and scheme.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::*;
use crate::{KeyDomain, Layout, Scheme, SecretKey};

/// A scheme with a hash, and one without if the build has one.
pub(super) const OF_EACH_SORT: &[Scheme] = &[
    Scheme::Xxh3,
    #[cfg(feature = "foreign")]
    Scheme::GuavaMitz64,
];

/// Every layout with each scheme and key domain.
pub(super) fn builders() -> Vec<BloomFilterBuilder> {
    let mut builders = Vec::new();
    for &layout in Layout::ALL {
        for domain in KeyDomain::of_numbers() {
            let builder = BloomFilter::builder().layout(layout).key_domain(domain);
            builders.push(builder.clone().seed(7));
            builders.push(builder.secret_key(SecretKey::new([9; 16])));
        }
    }
    builders
}

pub(super) fn filled(builder: &BloomFilterBuilder, keys: impl Iterator<Item = u64>) -> BloomFilter {
    let mut filter = builder.clone().build().unwrap();
    for key in keys {
        filter.insert(&key).unwrap();
    }
    filter
}

#[test]
fn the_level_is_one_that_the_machine_has() {
    let filter = BloomFilter::builder().capacity(10).build().unwrap();
    assert!(Kernel::available(filter.kernel.rules()).any(|kernel| kernel.level() == filter.cpu_level()));
}

#[test]
fn names_and_ids_go_both_ways() {
    for &layout in Layout::ALL {
        assert_eq!(layout.to_string().parse::<Layout>().unwrap(), layout);
        assert_eq!(Layout::from_id(layout.id()).unwrap(), layout);
    }
    for &scheme in Scheme::ALL {
        assert_eq!(scheme.to_string().parse::<Scheme>().unwrap(), scheme);
        assert_eq!(Scheme::from_id(scheme.id()).unwrap(), scheme);
    }
    for &domain in KeyDomain::ALL {
        assert_eq!(domain.to_string().parse::<KeyDomain>().unwrap(), domain);
        assert_eq!(KeyDomain::from_id(domain.id()).unwrap(), domain);
    }
    for &policy in OverCapacity::ALL {
        assert_eq!(policy.to_string().parse::<OverCapacity>().unwrap(), policy);
        assert_eq!(OverCapacity::from_id(policy.id()).unwrap(), policy);
    }
    assert!("lines".parse::<Layout>().is_err() && Layout::from_id(0u8).is_err());
    assert!("sha1".parse::<Scheme>().is_err() && Scheme::from_id(9u8).is_err());
    assert!("text".parse::<KeyDomain>().is_err() && KeyDomain::from_id(0u8).is_err());
    assert!("grow".parse::<OverCapacity>().is_err() && OverCapacity::from_id(4u8).is_err());
}

/// Thousands of small filters may be in memory together. The fields that every lookup needs are
/// within 88 bytes, those that every insert needs within 104, and the whole is small. A filter with
/// the default scheme has only one block beside it, the bits. Labels, the checks of an opened
/// file's bits, and the secret, seed or name of other schemes have a block each.
#[test]
fn a_filter_is_small_and_what_is_asked_lies_together() {
    use core::mem::offset_of;
    type Filter = BloomFilter;
    assert!(size_of::<Filter>() <= 216);
    let usual = BloomFilter::builder().capacity(1000).build().unwrap();
    assert!(usual.meta.labels.is_none() && usual.body_check.is_none());
    let named = BloomFilter::builder().capacity(1000).labels(Labels::new().name("n")).build().unwrap();
    assert!(named.meta.labels.is_some() && size_of::<Labels>() <= 128);
    let (lines, after) = (offset_of!(Filter, lines), offset_of!(Filter, meta) + KeyHasher::HOT_BYTES);
    assert!(
        after - (lines + Owned::ADDRESS) <= 88
            && lines - offset_of!(Filter, tally) == size_of::<tally::Tally>(),
        "{after} {lines}"
    );
}
