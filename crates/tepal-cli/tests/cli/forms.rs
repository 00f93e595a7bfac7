//! How records are written where no flag says so: the filter, the name of the file, the first
//! record.

use crate::packed::gzip;
use crate::place::Place;

#[test]
fn a_pipe_is_what_its_first_record_is() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    for (field, input, out) in [
        ("id", "n,id\n1,k\n2,x\n", "n,id\n1,k\n"),
        ("id", "n;id\n1;k\n2;x\n", "n;id\n1;k\n"),
        ("id", "n\tid\n1\tk\n", "n\tid\n1\tk\n"),
        ("user.id", "n,user.id\r\n1,\"k\"\r\n", "n,user.id\r\n1,\"k\"\r\n"),
        ("id", "\"n, m\",\"id\"\n1,k\n", "\"n, m\",\"id\"\n1,k\n"),
        ("2", "1,k\n2,x\n", "1,k\n"),
        ("2", "1\tk,\n2\tk\n", "2\tk\n"),
        ("2", "1,k,\"\n\"\n2,x\n", "1,k,\"\n\"\n"),
        ("user.id", "{\"user\":{\"id\":\"k\"}}\n{\"user\":{\"id\":\"x\"}}\n", "{\"user\":{\"id\":\"k\"}}\n"),
        (".user.id", "{\"user\":{\"id\":\"k\"}}\n", "{\"user\":{\"id\":\"k\"}}\n"),
        ("/user/id", "{\"user\":{\"id\":\"k\"}}\n", "{\"user\":{\"id\":\"k\"}}\n"),
        ("id", "\n{\"id\":\"k\"}", "{\"id\":\"k\"}"),
    ] {
        let args = format!("has f -f {field} --bad fail");
        let by_pipe = place.run_with(&args, input.as_bytes());
        assert_eq!(
            (by_pipe.code, by_pipe.text(), by_pipe.err.as_str()),
            (0, out, ""),
            "{field} of {input:?}"
        );
        // A file whose name says nothing is read alike, and packed data too.
        place.write("file", input);
        assert_eq!(place.run(&format!("{args} file")), by_pipe);
        assert_eq!(place.run_with(&args, &gzip(input.as_bytes())), by_pipe);
        // Of each input by itself.
        place.write("other.csv", "id,user.id,/user/id,.user.id\nk,k,k,k\n");
        if !field.starts_with(['/', '.', '2']) {
            let both = place.run(&format!("has f -c -f {field} file other.csv"));
            assert_eq!(both.text(), format!("file:{}\nother.csv:1\n", out.matches('k').count()), "{field}");
        }
    }
    // What separates no fields is one.
    assert_eq!(place.run_with("has f -f 1", b"k\nx\n").quiet(), (0, &b"k\n"[..]));
    assert_eq!(place.run_with("has f -f 1", b"").quiet(), (1, &b""[..]));
    assert_eq!(place.run_with("has f -f id", b"id,x").quiet(), (1, &b"id,x"[..]));
    // With NUL nothing is CSV, and flags decide for all.
    assert_eq!(place.run_with("has f -c -0 -f 1 --bad skip", b"k,x\0k\0").quiet(), (0, &b"1\n"[..]));
    assert_eq!(place.run_with("has f -c --tsv -f 1", b"k,x\nk\tx\n").quiet(), (0, &b"1\n"[..]));
    // Without -f whole lines are the keys.
    assert_eq!(place.run_with("has f", b"n,id\nk\n").quiet(), (0, &b"k\n"[..]));
}

#[test]
fn what_was_found_is_kept() {
    let place = Place::new();
    for (field, input, kept, recipe) in [
        ("id", "n,id\n1,k\n", ["id", "csv", ","], "field \"id\" of CSV rows"),
        ("2", "1;k\n", ["2", "csv", ";"], "field 2 of CSV rows between ';'"),
        ("2", "1\tk\n", ["2", "plain", "\t"], "field 2 of rows between tabs"),
        ("u.id", "{\"u\":{\"id\":\"k\"}}\n", ["/u/id", "json", ""], "field \"/u/id\" of JSON lines"),
        (".u.id", "{\"u\":{\"id\":\"k\"}}\n", ["/u/id", "json", ""], "field \"/u/id\" of JSON lines"),
        // The name that is there wins, now and later.
        (
            "u.id",
            "{\"u\":{\"id\":\"x\"},\"u.id\":\"k\"}\n",
            ["/u.id", "json", ""],
            "field \"/u.id\" of JSON lines",
        ),
        ("a/b", "{\"a/b\":\"k\"}\n", ["/a~1b", "json", ""], "field \"/a~1b\" of JSON lines"),
        ("7", "{\"7\":\"k\"}\n", ["/7", "json", ""], "field \"/7\" of JSON lines"),
    ] {
        place.build("f", input.as_bytes(), &format!("-f {field} --force"));
        place.write("file.jsonl", input);
        place.write("file", input);
        let name = if kept[1] == "json" { "file.jsonl" } else { "file" };
        let info = place.run("info --json f").json();
        let text = |name: &str| info[0][name].as_str().unwrap_or_default().to_owned();
        assert_eq!([text("field"), text("row_format"), text("delimiter")], kept, "{field}");
        assert!(place.run("info f").text().contains(&format!("recipe      {recipe}\n")));
        for args in [
            format!("has -c f {name}"),
            format!("has -c f -f {field} {name}"),
            "has -c f -".to_owned(),
            format!("has -c f -f {field}"),
        ] {
            assert_eq!(place.run_with(&args, input.as_bytes()).quiet(), (0, &b"1\n"[..]), "{args}");
        }
        assert_eq!(place.run(&format!("test -q f --members {name}")).code, 0);
        assert_eq!(place.run(&format!("add -q f {name}")).code, 0);
        assert!(place.run(&format!("which f -- {name}")).text().contains("\tf\n"));
        // A state takes the same name again.
        for passed in [0, 1] {
            let ran = place.run_with(&format!("uniq -f {field} --state s"), input.as_bytes());
            assert_eq!((ran.code, ran.err.as_str()), (passed, ""), "{field}");
        }
        std::fs::remove_file(place.path("s")).unwrap();
    }
}

#[test]
fn fields_of_json_and_their_errors() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    let pair = "{\"a\":{\"b\":\"k\"}}\n{\"a.b\":\"k\"}\n";
    // The first record decides for all of its input.
    let ran = place.run_with("has -c f -f a.b --bad warn", pair.as_bytes());
    assert_eq!((ran.code, ran.text()), (0, "1\n"));
    assert!(ran.err.contains("standard input: line 2: no value at /a/b; expected"), "{}", ran.err);
    let error = |args: &str, input: &str| {
        let ran = place.run_with(args, input.as_bytes());
        assert_eq!(ran.code, 2, "{args}");
        ran.err
    };
    assert!(error("build -f a/b -o g", pair).contains("line 1: a record of JSON: "));
    assert!(
        error("build -f 2 -o g", pair)
            .contains("by its path with a slash before each name, such as -f /a/b\n")
    );
    assert!(
        error("build -f x.y -o g", pair)
            .contains("line 1: no value at /x/y; expected a string or an integer")
    );
    // Segments and values are named in the same way.
    let rows = "{\"k\":\"a\",\"in\":{\"eu\":\"x\"}}\n{\"k\":\"b\",\"in\":{\"eu\":\"y\"}}\n";
    place.write("rows.jsonl", rows);
    for (flags, verb) in [("--by in.eu", "which"), ("--map /in/eu", "get")] {
        assert_eq!(place.run(&format!("build -q rows.jsonl -f k {flags} -o s --force")).code, 0, "{flags}");
        let ran = place.run(&format!("{verb} s -e a -e b"));
        assert_eq!(ran.quiet(), (0, &b"a\tx\nb\ty\n"[..]), "{flags}");
    }
    assert_eq!(place.run("build -q rows.jsonl -f k --by in.eu -o s --force").code, 0);
    assert_eq!(place.run("add -q s rows.jsonl --by in.eu --past-promise").code, 0);
    // Two files of which only one is JSON keep the name.
    place.write("rows.csv", "k,in\nc,z\n");
    assert_eq!(place.run("build -q rows.jsonl rows.csv -f k -o both").code, 0);
    let info = place.run("info --json both").json();
    assert_eq!((&info[0]["field"], info[0]["row_format"].is_null()), (&"k".into(), true));
    assert_eq!(place.run("has both -c rows.jsonl rows.csv").text(), "rows.jsonl:2\nrows.csv:1\n");
    let other = "other,k\n1,c\n";
    assert_eq!(place.run_with("has both -c", other.as_bytes()).quiet(), (0, &b"1\n"[..]));
    // Columns that one of two files does not have.
    place.write("less.csv", "in\nz\n");
    let err = error("build rows.csv less.csv -f k -o g", "");
    assert!(err.starts_with("tepal: less.csv: line 1: no field named \"k\" in the first row"), "{err}");
}

#[test]
fn the_filter_decides_before_the_name() {
    let place = Place::new();
    for (flags, name, rows) in [
        ("--csv -d ; -f id", "a.csv", "n;id\n1;k\n"),
        ("-d ; -f 2", "b.csv", "1,x;k\n"),
        ("--tsv -f id", "c.csv", "n\tid\n1\tk\n"),
        ("--csv -f id", "d.tsv", "n,id\n1,k\n"),
        ("--csv -f 2", "e.json", "1,k\n"),
    ] {
        place.write(name, rows);
        assert_eq!(place.run(&format!("build -q -p 1e-9 {flags} {name} -o f --force")).code, 0);
        assert_eq!(place.run(&format!("has -c f {name}")).quiet(), (0, &b"1\n"[..]), "{flags}");
        assert_eq!(place.run(&format!("test -q f --members {name}")).code, 0, "{flags}");
        // Rows that are written as the name says.
        place.write("x.csv", "n,id\n1,k\n");
        place.write("x.tsv", "n\tid\n1\tk\n");
        for other in ["x.csv", "x.tsv"] {
            let (args, is_named) = (format!("has -c f {other}"), flags.contains("id"));
            if is_named && flags != "--csv -d ; -f id" {
                assert_eq!(place.run(&args).quiet(), (0, &b"1\n"[..]), "{flags} {other}");
            }
        }
    }
}

#[test]
fn the_first_record_may_be_long() {
    let place = Place::new();
    let filler = "x".repeat(3 << 20);
    place.build("f", b"k\n", "");
    let rows = format!("{filler},id\n1,k\n");
    assert_eq!(place.run_with("has -c f -f id", rows.as_bytes()).quiet(), (0, &b"1\n"[..]));
    let json = format!("{{\"x\":\"{filler}\",\"a\":{{\"id\":\"k\"}}}}\n");
    assert_eq!(place.run_with("has -c f -f a.id", json.as_bytes()).quiet(), (0, &b"1\n"[..]));
    let ran = place.run_with("has f -f id --max-record 1MiB", rows.as_bytes());
    assert!(ran.code == 2 && ran.err.contains("a record of more than 1.0 MiB"), "{}", ran.err);
    // A row of a million columns takes no longer than its bytes.
    let wide = ",".repeat(2 << 20);
    let ran = place.run_with("has f -f id", wide.as_bytes());
    assert!(ran.code == 2 && ran.err.contains("no field named \"id\" in the first row"), "{}", ran.err);
}
