//! A filter of whole lines, and a file of fields.

use crate::place::Place;

#[test]
fn a_file_of_fields_is_refused_unless_whole_lines_are_meant() {
    let place = Place::new();
    let list = b"1,x\n2,y\n";
    place.write("pay.csv", "id,x\n1,x\n");
    place.write("pay.tsv", "id\tx\n1\tx\n");
    place.write("pay.jsonl", "{\"id\":1,\"x\":2}\n");
    place.build("list.tepal", list, "");
    place.build("keys", list, "--deletable");
    for (name, what, flags) in [
        ("pay.csv", "CSV rows with the columns \"id\", \"x\"", "-f id"),
        ("pay.tsv", "rows between tabs with the columns \"id\", \"x\"", "-f id"),
        ("pay.jsonl", "JSON lines with the fields \"id\", \"x\"", "-f id"),
    ] {
        for args in [
            format!("has list.tepal {name}"),
            format!("has -v list.tepal {name}"),
            format!("which list.tepal -- {name}"),
            format!("add list.tepal {name}"),
            format!("remove keys {name}"),
            format!("remove keys -e 1,x --members {name}"),
            format!("test list.tepal --members {name}"),
            format!("test list.tepal --absent {name}"),
            format!("except list.tepal {name} --non-members"),
        ] {
            let ran = place.run(&args);
            assert_eq!((ran.code, ran.out.len()), (2, 0), "{args}");
            let verb = args.split(' ').next().unwrap();
            let expected = format!(
                "tepal: {name}: {what}, and the filter was not built from a field; say which one is the key: tepal {verb} {flags}"
            );
            assert!(ran.err.starts_with(&expected), "{args}: {}", ran.err);
            assert!(
                ran.err.ends_with("; or add --whole if each whole line is a key\n"),
                "{args}: {}",
                ran.err
            );
        }
    }
    place.write("map.csv", "k,v\n1,x\n");
    assert_eq!(place.run_with("build -q -f 1 --map 2 --csv -o map", b"k,v\n").code, 0);
    // What works goes on working.
    assert_eq!(place.run("has list.tepal pay.csv --whole").text(), "1,x\n");
    assert_eq!(place.run_with("has list.tepal", b"1,x\n").text(), "1,x\n");
    assert_eq!(place.run("has list.tepal pay.csv -f id").code, 1);
    assert_eq!(place.run("test -q keys --members pay.csv --whole").code, 1);
    place.write("one.csv", "1\n2\n");
    place.write("one.jsonl", "\"1\"\n");
    place.write("pay", "id,x\n1,x\n");
    place.build("one", b"1\n2\n", "");
    assert_eq!(place.run("has one one.csv").quiet(), (0, &b"1\n2\n"[..]));
    assert_eq!(place.run("has one one.jsonl").quiet(), (1, &b""[..]));
    assert_eq!(place.run("has list.tepal pay").text(), "1,x\n");
}

#[test]
fn build_whole_is_recorded() {
    let place = Place::new();
    place.write("lines.csv", "1,x\n2,y\n");
    assert_eq!(place.run("build -q lines.csv --whole -o f -n 99").code, 0);
    assert_eq!(place.run("info --json f").json()[0]["row_format"], "whole");
    assert!(place.run("info f").text().contains("recipe      whole record\n"));
    assert_eq!(place.run("has f lines.csv").quiet(), (0, &b"1,x\n2,y\n"[..]));
    assert_eq!(place.run("which f -- lines.csv").quiet().0, 0);
    assert_eq!(place.run("add -q f lines.csv").quiet().0, 0);
    assert_eq!(place.run("test -q f --members lines.csv").quiet().0, 0);
    assert_eq!(place.run("build -q --like f lines.csv -o g --whole").quiet().0, 0);
    assert_eq!(place.run("has -c g lines.csv").text(), "2\n");
    // Saved again, and beside one that does not record it.
    assert_eq!(place.run("has -c f lines.csv").text(), "2\n");
    place.build("list", b"1,x\n", "");
    assert_eq!(place.run("has -c f --in list lines.csv").text(), "2\n");
    assert_eq!(place.run("build -q lines.csv --whole --to guava -o other").code, 0);
    assert_eq!(place.run("uniq lines.csv --whole --state st").code, 0);
    assert_eq!(place.run("uniq lines.csv --state st").quiet(), (1, &b""[..]));
}
