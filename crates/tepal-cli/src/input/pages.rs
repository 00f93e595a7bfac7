//! Opens one input after the other, and returns its records in pages, with the key of each record.

use std::collections::VecDeque;
use std::io::Cursor;
use std::num::NonZeroUsize;

use crate::args::{AskedArgs, KeyArgs};
use crate::error::Failure;
use crate::input::bad::{BadPolicy, BadRecords, BadTotal};
use crate::input::csv::Broken;
use crate::input::extractor::{Extractor, Taken};
use crate::input::field::{Empty, Field, KeyRules, RowFormat};
use crate::input::find::{find_column, of_flag, pointer};
use crate::input::form::{self, Form, TABS};
use crate::input::pieces::{Piece, Pieces};
use crate::input::progress::Progress;
use crate::input::records::{Batch, BrokenRecord, Cut};
use crate::input::source::{Input, Source};
use crate::text::number::counted;
use crate::text::words::Words;

/// The most records of a page: enough for a batch, and few enough to stay in the processor's cache.
pub const PAGE: usize = 1024;

/// All inputs of a command.
pub struct Inputs {
    /// The inputs that are not open yet.
    sources: VecDeque<Source>,
    rules: KeyRules,
    progress: Progress,
    /// How many inputs have been opened.
    opened: usize,
    /// The records without a key, if these are left out.
    pub bad: BadTotal,
    /// The number of threads that process the records of one input.
    pub threads: NonZeroUsize,
    /// An input that is open already: the keys of `-e`.
    ready: Option<OpenInput>,
    /// The first of the sources, if [`settle`](Self::settle) has opened it.
    first: Option<Input>,
    /// The forms of the inputs that were opened, each once.
    read_as: Vec<ReadAs>,
}

/// How the records of some inputs were read.
pub struct ReadAs {
    /// Their form.
    pub form: Form,
    /// The start of the first key, if there was one.
    pub first: Option<Vec<u8>>,
}

/// A longer key is not kept for a message.
const LONGEST_SHOWN: usize = 1 << 10;

/// An input that is being read.
pub struct OpenInput {
    /// Its name.
    pub name: String,
    /// Its number among the inputs, from 1. The keys of `-e` are input 0.
    pub number: usize,
    /// How its records are written.
    pub form: Form,
    /// Its records.
    pub pieces: Pieces,
    /// The line of the first record that has not been processed.
    pub line: u64,
    /// Extracts the keys of its records.
    pub extractor: Extractor,
    /// The fields to find in the header row (of the key, and of its segment), and the format of
    /// rows. `None` if there is no header row, and after it.
    header_fields: [Option<(String, RowFormat)>; 2],
    /// The first row has no key.
    header: bool,
    /// Which records are left out because their key is empty.
    pub empty: Empty,
    /// The records of the page that have no key.
    bad: BadRecords,
}

/// Some consecutive records, and the extractor of their keys.
pub struct Keys<'a> {
    /// The records.
    pub batch: Batch<'a>,
    /// Extracts the keys.
    pub extractor: &'a mut Extractor,
    /// The records that have no key, as reading the input has found: by their numbers in the piece,
    /// of which the first of the batch is this one.
    pub broken: &'a [BrokenRecord],
    /// The number of the first record in the piece.
    pub first: usize,
    /// Which records are left out because their key is empty.
    pub empty: Empty,
    /// The records that have no key.
    pub bad: &'a mut BadRecords,
}

/// Some consecutive records whose place in the input is known.
pub struct Page<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// The number of the input, from 1. The keys of `-e` are input 0.
    pub input: usize,
    /// The line where the first record begins; the first line is 1. If records end in NUL, it is
    /// the number of the record.
    pub first_line: u64,
    /// The records.
    pub keys: Keys<'a>,
    /// The number of records that were taken: all, or those before the point where a sink stopped.
    pub taken: usize,
}

impl Inputs {
    /// The records of `sources`. Each source is checked first, so that a wrong name is reported at
    /// once.
    pub fn new(
        sources: Vec<Source>,
        rules: KeyRules,
        threads: NonZeroUsize,
        quiet: bool,
    ) -> Result<Self, Failure> {
        for source in &sources {
            source.check()?;
        }
        let progress = Progress::of(&sources, quiet);
        let (sources, bad) = (sources.into(), BadTotal::default());
        Ok(Self {
            sources,
            rules,
            progress,
            opened: 0,
            bad,
            threads,
            ready: None,
            first: None,
            read_as: Vec::new(),
        })
    }

    /// Reads the keys of `-e` first. They are whole keys; `bad` is the rule for those that cannot
    /// be keys.
    pub fn with_keys(mut self, args: &AskedArgs, bad: BadPolicy) -> Self {
        if args.asked.is_empty() {
            return self;
        }
        // An argument has no NUL.
        let keys = args.asked.iter().flat_map(|key| [key.as_encoded_bytes(), b"\0"]).collect::<Vec<_>>();
        let input = Input::of_bytes("-e", Cursor::new(keys.concat()));
        let pieces = Pieces::new(input, Cut::Null, self.rules.limits.record);
        let ready = OpenInput::of_pieces(pieces, Extractor::Whole, bad);
        self.ready = Some(OpenInput { number: 0, ..ready });
        self
    }

    /// One input that is open already, for tests.
    #[cfg(test)]
    pub fn of_open(input: OpenInput) -> Self {
        let mut inputs = Self::new(Vec::new(), KeyRules::default(), NonZeroUsize::MIN, true).unwrap();
        inputs.ready = Some(input);
        inputs
    }

    /// Ends the reading: removes the progress bar, and reports the records without a key as `--bad`
    /// demands.
    pub fn end(&self, args: &KeyArgs, quiet: bool) {
        self.progress.clear();
        if args.warns_of_bad(BadPolicy::Fail, quiet) {
            self.bad.warn();
        }
    }

    /// What was left out, in words that follow others: `; 3 empty lines are no keys`.
    pub fn left_out(&self) -> String {
        let bad = self.bad.told().map_or(String::new(), |bad| format!("; {bad}"));
        let empty = match self.bad.empty() {
            0 => return bad,
            empty => empty,
        };
        let what = match self.rules.field {
            Some(_) => format!("{} without a value", counted(empty, "record")),
            None => counted(empty, "empty line"),
        };
        format!("; {what} {}{bad}", if empty == 1 { "is no key" } else { "are no keys" })
    }

    /// Removes the progress bar.
    pub fn clear_progress(&self) {
        self.progress.clear();
    }

    /// Opens the next input; `None` after the last one.
    pub fn next_input(&mut self) -> Result<Option<OpenInput>, Failure> {
        if let Some(input) = self.ready.take() {
            return Ok(Some(input));
        }
        let Some(source) = self.sources.pop_front() else {
            return Ok(None);
        };
        self.opened += 1;
        let input = match self.first.take() {
            Some(input) => input,
            None => self.open(&source)?,
        };
        let input = OpenInput::new(self.opened, &source, input, &self.rules)?;
        if self.read_as.iter().all(|read| read.form != input.form) {
            self.read_as.push(ReadAs { form: input.form, first: None });
        }
        Ok(Some(input))
    }

    /// How the inputs were read.
    pub fn read_as(&self) -> &[ReadAs] {
        &self.read_as
    }

    /// Keeps the first key of an input, if none of its form was kept.
    pub fn note_first(&mut self, form: Form, page: &mut Page<'_>) {
        let is_open = |read: &&mut ReadAs| read.form == form && read.first.is_none() && page.input > 0;
        let Some(read) = self.read_as.iter_mut().find(is_open) else { return };
        let empty = page.keys.bad.empty;
        for i in 0..page.keys.batch.len() {
            if let Ok(Some(key)) = page.keys.key(i) {
                read.first = Some(key[..key.len().min(LONGEST_SHOWN)].to_vec());
                break;
            }
        }
        page.keys.bad.empty = empty;
    }

    fn open(&self, source: &Source) -> Result<Input, Failure> {
        source.open(&self.progress, &self.rules)
    }

    /// The rules for records and keys.
    pub fn rules(&self) -> &KeyRules {
        &self.rules
    }

    /// Takes the keys from another field. Nothing may have been read yet.
    pub fn set_rules(&mut self, rules: KeyRules) {
        self.rules = rules;
    }

    /// Decides how the records of all sources are written, for what a filter keeps of that, before
    /// any record is processed. If all are JSON, the field becomes a pointer. The first source may
    /// be opened for this and its first record read; of the others only files are.
    pub fn settle(&mut self) -> Result<Vec<Option<Form>>, Failure> {
        let Some(field) = self.rules.field.clone() else { return Ok(Vec::new()) };
        let mut forms = Vec::with_capacity(self.sources.len());
        for (i, source) in self.sources.iter().enumerate() {
            let is_parquet = source.is_parquet();
            let mut form = form::known(&self.rules, source, is_parquet);
            // A pipe that is opened too early may make its writer wait for another one.
            if form.is_none() && (i == 0 || source.file_len().is_some()) {
                let mut input = self.open(source)?;
                form = Some(form::of(&self.rules, source, &mut input)?);
                if i == 0 {
                    self.first = Some(input);
                }
            }
            forms.push(form);
        }
        let is_json = forms.iter().all(|form| *form == Some(Form::Json));
        if let (true, Some(source), false) = (is_json, self.sources.front(), field.is_path()) {
            let mut input = match self.first.take() {
                Some(input) => input,
                None => self.open(source)?,
            };
            let pointer = pointer(&field, input.first(&self.rules)?);
            let pointer = pointer.map_err(|text| Failure::at_line(&source.name(), 1, text))?;
            self.rules.field = Some(Field::Pointer(pointer));
            self.first = Some(input);
        }
        Ok(forms)
    }
}

impl Drop for Inputs {
    /// A thread may still wait for an input, and must show no progress from now on.
    fn drop(&mut self) {
        self.progress.clear();
    }
}

impl OpenInput {
    fn new(number: usize, source: &Source, mut input: Input, rules: &KeyRules) -> Result<Self, Failure> {
        let form = form::of(rules, source, &mut input)?;
        let by_name = |field: &Field| form == Form::Json && !field.is_path();
        let first = match rules.fields().any(by_name) {
            true => input.first(rules)?.to_vec(),
            false => Vec::new(),
        };
        let refused = |text: String| Failure::at_line(&source.name(), 1, text);
        let hinted = |text: String| refused(format!("{text}{}", rules.hint));
        let columns = rules.fields().count();
        let (key, named) = extractor(rules.field.as_ref(), form, &first, [1, columns]).map_err(hinted)?;
        let (extractor, header_fields) = match &rules.by {
            None => (key, [named, None]),
            Some((by, flag)) => {
                let (segment, its) = extractor(Some(by), form, &first, [columns, columns])
                    .map_err(|text| refused(of_flag(flag, &text)))?;
                (Extractor::Pair(Box::new([key, segment]), flag), [named, its])
            }
        };
        let mut pieces = Pieces::new(input, form::cut(rules, form), rules.limits.record);
        let bad = BadRecords::new(rules.bad, rules.hint);
        pieces.leave_out_bad(bad.are_left_out());
        let name = pieces.name().to_owned();
        let is_named = header_fields.iter().any(Option::is_some);
        let is_parquet = form == Form::Parquet;
        let header = is_named || is_parquet || (rules.header && rules.field.is_some());
        // Rows of a Parquet file are numbered from 1, without the header row.
        let (line, empty) = (u64::from(!is_parquet), rules.empty);
        Ok(Self { name, number, form, pieces, line, extractor, header_fields, header, empty, bad })
    }

    /// An input over pieces in memory.
    pub fn of_pieces(mut pieces: Pieces, extractor: Extractor, bad: BadPolicy) -> Self {
        let name = pieces.name().to_owned();
        let bad = BadRecords::new(bad, "");
        pieces.leave_out_bad(bad.are_left_out());
        let (header_fields, header, empty) = ([None, None], false, Empty::default());
        let (form, number, line) = (Form::Rows(TABS), 1, 1);
        Self { name, number, form, pieces, line, extractor, header_fields, header, empty, bad }
    }

    /// An empty list for the records without a key of one more piece.
    pub fn no_bad_records(&self) -> BadRecords {
        self.bad.another()
    }

    /// Reads the next records into `piece`. Returns `false` at the end of the input.
    pub fn read(&mut self, piece: &mut Piece) -> Result<bool, Failure> {
        self.pieces.read(piece).map_err(|error| error.failure(&self.name, self.line))
    }

    /// The most records of the next page. The header row has a page of its own.
    pub fn limit(&self) -> usize {
        if self.header { 1 } else { PAGE }
    }

    /// The page of a piece. Its first record is at the line [`OpenInput::line`].
    pub fn page<'a>(&'a mut self, piece: &'a Piece) -> Page<'a> {
        self.bad.clear();
        let (batch, (broken, first)) = (piece.page(), piece.broken());
        let (extractor, bad) = (&mut self.extractor, &mut self.bad);
        let keys = Keys { batch, extractor, broken, first, empty: self.empty, bad };
        Page::new(&self.name, self.number, self.line, keys)
    }

    /// Is the page the header row, which has no key? If so, finds the field in it.
    pub fn take_header(&mut self, piece: &Piece) -> Result<bool, Failure> {
        if !std::mem::take(&mut self.header) {
            return Ok(false);
        }
        if let ([(_, why), ..], _) = piece.broken() {
            return Err(Failure::at_line(&self.name, 1 + why.lines, &why.text));
        }
        let header = piece.page().content(0);
        for (which, field) in self.header_fields.iter_mut().enumerate() {
            let Some((field, format)) = field.take() else { continue };
            let number = find_column(header, &field, format)
                .map_err(|text| match (&self.extractor, which) {
                    (Extractor::Pair(_, flag), 1) => of_flag(flag, &text),
                    _ => self.bad.hinted(&text),
                })
                .map_err(|text| Failure::at_line(&self.name, 1, text))?;
            match &mut self.extractor {
                Extractor::Pair(pair, _) => pair[which] = Extractor::column(number, format),
                one => *one = Extractor::column(number, format),
            }
        }
        Ok(true)
    }
}

/// The extractor for a field of records of this form, and the name that must still be found in the
/// header row. `first` is the first record, if the form is JSON; `place` is the number of the
/// field and of all fields that are named, if it is Parquet.
fn extractor(
    field: Option<&Field>,
    form: Form,
    first: &[u8],
    place: [usize; 2],
) -> Result<(Extractor, Option<(String, RowFormat)>), String> {
    Ok(match (field, form) {
        (None, _) => (Extractor::Whole, None),
        (Some(_), Form::Parquet) => (Extractor::parquet(place[0], place[1]), None),
        (Some(Field::Pointer(pointer)), _) => (Extractor::json(pointer.clone()), None),
        (Some(Field::Number(n)), Form::Rows(format)) => (Extractor::column(*n, format), None),
        (Some(Field::Name(name)), Form::Rows(format)) => {
            (Extractor::column(1, format), Some((name.clone(), format)))
        }
        (Some(field), Form::Json) => (Extractor::json(pointer(field, first)?), None),
    })
}

impl Keys<'_> {
    /// The key of record `i`; `None` for an empty row if the key is a field. An error tells what is
    /// wrong with the record.
    #[inline(always)]
    pub fn key(&mut self, i: usize) -> Result<Option<&[u8]>, String> {
        match self.extractor {
            Extractor::Whole => {
                let key = self.batch.content(i);
                if self.empty.lines && self.empty.is_empty(key) {
                    self.bad.empty += 1;
                    return Ok(None);
                }
                Ok(Some(key))
            }
            _ => self.field(i),
        }
    }

    /// The first `records` records, if all of them are keys as a whole.
    #[inline(always)]
    pub fn whole(&self, records: usize) -> Option<Batch<'_>> {
        match self.extractor {
            Extractor::Whole if self.empty.lines && self.batch.has_empty(records, self.empty) => None,
            Extractor::Whole => Some(self.batch.first(records)),
            _ => None,
        }
    }

    fn field(&mut self, i: usize) -> Result<Option<&[u8]>, String> {
        if let Some(why) = self.why_broken(i) {
            return Err(why.text.clone());
        }
        let (bad, empty) = (&mut *self.bad, self.empty);
        match self.extractor.key(self.batch.content(i)) {
            Ok(Taken::Field(field)) if empty.fields && empty.is_empty(field) => {
                bad.empty += 1;
                Ok(None)
            }
            Ok(Taken::Key(key) | Taken::Field(key)) => Ok(Some(key)),
            Ok(Taken::Blank) => Ok(None),
            Ok(Taken::Null(_)) if empty.nulls => {
                bad.empty += 1;
                Ok(None)
            }
            Ok(Taken::Null(why)) => Err(bad.hinted(&why)),
            Err(text) => Err(bad.hinted(&text)),
        }
    }

    /// Why record `i` has no key, if reading the input has found this.
    #[inline(always)]
    fn why_broken(&self, i: usize) -> Option<&Broken> {
        match self.broken {
            [] => None,
            broken => {
                let at = broken.binary_search_by_key(&(self.first + i), |(record, _)| *record).ok()?;
                Some(&broken[at].1)
            }
        }
    }

    /// The name of the segment of record `i`, if the flags name a field for it.
    pub fn segment(&mut self, i: usize) -> Result<Option<&[u8]>, String> {
        if let Some(why) = self.why_broken(i) {
            return Err(why.text.clone());
        }
        self.extractor.segment(self.batch.content(i))
    }
}

impl<'a> Page<'a> {
    /// A page of an input, which is taken as a whole.
    pub fn new(name: &'a str, input: usize, first_line: u64, keys: Keys<'a>) -> Self {
        Self { name, input, first_line, taken: keys.batch.len(), keys }
    }
}

impl Page<'_> {
    /// The line where record `i` begins.
    pub fn line(&self, i: usize) -> u64 {
        self.first_line + self.keys.batch.lines(0, i)
    }

    /// The name of the input, and the line of record `i` if the input has lines: that of the quote
    /// if its quotes are wrong.
    pub fn place(&self, i: usize) -> String {
        let line = self.line(i) + self.keys.why_broken(i).map_or(0, |why| why.lines);
        match self.input {
            0 => self.name.to_owned(),
            _ if self.keys.batch.cut == Cut::Parquet => format!("{}: row {line}", self.name),
            _ => format!("{}: line {line}", self.name),
        }
    }

    /// The failure of record `i`.
    #[cold]
    pub fn failure(&self, i: usize, text: impl Words) -> Failure {
        Failure::at(&self.place(i), text)
    }
}
