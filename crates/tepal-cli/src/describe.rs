//! A filter as data, for `--json`: the library's facts, every number exact, none formatted.

mod parts;

use serde::Serialize;
use tepal::{
    Opened, OverCapacity,
    facts::{Can, Facts, FileFacts, Form, Labels, PartFacts, RibbonFacts, Unrecorded},
    file::Format,
};

use crate::article::Article;
use crate::clock;
use crate::error::Failure;
use crate::output::complain;
use crate::rows::Rows;
use crate::text::number::{promise, rate};
use crate::text::words::Words;
pub use parts::load;
use parts::{Part, SegmentOf, Table, WindowOf};

/// Everything that is to know about a filter and its file.
#[derive(Debug, Serialize)]
pub struct Description {
    /// Where it is.
    pub file: String,
    /// The format of the file.
    pub format: &'static str,
    /// Which form of file it is, where the format has two: `pairs` or `dump`; else null.
    pub form: Option<&'static str>,
    /// The version of a tepal file; null for other formats.
    pub format_version: Option<u16>,
    /// What kind of filter it is.
    pub kind: &'static str,
    /// Which bits a hash sets; null for a table of numbers.
    pub layout: Option<String>,
    /// Bits set for each key; null for a chain of several filters, and for a table.
    pub num_hashes: Option<u32>,
    /// Bits of the array, of all filters of a chain; of the lines of a table.
    pub bit_len: u64,
    /// Bytes of the bits in memory.
    pub size_in_bytes: u64,
    /// Bytes of the file.
    pub file_len: u64,
    /// Whether the file is sealed.
    pub sealed: bool,
    /// Whether the bits are under a checksum.
    pub checksum: bool,
    /// What the file does not record of `key_domain`, `capacity`, `promised_false_positive_rate`,
    /// `keys_inserted`.
    pub not_recorded: Vec<&'static str>,
    /// Bits of the array for each key of the capacity; null when that is not recorded. Of a static
    /// filter or map, for each key in it.
    pub bits_per_key: Option<f64>,
    /// Different keys it was planned for; null when not recorded, and of a static filter or map,
    /// which has none.
    pub capacity: Option<u64>,
    /// Keys given to it, repeats included, of merged filters the sum of them; null when not known.
    pub keys_inserted: Option<u64>,
    /// Different keys in it, going by the set bits.
    pub estimated_len: f64,
    /// Bits that are set; null for a table.
    pub set_bits: Option<u64>,
    /// Their share; of a table, the share of its slots that are taken.
    pub fill_ratio: f64,
    /// Wrong answers among keys that are not in it, now.
    pub false_positive_rate: f64,
    /// The same as promised for a filter that is not past its capacity; null when not recorded.
    pub promised_false_positive_rate: Option<f64>,
    /// Whether it holds more than its capacity.
    pub over_capacity: bool,
    /// Whether it refuses every new key now.
    pub full: bool,
    /// Keys that it says no for though its bits say yes.
    pub exceptions: u64,
    /// Keys that were added beside a static filter.
    pub added_keys: Option<u64>,
    /// Of a static filter that was made of a table: of how many numbers each of its keys has one,
    /// by which alone it is known; null of every other filter.
    pub of_numbers: Option<u64>,
    /// Of the same: different numbers in it, of which two keys may have one.
    pub distinct_numbers: Option<u64>,
    /// Keys that a second ribbon of a static filter has one more bit of; null of every other
    /// filter.
    pub picked_keys: Option<u64>,
    /// Whether it knows them by a divider, and so takes no further key.
    pub divided: bool,
    /// Whether keys can be removed.
    pub deletable: bool,
    /// How many times the keys of its newest filter the next one of a chain is for; null for what
    /// does not grow.
    pub expansion: Option<u32>,
    /// What happens when more keys come; null when not recorded, and of a static filter or map,
    /// which has no capacity.
    pub over_capacity_policy: Option<String>,
    /// How key bytes become a hash, or bits.
    pub scheme: String,
    /// The seed in hex; null for a scheme without one.
    pub seed: Option<String>,
    /// The 32 bytes of valkey-bloom's seed in hex; null for every other scheme.
    pub valkey_seed: Option<String>,
    /// The name of a hash that another program computes; null for every other scheme.
    pub caller_hash: Option<String>,
    /// What keys are: as given, where the file does not record it.
    pub key_domain: String,
    /// Whether white space around a key does not count.
    pub trim: bool,
    /// Whether capital letters do not count.
    pub nocase: bool,
    /// Name of the set.
    pub name: Option<String>,
    /// Where the keys came from.
    pub source: Option<String>,
    /// Date of the list.
    pub date: Option<String>,
    /// Which field of a row was the key.
    pub field: Option<String>,
    /// How those rows are written: `csv`, `plain` or `json`, or `whole` for whole records as keys;
    /// null where the file does not say it.
    pub row_format: Option<String>,
    /// What is between the fields of a row; null for JSON.
    pub delimiter: Option<String>,
    /// Whether empty fields are keys too.
    pub empty_keys: bool,
    /// In CSV the character after which the next one stands for itself; null where there is none.
    pub escape: Option<String>,
    /// Whether those rows end with NUL.
    pub nul_records: bool,
    /// The Bloom filters, the oldest first: one, or the links of a chain; none of another kind.
    pub filters: Vec<Part>,
    /// The tables of numbers: one of a filter from which keys can be removed, none of a Bloom
    /// filter.
    pub tables: Vec<Table>,
    /// Its segments, by their numbers, or the values of a map that have names; none of a filter
    /// that has none.
    pub segments: Vec<SegmentOf>,
    /// Bits of a value; null of what is no map.
    pub value_bits: Option<u8>,
    /// How long it keeps keys; null of a filter that forgets none.
    pub window: Option<WindowOf>,
    /// What its user should know.
    pub warnings: Vec<String>,
    /// Of a filter of the five articles' schemes, what `tepal info` measures and what its article
    /// calls it; null else.
    pub article: Option<Article>,
}

/// A filter and its file, as the library tells it.
pub struct Told {
    /// The filter.
    pub facts: Facts,
    /// Its file.
    pub file: FileFacts,
    /// What it can do.
    pub can: Can,
    /// Different keys that are still in now, by this machine's clock; nothing of what forgets none.
    pub still_in: Option<f64>,
}

impl Told {
    /// Of an opened or built filter, which is or will be at `name`, sealed if it is said so.
    pub fn of(name: &str, opened: &Opened) -> Result<Self, Failure> {
        let mut facts = opened.facts().map_err(|error| Failure::at(name, error))?;
        match facts.file.take() {
            Some(file) => {
                let still_in = clock::still_in(opened.filter(), facts.estimated_len);
                let still_in = still_in.map_err(|error| Failure::at(name, error))?;
                Ok(Self { facts, file, can: opened.can(), still_in })
            }
            None => Err(Failure::at(name, "a filter without a file")),
        }
    }

    /// The file is written with a seal.
    pub fn sealed(mut self, sealed: bool) -> Self {
        if sealed && !self.file.is_sealed {
            self.file.file_len += tepal::SealKey::SEAL_BYTES;
            self.file.is_sealed = true;
        }
        self
    }

    /// The rate now, and behind it the promise where one is on record.
    pub fn rates(&self, separator: &str) -> String {
        let promised = match self.has_plan() {
            true => format!("{separator} {} promised", promise(self.facts.promised_false_positive_rate)),
            false => String::new(),
        };
        format!("{} wrong now{promised}", rate(self.facts.false_positive_rate))
    }

    /// Whether it is a tepal file.
    pub fn is_ours(&self) -> bool {
        self.file.format == Format::Tepal
    }

    /// Whether the file says for how many keys and which rate the filter was planned.
    pub fn has_plan(&self) -> bool {
        !self.file.not_recorded.contains(&Unrecorded::Plan)
    }
}

/// Says that a filter is past its promise, with `--quiet` too.
pub fn warn_past_promise(name: &str, told: &Told) {
    // A promise that is not on record cannot be passed.
    let is_told = told.facts.over_capacity != OverCapacity::Ignore && told.has_plan();
    if told.facts.is_over_capacity && is_told {
        complain(&format!("{name}: now past its promise; build it again with more room (-n)"));
    }
}

impl Description {
    /// Describes a filter, which is at `name`.
    pub fn of(name: &str, told: &Told) -> Self {
        let Told { facts, file, .. } = told;
        let (has_plan, parts) = (told.has_plan(), &facts.parts);
        let is_static = facts.ribbon.is_some();
        // A map takes no key later, and has no second ribbon.
        let of_keys = facts.ribbon.as_ref().filter(|_| !told.can.values);
        let sum = |of: fn(&PartFacts) -> u64| parts.iter().map(of).sum::<u64>();
        let (bits, set_bits) = (sum(|part| part.bit_len), sum(|part| part.set_bits));
        let bit_len = bits_of(facts);
        let Labels { name: set, source, date, field, rows, .. } = facts.labels.clone();
        let of_rows = Rows::of(&facts.labels);
        Self {
            file: name.to_owned(),
            format: file.format.name(),
            form: file.form.map(Form::name),
            format_version: file.format_version,
            kind: facts.kind.name(),
            layout: parts.first().map(|part| part.layout.to_string()),
            num_hashes: match parts.as_slice() {
                [one] => Some(one.num_hashes),
                _ => None,
            },
            bit_len,
            size_in_bytes: facts.size_in_bytes,
            file_len: file.file_len,
            sealed: file.is_sealed,
            checksum: file.has_checksum,
            not_recorded: file
                .not_recorded
                .iter()
                .flat_map(|missing| unrecorded(*missing))
                .copied()
                .collect(),
            bits_per_key: has_plan.then(|| bits_per_key(facts)),
            capacity: (has_plan && !is_static).then_some(facts.capacity),
            keys_inserted: facts.keys_inserted,
            estimated_len: facts.estimated_len,
            set_bits: (bits > 0).then_some(set_bits),
            fill_ratio: match facts.tables.as_slice() {
                // Of a ribbon no bit is free.
                [] if facts.ribbon.is_some() => 1.0,
                [] => set_bits as f64 / bits as f64,
                tables => load(tables),
            },
            false_positive_rate: facts.false_positive_rate,
            promised_false_positive_rate: has_plan.then_some(facts.promised_false_positive_rate),
            over_capacity: facts.is_over_capacity,
            full: facts.is_full,
            exceptions: facts.exceptions,
            added_keys: of_keys.map(|ribbon| ribbon.added),
            of_numbers: facts.ribbon.as_ref().and_then(|ribbon| ribbon.numbers),
            distinct_numbers: facts.ribbon.as_ref().and_then(RibbonFacts::distinct_numbers),
            picked_keys: of_keys.map(|ribbon| ribbon.picked),
            divided: facts.is_divided,
            deletable: told.can.remove,
            expansion: facts.expansion,
            over_capacity_policy: (told.is_ours() && !is_static).then(|| facts.over_capacity.to_string()),
            scheme: facts.scheme.to_string(),
            seed: facts.seed.map(|seed| format!("{seed:#018x}")),
            valkey_seed: facts.valkey_seed.as_ref().map(hex),
            caller_hash: facts.caller_hash.clone(),
            key_domain: facts.key_domain.to_string(),
            trim: facts.recipe.trim,
            nocase: facts.recipe.nocase,
            name: set,
            source,
            date,
            field,
            row_format: rows
                .and_then(|rows| Some(rows.split(' ').next()?.to_owned()))
                .filter(|form| form != "empty"),
            empty_keys: of_rows.as_ref().is_some_and(|rows| rows.empty),
            delimiter: of_rows.as_ref().and_then(|rows| Some(char::from(rows.format?.delimiter).to_string())),
            escape: of_rows.as_ref().and_then(|rows| Some(char::from(rows.format?.escape?).to_string())),
            nul_records: of_rows.is_some_and(|rows| rows.null),
            filters: parts.iter().map(|part| Part::of(part, has_plan)).collect(),
            tables: facts.tables.iter().map(Table::of).collect(),
            segments: facts.segments.iter().map(SegmentOf::of).collect(),
            value_bits: facts.ribbon.as_ref().map(|ribbon| ribbon.value_bits).filter(|bits| *bits > 0),
            window: facts
                .window
                .and_then(|window| WindowOf::of(window, told.still_in.unwrap_or(facts.estimated_len))),
            warnings: facts.warnings.iter().map(Words::words).collect(),
            article: None,
        }
    }
}

/// Bits of all its arrays and lines, or of its ribbon.
pub fn bits_of(facts: &Facts) -> u64 {
    let lines = facts.tables.iter().map(|table| 512 * table.lines).sum::<u64>();
    let of_ribbon = facts.ribbon.as_ref().map_or(0, |ribbon| ribbon.bit_len);
    facts.parts.iter().map(|part| part.bit_len).sum::<u64>() + lines + of_ribbon
}

/// Its bits for each key of the capacity; of a static filter or map, which may have none, for each
/// key in it.
pub fn bits_per_key(facts: &Facts) -> f64 {
    let keys = facts.ribbon.as_ref().map_or(facts.capacity, |ribbon| ribbon.keys);
    bits_of(facts) as f64 / keys.max(1) as f64
}

/// A seed as `--valkey-seed` takes it.
pub fn hex(seed: &[u8; 32]) -> String {
    seed.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The names of what a file does not say.
fn unrecorded(missing: Unrecorded) -> &'static [&'static str] {
    match missing {
        Unrecorded::KeyDomain => &["key_domain"],
        Unrecorded::Plan => &["capacity", "promised_false_positive_rate"],
        Unrecorded::KeysInserted => &["keys_inserted"],
        _ => &[],
    }
}
