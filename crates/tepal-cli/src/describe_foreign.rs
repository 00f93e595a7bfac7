//! Another program's filter as data, for `--json`: every number exact, none formatted.

use serde::Serialize;
use tepal::{AnyFilter, BloomFilter, FilterFile, Format, Line};

use crate::describe::Description;
use crate::error::Failure;
use crate::open::promised;

/// A filter of ours or of another program.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Described {
    /// Ours.
    Own(Box<Description>),
    /// Another program's.
    Foreign(Box<ForeignDescription>),
}

/// Everything that is to know about another program's filter.
#[derive(Debug, Serialize)]
pub struct ForeignDescription {
    /// Where it is.
    pub file: String,
    /// The format of the file.
    pub format: &'static str,
    /// `bloom`, or `scalable` for a chain.
    pub kind: &'static str,
    /// How keys become bits.
    pub scheme: String,
    /// Which bits a hash sets.
    pub layout: String,
    /// What keys are: as given, where the file does not record it.
    pub key_domain: String,
    /// What the file does not record of `key_domain`, `capacity`, `promised_false_positive_rate`, `keys_inserted`.
    pub not_recorded: Vec<&'static str>,
    /// Bytes of the file.
    pub file_len: u64,
    /// Bits of all filters.
    pub bit_len: u64,
    /// Keys given to it; null when not known.
    pub keys_inserted: Option<u64>,
    /// Different keys in it, going by the set bits.
    pub estimated_len: f64,
    /// Wrong answers among keys that are not in it, now.
    pub false_positive_rate: f64,
    /// The same as promised; null when not recorded.
    pub promised_false_positive_rate: Option<f64>,
    /// The filters, the oldest first: one, or the links of a chain.
    pub filters: Vec<Part>,
    /// What its user should know.
    pub warnings: Vec<String>,
}

/// One Bloom filter of a file.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Bits set for each key.
    pub num_hashes: u32,
    /// Bits of the array.
    pub bit_len: u64,
    /// Keys it was planned for; null when not recorded.
    pub capacity: Option<u64>,
    /// Keys given to it; null when not known.
    pub keys_inserted: Option<u64>,
    /// Bits that are set.
    pub set_bits: u64,
    /// Their share.
    pub fill_ratio: f64,
    /// Wrong answers among keys that are not in it, now.
    pub false_positive_rate: f64,
}

/// Whether files of a format say how many keys they were planned for, and at which rate.
pub fn records_plan(format: Format) -> bool {
    matches!(format, Format::Tepal | Format::Dcso | Format::RedisBloom | Format::ValkeyBloom)
}

/// The keys given to all filters of a file, where each of them knows.
pub fn keys_inserted(filter: &AnyFilter) -> Option<u64> {
    filter.parts().iter().map(BloomFilter::keys_inserted).sum()
}

/// The different keys of all filters of a file by their bits.
pub fn estimated_len(filter: &AnyFilter) -> f64 {
    filter.parts().iter().map(BloomFilter::estimated_len).sum()
}

/// What files of this format do not say, in words of `--json`.
pub fn not_recorded(file: &FilterFile) -> Vec<&'static str> {
    let mut missing = vec!["key_domain"];
    if !records_plan(file.format()) {
        missing.extend(["capacity", "promised_false_positive_rate"]);
    }
    if keys_inserted(file.filter()).is_none() {
        missing.push("keys_inserted");
    }
    missing
}

impl Described {
    /// Says whether the file is sealed; only ours can be.
    pub fn sealed(mut self, sealed: bool) -> Self {
        if let Self::Own(description) = &mut self {
            description.sealed(sealed);
        }
        self
    }

    /// Describes a tepal filter, which is at `name`.
    pub fn own<L: AsRef<[Line]>>(name: &str, filter: &BloomFilter<L>) -> Self {
        Self::Own(Box::new(Description::of(name, filter)))
    }

    /// Describes a filter of any format, which is at `name`.
    pub fn of(name: &str, file: &FilterFile) -> Result<Self, Failure> {
        if let (Format::Tepal, [filter]) = (file.format(), file.filter().parts()) {
            return Ok(Self::own(name, filter));
        }
        let filter = file.filter();
        let planned = records_plan(file.format());
        let parts = filter.parts();
        Ok(Self::Foreign(Box::new(ForeignDescription {
            file: name.to_owned(),
            format: file.format().name(),
            kind: if matches!(filter, AnyFilter::Bloom(_)) { "bloom" } else { "scalable" },
            scheme: filter.scheme().to_string(),
            layout: parts[0].layout().to_string(),
            key_domain: filter.key_domain().to_string(),
            not_recorded: not_recorded(file),
            file_len: file_len(name, file)?,
            bit_len: parts.iter().map(BloomFilter::bit_len).sum(),
            keys_inserted: keys_inserted(filter),
            estimated_len: estimated_len(filter),
            false_positive_rate: filter.false_positive_rate(),
            promised_false_positive_rate: planned.then(|| promised(filter)),
            filters: parts.iter().map(|part| Part::of(part, planned)).collect(),
            warnings: file.warnings(),
        })))
    }
}

impl Part {
    fn of(filter: &BloomFilter, planned: bool) -> Self {
        Self {
            num_hashes: filter.num_hashes(),
            bit_len: filter.bit_len(),
            capacity: planned.then(|| filter.capacity()),
            keys_inserted: filter.keys_inserted(),
            set_bits: filter.set_bits(),
            fill_ratio: filter.fill_ratio(),
            false_positive_rate: filter.false_positive_rate(),
        }
    }
}

/// Bytes of the file.
pub fn file_len(name: &str, file: &FilterFile) -> Result<u64, Failure> {
    let bytes = file.to_bytes().map_err(|error| Failure::at(name, error))?;
    Ok(bytes.len() as u64)
}
