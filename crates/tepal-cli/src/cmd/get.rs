//! `tepal get`: which value has a map for each key?

use std::io::{self, IsTerminal};

use tepal::{KeyHasher, PreparedKeys, RibbonMap};

use crate::args::GetArgs;
use crate::asking::map_of;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::pages::{Inputs, Keys, Page};
use crate::input::pipeline::{self, Flow, Refused, Sink, Work};
use crate::input::progress::Progress;
use crate::keys::{prepare, refusal};
use crate::names::{NONE, with_field};
use crate::open::{note_encoding, open_one_of};
use crate::output::{Header, Lines, Stdout, Valued};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::{one_line, shown, shown_key};

/// Runs the verb.
pub fn run(args: &GetArgs) -> Outcome {
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let file = open_one_of(1, &args.map, args.file, &secrets)?;
    let path = shown(&args.map);
    let Some(map) = map_of(&file) else {
        let text = "a filter, which has no values; tepal has says whether a key is in it, and tepal build --map makes a map";
        return Err(Failure::at(&path, text));
    };
    if !args.quiet {
        note_encoding(&args.map, &file, args.file);
    }
    if !(args.json || args.invert || args.quiet || args.count) {
        check_names(&path, map)?;
    }
    let sources = args.asked.sources(&args.inputs);
    let progress = Progress::of(&sources, args.quiet || io::stdout().is_terminal());
    let of = [(args.map.as_path(), &file)];
    let rules = rows::rules(&args.keys, BadPolicy::Warn, of, !sources.is_empty(), args.quiet)?;
    let out = Lines::new(rules.null);
    let mut inputs = Inputs::new(sources, rules, progress.clone(), args.keys.threads())?;
    let hasher = file.key_hasher();
    let stdout = Stdout::new();
    let mut printer = Printer {
        args,
        map,
        stdout,
        found: 0,
        strangers: 0,
        header: Header::default(),
        out,
        line: Vec::new(),
    };
    printer.given_keys(&hasher)?;
    let asked = match printer.is_done() {
        true => Ok(()),
        false => pipeline::run(&mut inputs, &Get { map, hasher }, &mut printer),
    };
    progress.clear();
    let outcome = printer.finish(asked);
    if outcome.is_ok() && args.keys.warns_of_bad(BadPolicy::Warn, args.quiet) {
        inputs.bad.warn();
    }
    outcome
}

/// Names must be such that a script can tell them from all else.
fn check_names(path: &str, map: &RibbonMap) -> Result<(), Failure> {
    match map.names().find(|(name, _)| *name == NONE || one_line(name) != *name) {
        None => Ok(()),
        Some((name, _)) => {
            let why = if name == NONE { "says that a key has no value" } else { "is no field of a line" };
            let text = format!("the name {} of a value {why}; use --json", shown_key(name.as_bytes()));
            Err(Failure::at(path, text))
        }
    }
}

/// Gets the values of records.
struct Get<'a> {
    map: &'a RibbonMap,
    hasher: KeyHasher,
}

/// What a thread needs for that.
#[derive(Default)]
struct Tools {
    keys: PreparedKeys,
    /// Records of the page that have no key.
    keyless: Vec<usize>,
    found: Vec<Option<u32>>,
}

impl Work for Get<'_> {
    type Tools = Tools;
    type Results = Vec<Option<u32>>;

    fn tools(&self) -> Tools {
        Tools::default()
    }

    fn clear(values: &mut Self::Results) {
        values.clear();
    }

    fn work(
        &self,
        tools: &mut Tools,
        keys: &mut Keys<'_>,
        values: &mut Self::Results,
    ) -> Result<(), Refused> {
        let Tools { keys: prepared, keyless, found } = tools;
        prepared.clear();
        keyless.clear();
        let worked = prepare(&self.hasher, keys, keys.batch.len(), prepared, |keys, record, why| {
            if let Some(text) = why {
                keys.bad.push(record, text)?;
            }
            keyless.push(record);
            Ok(())
        });
        let asked = worked.as_ref().err().map_or(keys.batch.len(), |refused| refused.record);
        found.resize(prepared.len(), None);
        self.map.get_prepared(prepared, found);
        let (mut keyless, mut found) = (keyless.iter().peekable(), found.iter());
        values.extend((0..asked).map(|record| match keyless.next_if_eq(&&record) {
            Some(_) => None,
            None => found.next().copied().flatten(),
        }));
        worked
    }
}

/// Prints or counts the values.
struct Printer<'a> {
    args: &'a GetArgs,
    map: &'a RibbonMap,
    stdout: Stdout,
    /// Keys that have a value, and those that have none.
    found: u64,
    strangers: u64,
    header: Header,
    out: Lines,
    /// Room for a line.
    line: Vec<u8>,
}

impl<'a> Printer<'a> {
    /// How many lines were selected.
    fn selected(&self) -> u64 {
        if self.args.invert { self.strangers } else { self.found }
    }

    fn is_done(&self) -> bool {
        self.args.quiet && self.selected() > 0
    }

    fn prints_lines(&self) -> bool {
        !self.args.quiet && !self.args.count && !self.args.json
    }

    /// Prints the count, and gives the exit code. What was printed before a failure stays printed.
    fn finish(mut self, asked: Result<(), Failure>) -> Outcome {
        self.stdout.ended(asked)?;
        if self.args.count && !self.args.quiet {
            self.stdout.write(format!("{}\n", self.selected()).as_bytes())?;
        }
        self.stdout.flush()?;
        Ok(if self.selected() > 0 { 0 } else { 1 })
    }

    fn count(&mut self, value: Option<u32>) {
        match value {
            Some(_) => self.found += 1,
            None => self.strangers += 1,
        }
    }

    /// Answers for the keys of `-e`. They come before all inputs.
    fn given_keys(&mut self, hasher: &KeyHasher) -> Result<(), Failure> {
        for key in &self.args.asked.asked {
            let key = key.as_encoded_bytes();
            hasher.check(key).map_err(|error| Failure::at("-e", refusal(&error)))?;
            let value = self.map.get(key);
            self.count(value);
            if self.args.json {
                self.stdout.json(&Valued::new(None, Ok(Some(key)), self.map, value))?;
            }
            if self.prints_lines() && (value.is_none() || !self.args.invert) {
                let mut line = key.to_vec();
                if !self.args.invert {
                    line.push(b'\t');
                    append(self.map, value, &mut line);
                }
                line.push(self.out.terminator());
                self.stdout.write(&line)?;
            }
        }
        Ok(())
    }

    /// Prints a record with one more field, which `field` appends.
    fn record(&mut self, page: &Page<'_>, i: usize, field: impl FnOnce(&mut Vec<u8>)) -> Result<(), Failure> {
        let mut line = std::mem::take(&mut self.line);
        with_field(&page.keys.batch, i, &mut line, field);
        self.out.write(&mut self.stdout, &line)?;
        self.line = line;
        Ok(())
    }
}

/// Appends a value as it is printed: its name, or itself.
fn append(map: &RibbonMap, value: Option<u32>, line: &mut Vec<u8>) {
    match value.map(|value| (map.name_of(value), value)) {
        None => line.extend_from_slice(NONE.as_bytes()),
        Some((Some(name), _)) => line.extend_from_slice(name.as_bytes()),
        Some((None, value)) => line.extend_from_slice(value.to_string().as_bytes()),
    }
}

impl Sink<Vec<Option<u32>>> for Printer<'_> {
    fn header(&mut self, page: &Page<'_>) -> Result<(), Failure> {
        if !self.prints_lines() || self.args.header.no_header || !self.header.is_first(page) {
            return Ok(());
        }
        match self.args.invert {
            true => self.out.write(&mut self.stdout, page.keys.batch.bytes(0, 1)),
            false => self.record(page, 0, |line| line.extend_from_slice(b"value")),
        }
    }

    fn take(&mut self, page: &mut Page<'_>, values: &Vec<Option<u32>>) -> Result<Flow, Failure> {
        let bad = page.keys.bad.records().to_vec();
        let mut bad = bad.iter().peekable();
        let mut line = page.first_line;
        for (i, &value) in values.iter().enumerate() {
            let is_bad = bad.next_if_eq(&&i).is_some();
            if self.args.json {
                let place = Some((page.name, line));
                line += page.keys.batch.lines(i, i + 1);
                let key = match page.keys.key(i) {
                    Ok(Some(key)) if is_bad => match self.map.key_hasher().check(key) {
                        Err(error) => Err(refusal(&error)),
                        Ok(()) => Ok(Some(key)),
                    },
                    key => key,
                };
                self.stdout.json(&Valued::new(place, key, self.map, value))?;
            }
            // A record without a key is on neither side.
            if is_bad {
                continue;
            }
            self.count(value);
            let map = self.map;
            match self.args.invert {
                _ if !self.prints_lines() => {}
                true if value.is_some() => {}
                true => self.out.write(&mut self.stdout, page.keys.batch.bytes(i, i + 1))?,
                false => self.record(page, i, |line| append(map, value, line))?,
            }
        }
        self.stdout.show()?;
        Ok(if self.is_done() { Flow::Stop } else { Flow::Continue })
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.stdout.flush()
    }
}
