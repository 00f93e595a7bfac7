//! `except`: known strangers get a no, and members do not.

use crate::place::{Place, numbers};

/// `f` has 0..1000 at a rate of 5 %, `all` is 0..20000, `strangers` those of them that are not in
/// it.
fn place() -> Place {
    let place = Place::new();
    place.write("members", numbers(0..1000));
    place.write("strangers", numbers(1000..20_000));
    place.write("all", numbers(0..20_000));
    assert_eq!(place.run("build -q members -p 5% -n 2000 --over ignore -o f").code, 0);
    place
}

fn count(place: &Place, args: &str) -> u32 {
    place.run(&format!("has -c {args}")).text().trim().parse().unwrap()
}

#[test]
fn known_strangers_get_a_no_by_every_verb() {
    let place = place();
    let wrong = count(&place, "f strangers");
    assert!(wrong > 20, "{wrong}");
    let ran = place.run("except f strangers --members members");
    let expected = format!("{wrong} exceptions added; {wrong} in all, ");
    assert!(ran.code == 0 && ran.err.starts_with(&expected), "{}", ran.err);
    assert!(
        ran.err.ends_with(&format!("; for {} keys the filter says no without one\n", {
            let keys = 19_000 - wrong;
            format!("{},{:03}", keys / 1000, keys % 1000)
        })),
        "{}",
        ran.err
    );
    assert_eq!(
        (count(&place, "f strangers"), count(&place, "f members"), count(&place, "f all")),
        (0, 1000, 1000)
    );
    assert_eq!(count(&place, "f all -j 4"), 1000);
    let ran = place.run("test f --members members --absent strangers --json");
    let report = ran.json();
    assert_eq!((ran.code, &report["absent_wrong"], &report["members_missed"]), (0, &0.into(), &0.into()));
    // Once more: none is needed.
    let report = place.run("except -q f all --non-members --json");
    assert_eq!(report.code, 0);
    let exceptions = place.run("info f --json").json()[0]["exceptions"].as_u64().unwrap();
    assert!(exceptions >= u64::from(wrong));
}

/// A key by itself is one too, and standard input is read only where `-` is given.
#[test]
fn keys_are_given_one_by_one() {
    let place = place();
    let found = place.run("has f strangers");
    let found: Vec<&str> = found.text().lines().take(3).collect();
    let [one, two, three] = found[..] else { panic!("{found:?}") };
    let ran = place.run(&format!("except f -e {one} -e {two} --members members"));
    assert!(ran.code == 0 && ran.err.starts_with("2 exceptions added; 2 in all, "), "{}", ran.err);
    assert_eq!(place.run(&format!("has -q f -e {one} -e {two}")).code, 1);
    let ran =
        place.run_with(&format!("except f -e {one} - --non-members --json"), format!("{three}\n").as_bytes());
    assert_eq!((&ran.json()["keys"], &ran.json()["exceptions"]), (&2.into(), &3.into()));
    let ran = place.run("except f -e 5 --members members");
    assert!(ran.code == 2 && ran.err.contains("the member \"5\" is among the keys to except"), "{}", ran.err);
    for (args, said) in [
        ("except f -e 5 --list", "cannot be used with"),
        ("except f -e 5", "give the lists of all members with --members"),
        (
            "except f 1500 --non-members",
            "1500: no such file; expected a file of keys. A key by itself is given with -e",
        ),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(said), "{args}: {}", ran.err);
    }
}

#[test]
fn what_there_is_can_be_seen() {
    let place = place();
    let wrong = count(&place, "f strangers");
    assert_eq!(
        place.run("except f --list").text(),
        "0 exceptions, 0 bytes; the file has the hashes of their keys, so that they cannot be shown\n"
    );
    assert!(!place.run("info f").text().contains("exceptions"));
    assert_eq!(place.run("except -q f strangers --members members").quiet(), (0, &b""[..]));
    assert!(place.run("except f --list").text().starts_with(&format!("{wrong} exceptions, ")));
    let report = place.run("except f --list --json").json();
    assert_eq!(
        (&report["exceptions"], &report["exceptions_len"]),
        (&wrong.into(), &(8 * (wrong + 1)).into())
    );
    let info = place.run("info f");
    assert!(
        info.text().contains(&format!("exceptions  {wrong} keys that it says no for")),
        "{}",
        info.text()
    );
    assert!(place.run("verify f").text().contains(&format!("1 chunk, {wrong} exceptions, ")));
    assert_eq!(place.run("verify f --json").json()[0]["exceptions"], wrong);
    assert_eq!(place.run("info f --json").json()[0]["kind"], "bloom");
}

#[test]
fn a_member_is_refused_and_who_vouches_is_asked() {
    let place = place();
    let before = place.read("f");
    let ran = place.run("except f strangers");
    let expected = "tepal: a member among the keys would become a missed key: give the lists of all members with --members, \
                    which are compared, or say with --non-members that no key is a member\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, expected));
    place.write("mixed", "1500\n17\n1501\n");
    let ran = place.run("except f mixed --members members");
    let expected = "tepal: members: line 18: the member \"17\" is among the keys to except, or has the hash of one, and would be \
                    missed; nothing was changed: leave it out there\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, expected));
    for (args, expected) in [
        ("except f --members members -", "standard input can be read once"),
        ("except f --non-members --members members", "cannot be used with"),
        ("except f strangers --list", "cannot be used with"),
        ("except f strangers --non-members --json -o -", "both write to standard output"),
        ("except f strangers --non-members -o members", "members: exists; add --force to replace it"),
        ("except gone strangers --non-members", "gone: no such file"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(expected), "{args}: {}", ran.err);
    }
    assert_eq!(place.read("f"), before);
    // Beside it, and from standard input.
    let ran = place.run_with("except -q f --non-members -o g", &numbers(1000..20_000));
    assert_eq!(ran.quiet(), (0, &b""[..]));
    assert_eq!((place.read("f") == before, count(&place, "g strangers")), (true, 0));
}

#[test]
fn a_key_that_is_added_is_no_exception() {
    let place = place();
    assert_eq!(place.run("except -q f strangers --members members").code, 0);
    place.write("new", numbers(1000..1500));
    assert_eq!(place.run("add -q f new").code, 0);
    assert_eq!((count(&place, "f new"), count(&place, "f members")), (500, 1000));
    // Rebuilt in its shape it has none.
    assert_eq!(place.run("build -q new --like f -o g").code, 0);
    assert_eq!(place.run("info g --json").json()[0]["exceptions"], 0);
}

#[test]
fn other_verbs_keep_them_or_refuse() {
    let place = place();
    place.write_key("seal", b"0123456789abcdef");
    assert_eq!(place.run("build -q strangers -p 5% -n 2000 --over ignore -o other").code, 0);
    assert_eq!(place.run("except -q f strangers --members members -o e").code, 0);
    let kept = place.run("info e --json").json()[0]["exceptions"].as_u64().unwrap();

    let ran = place.run("merge e other -o m --past-promise");
    assert!(ran.code == 0 && ran.err.contains(&format!("! 0 of {kept} exceptions")), "{}", ran.err);
    assert_eq!((count(&place, "m members"), count(&place, "m strangers")), (1000, 19_000));
    let ran = place.run("merge f e -o m2");
    assert!(ran.code == 2 && ran.err.contains("has exceptions; name that one first"), "{}", ran.err);
    assert_eq!(place.run("merge -q --and e f -o m3").code, 0);
    assert_eq!((count(&place, "m3 members"), count(&place, "m3 strangers")), (1000, 0));

    let ran = place.run("convert e --to parquet-sbbf -o c");
    assert!(ran.code == 2, "{}", ran.err);
    assert_eq!(place.run("diff -q f e -o p").code, 0);
    assert_eq!(place.run("patch -q f p").code, 0);
    assert_eq!(place.read("f"), place.read("e"));

    // A seal is of the list too.
    assert_eq!(place.run("build -q members -p 5% --over ignore --seal seal -o s").code, 0);
    assert_eq!(place.run("except -q s strangers --members members --seal seal").code, 0);
    assert_eq!(count(&place, "s all --seal seal"), 1000);
    let mut changed = place.read("s");
    let at = changed.len() - 33;
    changed[at] ^= 1;
    place.write("s", changed);
    let ran = place.run("verify s --seal seal");
    assert!(ran.code == 2 && ran.err.contains("damaged"), "{}", ran.err);

    // Files without a place for them.
    assert_eq!(place.run("build -q members --to dcso -o d").code, 0);
    let ran = place.run("except d strangers --non-members");
    assert!(ran.code == 2 && ran.err.contains("only tepal files hold these"), "{}", ran.err);
}

#[test]
fn recipes_fields_and_schemes_without_a_hash() {
    let place = Place::new();
    place.write("rows.csv", (0..500).map(|n| format!("{n},User{n}@x.org \n")).collect::<String>());
    place.write("others.csv", (500..5000).map(|n| format!("{n}, USER{n}@x.org\n")).collect::<String>());
    for scheme in ["xxh3", "guava-mitz64", "xxh64"] {
        let ran = place
            .run(&format!("build -q rows.csv -f 2 --trim --nocase -p 10% --scheme {scheme} -o f --force"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let ran = place.run("except -q f others.csv -f 2 --members rows.csv");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{scheme}");
        assert_eq!(
            (count(&place, "f rows.csv -f 2"), count(&place, "f others.csv -f 2")),
            (500, 0),
            "{scheme}"
        );
        assert!(place.run("info f --json").json()[0]["exceptions"].as_u64().unwrap() > 100);
    }
}

#[test]
fn keys_and_members_are_read_as_the_filter_was_built() {
    let place = Place::new();
    place.write("members.csv", "id,email\n1,a@x\n2,b@x\n3,c@x\n");
    assert_eq!(place.run("build -q members.csv -f email -o f").code, 0);
    let before = place.read("f");
    // Read as whole lines, this would be a member, and none of the rows would be one.
    place.write("white", "a@x\n");
    place.write("white.csv", "name,email,id\nAnn,a@x,7\n");
    for (keys, expected) in [
        ("white", "no field named \"email\""),
        ("white.csv", "the member \"a@x\" is among the keys to except"),
        ("white --whole", "of 4 keys on the lists of --members only 0 are in it"),
    ] {
        let ran = place.run(&format!("except f {keys} --members members.csv"));
        assert_eq!(ran.code, 2, "{keys}: {}", ran.err);
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert_eq!(place.read("f"), before);
    }
    assert_eq!(place.run("has -c f members.csv").text(), "3\n");
    // A stranger is one by its field too, and lists of bare keys do as well.
    place.write("members", "a@x\nb@x\nc@x\n");
    place.write("odd.csv", "id,email\n1,odd@x\n");
    assert_eq!(place.run("except -q f white --whole --members members").code, 2);
    assert_eq!(place.run("except -q f odd.csv --members members.csv").code, 0);
    assert_eq!(place.run("except -q f -e even@x --members members.csv").quiet(), (0, &b""[..]));
}

/// They are about the members of the old filter; what they were, the new one says itself.
#[test]
fn another_list_in_the_same_shape_has_none_and_it_is_said() {
    let place = place();
    assert_eq!(place.run("except -q f strangers --members members").code, 0);
    place.write("others", numbers(20_000..21_000));
    let ran = place.run("build others --like f -o g");
    assert!(
        ran.code == 0 && ran.err.contains("exceptions are about its own members, and stay with it"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("info g --json").json()[0]["exceptions"], 0);
    assert_eq!(place.run("build -q others --like f -o h").quiet(), (0, &b""[..]));
    assert_eq!(place.run("has -c g others").text(), "1000\n");
}

/// An exception is surely not in, so it is new, though every one of its bits is set.
#[test]
fn an_exception_that_is_added_is_new() {
    let place = place();
    let found = place.run("has f strangers").text().to_owned();
    let excepted: Vec<&str> = found.lines().take(3).collect();
    assert_eq!(place.run("except -q f strangers --members members").code, 0);
    let before = place.run("info f --json").json()[0]["exceptions"].as_u64().unwrap();
    let ran = place.run(&format!("add f -e {}", excepted[0]));
    assert!(ran.code == 0 && ran.err.starts_with("1 key added; about 1 new; "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "no bit was set, so nothing else changes: {}", ran.err);
    // With a member, the same once more, and twice in one list.
    place.write("more", format!("5\n{0}\n{1}\n{1}\n{2}\n", excepted[0], excepted[1], excepted[2]));
    let json = place.run("add f more --json").json();
    assert_eq!((&json["keys"], &json["new_keys_estimated"]), (&5.into(), &2.into()));
    assert_eq!(json["filter"]["exceptions"], before - 3);
    assert_eq!(place.run("has -c f more").text(), "5\n");
    let ran = place.run("add f more");
    assert!(ran.err.starts_with("5 keys added; about 0 new; "), "{}", ran.err);
}

/// A member among the keys to except is found behind a row without a key, too.
#[test]
fn a_member_behind_a_blank_row_is_found() {
    let place = Place::new();
    place.build("f", &numbers(0..1000), "");
    let before = place.read("f");
    place.write("strangers", "id\n5\n999999\n");
    for blank in ["", "\n", "\n\n"] {
        place.write("members", format!("id\n1\n{blank}5\n6\n"));
        let ran = place.run("except f strangers --members members -f id");
        let expected =
            format!("members: line {}: the member \"5\" is among the keys to except", 3 + blank.len());
        assert!(ran.code == 2 && ran.err.contains(&expected), "{blank:?}: {}", ran.err);
        assert!(place.read("f") == before, "{blank:?}");
    }
}
