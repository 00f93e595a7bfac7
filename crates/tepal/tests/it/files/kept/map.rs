//! Maps, in a folder of their own: the same values, the file is written again byte for byte, and
//! its pairs build it again.

use tepal::{AnyFilter, RibbonMap, hash::finish_hash};

use super::{Kept, in_folder};

fn get(kept: &Kept, map: &RibbonMap, i: u64) -> Option<u32> {
    let value = match kept.members_are_hashes() {
        true => map.get_hash(finish_hash(i)),
        false => map.get(&kept.key(i)),
    };
    value.map(u32::from)
}

/// The map built from its pairs again.
fn built(kept: &Kept, map: &RibbonMap, values: &[Option<u32>]) -> RibbonMap {
    let hash = |i| match kept.members_are_hashes() {
        true => finish_hash(i),
        false => map.hash_key(&kept.key(i)).unwrap(),
    };
    let pairs = (0..kept.number("members")).map(|i| (hash(i), values[i as usize].unwrap())).collect();
    let builder = RibbonMap::builder().false_positive_rate(map.promised_false_positive_rate());
    // The hasher gives the map's hashes; the builder handles keys in the same way.
    let builder = builder.key_domain(map.key_domain()).recipe(map.recipe());
    let builder = match (kept.secret(), map.seed(), kept.json["caller_hash"].as_str()) {
        (Some(secret), ..) => builder.secret_key(secret),
        (_, _, Some(name)) => builder.caller_hash(name),
        (_, seed, None) => builder.seed(seed.unwrap()),
    };
    let names = map.names().map(|(name, _)| name.to_string());
    builder.value_bits(map.value_bits()).names(names).build_from_hashes(pairs).unwrap()
}

#[test]
fn kept_maps_are_the_maps_they_were() {
    let all = in_folder("map");
    assert!(all.len() >= 6, "{}", all.len());
    for kept in all.iter().filter(|kept| cfg!(feature = "seal") || !kept.is_sealed()) {
        let name = kept.path.display();
        let opened = kept.opened().unwrap_or_else(|error| panic!("{name}: {error}"));
        let facts = opened.facts().unwrap();
        kept.has(&facts);
        let AnyFilter::Map(map) = opened.filter() else { panic!("{name}") };
        let members = kept.number("members");
        let values: Vec<Option<u32>> =
            kept.text("values").split(' ').map(|value| value.parse().ok()).collect();
        assert_eq!(values.len() as u64, 2 * members, "{name}");
        assert!(values[..members as usize].iter().all(Option::is_some), "{name}");
        for (i, value) in (0..).zip(&values) {
            assert_eq!(get(kept, map, i), *value, "{name}: key {i}");
        }
        assert_eq!(kept.json["names"], serde_json::json!(map.names().collect::<Vec<_>>()), "{name}");
        assert!(kept.written(&opened) == kept.file, "{name}: written again");
        assert!(built(kept, map, &values) == *map, "{name}: built anew");
    }
}
