//! `tepal test --by` and `--map`: is each key of a list in the segment, or has it the value, that
//! its row names?

use tepal::{
    Opened, RibbonMap, SegmentFilter,
    segments::{Segment, SegmentAnswers},
};

use crate::error::Failure;
use crate::input::pages::Page;
use crate::input::pipeline::{Flow, Sink};
use crate::measure::{Missed, Tally};
use crate::segments::Named;
use crate::text::message::shown_key;
use crate::text::number::plain_number;

/// Looks for keys in their segments, or for their values.
pub struct Members<'a> {
    of: Of<'a>,
    /// A key that is not in its segment, or has not its value, is missed, whatever others it is in
    /// or has.
    pub tally: Tally,
}

/// What is asked.
enum Of<'a> {
    Segments(&'a SegmentFilter, SegmentAnswers),
    Map(&'a RibbonMap, Vec<Option<u32>>),
}

impl<'a> Members<'a> {
    /// In the segments of a filter, or among the values of a map, as `flag` says.
    pub fn of(name: &str, filter: &'a Opened, flag: &str) -> Result<Self, Failure> {
        let of = match (filter.filter().as_segmented(), filter.filter().as_valued()) {
            (Some(filter), _) if flag == "--by" => Of::Segments(filter, SegmentAnswers::new()),
            (_, Some(map)) => Of::Map(map, Vec::new()),
            (Some(_), _) => {
                return Err(Failure::at(
                    name,
                    "--map is given, and this is a filter with segments; name the field with --by",
                ));
            }
            (None, None) => {
                let what = if flag == "--by" { "has no segments" } else { "is no map" };
                return Err(Failure::at(
                    name,
                    format!("{flag} is given, and this filter {what}; leave it out"),
                ));
            }
        };
        Ok(Self { of, tally: Tally::default() })
    }

    /// For each key, whether it is where its row says.
    fn held(&mut self, named: &Named) -> Vec<bool> {
        let keys = 0..named.keys().len();
        match &mut self.of {
            Of::Segments(filter, found) => {
                let of_names: Vec<Option<Segment>> =
                    named.names().iter().map(|name| filter.segment_by_name(name)).collect();
                filter.segments_prepared(named.keys(), found);
                let is_held = |segment: &Segment, i| found.of(i).contains(segment);
                keys.map(|i| of_names[named.name_of(i)].is_some_and(|segment| is_held(&segment, i))).collect()
            }
            Of::Map(map, found) => {
                let value = |name: &String| match map.num_names() {
                    0 => plain_number(name),
                    _ => map.value_of_name(name),
                };
                let of_names: Vec<Option<u32>> = named.names().iter().map(value).collect();
                found.resize(keys.len(), None);
                map.get_prepared(named.keys(), found);
                keys.map(|i| found[i].is_some() && found[i] == of_names[named.name_of(i)]).collect()
            }
        }
    }
}

impl Sink<Named> for Members<'_> {
    fn take(&mut self, page: &mut Page<'_>, named: &Named) -> Result<Flow, Failure> {
        let held = self.held(named);
        self.tally.keys += held.len() as u64;
        self.tally.held += held.iter().filter(|held| **held).count() as u64;
        if self.tally.first_missed.is_none() {
            self.tally.first_missed =
                held.iter().position(|held| !held).and_then(|i| missed(page, named.record_of(i)));
        }
        Ok(Flow::Continue)
    }
}

/// A key that is missed, and where it is.
fn missed(page: &mut Page<'_>, record: usize) -> Option<Missed> {
    let line = page.line(record);
    let key = shown_key(page.keys.key(record).ok()??);
    Some(Missed { input: page.name.to_owned(), line, key })
}
