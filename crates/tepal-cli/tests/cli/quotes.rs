//! Rows of CSV whose quotes are wrong have no key, and those after them are read.

use crate::place::Place;

const STRAY: &str = "id,t\n1,\"x\n2,y\n3,\"z\"\n4,w\n";

#[test]
fn text_after_a_closing_quote_takes_no_rows_with_it() {
    let place = Place::new();
    place.write("s.csv", STRAY);
    place.write("t.csv", "id\n1\n");
    let told = "s.csv: line 2: text after a quoted field; expected ',' or the end of the row; where quotes are text, say -d ',' \
                without --csv";
    for args in [
        "build s.csv -f id -o f",
        "uniq s.csv -f id",
        "build s.csv -f id --by t -o f",
        "build s.csv -f id --map t -o f",
        "build s.csv -f id --growing -o f",
        "build t.csv -f id --exact-on s.csv -o f",
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.err), (2, format!("tepal: {told}\n")), "{args}");
        assert!(!place.path("f").exists());
    }
    let ran = place.run("build s.csv -f id -o f -p 1e-9 --bad warn");
    assert!(
        ran.code == 0 && ran.err.contains(&format!("1 record had no key; the first: {told}")),
        "{}",
        ran.err
    );
    assert_eq!(place.run("has -c f -e 2 -e 3 -e 4 -e 1").text(), "3\n");
    for args in ["has f s.csv", "which f -- s.csv", "has -v f s.csv"] {
        let ran = place.run(args);
        assert_eq!(ran.err, format!("tepal: 1 record had no key; the first: {told}\n"), "{args}");
    }
    assert_eq!(place.run("has f s.csv").text(), "id,t\n2,y\n3,\"z\"\n4,w\n");
    assert_eq!(
        place.run("which f -- s.csv").text(),
        "id,t\tfilters\n1,\"x\tnone\n2,y\tf\n3,\"z\"\tf\n4,w\tf\n"
    );
    assert_eq!(place.run("uniq s.csv -f id --bad skip").text(), "id,t\n2,y\n3,\"z\"\n4,w\n");
    assert_eq!(place.run("has f s.csv --bad fail").code, 2);
    for (flags, verb) in [("--by t", "which"), ("--map t", "get")] {
        assert_eq!(place.run(&format!("build -q s.csv -f id {flags} -o s --force --bad skip")).code, 0);
        assert_eq!(place.run(&format!("{verb} s -e 2 -e 3 -e 4")).text(), "2\ty\n3\tz\n4\tw\n");
    }
    for args in ["add f s.csv", "test f --members s.csv", "except f s.csv --non-members -o g"] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(told), "{args}: {}", ran.err);
        assert_eq!(place.run(&format!("{args} --bad skip")).code, 0, "{args}");
    }
}

/// A thousand rows with one stray quote lose that one, wherever the next quote is.
#[test]
fn one_stray_quote_costs_one_row() {
    let place = Place::new();
    let mut rows: Vec<String> = (0..200_000).map(|n| format!("{n},x")).collect();
    rows[100] = "100,\"5 inch".to_owned();
    rows[150_000] = "150000,\"a \"\"pair\"\"\"".to_owned();
    rows[150_001] = "150001,\"over\nlines\"".to_owned();
    rows[150_002] = "150002,\"x\" y".to_owned();
    place.write("s.csv", rows.join("\n"));
    for threads in ["-j 1", "-j 3"] {
        let ran = place.run(&format!("build s.csv -f 1 -o f --force --bad warn -p 1e-6 {threads}"));
        assert!(
            ran.err.contains("2 records had no key; the first: s.csv: line 101: text after"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("199,998 keys"), "{}", ran.err);
        // The line is the quote's.
        let ran = place.run(&format!("has f s.csv -c --bad skip {threads}"));
        assert_eq!(ran.text(), "199998\n");
    }
    // Each row has one: nothing that is right is lost, and it does not take long.
    let all: String = (0..100_000).map(|n| format!("{n},\"5 inch\n{n}b,k\n")).collect();
    place.write("all.csv", all);
    let ran = place.run("build all.csv -f 1 -o f --force --bad warn");
    assert!(
        ran.err.contains("100,000 keys") && ran.err.contains("100,000 records had no key"),
        "{}",
        ran.err
    );
    // In the second line of a row.
    place.write("second.csv", "1,\"a\nb\",\"c\n2,\"k\"\n");
    let ran = place.run("uniq second.csv -f 1");
    assert!(ran.err.starts_with("tepal: second.csv: line 2: text after a quoted field"), "{}", ran.err);
    assert_eq!(place.run("uniq second.csv -f 1 --bad skip").text(), "2,\"k\"\n");
    place.write("open.csv", "1,\"a\nb\",\"c\n2,k\n");
    let ran = place.run("uniq open.csv -f 1");
    assert!(
        ran.err.starts_with("tepal: open.csv: line 2: a quoted field that is never closed"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("uniq open.csv -f 1 --bad skip").text(), "2,k\n");
}

#[test]
fn what_is_right_stays_so() {
    let place = Place::new();
    for (rows, field, keys) in [
        ("1,\"a\"  ,x\n2,\"b\"\t,y\n", "2", "a b"),
        ("1,\"over\nlines\",k\r\n2,\"\"\"q\"\"\",l\r\n", "3", "k l"),
        ("1,5\" pipe\n2,6\" pipe\n", "1", "1 2"),
        ("1, \"a\"\n2,b\n", "1", "1 2"),
        ("1,\"a\"\r\n2,\"b\"\r\n", "2", "a b"),
        ("1,\"a\"\n2,\"b\"", "2", "a b"),
        ("1,\"\",k\n2,\"\",l\n", "3", "k l"),
    ] {
        place.write("s.csv", rows);
        let ran = place.run(&format!("build -q s.csv -f {field} -o f --force -p 1e-9"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{rows:?}");
        for key in keys.split(' ') {
            assert_eq!(place.run(&format!("has -q f -e {key}")).code, 0, "{rows:?}: {key}");
        }
        assert_eq!(place.run(&format!("has -c f s.csv -f {field}")).text(), "2\n", "{rows:?}");
    }
}

#[test]
fn escapes_are_named_and_kept() {
    let place = Place::new();
    place.write("s.csv", "t,k\n\"a\\\"b, c\",K1\n\"d\\\\\",K2\n");
    let ran = place.run("build s.csv -f k -o f");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (
            2,
            "tepal: s.csv: line 2: text after a quoted field; expected ',' or the end of the row; where a backslash escapes a quote, \
             add --escape '\\'\n"
        )
    );
    for name in ["s.csv", "-"] {
        let rows = place.read("s.csv");
        let ran = place.run_with(&format!("build -q {name} -f k --escape \\ -o f --force -p 1e-9"), &rows);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        assert_eq!(place.run("has -c f -e K1 -e K2").text(), "2\n");
        assert_eq!(place.run("has -c f s.csv").text(), "2\n");
        assert_eq!(place.run_with("has -c f", &rows).text(), "2\n");
    }
    let info = place.run("info --json f").json();
    assert_eq!((&info[0]["row_format"], &info[0]["escape"]), (&"csv".into(), &"\\".into()));
    assert!(place.run("info f").text().contains("field \"k\" of CSV rows with the escape \\\n"));
    // Another separator, and a state.
    place.write("semi", "t;k\n\"a\\\"b; c\";K1\n");
    let ran = place.run("uniq semi -f k -d ; --escape \\ --state st");
    assert_eq!((ran.code, ran.text(), ran.err.as_str()), (0, "t;k\n\"a\\\"b; c\";K1\n", ""));
    assert_eq!(place.run("uniq semi -f k --state st --no-header").code, 1);
    for (args, why) in [
        ("build semi --escape \\ -o g", "--escape is about rows, and no field of them is named"),
        ("build semi -f 1 -d \\ --escape \\ -o g", "--escape and -d name the same character"),
        ("build semi -f 1 --tsv --escape \\ -o g", "--escape"),
        ("build s.csv -f 1 --escape , -o g", "expected one sign such as \\"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(why), "{args}: {}", ran.err);
    }
    place.write("s.tsv", "1\tk\n");
    let ran = place.run("build s.tsv -f k --escape \\ -o g");
    assert!(
        ran.code == 2 && ran.err.contains("--escape is about CSV, and its records are no CSV"),
        "{}",
        ran.err
    );
}
