//! `ribbon.json`: sections 2.8, 4.2.6 and 5.7, filters that are a bumped ribbon, and refused files.

use crate::changed::{Reader, case, u32_at};
use crate::json::{Json, decimal, hex, hex64, list, object, optional, plain};
use crate::names;
use tepal_reference::hash::{finish, siphash13, xxh3};
use tepal_reference::ribbon::embedded::{self, embed, extract, forged};
use tepal_reference::ribbon::{Ribbon, fingerprint, read, write};
use tepal_reference::table::number;
use tepal_reference::write::KEY_CHECK;

const ABOUT: &str = "Bumped ribbons (FORMAT.md section 2.8), filters that are one (4.2.6) and how they are built (5.7). \
    `hashes` are [hash, what is stored for it (32 bits), its coefficients in layer 0 with seed 0]. `files`: the filter of the \
    keys prefix + \"0\" to prefix + (count - 1), or of the `hashes`, or of the hashes finish(finished_from) and on, `finished_count` \
    of them, or 0 to counted - 1, at this rate; where there are `numbers`, of the numbers of these keys in a table of so many. `added` are numbers of keys behind the prefix, or hashes, that were added afterwards (4.11), in this order; `words`, `seeds`, `columns`, `deep`, `split`, `last` and `last_seed` are those of its header. \
    `embedded_trailer` is what stands behind the body in its embedded form (4.8.1), which filters with added keys, or made of a table, do not have. \
    `second` is the second ribbon behind it (2.8.1), which a filter of which `prefers_speed` has not. \
    `probes` are keys or hashes and their answers. `refused` are changes to a file of `files`, as offsets and new bytes; where \
    one is in the body, the chunk table is mended, always the header checksum; `step` of section 4.6 refuses them. `embedded_refused` are \
    trailers, with a checksum that fits, that are refused behind the embedded body of a file of `files`.";

pub(crate) const SECRET: [u8; 16] = *b"sixteen secrets!";
pub(crate) const SEAL: &[u8] = b"a key for the seals of the vectors";

/// For a file longer than this the JSON has only its header and its checksum.
const LONGEST_WHOLE_FILE: usize = 1100;
/// The prefix of the numbered keys.
const PREFIX: &str = "90";

/// The keys of a filter.
enum Keys {
    Numbered(u64),
    Hashes(Vec<u64>),
    /// `finish` of numbers: the first number, and the count.
    Finished(u64, u64),
    /// This count of numbers, from 0 on, as hashes.
    Counted(u64),
    /// The same count of keys as in `Numbered`, by their numbers in a table; and U of this table.
    OfTable(u64, u64),
}
use Keys::{Counted, Finished, Hashes, Numbered, OfTable};

/// A filter, and its keys.
struct Plan {
    name: &'static str,
    filter: Ribbon,
    keys: Keys,
    /// Numbers of keys, or hashes, that are added after the filter is built.
    added: Vec<u64>,
    sealed: bool,
    /// Built for speed: without a second ribbon.
    for_speed: bool,
}

fn keyed(name: &'static str, rate: f64, count: u64) -> Plan {
    Plan {
        name,
        filter: Ribbon::new(rate),
        keys: Numbered(count),
        added: Vec::new(),
        sealed: false,
        for_speed: false,
    }
}

fn hashed(name: &'static str, rate: f64, keys: Keys) -> Plan {
    let mut plan = Plan { keys, ..keyed(name, rate, 0) };
    (plan.filter.scheme, plan.filter.records) = (4, vec![(6, "a hash, finished".to_string())]);
    plan
}

fn of_table(name: &'static str, rate: f64, count: u64, numbers: u64) -> Plan {
    Plan { keys: OfTable(count, numbers), ..keyed(name, rate, 0) }
}

/// The files whose bytes the cases of `refused` change.
const PLAIN: &str = "300 keys";
const FEW: &str = "3 keys";
const NONE: &str = "no keys";
const SEALED: &str = "a secret, sealed";
/// This one has a second ribbon.
const SECOND: &str = "2,048 keys, the first of coarse thresholds and of two ribbons";
const ADDED: &str = "40 keys, and 60 that were added";
const TABLE: &str = "300 keys of a table";
const TABLE_ADDED: &str = "50 keys of a table of 320 numbers, and 50 that were added";

fn plans() -> Vec<Plan> {
    let mut sealed = Plan { sealed: true, ..keyed(SEALED, 0.25, 400) };
    let filter = &mut sealed.filter;
    (filter.scheme, filter.secret, filter.parameter) = (2, SECRET, siphash13(&SECRET, KEY_CHECK));
    (filter.recipe, filter.records) = (3, vec![(1, "Gesehene Blüten".to_string()), (4, "url".to_string())]);
    let mut integers = keyed("xxh64, integers", 1e-9, 100);
    (integers.filter.scheme, integers.filter.domain) = (3, 2);
    let mut seeded = keyed(PLAIN, 0.01, 300);
    seeded.filter.parameter = 7;
    let ones: Vec<u64> = (0..20).map(|i| 1 << (3 * i)).collect();
    vec![
        seeded,
        keyed(FEW, 0.01, 3),
        keyed(NONE, 0.01, 0),
        sealed,
        integers,
        keyed("1 key", 0.5, 1),
        keyed("256 keys", 0.0078125, 256),
        keyed("257 keys, a power of two", 0.0078125, 257),
        keyed("2,047 keys, the last layer of fine thresholds", 0.1, 2047),
        keyed(SECOND, 0.1, 2048),
        Plan { for_speed: true, ..keyed("2,048 keys, for speed", 0.1, 2048) },
        keyed("5,000 keys, more columns in later layers", 0.06, 5000),
        // The rate is 0.73 / 2^7.
        keyed("600 keys, just enough for more columns in later layers", 0.0057, 600),
        keyed("3,000 keys, 32 columns", 1.0 / 4_294_967_296.0, 3000),
        keyed("3,000 keys, 31 columns and 32", 3e-10, 3000),
        hashed("few hashes", 0.125, Hashes(ones)),
        Plan { added: (0..100).collect(), ..keyed(ADDED, 0.125, 40) },
        Plan { added: vec![5, 1, 1], ..keyed("no keys, and two that were added", 0.01, 0) },
        Plan { added: vec![u64::MAX, 0], sealed: true, ..hashed("added hashes, sealed", 0.01, Counted(20)) },
        hashed("hashes that lie together", 0.01, Counted(300)),
        of_table(TABLE, 0.01, 300, 30_016),
        of_table("3 keys of 2^55 numbers", 0.5, 3, 1 << 55),
        of_table("5,000 keys of few numbers", 0.2, 5000, 51_200),
        of_table("no keys of a table", 0.01, 0, 64),
        Plan { added: (0..100).collect(), ..of_table(TABLE_ADDED, 0.3, 50, 320) },
        hashed("2 shards", 0.3, Finished(0, 140_000)),
        Plan { for_speed: true, ..hashed("2 shards, for speed", 0.3, Finished(0, 140_000)) },
        hashed("5,000 hashes, few picked", 0.0566, Finished(3, 5000)),
        hashed("5,000 hashes, five columns and a second ribbon", 0.0268, Finished(5, 5000)),
        hashed("5,000 hashes, five columns and six", 0.02, Finished(5, 5000)),
        hashed("5,000 hashes that lie together", 0.1, Counted(5000)),
        hashed("3 shards, a power of two", 0.25, Finished(7, 230_000)),
    ]
}

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let (mut files, mut good) = (Vec::new(), Vec::new());
    for plan in plans() {
        let (name, file, json) = file(plan)?;
        good.push((name, file));
        files.push(json);
    }
    let forged = embedded_refused(&good)?;
    let numbers = [0, 1, 1 << 32, u64::MAX, 0x0123_4567_89AB_CDEF, 0x8000_0000_0000_0000];
    let hash = |&h: &u64| list([hex64(h), hex64(fingerprint(h)), hex64(finish(h) | 1)]);
    Ok(object([
        ("about", plain(ABOUT)),
        ("hashes", list(numbers.iter().map(hash))),
        ("files", list(files)),
        ("refused", refused(&good)?),
        ("embedded_refused", forged),
    ]))
}

/// The bytes after the body of an embedded form.
pub(crate) fn trailer(embedded: &[u8]) -> Json {
    let end = embedded.len() - 16;
    hex(&embedded[end - usize::from(embedded[end + 1])..])
}

/// A change of the numbers of an embedded form, and of the 8 bytes after them.
pub(crate) type Forgery = fn((&mut Vec<u8>, &mut [u8]));

/// Changes of an embedded form: the file, the description, the change. `300 keys` ends with its
/// only layer, of four words.
const FORGERIES: &[(&str, &str, Forgery)] = &[
    (PLAIN, "a number of a byte more than it needs", |(numbers, _)| {
        *numbers.last_mut().unwrap() |= 0x80;
        numbers.push(0);
    }),
    (PLAIN, "a layer with seed 0", |(numbers, _)| {
        *numbers.last_mut().unwrap() |= 1;
        numbers.push(0);
    }),
    (PLAIN, "a layer of no words", |(numbers, _)| numbers.extend([1, 5])),
    (PLAIN, "nine layers", |(numbers, _)| numbers.extend([2; 8])),
    (PLAIN, "a second ribbon of which nothing is said", |(numbers, _)| numbers.push(0)),
    (PLAIN, "257 last slots", |(_, rest)| rest[4..6].copy_from_slice(&[1, 1])),
    (PLAIN, "no columns", |(_, rest)| rest[2] = 0),
    (FEW, "other keys than slots", |(numbers, _)| numbers[0] = 0),
    (SECOND, "a third ribbon", |(numbers, _)| numbers.push(0)),
    (SECOND, "a layer of the second ribbon with seed 0", |(numbers, _)| {
        // Its one layer has 2 * words in one byte.
        *numbers.last_mut().unwrap() |= 1;
        numbers.push(0);
    }),
    (SECOND, "more keys in the second ribbon", |(numbers, _)| {
        let at = of_second(numbers);
        numbers.splice(at..at + 2, embedded::number(2049));
    }),
    (SECOND, "no keys in the second ribbon", |(numbers, _)| {
        let at = of_second(numbers);
        numbers.splice(at..at + 2, [0]);
    }),
];

/// The place of the keys of the second ribbon: after the first 0 that is not the split, and after
/// T.
fn of_second(numbers: &[u8]) -> usize {
    let second = 3 + numbers[3..].iter().position(|byte| *byte == 0).unwrap();
    second + 2 + numbers[second + 1..].iter().position(|byte| *byte < 128).unwrap()
}

/// All forgeries; each is checked to be refused.
fn embedded_refused(good: &[(&'static str, Vec<u8>)]) -> Result<Json, String> {
    let mut cases = Vec::new();
    for &(name, what, change) in FORGERIES {
        let file = good.iter().find(|file| file.0 == name).ok_or("no such file")?;
        let filter = read(&file.1, None, None)?;
        let keys =
            Ribbon { keys: 0, shape: Default::default(), bits: Vec::new(), second: None, ..filter.clone() };
        let forged = forged(&embed(&filter)?, &keys, &change)?;
        if extract(&forged, &keys).is_ok() {
            return Err(format!("{name}: {what}: not refused"));
        }
        cases.push(object([("of", plain(name)), ("what", plain(what)), ("trailer", trailer(&forged))]));
    }
    Ok(list(cases))
}

/// Builds the filter, writes its file, reads the file, and looks up the probes.
fn file(plan: Plan) -> Result<(&'static str, Vec<u8>, Json), String> {
    let mut filter = plan.filter;
    let hashes: Vec<u64> = match &plan.keys {
        Numbered(count) | OfTable(count, _) => (0..*count)
            .map(|i| filter.hash_of(format!("{PREFIX}{i}").as_bytes()))
            .collect::<Result<_, _>>()?,
        Hashes(hashes) => hashes.clone(),
        Finished(from, count) => (*from..from + count).map(finish).collect(),
        Counted(count) => (0..*count).collect(),
    };
    match plan.keys {
        OfTable(_, numbers) => {
            let held: Vec<u64> = hashes.iter().map(|&h| number(h, numbers)).collect();
            filter.build_of_table(numbers, &held)?;
        }
        _ if plan.for_speed => filter.build_for_speed(&hashes)?,
        _ => filter.build(&hashes)?,
    }
    for &added in &plan.added {
        let hash = match plan.keys {
            Numbered(_) | OfTable(..) => filter.hash_of(format!("{PREFIX}{added}").as_bytes())?,
            _ => added,
        };
        filter.add(hash);
    }
    let (secret, seal) = ((filter.scheme == 2).then_some(&SECRET), plan.sealed.then_some(SEAL));
    let file = write(&filter, seal)?;
    if read(&file, secret, seal)? != filter {
        return Err(format!("{}: the file read again is another filter", plan.name));
    }
    if let Some(lost) = hashes.iter().take(5000).find(|h| !filter.contains_hash(**h)) {
        return Err(format!("{}: {lost:#x} is lost", plan.name));
    }

    let mut probes = Vec::new();
    let numbered = if let Numbered(count) | OfTable(count, _) = plan.keys { count } else { 0 };
    if filter.scheme != 4 {
        let asked = (0..numbered.min(3)).map(|i| format!("{PREFIX}{i}"));
        for key in asked.chain((0..9).map(|i| format!("8000{i}"))) {
            let answer = filter.contains(key.as_bytes())?;
            probes.push(object([("contains", plain(answer)), ("key", plain(key))]));
        }
    }
    for hash in hashes.iter().take(3).copied().chain((0..12).map(|i| finish(i << 40 | 1))) {
        probes.push(object([("contains", plain(filter.contains_hash(hash))), ("hash", hex64(hash))]));
    }

    let embedded = match filter.added.is_empty() && filter.numbers == 0 {
        true => Some(embed(&filter)?),
        false => None,
    };
    if let Some(embedded) = &embedded {
        let keys =
            Ribbon { keys: 0, shape: Default::default(), bits: Vec::new(), second: None, ..filter.clone() };
        if extract(embedded, &keys)? != filter {
            return Err(format!("{}: what was embedded is another filter", plan.name));
        }
    }

    let offset = u32_at(&file, 12) as usize;
    let whole = file.len() <= LONGEST_WHOLE_FILE;
    let only = |there: bool, value: Json| if there { value } else { Json::Absent };
    let records = filter.records.iter().filter(|record| record.0 != 6);
    let record =
        |(tag, value): &(u16, String)| object([("tag", plain(*tag)), ("value", plain(value.as_str()))]);
    let name = filter.records.iter().find(|record| record.0 == 6).map(|record| plain(record.1.as_str()));
    let shape = &filter.shape;
    let (listed, finished) = match &plan.keys {
        Hashes(hashes) => (Some(hashes), None),
        Finished(from, count) => (None, Some((from, count))),
        Numbered(_) | Counted(_) | OfTable(..) => (None, None),
    };
    let second = filter.second.as_ref().map(|second| {
        object([
            ("most", plain(second.most)),
            ("keys", decimal(second.ribbon.keys)),
            ("words", list(second.ribbon.shape.words.iter().map(|&words| plain(words)))),
        ])
    });
    let counted = if let Counted(count) = plan.keys { Some(count) } else { None };
    let json = object([
        ("name", plain(plan.name)),
        ("scheme", plain(names::scheme(filter.scheme))),
        ("seed", only(filter.scheme == 1, hex64(filter.parameter))),
        ("secret_key", optional(secret.map(|key| hex(key)))),
        ("caller_hash", optional(name)),
        ("seal_key", optional(seal.map(hex))),
        ("key_domain", plain(names::domain(filter.domain))),
        ("recipe", plain(filter.recipe)),
        ("records", list(records.map(record))),
        ("false_positive_rate", plain(filter.rate)),
        ("prefers_speed", only(plan.for_speed, plain(true))),
        (
            "numbered_keys",
            only(filter.scheme != 4, object([("prefix", plain(PREFIX)), ("count", decimal(numbered))])),
        ),
        ("numbers", only(filter.numbers > 0, decimal(filter.numbers))),
        ("hashes", optional(listed.map(|hashes| list(hashes.iter().map(|&hash| hex64(hash)))))),
        ("finished_from", optional(finished.map(|(from, _)| decimal(*from)))),
        ("counted", optional(counted.map(decimal))),
        ("finished_count", optional(finished.map(|(_, count)| decimal(*count)))),
        ("added", only(!plan.added.is_empty(), list(plan.added.iter().map(|&added| decimal(added))))),
        ("keys", decimal(filter.keys)),
        ("columns", plain(shape.columns)),
        ("deep", plain(shape.deep)),
        ("split", plain(shape.split)),
        ("words", list(shape.words.iter().map(|&words| plain(words)))),
        ("seeds", list(shape.seeds.iter().map(|&seed| plain(seed)))),
        ("last", plain(shape.last)),
        ("last_seed", plain(shape.last_seed)),
        ("second", optional(second)),
        ("self_test", decimal(filter.self_test()?)),
        ("file_len", decimal(file.len() as u64)),
        ("file_xxh3", hex64(xxh3(&file, 0))),
        ("file", only(whole, hex(&file))),
        ("header", only(!whole, hex(&file[..offset]))),
        ("embedded_trailer", optional(embedded.map(|embedded| trailer(&embedded)))),
        ("probes", list(probes)),
    ]);
    Ok((plan.name, file, json))
}

/// A change of a file: the step that refuses it, the file, the description, offsets and new bytes.
pub(crate) type Change = (u32, &'static str, &'static str, &'static [(usize, &'static [u8])]);

/// Offsets of fields.
const COLUMNS: usize = 35;
const DEEP: usize = 36;
const LAST_SEED: usize = 37;
const LAST: usize = 38;
const KEYS: usize = 40;
const SPLIT: usize = 48;
const SECTION: usize = 52;
const WORDS: usize = 72;
const SEEDS: usize = 104;
/// The offsets of the length field of a second ribbon's part, and of this part in files without
/// records.
const SECOND_LEN: usize = 52;
const PART: usize = 128;
/// The offset of the body of `SECOND`, and the offset of its 15 seeds, after 101 words of the first
/// ribbon.
const BODY_OF_SECOND: usize = 256;
const SEEDS_OF_SECOND: usize = BODY_OF_SECOND + 8 * 101;
/// The offset of the body in files without records.
const BODY: usize = 192;

/// The offset of the added keys of `ADDED`, after a body of 64 bytes.
const LIST: usize = BODY + 64;

/// `300 keys` has a layer of four words, with six or seven columns, and some last slots; `3 keys`
/// has three last slots of seven columns.
const CHANGES: &[Change] = &[
    (1, PLAIN, "kind 65535", &[(10, &[0xFF, 0xFF])]),
    (4, PLAIN, "required flag 1", &[(24, &[2])]),
    (4, PLAIN, "required flag 2", &[(24, &[4])]),
    (4, PLAIN, "scheme 0", &[(32, &[0])]),
    (4, PLAIN, "scheme 26", &[(32, &[26]), (64, &[0])]),
    (4, PLAIN, "scheme 3 with a seed", &[(32, &[3])]),
    (4, PLAIN, "scheme 4 without record 6", &[(32, &[4]), (64, &[0])]),
    (4, PLAIN, "key domain 0", &[(33, &[0])]),
    (4, PLAIN, "a number before the columns", &[(34, &[1])]),
    (4, PLAIN, "recipe with an unknown bit", &[(124, &[4])]),
    (4, PLAIN, "no columns", &[(COLUMNS, &[0, 0])]),
    (4, PLAIN, "33 columns", &[(COLUMNS, &[33, 33])]),
    (4, PLAIN, "32 columns, and 33 in some words", &[(COLUMNS, &[32, 32])]),
    (4, PLAIN, "later layers of a column less", &[(DEEP, &[5])]),
    (4, PLAIN, "later layers of two columns more", &[(DEEP, &[8])]),
    (4, PLAIN, "257 last slots", &[(LAST, &[1, 1])]),
    (4, PLAIN, "a seed of no last slots", &[(LAST_SEED, &[1, 0, 0])]),
    (4, PLAIN, "no keys", &[(KEYS, &[0; 8])]),
    (4, NONE, "one key nowhere", &[(KEYS, &[1])]),
    (4, PLAIN, "2^56 keys", &[(KEYS, &[0, 0, 0, 0, 0, 0, 0, 1])]),
    (4, ADDED, "2^64 - 1 keys, and 60 that were added", &[(KEYS, &[0xFF; 8])]),
    (4, PLAIN, "a split behind the end", &[(SPLIT, &[5])]),
    (4, PLAIN, "a byte behind the records", &[(SPLIT, &[0, 0, 0, 0, 1])]),
    (4, PLAIN, "8 bytes behind the records that are not there", &[(SECTION, &[8])]),
    (4, PLAIN, "16 bytes behind the records", &[(SECTION, &[16])]),
    (5, TABLE, "no bytes behind the records", &[(SECTION, &[0])]),
    (4, TABLE, "7 bytes behind the records", &[(SECTION, &[7])]),
    (4, TABLE, "fewer numbers than keys", &[(128, &[0x2B, 0])]),
    (4, TABLE, "no numbers", &[(128, &[0, 0])]),
    (4, TABLE, "2^56 numbers", &[(135, &[1])]),
    (4, PLAIN, "a layer of one word", &[(WORDS, &[1]), (SPLIT, &[0])]),
    (4, PLAIN, "a layer behind none", &[(WORDS + 8, &[2])]),
    (4, PLAIN, "a split within a bucket", &[(WORDS, &[30]), (SPLIT, &[3])]),
    (4, PLAIN, "shards that are not even", &[(WORDS, &[2, 8])]),
    (4, PLAIN, "shards of a part of a word", &[(WORDS, &[1, 8])]),
    (4, PLAIN, "a seed of no layer", &[(SEEDS + 1, &[1])]),
    (4, PLAIN, "rate 0", &[(56, &[0; 8])]),
    (4, PLAIN, "rate not a number", &[(56, &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F])]),
    (5, PLAIN, "a layer of many words", &[(WORDS, &[0, 0xFC, 0xFF, 0xFF])]),
    (5, PLAIN, "a layer more", &[(WORDS + 4, &[20])]),
    (5, PLAIN, "more columns", &[(COLUMNS, &[20, 20])]),
    (5, PLAIN, "required flag 0, and no seal", &[(24, &[1])]),
    (5, PLAIN, "padding before the header checksum not zero", &[(183, &[1])]),
    (6, PLAIN, "another self-test", &[(112, &[0xEE])]),
    (6, PLAIN, "another seed", &[(64, &[8])]),
    (7, PLAIN, "another chunk checksum", &[(128, &[0xEE])]),
    (7, FEW, "a bit behind the last slots", &[(BODY + 2, &[0x20])]),
    (7, FEW, "a bit in the last byte", &[(BODY + 63, &[0x80])]),
    (7, NONE, "a bit where there are no keys", &[(BODY, &[1])]),
    (4, PLAIN, "a part of a second ribbon that is not there", &[(SECOND_LEN, &[80])]),
    (4, SECOND, "79 bytes of a second ribbon's part", &[(SECOND_LEN, &[79])]),
    (4, SECOND, "a second ribbon behind one of other columns later", &[(DEEP, &[4])]),
    (4, SECOND, "a second ribbon behind 9 columns", &[(COLUMNS, &[9, 9])]),
    (4, SECOND, "a second ribbon behind a split", &[(SPLIT, &[2])]),
    (4, SECOND, "a second ribbon behind fine thresholds", &[(WORDS, &[29])]),
    (4, SECOND, "a second ribbon behind a seed", &[(SEEDS, &[1])]),
    (4, SECOND, "a second ribbon for nobody", &[(PART, &[0, 0])]),
    (4, SECOND, "a value in a second ribbon", &[(PART + 2, &[1])]),
    (4, SECOND, "a value of 255 bits in a second ribbon", &[(PART + 2, &[0xFF])]),
    (4, SECOND, "two columns in a second ribbon", &[(PART + 3, &[2, 2])]),
    (4, SECOND, "two columns in later layers of a second ribbon", &[(PART + 4, &[2])]),
    (4, SECOND, "257 last slots in a second ribbon", &[(PART + 6, &[1, 1])]),
    (4, SECOND, "no keys in a second ribbon", &[(PART + 8, &[0, 0])]),
    (4, SECOND, "more keys in the second ribbon", &[(PART + 8, &[1, 8])]),
    (4, SECOND, "a split in a second ribbon", &[(PART + 16, &[1])]),
    (4, SECOND, "a number before the words of a second ribbon", &[(PART + 39, &[1])]),
    (4, SECOND, "a layer of one word in a second ribbon", &[(PART + 40, &[1])]),
    (4, SECOND, "a seed of no layer of a second ribbon", &[(PART + 79, &[1])]),
    (7, SECOND, "a bit behind the second ribbon", &[(SEEDS_OF_SECOND + 16 + 8 * 16, &[1])]),
    (5, SECOND, "a larger second ribbon", &[(PART + 40, &[100])]),
    (7, SECOND, "a bit behind the last seed", &[(SEEDS_OF_SECOND + 15, &[1])]),
    (4, ADDED, "required flags 1 and 3", &[(24, &[10])]),
    (5, ADDED, "added keys, and no flag", &[(24, &[0])]),
    (5, PLAIN, "required flag 3, and no added keys", &[(24, &[8])]),
];

/// All cases; each is checked to be refused.
fn refused(good: &[(&'static str, Vec<u8>)]) -> Result<Json, String> {
    let reader: &Reader = &|file, secret, seal| read(file, secret, seal).map(drop);
    let case = |step, name, what, edits: &[(usize, &[u8])], keys| {
        case(good, reader, (step, name, what), edits, keys)
    };
    let mut cases = Vec::new();
    for &(step, name, what, edits) in CHANGES {
        cases.push(case(step, name, what, edits, (None, None))?);
    }
    let (secret, seal) = (Some(&SECRET), Some(SEAL));
    cases.push(case(6, SEALED, "secret key not given", &[], (None, seal))?);
    cases.push(case(6, SEALED, "wrong secret key", &[], (Some(&[0; 16]), seal))?);
    cases.push(case(6, SEALED, "seal key not given", &[], (secret, None))?);
    cases.push(case(8, SEALED, "another seal key", &[], (secret, Some(b"the key of that seal")))?);
    cases.push(case(8, SEALED, "sealed, keys changed", &[(KEYS, &[41])], (secret, seal))?);
    cases.push(case(7, ADDED, "another added key", &[(LIST, &[0xEE])], (None, None))?);
    cases.push(case(6, PLAIN, "secret key for a file without one", &[], (secret, None))?);
    cases.push(case(6, PLAIN, "seal key for a file without a seal", &[], (None, seal))?);
    Ok(list(cases))
}
