//! Filters that must not be united are refused with the reason, for every pair.

use tepal::{BloomFilter, Error, KeyDomain, Layout, Recipe, Scheme, SecretKey};

use crate::shared::kinds::kinds;

/// The properties that decide which bits a key sets, in the order in which they are compared.
#[derive(Clone, Debug, PartialEq)]
struct Properties {
    layout: Layout,
    num_hashes: u32,
    bit_len: u64,
    domain: KeyDomain,
    scheme: Scheme,
    seed: u8,
    recipe: Recipe,
}

impl Properties {
    fn filter(&self) -> BloomFilter {
        let builder = BloomFilter::builder()
            .layout(self.layout)
            .num_hashes(self.num_hashes)
            .bit_len(self.bit_len)
            .capacity(50)
            .key_domain(self.domain)
            .recipe(self.recipe);
        let builder = match self.scheme {
            Scheme::SipHash13 => builder.secret_key(SecretKey::new([self.seed; 16])),
            Scheme::Xxh3 => builder.seed(self.seed.into()),
            scheme => builder.scheme(scheme),
        };
        let mut filter = builder.build().unwrap();
        filter.insert(&1).unwrap();
        filter
    }

    /// The first property in which two differ.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            ("layout", self.layout != other.layout),
            ("number of hashes", self.num_hashes != other.num_hashes),
            ("size in bits", self.bit_len != other.bit_len),
            ("key domain", self.domain != other.domain),
            ("hash scheme", self.scheme != other.scheme),
            ("hash seed", self.seed != other.seed),
            ("key recipe", self.recipe != other.recipe),
        ]
        .into_iter()
        .find_map(|(property, differs)| differs.then_some(property))
    }
}

/// All combinations of two values or more for each property.
fn all() -> Vec<Properties> {
    let mut all = Vec::new();
    for &layout in Layout::ALL {
        for num_hashes in if layout == Layout::SplitBlock { vec![8] } else { vec![7, 8] } {
            for bit_len in [5120, 6144] {
                for domain in [KeyDomain::Bytes, KeyDomain::Integer] {
                    for (scheme, seed) in [
                        (Scheme::Xxh3, 0),
                        (Scheme::Xxh3, 1),
                        (Scheme::SipHash13, 0),
                        (Scheme::SipHash13, 1),
                        (Scheme::Xxh64, 0),
                    ] {
                        for trim in [false, true] {
                            let recipe = Recipe::new().trim(trim);
                            all.push(Properties {
                                layout,
                                num_hashes,
                                bit_len,
                                domain,
                                scheme,
                                seed,
                                recipe,
                            });
                        }
                    }
                }
            }
        }
    }
    all
}

/// Every pair is refused for the first property in which it differs, and neither filter changes.
#[test]
fn every_pair_is_refused_with_the_reason() {
    let filters: Vec<_> = all().into_iter().map(|properties| (properties.filter(), properties)).collect();
    let (mut refused, mut united) = (0, 0);
    for (a, here) in &filters {
        let before = a;
        let mut a = a.clone();
        for (b, there) in &filters {
            match (here.difference(there), a.union_with(b)) {
                (None, Ok(())) => {
                    united += 1;
                    continue;
                }
                (Some(expected), Err(Error::Incompatible { property, .. })) if property == expected => {}
                (expected, found) => panic!("{here:?}, {there:?}: {expected:?} expected, {found:?} found"),
            }
            let found = a.intersect_with(b).unwrap_err();
            let expected = here.difference(there).unwrap();
            assert!(matches!(found, Error::Incompatible { property, .. } if property == expected));
            refused += 1;
        }
        // Only its equal was united with it, which raises only the count of keys.
        assert!(a == *before && a.set_bits() == before.set_bits(), "{here:?}");
    }
    assert_eq!(united, filters.len());
    assert!(refused >= 500, "{refused}");
}

/// Filters of different kinds never unite, except those whose differences change no answer.
#[test]
fn kinds_do_not_mix() {
    let filters: Vec<_> =
        kinds().into_iter().map(|kind| (kind.empty(kind.usual_capacity()).unwrap(), kind)).collect();
    let mut refused = 0;
    for (a, here) in &filters {
        let before = here.opener().file(a);
        let mut united = a.clone();
        for (b, there) in filters.iter().filter(|(_, there)| there.name() != here.name()) {
            let (here, there) = (here.name(), there.name());
            match united.union_with(b) {
                Err(Error::Incompatible { .. }) => refused += 1,
                other => panic!("{here} and {there}: {other:?}"),
            }
            // Without their files too, if they are of two kinds. A pair without a union has no
            // intersection.
            if a.filter().kind() != b.filter().kind() {
                let mut any = a.filter().clone();
                for result in [any.union_with(b.filter()), any.intersect_with(b.filter())] {
                    let other_kind = matches!(result, Err(Error::Incompatible { property: "kind", .. }));
                    assert!(other_kind, "{here} and {there}: {result:?}");
                }
            }
            assert!(united.intersect_with(b).is_err(), "{here} and {there}");
        }
        assert!(here.opener().file(&united) == before, "{}", here.name());
    }
    assert!(refused >= 500, "{refused}");
}
