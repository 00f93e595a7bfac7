//! Verbs that people guess.

use crate::place::Place;

#[test]
fn guessed_verbs_do_what_is_meant() {
    let place = Place::new();
    place.write("list", "a\nb\n");
    assert_eq!(place.run("create -q list -o f").code, 0);
    assert_eq!(place.run("build -q list -o same").code, 0);
    assert_eq!(place.read("f"), place.read("same"));
    assert_eq!(place.run("insert -q f list").code, 0);
    for verb in ["check", "query", "contains"] {
        assert_eq!(place.run(&format!("{verb} f list")).quiet(), (0, &b"a\nb\n"[..]));
    }
    for verb in ["dedup", "dedupe", "unique"] {
        assert_eq!(place.run(&format!("{verb} list list")).quiet(), (0, &b"a\nb\n"[..]));
    }
    assert_eq!(place.run("union -q f same -o both --past-promise").code, 0);
}

#[test]
fn help_and_manual_say_the_real_name() {
    let place = Place::new();
    for (guess, verb) in [
        ("create", "build"),
        ("insert", "add"),
        ("query", "has"),
        ("union", "merge"),
        ("delete", "remove"),
        ("rm", "remove"),
    ] {
        assert_eq!(place.run(&format!("{guess} --help")).out, place.run(&format!("{verb} --help")).out);
        assert_eq!(place.run(&format!("help {guess}")).out, place.run(&format!("help {verb}")).out);
        assert_eq!(place.run(&format!("man {guess}")).out, place.run(&format!("man {verb}")).out);
        let err = place.run(&format!("{guess} --nonsense")).err;
        assert!(err.ends_with(&format!("see tepal {verb} --help\n")), "{err}");
        let verbs = place.run("--help");
        let mut verbs = verbs.text().lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        assert!(verbs.all(|verb| verb != guess), "{guess} is not shown");
    }
}

#[test]
fn a_wrong_verb_is_told_the_right_one() {
    let place = Place::new();
    for (wrong, expected) in [
        ("hase", "no verb \"hase\"; did you mean has? See"),
        ("biuld", "no verb \"biuld\"; did you mean build? See"),
        ("chekc", "no verb \"chekc\"; did you mean has? See"),
        ("wich", "no verb \"wich\"; did you mean which? See"),
        ("unqi", "no verb \"unqi\"; did you mean uniq? See"),
        ("remvoe", "no verb \"remvoe\"; did you mean remove? See"),
        ("mrege", "no verb \"mrege\"; did you mean merge? See"),
        ("dedpu", "no verb \"dedpu\"; did you mean uniq? See"),
        ("patsch", "no verb \"patsch\"; did you mean patch? See"),
        ("xyzzy", "no verb \"xyzzy\"; see tepal --help"),
    ] {
        let ran = place.run(wrong);
        assert_eq!(ran.code, 2);
        assert!(ran.err.starts_with(&format!("tepal: {expected}")), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
    }
}

#[test]
fn a_key_given_where_lists_are_read_is_told_how_it_is_given() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    for verb in ["build -e b -o g", "create -e b -o g", "uniq -e b"] {
        let ran = place.run(verb);
        let err = &ran.err;
        assert!(
            ran.code == 2 && err.contains("reads keys from files or from standard input: printf"),
            "{err}"
        );
        assert!(!err.contains("-- -e") && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn a_verb_that_is_a_flag_of_another_is_told_where_that_is() {
    let place = Place::new();
    for (guess, said) in [
        (
            "freeze t -o f",
            "no verb \"freeze\": a static filter is made of a list by tepal build LIST --static",
        ),
        ("static list -o f", "tepal convert FILTER --static -p RATE -o NEW; see tepal --help"),
        ("map rows -o m", "no verb \"map\": a map is made by tepal build ROWS -f KEY --map VALUE"),
        ("expire f", "tepal build --window 7d"),
    ] {
        let ran = place.run(guess);
        assert!(
            ran.code == 2 && ran.err.contains(said) && ran.err.lines().count() == 1,
            "{guess}: {}",
            ran.err
        );
    }
}

#[test]
fn a_flag_that_a_verb_does_not_have_is_told_the_way() {
    let place = Place::new();
    place.write("rows", "a\t1\n");
    assert_eq!(place.run("build -q rows -f 1 --map 2 -o m").code, 0);
    for (guess, said) in [
        ("get m --in n -e a", "--in is no flag of get: get asks one map; "),
        ("get m --in=n -e a", "--in is no flag of get: get asks one map; "),
        ("lookup m --which", "--which is no flag of get: get asks one map; "),
        ("get m --copies", "(tepal has --copies); see tepal get --help"),
        ("get m --stem", "build --set --stem --static"),
        ("get m --values", "awk -F'\\t' '{print $NF}'"),
        ("get m --default X", "a key without a value has the word none in its place"),
        ("add m rows --map 2", "nothing can be added to a map or taken out of it: build it again"),
        ("build rows --key 1 -o f", "--key is no flag of build: the field that is the key is named by -f"),
        ("build rows --xor -o f", "is made by --static"),
        ("build rows --kind ribbon -o f", "there is a flag for each kind"),
        (
            "build rows --to ribbon -o f",
            "--to ribbon: --to is for the files of other programs; a static filter",
        ),
        ("plan -n 1M --static", "plan shows all layouts and kinds in one table, this one too; leave it out"),
        ("plan -n 1M --values 5 --known-keys", "map-known; leave it out"),
        ("plan -n 1M --map 5", "is said by --values: --values 250"),
        ("demo --keys 5", "how many different keys there are is said by -n: -n 20M"),
        ("uniq --expected 5", "how many different keys there are is said by -n: -n 20M"),
        ("test m --seed 5", "that of random numbers is --random-seed"),
        ("build rows --segments -o f", "with --set each list is a segment"),
        ("plan -n 1M --values country", "--values country: plan has no rows to look at, so --values says"),
        ("merge m m --static -o f", "tepal convert FILTER --static -p RATE -o NEW"),
        ("uniq --static rows", "uniq adds keys all the time"),
        ("get m -o out", "lines come out on standard output, for a pipe or a file: > FILE"),
        ("has m --value", "the value of a key says tepal get MAP"),
        ("get m --nocase", "is decided when it is built, tepal build --trim --nocase"),
        ("get m --sep ;", "is said by --csv, --tsv or -d: -d ';'"),
        ("plan -n 1M --window 7d", "plan shows all layouts and kinds in one table"),
        ("plan rows", "rows: plan reads no list; how many keys there are is said by -n"),
        ("convert m --to tepal f", "f: one file too many; the one that is written is named by -o"),
        ("shrink m -p 1% f", "f: one file too many; "),
        ("plan -n 1M --values", "a value is required for '--values <VALUES>'"),
        // What is near to a flag that is there is told that one.
        ("get m --inverse", "a similar argument exists: '--invert'"),
        ("build rows --to guav -o f", "a similar value exists: 'guava'"),
    ] {
        let ran = place.run(guess);
        assert!(
            ran.code == 2 && ran.err.contains(said) && ran.err.lines().count() == 1,
            "{guess}: {}",
            ran.err
        );
    }
    // What the words say is so.
    let plan = place.run("plan -n 1M --values 250").text().to_owned();
    for kind in ["static", "map-known", "deletable", "growing", "expiring"] {
        assert!(plan.contains(&format!("\n{kind} ")), "{kind}: {plan}");
    }
}

#[test]
fn what_is_named_in_the_wrong_place_is_told_the_right_one() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("rows", "k,v\na,1\nb,2\n");
    assert_eq!(place.run("build -q rows --csv -f k --map v -o m").code, 0);
    assert_eq!(place.run("build -q rows --csv -f k --by v --static -o named").code, 0);
    for verb in ["has f key", "which f -- key", "get m key --whole", "add f key"] {
        let ran = place.run(verb);
        let said = "key: no such file; expected a file of keys. A key by itself is given with -e\n";
        assert!(ran.code == 2 && ran.err.ends_with(said), "{verb}: {}", ran.err);
    }
    for (guess, said) in [
        ("get - -e a", "-: no such file; a filter in standard input is named /dev/stdin"),
        ("add m f --whole", "m: a map cannot take this key; build another one of all its pairs"),
        // Before the rows are looked at.
        ("add m f", "m: a map cannot take this key"),
        ("add m f --by v", "m: a map cannot take this key"),
        ("build rows --csv -f k --map w -o n", "rows: line 1: --map: no field named \"w\" in the first row"),
        ("build rows --csv -f k --by w --static -o n", "rows: line 1: --by: no field named \"w\""),
        ("build rows --csv -f 1 --map 3 -o n", "between commas; say which one with --map, or how"),
        ("build rows --csv -f 3 --map 1 -o n", "between commas; say which one with -f, or how"),
        (
            "which f --in named -e a",
            "named: one of several filters, so that which of its 2 values a key has is not said; ask it alone",
        ),
    ] {
        let ran = place.run(guess);
        assert!(ran.err.contains(said), "{guess}: {}", ran.err);
    }
    // Where all keys have one value there is nothing to tell apart.
    place.write("same", "a,x\nb,x\n");
    assert_eq!(place.run("build -q same --csv -f 1 --map 2 -o same.map").code, 0);
    assert_eq!(place.run("which f --in same.map -e a").err, "");
    assert!(place.run("info same.map").text().contains(": each key has the same value (tepal get)\n"));
    place.write("twice", "k,v,v\na,1,2\n");
    let ran = place.run("build twice --csv -f k --map v -o n");
    assert!(
        ran.err.contains("--map: two fields are named \"v\"; give the number of one of them to --map"),
        "{}",
        ran.err
    );
}
