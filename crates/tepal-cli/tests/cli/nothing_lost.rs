//! Consent is asked for each loss by itself, and what is no list of keys is named.

use crate::place::{Place, numbers};

/// What is read here is never replaced, whatever --force says: not the list, the universe, the
/// members, a key, a patch.
#[test]
fn an_output_over_what_is_read_is_refused() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    place.write("all", "a\nb\nc\n");
    place.write_key("key", "0123456789abcdef");
    assert_eq!(place.run("build -q list -o f").code, 0);
    assert_eq!(place.run("build -q all --like f -o g").code, 0);
    assert_eq!(place.run("diff -q f g -o p").code, 0);
    std::os::unix::fs::symlink("all", place.path("link")).unwrap();
    let before: Vec<_> = place.names().iter().map(|name| place.read(name)).collect();
    for (args, what) in [
        ("build list -o list", "list: read here as a list of keys"),
        ("build list --exact-on all -o all", "all: read here as a list of keys"),
        ("build list --exact-on all -o link", "link: read here as a list of keys"),
        ("build - --exact-on link -o ./all", "./all: read here as a list of keys"),
        ("build list --secret key -o key", "key: read here as a key"),
        ("build list --seal key -o key", "key: read here as a key"),
        ("add f all -o all", "all: read here as a list of keys"),
        ("except f all --non-members -o all", "all: read here as a list of keys"),
        ("except f all --members list -o list", "list: read here as a list of keys"),
        ("diff f g -o f", "f: read here as a filter"),
        ("diff f g -o g", "g: read here as a filter"),
        ("patch f p -o p", "p: read here as the patch"),
    ] {
        for force in ["", " --force"] {
            let ran = place.run(&format!("{args}{force}"));
            let expected =
                format!("tepal: {what}, which the output would replace; name another file with -o\n");
            assert_eq!((ran.code, ran.err), (2, expected), "{args}{force}");
        }
    }
    let after: Vec<_> = place.names().iter().map(|name| place.read(name)).collect();
    assert!(before == after);
    // A device may be both.
    assert_eq!(place.run("build -q /dev/null -o /dev/null --allow-empty").code, 0);
}

#[test]
fn a_list_without_keys_replaces_nothing() {
    let place = Place::new();
    place.write("keys", numbers(0..1000));
    place.write("none", "");
    assert_eq!(place.run("build -q keys -o f").code, 0);
    let before = place.read("f");
    for list in ["none", "-", "none none"] {
        let ran = place.run(&format!("build --force {list} -o f"));
        let expected = "tepal: f: no keys came, so it stays as it is; where the list is meant to be empty, add --allow-empty\n";
        assert_eq!((ran.code, ran.err.as_str()), (2, expected), "{list}");
        assert!(place.read("f") == before);
    }
    // A new file was never good, and who says so means it.
    assert_eq!(place.run("build -q none -o new").code, 0);
    assert_eq!(place.run("build -q none --force --allow-empty -o f").code, 0);
    assert_eq!(place.run("has -c f keys").text(), "0\n");
    // Nothing is lost by adding nothing.
    assert_eq!(place.run("add -q f none").code, 0);
}

#[test]
fn to_replace_a_file_is_not_to_pass_the_promise() {
    let place = Place::new();
    place.write("keys", numbers(0..5000));
    place.write("more", numbers(5000..9000));
    assert_eq!(place.run("build -q -n 1000 --over ignore keys -o over").code, 0);
    for (build, change) in [
        ("build -q -n 4000 more -o f", "add f keys"),
        ("build -q -n 4000 more -o f", "add f keys -o g"),
        ("build -q -n 4000 more -o f", "merge f h -o g"),
    ] {
        let shape = place.run("build -q --force -n 4000 --over ignore keys -o h");
        assert_eq!((shape.code, place.run(&format!("{build} --force")).code), (0, 0));
        let _ = std::fs::remove_file(place.path("g"));
        let before = place.read("f");
        let ran = place.run(&format!("{change} --force"));
        assert!(
            ran.code == 2 && ran.err.contains("add --past-promise to go past its promised rate"),
            "{change}: {}",
            ran.err
        );
        assert!(place.read("f") == before && !place.path("g").exists(), "{change}");
        let quiet = place.run(&format!("{change} -q --past-promise"));
        assert_eq!(quiet.code, 0, "{change}: {}", quiet.err);
        assert!(
            quiet.err.ends_with(": now past its promise; build it again with more room (-n)\n"),
            "{change}: {}",
            quiet.err
        );
        assert_eq!(quiet.err.lines().count(), 1, "{change}: {}", quiet.err);
    }
}

#[test]
fn a_filter_that_says_yes_to_everything_is_refused() {
    let place = Place::new();
    place.write("keys", numbers(0..5000));
    for flags in ["-s 64", "-s 64 --layout double", "-s 640", "--to guava -s 8"] {
        let ran = place.run(&format!("build keys -o f {flags}"));
        assert!(ran.code == 2 && ran.err.contains("would answer yes for "), "{flags}: {}", ran.err);
        assert!(
            ran.err.contains("(-s, -n), fewer keys, or say with -p that such a rate is meant"),
            "{}",
            ran.err
        );
        assert!(!place.path("f").exists(), "{flags}");
    }
    // Half of all is the most that is taken without a word.
    assert_eq!(place.run("build -q keys -o f -s 4096").code, 0);
    assert_eq!(place.run("build -q keys -o f --force -p 90%").code, 0);
    assert_eq!(place.run("build -q keys -o f --force -s 64 --over ignore").code, 0);
}

#[test]
fn keys_may_begin_with_a_hyphen() {
    let place = Place::new();
    place.build("f", b"-x@spam.com\n--help\n-q\n", "");
    for key in ["-e -x@spam.com", "-e --help", "--key -q", "--key=-q", "-e-q"] {
        let ran = place.run(&format!("has f {key}"));
        assert_eq!(ran.code, 0, "{key}: {}", ran.err);
    }
    assert_eq!(place.run("has f -e -y@spam.com -e -z").quiet(), (1, &b""[..]));
    // As in grep, what follows -e is the key.
    place.build("g", b"=5\n==\n5\n", "");
    for (args, found) in [
        ("has g -e=5", "=5\n"),
        ("has g -ve=5 -e=6 -e 7", "=6\n7\n"),
        ("has g -e=", ""),
        ("has g -e==", "==\n"),
        ("has g -e5 -e 5 --key=5 --key 5", "5\n5\n5\n5\n"),
        ("which g -e=5", "=5\tg\n"),
    ] {
        assert_eq!(place.run(args).quiet().1, found.as_bytes(), "{args}");
    }
    assert_eq!(place.run("add -q g -e=7").code, 0);
    assert_eq!(place.run("has g -e=7 -e 7").text(), "=7\n");
    // A flag behind the key is a flag.
    assert_eq!(place.run("has f -e -q -c").text(), "1\n");
}

#[test]
fn a_field_that_is_a_file_is_asked_about() {
    let place = Place::new();
    place.write("list.txt", "a\nb\n");
    place.build("f", b"a\n", "");
    for args in [
        "build -f list.txt -o g",
        "has f -f list.txt",
        "add f -f list.txt",
        "test f -f list.txt --members list.txt",
    ] {
        let ran = place.run(args);
        let part = "-f list.txt: a file of this name is here, and -f names the field that is the key";
        assert!(ran.code == 2 && ran.err.contains(part), "{args}: {}", ran.err);
    }
    place.write("rows.csv", "name,list.txt\nx,a\n");
    assert_eq!(place.run("has -c f rows.csv -f 2").text(), "1\n");
}

#[test]
fn what_is_no_list_is_named() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("a.zip", b"PK\x03\x04\x14\0\0\0\x08\0 the rest");
    place.write("t.parquet", b"PAR1\x15\x04\x15 the rest PAR1");
    for verb in ["build -o g", "has f", "add f", "test f --members"] {
        let ran = place.run(&format!("{verb} a.zip"));
        assert!(
            ran.code == 2 && ran.err.contains("a.zip: a zip archive; unpack it first: unzip -p"),
            "{}",
            ran.err
        );
        let ran = place.run(&format!("{verb} t.parquet"));
        let part = match cfg!(feature = "parquet") {
            true => "t.parquet: a damaged Parquet file (its footer is longer than the file)",
            false => {
                "t.parquet: a Parquet file (PAR1), and this program was built without reading them; build it"
            }
        };
        assert!(ran.code == 2 && ran.err.contains(part), "{}", ran.err);
    }
    let ran = place.run("has f --from guava -e a");
    assert!(
        ran.code == 2 && ran.err.contains("f: its mark says tepal, not guava; leave --from out"),
        "{}",
        ran.err
    );
    // Beside a filter that has no mark it is that one's.
    assert_eq!(place.run_with("build -q --to guava -o g", b"b\n").code, 0);
    assert_eq!(place.run("has -c f --in g --from guava -e a -e b").text(), "2\n");
}

#[test]
fn a_missed_key_is_shown_and_new_keys_are_counted() {
    let place = Place::new();
    place.write("in", numbers(0..1000));
    assert_eq!(place.run("build -q -p 1e-6 in -n 9000 -o f").code, 0);
    place.write("other", [numbers(0..3), b"lost \x1b[31m\n".to_vec(), numbers(5..9)].concat());
    let ran = place.run("test f --members in other");
    assert!(ran.code == 1 && ran.text().contains("1 missed   BROKEN\n"), "{}", ran.text());
    assert!(ran.text().contains("the first missed: other: line 4: \"lost "), "{}", ran.text());
    assert!(!ran.text().contains('\x1b'));
    let json = place.run("test --json f --members in other").json();
    assert_eq!((&json["first_missed"]["input"], &json["first_missed"]["line"]), (&"other".into(), &4.into()));
    assert!(place.run("test --json f --members in").json()["first_missed"].is_null());
    place.write("more", numbers(500..1500));
    let ran = place.run("add --json f more");
    assert!(ran.err.contains("1,000 keys added; about "), "{}", ran.err);
    let new = ran.json()["new_keys_estimated"].as_u64().unwrap();
    assert!((480..520).contains(&new), "{new}");
    let again = place.run("add f more");
    assert!(again.err.contains("1,000 keys added; about 0 new; "), "{}", again.err);
}
