//! `tepal add`: more keys into a filter, as a whole or not at all.

use serde::Serialize;
use tepal::{Error, Kind, Opened, PreparedKeys};

use crate::args::AddArgs;
use crate::describe::{Description, Told};
use crate::error::{Failure, Outcome};
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::input::progress::Progress;
use crate::input::source::Source;
use crate::keys::Prepare;
use crate::open::{ignore_capacity, open};
use crate::output::{Stdout, Target, complain, is_same_file, say};
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Keys read, repeats included.
    keys: u64,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &AddArgs) -> Outcome {
    let name = shown(&args.filter);
    let secrets = Secrets::read(&args.keyed, args.quiet)?;
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json && to_stdout {
        return Err(Failure::new("--json and -o - both write to standard output; name a file with -o"));
    }
    let over = args.output.as_ref().filter(|path| !is_same_file(path, &args.filter) || !args.force);
    // Locked from before the filter is read until it is saved, so that no other writer comes between.
    let locked = match over {
        Some(_) => Ok(None),
        None => Target::lock(&args.filter, args.no_wait, args.quiet),
    };
    // Of what cannot be opened at all, opening says more.
    if let Err(Failure::Message(_)) = &locked {
        open(&args.filter, args.file, &secrets)?;
    }
    let locked = locked?;
    let mut file = open(&args.filter, args.file, &secrets)?;
    let mut target = match (locked, over) {
        (Some(target), _) => {
            Target::new(&args.filter, true)?;
            target
        }
        (None, Some(path)) => Target::new(path, args.force)?,
        (None, None) => Target::new(&args.filter, true)?,
    };
    let sources = Source::list(&args.inputs);
    let progress = Progress::of(&sources, args.quiet);
    let mut inputs = Inputs::new(sources, args.keys.rules(), progress.clone(), args.keys.threads())?;
    let keys = add_all(&name, &mut file, &mut inputs, args.force)?;
    progress.clear();
    target.save(&file, secrets.seal.as_ref())?;
    if args.quiet && !args.json {
        return Ok(0);
    }
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    if !args.quiet {
        report(&target.name(), keys, &told);
    }
    if args.json {
        Stdout::new().document(&Report { keys, filter: Description::of(&target.name(), &told) })?;
    }
    Ok(0)
}

/// Inserts all keys, past capacity only with `force`. Gives how many there were.
fn add_all(name: &str, file: &mut Opened, inputs: &mut Inputs, force: bool) -> Result<u64, Failure> {
    let forced = if force { ignore_capacity(name, file)? } else { None };
    let work = Prepare { hasher: file.key_hasher() };
    let mut sink = Add { name, file, keys: 0 };
    pipeline::run(inputs, &work, &mut sink)?;
    let keys = sink.keys;
    if let Some(policy) = forced {
        file.set_over_capacity(policy).map_err(|error| Failure::at(name, error))?;
    }
    Ok(keys)
}

struct Add<'a> {
    name: &'a str,
    file: &'a mut Opened,
    keys: u64,
}

impl Sink<PreparedKeys> for Add<'_> {
    fn take(&mut self, _page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        match self.file.insert_prepared(keys) {
            Ok(()) => self.keys += keys.len() as u64,
            Err(Error::CapacityReached { capacity, inserted, .. }) => {
                let fitted = self.keys + inserted as u64;
                return Err(match self.file.filter().kind() {
                    Kind::Scalable => full_chain(self.name, fitted),
                    _ => full(self.name, capacity, fitted),
                });
            }
            Err(Error::KeysClustered { rate, promised, .. }) => {
                return Err(Failure::clustered(self.name, rate, promised, "--force"));
            }
            Err(error) => return Err(Failure::at(self.name, error)),
        }
        Ok(Flow::Continue)
    }
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

fn full(name: &str, capacity: u64, fitted: u64) -> Failure {
    Failure::at(
        name,
        format!(
            "full: planned for {}, and only the first {} given fit; nothing was added. Build it again with more room \
             (-n), or add --force to go past its promised rate",
            number::counted(capacity, "key"),
            number::count(fitted)
        ),
    )
}

fn report(name: &str, keys: u64, told: &Told) {
    say(&format!("{} added; {}", number::counted(keys, "key"), told.rates(",")));
    // A promise that is not on record cannot be passed.
    if told.facts.is_over_capacity && told.has_plan() {
        complain(&format!("{name}: now past its promise; build it again with more room (-n)"));
    }
}
