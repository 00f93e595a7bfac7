//! Writes the files that every later version must be able to read, one for each kind:
//! `bench/measure/run keep testdata/kept/v1`.
//!
//! An existing file is never changed; only files of new kinds are written. Beside each file
//! `NAME.tepal` is `NAME.json` with the expected answers. If a scheme's filters always have
//! megabytes, the JSON holds the file instead: its length, and the bytes that are not 0.

#[cfg(feature = "extras")]
mod exceptions;
#[cfg(feature = "table")]
mod expiring;
#[cfg(feature = "table")]
mod growing_tables;
#[path = "../../../../../crates/tepal/tests/shared/kinds.rs"]
mod kinds;
#[cfg(feature = "static")]
mod map;
#[cfg(feature = "table")]
mod quotient;
#[path = "../../../../../crates/tepal/tests/shared/recorded.rs"]
mod recorded;
#[cfg(feature = "static")]
mod ribbon;
#[cfg(feature = "table")]
mod segment;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tepal::{BloomFilter, Kind, facts::PartFacts};

use kinds::{Door, Numbered, Opener, SECRET, Subject, numbers, tepal_kinds};
use recorded::recorded;

/// Files from this length on are kept without their zeros.
const LARGE: usize = 1 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: keep FOLDER, such as testdata/kept/v1")?;
    fs::create_dir_all(&folder)?;
    let folder = Path::new(&folder);
    for kind in tepal_kinds() {
        let (kind, name) = (&*kind, kind.name());
        match kind.kind() {
            Kind::Scalable => keep(&folder.join("chains"), name, || kept_chain(kind))?,
            #[cfg(feature = "table")]
            Kind::Quotient => keep(&folder.join("quotient"), name, || quotient::kept(kind))?,
            #[cfg(feature = "table")]
            Kind::Expiring => keep(&folder.join("expiring"), name, || expiring::kept(kind))?,
            #[cfg(feature = "table")]
            Kind::Growing => keep(&folder.join("growing"), name, || growing_tables::kept(kind))?,
            #[cfg(feature = "table")]
            Kind::Segment => keep(&folder.join("segment"), name, || segment::kept(kind))?,
            #[cfg(feature = "static")]
            Kind::Ribbon => keep(&folder.join("ribbon"), name, || ribbon::kept(kind))?,
            #[cfg(feature = "static")]
            Kind::Map => keep(&folder.join("map"), name, || map::kept(kind))?,
            _ => keep(folder, name, || kept(kind))?,
        }
    }
    #[cfg(feature = "extras")]
    for (name, kind, form) in exceptions::forms() {
        keep(&folder.join("exceptions"), name, || exceptions::kept(&*kind, form))?;
    }
    Ok(())
}

/// Writes a file and its JSON, unless they exist.
fn keep(
    folder: &Path,
    name: &str,
    kept: impl FnOnce() -> tepal::Result<(Value, Vec<u8>)>,
) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{name}.json"));
    if path.exists() {
        println!("kept     {name}");
        return Ok(());
    }
    let (mut expected, file) = kept()?;
    if file.len() < LARGE {
        fs::write(path.with_extension("tepal"), &file)?;
    } else {
        expected["file"] = without_zeros(&file);
    }
    fs::write(&path, format!("{expected:#}\n"))?;
    println!("written  {name}");
    Ok(())
}

/// Adds the form of the keys, and the secret and seal keys that the file needs.
fn add_keys(expected: &mut Value, kind: &dyn Subject, opener: &Opener) {
    match kind.keys(&[10]) {
        Numbered::Texts(first) => expected["key_prefix"] = first[0].strip_suffix("10").into(),
        Numbered::Hashes(_) => expected["members_are_hashes"] = true.into(),
    }
    expected["secret_key"] = opener.secret.is_some().then(|| hex(&SECRET)).into();
    #[cfg(feature = "seal")]
    if opener.is_sealed() {
        expected["seal_key"] = hex(kinds::SEAL).into();
    }
}

/// A 1 for each answer `true`, and a 0 for `false`.
fn digits(answers: Vec<bool>) -> String {
    answers.into_iter().map(|held| if held { '1' } else { '0' }).collect()
}

/// Fills a chain past its first filters; returns its JSON and its file.
fn kept_chain(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let (mut filter, members) = (kind.empty(300)?, 1000);
    kind.keys(&numbers(0..members)).insert_all(&mut filter)?;
    let answers = digits(kind.keys(&numbers(members..2 * members)).held(&filter));
    let (opener, facts) = (kind.opener(), filter.facts()?);
    let mut expected = recorded(&facts);
    expected["expansion"] = facts.expansion.into();
    let link = |link: &PartFacts| {
        json!({
            "capacity": link.capacity, "keys_inserted": link.keys_inserted, "set_bits": link.set_bits,
        })
    };
    expected["links"] = facts.parts.iter().map(link).collect();
    expected["members"] = members.into();
    expected["answers_to_others"] = answers.into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&filter)))
}

/// Fills the filter to its capacity; returns its JSON and its file.
fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let mut filter = BloomFilter::of(kind.empty(kind.usual_capacity())?);
    let members = filter.capacity().min(1000);
    kind.keys(&numbers(0..members)).insert_each(&mut filter, |_, _| ())?;
    let answers = digits(kind.keys(&numbers(members..members + 1000)).held(&filter));
    let mut expected = recorded(&filter.facts());
    expected["members"] = members.into();
    expected["answers_to_others"] = answers.into();
    let opener = kind.opener();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, filter.file(&opener)))
}

/// The length, and each run of bytes between long runs of zeros.
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
