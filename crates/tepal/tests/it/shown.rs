//! What `Debug` shows of a filter, of its parts and of keys: what they are, in a few words, and
//! neither a secret nor a key.

use std::fmt::Debug;

use tepal::build::KeyCounter;
use tepal::file::{Format, Patch};
use tepal::hash::PreparedKeys;
use tepal::{BloomFilter, Exceptions, Opened, QuotientFilter, RibbonFilter, RibbonMap, SecretKey};

const KEY: &str = "570108428378";
const SECRET: [u8; 16] = *b"sixteen secrets!";

/// Checks that what is shown is short and has this in it.
fn shows(shown: &dyn Debug, part: &str) {
    let text = format!("{shown:?}");
    assert!(text.contains(part) && text.len() < 1000, "{text}");
    assert!(!text.contains(KEY) && !text.contains("sixteen"), "{text}");
    assert!(!text.contains(&format!("{:?}", &SECRET[..4])[1..12]), "{text}");
}

#[test]
fn debug_shows_what_it_is_and_no_key() {
    let builder = BloomFilter::builder().capacity(100).secret_key(SecretKey::new(SECRET));
    let mut seen = builder.clone().build_from([KEY]).unwrap();
    shows(&builder, "BloomFilterBuilder");
    shows(&seen, "BloomFilter");
    shows(&seen.key_hasher(), "KeyHasher");
    shows(&seen.clone().into_shared().unwrap(), "BloomFilter");
    shows(&seen.inserter(), "Inserter");
    let mut prepared = PreparedKeys::default();
    seen.key_hasher().prepare(KEY, &mut prepared).unwrap();
    let file = Opened::new(seen.clone(), Format::Tepal).unwrap();
    shows(&file, "Opened");
    shows(file.filter(), "BloomFilter");
    let mut exceptions = Exceptions::new();
    assert_eq!(exceptions.take(file.filter(), &prepared), 1);
    shows(&exceptions, "Exceptions { hashes: 1 }");
    shows(&file.clone().except(&exceptions).unwrap(), "Opened");
    let old = seen.to_bytes().unwrap();
    seen.insert("another").unwrap();
    shows(&Patch::between(&old, &seen.to_bytes().unwrap()).unwrap(), "Patch");

    let mut counter = KeyCounter::new(seen.key_hasher()).unwrap();
    counter.insert_prepared(&prepared).unwrap();
    shows(&counter, "KeyCounter { keys: 1, different: 1 }");

    shows(&QuotientFilter::builder().build_from([KEY]).unwrap(), "QuotientFilter");
    let ribbon = RibbonFilter::builder().build_from([KEY]).unwrap();
    shows(&ribbon, "RibbonFilter");
    let embedded = ribbon.to_embedded().unwrap();
    shows(&RibbonFilter::from_embedded(&embedded, None).unwrap(), "RibbonFilter");
    shows(&RibbonMap::builder().names(["home"]).build_from([(KEY, 0)]).unwrap(), "RibbonMap");
}

#[test]
fn facts_follow_from_what_is_counted() {
    let table = QuotientFilter::builder().capacity(1000).build_from((0..700).collect::<Vec<u32>>()).unwrap();
    let facts = tepal::Filter::facts(&table);
    let table = &facts.tables[0];
    let load = table.taken_slots as f64 / (table.lines * u64::from(table.slots)) as f64;
    assert!(table.load() == load && (0.3..0.9).contains(&load), "{load}");
    let frozen =
        QuotientFilter::builder().capacity(1000).false_positive_rate(1e-4).build_from(["a", "b", "c"]);
    let mut frozen = frozen.unwrap().to_ribbon(0.01).unwrap();
    frozen.insert("d").unwrap();
    let facts = tepal::Filter::facts(&frozen);
    assert_eq!(facts.ribbon.unwrap().distinct_numbers(), Some(3));
    let plain = tepal::Filter::facts(&RibbonFilter::builder().build_from(["a"]).unwrap());
    assert_eq!(plain.ribbon.unwrap().distinct_numbers(), None);
}

#[test]
fn sets_are_compared() {
    let builder = || BloomFilter::builder().capacity(1000).seed(5);
    let (few, many) = (builder().build_from(0..10).unwrap(), builder().build_from(0..300).unwrap());
    let other = builder().seed(6).build().unwrap();
    assert!(few.is_compatible(&many) && !few.is_compatible(&other));
    assert!(few.is_subset(&many).unwrap() && few.is_subset(&few).unwrap());
    assert!(!many.is_subset(&few).unwrap() && few.is_subset(&other).is_err());
}
