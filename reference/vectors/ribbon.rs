//! `ribbon.json`: sections 2.8, 4.2.6 and 5.7, filters that are a bumped ribbon, and refused files.

use crate::json::{Json, decimal, hex64, list, object, only, optional, plain};
use crate::kinds::{
    File, Header, all_files, bytes_of, header_of, keys_of, numbered_keys, of_hashes, under_a_secret, written,
};
use crate::ribbon_refused::{embedded_refused, refused, trailer};
use tepal_reference::hash::finish;
use tepal_reference::ribbon::embedded::{embed, extract};
use tepal_reference::ribbon::{Ribbon, fingerprint, read, write};
use tepal_reference::table::number;

const ABOUT: &str = "Bumped ribbons (FORMAT.md section 2.8), filters that are one (4.2.6) and how they are built (5.7). \
    `hashes` are [hash, what is stored for it (32 bits), its coefficients in layer 0 with seed 0]. `files`: the filter of the \
    keys prefix + \"0\" to prefix + (count - 1), or of the `hashes`, or of the hashes finish(finished_from) and on, `finished_count` \
    of them, or 0 to counted - 1, at this rate; where there are `numbers`, of the numbers of these keys in a table of so many. `added` are numbers of keys behind the prefix, or hashes, that were added afterwards (4.11), in this order; `words`, `seeds`, `columns`, `deep`, `split`, `last` and `last_seed` are those of its header. \
    `embedded_trailer` is what stands behind the body in its embedded form (4.8.1), which filters with added keys, or made of a table, do not have. \
    `second` is the second ribbon behind it (2.8.1), which a filter of which `prefers_speed` has not. \
    `probes` are keys or hashes and their answers. `refused` are changes to a file of `files`, as offsets and new bytes; where \
    one is in the body, the chunk table is mended, always the header checksum; `step` of section 4.6 refuses them. `embedded_refused` are \
    trailers, with a checksum that fits, that are refused behind the embedded body of a file of `files`.";

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
    (plan.filter.scheme, plan.filter.records) = of_hashes();
    plan
}

fn of_table(name: &'static str, rate: f64, count: u64, numbers: u64) -> Plan {
    Plan { keys: OfTable(count, numbers), ..keyed(name, rate, 0) }
}

/// The files whose bytes the cases of `refused` change.
pub(crate) const PLAIN: &str = "300 keys";
pub(crate) const FEW: &str = "3 keys";
pub(crate) const NONE: &str = "no keys";
pub(crate) const SEALED: &str = "a secret, sealed";
/// This one has a second ribbon.
pub(crate) const SECOND: &str = "2,048 keys, the first of coarse thresholds and of two ribbons";
pub(crate) const ADDED: &str = "40 keys, and 60 that were added";
pub(crate) const TABLE: &str = "300 keys of a table";
const TABLE_ADDED: &str = "50 keys of a table of 320 numbers, and 50 that were added";

fn plans() -> Vec<Plan> {
    let mut sealed = Plan { sealed: true, ..keyed(SEALED, 0.25, 400) };
    let filter = &mut sealed.filter;
    (filter.scheme, filter.secret, filter.parameter) = under_a_secret();
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
    let (files, good) = all_files(plans(), file)?;
    let numbers = [0, 1, 1 << 32, u64::MAX, 0x0123_4567_89AB_CDEF, 0x8000_0000_0000_0000];
    let hash = |&h: &u64| list([hex64(h), hex64(fingerprint(h)), hex64(finish(h) | 1)]);
    Ok(object([
        ("about", plain(ABOUT)),
        ("hashes", list(numbers.iter().map(hash))),
        ("files", files),
        ("refused", refused(&good)?),
        ("embedded_refused", embedded_refused(&good)?),
    ]))
}

/// Builds the filter, writes its file, reads the file, and looks up the probes.
fn file(plan: Plan) -> Result<File, String> {
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
    let keys = keys_of(filter.scheme, plan.sealed);
    let file = written(plan.name, &filter, (write, read), keys)?;
    if let Some(lost) = hashes.iter().take(5000).find(|h| !filter.contains_hash(**h)) {
        return Err(format!("{}: {lost:#x} is lost", plan.name));
    }

    let mut probes = Vec::new();
    let count = if let Numbered(count) | OfTable(count, _) = plan.keys { count } else { 0 };
    if filter.scheme != 4 {
        let asked = (0..count.min(3)).map(|i| format!("{PREFIX}{i}"));
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
        if extract(embedded, &without_keys(&filter))? != filter {
            return Err(format!("{}: what was embedded is another filter", plan.name));
        }
    }

    let whole = file.len() <= LONGEST_WHOLE_FILE;
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
    let Ribbon { scheme, parameter, domain, recipe, ref records, rate, .. } = filter;
    let (policy, capacity) = (None, None);
    let header = Header { scheme, parameter, domain, policy, recipe, records, capacity, rate };
    let mut fields = header.fields(plan.name, keys);
    fields.extend([
        ("prefers_speed", only(plan.for_speed, plain(true))),
        ("numbered_keys", only(filter.scheme != 4, numbered_keys(PREFIX, count))),
        ("numbers", only(filter.numbers > 0, decimal(filter.numbers))),
        ("hashes", optional(listed.map(|hashes| list(hashes.iter().map(|&hash| hex64(hash)))))),
        ("finished_from", optional(finished.map(|(from, _)| decimal(*from)))),
        ("counted", optional(counted.map(decimal))),
        ("finished_count", optional(finished.map(|(_, count)| decimal(*count)))),
        ("added", only(!plan.added.is_empty(), list(plan.added.iter().map(|&added| decimal(added))))),
    ]);
    fields.extend(shape_of(&filter));
    fields.extend([("second", optional(second)), ("self_test", decimal(filter.self_test()?))]);
    fields.extend(bytes_of(&file, whole));
    fields.extend([
        ("header", header_of(&file, whole)),
        ("embedded_trailer", optional(embedded.map(|embedded| trailer(&embedded)))),
        ("probes", list(probes)),
    ]);
    Ok((plan.name, file, object(fields)))
}

/// The fields of a ribbon's keys and shape.
pub(crate) fn shape_of(ribbon: &Ribbon) -> [(&'static str, Json); 8] {
    let shape = &ribbon.shape;
    [
        ("keys", decimal(ribbon.keys)),
        ("columns", plain(shape.columns)),
        ("deep", plain(shape.deep)),
        ("split", plain(shape.split)),
        ("words", list(shape.words.iter().map(|&words| plain(words)))),
        ("seeds", list(shape.seeds.iter().map(|&seed| plain(seed)))),
        ("last", plain(shape.last)),
        ("last_seed", plain(shape.last_seed)),
    ]
}

/// What must be known of a ribbon to read its embedded form: all but its keys.
pub(crate) fn without_keys(ribbon: &Ribbon) -> Ribbon {
    Ribbon { keys: 0, shape: Default::default(), bits: Vec::new(), second: None, ..ribbon.clone() }
}
