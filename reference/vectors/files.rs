//! `files.json`: sections 3 and 4, whole small files and their contents.

use crate::json::{Json, decimal, decimals, hex, hex64, list, object, only, optional, plain};
use crate::kinds::{bytes_of, header_of, numbered_keys, offset_of, records, written};
use crate::names;
use crate::plan::Plan;
use crate::plans::plans;
use tepal_reference::embedded::{embed, extract};
use tepal_reference::filter::UNKNOWN;
use tepal_reference::key::apply_recipe;
use tepal_reference::read::read;
use tepal_reference::write::write;

const ABOUT: &str = "Whole files (FORMAT.md sections 3 and 4) with the filter they hold. `keys` are the keys that were \
    given to the filter, as text and before the recipe, which the filter applies; where `numbered_keys` is there, the \
    keys prefix + \"0\" to prefix + (count - 1) were given after them. A probe is asked as `key`, before the recipe; \
    `after_recipe` is what the recipe makes of it, where it changes it. `answer` is what the filter says, false positives included. `file` is the file in hexadecimal; a file \
    that is too long for this has `header`, the body_offset bytes before its body, instead. `file_xxh3` is XXH3-64 \
    with seed 0 of the whole file. `keys_inserted` 18446744073709551615 means not known. Schemes with a rule of their \
    own have `parameters`, the field at offset 64, and scheme 28 has `scheme_seed`, record 5, which is not among \
    `records`. Scheme 4 has `caller_hash`, record 6, which is not among `records` either, and `hashes`: hashes that \
    were inserted in place of keys; a probe of it that has `hash` in place of `key` is asked by that hash. Where \
    `seal_key` is there, the file is sealed under it (section 4.7); one that is too long ends with `seal`. \
    `embedded_trailer` are the last 16 bytes of the embedded form (section 4.8), whose other bytes are the body.";

/// For a file longer than this the JSON has only its header and its checksum.
const LONGEST_WHOLE_FILE: usize = 4096;

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut files = Vec::new();
    for plan in plans() {
        files.push(file(plan)?);
    }
    Ok(object([("about", plain(ABOUT)), ("files", list(files))]))
}

/// Fills the filter, writes its file, reads the file, and looks up the probes.
fn file(plan: Plan) -> Result<Json, String> {
    let mut filter = plan.filter;
    for key in &plan.keys {
        filter.insert(key.as_bytes())?;
    }
    if let Some((prefix, count)) = plan.numbered {
        for i in 0..count {
            filter.insert(format!("{prefix}{i}").as_bytes())?;
        }
    }
    for &hash in &plan.hashes {
        filter.insert_hash(hash);
    }
    if !plan.count_known {
        filter.keys_inserted = UNKNOWN;
    }
    let secret = if filter.scheme == 2 { Some(filter.secret) } else { None };
    let file = written(plan.name, &filter, (write, read), (secret.as_ref(), plan.seal_key))?;

    let embedded = embed(&filter);
    let extracted = extract(&embedded, &filter)?;
    if extracted.bits != filter.bits || extracted.layout != filter.layout {
        return Err(format!("{}: what was embedded is another filter", plan.name));
    }

    // The probes of the plan, then inserted keys, then keys that were not inserted: 20 in all.
    let mut asked = plan.probes;
    asked.extend(plan.keys.iter().take(10).cloned());
    if let Some((prefix, count)) = plan.numbered {
        asked.extend((0..5).map(|i| format!("{prefix}{}", i * (count - 1) / 4)));
    }
    // Under scheme 4 the answer for every key is yes, so there are no probes.
    if filter.scheme != 4 {
        asked.extend((0..20).map(|i| match filter.domain {
            1 | 4 => format!("never inserted {i}"),
            7 => format!("9000{i:02}"),
            _ => format!("9000{i}"),
        }));
    }
    asked.truncate(20);
    let mut probes = Vec::new();
    for key in asked {
        let answer = filter.contains(key.as_bytes())?;
        let hashed = apply_recipe(filter.recipe, key.as_bytes());
        let hashed = String::from_utf8(hashed).map_err(|error| error.to_string())?;
        let after_recipe = if hashed == key { Json::Absent } else { plain(hashed) };
        probes.push(object([("key", plain(key)), ("after_recipe", after_recipe), ("answer", plain(answer))]));
    }

    for &hash in plan.hashes.iter().take(8).chain(&plan.hash_probes) {
        let answer = filter.contains_hash(hash);
        probes.push(object([("hash", hex64(hash)), ("answer", plain(answer))]));
    }

    let whole = file.len() <= LONGEST_WHOLE_FILE;
    let mut fields = vec![
        ("name", plain(plan.name)),
        ("layout", plain(names::layout(filter.layout))),
        ("num_hashes", plain(filter.num_hashes)),
        ("bit_len", decimal(filter.bit_len)),
        ("scheme", plain(names::scheme(filter.scheme))),
        ("seed", only(filter.scheme == 1, hex64(filter.parameter))),
        ("secret_key", optional(secret.map(|key| hex(&key)))),
        ("parameters", only(filter.scheme >= 16, hex64(filter.parameter))),
        ("scheme_seed", optional(filter.record(5).map(plain))),
        ("caller_hash", optional(filter.record(6).map(plain))),
        ("seal_key", optional(plan.seal_key.map(hex))),
        ("key_domain", plain(names::domain(filter.domain))),
        ("over_capacity", plain(names::policy(filter.policy))),
        ("capacity", decimal(filter.capacity)),
        ("false_positive_rate", plain(filter.rate)),
        ("recipe", plain(filter.recipe)),
        ("records", records(&filter.records)),
        ("keys", list(plan.keys.iter().map(|key| plain(key.as_str())))),
        ("numbered_keys", optional(plan.numbered.map(|(prefix, count)| numbered_keys(prefix, count)))),
        ("hashes", only(filter.scheme == 4, list(plan.hashes.iter().map(|&hash| hex64(hash))))),
        ("keys_inserted", decimal(filter.keys_inserted)),
        ("set_bits", decimal(filter.set_bits())),
        ("self_test", decimals(&filter.self_test()?)),
        ("body_offset", decimal(offset_of(&file) as u64)),
    ];
    fields.extend(bytes_of(&file, whole));
    fields.extend([
        ("header", header_of(&file, whole)),
        ("seal", only(!whole && plan.seal_key.is_some(), hex(&file[file.len() - 32..]))),
        ("embedded_trailer", hex(&embedded[embedded.len() - 16..])),
        ("probes", list(probes)),
    ]);
    Ok(object(fields))
}
