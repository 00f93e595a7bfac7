//! The kept files in `testdata/kept`, read by the reference: the same answers, the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tepal_reference::chain;
use tepal_reference::hash::finish;
use tepal_reference::read::read;
use tepal_reference::write::write;
use tepal_reference::{expiring, quotient, ribbon, segment, table};

#[test]
fn the_reference_reads_every_kept_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/kept/v1");
    let (mut files, mut sealed) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Files stored without their zeros have megabytes, too many here: the reference takes a
        // byte for each bit.
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
            // Under scheme 4 finished numbers were inserted as hashes.
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

/// A kept file in the folder of one kind.
struct Kept {
    path: PathBuf,
    json: Value,
    file: Vec<u8>,
    secret: Option<[u8; 16]>,
    seal: Option<Vec<u8>>,
}

fn in_folder(folder: &str) -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/kept/v1").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "tepal"));
    files
        .map(|path| {
            let json: Value =
                serde_json::from_str(&fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
            let bytes = |name: &str| json[name].as_str().map(hex);
            let secret = bytes("secret_key").map(|key| key.try_into().unwrap());
            let (seal, file) = (bytes("seal_key"), fs::read(&path).unwrap());
            Kept { path, json, file, secret, seal }
        })
        .collect()
}

#[test]
fn the_reference_reads_every_kept_expiring_filter() {
    let all = in_folder("expiring");
    for Kept { path, json, file, secret, seal } in &all {
        let mut kept = expiring::read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(expiring::write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        for ages in ["ages", "ages_later"] {
            for (i, digit) in (0u64..).zip(json[ages].as_str().unwrap().bytes()) {
                let age = match json["key_prefix"].as_str() {
                    Some(prefix) => kept.age(format!("{prefix}{i}").as_bytes()).unwrap(),
                    None => kept.age_hash(finish(i)),
                };
                let expected = age.map_or(b'0', |age| if age == 0 { b'1' } else { b'2' });
                assert_eq!(expected, digit, "{}: {i}", path.display());
            }
            if let Some(later) = json["later"].as_str() {
                kept.advance_to(later.parse().unwrap());
            }
        }
    }
    assert!(all.len() >= 6, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_quotient_filter() {
    let all = in_folder("quotient");
    for Kept { path, json, file, secret, seal } in &all {
        let kept = quotient::read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(quotient::write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        for (i, digit) in (0u64..).zip(json["counts"].as_str().unwrap().bytes()) {
            let found = match json["key_prefix"].as_str() {
                Some(prefix) => kept.count(format!("{prefix}{i}").as_bytes()).unwrap(),
                None => kept.count_hash(finish(i)),
            };
            assert_eq!(found, u64::from(digit - b'0'), "{}: {i}", path.display());
        }
    }
    assert!(all.len() >= 6, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_map() {
    let all = in_folder("map");
    assert!(all.len() >= 7, "{}", all.len());
    for Kept { path, json, file, secret, seal } in &all {
        let kept = ribbon::map::read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(ribbon::map::write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        let members = json["members"].as_u64().unwrap();
        let mut pairs = Vec::new();
        for (i, value) in (0u64..).zip(json["values"].as_str().unwrap().split(' ')) {
            let hash = match json["key_prefix"].as_str() {
                Some(prefix) => kept.ribbon.hash_of(format!("{prefix}{i}").as_bytes()).unwrap(),
                None => finish(i),
            };
            let value: Option<u64> = value.parse().ok();
            assert_eq!(kept.get_hash(hash), value, "{}: {i}", path.display());
            if i < members {
                pairs.push((hash, value.unwrap()));
            }
        }
        let mut again = ribbon::map::Map { names: kept.names.clone(), ..kept.clone() };
        again.build(&pairs, kept.ribbon.shape.value_bits).unwrap();
        assert!(again == kept, "{}: built anew", path.display());
    }
}

#[test]
fn the_reference_reads_every_kept_ribbon_filter() {
    let all = in_folder("ribbon");
    for Kept { path, json, file, secret, seal } in &all {
        let kept = ribbon::read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(ribbon::write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        let members = json["members"].as_u64().unwrap();
        let answers = json["answers_to_others"].as_str().unwrap().bytes().map(|answer| answer == b'1');
        let mut hashes = Vec::new();
        for (i, expected) in (0u64..).zip((0..members).map(|_| true).chain(answers)) {
            let hash = match json["key_prefix"].as_str() {
                Some(prefix) => kept.hash_of(format!("{prefix}{i}").as_bytes()).unwrap(),
                None => finish(i),
            };
            assert_eq!(kept.contains_hash(hash), expected, "{}: {i}", path.display());
            hashes.push(hash);
        }
        let mut again = kept.clone();
        let of_ribbon = json["built_of"].as_u64().unwrap_or(members) as usize;
        again.added.clear();
        match kept.numbers {
            0 if json["ribbon"]["picked"].is_null() => again.build_for_speed(&hashes[..of_ribbon]).unwrap(),
            0 => again.build(&hashes[..of_ribbon]).unwrap(),
            all => {
                let held: Vec<u64> = hashes[..of_ribbon].iter().map(|&h| table::number(h, all)).collect();
                again.build_of_table(all, &held).unwrap();
            }
        }
        hashes[of_ribbon..members as usize].iter().for_each(|hash| again.add(*hash));
        assert_eq!(again, kept, "{}", path.display());
    }
    assert!(all.len() >= 11, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_file_with_exceptions() {
    let all = in_folder("exceptions");
    for Kept { path, json, file, secret, seal } in &all {
        let kept = read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        let number = |name: &str| json[name].as_u64().unwrap();
        let answers = json["answers_to_others"].as_str().unwrap().bytes().map(|answer| answer == b'1');
        let strangers = (0..number("known_strangers")).map(|_| false);
        let expected = (0..number("members")).map(|_| true).chain(strangers).chain(answers);
        for (i, expected) in (0u64..).zip(expected) {
            let key = format!("{}{i}", json["key_prefix"].as_str().unwrap());
            assert_eq!(kept.contains(key.as_bytes()).unwrap(), expected, "{}: {i}", path.display());
        }
    }
    assert!(all.len() >= 9, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_chain() {
    let all = in_folder("chains");
    for Kept { path, json, file, secret, seal } in &all {
        let kept = chain::read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(chain::write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        let members = json["members"].as_u64().unwrap();
        let answers = json["answers_to_others"].as_str().unwrap().bytes().map(|answer| answer == b'1');
        for (i, expected) in (0u64..).zip((0..members).map(|_| true).chain(answers)) {
            let found = match json["key_prefix"].as_str() {
                Some(prefix) => kept.contains(format!("{prefix}{i}").as_bytes()).unwrap(),
                None => kept.links.iter().any(|link| link.contains_hash(finish(i))),
            };
            assert_eq!(found, expected, "{}: {i}", path.display());
        }
    }
    assert!(all.len() >= 5, "{}", all.len());
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn the_reference_reads_every_kept_segment_filter() {
    let all = in_folder("segment");
    for Kept { path, json, file, secret, seal } in &all {
        let kept = segment::read(file, secret.as_ref(), seal.as_deref())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(segment::write(&kept, seal.as_deref()).unwrap() == *file, "{}", path.display());
        for (i, of) in (0u64..).zip(json["segments"].as_str().unwrap().split(' ')) {
            let found = match json["key_prefix"].as_str() {
                Some(prefix) => kept.segments_of(format!("{prefix}{i}").as_bytes()).unwrap(),
                None => kept.segments_of_hash(finish(i)),
            };
            let found: Vec<String> = found.iter().map(u16::to_string).collect();
            assert_eq!(found.join(","), of, "{}: {i}", path.display());
        }
    }
    assert!(all.len() >= 6);
}
