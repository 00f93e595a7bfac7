//! `tepal get`: which value has a map for each key? Flags mean what they mean to `tepal has`.

mod values;

use std::io::{self, IsTerminal};
use std::path::Path;

use tepal::RibbonMap;

use self::values::{Get, NO_VALUES, Values};
use crate::args::{AskedArgs, GetArgs};
use crate::asking::map_of;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::progress::Progress;
use crate::input::source::Source;
use crate::keys::refusal;
use crate::live::Filters;
use crate::names::{NONE, check_field, quoted, with_field};
use crate::open::{note_encoding, open_one_of};
use crate::output::{Header, Lines, Stdout, Valued};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// Runs the verb.
pub fn run(args: &GetArgs) -> Outcome {
    let filters = open_map(args)?;
    let sources = args.asked.sources(&args.inputs);
    let progress = Progress::of(&sources, args.quiet || io::stdout().is_terminal());
    let now = filters.now();
    let of = [(args.map.as_path(), &*now[0])];
    let rules = rows::rules(&args.keys, BadPolicy::Warn, of, !sources.is_empty(), args.quiet)?;
    // Each record has an answer.
    let rules = KeyRules { bad: BadPolicy::Warn, ..rules };
    let counts = sources.iter().map(|source| (Source::name(source), 0)).collect();
    let out = Lines::new(rules.null);
    AskedArgs::check(&sources)?;
    let mut inputs = Inputs::new(sources, rules, progress.clone(), args.keys.threads())?;
    let mut printer = Printer {
        args,
        filters: &filters,
        stdout: Stdout::new(),
        selected: 0,
        input: 0,
        selected_in_input: 0,
        counts,
        failed: false,
        header: Header::default(),
        out,
        line: Vec::new(),
    };
    printer.given_keys()?;
    let asked = match printer.is_done() {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &Get { filters: &filters }, &mut printer),
    };
    progress.clear();
    args.keys.end_of_answers(printer.finish(asked), &inputs.bad, args.quiet)
}

/// Opens the map, and with `--reload` again. What cannot do what the flags ask is refused.
fn open_map(args: &GetArgs) -> Result<Filters<'_>, Failure> {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let file = args.live.file(args.file);
    let path = args.map.as_path();
    let filters = Filters::open([path], args.live.reload, &args.keys, move |path: &Path| {
        let opened = open_one_of(1, path, file, &secrets)?;
        let map = map_of(&opened).ok_or_else(|| Failure::at(&shown(path), NO_VALUES))?;
        if args.ignore_case && !opened.key_hasher().recipe().nocase {
            let text = "built without --nocase, so -i cannot be done; build it again with --nocase";
            return Err(Failure::at(&shown(path), text));
        }
        if prints_values(args) {
            map.names().try_for_each(|(name, _)| check_field(path, "value", name))?;
        }
        Ok(opened)
    })?;
    if !args.quiet {
        note_encoding(path, &filters.now()[0], file);
    }
    Ok(filters)
}

/// Do lines come out?
fn prints_lines(args: &GetArgs) -> bool {
    !args.quiet && !args.count && !args.json && !args.files_with_matches
}

/// Do lines come out with the values of their keys?
fn prints_values(args: &GetArgs) -> bool {
    prints_lines(args) && !args.invert
}

/// Prints or counts the values.
struct Printer<'a> {
    args: &'a GetArgs,
    filters: &'a Filters<'a>,
    stdout: Stdout,
    /// Keys of all inputs that have a value; with `-v` those that have none.
    selected: u64,
    /// The number of the input that is being read, from 1.
    input: usize,
    /// How many keys of this input are selected.
    selected_in_input: u64,
    /// Each input, and how many of its keys are selected.
    counts: Vec<(String, u64)>,
    /// A record without a key has come, and makes the exit code 2.
    failed: bool,
    header: Header,
    out: Lines,
    /// Room for a line.
    line: Vec<u8>,
}

impl Printer<'_> {
    /// Whether no input has to be read.
    fn is_done(&self) -> bool {
        self.args.max_count == Some(0) || (self.args.quiet && (self.selected > 0 || self.failed))
    }

    /// Is one selected key all that is to know of an input?
    fn ends_at_first(&self) -> bool {
        self.args.quiet || self.args.files_with_matches
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

    /// How many more keys of this input may be selected.
    fn left(&self) -> u64 {
        self.args.max_count.unwrap_or(u64::MAX).saturating_sub(self.selected_in_input)
    }

    /// Counts the key of this value, if it is one of those that are selected.
    fn judge(&mut self, value: Option<u32>) {
        if value.is_some() == self.args.invert {
            return;
        }
        self.selected += 1;
        self.selected_in_input += 1;
        if let Some((_, selected)) = self.counts.get_mut(self.input.wrapping_sub(1)) {
            *selected += 1;
        }
    }

    /// Answers for the keys of `-e`. They come before all inputs.
    fn given_keys(&mut self) -> Result<(), Failure> {
        let now = self.filters.now();
        let Some(map) = map_of(&now[0]) else { return Err(Failure::new(NO_VALUES)) };
        let hasher = now[0].key_hasher();
        for (n, key) in (1..).zip(&self.args.asked.asked) {
            if self.args.max_count.is_some_and(|most| self.selected >= most) {
                break;
            }
            let key = key.as_encoded_bytes();
            hasher.check(key).map_err(|error| Failure::at("-e", refusal(&error)))?;
            let value = map.get(key);
            self.judge(value);
            if self.args.json {
                self.stdout.json(&Valued::new(None, Ok(Some(key)), map, value))?;
            }
            if prints_lines(self.args) && (value.is_none() || !self.args.invert) {
                let mut line = key.to_vec();
                if !self.args.invert {
                    line.push(b'\t');
                    append(map, value, &mut line);
                }
                line.push(self.out.terminator());
                self.prefix(None, n)?;
                self.stdout.write(&line)?;
            }
        }
        self.selected_in_input = 0;
        Ok(())
    }

    /// Prints what comes before a line of an input, or before a key of `-e`.
    fn prefix(&mut self, input: Option<&str>, line: u64) -> Result<(), Failure> {
        if !self.args.line_number && !self.args.with_filename {
            return Ok(());
        }
        let input = input.filter(|_| self.args.with_filename);
        self.out.prefix(&mut self.stdout, input, self.args.line_number.then_some(line))
    }

    /// Prints a record with one more field, which `field` appends.
    fn record(&mut self, page: &Page<'_>, i: usize, field: impl FnOnce(&mut Vec<u8>)) -> Result<(), Failure> {
        let mut line = std::mem::take(&mut self.line);
        with_field(&page.keys.batch, i, &mut line, field);
        self.out.write(&mut self.stdout, &line)?;
        self.line = line;
        Ok(())
    }

    /// Prints a record as JSON. It may have no key.
    fn json(
        &mut self,
        page: &mut Page<'_>,
        (i, line): (usize, u64),
        (map, value): (&RibbonMap, Option<u32>),
        is_bad: bool,
    ) -> Result<(), Failure> {
        let place = Some((page.name, line));
        let key = match page.keys.key(i) {
            Ok(Some(key)) if is_bad => match map.key_hasher().check(key) {
                Err(error) => Err(refusal(&error)),
                Ok(()) => Ok(Some(key)),
            },
            key => key,
        };
        self.stdout.json(&Valued::new(place, key, map, value))
    }

    /// Prints a record and its value, or with `-v` a record whose key has none.
    fn print(
        &mut self,
        page: &Page<'_>,
        (i, line): (usize, u64),
        (map, value): (&RibbonMap, Option<u32>),
    ) -> Result<(), Failure> {
        if self.args.invert && value.is_some() {
            return Ok(());
        }
        self.prefix(Some(page.name), line)?;
        match self.args.invert {
            true => self.out.write(&mut self.stdout, page.keys.batch.bytes(i, i + 1)),
            false => self.record(page, i, |line| append(map, value, line)),
        }
    }

    /// Names the input, of which a key is selected.
    fn name(&mut self, page: &Page<'_>) -> Result<Flow, Failure> {
        if self.args.quiet {
            return Ok(Flow::Stop);
        }
        self.stdout.write(page.name.as_bytes())?;
        self.stdout.write(&[self.out.terminator()])?;
        self.stdout.show()?;
        Ok(Flow::NextInput)
    }
}

/// Appends a value as it is printed: its name, or itself.
fn append(map: &RibbonMap, value: Option<u32>, line: &mut Vec<u8>) {
    match value.map(|value| (map.name_of(value), value)) {
        None => line.extend_from_slice(NONE.as_bytes()),
        Some((Some(name), _)) => line.extend_from_slice(quoted(name, false).as_bytes()),
        Some((None, value)) => line.extend_from_slice(value.to_string().as_bytes()),
    }
}

impl Sink<Values> for Printer<'_> {
    fn header(&mut self, page: &Page<'_>) -> Result<(), Failure> {
        if !prints_lines(self.args) || self.args.header.no_header || !self.header.is_first(page) {
            return Ok(());
        }
        self.prefix(Some(page.name), 1)?;
        match self.args.invert {
            true => self.out.write(&mut self.stdout, page.keys.batch.bytes(0, 1)),
            false => self.record(page, 0, |line| line.extend_from_slice(b"value")),
        }
    }

    fn take(&mut self, page: &mut Page<'_>, values: &Values) -> Result<Flow, Failure> {
        if page.input != self.input {
            self.input = page.input;
            self.selected_in_input = 0;
        }
        let bad = page.keys.bad.records().to_vec();
        let mut bad = bad.iter().peekable();
        let mut line = page.first_line;
        let counts_lines = self.args.json || self.args.line_number;
        for (i, &value) in values.values.iter().enumerate() {
            let is_bad = bad.next_if_eq(&&i).is_some();
            let at = (i, line);
            if counts_lines {
                line += page.keys.batch.lines(i, i + 1);
            }
            let Some(map) = values.map_of(i) else { return Err(page.failure(i, NO_VALUES)) };
            if self.args.json {
                self.json(page, at, (map, value), is_bad)?;
            }
            // A record without a key has no value.
            if prints_lines(self.args) {
                self.print(page, at, (map, value))?;
            }
            self.judge(value);
            self.failed |= is_bad && self.args.keys.fails_on_bad();
            if self.left() == 0 || (self.selected_in_input > 0 && self.ends_at_first()) || self.is_done() {
                page.taken = i + 1;
                break;
            }
        }
        if self.args.files_with_matches && self.selected_in_input > 0 {
            return self.name(page);
        }
        self.stdout.show()?;
        Ok(if self.is_done() {
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
