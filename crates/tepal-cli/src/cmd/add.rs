//! `tepal add`: more keys into a filter, as a whole or not at all.

use serde::Serialize;
use tepal::{Error, Filter, Opened, error::Operation, file::Format, hash::PreparedKeys, segments::Segment};

use crate::args::{AddArgs, AskedArgs, span};
use crate::clock;
use crate::describe::{Description, Told, warn_past_promise};
use crate::error::{Failure, Outcome};
use crate::input::bad::BadPolicy;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::{Hashes, Prepare};
use crate::open::{ignore_capacity, note_encoding, open, to_change};
use crate::output::{Change, Stdout, complain, keep, refuse_both, say};
use crate::rows;
use crate::secrets::Secrets;
use crate::segments::{ByField, Names, Pairs, Rows, check_fields};
use crate::text::message::shown;
use crate::text::number;
use crate::text::words::Words;
use crate::unsaid;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    /// About how many of them were not in the filter, going by the bits and by the exceptions that
    /// are now members.
    new_keys_estimated: u64,
    /// Records that were left out because they have no key.
    bad_records: u64,
    /// Records that were left out because their key is empty.
    empty_records: u64,
    /// How the records were read, for each form of the inputs.
    read_as: Vec<String>,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &AddArgs) -> Outcome {
    let name = shown(&args.filter);
    let secrets = Secrets::read(&args.keyed, args.change.quiet)?;
    refuse_both(args.json, args.change.output.as_deref())?;
    keep(args.change.output.as_deref(), "a list of keys", &args.inputs)?;
    let how = to_change(&args.filter, args.file);
    let open_it = || open(&args.filter, how, &secrets);
    let change = Change::lock(&args.filter, &args.change, open_it)?;
    let mut file = open_it()?;
    check_segments(&name, &file, args)?;
    let set_back = if args.set_clock { clock::set(&name, &mut file)? } else { None };
    clock::tell(&name, &mut file, true)?;
    if !args.change.quiet {
        note_encoding(&args.filter, &file, args.file);
    }
    let mut target = change.target()?;
    let file_rows = [(args.filter.as_path(), &file)];
    let sources = match args.set_clock && args.inputs.is_empty() {
        true => Vec::new(),
        false => args.asked.sources(&args.inputs),
    };
    let mut rules =
        rows::rules(&args.keys, BadPolicy::Fail, file_rows, !sources.is_empty(), args.change.quiet)?;
    unsaid::refuse_fields(&sources, &rules)?;
    if file.format() == Format::Tepal {
        let kept = rules.empty_keys;
        if args.empty.empty_keys && !kept && file.labels().field.is_some() {
            let text = "--empty-keys is given, and the filter was built from a field without it, so that no empty one is ever found; \
                        leave it out, or build the filter again with it";
            return Err(Failure::at(&name, text));
        }
        args.empty.apply(&mut rules, kept, file.key_hasher().recipe().trim);
    }
    if let Some(by) = &args.by {
        check_fields("--by", by, rules.field.as_ref())?;
        rules.by = Some((by.clone(), "--by"));
    }
    sources.iter().try_for_each(AskedArgs::check)?;
    let inputs = Inputs::new(sources, rules, args.keys.threads(), args.change.quiet)?;
    let mut inputs = inputs.with_keys(&args.asked, BadPolicy::Fail);
    let (before, excepted) = (held(&file), file.filter().exceptions());
    let keys = add_all(&name, &mut file, &mut inputs, args)?;
    inputs.end(&args.keys, args.change.quiet);
    target.save(&file, secrets.seal.as_ref())?;
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    let by_bits = ((held(&file) - before).max(0.0).round() as u64).min(keys);
    // An exception was surely not in, and all of its bits were set.
    let new = (by_bits + excepted.saturating_sub(file.filter().exceptions())).min(keys);
    if !args.change.quiet {
        if let Some(seconds) = set_back {
            let (name, by) = (target.name(), span(seconds));
            say(&format!("{name}: its clock was set back by {by}, to now, and its keys count as added now"));
        }
        report(keys, new, &inputs, &told);
        rows::tell(&inputs, secrets.secret.is_some());
        warn_of_exceptions(&target.name(), by_bits, &told);
        for warning in told.facts.ribbon.iter().flat_map(|_| &told.facts.warnings) {
            complain(&format!("{}: ! {}", target.name(), warning.words()));
        }
    }
    warn_past_promise(&target.name(), &told);
    if args.json {
        Stdout::new().document(&Report {
            keys,
            new_keys_estimated: new,
            bad_records: inputs.bad.records(),
            empty_records: inputs.bad.empty(),
            read_as: rows::read_as(&inputs),
            filter: Description::of(&target.name(), &told),
        })?;
    }
    Ok(0)
}

/// Keys of a filter with segments go into one of them, and those of others into none.
fn check_segments(name: &str, file: &Opened, args: &AddArgs) -> Result<(), Failure> {
    let flag = match (&args.segment, &args.by) {
        (Some(_), _) => Some("--segment"),
        (None, Some(_)) => Some("--by"),
        (None, None) => None,
    };
    if !file.can().insert {
        return Err(Failure::at(name, file.filter().refusal(Operation::Insert)));
    }
    match (file.can().segments, flag) {
        (true, None) => Err(Failure::at(
            name,
            "a filter with segments; say into which one the keys go, with --segment NAME, or with --by FIELD",
        )),
        (false, Some(flag)) => Err(Failure::at(
            name,
            format!(
                "{flag} is given, and this filter has no segments; leave it out, or build one that has: tepal build --by or --set"
            ),
        )),
        _ => Ok(()),
    }
}

/// Inserts all keys, past capacity only with `--past-promise`. Gives how many there were.
fn add_all(name: &str, file: &mut Opened, inputs: &mut Inputs, args: &AddArgs) -> Result<u64, Failure> {
    let forced = if args.past_promise { ignore_capacity(name, file)? } else { None };
    let keys = match args.by {
        Some(_) => add_rows(name, file, inputs, args)?,
        None if file.can().prefers_all_at_once => add_beside(name, file, inputs)?,
        None => {
            let work = Prepare { hasher: file.key_hasher() };
            let segment = args.segment.as_ref().map(|name| file.add_segment(name));
            let segment = segment.transpose().map_err(|error| Failure::at("--segment", error))?;
            let mut sink = Add { name, file, segment, keys: 0 };
            pipeline::run(inputs, &work, &mut sink)?;
            sink.keys
        }
    };
    if let Some(policy) = forced {
        file.set_over_capacity(policy).map_err(|error| Failure::at(name, error))?;
    }
    Ok(keys)
}

/// Adds keys to a list beside what was built, all at once: each time the list is moved.
fn add_beside(name: &str, file: &mut Opened, inputs: &mut Inputs) -> Result<u64, Failure> {
    let work = Prepare { hasher: file.key_hasher() };
    let mut listed = Hashes { once: true, ..Hashes::default() };
    pipeline::run(inputs, &work, &mut listed)?;
    file.insert_many_hashes(&listed.hashes).map_err(|error| Failure::at(name, error))?;
    Ok(listed.keys)
}

/// How many keys it has; of one with segments, how many pairs of both.
fn held(file: &Opened) -> f64 {
    match file.filter().as_segmented() {
        Some(filter) => filter.len() as f64,
        None => file.filter().estimated_len(),
    }
}

/// Inserts the keys of rows into the segments that they name: all at once.
fn add_rows(name: &str, file: &mut Opened, inputs: &mut Inputs, args: &AddArgs) -> Result<u64, Failure> {
    let mut pairs = Pairs::new(args.keys.threads());
    let mut rows = Rows { names: Names::default(), pairs: &mut pairs };
    pipeline::run(inputs, &ByField { hasher: file.key_hasher(), flag: "--by" }, &mut rows)?;
    let names = rows.names.into_all();
    let failed = |error| Failure::at(name, error);
    // The numbers that these names have in the filter.
    let of_names = names.iter().map(|segment| file.add_segment(segment));
    let of_names: Vec<Segment> = of_names.collect::<Result<_, _>>().map_err(failed)?;
    let (keys, mut pairs) = pairs.into_different();
    pairs.iter_mut().for_each(|(_, segment)| *segment = of_names[usize::from(segment.number())]);
    file.insert_pairs(pairs).map_err(|error| match error {
        Error::CapacityReached { capacity, .. } => full(name, capacity, None),
        Error::NumbersClustered { .. } => Failure::side_by_side(name),
        error => failed(error),
    })?;
    Ok(keys)
}

struct Add<'a> {
    name: &'a str,
    file: &'a mut Opened,
    /// Where they go, in a filter that has segments.
    segment: Option<Segment>,
    keys: u64,
}

impl Add<'_> {
    fn add(&mut self, keys: &PreparedKeys) -> Result<(), Failure> {
        let can = self.file.can();
        let done = match self.segment {
            Some(segment) => self.file.insert_prepared_in(segment, keys),
            None => self.file.insert_prepared(keys),
        };
        match done {
            Ok(()) => self.keys += keys.len() as u64,
            Err(Error::CapacityReached { capacity, inserted, .. }) => {
                let fitted = self.keys + inserted as u64;
                return Err(match can.set_over_capacity {
                    true => full(self.name, capacity, Some(fitted)),
                    false => full_chain(self.name, fitted),
                });
            }
            Err(Error::TooManyCopies { most, inserted, .. }) => {
                return Err(too_many_copies(self.name, most, self.keys + inserted as u64));
            }
            Err(Error::NumbersClustered { .. }) => return Err(Failure::side_by_side(self.name)),
            Err(Error::RateOutOfReach { .. }) if self.file.format() == Format::Tepal => {
                return Err(cannot_grow(self.name, can.become_static));
            }
            Err(Error::KeysClustered { .. }) if !can.set_over_capacity => {
                return Err(Failure::at(
                    self.name,
                    "the keys fall on few of the filter's lines, as if they had been chosen by its own hash, and others like \
                     them would be found by mistake; nothing was saved. Make it again with a secret (uniq --secret FILE)",
                ));
            }
            Err(Error::KeysClustered { rate, promised, .. }) => {
                return Err(Failure::clustered(self.name, rate, promised, "--past-promise"));
            }
            Err(error) => return Err(Failure::at(self.name, error)),
        }
        Ok(())
    }
}

impl Sink<PreparedKeys> for Add<'_> {
    fn take(&mut self, _page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        self.add(keys).map(|()| Flow::Continue)
    }
}

/// A key is in as often as it can be.
fn too_many_copies(name: &str, most: u64, fitted: u64) -> Failure {
    Failure::at(
        name,
        format!(
            "key {} of those given is in {} times already, and no more copies of one are counted; nothing was added. Take repeats out \
             (tepal uniq), or build it again with counts of more bits (--count-bits)",
            number::count(fitted + 1),
            number::count(most)
        ),
    )
}

/// A chain that may not grow takes no key more than its program would let it take.
fn full_chain(name: &str, fitted: u64) -> Failure {
    Failure::at(
        name,
        format!(
            "full, and made not to grow: only the first {} given fit; nothing was added. Build it again with more \
             room (-n), or so that it grows (--expansion 2)",
            number::count(fitted)
        ),
    )
}

/// One that grows, but not with its rate.
fn cannot_grow(name: &str, is_of_tables: bool) -> Failure {
    let (why, way) = match is_of_tables {
        true => (
            "its next table would need 2^56 possible fingerprints or more",
            "Build another filter (build --growing)",
        ),
        false => (
            "its filters leave too little of its rate for another, or are the 64 that a file can have",
            "Begin another state (uniq --state)",
        ),
    };
    Failure::at(
        name,
        format!(
            "full, and cannot grow any more: {why}; nothing was added. {way}, with a higher rate \
             (-p) or more keys from the first (-n), and ask both"
        ),
    )
}

fn full(name: &str, capacity: u64, fitted: Option<u64>) -> Failure {
    let fit = match fitted {
        Some(fitted) => format!("only the first {} given fit", number::count(fitted)),
        None => "not all of them fit".to_owned(),
    };
    Failure::at(
        name,
        format!(
            "full: planned for {}, and {fit}; nothing was added. Build it again with more room (-n), or add --past-promise to go past \
             its promised rate",
            number::counted(capacity, "key")
        ),
    )
}

/// Bits that were set say yes for keys for which they said no, and these are no exceptions.
fn warn_of_exceptions(name: &str, new: u64, told: &Told) {
    if new > 0 && told.facts.exceptions > 0 {
        complain(&format!(
            "{name}: it was made right about keys that are no members ({}); with other keys in it, it may be wrong about more of them: \
             ask the same list again (tepal except), or build it again (build --exact-on)",
            number::counted(told.facts.exceptions, "exception")
        ));
    }
}

fn report(keys: u64, new: u64, inputs: &Inputs, told: &Told) {
    let keys = number::counted(keys, "key");
    let bad = inputs.left_out();
    match &told.facts.ribbon {
        Some(ribbon) => say(&format!(
            "{keys} added; {} new, beside what was built: {} of 8 bytes, in {} in all{bad}",
            number::count(new),
            number::counted(ribbon.added, "added key"),
            number::size(told.facts.size_in_bytes)
        )),
        None => say(&format!("{keys} added; about {} new; {}{bad}", number::count(new), told.rates(","))),
    }
}
