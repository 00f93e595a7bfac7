//! Prints or counts the answers. Flags mean what they mean to grep.

use std::ops::Range;

use serde::Serialize;

use super::{Field, Question};
use crate::asking::Answers;
use crate::error::{Failure, Outcome};
use crate::input::pages::Page;
use crate::input::pipeline::{Flow, Sink};
use crate::input::source::Source;
use crate::live::Filters;
use crate::names::{NONE, Names, quoted};
use crate::output::{Header, Held, Lines, Record, Stdout, Value, why_none};

/// Prints or counts the answers.
pub struct Printer<'a> {
    pub of: &'a Question<'a>,
    filters: &'a Filters<'a>,
    /// The names of the filters, or of their segments.
    pub names: Names,
    pub stdout: Stdout,
    out: Lines,
    header: Header,
    /// Room for a line.
    line: Vec<u8>,
    /// Records of all inputs, and those that are selected.
    pub records: u64,
    pub selected: u64,
    /// The number of the input that is being read.
    input: usize,
    /// The inputs. The keys of `-e` are input 0.
    inputs: Vec<Counted>,
    /// Several inputs are named.
    several: bool,
    /// The names of so many inputs have been listed, or are not to be.
    listed: usize,
    /// How many records each name has; where totals are printed.
    pub counts: Vec<u64>,
    /// A record without a key has come, and makes the exit code 2.
    failed: bool,
}

/// One input, and how many records it has.
#[derive(Serialize)]
struct Counted {
    /// Its name; nothing for the keys of `-e`.
    input: Option<String>,
    lines: u64,
    selected: u64,
}

/// What `-c --json` prints.
#[derive(Serialize)]
struct Counts<'a> {
    lines: u64,
    selected: u64,
    inputs: &'a [Counted],
}

impl<'a> Printer<'a> {
    /// Nothing is printed yet. `several` inputs were named, also where fewer can be read. Records
    /// end with NUL where `null` says so.
    pub fn new(
        of: &'a Question<'a>,
        filters: &'a Filters<'a>,
        names: Names,
        sources: &[Source],
        several: bool,
        null: bool,
    ) -> Self {
        let inputs = std::iter::once(None).chain(sources.iter().map(|source| Some(source.name())));
        Self {
            of,
            filters,
            counts: vec![0; names.all().len()],
            names,
            stdout: Stdout::new(),
            out: Lines::new(null),
            header: Header::default(),
            line: Vec::new(),
            records: 0,
            selected: 0,
            input: 0,
            inputs: inputs.map(|input| Counted { input, lines: 0, selected: 0 }).collect(),
            several,
            listed: 1,
            failed: false,
        }
    }

    /// Whether no input has to be read.
    pub fn is_done(&self) -> bool {
        let grep = &self.of.ask.grep;
        grep.max_count == Some(0) || (grep.quiet && (self.selected > 0 || self.failed))
    }

    /// Prints counts and names, and gives the exit code. What was printed before a failure stays
    /// printed.
    pub fn finish(mut self, asked: Result<(), Failure>) -> Outcome {
        self.stdout.ended(asked)?;
        self.list(self.inputs.len())?;
        let grep = &self.of.ask.grep;
        match self.of.totals {
            _ if grep.quiet || !grep.count => {}
            Some(totals) => totals(&mut self)?,
            None => self.print_counts()?,
        }
        self.stdout.flush()?;
        Ok(if self.selected > 0 { 0 } else { 1 })
    }

    /// Prints how many records are selected, of each input where names of inputs are of interest.
    fn print_counts(&mut self) -> Result<(), Failure> {
        let (ask, lines, selected) = (&self.of.ask, self.records, self.selected);
        let inputs = &self.inputs[usize::from(ask.asked.asked.is_empty())..];
        if ask.json {
            return self.stdout.json(&Counts { lines, selected, inputs });
        }
        let text = match (self.several || ask.grep.with_filename, self.names_inputs()) {
            (false, _) => format!("{selected}\n"),
            (true, false) => inputs.iter().map(|input| format!("{}\n", input.selected)).collect(),
            (true, true) => {
                let name = |input: &Counted| input.input.as_deref().unwrap_or("-e").to_owned();
                inputs.iter().map(|input| format!("{}:{}\n", name(input), input.selected)).collect()
            }
        };
        self.stdout.write(text.as_bytes())
    }

    /// Whether the name of its input is printed before a line.
    fn names_inputs(&self) -> bool {
        let grep = &self.of.ask.grep;
        grep.with_filename || (self.several && !grep.no_filename)
    }

    /// Lists the inputs before this one of which a line is selected, or none, where that is asked.
    fn list(&mut self, before: usize) -> Result<(), Failure> {
        let grep = &self.of.ask.grep;
        let done = self.listed..before.max(self.listed);
        self.listed = done.end;
        for Counted { input, selected, .. } in &self.inputs[done] {
            let is_listed = if *selected > 0 { grep.files_with_matches } else { grep.files_without_match };
            if let (Some(name), true, false) = (input, is_listed, grep.quiet) {
                self.stdout.write(name.as_bytes())?;
                self.stdout.write(&[self.out.terminator()])?;
            }
        }
        Ok(())
    }

    /// How many more records of this input may be selected.
    fn left(&self) -> u64 {
        let grep = &self.of.ask.grep;
        let most = if grep.quiet || grep.lists_files() { 1 } else { u64::MAX };
        grep.max_count.unwrap_or(most).min(most).saturating_sub(self.inputs[self.input].selected)
    }

    /// Counts records of this input, and those of them that are selected.
    fn count(&mut self, records: usize, selected: u64) {
        let counted = &mut self.inputs[self.input];
        counted.lines += records as u64;
        counted.selected += selected;
        self.records += records as u64;
        self.selected += selected;
    }

    /// Prints or counts the records of a page, up to the last that is wanted.
    fn answer(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<(), Failure> {
        let (of, left, held) = (self.of, self.left(), &answers.held);
        let bad = page.keys.bad.records().to_vec();
        let grep = &of.ask.grep;
        let json = of.ask.json && !grep.count;
        let invert = grep.invert;
        let (lines, all) = (of.prints_lines(), of.every && !invert);
        if !json && !lines && of.totals.is_none() && bad.is_empty() && left >= held.len() as u64 {
            self.count(held.len(), held.iter().filter(|&&held| held != invert).count() as u64);
            return Ok(());
        }
        let (is_plain, tallies) = (self.is_plain(page), of.totals.is_some());
        // Records that are neither printed nor counted are passed over.
        let passes_over = !json && !all && !tallies && bad.is_empty();
        let mut bad = bad.as_slice();
        // Records that are printed as they are and follow each other are written together.
        let (mut run, mut selected, mut taken) = (0..0, 0, held.len());
        let (mut i, mut line, mut counted) = (0, page.first_line, 0);
        while i < held.len() {
            if passes_over {
                let Some(ahead) = held[i..].iter().position(|&held| held != invert) else { break };
                i += ahead;
            }
            let is_bad = bad.first() == Some(&i);
            bad = &bad[usize::from(is_bad)..];
            let is_selected = held[i] != invert && (of.every || !is_bad);
            let is_printed = json || (lines && (all || is_selected));
            if is_printed && (json || grep.line_number) {
                line += page.keys.batch.lines(counted, i);
                counted = i;
            }
            match is_plain {
                _ if !is_printed => {}
                _ if json => self.json(page, (i, line), answers, is_bad)?,
                true if run.end == i => run.end += 1,
                true => {
                    self.plain(page, run)?;
                    run = i..i + 1;
                }
                false => self.record(page, (i, line), Some(answers))?,
            }
            if tallies {
                answers.holders(i, self.counts.len()).members().for_each(|number| self.counts[number] += 1);
            }
            selected += u64::from(is_selected);
            self.failed |= is_bad && of.every && of.ask.keys.fails_on_bad();
            i += 1;
            if selected == left || (self.failed && grep.quiet) {
                (taken, page.taken) = (i, i);
                break;
            }
        }
        self.plain(page, run)?;
        self.count(taken, selected);
        Ok(())
    }

    /// Prints records as they are.
    fn plain(&mut self, page: &Page<'_>, run: Range<usize>) -> Result<(), Failure> {
        match run.is_empty() {
            true => Ok(()),
            false => self.out.write(&mut self.stdout, page.keys.batch.bytes(run.start, run.end)),
        }
    }

    /// Are records printed as they are, with nothing before and after them?
    fn is_plain(&self, page: &Page<'_>) -> bool {
        let (of, grep) = (self.of, &self.of.ask.grep);
        let has_prefix = grep.line_number || self.names_inputs();
        page.input > 0 && !has_prefix && (of.field == Field::None || grep.invert)
    }

    /// Prints a record with what comes before it, and its field. Without answers it is the header
    /// row.
    fn record(
        &mut self,
        page: &mut Page<'_>,
        (i, line): (usize, u64),
        answers: Option<&Answers>,
    ) -> Result<(), Failure> {
        let (of, grep, batch) = (self.of, &self.of.ask.grep, page.keys.batch);
        let (content, whole) = (batch.content(i), batch.bytes(i, i + 1));
        let name = Some(page.name).filter(|_| page.input > 0 && self.names_inputs());
        self.out.prefix(&mut self.stdout, name, grep.line_number.then_some(line))?;
        let has_field = of.field != Field::None && !grep.invert;
        if !has_field && page.input > 0 {
            return self.out.write(&mut self.stdout, whole);
        }
        let mut text = std::mem::take(&mut self.line);
        text.clear();
        text.extend_from_slice(content);
        if has_field {
            text.push(b'\t');
            self.field(page, i, answers, &mut text);
        }
        match page.input {
            0 => text.push(self.out.terminator()),
            _ => text.extend_from_slice(&whole[content.len()..]),
        }
        self.out.write(&mut self.stdout, &text)?;
        self.line = text;
        Ok(())
    }

    /// Appends the field of a record, or its name in the header row.
    fn field(&self, page: &mut Page<'_>, i: usize, answers: Option<&Answers>, line: &mut Vec<u8>) {
        match (self.of.field, answers) {
            (Field::None, _) => {}
            (Field::Names, None) => line.extend_from_slice(self.names.field.as_bytes()),
            (Field::Names, Some(answers)) => {
                self.names.append(answers.holders(i, self.counts.len()), line);
            }
            (Field::Copies, None) => line.extend_from_slice(b"copies"),
            (Field::Copies, Some(answers)) => {
                // What has a key was selected, and what is selected has one.
                let key = page.keys.key(i).ok().flatten();
                let copies = key.and_then(|key| answers.copies(i, key)).unwrap_or(0);
                line.extend_from_slice(copies.to_string().as_bytes());
            }
            (Field::Value, None) => line.extend_from_slice(b"value"),
            (Field::Value, Some(answers)) => match answers.value(i) {
                None => line.extend_from_slice(NONE.as_bytes()),
                Some(value) => match value.name() {
                    Some(name) => line.extend_from_slice(quoted(name, false).as_bytes()),
                    None => line.extend_from_slice(value.number().to_string().as_bytes()),
                },
            },
        }
    }

    /// Prints a record as JSON. It may have no key.
    fn json(
        &mut self,
        page: &mut Page<'_>,
        (i, line): (usize, u64),
        answers: &Answers,
        is_bad: bool,
    ) -> Result<(), Failure> {
        let place = Some((page.name, line)).filter(|_| page.input > 0);
        let (key, bad) = match page.keys.key(i) {
            Ok(key) => (key, key.filter(|_| is_bad).and_then(|key| why_none(answers.filters(i), key))),
            Err(text) => (None, Some(text)),
        };
        if self.of.field == Field::Value {
            let value = answers.value(i);
            let value = Value { value: value.map(u32::from), name: value.and_then(|value| value.name()) };
            return self.stdout.json(&Record::new(place, key, bad, value));
        }
        let filters: Vec<&str> = self.names.list(answers.holders(i, self.counts.len())).collect();
        let key_that_counts = key.filter(|_| self.of.field == Field::Copies && bad.is_none());
        let copies = key_that_counts.and_then(|key| answers.copies(i, key));
        let answer = Held { has: !filters.is_empty(), filters, copies };
        self.stdout.json(&Record::new(place, key, bad, answer))
    }
}

impl Sink<Answers> for Printer<'_> {
    fn header(&mut self, page: &mut Page<'_>) -> Result<(), Failure> {
        if !self.of.prints_lines() || self.of.ask.grep.header.no_header || !self.header.is_first(page) {
            return Ok(());
        }
        self.record(page, (0, 1), None)
    }

    fn take(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        if page.input != self.input {
            self.input = page.input;
            self.list(page.input)?;
        }
        self.answer(page, answers)?;
        let is_read = self.left() == 0;
        if is_read {
            self.list(self.input + 1)?;
        }
        self.stdout.show()?;
        Ok(match is_read {
            _ if self.is_done() => Flow::Stop,
            true => Flow::NextInput,
            false => Flow::Continue,
        })
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.filters.waits();
        self.stdout.flush()
    }
}
