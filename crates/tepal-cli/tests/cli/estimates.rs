//! What `uniq` says it held back wrongly is about what it did hold back, of keys that are all
//! different.

use crate::place::{Place, numbers};

/// New keys that were taken for seen, as it says, and in truth.
fn wrong(place: &Place, flags: &str, keys: std::ops::Range<u32>) -> (f64, f64) {
    let count = keys.len() as u64;
    let report = place.run_with(&format!("uniq --count-new --json {flags}"), &numbers(keys)).json();
    let told = report["wrongly_held_back_estimated"].as_f64().unwrap();
    (told, (count - report["new"].as_u64().unwrap()) as f64)
}

/// By how its rate grows while a link fills it is off by some hundredths.
fn assert_near(what: &str, (told, truth): (f64, f64)) {
    assert!(truth > 2000.0, "{what}: too few to tell: {truth}");
    assert!((told - truth).abs() <= 0.12 * truth, "{what}: {told} told, {truth} in truth");
}

/// In one link that fills, in several, and in a second run, which finds links that are full.
#[test]
fn what_uniq_held_back_wrongly() {
    let place = Place::new();
    assert_near("one link", wrong(&place, "-p 0.2 -n 300000", 0..300_000));
    assert_near("several links", wrong(&place, "-p 0.2 -n 20000", 0..200_000));
    // What counts alone changes no state.
    let first = place.run_with("uniq --state s -p 0.2 -n 100000", &numbers(0..150_000));
    assert_eq!(first.code, 0, "{}", first.err);
    assert_near("a second run", wrong(&place, "--state s", 150_000..250_000));
    assert_eq!(wrong(&place, "--exact", 0..1000), (0.0, 0.0));
}
