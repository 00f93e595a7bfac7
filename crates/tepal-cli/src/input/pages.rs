//! The way from inputs to keys: one input after the other, its records, the key of each.

use std::collections::VecDeque;
use std::num::NonZeroUsize;

use crate::error::Failure;
use crate::input::field::{Extractor, Field, KeyRules, RowFormat, find_column};
use crate::input::pieces::Pieces;
use crate::input::progress::Progress;
use crate::input::records::Batch;
use crate::input::source::Source;

/// Records of a page at most: enough for a batch, small enough to stay near the processor.
pub const PAGE: usize = 1024;

/// UTF-8's byte order mark, which stands before the first field of some files.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// All inputs of a command.
pub struct Inputs {
    sources: VecDeque<Source>,
    rules: KeyRules,
    progress: Progress,
    opened: usize,
    /// How many threads work on the records of one input.
    pub threads: NonZeroUsize,
}

/// The input being read.
pub struct OpenInput {
    /// Its name.
    pub name: String,
    /// Which input it is, from 1.
    pub number: usize,
    /// Its records.
    pub pieces: Pieces,
    /// The line of the first record that was not worked on.
    pub line: u64,
    /// Takes the keys out of its records.
    pub extractor: Extractor,
    /// The header row is still to come: the name to find there.
    wanted: Option<(String, RowFormat)>,
}

/// Some consecutive records, and how to take the keys out of them.
pub struct Keys<'a> {
    /// The records.
    pub batch: Batch<'a>,
    /// Whether the input begins with them.
    pub first: bool,
    /// Takes the keys out.
    pub extractor: &'a mut Extractor,
}

/// Some consecutive records whose place in the input is known.
pub struct Page<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// Which input it is, from 1.
    pub input: usize,
    /// The line where the first record begins; the first line is 1. Where records end in NUL, its number.
    pub first_line: u64,
    /// The records.
    pub keys: Keys<'a>,
}

impl Inputs {
    /// The records of `sources`, after a look at each of them so that a wrong name is found at once.
    pub fn new(
        sources: Vec<Source>,
        rules: KeyRules,
        progress: Progress,
        threads: NonZeroUsize,
    ) -> Result<Self, Failure> {
        for source in &sources {
            source.check()?;
        }
        Ok(Self { sources: sources.into(), rules, progress, opened: 0, threads })
    }

    /// Opens the next input; nothing after the last one.
    pub fn next_input(&mut self) -> Result<Option<OpenInput>, Failure> {
        let Some(source) = self.sources.pop_front() else {
            return Ok(None);
        };
        self.opened += 1;
        OpenInput::new(self.opened, &source, &self.rules, &self.progress).map(Some)
    }
}

impl Drop for Inputs {
    /// A thread that still waits for an input shows nothing any more.
    fn drop(&mut self) {
        self.progress.clear();
    }
}

impl OpenInput {
    fn new(number: usize, source: &Source, rules: &KeyRules, progress: &Progress) -> Result<Self, Failure> {
        let row = rules.row_of(source);
        let pieces = Pieces::new(source.open(progress)?, rules.cut_of(source));
        let (extractor, wanted) = match &rules.field {
            None => (Extractor::Whole, None),
            Some(Field::Number(n)) => (Extractor::column(*n, row), None),
            Some(Field::Name(name)) => (Extractor::column(1, row), Some((name.clone(), row))),
            Some(Field::Pointer(pointer)) => {
                (Extractor::Json { pointer: pointer.clone(), scratch: Vec::new() }, None)
            }
        };
        let name = pieces.name().to_owned();
        Ok(Self { name, number, pieces, line: 1, extractor, wanted })
    }

    /// An input whose pieces are at hand, for tests.
    #[cfg(test)]
    pub fn of_pieces(pieces: Pieces, extractor: Extractor) -> Self {
        Self { name: pieces.name().to_owned(), number: 1, pieces, line: 1, extractor, wanted: None }
    }

    /// How many records the next page may have: the header row is alone on its page.
    pub fn limit(&self) -> usize {
        if self.wanted.is_some() { 1 } else { PAGE }
    }

    /// The records of a batch that begins at the line that is next.
    pub fn page<'a>(&'a mut self, batch: Batch<'a>) -> Page<'a> {
        let keys = Keys { batch, first: self.line == 1, extractor: &mut self.extractor };
        Page { name: &self.name, input: self.number, first_line: self.line, keys }
    }

    /// Finds the field in the header row, if `batch` is that row; it has no key.
    pub fn take_header(&mut self, batch: &Batch<'_>) -> Result<bool, Failure> {
        let Some((field, row)) = self.wanted.take() else {
            return Ok(false);
        };
        let header = batch.content(0);
        let header = header.strip_prefix(MARK).unwrap_or(header);
        let number =
            find_column(header, &field, row).map_err(|text| Failure::at_line(&self.name, 1, text))?;
        self.extractor = Extractor::column(number, row);
        Ok(true)
    }
}

impl Keys<'_> {
    /// The key of record `i`; nothing for an empty row when the key is a field. An error says what is wrong with it.
    #[inline(always)]
    pub fn key(&mut self, i: usize) -> Result<Option<&[u8]>, String> {
        match self.extractor {
            Extractor::Whole => Ok(Some(self.batch.content(i))),
            _ => self.field(i),
        }
    }

    fn field(&mut self, i: usize) -> Result<Option<&[u8]>, String> {
        let mut record = self.batch.content(i);
        if i == 0 && self.first {
            record = record.strip_prefix(MARK).unwrap_or(record);
        }
        self.extractor.key(record)
    }
}

impl Page<'_> {
    /// The line where record `i` begins.
    pub fn line(&self, i: usize) -> u64 {
        self.first_line + self.keys.batch.lines(0, i)
    }

    /// The failure of record `i`.
    #[cold]
    pub fn failure(&self, i: usize, text: impl std::fmt::Display) -> Failure {
        Failure::at_line(self.name, self.line(i), text)
    }
}
