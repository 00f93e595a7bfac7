//! The table from which keys can be removed.

use tepal::{
    KeyDomain, Kind, Opened, OverCapacity, QuotientFilter, builders::QuotientFilterBuilder, facts::Labels,
    file::Format,
};
use tepal::{Recipe, Result, SecretKey};

use super::{BloomFilterBuilder, CALLER_HASH, Numbered, Opener, Operation, SECRET, Subject, finish_hash};

/// A quotient filter.
struct Quotient {
    name: &'static str,
    builder: QuotientFilterBuilder,
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

pub(super) fn quotient() -> Vec<Box<dyn Subject>> {
    let at = |rate| QuotientFilter::builder().false_positive_rate(rate);
    let labels = Labels::new().name("Offene Sitzungen").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    let integers = at(0.3).key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore);
    let secret = SecretKey::new(SECRET);
    [
        ("quotient-xxh3", at(0.01).seed_for("open"), Keys::Texts, false, false),
        ("quotient-siphash13", at(1e-6).secret_key(secret).count_bits(16), Keys::Texts, true, false),
        (
            "quotient-recipe-labels",
            at(0.02).recipe(recipe).labels(labels).count_bits(4),
            Keys::Texts,
            false,
            false,
        ),
        ("quotient-int64", integers, Keys::Integers, false, false),
        ("quotient-caller-hash", at(0.1).caller_hash(CALLER_HASH), Keys::Hashes, false, false),
        ("quotient-sealed", at(0.001).count_bits(8), Keys::Texts, false, true),
    ]
    .map(|(name, builder, keys, is_keyed, is_sealed)| Quotient { name, builder, keys, is_keyed, is_sealed })
    .into_iter()
    .filter(|kind| cfg!(feature = "seal") || !kind.is_sealed)
    .map(|kind| Box::new(kind) as Box<dyn Subject>)
    .collect()
}

impl Subject for Quotient {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Quotient
    }

    fn cannot(&self) -> &'static [Operation] {
        &[Operation::BeAnother]
    }

    fn format(&self) -> Format {
        Format::Tepal
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        Opened::new(self.builder.clone().capacity(capacity).build()?, Format::Tepal)
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
