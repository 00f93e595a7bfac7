//! Makes a filter of a list that comes in pieces.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tepal::builders::BloomFilterBuilder;
use tepal::facts::Labels;
use tepal::file::Format;
use tepal::hash::{KeyHasher, PreparedKeys};
use tepal::segments::Segment;
use tepal::{
    AnyFilter, BloomFilter, ExpiringFilter, GrowingFilter, Opened, QuotientFilter, Result, RibbonFilter,
    RibbonMap, SegmentFilter,
};

use crate::records::Batch;

/// What is made.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Made {
    Bloom(Format),
    Static,
    Deletable,
    Counting,
    Growing,
    /// A window of as many keys as the list has.
    Window,
    Segments,
    Map,
}

impl Made {
    /// By its name on the page: a kind, or another program's format.
    pub(crate) fn with_name(name: &str) -> Option<Self> {
        Some(match name {
            "static" => Made::Static,
            "deletable" => Made::Deletable,
            "counting" => Made::Counting,
            "growing" => Made::Growing,
            "window" => Made::Window,
            "segments" => Made::Segments,
            "map" => Made::Map,
            name => Made::Bloom(name.parse().ok()?),
        })
    }
}

/// The shortest window: one key for each of its generations.
const SHORTEST_WINDOW: u64 = 6;

/// A filter that waits for all keys of its list.
pub(crate) struct Making {
    made: Made,
    rate: f64,
    labels: Labels,
    hasher: KeyHasher,
    /// The keys of another program's filter: their bytes, or their hashes.
    prepared: PreparedKeys,
    hashes: Vec<u64>,
    /// For each hash, the place of its second column in `names`.
    seconds: Vec<u32>,
    names: Vec<String>,
    places: BTreeMap<String, u32>,
    /// The number of records.
    pub(crate) records: u64,
}

/// The Bloom filter of a format, described: for another program's, as that program makes it today.
pub(crate) fn described(format: Format) -> BloomFilterBuilder {
    let mut builder = BloomFilter::builder();
    // A tepal file holds any scheme.
    if let (true, [scheme, ..]) = (format != Format::Tepal, format.schemes()) {
        builder = builder.scheme(*scheme);
    }
    if let Some(layout) = format.layout() {
        builder = builder.layout(layout);
    }
    builder
}

impl Making {
    pub(crate) fn new(made: Made, rate: f64, labels: Labels) -> Result<Self> {
        let builder = match made {
            Made::Bloom(format) => described(format),
            _ => BloomFilter::builder(),
        };
        let hasher = builder.key_hasher()?;
        let prepared = PreparedKeys::default();
        let (hashes, seconds, names, places) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        Ok(Making { made, rate, labels, hasher, prepared, hashes, seconds, names, places, records: 0 })
    }

    /// Takes the keys of the next records.
    pub(crate) fn take(&mut self, batch: &Batch) -> Result<()> {
        self.records += batch.records.len() as u64;
        self.hasher.prepare_many(batch, &mut self.prepared)?;
        if matches!(self.made, Made::Segments | Made::Map) {
            for record in 0..batch.records.len() {
                let second = self.second(&String::from_utf8_lossy(batch.second(record)));
                self.seconds.push(second);
            }
        }
        if let Some(hashes) = self.prepared.hashes() {
            self.hashes.extend_from_slice(hashes);
            self.prepared.clear();
        }
        Ok(())
    }

    /// The place of a segment's or value's name. The builder refuses too many.
    fn second(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.to_string());
        self.places.insert(name.to_string(), place);
        place
    }

    /// The number of different keys, whose hashes are sorted then.
    fn different(&mut self) -> u64 {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        (self.hashes.len() as u64).max(1)
    }

    /// The filter of all keys.
    pub(crate) fn finish(mut self) -> Result<Opened> {
        let (rate, labels) = (self.rate, self.labels.clone());
        /// Tells a builder what is known of the filter.
        macro_rules! told {
            ($builder:expr) => {
                $builder.false_positive_rate(rate).labels(labels)
            };
        }
        let format = match self.made {
            Made::Bloom(format) => format,
            _ => Format::Tepal,
        };
        let filter: AnyFilter = match self.made {
            Made::Bloom(format) => {
                let builder = described(format).false_positive_rate(rate);
                let builder = if format == Format::Tepal { builder.labels(labels) } else { builder };
                let keys = match self.hasher.has_hash() {
                    true => self.different(),
                    false => (self.prepared.len() as u64).max(1),
                };
                let mut filter = builder.capacity(keys).build()?;
                match self.hasher.has_hash() {
                    true => filter.insert_many_hashes(&self.hashes)?,
                    false => filter.insert_prepared(&self.prepared)?,
                }
                filter.into()
            }
            Made::Static => told!(RibbonFilter::builder()).build_from_hashes(self.hashes)?.into(),
            Made::Deletable => {
                // A list that names a key twice has it once, as a set does.
                self.different();
                told!(QuotientFilter::builder()).build_from_hashes(self.hashes)?.into()
            }
            Made::Counting => {
                let hashes = self.hashes.clone();
                let builder = told!(QuotientFilter::builder()).count_bits(8).capacity(self.different());
                builder.build_from_hashes(hashes)?.into()
            }
            Made::Growing => {
                let keys = self.different();
                let mut filter = told!(GrowingFilter::builder()).first(keys).build()?;
                filter.insert_many_hashes(&self.hashes)?;
                filter.into()
            }
            Made::Window => {
                let keys = self.records.max(SHORTEST_WINDOW);
                let mut filter = told!(ExpiringFilter::builder()).window_of_keys(keys).build()?;
                filter.insert_many_hashes(&self.hashes)?;
                filter.into()
            }
            Made::Segments => {
                let pair = |(hash, second): (u64, u32)| (hash, Segment::new(second as u16));
                let pairs = self.hashes.into_iter().zip(self.seconds).map(pair).collect();
                told!(SegmentFilter::builder()).build_from_hashes(&self.names, pairs)?.into()
            }
            Made::Map => {
                let pairs = self.hashes.into_iter().zip(self.seconds).collect();
                told!(RibbonMap::builder()).names(self.names).build_from_hashes(pairs)?.into()
            }
        };
        Opened::new(filter, format)
    }
}
