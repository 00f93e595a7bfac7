//! `tepal except`: keys that a filter is known to say yes for by mistake get a no.

use serde::Serialize;
use tepal::{Exceptions, Opened, hash::PreparedKeys};

use crate::args::{AskedArgs, ExceptArgs};
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::source::Source;
use crate::keys::{Prepare, read_lists};
use crate::open::open;
use crate::output::{Change, Stdout, keep, refuse_both, say};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::{shown, shown_key};
use crate::text::number;
use crate::unsaid;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    /// For how many of them the filter said no already.
    not_needed: u64,
    /// How many exceptions were added.
    added: u64,
    /// How many there are now.
    exceptions: u64,
    /// Bytes of the file that they take.
    exceptions_len: u64,
}

/// Runs the verb.
pub fn run(args: &ExceptArgs) -> Outcome {
    let name = shown(&args.filter);
    let secrets = Secrets::read(&args.keyed, args.change.quiet)?;
    if args.list {
        return list(args, &open(&args.filter, args.file, &secrets)?);
    }
    let sources = args.asked.sources(&args.inputs);
    refuse_unasked(args, &sources)?;
    let open_it = || open(&args.filter, args.file, &secrets);
    let change = Change::lock(&args.filter, &args.change, open_it)?;
    let (file, mut target) = (open_it()?, change.target()?);
    // A file that has no place for them is refused before the lists are read.
    let before = file.filter().exceptions();
    let file = file.except(&Exceptions::new()).map_err(|error| Failure::at(&name, error))?;

    let (rows, reads) = ([(args.filter.as_path(), &file)], !sources.is_empty() || !args.members.is_empty());
    let rules = rows::rules(&args.keys, BadPolicy::Fail, rows, reads, args.change.quiet)?;
    let lists: Vec<Source> =
        sources.iter().cloned().chain(args.members.iter().map(|path| Source::of(path))).collect();
    unsaid::refuse_fields(&lists, &rules)?;
    sources.iter().try_for_each(AskedArgs::check)?;
    let mut gathered = Gathered { file: &file, exceptions: Exceptions::new(), keys: 0, needed: 0 };
    let work = Prepare { hasher: file.key_hasher() };
    let inputs = Inputs::new(sources, rules.clone(), args.keys.threads(), args.change.quiet)?;
    let mut inputs = inputs.with_keys(&args.asked, BadPolicy::Fail);
    pipeline::run(&mut inputs, &work, &mut gathered)?;
    inputs.end(&args.keys, args.change.quiet);
    let Gathered { mut exceptions, keys, needed, .. } = gathered;
    if !args.members.is_empty() {
        let mut members = Members { file: &file, exceptions: &mut exceptions, keys: 0, held: 0 };
        read_lists(&args.members, &rules, (&args.keys, args.change.quiet), &work, &mut members)?;
        members.check(&name)?;
    }
    let file = file.except(&exceptions).map_err(|error| Failure::at(&name, error))?;
    target.save(&file, secrets.seal.as_ref())?;
    let report = Report {
        keys,
        not_needed: keys - needed,
        added: file.filter().exceptions() - before,
        exceptions: file.filter().exceptions(),
        exceptions_len: file.filter().exceptions_len(),
    };
    if !args.change.quiet {
        say(&summary(&report));
    }
    if args.json {
        Stdout::new().document(&report)?;
    }
    Ok(0)
}

/// Refuses what could make members missed keys where nobody has said that it cannot.
fn refuse_unasked(args: &ExceptArgs, sources: &[Source]) -> Result<(), Failure> {
    if args.members.is_empty() && !args.non_members {
        return Err(Failure::new(
            "a member among the keys would become a missed key: give the lists of all members with --members, which are \
             compared, or say with --non-members that no key is a member",
        ));
    }
    if !sources.is_empty() && Source::reads_stdin_twice(&args.inputs, &args.members) {
        return Err(Failure::new(
            "standard input can be read once; name files for the keys, for the members, or for both",
        ));
    }
    refuse_both(args.json, args.change.output.as_deref())?;
    keep(args.change.output.as_deref(), "a list of keys", args.inputs.iter().chain(&args.members))
}

/// Gathers the keys for which the filter says yes.
struct Gathered<'a> {
    file: &'a Opened,
    exceptions: Exceptions,
    keys: u64,
    needed: u64,
}

impl Sink<PreparedKeys> for Gathered<'_> {
    fn take(&mut self, _: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.keys += keys.len() as u64;
        self.needed += self.exceptions.take(self.file.filter(), keys) as u64;
        Ok(Flow::Continue)
    }
}

/// Looks for members among the exceptions.
struct Members<'a> {
    file: &'a Opened,
    exceptions: &'a mut Exceptions,
    keys: u64,
    /// For so many of them the filter says yes, as for all of its members.
    held: u64,
}

impl Members<'_> {
    /// Refuses lists that are not those of the filter's members as they were read: a member would
    /// not be found among them.
    fn check(&self, name: &str) -> Result<(), Failure> {
        if self.held >= self.keys.div_ceil(2) {
            return Ok(());
        }
        Err(Failure::at(
            name,
            format!(
                "of {} on the lists of --members {} in it, so these are other lists, or their keys are other parts of their lines: \
                 name the lists that it was built from, and say what is a key there with -f FIELD or --whole; nothing was changed",
                number::counted(self.keys, "key"),
                match self.held {
                    1 => "only 1 is".to_owned(),
                    held => format!("only {} are", number::count(held)),
                }
            ),
        ))
    }
}

impl Sink<PreparedKeys> for Members<'_> {
    fn take(&mut self, page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        let mut held = vec![false; keys.len()];
        self.file.filter().contains_prepared(keys, &mut held);
        self.keys += keys.len() as u64;
        self.held += held.into_iter().filter(|held| *held).count() as u64;
        if !self.exceptions.among(keys).contains(&true) {
            return Ok(Flow::Continue);
        }
        // Which record it was: some have no key.
        let hasher = self.file.key_hasher();
        for record in 0..page.keys.batch.len() {
            let mut one = PreparedKeys::default();
            let Ok(Some(key)) = page.keys.key(record) else { continue };
            let key = key.to_vec();
            if hasher.prepare(&key, &mut one).is_ok() && self.exceptions.among(&one) == [true] {
                let text = format!(
                    "the member {} is among the keys to except, or has the hash of one, and would be missed; nothing was changed: \
                     leave it out there",
                    shown_key(&key)
                );
                return Err(page.failure(record, text));
            }
        }
        Ok(Flow::Continue)
    }
}

/// `412 exceptions added, 3.2 KiB in all; 588 keys needed none`
fn summary(report: &Report) -> String {
    let not_needed = match report.not_needed {
        0 => String::new(),
        keys => format!("; for {} the filter says no without one", number::counted(keys, "key")),
    };
    format!(
        "{} added; {} in all, {}{not_needed}",
        number::counted(report.added, "exception"),
        number::count(report.exceptions),
        number::size(report.exceptions_len)
    )
}

/// Says how many there are.
fn list(args: &ExceptArgs, file: &Opened) -> Outcome {
    let exceptions = file.filter().exceptions();
    let exceptions_len = file.filter().exceptions_len();
    let mut stdout = Stdout::new();
    if args.json {
        stdout.document(&Report { keys: 0, not_needed: 0, added: 0, exceptions, exceptions_len })?;
    } else {
        let text = format!(
            "{}, {}; the file has the hashes of their keys, so that they cannot be shown\n",
            number::counted(exceptions, "exception"),
            number::size(exceptions_len)
        );
        stdout.write(text.as_bytes())?;
        stdout.flush()?;
    }
    Ok(0)
}
