//! Bad input: one line that names the thing and the way out, exit code 2, nothing half written.

use std::fs;

use crate::place::Place;

/// A place with a filter `f`, a list `keys`, and a folder `folder`.
fn place() -> Place {
    let place = Place::new();
    place.write("keys", "a\nb\n");
    place.build("f", b"a\nb\n", "");
    fs::create_dir(place.path("folder")).unwrap();
    place
}

/// Runs, and looks that it ends with 2, that one line says so, and that no file came or went.
fn error(place: &Place, args: &str) -> String {
    let before = (place.names(), place.read("f"));
    let ran = place.run(args);
    assert_eq!(ran.code, 2, "{args}: {}", ran.err);
    assert_eq!(ran.out, b"", "{args}");
    assert_eq!(ran.err.lines().count(), 1, "{args}: {}", ran.err);
    assert!(ran.err.starts_with("tepal: ") && !ran.err.contains("panicked"), "{args}: {}", ran.err);
    assert_eq!((place.names(), place.read("f")), before, "{args}");
    ran.err.trim_start_matches("tepal: ").trim_end().to_owned()
}

#[test]
fn inputs_that_are_not_there_or_no_lists() {
    let place = place();
    for (args, expected) in [
        ("build -o g nothing", "nothing: no such file"),
        ("build -o g keys nothing", "nothing: no such file"),
        ("build -o g folder", "folder: a directory; expected a file of keys"),
        ("build -o g f", "f: a tepal filter; expected a list of keys"),
        ("add f nothing", "nothing: no such file; expected a file of keys. A key by itself is given with -e"),
        ("has f nothing", "nothing: no such file; expected a file of keys. A key by itself is given with -e"),
        (
            "add f keys nothing",
            "nothing: no such file; expected a file of keys. A key by itself is given with -e",
        ),
        ("has f folder", "folder: a directory; expected a file of keys"),
        ("test f --members nothing", "nothing: no such file"),
    ] {
        assert_eq!(error(&place, args), expected, "{args}");
    }
}

#[test]
fn files_that_are_no_filters() {
    let place = place();
    let good = place.read("f");
    place.write("cut", &good[..good.len() - 1]);
    place.write("flipped", {
        let mut bytes = good.clone();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        bytes
    });
    place.write("future", {
        let mut bytes = good.clone();
        bytes[8] = 2;
        bytes
    });
    place.write("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\0\0\0");
    place.write("empty", "");
    for verb in ["has NAME -e a", "info NAME", "add NAME keys", "verify NAME", "test NAME"] {
        for (name, found) in [
            ("nothing", "no such file; expected a tepal filter, made with: tepal build LIST -o FILTER"),
            ("folder", "a directory; expected a tepal filter"),
            ("keys", "not a tepal filter: it looks like text"),
            (
                "gzip",
                "not a tepal filter: it looks like gzip data; make one with: tepal build LIST -o FILTER",
            ),
            ("empty", "not a tepal filter: it is empty; make one with: tepal build LIST -o FILTER"),
            ("cut", "damaged: "),
            ("flipped", "damaged: "),
            ("future", "version 2 is not known to this build"),
        ] {
            let args = verb.replace("NAME", name);
            let said = error(&place, &args);
            assert!(said.starts_with(&format!("{name}: ")), "{args}: {said}");
            assert!(said.contains(found), "{args}: {said}");
        }
    }
}

#[test]
fn outputs_that_cannot_be() {
    let place = place();
    for (args, expected) in [
        ("build -o f keys", "f: exists; add --force to replace it"),
        ("build -o folder keys", "folder: a directory; expected the name of a file"),
        ("build -o folder --force keys", "folder: a directory; expected the name of a file"),
        ("build -o no/such/g keys", "no/such: no such folder; make it first, or name a file elsewhere"),
        ("add f -o f keys", "f: exists; add --force to replace it"),
        ("build -o - --json keys", "--json and -o - both write to standard output; name a file with -o"),
    ] {
        assert_eq!(error(&place, args), expected, "{args}");
    }
}

#[test]
fn numbers_that_no_filter_can_have() {
    let place = place();
    let rate = "not a rate a filter can have; expected a share above 0 and below 1, such as 1%, 0.01, 1e-6 or \
                \"1 in 100\"";
    for verb in ["build -o g keys", "plan -n 10"] {
        for bad in ["0", "1", "2", "100%", "0.0"] {
            let said = error(&place, &format!("{verb} -p {bad}"));
            assert_eq!(
                said,
                format!(
                    "invalid value '{bad}' for '--fpr <RATE>': {rate}; see tepal {} --help",
                    verb.split(' ').next().unwrap()
                )
            );
        }
        let said = error(&place, &format!("{verb} -p NaN"));
        assert!(said.contains("not a rate; expected a share above 0 and below 1"), "{said}");
    }
    for (args, part) in [
        ("build -o g keys -n 0", "0 keys; expected 1 or more"),
        ("build -o g keys -n 1152921504606846976", "a 64-bit hash alone errs"),
        ("plan -n 1152921504606846976 -p 50%", "a 64-bit hash alone errs"),
        ("build -o g keys -n 18446744073709551616", "not a whole number, or one past 2^64"),
        ("build -o g keys -n 1.5", "not a whole number"),
        ("build -o g keys -n -1", "unexpected argument '-1'"),
        ("build -o g keys -s 0", "a size of 0 bytes; expected 1 or more"),
        ("build -o g keys -s 10", "-s: 10 bytes; the filter is made of lines of 64 bytes, give 64 or more"),
        ("build -o g keys -s 16777215TiB", "bytes"),
        ("build -o g keys -p 1e-13", "out of reach"),
        ("build -o g keys -p 0,1%", "0,1% has a decimal comma; write 0.1%; see tepal build --help"),
        ("build -o g keys -n 1,500M", "1,500M may be read in two ways; write 1500M or 1.500M"),
        ("build -o g keys -s 0,5GiB", "0,5GiB has a decimal comma; write 0.5GiB"),
        ("build -o g keys -k 1,500", "the number of hashes is 1500; it must be"),
        ("build -o g keys -k 1,5", "expected a number from 0 to 4294967295, such as 4"),
        ("build -o g keys -n 20.000", "20.000 may be read in two ways; write 20000 or 20"),
        ("build -o g keys -k 0", "the number of hashes is 0; it must be"),
        ("build -o g keys -k 99", "the number of hashes is 99; it must be"),
        ("build -o g keys -n 10 -p 1% -s 1KiB", "-n, -p and -s are given; leave one out"),
        ("build -o g keys --layout round", "possible values: line, double, split-block, scattered"),
        ("build -o g keys --seed x", "expected a whole number from -2^63 to 2^64 - 1"),
        ("build -o g keys --over never", "possible values: refuse, warn, ignore"),
        ("plan", "give two of -n KEYS, -p RATE and -s SIZE"),
        ("plan -p 1%", "give two of -n KEYS, -p RATE and -s SIZE"),
        ("plan -n 1 -p 1% -s 1MiB", "leave one out"),
        ("plan -n 10 --universe 5", "fewer than the 10 keys of -n"),
        ("demo -n 500M", "expected 400,000,000 at most"),
        ("demo -n 0", "0 keys"),
    ] {
        let said = error(&place, args);
        assert!(said.contains(part), "{args}: {said}");
    }
}

#[test]
fn a_wrong_command_line() {
    let place = place();
    for (args, expected) in [
        ("hase f", "no verb \"hase\"; did you mean has? See tepal --help"),
        ("has", "the following required arguments were not provided: <FILTER>; see tepal has --help"),
        (
            "build keys",
            "the following required arguments were not provided: --output <FILTER>; see tepal build --help",
        ),
        (
            "has f --csv",
            "--csv is about rows, and no field of them is named; say with -f which one is the key, such as -f 2 or -f email",
        ),
    ] {
        assert_eq!(error(&place, args), expected, "{args}");
    }
    for (args, part) in [
        ("has f -f 0 keys", "fields are numbered from 1"),
        ("has f -f 1 -d ab keys", "expected one character of one byte"),
        ("has f -f 1 --csv --tsv keys", "cannot be used with"),
        ("has f --json -q keys", "cannot be used with"),
        ("build -o g --small --layout line keys", "cannot be used with"),
        ("has f -j 0 keys", "expected a number from 1"),
    ] {
        let said = error(&place, args);
        assert!(said.contains(part), "{args}: {said}");
    }
}

#[test]
fn a_later_input_that_fails_leaves_what_was_printed() {
    let place = place();
    place.write("packed", b"\x1f\x8b\x08broken");
    let ran = place.run("has f keys packed");
    assert_eq!((ran.code, ran.out.as_slice()), (2, &b"keys:a\nkeys:b\n"[..]));
    assert!(ran.err.starts_with("tepal: packed: broken gzip data ("), "{}", ran.err);
}

/// An error is an error, whatever was selected before it and however.
#[test]
fn what_was_selected_before_does_not_hide_a_failure() {
    let place = place();
    place.write("packed", b"\x1f\x8b\x08broken");
    place.write("mixed", "a\nnew\n");
    for flags in ["", "-v", "-n", "-v -n", "-c", "-c -v", "--json", "-m 1", "-m 1 -v"] {
        let whole = place.run(&format!("has {flags} f mixed"));
        assert_eq!((whole.code, whole.err.as_str()), (0, ""), "{flags}");
        let ran = place.run(&format!("has {flags} f mixed packed -I"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.starts_with("tepal: packed: broken gzip data ("), "{flags}: {}", ran.err);
        // A count that is not whole is none.
        let expected = if flags.starts_with("-c") { &b""[..] } else { &whole.out };
        assert_eq!(ran.out, expected, "{flags}");
    }
    // A key that this filter cannot have, a row without the field.
    place.build("i", b"7\n", "--integer");
    place.write("numbers", "7\n8\nx\n");
    place.write("rows", "a\tb\nc\td\ne\n");
    for (args, out) in [
        ("has i numbers --bad fail", "7\n"),
        ("has -v i numbers --bad fail", "8\n"),
        ("has -v -f 2 f rows --bad fail", "c\td\n"),
        ("has -v f mixed nothing", "mixed:new\n"),
        ("has -v f -e new mixed nothing", "new\nmixed:new\n"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.text()), (2, out), "{args}");
        assert_eq!(ran.err.lines().count(), 1, "{args}: {}", ran.err);
    }
}

#[test]
fn info_shows_what_it_can() {
    let place = place();
    let ran = place.run("info keys f");
    assert_eq!(ran.code, 2);
    assert!(ran.text().starts_with("f           Bloom filter"), "{}", ran.text());
    assert!(ran.err.starts_with("tepal: keys: not a tepal filter"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let place = place();
    assert_eq!(error(&place, "build -o /dev/full keys"), "/dev/full: no space left on the device");
    for args in ["has f keys", "has -c f keys", "info f", "plan -n 1k", "build -o - keys", "test f"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.ends_with("tepal: standard output: no space left on the device\n"), "{args}: {said}");
    }
}

/// A file may have only so many bytes: the hashes of more keys than memory is for find no room.
#[cfg(unix)]
#[test]
fn no_room_for_the_hashes_of_a_list() {
    let place = place();
    let list: String = (0..6_500_000).map(|n| format!("{n}\n")).collect();
    place.write("list", list);
    let before = place.names();
    for (threads, kind) in
        [("1", "--force"), ("2", "--force"), ("3", "--force"), ("1", "--static"), ("3", "--static")]
    {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -f 64; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tepal")]);
        let args = ["build", "-q", kind, "-j", threads, "--memory", "1MiB", "-o", "new", "list"];
        command.args(args).current_dir(place.path("."));
        let ran = crate::place::finish(command);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.starts_with("tepal: .: writing after "), "{}", ran.err);
        assert!(ran.err.ends_with(" to another file system\n"), "{}", ran.err);
        assert!(
            ran.err.contains(" bytes of temporary data failed: a file may not be as large"),
            "{}",
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert_eq!(place.names(), before);
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_stay_on_one_line() {
    let place = place();
    let mut command = place.command("has");
    command.arg("bad\nname\x1b[2J");
    let ran = crate::place::finish(command);
    assert_eq!(
        ran.err,
        "tepal: bad\\nname\\u{1b}[2J: no such file; expected a tepal filter, made with: tepal build LIST -o FILTER\n"
    );
}

#[test]
fn a_format_is_named_by_the_flag_of_the_verb() {
    let place = place();
    for format in ["guava", "spark"] {
        assert_eq!(place.run(&format!("build -q keys --to {format} -o {format}")).code, 0);
    }
    let unmarked = "guava: not a tepal filter: it has no mark; by its lengths it could be guava; ";
    for (args, expected) in [
        ("has guava keys", format!("{unmarked}name its format (--from FORMAT)")),
        ("build -o g keys --like guava", format!("{unmarked}name its format (--to FORMAT)")),
        ("uniq --state guava keys", format!("{unmarked}name another file, which `uniq` makes")),
        (
            "uniq --state keys keys",
            "keys: not a tepal filter: it looks like text (\"a\\nb\\n\"); name another file, which `uniq` makes".to_owned(),
        ),
        ("has spark keys --from dcso", "spark: its mark says spark, not dcso; leave --from out".to_owned()),
        (
            "build -o g keys --like spark --to dcso",
            "spark: its mark says spark, not dcso; leave --to out".to_owned(),
        ),
        (
            "uniq --state spark keys",
            "spark: a filter of spark, and no state; name another file, which `uniq` makes".to_owned(),
        ),
    ] {
        assert_eq!(error(&place, args), expected, "{args}");
    }
}

#[test]
fn patches_are_between_filters_of_one_kind_and_shape() {
    let place = place();
    place.build("static", b"a\nb\n", "--static");
    place.write("rows", (0..2000).map(|i| format!("{i},{}\n", i % 7)).collect::<String>());
    place.write("more", (0..2100).map(|i| format!("{i},{}\n", i % 7)).collect::<String>());
    for name in ["rows", "more"] {
        assert_eq!(place.run(&format!("build -q {name} -f 1 --map 2 -o {name}.map")).code, 0);
    }
    for (args, expected) in [
        (
            "diff f static -o p",
            "static: it is a static filter, and f is a Bloom filter; a patch is between two filters of one kind: send \
             the new one whole",
        ),
        (
            "diff rows.map more.map -o p",
            "more.map: its length is 2816, and that of rows.map is 2688: a map follows from all its keys and values, and \
             differs everywhere where one is another; send it whole",
        ),
    ] {
        assert_eq!(error(&place, args), expected, "{args}");
    }
}

#[test]
fn flags_that_lack_another_and_flags_that_people_guess() {
    let place = place();
    for (args, expected) in [
        ("plan -s 1M -p 0.01 --universe 100", "--universe needs -n, the number of keys in the set"),
        (
            "build keys -o g --default x",
            "--default is no flag of build: a map has what its rows have; a key that is in no row has no value, and tepal \
             get says none; see tepal build --help",
        ),
        (
            "build keys -o g --key-field 2",
            "--key-field is no flag of build: the field that is the key is named by -f, by its number or its name: -f 1, \
             -f email; see tepal build --help",
        ),
    ] {
        assert_eq!(error(&place, args), expected, "{args}");
    }
    let planned = place.run("plan -n 1000 --scheme guava-mitz64");
    assert!(planned.text().contains("sized as its own program does"), "{}", planned.text());
    let parquet = place.run_with("build -o g --to parquet-sbbf -s 3200", &crate::place::numbers(0..2000));
    assert!(parquet.err.contains("its size is no power of two, so that pyarrow"), "{}", parquet.err);
}
