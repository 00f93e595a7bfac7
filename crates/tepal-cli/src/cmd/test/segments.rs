//! `tepal test --by`: is each key of a list in the segment that its row names?

use tepal::{Opened, Segment, SegmentAnswers, SegmentFilter};

use crate::asking::segments_of;
use crate::error::Failure;
use crate::input::pages::Page;
use crate::input::pipeline::{Flow, Sink};
use crate::measure::{Missed, Tally};
use crate::segments::Named;
use crate::text::message::shown_key;

/// Looks for keys in their segments.
pub struct Members<'a> {
    filter: &'a SegmentFilter,
    found: SegmentAnswers,
    /// A key that is not in its segment is missed, whatever others it is in.
    pub tally: Tally,
}

impl<'a> Members<'a> {
    /// In the segments of a filter, which must have some.
    pub fn of(name: &str, filter: &'a Opened) -> Result<Self, Failure> {
        match segments_of(filter) {
            Some(filter) => Ok(Self { filter, found: SegmentAnswers::new(), tally: Tally::default() }),
            None => Err(Failure::at(name, "--by is given, and this filter has no segments; leave it out")),
        }
    }
}

impl Sink<Named> for Members<'_> {
    fn take(&mut self, page: &mut Page<'_>, named: &Named) -> Result<Flow, Failure> {
        let of_names: Vec<Option<Segment>> =
            named.names().iter().map(|name| self.filter.segment_by_name(name)).collect();
        self.filter.segments_prepared(named.keys(), &mut self.found);
        for i in 0..self.found.len() {
            let segment = of_names[named.name_of(i)];
            let is_held = segment.is_some_and(|segment| self.found.of(i).any(|found| found == segment));
            self.tally.keys += 1;
            self.tally.held += u64::from(is_held);
            if !is_held && self.tally.first_missed.is_none() {
                self.tally.first_missed = missed(page, i);
            }
        }
        Ok(Flow::Continue)
    }
}

/// Where key `i` of a page is, of the records that have one.
fn missed(page: &mut Page<'_>, i: usize) -> Option<Missed> {
    let bad = page.keys.bad.records().to_vec();
    let mut before = 0;
    for record in (0..page.keys.batch.len()).filter(|record| bad.binary_search(record).is_err()) {
        let Ok(Some(key)) = page.keys.key(record) else { continue };
        if before == i {
            let key = shown_key(key);
            return Some(Missed { input: page.name.to_owned(), line: page.line(record), key });
        }
        before += 1;
    }
    None
}
