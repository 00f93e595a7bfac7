//! Writes the files that every later version must be able to read, one of each kind:
//! `cargo run --release -p tepal --features foreign,growing,seal --example keep -- testdata/kept/v1`.
//!
//! A file that is there already stays as it is, for ever; only kinds that are new are written. Beside each
//! file `NAME.tepal` stands `NAME.json` with what the filter must say. Where a scheme's filters always have
//! megabytes, the JSON holds the file instead: its length, and the bytes that are not 0.

#[path = "../tests/shared/kinds.rs"]
mod kinds;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tepal::{BloomFilter, Kind, Scheme};

use kinds::{Door, Numbered, SECRET, Subject, numbers, tepal_kinds};

/// Files from here on are kept without their zeros.
const LARGE: usize = 1 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: keep FOLDER, such as testdata/kept/v1")?;
    fs::create_dir_all(&folder)?;
    for kind in tepal_kinds() {
        let name = kind.name();
        let is_chain = kind.kind() == Kind::Scalable;
        let folder = Path::new(&folder).join(if is_chain { "chains" } else { "" });
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{name}.json"));
        if path.exists() {
            println!("kept     {name}");
            continue;
        }
        let (mut expected, file) = if is_chain { kept_chain(&*kind)? } else { kept(&*kind)? };
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

/// Fills a chain past its first filters; gives its JSON and its file.
fn kept_chain(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let (mut filter, members) = (kind.empty(300)?, 1000);
    kind.keys(&numbers(0..members)).insert_all(&mut filter)?;
    let others = kind.keys(&numbers(members..2 * members)).held(&filter);
    let answers: String = others.into_iter().map(|held| if held { '1' } else { '0' }).collect();
    let (opener, facts) = (kind.opener(), filter.facts()?);
    let mut expected = json!({
        "expansion": facts.expansion,
        "false_positive_rate": facts.promised_false_positive_rate,
        "scheme": facts.scheme.to_string(),
        "secret_key": opener.secret.is_some().then(|| hex(&SECRET)),
        "recipe": { "trim": facts.recipe.trim, "nocase": facts.recipe.nocase },
        "links": facts.parts.iter().map(|link| json!({
            "capacity": link.capacity, "keys_inserted": link.keys_inserted, "set_bits": link.set_bits,
        })).collect::<Vec<_>>(),
        "members": members,
        "answers_to_others": answers,
    });
    match kind.keys(&[10]) {
        Numbered::Texts(first) => expected["key_prefix"] = first[0].strip_suffix("10").into(),
        Numbered::Hashes(_) => expected["members_are_hashes"] = true.into(),
    }
    #[cfg(feature = "seal")]
    if opener.is_sealed() {
        expected["seal_key"] = hex(kinds::SEAL).into();
    }
    Ok((expected, opener.file(&filter)))
}

/// Fills the filter to its capacity; gives its JSON and its file.
fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let mut filter = BloomFilter::of(kind.empty(kind.usual_capacity())?);
    let members = filter.capacity().min(1000);
    kind.keys(&numbers(0..members)).insert_each(&mut filter, |_, _| ())?;
    let others = kind.keys(&numbers(members..members + 1000)).held(&filter);
    let answers: String = others.into_iter().map(|held| if held { '1' } else { '0' }).collect();
    let labels = filter.labels();
    let mut expected = json!({
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
        "labels": { "name": labels.name, "source": labels.source, "date": labels.date, "field": labels.field, "rows": labels.rows },
        "key_prefix": "",
        "members": members,
        "answers_to_others": answers,
    });
    match kind.keys(&[10]) {
        Numbered::Texts(first) => expected["key_prefix"] = first[0].strip_suffix("10").into(),
        Numbered::Hashes(_) => {
            expected["members_are_hashes"] = true.into();
            expected["caller_hash"] = filter.key_hasher().caller_hash().into();
        }
    }
    let opener = kind.opener();
    #[cfg(feature = "seal")]
    if opener.is_sealed() {
        expected["seal_key"] = hex(kinds::SEAL).into();
    }
    Ok((expected, filter.file(&opener)))
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
