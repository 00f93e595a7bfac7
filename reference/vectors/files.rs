//! `files.json`: sections 3 and 4, whole small files with what is in them.

use crate::all::{hex, hex64};
use crate::foreign;
use crate::plans::{Plan, plans, sealed_plans};
use crate::print::to_json;
use serde::Serialize;
use tepal_reference::decode::decode_with;
use tepal_reference::encode::{encode, encode_sealed};
use tepal_reference::filter::UNKNOWN;
use tepal_reference::hash::{Scheme, xxh3};
use tepal_reference::key::{Domain, Key, apply_recipe};
use tepal_reference::seal::SEAL_LEN;

const ABOUT: &str = "Whole files (FORMAT.md sections 3 and 4) with the filter they hold. `keys` are the keys that were \
    inserted, as text and after the recipe; where `numbered_keys` is there, the keys prefix + \"0\" to prefix + \
    (count - 1) were inserted after them. A probe is asked as `key` and hashed as `after_recipe` where the recipe \
    changes it; `answer` is what the filter says, false positives included. `file` is the file in hexadecimal; a file \
    that is too long for this has `header`, the body_offset bytes before its body, instead. `file_xxh3` is XXH3-64 \
    with seed 0 of the whole file. `keys_inserted` 18446744073709551615 means not known. Schemes with a rule of their \
    own have `parameters`, the field at offset 64, and scheme 28 has `scheme_seed`, record 5, which is not among \
    `records`. Where `seal_key` is there, the file is sealed under it (section 4.7); one that is too long ends with \
    `seal`.";

#[derive(Serialize)]
struct Files {
    about: &'static str,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    name: &'static str,
    layout: &'static str,
    num_hashes: u32,
    bit_len: String,
    scheme: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme_seed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal_key: Option<String>,
    key_domain: &'static str,
    over_capacity: &'static str,
    capacity: String,
    false_positive_rate: f64,
    recipe: u32,
    records: Vec<RecordText>,
    keys: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbered_keys: Option<NumberedKeys>,
    keys_inserted: String,
    set_bits: String,
    self_test: Vec<String>,
    body_offset: String,
    file_len: String,
    file_xxh3: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
    probes: Vec<Probe>,
}

#[derive(Serialize)]
struct RecordText {
    tag: u16,
    value: String,
}

#[derive(Serialize)]
struct NumberedKeys {
    prefix: String,
    count: String,
}

#[derive(Serialize)]
struct Probe {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_recipe: Option<String>,
    answer: bool,
}

/// A file longer than this is given by its header and its checksum.
const LONGEST_WHOLE_FILE: usize = 4096;

/// The text of the file.
pub(crate) fn json() -> Result<String, String> {
    let files = plans()?
        .into_iter()
        .chain(foreign::plans()?)
        .chain(sealed_plans()?)
        .map(build)
        .collect::<Result<Vec<File>, String>>()?;
    to_json(&Files { about: ABOUT, files }, 4)
}

/// Fills the filter, writes its file, reads that again, and asks the probes.
fn build(plan: Plan) -> Result<File, String> {
    let mut filter = plan.filter;
    for key in &plan.keys {
        filter.insert(Key::Bytes(key.as_bytes()))?;
    }
    if let Some((prefix, count)) = plan.numbered {
        for i in 0..count {
            filter.insert(Key::Bytes(format!("{prefix}{i}").as_bytes()))?;
        }
    }
    if !plan.count_known {
        filter.keys_inserted = UNKNOWN;
    }

    let file = match plan.seal_key {
        Some(key) => encode_sealed(&filter, key)?,
        None => encode(&filter)?,
    };
    let (mut seed, mut secret, mut parameters, mut scheme_seed) = (None, None, None, None);
    match &filter.scheme {
        Scheme::Xxh3 { seed: public } => seed = Some(*public),
        Scheme::SipHash13 { key } => secret = Some(*key),
        Scheme::Xxh64 => {}
        Scheme::Own(own) => (parameters, scheme_seed) = (Some(own.parameters()), own.seed_record()),
    }
    if decode_with(&file, secret.as_ref(), plan.seal_key)? != filter {
        return Err(format!("{}: the file read again is another filter", plan.name));
    }

    // Probes given by the plan, then keys that were inserted, then keys that were not: 20 in all.
    let mut asked = plan.probes;
    asked.extend(plan.keys.iter().take(10).cloned());
    if let Some((prefix, count)) = plan.numbered {
        asked.extend((0..5).map(|i| format!("{prefix}{}", i * (count - 1) / 4)));
    }
    let unseen = match filter.domain {
        Domain::Bytes | Domain::Utf16 => "never inserted ",
        Domain::Integer | Domain::Integer32 | Domain::Float32 | Domain::Float64 => "9000",
    };
    asked.extend((0..20).map(|i| format!("{unseen}{i}")));
    asked.truncate(20);
    let mut probes = Vec::new();
    for key in asked {
        let hashed = apply_recipe(filter.recipe, key.as_bytes())?;
        let answer = filter.contains(Key::Bytes(&hashed))?;
        let hashed = String::from_utf8(hashed).map_err(|error| error.to_string())?;
        let after_recipe = if hashed == key { None } else { Some(hashed) };
        probes.push(Probe { key, after_recipe, answer });
    }

    let body_offset = u32::from_le_bytes([file[12], file[13], file[14], file[15]]);
    let whole = file.len() <= LONGEST_WHOLE_FILE;
    Ok(File {
        name: plan.name,
        layout: filter.layout.name(),
        num_hashes: filter.num_hashes,
        bit_len: filter.bit_len().to_string(),
        scheme: filter.scheme.name(),
        seed: seed.map(hex64),
        secret_key: secret.map(|key| hex(&key)),
        parameters: parameters.map(hex64),
        scheme_seed,
        seal_key: plan.seal_key.map(hex),
        key_domain: filter.domain.name(),
        over_capacity: filter.policy.name(),
        capacity: filter.capacity.to_string(),
        false_positive_rate: filter.rate,
        recipe: filter.recipe,
        records: filter.records.iter().map(|r| RecordText { tag: r.tag, value: r.value.clone() }).collect(),
        keys: plan.keys,
        numbered_keys: plan
            .numbered
            .map(|(prefix, count)| NumberedKeys { prefix: prefix.to_string(), count: count.to_string() }),
        keys_inserted: filter.keys_inserted.to_string(),
        set_bits: filter.set_bits().to_string(),
        self_test: filter.self_test().map(|sum| sum.to_string()).to_vec(),
        body_offset: body_offset.to_string(),
        file_len: file.len().to_string(),
        file_xxh3: hex64(xxh3(&file, 0)),
        file: whole.then(|| hex(&file)),
        header: (!whole).then(|| hex(&file[..body_offset as usize])),
        seal: (!whole && plan.seal_key.is_some()).then(|| hex(&file[file.len() - SEAL_LEN..])),
        probes,
    })
}
