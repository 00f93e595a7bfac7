//! Opens one input after the other, and gives its records in pages, with the key of each record.

use std::collections::VecDeque;
use std::num::NonZeroUsize;

use crate::error::Failure;
use crate::input::field::{Extractor, Field, KeyRules, RowFormat, find_column};
use crate::input::pieces::{Piece, Pieces};
use crate::input::progress::Progress;
use crate::input::records::Batch;
use crate::input::source::Source;

/// The most records of a page: enough for a batch, and few enough to stay in the processor's cache.
pub const PAGE: usize = 1024;

/// UTF-8's byte order mark. Some files have it before their first field.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// All inputs of a command.
pub struct Inputs {
    /// The inputs that are not open yet.
    sources: VecDeque<Source>,
    rules: KeyRules,
    progress: Progress,
    /// How many inputs have been opened.
    opened: usize,
    /// How many threads work on the records of one input.
    pub threads: NonZeroUsize,
    /// An input that is open already, for tests.
    #[cfg(test)]
    ready: Option<OpenInput>,
}

/// An input that is being read.
pub struct OpenInput {
    /// Its name.
    pub name: String,
    /// Its number among the inputs, from 1.
    pub number: usize,
    /// Its records.
    pub pieces: Pieces,
    /// The line of the first record that has not been worked on.
    pub line: u64,
    /// Takes the keys out of its records.
    pub extractor: Extractor,
    /// The field to look for in the header row, and how rows are written. Nothing where there is no header row, or
    /// after it.
    header_field: Option<(String, RowFormat)>,
}

/// Some consecutive records, and how to take the keys out of them.
pub struct Keys<'a> {
    /// The records.
    pub batch: Batch<'a>,
    /// Whether these are the first records of the input.
    pub first: bool,
    /// Takes the keys out.
    pub extractor: &'a mut Extractor,
}

/// Some consecutive records whose place in the input is known.
pub struct Page<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// The number of the input, from 1.
    pub input: usize,
    /// The line where the first record begins; the first line is 1. Where records end in NUL it is the number of the
    /// record.
    pub first_line: u64,
    /// The records.
    pub keys: Keys<'a>,
}

impl Inputs {
    /// The records of `sources`. Each source is checked first, so that a wrong name is reported at once.
    pub fn new(
        sources: Vec<Source>,
        rules: KeyRules,
        progress: Progress,
        threads: NonZeroUsize,
    ) -> Result<Self, Failure> {
        for source in &sources {
            source.check()?;
        }
        Ok(Self {
            sources: sources.into(),
            rules,
            progress,
            opened: 0,
            threads,
            #[cfg(test)]
            ready: None,
        })
    }

    /// One input that is open already, for tests.
    #[cfg(test)]
    pub fn of_open(input: OpenInput) -> Self {
        let progress = Progress::of(&[], true);
        let ready = Some(input);
        let (sources, rules) = (VecDeque::new(), KeyRules::default());
        Self { sources, rules, progress, opened: 1, threads: NonZeroUsize::MIN, ready }
    }

    /// Opens the next input. Gives nothing after the last one.
    pub fn next_input(&mut self) -> Result<Option<OpenInput>, Failure> {
        #[cfg(test)]
        if let Some(input) = self.ready.take() {
            return Ok(Some(input));
        }
        let Some(source) = self.sources.pop_front() else {
            return Ok(None);
        };
        self.opened += 1;
        OpenInput::new(self.opened, &source, &self.rules, &self.progress).map(Some)
    }
}

impl Drop for Inputs {
    /// A thread may still wait for an input. It shows no progress from now on.
    fn drop(&mut self) {
        self.progress.clear();
    }
}

impl OpenInput {
    fn new(number: usize, source: &Source, rules: &KeyRules, progress: &Progress) -> Result<Self, Failure> {
        let format = rules.row_format_of(source);
        let pieces =
            Pieces::new(source.open(progress, rules.limits)?, rules.cut_of(source), rules.limits.record);
        let (extractor, header_field) = match &rules.field {
            None => (Extractor::Whole, None),
            Some(Field::Number(n)) => (Extractor::column(*n, format), None),
            Some(Field::Name(name)) => (Extractor::column(1, format), Some((name.clone(), format))),
            Some(Field::Pointer(pointer)) => {
                (Extractor::Json { pointer: pointer.clone(), scratch: Vec::new() }, None)
            }
        };
        let name = pieces.name().to_owned();
        Ok(Self { name, number, pieces, line: 1, extractor, header_field })
    }

    /// An input over pieces in memory, for tests.
    #[cfg(test)]
    pub fn of_pieces(pieces: Pieces, extractor: Extractor) -> Self {
        Self { name: pieces.name().to_owned(), number: 1, pieces, line: 1, extractor, header_field: None }
    }

    /// Reads the next records into `piece`. Gives `false` at the end of the input.
    pub fn read(&mut self, piece: &mut Piece) -> Result<bool, Failure> {
        self.pieces.read(piece).map_err(|error| error.failure(&self.name, self.line))
    }

    /// The most records of the next page. The header row has a page of its own.
    pub fn limit(&self) -> usize {
        if self.header_field.is_some() { 1 } else { PAGE }
    }

    /// The page of a batch whose first record is at the line [`OpenInput::line`].
    pub fn page<'a>(&'a mut self, batch: Batch<'a>) -> Page<'a> {
        let keys = Keys { batch, first: self.line == 1, extractor: &mut self.extractor };
        Page { name: &self.name, input: self.number, first_line: self.line, keys }
    }

    /// Whether `batch` is the header row, which has no key. If it is, the field is looked for in it.
    pub fn take_header(&mut self, batch: &Batch<'_>) -> Result<bool, Failure> {
        let Some((field, format)) = self.header_field.take() else {
            return Ok(false);
        };
        let header = batch.content(0);
        let header = header.strip_prefix(BYTE_ORDER_MARK).unwrap_or(header);
        let number =
            find_column(header, &field, format).map_err(|text| Failure::at_line(&self.name, 1, text))?;
        self.extractor = Extractor::column(number, format);
        Ok(true)
    }
}

impl Keys<'_> {
    /// The key of record `i`. Gives nothing for an empty row where the key is a field. An error says what is wrong
    /// with the record.
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
            record = record.strip_prefix(BYTE_ORDER_MARK).unwrap_or(record);
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
