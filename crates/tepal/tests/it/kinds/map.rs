//! A map of numbers gives no key a number that no key has, whichever way it is read.

use tepal::{AnyFilter, Opened, RibbonMap, builders::RibbonMapBuilder, file::Format};

/// Five regions, whose numbers take three bits.
const REGIONS: [&str; 5] = ["north", "south", "east", "west", "middle"];

fn regions(builder: RibbonMapBuilder) -> RibbonMap {
    builder.false_positive_rate(0.5).build_from((0..5000u32).map(|key| (key, key % 5))).unwrap()
}

/// The map as every reader makes it.
fn ways(map: &RibbonMap) -> Vec<(&'static str, RibbonMap)> {
    let bytes = Opened::new(map.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    let AnyFilter::Map(any) = tepal::from_bytes(&bytes).unwrap().into_filter() else { panic!() };
    let mut ways = vec![
        ("built", map.clone()),
        ("any filter", any),
        ("its own type", RibbonMap::from_bytes(&bytes).unwrap()),
    ];
    if map.num_names() == 0 {
        let embedded = map.to_embedded().unwrap();
        assert_eq!(embedded.len() as u64, map.embedded_len());
        ways.push(("embedded", RibbonMap::from_embedded(&embedded, &map.key_hasher()).unwrap()));
    }
    ways
}

#[test]
fn no_key_has_a_number_above_the_greatest() {
    let map = regions(RibbonMap::builder());
    assert_eq!((map.value_bits(), map.greatest()), (3, 4));
    let others: Vec<u32> = (5000..25_000).collect();
    for (way, read) in ways(&map) {
        assert!(read == map && read.greatest() == 4, "{way}");
        for key in 0..5000u32 {
            assert_eq!(
                REGIONS[read.get(&key).unwrap().number() as usize],
                REGIONS[key as usize % 5],
                "{way}"
            );
        }
        let one_by_one: Vec<_> = others.iter().map(|key| read.get(key)).collect();
        assert!(read.get_many(&others) == one_by_one, "{way}");
        let mut numbers = vec![None; others.len()];
        read.get_many_into(&others, &mut numbers);
        assert!(numbers.iter().flatten().all(|number| *number < 5), "{way}");
        let held = read.contains_many(&others);
        for ((key, number), held) in others.iter().zip(&numbers).zip(held) {
            assert!(held == number.is_some() && read.contains(key) == held, "{way}");
        }
        // Of all values of three bits five are possible.
        let wrong = numbers.iter().flatten().count() as f64 / others.len() as f64;
        let promised = read.false_positive_rate();
        assert!(promised < 0.35 && (wrong - promised).abs() < 0.02, "{way}: {wrong} of {promised}");
    }
}

/// More bits than the values take, known keys only, one key, and no key.
#[test]
fn the_greatest_is_the_greatest_of_any_key() {
    let builder = RibbonMap::builder;
    for (map, greatest) in [
        (regions(builder().value_bits(20)), 4),
        (builder().known_keys_only().build_from((0..900u32).map(|key| (key, key % 250))).unwrap(), 249),
        (builder().build_from([("a", 0)]).unwrap(), 0),
        (builder().build_from([("a", u32::MAX)]).unwrap(), u32::MAX),
        (builder().value_bits(5).build_from::<&str, u32>([]).unwrap(), 0),
        (builder().value_bits(3).names(REGIONS).build_from([("a", "north")]).unwrap(), 4),
    ] {
        for (way, read) in ways(&map) {
            assert!(read == map && read.greatest() == greatest, "{way}: {greatest}");
            let values = read.get_many(&(1000..3000u32).collect::<Vec<_>>());
            assert!(values.iter().flatten().all(|value| value.number() <= greatest), "{way}: {greatest}");
        }
    }
    // Maps that differ in nothing else.
    let known = |greatest: u32| {
        let pairs = (0..300u32).map(|key| (u64::from(key), key % 2)).chain([(7777, greatest)]);
        builder()
            .known_keys_only()
            .caller_hash("tests")
            .value_bits(2)
            .build_from_hashes(pairs.collect())
            .unwrap()
    };
    assert!(known(2) != known(3) && known(3) == known(3));
}
