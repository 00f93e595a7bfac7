//! The static kinds, which are built from all their keys at once.

use tepal::{
    AnyFilter, KeyDomain, Kind, Opened, Recipe, RibbonFilter, RibbonMap, SecretKey,
    builders::{RibbonFilterBuilder, RibbonMapBuilder},
    facts::Labels,
    file::Format,
};

use super::made::{Made, subjects};
use super::{CALLER_HASH, NOT_BY_ALL, Numbered, SECRET, Subject};

/// Ribbon filters. In some, half of the keys are added beside the ribbon, and some are made from a
/// table.
pub(super) fn ribbons() -> Vec<Box<dyn Subject>> {
    let at = |rate| RibbonFilter::builder().false_positive_rate(rate);
    // Built from one in this many of the keys; the others are added.
    let parted = |name, builder: RibbonFilterBuilder, one_in: usize| {
        Made::new(Kind::Ribbon, &NOT_BY_ALL, name, move |_, numbers, keys| {
            let (built, added) = numbers.split_at(numbers.len() / one_in);
            let filter: AnyFilter = match keys.of(built) {
                Numbered::Texts(texts) => builder.clone().build_from(texts)?.into(),
                Numbered::Hashes(hashes) => builder.clone().build_from_hashes(hashes)?.into(),
            };
            let mut file = Opened::new(filter, Format::Tepal)?;
            keys.of(added).insert_all(&mut file)?;
            Ok(file)
        })
    };
    let of = |name, builder| parted(name, builder, 1);
    let added = |name, builder| parted(name, builder, 2);
    let labels = Labels::new().name("Gesperrte Adressen").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    let integers = |rate| at(rate).key_domain(KeyDomain::Integer);
    let hashes = |rate| at(rate).caller_hash(CALLER_HASH);
    subjects([
        of("ribbon-xxh3", at(0.01).seed_for("blocked")),
        of("ribbon-siphash13", at(1e-6).secret_key(SecretKey::new(SECRET))).keyed(),
        of("ribbon-recipe-labels", at(0.0625).recipe(recipe).labels(labels)),
        of("ribbon-int64", integers(0.3).prefer_speed()).of_integers(),
        of("ribbon-caller-hash", hashes(0.1).prefer_speed()).of_hashes(),
        of("ribbon-second", at(0.1).seed_for("second")),
        of("ribbon-second-sealed", hashes(0.4)).of_hashes().sealed(),
        of("ribbon-sealed", at(0.001)).sealed(),
        #[cfg(feature = "table")]
        of_table("ribbon-of-table", at(0.01).seed_for("frozen"), 1),
        #[cfg(feature = "table")]
        of_table("ribbon-of-table-added", at(0.25), 2),
        added("ribbon-added", at(0.01)),
        added("ribbon-added-sealed", integers(1e-4)).of_integers().sealed(),
        added("ribbon-added-hashes", hashes(0.2)).of_hashes(),
    ])
}

/// Ribbons of tables with a tenth of their rate, which hold one in this many of the keys; the
/// others are added.
#[cfg(feature = "table")]
fn of_table(name: &'static str, builder: RibbonFilterBuilder, one_in: usize) -> Made {
    Made::new(Kind::Ribbon, &NOT_BY_ALL, name, move |_, numbers, keys| {
        let (built, added) = numbers.split_at(numbers.len() / one_in);
        let rate = builder.clone().build_from_hashes(Vec::new())?.promised_false_positive_rate();
        let table = tepal::QuotientFilter::builder()
            .false_positive_rate(rate / 10.0)
            .capacity(built.len().max(1) as u64)
            .seed(builder.key_hasher()?.seed().unwrap_or_default());
        let Numbered::Texts(texts) = keys.of(built) else { unreachable!("the keys are texts here") };
        let mut file = Opened::new(table.build_from(texts)?.to_ribbon(rate)?, Format::Tepal)?;
        keys.of(added).insert_all(&mut file)?;
        Ok(file)
    })
}

/// Maps from keys to numbers: this many, with names or without. The value of number i is i.
pub(super) fn maps() -> Vec<Box<dyn Subject>> {
    let at = |rate| RibbonMap::builder().false_positive_rate(rate);
    let of = |name, builder: RibbonMapBuilder, count: u64, named: bool| {
        Made::new(Kind::Map, &NOT_BY_ALL, name, move |_, numbers, keys| {
            let names = (0..if named { count } else { 0 }).map(|i| format!("Ort {i}"));
            let builder = builder.clone().names(names);
            let values = numbers.iter().map(|number| (number % count) as u32);
            let filter: AnyFilter = match keys.of(numbers) {
                Numbered::Texts(texts) => builder.build_from(texts.into_iter().zip(values))?.into(),
                Numbered::Hashes(hashes) => {
                    builder.build_from_hashes(hashes.into_iter().zip(values).collect())?.into()
                }
            };
            Opened::new(filter, Format::Tepal)
        })
    };
    let labels = Labels::new().name("Wer wohnt wo?").field("id");
    let recipe = Recipe::new().trim(true).nocase(true);
    subjects([
        of("map-xxh3", at(0.01).seed_for("where"), 64, false),
        of("map-names", at(0.01), 100, true),
        of("map-recipe-labels", at(0.0625).recipe(recipe).labels(labels), 3, true),
        of("map-int64", at(0.3).key_domain(KeyDomain::Integer), 1 << 32, false).of_integers(),
        of("map-caller-hash", at(0.1).caller_hash(CALLER_HASH), 2, false).of_hashes(),
        of("map-siphash13", at(1e-9).secret_key(SecretKey::new(SECRET)), 1 << 20, false).keyed(),
        of("map-sealed", at(0.001), 7, true).sealed(),
    ])
}
