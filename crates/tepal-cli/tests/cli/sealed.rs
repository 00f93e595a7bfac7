//! Sealed filters: every verb wants the key of the seal, and finds what was changed without it.

use crate::place::Place;

/// A place with the sealed filter `f` of the list `keys`, its key `key` and another one.
fn place() -> Place {
    let place = Place::new();
    place.write_key("key", "a key of some length\n");
    place.write_key("other", "another one of some length");
    place.write("keys", "a\nb\n");
    let ran = place.run("build -q -p 1e-9 -n 10 -o f keys --seal key");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    place
}

#[test]
fn every_verb_opens_it_with_its_key_alone() {
    let place = place();
    for args in ["has f -e a", "info f", "test f --members keys", "verify f"] {
        let ran = place.run(&format!("{args} --seal key"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
        let needs_none = args.starts_with("info") || args.starts_with("verify");
        assert_eq!(place.run(args).code, if needs_none { 0 } else { 2 }, "{args}");
        let without = (
            "",
            "f: the file is sealed, and the key of its seal is not in the file; open it with that key (--seal FILE)",
        );
        for (flags, part) in [
            if needs_none { ("--seal other", "f: the seal does not fit the key") } else { without },
            ("--seal other", "f: the seal does not fit the key: the file was changed without the key"),
            ("--seal nothing", "nothing: no such file"),
            ("--seal keys", "keys: 4 bytes; expected 16 bytes or more"),
        ] {
            let ran = place.run(&format!("{args} {flags}"));
            assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args} {flags}: {}", ran.err);
            assert!(ran.err.contains(part), "{args} {flags}: {}", ran.err);
        }
    }
    assert!(
        place.run("info f --seal key").text().contains("seal        under the key of --seal, and unbroken\n")
    );
    assert!(place.run("verify f --seal key").text().ends_with(" bytes, the seal is right\n"));
    let len = place.read("f").len();
    for json in [place.run("info --json f --seal key").json(), place.run("verify --json f --seal key").json()]
    {
        assert_eq!((&json[0]["sealed"], &json[0]["file_len"]), (&true.into(), &len.into()), "{json}");
    }
}

#[test]
fn a_filter_without_a_seal_is_not_taken_for_one() {
    let place = place();
    place.write("f", place.run("build -q -o - keys").out);
    for args in [
        "has f -e a",
        "info f",
        "test f",
        "verify f",
        "add f keys",
        "merge f f -o g",
        "convert f --to tepal -o g",
    ] {
        let ran = place.run(&format!("{args} --seal key"));
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
        assert!(
            ran.err.contains("f: a seal key was given, but the file has no seal and may be anyone's"),
            "{args}: {}",
            ran.err
        );
    }
    assert_eq!(place.run("build -q --scheme dcso --to dcso -o d keys").code, 0);
    assert!(
        place.run("has d -e a --seal key").err.contains("d: a seal key was given, but the file has no seal")
    );
    let ran = place.run("build -q --to dcso -o e keys --seal key");
    assert!(ran.code == 2 && ran.err.contains("--seal is kept in tepal files only"), "{}", ran.err);
}

#[test]
fn what_changes_it_seals_it_again() {
    let place = place();
    place.write("more", "c\n");
    assert_eq!(place.run("add -q f more").code, 2);
    assert_eq!(place.run("add -q f more --seal other").code, 2);
    let json = place.run("add -q --json f more --seal key").json();
    assert_eq!(json["filter"]["sealed"], true);
    assert_eq!(json["filter"]["file_len"], place.read("f").len());
    assert_eq!(place.run("has f -e c --seal key").text(), "c\n");
    assert_eq!(place.run("has f -e c").code, 2);
    assert_eq!(place.run("add -q f more -o g --seal key").code, 0);
    assert_eq!(place.run("merge -q f g -o h --seal key").code, 0);
    assert_eq!(place.run("verify f g h --seal key").text().lines().count(), 3);
    place.write("piped", place.run("merge -q f g -o - --seal key").out);
    assert_eq!(place.run("verify piped --seal key").code, 0);
    // Another program's file has no place for it; the filter's own was checked.
    assert_eq!(place.run("build -q --scheme dcso -o own keys --seal key").code, 0);
    assert_eq!(place.run("convert -q own --to dcso -o dcso").code, 2);
    assert_eq!(place.run("convert -q own --to dcso -o dcso --seal key").code, 0);
    assert_eq!(place.run("has dcso -e b").text(), "b\n");
}

#[test]
fn secret_and_seal_are_two_things() {
    let place = place();
    place.write_key("secret", "0123456789abcdef");
    assert_eq!(place.run("build -q -o both keys --secret secret --seal key").code, 0);
    for (flags, code) in
        [("", 2), ("--secret secret", 2), ("--seal key", 2), ("--secret secret --seal key", 0)]
    {
        assert_eq!(place.run(&format!("has both -e a {flags}")).code, code, "{flags}");
    }
    // Several filters: all of them sealed, and all keyed.
    assert_eq!(place.run("has f --in both -e a --secret secret --seal key").code, 2);
    assert_eq!(place.run("has both --in both -e a --secret secret --seal key").code, 0);
    assert_eq!(place.run("build -q -o open keys").code, 0);
    assert_eq!(place.run("has f --in open -e a --seal key").code, 2);
}

/// A place with the keyed filters `f` and `g` of one list and `strange` under another secret, all
/// sealed too, and what could be put in the place of one: `open` (not keyed, not sealed) and `dcso`
/// (another program's), which hold every key.
fn swapped() -> Place {
    let place = place();
    place.write_key("secret", "0123456789abcdef");
    place.write_key("secret2", "another 16 bytes");
    for (name, flags) in [
        ("f", "--force --secret secret --seal key"),
        ("g", "--secret secret --seal key"),
        ("strange", "--secret secret2 --seal other"),
        ("open", ""),
        ("dcso", "--scheme dcso --to dcso"),
    ] {
        let ran = place.run(&format!("build -q -n 10 -o {name} {flags} keys"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
    }
    place
}

/// Every verb that opens filters, with `F` for the one that was put in another's place.
const VERBS: [&str; 12] = [
    "has F -e a",
    "has F --in f -e a",
    "has f --in F -e a",
    "has f --in g --in F -e zzz",
    "info F",
    "verify F",
    "test F",
    "add -q F keys",
    "merge -q F f -o new",
    "merge -q f F -o new",
    "merge -q f g F -o new",
    "convert -q F --to tepal -o new",
];

#[test]
fn a_secret_that_is_given_fits_every_filter() {
    let place = swapped();
    // Unsealed ones, to see what the secret alone does.
    for (name, secret) in [("f", "secret"), ("g", "secret"), ("strange", "secret2")] {
        assert_eq!(place.run(&format!("build -q --force -n 10 -o {name} --secret {secret} keys")).code, 0);
    }
    for verb in VERBS {
        for (name, found) in [
            ("open", "a secret key was given, but the filter was made without one"),
            ("dcso", "a secret key was given, but the filter was made without one"),
            ("strange", "the secret key is not the one that the filter was made with"),
        ] {
            let args = verb.replace('F', name);
            let ran = place.run(&format!("{args} --secret secret"));
            assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
            assert!(ran.err.starts_with(&format!("tepal: {name}: {found}")), "{args}: {}", ran.err);
            assert_eq!(ran.err.lines().count(), 1, "{args}: {}", ran.err);
            let several = args.contains(" f");
            assert_eq!(ran.err.contains("ask this one apart, with"), several, "{args}: {}", ran.err);
            assert!(!place.names().contains(&"new".to_owned()), "{args}");
        }
        let args = verb.replace('F', "g").replace("zzz", "a");
        let ran = place.run(&format!("{args} --secret secret"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
        let _ = std::fs::remove_file(place.path("new"));
    }
}

#[test]
fn a_seal_key_that_is_given_fits_every_filter() {
    let place = swapped();
    for verb in VERBS {
        for name in ["open", "dcso", "strange"] {
            // Each keyed filter has the seal of its own, so that the seal alone is compared.
            for flags in ["--secret secret --seal key", "--seal key"] {
                let args = verb.replace('F', name);
                let ran = place.run(&format!("{args} {flags}"));
                assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args} {flags}: {}", ran.err);
                assert!(!place.names().contains(&"new".to_owned()), "{args}");
            }
        }
    }
    // Without a secret, so that what is said is of the seal.
    for (name, flags) in [("f", "--force --seal key"), ("strange", "--force --seal other")] {
        assert_eq!(place.run(&format!("build -q -n 10 -o {name} {flags} keys")).code, 0);
    }
    for verb in ["has f --in F -e a", "merge -q f F -o new"] {
        for (name, found) in [
            ("open", "a seal key was given, but the file has no seal and may be anyone's"),
            ("dcso", "a seal key was given, but the file has no seal and may be anyone's"),
            ("strange", "the seal does not fit the key"),
        ] {
            let ran = place.run(&format!("{} --seal key", verb.replace('F', name)));
            assert!(ran.err.starts_with(&format!("tepal: {name}: {found}")), "{}", ran.err);
            assert!(
                ran.err.contains(". --seal is for each filter that is named: ask this one apart"),
                "{}",
                ran.err
            );
        }
    }
}

#[test]
fn every_filter_that_does_not_fit_is_told_and_the_others_too() {
    let place = swapped();
    let flags = "--secret secret --seal key";
    let ran = place.run(&format!("verify f open dcso g {flags}"));
    assert_eq!((ran.code, ran.text().lines().count(), ran.err.lines().count()), (2, 2, 2), "{}", ran.err);
    let json = place.run(&format!("verify --json f open {flags}")).json();
    assert_eq!((&json[0]["right"], &json[1]["right"]), (&true.into(), &false.into()), "{json}");
    let ran = place.run(&format!("info f open {flags}"));
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("open: a secret key was given, but the filter was made without one"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_open_is_told_of_once_and_used() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    place.write_key("secret", "0123456789abcdef");
    assert_eq!(place.run("build -q -n 10 -o s keys --secret secret --seal key").code, 0);
    let mode = |name: &str, mode| {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    let flags = "--secret secret --seal key";
    let warning = |name: &str, mode: &str| {
        format!(
            "tepal: {name}: ! a key that others can open (mode {mode}, expected 600); make it its owner's alone with: \
             chmod 600 {name}\n"
        )
    };
    for (bits, text) in [(0o644, "644"), (0o640, "640"), (0o604, "604"), (0o620, "620")] {
        mode("key", bits);
        for args in ["has s -e a", "info s s", "verify s s", "test s --members keys"] {
            let ran = place.run(&format!("{args} {flags}"));
            assert_eq!((ran.code, ran.err), (0, warning("key", text)), "{args}");
        }
    }
    mode("secret", 0o644);
    let both = warning("secret", "644") + &warning("key", "620");
    for args in ["build -n 10 -o new keys", "add s keys", "merge s s -o new", "convert s --to tepal -o new"] {
        let ran = place.run(&format!("{args} {flags}"));
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
        assert!(ran.err.starts_with(&both) && ran.err.matches("! a key").count() == 2, "{args}: {}", ran.err);
        fs::remove_file(place.path("new")).unwrap_or_default();
        // Quiet is quiet.
        let ran = place.run(&format!("{args} -q {flags}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
        fs::remove_file(place.path("new")).unwrap_or_default();
    }
    // One file for both is told of once.
    assert_eq!(place.run("build -q -n 10 -o t keys --secret secret --seal secret").code, 0);
    assert_eq!(place.run("verify t --secret secret --seal secret").err, warning("secret", "644"));
    for bits in [0o600, 0o400] {
        mode("key", bits);
        mode("secret", bits);
        assert_eq!(place.run(&format!("verify s {flags}")).err, "");
    }
    // A pipe has no mode that says anything, and an endless one is no key.
    let ran = place.run_with("verify f --seal /dev/stdin", b"a key of some length\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = place.run("verify f --seal /dev/zero");
    assert!(ran.code == 2 && ran.err.contains("/dev/zero: more than 4096 bytes; expected"), "{}", ran.err);
}

/// Of two files under one seal, one cannot stand for the other where its name is asked for; nor can
/// one without a name, nor another program's.
#[test]
fn a_sealed_file_cannot_stand_for_another() {
    let place = place();
    for name in ["blocked", "allowed"] {
        let ran = place.run(&format!("build -q -n 10 -o {name} keys --seal key --name {name}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    }
    place.write("guava", place.run("build -q --to guava -o - keys").out);
    let verbs = |file: &str| {
        [
            format!("has {file} -e a"),
            format!("info {file}"),
            format!("test {file} --members keys"),
            format!("verify {file}"),
            format!("add {file} keys"),
            format!("merge {file} {file} -o out"),
            format!("convert {file} --to tepal -o out"),
        ]
    };
    for args in verbs("allowed") {
        let ran = place.run(&format!("{args} --seal key --expect-name blocked"));
        assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
        let part =
            "allowed: the filter's name is \"allowed\", and \"blocked\" was expected; it is another filter";
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
    for args in verbs("blocked").iter().take(5) {
        let ran = place.run(&format!("{args} --seal key --expect-name blocked"));
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
    }
    for (file, flags) in [("f", "--seal key"), ("guava", "--from guava")] {
        let ran = place.run(&format!("info {file} {flags} --expect-name blocked"));
        assert_eq!(ran.code, 2, "{file}");
        assert!(
            ran.err.contains("the filter has no name, and \"blocked\" was expected"),
            "{file}: {}",
            ran.err
        );
    }
}
