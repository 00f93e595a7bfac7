//! Maps that are built of texts.

use std::borrow::Cow;

use tepal::{
    Error, Opened, RibbonMap,
    file::Format,
    values::{MapValue, Value},
};

const REGIONS: [(&str, &str); 5] =
    [("alice", "south"), ("bob", "north"), ("carol", "south"), ("dave", "\u{f6}st"), ("bob", "north")];

fn built<V: MapValue>(pairs: impl IntoIterator<Item = (&'static str, V)>) -> RibbonMap {
    RibbonMap::builder().build_from(pairs).unwrap()
}

#[test]
fn a_value_prints_as_its_name() {
    let map = built(REGIONS);
    for (key, name) in REGIONS {
        let value = map.get(key).unwrap();
        assert_eq!((value.to_string(), value.name()), (name.to_owned(), Some(name)));
        assert_eq!(
            (format!("{value:>6}"), format!("{value:?}")),
            (format!("{name:>6}"), format!("{name:?}"))
        );
        assert!(value == *name && value == name && value != "west");
        assert!(value == value.number() && Some(u32::from(value)) == map.value_of_name(name));
    }
    let counts: Vec<_> = map.names().collect();
    assert_eq!(counts, [("north", 1), ("south", 2), ("\u{f6}st", 1)]);
    assert_eq!(map.get_many(&["dave", "alice"]), [Some(map.value(2)), Some(map.value(1))]);
    // Without a name it is a number.
    let numbers = built([("ssh", 22), ("https", 443)]);
    let value = numbers.get("https").unwrap();
    assert_eq!((value.to_string(), value.name(), format!("{value:?}")), ("443".into(), None, "443".into()));
    assert_eq!(format!("{value:05}"), "00443");
    assert!(value == 443 && value != "443");
    assert_ne!(Some(map.value(1)), numbers.get("ssh").map(|_| numbers.value(1)));
}

/// The order of the pairs, the type of the texts, and whether the names are given change no bit.
#[test]
fn texts_are_names_in_their_order() {
    let map = built(REGIONS);
    assert!(built(REGIONS.into_iter().rev()) == map);
    assert!(built(REGIONS.map(|(key, name)| (key, name.to_owned()))) == map);
    assert!(built(REGIONS.map(|(key, name)| (key, Box::<str>::from(name)))) == map);
    assert!(built(REGIONS.map(|(key, name)| (key, Cow::Borrowed(name)))) == map);
    assert!(built(REGIONS.map(|(key, _)| (key, map.get(key).unwrap()))) == map);
    let owned = REGIONS.map(|(key, name)| (key, name.to_owned()));
    assert!(built(owned.iter().map(|(key, name)| (*key, name))) == map);
    let named = || RibbonMap::builder().names(["north", "south", "\u{f6}st"]);
    assert!(named().build_from(REGIONS).unwrap() == map);
    let numbers = REGIONS.map(|(key, name)| (key, map.value_of_name(name).unwrap()));
    assert!(named().build_from(numbers).unwrap() == map);
    // Given names keep their order, and may be more than the values have.
    let other =
        RibbonMap::builder().names(["\u{f6}st", "west", "south", "north"]).build_from(REGIONS).unwrap();
    assert_eq!(other.get("bob").unwrap().number(), 3);
    assert!(REGIONS.iter().all(|(key, name)| other.get(*key).unwrap() == *name));
    assert_eq!(other.names().nth(1), Some(("west", 0)));
    let file = Opened::new(map.clone(), Format::Tepal).unwrap().to_bytes().unwrap();
    assert!(RibbonMap::from_bytes(&file).unwrap() == map);
    assert!(built(Vec::<(&str, &str)>::new()) == built(Vec::<(&str, u32)>::new()));
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let error = |result: tepal::Result<RibbonMap>| result.unwrap_err().to_string();
    let builder = RibbonMap::builder;
    for (error, words) in [
        (error(builder().build_from([("a", "x"), ("a", "y")])), "the value \"x\" and with \"y\""),
        (
            error(builder().names(["x"]).build_from([("a", "y")])),
            "\"y\"; it must be one of the names of the values; give it a name there, or leave the names out (`names`)",
        ),
        (error(builder().build_from([("a", "")])), "name of a value"),
        (error(builder().build_from([("a", "x".repeat(1025))])), "1024"),
        (error(builder().build_from([("a", "two\nlines")])), "name of a value"),
        (error(builder().value_bits(1).build_from([("a", "x"), ("b", "y"), ("c", "z")])), "takes 2"),
    ] {
        assert!(error.contains(words), "{error}");
    }
    let many = |count: u32| builder().build_from((0..count).map(|i| (i, i.to_string())));
    assert!(error(many(65_537)).contains("65536"), "{}", error(many(65_537)));
    assert_eq!(many(65_536).unwrap().get(&65_535).unwrap(), "65535");
    // Values of other maps, of which one has names and one has not.
    let (named, numbers) = (built(REGIONS), built([("a", 7)]));
    let mixed: [(&str, Value<'_>); 2] = [("a", named.value(0)), ("b", numbers.value(7))];
    let mixed = builder().build_from(mixed);
    assert!(matches!(&mixed, Err(Error::Parameter { .. })));
    assert!(error(mixed).contains("all numbers, or all texts"));
    // A name past the place of every name is a number too.
    let past: String = error(builder().build_from([("a", named.value(3)), ("b", named.value(0))]));
    assert!(past.contains("all numbers, or all texts"), "{past}");
}
