//! The way from inputs to keys: pages of records from one input after the other.

use std::collections::VecDeque;

use crate::error::Failure;
use crate::field::{Extractor, Field, KeyRules, Row, find_column};
use crate::input::Source;
use crate::progress::Progress;
use crate::records::{Batch, Records};

/// Records of a page at most: enough for a batch, small enough to stay near the processor.
pub const PAGE: usize = 1024;

/// UTF-8's byte order mark, which stands before the first field of some files.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// All records of all inputs.
pub struct Pages {
    sources: VecDeque<Source>,
    rules: KeyRules,
    progress: Progress,
    current: Option<Open>,
    opened: usize,
}

/// The input being read.
struct Open {
    name: String,
    number: usize,
    records: Records,
    extractor: Extractor,
    /// The header row is still to come: the name to find there.
    wanted: Option<(String, Row)>,
}

/// Some consecutive records of one input.
pub struct Page<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// Which input it is, from 1.
    pub input: usize,
    /// The records.
    pub batch: Batch<'a>,
    /// Whether this is the header row, alone on its page; it has no key.
    pub is_header: bool,
    extractor: &'a mut Extractor,
}

impl Pages {
    /// The records of `sources`, after a look at each of them so that a wrong name is found at once.
    pub fn new(sources: Vec<Source>, rules: KeyRules, progress: Progress) -> Result<Self, Failure> {
        for source in &sources {
            source.check()?;
        }
        Ok(Self { sources: sources.into(), rules, progress, current: None, opened: 0 })
    }

    /// The next page; nothing after the last input.
    pub fn next_page(&mut self) -> Result<Option<Page<'_>>, Failure> {
        loop {
            if self.current.is_none() {
                let Some(source) = self.sources.pop_front() else {
                    return Ok(None);
                };
                self.opened += 1;
                let open = Open::new(self.opened, &source, &self.rules, &self.progress)?;
                self.current = Some(open);
            }
            // A page borrowed from `current` cannot be returned from inside a test of it, so look first.
            let ended = match &mut self.current {
                Some(open) => open.records.at_end()?,
                None => true,
            };
            if !ended {
                break;
            }
            self.current = None;
        }
        match &mut self.current {
            Some(open) => open.page(),
            None => Ok(None),
        }
    }

    /// Leaves the rest of the current input.
    pub fn skip_input(&mut self) {
        self.current = None;
    }
}

impl Open {
    fn new(number: usize, source: &Source, rules: &KeyRules, progress: &Progress) -> Result<Self, Failure> {
        let row = rules.row_of(source);
        let records = Records::new(source.open(progress)?, rules.cut_of(source));
        let (extractor, wanted) = match &rules.field {
            None => (Extractor::Whole, None),
            Some(Field::Number(n)) => (Extractor::column(*n, row), None),
            Some(Field::Name(name)) => (Extractor::column(1, row), Some((name.clone(), row))),
            Some(Field::Pointer(pointer)) => {
                (Extractor::Json { pointer: pointer.clone(), scratch: Vec::new() }, None)
            }
        };
        Ok(Self { name: records.name().to_owned(), number, records, extractor, wanted })
    }

    fn page(&mut self) -> Result<Option<Page<'_>>, Failure> {
        let wanted = self.wanted.take();
        let limit = if wanted.is_some() { 1 } else { PAGE };
        let Some(batch) = self.records.next_batch(limit)? else {
            return Ok(None);
        };
        let is_header = wanted.is_some();
        if let Some((field, row)) = wanted {
            let header = batch.content(0);
            let header = header.strip_prefix(MARK).unwrap_or(header);
            let number =
                find_column(header, &field, row).map_err(|text| Failure::at_line(&self.name, 1, text))?;
            self.extractor = Extractor::column(number, row);
        }
        Ok(Some(Page {
            name: &self.name,
            input: self.number,
            batch,
            is_header,
            extractor: &mut self.extractor,
        }))
    }
}

impl Page<'_> {
    /// The key of record `i`; nothing for an empty row when the key is a field.
    #[inline]
    pub fn key(&mut self, i: usize) -> Result<Option<&[u8]>, Failure> {
        let mut record = self.batch.content(i);
        if !matches!(self.extractor, Extractor::Whole) && i == 0 && self.batch.line(0) == 1 {
            record = record.strip_prefix(MARK).unwrap_or(record);
        }
        match self.extractor.key(record) {
            Ok(key) => Ok(key),
            Err(text) => Err(Failure::at_line(self.name, self.batch.line(i), text)),
        }
    }

    /// The failure of record `i`.
    pub fn failure(&self, i: usize, text: impl std::fmt::Display) -> Failure {
        Failure::at_line(self.name, self.batch.line(i), text)
    }
}
