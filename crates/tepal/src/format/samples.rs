//! Filters for the tests of what holds whatever the filter is.

use alloc::vec::Vec;

use crate::ids::{KeyDomain, Layout, Scheme};
use crate::kinds::bloom::{BloomFilter, BloomFilterBuilder};

/// One of every layout and key domain that numbers are keys of, and of every scheme that needs no
/// key or name; some are not in this build.
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
