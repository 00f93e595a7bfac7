//! Records of which one field is the key and another one names its segment.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use tepal::{
    SegmentFilter,
    hash::{KeyHasher, PreparedKeys},
    segments::{Segment, check_segment_name},
};

use crate::error::Failure;
use crate::input::field::Field;
use crate::input::pages::{Keys, Page};
use crate::input::pipeline::{Flow, Refused, Sink, Work};
use crate::keys::{make_room, prepare_one};
use crate::text::message::shown_key;
use crate::text::number::count;
use crate::text::words::Words;

/// The most segments of a filter.
pub const MOST_SEGMENTS: u64 = 1 << 16;

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
    names: Names,
}

/// Names, each with a number from 0, in the order in which they came first.
#[derive(Default)]
pub struct Names {
    names: Vec<String>,
    by_name: HashMap<String, u32>,
}

impl Names {
    /// The number of a name. `check` may refuse a new one, which would have this number.
    pub fn number<E>(&mut self, name: &str, check: impl FnOnce(usize) -> Result<(), E>) -> Result<u32, E> {
        if let Some(&number) = self.by_name.get(name) {
            return Ok(number);
        }
        check(self.names.len())?;
        let number = self.names.len() as u32;
        self.by_name.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        Ok(number)
    }

    /// The number of a name of a segment, in a list.
    pub fn segment(&mut self, list: &str, name: &str) -> Result<Segment, Failure> {
        let number = self.number(name, |number| {
            check_segment_name(name).map_err(|error| Failure::at(list, error))?;
            if number < MOST_SEGMENTS as usize {
                return Ok(());
            }
            Err(Failure::at(
                list,
                format!(
                    "{} would be segment {}, and a filter has at most {}; is --by the field of the segment? Else make several filters",
                    shown_key(name.as_bytes()),
                    count(MOST_SEGMENTS + 1),
                    count(MOST_SEGMENTS)
                ),
            ))
        })?;
        Ok(Segment::new(number as u16))
    }

    /// The names, by their numbers.
    pub fn all(&self) -> &[String] {
        &self.names
    }

    /// The names, by their numbers.
    pub fn into_all(self) -> Vec<String> {
        self.names
    }
}

impl Named {
    /// The keys.
    pub fn keys(&self) -> &PreparedKeys {
        &self.keys
    }

    /// The names of their segments, each once.
    pub fn names(&self) -> &[String] {
        &self.names.names
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
            if self.names.names[last as usize].as_bytes() == name {
                return Ok(last);
            }
        }
        let name = std::str::from_utf8(name)
            .map_err(|_| format!("{flag}: {} is no UTF-8, and a name is text", shown_key(name)))?;
        let check = |_| check_segment_name(name).map_err(|error| format!("{flag}: {}", error.words()));
        self.names.number(name, check)
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
        named.names.names.clear();
        named.names.by_name.clear();
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
        once(&mut self.pairs, self.threads);
        (self.keys, self.pairs)
    }

    /// Takes some keys by their hashes, each with its segment.
    pub fn take(
        &mut self,
        hashes: &[u64],
        mut segments: impl FnMut(usize) -> Segment,
    ) -> Result<(), Failure> {
        self.keys += hashes.len() as u64;
        let threads = self.threads;
        make_room(
            &mut self.pairs,
            hashes.len(),
            |pairs| once(pairs, threads),
            |keys| {
                format!(
                    "the keys of a list wait with their segments, 16 bytes each, and there is no memory for more than {keys}; build filters of \
                 shorter lists with the same -n, and merge them"
                )
            },
        )?;
        self.pairs.extend(hashes.iter().enumerate().map(|(i, hash)| (*hash, segments(i))));
        Ok(())
    }
}

/// Takes repeats out.
fn once(pairs: &mut Vec<(u64, Segment)>, threads: NonZeroUsize) {
    SegmentFilter::sort_pairs(pairs, threads);
    pairs.dedup();
}

/// Keys of rows that name their segments.
pub struct Rows<'a> {
    /// Which names there are.
    pub names: Names,
    /// What comes of them.
    pub pairs: &'a mut Pairs,
}

impl Sink<Named> for Rows<'_> {
    fn take(&mut self, page: &mut Page<'_>, named: &Named) -> Result<Flow, Failure> {
        let of_names = named.names().iter().map(|name| self.names.segment(page.name, name));
        let of_names: Vec<Segment> = of_names.collect::<Result<_, _>>()?;
        self.pairs.take(named.hashes(), |i| of_names[named.name_of(i)])?;
        Ok(Flow::Continue)
    }
}

/// Refuses fields of which one is none beside the other.
pub fn check_fields(flag: &str, by: &Field, key: Option<&Field>) -> Result<(), Failure> {
    let is_number = |field: &Field| matches!(field, Field::Number(_));
    let what = if flag == "--map" { "value" } else { "segment" };
    match key {
        None => Err(Failure::new(format!(
            "{flag} names the field of the {what}; say with -f which field is the key, such as -f 1 or -f email"
        ))),
        Some(key) if key.is_path() && is_number(by) || by.is_path() && is_number(key) => {
            Err(Failure::new(format!(
                "{flag} {} and -f {}: one is a path into JSON lines and the other a field of rows; name both alike",
                by.text(),
                key.text()
            )))
        }
        Some(key) if key == by => Err(Failure::new(format!(
            "{flag} and -f both name the field {}; each key would be a {what} of its own, so name another field with {flag}",
            by.text()
        ))),
        Some(_) => Ok(()),
    }
}
