//! Writes the files that every later version must be able to read, one of each kind:
//! `cargo run --release -p tepal --example keep -- testdata/kept/v1`.
//!
//! A file that is there already stays as it is, for ever; only kinds that are new are written. Beside each
//! file `NAME.tepal` stands `NAME.json` with what the filter must say. Where a scheme's filters always have
//! megabytes, the JSON holds the file instead: its length, and the bytes that are not 0.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tepal::{
    BloomFilter, BloomFilterBuilder, KeyDomain, Labels, Layout, Md5Split, OverCapacity, Recipe, Scheme,
    SecretKey,
};

/// A secret that is no secret: it stands in the JSON.
const SECRET: [u8; 16] = *b"kept for testing";
/// Files from here on are kept without their zeros.
const LARGE: usize = 1 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: keep FOLDER, such as testdata/kept/v1")?;
    fs::create_dir_all(&folder)?;
    for (name, prefix, builder) in kinds() {
        let path = Path::new(&folder).join(format!("{name}.json"));
        if path.exists() {
            println!("kept     {name}");
            continue;
        }
        let (mut expected, file) = kept(builder, prefix)?;
        if file.len() < LARGE {
            fs::write(path.with_extension("tepal"), &file)?;
        } else {
            expected["file"] = without_zeros(&file);
        }
        fs::write(&path, format!("{expected:#}\n"))?;
        println!("written  {name}");
    }
    Ok(())
}

/// Each kind: its name, what its keys begin with, its filter.
fn kinds() -> Vec<(String, &'static str, BloomFilterBuilder)> {
    let mut kinds = Vec::new();
    let at = |rate| BloomFilter::builder().capacity(1000).false_positive_rate(rate);
    let labels = Labels {
        name: Some("Gesperrte Konten".into()),
        source: Some("konten.csv".into()),
        date: Some("2026-11-20".into()),
        field: Some("/konto/nummer".into()),
    };
    for (layout, rate) in Layout::ALL.into_iter().zip([0.05, 0.01, 0.02, 0.001]) {
        let builder = at(rate).layout(layout);
        let mut add = |kind: &str, prefix, builder| kinds.push((format!("{layout}-{kind}"), prefix, builder));
        add("xxh3", "key ", builder.clone().seed(0xFEDC_BA98_7654_3210));
        add("siphash13", "key ", builder.clone().secret_key(SecretKey::new(SECRET)));
        add("xxh64", "key ", builder.clone().scheme(Scheme::Xxh64));
        add(
            "integer",
            "",
            builder.clone().key_domain(KeyDomain::Integer).over_capacity(OverCapacity::Ignore),
        );
        let recipe = Recipe { trim: true, nocase: true };
        add("recipe-labels", "\u{df} ", builder.recipe(recipe).labels(labels.clone()));
    }
    for (domain, prefix) in [
        (KeyDomain::Integer32, "-1"),
        (KeyDomain::Utf16, "\u{1d11e} "),
        (KeyDomain::Float32, "2"),
        (KeyDomain::Float64, "-7"),
    ] {
        kinds.push((format!("line-{domain}"), prefix, at(0.05).scheme(Scheme::Xxh64).key_domain(domain)));
    }
    for scheme in Scheme::ALL {
        let builder = match scheme {
            Scheme::Xxh3 | Scheme::SipHash13 | Scheme::Xxh64 => continue,
            // 2^25 bits whatever the capacity: few keys, so that the JSON stays small.
            Scheme::Bkdr7 => BloomFilter::builder().capacity(50),
            _ => at(0.05),
        };
        kinds.push((format!("scheme-{scheme}"), "key ", builder.scheme(scheme)));
    }
    let split = Md5Split { little_endian: true, from_zero: true, wrapping: true };
    kinds.push(("scheme-md5-split-other-reading".into(), "key ", at(0.05).md5_split(split)));
    kinds.push(("scheme-spark-v2-seed".into(), "key ", at(0.05).scheme(Scheme::SparkV2).seed(-7i64 as u64)));
    let seed = core::array::from_fn(|i| i as u8);
    kinds.push(("scheme-valkey-bloom-seed".into(), "key ", at(0.05).valkey_seed(seed)));
    let integers = at(0.05).scheme(Scheme::GuavaMitz64).key_domain(KeyDomain::Integer);
    kinds.push(("scheme-guava-mitz64-integer".into(), "", integers));
    kinds
}

/// Fills the filter to its capacity; gives its JSON and its file.
fn kept(builder: BloomFilterBuilder, prefix: &str) -> tepal::Result<(Value, Vec<u8>)> {
    let mut filter = builder.build()?;
    let members = filter.capacity().min(1000);
    for i in 0..members {
        filter.insert(&format!("{prefix}{i}"))?;
    }
    let others = members..members + 1000;
    let answers: String =
        others.map(|i| if filter.contains(&format!("{prefix}{i}")) { '1' } else { '0' }).collect();
    let labels = filter.labels();
    let expected = json!({
        "layout": filter.layout().name(),
        "num_hashes": filter.num_hashes(),
        "bit_len": filter.bit_len(),
        "scheme": filter.scheme().to_string(),
        "seed": filter.seed().map(|seed| seed.to_string()),
        "secret_key": (filter.scheme() == Scheme::SipHash13).then(|| hex(&SECRET)),
        "key_domain": filter.key_domain().to_string(),
        "over_capacity": filter.over_capacity().to_string(),
        "capacity": filter.capacity(),
        "false_positive_rate": filter.promised_false_positive_rate(),
        "keys_inserted": filter.keys_inserted(),
        "set_bits": filter.set_bits(),
        "recipe": { "trim": filter.recipe().trim, "nocase": filter.recipe().nocase },
        "labels": { "name": labels.name, "source": labels.source, "date": labels.date, "field": labels.field },
        "key_prefix": prefix,
        "members": members,
        "answers_to_others": answers,
    });
    Ok((expected, filter.to_bytes()?))
}

/// The length, and each stretch of bytes between long rows of zeros.
fn without_zeros(file: &[u8]) -> Value {
    const LONG: usize = 8;
    let mut parts = Vec::new();
    let mut at = 0;
    while at < file.len() {
        if file[at] == 0 {
            at += 1;
            continue;
        }
        let zeros = file[at..].windows(LONG).position(|window| window.iter().all(|byte| *byte == 0));
        let end = zeros.map_or(file.len(), |zeros| at + zeros);
        parts.push(json!([at, hex(&file[at..end])]));
        at = end;
    }
    json!({ "len": file.len(), "parts": parts })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
