//! The golden files of other programs (`testdata/golden`) through the real program: asked, added
//! to, merged and converted.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tepal::{KeyDomain, Open, Opened, file::Format};

use crate::place::Place;

/// A case of the index of a format.
struct Case {
    format: Format,
    encoding: KeyDomain,
    case: Value,
    folder: PathBuf,
}

/// All cases whose keys can be given on a command line.
fn cases(format: Format) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden").join(format.name());
    let index: Value = serde_json::from_str(&fs::read_to_string(folder.join("index.json")).unwrap()).unwrap();
    let cases = index["cases"].as_array().unwrap().iter();
    let cases = cases.filter(|case| case["params"]["keys"] != "mixed");
    let cases = cases.map(|case| Case {
        format,
        encoding: encoding(format, case),
        case: case.clone(),
        folder: folder.clone(),
    });
    cases.collect()
}

fn encoding(format: Format, case: &Value) -> KeyDomain {
    let kind = case["params"].get("funnel").or(case["params"].get("keys")).and_then(Value::as_str);
    match kind {
        Some("long") => KeyDomain::Integer,
        Some("int") => KeyDomain::Integer32,
        Some("unencoded" | "utf16le") => KeyDomain::Utf16,
        Some("double") => KeyDomain::Float64,
        Some("float") => KeyDomain::Float32,
        Some("bytes" | "utf8") | None => KeyDomain::Bytes,
        other => panic!("{} {other:?}", format.name()),
    }
}

/// A key as it is written on a command line.
fn key(text: &str) -> Vec<u8> {
    let (kind, value) = text.split_once(':').unwrap();
    match kind {
        "str" | "i32" | "i64" => value.as_bytes().to_vec(),
        "hex" => {
            (0..value.len()).step_by(2).map(|i| u8::from_str_radix(&value[i..i + 2], 16).unwrap()).collect()
        }
        "f64bits" => f64::from_bits(u64::from_str_radix(value, 16).unwrap()).to_string().into_bytes(),
        "f32bits" => f32::from_bits(u32::from_str_radix(value, 16).unwrap()).to_string().into_bytes(),
        _ => panic!("{text}"),
    }
}

/// A row of CSV, which can hold any bytes.
fn row(key: &[u8]) -> Vec<u8> {
    let quoted = key.iter().flat_map(|&byte| if byte == b'"' { vec![byte, byte] } else { vec![byte] });
    [b"\"".to_vec(), quoted.collect(), b"\"\n".to_vec()].concat()
}

fn rows(keys: &[Vec<u8>]) -> Vec<u8> {
    keys.iter().flat_map(|key| row(key)).collect()
}

impl Case {
    fn name(&self) -> &str {
        self.case["name"].as_str().unwrap()
    }

    fn keys(&self, list: &str) -> Vec<Vec<u8>> {
        self.case[list].as_array().unwrap().iter().map(|text| key(text.as_str().unwrap())).collect()
    }

    fn files(&self) -> Vec<Vec<u8>> {
        let names = ["bin", "json", "dump"].into_iter();
        let names = names.filter_map(|form| self.case["files"].get(form)?["file"].as_str());
        names.map(|name| fs::read(self.folder.join(name)).unwrap()).collect()
    }

    /// The flags that say what the file does not.
    fn flags(&self) -> String {
        format!("--from {} --keys {}", self.format, self.encoding)
    }

    /// Whether insert `i` was refused.
    fn refused(&self, i: usize) -> bool {
        self.case["insert_result"].as_str().is_some_and(|all| all.as_bytes().get(i) == Some(&b'e'))
    }

    fn param(&self, name: &str) -> &str {
        self.case["params"].get(name).and_then(Value::as_str).unwrap_or("")
    }

    /// The file read by the library.
    fn read(&self, bytes: &[u8]) -> Opened {
        let open = Open::new().format(self.format).key_domain(self.encoding);
        open.from_bytes(bytes).unwrap()
    }
}

const FOREIGN: [Format; 7] = [
    Format::Guava,
    Format::Spark,
    Format::ParquetSbbf,
    Format::BitsAndBlooms,
    Format::Dcso,
    Format::RedisBloom,
    Format::ValkeyBloom,
];

fn all_files() -> impl Iterator<Item = (Case, Vec<u8>)> {
    FOREIGN.into_iter().flat_map(cases).flat_map(|case| {
        let files = case.files();
        files.into_iter().map(move |bytes| {
            let case = Case { case: case.case.clone(), folder: case.folder.clone(), ..case };
            (case, bytes)
        })
    })
}

#[test]
fn has_answers_as_the_real_programs_do() {
    let place = Place::new();
    for (case, bytes) in all_files() {
        place.write("f", &bytes);
        let inserted = case.keys("inserted");
        let held: Vec<Vec<u8>> =
            (0..inserted.len()).filter(|&i| !case.refused(i)).map(|i| inserted[i].clone()).collect();
        let probes = case.keys("absent_probes");
        let answers = case.case["absent_answers"].as_str().unwrap().bytes();
        let wrong: Vec<Vec<u8>> = probes
            .iter()
            .zip(answers)
            .filter(|(_, answer)| *answer == b'1')
            .map(|(key, _)| key.clone())
            .collect();
        place.write("asked", [rows(&held), rows(&probes)].concat());
        let ran = place.run(&format!("has --csv -f 1 f asked {}", case.flags()));
        assert_eq!(ran.err, "", "{}", case.name());
        assert!(ran.out == [rows(&held), rows(&wrong)].concat(), "{} {}", case.format, case.name());
        assert_eq!(ran.code, if held.is_empty() && wrong.is_empty() { 1 } else { 0 });
        // The file's own mark is enough where it has one.
        if Format::of(&bytes).is_some() {
            let again = place.run(&format!("has --csv -f 1 f asked --keys {}", case.encoding));
            assert!(again.out == ran.out && again.err.is_empty(), "{}", case.name());
        }
    }
}

#[test]
fn info_tells_what_it_is() {
    let place = Place::new();
    for (case, bytes) in all_files() {
        place.write("f", &bytes);
        let ran = place.run(&format!("info f {}", case.flags()));
        assert_eq!(ran.code, 0, "{}: {}", case.name(), ran.err);
        let page = ran.text();
        assert!(page.lines().next().unwrap().ends_with(&format!("in the format {}", case.format)), "{page}");
        assert!(page.contains("\nfill ") && page.contains("\nunrecorded "), "{page}");
        let json = place.run(&format!("info --json f {}", case.flags())).json();
        let told = &json[0];
        assert_eq!(told["format"], case.format.name());
        assert_eq!(told["key_domain"], case.encoding.to_string());
        assert_eq!(told["file_len"], bytes.len());
        let file = case.read(&bytes);
        let parts = file.filter().facts().parts;
        assert_eq!(told["filters"].as_array().unwrap().len(), parts.len());
        assert_eq!(told["filters"][0]["bit_len"], parts[0].bit_len);
        assert_eq!(told["filters"][0]["num_hashes"], parts[0].num_hashes);
        assert_eq!(told["scheme"], file.filter().scheme().to_string());
    }
    place.write("chain", fs::read(cases(Format::RedisBloom)[3].folder.join("scaled_x2.bin")).unwrap());
    let page = place.run("info chain").text().to_owned();
    assert!(page.contains("chain of 4 Bloom filters"), "{page}");
    assert!(page.contains("\n             4.          205 of          320 keys"), "{page}");
}

/// The folder, and the flags that make the filter of a case of one of the five articles.
fn article(name: &str, case: &Value) -> Option<String> {
    let param = |name: &str| case["params"].get(name).and_then(Value::as_str);
    let (bits, k) = (case["layout"]["m"].as_u64().unwrap(), &case["layout"]["k"]);
    let sized = (bits % 8 == 0).then(|| format!("-n 1000 -s {} -k {k}", bits / 8));
    match (name, param("preset")) {
        ("md5-presets", Some(preset)) => {
            Some(format!("--preset {} -n {}", preset.to_lowercase(), param("n")?))
        }
        ("md5-split", _) => Some(format!("--md5-split i{} {}", param("i0")?, sized?)),
        ("sha384", _) => Some("-n 20M -p 1%".to_owned()),
        ("bkdr7", _) => Some(String::new()),
        // A filter of 2^32 bits is too much for a test.
        _ if bits > 1 << 31 => None,
        _ => sized,
    }
}

#[test]
fn the_five_articles_filters_answer_as_their_programs_do() {
    let place = Place::new();
    let mut checked = 0;
    for scheme in ["md5-presets", "md5-split", "bkdr7", "fnv-crc", "sha384"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
        let text = fs::read_to_string(folder.join(format!("legacy-{scheme}/index.json"))).unwrap();
        let index: Value = serde_json::from_str(&text).unwrap();
        for case in index["cases"].as_array().unwrap() {
            let Some(flags) = article(scheme, case) else { continue };
            let keys = |list: &str| -> Vec<Vec<u8>> {
                case[list].as_array().unwrap().iter().map(|text| key(text.as_str().unwrap())).collect()
            };
            let (inserted, probes) = (keys("inserted"), keys("absent_probes"));
            place.write("keys", rows(&inserted));
            let build = format!(
                "build -q --csv -f 1 keys -o f --force --over ignore --empty-keys --scheme {scheme} {flags}"
            );
            let ran = place.run(&build);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{build}");
            place.write("asked", rows(&probes));
            let answers = case["absent_answers"].as_str().unwrap().bytes();
            let held = probes.iter().zip(answers).filter(|(_, answer)| *answer == b'1');
            let wrong: Vec<u8> = held.flat_map(|(key, _)| row(key)).collect();
            let ran = place.run("has -I --csv -f 1 f keys asked");
            assert!(ran.out == [rows(&inserted), wrong].concat(), "{scheme} {}", case["name"]);
            let json = place.run("info --json f").json();
            assert_eq!(json[0]["bit_len"], case["layout"]["m"], "{scheme} {}", case["name"]);
            assert_eq!(json[0]["num_hashes"], case["layout"]["k"], "{scheme} {}", case["name"]);
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked}");
}

/// Keys that none of the files has.
fn new_keys(encoding: KeyDomain) -> Vec<Vec<u8>> {
    let letter = if matches!(encoding, KeyDomain::Bytes | KeyDomain::Utf16) { "x" } else { "" };
    (90_000_000..90_000_300).map(|n| format!("{letter}{n}").into_bytes()).collect()
}

#[test]
fn add_writes_what_the_library_writes() {
    let place = Place::new();
    for (case, bytes) in all_files() {
        place.write("f", &bytes);
        let keys = new_keys(case.encoding);
        place.write("more", rows(&keys));
        let mut file = case.read(&bytes);
        let full = keys.iter().any(|key| file.insert(key).is_err());
        let ran = place.run(&format!("add f --csv -f 1 more {}", case.flags()));
        if full {
            assert_eq!(ran.code, 2, "{}", case.name());
            assert!(ran.err.starts_with("tepal: f: full, and made not to grow"), "{}", ran.err);
            assert_eq!(ran.err.lines().count(), 1);
            assert!(place.read("f") == bytes);
            continue;
        }
        assert_eq!(ran.code, 0, "{}: {}", case.name(), ran.err);
        assert!(place.read("f") == file.to_bytes().unwrap(), "{}", case.name());
        let asked = place.run(&format!("has -c --csv -f 1 f more {}", case.flags()));
        assert_eq!(asked.text(), "300\n", "{}", case.name());
        assert_eq!(place.names(), ["f", "more"]);
    }
}

#[cfg(unix)]
#[test]
fn add_keeps_the_mode() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("f", fs::read(cases(Format::Dcso)[0].folder.join("go_utf8.bin")).unwrap());
    fs::set_permissions(place.path("f"), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(place.run_with("add -q f", b"new\n").code, 0);
    assert_eq!(fs::metadata(place.path("f")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(place.run("has -q f -e new").code, 0);
}

/// The flags that give a filter of the case's size, where its program sized it as ours does.
fn sized(case: &Case) -> Option<String> {
    let rate = ["fpp", "fp", "p"].map(|name| case.param(name)).into_iter().find(|p| !p.is_empty());
    let keys = ["expectedInsertions", "n"].map(|name| case.param(name)).into_iter().find(|n| !n.is_empty());
    let layout = &case.case["layout"];
    let by_bits = |bits: &Value| Some(format!("-n 1000 -s {} -k {}", bits.as_u64()? / 8, layout["k"]));
    match (case.format, keys, rate) {
        (Format::Guava, ..) if case.name().ends_with("guava31") || keys == Some("0") => None,
        (Format::Dcso, ..) if !case.param("data").is_empty() => None,
        (Format::Guava | Format::BitsAndBlooms | Format::Dcso, Some(n), Some(p)) => {
            Some(format!("-n {n} -p {p}"))
        }
        (Format::Spark, ..) if case.param("seed") == "0" => by_bits(&layout["m_bits"]),
        _ => None,
    }
}

#[test]
fn half_built_and_half_added_is_the_real_programs_file() {
    let place = Place::new();
    let mut checked = 0;
    for (case, bytes) in FOREIGN.into_iter().flat_map(cases).map(|case| {
        let bytes = case.files().swap_remove(0);
        (case, bytes)
    }) {
        let Some(size) = sized(&case) else { continue };
        let keys = case.keys("inserted");
        let (first, second) = keys.split_at(keys.len() / 2);
        place.write("first", rows(first));
        place.write("second", rows(second));
        let scheme = case.read(&bytes).filter().scheme();
        let ran = place.run(&format!(
            "build -q --csv -f 1 first -o f --force --allow-empty --over ignore --to {} --scheme {scheme} --keys {} {size}",
            case.format, case.encoding
        ));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", case.name());
        let ran = place.run(&format!("add -q f --csv -f 1 second {}", case.flags()));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", case.name());
        assert!(place.read("f") == bytes, "{} {}", case.format, case.name());
        checked += 1;
    }
    assert!(checked >= 25, "{checked}");
}

#[test]
fn merged_with_itself_it_has_the_same_keys() {
    let place = Place::new();
    for (case, bytes) in all_files() {
        place.write("f", &bytes);
        let ran = place.run(&format!("merge f f -o twice --force {}", case.flags()));
        assert_eq!(ran.code, 0, "{}: {}", case.name(), ran.err);
        assert!(ran.err.starts_with("2 filters merged: about "), "{}", ran.err);
        let (one, two) = (case.read(&bytes), case.read(&place.read("twice")));
        assert!(one.filter() == two.filter(), "{}", case.name());
    }
}

#[test]
fn there_and_back_it_is_the_same_file() {
    let place = Place::new();
    for (case, bytes) in all_files() {
        place.write("f", &bytes);
        let ran = place.run(&format!("convert f -o ours --to tepal --force {}", case.flags()));
        if case.read(&bytes).filter().facts().parts.len() > 1 {
            assert_eq!(ran.code, 2, "{}", case.name());
            assert!(ran.err.contains("it is a chain of"), "{}", ran.err);
            continue;
        }
        assert_eq!(ran.code, 0, "{}: {}", case.name(), ran.err);
        // Our own file says what the keys are, and gives the same answers.
        let keys = case.keys("inserted");
        place.write("keys", rows(&keys));
        let flags = case.flags();
        let expected = place.run(&format!("has --csv -f 1 f keys {flags}"));
        assert_eq!(place.run("has --csv -f 1 ours keys").quiet(), (expected.code, expected.out.as_slice()));
        let back = place.run(&format!("convert -q ours -o back --to {} --force", case.format));
        assert_eq!(back.code, 0, "{}: {}", case.name(), back.err);
        let same = place.read("back") == bytes;
        let warned = ran.err.contains("is not in it, and cannot be had back from it");
        assert_eq!(same, !warned, "{} {}: {}", case.format, case.name(), ran.err);
        if matches!(case.format, Format::Guava | Format::Spark) {
            assert!(same, "{}", case.name());
        }
    }
}

#[test]
fn malformed_files_give_one_line() {
    let place = Place::new();
    for format in FOREIGN {
        // Data after a filter of DCSO may have any length.
        let case = cases(format).into_iter().find(|case| case.param("data").is_empty()).unwrap();
        let bytes = case.files().swap_remove(0);
        for cut in [0, 1, 7, bytes.len() / 2, bytes.len() - 1] {
            place.write("cut", &bytes[..cut]);
            for verb in ["has -e a", "info", "add", "test", "merge -o m", "convert -o m --to tepal"] {
                let ran = place.run(&format!("{verb} cut --from {format}"));
                // A filter cut to a multiple of 32 bytes is one of Parquet's, too.
                if format == Format::ParquetSbbf && cut % 32 == 0 && cut > 0 {
                    continue;
                }
                assert_eq!(ran.code, 2, "{verb} {format} {cut}: {}", ran.err);
                assert_eq!(ran.err.lines().count(), 1, "{verb} {format} {cut}: {}", ran.err);
                assert!(ran.err.starts_with("tepal: cut: ") && ran.out.is_empty(), "{}", ran.err);
            }
        }
    }
    assert_eq!(place.names(), ["cut"]);
}
