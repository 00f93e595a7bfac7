//! Columns of Parquet files as keys.

use std::fs;
use std::path::Path;

use crate::place::Place;

/// A place with these files of the folder `golden/parquet-columns`.
fn place(names: &[&str]) -> Place {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/parquet-columns");
    for name in names {
        let file = format!("{name}.parquet");
        place.write(&file, fs::read(folder.join(&file)).unwrap());
    }
    place
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_so() {
    let place = place(&["snappy"]);
    for args in
        ["build -q snappy.parquet -f id -o f", "build -q snappy.parquet -o f", "uniq snappy.parquet -f id"]
    {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.len()), (2, 0), "{args}");
        let expected = "tepal: snappy.parquet: a Parquet file (PAR1), and this program was built without reading them; build it \
                        with cargo install --features parquet, or export the column first: duckdb ";
        assert!(ran.err.starts_with(expected), "{}", ran.err);
    }
    assert_eq!(place.names(), ["snappy.parquet"]);
}

#[cfg(feature = "parquet")]
mod with {
    use super::place;
    use crate::packed::{gzip, zstd};

    #[test]
    fn a_filter_of_a_column_and_every_verb_that_asks_it() {
        let place = place(&["snappy", "zstd"]);
        place.build("f", b"3\n149\nx\n", "");
        // The chosen column comes out, as CSV.
        assert_eq!(place.run("has f snappy.parquet -f id").quiet(), (0, &b"id\n3\n149\n"[..]));
        assert_eq!(
            place.run("has f snappy.parquet -f 1 --no-header -n").quiet(),
            (0, &b"4:3\n150:149\n"[..])
        );
        assert_eq!(place.run("has -v -c f snappy.parquet -f id").quiet(), (0, &b"148\n"[..]));
        assert_eq!(
            place.run("has f -c snappy.parquet zstd.parquet -f id").text(),
            "snappy.parquet:2\nzstd.parquet:2\n"
        );
        let which = place.run("which f snappy.parquet -f id");
        assert_eq!(which.text().lines().filter(|line| !line.ends_with("\tnone")).count(), 3);
        // The filter keeps the field, and takes it from a file of any form.
        place.build("ids", b"", "snappy.parquet -f id");
        assert_eq!(place.run("has -c ids zstd.parquet").quiet(), (0, &b"150\n"[..]));
        place.write("a.csv", "x,id\n1,149\n2,150\n");
        assert_eq!(place.run("has ids a.csv").quiet(), (0, &b"x,id\n1,149\n"[..]));
        assert_eq!(
            place.run_with("has ids", b"{\"id\":149}\n{\"id\":150}\n").quiet(),
            (0, &b"{\"id\":149}\n"[..])
        );
        assert!(place.run("info ids").text().contains("field \"id\" of rows"));
        // Of a CSV file, of JSON, and of a Parquet file together.
        place.build("all", b"", "a.csv zstd.parquet -f id");
        assert_eq!(place.run("info --json all").json()[0]["keys_inserted"], 152);
    }

    #[test]
    fn verbs_that_change_a_filter_and_uniq() {
        let place = place(&["none", "lz4"]);
        place.build("d", b"", "none.parquet -f id --deletable");
        let info = |file: &str| place.run(&format!("info --json {file}")).json();
        place.write("few.csv", "id\n0\n1\n");
        assert_eq!(place.run("remove -q d few.csv").code, 0);
        assert_eq!(place.run("has -v d lz4.parquet").quiet(), (0, &b"id\n0\n1\n"[..]));
        assert_eq!(place.run("add -q d few.csv").code, 0);
        assert_eq!(place.run("remove -q d lz4.parquet").code, 0);
        assert_eq!(info("d")[0]["keys_inserted"], 0);
        place.build("g", b"", "few.csv -f id --growing");
        assert_eq!(place.run("add -q g lz4.parquet").code, 0);
        assert_eq!(info("g")[0]["keys_inserted"], 150);
        assert_eq!(place.run("test -q g --members lz4.parquet").code, 0);
        let test = place.run("test --json g --members lz4.parquet").json();
        assert_eq!((&test["members"], &test["members_missed"]), (&150.into(), &0.into()), "{test}");
        let first = place.run("uniq --state s lz4.parquet -f id -n 1000");
        assert_eq!((first.code, first.text().lines().count()), (0, 151));
        let first = place.run("uniq lz4.parquet -f id --count-new");
        assert!(first.text().starts_with("150 new, 0 seen before"), "{}", first.text());
        assert_eq!(place.run("uniq --state s none.parquet -f id").quiet(), (1, &b"id\n"[..]));
    }

    #[test]
    fn two_columns_for_segments_and_for_a_map() {
        let place = place(&["old"]);
        place.build("s", b"", "old.parquet -f id --by flag");
        let row = |verb: &str, rows: &[u8]| place.run_with(verb, rows).text().to_owned();
        assert_eq!(row("which s", b"id\n0\n1\n"), "id\tsegments\n0\ttrue\n1\tfalse\n");
        place.build("m", b"", "old.parquet -f who.name --map flag");
        assert_eq!(row("get m", b"who.name\ntop 0\ntop 1\n"), "who.name\tvalue\ntop 0\ttrue\ntop 1\tfalse\n");
        // A row without a name of its segment.
        let ran = place.run("build -q old.parquet -f id --by /who/name -o x");
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("old.parquet: row 6: --by: no value (NULL); expected a key"), "{}", ran.err);
    }

    #[test]
    fn rows_without_a_value_have_no_key() {
        let place = place(&["gzip"]);
        for flags in ["", "--empty-keys"] {
            let ran = place.run(&format!("build gzip.parquet -f name -o f -p 1e-9 --force {flags}"));
            let told = "; 6 records without a value are no keys\nkeys: column \"name\" of a Parquet file\n";
            assert!(ran.code == 0 && ran.err.ends_with(told), "{}", ran.err);
            assert_eq!(place.run("has -v -c f gzip.parquet").text(), "6\n");
            assert_eq!(place.run("test -q f --members gzip.parquet").code, 0);
            let json = place.run(&format!("add --json -q f gzip.parquet --past-promise {flags}"));
            assert_eq!(json.json()["empty_records"], 6);
        }
        // Neither side has them, and the empty text is a key.
        place.build("none", b"", "");
        let ran = place.run("has -v -c none gzip.parquet -f name");
        assert_eq!((ran.code, ran.text()), (0, "144\n"));
        place.build("empty", b"\n", "--empty-keys");
        assert_eq!(place.run("has -c empty gzip.parquet -f name --bad skip").text(), "7\n");
        assert_eq!(place.run("which empty gzip.parquet -f nothing --bad skip").text().lines().count(), 151);
    }

    #[test]
    fn texts_of_any_bytes_are_quoted_and_one_key_each() {
        let place = place(&["delta"]);
        place.build("f", b"", "delta.parquet -f name --bad skip");
        for key in ["a,b", "say \"so\"", "two\nlines", "", "ends with\r", "é"] {
            let mut command = place.command("has -q f -e");
            command.arg(key);
            assert_eq!(crate::place::finish(command).code, 0, "{key:?}");
        }
        let rows = place.run("has -n f delta.parquet --bad skip").text().to_owned();
        assert!(rows.contains("\n1:\"a,b\"\n2:name 1\n"), "{rows}");
        // The row after one with a line end in it.
        assert!(rows.contains("\"two\nlines\"\n"), "{rows}");
        assert!(rows.ends_with("\n150:name 29\n"), "{rows}");
    }

    #[test]
    fn what_is_refused_and_what_to_do() {
        let place = place(&["snappy", "brotli", "empty"]);
        let bytes = place.read("snappy.parquet");
        place.write("p.parquet.gz", gzip(&bytes));
        place.write("p.zst", zstd(&bytes));
        place.write("cut.parquet", &bytes[..bytes.len() - 1]);
        place.write("list.parquet", "a\nb\n");
        place.build("lines", b"a\n", "");
        assert_eq!(place.run_with("uniq --state state", b"a\n").code, 0);
        for (args, expected) in [
            ("build snappy.parquet -o f", "a Parquet file with the columns \"id\", \"name\", "),
            (
                "build snappy.parquet -o f",
                "; say which one is the key: tepal build -f id snappy.parquet -o f\n",
            ),
            (
                "build snappy.parquet -o f --whole",
                "a Parquet file, which has columns and no lines; say with -f which",
            ),
            (
                "uniq snappy.parquet --state state",
                ", and the keys of state are whole lines; name another state\n",
            ),
            ("uniq snappy.parquet", "say which one is the key: tepal uniq -f id snappy.parquet\n"),
            ("has lines snappy.parquet", "a Parquet file, which has columns and no lines; say with -f which"),
            (
                "build snappy.parquet -f nam -o f",
                "no column named \"nam\"; did you mean \"name\"?; those that can be",
            ),
            (
                "build snappy.parquet -f 99 -o f",
                "no column 99: the file has 19; those that can be keys are \"id\"",
            ),
            (
                "build snappy.parquet -f who -o f",
                "the column \"who\" is a group; name a column in it: \"/who/name\", \"/who/id.x\"",
            ),
            (
                "build snappy.parquet -f tags -o f",
                "the column \"tags\" is a list, map or group; no row has one value",
            ),
            (
                "build snappy.parquet -f rate -o f",
                "the column \"rate\" is a floating-point number, which has no single",
            ),
            (
                "build snappy.parquet -f at -o f",
                "the column \"at\" is a timestamp, which has no single text form",
            ),
            ("build snappy.parquet -f id --by nam -o f", "--by: no column named \"nam\""),
            ("build -0 snappy.parquet -f id -o f", "a Parquet file, whose rows are no text; leave out -0"),
            ("build --csv snappy.parquet -f id -o f", "leave out --csv, --tsv or -d"),
            ("build brotli.parquet -f id -o f", "packed with BROTLI, which is not read; write it with zstd"),
            ("build p.parquet.gz -f id -o f", "a packed Parquet file; unpack it into a file first"),
            ("build p.zst -f id -o f", "a packed Parquet file; unpack it into a file first"),
            (
                "build cut.parquet -f id -o f",
                "a damaged Parquet file (it does not end with PAR1, so it is cut)",
            ),
            ("build list.parquet -o f", "named as Parquet, and begins with \"a\""),
        ] {
            let ran = place.run(args);
            assert_eq!((ran.code, ran.out.len(), ran.err.lines().count()), (2, 0, 1), "{args}: {}", ran.err);
            assert!(ran.err.contains(expected), "{args}: {}", ran.err);
        }
        let ran = place.run_with("build -f id -o f", &bytes);
        assert!(
            ran.err.contains("a Parquet file from a pipe, and its columns are found from its end"),
            "{}",
            ran.err
        );
        assert!(!place.names().contains(&"f".to_owned()));
        // A file without rows is an empty list.
        place.build("none", b"", "empty.parquet -f name");
        assert_eq!(place.run("info --json none").json()[0]["keys_inserted"], 0);
        // Another name changes nothing.
        place.write("data", &bytes);
        assert_eq!(place.run("has -c lines data -f id").quiet(), (1, &b"0\n"[..]));
    }

    #[test]
    fn a_file_with_a_damaged_page_is_answered_up_to_there() {
        let place = place(&["gzip"]);
        let mut bytes = place.read("gzip.parquet");
        // The pages of the last row group are before the footer.
        let len = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize;
        let end = bytes.len() - 8 - len;
        bytes[end * 2 / 3..end].fill(0);
        place.write("gzip.parquet", bytes);
        place.build("none", b"", "");
        let ran = place.run("has -v -j 1 none gzip.parquet -f id --no-header");
        assert_eq!(ran.code, 2);
        assert!(ran.out.starts_with(b"0\n1\n2\n"), "{}", ran.text());
        let expected = "tepal: gzip.parquet: unreadable Parquet data after row ";
        assert!(ran.err.starts_with(expected) && ran.err.lines().count() == 1, "{}", ran.err);
        let ran = place.run("build gzip.parquet -f id -o f");
        assert_eq!((ran.code, ran.out.len()), (2, 0));
        assert!(!place.names().contains(&"f".to_owned()));
    }
}
