//! Other programs' files that are not what they seem, and the forms and chains that they can be written in.

use std::fs;
use std::path::Path;

use crate::place::{Place, Ran};

fn golden(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden").join(name)).unwrap()
}

/// Refused with one line, which has these parts.
fn refused(place: &Place, args: &str, parts: &[&str]) {
    let names = place.names();
    let ran = place.run(args);
    assert_eq!((ran.code, ran.out.as_slice()), (2, &b""[..]), "{args}: {}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{args}: {}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{args}: {part:?} is not in {:?}", ran.err);
    }
    assert_eq!(place.names(), names, "{args}");
}

/// Run without a word.
fn quiet(place: &Place, args: &str) -> Ran {
    let ran = place.run(args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
    ran
}

/// The command lines that the message gives cut out what can be asked.
#[cfg(unix)]
#[test]
fn a_whole_parquet_file_is_named_with_what_cuts_it() {
    let place = Place::new();
    place.write("it's whole.parquet", golden("parquet-sbbf/pyarrow_row_groups.parquet"));
    place.write("t.parquet", golden("parquet-sbbf/pyarrow_row_groups.parquet"));
    for args in ["info t.parquet", "has t.parquet -e 1", "info t.parquet --from parquet-sbbf"] {
        refused(
            &place,
            args,
            &[
                "tepal: t.parquet: a whole Parquet file; cut a filter out of it, and ask that: row group 0, column id: \
             tail -c +1207 t.parquet | head -c 47 > FILTER; row group 0, column who.name: tail -c +1254 t.parquet",
                "row group 1, column who.name: tail -c +1348 t.parquet | head -c 47 > FILTER. A column has one for each",
            ],
        );
    }
    let command = "tail -c +1301 'it'\\''s whole.parquet' | head -c 47 > FILTER";
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_tepal"))
        .args(["info", "it's whole.parquet"])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&ran.stderr).contains(&format!("row group 1, column id: {command};")));
    let shell = std::process::Command::new("sh").args(["-c", command]).current_dir(place.path("")).status();
    assert!(shell.unwrap().success());
    assert_eq!(place.run("has FILTER --keys int64 -e 20 -e 39").text(), "20\n39\n");

    for (name, parts) in [
        (
            "without",
            ["not a tepal filter: it is a whole Parquet file, without Bloom filters", "--to parquet-sbbf"],
        ),
        ("encrypted", ["a whole Parquet file, whose footer is encrypted", "decrypt it first"]),
    ] {
        place.write("f", golden(&format!("parquet-sbbf/pyarrow_{name}.parquet")));
        refused(&place, "info f", &parts);
    }
    let whole = place.read("t.parquet");
    place.write("f", &whole[..whole.len() - 1]);
    refused(
        &place,
        "info f",
        &["begins as a Parquet file does", "it does not end with PAR1", "get the file again"],
    );
    // Nothing in the name of a column steers a terminal, or ends the line.
    let at = whole.windows(4).rposition(|bytes| bytes == b"name").unwrap();
    let mut steering = whole.clone();
    steering[at..at + 4].copy_from_slice(b"\x1b[2\n");
    place.write("f", steering);
    refused(&place, "info f", &["column who.\\u{1b}[2\\n: tail"]);
}

#[test]
fn one_line_end_behind_a_dump_is_named() {
    let place = Place::new();
    let dump = golden("redisbloom/single.redis-dump");
    place.write("f", [&dump[..], b"\n"].concat());
    for args in ["info f", "info f --from redisbloom", "add f", "convert f -o g --to tepal"] {
        let parts =
            ["f: not a tepal filter: it is a DUMP payload of Redis with one line end", "head -c -1 FILTER"];
        refused(&place, args, &parts);
    }
    place.write("f", dump);
    quiet(&place, "info f");
}
