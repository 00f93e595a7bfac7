//! The chain of tables that grows under one promise.

use tepal::{
    GrowingFilter, KeyDomain, Kind, Opened, builders::GrowingFilterBuilder, facts::Labels, file::Format,
};
use tepal::{Recipe, Result, SecretKey};

use super::{BloomFilterBuilder, CALLER_HASH, Numbered, Opener, Operation, SECRET, Subject, finish_hash};

/// A growing filter.
struct Growing {
    name: &'static str,
    builder: GrowingFilterBuilder,
    keys: Keys,
    is_keyed: bool,
    is_sealed: bool,
}

#[derive(Clone, Copy)]
enum Keys {
    Texts,
    Integers,
    Hashes,
}

pub(super) fn growing() -> Vec<Box<dyn Subject>> {
    let at = |rate| GrowingFilter::builder().false_positive_rate(rate);
    let labels = Labels::new().name("Gesehene Seiten").field("url");
    let recipe = Recipe::new().trim(true).nocase(true);
    let integers = at(0.3).key_domain(KeyDomain::Integer).deletable(true);
    [
        ("growing-tables-xxh3", at(0.01).seed_for("seen"), Keys::Texts, false, false),
        ("growing-tables-siphash13", at(1e-6).secret_key(SecretKey::new(SECRET)), Keys::Texts, true, false),
        ("growing-tables-recipe-labels", at(0.02).recipe(recipe).labels(labels), Keys::Texts, false, false),
        ("growing-tables-int64-deletable", integers, Keys::Integers, false, false),
        ("growing-tables-caller-hash", at(0.1).caller_hash(CALLER_HASH), Keys::Hashes, false, false),
        ("growing-tables-sealed-deletable", at(0.001).deletable(true), Keys::Texts, false, true),
    ]
    .map(|(name, builder, keys, is_keyed, is_sealed)| Growing { name, builder, keys, is_keyed, is_sealed })
    .into_iter()
    .filter(|kind| cfg!(feature = "seal") || !kind.is_sealed)
    .map(|kind| Box::new(kind) as Box<dyn Subject>)
    .collect()
}

impl Subject for Growing {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Growing
    }

    fn cannot(&self) -> &'static [Operation] {
        &[Operation::Intersect, Operation::SetOverCapacity, Operation::BeAnother]
    }

    fn format(&self) -> Format {
        Format::Tepal
    }

    /// One table for this many keys; another one for more.
    fn empty(&self, capacity: u64) -> Result<Opened> {
        Opened::new(self.builder.clone().first(capacity.div_ceil(16)).build()?, Format::Tepal)
    }

    fn keys(&self, numbers: &[u64]) -> Numbered {
        match self.keys {
            Keys::Texts => Numbered::texts("key ", numbers),
            Keys::Integers => Numbered::texts("", numbers),
            Keys::Hashes => Numbered::Hashes(numbers.iter().map(|number| finish_hash(*number)).collect()),
        }
    }

    fn opener(&self) -> Opener {
        Opener {
            secret: self.is_keyed.then(|| SecretKey::new(SECRET)),
            #[cfg(feature = "seal")]
            seal: self.is_sealed.then(super::seal),
            ..Opener::default()
        }
    }

    fn builder(&self) -> Option<&BloomFilterBuilder> {
        None
    }
}
