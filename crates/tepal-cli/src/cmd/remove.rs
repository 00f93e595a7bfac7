//! `tepal remove`: keys out of a filter, as a whole or not at all.
//!
//! The keys are read twice. The first reading looks each key up ([`first`]); the second removes
//! them, unless one of them is surely not in the filter.

mod first;
mod segments;

use std::path::PathBuf;

use serde::Serialize;
use tepal::{Error, Filter, Opened, Removal, error::Operation, hash::PreparedKeys};

use crate::args::{AskedArgs, RemoveArgs};
use crate::describe::{Description, Told};
use crate::error::{Failure, Outcome};
use crate::input::bad::{BadPolicy, BadTotal};
use crate::input::field::KeyRules;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::source::Source;
use crate::keys::{Hashes, Prepare, read_lists};
use crate::open::{open, to_change};
use crate::output::{Change, Stdout, keep, refuse_both, say};
use crate::rows;
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;
use crate::unsaid;
use first::{FirstReading, Stamp, absent, lost, rate_of_former};

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    /// Copies that were removed.
    removed: u64,
    /// Keys that were not in the filter.
    not_in: u64,
    /// Keys that were in the filter, and of which the keys before them took the last copy.
    no_copy_left: u64,
    /// Keys that were left alone, since a growing filter has their numbers twice, and one may be
    /// another key's.
    kept: u64,
    /// Keys that were left alone, since no list of `--members` has them.
    not_members: u64,
    /// Members that were lost, on average: keys that were not in the filter, or not any more, took
    /// their copies.
    members_lost: f64,
    /// The same if all of those keys were members before; null if that is no more. In a growing
    /// filter of several tables such a key is found more often than the rate says.
    members_lost_most: Option<f64>,
    /// Records that were left out because they have no key.
    bad_records: u64,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &RemoveArgs) -> Outcome {
    let name = shown(&args.filter);
    let secrets = Secrets::read(&args.keyed, args.change.quiet)?;
    refuse_both(args.json, args.change.output.as_deref())?;
    let sources = match args.segment.is_empty() {
        true => args.asked.sources(&args.inputs),
        false => Vec::new(),
    };
    if !sources.is_empty() && Source::reads_stdin_twice(&args.inputs, &args.members) {
        return Err(Failure::new(
            "standard input can be read once; name files for the keys, for the members, or for both",
        ));
    }
    keep(args.change.output.as_deref(), "a list of keys", args.inputs.iter().chain(&args.members))?;
    let how = to_change(&args.filter, args.file);
    let open_it = || open(&args.filter, how, &secrets);
    let change = Change::lock(&args.filter, &args.change, open_it)?;
    let mut file = open_it()?;
    if !args.segment.is_empty() {
        let target = change.target()?;
        return segments::drop_all(args, &name, file, target, &secrets);
    }
    if !file.can().remove {
        return Err(Failure::at(&name, file.filter().refusal(Operation::Remove)));
    }
    let mut target = change.target()?;
    let reads = !sources.is_empty() || !args.members.is_empty();
    let file_rows = [(args.filter.as_path(), &file)];
    let rules = rows::rules(&args.keys, BadPolicy::Fail, file_rows, reads, args.change.quiet)?;
    let lists: Vec<Source> =
        sources.iter().cloned().chain(args.members.iter().map(|path| Source::of(path))).collect();
    unsaid::refuse_fields(&lists, &rules)?;
    let members = match args.members.as_slice() {
        [] => None,
        paths => Some(members(args, paths, &rules, &file)?),
    };
    sources.iter().try_for_each(AskedArgs::check)?;
    let work = Prepare { hasher: file.key_hasher() };
    let once: Vec<bool> = sources.iter().map(|source| source.file_len().is_none()).collect();
    let twice: Vec<Source> = sources.iter().filter(|source| source.file_len().is_some()).cloned().collect();
    let quiet = args.change.quiet;
    let inputs = Inputs::new(sources, rules.clone(), args.keys.threads(), quiet)?;
    let mut inputs = inputs.with_keys(&args.asked, BadPolicy::Fail);
    let mut asked = FirstReading::new(file.filter(), members.as_deref(), &once);
    pipeline::run(&mut inputs, &work, &mut asked)?;
    inputs.end(&args.keys, quiet);
    if asked.absent > 0 && !args.allow_absent {
        return Err(Failure::at(&name, absent(&asked)));
    }
    // A growing filter passes over its tables to say it, so it is asked once.
    let rate = file.filter().false_positive_rate();
    let members_lost = asked.members_lost(rate);
    let FirstReading { keys, not_members, absent: not_in, kept, stamps, .. } = asked;

    let names: Vec<String> = twice.iter().map(Source::name).collect();
    let mut again =
        Inputs::new(twice, rules, args.keys.threads(), quiet)?.with_keys(&args.asked, BadPolicy::Fail);
    let mut sink = Remove { name: &name, file: &mut file, members, removed: 0, kept: 0, stamps: Vec::new() };
    sink.remove(&PreparedKeys::from_hashes(kept.hashes))?;
    pipeline::run(&mut again, &work, &mut sink)?;
    again.clear_progress();
    let Remove { removed, kept, stamps: mut found, .. } = sink;
    found.resize_with(names.len(), Stamp::default);
    let before = stamps.into_iter().zip(&once).filter(|(_, once)| !**once).map(|(stamp, _)| stamp);
    if let Some((name, _)) = names.iter().zip(before.zip(&found)).find(|(_, (before, now))| before != *now) {
        let text =
            "its keys changed between the two times that it was read, so nothing was removed; run this again";
        return Err(Failure::at(name, text));
    }
    // A filter that stays as it is need not be written in its own place.
    if removed > 0 || args.change.output.is_some() {
        target.save(&file, secrets.seal.as_ref())?;
    }
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    let filter = Description::of(&target.name(), &told);
    let no_copy_left = keys - removed - kept - not_members - not_in;
    // A key that the list names again is as one that is not in, once its copies are gone.
    let members_lost = members_lost + lost(no_copy_left, rate);
    let bad_records = inputs.bad.records();
    let members_lost_most = match told.facts.tables.as_slice() {
        tables @ [_, _, ..] if told.can.grow && members_lost > 0.0 => Some(
            lost(not_in + no_copy_left, rate_of_former(tables, rate)).min(removed as f64).max(members_lost),
        ),
        _ => None,
    };
    let report = Report {
        keys,
        removed,
        not_in,
        no_copy_left,
        kept,
        not_members,
        members_lost,
        members_lost_most,
        bad_records,
        filter,
    };
    if !args.change.quiet {
        say(&summary(&report, &inputs.bad, &told));
    }
    if args.json {
        Stdout::new().document(&report)?;
    }
    Ok(0)
}

/// The hashes of all members, ascending.
fn members(
    args: &RemoveArgs,
    paths: &[PathBuf],
    rules: &KeyRules,
    file: &Opened,
) -> Result<Vec<u64>, Failure> {
    let mut all = Hashes { once: true, ..Hashes::default() };
    let work = Prepare { hasher: file.key_hasher() };
    read_lists(paths, rules, (&args.keys, args.change.quiet), &work, &mut all)?;
    all.hashes.sort_unstable();
    all.hashes.dedup();
    Ok(all.hashes)
}

/// The second reading: removes keys, and counts what comes of them.
struct Remove<'a> {
    name: &'a str,
    file: &'a mut Opened,
    /// The hashes of all keys that may be removed, ascending.
    members: Option<Vec<u64>>,
    removed: u64,
    kept: u64,
    /// What was read of each input.
    stamps: Vec<Stamp>,
}

impl Remove<'_> {
    fn remove(&mut self, keys: &PreparedKeys) -> Result<(), Failure> {
        let removed = match &self.members {
            None => self.remove_all(keys),
            Some(members) => {
                let hashes = keys.hashes().unwrap_or_default().iter().copied();
                let kept: Vec<u64> = hashes.filter(|hash| members.binary_search(hash).is_ok()).collect();
                self.remove_all(&PreparedKeys::from_hashes(kept))
            }
        };
        self.removed += removed.map_err(|error| Failure::at(self.name, error))?;
        Ok(())
    }

    /// Says how many were removed.
    fn remove_all(&mut self, keys: &PreparedKeys) -> Result<u64, Error> {
        if !self.file.can().grow {
            return self.file.remove_prepared(keys);
        }
        let mut removed = 0;
        for &hash in keys.hashes().unwrap_or_default() {
            match self.file.remove_hash(hash)? {
                Removal::Removed => removed += 1,
                Removal::Kept => self.kept += 1,
                Removal::NotHeld => {}
            }
        }
        Ok(removed)
    }
}

impl Sink<PreparedKeys> for Remove<'_> {
    fn take(&mut self, page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        if page.input > 0 {
            Stamp::of_input(&mut self.stamps, page.input).add(keys);
        }
        self.remove(keys).map(|()| Flow::Continue)
    }
}

/// `about 99 members are`, `about 0.2 members are`.
fn about(members: f64) -> String {
    match members {
        10.0.. => format!("about {} members are", number::count(number::four_digits(members))),
        0.095.. => format!("about {members:.1} members are"),
        _ => format!("about {members:.1e} members are"),
    }
}

/// `3 keys removed; 1 key was not in; 1 in 110 wrong now, 1 in 100 promised`
fn summary(report: &Report, bad: &BadTotal, told: &Told) -> String {
    let were = |keys: u64, one: &str, more: &str| match keys {
        0 => String::new(),
        1 => format!("; 1 key {one}"),
        _ => format!("; {} keys {more}", number::count(keys)),
    };
    let bad = bad.told().map_or(String::new(), |bad| format!("; {bad}"));
    let lost = match (report.members_lost, report.members_lost_most) {
        (0.0, _) => String::new(),
        (lost, Some(most)) => format!(
            "; {} lost on average, or up to {} if those keys were in before, whose copies those took",
            about(lost),
            number::counted(most.ceil() as u64, "member")
        ),
        (lost, None) => format!("; {} lost on average, whose copies those took", about(lost)),
    };
    format!(
        "{} removed{}{}{lost}{}{}; {}{bad}",
        number::counted(report.removed, "key"),
        were(report.not_in, "was not in", "were not in"),
        were(report.no_copy_left, "had no copy left", "had no copy left"),
        were(
            report.kept,
            "stays, since it looks as if it were in two tables and one of them may have another key",
            "stay, since they look as if they were in two tables and one of them may have another key"
        ),
        were(
            report.not_members,
            "is not on the list of members, and stays",
            "are not on the list of members, and stay"
        ),
        told.rates(",")
    )
}
