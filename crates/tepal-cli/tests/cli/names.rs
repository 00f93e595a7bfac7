//! Names of filters, segments and values that would be read as something else: `none`, with a
//! comma, with a quote.

use crate::place::{Place, numbers};

/// Names that would be read as something else are in quotes, as in CSV; in JSON they are as they
/// are.
#[test]
fn names_of_filters_are_quoted_as_in_csv() {
    let place = Place::new();
    place.build("a.tepal", b"1\n2\n", "");
    for name in ["x,y", "none", "\"q\"", "in\"side"] {
        place.build("new", b"1\n", "--force");
        std::fs::rename(place.path("new"), place.path(name)).unwrap();
    }
    let filters = "a.tepal x,y none \"q\" in\"side";
    let listed = "a.tepal,\"x,y\",\"none\",\"\"\"q\"\"\",in\"side";
    let ran = place.run(&format!("which -e 1 -e 2 -e 3 {filters} --"));
    assert_eq!((ran.code, ran.text()), (0, format!("1\t{listed}\n2\ta.tepal\n3\tnone\n").as_str()));
    assert_eq!(place.run_with(&format!("which {filters} --"), b"1\n").text(), format!("1\t{listed}\n"));
    assert_eq!(
        place.run(&format!("which -c -e 1 -e 3 {filters} --")).text(),
        "a.tepal\t1\n\"x,y\"\t1\n\"none\"\t1\n\"\"\"q\"\"\"\t1\nin\"side\t1\nnone\t1\n"
    );
    assert_eq!(place.run("which none -e 1 -e 2").text(), "1\t\"none\"\n2\tnone\n");
    assert_eq!(place.run("which ./none --stem -e 1").text(), "1\t\"none\"\n");
    assert_eq!(place.run("which a.tepal --in x,y --in none -e 1").text(), "1\ta.tepal,\"x,y\",\"none\"\n");
    let names = serde_json::json!(["a.tepal", "x,y", "none", "\"q\"", "in\"side"]);
    assert_eq!(place.run(&format!("which --json -e 1 {filters} --")).json()["filters"], names);
    // A tab or a line end would end the field, or the line.
    #[cfg(unix)]
    for name in ["x\ty", "x\ny", "x\u{1b}y"] {
        std::fs::copy(place.path("a.tepal"), place.path(name)).unwrap();
        for (flags, refused) in
            [("", true), ("-c", true), ("--stem", false), ("--json", false), ("-v", false)]
        {
            let mut which = place.command(&format!("which a.tepal -e 1 {flags} --in"));
            let output = which.arg(name).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(said.contains("its name is no field of a line"), refused, "{name:?} {flags}: {said}");
            assert_eq!(output.status.code() == Some(2), refused, "{name:?} {flags}: {said}");
            assert!(output.stdout.iter().filter(|&&byte| byte == b'\n').count() <= 1, "{name:?} {flags}");
        }
    }
}

/// Whichever way a name has come in: by a field, by a list, by `add`, into a filter or a map of
/// segments.
#[test]
fn names_that_would_be_something_else_are_quoted() {
    let place = Place::new();
    let names = ["none", "north,east", "\"q\"", "5\" pipe", "None", "\"a\",b"];
    let listed = ["\"none\"", "\"north,east\"", "\"\"\"q\"\"\"", "5\" pipe", "None", "\"\"\"a\"\",b\""];
    // One value on a line: a comma is nothing else there.
    let alone = ["\"none\"", "north,east", "\"\"\"q\"\"\"", "5\" pipe", "None", "\"\"\"a\"\",b\""];
    let row = |key: &str, name: &str| format!("{}\n", serde_json::json!({ "k": key, "s": name }));
    let rows: String = (0..).zip(names).map(|(key, name): (u32, _)| row(&key.to_string(), name)).collect();
    place.write("rows", &rows);
    // One key is in all of them.
    place.write("all", rows + &names.map(|name| row("all", name)).concat());
    place.write("keys", numbers(0..7));
    assert_eq!(place.run("build -q all -f /k --by /s -p 1e-9 -o f").code, 0);
    assert_eq!(place.run("build -q rows -f /k --by /s --static -p 1e-9 -o s").code, 0);
    assert_eq!(place.run("build -q rows -f /k --map /s -p 1e-9 -o m").code, 0);
    let expected = |values: &[&str; 6]| {
        let line = |(key, value): (usize, &&str)| format!("{key}\t{value}\n");
        values.iter().enumerate().map(line).collect::<String>() + "6\tnone\n"
    };
    for (args, values) in [
        ("which f --whole -- keys", &listed),
        ("which s --whole -- keys", &listed),
        ("which m --whole -- keys", &listed),
        ("get s keys --whole", &alone),
        ("get m keys --whole", &alone),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.text()), (0, expected(values).as_str()), "{args}: {}", ran.err);
    }
    let given = (0..7).map(|key| format!(" -e {key}")).collect::<String>();
    assert_eq!(place.run(&format!("which f{given}")).text(), expected(&listed));
    assert_eq!(place.run(&format!("get m{given}")).text(), expected(&alone));
    assert_eq!(place.run("which f -e all").text(), format!("all\t{}\n", listed.join(",")));
    let counts: String = listed.iter().map(|name| format!("{name}\t1\n")).collect();
    assert_eq!(place.run(&format!("which f -c{given}")).text(), counts + "none\t1\n");
    // As they are.
    assert_eq!(place.run("which f -e all --json").json()["filters"], serde_json::json!(names));
    for (key, name) in names.iter().enumerate() {
        assert_eq!(place.run(&format!("get m -e {key} --json")).json()["name"], *name);
    }
    let counts = place.run(&format!("which f -c --json{given}")).json();
    let counted: Vec<_> =
        counts["filters"].as_array().unwrap().iter().map(|of| of["filter"].clone()).collect();
    assert_eq!((counted, &counts["none"]), (names.map(serde_json::Value::from).to_vec(), &1.into()));
    // Names of lists, and of a segment that is added.
    place.write("none", "a\n");
    place.write("a,b", "b\n");
    for more in ["", "--static"] {
        let ran = place.run(&format!("build -q none a,b --set -p 1e-9 -o l --force {more}"));
        assert_eq!(ran.quiet(), (0, &b""[..]), "{more}");
        assert_eq!(
            place.run("which l -e a -e b -e c").text(),
            "a\t\"none\"\nb\t\"a,b\"\nc\tnone\n",
            "{more}"
        );
    }
    assert_eq!(place.run("build -q none --set -p 1e-9 -n 100 -o l --force").code, 0);
    assert_eq!(place.run("add -q l --segment c,d -e x").quiet(), (0, &b""[..]));
    assert_eq!(place.run("which l -e x -e a").text(), "x\t\"c,d\"\na\t\"none\"\n");
    assert_eq!(place.run("remove -q l --segment c,d").code, 0);
    assert_eq!(place.run("which l -e x").text(), "x\tnone\n");
    // A line end, a tab, another control character and no name at all are refused as names.
    for name in ["a\\nb", "a\\tb", "a\\u001bb", "a\\u202eb", ""] {
        place.write("bad", format!("{{\"k\":\"1\",\"s\":\"{name}\"}}\n"));
        for how in ["--by /s", "--map /s"] {
            let ran = place.run(&format!("build -q bad -f /k {how} -o g"));
            assert!(
                ran.code == 2 && ran.err.starts_with("tepal: bad: line 1: "),
                "{name} {how}: {}",
                ran.err
            );
        }
    }
}
