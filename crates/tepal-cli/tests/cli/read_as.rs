//! `build` and `add` say how they read their lists.

use crate::place::Place;

#[test]
fn each_form_is_told_once() {
    let place = Place::new();
    place.write("a.csv", "id,x\n111,y\n");
    place.write("b.csv", "id,x\n112,y\n");
    place.write("c.jsonl", "{\"id\":3}\n");
    place.write("d.csv", "id;x\n4;y\n");
    place.write("list", "k\n");
    for (args, lines) in [
        ("list", &["whole lines"][..]),
        ("a.csv --whole", &["whole lines"]),
        ("list -0", &["whole records that end with NUL"]),
        ("a.csv b.csv -f id", &["field \"id\" of CSV rows"]),
        ("a.csv d.csv -f 1", &["field 1 of CSV rows", "field 1 of CSV rows between ';'"]),
        ("a.csv c.jsonl -f id", &["field \"id\" of CSV rows", "field \"id\" of JSON lines"]),
        ("c.jsonl -f id", &["field \"/id\" of JSON lines"]),
    ] {
        let ran = place.run(&format!("build {args} -o f --force"));
        let told: Vec<_> = ran.err.lines().filter_map(|line| line.strip_prefix("keys: ")).collect();
        assert_eq!((ran.code, &told[..]), (0, lines), "{args}: {}", ran.err);
        let json = place.run(&format!("build {args} -o f --force -q --json"));
        assert_eq!(json.json()["read_as"], serde_json::json!(lines), "{args}");
        assert_eq!(json.err, "");
        assert_eq!(place.run(&format!("build {args} -o f --force -q")).quiet().0, 0);
    }
    place.build("g", b"id,x\n1,y\n", "--csv -f id -n 9");
    let added = place.run("add g a.csv");
    assert!(added.err.ends_with("\nkeys: field \"id\" of CSV rows\n"), "{}", added.err);
    assert_eq!(place.run("add g a.csv --json -q").json()["read_as"][0], "field \"id\" of CSV rows");
    assert_eq!(place.run("add g -e x --json -q").json()["read_as"], serde_json::json!([]));
    // A cron job with `uniq` stays silent.
    assert_eq!(place.run("uniq list").err, "");
}
