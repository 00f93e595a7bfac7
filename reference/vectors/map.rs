//! `map.json`: maps, their values, their files, and refused files.

use crate::changed::{Change, case, cases, file_of};
use crate::json::{Json, decimal, hex, hex64, list, object, only, optional, plain};
use crate::kinds::{
    File, Good, Header, SEAL, SECRET, all_files, bytes_of, keys_of, numbered_keys, of_hashes, under_a_secret,
    written,
};
use crate::ribbon::{shape_of, without_keys};
use crate::ribbon_refused::{Forgery, trailer};
use tepal_reference::hash::finish;
use tepal_reference::ribbon::Ribbon;
use tepal_reference::ribbon::embedded::{embed_map, extract_map, forged};
use tepal_reference::ribbon::map::{Map, read, write};

const ABOUT: &str = "Maps (FORMAT.md sections 2.8 and 4.2.7) and how they are built (5.7). `files`: the map of the keys prefix + \"0\" to \
    prefix + (count - 1), or of the hashes finish(0) and on, `finished_count` of them; the value of number i is i · `times` mod `below`. \
    `value_bits`, `greatest` (the greatest value), `columns`, `deep`, `split`, `words`, `seeds`, `last` and `last_seed` are those of its header; `names` are the names \
    of its values, where these have some, with how many keys have each; \
    `embedded_trailer` is what stands behind the body in its embedded form (4.8.1), which maps with names do not have. A rate of 1: every key gets a value. `probes` are keys or \
    hashes and their values. `refused` are changes to a file of `files`, as offsets and new bytes; where one is in the body, the \
    chunk table is mended, always the header checksum; `step` of section 4.6 refuses them. `embedded_refused` are trailers, with a \
    checksum that fits, that are refused behind the embedded body of a file of `files`.";

/// For a file longer than this the JSON has only its checksum.
const LONGEST_WHOLE_FILE: usize = 700;
/// The prefix of the numbered keys.
const PREFIX: &str = "50";

/// A map, and its keys and values.
struct Plan {
    name: &'static str,
    map: Map,
    count: u64,
    /// The value of number i is i · times mod below.
    times: u64,
    below: u64,
    value_bits: u64,
    sealed: bool,
}

fn plan(name: &'static str, rate: f64, count: u64, below: u64) -> Plan {
    let value_bits = u64::from(64 - (below - 1).leading_zeros()).max(1);
    Plan { name, map: Map::new(rate), count, times: 0x9E37_79B1, below, value_bits, sealed: false }
}

fn named(name: &'static str, rate: f64, count: u64, names: &[&str]) -> Plan {
    let mut plan = plan(name, rate, count, names.len() as u64);
    plan.map.names = names.iter().map(|name| (name.to_string(), 0)).collect();
    plan
}

/// The files whose bytes the cases of `refused` change.
const PLAIN: &str = "300 keys";
const FEW: &str = "3 keys with names";
const NONE: &str = "no keys";
const SEALED: &str = "a secret, sealed";

fn plans() -> Vec<Plan> {
    let mut sealed = Plan { sealed: true, ..named(SEALED, 0.25, 400, &["rot", "gelb", "grün"]) };
    let ribbon = &mut sealed.map.ribbon;
    (ribbon.scheme, ribbon.secret, ribbon.parameter) = under_a_secret();
    (ribbon.recipe, ribbon.records) = (3, vec![(1, "Farben".to_string()), (4, "url".to_string())]);
    let mut integers = plan("xxh64, integers, 32 bits", 1e-9, 100, 1 << 32);
    (integers.map.ribbon.scheme, integers.map.ribbon.domain) = (3, 2);
    let mut seeded = plan(PLAIN, 0.01, 300, 64);
    seeded.map.ribbon.parameter = 7;
    let hashed = |plan: Plan| {
        let mut plan = plan;
        (plan.map.ribbon.scheme, plan.map.ribbon.records) = of_hashes();
        plan
    };
    vec![
        seeded,
        named(FEW, 0.01, 3, &["a", "b", "c"]),
        plan(NONE, 0.01, 0, 2),
        sealed,
        integers,
        plan("every key has a value", 1.0, 300, 250),
        plan("values 0 to 4", 0.25, 400, 5),
        plan("values 0 to 4, and every key has a value", 1.0, 400, 5),
        plan("every key has a value, 1 key", 1.0, 1, 2),
        named("every key has a value, 5 names", 1.0, 2500, &["a", "b", "c", "d", "e"]),
        named("one name", 0.02, 700, &["all of them"]),
        named("names that stand for the fingerprint too", 0.8, 500, &["a", "b", "c", "d", "e"]),
        plan("a rate near 1", 0.9, 3000, 8),
        Plan { value_bits: 12, ..plan("more bits than the values take", 0.125, 400, 16) },
        plan("64 columns", 1.0 / 4_294_967_296.0, 600, 1 << 32),
        plan("63 columns and 64", 3e-10, 2100, 1 << 32),
        plan("2,048 keys, 1 bit", 0.003, 2048, 2),
        hashed(plan("2 shards", 0.3, 140_000, 3)),
        hashed(plan("2 shards, every key has a value", 1.0, 150_000, 16)),
    ]
}

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let (files, good) = all_files(plans(), file)?;
    Ok(object([
        ("about", plain(ABOUT)),
        ("files", files),
        ("refused", refused(&good)?),
        ("embedded_refused", embedded_refused(&good)?),
    ]))
}

/// Changes of the embedded form of `300 keys`, whose numbers begin with the bits of a value.
const FORGERIES: &[(&str, Forgery)] = &[
    ("values of no bits", |(numbers, _)| numbers[0] = 0),
    ("values of 33 bits", |(numbers, _)| numbers[0] = 33),
    ("fewer columns than values have bits", |(numbers, _)| numbers[0] = 13),
    ("a greatest value of more bits than values have", |(numbers, _)| numbers[1] = 64),
    ("a second ribbon", |(numbers, _)| numbers.extend([0, 1, 1, 1, 0])),
];

/// All forgeries; each is checked to be refused.
fn embedded_refused(good: &Good) -> Result<Json, String> {
    let map = read(file_of(good, PLAIN)?, None, None)?;
    let keys = Map { ribbon: without_keys(&map.ribbon), names: Vec::new(), greatest: 0 };
    let mut cases = Vec::new();
    for &(what, change) in FORGERIES {
        let forged = forged(&embed_map(&map)?, &keys.ribbon, &change)?;
        if extract_map(&forged, &keys).is_ok() {
            return Err(format!("{what}: not refused"));
        }
        cases.push(object([("of", plain(PLAIN)), ("what", plain(what)), ("trailer", trailer(&forged))]));
    }
    Ok(list(cases))
}

/// Builds the map, writes its file, reads the file, and looks up the probes.
fn file(plan: Plan) -> Result<File, String> {
    let mut map = plan.map;
    let is_hashed = map.ribbon.scheme == 4;
    let hash = |map: &Map, i: u64| match is_hashed {
        true => Ok(finish(i)),
        false => map.ribbon.hash_of(format!("{PREFIX}{i}").as_bytes()),
    };
    let value = |i: u64| i.wrapping_mul(plan.times) % plan.below;
    let pairs =
        (0..plan.count).map(|i| Ok((hash(&map, i)?, value(i)))).collect::<Result<Vec<_>, String>>()?;
    map.build(&pairs, plan.value_bits)?;
    let keys = keys_of(map.ribbon.scheme, plan.sealed);
    let file = written(plan.name, &map, (write, read), keys)?;
    if let Some(lost) = pairs.iter().take(5000).find(|pair| map.get_hash(pair.0) != Some(pair.1)) {
        return Err(format!("{}: {lost:x?} is lost", plan.name));
    }

    let mut probes = Vec::new();
    if !is_hashed {
        let asked = (0..plan.count.min(3)).map(|i| format!("{PREFIX}{i}"));
        for key in asked.chain((0..5).map(|i| format!("8000{i}"))) {
            let value = map.get(key.as_bytes())?;
            probes.push(object([("value", optional(value.map(plain))), ("key", plain(key))]));
        }
    }
    for hash in pairs.iter().take(3).map(|pair| pair.0).chain((0..12).map(|i| finish(i << 40 | 1))) {
        probes.push(object([("value", optional(map.get_hash(hash).map(plain))), ("hash", hex64(hash))]));
    }

    let embedded = match map.names.is_empty() {
        true => Some(embed_map(&map)?),
        false => None,
    };
    if let Some(embedded) = &embedded {
        let none = Map { ribbon: without_keys(&map.ribbon), names: Vec::new(), greatest: 0 };
        if extract_map(embedded, &none)? != map {
            return Err(format!("{}: what was embedded is another map", plan.name));
        }
    }
    let (ribbon, shape) = (&map.ribbon, &map.ribbon.shape);
    let body = 64 * (64 * shape.all_words()).max(1).div_ceil(512) as usize;
    let whole = file.len() <= LONGEST_WHOLE_FILE;
    let name =
        |(name, keys): &(String, u64)| object([("name", plain(name.as_str())), ("keys", decimal(*keys))]);
    let Ribbon { scheme, parameter, domain, recipe, ref records, rate, .. } = *ribbon;
    let (policy, capacity) = (None, None);
    let header = Header { scheme, parameter, domain, policy, recipe, records, capacity, rate };
    let mut fields = header.fields(plan.name, keys);
    fields.extend([
        ("names", list(map.names.iter().map(name))),
        ("numbered_keys", only(!is_hashed, numbered_keys(PREFIX, plan.count))),
        ("finished_count", only(is_hashed, decimal(plan.count))),
        ("times", decimal(plan.times)),
        ("below", decimal(plan.below)),
        ("value_bits", plain(shape.value_bits)),
        ("greatest", decimal(map.greatest)),
    ]);
    fields.extend(shape_of(ribbon));
    fields.push(("self_test", decimal(ribbon.self_test()?)));
    fields.extend(bytes_of(&file, whole));
    fields.extend([
        ("embedded_trailer", optional(embedded.map(|embedded| hex(&embedded[body..])))),
        ("probes", list(probes)),
    ]);
    Ok((plan.name, file, object(fields)))
}

/// Offsets of fields.
const VALUE_BITS: usize = 34;
const COLUMNS: usize = 35;
const LAST: usize = 38;
const KEYS: usize = 40;
const SPLIT: usize = 48;
const NAMES: usize = 52;
const WORDS: usize = 72;
/// The offset of the first name, or of the greatest value, in files without records.
const FIRST: usize = 128;

/// `300 keys` has a layer of four words, with 12 or 13 columns; `3 keys with names` has three last
/// slots of eight columns, and three names of one byte.
const CHANGES: &[Change] = &[
    (1, PLAIN, "kind 9", &[(10, &[9])]),
    (4, PLAIN, "required flag 1", &[(24, &[2])]),
    (4, PLAIN, "scheme 26", &[(32, &[26]), (64, &[0])]),
    (4, PLAIN, "key domain 0", &[(33, &[0])]),
    (4, PLAIN, "values of no bits", &[(VALUE_BITS, &[0])]),
    (4, PLAIN, "values of 33 bits", &[(VALUE_BITS, &[33])]),
    (4, PLAIN, "fewer columns than values have bits", &[(VALUE_BITS, &[13])]),
    (4, PLAIN, "33 columns above a value", &[(COLUMNS, &[39, 39])]),
    (4, PLAIN, "32 columns above a value, and 33 in some words", &[(COLUMNS, &[38, 38])]),
    (4, PLAIN, "257 last slots", &[(LAST, &[1, 1])]),
    (4, PLAIN, "no keys", &[(KEYS, &[0; 8])]),
    (4, NONE, "one key nowhere", &[(KEYS, &[1])]),
    (4, PLAIN, "2^64 - 1 keys", &[(KEYS, &[0xFF; 8])]),
    (4, PLAIN, "a split behind the end", &[(SPLIT, &[5])]),
    (4, PLAIN, "rate 0", &[(56, &[0; 8])]),
    (4, PLAIN, "a rate above 1", &[(56, &[1, 0, 0, 0, 0, 0, 0xF0, 0x3F])]),
    (4, PLAIN, "rate not a number", &[(56, &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F])]),
    (4, PLAIN, "names of 4 bytes", &[(NAMES, &[4])]),
    (4, PLAIN, "names of many bytes", &[(NAMES, &[0xF8, 0xFF, 0xFF, 0xFF])]),
    (4, PLAIN, "neither names nor a greatest value", &[(NAMES, &[0])]),
    (4, PLAIN, "names of zeros", &[(NAMES, &[16])]),
    (4, PLAIN, "a greatest value of more bits than values have", &[(FIRST, &[64])]),
    (4, PLAIN, "a greatest value past 2^32", &[(FIRST + 4, &[1])]),
    (4, NONE, "a greatest value without a key", &[(FIRST, &[1])]),
    (4, FEW, "names that end too early", &[(NAMES, &[64])]),
    (4, FEW, "another key than those of names", &[(KEYS, &[4])]),
    (4, FEW, "more names than values", &[(VALUE_BITS, &[1])]),
    (4, FEW, "the first name is that of 1", &[(FIRST, &[1])]),
    (4, FEW, "a name of no bytes", &[(FIRST + 2, &[0]), (FIRST + 16, &[0])]),
    (4, FEW, "a name of many bytes", &[(FIRST + 2, &[0xFF, 0xFF])]),
    (4, FEW, "a byte between length and count", &[(FIRST + 4, &[1])]),
    (4, FEW, "padding of a name", &[(FIRST + 17, b"x")]),
    (4, FEW, "a name with a control character", &[(FIRST + 16, &[7])]),
    (4, FEW, "a name that is not UTF-8", &[(FIRST + 16, &[0xFF])]),
    (4, FEW, "two equal names", &[(FIRST + 16, b"b")]),
    (4, FEW, "a key more of one name", &[(FIRST + 8, &[9])]),
    (5, PLAIN, "a layer of many words", &[(WORDS, &[0, 0xFC, 0xFF, 0xFF])]),
    (5, PLAIN, "required flag 0, and no seal", &[(24, &[1])]),
    (6, PLAIN, "another self-test", &[(112, &[0xEE])]),
    (7, PLAIN, "another chunk checksum", &[(FIRST + 8, &[0xEE])]),
    (7, NONE, "a bit where there are no keys", &[(192, &[1])]),
];

/// All cases; each is checked to be refused.
fn refused(good: &Good) -> Result<Json, String> {
    let mut cases = cases(good, read, CHANGES)?;
    let case =
        |step, name, what, edits: &[(usize, &[u8])], keys| case(good, read, (step, name, what), edits, keys);
    let (secret, seal) = (Some(&SECRET), Some(SEAL));
    cases.push(case(6, SEALED, "secret key not given", &[], (None, seal))?);
    cases.push(case(6, SEALED, "seal key not given", &[], (secret, None))?);
    cases.push(case(8, SEALED, "another seal key", &[], (secret, Some(b"the key of that seal")))?);
    Ok(list(cases))
}
