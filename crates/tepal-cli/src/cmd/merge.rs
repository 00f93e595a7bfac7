//! `tepal merge`: one filter of several, without their keys.

use serde::Serialize;
use tepal::{Error, Opened};

use crate::args::MergeArgs;
use crate::clock;
use crate::describe::{Description, Told, warn_past_promise};
use crate::error::{Failure, Outcome};
use crate::open::{ignore_capacity, open_all};
use crate::output::{Stdout, Target, complain, is_same_file, refuse_both, say};
use crate::rows::Rows;
use crate::secrets::Secrets;
use crate::text::message::shown;
use crate::text::number;
use crate::text::words::Words;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// How many filters were merged.
    filters: usize,
    filter: Description,
}

/// Runs the verb.
pub fn run(args: &MergeArgs) -> Outcome {
    refuse_both(args.json, Some(&args.make.output))?;
    let mut target = Target::new(&args.make.output, args.make.force)?;
    // One that is read too is locked from before that until it is saved.
    if args.filters.iter().any(|path| is_same_file(path, &args.make.output)) {
        target = Target::lock(&args.make.output, args.make.no_wait, args.make.quiet)?.unwrap_or(target);
    }
    let secrets = Secrets::read(&args.keyed, args.make.quiet)?;
    let paths = args.filters.iter().map(|path| path.as_path());
    let filters = open_all(paths, args.file, &secrets)?;
    let mut names = args.filters.iter().map(|path| shown(path));
    for (file, name) in filters.iter().zip(names.clone()) {
        clock::refuse_ahead(&name, file.filter())?;
    }
    let mut filters = filters.into_iter();
    let (Some(mut file), Some(first)) = (filters.next(), names.next()) else {
        return Err(Failure::new("no filter named"));
    };
    let had = file.filter().exceptions()
        + filters.as_slice().iter().map(|other| other.filter().exceptions()).sum::<u64>();
    let forced = if args.past_promise { ignore_capacity(&first, &mut file)? } else { None };
    let mut apart = None;
    for (other, name) in filters.zip(names) {
        apart = apart.or_else(|| rows_apart(&first, &file, &name, &other));
        let joined = if args.and { file.intersect_with(&other) } else { file.union_with(&other) };
        joined.map_err(|error| {
            Failure::at(&name, format!("cannot be merged with {first}: {}", refusal(&error)))
        })?;
    }
    if let Some(policy) = forced {
        file.set_over_capacity(policy).map_err(|error| Failure::at(&first, error))?;
    }
    if let Some(text) = &apart {
        let mut labels = file.filter().labels().clone();
        (labels.field, labels.rows) = (None, None);
        file.set_labels(labels).map_err(|error| Failure::at(&first, error))?;
        if !args.make.quiet {
            complain(&format!("{}: {text}", target.name()));
        }
    }
    target.save(&file, secrets.seal.as_ref())?;
    let told = Told::of(&target.name(), &file)?.sealed(secrets.seal.is_some());
    if !args.make.quiet {
        report(args.filters.len(), &told);
        let has = file.filter().exceptions();
        if has < had {
            complain(&format!(
                "{}: ! {} of {}: of the others another filter may hold the key, or they were there twice",
                target.name(),
                number::count(has),
                number::counted(had, "exception")
            ));
        }
    }
    warn_past_promise(&target.name(), &told);
    if args.json {
        let filter = Description::of(&target.name(), &told);
        Stdout::new().document(&Report { filters: args.filters.len(), filter })?;
    }
    Ok(0)
}

/// What to say where two filters were built from other fields, so that the new one cannot say from
/// which.
fn rows_apart(first: &str, file: &Opened, name: &str, other: &Opened) -> Option<String> {
    let rows = |file: &Opened| (file.labels().field.clone(), Rows::of(file.labels()));
    let (here, there) = (rows(file), rows(other));
    let told = |rows: Option<Rows>| rows.map_or("whole lines".to_owned(), |rows| rows.told());
    (here != there).then(|| {
        format!(
            "{first} was built from {}, and {name} from {}; the new filter keeps no field, so say -f where it is asked for rows",
            told(here.1),
            told(there.1)
        )
    })
}

/// Why another filter cannot be joined to the first.
fn refusal(error: &Error) -> String {
    match error {
        Error::Incompatible { property: "file format", expected, found, .. } => {
            format!("its format is {found}, not {expected}; bring both to one format with: tepal convert")
        }
        Error::Incompatible { property, expected, found, .. }
            if property.starts_with("the number of possible fingerprints") =>
        {
            format!(
                "it has {found} possible fingerprints, not {expected}: such filters are merged if capacity and rate are equal, so build \
                 both with the same -n and -p"
            )
        }
        Error::Incompatible { property: "the keys that they began with", expected, found, .. } => format!(
            "it began with room for {found} keys, not {expected}; growing filters are merged where they began alike, so build both with \
             the same -n"
        ),
        Error::Incompatible { property: "whether keys can be removed", .. } => {
            "keys can be removed from the one and not from the other; build both with --deletable, or none"
                .to_owned()
        }
        Error::TooManyCopies { most, .. } => format!(
            "together they hold a key more often than the {} times that can be counted; build both with more bits of a count \
             (--count-bits)",
            number::count(*most)
        ),
        Error::Incompatible { property: "kind", expected, found, .. } => format!(
            "it is a {found}, not a {expected}; only filters of one kind can be merged, build one of them again from its keys"
        ),
        Error::Incompatible { property, expected, found, .. } => format!(
            "its {property} is {found}, not {expected}; only filters of one shape and one hash can be merged, build \
             one of them again from its keys"
        ),
        Error::CapacityReached { capacity, .. } => format!(
            "together they hold more than the {} the first was planned for; add --past-promise to go past its promised rate, \
             or build them with more room (-n)",
            number::counted(*capacity, "key")
        ),
        other => other.words(),
    }
}

fn report(merged: usize, told: &Told) {
    let is_counted = told.facts.ribbon.is_some();
    say(&format!(
        "{} merged: {}{}{}; {}",
        number::counted(merged as u64, "filter"),
        if is_counted { "" } else { "about " },
        number::counted(told.facts.estimated_len.round() as u64, "different key"),
        if told.facts.tables.is_empty() && !is_counted { " by the bits" } else { "" },
        told.rates(","),
    ));
}
