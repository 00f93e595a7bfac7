//! `tepal has`: which of these lines are in the filter? Flags mean what they mean to grep.

use std::io::{self, IsTerminal};
use std::iter;

use serde::Serialize;
use tepal::Opened;

use crate::args::HasArgs;
use crate::error::{Failure, Outcome};
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::progress::Progress;
use crate::input::source::Source;
use crate::keys::{Answers, Ask, has_key};
use crate::open::{note_encoding, open_all};
use crate::output::Stdout;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// Runs the verb.
pub fn run(args: &HasArgs) -> Outcome {
    let filters = open_filters(args)?;
    let sources = match args.inputs.is_empty() && !args.asked.is_empty() {
        true => Vec::new(),
        false => Source::list(&args.inputs),
    };
    // A terminal that shows the lines shows no progress.
    let progress = Progress::of(&sources, args.quiet || io::stdout().is_terminal());
    let mut inputs = Inputs::new(sources, args.keys.rules()?, progress.clone(), args.keys.threads())?;
    let mut printer = Printer::new(args);
    printer.given_keys(&filters)?;
    let asked = match printer.is_done() {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &Ask { filters: &filters }, &mut printer),
    };
    progress.clear();
    printer.finish(asked)
}

/// Opens the filters, and checks that they can do what the flags ask.
fn open_filters(args: &HasArgs) -> Result<Vec<Opened>, Failure> {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let paths = || iter::once(&args.filter).chain(&args.others).map(|path| path.as_path());
    let filters = open_all(paths(), args.file, &secrets)?;
    if !args.quiet {
        filters.iter().zip(paths()).for_each(|(filter, path)| note_encoding(path, filter, args.file));
    }
    if args.ignore_case {
        for (filter, path) in filters.iter().zip(paths()) {
            if !filter.key_hasher().recipe().nocase {
                let text = "built without --nocase, so -i cannot be done; build it again with --nocase";
                return Err(Failure::at(&shown(path), text));
            }
        }
    }
    Ok(filters)
}

/// Prints or counts the selected records.
struct Printer<'a> {
    args: &'a HasArgs,
    stdout: Stdout,
    /// How many records of all inputs are selected.
    selected: u64,
    /// The number of the input that is being read, from 1.
    input: usize,
    /// How many records of this input are selected.
    selected_in_input: u64,
    header_printed: bool,
    /// The record that was printed last has no terminator: it is the end of its input.
    unterminated: bool,
}

/// What `--json` prints for each record.
#[derive(Serialize)]
struct Record<'a> {
    /// The name of the input; nothing for a key of `-e`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The key where it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    /// The key where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_hex: Option<String>,
    has: bool,
}

impl<'a> Record<'a> {
    fn new(place: Option<(&'a str, u64)>, key: Option<&'a [u8]>, has: bool) -> Self {
        let text = key.map(std::str::from_utf8);
        let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            input: place.map(|(input, _)| input),
            line: place.map(|(_, line)| line),
            key: text.and_then(Result::ok),
            key_hex: key.filter(|_| text.is_some_and(|text| text.is_err())).map(hex),
            has,
        }
    }
}

impl<'a> Printer<'a> {
    fn new(args: &'a HasArgs) -> Self {
        Self {
            args,
            stdout: Stdout::new(),
            selected: 0,
            input: 0,
            selected_in_input: 0,
            header_printed: false,
            unterminated: false,
        }
    }

    /// Whether no input has to be read.
    fn is_done(&self) -> bool {
        self.args.max_count == Some(0) || (self.args.quiet && self.selected > 0)
    }

    /// Prints the count, and gives the exit code. What was printed before a failure stays printed.
    fn finish(mut self, asked: Result<(), Failure>) -> Outcome {
        match asked {
            Ok(()) => {}
            Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            Err(message) => {
                self.stdout.flush()?;
                return Err(message);
            }
        }
        if self.args.count && !self.args.quiet {
            let line = format!("{}\n", self.selected);
            self.stdout.write(line.as_bytes())?;
        }
        self.stdout.flush()?;
        Ok(if self.selected > 0 { 0 } else { 1 })
    }

    fn prints_lines(&self) -> bool {
        !self.args.quiet && !self.args.count && !self.args.json
    }

    /// Answers for the keys of `-e`. They come before all inputs.
    fn given_keys(&mut self, filters: &[Opened]) -> Result<(), Failure> {
        for (n, key) in (1..).zip(&self.args.asked) {
            if self.args.max_count.is_some_and(|most| self.selected >= most) {
                break;
            }
            let key = key.as_encoded_bytes();
            let held = has_key(filters, key)?;
            if self.args.json {
                self.stdout.json(&Record::new(None, Some(key), held))?;
            }
            if held == self.args.invert {
                continue;
            }
            self.selected += 1;
            if self.prints_lines() {
                self.line_number(n)?;
                self.stdout.write(key)?;
                self.stdout.write(&[self.terminator()])?;
            }
        }
        Ok(())
    }

    fn terminator(&self) -> u8 {
        if self.args.keys.null { 0 } else { b'\n' }
    }

    /// Writes the terminator that the record printed last does not have, because another one follows.
    fn end_record(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.unterminated) {
            self.stdout.write(&[self.terminator()])?;
        }
        Ok(())
    }

    /// Prints records as they stand in their input.
    fn records(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.end_record()?;
        self.unterminated = bytes.last() != Some(&self.terminator());
        self.stdout.write(bytes)
    }

    fn line_number(&mut self, line: u64) -> Result<(), Failure> {
        if !self.args.line_number {
            return Ok(());
        }
        self.end_record()?;
        let prefix = format!("{line}:");
        self.stdout.write(prefix.as_bytes())
    }

    /// How many more records of this input may be selected.
    fn left(&self) -> u64 {
        let most = self.args.max_count.unwrap_or(u64::MAX);
        most.saturating_sub(self.selected_in_input)
    }

    fn select(&mut self, records: usize) {
        self.selected += records as u64;
        self.selected_in_input += records as u64;
    }

    /// Prints the selected records of a page. Records that follow each other are written together.
    fn print(&mut self, page: &Page<'_>, held: &[bool]) -> Result<(), Failure> {
        let invert = self.args.invert;
        let batch = page.keys.batch;
        let (mut i, mut line, mut counted) = (0, page.first_line, 0);
        while let Some(ahead) = held[i..].iter().position(|&held| held != invert) {
            let start = i + ahead;
            let run = held[start..].iter().position(|&held| held == invert);
            let run = run.unwrap_or(held.len() - start);
            let run = usize::try_from(self.left()).map_or(run, |left| run.min(left));
            if run == 0 {
                break;
            }
            if self.args.line_number {
                for record in start..start + run {
                    line += batch.lines(counted, record);
                    counted = record;
                    self.line_number(line)?;
                    self.records(batch.bytes(record, record + 1))?;
                }
            } else {
                self.records(batch.bytes(start, start + run))?;
            }
            self.select(run);
            i = start + run;
        }
        self.stdout.show()
    }

    fn print_json(&mut self, page: &mut Page<'_>, held: &[bool]) -> Result<(), Failure> {
        let (name, mut line) = (page.name, page.first_line);
        for (i, &held) in held.iter().enumerate() {
            let lines = page.keys.batch.lines(i, i + 1);
            let key = page.keys.key(i).map_err(|text| Failure::at_line(name, line, text))?;
            self.stdout.json(&Record::new(Some((name, line)), key, held))?;
            line += lines;
        }
        self.select(held.iter().filter(|&&held| held).count());
        self.stdout.show()
    }
}

impl Sink<Answers> for Printer<'_> {
    fn header(&mut self, page: &Page<'_>) -> Result<(), Failure> {
        // One header is printed for the rows of all inputs: that of the first input.
        if self.prints_lines() && !self.header_printed {
            self.header_printed = true;
            self.line_number(1)?;
            self.records(page.keys.batch.bytes(0, 1))?;
        }
        Ok(())
    }

    fn take(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        let held = &answers.held;
        if page.input != self.input {
            self.input = page.input;
            self.selected_in_input = 0;
        }
        if self.args.json {
            self.print_json(page, held)?;
        } else if self.prints_lines() {
            self.print(page, held)?;
        } else {
            let selected = held.iter().filter(|&&held| held != self.args.invert).count();
            let left = usize::try_from(self.left()).unwrap_or(usize::MAX);
            self.select(selected.min(left));
        }
        Ok(if self.args.quiet && self.selected > 0 {
            Flow::Stop
        } else if self.left() == 0 {
            Flow::NextInput
        } else {
            Flow::Continue
        })
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.stdout.flush()
    }
}
