//! What `has`, `which` and `get` do alike: they open filters, ask them for the key of each record,
//! and print the answers.

mod print;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use tepal::{Error, Open, Opened};

pub use self::print::Printer;
use crate::args::{AskArgs, AskedArgs};
use crate::asking::How;
use crate::clock;
use crate::error::{ERROR, Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::input::source::Source;
use crate::live::{AskLive, Filters};
use crate::names::Names;
use crate::open::{note_encoding, open_one_of};
use crate::output::complain;
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::unsaid;

/// What is asked, and what comes out.
pub struct Question<'a> {
    verb: &'static str,
    /// The filters.
    pub paths: Vec<&'a Path>,
    /// The files of records.
    inputs: &'a [PathBuf],
    pub ask: &'a AskArgs,
    /// The field that a line gets. With `invert` it gets none.
    field: Field,
    /// Each record is answered. One without a key is in no filter; else such a record is never
    /// selected.
    every: bool,
    /// What `count` prints; nothing where that is the number of selected records.
    pub totals: Option<Totals>,
}

/// Prints totals.
type Totals = fn(&mut Printer<'_>) -> Result<(), Failure>;

/// A field that a line gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Field {
    None,
    /// The names of the filters that hold the key.
    Names,
    /// How often the key is in.
    Copies,
    /// The value of the key.
    Value,
}

impl<'a> Question<'a> {
    /// The question of a verb. Where a line gets names or a value, each record is answered.
    pub fn new(
        verb: &'static str,
        paths: Vec<&'a Path>,
        inputs: &'a [PathBuf],
        ask: &'a AskArgs,
        field: Field,
    ) -> Self {
        let every = matches!(field, Field::Names | Field::Value);
        Self { verb, paths, inputs, ask, field, every, totals: None }
    }

    /// Opens the filters. `check` refuses one that cannot do what is asked.
    pub fn open(
        &self,
        check: impl Fn(&Path, &Opened) -> Result<(), Failure> + Sync + 'a,
    ) -> Result<Filters<'a>, Failure> {
        let grep = self.ask.grep;
        let secrets = Secrets::read(&self.ask.keyed, grep.quiet)?;
        let (verb, file, count) = (self.verb, self.ask.file(), self.paths.len());
        let paths = self.paths.iter().copied();
        let filters = Filters::open(paths, self.ask.reload, &self.ask.keys, move |path| {
            let mut filter =
                open_one_of(count, path, file, &secrets).map_err(|error| match error {
                    // It may be meant for a file of lines.
                    Failure::Message(text) if count > 1 => Failure::new(format!(
                        "{text}. Files of lines come after one filter, or after --: tepal {verb} FILTER... -- LINES"
                    )),
                    error => error,
                })?;
            clock::tell(&shown(path), &mut filter, false)?;
            check(path, &filter)?;
            if grep.ignore_case && !filter.key_hasher().recipe().nocase {
                let text = "built without --nocase, so -i cannot be done; build it again with --nocase";
                return Err(Failure::at(&shown(path), text));
            }
            Ok(filter)
        })?;
        if !grep.quiet {
            filters
                .now()
                .iter()
                .zip(&self.paths)
                .for_each(|(filter, path)| note_encoding(path, filter, file));
        }
        Ok(filters)
    }

    /// Asks the filters for all keys, and prints the answers.
    pub fn run(&self, filters: &Filters<'_>, names: Names, how: How) -> Outcome {
        let mut sources = self.ask.asked.sources(self.inputs);
        let several = sources.len() > 1;
        let (keys, quiet, now) = (&self.ask.keys, self.ask.grep.quiet, filters.now());
        let opened = self.paths.iter().copied().zip(now.iter().map(|filter| &**filter));
        let rules = rows::rules(keys, BadPolicy::Warn, opened, !sources.is_empty(), quiet)?;
        let rules = if self.every { KeyRules { bad: BadPolicy::Warn, ..rules } } else { rules };
        sources.iter().try_for_each(|source| self.refuse_filter(source))?;
        if !quiet {
            unsaid::note(&sources, &rules, keys.whole);
        }
        // One that cannot be read does not keep the others from being answered.
        let named = sources.len();
        sources.retain(|source| match AskedArgs::check(source).and_then(|()| source.check()) {
            Err(Failure::Message(text)) => {
                complain(&text);
                false
            }
            _ => true,
        });
        let is_one_missing = sources.len() < named;
        if is_one_missing && sources.is_empty() && self.ask.asked.asked.is_empty() {
            return Ok(ERROR);
        }
        unsaid::refuse_fields(&sources, &rules)?;
        let mut printer = Printer::new(self, filters, names, &sources, several, rules.null);
        // A terminal that shows the lines shows no progress.
        let hidden = quiet || io::stdout().is_terminal();
        let inputs = Inputs::new(sources, rules, keys.threads(), hidden)?;
        let bad = if self.every { BadPolicy::Warn } else { BadPolicy::Fail };
        let mut inputs = inputs.with_keys(&self.ask.asked, bad);
        let asked = match printer.is_done() {
            true => Ok(()),
            false => pipeline::run(&mut inputs, &AskLive { filters, how }, &mut printer),
        };
        inputs.clear_progress();
        let code = keys.end_of_answers(printer.finish(asked), &inputs.bad, quiet)?;
        Ok(if is_one_missing { ERROR } else { code })
    }

    /// Refuses a filter among the files of lines, of any program whose filters have a mark.
    fn refuse_filter(&self, source: &Source) -> Result<(), Failure> {
        let Some(path) = source.path().filter(|path| path.is_file()) else { return Ok(()) };
        match Open::new().quick().open(path) {
            Ok(_) | Err(Error::KeyRequired | Error::SealRequired) => {}
            Err(_) => return Ok(()),
        }
        let (name, verb) = (shown(path), self.verb);
        let instead = match self.field {
            Field::Value => "Ask each map by itself, or: tepal which MAP... -- LINES".to_owned(),
            _ => format!("Name it with --in {name}, or before --: tepal {verb} FILTER... -- LINES"),
        };
        Err(Failure::at(&name, format!("a filter; expected a file of lines. {instead}")))
    }

    /// Do lines of the inputs come out?
    pub fn prints_lines(&self) -> bool {
        let grep = &self.ask.grep;
        !grep.quiet && !grep.count && !self.ask.json && !grep.lists_files()
    }
}
