//! `tepal remove`.

use crate::place::{Place, numbers};

fn held(place: &Place, name: &str, list: &str) -> String {
    place.run(&format!("has -c {name} {list}")).text().trim_end().to_owned()
}

#[test]
fn what_is_removed_is_gone_and_the_others_stay() {
    let place = Place::new();
    place.write("list", numbers(0..200_000));
    place.write("gone", numbers(50_000..150_000));
    place.write("left", [numbers(0..50_000), numbers(150_000..200_000)].concat());
    // At 1e-9 no stranger has the number of a member.
    for flags in ["--deletable", "--count-bits 4"] {
        place.build("f", &place.read("list"), flags);
        let ran = place.run("remove f gone");
        assert_eq!(ran.code, 0);
        assert!(
            ran.err.starts_with("100,000 keys removed; 1 in ") && ran.err.ends_with(" promised\n"),
            "{}",
            ran.err
        );
        assert_eq!((held(&place, "f", "gone"), held(&place, "f", "left")), ("0".into(), "100000".into()));
        // A second time there is nothing to remove, and the file is not written.
        let before = std::fs::metadata(place.path("f")).unwrap().modified().unwrap();
        let ran = place.run("remove f gone -j 1");
        assert!(ran.err.starts_with("0 keys removed; 100,000 keys were not in; "), "{}", ran.err);
        assert_eq!(std::fs::metadata(place.path("f")).unwrap().modified().unwrap(), before);
        // What is left is what a filter of what is left holds.
        assert_eq!(place.run("verify f").code, 0);
        std::fs::remove_file(place.path("f")).unwrap();
    }
    place.build("f", b"one\n", "--deletable");
    assert_eq!(place.run("remove f -e one -e one").err.split(';').next(), Some("1 key removed"));
    assert_eq!(place.run("info --json f").json()[0]["keys_inserted"], 0);
    assert_eq!(place.run("remove -q f -e one").quiet(), (0, &b""[..]));
}

#[test]
fn one_copy_goes_at_a_time() {
    let place = Place::new();
    place.build("once", b"a\na\nb\n", "--deletable");
    place.build("counted", b"a\na\nb\n", "--count-bits 4");
    for name in ["once", "counted"] {
        assert_eq!(place.run_with(&format!("add -q {name} --past-promise"), b"b\n").code, 0);
        assert_eq!(place.run(&format!("remove -q {name} -e a -e b")).quiet(), (0, &b""[..]));
    }
    place.write("all", "a\nb\n");
    assert_eq!(place.run("has once all").text(), "b\n");
    assert_eq!(place.run("has counted all").text(), "a\nb\n");
}

#[test]
fn keys_come_as_everywhere() {
    let place = Place::new();
    place.write("mail.csv", "id,email\n1,Ann@x\n2,bob@x\n3,eve@x\n");
    assert_eq!(place.run("build -q mail.csv -f email --nocase --deletable -p 1e-9 -o f").code, 0);
    place.write("ended.csv", "when,email\nnow,ANN@x\nnow,eve@x\n");
    let ran = place.run("remove f ended.csv");
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains("the keys are field \"email\" of CSV rows") && ran.err.contains("2 keys removed"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("has f -e ann@x -e bob@x -e eve@x").text(), "bob@x\n");
    // A row without the field ends it, and nothing is changed.
    let before = place.read("f");
    place.write("bad.csv", "when\nnow\n");
    assert_eq!(place.run("remove -q f bad.csv").code, 2);
    assert_eq!(place.read("f"), before);
    let ran = place.run_with("remove f --whole -o g", b"bob@x\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.read("f"), before);
    assert_eq!(place.run("has -q g -e bob@x").code, 1);
    let ran = place.run("remove f -e bob@x --json");
    let json = ran.json();
    assert_eq!((&json["keys"], &json["removed"], &json["not_in"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(json["filter"]["keys_inserted"], 0);
    // Integers.
    place.build("ints", b"7\n8\n", "--deletable --integer");
    assert_eq!(place.run("remove -q ints -e 007 -e 8 --bad fail").code, 2, "007 is no integer");
    assert_eq!(place.run("remove -q ints -e 7 -e 8").code, 0);
    let ran = place.run("remove ints -e x");
    assert!(ran.code == 2 && ran.err.starts_with("tepal: -e: "), "{}", ran.err);
}

#[test]
fn members_guard_what_was_never_put_in() {
    let place = Place::new();
    place.write("list", numbers(0..10_000));
    place.write("strangers", numbers(100_000..200_000));
    assert_eq!(place.run("build -q list --deletable -o f").code, 0);
    assert_eq!(place.run("build -q list --deletable -o g").code, 0);
    let ran = place.run("remove g strangers --members list");
    assert!(
        ran.err.starts_with("0 keys removed; 100,000 keys are not on the list of members, and stay; "),
        "{}",
        ran.err
    );
    assert_eq!(held(&place, "g", "list"), "10000");
    // Without it members are lost, as help says.
    assert_eq!(place.run("remove -q f strangers").code, 0);
    assert_ne!(held(&place, "f", "list"), "10000");
    place.write("some", "5\nx\n6\n");
    let ran = place.run("remove g some --members strangers list --json");
    let json = ran.json();
    assert_eq!((&json["removed"], &json["not_members"], &json["not_in"]), (&2.into(), &1.into(), &0.into()));
    let ran = place.run_with("remove g --members -", b"5\n");
    assert!(ran.code == 2 && ran.err.contains("standard input can be read once"), "{}", ran.err);
}

#[test]
fn what_cannot_forget_says_what_can() {
    let place = Place::new();
    place.write("list", numbers(0..100));
    place.build("bloom", &numbers(0..100), "");
    assert_eq!(place.run("build -q list --to redisbloom -n 10 --expansion 2 -o chain --over ignore").code, 0);
    assert_eq!(place.run_with("uniq --state state", b"1\n2\n").code, 0);
    for name in ["bloom", "chain", "state"] {
        let before = place.read(name);
        let ran = place.run(&format!("remove {name} list"));
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("so that none can be removed; build it again"), "{}", ran.err);
        assert!(ran.err.contains("tepal build LIST --deletable -o FILTER"), "{}", ran.err);
        assert_eq!(place.read(name), before);
    }
    assert!(place.run("remove list list").err.contains("not a tepal filter"));
    assert!(place.run("remove nowhere list").err.contains("expected a tepal filter"));
    for verb in ["delete", "del", "rm"] {
        assert_eq!(place.run(&format!("{verb} --help")).out, place.run("remove --help").out);
    }
}

#[test]
fn keyed_sealed_and_damaged() {
    let place = Place::new();
    place.write_key("secret", "0123456789abcdef0123456789abcdef");
    place.write_key("seal", "fedcba9876543210fedcba9876543210");
    place.build("f", b"a\nb\nc\n", "--deletable --secret secret --seal seal");
    assert!(place.run("remove f -e a").err.contains("--se"), "it says which key is missing");
    assert_eq!(place.run("remove -q f -e a --secret secret --seal seal").quiet(), (0, &b""[..]));
    place.write("all", "a\nb\nc\n");
    assert_eq!(place.run("has f all --secret secret --seal seal").text(), "b\nc\n");
    // Every bit is looked at before anything is removed.
    place.build("plain", &numbers(0..1000), "--deletable");
    let whole = place.read("plain");
    let mut damaged = whole.clone();
    let middle = damaged.len() - 300;
    damaged[middle] ^= 1;
    place.write("plain", &damaged);
    let ran = place.run("remove plain -e 5");
    assert!(ran.code == 2 && ran.err.contains("damaged"), "{}", ran.err);
    assert_eq!(place.read("plain"), damaged);
    assert_eq!(place.run("has -q plain -e 5").code, 2);
    // Quick does not look, and answers.
    assert!(place.run("has -q --quick plain -e 5").code < 2);
    place.write("plain", &whole);
    assert_eq!(place.run("has -c --quick plain -e 5").text(), "1\n");
}

#[cfg(unix)]
#[test]
fn of_two_at_once_neither_undoes_the_other() {
    let place = Place::new();
    place.write("list", numbers(0..8000));
    place.build("f", &numbers(0..8000), "--deletable");
    let children: Vec<_> = (0..8u32)
        .map(|n| {
            place.write(&format!("part{n}"), numbers(n * 1000..n * 1000 + 900));
            place.command(&format!("remove -q f part{n}")).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(held(&place, "f", "list"), "800");
    let lock = tepal::FileLock::try_acquire(place.path("f")).unwrap().unwrap();
    let ran = place.run("remove f -e 1 --no-wait");
    assert!(ran.code == 2 && ran.err.contains("another program is changing it"), "{}", ran.err);
    drop(lock);
}

#[test]
fn outputs_are_as_those_of_add() {
    let place = Place::new();
    place.write("list", "a\n");
    place.build("f", b"a\nb\n", "--deletable -n 10");
    assert!(place.run("remove f list -o list --force").err.contains("read here as a list of keys"));
    assert!(place.run("remove f list -o f").err.contains("exists; add --force"));
    let ran = place.run("remove -q f list -o -");
    assert_eq!(ran.code, 0);
    place.write("g", &ran.out);
    assert_eq!(place.run("has g -e a -e b").text(), "b\n");
    assert!(place.run("remove f list -o - --json").err.contains("both write to standard output"));
    // Nothing to remove, and another file: it is written all the same.
    assert_eq!(place.run("remove -q f -e x -o h").code, 0);
    assert_eq!(place.read("h"), place.read("f"));
    // Keys by themselves, for add too.
    assert_eq!(place.run("add -q h -e x -e a").quiet(), (0, &b""[..]));
    assert_eq!(place.run("has h -e x -e a").text(), "x\na\n");
}
