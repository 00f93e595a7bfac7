//! The kept files in `testdata/kept`, read by the reference: the same answers, the same bytes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tepal_reference::chain;
use tepal_reference::hash::finish;
use tepal_reference::read::read;
use tepal_reference::write::write;
use tepal_reference::{expiring, quotient, ribbon, segment, table};

/// A kept file: its bytes, its keys, and the answers beside it.
struct Kept {
    path: String,
    json: Value,
    file: Vec<u8>,
    secret: Option<[u8; 16]>,
    seal: Option<Vec<u8>>,
}

/// Reads a file, with its secret key and its seal key.
type Read<Filter> = fn(&[u8], Option<&[u8; 16]>, Option<&[u8]>) -> Result<Filter, String>;
/// Writes the file of a filter, with a seal key.
type Write<Filter> = fn(&Filter, Option<&[u8]>) -> Result<Vec<u8>, String>;

impl Kept {
    /// The filter of the file. It writes the same bytes again.
    fn filter<Filter>(&self, read: Read<Filter>, write: Write<Filter>) -> Filter {
        let seal = self.seal.as_deref();
        let filter =
            read(&self.file, self.secret.as_ref(), seal).unwrap_or_else(|e| panic!("{}: {e}", self.path));
        assert!(write(&filter, seal).unwrap() == self.file, "{}", self.path);
        filter
    }

    /// Key number i; `None` where hashes were inserted, which are finished numbers.
    fn key(&self, i: u64) -> Option<String> {
        Some(format!("{}{i}", self.json["key_prefix"].as_str()?))
    }

    fn number(&self, name: &str) -> u64 {
        self.json[name].as_u64().unwrap()
    }

    /// The answers for the members, then those for so many known strangers, then those for other
    /// keys.
    fn answers(&self, strangers: u64) -> impl Iterator<Item = bool> {
        let others = self.json["answers_to_others"].as_str().unwrap().bytes().map(|answer| answer == b'1');
        let strangers = (0..strangers).map(|_| false);
        (0..self.number("members")).map(|_| true).chain(strangers).chain(others)
    }
}

/// The files of a folder in `testdata/kept/v1`, one for each kind but the Bloom filter, whose files
/// are in v1 itself.
fn in_folder(folder: &str) -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/kept/v1").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Files stored without their zeros have another extension. They have megabytes, too many here:
    // the reference takes a byte for each bit.
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "tepal"));
    files
        .map(|path| {
            let json: Value =
                serde_json::from_str(&fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
            let bytes = |name: &str| json[name].as_str().map(hex);
            let secret = bytes("secret_key").map(|key| key.try_into().unwrap());
            let (seal, file) = (bytes("seal_key"), fs::read(&path).unwrap());
            Kept { path: path.display().to_string(), json, file, secret, seal }
        })
        .collect()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn the_reference_reads_every_kept_file() {
    let all = in_folder("");
    let mut sealed = 0;
    for kept @ Kept { path, json, .. } in &all {
        let filter = kept.filter(read, write);
        if kept.seal.is_some() {
            assert!(read(&kept.file, kept.secret.as_ref(), None).is_err(), "{path}");
            sealed += 1;
        }
        for (i, expected) in (0u64..).zip(kept.answers(0)) {
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
            assert_eq!(found, expected, "{path}: {i}");
        }
    }
    assert!(all.len() >= 44 && sealed >= 4, "only {} files, {sealed} of them sealed", all.len());
}

#[test]
fn the_reference_reads_every_kept_expiring_filter() {
    let all = in_folder("expiring");
    for kept @ Kept { path, json, .. } in &all {
        let mut filter = kept.filter(expiring::read, expiring::write);
        for ages in ["ages", "ages_later"] {
            for (i, digit) in (0u64..).zip(json[ages].as_str().unwrap().bytes()) {
                let age = match kept.key(i) {
                    Some(key) => filter.age(key.as_bytes()).unwrap(),
                    None => filter.age_hash(finish(i)),
                };
                let expected = age.map_or(b'0', |age| if age == 0 { b'1' } else { b'2' });
                assert_eq!(expected, digit, "{path}: {i}");
            }
            if let Some(later) = json["later"].as_str() {
                filter.advance_to(later.parse().unwrap());
            }
        }
    }
    assert!(all.len() >= 6, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_quotient_filter() {
    let all = in_folder("quotient");
    for kept @ Kept { path, json, .. } in &all {
        let filter = kept.filter(quotient::read, quotient::write);
        for (i, digit) in (0u64..).zip(json["counts"].as_str().unwrap().bytes()) {
            let found = match kept.key(i) {
                Some(key) => filter.count(key.as_bytes()).unwrap(),
                None => filter.count_hash(finish(i)),
            };
            assert_eq!(found, u64::from(digit - b'0'), "{path}: {i}");
        }
    }
    assert!(all.len() >= 6, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_map() {
    let all = in_folder("map");
    assert!(all.len() >= 7, "{}", all.len());
    for kept @ Kept { path, json, .. } in &all {
        let map = kept.filter(ribbon::map::read, ribbon::map::write);
        let mut pairs = Vec::new();
        for (i, value) in (0u64..).zip(json["values"].as_str().unwrap().split(' ')) {
            let hash = match kept.key(i) {
                Some(key) => map.ribbon.hash_of(key.as_bytes()).unwrap(),
                None => finish(i),
            };
            let value: Option<u64> = value.parse().ok();
            assert_eq!(map.get_hash(hash), value, "{path}: {i}");
            if i < kept.number("members") {
                pairs.push((hash, value.unwrap()));
            }
        }
        let mut again = ribbon::map::Map { names: map.names.clone(), ..map.clone() };
        again.build(&pairs, map.ribbon.shape.value_bits).unwrap();
        assert!(again == map, "{path}: built anew");
    }
}

#[test]
fn the_reference_reads_every_kept_ribbon_filter() {
    let all = in_folder("ribbon");
    for kept @ Kept { path, json, .. } in &all {
        let filter = kept.filter(ribbon::read, ribbon::write);
        let mut hashes = Vec::new();
        for (i, expected) in (0u64..).zip(kept.answers(0)) {
            let hash = match kept.key(i) {
                Some(key) => filter.hash_of(key.as_bytes()).unwrap(),
                None => finish(i),
            };
            assert_eq!(filter.contains_hash(hash), expected, "{path}: {i}");
            hashes.push(hash);
        }
        let mut again = filter.clone();
        let members = kept.number("members");
        let of_ribbon = json["built_of"].as_u64().unwrap_or(members) as usize;
        again.added.clear();
        match filter.numbers {
            0 if json["ribbon"]["picked"].is_null() => again.build_for_speed(&hashes[..of_ribbon]).unwrap(),
            0 => again.build(&hashes[..of_ribbon]).unwrap(),
            all => {
                let held: Vec<u64> = hashes[..of_ribbon].iter().map(|&h| table::number(h, all)).collect();
                again.build_of_table(all, &held).unwrap();
            }
        }
        hashes[of_ribbon..members as usize].iter().for_each(|hash| again.add(*hash));
        assert_eq!(again, filter, "{path}");
    }
    assert!(all.len() >= 11, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_file_with_exceptions() {
    let all = in_folder("exceptions");
    for kept @ Kept { path, .. } in &all {
        let filter = kept.filter(read, write);
        for (i, expected) in (0u64..).zip(kept.answers(kept.number("known_strangers"))) {
            let key = kept.key(i).unwrap();
            assert_eq!(filter.contains(key.as_bytes()).unwrap(), expected, "{path}: {i}");
        }
    }
    assert!(all.len() >= 9, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_chain() {
    let all = in_folder("chains");
    for kept @ Kept { path, .. } in &all {
        let chain = kept.filter(chain::read, chain::write);
        for (i, expected) in (0u64..).zip(kept.answers(0)) {
            let found = match kept.key(i) {
                Some(key) => chain.contains(key.as_bytes()).unwrap(),
                None => chain.links.iter().any(|link| link.contains_hash(finish(i))),
            };
            assert_eq!(found, expected, "{path}: {i}");
        }
    }
    assert!(all.len() >= 5, "{}", all.len());
}

#[test]
fn the_reference_reads_every_kept_segment_filter() {
    let all = in_folder("segment");
    for kept @ Kept { path, json, .. } in &all {
        let filter = kept.filter(segment::read, segment::write);
        for (i, of) in (0u64..).zip(json["segments"].as_str().unwrap().split(' ')) {
            let found = match kept.key(i) {
                Some(key) => filter.segments_of(key.as_bytes()).unwrap(),
                None => filter.segments_of_hash(finish(i)),
            };
            let found: Vec<String> = found.iter().map(u16::to_string).collect();
            assert_eq!(found.join(","), of, "{path}: {i}");
        }
    }
    assert!(all.len() >= 6);
}
