//! Compares the rules with filters that the real programs wrote: `testdata/golden`, one folder for
//! each format.

mod cases;

use cases::{Case, all};
use std::collections::BTreeSet;

/// The positions of all keys that a program inserted into one filter. If the program recorded the
/// result of each insert (`1` changed the filter, `0` did not, `e` refused the key), the results
/// are compared too.
fn filled(case: &Case) -> BTreeSet<u64> {
    let results = case.json["insert_result"].as_str().map(str::as_bytes);
    let mut bits = BTreeSet::new();
    for (i, key) in case.texts("inserted").into_iter().enumerate() {
        let result = results.map(|results| results[i]);
        if result == Some(b'e') {
            continue;
        }
        let before = bits.len();
        bits.extend(case.positions(key));
        if let Some(result) = result {
            assert_eq!(bits.len() > before, result == b'1', "{}: insert {i}, {key}", case.name);
        }
    }
    bits
}

#[test]
fn single_keys_set_the_bits_that_the_programs_set() {
    let (mut keys, mut formats) = (0, BTreeSet::new());
    for case in all() {
        for entry in case.json["single_key_bits"].as_array().into_iter().flatten() {
            let key = entry["key"].as_str().unwrap();
            let bits: Vec<u64> =
                entry["bits"].as_array().unwrap().iter().map(|p| p.as_u64().unwrap()).collect();
            let found: BTreeSet<u64> = case.positions(key).into_iter().collect();
            assert!(found.iter().eq(&bits), "{}, {key}: {found:?}, not {bits:?}", case.name);
            keys += 1;
            formats.insert(case.format);
        }
    }
    assert_eq!(formats.len(), 12);
    assert!(keys >= 330, "only {keys} keys");
}

#[test]
fn whole_filters_have_the_bits_and_the_answers_of_the_programs() {
    let (mut compared, mut false_positives) = (0, 0);
    for case in all().into_iter().filter(|case| !case.is_scaled()) {
        let bits = filled(&case);
        if let Some(kept) = case.bits_of_the_file() {
            assert!(bits == kept, "{}: {} bits, the file has {}", case.name, bits.len(), kept.len());
            compared += 1;
        }
        if let Some(kept) = case.json["set_bits"].as_array() {
            assert!(kept.iter().map(|p| p.as_u64().unwrap()).eq(bits.iter().copied()), "{}", case.name);
        }
        let answers = case.json["absent_answers"].as_str().unwrap().as_bytes();
        for (i, key) in case.texts("absent_probes").into_iter().enumerate() {
            let found = case.positions(key).iter().all(|p| bits.contains(p));
            assert_eq!(found, answers[i] == b'1', "{}: probe {i}, {key}", case.name);
            false_positives += usize::from(found);
        }
    }
    assert!(compared >= 70, "only {compared} files");
    assert!(false_positives >= 300, "only {false_positives} false positives");
}
