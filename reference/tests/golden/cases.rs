//! Reading `testdata/golden`: the cases, their keys, and the bits in the files of each format.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use tepal_reference::bits::{SCATTERED, SPLIT_BLOCK};
use tepal_reference::filter::Filter;
use tepal_reference::key::bytes_of;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/golden");

const FORMATS: [&str; 12] = [
    "bits-and-blooms",
    "dcso",
    "guava",
    "legacy-bkdr7",
    "legacy-fnv-crc",
    "legacy-md5-presets",
    "legacy-md5-split",
    "legacy-sha384",
    "parquet-sbbf",
    "redisbloom",
    "spark",
    "valkey-bloom",
];

/// One filter that a program wrote.
pub(crate) struct Case {
    /// The folder.
    pub(crate) format: &'static str,
    /// The folder and the name of the case.
    pub(crate) name: String,
    /// The case in `index.json`.
    pub(crate) json: Value,
    /// The filter, without bits.
    filter: Filter,
}

/// All cases of all formats.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for format in FORMATS {
        let text = fs::read_to_string(format!("{GOLDEN}/{format}/index.json")).unwrap();
        let index: Value = serde_json::from_str(&text).unwrap();
        for json in index["cases"].as_array().unwrap() {
            let name = format!("{format}/{}", json["name"].as_str().unwrap());
            let (k, m) = shape(format, &json["layout"]);
            let (scheme, parameter, seed) = scheme(format, &json["params"]);
            let layout = if scheme == 3 { SPLIT_BLOCK } else { SCATTERED };
            let records = seed.map(|seed| (5, seed.to_string())).into_iter().collect();
            let filter = Filter { bit_len: m, parameter, records, ..Filter::new(layout, scheme, k, 0) };
            cases.push(Case { format, name, json: json.clone(), filter });
        }
    }
    cases
}

/// k and m; for a filter that has grown, k and m of its first part.
fn shape(format: &str, layout: &Value) -> (u32, u64) {
    let (k, m) = match format {
        "guava" | "spark" => (&layout["k"], &layout["m_bits"]),
        "redisbloom" => (&layout["links"][0]["hashes"], &layout["links"][0]["bits"]),
        "valkey-bloom" => (&layout["filters"][0]["k"], &layout["filters"][0]["bits"]),
        "parquet-sbbf" => return (8, layout["blocks"].as_u64().unwrap() * 256),
        _ => (&layout["k"], &layout["m"]),
    };
    (k.as_u64().unwrap() as u32, m.as_u64().unwrap())
}

/// The scheme of a format, with the field at offset 64 and record 5 of a case.
fn scheme<'a>(format: &str, params: &'a Value) -> (u8, u64, Option<&'a str>) {
    let text = |name: &str| params[name].as_str().unwrap();
    match format {
        "bits-and-blooms" => (25, 0, None),
        "dcso" => (26, 0, None),
        "guava" if text("strategy") == "32" => (21, 0, None),
        "guava" => (22, 0, None),
        "legacy-bkdr7" => (18, 0, None),
        "legacy-fnv-crc" => (19, 0, None),
        "legacy-md5-presets" => (16, 0, None),
        "legacy-md5-split" => (17, if text("i0") == "0" { 2 } else { 0 }, None),
        "legacy-sha384" => (20, 0, None),
        "parquet-sbbf" => (3, 0, None),
        "redisbloom" => (27, 0, None),
        "spark" if text("version") == "1" => (23, 0, None),
        "spark" => (24, u64::from(text("seed").parse::<i32>().unwrap() as u32), None),
        "valkey-bloom" => (28, 0, params["seed_hex"].as_str()),
        _ => panic!("{format}"),
    }
}

impl Case {
    /// A list of texts.
    pub(crate) fn texts(&self, list: &str) -> Vec<&str> {
        self.json[list].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }

    /// Did the program add further filters after the first one?
    pub(crate) fn is_scaled(&self) -> bool {
        let parts = |name: &str| self.json["layout"][name].as_array().map_or(1, Vec::len);
        parts("links") > 1 || parts("filters") > 1
    }

    /// The positions of a key, written as in `index.json`: `str:` text, `hex:` bytes, `i64:` and
    /// `i32:` integers, `f64bits:` and `f32bits:` the bits of a float.
    pub(crate) fn positions(&self, key: &str) -> Vec<u64> {
        let (kind, value) = key.split_once(':').unwrap();
        let funnel = self.json["params"]["funnel"].as_str();
        let bytes = match kind {
            "hex" => from_hex(value),
            "str" if matches!(funnel, Some("unencoded" | "utf16le")) => {
                bytes_of(4, value.as_bytes()).unwrap()
            }
            "str" => value.as_bytes().to_vec(),
            "i64" => bytes_of(2, value.as_bytes()).unwrap(),
            "i32" => bytes_of(3, value.as_bytes()).unwrap(),
            "f64bits" => {
                let number = f64::from_bits(u64::from_str_radix(value, 16).unwrap());
                bytes_of(6, number.to_string().as_bytes()).unwrap()
            }
            "f32bits" => {
                let number = f32::from_bits(u32::from_str_radix(value, 16).unwrap());
                bytes_of(5, number.to_string().as_bytes()).unwrap()
            }
            _ => panic!("{key}"),
        };
        self.filter.check().unwrap();
        self.filter.positions(&bytes).unwrap()
    }

    /// The positions of the set bits in the file of the filter; `None` if the case has no file.
    pub(crate) fn bits_of_the_file(&self) -> Option<BTreeSet<u64>> {
        let file = self.json["files"]["bin"]["file"].as_str()?;
        let file = fs::read(format!("{GOLDEN}/{}/{file}", self.format)).unwrap();
        let header_bytes = self.json["layout"]["header_bytes"].as_u64();
        // The number of bytes before the bits, and whether the bits are in words of 8 bytes, the
        // most significant byte first.
        let (skipped, big_endian_words) = match self.format {
            "legacy-bkdr7" | "legacy-sha384" => {
                // These files are sparse: they list the positions.
                let words = file.chunks(4).map(|word| <[u8; 4]>::try_from(word).unwrap());
                return Some(words.map(|word| u32::from_le_bytes(word).into()).collect());
            }
            "guava" => (6, true),
            "spark" => (if self.filter.scheme == 23 { 12 } else { 16 }, true),
            "bits-and-blooms" => (24, true),
            "dcso" => (48, false),
            "parquet-sbbf" => (header_bytes.unwrap() as usize, false),
            // Two pairs of an i64 and a u32, the first with a header of 73 bytes.
            "redisbloom" => (12 + 73 + 12, false),
            // The object, the length of its filter, and the header of this filter.
            "valkey-bloom" => (30 + 8 + 45, false),
            _ => (0, false),
        };
        // The articles' files end after the last set bit. In valkey-bloom's files other numbers
        // follow the bits.
        let end = file.len().min(skipped + self.filter.bit_len.div_ceil(64) as usize * 8);
        let mut bits = BTreeSet::new();
        for (i, &byte) in file[skipped..end].iter().enumerate() {
            let place = if big_endian_words { i / 8 * 8 + 7 - i % 8 } else { i };
            for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                bits.extend(Some(8 * place as u64 + bit).filter(|&p| p < self.filter.bit_len));
            }
        }
        Some(bits)
    }
}

/// Bytes from hexadecimal digits.
fn from_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}
