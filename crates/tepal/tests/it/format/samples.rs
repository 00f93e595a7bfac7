//! Filters for tests that hold for every filter.

use tepal::{BloomFilter, KeyDomain, Layout, Scheme, builders::BloomFilterBuilder};

/// One filter of every layout, of every key domain that includes numbers, and of every scheme that
/// needs no key or name. Some are not in this build.
pub(super) fn builders() -> Vec<BloomFilterBuilder> {
    let mut builders = Vec::new();
    for &layout in Layout::ALL {
        for &domain in KeyDomain::ALL.iter().filter(|domain| **domain != KeyDomain::Hex) {
            builders.push(BloomFilter::builder().layout(layout).key_domain(domain).seed(5));
        }
    }
    let named = |scheme: &&Scheme| !matches!(scheme, Scheme::CallerHash | Scheme::SipHash13);
    builders.extend(Scheme::ALL.iter().filter(named).map(|&scheme| BloomFilter::builder().scheme(scheme)));
    builders
}
