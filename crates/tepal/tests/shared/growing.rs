//! The chain that grows under one promise, in tepal files.

use tepal::{
    BloomFilter, Kind, Opened, Recipe, Result, SecretKey, builders::BloomFilterBuilder, facts::Labels,
    file::Format,
};

use super::{CALLER_HASH, Numbered, Opener, Operation, SECRET, Subject, finish_hash};

/// A growing chain.
struct Growing {
    name: &'static str,
    builder: BloomFilterBuilder,
    is_keyed: bool,
    is_hashed: bool,
    is_sealed: bool,
}

pub(super) fn growing() -> Vec<Box<dyn Subject>> {
    // For a third of the keys that tests insert, so that it grows.
    let at = |rate| BloomFilter::builder().false_positive_rate(rate).expansion(2);
    let labels = Labels::new().name("Gesehene Seiten").field("url");
    let recipe = Recipe::new().trim(true).nocase(true);
    [
        ("growing-xxh3", at(0.05).seed_for("seen"), false, false, false),
        ("growing-siphash13", at(0.001).secret_key(SecretKey::new(SECRET)).expansion(4), true, false, false),
        ("growing-recipe-labels", at(0.01).recipe(recipe).labels(labels), false, false, false),
        ("growing-caller-hash", at(0.02).caller_hash(CALLER_HASH), false, true, false),
        ("growing-sealed", at(0.01), false, false, true),
    ]
    .map(|(name, builder, is_keyed, is_hashed, is_sealed)| Growing {
        name,
        builder,
        is_keyed,
        is_hashed,
        is_sealed,
    })
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
        Kind::Scalable
    }

    fn cannot(&self) -> &'static [Operation] {
        &[Operation::Unite, Operation::Intersect, Operation::SetOverCapacity, Operation::BeAnother]
    }

    fn format(&self) -> Format {
        Format::Tepal
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        Opened::new(self.builder.clone().capacity(capacity.div_ceil(3)).build_growing()?, Format::Tepal)
    }

    fn keys(&self, numbers: &[u64]) -> Numbered {
        match self.is_hashed {
            true => Numbered::Hashes(numbers.iter().map(|number| finish_hash(*number)).collect()),
            false => Numbered::texts("key ", numbers),
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
