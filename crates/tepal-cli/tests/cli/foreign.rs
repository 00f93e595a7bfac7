//! Other programs' files that are not what they seem, and the forms and chains that they can be
//! written in.

use std::fs;
use std::path::Path;

use serde_json::Value;

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
             tail -c +1207 t.parquet | head -c 47 > FILTER (ask it with --keys int64); row group 0, column who.name: tail -c +1254 t.parquet",
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
    assert!(
        String::from_utf8_lossy(&ran.stderr)
            .contains(&format!("row group 1, column id: {command} (ask it with --keys int64);"))
    );
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

/// A case of a golden folder, and its keys as lines.
fn case(format: &str, name: &str) -> Value {
    let index: Value = serde_json::from_slice(&golden(&format!("{format}/index.json"))).unwrap();
    let mut cases = index["cases"].as_array().unwrap().iter();
    cases.find(|case| case["name"] == name).unwrap().clone()
}

/// The keys as rows of CSV, which can hold any bytes.
fn rows(case: &Value) -> Vec<u8> {
    let keys = case["inserted"].as_array().unwrap().iter().map(|key| key.as_str().unwrap());
    let bytes = |key: &str| -> Vec<u8> {
        match key.split_once(':').unwrap() {
            ("str", text) => text.as_bytes().to_vec(),
            (_, hex) => {
                let digit = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
                (0..hex.len() / 2).map(digit).collect()
            }
        }
    };
    let quoted = |key: Vec<u8>| key.into_iter().flat_map(|b| if b == b'"' { vec![b, b] } else { vec![b] });
    keys.flat_map(|key| [b"\"".to_vec(), quoted(bytes(key)).collect(), b"\"\n".to_vec()].concat()).collect()
}

/// `build` and `add` give the server's own file, to the last byte, from what `BF.RESERVE` was told.
#[test]
fn chains_grow_as_the_servers() {
    let place = Place::new();
    let random = "--valkey-seed 056b6c2429e6bf422a199a667f1040ace86e01194328e3495a38bbb1fa7bfd9d";
    for (format, name, flags) in [
        ("redisbloom", "default_reserve", "-n 100 --expansion 2"),
        ("redisbloom", "single", "-n 320 -p 3% --expansion 2"),
        ("redisbloom", "cap_error", "-n 20 -p 25% --expansion 2"),
        ("redisbloom", "scaled_x2", "-n 40 -p 5% --expansion 2"),
        ("redisbloom", "scaled_x4", "-n 20 -p 1% --expansion 4"),
        ("redisbloom", "sparse", "-n 3000 -p 0.0001"),
        ("valkey-bloom", "fixed_seed_single", "-n 400 -p 5% --expansion 2"),
        ("valkey-bloom", "random_seed_scaled", &format!("-n 50 -p 5% --expansion 2 {random}")),
    ] {
        let case = case(format, name);
        let expected = golden(&format!("{format}/{name}.bin"));
        let keys = rows(&case);
        place.write("keys", &keys);
        let build = format!("build -q --csv -f 1 --to {format} {flags} --force --allow-empty -o");
        quiet(&place, &format!("{build} f keys"));
        assert!(place.read("f") == expected, "{name}");
        // Half of them later; and all of them into an empty one.
        let half = keys.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(5).unwrap().0 + 1;
        for at in [0, half] {
            place.write("first", &keys[..at]);
            place.write("second", &keys[at..]);
            quiet(&place, &format!("{build} f first"));
            quiet(&place, &format!("add -q f --csv -f 1 second --from {format}"));
            assert!(place.read("f") == expected, "{name} {at}");
        }
    }
}

/// Without the flag a filter is for the keys of the list, and does not grow.
#[test]
fn what_is_not_told_to_grow_does_not() {
    let place = Place::new();
    place.write("keys", (0..50).map(|n| format!("{n}\n")).collect::<String>());
    place.write("more", (50..2000).map(|n| format!("{n}\n")).collect::<String>());
    for (format, at, fixed, growing) in [("redisbloom", 24, 13, 5), ("valkey-bloom", 1, 0, 7)] {
        quiet(&place, &format!("build -q keys --to {format} -o fixed --force"));
        quiet(&place, &format!("build -q keys --to {format} -o growing --expansion 7 --force"));
        assert_eq!((place.read("fixed")[at], place.read("growing")[at]), (fixed, growing), "{format}");
        let page = |name: &str| place.run(&format!("info {name} --from {format}")).text().to_owned();
        assert!(page("fixed").contains("\ngrowth      none: when it is full, it refuses more keys\n"));
        assert!(
            page("growing")
                .contains("\ngrowth      when it is full, a filter for 7 times the keys follows\n")
        );
        let parts = ["fixed: full, and made not to grow", "or so that it grows (--expansion 2)"];
        refused(&place, &format!("add fixed more --from {format}"), &parts);
        let parts = [
            "more: more different keys than the filter has room for, 9",
            "or let it grow with --expansion 2",
        ];
        refused(&place, &format!("build more -n 9 --to {format} -o none"), &parts);
        quiet(&place, &format!("add -q growing more --from {format}"));
        assert_eq!(place.run(&format!("has -c growing more --from {format}")).text(), "1950\n");
        let told = place.run(&format!("info --json growing --from {format}")).json();
        assert_eq!(told[0]["filters"].as_array().unwrap().len(), 3, "{format}");
        assert_eq!(told[0]["expansion"], 7, "{format}");
        let told = place.run(&format!("info --json fixed --from {format}")).json();
        assert_eq!(told[0]["expansion"], Value::Null, "{format}");
    }
}

#[test]
fn flags_of_chains_are_refused_elsewhere() {
    let place = Place::new();
    place.write("keys", "a\n");
    let seed = "01".repeat(16) + &"2".repeat(32);
    for (args, parts) in [
        ("--expansion 2", &["--expansion belongs to --to redisbloom and --to valkey-bloom"][..]),
        ("--expansion 2 --to guava", &["--expansion belongs to --to redisbloom"]),
        ("--expansion 2 --scheme redisbloom", &["--expansion belongs to --to redisbloom"]),
        ("--expansion 2 --to redisbloom -s 1MiB", &["-s and --expansion are given", "leave -s out"]),
        ("--expansion 2 --to valkey-bloom -k 3", &["-k and --expansion are given", "leave -k out"]),
        ("--expansion 2 --to redisbloom -p 30%", &["-p is 0.3, and RedisBloom makes 0.25", "give -p 0.25"]),
        (&format!("--valkey-seed {seed}"), &["belongs to the scheme valkey-bloom, not to xxh3"]),
        (&format!("--valkey-seed {seed} --to redisbloom"), &["not to redisbloom; say --to valkey-bloom"]),
        ("--form dump", &["--form dump belongs to --to redisbloom, and files of tepal have one form"]),
        ("--form pairs --to dcso", &["--form pairs belongs to --to redisbloom", "files of dcso"]),
    ] {
        refused(&place, &format!("build keys -o f {args}"), parts);
    }
    for args in [
        "--expansion 0 --to redisbloom",
        "--expansion x --to redisbloom",
        "--valkey-seed 00 --to valkey-bloom",
        &format!("--valkey-seed {seed} --seed 1 --to valkey-bloom"),
        "--form json --to redisbloom",
    ] {
        assert_eq!(place.run(&format!("build keys -o f {args}")).code, 2, "{args}");
    }
    quiet(&place, "build -q keys -o f --to dcso");
    refused(&place, "convert f -o g --to tepal --form dump", &["--form dump belongs to --to redisbloom"]);
}

/// The seed is in the file, and what `info` shows is what `--valkey-seed` takes: two filters of one
/// seed can be united.
#[test]
fn the_seed_of_valkey_is_shown_and_taken() {
    let place = Place::new();
    place.write("theirs", golden("valkey-bloom/random_seed_scaled.bin"));
    let told = place.run("info --json theirs --from valkey-bloom").json();
    let seed = told[0]["valkey_seed"].as_str().unwrap().to_owned();
    assert_eq!(seed, "056b6c2429e6bf422a199a667f1040ace86e01194328e3495a38bbb1fa7bfd9d");
    let page = place.run("info theirs --from valkey-bloom");
    assert!(page.text().contains(&format!("\nhash        valkey-bloom with seed {seed}; keys are")));
    place.write("keys", "a\n");
    quiet(
        &place,
        &format!("build -q keys -n 9 --to valkey-bloom -o ours --valkey-seed {}", seed.to_uppercase()),
    );
    assert_eq!(place.run("info --json ours --from valkey-bloom").json()[0]["valkey_seed"], seed);
    // The mark of a seed that was drawn.
    assert_eq!(place.read("ours")[21], 1);
    quiet(&place, "build -q keys -n 9 --to valkey-bloom -o fixed");
    assert_eq!(place.read("fixed")[21], 0);
    // A tepal file keeps it too, and goes back into the same blob.
    let flags = format!("--scheme valkey-bloom --valkey-seed {seed}");
    quiet(&place, &format!("build -q keys -n 9 -o plain {flags}"));
    quiet(&place, "convert -q plain -o back --to valkey-bloom");
    assert!(place.read("back") == place.read("ours"));
}

/// Pairs become a payload and a payload pairs, without a word of loss.
#[test]
fn both_forms_of_redisbloom() {
    let place = Place::new();
    place.write("pairs", golden("redisbloom/scaled_x2.bin"));
    place.write("theirs", golden("redisbloom/scaled_x2.redis-dump"));
    let ran = place.run("convert pairs -o dump --to redisbloom --form dump");
    assert_eq!(ran.err, "redisbloom to redisbloom (dump), scheme redisbloom: the same bits\n");
    // All but the version of Redis 7.0, and the checksum with it.
    let (ours, theirs) = (place.read("dump"), place.read("theirs"));
    let end = theirs.len() - 10;
    assert_eq!((ours.len(), &ours[..end], &ours[end..end + 2]), (theirs.len(), &theirs[..end], &[9, 0][..]));
    for dump in ["dump", "theirs"] {
        quiet(&place, &format!("convert -q {dump} -o back --to redisbloom --form pairs --force"));
        assert!(place.read("back") == place.read("pairs"));
        // What is not told stays what it is.
        quiet(&place, &format!("convert -q {dump} -o same --to redisbloom --force"));
        assert!(place.read("same") == place.read(dump));
    }
    let told = |name: &str| place.run(&format!("info --json {name}")).json()[0]["form"].clone();
    assert_eq!((told("dump"), told("pairs")), ("dump".into(), "pairs".into()));
    assert!(place.run("info dump").text().contains("file of 1,003 bytes (dump)\n"));
    // Built so at once; a tepal file has no form.
    place.write("keys", rows(&case("redisbloom", "scaled_x2")));
    let build = "build -q --csv -f 1 keys --to redisbloom -n 40 -p 5% --expansion 2 -o built --form";
    quiet(&place, &format!("{build} dump"));
    assert!(place.read("built") == ours);
    quiet(&place, "add -q --text built keys");
    assert_eq!(told("built"), "dump");
    quiet(&place, "build -q --text keys -o own");
    assert_eq!(told("own"), Value::Null);
}
