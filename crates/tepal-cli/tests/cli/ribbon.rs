//! What the verbs do with static filters.

use tepal::{Opened, RibbonFilter, file::Format};

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
        assert!(told.starts_with("f           static filter: the smallest one"), "{told}");
        let json = place.run("info --json f").json()[0].clone();
        assert_eq!((&json["kind"], &json["keys_inserted"]), (&"ribbon".into(), &keys.into()));
        assert!(json["bit_len"].as_u64().unwrap() < 8 * u64::from(keys) + 600, "{json}");
        if keys > 0 {
            assert_eq!(place.run("test f --members list -q").code, 0, "{keys}");
        }
        let before = place.read("f");
        place.write("more", "a\nb\n");
        saved(&place, "other", keys + 1);
        for (verb, words) in [
            ("remove f more", "a static filter cannot remove a key; build it again without the key"),
            ("merge f other -o g", "cannot be united"),
            ("shrink f --fpr 0.5 -o g", "cannot be folded"),
        ] {
            let ran = place.run(verb);
            assert!(ran.code > 1 && ran.err.contains(words), "{verb}: {} {}", ran.code, ran.err);
            assert!(place.read("f") == before, "{verb}");
        }
    }
}

#[test]
fn a_second_ribbon_is_there_unless_speed_is_preferred() {
    let place = Place::new();
    place.write("list", numbers(0..20_000));
    assert_eq!(place.run("build -q --static -p 0.1 list -o f").code, 0);
    assert_eq!(place.run("build -q --static --prefer-speed -p 0.1 list -o g").code, 0);
    assert_eq!(place.run("has -c f list").text(), "20000\n");
    assert_eq!(place.run("has -c g list").text(), "20000\n");
    let (small, fast) = (place.run("info f").text().to_owned(), place.run("info g").text().to_owned());
    assert!(small.contains(" of its keys one bit more is kept"), "{small}");
    assert!(!fast.contains("one bit more"), "{fast}");
    let picked = |name: &str| place.run(&format!("info --json {name}")).json()[0]["picked_keys"].clone();
    assert!((4_000..8_000).contains(&picked("f").as_u64().unwrap()) && picked("g") == 0);
    place.build("bloom", b"a\n", "");
    assert!(picked("bloom").is_null());
    assert!(place.read("f").len() < place.read("g").len());
    // Two copies of it become one, and not one of both.
    std::fs::copy(place.path("f"), place.path("h")).unwrap();
    assert_eq!(place.run("add -q h -e x").code, 0);
    assert_eq!(place.run("merge -q f h -o both").code, 0);
    assert!(place.read("both") == place.read("h"));
    assert!(place.run("merge f g -o neither").code > 1);
    assert!(place.run("build --prefer-speed list -o x").code > 1);
}

#[test]
fn keys_are_added_beside_a_static_filter() {
    let place = Place::new();
    place.write("list", numbers(0..20_000));
    assert_eq!(place.run("build -q --static -p 1e-6 list -o f").code, 0);
    place.write("more", numbers(19_990..20_100));
    let ran = place.run("add f more -e x");
    assert_eq!((ran.code, ran.text()), (0, ""));
    let said = "111 keys added; 101 new, beside what was built: 101 added keys of 8 bytes, in ";
    assert!(ran.err.starts_with(said), "{}", ran.err);
    assert_eq!(place.run("has -c f list more -e x").text(), "-e:1\nlist:20000\nmore:110\n");
    assert_eq!(place.run("has -c f -e y").code, 1);
    assert_eq!(place.run("verify f").code, 0);
    assert_eq!(place.run("test f --members more -q").code, 0);
    let told = place.run("info f").text().to_owned();
    assert!(
        told.contains("20,101 in it, each once; 101 of them added after it was built, 808 bytes"),
        "{told}"
    );
    let json = place.run("info --json f").json()[0].clone();
    assert_eq!((&json["added_keys"], &json["keys_inserted"]), (&101.into(), &20_101.into()));
    // In whatever order and parts, it is the same file, and so is what two copies become.
    assert_eq!(place.run("build -q --static -p 1e-6 list -o g").code, 0);
    std::fs::copy(place.path("g"), place.path("h")).unwrap();
    assert_eq!(place.run("add -q g -e x -e 20005").code, 0);
    assert_eq!(place.run("add -q h more -j 3").code, 0);
    assert_eq!(place.run("merge -q g h -o both").code, 0);
    assert!(place.read("both") == place.read("f"));
    assert_eq!(place.run("add -q g more").code, 0);
    assert!(place.read("g") == place.read("f"));
    // What was in is not added, and many are too many.
    let ran = place.run("add f list");
    assert!(ran.err.contains("20,000 keys added; 0 new"), "{}", ran.err);
    place.write("many", numbers(30_000..50_000));
    let ran = place.run("add f many");
    assert!(ran.err.contains("f: ! the 20101 keys that were added take 7"), "{}", ran.err);
    assert!(place.run("info f").text().contains("build it anew of all its keys"));
}

/// What a filter takes and would take, why no patch follows it, and that it is no model for another
/// list.
#[test]
fn a_static_filter_is_planned_told_of_and_compared() {
    let place = Place::new();
    let plan = place.run("plan -n 20M -p 1%").text().to_owned();
    let row = plan.lines().find(|line| line.starts_with("static ")).unwrap();
    assert!(row.contains("16.1 MiB") && row.contains(" 6.74 "), "{row}");
    assert!(plan.contains("one of 1 in 128 takes 7.02 bits a key"), "{plan}");
    assert!(!place.run("plan -n 20M -p 0.78125%").text().contains("cheapest"));
    assert!(place.run("plan -n 20M -p 60%").text().contains("\nstatic        no such filter"));
    place.write("list", numbers(0..300_000));
    place.write("one", numbers(1..300_001));
    place.write("less", numbers(0..200_000));
    for (name, list) in [("f", "list"), ("g", "one"), ("h", "less")] {
        assert_eq!(place.run(&format!("build -q --static -p 1% {list} -o {name}")).code, 0);
    }
    let told = place.run("info f").text().to_owned();
    assert!(
        told.contains("least       1.01") && told.contains("for 1 in 128 wrong it would take 7.0"),
        "{told}"
    );
    let ran = place.run("diff f h -o p");
    assert!(ran.code == 2 && ran.err.contains(": of a static filter nearly half"), "{}", ran.err);
    let ran = place.run("diff f g -o p");
    assert!(ran.code == 0 || ran.err.contains("add the new keys to the old one (tepal add)"), "{}", ran.err);
    let ran = place.run("build list --like f -o new");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("cannot be cleared; build another one of all its keys (tepal build LIST --static)"),
        "{}",
        ran.err
    );
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
        ("--scheme guava-mitz64", "the scheme of a static filter is guava-mitz64"),
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

/// What is made full has no room, no capacity and no rule for more keys.
#[test]
fn a_static_filter_or_map_has_no_capacity() {
    let place = Place::new();
    place.write("list", numbers(0..20_000));
    place.write("rows", String::from_utf8(numbers(0..20_000)).unwrap().replace('\n', ",7\n"));
    place.build("table", &numbers(0..20_000), "--deletable");
    for args in [
        "build list --static -o f",
        "build list --set --static -o f",
        "build rows --csv -f 1 --map 2 -o f",
        "convert table --static -p 1e-3 -o f",
    ] {
        let ran = place.run(&format!("{args} --force"));
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
        let json = place.run("info f --json").json()[0].clone();
        assert!(json["capacity"].is_null() && json["over_capacity_policy"].is_null(), "{args}: {json}");
        let bits = json["bit_len"].as_f64().unwrap() / 20_000.0;
        assert!((json["bits_per_key"].as_f64().unwrap() / bits - 1.0).abs() < 0.01, "{args}: {json}");
        let told = place.run("info f").text().to_owned();
        for word in ["capacity", "room", "refuse", "past it"] {
            assert!(!told.contains(word), "{args}: {told}");
        }
    }
    // And what is filled has them.
    let json = place.run("info table --json").json()[0].clone();
    assert_eq!((&json["capacity"], &json["over_capacity_policy"]), (&20_000.into(), &"refuse".into()));
}
