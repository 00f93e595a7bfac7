//! `quotient.json`: sections 2.7, 4.2.2 and 5.3, the quotient table, filters on it, and refused
//! files.

use crate::json::{Json, decimal, hex64, list, object, only, plain};
use crate::kinds::{
    File, Header, all_files, bytes_of, header_of, keys_of, numbered_keys, of_hashes, under_a_secret, written,
};
use crate::quotient_refused::refused;
use crate::tables;
use tepal_reference::hash::finish;
use tepal_reference::quotient::{COUNT, NOTHING, Quotient, read, write};
use tepal_reference::size::{numbers_for, table};
use tepal_reference::table::Shape;

const ABOUT: &str = "The quotient table (FORMAT.md section 2.7) and the filter on it (4.2.2). A `shape` is [U, r, v, B, S, \
    spare, lines]. `numbers` are [hash, spread, U, number]. The slots of `tables` are parts: `number` with `tag`, so many \
    `times`; or `count` numbers from `first` on, each `step` larger than the one before, with `tag`; or, with \
    `hashed_from`, those of the hashes XXH3-64, seed 0, of the decimal texts of hashed_from to hashed_from + count - 1, the \
    tag being the hash mod 2^v. `body` is the body in hexadecimal, `body_xxh3` its XXH3-64 with seed 0. `do_not_fit` are \
    slots that do not fit their shape. `sizes` (5.3) are the shapes for `n` slots, for `capacity` of them where n is not \
    there; `larger` those that some slots take because they do not fit the one for the capacity; null where there is \
    none. `files`: the keys of `keys` (each `keys_times`, where that is there), then prefix + \"0\" to prefix + (count - 1), or the `hashes`, were inserted, \
    `removed` was taken out again; a filter of this capacity and rate has this shape, but where `own_shape` is true. \
    `count` is how often a probe is held. `refused` are changes to a file of `files`, as offsets and new bytes; where one is \
    in the body, the chunk table is mended, always the header checksum; `step` of section 4.6 refuses them.";

/// For a file longer than this the JSON has only its header and its checksum.
const LONGEST_WHOLE_FILE: usize = 1100;

/// A filter, and its keys.
struct Plan {
    name: &'static str,
    filter: Quotient,
    keys: &'static [&'static str],
    numbered: u64,
    hashes: Vec<u64>,
    removed: &'static [&'static str],
    sealed: bool,
    own_shape: bool,
}

/// The prefix of the numbered keys.
const PREFIX: &str = "90";

impl Plan {
    fn new(name: &'static str, capacity: u64, rate: f64, tag_bits: u32) -> Result<Plan, String> {
        let shape = table(capacity, numbers_for(capacity, rate)?, tag_bits)?;
        let tag = if tag_bits == 0 { NOTHING } else { COUNT };
        let filter = Quotient::new(tag, shape, capacity, rate);
        Ok(Plan {
            name,
            filter,
            keys: &[],
            numbered: 0,
            hashes: Vec::new(),
            removed: &[],
            sealed: false,
            own_shape: false,
        })
    }

    fn shaped(mut self, shape: Shape) -> Plan {
        (self.filter.shape, self.own_shape) = (shape, true);
        self
    }

    fn scheme(mut self, scheme: u8, parameter: u64) -> Plan {
        (self.filter.scheme, self.filter.parameter) = (scheme, parameter);
        self
    }

    fn secret(mut self) -> Plan {
        (self.filter.scheme, self.filter.secret, self.filter.parameter) = under_a_secret();
        self
    }

    fn of_hashes(mut self) -> Plan {
        (self.filter.scheme, self.filter.records) = of_hashes();
        self
    }

    fn record(mut self, tag: u16, value: &str) -> Plan {
        self.filter.records.push((tag, value.to_string()));
        self
    }

    /// A table from which no key can be removed. No builder makes one.
    fn not_deletable(mut self) -> Plan {
        (self.filter.deletable, self.own_shape) = (false, true);
        self
    }

    /// The domain, the policy and the recipe.
    fn about(mut self, domain: u8, policy: u8, recipe: u32) -> Plan {
        (self.filter.domain, self.filter.policy, self.filter.recipe) = (domain, policy, recipe);
        self
    }
}

/// The files whose bytes the cases of `refused` change.
pub(crate) const PLAIN: &str = "plain";
pub(crate) const COUNTED: &str = "counts";
pub(crate) const LINES: &str = "lines";
pub(crate) const COPIES: &str = "64 copies";
pub(crate) const SEALED: &str = "a secret, sealed";

const WORDS: &[&str] = &["petal", "sepal", "tepal", "petal", "stamen", "petal"];

fn plans() -> Result<Vec<Plan>, String> {
    let small = Shape { numbers: 10_007, rem_bits: 9, tag_bits: 0, buckets: 10, slots: 5, spare: 12 };
    let wide = Shape { numbers: 1 << 48, rem_bits: 30, tag_bits: 16, buckets: 150, slots: 5, spare: 64 };
    Ok(vec![
        Plan { keys: WORDS, ..Plan::new(PLAIN, 50, 0.01, 0)?.scheme(1, 7) },
        Plan { keys: WORDS, numbered: 20, ..Plan::new(COUNTED, 25, 0.01, 4)? },
        Plan { keys: WORDS, numbered: 20, ..Plan::new(LINES, 50, 0.01, 0)?.shaped(small) },
        Plan {
            keys: &["a", "b", "A ", " b"],
            numbered: 30,
            sealed: true,
            ..Plan::new(SEALED, 40, 0.001, 0)?
                .secret()
                .about(1, 2, 3)
                .record(1, "Gesehene Blüten")
                .record(4, "url")
        },
        Plan::new("empty, one key", 1, 0.5, 0)?,
        Plan {
            keys: &["-1", "18446744073709551615"],
            ..Plan::new("xxh64, integers", 10, 1e-9, 8)?.scheme(3, 0).about(2, 3, 0)
        },
        Plan {
            hashes: (0..40).map(|i| finish(i % 9)).collect(),
            ..Plan::new("caller-hash", 20, 0.01, 16)?.of_hashes()
        },
        Plan { keys: &["x"; 64], ..Plan::new(COPIES, 100, 0.1, 0)? },
        Plan { keys: &["x"; 1024], ..Plan::new("1,024 copies in 64 slots", 100, 0.1, 4)? },
        Plan { keys: WORDS, removed: WORDS, numbered: 40, ..Plan::new("some taken out", 50, 0.01, 0)? },
        Plan {
            keys: WORDS,
            removed: &["petal", "petal", "900"],
            numbered: 25,
            ..Plan::new("some counts taken out", 30, 0.01, 4)?
        },
        Plan { keys: WORDS, ..Plan::new("none can be taken out", 50, 0.01, 0)?.not_deletable() },
        Plan { numbered: 1000, ..Plan::new("1,000 keys", 1000, 0.01, 0)? },
        Plan { numbered: 1000, ..Plan::new("1,000 keys, counted in 8 bits", 1000, 0.001, 8)?.about(2, 1, 0) },
        Plan { numbered: 12_000, ..Plan::new("two chunks", 12_000, 1e-6, 16)? },
        Plan { numbered: 1000, ..Plan::new("another shape", 1000, 0.001, 16)?.shaped(wide) },
    ])
}

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let (files, good) = all_files(plans()?, file)?;
    Ok(object([
        ("about", plain(ABOUT)),
        ("numbers", tables::numbers()),
        ("tables", tables::tables()?),
        ("do_not_fit", tables::what_does_not_fit()?),
        ("sizes", tables::sizes()?),
        ("larger", tables::larger()?),
        ("files", files),
        ("refused", refused(&good)?),
    ]))
}

/// Fills the filter, writes its file, reads the file, and looks up the probes.
fn file(plan: Plan) -> Result<File, String> {
    let mut filter = plan.filter;
    for key in plan.keys {
        filter.insert(key.as_bytes())?;
    }
    for i in 0..plan.numbered {
        filter.insert(format!("{PREFIX}{i}").as_bytes())?;
    }
    for &hash in &plan.hashes {
        filter.insert_hash(hash)?;
    }
    for key in plan.removed {
        if !filter.remove(key.as_bytes())? {
            return Err(format!("{}: {key} is not held", plan.name));
        }
    }
    let before = filter.shape;
    if !plan.own_shape {
        filter.lay(filter.capacity)?;
    }
    if filter.shape != before {
        return Err(format!("{}: the keys do not fit the shape for the capacity", plan.name));
    }
    let keys = keys_of(filter.scheme, plan.sealed);
    let file = written(plan.name, &filter, (write, read), keys)?;

    let mut probes = Vec::new();
    let numbered = (0..plan.numbered.min(3)).map(|i| format!("{PREFIX}{i}"));
    let mut asked: Vec<String> = plan.keys.iter().map(|key| key.to_string()).chain(numbered).collect();
    asked.dedup();
    if filter.scheme != 4 {
        asked.extend((0..6).map(|i| format!("8000{i}")));
    }
    for key in asked {
        probes.push(object([("count", decimal(filter.count(key.as_bytes())?)), ("key", plain(key))]));
    }
    for hash in plan.hashes.iter().take(9).copied().chain((0..plan.hashes.len() as u64).take(3)) {
        probes.push(object([("count", decimal(filter.count_hash(hash))), ("hash", hex64(hash))]));
    }

    let whole = file.len() <= LONGEST_WHOLE_FILE;
    // A long list of keys repeats one key, which is written once.
    let same = plan.keys.len() > WORDS.len();
    let listed = if same { &plan.keys[..1] } else { plan.keys };
    let Quotient { scheme, parameter, domain, policy, recipe, ref records, capacity, rate, .. } = filter;
    let (policy, capacity) = (Some(policy), Some(capacity));
    let header = Header { scheme, parameter, domain, policy, recipe, records, capacity, rate };
    let mut fields = header.fields(plan.name, keys);
    fields.extend([
        ("tag", plain(["nothing", "count"][usize::from(filter.tag)])),
        ("shape", tables::shape_json(&filter.shape)),
        ("own_shape", only(plan.own_shape, plain(true))),
        ("removal", only(!filter.deletable, plain("none"))),
        ("keys", list(listed.iter().map(|key| plain(*key)))),
        ("keys_times", only(same, plain(plan.keys.len()))),
        ("numbered_keys", only(plan.numbered > 0, numbered_keys(PREFIX, plan.numbered))),
        ("hashes", only(filter.scheme == 4, list(plan.hashes.iter().map(|&hash| hex64(hash))))),
        ("removed", only(!plan.removed.is_empty(), list(plan.removed.iter().map(|key| plain(*key))))),
        ("keys_held", decimal(filter.keys_held())),
        ("slots", decimal(filter.slots().len() as u64)),
        ("different", decimal(filter.held.len() as u64)),
        ("self_test", decimal(filter.self_test()?)),
    ]);
    fields.extend(bytes_of(&file, whole));
    fields.extend([("header", header_of(&file, whole)), ("probes", list(probes))]);
    Ok((plan.name, file, object(fields)))
}
