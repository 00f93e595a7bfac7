//! Maps from keys to values: built of rows, asked by `get`, told of, and left as they are.

use crate::place::{Place, numbers};

/// Rows of a key, a name and a number.
fn rows(count: u32) -> String {
    let row = |i: u32| format!("key{i},{},{}\n", ["de", "at", "ch"][i as usize % 3], i % 50);
    "account,country,level\n".to_owned() + &(0..count).map(row).collect::<String>()
}

#[test]
fn names_and_numbers_are_kept_and_got() {
    let place = Place::new();
    for count in [0, 1, 2, 300, 20_000] {
        place.write("rows.csv", rows(count));
        place.write("asked", (0..count).map(|i| format!("key{i}\n")).collect::<String>());
        for (field, value) in [("country", 1), ("level", 2)] {
            let ran =
                place.run(&format!("build rows.csv -f account --map {field} -o m --force --allow-empty"));
            assert_eq!(ran.code, 0, "{}", ran.err);
            let expected: String = rows(count)
                .lines()
                .skip(1)
                .map(|row| {
                    let of: Vec<&str> = row.split(',').collect();
                    format!("{}\t{}\n", of[0], of[value])
                })
                .collect();
            let ran = place.run("get m asked --whole");
            assert_eq!((ran.code, ran.text()), (i32::from(count == 0), expected.as_str()), "{field}");
            assert_eq!(place.run("get -c m asked --whole").text(), format!("{count}\n"));
            assert_eq!(place.run("has -c m asked --whole").text(), format!("{count}\n"));
            // The map says itself which field of rows is the key.
            let ran = place.run("get m rows.csv");
            let first = ran.text().lines().next().unwrap().to_owned();
            assert_eq!(first, "account,country,level\tvalue");
            assert_eq!(ran.text().lines().count() as u32, count + 1);
            assert_eq!(place.run("verify m").code, 0);
            if count > 0 {
                assert_eq!(place.run("test m --members asked --whole -q").code, 0, "{count}");
            }
        }
    }
    let json = place.run("info --json m").json()[0].clone();
    assert_eq!((&json["kind"], &json["value_bits"]), (&"map".into(), &6.into()));
    let told = place.run("info m").text().to_owned();
    assert!(told.contains("each key has a number of 6 bits (tepal get)"), "{told}");
    place.run("build -q rows.csv -f account --map country -o n");
    let json = place.run("info --json n").json()[0].clone();
    let names: Vec<_> = json["segments"].as_array().unwrap().iter().map(|of| of["name"].clone()).collect();
    assert_eq!(names, ["at", "ch", "de"]);
    let told = place.run("info n").text().to_owned();
    assert!(told.contains("each key has one of 3 values") && told.contains("values      at"), "{told}");
    let strangers = place.run_with("get --whole -c n", &numbers(0..10_000));
    let wrong: u32 = strangers.text().trim().parse().unwrap();
    assert!((50..150).contains(&wrong), "{wrong}");
}

#[test]
fn known_keys_take_the_bits_of_their_values_and_others_get_some_value() {
    let place = Place::new();
    place.write("rows.csv", rows(20_000));
    let ran = place.run("build rows.csv -f account --map level --known-keys -o m --json");
    assert!(ran.err.contains("other keys get a value too"), "{}", ran.err);
    let bits = ran.json()["filter"]["bits_per_key"].as_f64().unwrap();
    assert!((6.0..6.1).contains(&bits), "{bits}");
    assert_eq!(place.run_with("get --whole -c m", b"a\nb\nc\n").text(), "3\n");
    assert!(place.run("info m").text().contains("other keys some value or other"));
}

#[test]
fn lines_are_selected_as_by_has() {
    let place = Place::new();
    place.write("rows", "a\t5\nb\t7\n");
    assert_eq!(place.run("build -q rows -f 1 --map 2 -p 1e-9 -o m").code, 0);
    assert_eq!(place.run_with("get --whole m", b"a\nx\nb").text(), "a\t5\nx\tnone\nb\t7");
    assert_eq!(place.run_with("get --whole -v m", b"a\nx\nb").text(), "x\n");
    assert_eq!(place.run_with("get --whole -c -v m", b"a\nx\nb").text(), "1\n");
    assert_eq!(place.run("get m -e a -e x").text(), "a\t5\nx\tnone\n");
    for (args, code) in [("-q -e a", 0), ("-q -e x", 1), ("-v -q -e x", 0), ("-v -e a", 1)] {
        let ran = place.run(&format!("get m {args}"));
        assert_eq!((ran.code, ran.text()), (code, ""), "{args}");
    }
    let json = place.run_with("get --json --whole m -e b -", b"x\n");
    assert_eq!(
        json.text(),
        "{\"key\":\"b\",\"value\":7,\"name\":null}\n\
         {\"input\":\"standard input\",\"line\":1,\"key\":\"x\",\"value\":null,\"name\":null}\n"
    );
    // Text that can be no key of the map is shown all the same.
    assert_eq!(place.run("build -q rows -f 1 --map 2 -p 1e-9 -o k --keys utf16").code, 0);
    let json = place.run_with("get --json --whole k -", b"a\n\xff\n");
    let second = json.text().lines().nth(1).unwrap();
    assert!(second.contains("\"key_hex\":\"ff\",\"value\":null,\"name\":null,\"bad\":\""), "{second}");
    // A record without a key has no value either.
    let ran = place.run_with("get -f 2 -c -v m", b"1\tx\n2\n");
    assert_eq!((ran.code, ran.text()), (0, "2\n"), "{}", ran.err);
    assert!(ran.err.contains("1 record had no key"), "{}", ran.err);
    place.build("f", b"a\n", "");
    assert!(place.run("get f -e a").err.contains("a filter, which has no values"));
}

/// What `has` does with lines, `get` does with keys that have a value.
#[test]
fn lines_are_numbered_named_and_counted_as_by_has() {
    let place = Place::new();
    place.write("rows", "a\t5\nb\t7\nc\t5\n");
    assert_eq!(place.run("build -q rows -f 1 --map 2 -p 1e-9 -o m").code, 0);
    place.write("one", "x\na\nb\ny\nc\n");
    place.write("two", "y\nc");
    place.write("none", "x\ny\n");
    for (args, code, printed) in [
        ("-n two", 0, "1:y\tnone\n2:c\t5"),
        ("-H two", 0, "two:y\tnone\ntwo:c\t5"),
        ("-nH one two -v", 0, "one:1:x\none:4:y\ntwo:1:y\n"),
        ("-n two two", 0, "two:1:y\tnone\ntwo:2:c\t5\ntwo:1:y\tnone\ntwo:2:c\t5"),
        ("-n -e a -e x", 0, "1:a\t5\n2:x\tnone\n"),
        ("-m 2 one", 0, "x\tnone\na\t5\nb\t7\n"),
        ("-m 1 -I one two", 0, "x\tnone\na\t5\ny\tnone\nc\t5"),
        ("-m 1 -v one two", 0, "one:x\ntwo:y\n"),
        ("-m 0 one", 1, ""),
        ("-m 2 -c one", 0, "2\n"),
        ("-m 1 -e x -e a -e b", 0, "x\tnone\na\t5\n"),
        ("-c -H one two none", 0, "one:3\ntwo:1\nnone:0\n"),
        ("-c -H -v one two", 0, "one:2\ntwo:1\n"),
        ("-l one none two", 0, "one\ntwo\n"),
        ("-l none", 1, ""),
        ("-l -v one none", 0, "one\nnone\n"),
        ("-lq one", 0, ""),
        ("-x -e a", 0, "a\t5\n"),
    ] {
        for threads in [1, 3] {
            let ran = place.run(&format!("get m --whole -j {threads} {args}"));
            assert_eq!((ran.code, ran.text(), ran.err.as_str()), (code, printed, ""), "{args}");
            // The same lines that `has` selects, where no others come out.
            if args.contains("-v") || args.contains("-c") || args.contains("-l") {
                let has = place.run(&format!("has m --whole -j {threads} {args}"));
                assert_eq!((has.code, has.text()), (code, printed), "{args}");
            }
        }
    }
    // A long input, over several threads, to the one that is the last.
    let many: String =
        (0..300_000).map(|i| if i % 1000 == 999 { "b\n".into() } else { format!("n{i}\n") }).collect();
    place.write("many", many);
    let ran = place.run("get m many --whole -j 4 -n -m 250");
    assert_eq!((ran.text().lines().count(), ran.text().lines().last()), (250_000, Some("250000:b\t7")));
    assert_eq!(place.run("get m many --whole -j 4 -c").text(), "300\n");
    // A header row has the number 1, and rows over lines count as lines.
    place.write("rows.csv", "k,v\n\"a\",\"x\ny\"\nb,z\n");
    let ran = place.run("get m rows.csv -f k -n");
    assert_eq!(ran.text(), "1:k,v\tvalue\n2:\"a\",\"x\ny\"\t5\n4:b,z\t7\n");
    for (args, said) in [
        ("-i -e a", "m: built without --nocase, so -i cannot be done; build it again with --nocase"),
        ("--json -n -e a", "cannot be used with"),
        ("--json -m 1 -e a", "cannot be used with"),
        ("-l -c -e a", "cannot be used with"),
        ("--quick --read -e a", "cannot be used with"),
    ] {
        let ran = place.run(&format!("get m --whole {args}"));
        assert!(ran.code == 2 && ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert_eq!(place.run("build -q rows -f 1 --map 2 --nocase -o i").code, 0);
    assert_eq!(place.run("get i -i -e A").text(), "A\t5\n");
}

/// `test --map` asks for the value of each row, and `--by` for the segment of a map of segments.
#[test]
fn the_values_of_a_list_are_tested() {
    let place = Place::new();
    place.write("rows.csv", rows(30_000));
    place.write("wrong.csv", rows(30_000).replace("key20000,ch,0", "key20000,de,0\n\nkey20000,ch,7"));
    for (build, test) in [
        ("--map country", "--map country"),
        ("--map level", "--map level"),
        ("--map level", "--value level"),
        ("--by country --static", "--by country"),
        ("--map country --known-keys", "--by country"),
    ] {
        assert_eq!(place.run(&format!("build -q rows.csv -f account {build} -o m --force")).code, 0);
        let ran = place.run(&format!("test m --members rows.csv {test}"));
        assert!(
            ran.code == 0 && ran.text().contains("30,000 members  0 missed\n"),
            "{build}: {}",
            ran.text()
        );
        for threads in [1, 3] {
            let ran = place.run(&format!("test m --members wrong.csv {test} -j {threads}"));
            let line = if test.contains("level") { 20_004 } else { 20_002 };
            let said = format!(
                "30,001 members  1 missed   BROKEN\n              the first missed: wrong.csv: line {line}: \"key20000\""
            );
            assert!(ran.code == 1 && ran.text().contains(&said), "{build} -j {threads}: {}", ran.text());
        }
    }
    assert_eq!(place.run("build -q rows.csv -f account --map level -o m --force").code, 0);
    assert_eq!(place.run("build -q rows.csv -f account --by level -o segments").code, 0);
    place.build("f", b"a\n", "");
    for (args, said) in [
        ("test m --map level", "--members"),
        ("test m --members rows.csv --map level --by level", "cannot be used with"),
        ("test m --members rows.csv --map account", "--map and -f both name the field account"),
        ("test f --members rows.csv -f 1 --map 2", "--map is given, and this filter is no map; leave it out"),
        (
            "test f --members rows.csv -f 1 --by 2",
            "--by is given, and this filter has no segments; leave it out",
        ),
        (
            "test segments --members rows.csv --map level",
            "this is a filter with segments; name the field with --by",
        ),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(said), "{args}: {}", ran.err);
    }
}

#[test]
fn rows_in_any_order_and_threads_make_one_file() {
    let place = Place::new();
    let mut lines: Vec<String> = rows(30_000).lines().skip(1).map(|line| format!("{line}\n")).collect();
    place.write("a", lines.concat());
    lines.reverse();
    place.write("b", lines.concat());
    for field in [2, 3] {
        for (name, args) in [("x", "a -j 1"), ("y", "b -j 8"), ("z", "b a b -j 3")] {
            let ran = place.run(&format!("build -q --force --csv -f 1 --map {field} -o {name} {args}"));
            assert_eq!(ran.quiet(), (0, &b""[..]), "{}", ran.err);
        }
        assert!(place.read("x") == place.read("y") && place.read("x") == place.read("z"), "{field}");
    }
    // A text among numbers makes all of them names.
    place.write("mixed", "a\t7\nb\t12\nc\tx\nd\t007\n");
    assert_eq!(place.run("build -q mixed -f 1 --map 2 -o m").code, 0);
    assert_eq!(place.run("get m -e a -e b -e c -e d").text(), "a\t7\nb\t12\nc\tx\nd\t007\n");
    assert_eq!(place.run("info --json m").json()[0]["segments"].as_array().unwrap().len(), 4);
}

#[test]
fn segments_of_keys_that_are_in_one_each() {
    let place = Place::new();
    place.write("rows.csv", rows(9_000));
    let ran = place.run("build rows.csv -f account --by country --static -p 0.1% -o m");
    assert!(ran.err.contains("9,000 keys with 3 different values"), "{}", ran.err);
    assert_eq!(place.run("which m -e key0 -e key1 -e nobody").text(), "key0\tde\nkey1\tat\nnobody\tnone\n");
    assert_eq!(place.run("get m -e key2").text(), "key2\tch\n");
    let counts = place.run("which -c m -- rows.csv");
    assert_eq!(counts.text(), "at\t3000\nch\t3000\nde\t3000\nnone\t0\n");
    // The bits of one of three segments and of the rate.
    let bits = place.run("info --json m").json()[0]["bits_per_key"].as_f64().unwrap();
    assert!((11.5..11.9).contains(&bits), "{bits}");
    // Names of segments are names, also where they are numbers.
    assert_eq!(place.run("build -q rows.csv -f account --by level --static -o l").code, 0);
    assert_eq!(place.run("which l -e key7").text(), "key7\t7\n");
    assert_eq!(place.run("info --json l").json()[0]["segments"].as_array().unwrap().len(), 50);
    place.write("north.txt", "a\nb\n");
    place.write("south.txt", "c\n");
    assert_eq!(place.run("build -q north.txt south.txt --set --stem --static -o s").code, 0);
    assert_eq!(place.run("which s -e a -e b -e c").text(), "a\tnorth\nb\tnorth\nc\tsouth\n");
}

#[test]
fn a_key_with_two_values_is_refused_with_its_line() {
    let place = Place::new();
    place.write("rows.csv", "k,v\na,x\nb,y\n\"a\",\"x\"\nc,\"two\nlines\"\nb,z\n");
    for (how, said) in [
        ("-f k --map v", "rows.csv: line 5: --map: "),
        (
            "-f k --map v --bad skip",
            "rows.csv: line 7: its key has the value \"z\" here and \"y\" in rows.csv, line 3; a map",
        ),
        (
            "-f k --by v --static --bad skip",
            "rows.csv: line 7: its key has the segment \"z\" here and \"y\" in rows.csv, line 3; leave --static out",
        ),
    ] {
        let ran = place.run(&format!("build rows.csv {how} -o m"));
        assert_eq!(ran.code, 2, "{how}");
        assert!(ran.err.contains(said), "{how}: {}", ran.err);
        assert!(!place.path("m").exists());
    }
    place.write("one", "a\nb\n");
    place.write("two", "x\ny\nb\n");
    let ran = place.run("build one two --set --static -o m");
    assert!(
        ran.err.contains("two: line 3: its key has the segment \"two\" here and \"one\" in one, line 2"),
        "{}",
        ran.err
    );
    place.write("numbers", "a\t1\nb\t2\na\t3\n");
    let ran = place.run("build numbers -f 1 --map 2 -o m");
    assert!(ran.err.contains("line 3: its key has the value 3 here and 1 in numbers, line 1"), "{}", ran.err);
}

#[test]
fn the_lines_of_two_values_are_told_however_many_records_before_them_have_no_key() {
    let place = Place::new();
    // Rows without the field, blank rows, and a row of two lines, before each of the two.
    let before = "x\n\n\"two\nlines\",v\n";
    for rows in [0, 1, 3_000, 80_000] {
        let others = |of: &str| (0..rows).map(|i| format!("{of}{i},v\nbad\n")).collect::<String>();
        let text = format!("k,v\n{before}{}b,v\n{before}{}b,w\n", others("one"), others("two"));
        let first = 6 + 2 * rows;
        let second = first + 5 + 2 * rows;
        place.write("rows.csv", &text);
        for how in ["--map v", "--by v --static"] {
            for threads in [1, 4] {
                let ran = place.run(&format!("build rows.csv -f k {how} --bad skip -j {threads} -o m"));
                let said = format!("rows.csv: line {second}: its key has the ");
                let other = format!("here and \"v\" in rows.csv, line {first};");
                assert!(ran.code == 2 && ran.err.contains(&said), "{rows} {how} -j {threads}: {}", ran.err);
                assert!(ran.err.contains(&other), "{rows} {how} -j {threads}: {}", ran.err);
            }
        }
        // The same of two lists.
        let others = |of: &str| (0..rows).map(|i| format!("v,{of}{i}\nbad\n")).collect::<String>();
        let list = |of: &str| format!("v,k\nx\n\n\"two\nlines\",{of}\n{}v,b\n", others(of));
        place.write("one.csv", list("one"));
        place.write("two.csv", list("two"));
        for threads in [1, 4] {
            let ran =
                place.run(&format!("build one.csv two.csv -f k --set --static --bad skip -j {threads} -o m"));
            let said = format!("two.csv: line {first}: its key has the segment \"two.csv\" here");
            let other = format!("and \"one.csv\" in one.csv, line {first};");
            assert!(ran.code == 2 && ran.err.contains(&said), "{rows} -j {threads}: {}", ran.err);
            assert!(ran.err.contains(&other), "{rows} -j {threads}: {}", ran.err);
        }
    }
    // Integers, of which some are none, one a line.
    place.write("one", "1\nx\n\n2\n");
    place.write("two", "y\n3\nz\n2\n");
    let ran = place.run("build one two --keys int64 --set --static --bad skip -o m");
    assert!(ran.err.contains("two: line 4: its key has the segment \"two\" here"), "{}", ran.err);
    assert!(ran.err.contains("and \"one\" in one, line 4;"), "{}", ran.err);
}

#[test]
fn what_does_not_fit_a_map_is_named_with_the_way_out() {
    let place = Place::new();
    place.write("rows", "a\t1\nb\t2\n");
    for (flags, said) in [
        ("--map 2", "--map names the field of the value; say with -f"),
        ("--map 2 -f 2", "--map and -f both name the field 2"),
        ("--map /a -f 2", "--map /a and -f 2: one is a path"),
        ("-f 1 --map 3", "rows: line 1: --map: no field 3"),
        ("-f 1 --map 2 -n 64", "-n is given with --map: "),
        ("-f 1 --map 2 --over warn", "--over is given with --map: "),
        ("-f 1 --map 2 -s 64", "-s is given with --map: it is sized by -p"),
        ("-f 1 --map 2 --memory 64MiB", "--memory is given with --map: "),
        ("-f 1 --by 2 --static --memory 64MiB", "--memory is given with --by: "),
        ("-f 1 --map 2 --to guava", "--map makes a filter that only tepal files can hold"),
        ("-f 1 --map 2 --by 2", "--by"),
        ("-f 1 --map 2 --deletable", "--deletable"),
        ("-f 1 --map 2 --known-keys -p 1%", "--known-keys"),
        ("--known-keys", "--known-keys is about maps"),
        ("-f 1 --map 2 -p 1e-12", "2^-32"),
        ("-f 1 --map 2 --scheme guava-mitz64", "the scheme of a map is guava-mitz64"),
    ] {
        let ran = place.run(&format!("build rows -o m {flags}"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(said), "{flags}: {}", ran.err);
        assert!(!place.path("m").exists(), "{flags}");
    }
    let many: String = (0..65_537).map(|i| format!("k{i}\tv{i}\n")).collect();
    place.write("many", many);
    let ran = place.run("build many -f 1 --map 2 -o m");
    assert!(ran.err.contains("a map has at most 65,536 that are no numbers"), "{}", ran.err);
    assert_eq!(place.run("build -q rows -f 1 --map 2 -o m").code, 0);
    let before = place.read("m");
    place.write("more", "c\nd\n");
    for (verb, words) in [
        ("add m more --whole", "cannot take this key"),
        ("remove m more --whole", "cannot remove a key; build another one without the key"),
        ("merge m m -o g", "cannot be united"),
        ("shrink m --fpr 0.5 -o g", "cannot be folded"),
        ("convert m --to guava -o g", "map"),
        (
            "build rows --like m -o g",
            "cannot be cleared; build another one of all its pairs (tepal build ROWS --map FIELD)",
        ),
    ] {
        let ran = place.run(verb);
        assert!(ran.code > 1 && ran.err.contains(words), "{verb}: {} {}", ran.code, ran.err);
        assert!(place.read("m") == before, "{verb}");
    }
    // A name that looks as if there were none.
    place.write("none", "a\tnone\n");
    assert_eq!(place.run("build -q none -f 1 --map 2 -o n").code, 0);
    assert_eq!(place.run("get n -e a -e b").text(), "a\t\"none\"\nb\tnone\n");
    assert!(place.run("get n --json -e a").text().contains("\"name\":\"none\""));
}

#[test]
fn a_map_is_planned() {
    let place = Place::new();
    let found = |args: &str, kind: &str| {
        let plan = place.run(&format!("{args} --json")).json();
        plan.as_array().unwrap().iter().find(|row| row["kind"] == kind).unwrap().clone()
    };
    let rows: String = (0..50_000).map(|key| format!("{key},c{}\n", key % 5)).collect();
    place.write("rows", rows);
    for (more, args, kind) in [("-p 1%", "-p 1%", "map"), ("--known-keys", "-p 1%", "map-known")] {
        assert_eq!(place.run(&format!("build -q rows --csv -f 1 --map 2 {more} --force -o f")).code, 0);
        let built = place.run("info f --json").json()[0]["size_in_bytes"].as_f64().unwrap();
        let row = found(&format!("plan -n 50k {args} --values 5"), kind);
        let planned = row["size_in_bytes"].as_f64().unwrap();
        assert!((planned - built).abs() < 0.01 * built, "{kind}: {planned} {built}");
        assert_eq!(row["false_positive_rate"].is_null(), kind == "map-known", "{row}");
    }
    let row = found("plan -n 1M -s 2MB --values 300", "map");
    assert!(row["false_positive_rate"].as_f64().unwrap() < 0.01, "{row}");
    assert!(found("plan -n 1M -s 500032 --values 300", "map-known")["problem"].is_string());
    let keys = found("plan -s 2MB -p 1% --values 300", "map-known")["capacity"].as_f64().unwrap();
    assert!((1.7e6..1.8e6).contains(&keys), "{keys}");
    for (args, hint) in
        [("plan -n 1M --values 0", "--values"), ("plan -n 1M --values 4294967297", "at most 4,294,967,296")]
    {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(hint), "{args}: {} {}", ran.code, ran.err);
    }
    let told = place.run("plan -n 1M --values 1").text().to_owned();
    assert!(told.contains("\nmap-known ") && told.contains("build --map --known-keys"), "{told}");
}
