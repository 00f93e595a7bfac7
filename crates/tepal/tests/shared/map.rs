//! Maps from keys to numbers, which are built from all their pairs at once and do not change. The
//! value of number i is i.

use tepal::{
    AnyFilter, KeyDomain, Kind, Opened, Recipe, Result, RibbonMap, SecretKey, builders::RibbonMapBuilder,
    facts::Labels, file::Format, hash::finish_hash,
};

use super::{BloomFilterBuilder, CALLER_HASH, NOT_BY_ALL, Numbered, Opener, Operation, SECRET, Subject};

/// A map.
struct Map {
    name: &'static str,
    builder: RibbonMapBuilder,
    keys: Keys,
    /// The number of values, and whether they have names.
    values: (u64, bool),
    is_keyed: bool,
    is_sealed: bool,
}

#[derive(Clone, Copy)]
enum Keys {
    Texts,
    Integers,
    Hashes,
}

pub(super) fn maps() -> Vec<Box<dyn Subject>> {
    let at = |rate| RibbonMap::builder().false_positive_rate(rate);
    let labels = Labels::new().name("Wer wohnt wo?").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    let secret = SecretKey::new(SECRET);
    let map =
        |name, builder, keys, values| Map { name, builder, keys, values, is_keyed: false, is_sealed: false };
    let mut maps = vec![
        map("map-xxh3", at(0.01).seed_for("where"), Keys::Texts, (64, false)),
        map("map-names", at(0.01), Keys::Texts, (100, true)),
        map("map-recipe-labels", at(0.0625).recipe(recipe).labels(labels), Keys::Texts, (3, true)),
        map("map-int64", at(0.3).key_domain(KeyDomain::Integer), Keys::Integers, (1 << 32, false)),
        map("map-caller-hash", at(0.1).caller_hash(CALLER_HASH), Keys::Hashes, (2, false)),
    ];
    let keyed = map("map-siphash13", at(1e-9).secret_key(secret), Keys::Texts, (1 << 20, false));
    maps.push(Map { is_keyed: true, ..keyed });
    if cfg!(feature = "seal") {
        maps.push(Map { is_sealed: true, ..map("map-sealed", at(0.001), Keys::Texts, (7, true)) });
    }
    maps.into_iter().map(|kind| Box::new(kind) as Box<dyn Subject>).collect()
}

impl Subject for Map {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Map
    }

    fn cannot(&self) -> &'static [Operation] {
        &NOT_BY_ALL
    }

    fn format(&self) -> Format {
        Format::Tepal
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        self.filled(capacity, &[])
    }

    fn filled(&self, _: u64, numbers: &[u64]) -> Result<Opened> {
        let (count, named) = self.values;
        let names = (0..if named { count } else { 0 }).map(|i| format!("Ort {i}"));
        let builder = self.builder.clone().names(names);
        let values = numbers.iter().map(|number| (number % count) as u32);
        let filter: AnyFilter = match self.keys(numbers) {
            Numbered::Texts(texts) => builder.build_from(texts.into_iter().zip(values))?.into(),
            Numbered::Hashes(hashes) => {
                builder.build_from_hashes(hashes.into_iter().zip(values).collect())?.into()
            }
        };
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
