//! The figures that the command works out itself: in words, in JSON, and the same in both.

use crate::place::{Place, numbers};

#[test]
fn sizes_are_those_of_the_file() {
    let place = Place::new();
    place.write_key("key", [7; 32]);
    for flags in ["", "--seal key"] {
        let built =
            place.run_with(&format!("build --force -q --json -o f -n 1007 {flags}"), &numbers(0..500)).json();
        let told = &place.run(&format!("info --json f {flags}")).json()[0];
        for json in [&built["filter"], told] {
            assert_eq!(json["file_len"], place.read("f").len(), "{flags}: {json}");
            assert_eq!(json["sealed"], !flags.is_empty(), "{flags}: {json}");
        }
        let bits = told["bit_len"].as_f64().unwrap();
        assert_eq!(told["bits_per_key"].as_f64().unwrap(), bits / 1007.0);
        assert_eq!(told["fill_ratio"].as_f64().unwrap(), told["set_bits"].as_f64().unwrap() / bits);
        let ran = place.run(&format!("info f {flags}"));
        let len = place.read("f").len().to_string();
        let len = format!("{},{}", &len[..len.len() - 3], &len[len.len() - 3..]);
        let size = format!(", {:.2} bits a key, file of {len} bytes\n", bits / 1007.0);
        assert!(ran.text().contains(&size), "{size:?} in {}", ran.text());
        // 500 of 1,007 keys, as far as the bits tell.
        let used: f64 = ran
            .text()
            .split(" % of 1,007 keys; room for about ")
            .next()
            .unwrap()
            .rsplit(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((47.0..53.0).contains(&used), "{}", ran.text());
    }
}

#[test]
fn a_filter_at_its_capacity_is_not_past_it() {
    let place = Place::new();
    for (flags, keys, words) in [
        ("--deletable", 1000, "room for a few more; past it: refuse\n"),
        // As far as the bits tell, it has a few more keys.
        ("--seed 3 --over warn", 1000, "at its capacity; past it: warn\n"),
        ("--seed 3 --over warn", 2000, "past its capacity; past it: warn\n"),
    ] {
        place.run_with(&format!("build --force -q -o f -n 1000 {flags}"), &numbers(0..keys));
        let ran = place.run("info f");
        assert!(ran.text().contains(&format!(" of 1,000 keys; {words}")), "{flags}: {}", ran.text());
    }
}

#[test]
fn what_a_file_does_not_say_is_named() {
    let place = Place::new();
    for (format, names, words) in [
        ("tepal", &[][..], ""),
        (
            "bits-and-blooms",
            &["key_domain", "capacity", "promised_false_positive_rate", "keys_inserted"],
            "how keys become bytes (--keys); how many keys and which rate it was planned for\n",
        ),
        ("dcso", &["key_domain"], "how keys become bytes (--keys)\n"),
    ] {
        place.build("f", &numbers(0..100), &format!("--force --to {format}"));
        // One whose files have no mark has to be told.
        let flags = if format == "tepal" { String::new() } else { format!("--from {format}") };
        let json = &place.run(&format!("info --json f {flags}")).json()[0];
        let told: Vec<&str> =
            json["not_recorded"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(told, names, "{format}");
        for name in ["capacity", "promised_false_positive_rate", "keys_inserted"] {
            assert_eq!(json[name].is_null(), names.contains(&name), "{format}: {name}");
        }
        let text = place.run(&format!("info f {flags}"));
        assert!(text.text().contains(words), "{format}: {}", text.text());
    }
}

#[test]
fn the_least_that_any_filter_takes() {
    let place = Place::new();
    // A million keys at 1 % take 6.64 bits each.
    for (args, size, keys, bits) in [
        ("-n 1M -p 1%", 830_483.0, 1e6, 6.6439),
        ("-n 1M -s 1MB", 1e6, 1e6, 8.0),
        ("-p 1% -s 1MB", 1e6, 1_204_119.0, 6.6439),
    ] {
        let json = place.run(&format!("plan --json {args}")).json();
        let rows = json.as_array().or_else(|| json["rows"].as_array()).unwrap_or_else(|| panic!("{json}"));
        let limit = rows.iter().find(|row| row["kind"] == "limit").unwrap_or_else(|| panic!("{json}"));
        let figure = |name: &str| limit[name].as_f64().unwrap_or_else(|| panic!("{name} in {limit}"));
        assert_eq!((figure("size_in_bytes"), figure("capacity")), (size, keys), "{args}");
        assert!((figure("bits_per_key") - bits).abs() < 1e-3, "{args}: {limit}");
    }
}

#[test]
fn a_conversion_that_loses_something_says_so() {
    let place = Place::new();
    place.build("f", &numbers(0..100), "--to dcso");
    let ran = place.run("convert f --to tepal -o g");
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("dcso to tepal") && ran.err.contains("the same bits"), "{}", ran.err);
    let back = place.run("convert g --to dcso -o h");
    assert_eq!((back.code, place.read("h") == place.read("f")), (0, true));
    assert!(!ran.err.contains("cannot be had back"), "{}", ran.err);
}
