//! The table in which keys expire. The tests of the list tell it no time, so no key expires there.

use tepal::{
    ExpiringFilter, KeyDomain, Kind, Opened, OverCapacity, builders::ExpiringFilterBuilder, facts::Labels,
    file::Format,
};
use tepal::{Recipe, Result, SecretKey};

use super::{BloomFilterBuilder, CALLER_HASH, Numbered, Opener, Operation, SECRET, Subject, finish_hash};

/// An expiring filter.
struct Expiring {
    name: &'static str,
    builder: ExpiringFilterBuilder,
    keys: Keys,
    time: Option<u64>,
    is_keyed: bool,
    is_sealed: bool,
}

#[derive(Clone, Copy)]
enum Keys {
    Texts,
    Integers,
    Hashes,
}

pub(super) fn expiring() -> Vec<Box<dyn Subject>> {
    let week = 7 * 86_400;
    let at = |rate| ExpiringFilter::builder().false_positive_rate(rate).window_of_time(week);
    let labels = Labels::new().name("Gesehene Konten").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    let integers = at(0.3).key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore).generations(2);
    let secret = SecretKey::new(SECRET);
    let now = Some(1_790_000_000);
    [
        ("expiring-xxh3", at(0.01).seed_for("seen"), Keys::Texts, None, false, false),
        ("expiring-siphash13", at(1e-6).secret_key(secret).generations(254), Keys::Texts, now, true, false),
        ("expiring-recipe-labels", at(0.02).recipe(recipe).labels(labels), Keys::Texts, now, false, false),
        ("expiring-int64", integers, Keys::Integers, Some(u64::MAX), false, false),
        (
            "expiring-caller-hash",
            at(0.1).caller_hash(CALLER_HASH).generations(14),
            Keys::Hashes,
            now,
            false,
            false,
        ),
        ("expiring-sealed", at(0.001).window_of_time(6), Keys::Texts, Some(5), false, true),
    ]
    .map(|(name, builder, keys, time, is_keyed, is_sealed)| Expiring {
        name,
        builder,
        keys,
        time,
        is_keyed,
        is_sealed,
    })
    .into_iter()
    .filter(|kind| cfg!(feature = "seal") || !kind.is_sealed)
    .map(|kind| Box::new(kind) as Box<dyn Subject>)
    .collect()
}

impl Subject for Expiring {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Expiring
    }

    fn cannot(&self) -> &'static [Operation] {
        &[Operation::BeAnother]
    }

    fn format(&self) -> Format {
        Format::Tepal
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        let mut filter = self.builder.clone().capacity(capacity).build()?;
        if let Some(time) = self.time {
            filter.advance_to(time)?;
        }
        Opened::new(filter, Format::Tepal)
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
