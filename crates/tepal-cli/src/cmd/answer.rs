//! What `has`, `which` and `get` do alike: they open filters, ask them for the key of each record,
//! and print the answers.

mod print;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use tepal::Opened;

pub use self::print::Printer;
use crate::args::{AskArgs, AskedArgs, GrepArgs};
use crate::asking::How;
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::field::KeyRules;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::live::{AskLive, Filters};
use crate::names::Names;
use crate::open::{note_encoding, open_one_of};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::shown;

/// What is asked, and what comes out.
pub struct Question<'a> {
    /// The filters.
    pub paths: Vec<&'a Path>,
    /// The files of records.
    pub inputs: &'a [PathBuf],
    pub asked: &'a AskedArgs,
    pub ask: &'a AskArgs,
    pub grep: GrepArgs,
    pub invert: bool,
    pub json: bool,
    /// The field that a line gets. With `invert` it gets none.
    pub field: Field,
    /// Each record is answered. One without a key is in no filter; else such a record is never
    /// selected.
    pub every: bool,
    /// What `count` prints; nothing where that is the number of selected records.
    pub totals: Option<Totals>,
    /// Behind the error about this filter, which may be meant for a file of lines.
    pub hint: Option<(&'a Path, &'static str)>,
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
    /// Opens the filters. `check` refuses one that cannot do what is asked.
    pub fn open(
        &self,
        check: impl Fn(&Path, &Opened) -> Result<(), Failure> + Sync + 'a,
    ) -> Result<Filters<'a>, Failure> {
        let secrets = Secrets::read(&self.ask.keyed, self.grep.quiet)?;
        let (file, count) = (self.ask.file(), self.paths.len());
        let (hint, ignore_case) = (self.hint, self.grep.ignore_case);
        let paths = self.paths.iter().copied();
        let filters = Filters::open(paths, self.ask.reload, &self.ask.keys, move |path| {
            let mut filter =
                open_one_of(count, path, file, &secrets).map_err(|error| match (error, hint) {
                    (Failure::Message(text), Some((meant, hint))) if meant == path => {
                        Failure::new(format!("{text}. {hint}"))
                    }
                    (error, _) => error,
                })?;
            clock::tell(&shown(path), &mut filter, false)?;
            check(path, &filter)?;
            if ignore_case && !filter.key_hasher().recipe().nocase {
                let text = "built without --nocase, so -i cannot be done; build it again with --nocase";
                return Err(Failure::at(&shown(path), text));
            }
            Ok(filter)
        })?;
        if !self.grep.quiet {
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
        let sources = self.asked.sources(self.inputs);
        let (keys, quiet, now) = (&self.ask.keys, self.grep.quiet, filters.now());
        let opened = self.paths.iter().copied().zip(now.iter().map(|filter| &**filter));
        let rules = rows::rules(keys, BadPolicy::Warn, opened, !sources.is_empty(), quiet)?;
        let rules = if self.every { KeyRules { bad: BadPolicy::Warn, ..rules } } else { rules };
        AskedArgs::check(&sources)?;
        let mut printer = Printer::new(self, filters, names, &sources, rules.null);
        // A terminal that shows the lines shows no progress.
        let hidden = quiet || io::stdout().is_terminal();
        let inputs = Inputs::new(sources, rules, keys.threads(), hidden)?;
        let bad = if self.every { BadPolicy::Warn } else { BadPolicy::Fail };
        let mut inputs = inputs.with_keys(self.asked, bad);
        let asked = match printer.is_done() {
            true => Ok(()),
            false => pipeline::run(&mut inputs, &AskLive { filters, how }, &mut printer),
        };
        inputs.clear_progress();
        keys.end_of_answers(printer.finish(asked), &inputs.bad, quiet)
    }

    /// Do lines of the inputs come out?
    pub fn prints_lines(&self) -> bool {
        let GrepArgs { count, quiet, files_with_matches, .. } = self.grep;
        !quiet && !count && !self.json && !files_with_matches
    }
}
