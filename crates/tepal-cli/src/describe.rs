//! A filter as data, for `--json`: every number exact, none formatted.

use serde::Serialize;
use tepal::{BloomFilter, Format, Line, SealKey};

/// Everything that is to know about a filter.
#[derive(Debug, Serialize)]
pub struct Description {
    /// Where it is.
    pub file: String,
    /// The format of the file.
    pub format: &'static str,
    /// The version of the file format.
    pub format_version: u32,
    /// What kind of filter it is.
    pub kind: &'static str,
    /// Which bits a hash sets.
    pub layout: String,
    /// Bits set for each key.
    pub num_hashes: u32,
    /// Bits of the array.
    pub bit_len: u64,
    /// Bytes of the array.
    pub size_in_bytes: u64,
    /// Bytes of the file.
    pub file_len: u64,
    /// Whether the file is sealed.
    pub sealed: bool,
    /// Bits of the array for each key of the capacity.
    pub bits_per_key: f64,
    /// Different keys it was planned for.
    pub capacity: u64,
    /// Keys given to it, repeats included; null when not known.
    pub keys_inserted: Option<u64>,
    /// Different keys in it, going by the set bits.
    pub estimated_len: f64,
    /// Bits that are set.
    pub set_bits: u64,
    /// Their share.
    pub fill_ratio: f64,
    /// Wrong answers among keys that are not in it, now.
    pub false_positive_rate: f64,
    /// The same as promised for a filter that is not past its capacity.
    pub promised_false_positive_rate: f64,
    /// Whether it holds more than its capacity.
    pub over_capacity: bool,
    /// What happens when more keys come.
    pub over_capacity_policy: String,
    /// How key bytes become a hash.
    pub scheme: String,
    /// The seed in hex; null for a keyed filter.
    pub seed: Option<String>,
    /// What keys are.
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
    /// What its user should know.
    pub warnings: Vec<String>,
}

impl Description {
    /// Says whether the file is sealed, and so longer than another.
    pub fn sealed(&mut self, sealed: bool) {
        if sealed && !self.sealed {
            self.file_len += SealKey::SEAL_BYTES;
        }
        self.sealed = sealed;
    }

    /// Describes `filter`, which is at `file`.
    pub fn of<L: AsRef<[Line]>>(file: &str, filter: &BloomFilter<L>) -> Self {
        let labels = filter.labels().clone();
        Self {
            file: file.to_owned(),
            format: Format::Tepal.name(),
            format_version: 1,
            kind: "bloom",
            layout: filter.layout().to_string(),
            num_hashes: filter.num_hashes(),
            bit_len: filter.bit_len(),
            size_in_bytes: filter.size_in_bytes(),
            file_len: filter.file_len(),
            sealed: false,
            bits_per_key: filter.bits_per_key(),
            capacity: filter.capacity(),
            keys_inserted: filter.keys_inserted(),
            estimated_len: filter.estimated_len(),
            set_bits: filter.set_bits(),
            fill_ratio: filter.fill_ratio(),
            false_positive_rate: filter.false_positive_rate(),
            promised_false_positive_rate: filter.promised_false_positive_rate(),
            over_capacity: filter.is_over_capacity(),
            over_capacity_policy: filter.over_capacity().to_string(),
            scheme: filter.scheme().to_string(),
            seed: filter.seed().map(|seed| format!("{seed:#018x}")),
            key_domain: filter.key_domain().to_string(),
            trim: filter.recipe().trim,
            nocase: filter.recipe().nocase,
            name: labels.name,
            source: labels.source,
            date: labels.date,
            field: labels.field,
            warnings: Vec::new(),
        }
    }
}
