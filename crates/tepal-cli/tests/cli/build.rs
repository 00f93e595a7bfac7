//! What `build` and `add` make, and that they make it whole or not at all.

use crate::place::{Place, numbers};

#[test]
fn the_keys_are_counted() {
    let place = Place::new();
    let ran = place.run_with("build -o f", &numbers(0..1000));
    assert_eq!(ran.err, "1,000 keys, 1.2 KiB, 1 in 100 false positives\nkeys: whole lines\n");
    assert_eq!((ran.code, ran.out.len()), (0, 0));
    let info = place.run("info --json f").json();
    assert_eq!(info[0]["capacity"], 1000);
    assert_eq!(info[0]["keys_inserted"], 1000);
    assert_eq!(info[0]["promised_false_positive_rate"], 0.01);
}

#[test]
fn repeats_make_no_filter_larger() {
    let place = Place::new();
    for n in [1_000, 150_000] {
        let once = numbers(0..n);
        let single = place.run_with("build --force -o f --json", &once).json();
        let many = place.run_with("build --force -o f --json", &once.repeat(10)).json();
        let bits = |report: &serde_json::Value| report["filter"]["bit_len"].as_f64().unwrap();
        assert!(bits(&many) <= bits(&single) * 1.005, "{n}: {} and {}", bits(&many), bits(&single));
        assert_eq!(many["keys"], 10 * n);
        assert_eq!(many["filter"]["over_capacity"], false);
        let different = many["different_keys"].as_f64().unwrap();
        assert!((different / f64::from(n) - 1.0).abs() < 0.002, "{different}");
        assert_eq!(place.run_with("has -c f", &once).out, format!("{n}\n").into_bytes());
    }
    let ran = place.run_with("build --force -o f", &numbers(0..1000).repeat(3));
    assert_eq!(
        ran.err,
        "3,000 lines, 1,000 different keys, 1.2 KiB, 1 in 100 false positives\nkeys: whole lines\n"
    );
}

/// What nobody has chosen is the safe one, and it is what the file says.
#[test]
fn a_filter_refuses_more_than_it_has_room_for_unless_it_is_told_otherwise() {
    let place = Place::new();
    place.write("few", numbers(0..100));
    place.write("many", numbers(0..10_000));
    for (flags, policy, code) in [
        ("", "refuse", 2),
        ("-n 100", "refuse", 2),
        ("--over refuse", "refuse", 2),
        ("--over warn", "warn", 0),
        ("--over ignore", "ignore", 0),
    ] {
        assert_eq!(place.run(&format!("build -q --force -o f {flags} few")).code, 0, "{flags}");
        assert_eq!(place.run("info --json f").json()[0]["over_capacity_policy"], policy, "{flags}");
        let ran = place.run("add f many");
        assert_eq!(ran.code, code, "{flags}: {}", ran.err);
    }
}

#[test]
fn an_empty_list_is_an_empty_filter() {
    let place = Place::new();
    let ran = place.run("build -o f");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (0, "0 keys, 64 bytes, 1 in 100 false positives\nkeys: whole lines\n")
    );
    assert_eq!(place.run_with("has f", b"a\n\n").quiet(), (1, &b""[..]));
}

#[test]
fn size_rate_and_room_are_taken_as_given() {
    let place = Place::new();
    let keys = numbers(0..1000);
    let build = |args: &str| {
        let ran = place.run_with(&format!("build --force --json -q -o f {args}"), &keys);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
        ran.json()["filter"].clone()
    };
    assert_eq!(build("-n 5k")["capacity"], 5000);
    let sized = build("-s 4KiB");
    assert_eq!((&sized["size_in_bytes"], &sized["capacity"]), (&4096.into(), &1000.into()));
    assert!(sized["promised_false_positive_rate"].as_f64().unwrap() < 1e-5);
    let both = build("-s 4KiB -p 1%");
    assert!(both["capacity"].as_u64().unwrap() > 3000);
    assert_eq!(build("--layout scattered -k 3")["num_hashes"], 3);
    assert_eq!(build("--layout split-block")["layout"], "split-block");
    assert_eq!(build("--small")["layout"], "double");
    assert_eq!(build("--seed 0x10")["seed"], "0x0000000000000010");
    let labels = build("--name set --source here --date 2024-05-01");
    assert_eq!(
        (&labels["name"], &labels["source"], &labels["date"]),
        (&"set".into(), &"here".into(), &"2024-05-01".into())
    );
}

/// Keys that were divided by the hash of the filter fall on few lines: `build`, `info` and `test`
/// say so, and a seed of its own mends it.
#[test]
fn keys_chosen_by_the_same_hash_are_told() {
    let place = Place::new();
    let hasher = tepal::BloomFilter::builder().key_hasher().unwrap();
    let shard: Vec<u8> = (0..200_000u32)
        .map(|i| i.to_string())
        .filter(|key| hasher.hash(key).unwrap() >> 60 == 3)
        .flat_map(|key| [key.as_bytes(), b"\n"].concat())
        .collect();
    place.write("shard.txt", &shard);
    let ran = place.run("build shard.txt -o same.tepal");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (info, test) = (place.run("info same.tepal"), place.run("test same.tepal --members shard.txt"));
    for text in [ran.err.as_str(), info.text(), test.text()] {
        assert!(
            text.contains("! ")
                && text.contains("the keys fall on few of the filter's lines")
                && text.contains("--seed-for"),
            "{text}"
        );
    }
    // Where the size is fixed, it stops half-way.
    let before = place.run("build shard.txt -n 13000 --over warn -o sized.tepal");
    assert_eq!(before.code, 0, "{}", before.err);
    place
        .write("first", shard.split_inclusive(|byte| *byte == b'\n').take(3000).collect::<Vec<_>>().concat());
    assert_eq!(place.run("build -q first -n 13000 -o begun.tepal").code, 0);
    for (args, name, flag) in [
        ("build shard.txt -n 13000 -o none.tepal", "shard.txt", "--over warn"),
        ("add begun.tepal shard.txt", "begun.tepal", "--past-promise"),
    ] {
        let begun = place.read("begun.tepal");
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
        let parts =
            [name, "fall on few of the filter's lines", "--seed-for PURPOSE", flag, "nothing was saved"];
        assert!(parts.iter().all(|part| ran.err.contains(part)), "{args}: {}", ran.err);
        assert!(!place.path("none.tepal").exists() && place.read("begun.tepal") == begun);
    }
    assert_eq!(place.run("add begun.tepal shard.txt --past-promise").code, 0);
    let ran = place.run_with("build shard.txt --seed-for=shard-3 -o own.tepal", b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.contains('!'), "{}", ran.err);
    assert!(!place.run("info own.tepal").text().contains("!"));
    assert_eq!(place.run("build shard.txt --seed 1 --seed-for x -o f").code, 2);
}

#[test]
fn too_many_keys_are_refused_or_not_as_said() {
    let place = Place::new();
    let keys = numbers(0..10_000);
    let ran = place.run_with("build -n 1000 -o f", &keys);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (
            2,
            "tepal: standard input: more different keys than the filter has room for, 1,000; give more with -n or -s, \
             leave them out so that the keys are counted, or say --over ignore\n"
        )
    );
    assert!(!place.path("f").exists());
    let ran = place.run_with("build -n 1000 -o f --over warn", &keys);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("f: holds more than the 1,000 keys it was planned for"), "{}", ran.err);
    let ran = place.run_with("build -n 1000 -o g --over ignore", &keys);
    assert_eq!(ran.code, 0);
    assert!(!ran.err.contains("planned"), "{}", ran.err);
    for filter in ["f", "g"] {
        assert_eq!(place.run_with(&format!("has -c {filter}"), &keys).out, b"10000\n");
    }
}

#[test]
fn the_recipe_travels_in_the_file() {
    let place = Place::new();
    place.build("f", b" Alice@X.org \nbob\n", "--trim --nocase");
    assert_eq!(
        place.run_with("has f", b"ALICE@x.ORG\n\tBob\nalice\n").quiet(),
        (0, &b"ALICE@x.ORG\n\tBob\n"[..])
    );
    assert_eq!(place.run_with("has -i f", b"BOB\n").quiet(), (0, &b"BOB\n"[..]));
    assert_eq!(place.run_with("add -q f", b"Carol \n").code, 0);
    assert_eq!(place.run("has f -q -e carol").quiet(), (0, &b""[..]));
    place.build("plain", b"bob\n", "");
    let ran = place.run("has -i plain -e BOB");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (2, "tepal: plain: built without --nocase, so -i cannot be done; build it again with --nocase\n")
    );
}

#[test]
fn integer_filters_take_integers_only() {
    let place = Place::new();
    place.build("f", b"42\n-1\n18446744073709551615\n", "--integer");
    assert_eq!(place.run_with("has f", b"42\n43\n").quiet(), (0, &b"42\n"[..]));
    let refused = "line 2: this filter has integer keys; \"042\" is not the shortest decimal form of a 64-bit integer\n";
    let ran = place.run_with("has f --bad fail", b"42\n042\n42\n");
    assert_eq!((ran.code, ran.out.as_slice()), (2, &b"42\n"[..]));
    assert_eq!(ran.err, format!("tepal: standard input: {refused}"));
    let ran = place.run_with("build --integer -o g", b"42\n042\n");
    assert_eq!((ran.code, ran.err), (2, format!("tepal: standard input: {refused}")));
    let before = place.read("f");
    assert_eq!(place.run_with("add f", b"7\n042\n").code, 2);
    assert_eq!(place.read("f"), before);
    assert_eq!(place.names(), ["f"]);
}

#[test]
fn a_secret_is_needed_again() {
    let place = Place::new();
    place.write_key("secret", b"0123456789abcdef");
    place.write_key("hex", "30313233343536373839616263646566\n");
    place.write_key("other", b"another 16 bytes");
    place.build("f", b"a\nb\n", "--secret secret");
    assert_eq!(place.run("has -c f --secret hex -e a -e c").quiet(), (0, &b"1\n"[..]));
    let error = |args: &str| {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args}");
        ran.err
    };
    assert_eq!(
        error("has f -e a"),
        "tepal: f: the filter was made with a secret key, which is not in the file; open it with that key (--secret FILE)\n"
    );
    assert_eq!(
        error("has f -e a --secret other"),
        "tepal: f: the secret key is not the one that the filter was made with; open it with that key (--secret FILE)\n"
    );
    place.build("plain", b"a\n", "");
    assert_eq!(
        error("has plain -e a --secret secret"),
        "tepal: plain: a secret key was given, but the filter was made without one and may be anyone's; get the filter that was made \
         with the key from its maker, or leave the key out (--secret FILE)\n"
    );
    place.write_key("bad", "too short");
    assert!(error("build -o g --secret bad").contains("bad: 9 bytes, no hex digits; expected exactly"));
}

#[test]
fn add_changes_the_whole_file_or_nothing() {
    let place = Place::new();
    place.write("list", numbers(0..1000));
    assert_eq!(place.run("build -q -n 2000 -o f list").code, 0);
    let ran = place.run_with("add f", &numbers(1000..1500));
    assert_eq!(ran.code, 0);
    assert!(ran.err.starts_with("500 keys added; "), "{}", ran.err);
    assert_eq!(place.run_with("has -c f", &numbers(0..1500)).out, b"1500\n");
    let before = place.read("f");
    let ran = place.run_with("add f", &numbers(1500..9000));
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.starts_with("tepal: f: full: planned for 2,000 keys, and only the first "),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("add --past-promise to go past its promised rate"), "{}", ran.err);
    assert_eq!(place.read("f"), before);
    let ran = place.run_with("add f -o g --past-promise --json", &numbers(1500..9000));
    assert_eq!(ran.code, 0);
    assert_eq!((&ran.json()["keys"], &ran.json()["filter"]["over_capacity"]), (&7500.into(), &true.into()));
    assert!(ran.err.contains("now past its promise"), "{}", ran.err);
    assert_eq!(place.read("f"), before);
    assert_eq!(place.run_with("has -c g", &numbers(0..9000)).out, b"9000\n");
    assert_eq!(place.names(), ["f", "g", "list"]);
}

#[test]
fn several_filters_answer_together() {
    let place = Place::new();
    place.build("a", b"1\n", "");
    place.build("b", b"2\n", "--nocase --seed 9");
    place.build("c", b"3\n", "");
    assert_eq!(place.run_with("has a --in b --in c", b"1\n2\n3\n4\n").quiet(), (0, &b"1\n2\n3\n"[..]));
    assert_eq!(place.run_with("has -v a --in b", b"1\n2\n3\n4\n").quiet(), (0, &b"3\n4\n"[..]));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.build("real", b"1\n", "-n 100");
    std::fs::set_permissions(place.path("real"), std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real", place.path("link")).unwrap();
    assert_eq!(place.run_with("add -q link", b"2\n").code, 0);
    assert!(place.path("link").is_symlink());
    assert_eq!(place.run("has -c real -e 1 -e 2").out, b"2\n");
    let mode = std::fs::metadata(place.path("real")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(place.run("build -q --force --allow-empty -o link").code, 0);
    assert!(place.path("link").is_symlink());
}

/// The number of different keys is called exact only where it is, whatever is built: of few keys
/// and of many, with repeats, at a rate at which keys share their numbers.
#[test]
fn the_number_of_different_keys_is_exact_where_that_is_said() {
    let place = Place::new();
    for keys in [1000_u32, 100_000] {
        let repeats = numbers(0..keys / 5);
        place.write("all", numbers(0..keys + 1000));
        place.write("list", [numbers(0..keys), repeats.clone()].concat());
        place.write(
            "rows",
            String::from_utf8([numbers(0..keys), repeats].concat()).unwrap().replace('\n', ",x\n"),
        );
        for flags in [
            "list",
            "list -n 300k",
            "list --to redisbloom --expansion 2 -n 1000",
            "list --static",
            "list --deletable",
            "list --count-bits 4",
            "list --growing",
            "list --growing -n 1000",
            "list --growing --deletable",
            "list --window 7d",
            "list --window 7d -n 300k",
            "list --window 500keys",
            "list --window 1Mkeys",
            "list --set",
            "list --set --static",
            "rows --csv -f 1 --map 2",
            "list --exact-on all",
        ] {
            let ran = place.run(&format!("build {flags} -p 10% -o f --force --json"));
            assert_eq!(ran.code, 0, "{keys} {flags}: {}", ran.err);
            let json = ran.json();
            let different = json["different_keys"].as_u64().unwrap();
            match json["different_keys_exact"].as_bool().unwrap() {
                true => assert_eq!(different, u64::from(keys), "{flags}"),
                false => {
                    assert!(
                        different.abs_diff(u64::from(keys)) <= u64::from(keys / 20),
                        "{flags}: {different}"
                    )
                }
            }
            let about = if json["different_keys_exact"] == true { "lines, " } else { "lines, about " };
            assert!(
                ran.err.contains(about)
                    || ran.err.contains("records, ")
                    || different == u64::from(keys / 5 * 6),
                "{flags}: {}",
                ran.err
            );
        }
    }
}
