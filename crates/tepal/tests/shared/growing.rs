//! The chain of Bloom filters that grows under one promise, in tepal files.

use tepal::{BloomFilter, Kind, Recipe, SecretKey, builders::BloomFilterBuilder, facts::Labels};

use super::made::{Made, subjects};
use super::{CALLER_HASH, NOT_BY_ALL, SECRET, Subject};

pub(super) fn growing() -> Vec<Box<dyn Subject>> {
    let at = |rate| BloomFilter::builder().false_positive_rate(rate).expansion(2);
    let of = |name, builder: BloomFilterBuilder| {
        // For a third of the keys that tests insert, so that it grows.
        let empty = move |capacity: u64| builder.clone().capacity(capacity.div_ceil(3)).build_growing();
        Made::changing(Kind::Scalable, &NOT_BY_ALL, name, empty)
    };
    let labels = Labels::new().name("Gesehene Seiten").field("url");
    let recipe = Recipe::new().trim(true).nocase(true);
    subjects([
        of("growing-xxh3", at(0.05).seed_for("seen")),
        of("growing-siphash13", at(0.001).secret_key(SecretKey::new(SECRET)).expansion(4)).keyed(),
        of("growing-recipe-labels", at(0.01).recipe(recipe).labels(labels)),
        of("growing-caller-hash", at(0.02).caller_hash(CALLER_HASH)).of_hashes(),
        of("growing-sealed", at(0.01)).sealed(),
    ])
}
