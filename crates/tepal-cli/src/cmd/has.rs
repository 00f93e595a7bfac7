//! `tepal has`: which of these lines are in the filter? Flags mean what they mean to grep.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::Path;

use tepal::Kind;

use crate::args::{AskedArgs, HasArgs};
use crate::asking::{Answers, Holders, How, holders_of};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::progress::Progress;
use crate::input::records::Batch;
use crate::input::source::Source;
use crate::live::{AskLive, Filters};
use crate::names::{Names, with_field};
use crate::open::{note_encoding, open_one_of};
use crate::output::{Header, Lines, Record, Stdout};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// Runs the verb.
pub fn run(args: &HasArgs) -> Outcome {
    let (paths, lines) = args.files();
    let filters = open_filters(args, &paths, lines.is_empty())?;
    let sources = args.asked.sources(&lines);
    // A terminal that shows the lines shows no progress.
    let progress = Progress::of(&sources, args.quiet || io::stdout().is_terminal());
    let rules = rows::rules(
        &args.keys,
        BadPolicy::Warn,
        paths.iter().copied().zip(filters.now().iter().map(|filter| &**filter)),
        !sources.is_empty(),
        args.quiet,
    )?;
    let out = Lines::new(rules.null);
    let inputs_named = sources.iter().map(Source::name).collect();
    AskedArgs::check(&sources)?;
    let mut inputs = Inputs::new(sources, rules, progress.clone(), args.keys.threads())?;
    let how = How { each: args.json || args.which, ..How::default() };
    let names = Names::of(paths.iter().copied(), args.stem, args.which)?;
    let mut printer = Printer::new(args, &filters, names, out, inputs_named);
    printer.given_keys(how)?;
    let asked = match printer.is_done() {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &AskLive { filters: &filters, how }, &mut printer),
    };
    progress.clear();
    let outcome = printer.finish(asked);
    if outcome.is_ok() && args.keys.warns_of_bad(BadPolicy::Warn, args.quiet) {
        inputs.bad.warn();
    }
    outcome
}

/// How often a key is in the filter, where that is asked for.
fn copies(args: &HasArgs, filters: &Filters<'_>, key: &[u8]) -> Option<u64> {
    match args.copies {
        true => filters.now().first()?.filter().count_estimate(key),
        false => None,
    }
}

/// Opens the filters, and checks that they can do what the flags ask. Without lines, what was meant for a file of lines may be
/// taken for the filter.
fn open_filters<'a>(args: &'a HasArgs, paths: &[&Path], no_lines: bool) -> Result<Filters<'a>, Failure> {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let file = args.live.file(args.file);
    let count = paths.len();
    let filters = Filters::open(paths.iter().copied(), args.live.reload, &args.keys, move |path| {
        let mut filter = open_one_of(count, path, file, &secrets).map_err(|error| match error {
            Failure::Message(text) if no_lines && count > 1 && args.filter.as_deref() == Some(path) => {
                Failure::new(format!(
                    "{text}. Where --in names all filters, files of lines come after --: tepal has --in FILTER -- LINES"
                ))
            }
            other => other,
        })?;
        clock::tell(&shown(path), &mut filter, false)?;
        if args.ignore_case && !filter.key_hasher().recipe().nocase {
            let text = "built without --nocase, so -i cannot be done; build it again with --nocase";
            return Err(Failure::at(&shown(path), text));
        }
        if args.copies && filter.filter().kind() != Kind::Quotient {
            let text = "does not count how often a key is in, so --copies cannot be done; build it again with --count-bits 4";
            return Err(Failure::at(&shown(path), text));
        }
        Ok(filter)
    })?;
    if !args.quiet {
        filters.now().iter().zip(paths).for_each(|(filter, path)| note_encoding(path, filter, file));
    }
    Ok(filters)
}

/// Prints or counts the selected records.
struct Printer<'a> {
    args: &'a HasArgs,
    filters: &'a Filters<'a>,
    /// The names of the filters.
    names: Names,
    stdout: Stdout,
    /// How many records of all inputs are selected.
    selected: u64,
    /// The number of the input that is being read, from 1.
    input: usize,
    /// How many records of this input are selected.
    selected_in_input: u64,
    /// Each input, and how many of its records are selected.
    counts: Vec<(String, u64)>,
    header: Header,
    out: Lines,
    /// Room for a line.
    line: Vec<u8>,
}

impl<'a> Printer<'a> {
    fn new(
        args: &'a HasArgs,
        filters: &'a Filters<'a>,
        names: Names,
        out: Lines,
        inputs: Vec<String>,
    ) -> Self {
        Self {
            args,
            filters,
            names,
            stdout: Stdout::new(),
            selected: 0,
            input: 0,
            selected_in_input: 0,
            counts: inputs.into_iter().map(|name| (name, 0)).collect(),
            header: Header::default(),
            out,
            line: Vec::new(),
        }
    }

    /// Whether no input has to be read.
    fn is_done(&self) -> bool {
        self.args.max_count == Some(0) || (self.args.quiet && self.selected > 0)
    }

    /// Prints the count, and gives the exit code. What was printed before a failure stays printed.
    fn finish(mut self, asked: Result<(), Failure>) -> Outcome {
        self.stdout.ended(asked)?;
        if self.args.count && !self.args.quiet {
            let each = self.counts.iter().map(|(name, selected)| format!("{name}:{selected}\n"));
            let lines = if self.args.with_filename { each.collect() } else { format!("{}\n", self.selected) };
            self.stdout.write(lines.as_bytes())?;
        }
        self.stdout.flush()?;
        Ok(if self.selected > 0 { 0 } else { 1 })
    }

    fn prints_lines(&self) -> bool {
        !self.args.quiet && !self.args.count && !self.args.json && !self.args.files_with_matches
    }

    /// Answers for the keys of `-e`. They come before all inputs.
    fn given_keys(&mut self, how: How) -> Result<(), Failure> {
        for (n, key) in (1..).zip(&self.args.asked.asked) {
            if self.args.max_count.is_some_and(|most| self.selected >= most) {
                break;
            }
            let key = key.as_encoded_bytes();
            let holders = holders_of(&self.filters.now(), how, key)?;
            let holders = holders.holders();
            let held = !holders.is_empty();
            if self.args.json {
                let record = Record::new(None, Some(key), self.names.list(holders).collect());
                self.stdout.json(&record.with_copies(copies(self.args, self.filters, key)))?;
            }
            if held == self.args.invert {
                continue;
            }
            self.selected += 1;
            if self.prints_lines() {
                self.prefix(None, n)?;
                self.stdout.write(key)?;
                if self.args.which {
                    let mut names = vec![b'\t'];
                    self.names.append(holders, &mut names);
                    self.stdout.write(&names)?;
                }
                if let Some(copies) = copies(self.args, self.filters, key) {
                    self.stdout.write(format!("\t{copies}").as_bytes())?;
                }
                self.stdout.write(&[self.out.terminator()])?;
            }
        }
        Ok(())
    }

    /// Prints records as they stand in their input.
    fn records(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write(&mut self.stdout, bytes)
    }

    /// Prints what comes before a line of an input, or before a key of `-e`.
    fn prefix(&mut self, input: Option<&str>, line: u64) -> Result<(), Failure> {
        let input = input.filter(|_| self.args.with_filename);
        self.out.prefix(&mut self.stdout, input, self.args.line_number.then_some(line))
    }

    /// How many more records of this input may be selected.
    fn left(&self) -> u64 {
        let most = self.args.max_count.unwrap_or(u64::MAX);
        most.saturating_sub(self.selected_in_input)
    }

    fn select(&mut self, records: usize) {
        self.selected += records as u64;
        self.selected_in_input += records as u64;
        if let Some((_, selected)) = self.counts.get_mut(self.input.wrapping_sub(1)) {
            *selected += records as u64;
        }
    }

    /// Counts the selected records of a page, up to the last that is wanted.
    fn count(&mut self, page: &mut Page<'_>, held: &[bool]) {
        let invert = self.args.invert;
        let mut selected = held.iter().enumerate().filter(|&(_, &held)| held != invert).map(|(i, _)| i);
        let last = match self.args.max_count {
            _ if self.args.quiet || self.args.files_with_matches => selected.next().map(|i| (1, i)),
            None => None,
            Some(_) => {
                let left = usize::try_from(self.left()).unwrap_or(usize::MAX);
                (1..=left).zip(selected).last().filter(|(n, _)| *n == left)
            }
        };
        match last {
            Some((selected, i)) => {
                page.taken = i + 1;
                self.select(selected);
            }
            None => self.select(held.iter().filter(|&&held| held != invert).count()),
        }
    }

    /// Prints a record, and the names of the filters that hold its key.
    fn record_and_names(&mut self, batch: &Batch<'_>, i: usize, holders: Holders<'_>) -> Result<(), Failure> {
        let mut line = std::mem::take(&mut self.line);
        self.names.line(batch, i, holders, &mut line);
        self.records(&line)?;
        self.line = line;
        Ok(())
    }

    /// Prints a record, and how often its key is in the filter.
    fn record_and_copies(&mut self, page: &mut Page<'_>, i: usize) -> Result<(), Failure> {
        // What has a key was selected, and what is selected has one.
        let key = page.keys.key(i).ok().flatten();
        let copies = key.and_then(|key| copies(self.args, self.filters, key)).unwrap_or(0);
        let mut line = std::mem::take(&mut self.line);
        with_field(&page.keys.batch, i, &mut line, |line| {
            line.extend_from_slice(copies.to_string().as_bytes())
        });
        self.records(&line)?;
        self.line = line;
        Ok(())
    }

    /// Prints the selected records of a page. Records that follow each other are written together.
    fn print(&mut self, page: &mut Page<'_>, held: &[bool], answers: &Answers) -> Result<(), Failure> {
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
            if self.args.line_number || self.args.with_filename || self.args.which || self.args.copies {
                for record in start..start + run {
                    line += batch.lines(counted, record);
                    counted = record;
                    self.prefix(Some(page.name), line)?;
                    if self.args.which {
                        let holders = answers.holders(record, self.names.all().len());
                        self.record_and_names(&batch, record, holders)?;
                    } else if self.args.copies {
                        self.record_and_copies(page, record)?;
                    } else {
                        self.records(batch.bytes(record, record + 1))?;
                    }
                }
            } else {
                self.records(batch.bytes(start, start + run))?;
            }
            self.select(run);
            i = start + run;
            if self.left() == 0 {
                page.taken = i;
            }
        }
        self.stdout.show()
    }

    fn print_json(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<(), Failure> {
        let (args, filters) = (self.args, self.filters);
        let copies = |key: &[u8]| copies(args, filters, key);
        self.stdout.records(page, answers, &self.names, &filters.now(), copies)?;
        self.select(answers.held.iter().filter(|&&held| held).count());
        self.stdout.show()
    }
}

impl Sink<Answers> for Printer<'_> {
    fn header(&mut self, page: &Page<'_>) -> Result<(), Failure> {
        if self.prints_lines() && !self.args.header.no_header && self.header.is_first(page) {
            self.prefix(Some(page.name), 1)?;
            let mut named = Vec::new();
            match (self.args.which, self.args.copies) {
                (true, _) => Names::header(&page.keys.batch, &mut named),
                (_, true) => {
                    with_field(&page.keys.batch, 0, &mut named, |line| line.extend_from_slice(b"copies"))
                }
                _ => named.extend_from_slice(page.keys.batch.bytes(0, 1)),
            }
            self.records(&named)?;
        }
        Ok(())
    }

    fn take(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        // A record without a key is on neither side.
        let held = match (page.keys.bad.records(), self.args.invert) {
            (bad @ [_, ..], true) => {
                let mut held = answers.held.clone();
                bad.iter().for_each(|&record| held[record] = true);
                Cow::Owned(held)
            }
            _ => Cow::Borrowed(&answers.held),
        };
        if page.input != self.input {
            self.input = page.input;
            self.selected_in_input = 0;
        }
        if self.args.json {
            self.print_json(page, answers)?;
        } else if self.prints_lines() {
            self.print(page, &held, answers)?;
        } else {
            self.count(page, &held);
        }
        if self.args.files_with_matches && self.selected_in_input > 0 {
            if !self.args.quiet {
                self.stdout.write(page.name.as_bytes())?;
                self.stdout.write(&[self.out.terminator()])?;
                self.stdout.show()?;
            }
            return Ok(if self.args.quiet { Flow::Stop } else { Flow::NextInput });
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
        self.filters.waits();
        self.stdout.flush()
    }
}
