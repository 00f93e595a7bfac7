//! Reading `testdata/golden`: the cases, their keys, and the bits in the files of each format.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use tepal_reference::bits::Layout;
use tepal_reference::hash::Scheme;
use tepal_reference::key::{Domain, Key};
use tepal_reference::schemes::{Md5Split, Own};

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
    /// What `index.json` says of it.
    pub(crate) json: Value,
    scheme: Scheme,
    k: u32,
    m: u64,
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
            let scheme = scheme(format, &json["params"]);
            cases.push(Case { format, name, json: json.clone(), scheme, k, m });
        }
    }
    cases
}

/// k and m; of a filter that has grown, those of its first part.
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

/// The scheme of a format, with the parameters of a case.
fn scheme(format: &str, params: &Value) -> Scheme {
    let text = |name: &str| params[name].as_str().unwrap();
    Scheme::Own(match format {
        "bits-and-blooms" => Own::BitsAndBlooms,
        "dcso" => Own::Dcso,
        "guava" if text("strategy") == "32" => Own::GuavaMitz32,
        "guava" => Own::GuavaMitz64,
        "legacy-bkdr7" => Own::Bkdr7,
        "legacy-fnv-crc" => Own::FnvCrc,
        "legacy-md5-presets" => Own::Md5Presets,
        "legacy-md5-split" => {
            Own::Md5Split(Md5Split { little_endian: false, from_zero: text("i0") == "0", wrapping: false })
        }
        "legacy-sha384" => Own::Sha384,
        "parquet-sbbf" => return Scheme::Xxh64,
        "redisbloom" => Own::RedisBloom,
        "spark" if text("version") == "1" => Own::SparkV1,
        "spark" => Own::SparkV2 { seed: text("seed").parse().unwrap() },
        "valkey-bloom" => Own::from_file(28, 0, Some(text("seed_hex"))).unwrap(),
        _ => panic!("{format}"),
    })
}

impl Case {
    /// A list of texts.
    pub(crate) fn texts(&self, list: &str) -> Vec<&str> {
        self.json[list].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }

    /// Whether the program has added further filters behind the first.
    pub(crate) fn is_scaled(&self) -> bool {
        let parts = |name: &str| self.json["layout"][name].as_array().map_or(1, Vec::len);
        parts("links") > 1 || parts("filters") > 1
    }

    /// The positions of a key, written as in `index.json`: `str:` text, `hex:` bytes, `i64:` and `i32:`
    /// integers, `f64bits:` and `f32bits:` the bits of a float.
    pub(crate) fn positions(&self, key: &str) -> Vec<u64> {
        let (kind, value) = key.split_once(':').unwrap();
        let funnel = self.json["params"]["funnel"].as_str();
        let bytes = match kind {
            "hex" => bytes_of(value),
            "str" if matches!(funnel, Some("unencoded" | "utf16le")) => {
                Domain::Utf16.bytes_of(Key::Bytes(value.as_bytes())).unwrap()
            }
            "str" => value.as_bytes().to_vec(),
            "i64" => Domain::Integer.bytes_of(Key::Integer(value.parse().unwrap())).unwrap(),
            "i32" => Domain::Integer32.bytes_of(Key::Integer(value.parse().unwrap())).unwrap(),
            "f64bits" => {
                let number = f64::from_bits(u64::from_str_radix(value, 16).unwrap());
                Domain::Float64.bytes_of(Key::Bytes(number.to_string().as_bytes())).unwrap()
            }
            "f32bits" => {
                let number = f32::from_bits(u32::from_str_radix(value, 16).unwrap());
                Domain::Float32.bytes_of(Key::Bytes(number.to_string().as_bytes())).unwrap()
            }
            _ => panic!("{key}"),
        };
        let layout = if self.scheme == Scheme::Xxh64 { Layout::SplitBlock } else { Layout::Scattered };
        self.scheme.check(layout, self.k, self.m).unwrap();
        self.scheme.positions(layout, self.k, self.m, &bytes)
    }

    /// The positions of the bits in the file of one filter, where there is a file.
    pub(crate) fn bits_of_the_file(&self) -> Option<BTreeSet<u64>> {
        let file = self.json["files"]["bin"]["file"].as_str()?;
        let file = fs::read(format!("{GOLDEN}/{}/{file}", self.format)).unwrap();
        let header_bytes = self.json["layout"]["header_bytes"].as_u64();
        // What stands before the bits, and whether they are in words of 8 bytes, the most significant first.
        let (skipped, big_endian_words) = match self.format {
            "legacy-bkdr7" | "legacy-sha384" => {
                // These are sparse: the positions themselves.
                let words = file.chunks(4).map(|word| <[u8; 4]>::try_from(word).unwrap());
                return Some(words.map(|word| u32::from_le_bytes(word).into()).collect());
            }
            "guava" => (6, true),
            "spark" => (if matches!(self.scheme, Scheme::Own(Own::SparkV1)) { 12 } else { 16 }, true),
            "bits-and-blooms" => (24, true),
            "dcso" => (48, false),
            "parquet-sbbf" => (header_bytes.unwrap() as usize, false),
            // Two pairs of an i64 and a u32, the first with a header of 73 bytes.
            "redisbloom" => (12 + 73 + 12, false),
            // The object, the length of its filter, and the header of that.
            "valkey-bloom" => (30 + 8 + 45, false),
            _ => (0, false),
        };
        // The articles' files end after the last bit that is set; valkey-bloom has other numbers behind the bits.
        let end = file.len().min(skipped + self.m.div_ceil(64) as usize * 8);
        let mut bits = BTreeSet::new();
        for (i, &byte) in file[skipped..end].iter().enumerate() {
            let place = if big_endian_words { i / 8 * 8 + 7 - i % 8 } else { i };
            for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                bits.extend(Some(8 * place as u64 + bit).filter(|&p| p < self.m));
            }
        }
        Some(bits)
    }
}

/// Bytes from hexadecimal digits.
fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}
