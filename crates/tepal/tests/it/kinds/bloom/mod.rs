//! What a Bloom filter promises alone.

mod batch;
mod builder;
mod calls;
mod combine;
mod inserter;
mod iter;
mod limit;
mod raw;
#[cfg(target_has_atomic = "64")]
mod shared;
mod similar;

use tepal::{BloomFilter, KeyDomain, Layout, Scheme, SecretKey, builders::BloomFilterBuilder};

/// A filter that is not over its capacity has at most this many times the promised rate.
pub(super) const WITHIN: f64 = 1.03;

/// A scheme with a hash, and one without if the build has one.
const OF_EACH_SORT: &[Scheme] = &[
    Scheme::Xxh3,
    #[cfg(feature = "foreign")]
    Scheme::GuavaMitz64,
];

/// Every layout with each scheme and key domain.
fn builders() -> Vec<BloomFilterBuilder> {
    let mut builders = Vec::new();
    for &layout in Layout::ALL {
        for domain in domains_of_numbers() {
            let builder = BloomFilter::builder().layout(layout).key_domain(domain);
            builders.push(builder.clone().seed(7));
            builders.push(builder.secret_key(SecretKey::new([9; 16])));
        }
    }
    builders
}

fn filled(builder: &BloomFilterBuilder, keys: impl Iterator<Item = u64>) -> BloomFilter {
    let mut filter = builder.clone().build().unwrap();
    for key in keys {
        filter.insert(&key).unwrap();
    }
    filter
}

/// Every domain of this build that numbers belong to.
pub(crate) fn domains_of_numbers() -> impl Iterator<Item = KeyDomain> {
    let known = |domain: &KeyDomain| cfg!(feature = "foreign") || *domain <= KeyDomain::Integer;
    KeyDomain::ALL.iter().copied().filter(move |domain| *domain != KeyDomain::Hex && known(domain))
}
