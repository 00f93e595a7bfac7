//! What the verbs do with ribbon filters, which programs build.

use tepal::{Format, Opened, RibbonFilter};

use crate::place::{Place, numbers};

fn saved(place: &Place, name: &str, keys: u32) {
    let filter = RibbonFilter::builder().build_from((0..keys).map(|key| key.to_string())).unwrap();
    Opened::new(filter, Format::Tepal).unwrap().save(place.path(name)).unwrap();
}

#[test]
fn a_ribbon_is_asked_told_of_and_left_as_it_is() {
    let place = Place::new();
    for keys in [0u32, 1, 300, 50_000] {
        saved(&place, "f", keys);
        place.write("list", numbers(0..keys));
        assert_eq!(place.run("has -c f list").text(), format!("{keys}\n"));
        assert_eq!(place.run("verify f").code, 0);
        let told = place.run("info f").text().to_owned();
        assert!(told.starts_with("f           ribbon filter: the smallest one"), "{told}");
        let json = place.run("info --json f").json()[0].clone();
        assert_eq!((&json["kind"], &json["capacity"]), (&"ribbon".into(), &keys.into()));
        assert!(json["bit_len"].as_u64().unwrap() < 8 * u64::from(keys) + 600, "{json}");
        if keys > 0 {
            assert_eq!(place.run("test f --members list -q").code, 0, "{keys}");
        }
        let before = place.read("f");
        place.write("more", "a\nb\n");
        for (verb, words) in [
            ("add f more", "cannot take another key"),
            ("remove f more", "none can be removed"),
            ("merge f f -o g", "cannot be united"),
            ("shrink f --fpr 0.5 -o g", "cannot be folded"),
        ] {
            let ran = place.run(verb);
            assert!(ran.code > 1 && ran.err.contains(words), "{verb}: {} {}", ran.code, ran.err);
            assert!(place.read("f") == before, "{verb}");
        }
    }
}

#[test]
fn the_same_list_is_the_same_file_whatever_the_order_and_threads() {
    let place = Place::new();
    let mut lines: Vec<String> = (0..30_000).map(|n| format!("{n}\n")).collect();
    place.write("list", lines.concat());
    lines.reverse();
    place.write("back", lines.concat());
    for (name, args) in [("a", "list -j 1"), ("b", "back -j 8"), ("c", "back list back -j 3")] {
        assert_eq!(place.run(&format!("build -q --static -o {name} {args}")).quiet(), (0, &b""[..]));
    }
    assert!(place.read("a") == place.read("b") && place.read("a") == place.read("c"));
    let ran = place.run("build list list --static -p 1% -o f --json --name numbers");
    let (json, filter) = (ran.json(), &ran.json()["filter"]);
    assert_eq!((&json["keys"], &json["different_keys"]), (&60_000.into(), &30_000.into()));
    assert_eq!((&filter["kind"], &filter["name"]), (&"ribbon".into(), &"numbers".into()));
    let bits = filter["bits_per_key"].as_f64().unwrap();
    assert!((6.64..6.85).contains(&bits), "{bits}");
    assert_eq!(place.run("has -c f list").text(), "30000\n");
}

#[test]
fn flags_that_do_not_fit_a_ribbon_are_named_with_the_way_out() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    place.build("like", b"a\n", "");
    for (flags, said) in [
        ("-n 64", "-n is given with --static: it is as large as its keys make it"),
        ("--over warn", "--over is given with --static: "),
        ("-s 64", "-s is given with --static: it is sized by -p"),
        ("--layout line", "--layout is given with --static: "),
        ("--like like", "--like is given"),
        ("--to guava", "--static makes a filter that only tepal files can hold"),
        ("--deletable", "--deletable"),
        ("--growing", "--growing"),
        ("--scheme guava-mitz64", "the scheme of a ribbon filter is `guava-mitz64`"),
        ("-p 60%", "ask for 0.5 at most"),
        ("-p 1e-12", "2^-32"),
    ] {
        let ran = place.run(&format!("build list -o f --static {flags}"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(said), "{flags}: {}", ran.err);
        assert!(!place.path("f").exists(), "{flags}");
    }
    assert_eq!(place.run("build list -o f --ribbon").code, 0);
}
