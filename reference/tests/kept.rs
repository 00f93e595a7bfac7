//! The kept files in `testdata/kept`, read by the reference: the same answers, the same bytes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tepal_reference::chain;
use tepal_reference::hash::finish;
use tepal_reference::read::read;
use tepal_reference::write::write;

#[test]
fn the_reference_reads_every_kept_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/kept/v1");
    let (mut files, mut sealed) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // A file without its zeros is megabytes; the reference keeps a byte a bit.
        if path.extension().is_none_or(|extension| extension != "tepal") {
            continue;
        }
        let json: Value =
            serde_json::from_str(&fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
        let bytes = |name: &str| json[name].as_str().map(hex);
        let secret = bytes("secret_key").map(|key| key.try_into().unwrap());
        let seal = bytes("seal_key");
        let seal = seal.as_deref();
        let file = fs::read(&path).unwrap();
        let filter = read(&file, secret.as_ref(), seal).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(write(&filter, seal).unwrap() == file, "{}", path.display());
        if seal.is_some() {
            assert!(read(&file, secret.as_ref(), None).is_err(), "{}", path.display());
            sealed += 1;
        }

        let members = json["members"].as_u64().unwrap();
        let answers = json["answers_to_others"].as_str().unwrap().bytes().map(|answer| answer == b'1');
        let expected = (0..members).map(|_| true).chain(answers);
        for (i, expected) in (0u64..).zip(expected) {
            // Under scheme 4 what was inserted are finished numbers.
            let found = match json["members_are_hashes"].as_bool() {
                Some(true) => filter.contains_hash(finish(i)),
                _ => {
                    let is_odd = json["key_domain"] == "hex" && i.to_string().len() % 2 == 1;
                    let zero = if is_odd { "0" } else { "" };
                    let key = format!("{}{zero}{i}", json["key_prefix"].as_str().unwrap());
                    filter.contains(key.as_bytes()).unwrap()
                }
            };
            assert_eq!(found, expected, "{}: {i}", path.display());
        }
        files += 1;
    }
    assert!(files >= 44 && sealed >= 4, "only {files} files, {sealed} of them sealed");
}

#[test]
fn the_reference_reads_every_kept_chain() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/kept/v1/chains");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "tepal") {
            continue;
        }
        let json: Value =
            serde_json::from_str(&fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
        let bytes = |name: &str| json[name].as_str().map(hex);
        let secret = bytes("secret_key").map(|key| key.try_into().unwrap());
        let seal = bytes("seal_key");
        let file = fs::read(&path).unwrap();
        let kept = chain::read(&file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(chain::write(&kept, seal.as_deref()).unwrap() == file, "{}", path.display());
        let members = json["members"].as_u64().unwrap();
        let answers = json["answers_to_others"].as_str().unwrap().bytes().map(|answer| answer == b'1');
        for (i, expected) in (0u64..).zip((0..members).map(|_| true).chain(answers)) {
            let found = match json["key_prefix"].as_str() {
                Some(prefix) => kept.contains(format!("{prefix}{i}").as_bytes()).unwrap(),
                None => kept.links.iter().any(|link| link.contains_hash(finish(i))),
            };
            assert_eq!(found, expected, "{}: {i}", path.display());
        }
        files += 1;
    }
    assert!(files >= 5, "{files}");
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}
