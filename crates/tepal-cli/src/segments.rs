//! Records of which one field is the key and another one names its segment.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use tepal::{KeyHasher, PreparedKeys, Segment, SegmentFilter, check_segment_name};

use crate::error::Failure;
use crate::input::pages::{Keys, Page};
use crate::input::pipeline::{Flow, Refused, Sink, Work};
use crate::keys::prepare_one;
use crate::text::message::shown_key;
use crate::text::number::{count, counted};

/// The most segments of a filter.
pub const MOST_SEGMENTS: u64 = 1 << 16;

/// Pairs that there is room for at least.
const LEAST_ROOM: usize = 1 << 16;

/// Prepares the keys of rows, and reads the names of their segments.
pub struct ByField {
    /// Prepares them.
    pub hasher: KeyHasher,
    /// What names the field of the segment.
    pub flag: &'static str,
}

/// Keys, and the names of their segments. A record without one of the two is not among them.
#[derive(Default)]
pub struct Named {
    keys: PreparedKeys,
    /// For each key the place of its segment among the names.
    places: Vec<u32>,
    /// For each key its record, and how many records there were.
    of_records: Vec<usize>,
    records: usize,
    /// The names in the order in which they came first.
    names: Vec<String>,
    by_name: HashMap<String, u32>,
}

impl Named {
    /// The keys.
    pub fn keys(&self) -> &PreparedKeys {
        &self.keys
    }

    /// The names of their segments, each once.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The record of key `i`.
    pub fn record_of(&self, i: usize) -> usize {
        self.of_records[i]
    }

    /// The hashes of the keys.
    pub fn hashes(&self) -> &[u64] {
        self.keys.hashes().unwrap_or_default()
    }

    /// Which of the names is that of key `i`.
    pub fn name_of(&self, i: usize) -> usize {
        self.places[i] as usize
    }

    /// The place of a name.
    fn place(&mut self, flag: &str, name: &[u8]) -> Result<u32, String> {
        // Rows are often in the order of their segments.
        if let Some(&last) = self.places.last() {
            if self.names[last as usize].as_bytes() == name {
                return Ok(last);
            }
        }
        let name = std::str::from_utf8(name)
            .map_err(|_| format!("{flag}: {} is no UTF-8, and a name is text", shown_key(name)))?;
        if let Some(&place) = self.by_name.get(name) {
            return Ok(place);
        }
        check_segment_name(name).map_err(|error| format!("{flag}: {error}"))?;
        let place = self.names.len() as u32;
        self.by_name.insert(name.to_owned(), place);
        self.names.push(name.to_owned());
        Ok(place)
    }
}

impl Work for ByField {
    type Tools = ();
    type Results = Named;

    fn tools(&self) {}

    fn clear(named: &mut Named) {
        named.keys.clear();
        named.places.clear();
        named.of_records.clear();
        named.records = 0;
        named.names.clear();
        named.by_name.clear();
    }

    fn work(&self, (): &mut (), keys: &mut Keys<'_>, named: &mut Named) -> Result<(), Refused> {
        let before = named.records;
        named.records += keys.batch.len();
        (0..keys.batch.len()).try_for_each(|record| {
            let place = match keys.segment(record) {
                Ok(Some(name)) => named.place(self.flag, name),
                // A blank row.
                Ok(None) => return Ok(()),
                Err(text) => Err(text),
            };
            let place = match place {
                Ok(place) => place,
                Err(text) => return keys.bad.push(record, text),
            };
            match prepare_one(&self.hasher, keys, record, &mut named.keys)? {
                Ok(()) => {
                    named.places.push(place);
                    named.of_records.push(before + record);
                }
                Err(Some(text)) => keys.bad.push(record, text)?,
                Err(None) => {}
            }
            Ok(())
        })
    }
}

/// The numbers of segments, by their names, in the order in which these came first in all inputs.
#[derive(Default)]
pub struct Numbers {
    names: Vec<String>,
    by_name: HashMap<String, Segment>,
}

impl Numbers {
    /// The number of a name of a list.
    pub fn number(&mut self, list: &str, name: &str) -> Result<Segment, Failure> {
        if let Some(segment) = self.by_name.get(name) {
            return Ok(*segment);
        }
        check_segment_name(name).map_err(|error| Failure::at(list, error))?;
        let Some(number) = u16::try_from(self.names.len()).ok() else {
            return Err(Failure::at(
                list,
                format!(
                    "{} would be segment {}, and a filter has at most {}; is --by the field of the segment? Else make several filters",
                    shown_key(name.as_bytes()),
                    count(MOST_SEGMENTS + 1),
                    count(MOST_SEGMENTS)
                ),
            ));
        };
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), Segment::new(number));
        Ok(Segment::new(number))
    }

    /// The numbers of the names that came together.
    fn of(&mut self, list: &str, named: &Named) -> Result<Vec<Segment>, Failure> {
        named.names.iter().map(|name| self.number(list, name)).collect()
    }

    /// The names, by their numbers.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// Pairs of a hash and a segment, 16 bytes each.
pub struct Pairs {
    keys: u64,
    pairs: Vec<(u64, Segment)>,
    threads: NonZeroUsize,
}

impl Pairs {
    /// None yet. They are sorted on so many threads.
    pub fn new(threads: NonZeroUsize) -> Self {
        Self { keys: 0, pairs: Vec::new(), threads }
    }

    /// How many keys came, and their different pairs.
    pub fn into_different(mut self) -> (u64, Vec<(u64, Segment)>) {
        self.once();
        (self.keys, self.pairs)
    }

    /// Takes repeats out.
    fn once(&mut self) {
        SegmentFilter::sort_pairs(&mut self.pairs, self.threads);
        self.pairs.dedup();
    }

    /// Takes some keys by their hashes, each with its segment.
    pub fn take(
        &mut self,
        hashes: &[u64],
        mut segments: impl FnMut(usize) -> Segment,
    ) -> Result<(), Failure> {
        self.keys += hashes.len() as u64;
        if self.pairs.capacity() - self.pairs.len() < hashes.len() {
            self.once();
            // Room for as many again: so often they need not be sorted.
            self.pairs.try_reserve_exact(self.pairs.len().max(hashes.len()).max(LEAST_ROOM)).map_err(|_| {
                Failure::new(format!(
                    "the keys of a list wait with their segments, 16 bytes each, and there is no memory for more than {}; build filters of \
                     shorter lists with the same -n, and merge them",
                    counted(self.pairs.len() as u64, "key")
                ))
            })?;
        }
        self.pairs.extend(hashes.iter().enumerate().map(|(i, hash)| (*hash, segments(i))));
        Ok(())
    }
}

/// Keys of rows that name their segments.
pub struct Rows<'a> {
    /// Which names there are.
    pub numbers: Numbers,
    /// What comes of them.
    pub pairs: &'a mut Pairs,
}

impl Sink<Named> for Rows<'_> {
    fn take(&mut self, page: &mut Page<'_>, named: &Named) -> Result<Flow, Failure> {
        let of_names = self.numbers.of(page.name, named)?;
        self.pairs.take(named.hashes(), |i| of_names[named.name_of(i)])?;
        Ok(Flow::Continue)
    }
}
