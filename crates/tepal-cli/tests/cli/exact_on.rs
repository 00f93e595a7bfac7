//! `build --exact-on`: a filter that is right about every key of a known universe.

use crate::place::{Place, numbers};

/// `members` is 0..1000, `all` 0..20000, `strangers` those of `all` that are no members.
fn place() -> Place {
    let place = Place::new();
    place.write("members", numbers(0..1000));
    place.write("strangers", numbers(1000..20_000));
    place.write("all", numbers(0..20_000));
    place
}

fn count(place: &Place, args: &str) -> u32 {
    place.run(&format!("has -c {args}")).text().trim().parse().unwrap()
}

/// Builds, and gives what `--json` says.
fn build(place: &Place, args: &str) -> serde_json::Value {
    let ran = place.run(&format!("build -q --json {args}"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
    ran.json()
}

#[test]
fn every_key_of_the_universe_is_right_and_test_proves_it() {
    let place = place();
    let ran = place.run("build members --exact-on all -o f");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let info = &place.run("info f --json").json()[0];
    let exceptions = info["exceptions"].as_u64().unwrap();
    assert!((1001..2000).contains(&exceptions) && info["divided"] == true, "{exceptions}");
    assert!(ran.err.starts_with("1,000 keys, "), "{}", ran.err);
    let divider = 32 + 8 * (3 * ((1000 + exceptions) * 41).div_ceil(100) + 33).div_ceil(64);
    let expected = format!(
        "; right about the whole universe, 20,000 keys, with {} exceptions in a divider of {divider} bytes\nkeys: whole lines\n",
        exceptions.to_string().replacen('1', "1,", 1)
    );
    assert!(ran.err.ends_with(&expected), "{}", ran.err);
    // What the bits alone say: a filter of the same rate without the list is wrong, so the list is
    // what makes it right.
    assert_eq!(place.run("build -q members -o plain --like f").code, 0);
    assert_eq!(u64::from(count(&place, "plain strangers")), exceptions);
    let report = place.run("test f --members members --absent strangers --json");
    let (code, report) = (report.code, report.json());
    assert_eq!((code, &report["members_missed"], &report["absent_wrong"]), (0, &0.into(), &0.into()));
    // The same bytes with every number of threads, and with either list from standard input.
    for (args, input) in [
        ("members --exact-on all -j 1", ""),
        ("members --exact-on all -j 4", ""),
        ("- --exact-on all", "members"),
        ("--exact-on all", "members"),
        ("members --exact-on -", "all"),
        ("members members --exact-on strangers --exact-on members2", ""),
    ] {
        place.write("members2", numbers(0..1000));
        let input = if input.is_empty() { Vec::new() } else { place.read(input) };
        let ran = place.run_with(&format!("build -q {args} -o g --force"), &input);
        assert_eq!(ran.quiet(), (0, &b""[..]), "{args}");
        assert_eq!(place.read("g"), place.read("f"), "{args}");
    }
}

#[test]
fn a_long_universe_is_read_by_threads_and_is_right() {
    let place = Place::new();
    place.write("members", numbers(0..20_000));
    place.write("strangers", numbers(20_000..400_000));
    place.write("all", numbers(0..400_000));
    let one = build(&place, "members --exact-on all -o f -j 1");
    let four = build(&place, "members --exact-on all -o g -j 4");
    assert_eq!(one["exact_on"], four["exact_on"]);
    assert_eq!(place.read("f"), place.read("g"));
    assert_eq!((count(&place, "g strangers"), count(&place, "g members")), (0, 20_000));
}

/// Bytes of the filter and its list.
fn cost(report: &serde_json::Value) -> u64 {
    report["filter"]["size_in_bytes"].as_u64().unwrap()
        + report["exact_on"]["exceptions_len"].as_u64().unwrap()
}

#[test]
fn the_rate_is_the_one_of_least_cost_and_flags_override_it() {
    let place = place();
    let least = cost(&build(&place, "members --exact-on all -o f"));
    for rate in ["25%", "2%", "1e-4", "1e-6"] {
        let report = build(&place, &format!("members --exact-on all -p {rate} -o p --force"));
        assert!(cost(&report) > least, "{rate}: {} against {least}", cost(&report));
        assert_eq!((count(&place, "p strangers"), count(&place, "p members")), (0, 1000), "{rate}");
    }
    let report = build(&place, "members --exact-on all -s 1024 -o s");
    assert_eq!(report["filter"]["size_in_bytes"], 1024);
    assert_eq!((count(&place, "s strangers"), count(&place, "s members")), (0, 1000));
    // Room for more: every key of it counts.
    let report = build(&place, "members --exact-on all -n 4000 -o n");
    assert_eq!(report["filter"]["capacity"], 4000);
    assert_eq!((count(&place, "n strangers"), count(&place, "n members")), (0, 1000));
    let ran = place.run("build members --exact-on all -n 500 -o n --force");
    assert!(ran.code == 2 && ran.err.contains("room for, 500; give more with -n"), "{}", ran.err);
    // Few strangers: the rate for all other keys is not above 25 %.
    place.write("nearly", numbers(0..1010));
    let report = build(&place, "members --exact-on nearly -o few");
    assert_eq!(report["filter"]["promised_false_positive_rate"], 0.25);
}

/// A list where it is the smaller, or asked for; then keys can be added.
#[test]
fn list_or_divider() {
    let place = place();
    for (flags, form, len) in [
        ("", "divider", 392),
        ("--exact-as divider", "divider", 392),
        ("--exact-as list", "list", 168),
        ("-p 1e-4", "list", 0),
        ("-p 1e-4 --exact-as divider", "divider", 0),
        ("-p 20%", "divider", 0),
        ("-p 20% --exact-as list", "list", 0),
    ] {
        let report = build(&place, &format!("members --exact-on all {flags} -o f --force"));
        let (on, filter) = (&report["exact_on"], &report["filter"]);
        assert_eq!((&on["form"], &filter["divided"]), (&form.into(), &(form == "divider").into()), "{flags}");
        assert!(len == 0 || on["exceptions_len"] == len, "{flags}: {on}");
        assert_eq!((count(&place, "f strangers"), count(&place, "f members")), (0, 1000), "{flags}");
        // The file is what was counted, and what the smaller form is.
        let other = if form == "list" { "divider" } else { "list" };
        let rate = filter["promised_false_positive_rate"].as_f64().unwrap();
        let report =
            build(&place, &format!("members --exact-on all -p {rate} --exact-as {other} -o g --force"));
        let (one, two) = (place.read("f").len() as u64, place.read("g").len() as u64);
        let its = |report: &serde_json::Value| report["exact_on"]["exceptions_len"].as_u64().unwrap();
        assert_eq!(one + its(&report), two + on["exceptions_len"].as_u64().unwrap(), "{flags}");
        assert!(flags.contains("as") || one <= two, "{flags}");
    }
    // A member that comes later goes beside a list, and not beside a divider.
    place.write("later", "1500\n2500\n");
    assert_eq!(
        build(&place, "members --exact-on all --exact-as list -p 10% -n 2000 -o l")["exact_on"]["form"],
        "list"
    );
    assert_eq!(place.run("add -q l later").code, 0);
    assert_eq!((count(&place, "l later"), count(&place, "l members")), (2, 1000));
    assert_eq!(place.run("build -q members --exact-on all -p 10% -n 2000 --exact-as divider -o d").code, 0);
    assert_eq!(place.run("build -q members -o plain --like d").code, 0);
    let before = place.read("d");
    for (args, part) in [
        ("add d later", "d: a Bloom filter cannot take this key; its divider knows the keys of one"),
        ("except d later --non-members", "d: a Bloom filter cannot take exceptions; its divider knows"),
        ("merge d plain -o both", "cannot be united; its divider knows"),
        ("merge d d -o both", "cannot be united; its divider knows"),
        ("merge --and d plain -o both", "cannot be intersected; its divider knows"),
        ("convert d --to guava -o both", "it has exceptions"),
        ("build members -o both --exact-as list", "--exact-on"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(part), "{args}: {}", ran.err);
        assert!(place.read("d") == before && !place.path("both").exists(), "{args}");
    }
    let info = place.run("info d");
    assert!(info.text().contains("; known by a divider, so that no key can be added\n"), "{}", info.text());
    // To others it goes as patches do.
    assert_eq!(place.run("diff -q plain d -o p").code, 0);
    assert_eq!(place.run("patch -q plain p").code, 0);
    assert!(place.read("plain") == before);
}

#[test]
fn repeats_missing_members_and_no_strangers_are_counted() {
    let place = place();
    place.write("part", numbers(500..3000));
    let ran = place.run("build members members --exact-on part --exact-on part -o f --json");
    assert!(ran.err.contains("; 500 keys of the list not in it\n"), "{}", ran.err);
    let told = "; right about the whole universe, 5,000 keys, of which 2,500 are different, with ";
    assert!(ran.err.contains(told), "{}", ran.err);
    let report = ran.json();
    assert_eq!((&report["keys"], &report["different_keys"]), (&2000.into(), &1000.into()));
    let on = &report["exact_on"];
    assert_eq!(
        (&on["keys"], &on["non_members"], &on["members_missing"]),
        (&5000.into(), &2000.into(), &500.into())
    );
    assert_eq!((count(&place, "f part"), count(&place, "f members")), (500, 1000));
    // No stranger in it: no exception, and the file is one for every reader.
    place.write("fewer", numbers(0..10));
    place.write("members2", numbers(0..1000));
    let report = build(&place, "members --exact-on fewer -o g");
    assert_eq!(
        (&report["exact_on"]["exceptions"], &report["exact_on"]["non_members"]),
        (&0.into(), &0.into())
    );
    // It is as small as beside a few strangers.
    assert_eq!(report["filter"]["promised_false_positive_rate"], 0.25);
    let report = build(&place, "members --exact-on members2 -p 1% -o h --force");
    assert_eq!(report["filter"]["promised_false_positive_rate"], 0.01);
    assert!(tepal::BloomFilter::open(place.path("g")).is_ok());
    assert!(build(&place, "members -o h --force")["exact_on"].is_null());
}

#[test]
fn no_keys_here_or_there() {
    let place = place();
    place.write("none", "");
    let report = build(&place, "none --exact-on all -o f");
    assert_eq!((&report["keys"], &report["exact_on"]["exceptions"]), (&0.into(), &0.into()));
    assert_eq!(count(&place, "f all"), 0);
    let ran = place.run("build members --exact-on none -o g");
    let expected = "tepal: none: it has no keys, and has to have all that will be asked; name another, or leave --exact-on out\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, expected));
    let before = place.read("f");
    let ran = place.run("build none --exact-on all -o f --force");
    assert!(ran.code == 2 && ran.err.contains("--allow-empty"), "{}", ran.err);
    assert_eq!((place.read("f") == before, place.path("g").exists()), (true, false));
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let place = place();
    for (args, expected) in [
        ("--exact-on -", "standard input can be read once"),
        ("- --exact-on -", "standard input can be read once"),
        ("members --exact-on - --exact-on -", "standard input can be read once"),
        ("members --exact-on ./members", "that is the list of members too"),
        ("members --exact-on gone", "gone: no such file"),
        ("members --exact-on all --to guava", "only tepal files have, not those of guava"),
        ("members --exact-on all --scheme md5-presets", "which the scheme md5-presets does not have"),
        ("members --exact-on all --like members", "cannot be used with"),
        ("members --exact-on all --memory 1GiB", "cannot be used with"),
    ] {
        let ran = place.run(&format!("build {args} -o f"));
        assert!(ran.code == 2 && ran.err.contains(expected), "{args}: {}", ran.err);
    }
    assert_eq!(place.names(), ["all", "members", "strangers"]);
}

/// XXH3 multiplies halves of 16 bytes with each other. Where the first half is the secret's own,
/// the product is zero, whatever the second half is: two keys with one hash, for one seed.
#[test]
fn another_key_with_the_hash_of_a_member_is_found() {
    let place = Place::new();
    let key = |second: &[u8; 8]| {
        let first = 0xbe4b_a423_396c_feb8_u64.to_le_bytes();
        [&first, &second[..], b"0123456789abcdef\n"].concat()
    };
    place.write("members", key(b"aaaaaaaa"));
    place.write("all", [b"x\ny\n".to_vec(), key(b"bbbbbbbb")].concat());
    let ran = place.run("build members --exact-on all --seed 0 -o f");
    assert!(ran.code == 2 && ran.err.starts_with("tepal: all: line 3: "), "{}", ran.err);
    let expected = "is not on the list, and has the 64-bit hash of a key that is, so the filter cannot be right about both; nothing \
                    was built: choose another --seed (or another --secret)\n";
    assert!(ran.err.ends_with(expected), "{}", ran.err);
    assert!(!place.path("f").exists());
    let report = build(&place, "members --exact-on all --seed 1 -o f");
    assert_eq!((&report["exact_on"]["non_members"], count(&place, "f all")), (&3.into(), 0));
    // The key itself, twice, is a member.
    place.write("all", [key(b"aaaaaaaa"), key(b"aaaaaaaa")].concat());
    place.write("other", "x\n");
    let report = build(&place, "members --exact-on all --exact-on other --seed 0 -o g");
    assert_eq!(
        (&report["exact_on"]["non_members"], &report["exact_on"]["members_missing"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn rows_recipes_integers_secrets_and_bad_records() {
    let place = place();
    place.write_key("key", "0123456789abcdef");
    for flags in ["--integer", "--secret key", "--secret key --integer", "--small", "--seal key"] {
        let asked = flags.replace("--integer", "").replace("--small", "");
        build(&place, &format!("members --exact-on all {flags} -o f --force"));
        assert_eq!(
            (count(&place, &format!("f strangers {asked}")), count(&place, &format!("f members {asked}"))),
            (0, 1000),
            "{flags}"
        );
    }
    place.write("rows.csv", (0..500).map(|n| format!("{n},User{n}@x.org \n")).collect::<String>());
    place.write("all.csv", (0..5000).map(|n| format!("{n}, USER{n}@x.org\n")).collect::<String>());
    let report = build(&place, "rows.csv --exact-on all.csv -f 2 --trim --nocase -o f --force");
    assert_eq!(
        (&report["exact_on"]["non_members"], &report["exact_on"]["members_missing"]),
        (&4500.into(), &0.into())
    );
    assert_eq!(count(&place, "f all.csv -f 2"), 500);

    place.write("mixed", [numbers(0..20_000), b"x\n".to_vec()].concat());
    let ran = place.run("build members --exact-on mixed --integer -o g");
    assert!(ran.code == 2 && ran.err.starts_with("tepal: mixed: line 20001: "), "{}", ran.err);
    let ran = place.run("build members --exact-on mixed --integer --bad skip -o g --json");
    assert_eq!((ran.code, &ran.json()["exact_on"]["bad_records"]), (0, &1.into()), "{}", ran.err);
    assert!(ran.err.contains("; 1 bad record of it left out\n"), "{}", ran.err);
}

#[test]
fn a_key_more_may_make_others_wrong_and_add_says_so() {
    let place = place();
    assert_eq!(place.run("build -q members --exact-on all --exact-as list -n 1600 -p 0.1 -o f").code, 0);
    place.write("more", numbers(30_000..30_500));
    let warned = |args: &str| {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.err.contains("it may be wrong about more of them: ask the same list again (tepal except)")
    };
    assert!(!warned("add f members"), "nothing was new");
    assert!(warned("add f more"));
    assert!(!warned("add -q f more"));
    // It is so, and the way out is one.
    assert!(count(&place, "f strangers") > 0);
    assert_eq!(place.run("except f strangers --non-members").code, 0);
    assert_eq!(count(&place, "f strangers"), 0);
    // Without exceptions there is nothing to say.
    assert_eq!(place.run("build -q members -n 2000 -o plain").code, 0);
    assert!(!warned("add plain more"));
}
