//! Ribbon filters, which are built from all their keys at once. In some, half of the keys are added
//! beside the ribbon, and some are made from a table.

use tepal::{
    AnyFilter, KeyDomain, Kind, Opened, Recipe, Result, RibbonFilter, SecretKey,
    builders::RibbonFilterBuilder, facts::Labels, file::Format, hash::finish_hash,
};

use super::{BloomFilterBuilder, CALLER_HASH, NOT_BY_ALL, Numbered, Opener, Operation, SECRET, Subject};

/// A ribbon filter.
struct Ribbon {
    name: &'static str,
    builder: RibbonFilterBuilder,
    keys: Keys,
    is_keyed: bool,
    is_sealed: bool,
    /// The ribbon is built from one in this many of the keys; the others are added.
    one_in: usize,
}

#[derive(Clone, Copy)]
enum Keys {
    Texts,
    Integers,
    Hashes,
}

pub(super) fn ribbons() -> Vec<Box<dyn Subject>> {
    let at = |rate| RibbonFilter::builder().false_positive_rate(rate);
    let labels = Labels::new().name("Gesperrte Adressen").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    let secret = SecretKey::new(SECRET);
    [
        ("ribbon-xxh3", at(0.01).seed_for("blocked"), Keys::Texts, false, false),
        ("ribbon-siphash13", at(1e-6).secret_key(secret), Keys::Texts, true, false),
        ("ribbon-recipe-labels", at(0.0625).recipe(recipe).labels(labels), Keys::Texts, false, false),
        ("ribbon-int64", at(0.3).key_domain(KeyDomain::Integer).prefer_speed(), Keys::Integers, false, false),
        ("ribbon-caller-hash", at(0.1).caller_hash(CALLER_HASH).prefer_speed(), Keys::Hashes, false, false),
        ("ribbon-second", at(0.1).seed_for("second"), Keys::Texts, false, false),
        ("ribbon-second-sealed", at(0.4), Keys::Hashes, false, true),
        ("ribbon-sealed", at(0.001), Keys::Texts, false, true),
        #[cfg(feature = "table")]
        ("ribbon-of-table", at(0.01).seed_for("frozen"), Keys::Texts, false, false),
        #[cfg(feature = "table")]
        ("ribbon-of-table-added", at(0.25), Keys::Texts, false, false),
        ("ribbon-added", at(0.01), Keys::Texts, false, false),
        ("ribbon-added-sealed", at(1e-4), Keys::Integers, false, true),
        ("ribbon-added-hashes", at(0.2).caller_hash(CALLER_HASH), Keys::Hashes, false, false),
    ]
    .map(|(name, builder, keys, is_keyed, is_sealed)| {
        let one_in = if name.contains("added") { 2 } else { 1 };
        let builder = match name {
            "ribbon-added-sealed" => builder.key_domain(KeyDomain::Integer),
            "ribbon-second-sealed" => builder.caller_hash(CALLER_HASH),
            _ => builder,
        };
        Ribbon { name, builder, keys, is_keyed, is_sealed, one_in }
    })
    .into_iter()
    .filter(|kind| cfg!(feature = "seal") || !kind.is_sealed)
    .map(|kind| Box::new(kind) as Box<dyn Subject>)
    .collect()
}

#[cfg(feature = "table")]
impl Ribbon {
    /// The ribbon of a table with a tenth of its rate.
    fn frozen(&self, numbers: &[u64]) -> Result<RibbonFilter> {
        let rate = self.builder.clone().build_from_hashes(Vec::new())?.promised_false_positive_rate();
        let hasher = self.builder.key_hasher()?;
        let table = tepal::QuotientFilter::builder()
            .false_positive_rate(rate / 10.0)
            .capacity(numbers.len().max(1) as u64)
            .seed(hasher.seed().unwrap_or_default());
        let Numbered::Texts(texts) = self.keys(numbers) else {
            unreachable!("keys of a table are texts here")
        };
        table.build_from(texts)?.to_ribbon(rate)
    }
}

impl Subject for Ribbon {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Ribbon
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
        let builder = self.builder.clone();
        let (built, added) = numbers.split_at(numbers.len() / self.one_in);
        #[cfg(feature = "table")]
        if self.name.contains("of-table") {
            let mut file = Opened::new(self.frozen(built)?, Format::Tepal)?;
            self.keys(added).insert_all(&mut file)?;
            return Ok(file);
        }
        let filter: AnyFilter = match self.keys(built) {
            Numbered::Texts(texts) => builder.build_from(texts)?.into(),
            Numbered::Hashes(hashes) => builder.build_from_hashes(hashes)?.into(),
        };
        let mut file = Opened::new(filter, Format::Tepal)?;
        self.keys(added).insert_all(&mut file)?;
        Ok(file)
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
