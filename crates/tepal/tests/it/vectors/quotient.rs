//! `quotient.json`: quotient filters, their files and refused files. Its tables and sizes are
//! compared with the library's own in `bits/table/vectors.rs` and `kinds/table/copies/tests.rs`.

use serde_json::Value;
use tepal::{
    AnyFilter, Error, Opened, OverCapacity, QuotientFilter, builders::QuotientFilterBuilder, file::Format,
};
use xxhash_rust::xxh3::xxh3_64;

use super::of_kind::{are_refused, can_be, with_keys, write, written};
use super::{bytes, cases, number, open_file, recipe, text, vectors};

fn builder(case: &Value) -> QuotientFilterBuilder {
    let count_bits = number(&case["shape"][2]) as u8;
    assert_eq!(text(case, "tag"), if count_bits == 0 { "nothing" } else { "count" }, "{case}");
    let builder = QuotientFilter::builder()
        .capacity(number(&case["capacity"]))
        .false_positive_rate(case["false_positive_rate"].as_f64().unwrap())
        .count_bits(count_bits)
        .over_capacity(text(case, "over_capacity").parse().unwrap());
    with_keys!(builder, case)
}

/// The numbers of a shape, from the facts, which leave out the number of spare lines.
fn told(opened: &Opened) -> [u64; 6] {
    let facts = opened.facts().unwrap();
    let table = &facts.tables[0];
    let small = [table.remainder_bits, table.tag_bits, table.buckets, table.slots].map(u64::from);
    [table.numbers, small[0], small[1], small[2], small[3], table.lines]
}

fn expected_shape(case: &Value) -> [u64; 6] {
    [0, 1, 2, 3, 4, 6].map(|i| number(&case["shape"][i]))
}

/// Inserts the keys and the hashes of a case.
fn insert_all(case: &Value, file: &mut Opened) {
    let times = case.get("keys_times").map_or(1, |times| times.as_u64().unwrap());
    for key in case["keys"].as_array().unwrap() {
        for _ in 0..times {
            file.insert(key.as_str().unwrap()).unwrap();
        }
    }
    if let Some(numbered) = case.get("numbered_keys") {
        let keys: Vec<String> =
            (0..number(&numbered["count"])).map(|i| format!("{}{i}", text(numbered, "prefix"))).collect();
        file.insert_many(&keys).unwrap();
    }
    for hash in case.get("hashes").map_or(&[][..], |hashes| hashes.as_array().unwrap()) {
        file.insert_hash(number(hash)).unwrap();
    }
}

fn filter(file: &Opened) -> &QuotientFilter {
    let AnyFilter::Quotient(filter) = file.filter() else { panic!("{file:?}") };
    filter
}

/// The file of a case, made from its keys; `None` if no builder makes its shape.
fn made(case: &Value) -> Option<Opened> {
    if case.get("own_shape").is_some() {
        return None;
    }
    let mut file = Opened::new(builder(case).build().unwrap(), Format::Tepal).unwrap();
    insert_all(case, &mut file);
    let removed: Vec<&str> = case.get("removed").map_or(Vec::new(), |removed| {
        removed.as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect()
    });
    let mut filter = filter(&file).clone();
    for key in &removed {
        assert!(filter.remove(*key).unwrap(), "{key}: {case}");
    }
    Some(Opened::new(filter, Format::Tepal).unwrap())
}

/// A file of the vectors: the library's, which is the reference's, or the reference's if no builder
/// makes its shape.
fn file(case: &Value) -> Option<Vec<u8>> {
    if let Some(made) = made(case) {
        return Some(written(case, &made));
    }
    let file = bytes(case.get("file")?.as_str().unwrap());
    assert_eq!(xxh3_64(&file), number(&case["file_xxh3"]), "{}", text(case, "name"));
    Some(file)
}

#[test]
fn files_of_quotient_filters() {
    let vectors = vectors("quotient.json");
    let mut read = 0;
    for case in cases(&vectors, "files").iter().filter(|case| can_be(case)) {
        let name = text(case, "name");
        let Some(file) = file(case) else { continue };
        read += 1;
        let mut opened = open_file(case, &file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(told(&opened), expected_shape(case), "{name}");
        if let Some(made) = made(case) {
            assert!(made.filter() == opened.filter(), "{name}");
            assert_eq!(made.filter().labels(), opened.filter().labels(), "{name}");
            assert_eq!(told(&made), told(&opened), "{name}");
        }
        assert!(write(case, &opened) == file, "{name}: written again");
        let held = filter(&opened);
        assert_eq!(held.len(), number(&case["keys_held"]), "{name}");
        assert_eq!(held.distinct_numbers(), number(&case["different"]), "{name}");
        assert_eq!(opened.facts().unwrap().tables[0].taken_slots, number(&case["slots"]), "{name}");
        assert_eq!(held.promised_false_positive_rate(), case["false_positive_rate"].as_f64().unwrap());
        assert_eq!(held.scheme().to_string(), text(case, "scheme"), "{name}");
        assert_eq!(held.key_domain().to_string(), text(case, "key_domain"), "{name}");
        assert_eq!(held.over_capacity().to_string(), text(case, "over_capacity"), "{name}");
        assert_eq!(held.recipe(), recipe(case), "{name}");
        assert_eq!(held.key_hasher().caller_hash().as_deref(), case["caller_hash"].as_str(), "{name}");
        for probe in case["probes"].as_array().unwrap() {
            let count = number(&probe["count"]);
            let (found, is_held) = match probe.get("hash") {
                Some(hash) => (held.count_hash(number(hash)), held.contains_hash(number(hash))),
                None => (held.count(text(probe, "key")), held.contains(text(probe, "key"))),
            };
            assert_eq!((found, is_held), (count, count > 0), "{name}: {probe}");
        }
        assert_eq!(held.is_deletable(), case.get("removal").is_none(), "{name}");
        if !held.is_deletable() {
            let mut filter = held.clone();
            assert!(matches!(filter.remove("petal"), Err(Error::NotPossible { .. })), "{name}");
            assert!(filter == *held && filter.remove_many(&["petal"]).is_err(), "{name}");
            filter.clear().unwrap();
            assert!(
                filter.is_deletable() && filter.insert("petal").unwrap() && filter.remove("petal").unwrap()
            );
            continue;
        }
        // Emptied, filled again also with the removed keys, and these removed again, it is the same
        // file.
        let before = held.clone();
        opened.clear().unwrap();
        opened.set_over_capacity(OverCapacity::Ignore).unwrap();
        assert_eq!(opened.facts().unwrap().keys_inserted, Some(0), "{name}");
        insert_all(case, &mut opened);
        let mut again = filter(&opened).clone();
        for key in case.get("removed").map_or(&[][..], |removed| removed.as_array().unwrap()) {
            assert!(again.remove(key.as_str().unwrap()).unwrap(), "{name}");
        }
        assert!(again == before, "{name}");
    }
    assert!(read >= 13, "{read}");
}

#[test]
fn refused_files_of_quotient_filters_are_refused_at_their_step() {
    are_refused(&vectors("quotient.json"), "files", (90, &[1, 4, 5, 6, 7]), |of| file(of).unwrap());
}
