//! `tepal which`: which of several filters, or which segments of one, may hold each key?

use std::io::{self, IsTerminal};
use std::sync::Arc;

use serde::Serialize;
use tepal::Opened;

use crate::args::{AskedArgs, WhichArgs};
use crate::asking::{Answers, Holders, How, holders_of, map_of, named_segments};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::progress::Progress;
use crate::live::{AskLive, Filters};
use crate::names::{NONE, Names};
use crate::open::{note_encoding, open_one_of};
use crate::output::{Header, Lines, Record, Stdout, complain};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number::counted;

/// Runs the verb.
pub fn run(args: &WhichArgs) -> Outcome {
    let filters = open_filters(args)?;
    let (names, how) = names(args, &filters.now())?;
    let sources = args.asked.sources(&args.inputs);
    let progress = Progress::of(&sources, args.quiet || io::stdout().is_terminal());
    let paths = args.filters.iter().map(|path| path.as_path());
    let rules = rows::rules(
        &args.keys,
        BadPolicy::Warn,
        paths.zip(filters.now().iter().map(|filter| &**filter)),
        !sources.is_empty(),
        args.quiet,
    )?;
    // Each record has an answer.
    let rules = KeyRules { bad: BadPolicy::Warn, ..rules };
    let out = Lines::new(rules.null);
    AskedArgs::check(&sources)?;
    let mut inputs = Inputs::new(sources, rules, progress.clone(), args.keys.threads())?;
    let mut printer = Printer::new(args, &filters, (names, how), out);
    printer.given_keys()?;
    let asked = match printer.is_done() {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &AskLive { filters: &filters, how }, &mut printer),
    };
    progress.clear();
    args.keys.end_of_answers(printer.finish(asked), &inputs.bad, args.quiet)
}

/// What is asked, and the names in the answers: of several filters those, of one with segments these. A key that one of several
/// filters cannot have is not in it.
fn names(args: &WhichArgs, filters: &[Arc<Opened>]) -> Result<(Names, How), Failure> {
    let text = !args.json && !args.invert && !args.quiet;
    let paths = || args.filters.iter().map(|path| path.as_path());
    let with_segments =
        filters.iter().zip(paths()).find_map(|(filter, path)| Some((path, named_segments(filter)?)));
    match with_segments {
        Some((path, _)) if args.stem && filters.len() == 1 => Err(Failure::at(
            &shown(path),
            "--stem is about the names of files, and here the segments are named; leave it out",
        )),
        Some((path, segments)) if filters.len() == 1 => {
            let names = Names::of_segments(path, segments, text)?;
            Ok((names, How { segments: true, ..How::default() }))
        }
        found => {
            let several = found.filter(|(_, segments)| segments.len() > 1 && !args.quiet);
            if let Some((path, segments)) = several {
                let is_map =
                    filters.iter().zip(paths()).any(|(filter, its)| its == path && map_of(filter).is_some());
                let (what, has) = if is_map { ("value", "has") } else { ("segment", "is in") };
                complain(&format!(
                    "{}: one of several filters, so that which of its {} a key {has} is not said; ask it alone for that",
                    shown(path),
                    counted(segments.len() as u64, what)
                ));
            }
            Ok((Names::of(paths(), args.stem, text)?, How { each: true, mixed: true, ..How::default() }))
        }
    }
}

fn open_filters(args: &WhichArgs) -> Result<Filters<'_>, Failure> {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let file = args.live.file(args.file);
    let (count, last) = (args.filters.len(), args.filters.last());
    let paths = || args.filters.iter().map(|path| path.as_path());
    let filters = Filters::open(paths(), args.live.reload, &args.keys, move |path| {
        let mut filter = open_one_of(count, path, file, &secrets).map_err(|error| match error {
            Failure::Message(text) if args.inputs.is_empty() && last.is_some_and(|last| last == path) => {
                Failure::new(format!("{text}. Files of lines come after --: tepal which FILTER... -- LINES"))
            }
            other => other,
        })?;
        clock::tell(&shown(path), &mut filter, false)?;
        Ok(filter)
    })?;
    if !args.quiet {
        filters.now().iter().zip(paths()).for_each(|(filter, path)| note_encoding(path, filter, file));
    }
    Ok(filters.with_names_told())
}

/// What `-c --json` prints.
#[derive(Serialize)]
struct Totals<'a> {
    /// Lines that were asked for.
    lines: u64,
    /// Those that are in no filter.
    none: u64,
    filters: Vec<Total<'a>>,
}

/// How many lines one filter may hold.
#[derive(Serialize)]
struct Total<'a> {
    filter: &'a str,
    lines: u64,
}

/// Prints or counts the answers.
struct Printer<'a> {
    args: &'a WhichArgs,
    filters: &'a Filters<'a>,
    names: Names,
    how: How,
    stdout: Stdout,
    /// Lines so far, and those that no filter holds.
    lines: u64,
    strangers: u64,
    /// Lines that each filter holds.
    counts: Vec<u64>,
    /// A record without a key has come, and makes the exit code 2.
    failed: bool,
    header: Header,
    out: Lines,
    /// Room for a line.
    line: Vec<u8>,
}

impl<'a> Printer<'a> {
    fn new(args: &'a WhichArgs, filters: &'a Filters<'a>, (names, how): (Names, How), out: Lines) -> Self {
        Self {
            args,
            filters,
            counts: vec![0; names.all().len()],
            names,
            how,
            stdout: Stdout::new(),
            lines: 0,
            strangers: 0,
            failed: false,
            header: Header::default(),
            out,
            line: Vec::new(),
        }
    }

    /// How many lines were selected.
    fn selected(&self) -> u64 {
        if self.args.invert { self.strangers } else { self.lines - self.strangers }
    }

    fn is_done(&self) -> bool {
        self.args.quiet && (self.selected() > 0 || self.failed)
    }

    fn prints_lines(&self) -> bool {
        !self.args.quiet && !self.args.count && !self.args.json
    }

    /// Prints the totals, and gives the exit code. What was printed before a failure stays printed.
    fn finish(mut self, asked: Result<(), Failure>) -> Outcome {
        self.stdout.ended(asked)?;
        if self.args.count && !self.args.quiet {
            self.totals()?;
        }
        self.stdout.flush()?;
        Ok(if self.selected() > 0 { 0 } else { 1 })
    }

    fn totals(&mut self) -> Result<(), Failure> {
        // A segment that was dropped has left a number without a name.
        if self.args.json {
            let named = self.names.all().iter().zip(&self.counts).filter(|(name, _)| !name.is_empty());
            let filters = named.map(|(filter, &lines)| Total { filter, lines }).collect();
            return self.stdout.json(&Totals { lines: self.lines, none: self.strangers, filters });
        }
        let mut text = format!("{}\n", self.strangers);
        if !self.args.invert {
            let listed = self.names.all_listed().iter().zip(&self.counts);
            let named = listed.filter(|(name, _)| !name.is_empty());
            text = named.map(|(name, count)| format!("{name}\t{count}\n")).collect();
            text.push_str(&format!("{NONE}\t{}\n", self.strangers));
        }
        self.stdout.write(text.as_bytes())
    }

    /// Answers for the keys of `-e`. They come before all inputs.
    fn given_keys(&mut self) -> Result<(), Failure> {
        for key in &self.args.asked.asked {
            let key = key.as_encoded_bytes();
            let holders = holders_of(&self.filters.now(), self.how, key)?;
            let holders = holders.holders();
            self.count(holders);
            if self.args.json && !self.args.count {
                self.stdout.json(&Record::new(None, Some(key), self.names.list(holders).collect()))?;
            }
            let is_stranger = holders.is_empty();
            if self.prints_lines() && (is_stranger || !self.args.invert) {
                let mut line = key.to_vec();
                if !self.args.invert {
                    line.push(b'\t');
                    self.names.append(holders, &mut line);
                }
                line.push(self.out.terminator());
                self.stdout.write(&line)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, holders: Holders<'_>) {
        self.lines += 1;
        let mut is_stranger = true;
        for number in holders.members() {
            is_stranger = false;
            self.counts[number] += 1;
        }
        self.strangers += u64::from(is_stranger);
    }

    /// Prints a record with one more field, which `with_field` appends.
    fn record(&mut self, with_field: impl FnOnce(&Names, &mut Vec<u8>)) -> Result<(), Failure> {
        let mut line = std::mem::take(&mut self.line);
        with_field(&self.names, &mut line);
        self.records(&line)?;
        self.line = line;
        Ok(())
    }

    /// Prints whole records.
    fn records(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write(&mut self.stdout, bytes)
    }
}

impl Sink<Answers> for Printer<'_> {
    fn header(&mut self, page: &Page<'_>) -> Result<(), Failure> {
        if !self.prints_lines() || self.args.header.no_header || !self.header.is_first(page) {
            return Ok(());
        }
        match self.args.invert {
            true => self.records(page.keys.batch.bytes(0, 1)),
            false => self.record(|_, line| Names::header(&page.keys.batch, line)),
        }
    }

    fn take(&mut self, page: &mut Page<'_>, answers: &Answers) -> Result<Flow, Failure> {
        let filters = self.names.all().len();
        let prints = self.prints_lines();
        let first_bad = page.keys.bad.records().first().copied();
        // A record without a key is in no filter.
        for i in 0..answers.held.len() {
            let holders = answers.holders(i, filters);
            self.count(holders);
            match self.args.invert {
                _ if !prints => {}
                true if answers.held[i] => {}
                true => self.records(page.keys.batch.bytes(i, i + 1))?,
                false => self.record(|names, line| names.line(&page.keys.batch, i, holders, line))?,
            }
            self.failed |= first_bad == Some(i) && self.args.keys.fails_on_bad();
            if self.is_done() {
                page.taken = i + 1;
                break;
            }
        }
        if self.args.json && !self.args.count {
            self.stdout.records(page, answers, &self.names, &self.filters.now(), |_| None)?;
        }
        self.stdout.show()?;
        Ok(if self.is_done() { Flow::Stop } else { Flow::Continue })
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.filters.waits();
        self.stdout.flush()
    }
}
